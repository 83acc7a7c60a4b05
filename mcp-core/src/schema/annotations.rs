//! Hints about content: for whom it is, how important, how old.

use serde::{Deserialize, Serialize};

use crate::JsonObject;

/// Who speaks, or who should read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// What a server says about a piece of content. Claims, like everything a peer says.
///
/// ```
/// use mcp_core::schema::annotations::{Annotations, Role};
///
/// let annotations = Annotations::default().audience(Role::User).priority(0.8);
/// let text = serde_json::to_string(&annotations)?;
/// assert_eq!(text, r#"{"audience":["user"],"priority":0.8}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Annotations {
    /// For whom it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audience: Vec<Role>,
    /// From 0, for what can be left out, to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<f64>,
    /// When it changed last, in ISO 8601. From 2025-06-18 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl Annotations {
    /// Adds a reader.
    #[must_use]
    pub fn audience(mut self, role: Role) -> Self {
        self.audience.push(role);
        self
    }

    /// Says how important it is; held between 0 and 1.
    #[must_use]
    pub fn priority(mut self, priority: f64) -> Self {
        self.priority = (!priority.is_nan()).then(|| priority.clamp(0.0, 1.0));
        self
    }

    /// Says when it changed last, in ISO 8601.
    #[must_use]
    pub fn last_modified(mut self, when: impl Into<String>) -> Self {
        self.last_modified = Some(when.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_survive() {
        let text = r#"{"audience":["user","assistant"],"priority":0.7,"lastModified":"2025-05-03T14:30:00Z","x":null}"#;
        let annotations: Annotations = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&annotations).unwrap(), text);
    }

    #[test]
    fn a_priority_is_between_0_and_1() {
        let priority = |value| Annotations::default().priority(value).priority;
        assert_eq!(
            [priority(2.0), priority(-1.0), priority(f64::NAN)],
            [Some(1.0), Some(0.0), None]
        );
    }
}
