//! Why one exchange over HTTP has no result.

use std::io;

use http::{HeaderMap, StatusCode, header};
use mcp_core::ErrorObject;
use mcp_ext::CallError;

use super::endpoint::redacted;
use crate::ConnectError;

/// Why an exchange has no result; what it means depends on who asked.
#[derive(Debug)]
pub(super) enum Failure {
    /// There is no connection to the server.
    Open { address: String, source: io::Error },
    /// The connection ended too early.
    Closed(String),
    /// 401 or 403.
    Unauthorized {
        status: u16,
        challenge: Option<String>,
    },
    /// Something came that is no message of this protocol.
    Foreign(Foreign),
    /// The server answered with an error.
    Peer(ErrorObject),
    /// The answer cannot be used.
    Unusable(String),
}

/// A response that is no message of this protocol.
#[derive(Debug)]
pub(super) struct Foreign {
    pub(super) address: String,
    status: StatusCode,
    /// What it holds instead.
    content: String,
    location: Option<String>,
}

impl Foreign {
    pub(super) fn new(address: &str, status: StatusCode, headers: &HeaderMap) -> Self {
        let content = match media_type(headers) {
            Some(kind) => kind.chars().take(60).collect(),
            None => "no content type".into(),
        };
        let location = headers
            .get(header::LOCATION)
            .filter(|_| status.is_redirection())
            .and_then(|location| location.to_str().ok())
            .map(redacted);
        Self {
            address: address.into(),
            status,
            content,
            location,
        }
    }

    /// One clear sentence.
    fn sentence(&self) -> String {
        let Self {
            address,
            status,
            content,
            location,
        } = self;
        let status = status.as_u16();
        match location {
            Some(location) => format!(
                "{address} answered POST with HTTP {status}, a redirect to {location}, and \
                 redirects are not followed"
            ),
            None if self.status.is_redirection() => format!(
                "{address} answered POST with HTTP {status}, and redirects are not followed"
            ),
            None => {
                format!(
                    "{address} answered POST with HTTP {status} and {content}, which is not MCP"
                )
            }
        }
    }

    /// Older servers have another endpoint for events and do not know this kind of POST
    /// (V2511-HTTP-041).
    fn may_be_older(&self) -> bool {
        matches!(self.status.as_u16(), 400 | 404 | 405)
    }
}

/// The content type without its parameters, in lower case.
pub(super) fn media_type(headers: &HeaderMap) -> Option<String> {
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(
        kind.split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase(),
    )
}

impl Failure {
    /// The failure of a call.
    pub(super) fn into_call(self, method: &str) -> CallError {
        let unusable = |reason| CallError::InvalidAnswer {
            method: method.into(),
            reason,
        };
        match self {
            Self::Open { address, source } => {
                CallError::Transport(format!("could not connect to {address}: {source}").into())
            }
            Self::Closed(reason) => CallError::Closed(Some(reason)),
            Self::Unauthorized { status, challenge } => {
                CallError::Unauthorized { status, challenge }
            }
            Self::Foreign(foreign) if foreign.status.is_success() => unusable(foreign.sentence()),
            Self::Foreign(foreign) => CallError::Transport(foreign.sentence().into()),
            Self::Peer(error) => CallError::Peer(error),
            Self::Unusable(reason) => unusable(reason),
        }
    }

    /// The failure of the first exchange.
    pub(super) fn into_connect(self, method: &str) -> ConnectError {
        match self {
            Self::Open { address, source } => ConnectError::Open { address, source },
            Self::Closed(_) => ConnectError::Closed(String::new()),
            Self::Unauthorized { status, challenge } => {
                ConnectError::Unauthorized { status, challenge }
            }
            Self::Foreign(foreign) => {
                let hint = if foreign.may_be_older() {
                    "; servers of the old HTTP+SSE transport are not supported yet"
                } else {
                    ""
                };
                ConnectError::NotMcp(format!("{}{hint}", foreign.sentence()))
            }
            other => ConnectError::Call(other.into_call(method)),
        }
    }
}
