//! `initialize`: the handshake of the versions up to 2025-11-25.

use serde::{Deserialize, Serialize};

use super::{
    capabilities::{ClientCapabilities, ServerCapabilities},
    implementation::Implementation,
};
use crate::{JsonObject, NotificationMessage, RequestMessage};

/// Sent after a successful handshake.
pub const INITIALIZED: &str = "notifications/initialized";

/// Parameters of `initialize`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Initialize {
    /// The version that the client wants. Kept as text: the server answers with another one when
    /// it does not know it.
    pub protocol_version: String,
    /// What the client offers.
    pub capabilities: ClientCapabilities,
    /// Who the client is.
    pub client_info: Implementation,
}

impl RequestMessage for Initialize {
    const METHOD: &'static str = "initialize";
    type Result = InitializeResult;
}

/// Result of `initialize`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// The version that both will speak.
    pub protocol_version: String,
    /// What the server offers.
    pub capabilities: ServerCapabilities,
    /// Who the server is.
    pub server_info: Implementation,
    /// How a model should use the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Parameters of [`INITIALIZED`]: none of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Initialized {
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl NotificationMessage for Initialized {
    const METHOD: &'static str = INITIALIZED;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::{refused, survives};

    #[test]
    fn both_sides_of_the_handshake_survive() {
        survives::<Initialize>(
            r#"{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"a","version":"1"}}"#,
        );
        survives::<InitializeResult>(
            r#"{"protocolVersion":"2025-11-25","capabilities":{"logging":{}},"serverInfo":{"name":"a","version":"1"},"instructions":"i","_meta":{}}"#,
        );
        refused::<Initialize>(&[r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#]);
        survives::<Initialized>("{}");
    }
}
