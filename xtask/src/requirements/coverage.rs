//! The page that says which rows are tested.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt::Write as _,
    ops::Range,
};

use super::{
    files::File,
    names::{self, Id, Name},
    table::{Row, Table},
};

const HEAD: &str = "\
# Which requirements are tested

Written by `cargo xtask requirements --write` from the ids that stand in the names, bodies and
comments of tests; another place that has the id, code or document, only names the row. MUST counts
MUST and MUST NOT. Rows that the program around our crates owes are at the end: they need a word in
the documentation, not a test.
";

/// How far a row has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// Nothing has its id.
    Open,
    /// Code or a document has it.
    Named,
    /// A test has it.
    Tested,
}

/// The tables, and who names their rows.
#[derive(Debug)]
pub(super) struct Coverage {
    tables: Vec<Table>,
    states: HashMap<Id, State>,
    notes: BTreeSet<String>,
    unknown: Vec<String>,
}

impl Coverage {
    /// Nothing is named yet.
    pub(super) fn of(tables: Vec<Table>) -> Self {
        let rows = tables.iter().flat_map(|table| &table.rows);
        Self {
            states: rows.map(|row| (row.id.clone(), State::Open)).collect(),
            tables,
            notes: BTreeSet::new(),
            unknown: Vec::new(),
        }
    }

    /// Adds what `file` names.
    pub(super) fn add(&mut self, file: &File) {
        let tests = file.test_lines();
        for (at, name) in names::find(&file.text) {
            let line = file.text[..at].matches('\n').count() + 1;
            let id = match name {
                Name::Row(id) => id,
                Name::Note(note) => {
                    self.notes.insert(note);
                    continue;
                }
            };
            let is_test = tests.iter().any(|lines| lines.contains(&line));
            match self.states.get_mut(&id) {
                Some(state) if is_test => *state = State::Tested,
                Some(state) => *state = State::Named.max(*state),
                None => self
                    .unknown
                    .push(format!("{}:{line}: no table has {id}", file.path)),
            }
        }
    }

    /// The names that mean nothing, with file and line.
    pub(super) fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// The page as Markdown.
    pub(super) fn page(&self) -> String {
        let mut page = HEAD.to_owned();
        let write = write!(
            page,
            "\n{}\n## Rows without a test\n\n{}\n## Rows of the program around\n\n{}\n{}\n",
            self.counts(),
            self.without_test(),
            self.of_the_host(),
            self.noted(),
        );
        write.expect("a String takes everything");
        page
    }

    /// How many rows of each group are tested.
    fn counts(&self) -> String {
        let titles = ["group", "rows", "tested", "named only", "open", "open MUST"];
        let mut lines = Vec::new();
        for table in &self.tables {
            let mut sum = [0; 5];
            for (group, rows) in groups(table, false) {
                let counts = self.count(&rows);
                sum = std::array::from_fn(|column| sum[column] + counts[column]);
                lines.push(line(group, counts));
            }
            lines.push(line(&format!("**{}**", table.file), sum));
        }
        aligned(titles, &lines, 1..6)
    }

    fn count(&self, rows: &[&Row]) -> [usize; 5] {
        let [open, named, tested] = [State::Open, State::Named, State::Tested]
            .map(|state| rows.iter().filter(move |row| self.states[&row.id] == state));
        let must = open.clone().filter(|row| row.is_must).count();
        [
            rows.len(),
            tested.count(),
            named.count(),
            open.count(),
            must,
        ]
    }

    /// The numbers of rows that are not tested, by group.
    fn without_test(&self) -> String {
        let titles = ["group", "open MUST", "other open", "named only"];
        let lines: Vec<_> = self
            .groups(false)
            .map(|(group, rows)| {
                let of = |state, must: Option<bool>| {
                    let chosen = rows.iter().filter(|row| {
                        self.states[&row.id] == state && must.is_none_or(|must| must == row.is_must)
                    });
                    numbers(chosen.map(|row| &row.id))
                };
                let open = |must| of(State::Open, Some(must));
                [
                    group.into(),
                    open(true),
                    open(false),
                    of(State::Named, None),
                ]
            })
            .filter(|line| line[1..].iter().any(|cell| !cell.is_empty()))
            .collect();
        aligned(titles, &lines, 0..0)
    }

    /// The same for what the host owes; there a name is all that is needed.
    fn of_the_host(&self) -> String {
        let titles = ["group", "rows", "open", "named"];
        let lines: Vec<_> = self
            .groups(true)
            .map(|(group, rows)| {
                let of = |open: bool| {
                    let is_open = |row: &&&Row| self.states[&row.id] == State::Open;
                    numbers(
                        rows.iter()
                            .filter(|row| is_open(row) == open)
                            .map(|row| &row.id),
                    )
                };
                [group.into(), rows.len().to_string(), of(true), of(false)]
            })
            .collect();
        aligned(titles, &lines, 1..2)
    }

    fn groups(&self, host: bool) -> impl Iterator<Item = (&str, Vec<&Row>)> {
        self.tables
            .iter()
            .flat_map(move |table| groups(table, host))
    }

