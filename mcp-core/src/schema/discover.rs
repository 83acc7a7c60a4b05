//! `server/discover`: what a server is and offers.

use serde::{Deserialize, Serialize};

use super::{
    cache::{CacheScope, ttl},
    capabilities::ServerCapabilities,
};
use crate::{JsonObject, RequestMessage};

/// Parameters of `server/discover`: none of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discover {}

impl RequestMessage for Discover {
    const METHOD: &'static str = "server/discover";
    type Result = DiscoverResult;
}

/// What a server is and offers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiscoverResult {
    /// Stateless versions that the server serves. Kept as text: a newer server may name
    /// versions that this crate does not know.
    pub supported_versions: Vec<String>,
    /// What the server offers.
    pub capabilities: ServerCapabilities,
    /// How a model should use the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// How long the result may be reused, in milliseconds.
    #[serde(default, deserialize_with = "ttl")]
    pub ttl_ms: u64,
    /// Who may reuse it.
    #[serde(default)]
    pub cache_scope: CacheScope,
    /// Metadata; `io.modelcontextprotocol/serverInfo` says who answers.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<JsonObject>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl DiscoverResult {
    /// Who answered, if it said so.
    pub fn server_info(&self) -> Option<super::implementation::Implementation> {
        let info = self.meta.as_ref()?.get(crate::meta::SERVER_INFO)?;
        serde_json::from_value(info.clone()).ok()
    }
}
