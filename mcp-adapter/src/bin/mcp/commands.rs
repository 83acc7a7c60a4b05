//! What each command does.

mod call;
mod read;
mod request;
mod servers;
mod stream;
mod tools;

use mcp_adapter::{Adapter, Server, UseError, config::Config};
use mcp_core::{Json, error::code, schema::tools::Tool};
use mcp_ext::{CallError, Client, Outcome};

use crate::{arguments, cli::Command, failure::Failure, terminal::Terminal};

/// What the commands work with.
#[derive(Debug)]
pub(crate) struct Stage<'a> {
    pub(crate) adapter: &'a Adapter,
    pub(crate) config: &'a Config,
    pub(crate) terminal: &'a Terminal,
    /// How many servers have printed text between their messages.
    pub(crate) printing: &'a std::sync::atomic::AtomicUsize,
}

impl Stage<'_> {
    /// # Cancellation
    /// What the command has asked of a server is cancelled there.
    pub(crate) async fn perform(&self, command: Command) -> Result<(), Failure> {
        match command {
            Command::Servers { check: false, .. } => self.servers(),
            Command::Servers { check: true, .. } => self.check_servers().await,
            Command::Tools { server, .. } => self.tools(&server).await,
            Command::Call {
                server,
                tool,
                args,
                json,
            } => self.call(&server, &tool, &args, json.as_deref()).await,
            Command::Read { server, uri, .. } => self.read(&server, &uri).await,
            Command::Request { message } => self.request(message).await,
            Command::Stream { message } => self.stream(message).await,
        }
    }

    fn server(&self, name: &str) -> Result<&Server, Failure> {
        self.adapter.server(name).map_err(|error| match error {
            UseError::Unknown { .. } if !self.config.failures().is_empty() => {
                Failure::UnknownServer { source: error }
            }
            error => error.into(),
        })
    }

    async fn client(&self, server: &str) -> Result<Client, Failure> {
        Ok(self.server(server)?.client().await?)
    }
}

/// The result of a call that wants one, and nothing else.
fn completed(method: &str, outcome: Outcome) -> Result<Json, CallError> {
    match outcome {
        Outcome::Complete(result) => Ok(result),
        Outcome::InputRequired(input) => Err(CallError::InputRequired(Box::new(input))),
        _ => Err(CallError::InvalidAnswer {
            method: method.into(),
            reason: "it is of a type that this program does not know".into(),
        }),
    }
}

/// The parameters of a method as they came from the command line.
fn parameters(json: Option<&str>) -> Result<Option<Json>, Failure> {
    json.map(arguments::object)
        .transpose()
        .map_err(Failure::Usage)
}

/// All tools; none when the server has no such thing.
async fn list_tools(client: &Client) -> Result<Vec<Tool>, CallError> {
    match client.list_tools().await {
        Err(CallError::Peer(error)) if error.code == code::METHOD_NOT_FOUND => Ok(Vec::new()),
        listed => listed,
    }
}

/// Rows with aligned columns; the last one is not padded.
fn aligned<const N: usize>(rows: &[[String; N]]) -> Vec<String> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<_> = (0..N.saturating_sub(1))
        .map(|c| width(c).unwrap_or(0))
        .collect();
    let line = |row: &[String; N]| {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{cell:<width$}  "));
        }
        line + row.last().map_or("", |last| last.as_str())
    };
    rows.iter()
        .map(|row| line(row).trim_end().to_owned())
        .collect()
}
