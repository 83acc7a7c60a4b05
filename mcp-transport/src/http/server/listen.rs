//! Accepts connections.

use std::{io, sync::Arc, time::Duration};

use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use mcp_ext::McpService;
use tokio::{net::TcpListener, sync::Semaphore, task::JoinSet};

use super::{Options, Server};

/// How long a client may take to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(30);

/// Serves `service` on a listener until the future is dropped.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_transport::http::server::{Options, serve};
///
/// let mcp = mcp_ext::Server::builder("empty", "1.0.0").build()?;
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
/// serve(mcp, listener, Options::default()).await?;
/// # Ok(()) }
/// ```
///
/// # Errors
/// The listener failed for good.
///
/// # Cancellation
/// Dropping the future closes every connection and cancels what runs on it.
pub async fn serve(
    service: impl McpService,
    listener: TcpListener,
    options: Options,
) -> io::Result<()> {
    let room = Arc::new(Semaphore::new(options.connections));
    let server = Server::new(service, options);
    let mut connections = JoinSet::new();
    loop {
        let permit = room
            .clone()
            .acquire_owned()
            .await
            .map_err(io::Error::other)?;
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // One connection that failed before it began, or no file handle left for now.
                Err(error) if is_passing(&error) => {
                    tokio::task::yield_now().await;
                    continue;
                }
                Err(error) => return Err(error),
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
        };
        // Answers are written whole: waiting for more would only add delay.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(server.clone());
        connections.spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .serve_connection(TokioIo::new(stream), service);
            // A client that broke its connection is nobody's failure.
            let _ = connection.await;
            drop(permit);
        });
    }
}

fn is_passing(error: &io::Error) -> bool {
    /// EMFILE and ENFILE.
    const NO_HANDLES: [i32; 2] = [24, 23];
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    ) || error
        .raw_os_error()
        .is_some_and(|code| NO_HANDLES.contains(&code))
}
