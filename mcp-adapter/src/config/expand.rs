//! References to the environment inside a text.
//!
//! ```text
//! ${NAME}  ${NAME:-default}  ${env:NAME}  ${env:NAME:-default}  $env:NAME  {env:NAME}
//! ```
//!
//! `NAME` is `[A-Za-z0-9_]+`; `$NAME` and `%NAME%` mean nothing. In front of `{` and `env:` two
//! dollars stand for one, so `$${NAME}` is the text `${NAME}`; elsewhere dollars are dollars.

use std::ops::Range;

use super::Environment;

/// A text whose references are replaced.
pub(super) struct Expanded {
    pub(super) text: String,
    /// Variables that are not set and have no default, each once.
    pub(super) unset: Vec<String>,
}

/// A `${` that begins no reference.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// Replaces every reference, once: values are not looked into.
pub(super) fn expand(text: &str, environment: Environment<'_>) -> Result<Expanded, Malformed> {
    let mut expanded = Expanded {
        text: String::with_capacity(text.len()),
        unset: Vec::new(),
    };
    for piece in Pieces(text) {
        match piece? {
            Piece::Text(text) => expanded.text.push_str(text),
            Piece::Reference { name, default } => expanded.replace(name, default, environment),
        }
    }
    Ok(expanded)
}

/// Whether a text holds a reference, complete or not.
pub(super) fn mentions_environment(text: &str) -> bool {
    Pieces(text).any(|piece| !matches!(piece, Ok(Piece::Text(_))))
}

impl Expanded {
    fn replace(&mut self, name: &str, default: Option<&str>, environment: Environment<'_>) {
        match (environment(name), default) {
            (Some(value), None) => self.text.push_str(&value),
            (Some(value), Some(_)) if !value.is_empty() => self.text.push_str(&value),
            (_, Some(default)) => self.text.push_str(default),
            (None, None) if self.unset.iter().any(|known| known == name) => {}
            (None, None) => self.unset.push(name.to_owned()),
        }
    }
}

enum Piece<'a> {
    Text(&'a str),
    Reference {
        name: &'a str,
        default: Option<&'a str>,
    },
}

/// Cuts a text into pieces from the front; holds what is left.
struct Pieces<'a>(&'a str);

impl<'a> Pieces<'a> {
    /// Takes what is shown and forgets everything up to `end`.
    fn text(&mut self, shown: Range<usize>, end: usize) -> Piece<'a> {
        let text = &self.0[shown];
        self.0 = &self.0[end..];
        Piece::Text(text)
    }

    /// What is left begins with a dollar.
    fn dollars(&mut self) -> Result<Piece<'a>, Malformed> {
        let run = self.0.len() - self.0.trim_start_matches('$').len();
        let Some(opener) = opener(&self.0[run..]) else {
            return Ok(self.text(0..run, run));
        };
        let pairs = run / 2;
        if run.is_multiple_of(2) {
            let end = run + opener.len();
            return Ok(self.text(run - pairs..end, end));
        }
        if pairs > 0 {
            return Ok(self.text(0..pairs, pairs * 2));
        }
        let inside = &self.0[1 + opener.len()..];
        let (reference, rest) = if opener == "{" {
            braced(inside).ok_or(Malformed)?
        } else {
            let (name, rest) = split_name(inside);
            (
                Piece::Reference {
                    name,
                    default: None,
                },
                rest,
            )
        };
        self.0 = rest;
        Ok(reference)
    }

    /// What is left begins with a brace.
    fn brace(&mut self) -> Piece<'a> {
        let inside = self.0.strip_prefix("{env:").map(split_name);
        match inside.and_then(|(name, rest)| Some((name, rest.strip_prefix('}')?))) {
            Some((name, rest)) if !name.is_empty() => {
                self.0 = rest;
                Piece::Reference {
                    name,
                    default: None,
                }
            }
            _ => self.text(0..1, 1),
        }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Result<Piece<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        let length = self.0.find(['$', '{']).unwrap_or(self.0.len());
        if length > 0 {
            return Some(Ok(self.text(0..length, length)));
        }
        match self.0.as_bytes().first()? {
            b'$' => Some(self.dollars()),
            _ => Some(Ok(self.brace())),
        }
    }
}

/// What makes the dollars in front of `text` special.
fn opener(text: &str) -> Option<&'static str> {
    if text.starts_with('{') {
        return Some("{");
    }
    let (name, _) = split_name(text.strip_prefix("env:")?);
    (!name.is_empty()).then_some("env:")
}

