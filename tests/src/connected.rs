//! Something that can be called and closed, whatever it is reached over.

use mcp_ext::{BoxService, service::boxed};
use mcp_transport::{ConnectError, Connection, Versions, duplex::ClientOptions, http, stdio, unix};

/// A connection over any transport.
#[derive(Debug)]
pub enum Connected {
    /// A child process.
    Child(Box<stdio::Child>),
    /// A server behind a URL.
    Http(http::client::Client),
    /// A server behind a Unix socket.
    Socket(Connection),
}

impl Connected {
    /// Connects to `stdio CMD ARGS…`, `http URL` or `unix PATH`; `headers` are for HTTP only.
    ///
    /// # Errors
    /// See [`ConnectError`]; also for any other words.
    pub async fn open(
        target: &[&str],
        versions: Versions,
        headers: ::http::HeaderMap,
    ) -> Result<Self, ConnectError> {
        let options = ClientOptions::default().versions(versions);
        match target {
            ["stdio", command, args @ ..] => {
                let command = stdio::Command::new(*command).args(args.iter().copied());
                let child = stdio::connect(&command, options).await?;
                Ok(Self::Child(Box::new(child)))
            }
            ["http", url] => {
                let options = http::client::Options {
                    headers,
                    versions,
                    ..Default::default()
                };
                http::client::connect(url, options).await.map(Self::Http)
            }
            ["unix", path] => unix::connect(path, options).await.map(Self::Socket),
            _ => Err(ConnectError::Invalid(
                "the target must be stdio CMD ARGS…, http URL or unix PATH".into(),
            )),
        }
    }

    /// The service to call.
    pub fn service(&self) -> BoxService {
        match self {
            Self::Child(child) => boxed(child.service()),
            Self::Http(client) => boxed(client.clone()),
            Self::Socket(connection) => boxed(connection.service()),
        }
    }

    /// Closes it in good order.
    pub async fn close(self) {
        match self {
            Self::Child(child) => child.close().await,
            Self::Http(client) => client.close().await,
            Self::Socket(connection) => connection.close().await,
        }
    }
}
