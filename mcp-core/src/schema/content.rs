//! Content blocks of tool results and prompts, and the contents of resources.

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, Error},
};
use serde_json::Value;

use super::{annotations::Annotations, literal::literal, resources::Resource};
use crate::JsonObject;

/// One piece of a tool's answer or of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ContentBlock {
    /// `type: "text"`.
    Text(TextContent),
    /// `type: "image"` or `"audio"`.
    Media(MediaContent),
    /// `type: "resource"`.
    Resource(EmbeddedResource),
    /// `type: "resource_link"`. From 2025-06-18 on.
    Link(ResourceLink),
    /// Any other type, kept as it came.
    Other(JsonObject),
}

/// Text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextContent {
    #[serde(rename = "type")]
    kind: TextType,
    /// The text.
    pub text: String,
    /// For whom it is, and how important.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// An image or a sound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MediaContent {
    /// `image` or `audio`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Standard base64 with padding.
    pub data: String,
    /// For example `image/png`.
    pub mime_type: String,
    /// For whom it is, and how important.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

literal! {
    TextType = "text";
    ResourceType = "resource";
    LinkType = "resource_link";
}

/// A resource that can be read, by its address. It need not be in any list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResourceLink {
    #[serde(rename = "type")]
    kind: LinkType,
    /// The resource.
    #[serde(flatten)]
    pub resource: Resource,
}

impl ResourceLink {
    /// A link to a resource.
    pub fn new(resource: Resource) -> Self {
        Self {
            kind: LinkType,
            resource,
        }
    }
}

/// A resource inside a tool's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmbeddedResource {
    #[serde(rename = "type")]
    kind: ResourceType,
    /// The resource with its contents.
    pub resource: ResourceContents,
    /// For whom it is, and how important.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl MediaContent {
    fn new(kind: &str, data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            data: data.into(),
            mime_type: mime_type.into(),
            annotations: None,
            extra: JsonObject::new(),
        }
    }
}

impl ContentBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent {
            kind: TextType,
            text: text.into(),
            annotations: None,
            extra: JsonObject::new(),
        })
    }

    /// An image: its bytes in base64, and its type.
    pub fn image(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Media(MediaContent::new("image", data, mime_type))
    }

    /// A sound: its bytes in base64, and its type. From 2025-03-26 on.
    pub fn audio(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Media(MediaContent::new("audio", data, mime_type))
    }

    /// A resource with its contents.
    pub fn resource(contents: ResourceContents) -> Self {
        Self::Resource(EmbeddedResource {
            kind: ResourceType,
            resource: contents,
            annotations: None,
            extra: JsonObject::new(),
        })
    }

    /// A link to a resource. From 2025-06-18 on.
    pub fn link(resource: Resource) -> Self {
        Self::Link(ResourceLink::new(resource))
    }

    /// The text, when it is a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(content) => Some(&content.text),
            _ => None,
        }
    }
}

/// Chosen by `type` alone: a block of a known type with the wrong members is an error, never
/// another type.
impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = JsonObject::deserialize(deserializer)?;
        match object.get("type").and_then(Value::as_str) {
            Some("text") => chosen(object).map(Self::Text),
            Some("image" | "audio") => chosen(object).map(Self::Media),
            Some("resource") => chosen(object).map(Self::Resource),
            Some("resource_link") => chosen(object).map(Self::Link),
            Some(_) => Ok(Self::Other(object)),
            None => Err(D::Error::missing_field("type")),
        }
    }
}

/// Decodes an object whose type was chosen by one of its members.
pub(super) fn chosen<T: DeserializeOwned, E: Error>(object: JsonObject) -> Result<T, E> {
    serde_json::from_value(Value::Object(object)).map_err(E::custom)
}

/// What a resource holds: text, or bytes in base64.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceContents {
    /// Which resource.
    pub uri: String,
    /// For example `text/plain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Text or bytes.
    #[serde(flatten)]
    pub body: ResourceBody,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// The two forms of a resource's contents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ResourceBody {
    /// Text.
    Text(String),
    /// Standard base64 with padding.
    Blob(String),
}

impl ResourceContents {
    /// A resource of bytes, in base64.
    pub fn blob(
        uri: impl Into<String>,
        mime_type: impl Into<String>,
        data: impl Into<String>,
    ) -> Self {
        Self {
            uri: uri.into(),
            mime_type: Some(mime_type.into()),
            body: ResourceBody::Blob(data.into()),
            extra: JsonObject::new(),
        }
    }

    /// A text resource.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            mime_type: Some("text/plain".into()),
            body: ResourceBody::Text(text.into()),
            extra: JsonObject::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str) {
        let block: ContentBlock = serde_json::from_str(text).unwrap();
        let again: Value = serde_json::to_value(&block).unwrap();
        assert_eq!(again, serde_json::from_str::<Value>(text).unwrap());
    }

    #[test]
    fn k03_every_block_survives_with_its_unknown_members() {
        check(r#"{"type":"text","text":"a","annotations":{"priority":0.5},"x":1}"#);
        check(r#"{"type":"image","data":"AA==","mimeType":"image/png"}"#);
        check(r#"{"type":"resource","resource":{"uri":"a:b","text":"t","_meta":{"k":1}}}"#);
        check(r#"{"type":"resource_link","uri":"a:b","name":"n","size":3,"x":1}"#);
        check(r#"{"type":"hologram","beam":[1]}"#);
    }

    #[test]
    fn k01_a_known_type_with_wrong_members_is_an_error() {
        for text in [
            r#"{"type":"text"}"#,
            r#"{"type":"image","data":1}"#,
            r#"{"type":"resource_link","name":"n"}"#,
            r#"{"type":"resource","resource":{"uri":"a:b"}}"#,
            r#"{"text":"a"}"#,
        ] {
            assert!(
                serde_json::from_str::<ContentBlock>(text).is_err(),
                "{text}"
            );
        }
    }
}
