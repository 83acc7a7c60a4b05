//! The place of one server's connection: empty, being filled, filled, or being emptied.

/// At most one connection, and at most one attempt to make one.
///
/// ```text
///          enter                    finish(Ok)
///   Empty ───────▶ Connecting ─────────────────────▶ Ready
///     ▲              │      │                        │   │ enter finds it dead:
///     │ finish(Err), │      │ close                  │   └─▶ Connecting, the dead one
///     │ last waiter  │      ▼          close         │       goes with the attempt
///     ├──────────────┘   Closing ◀───────────────────┘
///     │     closed          │
///     └─────────────────────┘           retire: closes, and nobody enters any more
/// ```
///
/// `A` is an attempt that is going on, `R` what it yields, `D` a cleanup that is going on. The
/// slot runs none of them: it decides who starts, shares and drops what.
#[derive(Debug)]
pub(super) struct Slot<A, R, D> {
    state: State<A, R, D>,
    /// Tells an attempt or a cleanup from those before it.
    generation: Generation,
    retired: bool,
}

#[derive(Debug)]
enum State<A, R, D> {
    Empty,
    Connecting { attempt: A, waiters: usize },
    Ready(R),
    Closing(D),
}

/// Which attempt or cleanup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Generation(u64);

/// What somebody who wants the connection has to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Enter<T, A, D> {
    /// Use it.
    Ready(T),
    /// Wait for the attempt, and [`leave`](Slot::leave) in the end.
    Wait(Generation, A),
    /// Wait for the cleanup, say that it is [`closed`](Slot::closed) and enter again (L13).
    Closing(Generation, D),
    /// Give up (L24).
    Retired,
}

/// What is left to be cleaned up.
#[derive(Debug)]
pub(super) enum Remains<A, R> {
    /// An attempt that has to be aborted.
    Attempt(A),
    /// A connection that has to be closed.
    Connection(R),
}

impl<A, R, D> Default for Slot<A, R, D> {
    fn default() -> Self {
        Self {
            state: State::Empty,
            generation: Generation(0),
            retired: false,
        }
    }
}

impl<A: Clone, R, D: Clone> Slot<A, R, D> {
    /// Somebody wants the connection. `look` takes what is needed of one that is there, or says
    /// that it is dead (L21). `start` begins an attempt; it is called when there is neither a
    /// connection nor an attempt (L10), with the dead connection to be put away first.
    pub(super) fn enter<T>(
        &mut self,
        look: impl FnOnce(&R) -> Option<T>,
        start: impl FnOnce(Generation, Option<R>) -> A,
    ) -> Enter<T, A, D> {
        if self.retired {
            return Enter::Retired;
        }
        match &mut self.state {
            State::Closing(cleanup) => return Enter::Closing(self.generation, cleanup.clone()),
            State::Connecting { attempt, waiters } => {
                *waiters += 1;
                return Enter::Wait(self.generation, attempt.clone());
            }
            State::Ready(connection) => {
                if let Some(seen) = look(connection) {
                    return Enter::Ready(seen);
                }
            }
            State::Empty => {}
        }
        let dead = match std::mem::replace(&mut self.state, State::Empty) {
            State::Ready(dead) => Some(dead),
            _ => None,
        };
        let generation = self.advance();
        let attempt = start(generation, dead);
        self.state = State::Connecting {
            attempt: attempt.clone(),
            waiters: 1,
        };
        Enter::Wait(generation, attempt)
    }

    /// Somebody does not wait any longer. The attempt comes back, to be dropped, when nobody is
    /// left who wants it (L12).
    pub(super) fn leave(&mut self, generation: Generation) -> Option<A> {
        let State::Connecting { waiters, .. } = &mut self.state else {
            return None;
        };
        if generation != self.generation {
            return None;
        }
        *waiters -= 1;
        if *waiters > 0 {
            return None;
        }
        match std::mem::replace(&mut self.state, State::Empty) {
            State::Connecting { attempt, .. } => Some(attempt),
            _ => None,
        }
    }

