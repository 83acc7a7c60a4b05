//! Newline framing: one message on each line.

use bytes::{Buf, Bytes, BytesMut};

/// Splits a byte stream into lines, however the bytes arrive. `\r\n` ends a line too; blank lines
/// are skipped.
///
/// A line longer than the limit costs one [`Line::TooLong`] with its beginning, and no more
/// memory than the limit.
#[derive(Debug)]
pub(crate) struct Lines {
    buffer: BytesMut,
    /// No newline before this offset.
    searched: usize,
    limit: usize,
    /// Inside a line that is too long.
    skipping: bool,
}

/// How much of a line that is too long is kept: enough to find its id.
const HEAD: usize = 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Complete(Bytes),
    TooLong { head: Bytes },
}

impl Lines {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            buffer: BytesMut::new(),
            searched: 0,
            limit,
            skipping: false,
        }
    }

    /// Where the next bytes go. Call [`next`](Self::next) until it has nothing before reading
    /// more.
    pub(crate) fn buffer(&mut self) -> &mut BytesMut {
        &mut self.buffer
    }

    /// The next line, if one is there.
    pub(crate) fn next(&mut self) -> Option<Line> {
        loop {
            let Some(found) = memchr::memchr(b'\n', &self.buffer[self.searched..]) else {
                self.searched = self.buffer.len();
                return self.give_up_if_too_long();
            };
            let mut line = self.buffer.split_to(self.searched + found);
            self.buffer.advance(1);
            self.searched = 0;
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            if line.last() == Some(&b'\r') {
                line.truncate(line.len() - 1);
            }
            if line.len() > self.limit {
                line.truncate(HEAD);
                return Some(Line::TooLong {
                    head: line.freeze(),
                });
            }
            if !line.iter().all(u8::is_ascii_whitespace) {
                return Some(Line::Complete(line.freeze()));
            }
        }
    }

    fn give_up_if_too_long(&mut self) -> Option<Line> {
        if self.buffer.len() <= self.limit {
            return None;
        }
        self.searched = 0;
        if std::mem::replace(&mut self.skipping, true) {
            self.buffer.clear();
            return None;
        }
        let head = Bytes::copy_from_slice(&self.buffer[..HEAD.min(self.buffer.len())]);
        // The big allocation goes with the line.
        self.buffer = BytesMut::new();
        Some(Line::TooLong { head })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(limit: usize, chunks: &[&[u8]]) -> Vec<String> {
        let mut lines = Lines::new(limit);
        let mut all = Vec::new();
        for chunk in chunks {
            lines.buffer().extend_from_slice(chunk);
            while let Some(line) = lines.next() {
                all.push(match line {
                    Line::Complete(line) => String::from_utf8_lossy(&line).into_owned(),
                    Line::TooLong { head } => format!("too long: {}", head.len()),
                });
            }
        }
        all
    }

    #[test]
    fn a_line_may_arrive_in_pieces_and_end_in_crlf() {
        assert_eq!(
            lines(99, &[b"{\"a\"", b":1}\r", b"\n\n \n{", b"}\n"]),
            ["{\"a\":1}", "{}"]
        );
    }

    #[test]
    fn k18_a_line_that_is_too_long_costs_one_error() {
        let long = [b'x'; 50];
        let chunks: &[&[u8]] = &[b"ok\n", &long, &long, &long, b"\nok\n"];
        assert_eq!(lines(100, chunks), ["ok", "too long: 150", "ok"]);
        assert_eq!(
            lines(10, &[&[b"ok\n", &long[..], b"\nok\n"].concat()]),
            ["ok", "too long: 50", "ok"]
        );
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_lines(
            text in "[ab\r\n]{0,60}",
            cuts in prop::collection::vec(1usize..9, 0..60),
        ) {
            let mut rest = text.as_bytes();
            let mut chunks = Vec::new();
            for cut in cuts {
                let (chunk, tail) = rest.split_at(cut.min(rest.len()));
                chunks.push(chunk);
                rest = tail;
            }
            chunks.push(rest);
            prop_assert_eq!(lines(99, &chunks), lines(99, &[text.as_bytes()]));
        }

        #[test]
        fn memory_stays_within_the_limit(
            limit in 1usize..64,
            chunks in prop::collection::vec("[a\n]{0,16}", 0..20),
        ) {
            let mut lines = Lines::new(limit);
            for chunk in chunks {
                lines.buffer().extend_from_slice(chunk.as_bytes());
                while lines.next().is_some() {}
                prop_assert!(lines.buffer().len() <= limit);
            }
        }
    }
}
