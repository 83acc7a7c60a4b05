//! How calls fail, and what the peer may know of it.

use mcp_core::{ErrorObject, schema::input::InputRequired};
use tower::{load_shed::error::Overloaded, timeout::error::Elapsed};

/// Any error that can move between threads.
pub type BoxError = tower::BoxError;

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The peer answered with an error.
    #[error(transparent)]
    Peer(#[from] ErrorObject),
    /// The connection ended before the answer came.
    #[error("the connection closed before the answer came{}", because(.0))]
    Closed(Option<String>),
    /// The answer did not come in time.
    #[error("the answer did not come in time")]
    TimedOut,
    /// Too much is going on already.
    #[error("too many requests at once")]
    Overloaded,
    /// The peer wants to know who asks (HTTP 401 or 403).
    #[error("the server wants authorization (HTTP {status})")]
    Unauthorized {
        /// 401 or 403.
        status: u16,
        /// The `WWW-Authenticate` header, if there was one.
        challenge: Option<String>,
    },
    /// The peer answered something that cannot be used.
    #[error("the answer to {method} cannot be used: {reason}")]
    InvalidAnswer {
        /// The method that was called.
        method: String,
        /// What is wrong, with the path inside the result.
        reason: String,
    },
    /// The peer wants answers that nobody here gives.
    #[error("the server asks for input ({}) that this client does not give", asked(.0))]
    InputRequired(Box<InputRequired>),
    /// The parameters refuse to be written as JSON.
    #[error("the parameters cannot be written as JSON")]
    Params(#[source] serde_json::Error),
    /// The request could not be carried to the peer.
    #[error("{0}")]
    Transport(#[source] BoxError),
}

fn because(reason: &Option<String>) -> String {
    reason
        .as_ref()
        .map(|reason| format!(": {reason}"))
        .unwrap_or_default()
}

fn asked(input: &InputRequired) -> String {
    let methods: Vec<_> = input
        .input_requests
        .values()
        .map(|r| r.method.as_str())
        .collect();
    methods.join(", ")
}

impl CallError {
    /// Finds out what a layer stack's error means.
    pub fn from_boxed(error: BoxError) -> Self {
        let error = match error.downcast::<Self>() {
            Ok(known) => return *known,
            Err(other) => other,
        };
        let error = match error.downcast::<ErrorObject>() {
            Ok(known) => return Self::Peer(*known),
            Err(other) => other,
        };
        if error.is::<Elapsed>() {
            Self::TimedOut
        } else if error.is::<Overloaded>() {
            Self::Overloaded
        } else {
            Self::Transport(error)
        }
    }
}

/// The one place where a service's error becomes what the peer sees.
///
/// An [`ErrorObject`] is passed on as it is, so a code survives every hop. A timeout, an overload
/// and a lost connection keep their meaning as `data.reason`. Everything else is an internal error
/// whose text stays here.
pub fn to_wire(error: BoxError) -> ErrorObject {
    let reason = match CallError::from_boxed(error) {
        CallError::Peer(error) => return error,
        CallError::TimedOut => "timed out",
        CallError::Overloaded => "overloaded",
        CallError::Closed(_) => "connection closed",
        _ => return ErrorObject::internal("internal error"),
    };
    ErrorObject::internal(format!("the request failed: {reason}"))
        .with_data(&serde_json::json!({ "reason": reason }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_error_never_leaks_its_text() {
        let error = to_wire("password is hunter2".into());
        assert_eq!(error, ErrorObject::internal("internal error"));
    }

    #[test]
    fn a_code_survives_every_hop() {
        let original = ErrorObject::new(7, "no more tea").with_data(&"pot");
        let first = to_wire(original.clone().into());
        let second = to_wire(CallError::Peer(first).into());
        assert_eq!(second, original);
    }

    #[test]
    fn timeouts_and_overloads_keep_their_meaning() {
        for (error, reason) in [
            (Elapsed::new().into(), r#"{"reason":"timed out"}"#),
            (Overloaded::new().into(), r#"{"reason":"overloaded"}"#),
            (
                CallError::Closed(None).into(),
                r#"{"reason":"connection closed"}"#,
            ),
        ] as [(BoxError, _); 3]
        {
            assert_eq!(to_wire(error).data.unwrap().as_str(), reason);
        }
    }
}
