//! Names of the headers that this protocol adds to HTTP. How values get into them is
//! [`mcp_core::header`]'s to say.

/// The protocol version of the body.
pub(crate) const PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// The method of the body.
pub(crate) const METHOD: &str = "mcp-method";
/// The name or URI in the parameters of the body, see [`mcp_core::header::name_param`].
pub(crate) const NAME: &str = "mcp-name";
/// The session, in versions that have sessions.
pub(crate) const SESSION_ID: &str = "mcp-session-id";