    /// How many notes are named, by their letter, and how many claims.
    fn noted(&self) -> String {
        let mut letters: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        for note in self.tables.iter().flat_map(|table| &table.notes) {
            let [named, all] = letters.entry(&note[..1]).or_default();
            *named += usize::from(self.notes.contains(note));
            *all += 1;
        }
        let letters = letters.iter();
        let notes: Vec<_> = letters
            .map(|(letter, [named, all])| format!("{letter} {named} of {all}"))
            .collect();
        let claims = self.notes.iter().filter(|note| note.starts_with('K'));
        format!(
            "Notes that are named anywhere: {}. Claims (K): {}.",
            notes.join(", "),
            claims.count()
        )
    }
}

/// The groups of a table in its order, with the rows that the host owes or with the others.
fn groups(table: &Table, host: bool) -> Vec<(&str, Vec<&Row>)> {
    let mut groups: Vec<(&str, Vec<&Row>)> = Vec::new();
    for row in table.rows.iter().filter(|row| row.is_host == host) {
        match groups
            .iter_mut()
            .find(|(group, _)| *group == row.id.series())
        {
            Some((_, rows)) => rows.push(row),
            None => groups.push((row.id.series(), vec![row])),
        }
    }
    groups
}

/// Numbers in short: `001, 004 to 007`.
fn numbers<'a>(ids: impl Iterator<Item = &'a Id>) -> String {
    let mut runs: Vec<Vec<&str>> = Vec::new();
    let value = |number: &str| number.parse::<u32>().unwrap_or_default();
    for number in ids.map(Id::number) {
        match runs.last_mut() {
            Some(run) if value(run[run.len() - 1]) + 1 == value(number) => run.push(number),
            _ => runs.push(vec![number]),
        }
    }
    let runs = runs.iter().map(|run| match run[..] {
        [first, _, .., last] => format!("{first} to {last}"),
        _ => run.join(", "),
    });
    runs.collect::<Vec<_>>().join(", ")
}

fn line(title: &str, counts: [usize; 5]) -> [String; 6] {
    let mut counts = counts.into_iter();
    std::array::from_fn(|column| match column {
        0 => title.to_owned(),
        _ => counts.next().unwrap_or_default().to_string(),
    })
}

/// A table of Markdown that a terminal shows well too. `right` are the columns of numbers.
fn aligned<const N: usize>(
    titles: [&str; N],
    lines: &[[String; N]],
    right: Range<usize>,
) -> String {
    let titles = titles.map(str::to_owned);
    let all = || std::iter::once(&titles).chain(lines);
    let widths: [usize; N] =
        std::array::from_fn(|column| all().map(|line| line[column].len()).max().unwrap_or(0));
    let mut text = String::new();
    for (index, line) in all().enumerate() {
        let cells = (0..N).map(|column| match right.contains(&column) {
            true => format!("{:>1$}", line[column], widths[column]),
            false => format!("{:<1$}", line[column], widths[column]),
        });
        text += &format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
        if index == 0 {
            let rules = (0..N).map(|column| match right.contains(&column) {
                true => format!("{}:", "-".repeat(widths[column] + 1)),
                false => "-".repeat(widths[column] + 2),
            });
            text += &format!("|{}|\n", rules.collect::<Vec<_>>().join("|"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, is_must: bool, is_host: bool) -> Row {
        Row {
            id: Id::parse(id).unwrap(),
            is_must,
            is_host,
        }
    }

    fn coverage(text: &str) -> Coverage {
        let mut rows: Vec<_> = (1..=6)
            .map(|n| row(&format!("V26-A-00{n}"), n < 4, false))
            .collect();
        rows.push(row("V26-A-007", true, true));
        let file = "requirements-2026-07-28.md";
        let mut coverage = Coverage::of(vec![Table {
            file,
            rows,
            notes: ['3', '4', '5'].map(|n| format!("N{n}")).into(),
        }]);
        coverage.add(&File {
            path: "a/src/b.rs".into(),
            text: text.into(),
        });
        coverage
    }

    const TEXT: &str = "\
        /// V26-A-001, -002, -007\n// N3, N4\n\n#[cfg(test)]\nmod tests {\n    fn v26_a_001_n3() {}\n}\n";

    #[test]
    fn rows_are_counted_by_group() {
        let counts = coverage(TEXT).count(
            &coverage("").tables[0]
                .rows
                .iter()
                .take(6)
                .collect::<Vec<_>>(),
        );
        assert_eq!(counts, [6, 1, 1, 4, 1]);
    }

    #[test]
    fn the_page_lists_what_has_no_test() {
        let page = coverage(TEXT).page();
        for line in [
            "| V26-A                          |    6 |      1 |          1 |    4 |         1 |",
            "| V26-A | 003       | 004 to 006 | 002        |",
            "| V26-A |    1 |      | 007   |",
            "Notes that are named anywhere: N 2 of 3. Claims (K): 0.",
        ] {
            assert!(page.contains(line), "{line}\n{page}");
        }
    }

    #[test]
    fn names_that_no_table_has_are_told() {
        assert_eq!(
            coverage("\n// V26-A-008 and V26-B-001").unknown(),
            [
                "a/src/b.rs:2: no table has V26-A-008",
                "a/src/b.rs:2: no table has V26-B-001"
            ]
        );
    }
}
