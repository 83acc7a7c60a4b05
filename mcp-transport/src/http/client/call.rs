//! One call: its POST, its answer, and what happens when the caller leaves.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue};
use mcp_core::{
    Json, ProgressToken, ProtocolVersion, RequestId, RequestMessage,
    envelope::{encode_notification, encode_request},
    header::{encode, name_param},
    schema::{
        discover::Discover,
        progress::{CANCELLED, Cancelled},
        subscriptions::Listen,
    },
};
use mcp_ext::{CallError, Outcome, Peer, Request};
use tokio::runtime::Handle as Runtime;

use super::{
    Handle, Shared, Spoken,
    answer::Awaited,
    beside::post_aside,
    failure::Failure,
    session::{Session, Sessions},
};
use crate::{
    era::{listening, stamp},
    http::headers::{METHOD, NAME, PROTOCOL_VERSION},
};

impl Handle {
    pub(super) async fn call(&self, request: Request) -> Result<Outcome, CallError> {
        let closed = || CallError::Closed(Some("this client was closed".into()));
        let shared = &self.shared;
        if shared.is_closed() {
            return Err(closed());
        }
        let sessions = match shared.spoken.get() {
            Some(Spoken::Greeted(sessions)) => sessions,
            Some(Spoken::Stateless(version)) => return shared.send(request, *version).await,
            None => return Err(closed()),
        };
        match request.method.as_str() {
            Discover::METHOD => Ok(Outcome::Complete(
                sessions.current().greeted.discovered.clone(),
            )),
            Listen::METHOD => {
                let mut open = self.push.listen(shared);
                open.ready().await;
                listening::listen(&shared.hub, &request).await?;
                Err(closed())
            }
            _ => shared.send_in_session(&request, sessions).await,
        }
    }
}

/// The headers that mirror the body of a stateless request (V26-HTTP-027, -028, -033 to -035).
pub(super) fn stateless_headers(
    version: ProtocolVersion,
    method: &str,
    params: Option<&Json>,
) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut put = |name: &'static str, text: &str| {
        let value = HeaderValue::from_str(&encode(text)).expect("encoded for a header");
        headers.insert(name, value);
    };
    put(PROTOCOL_VERSION, version.as_str());
    put(METHOD, method);
    let name = name_param(method).and_then(|param| params?.member(param)?.decode::<String>().ok());
    if let Some(name) = name {
        put(NAME, &name);
    }
    headers
}

impl Shared {
    /// Sends a request that carries everything with it. Dropping the future drops the response,
    /// which cancels the request (V26-HTTP-024).
    async fn send(
        &self,
        mut request: Request,
        version: ProtocolVersion,
    ) -> Result<Outcome, CallError> {
        if *request.context.peer == Peer::default() {
            request.context.peer = self.options.peer.clone();
        }
        let method = request.method.as_str();
        let awaited = Awaited {
            endpoint: &self.endpoint,
            id: self.next_id().into(),
            interim: &request.interim,
            beside: None,
        };
        let token = token(&request, &awaited.id);
        let params = stamp::write_request(&request, version, token.as_ref());
        let headers = stateless_headers(version, method, Some(&params));
        let mut message = Vec::new();
        encode_request(&mut message, &awaited.id, method, Some(&params));
        let answer = match self.endpoint.post(&headers, message).await {
            Ok(response) => awaited.read(response).await,
            Err(failure) => Err(failure),
        };
        outcome(answer, method)
    }

    /// Sends a request in the session; once more in a new one if the server has forgotten it
    /// (V2511-HTTP-034).
    async fn send_in_session(
        self: &Arc<Self>,
        request: &Request,
        sessions: &Sessions,
    ) -> Result<Outcome, CallError> {
        let session = sessions.current();
        let answer = match self.attempt(request, &session).await {
            Err(Missed::Gone(_)) => {
                let session = sessions.renew(&session, self).await?;
                self.attempt(request, &session).await
            }
            answer => answer,
        };
        let answer = answer.map_err(|(Missed::Gone(failure) | Missed::Failed(failure))| failure);
        outcome(answer, request.method.as_str())
    }

    async fn attempt(
        self: &Arc<Self>,
        request: &Request,
        session: &Arc<Session>,
    ) -> Result<Json, Missed> {
        let id: RequestId = self.next_id().into();
        let mut ticket = Ticket::new(self, session, id.clone());
        let params = stamp::write_plain(request, token(request, &id).as_ref());
        let mut message = Vec::new();
        encode_request(&mut message, &id, request.method.as_str(), params.as_ref());
        let answer = match self.endpoint.post(&session.headers, message).await {
            Ok(response) => {
                let gone = session.is_gone(&response);
                let awaited = Awaited {
                    endpoint: &self.endpoint,
                    id,
                    interim: &request.interim,
                    beside: Some(self.beside(&session.headers)),
                };
                let answer = awaited.read(response).await;
                answer.map_err(|failure| match gone {
                    true => Missed::Gone(failure),
                    false => Missed::Failed(failure),
                })
            }
            Err(failure) => Err(Missed::Failed(failure)),
        };
        ticket.open = None;
        answer
    }
}

/// Why an attempt has no result.
enum Missed {
    /// The server has forgotten the session; nothing was done.
    Gone(Failure),
    Failed(Failure),
}

/// Progress is asked for where somebody listens.
fn token(request: &Request, id: &RequestId) -> Option<ProgressToken> {
    request.interim.is_some().then(|| ProgressToken(id.clone()))
}

fn outcome(answer: Result<Json, Failure>, method: &str) -> Result<Outcome, CallError> {
    let result = answer.map_err(|failure| failure.into_call(method))?;
    stamp::read_result(result).map_err(|reason| CallError::InvalidAnswer {
        method: method.into(),
        reason,
    })
}

/// A request of a session that is on its way. In these versions closing a response says nothing,
/// so leaving has to be told (V2511-HTTP-016, -017).
struct Ticket {
    /// Nothing once the answer is there.
    open: Option<(Arc<Shared>, Arc<Session>)>,
    id: RequestId,
    runtime: Runtime,
}

impl Ticket {
    fn new(shared: &Arc<Shared>, session: &Arc<Session>, id: RequestId) -> Self {
        let open = Some((shared.clone(), session.clone()));
        Self {
            open,
            id,
            runtime: Runtime::current(),
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let Some((shared, session)) = self.open.take() else {
            return;
        };
        let cancelled = Cancelled {
            request_id: self.id.clone(),
            reason: None,
        };
        let params = Json::from_value(&cancelled).ok();
        let mut message = Vec::new();
        encode_notification(&mut message, CANCELLED, params.as_ref());
        // The client may be dropped together with the call and the server should hear of it
        // nevertheless, so nobody owns this task: it ends by its own time limit.
        self.runtime.spawn(async move {
            post_aside(&shared.endpoint, &session.headers, message).await;
        });
    }
}
