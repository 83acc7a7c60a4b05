//! Bounds and rules of an HTTP server.

use std::time::Duration;

/// Bounds and rules of an HTTP server. The defaults suit a server on this machine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The endpoint, `/mcp` by default.
    pub path: String,
    /// Host names that a request may name in `Host` and `Origin`: by default this machine's
    /// loopback names. `None` accepts every one, for servers behind a proxy that checks
    /// (V26-HTTP-002; DNS rebinding).
    pub hosts: Option<Vec<String>>,
    /// Longest request body in bytes, 16 MiB by default; longer ones are answered with 413.
    pub body: usize,
    /// How long a request body may take, 30 s by default; slower ones are answered with 408.
    pub body_time: Duration,
    /// Bytes of notifications that wait for a slow reader of one stream before their senders have
    /// to wait, 256 KiB by default.
    pub stream_buffer: usize,
    /// A silent stream sends a comment this often, 15 s by default, and a request that has no
    /// answer yet becomes a stream after this time (V26-HTTP-021).
    pub keep_alive: Duration,
    /// Sessions at once, 10 000 by default; the next one is answered with 503.
    pub sessions: usize,
    /// Sessions unused for this long are ended, 30 min by default.
    pub session_idle: Duration,
    /// Connections at once, 16 384 by default; more wait in the listener's backlog.
    pub connections: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            path: "/mcp".into(),
            hosts: Some(
                ["localhost", "127.0.0.1", "[::1]"]
                    .map(String::from)
                    .to_vec(),
            ),
            body: 16 * 1024 * 1024,
            body_time: Duration::from_secs(30),
            stream_buffer: 256 * 1024,
            keep_alive: Duration::from_secs(15),
            sessions: 10_000,
            session_idle: Duration::from_secs(30 * 60),
            connections: 16_384,
        }
    }
}

impl Options {
    /// Serves at another path.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Accepts these host names besides the loopback ones.
    #[must_use]
    pub fn hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.hosts
            .get_or_insert_default()
            .extend(hosts.into_iter().map(Into::into));
        self
    }

    /// Accepts every host name. Only for servers behind something that checks.
    #[must_use]
    pub fn any_host(mut self) -> Self {
        self.hosts = None;
        self
    }
}
