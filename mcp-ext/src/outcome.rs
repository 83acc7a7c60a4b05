//! What comes out.

use mcp_core::{Json, schema::input::InputRequired};

/// How a request ended well. Failures are the service's error.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The result, without `resultType`.
    Complete(Json),
    /// The server needs answers first; the request may then be sent again with them.
    InputRequired(InputRequired),
    /// A result of a type that an extension defines.
    Other {
        /// The `resultType`.
        kind: String,
        /// The result without it.
        body: Json,
    },
}