    /// An attempt has ended. A connection comes back when nobody waits for it any more: it is
    /// never published (L14).
    pub(super) fn finish(&mut self, generation: Generation, end: Option<R>) -> Option<R> {
        if generation != self.generation || !matches!(self.state, State::Connecting { .. }) {
            return end;
        }
        self.state = end.map_or(State::Empty, State::Ready);
        None
    }

    /// Empties the slot: `clean` begins a cleanup. `None` when there is nothing to wait for. A
    /// second close waits for the same cleanup (L23).
    pub(super) fn close(
        &mut self,
        clean: impl FnOnce(Remains<A, R>) -> D,
    ) -> Option<(Generation, D)> {
        let remains = match std::mem::replace(&mut self.state, State::Empty) {
            State::Empty => return None,
            State::Closing(cleanup) => {
                self.state = State::Closing(cleanup.clone());
                return Some((self.generation, cleanup));
            }
            State::Connecting { attempt, .. } => Remains::Attempt(attempt),
            State::Ready(connection) => Remains::Connection(connection),
        };
        let generation = self.advance();
        let cleanup = clean(remains);
        self.state = State::Closing(cleanup.clone());
        Some((generation, cleanup))
    }

    /// A cleanup has ended.
    pub(super) fn closed(&mut self, generation: Generation) {
        if generation == self.generation && matches!(self.state, State::Closing(_)) {
            self.state = State::Empty;
        }
    }

    /// Nobody enters from now on.
    pub(super) fn retire(&mut self) {
        self.retired = true;
    }

    fn advance(&mut self) -> Generation {
        self.generation.0 += 1;
        self.generation
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Step {
        /// The connection, if there is one, is found alive or dead.
        Enter {
            alive: bool,
        },
        Leave(usize),
        Finish {
            attempt: usize,
            works: bool,
        },
        Close,
        Closed(usize),
        Retire,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            6 => prop::bool::weighted(0.8).prop_map(|alive| Step::Enter { alive }),
            3 => (0..9usize).prop_map(Step::Leave),
            4 => (0..9usize, any::<bool>())
                .prop_map(|(attempt, works)| Step::Finish { attempt, works }),
            2 => Just(Step::Close),
            2 => (0..9usize).prop_map(Step::Closed),
            1 => Just(Step::Retire),
        ]
    }

    /// Follows what happens to every attempt and every connection.
    #[derive(Default)]
    struct World {
        /// Attempts that run, with the number of those who wait for them.
        attempts: BTreeMap<u64, (Generation, usize)>,
        waiting: Vec<(Generation, u64)>,
        cleanups: Vec<(Generation, u64)>,
        /// Connections that are open.
        open: Vec<u64>,
        last: u64,
        retired: bool,
    }

    impl World {
        fn enter(&mut self, slot: &mut Slot<u64, u64, u64>, alive: bool) {
            let last = &mut self.last;
            let (attempts, open) = (&mut self.attempts, &mut self.open);
            let entered = slot.enter(
                |connection| alive.then_some(*connection),
                |generation, dead| {
                    open.retain(|connection| Some(*connection) != dead);
                    *last += 1;
                    attempts.insert(*last, (generation, 0));
                    *last
                },
            );
            assert!(self.attempts.len() <= 1, "two attempts in flight");
            assert_eq!(entered == Enter::Retired, self.retired);
            match entered {
                Enter::Ready(connection) => assert_eq!(self.open, [connection]),
                Enter::Wait(generation, attempt) => {
                    self.attempts.get_mut(&attempt).unwrap().1 += 1;
                    self.waiting.push((generation, attempt));
                }
                Enter::Closing(..) => assert!(!self.cleanups.is_empty()),
                Enter::Retired => {}
            }
        }

