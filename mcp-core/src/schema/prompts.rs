//! Prompts: listing and getting.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    annotations::Role,
    cache::{CacheScope, ttl},
    content::ContentBlock,
    icons::Icon,
    pagination::{Cursor, Page},
};
use crate::{JsonObject, RequestMessage};

/// The list of prompts has changed.
pub const LIST_CHANGED: &str = "notifications/prompts/list_changed";

/// A template of messages that a person can pick.
///
/// ```
/// use mcp_core::schema::prompts::{Prompt, PromptArgument};
///
/// let prompt = Prompt::new("code_review")
///     .description("Looks for mistakes.")
///     .argument(PromptArgument::required("code"));
/// assert_eq!(prompt.display_name(), "code_review");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Prompt {
    /// For programs.
    pub name: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What can be filled in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<PromptArgument>,
    /// Pictures of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl Prompt {
    /// A prompt without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            arguments: Vec::new(),
            icons: Vec::new(),
            extra: JsonObject::new(),
        }
    }

    /// Says what it is for.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// Adds an argument.
    #[must_use]
    pub fn argument(mut self, argument: PromptArgument) -> Self {
        self.arguments.push(argument);
        self
    }

    /// What to show to people: title, then name.
    pub fn display_name(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}

/// Something that can be filled into a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PromptArgument {
    /// For programs.
    pub name: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The prompt cannot be had without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl PromptArgument {
    /// An argument that may be left out.
    pub fn optional(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            required: None,
            extra: JsonObject::new(),
        }
    }

    /// An argument that has to be there.
    pub fn required(name: impl Into<String>) -> Self {
        Self {
            required: Some(true),
            ..Self::optional(name)
        }
    }

    /// Says what it means.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }
}

/// Parameters of `prompts/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ListPrompts(pub Page);

impl RequestMessage for ListPrompts {
    const METHOD: &'static str = "prompts/list";
    type Result = ListPromptsResult;
}

/// A page of prompts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListPromptsResult {
    /// The prompts.
    pub prompts: Vec<Prompt>,
    /// Where the next page begins; none on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
    /// How long the result may be reused, in milliseconds.
    #[serde(default, deserialize_with = "ttl")]
    pub ttl_ms: u64,
    /// Who may reuse it.
    #[serde(default)]
    pub cache_scope: CacheScope,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Parameters of `prompts/get`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GetPrompt {
    /// Which prompt.
    pub name: String,
    /// What to fill in: texts only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
    /// Answers and state of an earlier round, and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl GetPrompt {
    /// Asks for a prompt.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: BTreeMap::new(),
            extra: JsonObject::new(),
        }
    }

    /// Fills in an argument.
    #[must_use]
    pub fn argument(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.arguments.insert(name.into(), value.into());
        self
    }
}

impl RequestMessage for GetPrompt {
    const METHOD: &'static str = "prompts/get";
    type Result = GetPromptResult;
}

/// The messages that a prompt stands for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GetPromptResult {
    /// What the prompt is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The messages.
    pub messages: Vec<PromptMessage>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl GetPromptResult {
    /// An answer of these messages.
    pub fn new(messages: impl IntoIterator<Item = PromptMessage>) -> Self {
        Self {
            messages: messages.into_iter().collect(),
            ..Self::default()
        }
    }
}

/// One message of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PromptMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: ContentBlock,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl PromptMessage {
    /// A message.
    pub fn new(role: Role, content: ContentBlock) -> Self {
        Self {
            role,
            content,
            extra: JsonObject::new(),
        }
    }

    /// A text that the person says.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, ContentBlock::text(text))
    }

    /// A text that the model says.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, ContentBlock::text(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::{refused, survives};

    #[test]
    fn prompts_and_their_messages_survive() {
        survives::<ListPromptsResult>(
            r#"{"prompts":[{"name":"code_review","title":"Review","description":"d","arguments":[{"name":"code","description":"c","required":true}],"icons":[{"src":"https://a.b/c.svg"}],"_meta":{"k":1}}],"nextCursor":"","ttlMs":600000,"cacheScope":"public"}"#,
        );
        survives::<GetPrompt>(
            r#"{"name":"code_review","arguments":{"code":"x"},"requestState":"s"}"#,
        );
        survives::<GetPromptResult>(
            r#"{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"t"}}],"_meta":{}}"#,
        );
    }

    #[test]
    fn required_members_are_required_and_arguments_are_texts() {
        refused::<ListPromptsResult>(&["{}", r#"{"prompts":[{}]}"#]);
        refused::<GetPrompt>(&["{}", r#"{"name":"a","arguments":{"n":1}}"#]);
        refused::<GetPromptResult>(&[
            "{}",
            r#"{"messages":[{"role":"user"}]}"#,
            r#"{"messages":[{"role":"system","content":{"type":"text","text":"t"}}]}"#,
        ]);
    }
}
