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
    pub roots: Option<RootsCapability>,
    /// Can sample a language model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingCapability>,
    /// Can ask the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elicitation: Option<ElicitationCapability>,
    /// Extensions by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extensions: ExtensionSettings,
    /// What is not part of the protocol, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub experimental: BTreeMap<String, JsonObject>,
    /// Runs requests as tasks. Only in 2025-11-25.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<ClientTasks>,
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
    /// What is not part of the protocol, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub experimental: BTreeMap<String, JsonObject>,
    /// Runs requests as tasks. Only in 2025-11-25.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<ServerTasks>,
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

impl ClientCapabilities {
    /// Whether the client can be asked with a form.
    pub fn elicits_forms(&self) -> bool {
        let forms = ElicitationCapability::forms;
        self.elicitation.as_ref().is_some_and(forms)
    }

    /// Whether the client can send the user to a page.
    pub fn elicits_urls(&self) -> bool {
        let elicitation = self.elicitation.as_ref();
        elicitation.is_some_and(|modes| modes.url.is_some())
    }
}

/// Can name root folders.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RootsCapability {
    /// Sends a notification when they change. Up to 2025-11-25.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Can sample a language model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SamplingCapability {
    /// Can add context of its own (deprecated). From 2025-11-25 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<JsonObject>,
    /// Lets the model use tools. From 2025-11-25 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<JsonObject>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Can ask the user. No mode at all means forms (V26-ELIC-008).
///
/// ```
/// use mcp_core::schema::capabilities::ClientCapabilities;
///
/// let old: ClientCapabilities = serde_json::from_str(r#"{"elicitation":{}}"#)?;
/// assert!(old.elicits_forms() && !old.elicits_urls());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitationCapability {
    /// With forms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<JsonObject>,
    /// With pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<JsonObject>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl ElicitationCapability {
    fn forms(&self) -> bool {
        self.form.is_some() || self.url.is_none()
    }
}

/// The requests that a client runs as tasks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ClientTasks {
    /// Can list them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<JsonObject>,
    /// Can cancel them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel: Option<JsonObject>,
    /// By area and method, such as `sampling` and `createMessage`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<TaskRequests>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// The requests that a server runs as tasks: the same words as a client's.
pub type ServerTasks = ClientTasks;

/// Area, such as `tools`, to the methods in it, such as `call`, to their settings.
pub type TaskRequests = BTreeMap<String, BTreeMap<String, JsonObject>>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::{refused, survives};

    #[test]
    fn capabilities_of_clients_survive() {
        survives::<ClientCapabilities>(
            r#"{"roots":{"listChanged":true},"sampling":{"context":{},"tools":{},"x":1},"elicitation":{"form":{},"url":{}},"experimental":{"a":{"b":1.5}},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["a/b"]}},"tasks":{"list":{},"requests":{"sampling":{"createMessage":{}}}}}"#,
        );
        refused::<ClientCapabilities>(&[r#"{"sampling":true}"#, r#"{"extensions":{"a":1}}"#]);
    }

    #[test]
    fn v26_elic_008_no_mode_means_forms() {
        let forms = |text: &str| {
            serde_json::from_str::<ClientCapabilities>(text)
                .unwrap()
                .elicits_forms()
        };
        assert!(forms(r#"{"elicitation":{}}"#) && forms(r#"{"elicitation":{"form":{}}}"#));
        assert!(!forms(r#"{"elicitation":{"url":{}}}"#) && !forms("{}"));
    }

    #[test]
    fn unknown_capabilities_survive() {
        let text = r#"{"tools":{"listChanged":true},"extensions":{"com.example/x":{"a":1}},"tasks":{"list":{}}}"#;
        let capabilities: ServerCapabilities = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&capabilities).unwrap(), text);
    }
}
