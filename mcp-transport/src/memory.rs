//! Client and server in one process, with the real wire text between them.

use mcp_ext::McpService;

use crate::{
    ConnectError, Connection,
    duplex::{ClientOptions, Limits, connect as connect_duplex, serve},
};

/// Bytes that wait between the two sides.
const PIPE: usize = 64 * 1024;

/// Serves `service` in a task and connects to it. The task ends with the connection.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_ext::{Client, Server};
/// use mcp_transport::{duplex::ClientOptions, memory};
///
/// let server = Server::builder("empty", "1.0.0").build()?;
/// let connection = memory::connect(server, ClientOptions::default()).await?;
/// assert!(Client::new(connection.service()).list_tools().await?.is_empty());
/// # Ok(()) }
/// ```
///
/// # Errors
/// See [`ConnectError`].
pub async fn connect(
    service: impl McpService,
    options: ClientOptions,
) -> Result<Connection, ConnectError> {
    let (ours, theirs) = tokio::io::duplex(PIPE);
    let (reader, writer) = tokio::io::split(theirs);
    tokio::spawn(serve(service, reader, writer, Limits::default()));
    let (reader, writer) = tokio::io::split(ours);
    connect_duplex(reader, writer, options).await
}
