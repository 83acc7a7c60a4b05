//! `cargo xtask test`: every test of the workspace, against every peer that could be installed.

use std::process::Command;

use crate::{
    peers,
    process::{self, ProcessError},
    workspace::{self, Workspace},
};

/// Names the directory of the installed peers to the tests.
const PEERS_VARIABLE: &str = "MCP_PEERS";

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum TestError {
    #[error("could not build what the tests start")]
    Build(#[source] ProcessError),
    #[error("the tests did not pass")]
    Failed(#[source] ProcessError),
}

/// `arguments` go to the test runner.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<(), TestError> {
    let installed = peers::install(workspace);
    let everything = ["--workspace", "--all-features"];

    let mut build = cargo(workspace, &["build", "--bins", "--examples"]);
    build.args(everything);
    process::run(build).map_err(TestError::Build)?;

    // The runner comes last, so that its summary is what one sees last.
    let result = if process::works(workspace::cargo(), &["nextest", "--version"]) {
        let mut doc = cargo(workspace, &["test", "--doc"]);
        doc.args(everything);
        let mut nextest = cargo(workspace, &["nextest", "run", "--no-fail-fast"]);
        nextest.args(everything).args(arguments);
        let documentation = process::run(doc);
        process::run(nextest).and(documentation)
    } else {
        // Knows the examples in the documentation itself.
        let mut test = cargo(workspace, &["test", "--no-fail-fast"]);
        test.args(everything).args(arguments);
        process::run(test)
    };

    for line in installed.iter().filter_map(peers::Peers::skipped) {
        println!("{line}");
    }
    result.map_err(TestError::Failed)
}

fn cargo(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut cargo = process::command(workspace::cargo());
    cargo.args(arguments).current_dir(&workspace.root);
    cargo.env(PEERS_VARIABLE, peers::directory(workspace));
    cargo
}
