//! How a client reaches its server and introduces itself.

use std::{fmt, sync::Arc, time::Duration};

use http::{HeaderMap, HeaderName, HeaderValue};
use mcp_ext::{Interim, Peer};

use crate::Versions;

/// Bounds of what is read from a server.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Longest answer in bytes, 16 MiB by default.
    pub body: usize,
    /// Longest event of a stream in bytes, 16 MiB by default. The stream itself may go on.
    pub event: usize,
    /// How much of an answer with an error status is looked at, 64 KiB by default.
    pub error: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 16 * 1024 * 1024,
            event: 16 * 1024 * 1024,
            error: 64 * 1024,
        }
    }
}

/// How a client reaches its server, introduces itself and finds out what the server speaks.
#[derive(Clone)]
pub struct Options {
    /// Headers of every HTTP request, none by default. Their values are treated as secrets. Those
    /// that the protocol or the connection needs for itself cannot be set.
    pub headers: HeaderMap,
    /// Bounds of what is read.
    pub limits: Limits,
    /// Which protocol versions may be used, all by default.
    pub versions: Versions,
    /// Who the client is, for servers that are told once and for requests that do not say it.
    pub peer: Arc<Peer>,
    /// How long to wait for an answer to the first `server/discover` before the handshake is
    /// tried as well, 3 s by default.
    pub probe: Duration,
    /// How long the whole beginning may take, and every later opening of a TCP connection, 30 s
    /// by default.
    pub connect: Duration,
    /// Where notifications go that belong to no request; nowhere by default.
    pub notifications: Interim,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            headers: HeaderMap::new(),
            limits: Limits::default(),
            versions: Versions::Auto,
            peer: Arc::default(),
            probe: Duration::from_secs(3),
            connect: Duration::from_secs(30),
            notifications: Interim::none(),
        }
    }
}

impl Options {
    /// Adds a header to every request.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }

    /// Restricts what is read.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

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

    /// Changes how long an answer to the first question may take.
    #[must_use]
    pub fn probe(mut self, limit: Duration) -> Self {
        self.probe = limit;
        self
    }

    /// Changes how long the beginning may take.
    #[must_use]
    pub fn connect(mut self, limit: Duration) -> Self {
        self.connect = limit;
        self
    }

    /// Says where notifications go that belong to no request.
    #[must_use]
    pub fn notifications(mut self, sink: Interim) -> Self {
        self.notifications = sink;
        self
    }
}

/// Names the headers, never their values.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("limits", &self.limits)
            .field("versions", &self.versions)
            .field("peer", &self.peer)
            .field("probe", &self.probe)
            .field("connect", &self.connect)
            .field("notifications", &self.notifications)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use http::header::AUTHORIZATION;

    use super::*;

    #[test]
    fn secrets_in_headers_are_not_shown() {
        let options =
            Options::default().header(AUTHORIZATION, HeaderValue::from_static("Bearer hunter2"));
        let shown = format!("{options:?}");
        assert!(
            shown.contains("authorization") && !shown.contains("hunter2"),
            "{shown}"
        );
    }
}
