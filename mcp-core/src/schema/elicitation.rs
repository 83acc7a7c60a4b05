//! Elicitation: a server asks the person, with a form or by sending them to a page.

use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::Value;

use super::{literal::literal, tasks::TaskMetadata};
use crate::{JsonObject, RequestMessage};

pub mod form;
pub mod select;

pub use form::{FormSchema, PrimitiveSchema};

/// The person is done with a page; carries an [`ElicitationComplete`]. Only in 2025-11-25.
pub const COMPLETE: &str = "notifications/elicitation/complete";

/// Parameters of `elicitation/create`: chosen by `mode`, which is `form` when it is not there
/// (V26-ELIC-011, note N11).
///
/// ```
/// use mcp_core::schema::elicitation::{Elicit, FormSchema, form::StringSchema};
///
/// let form = FormSchema::default().required("name", StringSchema::default().title("Your name"));
/// let Elicit::Form(question) = Elicit::form("Who are you?", form) else { unreachable!() };
/// assert_eq!(question.requested_schema.required, ["name"]);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Elicit {
    /// Asks with a form.
    Form(FormElicitation),
    /// Sends the person to a page. From 2025-11-25 on.
    Url(UrlElicitation),
}

impl Elicit {
    /// Asks with a form.
    pub fn form(message: impl Into<String>, form: FormSchema) -> Self {
        Self::Form(FormElicitation {
            mode: None,
            message: message.into(),
            requested_schema: form,
            task: None,
            extra: JsonObject::new(),
        })
    }

    /// Sends the person to a page.
    pub fn url(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self::Url(UrlElicitation::new(message, url))
    }

    /// What to tell the person.
    pub fn message(&self) -> &str {
        match self {
            Self::Form(form) => &form.message,
            Self::Url(url) => &url.message,
        }
    }
}

impl RequestMessage for Elicit {
    const METHOD: &'static str = "elicitation/create";
    type Result = ElicitResult;
}

impl<'de> Deserialize<'de> for Elicit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = JsonObject::deserialize(deserializer)?;
        let is_url = object.get("mode").and_then(Value::as_str) == Some("url");
        let value = Value::Object(object);
        if is_url {
            serde_json::from_value(value).map(Self::Url)
        } else {
            serde_json::from_value(value).map(Self::Form)
        }
        .map_err(D::Error::custom)
    }
}

literal! {
    FormMode = "form";
    UrlMode = "url";
}

/// A question with a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FormElicitation {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<FormMode>,
    /// What to tell the person.
    pub message: String,
    /// The form.
    pub requested_schema: FormSchema,
    /// Asks for a task instead of an answer. Only in 2025-11-25.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskMetadata>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A question that is answered on a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UrlElicitation {
    pub(crate) mode: UrlMode,
    /// What to tell the person.
    pub message: String,
    /// The page. To be shown and agreed to before it is opened (V26-ELIC-006).
    pub url: String,
    /// Ties [`COMPLETE`] to it. Required in 2025-11-25, absent from all other versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elicitation_id: Option<String>,
    /// Asks for a task instead of an answer. Only in 2025-11-25.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskMetadata>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl UrlElicitation {
    /// Sends the person to a page.
    pub fn new(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            mode: UrlMode,
            message: message.into(),
            url: url.into(),
            elicitation_id: None,
            task: None,
            extra: JsonObject::new(),
        }
    }

    /// Gives it the id that 2025-11-25 needs.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.elicitation_id = Some(id.into());
        self
    }
}

/// What the person did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitResult {
    /// What the person did.
    pub action: ElicitAction,
    /// What stands in the form: texts, numbers, Booleans and lists of texts. Only after
    /// [`ElicitAction::Accept`] of a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<JsonObject>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl ElicitResult {
    /// The person filled in the form.
    pub fn accept(content: JsonObject) -> Self {
        Self {
            content: Some(content),
            ..Self::without_content(ElicitAction::Accept)
        }
    }

    /// The person did something that leaves no content.
    pub fn without_content(action: ElicitAction) -> Self {
        Self {
            action,
            content: None,
            extra: JsonObject::new(),
        }
    }
}

/// What the person did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElicitAction {
    /// Agreed.
    Accept,
    /// Said no.
    Decline,
    /// Said nothing: closed the question.
    Cancel,
}

/// Parameters of [`COMPLETE`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitationComplete {
    /// Which question.
    pub elicitation_id: String,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl ElicitationComplete {
    /// The question with this id is done.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            elicitation_id: id.into(),
            extra: JsonObject::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::{refused, survives};

    const FORM: &str =
        r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;

    #[test]
    fn v26_elic_011_012_no_mode_means_a_form() {
        for mode in ["", r#""mode":"form","#] {
            let text =
                format!(r#"{{{mode}"message":"Your name?","requestedSchema":{FORM},"x":1}}"#);
            assert!(matches!(survives::<Elicit>(&text), Elicit::Form(_)));
        }
    }

    #[test]
    fn v26_elic_015_a_page_has_mode_message_and_url() {
        let page = survives::<Elicit>(r#"{"mode":"url","message":"m","url":"https://a.b/c"}"#);
        assert_eq!(page, Elicit::url("m", "https://a.b/c"));
        survives::<Elicit>(
            r#"{"mode":"url","message":"m","url":"https://a.b/c","elicitationId":"e"}"#,
        );
        refused::<Elicit>(&[
            r#"{"mode":"url","message":"m"}"#,
            r#"{"message":"m","url":"https://a.b/c"}"#,
            r#"{"mode":"voice","message":"m"}"#,
            &format!(r#"{{"mode":"voice","message":"m","requestedSchema":{FORM}}}"#),
            &format!(r#"{{"requestedSchema":{FORM}}}"#),
        ]);
    }

    #[test]
    fn n16_l8_answers_hold_any_number() {
        survives::<ElicitResult>(
            r#"{"action":"accept","content":{"age":30,"height":1.75,"colors":["red"],"ok":true}}"#,
        );
        survives::<ElicitResult>(r#"{"action":"decline"}"#);
        refused::<ElicitResult>(&["{}", r#"{"action":"maybe"}"#]);
        survives::<ElicitationComplete>(r#"{"elicitationId":"e"}"#);
    }
}
