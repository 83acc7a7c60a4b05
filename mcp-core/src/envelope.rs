//! The JSON-RPC envelope: decoded once, parameters and results kept as text.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    ErrorObject, Json, RequestId,
    json::{present, smuggles_json, write_string},
};

/// One message as it travels.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Wants an answer.
    Request {
        /// Ties the answer to the request.
        id: RequestId,
        /// What is asked for.
        method: String,
        /// An object, or nothing.
        params: Option<Json>,
    },
    /// Wants none.
    Notification {
        /// What is told.
        method: String,
        /// An object, or nothing.
        params: Option<Json>,
    },
    /// The answer to a request.
    Response {
        /// The request's id; `None` when the peer could not read it.
        id: Option<RequestId>,
        /// How the request ended.
        outcome: Result<Json, ErrorObject>,
    },
}

/// Bytes that are not a message, with what could still be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{error}")]
pub struct Malformed {
    /// What to tell a peer that sent this as a request.
    pub error: ErrorObject,
    /// The id, when it could be read: a request that must be answered, or a response whose
    /// caller must not wait any longer.
    pub id: Option<RequestId>,
    /// What the message would have been.
    pub claims: Claims,
}

/// What bytes that are no message seem to want to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claims {
    /// It has a method and an `id`, so its sender waits for an answer.
    Request,
    /// It has a method and no `id`: it is never answered (V26-BASE-025).
    Notification,
    /// It has a `result` or an `error`: somebody here may be waiting for it.
    Response,
    /// Nothing can be said.
    Unknown,
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(default, borrow, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

impl Wire<'_> {
    fn claims(&self) -> Claims {
        match (self.method.is_some(), self.id.is_some()) {
            (true, true) => Claims::Request,
            (true, false) => Claims::Notification,
            (false, _) if self.result.is_some() || self.error.is_some() => Claims::Response,
            (false, _) => Claims::Unknown,
        }
    }
}

impl Message {
    /// Decodes one message. Parameters and results share the given bytes.
    ///
    /// Strict about what decides who gets which answer: `jsonrpc` is `"2.0"`, an id is a string
    /// or an integer (`null` only in an error response), parameters are an object, a response has
    /// exactly one of `result` and `error`. Unknown members are ignored.
    ///
    /// # Errors
    /// -32700 when the bytes are not JSON in UTF-8, -32600 when they are no message, together
    /// with the id if it could be read.
    pub fn decode(bytes: &Bytes) -> Result<Self, Malformed> {
        if bytes.trim_ascii_start().first() != Some(&b'{') {
            // Serde would read an array as the members in order.
            return Err(not_an_object(bytes));
        }
        let wire: Wire<'_> = match serde_json::from_slice(bytes) {
            Ok(wire) => wire,
            Err(error) => return Err(not_a_message(bytes, &error)),
        };
        let id = wire
            .id
            .map(|raw| serde_json::from_str::<RequestId>(raw.get()));
        let known = id.as_ref().and_then(|id| id.as_ref().ok()).cloned();
        let claims = wire.claims();
        let refuse = |reason: &str| Malformed {
            error: ErrorObject::invalid_request(reason),
            id: known.clone(),
            claims,
        };
        if smuggles_json(bytes) {
            return Err(refuse(
                "the message uses a name that is private to the parser",
            ));
        }
        if wire.jsonrpc.map(RawValue::get) != Some("\"2.0\"") {
            return Err(refuse("`jsonrpc` must be \"2.0\""));
        }
        let share = |raw: &RawValue| Json::trusted(bytes.slice_ref(raw.get().as_bytes()));
        let Some(method) = wire.method else {
            let id = match (id, wire.id) {
                (Some(Ok(id)), _) => Some(id),
                (None, _) => None,
                (_, Some(raw)) if raw.get() == "null" => None,
                _ => return Err(refuse("`id` must be a string or an integer")),
            };
            return response(id, wire.result.map(share), wire.error).map_err(|why| refuse(&why));
        };
        let Ok(method) = serde_json::from_str::<String>(method.get()) else {
            return Err(refuse("`method` must be a string"));
        };
        if wire.result.is_some() || wire.error.is_some() {
            return Err(refuse("a message with a method has no result and no error"));
        }
        let params = wire.params.map(share);
        if params.as_ref().is_some_and(|params| !params.is_object()) {
            return Err(refuse("`params` must be an object"));
        }
        match id {
            None => Ok(Self::Notification { method, params }),
            Some(Ok(id)) => Ok(Self::Request { id, method, params }),
            Some(Err(_)) => Err(refuse("`id` must be a string or an integer")),
        }
    }

    /// Appends the message as JSON text without line breaks of its own.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Request { id, method, params } => {
                encode_request(out, id, method, params.as_ref());
            }
            Self::Notification { method, params } => {
                encode_notification(out, method, params.as_ref());
            }
            Self::Response {
                id,
                outcome: Ok(result),
            } => {
                encode_result(out, id.as_ref(), result);
            }
            Self::Response {
                id,
                outcome: Err(error),
            } => encode_error(out, id.as_ref(), error),
        }
    }

    /// The message as text.
    pub fn to_text(&self) -> String {
        let mut out = Vec::new();
        self.encode(&mut out);
        String::from_utf8(out).expect("every part of a message is text")
    }
}

