//! The configuration that counts for this run.

use std::{env, path::Path, sync::Arc};

use mcp_adapter::config::{Config, default_paths, process_environment};

use crate::{cli::Command, failure::Failure, terminal::Terminal};

/// Reads the file that was named, or the files where servers are usually configured.
pub(crate) fn load(file: Option<&Path>) -> Result<Config, Failure> {
    if let Some(file) = file {
        return Config::load_file(file, &process_environment)
            .map_err(|error| Failure::Configuration(Arc::new(error)));
    }
    let cwd = env::current_dir().unwrap_or_default();
    let config = Config::discover(&cwd, &process_environment);
    if config.servers().is_empty() {
        // One broken file is a better reason than that there are no others.
        return Err(match config.failures().first() {
            Some(error) => Failure::Configuration(error.clone()),
            None => Failure::NoConfiguration(default_paths(&process_environment, &cwd)),
        });
    }
    Ok(config)
}

/// Says what was left out or ignored, as far as the command can be affected by it.
pub(crate) fn warn(config: &Config, command: &Command, terminal: &Terminal) {
    for failure in config.failures() {
        let text = Failure::Configuration(failure.clone()).to_string();
        terminal.warn(&format!("{text}; the file is left out"));
    }
    for warning in config.warnings() {
        let concerned = match (command.server(), &warning.server) {
            (Some(used), Some(server)) => used == server,
            _ => true,
        };
        if concerned {
            terminal.warn(&warning.to_string());
        }
    }
}
