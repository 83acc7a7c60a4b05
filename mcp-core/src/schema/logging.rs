//! Log messages about a request (V26-LOG; deprecated by the specification).

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Carries a [`LogMessage`].
pub const MESSAGE: &str = "notifications/message";

/// How serious a log message is, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(
    missing_docs,
    reason = "the names of syslog severities say all there is to say"
)]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

/// A log message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogMessage {
    /// How serious it is.
    pub level: LogLevel,
    /// Which part of the server speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logger: Option<String>,
    /// What it says: text or any other JSON.
    pub data: Value,
}
