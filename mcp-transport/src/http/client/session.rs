//! Sessions: what `initialize` agreed on, and how it is agreed on anew when the server forgets.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::{FutureExt, future::WeakShared};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use mcp_core::{
    ProtocolVersion, RequestId, RequestMessage,
    envelope::{encode_notification, encode_request},
    schema::initialize::{INITIALIZED, Initialize},
};
use mcp_ext::{BoxFuture, CallError, Interim};

use super::{
    Shared,
    answer::Awaited,
    beside::{Beside, post_aside},
    endpoint::Body,
    failure::Failure,
};
use crate::{
    ConnectError,
    era::greeting::{self, Greeted},
    http::headers::{PROTOCOL_VERSION, SESSION_ID},
};

/// One session, with an id or without.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) greeted: Greeted,
    /// What every later request carries (V2511-HTTP-031, -036, -037).
    pub(super) headers: HeaderMap,
}

impl Session {
    /// Whether the server has forgotten the session, whatever the body says (V2511-HTTP-033, R32).
    pub(super) fn is_gone(&self, response: &Response<Body>) -> bool {
        response.status() == StatusCode::NOT_FOUND && self.has_id()
    }

    pub(super) fn has_id(&self) -> bool {
        self.headers.contains_key(SESSION_ID)
    }

    /// Introduces this client. When this returns the server knows that nothing more comes before
    /// the first request (R80).
    pub(super) async fn begin(shared: &Shared) -> Result<Self, ConnectError> {
        let endpoint = &shared.endpoint;
        let hello = greeting::hello(&shared.options.peer)
            .map_err(|error| ConnectError::Call(CallError::Params(error)))?;
        let id: RequestId = shared.next_id().into();
        let mut message = Vec::new();
        encode_request(&mut message, &id, Initialize::METHOD, Some(&hello));
        let failed = |failure: Failure| failure.into_connect(Initialize::METHOD);
        let response = endpoint
            .post(&HeaderMap::new(), message)
            .await
            .map_err(failed)?;
        let mut headers = session_id(response.headers())?;
        let awaited = Awaited {
            endpoint,
            id,
            interim: &Interim::none(),
            beside: Some(shared.beside(&headers)),
        };
        let answer = awaited.read(response).await.map_err(failed)?;
        let greeted = Greeted::read(&answer).map_err(ConnectError::Incompatible)?;
        // Older versions do not know the header.
        if greeted.version >= ProtocolVersion::V2025_06_18 {
            let version = HeaderValue::from_static(greeted.version.as_str());
            headers.insert(PROTOCOL_VERSION, version);
        }
        let mut message = Vec::new();
        encode_notification(&mut message, INITIALIZED, None);
        post_aside(endpoint, &headers, message).await;
        Ok(Self { greeted, headers })
    }
}

/// The id that the server gave the session. Only visible ASCII may be in it (V2511-HTTP-029).
fn session_id(headers: &HeaderMap) -> Result<HeaderMap, ConnectError> {
    let mut kept = HeaderMap::new();
    if let Some(id) = headers.get(SESSION_ID) {
        if id.is_empty() || !id.as_bytes().iter().all(u8::is_ascii_graphic) {
            return Err(ConnectError::Incompatible(
                "the server gave the session an id with characters that are not allowed".into(),
            ));
        }
        let mut id = id.clone();
        id.set_sensitive(true);
        kept.insert(SESSION_ID, id);
    }
    Ok(kept)
}

/// How a new beginning ended, for everybody who waited for it.
type Begun = Result<Arc<Session>, Arc<ConnectError>>;
type Beginning = BoxFuture<'static, Begun>;

/// The session in use. However many callers find it gone, one new one is begun.
#[derive(Debug)]
pub(super) struct Sessions(Mutex<State>);

#[derive(Debug)]
struct State {
    current: Arc<Session>,
    /// Only callers keep a beginning alive: when the last one leaves, it is given up.
    beginning: Option<WeakShared<Beginning>>,
}

impl Sessions {
    pub(super) fn new(first: Session) -> Self {
        Self(Mutex::new(State {
            current: Arc::new(first),
            beginning: None,
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn current(&self) -> Arc<Session> {
        self.state().current.clone()
    }

    fn replace(&self, session: &Arc<Session>) {
        self.state().current = session.clone();
    }

    /// The session that takes the place of one that is gone (V2511-HTTP-034).
    pub(super) async fn renew(
        &self,
        gone: &Arc<Session>,
        shared: &Arc<Shared>,
    ) -> Result<Arc<Session>, CallError> {
        let beginning = {
            let mut state = self.state();
            if !Arc::ptr_eq(&state.current, gone) {
                return Ok(state.current.clone());
            }
            match state.beginning.as_ref().and_then(WeakShared::upgrade) {
                Some(beginning) => beginning,
                None => {
                    let beginning = begin_again(shared.clone()).shared();
                    state.beginning = beginning.downgrade();
                    beginning
                }
            }
        };
        beginning.await.map_err(|error| again(&error))
    }
}

fn begin_again(shared: Arc<Shared>) -> Beginning {
    Box::pin(async move {
        let limit = shared.options.connect;
        let begun = tokio::time::timeout(limit, Session::begin(&shared)).await;
        let session = Arc::new(begun.unwrap_or(Err(ConnectError::Silent(limit)))?);
        if let Some(sessions) = shared.sessions() {
            sessions.replace(&session);
        }
        Ok(session)
    })
}

/// What a failed beginning means for a call.
fn again(error: &ConnectError) -> CallError {
    match error {
        ConnectError::Unauthorized { status, challenge } => CallError::Unauthorized {
            status: *status,
            challenge: challenge.clone(),
        },
        other => CallError::Transport(
            format!("the server ended the session and a new one cannot be begun: {other}").into(),
        ),
    }
}

impl Shared {
    /// Where messages go that come beside the answers of a session.
    pub(super) fn beside<'a>(&'a self, headers: &'a HeaderMap) -> Beside<'a> {
        Beside {
            endpoint: &self.endpoint,
            headers,
            hub: &self.hub,
            notifications: &self.options.notifications,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &'static [u8]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(SESSION_ID, HeaderValue::from_bytes(text).unwrap());
        headers
    }

    #[test]
    fn v2511_http_029_030_an_id_is_visible_ascii_and_not_shown() {
        let kept = session_id(&id(b"!secret~")).unwrap();
        assert!(!format!("{kept:?}").contains("secret"));
        for bad in [&b""[..], b"a b", b"a\tb", b"\xffx"] {
            let error = session_id(&id(bad)).unwrap_err();
            assert!(error.to_string().contains("not allowed"), "{error}");
        }
        assert!(session_id(&HeaderMap::new()).unwrap().is_empty());
    }
}
