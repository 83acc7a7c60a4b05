//! Who waits for which answer. Every waiter is released exactly once.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use mcp_core::{Json, RequestId};
use mcp_ext::{CallError, Notification};
use tokio::sync::{mpsc, oneshot};

/// The answer to one request.
pub(crate) type Answer = Result<Json, CallError>;

/// Notifications of one request that wait for its caller. A caller that falls further behind
/// loses the call: the reader of a shared channel does not wait for it.
pub(crate) const BACKLOG: usize = 65_536;

/// What comes for a request whose caller listens to its notifications, in order.
#[derive(Debug)]
pub(crate) enum Event {
    Notification(Notification),
    Answer(Answer),
}

#[derive(Debug)]
enum Waiter {
    Answer(oneshot::Sender<Answer>),
    Events(mpsc::Sender<Event>),
}

/// The receiving end of a waiter.
#[derive(Debug)]
pub(crate) enum Waiting {
    Answer(oneshot::Receiver<Answer>),
    Events(mpsc::Receiver<Event>),
}

/// The waiters of one connection, by the id of their request.
#[derive(Debug, Default)]
pub(crate) struct Waiters(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    last: i64,
    waiting: HashMap<i64, Waiter>,
    /// Why nobody answers any more.
    closed: Option<Option<String>>,
}

impl Waiters {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new id and its waiter. Ids are never used again on the same connection (V2511-BASE-003).
    pub(crate) fn add(&self, events: bool) -> Result<(i64, Waiting), CallError> {
        let mut state = self.state();
        if let Some(reason) = &state.closed {
            return Err(CallError::Closed(reason.clone()));
        }
        state.last += 1;
        let (waiter, waiting) = if events {
            let (sender, receiver) = mpsc::channel(BACKLOG);
            (Waiter::Events(sender), Waiting::Events(receiver))
        } else {
            let (sender, receiver) = oneshot::channel();
            (Waiter::Answer(sender), Waiting::Answer(receiver))
        };
        let id = state.last;
        state.waiting.insert(id, waiter);
        Ok((id, waiting))
    }

    /// Removes a waiter whose caller has gone. Whether it was still waiting.
    pub(crate) fn remove(&self, id: i64) -> bool {
        self.state().waiting.remove(&id).is_some()
    }

    /// Whether somebody waits for the answer to this request.
    pub(crate) fn is_waiting(&self, id: &RequestId) -> bool {
        number(id).is_some_and(|id| self.state().waiting.contains_key(&id))
    }

    /// Releases the waiter of an id with its answer. An answer that nobody waits for is dropped:
    /// it came late (V26-CANC-015).
    pub(crate) fn answer(&self, id: &RequestId, answer: Answer) {
        let waiter = number(id).and_then(|id| self.state().waiting.remove(&id));
        match waiter {
            Some(Waiter::Answer(sender)) => drop(sender.send(answer)),
            // A full backlog: dropping the sender tells the caller that it fell behind.
            Some(Waiter::Events(sender)) => drop(sender.try_send(Event::Answer(answer))),
            None => {}
        }
    }

    /// Releases the only waiter. An answer without an id can belong to nobody else.
    pub(crate) fn answer_only(&self, answer: Answer) {
        let only = {
            let state = self.state();
            (state.waiting.len() == 1)
                .then(|| state.waiting.keys().next().copied())
                .flatten()
        };
        if let Some(id) = only {
            self.answer(&id.into(), answer);
        }
    }

    /// Hands a notification to its request. One that nobody waits for is dropped. `false` when its
    /// caller has fallen too far behind and has lost the call.
    pub(crate) fn notify(&self, id: &RequestId, notification: Notification) -> bool {
        let Some(id) = number(id) else { return true };
        let mut state = self.state();
        let Some(Waiter::Events(sender)) = state.waiting.get(&id) else {
            return true;
        };
        let kept = sender.try_send(Event::Notification(notification)).is_ok();
        if !kept {
            state.waiting.remove(&id);
        }
        kept
    }

    /// Releases everybody: the connection is gone.
    pub(crate) fn close(&self, reason: Option<&str>) {
        let mut state = self.state();
        let waiting = std::mem::take(&mut state.waiting);
        state.closed.get_or_insert(reason.map(Into::into));
        drop(state);
        for waiter in waiting.into_values() {
            let closed = Err(CallError::Closed(reason.map(Into::into)));
            match waiter {
                Waiter::Answer(sender) => drop(sender.send(closed)),
                Waiter::Events(sender) => drop(sender.try_send(Event::Answer(closed))),
            }
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state().closed.is_some()
    }
}

fn number(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Integer(n) => i64::try_from(*n).ok(),
        RequestId::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Step {
        Add(bool),
        Remove(i64),
        Answer(i64),
        Close,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => any::<bool>().prop_map(Step::Add),
            2 => (1..20i64).prop_map(Step::Remove),
            4 => (1..20i64).prop_map(Step::Answer),
            1 => Just(Step::Close),
        ]
    }

    proptest! {
        #[test]
        fn every_waiter_is_released_exactly_once(steps in prop::collection::vec(step(), 0..60)) {
            let waiters = Waiters::default();
            let mut open = Vec::new();
            for step in steps {
                match step {
                    Step::Add(events) => open.extend(waiters.add(events).ok()),
                    Step::Remove(id) => { waiters.remove(id); }
                    Step::Answer(id) => waiters.answer(&id.into(), Ok(Json::empty_object())),
                    Step::Close => waiters.close(None),
                }
            }
            waiters.close(None);
            for (_, waiting) in open {
                match waiting {
                    // An error means removed by its own caller; an answer came once.
                    Waiting::Answer(mut receiver) => prop_assert!(
                        !matches!(receiver.try_recv(), Err(oneshot::error::TryRecvError::Empty))
                    ),
                    Waiting::Events(mut receiver) => {
                        let mut answers = 0;
                        while let Ok(Event::Answer(_)) = receiver.try_recv() {
                            answers += 1;
                        }
                        prop_assert!(answers <= 1);
                        prop_assert_eq!(
                            receiver.try_recv().unwrap_err(),
                            mpsc::error::TryRecvError::Disconnected
                        );
                    }
                }
            }
        }
    }
}
