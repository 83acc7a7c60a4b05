//! What ties typed parameters to the method that carries them.

use serde::{Serialize, de::DeserializeOwned};

/// The typed parameters of a request, its method and the type of its result.
///
/// One definition serves on the server and calls on the client:
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use mcp_core::RequestMessage;
///
/// #[derive(Serialize, Deserialize)]
/// struct ListThings { kind: String }
///
/// #[derive(Serialize, Deserialize)]
/// struct Things { names: Vec<String> }
///
/// impl RequestMessage for ListThings {
///     const METHOD: &'static str = "things/list";
///     type Result = Things;
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the parameters of a request",
    note = "implement `RequestMessage` for it: the method name and the type of the result"
)]
pub trait RequestMessage: Serialize + DeserializeOwned + Send + 'static {
    /// The JSON-RPC method, for example `tools/call`.
    const METHOD: &'static str;
    /// What a complete answer decodes to.
    type Result: Serialize + DeserializeOwned + Send + 'static;
}
