//! What each side offers, including the extensions that it supports.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::JsonObject;

/// Extension id to the settings that the side announces for it.
pub type ExtensionSettings = BTreeMap<String, JsonObject>;

/// What a client offers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientCapabilities {
    /// Can name root folders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roots: Option<JsonObject>,
    /// Can sample a language model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<JsonObject>,
    /// Can ask the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elicitation: Option<JsonObject>,
    /// Extensions by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extensions: ExtensionSettings,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// What a server offers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerCapabilities {
    /// Has tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ListCapability>,
    /// Has resources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourcesCapability>,
    /// Has prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<ListCapability>,
    /// Completes arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completions: Option<JsonObject>,
    /// Sends log messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logging: Option<JsonObject>,
    /// Extensions by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extensions: ExtensionSettings,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A list that may announce changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListCapability {
    /// Sends a notification when the list changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
}

/// Resources that may announce changes of the list and of single ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourcesCapability {
    /// Sends a notification when the list changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
    /// Sends a notification when a resource that was asked for changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscribe: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_capabilities_survive() {
        let text = r#"{"tools":{"listChanged":true},"extensions":{"com.example/x":{"a":1}},"tasks":{"list":{}}}"#;
        let capabilities: ServerCapabilities = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&capabilities).unwrap(), text);
    }
}
