//! How long to wait before a stream is opened again.

use std::time::Duration;

/// Grows while nothing comes and starts anew with every message. A server may say where it
/// starts; a stream that it ends at once, over and over, is still opened less and less often.
#[derive(Debug, Default)]
pub(super) struct Pause {
    failures: u32,
    asked: Option<Duration>,
}

const FIRST: Duration = Duration::from_secs(1);
const LEAST: Duration = Duration::from_millis(500);
const MOST: Duration = Duration::from_secs(30);

impl Pause {
    /// A message came: the stream works.
    pub(super) fn progress(&mut self) {
        self.failures = 0;
    }

    /// The server says how long to wait at least.
    pub(super) fn asked(&mut self, retry: Option<Duration>) {
        self.asked = retry.or(self.asked);
    }

    /// How often the stream ended without a message in between.
    pub(super) fn failures(&self) -> u32 {
        self.failures
    }

    /// The next pause.
    pub(super) fn next(&mut self) -> Duration {
        let first = self.asked.map_or(FIRST, |asked| asked.max(LEAST));
        let grown = first.saturating_mul(1 << self.failures.min(8));
        self.failures = self.failures.saturating_add(1);
        grown.min(MOST.max(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(pause: &mut Pause, count: usize) -> Vec<f64> {
        (0..count).map(|_| pause.next().as_secs_f64()).collect()
    }

    #[test]
    fn r39_a_stream_that_always_ends_is_opened_less_and_less() {
        let mut pause = Pause::default();
        assert_eq!(
            seconds(&mut pause, 7),
            [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
        );
        pause.progress();
        assert_eq!(seconds(&mut pause, 2), [1.0, 2.0]);
    }

    #[test]
    fn v2511_http_012_the_server_says_how_long_to_wait() {
        let mut pause = Pause::default();
        pause.asked(Some(Duration::from_secs(3)));
        pause.asked(None);
        assert_eq!(seconds(&mut pause, 2), [3.0, 6.0]);
        pause.asked(Some(Duration::from_secs(90)));
        assert_eq!(seconds(&mut pause, 2), [90.0, 90.0]);
    }

    #[test]
    fn r39_a_retry_of_zero_is_no_reason_to_hurry() {
        let mut pause = Pause::default();
        pause.asked(Some(Duration::ZERO));
        assert_eq!(seconds(&mut pause, 2), [0.5, 1.0]);
    }
}
