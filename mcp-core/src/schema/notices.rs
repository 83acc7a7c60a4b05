//! Notifications that say nothing but that they happened.
//!
//! ```
//! use mcp_core::{NotificationMessage, schema::notices::ToolListChanged};
//!
//! assert_eq!(ToolListChanged::METHOD, "notifications/tools/list_changed");
//! ```

use serde::{Deserialize, Serialize};

use super::{elicitation, prompts, resources, roots, tasks, tools};
use crate::{JsonObject, NotificationMessage};

macro_rules! notice {
    ($($(#[$doc:meta])* $name:ident = $method:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
        pub struct $name {
            /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
        }

        impl NotificationMessage for $name {
            const METHOD: &'static str = $method;
        }
    )+};
}

notice! {
    /// The list of tools has changed.
    ToolListChanged = tools::LIST_CHANGED;
    /// The list of prompts has changed.
    PromptListChanged = prompts::LIST_CHANGED;
    /// The list of resources has changed.
    ResourceListChanged = resources::LIST_CHANGED;
    /// The list of roots has changed. Up to 2025-11-25.
    RootsListChanged = roots::LIST_CHANGED;
}

impl NotificationMessage for elicitation::ElicitationComplete {
    const METHOD: &'static str = elicitation::COMPLETE;
}

impl NotificationMessage for tasks::Task {
    const METHOD: &'static str = tasks::STATUS;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::survives;

    #[test]
    fn notices_keep_their_metadata() {
        survives::<ToolListChanged>(
            r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":"listen-1"}}"#,
        );
        survives::<RootsListChanged>("{}");
    }
}