        fn leave(&mut self, slot: &mut Slot<u64, u64, u64>, index: usize) {
            if index >= self.waiting.len() {
                return;
            }
            let (generation, attempt) = self.waiting.swap_remove(index);
            let dropped = slot.leave(generation);
            if let Some((_, waiters)) = self.attempts.get_mut(&attempt) {
                *waiters -= 1;
                assert_eq!(
                    dropped.is_some(),
                    *waiters == 0,
                    "an attempt and its waiters part"
                );
            }
            if let Some(dropped) = dropped {
                assert_eq!(dropped, attempt);
                self.attempts.remove(&attempt);
            }
        }

        /// `attempt` may be one that was aborted long ago: it comes too late.
        fn finish(&mut self, slot: &mut Slot<u64, u64, u64>, attempt: u64, works: bool) {
            let Some((generation, _)) = self.attempts.remove(&attempt) else {
                let stale = slot.finish(Generation(0), Some(0));
                assert_eq!(stale, Some(0), "a late connection is never published");
                return;
            };
            let end = works.then_some(attempt);
            assert_eq!(slot.finish(generation, end), None);
            self.open.extend(end);
        }

        fn close(&mut self, slot: &mut Slot<u64, u64, u64>) {
            let (attempts, open) = (&mut self.attempts, &mut self.open);
            let had = attempts.len() + open.len() + self.cleanups.len();
            let closing = slot.close(|remains| match remains {
                Remains::Attempt(attempt) => {
                    attempts.remove(&attempt).unwrap();
                    attempt
                }
                Remains::Connection(connection) => {
                    open.retain(|other| *other != connection);
                    connection
                }
            });
            assert_eq!(closing.is_some(), had > 0);
            if let Some(cleanup) = closing
                && !self.cleanups.contains(&cleanup)
            {
                self.cleanups.push(cleanup);
            }
        }
    }

    proptest! {
        #[test]
        fn one_attempt_one_connection_and_nothing_is_lost(
            steps in prop::collection::vec(step(), 0..80),
        ) {
            let mut slot = Slot::default();
            let mut world = World::default();
            for step in steps {
                match step {
                    Step::Enter { alive } => world.enter(&mut slot, alive),
                    Step::Leave(index) => world.leave(&mut slot, index),
                    Step::Finish { attempt, works } => {
                        world.finish(&mut slot, (world.last + 1).saturating_sub(attempt as u64), works);
                    }
                    Step::Close => world.close(&mut slot),
                    Step::Closed(index) if index < world.cleanups.len() => {
                        let (generation, _) = world.cleanups.swap_remove(index);
                        slot.closed(generation);
                    }
                    Step::Closed(_) => {}
                    Step::Retire => {
                        world.retired = true;
                        slot.retire();
                    }
                }
                let busy = world.attempts.len() + world.open.len() + world.cleanups.len();
                prop_assert!(busy <= 1, "{busy} things in one slot");
            }
            world.close(&mut slot);
            prop_assert!(world.attempts.is_empty() && world.open.is_empty());
        }
    }

    fn start(slot: &mut Slot<u8, u8, u8>) -> Generation {
        match slot.enter(|_| Some(()), |_, _| 1) {
            Enter::Wait(generation, _) => generation,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn l14_a_connection_that_comes_after_a_close_is_given_back() {
        let mut slot = Slot::default();
        let attempt = start(&mut slot);
        let (cleanup, _) = slot.close(|_| 0).unwrap();
        assert_eq!(slot.finish(attempt, Some(7)), Some(7));
        slot.closed(cleanup);
        assert_eq!(slot.finish(attempt, Some(7)), Some(7));
    }

    #[test]
    fn l21_a_dead_connection_goes_with_the_attempt_that_replaces_it() {
        let mut slot: Slot<u8, u8, u8> = Slot::default();
        let attempt = start(&mut slot);
        assert_eq!(slot.finish(attempt, Some(7)), None);
        assert_eq!(slot.enter(|r| Some(*r), |_, _| 2), Enter::Ready(7));
        let entered = slot.enter(
            |_| None::<u8>,
            |_, dead| {
                assert_eq!(dead, Some(7));
                2
            },
        );
        assert!(matches!(entered, Enter::Wait(_, 2)));
    }
}
