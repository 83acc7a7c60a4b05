//! What is looked through for names of rows, and which lines of it are tests.

use std::{
    fs,
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use super::{DIRECTORY, RequirementsError};
use crate::workspace::Workspace;

/// Rust, documents, and the programs of other languages that the tests talk to.
const EXTENSIONS: [&str; 6] = ["rs", "md", "js", "mjs", "py", "ts"];
/// Directories and files that hold tests and nothing else.
const TESTS: [&str; 3] = ["tests", "tests.rs", "fuzz"];
/// Our own examples of names.
const OURSELVES: &str = "xtask/src/requirements";

/// A file of the workspace, with a path relative to its root.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) text: String,
}

impl File {
    /// The lines that belong to tests, counted from one.
    pub(super) fn test_lines(&self) -> Vec<RangeInclusive<usize>> {
        if self.path.split('/').any(|part| TESTS.contains(&part)) {
            return vec![1..=usize::MAX];
        }
        test_items(&self.text)
    }
}

pub(super) fn read(workspace: &Workspace) -> Result<Vec<File>, RequirementsError> {
    let mut files = Vec::new();
    for path in paths(&workspace.root)? {
        let relative = workspace.relative(&path);
        if relative.starts_with(DIRECTORY) || relative.starts_with(OURSELVES) {
            continue;
        }
        match fs::read_to_string(&path) {
            Ok(text) => files.push(File {
                path: relative,
                text,
            }),
            Err(source) => return Err(RequirementsError::Read { path, source }),
        }
    }
    Ok(files)
}

/// Every file below `root` that is looked through, in the order of their names.
fn paths(root: &Path) -> Result<Vec<PathBuf>, RequirementsError> {
    let mut open = vec![root.to_owned()];
    let mut found = Vec::new();
    while let Some(directory) = open.pop() {
        let failed = |source| RequirementsError::Read {
            path: directory.clone(),
            source,
        };
        for entry in fs::read_dir(&directory).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let path = entry.path();
            // A link may lead out of the workspace, or round in it.
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() && !is_foreign(&name) {
                open.push(path);
            } else if kind.is_file() && is_looked_through(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a directory holds what others wrote or what was built.
fn is_foreign(name: &str) -> bool {
    name.starts_with('.') || matches!(name, "target" | "node_modules" | "__pycache__")
}

fn is_looked_through(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    EXTENSIONS.iter().any(|known| extension == *known)
}

/// The lines of test functions and test modules with the comments above them, by the layout that
/// rustfmt gives them. A test module goes on to the end of the file, where clippy wants it.
fn test_items(text: &str) -> Vec<RangeInclusive<usize>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut items = Vec::new();
    let mut at = 0;
    while let Some(offset) = lines[at..].iter().position(|line| is_test(line)) {
        let attribute = at + offset;
        let above = lines[at..attribute].iter().rev();
        let first = attribute - above.take_while(|line| is_above_an_item(line)).count();
        let end = match opens_module(&lines[attribute..]) {
            true => lines.len(),
            false => attribute + length(&lines[attribute..]),
        };
        items.push(first + 1..=end);
        at = end;
    }
    items
}

/// Whether a line is `#[cfg(test)]`, `#[test]`, `#[tokio::test(…)]` or another `test` attribute.
fn is_test(line: &str) -> bool {
    let line = line.trim_start();
    let Some(attribute) = line.strip_prefix("#[") else {
        return false;
    };
    let path = attribute.split([']', '(']).next().unwrap_or_default();
    line.starts_with("#[cfg(test)]") || path.rsplit("::").next() == Some("test")
}

fn is_above_an_item(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("//") || line.starts_with("#[")
}

fn opens_module(item: &[&str]) -> bool {
    let declaration = item.iter().find(|line| !is_above_an_item(line));
    declaration.is_some_and(|line| {
        let line = line.trim();
        line.ends_with('{') && line.split(' ').any(|word| word == "mod")
    })
}

/// The lines of an item: up to the first one that is indented like its attribute and ends it.
fn length(item: &[&str]) -> usize {
    let indentation = item[0].len() - item[0].trim_start().len();
    let last = item.iter().position(|line| {
        let indented = line.len() - line.trim_start().len();
        indented == indentation && line.ends_with(['}', ';'])
    });
    last.map_or(item.len(), |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[usize]) {
        let file = File {
            path: path.into(),
            text: text.into(),
        };
        let tests = file.test_lines();
        let lines = 1..=text.lines().count();
        let found: Vec<_> = lines
            .filter(|line| tests.iter().any(|test| test.contains(line)))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_function_with_what_stands_above_it_is_a_test() {
        let text = "fn a() {}\n// b\n#[test]\n#[ignore]\nfn b() {\n    c();\n}\nfn d() {}\n";
        check("a/src/b.rs", text, &[2, 3, 4, 5, 6, 7]);
        let text = "a! {\n    #[tokio::test(flavor = \"a\")]\n    fn b() {\n    }\n}\nfn c() {}\n";
        check("a/src/b.rs", text, &[2, 3, 4]);
    }

    #[test]
    fn a_test_module_goes_on_to_the_end() {
        let text = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    b!(\"\n}\n\");\n}\n";
        check("a/src/b.rs", text, &[3, 4, 5, 6, 7, 8]);
        check(
            "a/src/b.rs",
            "#[cfg(test)]\nmod tests;\nfn a() {}\n",
            &[1, 2],
        );
    }

    #[test]
    fn whole_files_are_tests() {
        check("a/tests/b/c.rs", "a\nb\n", &[1, 2]);
        check("a/src/b/tests.rs", "a\n", &[1]);
        check("tests/peers/python/client.py", "a\n", &[1]);
        check("a/src/b.rs", "#[testing]\n#[cfg(unix)]\nfn a() {}\n", &[]);
    }
}
