//! How requests travel: Model Context Protocol transports, client and server side.
//!
//! Every client end is an [`McpService`](mcp_ext::McpService) and every server end serves one, so
//! layers go on both sides and a proxy is a client end handed to a server end.
//!
//! - [`stdio`]: a child process as a server, and a server on this process's own standard streams;
//! - [`unix`]: the same over a Unix domain socket;
//! - [`memory`]: the same inside one process, over the real wire text;
//! - [`duplex`]: the same over any pair of byte streams;
//! - [`http`]: Streamable HTTP.
//!
//! Which protocol version the peer speaks is found out at the edge and nowhere else: see
//! [`Versions`].

pub mod duplex;
pub mod error;
#[cfg(any(feature = "http-client", feature = "http-server"))]
pub mod http;
pub mod memory;
pub mod stdio;
#[cfg(unix)]
pub mod unix;

mod era;
mod lines;
mod outbox;
mod pipe;
mod sink;

pub use duplex::{Connection, Link};
pub use era::Versions;
pub use error::ConnectError;
