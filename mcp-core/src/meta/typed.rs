//! `_meta` as typed views: what requests, notifications and results say about themselves.

use serde::{Deserialize, Serialize};

use super::trace::TraceContext;
use crate::{
    JsonObject, ProgressToken, RequestId,
    schema::{capabilities::ClientCapabilities, implementation::Implementation, logging::LogLevel},
};

/// Metadata of a request from 2026-07-28 on.
///
/// ```
/// use mcp_core::{ProtocolVersion, meta::RequestMeta, schema::capabilities::ClientCapabilities};
///
/// let meta = RequestMeta::new(ProtocolVersion::LATEST, ClientCapabilities::default());
/// let text = serde_json::to_string(&meta)?;
/// assert!(text.starts_with(r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28""#));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RequestMeta {
    /// The version that the request speaks; any text decodes.
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    pub protocol_version: String,
    /// What the client offers for this request (V26-META-011).
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    pub client_capabilities: ClientCapabilities,
    /// Who sends it, if it says so (note N5).
    #[serde(
        rename = "io.modelcontextprotocol/clientInfo",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub client_info: Option<Implementation>,
    /// Least severe log messages that the request wants.
    #[serde(
        rename = "io.modelcontextprotocol/logLevel",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub log_level: Option<LogLevel>,
    /// Asks for progress. Belongs to one hop.
    #[serde(
        rename = "progressToken",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub progress_token: Option<ProgressToken>,
    /// Everything else, trace context included.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl RequestMeta {
    /// What every request has to say.
    pub fn new(version: crate::ProtocolVersion, capabilities: ClientCapabilities) -> Self {
        Self {
            protocol_version: version.to_string(),
            client_capabilities: capabilities,
            client_info: None,
            log_level: None,
            progress_token: None,
            extra: JsonObject::new(),
        }
    }

    /// The trace that the request belongs to; members that are not well-formed are left out.
    pub fn trace(&self) -> TraceContext {
        TraceContext::of(&self.extra)
    }
}

/// Metadata of a notification from 2026-07-28 on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NotificationMeta {
    /// The stream that it belongs to. Belongs to one hop.
    #[serde(
        rename = "io.modelcontextprotocol/subscriptionId",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub subscription_id: Option<RequestId>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Metadata of a result from 2026-07-28 on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResultMeta {
    /// Who answered, if it says so.
    #[serde(
        rename = "io.modelcontextprotocol/serverInfo",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub server_info: Option<Implementation>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Metadata of the result that ends a subscription.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListenResultMeta {
    /// The stream that has ended. Belongs to one hop.
    #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
    pub subscription_id: RequestId,
    /// What every result may say.
    #[serde(flatten)]
    pub result: ResultMeta,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::{refused, survives};

    #[test]
    fn v26_meta_001_typed_views_keep_every_other_key() {
        survives::<RequestMeta>(
            r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"ExampleClient","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"info","progressToken":7,"io.modelcontextprotocol/new":[1],"traceparent":"broken"}"#,
        );
        survives::<NotificationMeta>(
            r#"{"io.modelcontextprotocol/subscriptionId":"listen-1","a":1}"#,
        );
        survives::<ResultMeta>(
            r#"{"io.modelcontextprotocol/serverInfo":{"name":"a","version":"1"},"b":null}"#,
        );
        survives::<ListenResultMeta>(r#"{"io.modelcontextprotocol/subscriptionId":3,"b":null}"#);
    }

    #[test]
    fn v26_meta_007_008_version_and_capabilities_are_required() {
        refused::<RequestMeta>(&[
            "{}",
            r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#,
            r#"{"io.modelcontextprotocol/clientCapabilities":{}}"#,
        ]);
        refused::<ListenResultMeta>(&["{}"]);
    }
}
