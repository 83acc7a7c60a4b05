//! Text that others wrote, made fit for a terminal.

/// Characters that steer a terminal, or make text look like another.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '\n' | '\r' | '\t' => out.extend(c.escape_debug()),
        _ => out.extend(c.escape_unicode()),
    }
}

/// On one line, with everything that steers a terminal escaped.
pub(crate) fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            push_escaped(&mut out, c);
        } else {
            out.push(c);
        }
    }
    out
}

/// As it is, line breaks and tabs included, with everything else that steers a terminal escaped.
pub(crate) fn block(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let breaks = c == '\n' || c == '\t' || c == '\r' && chars.peek() == Some(&'\n');
        if steers(c) && !breaks {
            push_escaped(&mut out, c);
        } else {
            out.push(c);
        }
    }
    out
}

/// At most `length` characters on one line.
pub(crate) fn short(text: &str, length: usize) -> String {
    let line = one_line(text);
    match line.char_indices().nth(length) {
        None => line,
        Some(_) => line
            .chars()
            .take(length.saturating_sub(1))
            .chain(['…'])
            .collect(),
    }
}

/// JSON on one line. The text changes only where it means the same: line breaks between its
/// tokens, and characters that steer a terminal.
pub(crate) fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            // Inside strings these are always escaped.
            '\n' | '\r' | '\t' => out.push(' '),
            c if steers(c) => push_json(&mut out, c),
            c => out.push(c),
        }
    }
    out
}

/// Everything that [`steers`] has four digits.
fn push_json(out: &mut String, c: char) {
    out.push_str(&format!("\\u{:04x}", u32::from(c)));
}

/// JSON with a line for each member. Numbers stay as they were written.
pub(crate) fn pretty(json: &str) -> String {
    let mut pretty = Pretty::default();
    let mut rest = json
        .chars()
        .filter(|c| !c.is_ascii_whitespace() || *c == ' ')
        .peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' => pretty.string(&mut rest),
            ' ' => {}
            '{' | '[' => {
                while rest.next_if_eq(&' ').is_some() {}
                match rest.next_if(|close| matches!(close, '}' | ']')) {
                    Some(close) => pretty.out.extend([c, close]),
                    None => pretty.open(c),
                }
            }
            '}' | ']' => pretty.close(c),
            ',' => {
                pretty.out.push(',');
                pretty.line();
            }
            ':' => pretty.out.push_str(": "),
            c => pretty.out.push(c),
        }
    }
    pretty.out
}

#[derive(Default)]
struct Pretty {
    out: String,
    depth: usize,
}

impl Pretty {
    fn line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", self.depth));
    }

    fn open(&mut self, bracket: char) {
        self.out.push(bracket);
        self.depth += 1;
        self.line();
    }

    fn close(&mut self, bracket: char) {
        self.depth = self.depth.saturating_sub(1);
        self.line();
        self.out.push(bracket);
    }

    /// The rest of a string that has begun.
    fn string(&mut self, rest: &mut impl Iterator<Item = char>) {
        self.out.push('"');
        while let Some(c) = rest.next() {
            match c {
                c if steers(c) => push_json(&mut self.out, c),
                c => self.out.push(c),
            }
            match c {
                '"' => return,
                '\\' => self.out.extend(rest.next()),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        let evil = "a\u{1b}[31m\u{9b}\u{202e}\r\nb\tc\rd";
        assert_eq!(one_line(evil), r"a\u{1b}[31m\u{9b}\u{202e}\r\nb\tc\rd");
        assert_eq!(block(evil), "a\\u{1b}[31m\\u{9b}\\u{202e}\r\nb\tc\\rd");
        assert_eq!(compact("{\n \"a\": \"\u{7f}\" }"), r#"{  "a": "\u007f" }"#);
    }

    #[test]
    fn numbers_stay_as_they_were_written() {
        let json = r#"{ "a":[1.10,123456789012345678901234567890],"b":{ },"c":"x, {\"y\": 1}" }"#;
        let lines = [
            "{",
            "  \"a\": [",
            "    1.10,",
            "    123456789012345678901234567890",
            "  ],",
            "  \"b\": {},",
            "  \"c\": \"x, {\\\"y\\\": 1}\"",
            "}",
        ];
        assert_eq!(pretty(json), lines.join("\n"));
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(
            (short("abc", 3), short("abcd", 3)),
            ("abc".into(), "ab…".into())
        );
    }

    fn value() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            any::<i64>().prop_map(Into::into),
            any::<bool>().prop_map(Into::into),
            ".{0,8}".prop_map(Into::into),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                prop::collection::vec((".{0,4}", inner), 0..4)
                    .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn json_means_the_same_afterwards(value in value()) {
            for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                for shown in [compact(&text), pretty(&text)] {
                    prop_assert_eq!(&serde_json::from_str::<serde_json::Value>(&shown).unwrap(), &value);
                    prop_assert!(!shown.chars().any(|c| steers(c) && c != '\n'));
                }
                prop_assert_eq!(compact(&text).lines().count(), 1);
            }
        }
    }
}
