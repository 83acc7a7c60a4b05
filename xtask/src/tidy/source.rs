//! As much Rust as the rules need: what is code, and what a brace belongs to.

use std::ops::Range;

/// A block in braces and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) kind: Kind,
    /// The code between the previous statement or item and the closing brace, in bytes.
    pub(super) span: Range<usize>,
    /// Where its opening brace is.
    pub(super) open: usize,
}

/// What a block belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Module,
    Function,
    /// Anything else: a type, an implementation, a statement.
    Other,
}

/// The source with every comment, string and character turned into spaces, byte for byte.
pub(super) fn code(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut masked = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => line_end(bytes, at),
            b'/' if bytes[at..].starts_with(b"/*") => block_comment_end(bytes, at),
            b'"' => string_end(bytes, at),
            b'\'' => character_end(bytes, at),
            b'r' if !continues_word(bytes, at) => raw_string_end(bytes, at),
            _ => at,
        };
        for byte in &mut masked[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end.max(at + 1);
    }
    // Whole characters were replaced, so what is left is as valid as before.
    String::from_utf8_lossy(&masked).into_owned()
}

/// The line number of a byte, counted from one.
pub(super) fn line(source: &str, byte: usize) -> usize {
    source.as_bytes()[..byte]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
        + 1
}

/// Every block of masked [`code`], outer ones after the inner ones.
pub(super) fn blocks(code: &str) -> Vec<Block> {
    let mut open: Vec<(usize, usize, Kind)> = Vec::new();
    let mut blocks = Vec::new();
    let mut start = 0;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'{' => {
                open.push((start, at, kind(&code[start..at])));
                start = at + 1;
            }
            b'}' => {
                if let Some((begin, brace, kind)) = open.pop() {
                    blocks.push(Block {
                        kind,
                        span: begin..at + 1,
                        open: brace,
                    });
                }
                start = at + 1;
            }
            b';' => start = at + 1,
            _ => {}
        }
    }
    blocks
}

/// The lines of in-file test modules, which may say what the code may not.
pub(super) fn test_lines(source: &str) -> Vec<Range<usize>> {
    let code = code(source);
    let tests = blocks(&code).into_iter().filter(|block| {
        block.kind == Kind::Module && code[block.span.start..block.open].contains("#[cfg(test)]")
    });
    tests
        .map(|block| line(source, block.span.start)..line(source, block.span.end) + 1)
        .collect()
}

/// What the text before an opening brace says the block is.
fn kind(header: &str) -> Kind {
    let header = without_attributes(header);
    let words = header.split(|c: char| !c.is_alphanumeric() && c != '_');
    let modifiers = [
        "", "pub", "crate", "super", "in", "const", "async", "unsafe", "extern",
    ];
    match words.into_iter().find(|word| !modifiers.contains(word)) {
        Some("mod") => Kind::Module,
        Some("fn") => Kind::Function,
        _ => Kind::Other,
    }
}

fn without_attributes(header: &str) -> String {
    let mut kept = String::new();
    let mut depth = 0_usize;
    let mut previous = ' ';
    for character in header.chars() {
        match character {
            '[' if depth > 0 || matches!(previous, '#' | '!') => depth += 1,
            ']' if depth > 0 => depth -= 1,
            _ if depth == 0 => kept.push(character),
            _ => {}
        }
        previous = character;
    }
    kept
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    at + rest
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(rest.len())
}

/// Block comments nest.
fn block_comment_end(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0_usize;
    let mut end = at;
    while end < bytes.len() {
        if bytes[end..].starts_with(b"/*") {
            depth += 1;
            end += 2;
        } else if bytes[end..].starts_with(b"*/") {
            depth -= 1;
            end += 2;
            if depth == 0 {
                return end;
            }
        } else {
            end += 1;
        }
    }
    end
}

fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < bytes.len() {
        match bytes[end] {
            b'\\' => end += 2,
            b'"' => return end + 1,
            _ => end += 1,
        }
    }
    bytes.len()
}