fn response(
    id: Option<RequestId>,
    result: Option<Json>,
    error: Option<&RawValue>,
) -> Result<Message, String> {
    let outcome = match (result, error) {
        (Some(result), None) if id.is_some() => Ok(result),
        (Some(_), None) => return Err("a result needs the id of its request".into()),
        (None, Some(error)) => Err(serde_json::from_str(error.get())
            .map_err(|why| format!("`error` is not an error object: {why}"))?),
        (Some(_), Some(_)) => return Err("a response has either a result or an error".into()),
        (None, None) => return Err("neither a method nor a result nor an error".into()),
    };
    Ok(Message::Response { id, outcome })
}

/// Broken JSON, perhaps with a message in it, or another kind of value.
fn not_an_object(bytes: &[u8]) -> Malformed {
    let other = |reason: &str| Malformed {
        error: ErrorObject::invalid_request(reason),
        id: None,
        claims: Claims::Unknown,
    };
    match serde_json::from_slice::<&RawValue>(bytes) {
        Ok(raw) if raw.get().starts_with('[') => {
            other("batches are not part of this protocol version")
        }
        Ok(_) => other("a message is an object"),
        Err(error) => {
            let error = ErrorObject::parse_error(format!("not JSON: {error}"));
            let (id, claims) = skim(bytes);
            Malformed { error, id, claims }
        }
    }
}

/// Tells broken JSON from JSON that is no message, and looks for an id in what there is.
fn not_a_message(bytes: &[u8], error: &serde_json::Error) -> Malformed {
    let error = match serde_json::from_slice::<&RawValue>(bytes) {
        Err(_) => ErrorObject::parse_error(format!("not JSON: {error}")),
        Ok(_) => ErrorObject::invalid_request(format!("not a JSON-RPC message: {error}")),
    };
    let (id, claims) = skim(bytes);
    Malformed { error, id, claims }
}

/// Looks for an id in bytes that cannot be decoded: cut off, or mixed with other text.
///
/// Only bytes that name `jsonrpc` are looked at. The first `"id"` counts, which may be wrong for
/// a message that carries its id behind its parameters; the answer to it is an error either way.
pub fn skim(bytes: &[u8]) -> (Option<RequestId>, Claims) {
    let has = |name: &[u8]| memchr::memmem::find(bytes, name).is_some();
    if !has(b"\"jsonrpc\"") {
        return (None, Claims::Unknown);
    }
    let id = memchr::memmem::find(bytes, b"\"id\"").and_then(|at| {
        let rest = bytes[at + 4..].trim_ascii_start().strip_prefix(b":")?;
        serde_json::Deserializer::from_slice(rest)
            .into_iter::<RequestId>()
            .next()?
            .ok()
    });
    let claims = match (has(b"\"method\""), &id) {
        (true, Some(_)) => Claims::Request,
        (true, None) => Claims::Notification,
        (false, _) if has(b"\"result\"") || has(b"\"error\"") => Claims::Response,
        (false, _) => Claims::Unknown,
    };
    (id, claims)
}

