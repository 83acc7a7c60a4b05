//! Why a server cannot be used.

use std::sync::Arc;

use mcp_ext::CallError;
use mcp_transport::ConnectError;

use crate::{config::EntryError, suggest};

/// Why a server, or one request to it, did not work: one sentence with the server's name and the
/// cause. No text holds a secret of the configuration.
///
/// The cause is part of the text: it is what the reader has to act on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UseError {
    /// No server has this name.
    #[error("there is no server {server:?}{}", suggest::instead(server, known.iter().map(String::as_str)))]
    Unknown {
        /// The name that was asked for.
        server: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// Switched off in the configuration (L7).
    #[error("server {server:?} is disabled")]
    Disabled {
        /// Which server.
        server: String,
    },
    /// The configuration of the server cannot be used.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The server could not be reached, or what answers is no server.
    #[error("server {server:?}: {source}")]
    Connect {
        /// Which server.
        server: String,
        /// Shared by everybody who waited for the same attempt.
        source: Arc<ConnectError>,
    },
    /// Closed while the connection was being made (L14).
    #[error("server {server:?} was closed while it was being connected")]
    Closed {
        /// Which server.
        server: String,
    },
    /// The adapter is closed for good (L24).
    #[error("server {server:?} cannot be used any more: everything is being closed")]
    Retired {
        /// Which server.
        server: String,
    },
    /// A request failed.
    #[error("server {server:?}: {source}")]
    Call {
        /// Which server.
        server: String,
        /// How.
        source: CallError,
    },
}

impl UseError {
    /// Ties the failure of a request to its server.
    pub fn call(server: impl Into<String>, error: CallError) -> Self {
        let server = server.into();
        match error {
            // The request found no connection: that is the better sentence.
            CallError::Transport(error) => match error.downcast::<Self>() {
                Ok(known) => *known,
                Err(error) => Self::Call {
                    server,
                    source: CallError::Transport(error),
                },
            },
            source => Self::Call { server, source },
        }
    }

    /// Whether the server wants to know who asks.
    pub fn needs_authorization(&self) -> bool {
        match self {
            Self::Connect { source, .. } => matches!(
                &**source,
                ConnectError::Unauthorized { .. }
                    | ConnectError::Call(CallError::Unauthorized { .. })
            ),
            Self::Call { source, .. } => matches!(source, CallError::Unauthorized { .. }),
            _ => false,
        }
    }
}
