//! Resources: listing, templates, reading.

use serde::{Deserialize, Serialize};

use super::{
    annotations::Annotations,
    cache::{CacheScope, ttl},
    content::ResourceContents,
    icons::Icon,
    pagination::{Cursor, Page},
};
use crate::{JsonObject, NotificationMessage, RequestMessage};

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
    /// How many bytes it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// For whom it is, and how important.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Pictures of it. From 2025-11-25 on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// `_meta` and whatever else came with it.
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
            size: None,
            annotations: None,
            icons: Vec::new(),
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
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// For models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The type that all of them have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// For whom they are, and how important.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Pictures of them. From 2025-11-25 on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl ResourceTemplate {
    /// A template with a name.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            annotations: None,
            icons: Vec::new(),
            extra: JsonObject::new(),
        }
    }
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

macro_rules! about_a_resource {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
        pub struct $name {
            /// Which resource.
            pub uri: String,
            /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
        }

        impl $name {
            /// About the resource at this URI.
            pub fn new(uri: impl Into<String>) -> Self {
                Self { uri: uri.into(), extra: JsonObject::new() }
            }
        }
    )+};
}

about_a_resource! {
    /// Parameters of `resources/subscribe`: tell me when it changes. Up to 2025-11-25.
    Subscribe;
    /// Parameters of `resources/unsubscribe`. Up to 2025-11-25.
    Unsubscribe;
    /// Parameters of [`UPDATED`].
    ResourceUpdated;
}

impl RequestMessage for Subscribe {
    const METHOD: &'static str = "resources/subscribe";
    type Result = JsonObject;
}

impl RequestMessage for Unsubscribe {
    const METHOD: &'static str = "resources/unsubscribe";
    type Result = JsonObject;
}

impl NotificationMessage for ResourceUpdated {
    const METHOD: &'static str = UPDATED;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::{refused, survives};

    #[test]
    fn resources_and_templates_survive() {
        survives::<Resource>(
            r#"{"uri":"file:///a","name":"a","title":"A","description":"d","mimeType":"text/plain","size":12,"annotations":{"audience":["user"],"priority":0.5},"icons":[{"src":"https://a.b/c"}],"_meta":{}}"#,
        );
        survives::<ListResourceTemplatesResult>(
            r#"{"resourceTemplates":[{"uriTemplate":"file:///{path}","name":"f","title":"F","mimeType":"a/b","x":1}],"ttlMs":0,"cacheScope":"private"}"#,
        );
        survives::<ReadResourceResult>(
            r#"{"contents":[{"uri":"a:b","text":"t"},{"uri":"a:c","mimeType":"image/png","blob":"AA==","_meta":{}}],"ttlMs":5,"cacheScope":"public"}"#,
        );
        survives::<ResourceUpdated>(r#"{"uri":"file:///a","_meta":{"k":1}}"#);
    }

    #[test]
    fn required_members_are_required() {
        refused::<Resource>(&[r#"{"uri":"a:b"}"#, r#"{"name":"a"}"#]);
        refused::<ResourceTemplate>(&[r#"{"uriTemplate":"a:b"}"#, r#"{"name":"a"}"#]);
        refused::<ReadResourceResult>(&["{}", r#"{"contents":[{"uri":"a:b"}]}"#]);
        refused::<Subscribe>(&["{}"]);
    }
}
