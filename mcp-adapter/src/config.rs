//! Which servers there are, read from JSONC files.
//!
//! ```text
//! file ──► Document ──┐  one name, one winner   expand, check    Config
//! file ──► Document ──┴──► definitions ───────────────────────► servers, warnings
//! ```
//!
//! Everything but [`Config::discover`] and [`Config::load_file`] is pure: text and a lookup for
//! environment variables go in, a [`Config`] comes out. A file that is not JSONC is a
//! [`ConfigError`], which costs the other files nothing; an entry that cannot be used is an [`EntryError`] kept with its server, so
//! that the other servers stay usable; everything that was read but ignored is a [`Warning`].
//! None of them, and no `Debug` text, holds a value of `args`, `env` or `headers` or the path of
//! a `url`: those are where people keep secrets.
//!
//! # References to the environment
//!
//! `${VAR}`, `${env:VAR}`, `$env:VAR` and `{env:VAR}` are replaced in `args`, `env`, `cwd`,
//! `url`, `headers` and `socket`, in one pass: a value is never looked into again. A variable
//! that is not set is an error in `url` and empty with a warning elsewhere. `${VAR:-default}`
//! names what to use when the variable is unset or empty. A `${` that begins no reference is an
//! error; `$${` writes a literal `${`. `command` is taken as it is, apart from a leading `~/`,
//! and refused when it holds a reference.
//!
//! # Not yet
//!
//! Layers override each other a whole server at a time; merging field by field, `imports`,
//! `settings`, authentication, lifecycle and filters come later. Their fields cause a warning
//! until then, and a value that begins with `!`, a secret command, is refused.
//!
//! # Example
//!
//! ```
//! use mcp_adapter::config::{Config, Document, Transport};
//!
//! let text = r#"{
//!     // comments and trailing commas are fine
//!     "mcpServers": {
//!         "files": {"command": "mcp-files", "args": ["${ROOT:-/srv}"]},
//!     },
//! }"#;
//! let document = Document::parse("mcp.json", text)?;
//! let config = Config::from_documents([document], &|_| None);
//!
//! let entry = config.server("files").unwrap().entry.clone()?;
//! let Transport::Stdio(process) = &entry.transport else {
//!     unreachable!("the entry has a command");
//! };
//! assert_eq!(process.args, ["/srv"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::{path::PathBuf, sync::Arc};

mod decode;
mod document;
mod entry;
mod error;
mod expand;
mod field;
mod load;
#[cfg(test)]
mod tests;
mod warning;

pub use document::Document;
pub use entry::{Http, Process, ProtocolChoice, ServerEntry, Transport};
pub use error::{ConfigError, EntryError, Problem};
pub use load::{default_paths, process_environment};
pub use warning::{Notice, Warning};

/// Looks up an environment variable.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The configured servers and what was ignored on the way to them.
#[derive(Clone, Debug, Default)]
pub struct Config {
    servers: Vec<Server>,
    warnings: Vec<Warning>,
    failures: Vec<Arc<ConfigError>>,
}

/// One configured server, usable or not.
#[derive(Clone, Debug)]
pub struct Server {
    /// The key under `mcpServers`.
    pub name: String,
    /// The file whose definition counts.
    pub file: PathBuf,
    /// Switched off by `"disabled": true`, whether or not the entry is usable.
    pub disabled: bool,
    /// The checked entry, or why the server cannot be used.
    pub entry: Result<ServerEntry, EntryError>,
}

impl Config {
    /// Puts layers together, the most specific one last.
    ///
    /// A server defined in several layers is taken whole from the last of them.
    pub fn from_documents(
        documents: impl IntoIterator<Item = Document>,
        environment: Environment<'_>,
    ) -> Self {
        let mut definitions = document::Definitions::default();
        let mut warnings = Vec::new();
        for document in documents {
            warnings.extend(document.warnings);
            for definition in document.definitions {
                definitions.insert(definition);
            }
        }
        let servers = definitions
            .into_iter()
            .map(|definition| decode::server(definition, environment, &mut warnings))
            .collect();
        Self {
            servers,
            warnings,
            failures: Vec::new(),
        }
    }

    /// All servers in the order they were first defined.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// The server of that name.
    pub fn server(&self, name: &str) -> Option<&Server> {
        self.servers.iter().find(|server| server.name == name)
    }

    /// What was read but ignored.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Files that exist and were left out, because they could not be read or understood.
    pub fn failures(&self) -> &[Arc<ConfigError>] {
        &self.failures
    }
}
