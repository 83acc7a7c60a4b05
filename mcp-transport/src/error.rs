//! Why a connection cannot be made.

use std::{io, time::Duration};

use mcp_ext::CallError;

/// Why a connection cannot be made. Each text says what was tried; the server's name is the
/// caller's to add.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The program could not be started.
    #[error("could not start {command:?}: {source}")]
    Start {
        /// The program.
        command: String,
        /// What the operating system says.
        source: io::Error,
    },
    /// The socket could not be opened.
    #[error("could not connect to {address}: {source}")]
    Open {
        /// Where to.
        address: String,
        /// What the operating system says.
        source: io::Error,
    },
    /// The peer ended the connection instead of answering.
    #[error("the server closed the connection before it answered{0}")]
    Closed(String),
    /// The peer did not answer in time.
    #[error("the server did not answer within {0:?}")]
    Silent(Duration),
    /// There is a server, but nothing that both can speak.
    #[error("{0}")]
    Incompatible(String),
    /// What answers at this address is not an MCP server.
    #[error("{0}")]
    NotMcp(String),
    /// The server wants to know who asks.
    #[error("the server wants authorization (HTTP {status})")]
    Unauthorized {
        /// 401 or 403.
        status: u16,
        /// The `WWW-Authenticate` header, if there was one.
        challenge: Option<String>,
    },
    /// The address or another setting cannot be used.
    #[error("{0}")]
    Invalid(String),
    /// The first exchange failed.
    #[error(transparent)]
    Call(CallError),
}
