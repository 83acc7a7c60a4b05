//! Sessions of clients that introduce themselves: a few words each, no task and no buffer.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use futures_util::future::AbortHandle;
use http::{HeaderMap, StatusCode};
use mcp_core::{ErrorObject, RequestId};

use super::{Refusal, reply};
use crate::{era::greeting::Introduced, http::headers::SESSION_ID, sink::Sink};

/// The open sessions by id.
pub(super) struct Sessions {
    state: Mutex<State>,
    most: usize,
    idle: Duration,
}

struct State {
    open: HashMap<String, Arc<Session>>,
    swept: Instant,
}

/// An open stream of change notifications.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) abort: AbortHandle,
    pub(super) sink: Arc<Sink>,
}

impl Stream {
    fn end(&self) {
        self.sink.close();
        self.abort.abort();
    }
}

/// Whoever knows an id has the session: only how many there are is shown.
impl std::fmt::Debug for Sessions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sessions")
            .field("open", &self.len())
            .finish_non_exhaustive()
    }
}

/// One session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) introduced: Mutex<Introduced>,
    /// Requests that can be cancelled.
    in_flight: Mutex<HashMap<RequestId, AbortHandle>>,
    /// The stream of change notifications. Each goes to one stream (V2511-HTTP-023).
    stream: Mutex<Option<Stream>>,
    used: Mutex<Instant>,
}

impl Sessions {
    pub(super) fn new(most: usize, idle: Duration) -> Self {
        let state = State {
            open: HashMap::new(),
            swept: Instant::now(),
        };
        Self {
            state: Mutex::new(state),
            most,
            idle,
        }
    }

    pub(super) fn len(&self) -> usize {
        lock(&self.state).open.len()
    }

    /// Opens a session and gives its id: 144 random bits (V2511-HTTP-028, -029).
    pub(super) fn open(&self, introduced: Introduced) -> Result<String, Refusal> {
        let refuse = |text| Refusal::from(reply::plain(StatusCode::SERVICE_UNAVAILABLE, text));
        let mut random = [0u8; 18];
        getrandom::fill(&mut random).map_err(|_| refuse("no randomness"))?;
        let id = URL_SAFE_NO_PAD.encode(random);
        let now = Instant::now();
        let mut state = lock(&self.state);
        if state.open.len() >= self.most || now - state.swept > self.idle / 4 {
            state
                .open
                .retain(|_, session| !session.is_idle(now, self.idle));
            state.swept = now;
        }
        if state.open.len() >= self.most {
            return Err(refuse("too many sessions"));
        }
        let session = Session {
            introduced: Mutex::new(introduced),
            in_flight: Mutex::default(),
            stream: Mutex::default(),
            used: Mutex::new(now),
        };
        state.open.insert(id.clone(), Arc::new(session));
        Ok(id)
    }

    /// The session that a request names: 400 without a name, 404 for one that is not open
    /// (V2511-HTTP-032, -033; note L7).
    pub(super) fn find(&self, headers: &HeaderMap) -> Result<Arc<Session>, Refusal> {
        let id = name(headers)?;
        let now = Instant::now();
        let mut state = lock(&self.state);
        let idle = |session: &Arc<Session>| session.is_idle(now, self.idle);
        if state.open.get(id).is_some_and(idle) {
            state.open.remove(id);
        }
        let session = state.open.get(id).cloned().ok_or_else(gone)?;
        *lock(&session.used) = now;
        Ok(session)
    }

    /// Ends a session and everything that runs in it.
    pub(super) fn end(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let id = name(headers)?;
        let session = lock(&self.state).open.remove(id).ok_or_else(gone)?;
        for (_, abort) in lock(&session.in_flight).drain() {
            abort.abort();
        }
        if let Some(stream) = lock(&session.stream).take() {
            stream.end();
        }
        Ok(())
    }
}

fn name(headers: &HeaderMap) -> Result<&str, Refusal> {
    let id = headers.get(SESSION_ID).and_then(|id| id.to_str().ok());
    id.ok_or_else(|| {
        let error = ErrorObject::invalid_request(
            "the request says no protocol version in `_meta` and names no session",
        );
        reply::error(StatusCode::BAD_REQUEST, None, &error).into()
    })
}

fn gone() -> Refusal {
    let error = ErrorObject::invalid_request("there is no such session; introduce yourself again");
    reply::error(StatusCode::NOT_FOUND, None, &error).into()
}

impl Session {
    fn is_idle(self: &Arc<Self>, now: Instant, limit: Duration) -> bool {
        // Somebody who holds it reads its change notifications or waits for an answer.
        Arc::strong_count(self) == 1
            && lock(&self.in_flight).is_empty()
            && now - *lock(&self.used) > limit
    }

    /// Notes a request; `false` when its id is in use.
    pub(super) fn begin(&self, id: &RequestId, abort: AbortHandle) -> bool {
        let mut in_flight = lock(&self.in_flight);
        if in_flight.contains_key(id) {
            return false;
        }
        in_flight.insert(id.clone(), abort);
        true
    }

    /// A new stream of change notifications takes the place of an earlier one.
    pub(super) fn replace_stream(&self, stream: Stream) {
        if let Some(earlier) = lock(&self.stream).replace(stream) {
            earlier.end();
        }
    }

    /// Forgets a request.
    pub(super) fn finish(&self, id: &RequestId) {
        lock(&self.in_flight).remove(id);
    }

    /// Cancels a request.
    pub(super) fn cancel(&self, id: &RequestId) {
        if let Some(abort) = lock(&self.in_flight).remove(id) {
            abort.abort();
        }
    }
}

/// Nothing is left half done under these locks, so a panic elsewhere does not spoil them.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
