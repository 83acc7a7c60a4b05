//! What can be said on the command line.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

use crate::arguments::Pair;

const EXAMPLES: &str = "\
Examples:
  mcp servers --check                           what is configured, and does it work?
  mcp tools clock                               what can a server do?
  mcp call clock set_alarm --arg label=tea      call a tool
  mcp read clock clock://about                  read a resource
  mcp request clock clock/alarms                call any method
  mcp stream clock clock/ticks                  follow a stream until Ctrl-C

Servers are configured in JSON files; the more specific one wins:
  $XDG_CONFIG_HOME/mcp/mcp.json or ~/.config/mcp/mcp.json, ./mcp.json, ./.mcp.json

  {\"mcpServers\": {
    \"files\": {\"command\": \"mcp-files\", \"args\": [\"/srv\"]},
    \"search\": {\"url\": \"https://example.com/mcp\"}
  }}

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the server wants authorization, 4 bad configuration";

/// Lists, calls and streams from configured MCP servers
#[derive(Debug, Parser)]
#[command(name = "mcp", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    /// Reads this configuration file and no other
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// How results are written
    #[arg(short, long, global = true, value_name = "FORMAT", value_enum)]
    output: Option<Format>,

    /// The same as --output json
    #[arg(short = 'j', long, global = true)]
    json_output: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs: one line of JSON
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Lists the configured servers
    Servers {
        /// Connects to every server and says what it is
        #[arg(long)]
        check: bool,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Lists the tools of a server
    Tools {
        /// Name of the server
        server: String,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Calls a tool and prints its result
    #[command(after_help = CALL_EXAMPLES)]
    Call {
        /// Name of the server
        server: String,
        /// Name of the tool
        tool: String,
        /// One argument, of the type that the tool says: NAME=TEXT, NAME=@FILE for the content of
        /// a file, NAME:=JSON for any JSON value
        #[arg(short, long = "arg", value_name = "NAME=VALUE", action = ArgAction::Append)]
        args: Vec<Pair>,
        /// All arguments as one JSON object
        #[arg(long, value_name = "OBJECT", conflicts_with = "args")]
        json: Option<String>,
    },
    /// Reads a resource and prints its text
    Read {
        /// Name of the server
        server: String,
        /// Which resource
        uri: String,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Calls any method, an extension's too, and prints the result
    #[command(after_help = "Example:\n  mcp request clock clock/alarms --json '{\"limit\": 3}'")]
    Request {
        #[command(flatten)]
        message: Message,
    },
    /// Calls any method and prints its notifications as they come; Ctrl-C cancels it
    #[command(
        after_help = "Example:\n  mcp stream clock clock/ticks --json '{\"interval_ms\": 100}'"
    )]
    Stream {
        #[command(flatten)]
        message: Message,
    },
}

const CALL_EXAMPLES: &str = "\
Examples:
  mcp call clock set_alarm --arg label=tea --arg minutes=3
  mcp call clock set_alarm --json '{\"label\": \"tea\", \"minutes\": 3}'
  mcp call notes add --arg text=@note.txt --arg tags:='[\"a\", \"b\"]'";

#[derive(Debug, Args)]
pub(crate) struct JsonFlag {
    /// The same as --output json
    #[arg(long = "json")]
    json: bool,
}

/// A method of a server and its parameters.
#[derive(Debug, Args)]
pub(crate) struct Message {
    /// Name of the server
    pub(crate) server: String,
    /// Name of the method
    pub(crate) method: String,
    /// The parameters as a JSON object
    #[arg(long, value_name = "OBJECT")]
    pub(crate) json: Option<String>,
}

impl Cli {
    /// Whether the output is for programs.
    pub(crate) fn wants_json(&self) -> bool {
        let flag = match &self.command {
            Command::Servers { json, .. }
            | Command::Tools { json, .. }
            | Command::Read { json, .. } => json.json,
            Command::Call { .. } | Command::Request { .. } | Command::Stream { .. } => false,
        };
        flag || self.json_output || self.output == Some(Format::Json)
    }
}

impl Command {
    /// The server it is about, if it is about one.
    pub(crate) fn server(&self) -> Option<&str> {
        match self {
            Self::Servers { .. } => None,
            Self::Tools { server, .. } | Self::Call { server, .. } | Self::Read { server, .. } => {
                Some(server)
            }
            Self::Request { message } | Self::Stream { message } => Some(&message.server),
        }
    }

    /// Whether it has no end of its own: to cancel it is the usual way out.
    pub(crate) fn is_open_ended(&self) -> bool {
        matches!(self, Self::Stream { .. })
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_fits_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn json_means_output_unless_the_command_takes_arguments() {
        let wants = |line: &str| {
            let words = std::iter::once("mcp").chain(line.split(' '));
            Cli::try_parse_from(words).unwrap().wants_json()
        };
        for line in [
            "servers --json",
            "-j tools x",
            "read x y -o json",
            "call x y -j --json {}",
            "stream x y --json-output",
        ] {
            assert!(wants(line), "{line}");
        }
        for line in [
            "servers",
            "call x y --json {}",
            "stream x y --json {}",
            "tools x -o text",
        ] {
            assert!(!wants(line), "{line}");
        }
    }
}
