//! `cargo xtask tidy`: the house rules no compiler knows.
//!
//! - [`crates`]: our crates depend on each other in one direction only
//! - [`eras`]: the words of the old protocol stay at the edge that translates it
//! - [`features`]: a feature adds an item of a module, it does not change a function
//! - [`manifests`]: every crate takes the lints of the workspace and says what it is for
//! - [`paths`]: nothing is said about the machine a file was written on
//! - [`sizes`]: files and functions that outgrow a reader, as warnings
//!
//! [`source`] is what they know about Rust.

mod crates;
mod eras;
mod features;
mod manifests;
mod paths;
mod sizes;
mod source;

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use crate::{
    process::{self, ProcessError},
    workspace::Workspace,
};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum TidyError {
    #[error("tidy: {0} to put right")]
    Findings(usize),
    #[error("could not read {path}")]
    Read { path: PathBuf, source: io::Error },
    #[error("could not look at what mcp-core is built from")]
    Tree(#[source] ProcessError),
}

/// Something that is not as it should be, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    file: String,
    line: usize,
    text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.file, self.line, self.text)
    }
}

/// A file of the repository, with a path relative to its root.
#[derive(Debug)]
struct File {
    path: String,
    text: String,
}

impl File {
    fn finding(&self, line: usize, text: impl Into<String>) -> Finding {
        Finding {
            file: self.path.clone(),
            line,
            text: text.into(),
        }
    }

    fn is_rust(&self) -> bool {
        Path::new(&self.path)
            .extension()
            .is_some_and(|extension| extension == "rs")
    }
}

pub(crate) fn run(workspace: &Workspace) -> Result<(), TidyError> {
    let files = files(workspace)?;
    let mut findings = crates::findings(workspace)?;
    findings.extend(manifests::findings(workspace)?);
    let mut warnings = Vec::new();
    for file in &files {
        findings.extend(paths::findings(file));
        if file.is_rust() {
            findings.extend(eras::findings(file));
            findings.extend(features::findings(file));
            warnings.extend(sizes::findings(file));
        }
    }
    for warning in &warnings {
        println!("warning: {warning}");
    }
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        count => Err(TidyError::Findings(count)),
    }
}

/// Every text file of the repository: what git knows or would add, or without git, what is there.
fn files(workspace: &Workspace) -> Result<Vec<File>, TidyError> {
    let mut files = Vec::new();
    for path in listed(workspace).map_or_else(|| walked(workspace), Ok)? {
        match fs::read(&path) {
            // Text is what holds no zero byte; the rest we have nothing to say about.
            Ok(bytes) if !bytes.contains(&0) => files.push(File {
                path: workspace.relative(&path),
                text: String::from_utf8_lossy(&bytes).into_owned(),
            }),
            Ok(_) => {}
            // Deleted, but git has not been told yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(TidyError::Read { path, source }),
        }
    }
    Ok(files)
}

fn listed(workspace: &Workspace) -> Option<Vec<PathBuf>> {
    let mut inside = process::command("git");
    inside
        .args(["rev-parse", "--is-inside-work-tree"])
        .current_dir(&workspace.root);
    if !inside.output().is_ok_and(|output| output.status.success()) {
        return None;
    }
    let mut git = process::command("git");
    git.args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]);
    git.current_dir(&workspace.root);
    let names = process::capture(git).ok()?;
    let names = names.split('\0').filter(|name| !name.is_empty());
    let paths: Vec<_> = names.map(|name| workspace.root.join(name)).collect();
    // A link to a directory is listed by git and is no file.
    Some(paths.into_iter().filter(|path| !path.is_dir()).collect())
}

fn walked(workspace: &Workspace) -> Result<Vec<PathBuf>, TidyError> {
    let mut open = vec![workspace.root.clone()];
    let mut found = Vec::new();
    while let Some(directory) = open.pop() {
        let read = |source| TidyError::Read {
            path: directory.clone(),
            source,
        };
        for entry in fs::read_dir(&directory).map_err(read)? {
            let path = entry.map_err(read)?.path();
            let name = path.file_name().unwrap_or_default();
            let foreign = name == ".git" || name == "target" || name == "node_modules";
            if path.is_dir() && !foreign {
                open.push(path);
            } else if path.is_file() {
                found.push(path);
            }
        }
    }
    Ok(found)
}
