//! `completion/complete`: what an argument could be.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::Value;

use super::literal::literal;
use crate::{JsonObject, RequestMessage};

/// How many values an answer may have.
pub const MAX_VALUES: usize = 100;

/// Parameters of `completion/complete`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Complete {
    /// What has the argument.
    #[serde(rename = "ref")]
    pub reference: Reference,
    /// The argument, as far as it is written.
    pub argument: CompletionArgument,
    /// Arguments that are known already. From 2025-06-18 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<CompletionContext>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl Complete {
    /// Asks what could become of `value`, the beginning of the argument `name`.
    pub fn new(reference: Reference, name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            reference,
            argument: CompletionArgument {
                name: name.into(),
                value: value.into(),
                extra: JsonObject::new(),
            },
            context: None,
            extra: JsonObject::new(),
        }
    }
}

impl RequestMessage for Complete {
    const METHOD: &'static str = "completion/complete";
    type Result = CompleteResult;
}

/// What has the argument: chosen by `type`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Reference {
    /// `ref/prompt`.
    Prompt(PromptReference),
    /// `ref/resource`: the template of a resource.
    Resource(ResourceReference),
}

impl Reference {
    /// A prompt.
    pub fn prompt(name: impl Into<String>) -> Self {
        Self::Prompt(PromptReference {
            kind: RefPrompt,
            name: name.into(),
            title: None,
            extra: JsonObject::new(),
        })
    }

    /// The template of a resource.
    pub fn resource(uri: impl Into<String>) -> Self {
        Self::Resource(ResourceReference {
            kind: RefResource,
            uri: uri.into(),
            extra: JsonObject::new(),
        })
    }
}

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = JsonObject::deserialize(deserializer)?;
        let is_prompt = object.get("type").and_then(Value::as_str) == Some("ref/prompt");
        let value = Value::Object(object);
        if is_prompt {
            serde_json::from_value(value).map(Self::Prompt)
        } else {
            serde_json::from_value(value).map(Self::Resource)
        }
        .map_err(D::Error::custom)
    }
}

literal! {
    RefPrompt = "ref/prompt";
    RefResource = "ref/resource";
}

/// A prompt by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PromptReference {
    #[serde(rename = "type")]
    kind: RefPrompt,
    /// Its name.
    pub name: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A resource, or the template of resources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceReference {
    #[serde(rename = "type")]
    kind: RefResource,
    /// Its URI or template.
    pub uri: String,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// An argument, as far as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompletionArgument {
    /// Its name.
    pub name: String,
    /// What is written.
    pub value: String,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Arguments that are known already.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompletionContext {
    /// Their values: texts only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Answer to `completion/complete`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompleteResult {
    /// What the argument could be.
    pub completion: Completion,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl CompleteResult {
    /// An answer with all values that fit: the first [`MAX_VALUES`] and how many there are.
    ///
    /// ```
    /// use mcp_core::schema::completion::CompleteResult;
    ///
    /// let answer = CompleteResult::new((0..250).map(|n| n.to_string()));
    /// assert_eq!(answer.completion.values.len(), 100);
    /// assert_eq!((answer.completion.total, answer.completion.has_more), (Some(250), Some(true)));
    /// ```
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let mut values: Vec<_> = values.into_iter().collect();
        let total = values.len();
        values.truncate(MAX_VALUES);
        Self {
            completion: Completion {
                has_more: Some(total > values.len()),
                total: Some(total as u64),
                values,
                extra: JsonObject::new(),
            },
            extra: JsonObject::new(),
        }
    }
}

/// What an argument could be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Completion {
    /// At most 100 values, best first.
    pub values: Vec<String>,
    /// How many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether there are more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::{refused, survives};

    #[test]
    fn a_completion_survives() {
        survives::<Complete>(
            r#"{"ref":{"type":"ref/prompt","name":"code_review"},"argument":{"name":"framework","value":"fla"},"context":{"arguments":{"language":"python"}}}"#,
        );
        survives::<Complete>(
            r#"{"ref":{"type":"ref/resource","uri":"file:///{path}"},"argument":{"name":"path","value":""}}"#,
        );
        survives::<CompleteResult>(
            r#"{"completion":{"values":["python","pytorch"],"total":10,"hasMore":true}}"#,
        );
    }

    #[test]
    fn a_reference_is_chosen_by_its_type() {
        refused::<Reference>(&[
            r#"{"type":"ref/prompt","uri":"a:b"}"#,
            r#"{"type":"ref/resource","name":"a"}"#,
            r#"{"type":"ref/tool","name":"a","uri":"a:b"}"#,
            r#"{"name":"a"}"#,
        ]);
        refused::<CompleteResult>(&["{}", r#"{"completion":{}}"#]);
    }
}
