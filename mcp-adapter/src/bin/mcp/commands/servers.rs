//! `mcp servers`: what is configured, and with `--check` whether it works.

use futures_util::{StreamExt, stream};
use mcp_adapter::{Server, UseError, config::Transport, server::Facts};
use mcp_ext::CallError;
use serde_json::{Map, Value, json};

use super::{Stage, aligned, list_tools};
use crate::{failure::Failure, text};

/// Servers that are connected to at the same time (L5).
const AT_ONCE: usize = 10;

/// What is known about a server.
enum State {
    Configured,
    Disabled,
    Works(Box<Facts>, usize),
    Fails(UseError),
}

impl Stage<'_> {
    /// Lists what is configured, without connecting to anything.
    pub(super) fn servers(&self) -> Result<(), Failure> {
        let servers = self.adapter.servers();
        let states: Vec<_> = servers.iter().map(configured).collect();
        if self.terminal.wants_json() {
            let list: Vec<_> = servers.iter().zip(&states).map(to_json).collect();
            self.terminal
                .line(&text::compact(&Value::from(list).to_string()))?;
        } else {
            let places = places(servers);
            for (place, state) in places.iter().zip(&states) {
                self.terminal
                    .line(&format!("{place}  {}", sentence(state)))?;
            }
        }
        self.nothing_left_out()
    }

    /// Connects to every server. Each line is printed as soon as it is known.
    pub(super) async fn check_servers(&self) -> Result<(), Failure> {
        let servers = self.adapter.servers();
        let places = places(servers);
        let mut states: Vec<Option<State>> = servers.iter().map(|_| None).collect();
        let mut checks = stream::iter(servers.iter().enumerate())
            .map(async |(index, server)| (index, check(server).await))
            .buffer_unordered(AT_ONCE);
        while let Some((index, state)) = checks.next().await {
            if !self.terminal.wants_json() {
                self.terminal
                    .line(&format!("{}  {}", places[index], sentence(&state)))?;
            }
            states[index] = Some(state);
        }
        let states: Vec<_> = states.into_iter().flatten().collect();
        if self.terminal.wants_json() {
            let list: Vec<_> = servers.iter().zip(&states).map(to_json).collect();
            self.terminal
                .line(&text::compact(&Value::from(list).to_string()))?;
        }
        self.nothing_left_out()?;
        let failed = states
            .iter()
            .filter(|state| matches!(state, State::Fails(_)))
            .count();
        let printing = self.printing.load(std::sync::atomic::Ordering::Relaxed);
        if failed == 0 && printing > 0 {
            return Err(Failure::Printing(printing));
        }
        if failed == 0 {
            return Ok(());
        }
        let checked = states
            .iter()
            .filter(|state| !matches!(state, State::Disabled))
            .count();
        Err(Failure::Unusable { failed, checked })
    }

    /// Files that were left out make the list incomplete.
    fn nothing_left_out(&self) -> Result<(), Failure> {
        match self.config.failures().len() {
            0 => Ok(()),
            count => Err(Failure::LeftOut(count)),
        }
    }
}

fn configured(server: &Server) -> State {
    match server.entry() {
        _ if server.is_disabled() => State::Disabled,
        Ok(_) => State::Configured,
        Err(error) => State::Fails(error.clone().into()),
    }
}

async fn check(server: &Server) -> State {
    if server.is_disabled() {
        return State::Disabled;
    }
    let works = async {
        let facts = server.connect().await?;
        let client = server.client().await?;
        let tools = match facts.discovered.capabilities.tools {
            Some(_) => list_tools(&client)
                .await
                .map_err(|error| failed(server, error))?
                .len(),
            None => 0,
        };
        Ok(State::Works(Box::new((*facts).clone()), tools))
    };
    works.await.unwrap_or_else(State::Fails)
}

fn failed(server: &Server, error: CallError) -> UseError {
    UseError::call(server.name(), error)
}

/// Name, transport and where it is, aligned and ready for another column.
fn places(servers: &[Server]) -> Vec<String> {
    let rows = servers.iter().map(|server| {
        let (transport, at) = place(server);
        [
            text::one_line(server.name()),
            transport.into(),
            text::one_line(&at),
            "|".into(),
        ]
    });
    let lines = aligned(&rows.collect::<Vec<_>>());
    lines
        .into_iter()
        .map(|line| line.trim_end_matches("  |").to_owned())
        .collect()
}

/// How and where a server is reached. The path of a URL and the arguments of a program are where
/// people keep secrets: they are not shown.
fn place(server: &Server) -> (&'static str, String) {
    match server.entry().map(|entry| &entry.transport) {
        Ok(Transport::Stdio(process)) => ("stdio", process.command.clone()),
        Ok(Transport::Http(http)) => ("http", http.url.origin().ascii_serialization()),
        Ok(Transport::Socket { path }) => ("socket", path.display().to_string()),
        Err(_) => ("-", "-".into()),
    }
}

fn sentence(state: &State) -> String {
    match state {
        State::Configured => "enabled".into(),
        State::Disabled => "disabled".into(),
        State::Fails(error) => text::one_line(&error.to_string()),
        State::Works(facts, tools) => {
            let who = facts.discovered.server_info().map(|info| {
                format!(
                    ", {} {}",
                    text::one_line(&info.name),
                    text::one_line(&info.version)
                )
            });
            let tools = match tools {
                1 => "1 tool".into(),
                count => format!("{count} tools"),
            };
            let extensions = facts.discovered.capabilities.extensions.keys();
            let extensions: Vec<_> = extensions.map(|id| text::one_line(id)).collect();
            let extensions = match &extensions[..] {
                [] => String::new(),
                ids => format!(", extensions {}", ids.join(" ")),
            };
            format!(
                "ok, {}{}, {tools}{extensions}",
                facts.version,
                who.unwrap_or_default()
            )
        }
    }
}

fn to_json((server, state): (&Server, &State)) -> Value {
    let (transport, at) = place(server);
    let mut object = Map::new();
    object.insert("name".into(), server.name().into());
    object.insert("transport".into(), transport.into());
    object.insert("where".into(), at.into());
    let (word, more) = match state {
        State::Configured => ("enabled", json!({})),
        State::Disabled => ("disabled", json!({})),
        State::Fails(error) => ("failed", json!({ "error": error.to_string() })),
        State::Works(facts, tools) => (
            "ok",
            json!({
                "protocolVersion": facts.version.as_str(),
                "serverInfo": facts.discovered.server_info(),
                "tools": tools,
                "extensions": facts.discovered.capabilities.extensions.keys().collect::<Vec<_>>(),
            }),
        ),
    };
    object.insert("state".into(), word.into());
    if let Value::Object(more) = more {
        object.extend(more);
    }
    Value::Object(object)
}
