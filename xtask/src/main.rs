//! The chores of this workspace: `cargo xtask check`, `test`, `demo` and the parts they are made of.
//!
//! - [`check`]: formatting, lints, docs and [`tidy`], in the order that fails fastest
//! - [`tidy`]: the house rules no compiler knows
//! - [`peers`]: installs the programs by other authors that tests and demo talk to
//! - [`mod@test`]: every test, against every peer that could be installed
//! - [`demo`]: a guided walk through the `mcp` program
//! - [`requirements`]: which rows of the requirement tables have a test
//! - [`schema`]: our types against the published JSON schemas
//! - [`fuzz`]: arbitrary input for what reads messages
//!
//! [`process`] starts programs and makes sure they end, [`workspace`] knows where things are.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal: printing is what it is for"
)]

mod check;
mod demo;
mod fuzz;
mod peers;
mod process;
mod requirements;
mod schema;
mod test;
mod tidy;
mod workspace;

use std::{env, process::ExitCode};

use workspace::Workspace;

const HELP: &str = "\
The chores of this workspace.

usage: cargo xtask COMMAND

commands:
  check         formatting, clippy, rustdoc and tidy; stops at the first failure
  tidy          the house rules: crate directions, era words, features, sizes, paths
  test [ARG…]   install the peers, then run every test; ARGs go to the test runner
  peers         install the node and python programs the tests talk to
  demo          build the `mcp` program and show what it does
  requirements [--write]
                which requirements have a test; --write keeps the page about it
  schema DIR    our types against the published schemas and examples in DIR
  fuzz [--seconds N]
                arbitrary input for the targets in fuzz/, N seconds for all of them
  help          this text
";

/// Why a chore did not succeed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}\n\n{HELP}")]
    Usage(String),
    #[error(transparent)]
    Workspace(#[from] workspace::WorkspaceError),
    #[error(transparent)]
    Process(#[from] process::ProcessError),
    #[error(transparent)]
    Tidy(#[from] tidy::TidyError),
    #[error(transparent)]
    Peers(#[from] peers::PeersError),
    #[error(transparent)]
    Test(#[from] test::TestError),
    #[error(transparent)]
    Demo(#[from] demo::DemoError),
    #[error(transparent)]
    Requirements(#[from] requirements::RequirementsError),
    #[error(transparent)]
    Schema(#[from] schema::SchemaError),
    #[error(transparent)]
    Fuzz(#[from] fuzz::FuzzError),
}

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let command = arguments.next();
    match run(command.as_deref(), &arguments.collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            report(&failure);
            ExitCode::from(if matches!(failure, Failure::Usage(_)) {
                2
            } else {
                1
            })
        }
    }
}

fn run(command: Option<&str>, arguments: &[String]) -> Result<(), Failure> {
    match command {
        None | Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            return Ok(());
        }
        Some("test") => return Ok(test::run(&Workspace::find()?, arguments)?),
        Some("requirements") => return Ok(requirements::run(&Workspace::find()?, arguments)?),
        Some("schema") => return Ok(schema::run(&Workspace::find()?, arguments)?),
        Some("fuzz") => return Ok(fuzz::run(&Workspace::find()?, arguments)?),
        _ if !arguments.is_empty() => {
            return Err(Failure::Usage(format!(
                "unexpected argument {}",
                arguments[0]
            )));
        }
        _ => {}
    }
    match command {
        Some("check") => check::run(&Workspace::find()?),
        Some("tidy") => Ok(tidy::run(&Workspace::find()?)?),
        Some("peers") => Ok(peers::run(&Workspace::find()?)?),
        Some("demo") => Ok(demo::run(&Workspace::find()?)?),
        other => Err(Failure::Usage(format!(
            "no command {}",
            other.unwrap_or_default()
        ))),
    }
}

/// The failure and what caused it, one line each.
fn report(failure: &Failure) {
    eprintln!("error: {failure}");
    let mut cause = std::error::Error::source(failure);
    while let Some(error) = cause {
        eprintln!("  because {error}");
        cause = error.source();
    }
}
