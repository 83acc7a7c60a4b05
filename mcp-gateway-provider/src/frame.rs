//! The frames of `mcp-gtw-provider/1`: one JSON object in one WebSocket text message.
//!
//! Decoding never fails a connection: a text that is no frame is a [`DecodeError`] to be logged,
//! a frame of a type that nobody knows is [`Unknown`]. Parameters and results stay text, so that
//! numbers pass exactly. Encoding refuses what the gateway would answer with the end of the
//! connection or not at all (rule G19).

use mcp_core::Json;
use serde::{Deserialize, Serialize};

mod decode;
mod encode;
mod limits;
#[cfg(test)]
mod tests;

pub use limits::{LimitError, Limits};

/// The reason of a `cancel` frame that gives none.
pub const DEFAULT_CANCEL_REASON: &str = "Cancelled by MCP gateway";

/// How a request or a call ended: a value, or a text that says what went wrong.
pub type Outcome = Result<Json, String>;

/// A frame from the gateway to the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToProvider {
    /// `hello.ack`: the provider is attached.
    HelloAck {
        /// What the gateway speaks; any value is fine.
        protocol_version: Option<String>,
        /// The channel the provider serves.
        channel_id: Option<String>,
    },
    /// `ack`: a `register` was accepted.
    Ack {
        /// The registry that was replaced.
        registry: Registry,
        /// How many items it has now.
        count: u64,
    },
    /// `pong`: the answer to a `ping`.
    Pong,
    /// `request`: something to serve.
    Request {
        /// To be repeated in the `result`.
        request_id: String,
        /// For example `tools/call`.
        method: String,
        /// The parameters of the method.
        params: Option<Json>,
    },
    /// `cancel`: nobody waits for that request any more.
    Cancel {
        /// The request.
        request_id: String,
        /// Why; [`DEFAULT_CANCEL_REASON`] if it is not said.
        reason: Option<String>,
    },
    /// `response`: how a `call` ended.
    Response {
        /// The id of the call.
        request_id: String,
        /// What the client answered.
        outcome: Outcome,
    },
    /// `protocol.error`: the gateway did not like a frame, it does not say which.
    ProtocolError {
        /// What the gateway says about it.
        message: String,
    },
    /// Anything else with a type.
    Unknown(Unknown),
}

/// A frame from the provider to the gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToGateway {
    /// `register`: replaces a registry.
    Register {
        /// The registry to replace.
        registry: Registry,
        /// Everything that is in it from now on.
        items: Vec<Json>,
    },
    /// `result`: how a `request` ended.
    Result {
        /// The id of the request.
        request_id: String,
        /// The answer.
        outcome: Outcome,
    },
    /// `call`: something for the client to do.
    Call {
        /// To be repeated in the `response`.
        request_id: String,
        /// For example `sampling/createMessage`.
        method: String,
        /// The request on whose behalf the call is made, if there is one.
        originating_request_id: Option<String>,
        /// The parameters of the method.
        params: Option<Json>,
    },
    /// `notify`: something to know.
    Notify {
        /// For example `notifications/progress`.
        method: String,
        /// The parameters of the method.
        params: Option<Json>,
    },
    /// `ping`: asks for a `pong`.
    Ping,
    /// Anything else with a type.
    Unknown(Unknown),
}

/// A list that a provider publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Registry {
    /// Tools by name.
    Tools,
    /// Resources by uri.
    Resources,
    /// Resource templates by uri template.
    ResourceTemplates,
    /// Prompts by name.
    Prompts,
}

impl Registry {
    /// All of them, in the order in which they are published.
    pub const ALL: [Self; 4] = [
        Self::Tools,
        Self::Resources,
        Self::ResourceTemplates,
        Self::Prompts,
    ];
}

/// A frame whose type nobody knows, as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    kind: String,
    frame: Json,
}

impl Unknown {
    /// The type of the frame.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The whole frame.
    pub fn frame(&self) -> &Json {
        &self.frame
    }
}

/// A text that is no frame.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The text exceeds what is accepted.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The text is not a JSON object.
    #[error("frame is not a JSON object")]
    NotAnObject,
    /// The text is not JSON, or the object has no `type` that is a string.
    #[error("frame is not a JSON object with a type")]
    NoType(#[source] serde_json::Error),
    /// A frame of a known type lacks a member that it needs.
    #[error("{kind} frame has no {member}")]
    Missing {
        /// The type of the frame.
        kind: String,
        /// The name of the member.
        member: &'static str,
    },
    /// A member of a frame of a known type has a wrong type.
    #[error("{kind} frame has a malformed {member}")]
    Malformed {
        /// The type of the frame.
        kind: String,
        /// The name of the member.
        member: &'static str,
        /// What does not fit.
        source: serde_json::Error,
    },
}
