//! Ids of rows and notes, and the ways in which a text names them.
//!
//! | written | names |
//! |---|---|
//! | `V26-HTTP-017`, `V2506-001`, `EXT-FW-001` | one row |
//! | `V26-META-015, -016 and -018` | these three |
//! | `V26-HTTP-050 to -056` | all seven |
//! | `v26_http_017_018_…`, `v26_base_002_to_007_…` | the same, in the name of a function |
//! | `N4`, `L1`, `X3`, `K01`, `n4_…` | a note of the tables, or a claim |

use std::fmt;

/// What every id begins with: the revisions, and the extensions.
const BEGINNINGS: [&str; 6] = ["V26", "V2511", "V2506", "V2503", "V2411", "EXT"];
/// The letters of notes and claims.
const LETTERS: &str = "NLXK";
/// What may stand between two numbers, and whether it means all between them too.
const JOINTS: [(&str, bool); 9] = [
    ("to", true),
    ("through", true),
    ("–", true),
    ("..", true),
    ("and", false),
    ("or", false),
    (",", false),
    ("/", false),
    ("+", false),
];

/// The id of a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id(String);

impl Id {
    /// Reads a text that is an id and nothing else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (series, rest) = series(text)?;
        let (number, rest) = number(rest)?;
        (rest.is_empty() && number.len() == 3).then(|| Self::new(series, number))
    }

    fn new(series: &str, number: &str) -> Self {
        Self(format!("{series}-{number}"))
    }

    /// The part in front of the number.
    pub(super) fn series(&self) -> &str {
        self.0.rsplit_once('-').map_or("", |(series, _)| series)
    }

    /// The number as it is written.
    pub(super) fn number(&self) -> &str {
        self.0.rsplit_once('-').map_or("", |(_, number)| number)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Something that a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Row(Id),
    Note(String),
}

