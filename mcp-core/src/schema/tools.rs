//! Tools: listing and calling.

use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::Value;

use super::{
    cache::{CacheScope, ttl},
    content::ContentBlock,
    icons::Icon,
    pagination::{Cursor, Page},
};
use crate::{Json, JsonObject, RequestMessage, json::present};

/// The list of tools has changed.
pub const LIST_CHANGED: &str = "notifications/tools/list_changed";

/// Something that a model can call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// For programs: 1 to 128 of `A-Z a-z 0-9 _ - .` (V26-TOOL-014, -016).
    pub name: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// For models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the arguments, an object schema.
    pub input_schema: JsonObject,
    /// JSON Schema of the structured result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<JsonObject>,
    /// What calling it does, as the server claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
    /// Pictures of it. From 2025-11-25 on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// How it is run. Only in 2025-11-25.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<ToolExecution>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl Tool {
    /// A tool with a name, a description for models and the schema of its arguments.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        input_schema: JsonObject,
    ) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: Some(description.into()),
            input_schema,
            output_schema: None,
            annotations: None,
            icons: Vec::new(),
            execution: None,
            extra: JsonObject::new(),
        }
    }

    /// What to show to people: title, title among the annotations, name.
    pub fn display_name(&self) -> &str {
        let annotated = || self.annotations.as_ref()?.title.as_deref();
        self.title
            .as_deref()
            .or_else(annotated)
            .unwrap_or(&self.name)
    }
}

/// Whether a text is a well-formed tool name. Peers' names are not held to it.
pub fn is_tool_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

/// Claims about what calling a tool does. Not to be trusted unless the server is
/// (V26-TOOL-013).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolAnnotations {
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// May destroy something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Calling it twice is like calling it once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// Reaches out to the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// How a tool is run, in 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolExecution {
    /// Nothing means [`TaskSupport::Forbidden`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_support: Option<TaskSupport>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Whether a tool is called as a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskSupport {
    /// Never.
    #[default]
    Forbidden,
    /// As the caller likes.
    Optional,
    /// Always.
    Required,
}

/// Parameters of `tools/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ListTools(pub Page);

impl RequestMessage for ListTools {
    const METHOD: &'static str = "tools/list";
    type Result = ListToolsResult;
}

/// A page of tools.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListToolsResult {
    /// The tools.
    pub tools: Vec<Tool>,
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

/// Parameters of `tools/call`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallTool {
    /// Which tool.
    pub name: String,
    /// An object; kept as text until the tool decodes it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "object"
    )]
    pub arguments: Option<Json>,
}

/// Arguments that are no object make the call malformed, whatever the tool is (note N8).
fn object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    match Option::<Json>::deserialize(deserializer)? {
        Some(json) if !json.is_object() => Err(D::Error::custom("arguments are an object")),
        arguments => Ok(arguments),
    }
}

impl CallTool {
    /// A call with arguments.
    ///
    /// # Errors
    /// The arguments refuse to be written as JSON.
    pub fn new(
        name: impl Into<String>,
        arguments: &(impl Serialize + ?Sized),
    ) -> Result<Self, serde_json::Error> {
        Ok(Self {
            name: name.into(),
            arguments: Some(Json::from_value(arguments)?),
        })
    }
}

impl RequestMessage for CallTool {
    const METHOD: &'static str = "tools/call";
    type Result = CallToolResult;
}

/// What a tool answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallToolResult {
    /// For models and people.
    pub content: Vec<ContentBlock>,
    /// For programs. A present null differs from nothing (note N17).
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    pub structured_content: Option<Value>,
    /// The tool ran and failed; the content says why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl CallToolResult {
    /// An answer of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: vec![ContentBlock::text(text)],
            ..Self::default()
        }
    }

    /// A failure that the model should see and may correct (V26-TOOL-029).
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            is_error: true,
            ..Self::text(text)
        }
    }

    /// A structured answer, with its JSON text as content for clients that only read text
    /// (V26-TOOL-025).
    ///
    /// # Errors
    /// The value refuses to be written as JSON.
    pub fn structured(value: &impl Serialize) -> Result<Self, serde_json::Error> {
        let value = serde_json::to_value(value)?;
        Ok(Self {
            structured_content: Some(value.clone()),
            ..Self::text(value.to_string())
        })
    }

    /// All text blocks, one after the other.
    pub fn joined_text(&self) -> String {
        let texts: Vec<_> = self
            .content
            .iter()
            .filter_map(ContentBlock::as_text)
            .collect();
        texts.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::{refused, survives};

    #[test]
    fn a_tool_survives() {
        survives::<Tool>(
            r##"{"name":"get_weather","title":"Weather","description":"d","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","oneOf":[{"$anchor":"a"}]},"outputSchema":{"type":"array"},"annotations":{"readOnlyHint":true,"x":1},"icons":[{"src":"https://a.b/c","theme":"light"}],"execution":{"taskSupport":"optional"},"_meta":{"k":null}}"##,
        );
        refused::<Tool>(&[
            r#"{"name":"a"}"#,
            r#"{"inputSchema":{"type":"object"}}"#,
            r#"{"name":"a","inputSchema":null}"#,
            r#"{"name":"a","inputSchema":{"type":"object"},"icons":[{}]}"#,
        ]);
    }

    #[test]
    fn v26_tool_014_016_names() {
        assert!(is_tool_name("get_weather-2.0") && is_tool_name(&"x".repeat(128)));
        assert!(
            ["", "a b", "a,b", "ä"]
                .iter()
                .all(|name| !is_tool_name(name))
        );
        assert!(!is_tool_name(&"x".repeat(129)));
    }

    #[test]
    fn n8_arguments_are_an_object() {
        survives::<CallTool>(r#"{"name":"a","arguments":{"b":[1]}}"#);
        survives::<CallTool>(r#"{"name":"a"}"#);
        refused::<CallTool>(&[
            "{}",
            r#"{"name":"a","arguments":[]}"#,
            r#"{"name":"a","arguments":"{}"}"#,
        ]);
    }

    #[test]
    fn n17_null_and_absent_structured_content_differ() {
        for text in [
            r#"{"content":[],"structuredContent":null}"#,
            r#"{"content":[]}"#,
        ] {
            let result: CallToolResult = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&result).unwrap(), text);
        }
    }

    #[test]
    fn v26_cache_007_008_a_missing_or_negative_ttl_is_stale_at_once() {
        for text in [r#"{"tools":[]}"#, r#"{"tools":[],"ttlMs":-5}"#] {
            let list: ListToolsResult = serde_json::from_str(text).unwrap();
            assert_eq!((list.ttl_ms, list.cache_scope), (0, CacheScope::Private));
        }
    }
}
