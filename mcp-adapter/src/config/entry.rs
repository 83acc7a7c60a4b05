use std::{collections::BTreeMap, fmt, path::PathBuf, time::Duration};

use http::HeaderMap;
use url::Url;

/// A usable server definition: checked, references replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerEntry {
    /// How to reach the server.
    pub transport: Transport,
    /// `requestTimeoutMs`; `None` leaves it to the program.
    pub request_timeout: Option<Duration>,
    /// `protocolVersion`; `None` leaves it to the program.
    pub protocol: Option<ProtocolChoice>,
    /// `debug`: show what the server writes to its error output.
    pub debug: bool,
}

/// How to reach a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// `command`: a child process that speaks over its standard streams.
    Stdio(Process),
    /// `url`: Streamable HTTP.
    Http(Http),
    /// `socket`: a Unix socket that carries one message a line.
    Socket {
        /// Where the socket is.
        path: PathBuf,
    },
}

/// The process of a [`Transport::Stdio`] server.
#[derive(Clone, PartialEq, Eq)]
pub struct Process {
    /// The program, a path or a name to be found in `PATH`.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables to set on top of the inherited ones.
    pub env: BTreeMap<String, String>,
    /// Where to start it, relative to the present directory; that directory when `None`.
    pub cwd: Option<PathBuf>,
    /// `inheritEnv`: whether the process gets the whole environment. If not, only `HOME`,
    /// `LOGNAME`, `PATH`, `SHELL`, `TERM` and `USER` are passed on.
    pub inherit_env: bool,
}

/// The endpoint of a [`Transport::Http`] server.
#[derive(Clone, PartialEq, Eq)]
pub struct Http {
    /// The endpoint, `http` or `https`.
    pub url: Url,
    /// Headers for every request, their values marked as sensitive.
    pub headers: HeaderMap,
}

/// Which protocol versions to speak with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProtocolChoice {
    /// Agree on a version of 2025-11-25 or before when the connection is opened.
    Greet,
    /// Ask what the server speaks and take the newest.
    Detect,
    /// Speak 2026-07-28 and nothing else.
    Current,
}

impl ProtocolChoice {
    pub(super) const WORDS: &str = r#""legacy", "auto", "2026-07-28""#; // tidy: era

    pub(super) fn from_word(word: &str) -> Option<Self> {
        match word {
            "legacy" => Some(Self::Greet), // tidy: era
            "auto" => Some(Self::Detect),
            "2026-07-28" => Some(Self::Current),
            _ => None,
        }
    }
}

/// Tells what there is, not what it says.
impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process")
            .field("command", &self.command)
            .field("args", &format_args!("{} hidden", self.args.len()))
            .field("env", &self.env.keys())
            .field("cwd", &self.cwd)
            .field("inherit_env", &self.inherit_env)
            .finish()
    }
}

/// Shows the origin and the names of the headers: the rest may hold secrets.
impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http")
            .field("origin", &self.url.origin().ascii_serialization())
            .field("headers", &self.headers.keys())
            .finish()
    }
}
