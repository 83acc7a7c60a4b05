//! Why the program did not do what it was asked, and the exit code for it.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done; also a stream that was cancelled, and output that nobody reads |
//! | 1 | failed |
//! | 2 | wrong usage |
//! | 3 | the server wants authorization |
//! | 4 | bad configuration |

use std::{io, path::PathBuf, sync::Arc};

use mcp_adapter::{UseError, config::ConfigError};
use mcp_ext::CallError;
use serde_json::{Value, json};

/// One sentence and its meaning.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Use(#[from] UseError),
    /// A file was left out, and the server that was asked for may have been in it.
    #[error("{source}; a configuration file was left out")]
    UnknownServer { source: UseError },
    #[error("{}", with_cause(.0))]
    Configuration(Arc<ConfigError>),
    #[error("{}", no_configuration(.0))]
    NoConfiguration(Vec<PathBuf>),
    #[error("{0}")]
    Usage(String),
    #[error("server {server:?} has no tool {tool:?}{instead}")]
    UnknownTool {
        server: String,
        tool: String,
        instead: String,
    },
    #[error("tool {tool:?} of server {server:?} failed: {text}")]
    Tool {
        server: String,
        tool: String,
        text: String,
    },
    #[error("{failed} of {checked} servers cannot be used")]
    Unusable { failed: usize, checked: usize },
    /// They can be used, but other clients may not be so patient.
    #[error("{0} of the servers print text on standard output, where only messages belong")]
    Printing(usize),
    /// Configuration files that other servers could do without.
    #[error("{0} of the configuration files could not be read")]
    LeftOut(usize),
    #[error("cancelled")]
    Cancelled { asked_for: bool },
    /// Whoever read the output has had enough.
    #[error("nobody reads the output")]
    PipeClosed,
    #[error("could not write the output: {0}")]
    Output(io::Error),
    #[error("could not start: {0}")]
    Runtime(io::Error),
}

fn with_cause(error: &ConfigError) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

fn no_configuration(looked_at: &[PathBuf]) -> String {
    let files: Vec<_> = looked_at
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    format!(
        "no servers are configured; looked for {}; write one of them like this: {}",
        files.join(", "),
        r#"{"mcpServers": {"name": {"command": "program", "args": []}}}"#
    )
}

impl Failure {
    pub(crate) fn call(server: &str, error: CallError) -> Self {
        Self::Use(UseError::call(server, error))
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::PipeClosed | Self::Cancelled { asked_for: true } => 0,
            Self::Use(UseError::Unknown { .. }) | Self::Usage(_) => 2,
            Self::Use(error) if error.needs_authorization() => 3,
            Self::Use(UseError::Entry(_))
            | Self::UnknownServer { .. }
            | Self::Configuration(_)
            | Self::NoConfiguration(_)
            | Self::LeftOut(_) => 4,
            _ => 1,
        }
    }

    /// One word for programs.
    fn kind(&self) -> &'static str {
        match self {
            Self::Use(error) => kind_of_use(error),
            Self::UnknownServer { .. }
            | Self::Configuration(_)
            | Self::NoConfiguration(_)
            | Self::LeftOut(_) => "configuration",
            Self::Usage(_) => "usage",
            Self::UnknownTool { .. } => "unknown-tool",
            Self::Tool { .. } => "tool",
            Self::Unusable { .. } | Self::Printing(_) => "unusable",
            Self::Cancelled { .. } => "cancelled",
            Self::PipeClosed | Self::Output(_) | Self::Runtime(_) => "output",
        }
    }

    /// For programs; `code` is the one of the peer's error.
    pub(crate) fn to_json(&self) -> Value {
        let code = match self {
            Self::Use(UseError::Call {
                source: CallError::Peer(error),
                ..
            }) => Some(error.code),
            _ => None,
        };
        json!({ "error": { "message": self.to_string(), "kind": self.kind(), "code": code } })
    }
}

fn kind_of_use(error: &UseError) -> &'static str {
    if error.needs_authorization() {
        return "authorization";
    }
    match error {
        UseError::Unknown { .. } => "unknown-server",
        UseError::Disabled { .. } => "disabled",
        UseError::Entry(_) => "configuration",
        UseError::Connect { .. } => "connect",
        UseError::Call {
            source: CallError::Peer(_),
            ..
        } => "error-answer",
        UseError::Call {
            source: CallError::TimedOut,
            ..
        } => "timeout",
        UseError::Call {
            source: CallError::Closed(_),
            ..
        }
        | UseError::Closed { .. }
        | UseError::Retired { .. } => "closed",
        _ => "call",
    }
}
