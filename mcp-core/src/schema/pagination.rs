//! Pages of a list.

use serde::{Deserialize, Serialize};

/// Where the next page begins. Opaque to clients, the empty string included (V26-PAGE-006, -007).
pub type Cursor = String;

/// Parameters that every list takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// From a previous page; none asks for the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
}
