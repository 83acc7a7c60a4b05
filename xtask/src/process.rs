//! Starts other programs, and makes sure they end.

use std::{
    ffi::{OsStr, OsString},
    io::{self, BufRead, BufReader, Read},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    thread,
    time::{Duration, Instant},
};

/// Lines a reader thread may be ahead of us; it waits when we are slower.
const LINES_AHEAD: usize = 1024;
/// How often a program that should have ended is asked again.
const POLL: Duration = Duration::from_millis(10);

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum ProcessError {
    #[error("could not start {program}")]
    Start { program: String, source: io::Error },
    #[error("could not wait for {program}")]
    Wait { program: String, source: io::Error },
    #[error("{program} failed with {status}")]
    Failed { program: String, status: ExitStatus },
    #[error("{program} did not say where it listens within {limit:?}")]
    Silent { program: String, limit: Duration },
}

/// A command that reads nothing from our terminal.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null());
    command
}

/// Runs `command` with its output going where ours goes.
pub(crate) fn run(mut command: Command) -> Result<(), ProcessError> {
    let program = describe(&command);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(ProcessError::Failed { program, status }),
        Err(source) => Err(ProcessError::Start { program, source }),
    }
}

/// Runs `command` and answers what it wrote to its standard output.
pub(crate) fn capture(mut command: Command) -> Result<String, ProcessError> {
    let program = describe(&command);
    match command.stderr(Stdio::inherit()).output() {
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Ok(output) => Err(ProcessError::Failed {
            program,
            status: output.status,
        }),
        Err(source) => Err(ProcessError::Start { program, source }),
    }
}

/// Whether `program` can be started with `arguments` and is content with them.
pub(crate) fn works(program: impl AsRef<OsStr>, arguments: &[&str]) -> bool {
    command(program)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Which of its two outputs a program wrote a line to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Stdout,
    Stderr,
}

/// A program in the background whose lines are read as they come.
///
/// Dropping it ends the program.
#[derive(Debug)]
pub(crate) struct Running {
    program: String,
    child: Child,
    lines: Receiver<(Output, String)>,
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Result<Self, ProcessError> {
        let program = describe(&command);
        let spawned = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = match spawned {
            Ok(child) => child,
            Err(source) => return Err(ProcessError::Start { program, source }),
        };
        let (sender, lines) = mpsc::sync_channel(LINES_AHEAD);
        forward(child.stdout.take(), Output::Stdout, sender.clone());
        forward(child.stderr.take(), Output::Stderr, sender);
        Ok(Self {
            program,
            child,
            lines,
        })
    }

    /// The next line, or why there is none before `deadline`.
    pub(crate) fn next_line(
        &self,
        deadline: Instant,
    ) -> Result<(Output, String), RecvTimeoutError> {
        self.lines
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
    }

    /// Waits for the line `listening on URL` and answers the URL.
    pub(crate) fn listening(&self, limit: Duration) -> Result<String, ProcessError> {
        let deadline = Instant::now() + limit;
        while let Ok((_, line)) = self.next_line(deadline) {
            if let Some((_, url)) = line.split_once("listening on ") {
                return Ok(url.trim().to_owned());
            }
        }
        Err(ProcessError::Silent {
            program: self.program.clone(),
            limit,
        })
    }

    /// Stops reading, so that a program that goes on talking is never held up by us.
    pub(crate) fn ignore_output(&mut self) {
        let (_, nothing) = mpsc::sync_channel(0);
        let lines = std::mem::replace(&mut self.lines, nothing);
        thread::spawn(move || lines.into_iter().for_each(drop));
    }

    /// What Ctrl-C sends to a program.
    pub(crate) fn interrupt(&self) -> Result<(), ProcessError> {
        let mut kill = command("kill");
        kill.args(["-INT", &self.child.id().to_string()]);
        run(kill)
    }

    /// The exit status, or `None` if the program still runs at `deadline`.
    pub(crate) fn wait(&mut self, deadline: Instant) -> Result<Option<ExitStatus>, ProcessError> {
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => thread::sleep(POLL),
                Ok(status) => return Ok(status),
                Err(source) => {
                    return Err(ProcessError::Wait {
                        program: self.program.clone(),
                        source,
                    });
                }
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only for a program that has ended already, which is what we want.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends the lines of `pipe` to `sender` until one of the two ends.
fn forward(
    pipe: Option<impl Read + Send + 'static>,
    output: Output,
    sender: SyncSender<(Output, String)>,
) {
    let Some(pipe) = pipe else { return };
    // Nobody joins the thread: it ends with the pipe, which ends with the program.
    thread::spawn(move || {
        for line in BufReader::new(pipe).split(b'\n') {
            let Ok(line) = line else { return };
            let line = String::from_utf8_lossy(&line)
                .trim_end_matches('\r')
                .to_owned();
            if sender.send((output, line)).is_err() {
                return;
            }
        }
    });
}

fn describe(command: &Command) -> String {
    let program = OsString::from(command.get_program());
    let name = std::path::Path::new(&program)
        .file_name()
        .unwrap_or(&program);
    let words = std::iter::once(name).chain(command.get_args());
    words
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}