const HEAD: &[u8] = br#"{"jsonrpc":"2.0""#;

/// Appends a request.
pub fn encode_request(out: &mut Vec<u8>, id: &RequestId, method: &str, params: Option<&Json>) {
    out.extend_from_slice(HEAD);
    write_id(out, Some(id));
    write_method(out, method, params);
}

/// Appends a notification.
pub fn encode_notification(out: &mut Vec<u8>, method: &str, params: Option<&Json>) {
    out.extend_from_slice(HEAD);
    write_method(out, method, params);
}

/// Appends a success response.
pub fn encode_result(out: &mut Vec<u8>, id: Option<&RequestId>, result: &Json) {
    encode_result_with(out, id, &[], result);
}

/// Appends a success response whose result is an object, with `add` in front of its members and in
/// place of those of the same names. The result is copied once.
pub fn encode_result_with(
    out: &mut Vec<u8>,
    id: Option<&RequestId>,
    add: &[(&str, &Json)],
    result: &Json,
) {
    out.extend_from_slice(HEAD);
    write_id(out, id);
    out.extend_from_slice(br#","result":"#);
    let start = out.len();
    if add.is_empty() {
        out.extend_from_slice(result.as_bytes());
    } else {
        result.rewrite_into(out, add, &[]);
    }
    one_line(&mut out[start..]);
    out.push(b'}');
}

/// Appends an error response; an unknown id is left out (note N18).
pub fn encode_error(out: &mut Vec<u8>, id: Option<&RequestId>, error: &ErrorObject) {
    out.extend_from_slice(HEAD);
    write_id(out, id);
    out.extend_from_slice(br#","error":{"code":"#);
    out.extend_from_slice(error.code.to_string().as_bytes());
    out.extend_from_slice(br#","message":"#);
    write_string(out, &error.message);
    if let Some(data) = &error.data {
        out.extend_from_slice(br#","data":"#);
        push_line(out, data);
    }
    out.extend_from_slice(b"}}");
}

fn write_id(out: &mut Vec<u8>, id: Option<&RequestId>) {
    match id {
        None => {}
        Some(RequestId::Integer(n)) => {
            out.extend_from_slice(br#","id":"#);
            out.extend_from_slice(n.to_string().as_bytes());
        }
        Some(RequestId::String(s)) => {
            out.extend_from_slice(br#","id":"#);
            write_string(out, s);
        }
    }
}

fn write_method(out: &mut Vec<u8>, method: &str, params: Option<&Json>) {
    out.extend_from_slice(br#","method":"#);
    write_string(out, method);
    if let Some(params) = params {
        out.extend_from_slice(br#","params":"#);
        push_line(out, params);
    }
    out.push(b'}');
}

/// Appends JSON text. Raw line breaks can only be space between tokens, so they become spaces:
/// a message is one line wherever it came from (V26-STD-001).
fn push_line(out: &mut Vec<u8>, json: &Json) {
    let start = out.len();
    out.extend_from_slice(json.as_bytes());
    one_line(&mut out[start..]);
}

fn one_line(json: &mut [u8]) {
    if memchr::memchr2(b'\n', b'\r', json).is_some() {
        for byte in json {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::code;

    fn decode(text: &str) -> Result<Message, Malformed> {
        Message::decode(&Bytes::copy_from_slice(text.as_bytes()))
    }

    #[track_caller]
    fn check(text: &str) {
        assert_eq!(decode(text).unwrap().to_text(), text);
    }

    #[track_caller]
    fn refused(text: &str, code: i64, id: Option<RequestId>) {
        let malformed = decode(text).unwrap_err();
        assert_eq!(
            (malformed.error.code, malformed.id),
            (code, id),
            "{text}: {}",
            malformed.error
        );
    }

    #[test]
    fn every_kind_of_message_survives() {
        check(r#"{"jsonrpc":"2.0","id":"1","method":"ping"}"#);
        check(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":{"b":[1e400]}}}"#);
        check(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
        check(r#"{"jsonrpc":"2.0","id":0,"result":{"x":null}}"#);
        check(r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no","data":null}}"#);
        check(r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#);
    }

    #[test]
    fn v26_base_002_to_007_what_is_no_message_is_refused() {
        let one = Some(RequestId::from(1i64));
        refused("{", code::PARSE_ERROR, None);
        refused(
            r#"[{"jsonrpc":"2.0","id":1,"method":"a"}]"#,
            code::INVALID_REQUEST,
            None,
        );
        refused(
            r#"{"id":1,"method":"a"}"#,
            code::INVALID_REQUEST,
            one.clone(),
        );
        refused(
            r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#,
            code::INVALID_REQUEST,
            one.clone(),
        );
        refused(
            r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#,
            code::INVALID_REQUEST,
            None,
        );
        refused(
            r#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#,
            code::INVALID_REQUEST,
            None,
        );
        refused(
            r#"{"jsonrpc":"2.0","id":1}"#,
            code::INVALID_REQUEST,
            one.clone(),
        );
        refused(
            r#"{"jsonrpc":"2.0","id":1,"method":3}"#,
            code::INVALID_REQUEST,
            one.clone(),
        );
        refused(
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":[]}"#,
            code::INVALID_REQUEST,
            one.clone(),
        );
        let both = r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#;
        refused(both, code::INVALID_REQUEST, one);
        refused("null", code::INVALID_REQUEST, None);
        refused(r#" ["2.0",7,"ping"]"#, code::INVALID_REQUEST, None);
    }

    #[test]
    fn v26_base_012_a_null_or_missing_id_is_fine_in_an_error() {
        for id in ["\"id\":null,", ""] {
            let text = format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":1,"message":"x"}}}}"#);
            assert!(
                matches!(decode(&text), Ok(Message::Response { id: None, .. })),
                "{text}"
            );
        }
    }

    #[test]
    fn v26_std_001_a_message_is_one_line() {
        let text = "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\n\"x\":\r\n\"\\n\"}}";
        assert_eq!(
            decode(text).unwrap().to_text(),
            "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{ \"x\":  \"\\n\"}}"
        );
    }

    #[test]
    fn t6_a_message_that_would_be_parsed_without_a_limit_is_refused() {
        let mut bomb = "[".repeat(120) + &"]".repeat(120);
        for _ in 0..8 {
            let inner = serde_json::to_string(&bomb).unwrap();
            bomb = format!(r#"{{"$serde_json::private::RawValue":{inner}}}"#);
        }
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{{"x":{bomb}}}}}"#);
        refused(&text, code::INVALID_REQUEST, Some(1i64.into()));
    }

    #[test]
    fn v26_base_025_a_malformed_notification_does_not_claim_an_answer() {
        let claims = |text| decode(text).unwrap_err().claims;
        assert_eq!(
            claims(r#"{"jsonrpc":"2.0","method":"a","params":[]}"#),
            Claims::Notification
        );
        assert_eq!(
            claims(r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#),
            Claims::Request
        );
        assert_eq!(
            claims(r#"{"jsonrpc":"2.0","id":1,"result":1,"error":2}"#),
            Claims::Response
        );
    }

    #[test]
    fn the_id_is_found_in_damaged_messages() {
        let found = |text: &str| decode(text).unwrap_err().id;
        assert_eq!(
            found(r#"Ready! {"jsonrpc":"2.0","id":7,"result":{}}"#),
            Some(7i64.into())
        );
        assert_eq!(
            found(r#"{"jsonrpc":"2.0","id" : "a","result":{"x":"#),
            Some("a".into())
        );
        assert_eq!(found(r#"{"id":7"#), None);
        assert_eq!(found("hello"), None);
    }

    proptest! {
        #[test]
        fn k33_decoding_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Message::decode(&bytes.into());
        }

        #[test]
        fn k33_decoding_message_like_text_never_panics(
            text in r#"\{("(jsonrpc|id|method|params|result|error)":("2.0"|null|1|\{\}|\[\]|"x"),?){0,6}\}"#
        ) {
            if let Ok(message) = decode(&text) {
                prop_assert_eq!(decode(&message.to_text()).unwrap(), message);
            }
        }
    }
}
