//! Unix domain sockets: framing, setup and cancellation as in [`duplex`](crate::duplex).

use std::{io, path::Path};

use mcp_ext::McpService;
use tokio::{
    net::{UnixListener, UnixStream},
    task::JoinSet,
};

use crate::{
    ConnectError, Connection,
    duplex::{ClientOptions, Limits, connect as connect_duplex, serve as serve_duplex},
};

/// Connects to a server that listens on a socket.
///
/// # Errors
/// See [`ConnectError`].
pub async fn connect(
    path: impl AsRef<Path>,
    options: ClientOptions,
) -> Result<Connection, ConnectError> {
    let path = path.as_ref();
    let stream = UnixStream::connect(path)
        .await
        .map_err(|source| ConnectError::Open {
            address: path.display().to_string(),
            source,
        })?;
    let (reader, writer) = stream.into_split();
    connect_duplex(reader, writer, options).await
}

/// Serves every connection to a socket, each in a task of its own.
///
/// # Errors
/// Accepting failed.
///
/// # Cancellation
/// Dropping the future closes every connection.
pub async fn serve(
    service: impl McpService,
    listener: UnixListener,
    limits: Limits,
) -> io::Result<()> {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (reader, writer) = accepted?.0.into_split();
                connections.spawn(serve_duplex(service.clone(), reader, writer, limits.clone()));
            }
            // A connection that failed is its client's loss.
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
}
