//! `cargo xtask check`: what has to be green before a change is handed in.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use crate::{
    Failure, process, tidy,
    workspace::{self, Workspace},
};

pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    step("fmt", || {
        Ok(process::run(cargo(
            workspace,
            &["fmt", "--all", "--check"],
        ))?)
    })?;
    step("clippy", || Ok(process::run(clippy(workspace))?))?;
    step("doc", || Ok(process::run(doc(workspace))?))?;
    step("tidy", || Ok(tidy::run(workspace)?))
}

fn clippy(workspace: &Workspace) -> Command {
    let mut clippy = cargo(
        workspace,
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--quiet",
        ],
    );
    clippy.args(["--", "-D", "warnings"]);
    clippy
}

fn doc(workspace: &Workspace) -> Command {
    let mut doc = cargo(
        workspace,
        &[
            "doc",
            "--workspace",
            "--no-deps",
            "--all-features",
            "--quiet",
        ],
    );
    doc.env("RUSTDOCFLAGS", "-D warnings");
    doc
}

fn cargo(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut cargo = process::command(workspace::cargo());
    cargo.args(arguments).current_dir(&workspace.root);
    cargo
}

/// Runs one step and says how it went and how long it took.
fn step(name: &str, body: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    println!("check: {name} …");
    let started = Instant::now();
    let result = body();
    let verdict = if result.is_ok() { "ok" } else { "FAILED" };
    println!("check: {name} {verdict} in {}", seconds(started.elapsed()));
    result
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}
