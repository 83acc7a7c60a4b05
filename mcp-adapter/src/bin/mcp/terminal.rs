//! Everything that is printed.

use std::{
    io::{self, IsTerminal, Write},
    sync::{Mutex, MutexGuard, PoisonError},
};

use indicatif::ProgressBar;

use crate::{failure::Failure, text};

/// Standard output for results, standard error for the rest.
#[derive(Debug)]
pub(crate) struct Terminal {
    json: bool,
    bar: Mutex<Option<ProgressBar>>,
}

impl Terminal {
    pub(crate) fn new(json: bool) -> Self {
        Self {
            json,
            bar: Mutex::default(),
        }
    }

    /// Whether the output is for programs.
    pub(crate) fn wants_json(&self) -> bool {
        self.json
    }

    /// Prints a line of our own making at once. Parts that others wrote are escaped already.
    pub(crate) fn line(&self, line: &str) -> Result<(), Failure> {
        self.write(&format!("{line}\n"))
    }

    /// Prints a text that others wrote, as people may see it.
    pub(crate) fn block(&self, text: &str) -> Result<(), Failure> {
        let mut text = text::block(text);
        if !text.ends_with('\n') {
            text.push('\n');
        }
        self.write(&text)
    }

    fn write(&self, text: &str) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        let written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush());
        written.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::PipeClosed,
            _ => Failure::Output(error),
        })
    }

    /// Says something that stops nothing.
    pub(crate) fn warn(&self, text: &str) {
        self.say(&format!("warning: {}", text::one_line(text)));
    }

    /// Says why the program ends, in one sentence; to programs in JSON as well.
    pub(crate) fn failure(&self, failure: &Failure) {
        match failure {
            Failure::PipeClosed => return,
            Failure::Cancelled { .. } => self.say("cancelled"),
            // What the tool says may be longer than a line.
            Failure::Tool { .. } => {
                self.say(&format!(
                    "mcp: {}",
                    text::block(failure.to_string().trim_end())
                ));
            }
            _ => self.say(&format!("mcp: {}", text::one_line(&failure.to_string()))),
        }
        if self.json && failure.exit_code() != 0 {
            self.say(&text::compact(&failure.to_json().to_string()));
        }
    }

    /// A line on standard error, above a bar that is shown. A standard error that nobody reads
    /// stops nothing.
    fn say(&self, line: &str) {
        let print = || drop(writeln!(io::stderr().lock(), "{line}"));
        match &*self.bar() {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Whether there is somebody who could watch a bar.
    pub(crate) fn is_watched(&self) -> bool {
        io::stderr().is_terminal()
    }

    /// Shows a bar until [`end_progress`](Self::end_progress).
    pub(crate) fn begin_progress(&self, bar: ProgressBar) {
        *self.bar() = Some(bar);
    }

    /// Clears the bar, if there is one.
    pub(crate) fn end_progress(&self) {
        if let Some(bar) = self.bar().take() {
            bar.finish_and_clear();
        }
    }

    fn bar(&self) -> MutexGuard<'_, Option<ProgressBar>> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
