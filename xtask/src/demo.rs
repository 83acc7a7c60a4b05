//! `cargo xtask demo`: builds the `mcp` program and shows what it does, against our example server
//! and, where node is installed, against reference servers by other authors.
//!
//! [`stage`] has the servers and the configuration that names them, [`script`] the commands, and
//! [`show`] runs one command in front of the audience.

mod script;
mod show;
mod stage;

use std::{io, path::PathBuf};

use crate::{
    process::{self, ProcessError},
    workspace::{self, Workspace},
};
use show::Show;
use stage::Stage;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum DemoError {
    #[error("could not build the program and its example server")]
    Build(#[source] ProcessError),
    #[error("could not write {path}")]
    Write { path: PathBuf, source: io::Error },
    #[error("could not start what the demo needs")]
    Process(#[from] ProcessError),
    #[error("demo: {failed} of {steps} steps went wrong")]
    Failed { failed: usize, steps: usize },
}

pub(crate) fn run(workspace: &Workspace) -> Result<(), DemoError> {
    build(workspace)?;
    let stage = Stage::set(workspace)?;
    println!(
        "every command below is also given --config {}",
        stage.config().display()
    );

    let mut steps = 0;
    let mut failed = 0;
    for (heading, commands) in script::acts(&stage) {
        println!("\n## {heading}");
        for command in &commands {
            steps += 1;
            failed += usize::from(!Show::new(&stage).run(command)?);
        }
    }

    println!();
    if let Some(reason) = stage.without_node() {
        println!("skipped: the reference servers ({reason})");
    }
    match failed {
        0 => {
            println!("demo: {steps} steps ok");
            Ok(())
        }
        _ => Err(DemoError::Failed { failed, steps }),
    }
}

/// One command for both, so that they are built with the same features of what they share.
fn build(workspace: &Workspace) -> Result<(), DemoError> {
    let mut cargo = process::command(workspace::cargo());
    cargo.args([
        "build",
        "--workspace",
        "--all-features",
        "--bins",
        "--examples",
    ]);
    cargo.current_dir(&workspace.root);
    process::run(cargo).map_err(DemoError::Build)
}
