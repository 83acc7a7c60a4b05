//! From a configuration entry to a connection.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use mcp_core::{
    ProtocolVersion,
    schema::{
        capabilities::{ClientCapabilities, ExtensionSettings},
        discover::DiscoverResult,
    },
};
use mcp_ext::{BoxService, Client, ExtensionId, Peer, service::boxed};
use mcp_transport::{
    ConnectError, Connection, Versions,
    duplex::{ClientOptions, Noise},
    http, stdio, unix,
};

use super::Connected;
use crate::{
    Remark, Settings,
    config::{Http, Process, ProtocolChoice, ServerEntry, Transport},
};

/// The variables of a process that does not inherit the whole environment (L33).
const SAFE_VARIABLES: &[&str] = &["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

/// What a server told about itself when it was connected.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Facts {
    /// The protocol version that is spoken with it.
    pub version: ProtocolVersion,
    /// Who it is and what it offers.
    pub discovered: DiscoverResult,
}

impl Facts {
    /// The extensions that a client has to announce to use those of the server: all of them that
    /// are not official ones, without settings of our own.
    pub(super) fn mirrored(&self) -> ExtensionSettings {
        let announced = self.discovered.capabilities.extensions.keys();
        announced
            .filter(|id| id.parse().is_ok_and(|id: ExtensionId| !id.is_reserved()))
            .map(|id| (id.clone(), Default::default()))
            .collect()
    }
}

/// A connection and everything that has to be closed with it.
#[derive(Debug)]
pub(super) struct Open {
    link: Link,
    connected: Connected,
}

#[derive(Debug)]
enum Link {
    Child(Box<stdio::Child>),
    Socket(Connection),
    Http(http::client::Client),
}

impl Open {
    /// Connects and asks the server what it is.
    ///
    /// Some servers are told once, in the beginning, which extensions the client has; with those
    /// the beginning is made twice when it turns out that they have any: nobody can know them
    /// before. All others are told with each request.
    pub(super) async fn new(
        name: &str,
        entry: &ServerEntry,
        settings: &Arc<Settings>,
    ) -> Result<Self, ConnectError> {
        let opening = Opening {
            name,
            entry,
            settings,
            printed: Arc::default(),
        };
        let open = opening.open(ExtensionSettings::new()).await?;
        let extensions = open.connected.facts.mirrored();
        if extensions.is_empty() || !open.link.is_told_once() {
            return Ok(open);
        }
        open.close().await;
        opening.open(extensions).await
    }

    pub(super) fn connected(&self) -> &Connected {
        &self.connected
    }

    /// What users of the connection need; `None` when the server has gone.
    pub(super) fn alive(&self) -> Option<Connected> {
        (!self.link.is_closed()).then(|| self.connected.clone())
    }

    pub(super) async fn close(self) {
        match self.link {
            Link::Child(child) => child.close().await,
            Link::Socket(connection) => connection.close().await,
            Link::Http(client) => client.close().await,
        }
    }
}

impl Link {
    fn service(&self) -> BoxService {
        match self {
            Self::Child(child) => boxed(child.service()),
            Self::Socket(connection) => boxed(connection.service()),
            Self::Http(client) => boxed(client.clone()),
        }
    }

    fn version(&self) -> ProtocolVersion {
        match self {
            Self::Child(child) => child.connection().version(),
            Self::Socket(connection) => connection.version(),
            Self::Http(client) => client.version(),
        }
    }

    /// Whether the server hears who the client is once and not with each request.
    fn is_told_once(&self) -> bool {
        !self.version().is_stateless()
    }

    fn is_closed(&self) -> bool {
        match self {
            Self::Child(child) => child.connection().is_closed(),
            Self::Socket(connection) => connection.is_closed(),
            // Connections come and go; the client looks after them itself.
            Self::Http(_) => false,
        }
    }
}

/// What is needed to open one server, perhaps twice.
struct Opening<'a> {
    name: &'a str,
    entry: &'a ServerEntry,
    settings: &'a Arc<Settings>,
    /// Whether it was said that the server prints text.
    printed: Arc<AtomicBool>,
}

impl Opening<'_> {
    async fn open(&self, extensions: ExtensionSettings) -> Result<Open, ConnectError> {
        let peer = Peer {
            implementation: Some(self.settings.implementation.clone()),
            capabilities: ClientCapabilities {
                extensions,
                ..ClientCapabilities::default()
            },
        };
        let link = match &self.entry.transport {
            Transport::Stdio(process) => {
                let command = self.command(process);
                Link::Child(stdio::connect(&command, self.options(peer)).await?.into())
            }
            Transport::Socket { path } => {
                Link::Socket(unix::connect(path, self.options(peer)).await?)
            }
            Transport::Http(Http { url, headers }) => {
                let options = http::client::Options {
                    headers: headers.clone(),
                    ..http::client::Options::default()
                };
                let options = options
                    .versions(self.versions())
                    .peer(peer)
                    .connect(self.settings.connect);
                Link::Http(http::client::connect(url.as_str(), options).await?)
            }
        };
        let facts = ask(&link, self.settings.connect).await?;
        let connected = Connected {
            service: link.service(),
            facts: Arc::new(facts),
        };
        Ok(Open { link, connected })
    }

    fn command(&self, process: &Process) -> stdio::Command {
        let mut command = stdio::Command::new(&process.command)
            .args(&process.args)
            .envs(&process.env)
            .grace(self.settings.grace);
        if !process.inherit_env {
            command = command.inherit_only(SAFE_VARIABLES);
        }
        if let Some(cwd) = &process.cwd {
            command = command.current_dir(cwd);
        }
        if self.entry.debug {
            let (server, settings) = (self.name.to_owned(), self.settings.clone());
            command = command.stderr(Noise::new(move |text| {
                settings.remark(Remark::ErrorOutput {
                    server: server.clone(),
                    text: text.into(),
                });
            }));
        }
        command
    }

    fn options(&self, peer: Peer) -> ClientOptions {
        let (server, settings) = (self.name.to_owned(), self.settings.clone());
        let printed = self.printed.clone();
        let noise = Noise::new(move |text| {
            if !text.is_empty() && !printed.swap(true, Ordering::Relaxed) {
                settings.remark(Remark::PrintedText {
                    server: server.clone(),
                    text: text.into(),
                });
            }
        });
        let mut options = ClientOptions::default()
            .versions(self.versions())
            .peer(peer);
        options.connect = self.settings.connect;
        options.noise = Some(noise);
        options
    }

    fn versions(&self) -> Versions {
        match self.entry.protocol {
            None | Some(ProtocolChoice::Detect) => Versions::Auto,
            Some(ProtocolChoice::Greet) => Versions::Stateful, // tidy: era
            Some(ProtocolChoice::Current) => Versions::Stateless,
        }
    }
}

/// Asks a server what it is. Links that were told already answer from memory.
async fn ask(link: &Link, limit: Duration) -> Result<Facts, ConnectError> {
    let client = Client::new(link.service());
    let discovered = tokio::time::timeout(limit, client.discover())
        .await
        .map_err(|_| ConnectError::Silent(limit))?
        .map_err(ConnectError::Call)?;
    Ok(Facts {
        version: link.version(),
        discovered,
    })
}
