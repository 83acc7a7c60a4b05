//! Decodes one definition with our types and encodes it again.

use bytes::Bytes;
use mcp_core::{
    ErrorObject, Json, JsonObject, NotificationMessage, ProtocolVersion, RequestMessage,
    envelope::Message,
    message::Open,
    meta::{ListenResultMeta, NotificationMeta, RequestMeta, ResultMeta},
    schema::{
        elicitation::PrimitiveSchema,
        input::{InputRequest, InputResponses},
        outcome::{Answer, ResultType},
        progress::AnyCancelled,
        sampling::CreateMessageResult,
        subscriptions::ListenResult,
    },
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::differences::is_added;

/// What a definition is read as.
pub(crate) struct Cx {
    pub(crate) version: ProtocolVersion,
    /// Whether it is a whole message, or only a method with its parameters.
    pub(crate) has_envelope: bool,
}

/// Decodes and encodes.
pub(crate) type Read = fn(&Cx, &Value) -> Result<Value, String>;

type Done = Result<Value, String>;

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// A type that keeps unknown members itself.
pub(crate) fn plain<T: Serialize + DeserializeOwned>(_: &Cx, value: &Value) -> Done {
    let typed: T = serde_json::from_value(value.clone()).map_err(text)?;
    serde_json::to_value(typed).map_err(text)
}

/// A type in the wrapping that keeps unknown members.
pub(crate) fn open<T: Serialize + DeserializeOwned>(cx: &Cx, value: &Value) -> Done {
    plain::<Open<T>>(cx, value)
}

/// An object whose `_meta` is of type `M`.
fn with_meta<T, M>(cx: &Cx, value: &Value, is_required: bool) -> Done
where
    T: Serialize + DeserializeOwned,
    M: Serialize + DeserializeOwned,
{
    let mut rest = value.as_object().ok_or("not an object")?.clone();
    let meta = rest.shift_remove("_meta");
    let mut again = open::<T>(cx, &Value::Object(rest))?;
    match meta {
        Some(meta) => again["_meta"] = plain::<M>(cx, &meta)?,
        None if is_required => return Err("no _meta".into()),
        None => {}
    }
    Ok(again)
}

/// A field of a form that offers choices.
pub(crate) fn choice(cx: &Cx, value: &Value) -> Done {
    use PrimitiveSchema::{MultiSelect, NamedSelect, Select, TitledSelect};
    let field: PrimitiveSchema = serde_json::from_value(value.clone()).map_err(text)?;
    match field {
        Select(_) | TitledSelect(_) | NamedSelect(_) | MultiSelect(_) => {
            plain::<PrimitiveSchema>(cx, value)
        }
        _ => Err("no choices".into()),
    }
}

/// The parameters of a client's request.
pub(crate) fn params<T: Serialize + DeserializeOwned>(cx: &Cx, value: &Value) -> Done {
    if cx.version.is_stateless() {
        with_meta::<T, RequestMeta>(cx, value, true)
    } else {
        with_meta::<T, JsonObject>(cx, value, false)
    }
}

pub(crate) fn notification_params<T: Serialize + DeserializeOwned>(cx: &Cx, value: &Value) -> Done {
    with_meta::<T, NotificationMeta>(cx, value, false)
}

pub(crate) fn cancelled_params(cx: &Cx, value: &Value) -> Done {
    let typed: AnyCancelled = serde_json::from_value(value.clone()).map_err(text)?;
    let for_version = typed.for_version(cx.version).ok_or("no request")?;
    serde_json::to_value(for_version).map_err(text)
}

/// A result; `resultType` stays among the unknown members.
pub(crate) fn result<T: Serialize + DeserializeOwned>(cx: &Cx, value: &Value) -> Done {
    let json = Json::from(value.clone());
    if ResultType::of(&json).map_err(text)? == ResultType::InputRequired {
        let answer = Answer::<Open<T>>::decode(&json).map_err(text)?;
        let Answer::InputRequired(asking) = answer else {
            return Err("not what it says it is".into());
        };
        for question in asking.input_requests.values() {
            question.question().map_err(text)?;
        }
        let mut again = serde_json::to_value(asking).map_err(text)?;
        again["resultType"] = json!(ResultType::InputRequired);
        return Ok(again);
    }
    with_meta::<T, ResultMeta>(cx, value, false)
}

pub(crate) fn listen_result(cx: &Cx, value: &Value) -> Done {
    ResultType::of(&value.clone().into()).map_err(text)?;
    with_meta::<ListenResult, ListenResultMeta>(cx, value, true)
}

/// A request: a whole message, or a question inside a result.
pub(crate) fn request<T: RequestMessage>(cx: &Cx, value: &Value) -> Done {
    if !cx.has_envelope {
        return asked::<T>(cx, value);
    }
    let message = message(value)?;
    let Message::Request { id, method, params } = message else {
        return Err("no request".into());
    };
    named(&method, T::METHOD)?;
    let again = inside(params, cx.version.is_stateless(), |value| {
        self::params::<T>(cx, value)
    })?;
    encoded(&Message::Request {
        id,
        method,
        params: again,
    })
}

fn asked<T: RequestMessage>(cx: &Cx, value: &Value) -> Done {
    let mut question: InputRequest = serde_json::from_value(value.clone()).map_err(text)?;
    named(&question.method, T::METHOD)?;
    question.question().map_err(text)?;
    let params = question.params.take();
    // Parameters that may be left out are nothing to those that have required members.
    let is_absent = params.is_none();
    let params = params.unwrap_or(Json::empty_object());
    let again = open::<T>(cx, &params.decode().map_err(text)?)?;
    question.params = (!is_absent).then(|| Json::from(again));
    serde_json::to_value(question).map_err(text)
}

pub(crate) fn notification<T: NotificationMessage>(cx: &Cx, value: &Value) -> Done {
    tell(cx, value, T::METHOD, notification_params::<T>)
}

pub(crate) fn cancelled(cx: &Cx, value: &Value) -> Done {
    tell(cx, value, "notifications/cancelled", cancelled_params)
}

fn tell(cx: &Cx, value: &Value, name: &str, params: Read) -> Done {
    let mut whole = value.clone();
    if !cx.has_envelope {
        whole["jsonrpc"] = json!("2.0");
    }
    let Message::Notification { method, params: p } = message(&whole)? else {
        return Err("no notification".into());
    };
    named(&method, name)?;
    let params = inside(p, false, |value| params(cx, value))?;
    let mut again = encoded(&Message::Notification { method, params })?;
    if !cx.has_envelope
        && let Value::Object(again) = &mut again
    {
        again.shift_remove("jsonrpc");
    }
    Ok(again)
}

fn named(method: &str, expected: &str) -> Result<(), String> {
    if method == expected {
        Ok(())
    } else {
        Err(format!("{method} instead of {expected}"))
    }
}

/// Reads parameters that may be absent; then they are read as an empty object.
fn inside(
    params: Option<Json>,
    is_required: bool,
    read: impl FnOnce(&Value) -> Done,
) -> Result<Option<Json>, String> {
    if params.is_none() && is_required {
        return Err("no parameters".into());
    }
    let is_absent = params.is_none();
    let params = params.unwrap_or(Json::empty_object());
    let again = read(&params.decode().map_err(text)?)?;
    Ok((!is_absent).then(|| Json::from(again)))
}

/// A response with a result.
pub(crate) fn response<T: Serialize + DeserializeOwned>(cx: &Cx, value: &Value) -> Done {
    answered(value, |inner| result::<T>(cx, inner))
}

pub(crate) fn listen_response(cx: &Cx, value: &Value) -> Done {
    answered(value, |inner| listen_result(cx, inner))
}

fn answered(value: &Value, read: impl FnOnce(&Value) -> Done) -> Done {
    let Message::Response {
        id,
        outcome: Ok(result),
    } = message(value)?
    else {
        return Err("no result".into());
    };
    let again = read(&result.decode().map_err(text)?)?;
    encoded(&Message::Response {
        id,
        outcome: Ok(again.into()),
    })
}

/// An error by its code.
pub(crate) fn error<const CODE: i64>(cx: &Cx, value: &Value) -> Done {
    let error: ErrorObject = serde_json::from_value(value.clone()).map_err(text)?;
    if error.code != CODE {
        return Err(format!("code {} instead of {CODE}", error.code));
    }
    plain::<ErrorObject>(cx, value)
}

/// A response with an error of one code, whose data is of type `D`.
pub(crate) fn error_response<const CODE: i64, D>(cx: &Cx, value: &Value) -> Done
where
    D: Serialize + DeserializeOwned,
{
    let Message::Response {
        id,
        outcome: Err(mut error),
    } = message(value)?
    else {
        return Err("no error".into());
    };
    if error.code != CODE {
        return Err(format!("code {} instead of {CODE}", error.code));
    }
    let data = error
        .data
        .take()
        .map_or(Ok(Value::Null), |data| data.decode());
    let again = plain::<D>(cx, &data.map_err(text)?)?;
    error.data = (!again.is_null()).then(|| again.into());
    encoded(&Message::Response {
        id,
        outcome: Err(error),
    })
}

/// Any message.
pub(crate) fn any_message(_: &Cx, value: &Value) -> Done {
    encoded(&message(value)?)
}

/// A message of one kind.
fn of_kind(value: &Value, is_right: impl FnOnce(&Message) -> bool) -> Done {
    let message = message(value)?;
    if is_right(&message) {
        encoded(&message)
    } else {
        Err("another kind of message".into())
    }
}

pub(crate) fn any_request(_: &Cx, value: &Value) -> Done {
    of_kind(value, |message| matches!(message, Message::Request { .. }))
}

pub(crate) fn any_notification(_: &Cx, value: &Value) -> Done {
    let is_right = |message: &Message| matches!(message, Message::Notification { .. });
    of_kind(value, is_right)
}

pub(crate) fn any_response(_: &Cx, value: &Value) -> Done {
    of_kind(value, |message| matches!(message, Message::Response { .. }))
}

/// A question of any kind.
pub(crate) fn input_request(_: &Cx, value: &Value) -> Done {
    let question: InputRequest = serde_json::from_value(value.clone()).map_err(text)?;
    question.question().map_err(text)?;
    serde_json::to_value(question).map_err(text)
}

pub(crate) fn input_requests(cx: &Cx, value: &Value) -> Done {
    let all = value.as_object().ok_or("not an object")?;
    let all = all
        .iter()
        .map(|(key, question)| Ok((key.clone(), input_request(cx, question)?)));
    all.collect::<Result<JsonObject, String>>().map(Value::from)
}

/// Answers to the questions of the published examples: which method an answer belongs to is known
/// to who asked, and cannot be read from the answer.
pub(crate) fn input_responses(_: &Cx, value: &Value) -> Done {
    let all: InputResponses = serde_json::from_value(value.clone()).map_err(text)?;
    let again = all.into_iter().map(|(key, answer)| {
        let method = match key.as_str() {
            "capital_of_france" => "sampling/createMessage",
            _ => "elicitation/create",
        };
        let question = json!({ "method": method });
        let question: InputRequest = serde_json::from_value(question).map_err(text)?;
        let answer = question.read(&answer).map_err(text)?;
        Ok((key, serde_json::to_value(answer).map_err(text)?))
    });
    again
        .collect::<Result<JsonObject, String>>()
        .map(Value::from)
}

/// The smallest instance of the union is a model's answer.
pub(crate) fn input_response(cx: &Cx, value: &Value) -> Done {
    plain::<CreateMessageResult>(cx, value)
}

fn message(value: &Value) -> Result<Message, String> {
    Message::decode(&Bytes::from(value.to_string())).map_err(text)
}

fn encoded(message: &Message) -> Done {
    serde_json::from_str(&message.to_text()).map_err(text)
}

/// Equal as JSON: `50` and `50.0` are the same number. What was written again may have members
/// more that [`is_added`] knows.
pub(crate) fn same(again: &Value, value: &Value) -> bool {
    match (again, value) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let has_all = b.keys().all(|name| a.contains_key(name));
            has_all
                && a.iter().all(|(name, inner)| match b.get(name) {
                    Some(other) => same(inner, other),
                    None => is_added(name, inner),
                })
        }
        _ => again == value,
    }
}
