//! A child process as a server.

use std::{
    collections::{BTreeMap, VecDeque},
    path::PathBuf,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    process,
    task::JoinHandle,
};

use crate::{
    ConnectError, Connection, Link, Versions,
    duplex::{ClientOptions, Noise, connect as connect_duplex},
};

/// How to start a server.
#[derive(Clone)]
pub struct Command {
    program: String,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    inherit: Option<Vec<&'static str>>,
    cwd: Option<PathBuf>,
    grace: Duration,
    stderr: Option<Noise>,
}

impl Command {
    /// A program, looked up in `PATH`.
    pub fn new(program: impl Into<String>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: BTreeMap::new(),
            inherit: None,
            cwd: None,
            grace: Duration::from_secs(2),
            stderr: None,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets environment variables on top of the inherited ones.
    #[must_use]
    pub fn envs<K: Into<String>, V: Into<String>>(
        mut self,
        vars: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        self.env.extend(
            vars.into_iter()
                .map(|(key, value)| (key.into(), value.into())),
        );
        self
    }

    /// Inherits only these variables; by default the child gets the whole environment.
    #[must_use]
    pub fn inherit_only(mut self, names: &[&'static str]) -> Self {
        self.inherit = Some(names.to_vec());
        self
    }

    /// Starts in this folder.
    #[must_use]
    pub fn current_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.cwd = Some(dir.into());
        self
    }

    /// How long the child may take to end after its input is closed, and again after SIGTERM.
    /// 2 s by default.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Called with each line that the child writes to standard error. The last lines are kept for
    /// error texts either way.
    #[must_use]
    pub fn stderr(mut self, noise: Noise) -> Self {
        self.stderr = Some(noise);
        self
    }

    fn spawn(&self) -> Result<Process, ConnectError> {
        if let Some(dir) = &self.cwd
            && !dir.is_dir()
        {
            let what = if dir.exists() {
                "is not a directory"
            } else {
                "does not exist"
            };
            return Err(ConnectError::Invalid(format!(
                "folder {} {what}",
                dir.display()
            )));
        }
        let mut command = process::Command::new(&self.program);
        command
            .args(&self.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(names) = &self.inherit {
            command.env_clear();
            command.envs(
                names
                    .iter()
                    .filter_map(|name| Some((*name, std::env::var_os(name)?))),
            );
        }
        command.envs(&self.env);
        if let Some(dir) = &self.cwd {
            command.current_dir(dir);
        }
        // A group of its own: what a wrapper starts ends with it, and Ctrl-C is ours to translate.
        command.process_group(0).kill_on_drop(true);
        let mut child = command.spawn().map_err(|source| ConnectError::Start {
            command: self.program.clone(),
            source,
        })?;
        let tail = Arc::new(Mutex::new(Tail::default()));
        let stderr = child.stderr.take().expect("standard error is piped");
        let stderr = tokio::spawn(drain(stderr, tail.clone(), self.stderr.clone()));
        let group = child
            .id()
            .and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        Ok(Process {
            child,
            group,
            tail,
            stderr,
            grace: self.grace,
        })
    }
}

/// Arguments and variables may be secrets.
impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Command")
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}

/// A server in a child process. Dropping it and every clone of its service kills the process;
/// [`close`](Self::close) lets it end by itself first.
#[derive(Debug)]
pub struct Child {
    connection: Connection,
    process: Process,
}

/// Starts a server and connects to it.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_ext::Client;
/// use mcp_transport::stdio::{Command, connect};
///
/// let child = connect(&Command::new("my-server").args(["stdio"]), Default::default()).await?;
/// let tools = Client::new(child.service()).list_tools().await?;
/// child.close().await;
/// # Ok(()) }
/// ```
///
/// # Errors
/// See [`ConnectError`]; a server that ends instead of answering is quoted with the last lines it
/// wrote to standard error.
pub async fn connect(command: &Command, options: ClientOptions) -> Result<Child, ConnectError> {
    let mut process = command.spawn()?;
    match process.connect(options.clone()).await {
        // Some older servers end when they are asked something they do not know: once more
        // without the question.
        Err(ConnectError::Closed(_))
            if options.versions == Versions::Auto && process.has_ended().await =>
        {
            process.end().await;
            process = command.spawn()?;
            let options = options.versions(Versions::Stateful);
            finish(process.connect(options).await, process).await
        }
        connected => finish(connected, process).await,
    }
}

async fn finish(
    connected: Result<Connection, ConnectError>,
    mut process: Process,
) -> Result<Child, ConnectError> {
    match connected {
        Ok(connection) => Ok(Child {
            connection,
            process,
        }),
        Err(error) => {
            let status = process.end().await;
            let tail = process
                .tail
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .quote();
            Err(match error {
                ConnectError::Closed(_) => ConnectError::Closed(format!("{status}{tail}")),
                ConnectError::Silent(limit) if !tail.is_empty() => ConnectError::Incompatible(
                    format!("the server did not answer within {limit:?}{tail}"),
                ),
                other => other,
            })
        }
    }
}

impl Child {
    /// The service to call.
    pub fn service(&self) -> Link {
        self.connection.service()
    }