/// Reads a reference from behind its `${` to its `}`.
fn braced(inside: &str) -> Option<(Piece<'_>, &str)> {
    let (inside, rest) = inside.split_once('}')?;
    let (name, modifier) = match split_name(inside) {
        ("env", modifier) if modifier.starts_with(':') && !modifier.starts_with(":-") => {
            split_name(&modifier[1..])
        }
        other => other,
    };
    let default = match modifier {
        "" => None,
        _ => Some(modifier.strip_prefix(":-")?),
    };
    // A reference inside a default would end at the wrong brace.
    let nested = default.is_some_and(mentions_environment) || inside.contains('{');
    (!name.is_empty() && !nested).then_some((Piece::Reference { name, default }, rest))
}

fn split_name(text: &str) -> (&str, &str) {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split_at(text.len() - text.trim_start_matches(in_name).len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str) -> Option<String> {
        let value = match name {
            "A" => "$env:B",
            "B" => "bb",
            "EMPTY" => "",
            _ => return None,
        };
        Some(value.to_owned())
    }

    #[track_caller]
    fn check(cases: &[(&str, &str)]) {
        for (text, expected) in cases {
            let expanded = expand(text, &environment);
            let got = expanded.map(|expanded| expanded.text);
            assert_eq!(got.as_deref(), Ok(*expected), "{text}");
        }
    }

    #[track_caller]
    fn check_malformed(texts: &[&str]) {
        for text in texts {
            assert!(expand(text, &environment).is_err(), "{text}");
            assert!(mentions_environment(text), "{text}");
        }
    }

    #[test]
    fn c45_the_forms() {
        check(&[
            ("${B}", "bb"),
            ("$env:B", "bb"),
            ("{env:B}", "bb"),
            ("${env:B}", "bb"),
            ("a${B}c${B}", "abbcbb"),
            ("Bearer ${B}", "Bearer bb"),
            ("", ""),
            ("plain ünï ✓", "plain ünï ✓"),
        ]);
    }

    #[test]
    fn c45_what_means_nothing_stays() {
        check(&[
            ("$B", "$B"),
            ("%B%", "%B%"),
            ("{B}", "{B}"),
            ("{\"json\":{}}", "{\"json\":{}}"),
            ("{env:B-c}", "{env:B-c}"),
            ("{env:}", "{env:}"),
            ("$env:", "$env:"),
            ("$environment", "$environment"),
            ("cost $", "cost $"),
            ("pa$$word$$$", "pa$$word$$$"),
        ]);
    }

    /// C48, V15: one pass.
    #[test]
    fn v15_values_are_not_looked_into() {
        check(&[
            ("${A}", "$env:B"),
            ("$env:A", "$env:B"),
            ("{env:A}", "$env:B"),
            ("$env:B-c", "bb-c"),
            ("$env:B_c", ""),
            ("${MISSING}", ""),
        ]);
    }

    #[test]
    fn r112_defaults() {
        check(&[
            ("${MISSING:-d}", "d"),
            ("${MISSING:-}", ""),
            ("${EMPTY:-d}", "d"),
            ("${EMPTY}", ""),
            ("${B:-d}", "bb"),
            ("${env:MISSING:-a:-b}", "a:-b"),
            ("${env:-d}", "d"),
            ("${MISSING:-http://h/$x}", "http://h/$x"),
        ]);
    }

    #[test]
    fn r112_two_dollars_escape_a_reference() {
        check(&[
            ("$${B}", "${B}"),
            ("$$${B}", "$bb"),
            ("$$$${B}", "$${B}"),
            ("$$env:B", "$env:B"),
            ("$$$env:B", "$bb"),
            ("$${env:B}", "${env:B}"),
            ("$${B:-${B}}", "${B:-bb}"),
            ("$${", "${"),
        ]);
    }

    #[test]
    fn r112_what_begins_like_a_reference_and_is_none_is_refused() {
        check_malformed(&[
            "${",
            "${}",
            "${B",
            "${B-d}",
            "${B:+d}",
            "${env:}",
            "${env:B-d}",
            "${input:key}",
            "${B:-${B}}",
            "${B:-{env:B}}",
            "${B:-$env:B}",
            "${ B }",
            "${B${B}}",
            "${ü}",
        ]);
    }

    #[test]
    fn c46_every_missing_variable_is_named_once() {
        let expanded = expand("${X}${Y}${X}${B}${Z:-}", &environment).unwrap();
        assert_eq!(expanded.unset, ["X", "Y"]);
    }

    proptest::proptest! {
        #[test]
        fn never_panics_and_keeps_text_without_references(text in "[$\\{\\}:a-cenv\\-ü]{0,24}") {
            let expanded = expand(&text, &environment);
            if !mentions_environment(&text) && !text.contains("$$") {
                proptest::prop_assert_eq!(expanded.unwrap().text, text);
            }
        }
    }
}
