//! `subscriptions/listen`: one long request whose notifications tell what changes.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{JsonObject, NotificationMessage, RequestMessage};

/// First notification of every subscription; its parameters are a [`Listen`] with the part of
/// the filter that the server honours (V26-SUB-002, -004).
pub const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// Which changes a client wants to hear about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionFilter {
    /// The list of tools.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tools_list_changed: bool,
    /// The list of prompts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prompts_list_changed: bool,
    /// The list of resources.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resources_list_changed: bool,
    /// Single resources by URI.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_subscriptions: Vec<String>,
    /// What extensions add (EXT-FW-017).
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl SubscriptionFilter {
    /// Every list of the core protocol.
    pub fn lists() -> Self {
        Self {
            tools_list_changed: true,
            prompts_list_changed: true,
            resources_list_changed: true,
            ..Self::default()
        }
    }

    /// Adds a field of an extension.
    #[must_use]
    pub fn with(mut self, field: impl Into<String>) -> Self {
        self.extra.insert(field.into(), Value::Bool(true));
        self
    }
}

/// Parameters of `subscriptions/listen`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Listen {
    /// What the client wants to hear about.
    pub notifications: SubscriptionFilter,
}

impl RequestMessage for Listen {
    const METHOD: &'static str = "subscriptions/listen";
    type Result = ListenResult;
}

/// Parameters of [`ACKNOWLEDGED`]: the part of the filter that the server honours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Acknowledged {
    /// What the server will tell.
    pub notifications: SubscriptionFilter,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl Acknowledged {
    /// The server will tell this.
    pub fn new(notifications: SubscriptionFilter) -> Self {
        Self {
            notifications,
            extra: JsonObject::new(),
        }
    }
}

impl NotificationMessage for Acknowledged {
    const METHOD: &'static str = ACKNOWLEDGED;
}

/// How a subscription ends when the server ends it in good order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ListenResult {
    /// Everything that came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ext_fw_017_filter_fields_of_extensions_survive() {
        let text = r#"{"notifications":{"toolsListChanged":true,"taskIds":["a"]}}"#;
        let listen: Listen = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&listen).unwrap(), text);
        crate::schema::check::survives::<Acknowledged>(text);
        crate::schema::check::refused::<Acknowledged>(&["{}"]);
    }
}
