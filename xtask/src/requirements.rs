//! `cargo xtask requirements`: which rows of the requirement tables have a test that names them.
//!
//! - [`table`]: the tables, in `docs/requirements`
//! - [`names`]: ids, and the ways in which a text names them
//! - [`files`]: what is read, and which lines of it are tests
//! - [`coverage`]: both sides together, as a page
//!
//! Only an id that no table has is a failure: it is a slip, or a row that somebody removed.

mod coverage;
mod files;
mod names;
mod table;

use std::{fs, io, path::PathBuf};

use crate::workspace::Workspace;
use coverage::Coverage;

/// Where the tables are, and the page about them.
const DIRECTORY: &str = "docs/requirements";
const PAGE: &str = "coverage.md";

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum RequirementsError {
    #[error("unexpected argument {0}; there is only --write")]
    Argument(String),
    #[error("could not read {path}")]
    Read { path: PathBuf, source: io::Error },
    #[error("could not write {path}")]
    Write { path: PathBuf, source: io::Error },
    #[error("requirements: {0} ids that no table has")]
    Unknown(usize),
}

/// Prints the page, and with `--write` among the arguments also keeps it.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<(), RequirementsError> {
    let other = arguments.iter().find(|argument| *argument != "--write");
    if let Some(other) = other {
        return Err(RequirementsError::Argument(other.clone()));
    }
    let directory = workspace.root.join(DIRECTORY);
    let mut coverage = Coverage::of(table::read(&directory)?);
    for file in files::read(workspace)? {
        coverage.add(&file);
    }

    let page = coverage.page();
    print!("{page}");
    if !arguments.is_empty() {
        let path = directory.join(PAGE);
        fs::write(&path, &page).map_err(|source| RequirementsError::Write { path, source })?;
    }
    let unknown = coverage.unknown();
    for slip in unknown {
        println!("{slip}");
    }
    match unknown.len() {
        0 => Ok(()),
        count => Err(RequirementsError::Unknown(count)),
    }
}
