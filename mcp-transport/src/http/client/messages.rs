//! The messages in one body or event: one, or an array of them.

use bytes::{Buf, Bytes};
use serde_json::value::RawValue;

/// Servers of 2025-03-26 may put several messages into an array (V2503-006, -007). Whoever reads
/// it takes one after the other; nothing is built for the whole.
#[derive(Debug)]
pub(super) struct Messages {
    rest: Bytes,
    array: bool,
}

impl Messages {
    pub(super) fn new(text: Bytes) -> Self {
        let mut messages = Self {
            rest: text,
            array: false,
        };
        messages.skip_space();
        if messages.rest.first() == Some(&b'[') {
            messages.rest.advance(1);
            messages.array = true;
        }
        messages
    }

    fn skip_space(&mut self) {
        let space = self
            .rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        self.rest.advance(space);
    }
}

impl Iterator for Messages {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if !self.array {
            let whole = std::mem::take(&mut self.rest);
            return (!whole.is_empty()).then_some(whole);
        }
        self.skip_space();
        if self.rest.first() == Some(&b',') {
            self.rest.advance(1);
            self.skip_space();
        }
        // Messages are objects: anything else ends the array.
        if self.rest.first() != Some(&b'{') {
            return None;
        }
        let text = self.rest.clone();
        let mut values = serde_json::Deserializer::from_slice(&text).into_iter::<&RawValue>();
        let raw = values.next()?.ok()?;
        self.rest.advance(values.byte_offset());
        Some(text.slice_ref(raw.get().as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &'static str, want: &[&str]) {
        let got: Vec<_> = Messages::new(text.into()).collect();
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn v2503_007_arrays_are_taken_apart() {
        check("", &[]);
        check(" {\"a\":1} ", &["{\"a\":1} "]);
        check("[]", &[]);
        check("[ {\"a\":[1,{}]} , {} ]", &["{\"a\":[1,{}]}", "{}"]);
        check("[{},1,{}]", &["{}"]);
        check("[{},{\"cut\":", &["{}"]);
        check("no json", &["no json"]);
    }

    proptest! {
        #[test]
        fn k33_taking_apart_never_panics(text in r#"[\[\]{},: "a1]{0,40}"#) {
            let _ = Messages::new(text.into()).count();
        }
    }
}
