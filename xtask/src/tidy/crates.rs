//! Our crates depend on each other in one direction only, and the core on nothing that runs.

use super::{Finding, TidyError};
use crate::{
    process,
    workspace::{self, DependencyKind, Package, Workspace},
};

/// Our crates in their order, each with those it may be built from.
const ALLOWED: [(&str, &[&str]); 7] = [
    ("mcp-core", &[]),
    ("mcp-ext", &["mcp-core"]),
    ("mcp-transport", &["mcp-core", "mcp-ext"]),
    ("mcp-gateway-provider", &["mcp-core", "mcp-ext"]),
    (
        "mcp-adapter",
        &[
            "mcp-core",
            "mcp-ext",
            "mcp-transport",
            "mcp-gateway-provider",
        ],
    ),
    (
        "tests",
        &[
            "mcp-core",
            "mcp-ext",
            "mcp-transport",
            "mcp-gateway-provider",
            "mcp-adapter",
        ],
    ),
    ("xtask", &[]),
];

pub(super) fn findings(workspace: &Workspace) -> Result<Vec<Finding>, TidyError> {
    let mut findings = Vec::new();
    for package in &workspace.packages {
        let file = workspace.relative(&package.directory.join("Cargo.toml"));
        let texts = wrong(package);
        findings.extend(texts.into_iter().map(|text| Finding {
            file: file.clone(),
            line: 1,
            text,
        }));
    }
    if core_depends_on("tokio", workspace)? {
        let text = "is built from tokio".to_owned();
        findings.push(Finding {
            file: "mcp-core/Cargo.toml".to_owned(),
            line: 1,
            text,
        });
    }
    Ok(findings)
}

fn wrong(package: &Package) -> Vec<String> {
    let Some(order) = position(&package.name) else {
        return vec![format!(
            "{} has no place in the order of our crates",
            package.name
        )];
    };
    let (_, allowed) = ALLOWED[order];
    let ours = package.dependencies.iter().filter_map(|dependency| {
        let place = position(&dependency.name)?;
        Some((dependency.name.as_str(), dependency.kind, place))
    });
    ours.filter(|(name, kind, place)| match kind {
        DependencyKind::Normal => !allowed.contains(name),
        DependencyKind::Development => *place > order && *name != "tests",
    })
    .map(|(name, kind, _)| match kind {
        DependencyKind::Normal => format!("{} may not depend on {name}", package.name),
        DependencyKind::Development => {
            format!(
                "{} may not be tested with {name}, which comes later",
                package.name
            )
        }
    })
    .collect()
}

fn position(name: &str) -> Option<usize> {
    ALLOWED.iter().position(|(known, _)| *known == name)
}

fn core_depends_on(name: &str, workspace: &Workspace) -> Result<bool, TidyError> {
    let mut tree = process::command(workspace::cargo());
    tree.args([
        "tree",
        "--package",
        "mcp-core",
        "--edges",
        "normal",
        "--all-features",
    ]);
    tree.args(["--prefix", "none", "--format", "{p}"])
        .current_dir(&workspace.root);
    let tree = process::capture(tree).map_err(TidyError::Tree)?;
    Ok(tree
        .lines()
        .any(|line| line.split(' ').next() == Some(name)))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::workspace::Dependency;

    #[track_caller]
    fn check(name: &str, dependencies: &[(&str, DependencyKind)], expected: &[&str]) {
        let dependencies = dependencies.iter();
        let package = Package {
            name: name.to_owned(),
            directory: PathBuf::new(),
            dependencies: dependencies
                .map(|(name, kind)| Dependency {
                    name: (*name).to_owned(),
                    kind: *kind,
                })
                .collect(),
        };
        assert_eq!(wrong(&package), expected);
    }

    #[test]
    fn dependencies_go_down() {
        use DependencyKind::Normal;
        check("mcp-ext", &[("mcp-core", Normal), ("serde", Normal)], &[]);
        check(
            "mcp-core",
            &[("mcp-ext", Normal)],
            &["mcp-core may not depend on mcp-ext"],
        );
        let text = "mcp-gateway-provider may not depend on mcp-transport";
        check(
            "mcp-gateway-provider",
            &[("mcp-transport", Normal)],
            &[text],
        );
        check(
            "xtask",
            &[("mcp-core", Normal)],
            &["xtask may not depend on mcp-core"],
        );
        check("new", &[], &["new has no place in the order of our crates"]);
    }

    #[test]
    fn tests_may_use_more_but_nothing_later() {
        use DependencyKind::Development;
        check(
            "mcp-gateway-provider",
            &[("mcp-transport", Development)],
            &[],
        );
        check("mcp-core", &[("tests", Development)], &[]);
        let text = "mcp-core may not be tested with mcp-adapter, which comes later";
        check("mcp-core", &[("mcp-adapter", Development)], &[text]);
    }
}
