//! Runs one command in front of the audience.

use std::{
    sync::mpsc::RecvTimeoutError,
    time::{Duration, Instant},
};

use super::stage::Stage;
use crate::process::{self, Output, ProcessError, Running};

/// How many lines of one command are shown.
const SHOWN_LINES: usize = 12;
const COMMAND_LIMIT: Duration = Duration::from_secs(30);
/// How long a stream may take for the lines that are waited for, and then for its end.
const STREAM_LIMIT: Duration = Duration::from_secs(10);

/// A command line for the `mcp` program and how it is expected to end.
#[derive(Debug)]
pub(super) struct Command {
    arguments: Vec<String>,
    expected: i32,
    interrupt: Option<usize>,
}

impl Command {
    pub(super) fn new<const N: usize>(arguments: [&str; N]) -> Self {
        let arguments = arguments.map(str::to_owned).to_vec();
        Self {
            arguments,
            expected: 0,
            interrupt: None,
        }
    }

    pub(super) fn argument(mut self, argument: String) -> Self {
        self.arguments.push(argument);
        self
    }

    /// The exit code that is right for it, instead of 0.
    pub(super) fn ends_with(mut self, code: i32) -> Self {
        self.expected = code;
        self
    }

    /// Presses Ctrl-C once it has printed so many lines; it has to say that it was cancelled.
    pub(super) fn interrupted_after(mut self, lines: usize) -> Self {
        self.interrupt = Some(lines);
        self
    }
}

/// One command on its way.
#[derive(Debug)]
pub(super) struct Show<'a> {
    stage: &'a Stage,
    printed: usize,
    received: usize,
    cancelled: bool,
}

impl<'a> Show<'a> {
    pub(super) fn new(stage: &'a Stage) -> Self {
        Self {
            stage,
            printed: 0,
            received: 0,
            cancelled: false,
        }
    }

    /// Whether the command ended as expected.
    pub(super) fn run(mut self, command: &Command) -> Result<bool, ProcessError> {
        println!(
            "$ mcp {}",
            command
                .arguments
                .iter()
                .map(|a| quoted(a))
                .collect::<Vec<_>>()
                .join(" ")
        );
        let mut mcp = process::command(self.stage.program());
        mcp.arg("--config")
            .arg(self.stage.config())
            .args(&command.arguments);
        let mut running = Running::start(mcp)?;

        if let Some(lines) = command.interrupt {
            self.follow(&running, Instant::now() + STREAM_LIMIT, lines);
            running.interrupt()?;
            println!("  ^C");
        }
        let limit = if command.interrupt.is_some() {
            STREAM_LIMIT
        } else {
            COMMAND_LIMIT
        };
        let deadline = Instant::now() + limit;
        self.follow(&running, deadline, usize::MAX);
        if self.printed > SHOWN_LINES {
            println!("  … {} more lines", self.printed - SHOWN_LINES);
        }
        let status = running.wait(deadline)?;
        Ok(self.judge(command, status.map(|status| status.code())))
    }

    /// Shows lines until the program has ended, `deadline`, or `lines` of standard output.
    fn follow(&mut self, running: &Running, deadline: Instant, lines: usize) {
        while self.received < lines {
            match running.next_line(deadline) {
                Ok((output, line)) => self.line(output, &line),
                Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout) => return,
            }
        }
    }

    fn line(&mut self, output: Output, line: &str) {
        match output {
            Output::Stdout => self.received += 1,
            Output::Stderr => self.cancelled |= line.contains("cancelled"),
        }
        self.printed += 1;
        if self.printed <= SHOWN_LINES {
            println!("  {}", line.trim_end());
        }
    }

    fn judge(&self, command: &Command, code: Option<Option<i32>>) -> bool {
        let mut complaints = Vec::new();
        match code {
            Some(Some(code)) if code == command.expected => {}
            Some(Some(code)) => complaints.push(format!("exit code {code}")),
            Some(None) => complaints.push("ended by a signal".to_owned()),
            None => complaints.push("did not end in time".to_owned()),
        }
        if let Some(lines) = command.interrupt {
            if self.received < lines {
                complaints.push(format!("only {} of {lines} lines came", self.received));
            }
            if !self.cancelled {
                complaints.push("does not say that it was cancelled".to_owned());
            }
        }
        if complaints.is_empty() {
            if command.expected != 0 {
                println!("  (exit code {}, as it should be)", command.expected);
            }
            return true;
        }
        println!(
            "  UNEXPECTED: {} (wanted exit code {})",
            complaints.join(", "),
            command.expected
        );
        false
    }
}

/// The argument as one would type it.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=/.:@%+,".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn arguments_are_quoted_when_a_shell_would_read_them_otherwise() {
        assert_eq!(quoted("label=tea"), "label=tea");
        assert_eq!(quoted(r#"{"a":1}"#), r#"'{"a":1}'"#);
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
