//! The words of the old protocol stay at the edge that translates it.
//!
//! A line that has to say one of them ends in `// tidy: era`; where a line cannot end like that, the
//! remark stands alone above the comment it excuses.

use super::{File, Finding, source};

/// The crates whose `src` is looked at.
const CRATES: [&str; 5] = [
    "mcp-core",
    "mcp-ext",
    "mcp-transport",
    "mcp-adapter",
    "mcp-gateway-provider",
];
/// Where the words belong: the edge, and the files that hold the wire's own words.
const AT_HOME: [&str; 6] = [
    "mcp-transport/src/era/",
    "mcp-transport/src/era.rs",
    "mcp-transport/src/http/",
    "mcp-transport/src/http.rs",
    "mcp-core/src/schema/initialize.rs",
    "mcp-core/src/version.rs",
];
const WORDS: [&str; 5] = ["legacy", "modern", "handshake", "initialize", "initialized"];
const PAIR: [&str; 2] = ["session", "id"];
const EXCUSE: &str = "// tidy: era";

pub(super) fn findings(file: &File) -> Vec<Finding> {
    if !is_looked_at(&file.path) {
        return Vec::new();
    }
    let tests = source::test_lines(&file.text);
    let excused = excused(&file.text);
    let lines = file
        .text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line));
    lines
        .filter(|(number, _)| !excused.contains(number))
        .filter(|(number, _)| !tests.iter().any(|range| range.contains(number)))
        .filter_map(|(number, line)| Some((number, said(line)?)))
        .map(|(number, word)| file.finding(number, format!("says \"{word}\" away from the edge")))
        .collect()
}

fn is_looked_at(path: &str) -> bool {
    let Some((name, inside)) = path.split_once("/src/") else {
        return false;
    };
    let is_test = inside
        .split('/')
        .any(|part| matches!(part, "tests" | "tests.rs"));
    CRATES.contains(&name) && !is_test && !AT_HOME.iter().any(|home| path.starts_with(home))
}

/// The numbers of the lines that may say anything.
fn excused(text: &str) -> Vec<usize> {
    let mut excused = Vec::new();
    let mut reach = Reach::Nothing;
    for (index, line) in text.lines().map(str::trim).enumerate() {
        let is_comment = line.starts_with("//");
        reach = match reach {
            _ if line == EXCUSE => Reach::Next,
            Reach::Next | Reach::Comment if is_comment => Reach::Comment,
            Reach::Next => Reach::Line,
            _ => Reach::Nothing,
        };
        if matches!(reach, Reach::Comment | Reach::Line) || line.ends_with(EXCUSE) {
            excused.push(index + 1);
        }
    }
    excused
}

/// How far a remark that stands alone reaches: over the comment below it, or one line of code.
enum Reach {
    Nothing,
    Next,
    Comment,
    Line,
}

/// The first word of the old protocol in `line`.
fn said(line: &str) -> Option<&'static str> {
    let words = words(line);
    let single = words.iter().find_map(|word| {
        let word = word.text.as_str();
        WORDS
            .into_iter()
            .find(|known| word == *known || word.strip_suffix('s') == Some(known))
    });
    single.or_else(|| {
        let pairs = words.windows(2).filter(|pair| pair[0].text == PAIR[0]);
        let mut ids = pairs.filter(|pair| pair[1].follows);
        ids.any(|pair| pair[1].text.trim_end_matches('s') == PAIR[1])
            .then_some("session id")
    })
}

struct Word {
    text: String,
    /// Whether only a separator of names is between this word and the one before.
    follows: bool,
}

/// The words of a line in lower case, however a name joins them: `SessionId`, `session_id`,
/// `Session-Id` and `session id` are the same two.
fn words(line: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut between = String::from("\n");
    let mut previous = ' ';
    for character in line.chars() {
        let hump = character.is_uppercase() && previous.is_lowercase();
        if character.is_alphanumeric() {
            match words.last_mut() {
                Some(word) if between.is_empty() && !hump => {
                    word.text.extend(character.to_lowercase());
                }
                _ => words.push(Word {
                    text: character.to_lowercase().collect(),
                    follows: matches!(between.as_str(), "" | "_" | "-" | " "),
                }),
            }
            between.clear();
        } else {
            between.push(character);
        }
        previous = character;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, word: Option<&str>) {
        assert_eq!(said(line), word);
    }

    #[test]
    fn words_are_found_however_they_are_joined() {
        check("/// The legacy server.", Some("legacy"));
        check("struct InitializeRequest;", Some("initialize"));
        check("const INITIALIZED: &str = \"\";", Some("initialized"));
        check("fn is_modern() {}", Some("modern"));
        check("two handshakes", Some("handshake"));
        check("let session_id = 1;", Some("session id"));
        check("struct SessionId;", Some("session id"));
        check("\"Mcp-Session-Id\"", Some("session id"));
        check("a session id", Some("session id"));
    }

    #[test]
    fn other_words_are_not() {
        check("modernise uninitialized initializer handshaken", None);
        check("one session, id two", None);
        check("session_idle", None);
        check("idle_session", None);
    }

    #[track_caller]
    fn check_file(path: &str, text: &str, lines: &[usize]) {
        let file = File {
            path: path.into(),
            text: text.into(),
        };
        let found: Vec<_> = findings(&file).iter().map(|finding| finding.line).collect();
        assert_eq!(found, lines);
    }

    #[test]
    fn the_edge_may_say_them() {
        check_file("mcp-transport/src/era/old.rs", "// legacy", &[]);
        check_file("mcp-transport/src/http/edge.rs", "// legacy", &[]);
        check_file("mcp-core/src/version.rs", "// legacy", &[]);
        check_file("mcp-transport/src/stdio.rs", "// legacy", &[1]);
        check_file("mcp-core/src/schema.rs", "// fine\n// legacy", &[2]);
    }

    #[test]
    fn tests_examples_and_docs_may_say_them() {
        check_file("mcp-core/src/a/tests.rs", "// legacy", &[]);
        check_file("mcp-core/tests/a.rs", "// legacy", &[]);
        check_file("mcp-transport/examples/a.rs", "// legacy", &[]);
        check_file(
            "mcp-core/src/a.rs",
            "fn a() {}\n#[cfg(test)]\nmod tests {\n// legacy\n}\n",
            &[],
        );
    }

    #[test]
    fn a_line_may_be_excused() {
        check_file("mcp-core/src/a.rs", "legacy // tidy: era\nlegacy", &[2]);
        check_file(
            "mcp-core/src/a.rs",
            "// tidy: era\n/// legacy\n/// legacy\nlegacy",
            &[4],
        );
        check_file("mcp-core/src/a.rs", "// tidy: era\nlegacy\nlegacy", &[3]);
    }
}
