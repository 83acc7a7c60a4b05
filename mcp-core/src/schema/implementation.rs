//! Who a peer says it is.

use serde::{Deserialize, Serialize};

use super::icons::Icon;
use crate::JsonObject;

/// Name and version of a program, as it reports them itself: for people to read, never a reason
/// to behave differently or to trust (V26-META-015, -016).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Implementation {
    /// For programs.
    pub name: String,
    /// Any text.
    pub version: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does. From 2025-11-25 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where to read about it. From 2025-11-25 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub website_url: Option<String>,
    /// Pictures of it. From 2025-11-25 on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Whatever else came with it.
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
            description: None,
            website_url: None,
            icons: Vec::new(),
            extra: JsonObject::new(),
        }
    }

    /// The title if there is one, the name otherwise.
    pub fn display_name(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::{refused, survives};

    #[test]
    fn an_implementation_survives() {
        survives::<Implementation>(
            r#"{"name":"example","version":"1","title":"Example","description":"d","websiteUrl":"https://a.b","icons":[{"src":"https://a.b/c"}],"x":[]}"#,
        );
        refused::<Implementation>(&[r#"{"name":"a"}"#, r#"{"version":"1"}"#]);
    }
}
