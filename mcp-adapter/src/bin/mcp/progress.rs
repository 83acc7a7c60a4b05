//! A bar for calls that say how far they are.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use mcp_core::schema::progress::{PROGRESS, Progress};
use mcp_ext::Notification;

use crate::{terminal::Terminal, text};

/// Longest message beside a bar.
const MESSAGE: usize = 60;
/// The bar counts in whole steps; this many for the whole way.
const STEPS: f64 = 1000.0;

/// Shows progress on a terminal, and nothing anywhere else.
#[derive(Debug)]
pub(crate) struct Meter<'a> {
    terminal: &'a Terminal,
    bar: Option<ProgressBar>,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(terminal: &'a Terminal) -> Self {
        Self {
            terminal,
            bar: None,
        }
    }

    /// Looks at a notification about the call.
    pub(crate) fn hear(&mut self, notification: &Notification) {
        let params = notification.params.as_ref();
        if notification.method.as_str() != PROGRESS || !self.terminal.is_watched() {
            return;
        }
        if let Some(progress) = params.and_then(|params| params.decode().ok()) {
            self.show(&progress);
        }
    }

    fn show(&mut self, progress: &Progress) {
        let terminal = self.terminal;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::new_spinner();
            bar.enable_steady_tick(Duration::from_millis(100));
            terminal.begin_progress(bar.clone());
            bar
        });
        if let Some(share) = share(progress) {
            if bar.length().is_none() {
                bar.set_length(STEPS as u64);
                bar.set_style(bar_style());
            }
            bar.set_position((share * STEPS) as u64);
        }
        if let Some(message) = &progress.message {
            bar.set_message(text::short(message, MESSAGE));
        }
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        self.terminal.end_progress();
    }
}

/// How much of the whole is done, if the whole is known.
fn share(progress: &Progress) -> Option<f64> {
    let total = progress.total.filter(|total| *total > 0.0)?;
    Some((progress.progress / total).clamp(0.0, 1.0))
}

fn bar_style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{bar:30} {percent:>3}% {msg}");
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_numbers_make_no_odd_bars() {
        let share = |progress, total| {
            share(&Progress {
                progress,
                total,
                message: None,
            })
        };
        assert_eq!(share(1.0, Some(4.0)), Some(0.25));
        assert_eq!(share(9.0, Some(4.0)), Some(1.0));
        assert_eq!(share(-1.0, Some(4.0)), Some(0.0));
        assert_eq!((share(1.0, None), share(1.0, Some(0.0))), (None, None));
    }
}