/// The end of a character literal, or `at` if the quote starts a lifetime.
fn character_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at + 1..];
    let length = match rest.first() {
        Some(b'\\') => rest
            .iter()
            .skip(2)
            .position(|byte| *byte == b'\'')
            .map(|found| found + 2),
        Some(first) => {
            let width = match first {
                0xf0.. => 4,
                0xe0.. => 3,
                0xc0.. => 2,
                _ => 1,
            };
            (rest.get(width) == Some(&b'\'')).then_some(width)
        }
        None => None,
    };
    length.map_or(at, |length| at + length + 2)
}

/// The end of a raw string, or `at` if the `r` is none.
fn raw_string_end(bytes: &[u8], at: usize) -> usize {
    let hashes = bytes[at + 1..]
        .iter()
        .take_while(|byte| **byte == b'#')
        .count();
    let body = at + 1 + hashes + 1;
    if bytes.get(body - 1) != Some(&b'"') {
        return at;
    }
    let close = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
    let found = bytes[body..]
        .windows(close.len())
        .position(|window| window == close);
    found.map_or(bytes.len(), |found| body + found + close.len())
}

/// Whether the byte before belongs to the same identifier, except for a byte string's `b`.
fn continues_word(bytes: &[u8], at: usize) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    match at.checked_sub(1).map(|before| bytes[before]) {
        Some(b'b' | b'c') => at >= 2 && word(bytes[at - 2]),
        Some(before) => word(before),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_code(source: &str, expected: &str) {
        let masked = code(source);
        assert_eq!(
            masked.split_whitespace().collect::<Vec<_>>().join(" "),
            expected
        );
        assert_eq!(masked.len(), source.len());
    }

    #[test]
    fn comments_are_no_code() {
        check_code("a // {\nb /* { /* { */ { */ c", "a b c");
    }

    #[test]
    fn strings_are_no_code() {
        check_code(r#"a("{", "\"{") b"#, "a( , ) b");
        check_code(r##"a(r#"{"{"#, br"{", c"{") b"##, "a( , b , c ) b");
    }

    #[test]
    fn characters_are_no_code_and_lifetimes_are() {
        check_code(r"a('{', '\'', '🫖', b'{') b", "a( , , , b ) b");
        check_code("fn f<'a>(b: &'a str) {}", "fn f<'a>(b: &'a str) {}");
    }

    #[test]
    fn an_identifier_may_end_in_r() {
        check_code(r#"for"{""#, "for");
        check_code(r##"bar#"{"##, "bar#");
    }

    #[track_caller]
    fn check_kinds(source: &str, expected: &[Kind]) {
        let kinds: Vec<_> = blocks(&code(source))
            .iter()
            .map(|block| block.kind)
            .collect();
        assert_eq!(kinds, expected);
    }

    #[test]
    fn a_brace_belongs_to_what_stands_before_it() {
        check_kinds("pub(crate) mod a {}", &[Kind::Module]);
        check_kinds(
            "#[must_use]\npub const unsafe extern \"C\" fn a() {}",
            &[Kind::Function],
        );
        check_kinds(
            "#[cfg(test)]\nmod a { fn b() {} }",
            &[Kind::Function, Kind::Module],
        );
        check_kinds("impl A { fn b() {} }", &[Kind::Function, Kind::Other]);
        check_kinds("struct A { b: fn() }", &[Kind::Other]);
        check_kinds("const A: B = B {};", &[Kind::Other]);
        check_kinds(
            "fn a() { let b: fn() = { c }; }",
            &[Kind::Other, Kind::Function],
        );
    }

    #[test]
    fn test_modules_are_known_by_their_lines() {
        let source = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n\nfn c() {}\n";
        let ranges = test_lines(source);
        let inside: Vec<_> = (1..=7)
            .filter(|line| ranges.iter().any(|range| range.contains(line)))
            .collect();
        assert_eq!(inside, [1, 2, 3, 4, 5]);
    }
}
