//! A result that says: not yet, the server needs something from the client first (V26-MRTR).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    elicitation::{Elicit, ElicitResult},
    roots::{ListRoots, ListRootsResult},
    sampling::{CreateMessage, CreateMessageResult},
};
use crate::{Json, JsonObject, RequestMessage, json::DecodeError};

/// What the server wants to know before it can complete the request.
///
/// ```
/// use mcp_core::schema::{elicitation::{Elicit, FormSchema, form::BooleanSchema}, input::InputRequired};
///
/// let form = FormSchema::default().required("sure", BooleanSchema::default());
/// let input = InputRequired::default()
///     .ask("confirm", &Elicit::form("Delete everything?", form))?
///     .state("step 1");
/// assert_eq!(input.input_requests["confirm"].method, "elicitation/create");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InputRequired {
    /// Questions by key; the answers come back under the same keys.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub input_requests: BTreeMap<String, InputRequest>,
    /// Opaque; echoed in the retry as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl InputRequired {
    /// Adds a question. A question under the same key is replaced.
    ///
    /// # Errors
    /// The question refuses to be written as JSON.
    pub fn ask<M: RequestMessage>(
        mut self,
        key: impl Into<String>,
        question: &M,
    ) -> Result<Self, serde_json::Error> {
        let question = InputRequest::new(question)?;
        self.input_requests.insert(key.into(), question);
        Ok(self)
    }

    /// Adds what the retry will bring back.
    #[must_use]
    pub fn state(mut self, state: impl Into<String>) -> Self {
        self.request_state = Some(state.into());
        self
    }
}

/// One question: `elicitation/create`, `sampling/createMessage` or `roots/list`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputRequest {
    /// Which kind of question.
    pub method: String,
    /// Its parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<Json>,
    /// Whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl InputRequest {
    /// A question.
    ///
    /// # Errors
    /// It refuses to be written as JSON.
    pub fn new<M: RequestMessage>(question: &M) -> Result<Self, serde_json::Error> {
        Ok(Self {
            method: M::METHOD.into(),
            params: Some(Json::from_value(question)?),
            extra: JsonObject::new(),
        })
    }

    /// The question, chosen by its method.
    ///
    /// # Errors
    /// The parameters do not fit the method.
    pub fn question(&self) -> Result<Question, DecodeError> {
        let none = Json::empty_object();
        let params = self.params.as_ref().unwrap_or(&none);
        match self.method.as_str() {
            Elicit::METHOD => params.decode().map(|q| Question::Elicit(Box::new(q))),
            CreateMessage::METHOD => params
                .decode()
                .map(|q| Question::CreateMessage(Box::new(q))),
            ListRoots::METHOD => params.decode().map(Question::ListRoots),
            _ => Ok(Question::Other(self.clone())),
        }
    }

    /// The answer to this question, chosen by the method that was asked and never by its shape
    /// (types.md, section 4).
    ///
    /// # Errors
    /// The answer does not fit the question.
    pub fn read(&self, answer: &Json) -> Result<InputResponse, DecodeError> {
        match self.method.as_str() {
            Elicit::METHOD => answer.decode().map(InputResponse::Elicit),
            CreateMessage::METHOD => {
                let decoded = answer.decode();
                decoded.map(|a| InputResponse::CreateMessage(Box::new(a)))
            }
            ListRoots::METHOD => answer.decode().map(InputResponse::ListRoots),
            _ => Ok(InputResponse::Other(answer.clone())),
        }
    }
}

/// What a server asks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Question {
    /// Asks the person.
    Elicit(Box<Elicit>),
    /// Asks a model.
    CreateMessage(Box<CreateMessage>),
    /// Asks for the roots.
    ListRoots(ListRoots),
    /// Something else.
    Other(InputRequest),
}

/// What a client answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum InputResponse {
    /// What the person did.
    Elicit(ElicitResult),
    /// What the model said.
    CreateMessage(Box<CreateMessageResult>),
    /// The roots.
    ListRoots(ListRootsResult),
    /// Something else.
    Other(Json),
}

/// Answers by the keys of their questions.
pub type InputResponses = BTreeMap<String, Json>;

/// The members that a retry adds to the parameters of its request.
///
/// Only `tools/call`, `prompts/get` and `resources/read` have them (note N13), and only with the
/// answers to the latest questions (note N14).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Retry {
    /// The answers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub input_responses: InputResponses,
    /// What the server gave, as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl Retry {
    /// A retry that answers these questions.
    pub fn of(asked: &InputRequired) -> Self {
        Self {
            request_state: asked.request_state.clone(),
            ..Self::default()
        }
    }

    /// Adds an answer.
    ///
    /// # Errors
    /// It refuses to be written as JSON.
    pub fn answer(
        mut self,
        key: impl Into<String>,
        answer: &impl Serialize,
    ) -> Result<Self, serde_json::Error> {
        self.input_responses
            .insert(key.into(), Json::from_value(answer)?);
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::survives;

    const ASKED: &str = r#"{"inputRequests":{"github_login":{"method":"elicitation/create","params":{"message":"Please provide your GitHub username","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}},"roots":{"method":"roots/list"},"capital":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}},"requestState":"eyJ","_meta":{}}"#;

    #[test]
    fn questions_are_chosen_by_their_method() {
        let asked = survives::<InputRequired>(ASKED);
        let question = |key: &str| asked.input_requests[key].question().unwrap();
        assert!(matches!(question("github_login"), Question::Elicit(_)));
        assert!(matches!(question("capital"), Question::CreateMessage(_)));
        assert!(matches!(question("roots"), Question::ListRoots(_)));
    }

    #[test]
    fn answers_are_chosen_by_the_question() {
        let asked: InputRequired = serde_json::from_str(ASKED).unwrap();
        // Has the members of all three answers.
        let all: Json = r#"{"action":"accept","roots":[],"role":"user","model":"m","content":{"type":"text","text":"t"}}"#.parse().unwrap();
        let read = |key: &str| asked.input_requests[key].read(&all).unwrap();
        assert!(matches!(read("github_login"), InputResponse::Elicit(_)));
        assert!(matches!(read("capital"), InputResponse::CreateMessage(_)));
        assert!(matches!(read("roots"), InputResponse::ListRoots(_)));
        let wrong: Json = r#"{"roots":[]}"#.parse().unwrap();
        assert!(asked.input_requests["github_login"].read(&wrong).is_err());
    }

    #[test]
    fn v26_mrtr_003_n14_a_retry_has_the_latest_answers_and_the_state() {
        let asked: InputRequired = serde_json::from_str(ASKED).unwrap();
        let retry = Retry::of(&asked)
            .answer("roots", &ListRootsResult::new([]))
            .unwrap();
        assert_eq!(
            serde_json::to_string(&retry).unwrap(),
            r#"{"inputResponses":{"roots":{"roots":[]}},"requestState":"eyJ"}"#
        );
    }
}
