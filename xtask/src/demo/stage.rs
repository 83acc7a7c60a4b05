//! The servers of the demo, and the configuration that names them.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{self as std_process, Command},
    time::Duration,
};

use serde_json::{Map, Value, json};

use super::DemoError;
use crate::{
    peers::{self, State},
    process::{self, ProcessError, Running},
    workspace::Workspace,
};

/// How long a server may take until it listens.
const START_LIMIT: Duration = Duration::from_secs(20);

/// What the demo is played on. Dropping it ends the servers, then removes the directory.
#[derive(Debug)]
pub(super) struct Stage {
    program: PathBuf,
    config: PathBuf,
    files: PathBuf,
    without_node: Option<String>,
    // Fields are dropped in this order: nothing may run in a directory that is gone.
    _servers: Vec<Running>,
    _directory: Scratch,
}

impl Stage {
    pub(super) fn set(workspace: &Workspace) -> Result<Self, DemoError> {
        let built = workspace.target.join("debug");
        let directory = Scratch::create()?;
        let clock = built.join("examples/clock");
        let (clock_http, url) = listening({
            let mut command = process::command(&clock);
            command.args(["http", "--port", "0"]);
            command
        })?;
        let mut servers = vec![clock_http];
        let mut named = Map::new();
        named.insert(
            "clock".into(),
            json!({ "command": clock, "args": ["stdio"] }),
        );
        named.insert("clock-http".into(), json!({ "url": url }));

        let files = directory.file("files/hello.txt", "A file of the demo.\n")?;
        let files = files.parent().map(Path::to_path_buf).unwrap_or_default();
        let without_node = match peers::install_node(workspace).state {
            State::Ready => {
                let reference = Reference {
                    at: peers::directory(workspace).join("node"),
                };
                let (everything_http, url) = listening(reference.everything_http())?;
                servers.push(everything_http);
                named.insert("everything".into(), reference.everything());
                named.insert("everything-http".into(), json!({ "url": url }));
                named.insert("files".into(), reference.files(&files));
                None
            }
            State::Skipped(reason) => Some(reason.to_owned()),
            State::Failed(error) => Some(error.to_string()),
        };

        let config = json!({ "mcpServers": named });
        Ok(Self {
            program: built.join("mcp"),
            config: directory.file("mcp.json", &format!("{config:#}\n"))?,
            files,
            without_node,
            _servers: servers,
            _directory: directory,
        })
    }

    /// The `mcp` program.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    pub(super) fn config(&self) -> &Path {
        &self.config
    }

    /// The directory the server of files shows.
    pub(super) fn files(&self) -> &Path {
        &self.files
    }

    /// Why the reference servers are missing, if they are.
    pub(super) fn without_node(&self) -> Option<&str> {
        self.without_node.as_deref()
    }
}

/// Starts a server and waits for the line that says where it listens.
fn listening(command: Command) -> Result<(Running, String), ProcessError> {
    let mut server = Running::start(command)?;
    let url = server.listening(START_LIMIT)?;
    server.ignore_output();
    Ok((server, url))
}

/// The installed reference servers.
struct Reference {
    at: PathBuf,
}

impl Reference {
    fn entry(&self, server: &str) -> PathBuf {
        self.at
            .join("node_modules/@modelcontextprotocol")
            .join(server)
            .join("dist/index.js")
    }

    fn everything(&self) -> Value {
        json!({ "command": "node", "args": [self.entry("server-everything"), "stdio"] })
    }

    fn files(&self, directory: &Path) -> Value {
        json!({ "command": "node", "args": [self.entry("server-filesystem"), directory] })
    }

    /// On its own it would listen on every interface.
    fn everything_http(&self) -> Command {
        let mut node = process::command("node");
        node.arg("--import").arg(self.at.join("loopback.mjs"));
        node.arg(self.entry("server-everything"))
            .arg("streamableHttp")
            .env("PORT", "0");
        node
    }
}

/// A directory that is removed when it is dropped.
#[derive(Debug)]
struct Scratch {
    path: PathBuf,
}

impl Scratch {
    fn create() -> Result<Self, DemoError> {
        let path = env::temp_dir().join(format!("mcp-demo-{}", std_process::id()));
        fs::create_dir_all(&path).map_err(at(&path))?;
        // A server of files compares real paths, and the temporary directory may be a link.
        let path = path.canonicalize().map_err(at(&path))?;
        Ok(Self { path })
    }

    fn file(&self, name: &str, text: &str) -> Result<PathBuf, DemoError> {
        let path = self.path.join(name);
        let parent = path.parent().unwrap_or(&self.path);
        fs::create_dir_all(parent).map_err(at(parent))?;
        fs::write(&path, text).map_err(at(&path))?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Left behind, it is one small directory among the temporary files.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> DemoError {
    let path = path.to_path_buf();
    move |source| DemoError::Write { path, source }
}
