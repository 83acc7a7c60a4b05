//! All configured servers under their names.

use std::sync::Arc;

use futures_util::future::join_all;
use mcp_ext::Client;

use crate::{Server, Settings, UseError, config::Config};

/// The servers of a configuration. Nothing is connected until it is used.
///
/// ```
/// use mcp_adapter::{Adapter, Settings, config::{Config, Document}};
///
/// let document = Document::parse("mcp.json", r#"{"mcpServers": {"clock": {"command": "clock"}}}"#)?;
/// let config = Config::from_documents([document], &|_| None);
/// let adapter = Adapter::new(&config, Settings::default());
/// assert_eq!(adapter.server("clock")?.name(), "clock");
///
/// let error = adapter.server("clokc").unwrap_err();
/// assert_eq!(error.to_string(), r#"there is no server "clokc"; did you mean "clock"?"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Adapter {
    servers: Vec<Server>,
}

impl Adapter {
    /// Puts the servers of a configuration behind one door.
    pub fn new(config: &Config, settings: Settings) -> Self {
        let settings = Arc::new(settings);
        let servers = config.servers().iter().cloned();
        Self {
            servers: servers
                .map(|definition| Server::new(definition, settings.clone()))
                .collect(),
        }
    }

    /// All servers, in the order of the configuration.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// The server of a name, whether or not it can be used.
    ///
    /// # Errors
    /// [`UseError::Unknown`].
    pub fn server(&self, name: &str) -> Result<&Server, UseError> {
        let found = self.servers.iter().find(|server| server.name() == name);
        found.ok_or_else(|| UseError::Unknown {
            server: name.into(),
            known: self
                .servers
                .iter()
                .map(|server| server.name().into())
                .collect(),
        })
    }

    /// A client of the server of a name; see [`Server::client`].
    ///
    /// # Errors
    /// There is no such server, or it cannot be used.
    pub async fn client(&self, name: &str) -> Result<Client, UseError> {
        self.server(name)?.client().await
    }

    /// Closes all connections at once and waits until they are gone, child processes included.
    /// Attempts to connect are aborted, and nothing can be connected afterwards (L24).
    ///
    /// # Cancellation
    /// Child processes that have not ended yet are killed once the adapter is dropped.
    pub async fn close(&self) {
        for server in &self.servers {
            server.retire();
        }
        join_all(self.servers.iter().map(Server::close)).await;
    }
}
