//! `cargo xtask schema DIR`: our types against the published JSON schemas and examples.
//!
//! Those files are not part of the project. `DIR` has a directory for each version of the protocol,
//! named by its date, with its `schema.json` and, where there are any, its `examples`.

use std::path::{Path, PathBuf};

use crate::{
    process::{self, ProcessError},
    workspace::{self, Workspace},
};

/// Tells the tests where the files are.
const VARIABLE: &str = "MCP_SCHEMA_DIR";
/// A version that every such directory has.
const FIRST: &str = "2024-11-05/schema.json";

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum SchemaError {
    #[error("expected one argument, the directory of the published schemas")]
    Arguments,
    #[error("there is no {FIRST} in {0}")]
    Missing(PathBuf),
    #[error("types and schemas differ")]
    Failed(#[source] ProcessError),
}

pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<(), SchemaError> {
    let directory = directory(arguments)?;
    let mut cargo = process::command(workspace::cargo());
    cargo.args(["test", "--package", "mcp-core", "--features", "proptest"]);
    cargo.args(["--test", "schema", "--", "--nocapture"]);
    cargo.env(VARIABLE, directory).current_dir(&workspace.root);
    process::run(cargo).map_err(SchemaError::Failed)
}

/// The directory, as the tests find it from where they run.
fn directory(arguments: &[String]) -> Result<PathBuf, SchemaError> {
    let [directory] = arguments else {
        return Err(SchemaError::Arguments);
    };
    let missing = || SchemaError::Missing(directory.into());
    let found = Path::new(directory).canonicalize().map_err(|_| missing())?;
    if found.join(FIRST).is_file() {
        Ok(found)
    } else {
        Err(missing())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_directory_with_schemas_is_needed() {
        assert!(matches!(directory(&[]), Err(SchemaError::Arguments)));
        let here = [".".to_owned()];
        assert!(matches!(directory(&here), Err(SchemaError::Missing(_))));
        let two = ["a".to_owned(), "b".to_owned()];
        assert!(matches!(directory(&two), Err(SchemaError::Arguments)));
    }
}
