//! A directory with a configuration, and the program run in it.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    path::PathBuf,
    process::{Child, ChildStdout, Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Map, Value, json};

use crate::server::{self, Heard};

/// Where everything happens. The server `good` is always there and served by this process.
pub(crate) struct Bench {
    pub(crate) directory: PathBuf,
    pub(crate) heard: Heard,
    servers: Map<String, Value>,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("mcp-cli-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        fs::create_dir_all(&directory).unwrap();
        let socket = directory.join("good");
        let heard = server::start(&socket);
        let bench = Self {
            directory,
            heard,
            servers: Map::new(),
        };
        bench.with("good", json!({ "socket": socket }))
    }

    pub(crate) fn with(mut self, name: &str, entry: Value) -> Self {
        self.servers.insert(name.into(), entry);
        let config = json!({ "mcpServers": self.servers });
        self.write("mcp.json", &config.to_string());
        self
    }

    /// A server that is a shell script.
    pub(crate) fn script(self, name: &str, script: &str) -> Self {
        let file = format!("{name}.sh");
        self.write(&file, script);
        self.with(name, json!({ "command": "sh", "args": [file] }))
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.directory.join(name);
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.directory.join(name)).unwrap()
    }

    /// The program, with nothing of the surroundings that could change what it does.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp"));
        command
            .args(args)
            .current_dir(&self.directory)
            .stdin(Stdio::null());
        command
            .env("HOME", &self.directory)
            .env_remove("XDG_CONFIG_HOME");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        let output = self.command(args).output().unwrap();
        Ended {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    pub(crate) fn check(&self, args: &[&str], stdout: &str) {
        let ended = self.run(args);
        let expected = (Some(0), stdout, "");
        assert_eq!(
            (ended.code, &*ended.stdout, &*ended.stderr),
            expected,
            "{args:?}"
        );
    }

    /// It fails with one sentence on standard error, and the good server is still usable.
    #[track_caller]
    pub(crate) fn check_failure(&self, args: &[&str], code: i32, sentence: &str) {
        let ended = self.run(args);
        let expected = (Some(code), "", format!("mcp: {sentence}\n"));
        assert_eq!(
            (ended.code, &*ended.stdout, ended.stderr),
            expected,
            "{args:?}"
        );
        let good = self.run(&["call", "good", "add", "--arg", "a=1", "--arg", "b=2"]);
        assert_eq!(
            (good.code, &*good.stdout),
            (Some(0), "3\n"),
            "{}",
            good.stderr
        );
    }

    pub(crate) fn start(&self, args: &[&str]) -> Running {
        let mut child = self.command(args).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Running { child, lines }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// The program while it runs.
pub(crate) struct Running {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Running {
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line
    }

    pub(crate) fn interrupt(&self) {
        let pid = Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        kill_process(pid, Signal::INT).unwrap();
    }

    /// Nobody reads standard output any more.
    pub(crate) fn hang_up(self) -> Ended {
        let Self { child, lines } = self;
        drop(lines);
        end(child, String::new())
    }

    /// Waits for the end; the rest of the output comes along.
    pub(crate) fn wait(mut self) -> Ended {
        let mut stdout = String::new();
        self.lines.read_to_string(&mut stdout).unwrap();
        end(self.child, stdout)
    }
}

fn end(mut child: Child, stdout: String) -> Ended {
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    let code = child.wait().unwrap().code();
    Ended {
        code,
        stdout,
        stderr,
    }
}

/// A web server that answers every request alike; its address.
pub(crate) fn web(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n == 1) {
                head.push(byte[0]);
            }
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    format!("http://{address}/mcp")
}
