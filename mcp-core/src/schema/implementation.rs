//! Who a peer says it is.

use serde::{Deserialize, Serialize};

use crate::JsonObject;

/// Name and version of a program, as it reports them itself: for people to read, never a reason
/// to behave differently or to trust (V26-META-015, -016).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Implementation {
    /// For programs.
    pub name: String,
    /// Any text.
    pub version: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Description, icons and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl Implementation {
    /// A program with a name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            title: None,
            extra: JsonObject::new(),
        }
    }

    /// The title if there is one, the name otherwise.
    pub fn display_name(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}
