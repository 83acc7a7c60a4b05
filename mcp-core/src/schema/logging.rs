//! Log messages about a request (V26-LOG; deprecated by the specification).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{JsonObject, NotificationMessage, RequestMessage};

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

impl NotificationMessage for LogMessage {
    const METHOD: &'static str = MESSAGE;
}

/// Parameters of `logging/setLevel`: from now on, send messages this severe. Up to 2025-11-25;
/// later every request says so itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SetLevel {
    /// The least severe messages that are wanted.
    pub level: LogLevel,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl SetLevel {
    /// Asks for messages of this level and above.
    pub fn new(level: LogLevel) -> Self {
        Self {
            level,
            extra: JsonObject::new(),
        }
    }
}

impl RequestMessage for SetLevel {
    const METHOD: &'static str = "logging/setLevel";
    type Result = JsonObject;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::{refused, survives};

    #[test]
    fn log_messages_survive() {
        survives::<LogMessage>(
            r#"{"level":"error","logger":"database","data":{"error":"Connection failed","details":{"port":5432}}}"#,
        );
        survives::<LogMessage>(r#"{"level":"debug","data":null}"#);
        survives::<SetLevel>(r#"{"level":"emergency"}"#);
        refused::<LogMessage>(&[r#"{"level":"error"}"#, r#"{"level":"fatal","data":1}"#]);
        assert!(LogLevel::Debug < LogLevel::Emergency);
    }
}
