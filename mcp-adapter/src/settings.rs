//! What all servers of an adapter share.

use std::{fmt, sync::Arc, time::Duration};

use mcp_core::schema::implementation::Implementation;

/// How servers are opened and used.
///
/// ```
/// use std::time::Duration;
/// use mcp_adapter::Settings;
///
/// let settings = Settings::default()
///     .request(Duration::from_secs(10))
///     .remarks(|remark| eprintln!("warning: {remark}"));
/// ```
#[derive(Clone)]
#[must_use]
pub struct Settings {
    pub(crate) implementation: Implementation,
    pub(crate) connect: Duration,
    pub(crate) request: Duration,
    pub(crate) grace: Duration,
    remarks: Option<Arc<dyn Fn(Remark) + Send + Sync>>,
}

/// Something about a server that people should know, and that stops nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// The server writes text where only messages belong. Said once for each server.
    PrintedText {
        /// Which server.
        server: String,
        /// The beginning of the first such line.
        text: String,
    },
    /// A line of the server's error output; only with `debug` in its entry.
    ErrorOutput {
        /// Which server.
        server: String,
        /// The beginning of the line.
        text: String,
    },
}

/// One sentence; what the server wrote is escaped.
impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PrintedText { server, text } => write!(
                f,
                "server {server:?} printed text that is not a message on standard output: {text:?}"
            ),
            Self::ErrorOutput { server, text } => write!(f, "server {server:?} says {text:?}"),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            implementation: Implementation::new("mcp", env!("CARGO_PKG_VERSION")),
            connect: Duration::from_secs(30),
            request: Duration::from_secs(60),
            grace: Duration::from_secs(2),
            remarks: None,
        }
    }
}

impl Settings {
    /// How this program introduces itself to servers, `mcp` with its version by default.
    pub fn implementation(mut self, implementation: Implementation) -> Self {
        self.implementation = implementation;
        self
    }

    /// How long the beginning of a connection may take, 30 s by default.
    pub fn connect(mut self, limit: Duration) -> Self {
        self.connect = limit;
        self
    }

    /// How long a request may go without an answer or progress, 60 s by default;
    /// `requestTimeoutMs` of a server goes before it.
    pub fn request(mut self, limit: Duration) -> Self {
        self.request = limit;
        self
    }

    /// How long a child process may take to end after its input is closed, and again after it
    /// was told to terminate; then it is killed. 2 s by default.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Called with each [`Remark`]; must not block.
    pub fn remarks(mut self, f: impl Fn(Remark) + Send + Sync + 'static) -> Self {
        self.remarks = Some(Arc::new(f));
        self
    }

    pub(crate) fn remark(&self, remark: Remark) {
        if let Some(remarks) = &self.remarks {
            remarks(remark);
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("implementation", &self.implementation)
            .field("connect", &self.connect)
            .field("request", &self.request)
            .field("grace", &self.grace)
            .finish_non_exhaustive()
    }
}
