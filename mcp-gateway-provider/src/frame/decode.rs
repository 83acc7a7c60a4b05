use std::borrow::Cow;

use mcp_core::Json;
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{DecodeError, Limits, Outcome, ToGateway, ToProvider, Unknown};

impl ToProvider {
    /// Reads the text of a WebSocket message from the gateway.
    ///
    /// Members that the frame does not need are ignored. A `response` with neither `result` nor
    /// `error` carries null; an `error` that is null is none, and one that is not a string is
    /// kept as JSON text, as the gateway does it.
    ///
    /// # Errors
    /// The text is no frame. The connection can go on.
    pub fn decode(text: &str, limits: &Limits) -> Result<Self, DecodeError> {
        let members = Members::read(text, limits)?;
        Ok(match &*members.kind {
            "hello.ack" => Self::HelloAck {
                protocol_version: members.protocol_version.map(words),
                channel_id: members.channel_id.map(words),
            },
            "ack" => Self::Ack {
                registry: members.needed("registry", members.registry)?,
                count: members.needed("count", members.count)?,
            },
            "pong" => Self::Pong,
            "request" => Self::Request {
                request_id: members.request_id()?,
                method: members.needed("method", members.method)?,
                params: members.params.map(Json::from),
            },
            "cancel" => Self::Cancel {
                request_id: members.request_id()?,
                reason: members.reason.map(words),
            },
            "response" => Self::Response {
                request_id: members.request_id()?,
                outcome: members.outcome(),
            },
            "protocol.error" => Self::ProtocolError {
                message: members.message.map(words).unwrap_or_default(),
            },
            kind => Self::Unknown(Unknown::new(kind, text)?),
        })
    }
}

impl ToGateway {
    /// Reads the text of a WebSocket message from a provider. Stand-ins for a gateway need it.
    ///
    /// # Errors
    /// The text is no frame.
    pub fn decode(text: &str, limits: &Limits) -> Result<Self, DecodeError> {
        let members = Members::read(text, limits)?;
        Ok(match &*members.kind {
            "register" => Self::Register {
                registry: members.needed("registry", members.registry)?,
                items: members.needed("items", members.items)?,
            },
            "result" => Self::Result {
                request_id: members.request_id()?,
                outcome: members.outcome(),
            },
            "call" => Self::Call {
                request_id: members.request_id()?,
                method: members.needed("method", members.method)?,
                originating_request_id: members
                    .optional("originatingRequestId", members.originating_request_id)?,
                params: members.params.map(Json::from),
            },
            "notify" => Self::Notify {
                method: members.needed("method", members.method)?,
                params: members.params.map(Json::from),
            },
            "ping" => Self::Ping,
            kind => Self::Unknown(Unknown::new(kind, text)?),
        })
    }
}

impl Unknown {
    fn new(kind: &str, text: &str) -> Result<Self, DecodeError> {
        Ok(Self {
            kind: kind.to_owned(),
            frame: text.parse().map_err(DecodeError::NoType)?,
        })
    }
}

/// The members of any frame, found in one pass and kept as text until the type is known: what a
/// frame of an unknown type calls `count` need not be a number.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Members<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    registry: Option<&'a RawValue>,
    items: Option<&'a RawValue>,
    count: Option<&'a RawValue>,
    request_id: Option<&'a RawValue>,
    originating_request_id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    reason: Option<&'a RawValue>,
    message: Option<&'a RawValue>,
    protocol_version: Option<&'a RawValue>,
    channel_id: Option<&'a RawValue>,
}

impl<'a> Members<'a> {
    fn read(text: &'a str, limits: &Limits) -> Result<Self, DecodeError> {
        limits.check(text)?;
        // An array of the right length would be taken for the members in order.
        if !text.trim_start().starts_with('{') {
            return Err(DecodeError::NotAnObject);
        }
        serde_json::from_str(text).map_err(DecodeError::NoType)
    }

    fn request_id(&self) -> Result<String, DecodeError> {
        self.needed("requestId", self.request_id)
    }

    fn needed<T: DeserializeOwned>(
        &self,
        member: &'static str,
        text: Option<&RawValue>,
    ) -> Result<T, DecodeError> {
        let missing = || DecodeError::Missing {
            kind: self.kind.clone().into_owned(),
            member,
        };
        self.optional(member, text)?.ok_or_else(missing)
    }

    fn optional<T: DeserializeOwned>(
        &self,
        member: &'static str,
        text: Option<&RawValue>,
    ) -> Result<Option<T>, DecodeError> {
        let malformed = |source| DecodeError::Malformed {
            kind: self.kind.clone().into_owned(),
            member,
            source,
        };
        let parsed = text.map(|text| serde_json::from_str(text.get()));
        parsed.transpose().map_err(malformed)
    }

    fn outcome(&self) -> Outcome {
        match (self.error, self.result) {
            (Some(error), _) => Err(words(error)),
            (None, Some(result)) => Ok(result.into()),
            (None, None) => Ok(serde_json::Value::Null.into()),
        }
    }
}

/// A text meant for people: a string, or whatever it is as JSON.
fn words(text: &RawValue) -> String {
    serde_json::from_str(text.get()).unwrap_or_else(|_| text.get().to_owned())
}

/// A null that is there is a value.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'a RawValue>, D::Error> {
    <&'a RawValue>::deserialize(deserializer).map(Some)
}
