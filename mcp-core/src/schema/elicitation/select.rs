//! Fields with a fixed set of choices.

use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    JsonObject,
    schema::{
        content::chosen,
        literal::{ArrayType, StringType},
    },
};

/// A text, and what people call it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Choice {
    /// The text that is answered.
    #[serde(rename = "const")]
    pub value: String,
    /// For people.
    pub title: String,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl Choice {
    /// A text and its title.
    pub fn new(value: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            title: title.into(),
            extra: JsonObject::new(),
        }
    }
}

/// One of some texts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UntitledSelect {
    #[serde(rename = "type")]
    pub(crate) kind: StringType,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The texts.
    #[serde(rename = "enum")]
    pub values: Vec<String>,
    /// What is chosen first. From 2025-11-25 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl UntitledSelect {
    /// One of these texts.
    pub fn new<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Self {
        Self {
            values: values.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }
}

/// One of some texts, each with a title. From 2025-11-25 on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TitledSelect {
    #[serde(rename = "type")]
    pub(crate) kind: StringType,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The texts and their titles.
    #[serde(rename = "oneOf")]
    pub choices: Vec<Choice>,
    /// What is chosen first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl TitledSelect {
    /// One of these choices.
    pub fn new(choices: impl IntoIterator<Item = Choice>) -> Self {
        Self {
            choices: choices.into_iter().collect(),
            ..Self::default()
        }
    }
}

/// One of some texts, with a second list for their titles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NamedSelect {
    #[serde(rename = "type")]
    pub(crate) kind: StringType,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The texts.
    #[serde(rename = "enum")]
    pub values: Vec<String>,
    /// Their titles, in the same order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub enum_names: Vec<String>,
    /// What is chosen first. From 2025-11-25 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl NamedSelect {
    /// One of these texts; each comes with its title.
    pub fn new<T: Into<String>>(choices: impl IntoIterator<Item = (T, T)>) -> Self {
        let choices = choices.into_iter().map(|(v, t)| (v.into(), t.into()));
        let (values, enum_names) = choices.unzip();
        Self {
            values,
            enum_names,
            ..Self::default()
        }
    }
}

/// Some of some texts.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum MultiSelect {
    /// Plain texts.
    Untitled(UntitledMultiSelect),
    /// Texts with titles.
    Titled(TitledMultiSelect),
}

/// Chosen by whether the items list titles.
impl<'de> Deserialize<'de> for MultiSelect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = JsonObject::deserialize(deserializer)?;
        let items = object.get("items");
        if items.is_some_and(|items| items.get("anyOf").is_some()) {
            chosen(object).map(Self::Titled)
        } else {
            chosen(object).map(Self::Untitled)
        }
    }
}

/// Some of some texts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UntitledMultiSelect {
    #[serde(rename = "type")]
    pub(crate) kind: ArrayType,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// At least this many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u64>,
    /// At most this many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,
    /// The texts.
    pub items: Texts,
    /// What is chosen first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Vec<String>>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl UntitledMultiSelect {
    /// Some of these texts.
    pub fn new<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Self {
        Self {
            items: Texts {
                values: values.into_iter().map(Into::into).collect(),
                ..Texts::default()
            },
            ..Self::default()
        }
    }
}

/// The texts of an [`UntitledMultiSelect`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Texts {
    #[serde(rename = "type")]
    pub(crate) kind: StringType,
    /// The texts.
    #[serde(rename = "enum")]
    pub values: Vec<String>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Some of some texts, each with a title.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TitledMultiSelect {
    #[serde(rename = "type")]
    pub(crate) kind: ArrayType,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// At least this many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u64>,
    /// At most this many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,
    /// The texts and their titles.
    pub items: Choices,
    /// What is chosen first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Vec<String>>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl TitledMultiSelect {
    /// Some of these choices.
    pub fn new(choices: impl IntoIterator<Item = Choice>) -> Self {
        Self {
            items: Choices {
                choices: choices.into_iter().collect(),
                ..Choices::default()
            },
            ..Self::default()
        }
    }
}

/// The choices of a [`TitledMultiSelect`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Choices {
    /// The texts and their titles.
    #[serde(rename = "anyOf")]
    pub choices: Vec<Choice>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}
