//! What the receiver of a request knows about it and its sender.

use std::sync::Arc;

use mcp_core::{
    JsonObject, ProtocolVersion,
    schema::{capabilities::ClientCapabilities, implementation::Implementation, logging::LogLevel},
};

/// Facts that travel with one request. Nothing is remembered from earlier ones (V26-BASE-027).
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The version that the request came in, for information: handlers need not look.
    pub version: ProtocolVersion,
    /// Who asks.
    pub peer: Arc<Peer>,
    /// The least severe log messages that the sender wants; none wants none (V26-LOG-004).
    pub log_level: Option<LogLevel>,
    /// `_meta` entries that do not belong to the link: trace context, keys of extensions. They are
    /// passed on as they are.
    pub meta: JsonObject,
}

/// The sender as it describes itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Peer {
    /// Name and version, for people (V26-META-015).
    pub implementation: Option<Implementation>,
    /// What it offers for this request.
    pub capabilities: ClientCapabilities,
}

impl Default for Context {
    fn default() -> Self {
        Self {
            version: ProtocolVersion::LATEST,
            peer: Arc::default(),
            log_level: None,
            meta: JsonObject::new(),
        }
    }
}
