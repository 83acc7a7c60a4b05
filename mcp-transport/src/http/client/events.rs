//! Server-sent events of a body, with bounds.

use std::pin::Pin;

use bytes::{Buf, BytesMut};
use eventsource_stream::{Event, EventStream, EventStreamError};
use futures_core::Stream;
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;

use super::{endpoint::Body, failure::Failure};

/// The events of one body.
pub(super) struct Events(Pin<Box<dyn Stream<Item = Result<Event, Failure>> + Send>>);

impl Events {
    /// Reads events of up to `limit` bytes.
    pub(super) fn new(body: Body, limit: usize) -> Self {
        let lines = stream::try_unfold((body, Lines::new(limit)), |(mut body, mut lines)| async {
            loop {
                if let Some(line) = lines.next()? {
                    return Ok::<_, Failure>(Some((line, (body, lines))));
                }
                match body.frame().await {
                    None => return Ok(None),
                    Some(Ok(frame)) => lines.push(&frame.into_data().unwrap_or_default()),
                    Some(Err(_)) => {
                        return Err(Failure::Closed("the response stream broke off".into()));
                    }
                }
            }
        });
        let events = EventStream::new(lines).map(|event| {
            event.map_err(|error| match error {
                EventStreamError::Transport(failure) => failure,
                EventStreamError::Utf8(_) | EventStreamError::Parser(_) => {
                    Failure::Unusable("an event of its stream cannot be read".into())
                }
            })
        });
        Self(Box::pin(events))
    }

    /// The next event; `None` at the end of the body.
    pub(super) async fn next(&mut self) -> Option<Result<Event, Failure>> {
        self.0.next().await
    }
}

/// Cuts a body into lines, and keeps away from the parser what it has no bounds for.
///
/// The parser looks at an unfinished line again with every chunk, waits for ever for the rest of
/// a character that is none, forgets `id` and `retry` of events without data, and does not
/// expect the byte order mark to be three bytes. With whole lines of valid text, each ended by
/// `\n`, none of this happens.
#[derive(Debug)]
struct Lines {
    rest: BytesMut,
    /// How much of `rest` is known to hold no line end.
    searched: usize,
    /// The last line ended with `\r`; a `\n` that follows belongs to it.
    after_return: bool,
    at_start: bool,
    limit: usize,
    /// What the event has so far.
    event: Shape,
    queued: Option<String>,
}

#[derive(Debug, Default)]
struct Shape {
    bytes: usize,
    has_data: bool,
    /// Has an id or says when to come back.
    has_note: bool,
}

/// An id that is longer cannot be sent back in a header and is not kept.
const LONGEST_ID: usize = 1024;

impl Lines {
    fn new(limit: usize) -> Self {
        Self {
            rest: BytesMut::new(),
            searched: 0,
            after_return: false,
            at_start: true,
            limit,
            event: Shape::default(),
            queued: None,
        }
    }

    fn push(&mut self, chunk: &[u8]) {
        self.rest.extend_from_slice(chunk);
    }

    /// The next line for the parser.
    fn next(&mut self) -> Result<Option<String>, Failure> {
        if self.queued.is_some() {
            return Ok(self.queued.take());
        }
        while let Some(line) = self.cut()? {
            self.check(line.len())?;
            let kept = self.keep(&line);
            if kept.is_some() {
                return Ok(kept);
            }
        }
        Ok(None)
    }

    fn cut(&mut self) -> Result<Option<BytesMut>, Failure> {
        if self.after_return && !self.rest.is_empty() {
            self.after_return = false;
            if self.rest[0] == b'\n' {
                self.rest.advance(1);
            }
        }
        let Some(at) = memchr::memchr2(b'\n', b'\r', &self.rest[self.searched..]) else {
            self.searched = self.rest.len();
            self.check(self.rest.len())?;
            return Ok(None);
        };
        let at = self.searched + at;
        self.after_return = self.rest[at] == b'\r';
        let line = self.rest.split_to(at);
        self.rest.advance(1);
        self.searched = 0;
        Ok(Some(line))
    }

    fn check(&self, more: usize) -> Result<(), Failure> {
        if self.event.bytes + more > self.limit {
            let reason = format!("an event of its stream is longer than {} bytes", self.limit);
            return Err(Failure::Unusable(reason));
        }
        Ok(())
    }

