//! Resources: listing, templates, reading.

use serde::{Deserialize, Serialize};

use super::{
    cache::{CacheScope, ttl},
    content::ResourceContents,
    pagination::{Cursor, Page},
};
use crate::{JsonObject, RequestMessage};

/// The list of resources has changed.
pub const LIST_CHANGED: &str = "notifications/resources/list_changed";
/// A resource has changed.
pub const UPDATED: &str = "notifications/resources/updated";

/// Something that can be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// Identifies it.
    pub uri: String,
    /// For programs.
    pub name: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// For models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// For example `text/plain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Icons, annotations, size, `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl Resource {
    /// A resource with a URI and a name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            extra: JsonObject::new(),
        }
    }

    /// Says what it is.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// Says what type it has.
    #[must_use]
    pub fn mime_type(mut self, text: impl Into<String>) -> Self {
        self.mime_type = Some(text.into());
        self
    }
}

/// A family of resources, named by an RFC 6570 template.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceTemplate {
    /// The template.
    pub uri_template: String,
    /// For programs.
    pub name: String,
    /// Title, description, icons and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Parameters of `resources/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ListResources(pub Page);

impl RequestMessage for ListResources {
    const METHOD: &'static str = "resources/list";
    type Result = ListResourcesResult;
}

/// A page of resources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListResourcesResult {
    /// The resources.
    pub resources: Vec<Resource>,
    /// Where the next page begins; none on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
    /// How long the result may be reused, in milliseconds.
    #[serde(default, deserialize_with = "ttl")]
    pub ttl_ms: u64,
    /// Who may reuse it.
    #[serde(default)]
    pub cache_scope: CacheScope,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Parameters of `resources/templates/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ListResourceTemplates(pub Page);

impl RequestMessage for ListResourceTemplates {
    const METHOD: &'static str = "resources/templates/list";
    type Result = ListResourceTemplatesResult;
}

/// A page of resource templates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListResourceTemplatesResult {
    /// The templates.
    pub resource_templates: Vec<ResourceTemplate>,
    /// Where the next page begins; none on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
    /// How long the result may be reused, in milliseconds.
    #[serde(default, deserialize_with = "ttl")]
    pub ttl_ms: u64,
    /// Who may reuse it.
    #[serde(default)]
    pub cache_scope: CacheScope,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Parameters of `resources/read`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadResource {
    /// Which resource.
    pub uri: String,
    /// Answers and state of an earlier round, and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl RequestMessage for ReadResource {
    const METHOD: &'static str = "resources/read";
    type Result = ReadResourceResult;
}

/// What a resource holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadResourceResult {
    /// One entry for each part; never empty for a resource that exists (V26-RES-011).
    pub contents: Vec<ResourceContents>,
    /// How long the result may be reused, in milliseconds.
    #[serde(default, deserialize_with = "ttl")]
    pub ttl_ms: u64,
    /// Who may reuse it.
    #[serde(default)]
    pub cache_scope: CacheScope,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}