/// Everything that `text` names, with the byte where it stands.
pub(super) fn find(text: &str) -> Vec<(usize, Name)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(is_word) {
        let start = at + start;
        let rest = &text[start..];
        let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        at = start + word.len();
        if let Some(rows) = rows(rest) {
            at = rows.last().map_or(at, |(end, _)| start + end);
            found.extend(
                rows.into_iter()
                    .map(|(end, id)| (start + end - 1, Name::Row(id))),
            );
        } else if is_note(word) {
            found.push((start, Name::Note(word.to_owned())));
        } else {
            found.extend(named(word).into_iter().map(|name| (start, name)));
        }
    }
    found
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// Whether a word is a note or a claim.
pub(super) fn is_note(word: &str) -> bool {
    let mut characters = word.chars();
    let letter = characters.next().is_some_and(|c| LETTERS.contains(c));
    let digits = characters.as_str();
    letter && (1..=2).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

/// The list of rows that `text` begins with, each with the byte behind it.
fn rows(text: &str) -> Option<Vec<(usize, Id)>> {
    let (series, rest) = series(text)?;
    let (first, mut rest) = number(rest)?;
    let mut rows = vec![(text.len() - rest.len(), Id::new(series, first))];
    let mut before = first;
    while let Some((is_range, after)) = joint(rest) {
        let after = after.strip_prefix(series).unwrap_or(after);
        let Some((next, after)) = number(after).filter(|(number, _)| number.len() == 3) else {
            break;
        };
        rest = after;
        let end = text.len() - rest.len();
        if is_range {
            rows.extend(between(series, before, next).map(|id| (end, id)));
        }
        rows.push((end, Id::new(series, next)));
        before = next;
    }
    Some(rows)
}

/// Splits off what stands in front of the number's hyphen.
fn series(text: &str) -> Option<(&str, &str)> {
    let mut beginnings = BEGINNINGS.into_iter();
    let revision = beginnings.find(|known| {
        let rest = text.strip_prefix(known);
        rest.is_some_and(|rest| rest.starts_with('-'))
    })?;
    let group = &text[revision.len() + 1..];
    let letters = group.find(|c: char| !c.is_ascii_uppercase());
    match letters.unwrap_or(group.len()) {
        0 => Some(text.split_at(revision.len())),
        length => Some(text.split_at(revision.len() + 1 + length)),
    }
}

/// Splits off a hyphen and a number.
fn number(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('-')?;
    let end = text.find(|c: char| !c.is_ascii_digit());
    let (number, rest) = text.split_at(end.unwrap_or(text.len()));
    (!number.is_empty() && !rest.starts_with(is_word)).then_some((number, rest))
}

/// The numbers between two numbers, without them.
fn between(series: &str, first: &str, last: &str) -> impl Iterator<Item = Id> {
    let number = |text: &str| text.parse::<u32>().unwrap_or_default();
    (number(first) + 1..number(last)).map(move |number| Id(format!("{series}-{number:03}")))
}

/// Splits off what joins two numbers and says whether it means all between them too.
fn joint(text: &str) -> Option<(bool, &str)> {
    let mut rest = skip_space(text);
    let mut joined = None;
    while let Some((is_range, after)) = JOINTS.iter().find_map(|(joint, is_range)| {
        let after = rest.strip_prefix(joint)?;
        (!after.starts_with(is_word)).then_some((*is_range, after))
    }) {
        joined = Some(joined.unwrap_or_default() || is_range);
        rest = skip_space(after);
    }
    joined.map(|is_range| (is_range, rest))
}

/// Skips space, also between two lines of a comment.
fn skip_space(text: &str) -> &str {
    let rest = text.trim_start();
    if !text[..text.len() - rest.len()].contains('\n') {
        return rest;
    }
    let markers = ["///", "//!", "//", "*", "#"];
    let comment = markers.iter().find_map(|marker| rest.strip_prefix(marker));
    comment.map_or(rest, str::trim_start)
}

/// What an identifier names. Notes are only looked for at its beginning and behind ids.
fn named(identifier: &str) -> Vec<Name> {
    let words: Vec<&str> = identifier.split('_').collect();
    let mut found = Vec::new();
    let mut at = 0;
    let mut leading = true;
    while at < words.len() {
        let (ids, length) = rows_of_name(&words[at..]);
        let note = words[at].to_ascii_uppercase();
        if length > 0 {
            leading = true;
            found.extend(ids.into_iter().map(Name::Row));
        } else if leading && note != words[at] && is_note(&note) {
            found.push(Name::Note(note));
        } else {
            leading = false;
        }
        at += length.max(1);
    }
    found
}

/// The rows that the words of an identifier begin with, and how many words that takes.
fn rows_of_name(words: &[&str]) -> (Vec<Id>, usize) {
    let lower = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
    let mut beginnings = BEGINNINGS.into_iter();
    let Some(revision) = beginnings.find(|known| known.to_lowercase() == words[0]) else {
        return (Vec::new(), 0);
    };
    let group = words.get(1).filter(|word| lower(word));
    let series = match group {
        Some(group) => format!("{revision}-{}", group.to_uppercase()),
        None => revision.to_owned(),
    };
    let mut at = 1 + usize::from(group.is_some());
    let mut ids: Vec<Id> = Vec::new();
    loop {
        match (ids.last().cloned(), &words[at..]) {
            (_, [next, ..]) if is_number(next) => {
                ids.push(Id::new(&series, next));
                at += 1;
            }
            (Some(before), ["to", last, ..]) if is_number(last) => {
                ids.extend(between(&series, before.number(), last));
                ids.push(Id::new(&series, last));
                at += 2;
            }
            (None, _) => return (ids, 0),
            (Some(_), _) => return (ids, at),
        }
    }
}

/// No group has 200 rows: `404` in a name is an HTTP status.
fn is_number(word: &str) -> bool {
    word.len() == 3 && word.starts_with(['0', '1']) && word.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let names: Vec<_> = find(text)
            .into_iter()
            .map(|(_, name)| match name {
                Name::Row(id) => id.to_string(),
                Name::Note(note) => note,
            })
            .collect();
        assert_eq!(names, expected, "{text}");
    }

    #[test]
    fn single_ids() {
        check("(V26-HTTP-017)", &["V26-HTTP-017"]);
        check(
            "see V2511-LIFE-003. V2506-001;",
            &["V2511-LIFE-003", "V2506-001"],
        );
        check("EXT-FW-001, R103", &["EXT-FW-001"]);
        check("V26-HTTP-17 is a slip", &["V26-HTTP-17"]);
        check("V26-HTTP, V26-HTTP-NNN, EXT-TASK-…, AV26-A-001", &[]);
    }

    #[test]
    fn lists() {
        check("V26-META-015, -016", &["V26-META-015", "V26-META-016"]);
        check(
            "V2506-001 and -002, and -003; -004",
            &["V2506-001", "V2506-002", "V2506-003"],
        );
        check("EXT-FW-001/-002", &["EXT-FW-001", "EXT-FW-002"]);
        check("V26-META-007, -32602 or 400", &["V26-META-007"]);
        check("V26-A-001, or nothing", &["V26-A-001"]);
        check("V26-A-001, V26-B-002", &["V26-A-001", "V26-B-002"]);
    }

    #[test]
    fn ranges() {
        let three = ["V26-A-009", "V26-A-010", "V26-A-011"];
        check("V26-A-009 to -011", &three);
        check("V26-A-009–-011", &three);
        check("V26-A-009 to V26-A-011", &three);
        check(
            "V26-A-001, -009 to -011.",
            &[&["V26-A-001"], &three[..]].concat(),
        );
    }

    #[test]
    fn lists_go_on_in_the_next_line_of_a_comment() {
        check("/// V26-A-001,\n    /// -002", &["V26-A-001", "V26-A-002"]);
        check(
            "# V26-A-001\n# to -003",
            &["V26-A-001", "V26-A-002", "V26-A-003"],
        );
    }

    #[test]
    fn a_name_stands_where_its_number_does() {
        let lines: Vec<_> = find("V26-A-001,\n// -002\nN3")
            .into_iter()
            .map(|(at, _)| at)
            .collect();
        assert_eq!(lines, [8, 17, 19]);
    }

    #[test]
    fn names_of_functions() {
        check(
            "fn v26_http_017_018_some_words()",
            &["V26-HTTP-017", "V26-HTTP-018"],
        );
        check("ext_fw_002_reserved", &["EXT-FW-002"]);
        check("v2506_001_002_batches", &["V2506-001", "V2506-002"]);
        check(
            "v26_ver_004_ext_fw_001_grammar",
            &["V26-VER-004", "EXT-FW-001"],
        );
        check(
            "v26_a_002_to_004_what",
            &["V26-A-002", "V26-A-003", "V26-A-004"],
        );
        check("v26_a_002_to_be", &["V26-A-002"]);
        check("v26_http_031_404_without", &["V26-HTTP-031"]);
        check("as_in_v26_a_001", &["V26-A-001"]);
        check("V2025_11_25 ext_a v26_http_status", &[]);
    }

    #[test]
    fn notes_and_claims() {
        check("note N4, L7; K01", &["N4", "L7", "K01"]);
        check("v26_ver_001_n4_an_unknown", &["V26-VER-001", "N4"]);
        check("k03_every_block", &["K03"]);
        check("v26_http_n3_401_and_403", &[]);
        check("the_n4_note NaN N100 K", &[]);
    }

    #[test]
    fn an_id_alone() {
        assert_eq!(
            Id::parse("V26-A-001").map(|id| id.series().to_owned()),
            Some("V26-A".into())
        );
        assert_eq!(
            Id::parse("V2506-013").map(|id| id.number().to_owned()),
            Some("013".into())
        );
        assert_eq!(Id::parse("V26-A"), None);
        assert_eq!(Id::parse("V26-A-001 and more"), None);
    }
}
