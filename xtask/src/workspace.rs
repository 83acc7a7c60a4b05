//! Where the workspace keeps its things, as told by `cargo metadata`.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::process::{self, ProcessError};

/// The workspace this program was built in.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    pub(crate) packages: Vec<Package>,
}

/// One crate of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) directory: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A dependency of a [`Package`] as its manifest names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: DependencyKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DependencyKind {
    /// What the built crate consists of: `[dependencies]` and `[build-dependencies]`.
    Normal,
    Development,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum WorkspaceError {
    #[error("could not ask cargo about the workspace")]
    Ask(#[from] ProcessError),
    #[error("could not read what cargo says about the workspace")]
    Json(#[from] serde_json::Error),
    #[error("cargo says nothing about {0}")]
    Missing(&'static str),
}

impl Workspace {
    pub(crate) fn find() -> Result<Self, WorkspaceError> {
        let mut cargo = process::command(cargo());
        cargo.args(["metadata", "--format-version", "1", "--no-deps"]);
        let metadata: Value = serde_json::from_str(&process::capture(cargo)?)?;
        let packages = metadata["packages"]
            .as_array()
            .ok_or(WorkspaceError::Missing("packages"))?;
        Ok(Self {
            root: path(&metadata["workspace_root"], "workspace_root")?,
            target: path(&metadata["target_directory"], "target_directory")?,
            packages: packages
                .iter()
                .map(Package::from_json)
                .collect::<Result<_, _>>()?,
        })
    }

    /// `file` as it is called inside of the workspace, with forward slashes.
    pub(crate) fn relative(&self, file: &Path) -> String {
        file.strip_prefix(&self.root)
            .unwrap_or(file)
            .to_string_lossy()
            .replace('\\', "/")
    }
}

impl Package {
    fn from_json(package: &Value) -> Result<Self, WorkspaceError> {
        let manifest = path(&package["manifest_path"], "manifest_path")?;
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        Ok(Self {
            name: text(&package["name"], "the name of a package")?,
            directory: manifest.parent().map(Path::to_path_buf).unwrap_or_default(),
            dependencies: dependencies
                .map(Dependency::from_json)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl Dependency {
    fn from_json(dependency: &Value) -> Result<Self, WorkspaceError> {
        Ok(Self {
            name: text(&dependency["name"], "the name of a dependency")?,
            kind: match dependency["kind"].as_str() {
                Some("dev") => DependencyKind::Development,
                _ => DependencyKind::Normal,
            },
        })
    }
}

/// The cargo that runs us, so that a toolchain override stays in force.
pub(crate) fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn text(value: &Value, what: &'static str) -> Result<String, WorkspaceError> {
    value
        .as_str()
        .map(str::to_owned)
        .ok_or(WorkspaceError::Missing(what))
}

fn path(value: &Value, what: &'static str) -> Result<PathBuf, WorkspaceError> {
    text(value, what).map(PathBuf::from)
}
