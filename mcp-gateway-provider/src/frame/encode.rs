use mcp_core::Json;
use serde::Serialize;

use super::{LimitError, Limits, Outcome, Registry, ToGateway, ToProvider};

impl ToGateway {
    /// Writes the text of a WebSocket message to the gateway. Absent members are left out.
    ///
    /// # Errors
    /// The gateway would not take the text (G19): answer with an error instead of a `result`,
    /// count a `call` as failed.
    pub fn encode(&self, limits: &Limits) -> Result<String, LimitError> {
        let members = match self {
            Self::Register { registry, items } => Members {
                registry: Some(*registry),
                items: Some(items),
                ..Members::of("register")
            },
            Self::Result {
                request_id,
                outcome,
            } => Members::of("result").ended(request_id, outcome),
            Self::Call {
                request_id,
                method,
                originating_request_id,
                params,
            } => Members {
                request_id: Some(request_id),
                method: Some(method),
                originating_request_id: originating_request_id.as_deref(),
                params: params.as_ref(),
                ..Members::of("call")
            },
            Self::Notify { method, params } => Members {
                method: Some(method),
                params: params.as_ref(),
                ..Members::of("notify")
            },
            Self::Ping => Members::of("ping"),
            Self::Unknown(unknown) => return checked(unknown.frame().to_string(), limits),
        };
        checked(members.text(), limits)
    }
}

impl ToProvider {
    /// Writes the text of a WebSocket message to a provider. Stand-ins for a gateway need it.
    ///
    /// # Errors
    /// The text exceeds the limits.
    pub fn encode(&self, limits: &Limits) -> Result<String, LimitError> {
        let members = match self {
            Self::HelloAck {
                protocol_version,
                channel_id,
            } => Members {
                protocol_version: protocol_version.as_deref(),
                channel_id: channel_id.as_deref(),
                ..Members::of("hello.ack")
            },
            Self::Ack { registry, count } => Members {
                registry: Some(*registry),
                count: Some(*count),
                ..Members::of("ack")
            },
            Self::Pong => Members::of("pong"),
            Self::Request {
                request_id,
                method,
                params,
            } => Members {
                request_id: Some(request_id),
                method: Some(method),
                params: params.as_ref(),
                ..Members::of("request")
            },
            Self::Cancel { request_id, reason } => Members {
                request_id: Some(request_id),
                reason: reason.as_deref(),
                ..Members::of("cancel")
            },
            Self::Response {
                request_id,
                outcome,
            } => Members::of("response").ended(request_id, outcome),
            Self::ProtocolError { message } => Members {
                message: Some(message),
                ..Members::of("protocol.error")
            },
            Self::Unknown(unknown) => return checked(unknown.frame().to_string(), limits),
        };
        checked(members.text(), limits)
    }
}

fn checked(text: String, limits: &Limits) -> Result<String, LimitError> {
    limits.check(&text)?;
    Ok(text)
}

/// The members of any frame, in the order in which they are written.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Members<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    registry: Option<Registry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<&'a [Json]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    originating_request_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol_version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel_id: Option<&'a str>,
}

impl<'a> Members<'a> {
    fn of(kind: &'static str) -> Self {
        Self {
            kind,
            ..Self::default()
        }
    }

    /// Exactly one of `result` and `error` (G12).
    fn ended(self, request_id: &'a str, outcome: &'a Outcome) -> Self {
        Self {
            request_id: Some(request_id),
            result: outcome.as_ref().ok(),
            error: outcome.as_ref().err().map(String::as_str),
            ..self
        }
    }

    fn text(&self) -> String {
        serde_json::to_string(self).expect("strings, numbers and valid JSON can be written")
    }
}
