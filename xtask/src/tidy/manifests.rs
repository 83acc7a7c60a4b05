//! Every crate takes the lints of the workspace and says what it is for.
//!
//! That each public item is documented is the business of a lint, `missing_docs`; that the lint is
//! in force is ours.

use std::{fs, path::PathBuf};

use super::{File, Finding, TidyError};
use crate::workspace::Workspace;

pub(super) fn findings(workspace: &Workspace) -> Result<Vec<Finding>, TidyError> {
    let mut findings = Vec::new();
    for package in &workspace.packages {
        let manifest = read(workspace, package.directory.join("Cargo.toml"))?;
        if !takes_workspace_lints(&manifest.text) {
            findings.push(manifest.finding(1, "has no [lints] workspace = true"));
        }
        for root in ["src/lib.rs", "src/main.rs"] {
            let path = package.directory.join(root);
            if path.exists() {
                let root = read(workspace, path)?;
                if !root.text.starts_with("//!") {
                    root_without_docs(&root, &mut findings);
                }
            }
        }
    }
    Ok(findings)
}

fn root_without_docs(root: &File, findings: &mut Vec<Finding>) {
    findings.push(root.finding(1, "does not start with //! and what the crate is for"));
}

fn read(workspace: &Workspace, path: PathBuf) -> Result<File, TidyError> {
    match fs::read_to_string(&path) {
        Ok(text) => Ok(File {
            path: workspace.relative(&path),
            text,
        }),
        Err(source) => Err(TidyError::Read { path, source }),
    }
}

fn takes_workspace_lints(manifest: &str) -> bool {
    let mut section = "";
    manifest.lines().map(str::trim).any(|line| {
        if line.starts_with('[') {
            section = line;
        }
        section == "[lints]" && line.replace(' ', "") == "workspace=true"
            || line.replace(' ', "") == "lints.workspace=true"
    })
}

#[cfg(test)]
mod tests {
    use super::takes_workspace_lints;

    #[test]
    fn lints_are_taken_in_their_own_section() {
        assert!(takes_workspace_lints(
            "[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n"
        ));
        assert!(takes_workspace_lints("lints.workspace = true\n"));
        assert!(!takes_workspace_lints(
            "[package]\nversion.workspace = true\n[lints]\n"
        ));
        assert!(!takes_workspace_lints(
            "[lints]\n[other]\nworkspace = true\n"
        ));
    }
}
