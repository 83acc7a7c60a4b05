//! Roots: the folders that a client works in (deprecated by the specification).

use serde::{Deserialize, Serialize};

use crate::{JsonObject, RequestMessage};

/// The list of roots has changed. Up to 2025-11-25.
pub const LIST_CHANGED: &str = "notifications/roots/list_changed";

/// A folder or file that the server may work on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Root {
    /// A `file:` URI.
    pub uri: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl Root {
    /// A root without a name.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: None,
            extra: JsonObject::new(),
        }
    }

    /// Gives it a name for people.
    #[must_use]
    pub fn name(mut self, text: impl Into<String>) -> Self {
        self.name = Some(text.into());
        self
    }
}

/// Parameters of `roots/list`: none of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListRoots {
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl RequestMessage for ListRoots {
    const METHOD: &'static str = "roots/list";
    type Result = ListRootsResult;
}

/// The roots of a client.
///
/// ```
/// use mcp_core::schema::roots::{ListRootsResult, Root};
///
/// let roots = ListRootsResult::new([Root::new("file:///home/user/project").name("Project")]);
/// assert_eq!(roots.roots.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListRootsResult {
    /// The roots.
    pub roots: Vec<Root>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl ListRootsResult {
    /// An answer of these roots.
    pub fn new(roots: impl IntoIterator<Item = Root>) -> Self {
        Self {
            roots: roots.into_iter().collect(),
            extra: JsonObject::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::{refused, survives};

    #[test]
    fn roots_survive() {
        survives::<ListRootsResult>(
            r#"{"roots":[{"uri":"file:///a","name":"A","_meta":{"k":1}},{"uri":"file:///b"}]}"#,
        );
        survives::<ListRoots>("{}");
        refused::<ListRootsResult>(&["{}", r#"{"roots":[{"name":"A"}]}"#]);
    }
}
