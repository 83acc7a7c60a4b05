//! A result that says: not yet, the server needs something from the client first (V26-MRTR).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Json;

/// What the server wants to know before it can complete the request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InputRequired {
    /// Questions by key; the answers come back under the same keys.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub input_requests: BTreeMap<String, InputRequest>,
    /// Opaque; echoed in the retry as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
}

/// One question: `elicitation/create`, `sampling/createMessage` or `roots/list`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputRequest {
    /// Which kind of question.
    pub method: String,
    /// Its parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<Json>,
}
