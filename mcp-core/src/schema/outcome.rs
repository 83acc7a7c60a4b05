//! What kind of result an answer is: chosen by `resultType`, never by shape (note N15).

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};

use super::input::InputRequired;
use crate::{Json, json::DecodeError};

/// Member of a result that says what kind it is. Belongs to one hop.
pub const RESULT_TYPE: &str = "resultType";

/// What kind of result an answer is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResultType {
    /// The request is done. Also when nothing is said, as versions up to 2025-11-25 do.
    #[default]
    Complete,
    /// The server needs something first: [`InputRequired`].
    InputRequired,
    /// A kind that an extension defines.
    Other(String),
}

impl ResultType {
    /// The word on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Complete => "complete",
            Self::InputRequired => "input_required",
            Self::Other(word) => word,
        }
    }

    /// The kind of a result.
    ///
    /// # Errors
    /// `resultType` is there and no string.
    pub fn of(result: &Json) -> Result<Self, DecodeError> {
        let said = result.member(RESULT_TYPE);
        said.map_or(Ok(Self::Complete), |said| said.decode())
    }
}

impl Serialize for ResultType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ResultType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match String::deserialize(deserializer)? {
            word if word == "complete" => Self::Complete,
            word if word == "input_required" => Self::InputRequired,
            word => Self::Other(word),
        })
    }
}

/// An answer, decoded as what it says it is.
///
/// ```
/// use mcp_core::{Json, schema::{outcome::Answer, tools::CallToolResult}};
///
/// let json: Json = r#"{"resultType":"input_required","requestState":"s"}"#.parse()?;
/// let answer = Answer::<CallToolResult>::decode(&json)?;
/// assert!(matches!(answer, Answer::InputRequired(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answer<T> {
    /// The request is done.
    Complete(T),
    /// The server needs something first.
    InputRequired(InputRequired),
    /// A kind that an extension defines; the object as it came.
    Other(String, Json),
}

impl<T: DeserializeOwned> Answer<T> {
    /// Decodes a result.
    ///
    /// # Errors
    /// It does not fit the kind that it says it is.
    pub fn decode(result: &Json) -> Result<Self, DecodeError> {
        match ResultType::of(result)? {
            ResultType::Complete => result.decode().map(Self::Complete),
            ResultType::InputRequired => result.decode().map(Self::InputRequired),
            ResultType::Other(kind) => Ok(Self::Other(kind, result.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::tools::CallToolResult;

    #[track_caller]
    fn answer(text: &str) -> Result<Answer<CallToolResult>, DecodeError> {
        Answer::decode(&text.parse().unwrap())
    }

    #[test]
    fn n15_the_kind_decides_not_the_shape() {
        assert!(matches!(
            answer(r#"{"resultType":"complete","content":[],"inputRequests":{}}"#),
            Ok(Answer::Complete(_))
        ));
        assert!(matches!(
            answer(r#"{"content":[]}"#),
            Ok(Answer::Complete(_))
        ));
        assert!(matches!(
            answer(r#"{"resultType":"input_required","content":[]}"#),
            Ok(Answer::InputRequired(_))
        ));
        assert!(matches!(
            answer(r#"{"resultType":"task","taskId":"a"}"#),
            Ok(Answer::Other(kind, _)) if kind == "task"
        ));
        assert!(answer(r#"{"requestState":"s"}"#).is_err());
        assert!(answer(r#"{"resultType":null,"content":[]}"#).is_err());
    }
}
