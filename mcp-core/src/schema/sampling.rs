//! Sampling: a server asks for a language model (deprecated by the specification).

use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::Value;

use super::{
    annotations::Role,
    content::{ContentBlock, MediaContent, TextContent, chosen},
    literal::literal,
    tasks::TaskMetadata,
    tools::Tool,
};
use crate::{JsonObject, RequestMessage, json::present};

/// Parameters of `sampling/createMessage`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessage {
    /// The conversation so far.
    pub messages: Vec<SamplingMessage>,
    /// At most this many tokens.
    pub max_tokens: u64,
    /// Which model the server would like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_preferences: Option<ModelPreferences>,
    /// What the model should know first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// How much of the client's own context to add.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_context: Option<IncludeContext>,
    /// How free the model is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Texts that end the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop_sequences: Vec<String>,
    /// For the provider of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<JsonObject>,
    /// Tools that the model may use. From 2025-11-25 on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// How it may use them. From 2025-11-25 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// Asks for a task instead of an answer. Only in 2025-11-25.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskMetadata>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl CreateMessage {
    /// Asks for an answer to these messages.
    ///
    /// ```
    /// use mcp_core::schema::sampling::{CreateMessage, SamplingMessage};
    ///
    /// let question = SamplingMessage::user("What is the capital of France?");
    /// let request = CreateMessage::new([question], 100);
    /// assert_eq!(request.max_tokens, 100);
    /// ```
    pub fn new(messages: impl IntoIterator<Item = SamplingMessage>, max_tokens: u64) -> Self {
        Self {
            messages: messages.into_iter().collect(),
            max_tokens,
            model_preferences: None,
            system_prompt: None,
            include_context: None,
            temperature: None,
            stop_sequences: Vec::new(),
            metadata: None,
            tools: Vec::new(),
            tool_choice: None,
            task: None,
            extra: JsonObject::new(),
        }
    }
}

impl RequestMessage for CreateMessage {
    const METHOD: &'static str = "sampling/createMessage";
    type Result = CreateMessageResult;
}

/// What the model answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessageResult {
    /// Who speaks: the model.
    pub role: Role,
    /// What it says.
    pub content: SamplingBlocks,
    /// Which model it was.
    pub model: String,
    /// Why it stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or another word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl CreateMessageResult {
    /// A text that ends the model's turn.
    pub fn text(model: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            role: Role::Assistant,
            content: SamplingBlocks::text(text),
            model: model.into(),
            stop_reason: Some("endTurn".into()),
            extra: JsonObject::new(),
        }
    }
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SamplingMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: SamplingBlocks,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl SamplingMessage {
    /// A message.
    pub fn new(role: Role, content: SamplingBlocks) -> Self {
        Self {
            role,
            content,
            extra: JsonObject::new(),
        }
    }

    /// A text that the person says.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, SamplingBlocks::text(text))
    }

    /// A text that the model says.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, SamplingBlocks::text(text))
    }
}

/// One block, or from 2025-11-25 on a list of them. Which of the two it was is kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SamplingBlocks {
    /// A block that stands alone.
    One(Box<SamplingBlock>),
    /// A list of blocks.
    Many(Vec<SamplingBlock>),
}

impl SamplingBlocks {
    /// One text.
    pub fn text(text: impl Into<String>) -> Self {
        let ContentBlock::Text(text) = ContentBlock::text(text) else {
            unreachable!("a text block is a text block");
        };
        Self::One(Box::new(SamplingBlock::Text(text)))
    }

    /// The blocks, however they came.
    pub fn as_slice(&self) -> &[SamplingBlock] {
        match self {
            Self::One(block) => std::slice::from_ref(block),
            Self::Many(blocks) => blocks,
        }
    }
}

impl<'de> Deserialize<'de> for SamplingBlocks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if value.is_array() {
            serde_json::from_value(value).map(Self::Many)
        } else {
            serde_json::from_value(value).map(|block| Self::One(Box::new(block)))
        }
        .map_err(D::Error::custom)
    }
}

/// A piece of a conversation with a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum SamplingBlock {
    /// `type: "text"`.
    Text(TextContent),
    /// `type: "image"` or `"audio"`.
    Media(MediaContent),
    /// `type: "tool_use"`. From 2025-11-25 on.
    ToolUse(ToolUseContent),
    /// `type: "tool_result"`. From 2025-11-25 on.
    ToolResult(ToolResultContent),
    /// Any other type, kept as it came.
    Other(JsonObject),
}

