//! Streamable HTTP, client and server side.

#[cfg(feature = "http-client")]
pub mod client;
pub(crate) mod headers;
#[cfg(feature = "http-server")]
pub mod server;
