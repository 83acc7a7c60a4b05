//! `ping`: is the other side there? Up to 2025-11-25.

use serde::{Deserialize, Serialize};

use crate::{JsonObject, RequestMessage};

/// Parameters of `ping`: none of its own. The answer is an empty object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Ping {
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl RequestMessage for Ping {
    const METHOD: &'static str = "ping";
    type Result = JsonObject;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::survives;

    #[test]
    fn a_ping_survives() {
        survives::<Ping>(r#"{"_meta":{"progressToken":1}}"#);
    }
}