    /// The form in which the parser gets a line, if it does at all.
    fn keep(&mut self, mut line: &[u8]) -> Option<String> {
        if std::mem::take(&mut self.at_start) {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            if event.has_note && !event.has_data {
                self.queued = Some("\n".into());
                return Some("data:\n".into());
            }
            return Some("\n".into());
        }
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        match name {
            b"id" if line.len() > LONGEST_ID => return None,
            b"id" | b"retry" => self.event.has_note = true,
            b"data" => self.event.has_data = true,
            b"event" => {}
            // Comments and fields that nobody knows say nothing. The parser would even panic on
            // one that begins with a byte order mark.
            _ => return None,
        }
        self.event.bytes += line.len() + 1;
        let mut text = String::from_utf8_lossy(line).into_owned();
        text.push('\n');
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http_body_util::StreamBody;
    use proptest::prelude::*;

    use super::*;

    /// Data, id and pause of every event of a body that comes in these chunks.
    async fn read(chunks: &[&[u8]], limit: usize) -> Result<Vec<(String, String, u64)>, String> {
        let frames: Vec<_> = chunks
            .iter()
            .map(|chunk| {
                Ok::<_, mcp_ext::BoxError>(http_body::Frame::data(Bytes::copy_from_slice(chunk)))
            })
            .collect();
        let body = StreamBody::new(stream::iter(frames)).boxed_unsync();
        let mut events = Events::new(body, limit);
        let mut got = Vec::new();
        while let Some(event) = events.next().await {
            let event = event.map_err(|failure| format!("{failure:?}"))?;
            let retry = event.retry.map_or(0, |retry| retry.as_millis() as u64);
            got.push((event.data, event.id, retry));
        }
        Ok(got)
    }

    fn run<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(future)
    }

    #[track_caller]
    fn check(text: &str, data: &[&str]) {
        let pieces: Vec<_> = text.as_bytes().chunks(1).collect();
        for chunks in [vec![text.as_bytes()], pieces] {
            let got = run(read(&chunks, 1000)).unwrap();
            let got: Vec<_> = got.iter().map(|(data, _, _)| data.as_str()).collect();
            assert_eq!(got, data, "{text:?}");
        }
    }

    #[test]
    fn v26_http_022_r11_r21_r23_r24_r26_whatever_an_event_stream_may_hold() {
        check("data: a\n\ndata:b\n\n", &["a", "b"]);
        check("data: a\r\n\r\ndata: b\r\rdata: c\n\r\n", &["a", "b", "c"]);
        check(": hi\n\ndata: {\n: in between\ndata: }\n\n:\n", &["{\n}"]);
        check("data: 😀 ü\n\n", &["😀 ü"]);
        check("\u{feff}data: a\n\n", &["a"]);
        check(":\n\u{feff}\ndata: a\n\n", &["a"]);
        check("event: ping\ndata\n\ndata: a\n\n", &["", "a"]);
        check("data: not ended by an empty line\n", &[]);
        check("unknown: x\nnonsense\n\ndata: a\n\n", &["a"]);
    }

    #[test]
    fn r22_v2511_http_009_a_note_without_data_is_an_event_without_data() {
        let got = run(read(&[b"id: 7\nretry: 250\n\ndata: a\n\n"], 100)).unwrap();
        assert_eq!(
            got,
            [("".into(), "7".into(), 250), ("a".into(), "7".into(), 0)]
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced_and_held_up_by_nothing() {
        let got = run(read(&[b"data: \xff\n\n", b"data: a\n\n"], 100)).unwrap();
        assert_eq!(got[0].0, "\u{fffd}");
        assert_eq!(got[1].0, "a");
    }

    #[test]
    fn t26_an_event_has_a_longest_length_and_a_stream_has_none() {
        let long = format!("data: {}", "x".repeat(100));
        let error = run(read(&[long.as_bytes()], 50)).unwrap_err();
        assert!(error.contains("longer than 50 bytes"), "{error}");
        let lines = "data: x\n".repeat(20);
        assert!(run(read(&[lines.as_bytes()], 50)).is_err());
        let stream = format!("{}{}", "data: x\n\n".repeat(50), ": comment\n".repeat(50));
        assert_eq!(run(read(&[stream.as_bytes()], 50)).unwrap().len(), 50);
        let huge_id = format!("id: {}\ndata: x\n\n", "x".repeat(2000));
        assert_eq!(run(read(&[huge_id.as_bytes()], 5000)).unwrap()[0].1, "");
    }

    proptest! {
        #[test]
        fn k33_any_chunking_gives_the_same_events(
            bytes in prop::collection::vec(
                prop_oneof![
                    6 => prop::sample::select(&b"data:\n\r \xef\xbb\xbfid"[..]), 1 => any::<u8>()
                ],
                0..120,
            ),
            size in 1..9usize,
        ) {
            let pieces: Vec<_> = bytes.chunks(size).collect();
            prop_assert_eq!(run(read(&[&bytes], 60)).ok(), run(read(&pieces, 60)).ok());
        }
    }
}