    /// The connection.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The last lines that the server wrote to standard error, for error texts; empty when there
    /// are none.
    pub fn last_words(&self) -> String {
        self.process
            .tail
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .quote()
    }

    /// Closes the connection and waits for the process: its input is closed, after the grace
    /// period it gets SIGTERM, and after another one SIGKILL, each with its whole process group
    /// (V26-STD-012).
    pub async fn close(mut self) {
        self.connection.close().await;
        self.process.end().await;
    }
}

#[derive(Debug)]
struct Process {
    child: process::Child,
    /// The process group, until it has been ended.
    group: Option<Pid>,
    tail: Arc<Mutex<Tail>>,
    stderr: JoinHandle<()>,
    grace: Duration,
}

impl Process {
    async fn connect(&mut self, mut options: ClientOptions) -> Result<Connection, ConnectError> {
        let writer = self
            .child
            .stdin
            .take()
            .expect("standard input is piped and taken once");
        let reader = self
            .child
            .stdout
            .take()
            .expect("standard output is piped and taken once");
        let (tail, noise) = (self.tail.clone(), options.noise.take());
        options.noise = Some(Noise::new(move |line| {
            tail.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(&format!("(on stdout) {line}"));
            if let Some(noise) = &noise {
                noise.report(line.as_bytes());
            }
        }));
        connect_duplex(reader, writer, options).await
    }

    /// Whether the process has ended by itself.
    async fn has_ended(&mut self) -> bool {
        matches!(
            tokio::time::timeout(self.grace, self.child.wait()).await,
            Ok(Ok(_))
        )
    }

    /// Ends the process and its group, and says how it ended.
    async fn end(&mut self) -> String {
        let group = self.group.take();
        let mut status = tokio::time::timeout(self.grace, self.child.wait()).await;
        for signal in [Signal::TERM, Signal::KILL] {
            if status.is_ok() {
                break;
            }
            signal_group(group, signal);
            status = tokio::time::timeout(self.grace, self.child.wait()).await;
        }
        // Whatever the server started and left behind.
        signal_group(group, Signal::KILL);
        // The pipe is closed by now, unless something escaped from the group.
        let _ = tokio::time::timeout(Duration::from_millis(100), &mut self.stderr).await;
        match status {
            Ok(Ok(status)) => format!(" ({status})"),
            _ => String::new(),
        }
    }
}

/// A dropped process takes its group along.
impl Drop for Process {
    fn drop(&mut self) {
        let group = self.group.take();
        signal_group(group, Signal::KILL);
        self.stderr.abort();
    }
}

fn signal_group(group: Option<Pid>, signal: Signal) {
    if let Some(group) = group {
        // It may be gone already.
        let _ = kill_process_group(group, signal);
    }
}

/// The last lines of standard error.
#[derive(Debug, Default)]
struct Tail(VecDeque<String>);

impl Tail {
    const LINES: usize = 3;
    const LENGTH: usize = 500;

    fn push(&mut self, line: &str) {
        let clean: String = line
            .chars()
            .take(Self::LENGTH)
            .filter(|c| !c.is_control() || *c == '\t')
            .collect();
        if clean.trim().is_empty() {
            return;
        }
        if self.0.len() == Self::LINES {
            self.0.pop_front();
        }
        self.0.push_back(clean);
    }

    fn quote(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let lines: Vec<_> = self.0.iter().map(|line| line.trim()).collect();
        format!("; it said: {}", lines.join(" | "))
    }
}

/// Reads standard error to its end, so that the server never blocks on it, and keeps the last
/// lines. A line without an end is cut.
async fn drain(stderr: impl AsyncRead + Unpin, tail: Arc<Mutex<Tail>>, noise: Option<Noise>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        let (used, ended) = match reader.fill_buf().await {
            Ok([]) | Err(_) => break,
            Ok(bytes) => match memchr::memchr(b'\n', bytes) {
                Some(at) => {
                    line.extend_from_slice(&bytes[..at]);
                    (at + 1, true)
                }
                None => {
                    line.extend_from_slice(bytes);
                    (bytes.len(), false)
                }
            },
        };
        reader.consume(used);
        if ended || line.len() > 8 * 1024 {
            report(&line, &tail, noise.as_ref());
            line.clear();
        }
    }
    report(&line, &tail, noise.as_ref());
}

fn report(line: &[u8], tail: &Mutex<Tail>, noise: Option<&Noise>) {
    let text = String::from_utf8_lossy(line);
    if let Some(noise) = noise.filter(|_| !text.trim().is_empty()) {
        noise.report(line);
    }
    tail.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(&text);
}
