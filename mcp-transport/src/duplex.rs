//! Connections over a pair of byte streams, one message on each line.
//!
//! Setup: none; the first message is the client's. Framing: UTF-8 JSON without raw line breaks,
//! ended by `\n`. Cancellation: dropping a call sends `notifications/cancelled`. The connection
//! ends when either side closes its output (V26-TRN-004, -005).

mod client;
mod server;
mod waiters;

use std::{sync::Arc, time::Duration};

use mcp_ext::{Interim, Peer};

pub use self::{
    client::{Connection, Link, connect},
    server::serve,
};
use crate::Versions;

/// Bounds of one connection.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Longest message in bytes, 16 MiB by default. A longer one costs its sender an error, not
    /// the connection.
    pub message: usize,
    /// Bytes that wait for a slow reader before senders of notifications have to wait and nothing
    /// more is read from it, 1 MiB by default.
    pub outbox: usize,
    /// Requests that run at once, 4096 by default. The next one is answered with an error.
    pub in_flight: usize,
    /// How long requests in flight may still run after the client has closed its side, 500 ms by
    /// default.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message: 16 * 1024 * 1024,
            outbox: 1024 * 1024,
            in_flight: 4096,
            drain: Duration::from_millis(500),
        }
    }
}

/// How a client introduces itself and finds out what the server speaks.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Bounds of the connection.
    pub limits: Limits,
    /// Which protocol versions may be used.
    pub versions: Versions,
    /// Who the client is, for servers that are told once per connection. Servers that are told
    /// with every request hear it from the request.
    pub peer: Arc<Peer>,
    /// How long to wait for an answer to the first `server/discover` before an older
    /// version is tried as well, 3 s by default.
    pub probe: Duration,
    /// How long the whole beginning may take, 30 s by default.
    pub connect: Duration,
    /// Where notifications go that belong to no request.
    pub notifications: Interim,
    /// Called with each line that is no message, for example text that a server prints.
    pub noise: Option<Noise>,
}

/// What to do with lines that are no messages.
#[derive(Clone)]
pub struct Noise(Arc<dyn Fn(&str) + Send + Sync>);

impl Noise {
    /// Calls `f` with the beginning of each such line.
    pub fn new(f: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(f))
    }

    pub(crate) fn report(&self, line: &[u8]) {
        /// Enough to recognise where it comes from.
        const SHOWN: usize = 200;
        let shown = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]);
        (self.0)(shown.trim());
    }
}

impl std::fmt::Debug for Noise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Noise")
    }
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            versions: Versions::Auto,
            peer: Arc::default(),
            probe: Duration::from_secs(3),
            connect: Duration::from_secs(30),
            notifications: Interim::none(),
            noise: None,
        }
    }
}

impl ClientOptions {
    /// Restricts the protocol versions.
    #[must_use]
    pub fn versions(mut self, versions: Versions) -> Self {
        self.versions = versions;
        self
    }

    /// Says who the client is.
    #[must_use]
    pub fn peer(mut self, peer: Peer) -> Self {
        self.peer = Arc::new(peer);
        self
    }
}