/// Chosen by `type` alone, as content blocks are.
impl<'de> Deserialize<'de> for SamplingBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = JsonObject::deserialize(deserializer)?;
        match object.get("type").and_then(Value::as_str) {
            Some("text") => chosen(object).map(Self::Text),
            Some("image" | "audio") => chosen(object).map(Self::Media),
            Some("tool_use") => chosen(object).map(Self::ToolUse),
            Some("tool_result") => chosen(object).map(Self::ToolResult),
            Some(_) => Ok(Self::Other(object)),
            None => Err(D::Error::missing_field("type")),
        }
    }
}

literal! {
    ToolUse = "tool_use";
    ToolResult = "tool_result";
}

/// The model wants a tool to be called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolUseContent {
    #[serde(rename = "type")]
    pub(crate) kind: ToolUse,
    /// Ties the result to it.
    pub id: String,
    /// Which tool.
    pub name: String,
    /// The arguments.
    pub input: JsonObject,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl ToolUseContent {
    /// The call of a tool.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: JsonObject) -> Self {
        Self {
            kind: ToolUse,
            id: id.into(),
            name: name.into(),
            input,
            extra: JsonObject::new(),
        }
    }
}

/// What the tool answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolResultContent {
    #[serde(rename = "type")]
    pub(crate) kind: ToolResult,
    /// Which call this answers.
    pub tool_use_id: String,
    /// For the model.
    pub content: Vec<ContentBlock>,
    /// For programs; an object in 2025-11-25, any value later. A present null differs from
    /// nothing.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    pub structured_content: Option<Value>,
    /// The tool ran and failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl ToolResultContent {
    /// The answer to a call.
    pub fn new(
        tool_use_id: impl Into<String>,
        content: impl IntoIterator<Item = ContentBlock>,
    ) -> Self {
        Self {
            kind: ToolResult,
            tool_use_id: tool_use_id.into(),
            content: content.into_iter().collect(),
            structured_content: None,
            is_error: None,
            extra: JsonObject::new(),
        }
    }
}

/// Which model a server would like; the client decides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelPreferences {
    /// Names, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<ModelHint>,
    /// How much a low price matters, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_priority: Option<f64>,
    /// How much speed matters, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed_priority: Option<f64>,
    /// How much ability matters, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intelligence_priority: Option<f64>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A model that would do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelHint {
    /// Part of its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// How much of the client's own context to add.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum IncludeContext {
    /// Nothing.
    None,
    /// What belongs to this server. Deprecated from 2025-11-25 on.
    ThisServer,
    /// What belongs to any server. Deprecated from 2025-11-25 on.
    AllServers,
}

/// How the model may use tools.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolChoice {
    /// Nothing means [`ToolMode::Auto`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ToolMode>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// How the model may use tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolMode {
    /// As it likes.
    #[default]
    Auto,
    /// It must use one.
    Required,
    /// It must not.
    None,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::{refused, survives};

    #[test]
    fn a_conversation_survives() {
        survives::<CreateMessage>(
            r#"{"messages":[{"role":"user","content":{"type":"text","text":"What is the capital of France?"}}],"modelPreferences":{"hints":[{"name":"claude-3-sonnet"}],"intelligencePriority":0.8,"speedPriority":0.5},"systemPrompt":"You are a helpful assistant.","maxTokens":100}"#,
        );
        survives::<CreateMessage>(
            r#"{"messages":[],"maxTokens":1,"includeContext":"thisServer","tools":[{"name":"t","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"required"},"task":{"ttl":5},"metadata":{"a":null},"stopSequences":["\n"],"temperature":0.5}"#,
        );
        survives::<CreateMessageResult>(
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"call_abc123","name":"get_weather","input":{"city":"Paris"}}],"model":"m","stopReason":"toolUse"}"#,
        );
    }

    #[test]
    fn one_block_and_a_list_of_one_stay_different() {
        let one = survives::<SamplingMessage>(
            r#"{"role":"user","content":{"type":"tool_result","toolUseId":"c","content":[{"type":"text","text":"18"}],"structuredContent":null,"isError":false}}"#,
        );
        let many = survives::<SamplingMessage>(
            r#"{"role":"user","content":[{"type":"image","data":"AA==","mimeType":"image/png"}]}"#,
        );
        assert_eq!(
            (one.content.as_slice().len(), many.content.as_slice().len()),
            (1, 1)
        );
        survives::<SamplingMessage>(r#"{"role":"user","content":{"type":"hologram","beam":1}}"#);
    }

    #[test]
    fn required_members_are_required() {
        refused::<CreateMessage>(&[r#"{"messages":[]}"#, r#"{"maxTokens":1}"#]);
        refused::<SamplingBlock>(&[
            r#"{"type":"tool_use","id":"a","name":"b"}"#,
            r#"{"type":"tool_result","toolUseId":"a"}"#,
            r#"{"text":"a"}"#,
        ]);
        refused::<CreateMessageResult>(&[r#"{"role":"assistant","model":"m"}"#]);
    }
}
