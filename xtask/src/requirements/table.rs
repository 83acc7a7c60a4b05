//! The requirement tables as they stand in Markdown.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    RequirementsError,
    names::{self, Id},
};

/// The files with tables, in the order of the page about them.
const FILES: [&str; 3] = [
    "requirements-2026-07-28.md",
    "requirements-legacy.md",
    "extensions.md",
];

/// A file of tables.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) file: &'static str,
    pub(super) rows: Vec<Row>,
    /// What is said about contradictions, by name: `N1`.
    pub(super) notes: Vec<String>,
}

/// One requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) id: Id,
    /// MUST or MUST NOT, and not only the repetition of another row.
    pub(super) is_must: bool,
    /// Owed by the program around our crates, so what we owe is documentation.
    pub(super) is_host: bool,
}

pub(super) fn read(directory: &Path) -> Result<Vec<Table>, RequirementsError> {
    let tables = FILES.into_iter().map(|file| {
        let path: PathBuf = directory.join(file);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Table {
                file,
                rows: rows(&text),
                notes: notes(&text),
            }),
            Err(source) => Err(read_error(path, source)),
        }
    });
    tables.collect()
}

fn read_error(path: PathBuf, source: io::Error) -> RequirementsError {
    RequirementsError::Read { path, source }
}

/// The rows of every table of `text` whose first column is an id. The heading of a table says
/// which column holds what.
fn rows(text: &str) -> Vec<Row> {
    let mut heading = Vec::new();
    let mut rows = Vec::new();
    for line in text.lines() {
        let cells = cells(line);
        match cells.first().map(|first| Id::parse(first)) {
            None => heading.clear(),
            Some(None) if heading.is_empty() => heading = cells,
            Some(None) => {}
            Some(Some(id)) => {
                let cell = |name| {
                    let column = heading.iter().position(|title| *title == name);
                    column
                        .and_then(|column| cells.get(column))
                        .copied()
                        .unwrap_or_default()
                };
                let level = cell("level");
                let owner = cell("layer").split([',', '+']).next();
                rows.push(Row {
                    id,
                    is_must: level.starts_with("MUST") && !level.contains("repeat"),
                    is_host: owner.is_some_and(|owner| owner.trim() == "host"),
                });
            }
        }
    }
    rows
}

/// The first cells that are notes.
fn notes(text: &str) -> Vec<String> {
    let first = |line| cells(line).first().copied();
    let cells = text.lines().filter_map(first);
    cells
        .filter(|cell| names::is_note(cell))
        .map(str::to_owned)
        .collect()
}

/// The cells of a line of a table; none of any other line. A bar behind a backslash is text.
fn cells(line: &str) -> Vec<&str> {
    let Some(line) = line.trim().strip_prefix('|') else {
        return Vec::new();
    };
    let mut cells = Vec::new();
    let mut start = 0;
    for (at, _) in line.match_indices('|') {
        if !line[..at].ends_with('\\') {
            cells.push(line[start..at].trim());
            start = at + 1;
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, bool, bool)]) {
        let rows = rows(text);
        let found: Vec<_> = rows
            .iter()
            .map(|row| (row.id.to_string(), row.is_must, row.is_host))
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(id, must, host)| ((*id).to_owned(), *must, *host))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn rows_have_a_level_and_an_owner() {
        check(
            "| id | section | level | who | layer | requirement |\n\
             |---|---|---|---|---|---|\n\
             | V26-A-001 | a L1 | MUST | both | core | b |\n\
             | V26-A-002 | a \\| b | MUST NOT | both | host, core | b |\n\
             | V26-A-003 | a | MUST (repeat) | both | core, host | b |\n",
            &[
                ("V26-A-001", true, false),
                ("V26-A-002", true, true),
                ("V26-A-003", false, false),
            ],
        );
    }

    #[test]
    fn tables_have_their_own_columns() {
        check(
            "| id | level | layer |\n|---|---|---|\n| V2506-001 | SHOULD | host |\n\n\
             | id | layer | level |\n|---|---|---|\n| V2503-001 | auth+host | MUST |\n",
            &[("V2506-001", false, true), ("V2503-001", true, false)],
        );
    }

    #[test]
    fn notes_have_tables_too() {
        let text = "| # | where |\n|---|---|\n| N1 | a |\n| N2 | L1 |\n\n| id |\n| V2506-001 |\n";
        assert_eq!(notes(text), ["N1", "N2"]);
    }

    #[test]
    fn other_tables_have_no_rows() {
        check(
            "| check | rows |\n|---|---|\n| ping | V26-A-001 |\n\n| V26-A | group |\nV26-A-002 |",
            &[],
        );
    }
}
