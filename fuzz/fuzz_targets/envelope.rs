//! Arbitrary bytes as one message (V26-BASE-002 to -007, -012 to -014, V26-STD-001).
//!
//! What decodes is written as one line, and that line is the same message. What does not decode
//! leaves an error that can be sent.

#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use mcp_core::{
    RequestId,
    envelope::{Malformed, Message, encode_error, skim},
};

fuzz_target!(|input: &[u8]| {
    match Message::decode(&Bytes::copy_from_slice(input)) {
        Ok(message) => survives(&message),
        Err(malformed) => can_be_answered(&malformed),
    }
    let (id, _) = skim(input);
    id.as_ref().iter().for_each(|id| id_survives(id));
});

fn survives(message: &Message) {
    let line = message.to_text();
    assert!(!line.contains(['\n', '\r']), "more than a line: {line:?}");
    let again = Message::decode(&Bytes::copy_from_slice(line.as_bytes()))
        .unwrap_or_else(|error| panic!("{line:?} does not decode: {error}"));
    assert_eq!(again.to_text(), line, "the second text differs");
    assert_eq!(
        one_line(&again),
        one_line(message),
        "{line:?} is another message"
    );
    if let Message::Request { id, .. } | Message::Response { id: Some(id), .. } = message {
        id_survives(id);
    }
}

/// Space between tokens is not part of a message, but `Json` compares text: breaks are no difference.
fn one_line(message: &Message) -> String {
    format!("{message:?}").replace(['\n', '\r'], " ")
}

fn can_be_answered(malformed: &Malformed) {
    let mut out = Vec::new();
    encode_error(&mut out, malformed.id.as_ref(), &malformed.error);
    let answer = Message::decode(&out.into()).expect("an error response is a message");
    let Message::Response { id, outcome } = answer else {
        panic!("an error response is a response");
    };
    assert_eq!(id, malformed.id);
    assert_eq!(outcome.expect_err("an error"), malformed.error);
}

fn id_survives(id: &RequestId) {
    let text = serde_json::to_string(id).expect("an id can be written");
    let again: RequestId = serde_json::from_str(&text).expect("an id that was written");
    assert_eq!(&again, id);
}
