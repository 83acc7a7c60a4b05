//! The one queue through which all messages of a connection leave.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    task::Waker,
};

use tokio::sync::Notify;

/// Messages on their way out, as the text that will be written: what is pushed first leaves
/// first, and everything that has gathered is written at once.
///
/// Answers are always taken, there is at most one for each request in flight. Notifications are
/// refused while more than `limit` bytes wait.
pub(crate) struct Outbox {
    state: Mutex<State>,
    limit: usize,
    room: Notify,
}

#[derive(Default)]
struct State {
    text: Vec<u8>,
    /// Bytes of answers in `text`.
    answers: usize,
    writer: Option<Waker>,
    closed: bool,
    /// Everything is taken and dropped.
    discarding: bool,
}

/// Messages may hold secrets: only how much waits is shown.
impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbox")
            .field("waiting", &self.state().text.len())
            .finish_non_exhaustive()
    }
}

/// Why a message was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotTaken {
    Full,
    Closed,
}

/// A buffer up to this size is kept, because fresh memory of that size costs more than filling it.
const KEEP: usize = 4 * 1024 * 1024;
/// A larger one than this is kept only while it is needed.
const SMALL: usize = 256 * 1024;

impl Outbox {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            state: Mutex::default(),
            limit,
            room: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one message and a newline. Dropped when nobody will write it any more.
    pub(crate) fn push(&self, encode: impl FnOnce(&mut Vec<u8>)) {
        let mut length = 0;
        let encode = |text: &mut Vec<u8>| {
            let start = text.len();
            encode(text);
            length = text.len() - start;
            true
        };
        // Closed: the connection is gone, and with it whoever wanted this.
        if self.add(usize::MAX, encode).is_ok() {
            self.state().answers += length;
        }
    }

    /// As [`push`](Self::push), unless there is no room. An encoder that returns `false` wrote
    /// nothing.
    pub(crate) fn try_push(
        &self,
        encode: impl FnOnce(&mut Vec<u8>) -> bool,
    ) -> Result<(), NotTaken> {
        self.add(self.limit, encode)
    }

    fn add(&self, limit: usize, encode: impl FnOnce(&mut Vec<u8>) -> bool) -> Result<(), NotTaken> {
        let mut state = self.state();
        if state.closed {
            return Err(NotTaken::Closed);
        }
        if state.discarding {
            return Ok(());
        }
        if state.text.len() >= limit {
            return Err(NotTaken::Full);
        }
        if !encode(&mut state.text) {
            return Ok(());
        }
        state.text.push(b'\n');
        let writer = state.writer.take();
        drop(state);
        if let Some(writer) = writer {
            writer.wake();
        }
        Ok(())
    }

    /// Resolves when there may be room, or when the outbox is closed.
    pub(crate) async fn room(&self) {
        let notified = self.room.notified();
        {
            let state = self.state();
            if state.closed || state.text.len() < self.limit {
                return;
            }
        }
        notified.await;
    }

    /// Whether so many answers wait that no more requests should be read from the peer.
    /// Notifications do not count: who sends them waits for room, and a cancellation must get
    /// through.
    pub(crate) fn is_full(&self) -> bool {
        self.state().answers >= self.limit
    }

    /// Moves what has gathered into `text`, which must be empty; `waker` is woken when more
    /// comes if there was nothing.
    pub(crate) fn take(&self, text: &mut Vec<u8>, waker: &Waker) -> bool {
        let mut state = self.state();
        if state.text.is_empty() {
            state.writer = Some(waker.clone());
            return false;
        }
        let waste = text.capacity() > SMALL && state.text.len() < SMALL;
        if text.capacity() > KEEP || waste {
            *text = Vec::new();
        }
        std::mem::swap(&mut state.text, text);
        state.answers = 0;
        drop(state);
        self.room.notify_waiters();
        true
    }

    /// Nobody reads any more, but whoever writes should not notice.
    #[allow(dead_code, reason = "only sessions of the HTTP server need it")]
    pub(crate) fn discard(&self) {
        let mut state = self.state();
        state.discarding = true;
        state.text = Vec::new();
        drop(state);
        self.room.notify_waiters();
    }

    /// Nothing is taken any more.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        let writer = state.writer.take();
        drop(state);
        self.room.notify_waiters();
        if let Some(writer) = writer {
            writer.wake();
        }
    }
}
