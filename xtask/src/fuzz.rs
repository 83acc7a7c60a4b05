//! `cargo xtask fuzz`: arbitrary input for the targets in `fuzz/`, for as long as one likes.
//!
//! What a run learns stays in the target directory, so that the next one goes on from there;
//! `fuzz/corpus` has only the few inputs that people wrote. An input that crashes a target, or takes
//! it longer than a second, is kept in `fuzz/artifacts`.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    process::{self, ProcessError},
    workspace::{self, Workspace},
};

const DEFAULT_SECONDS: u64 = 60;
/// What every target is run with: lines as long as most are, and an error for what is slow.
const LIMITS: [&str; 3] = ["-timeout=1", "-report_slow_units=1", "-max_len=65536"];

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum FuzzError {
    #[error("expected nothing or --seconds N, for all targets together")]
    Arguments,
    #[error("cargo-fuzz is missing; install it with `cargo install cargo-fuzz --locked`")]
    Missing,
    #[error("could not read {path}")]
    Read { path: PathBuf, source: io::Error },
    #[error("could not create {path}")]
    Create { path: PathBuf, source: io::Error },
    #[error("could not build the targets")]
    Build(#[source] ProcessError),
    #[error("fuzz: crashed or slow: {}; the inputs are in fuzz/artifacts", .0.join(", "))]
    Found(Vec<String>),
}

pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<(), FuzzError> {
    let seconds = seconds(arguments)?;
    if !process::works(workspace::cargo(), &["fuzz", "--version"]) {
        return Err(FuzzError::Missing);
    }
    let targets = targets(workspace)?;
    // One cargo for all, so that a target that does not compile is not found after minutes.
    process::run(cargo_fuzz(workspace, "build")).map_err(FuzzError::Build)?;
    let each = (seconds / targets.len().max(1) as u64).max(1);
    let mut found = Vec::new();
    for target in targets {
        println!("fuzz: {target} for {each} s");
        if !survives(workspace, &target, each)? {
            found.push(target);
        }
    }
    match found.len() {
        0 => Ok(()),
        _ => Err(FuzzError::Found(found)),
    }
}

fn seconds(arguments: &[String]) -> Result<u64, FuzzError> {
    match arguments {
        [] => Ok(DEFAULT_SECONDS),
        [option, seconds] if option == "--seconds" => {
            seconds.parse().map_err(|_| FuzzError::Arguments)
        }
        _ => Err(FuzzError::Arguments),
    }
}

/// The names of the targets: one file each.
fn targets(workspace: &Workspace) -> Result<Vec<String>, FuzzError> {
    let files = names(&workspace.root.join("fuzz/fuzz_targets"))?;
    let mut targets: Vec<_> = files
        .iter()
        .filter_map(|file| file.strip_suffix(".rs"))
        .map(str::to_owned)
        .collect();
    targets.sort();
    Ok(targets)
}

/// Runs one target and says whether nothing was found.
fn survives(workspace: &Workspace, target: &str, seconds: u64) -> Result<bool, FuzzError> {
    let seeds = workspace.root.join("fuzz/corpus").join(target);
    let artifacts = workspace.root.join("fuzz/artifacts").join(target);
    let learned = workspace.target.join("fuzz-corpus").join(target);
    for path in [&learned, &artifacts] {
        fs::create_dir_all(path).map_err(|source| FuzzError::Create {
            path: path.clone(),
            source,
        })?;
    }
    let before = names(&artifacts)?;
    let mut fuzz = cargo_fuzz(workspace, "run");
    // What is new goes to the first corpus.
    fuzz.arg(target).args([&learned, &seeds]).arg("--");
    fuzz.args(LIMITS);
    fuzz.args([
        format!("-max_total_time={seconds}").as_str(),
        "-print_final_stats=1",
    ]);
    let ended_well = process::run(fuzz).is_ok();
    // A slow input is kept, but does not end the run.
    Ok(ended_well && names(&artifacts)?.iter().all(|name| before.contains(name)))
}

/// Without a sanitizer, which our code without `unsafe` has little use for, cargo-fuzz needs nothing
/// of the compiler that a stable one has not.
fn cargo_fuzz(workspace: &Workspace, command: &str) -> Command {
    let mut cargo = process::command(workspace::cargo());
    cargo.args(["fuzz", command, "--sanitizer", "none", "--target-dir"]);
    cargo.arg(workspace.target.join("fuzz"));
    cargo.current_dir(&workspace.root);
    cargo
}

fn names(directory: &Path) -> Result<Vec<String>, FuzzError> {
    let read = |source| FuzzError::Read {
        path: directory.to_owned(),
        source,
    };
    let entries = fs::read_dir(directory).map_err(read)?;
    entries
        .map(|entry| {
            Ok(entry
                .map_err(read)?
                .file_name()
                .to_string_lossy()
                .into_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &[&str], expected: Option<u64>) {
        let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
        assert_eq!(seconds(&arguments).ok(), expected);
    }

    #[test]
    fn the_time_may_be_given() {
        check(&[], Some(DEFAULT_SECONDS));
        check(&["--seconds", "600"], Some(600));
        check(&["--seconds"], None);
        check(&["--seconds", "many"], None);
        check(&["600"], None);
    }
}
