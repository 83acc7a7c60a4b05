//! POST: one message in, its answer out.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{AbortHandle, Abortable};
use http::{HeaderValue, Response, StatusCode, request::Parts};
use mcp_core::{
    ErrorObject, Json, RequestId,
    envelope::{Claims, Malformed, Message},
    error::code,
    schema::progress::{CANCELLED, Cancelled},
};
use mcp_ext::{BoxFuture, Interim, McpService, service::answer};

use super::{
    Body, Refusal, Shared,
    body::{EVENT, Events, Final, First},
    check,
    reply::{self, status_of},
    sessions::{Session, Stream, lock},
};
use crate::{
    era::{
        Admit, admit,
        greeting::{self, Introduced},
        hop::Hop,
        stamp::{self, Incoming, Stamped},
    },
    http::headers::SESSION_ID,
    outbox::Outbox,
    sink::Sink,
};

impl<S: McpService> Shared<S> {
    pub(super) async fn post(
        self: Arc<Self>,
        head: &Parts,
        body: &Bytes,
    ) -> Result<Response<Body>, Refusal> {
        match Message::decode(body) {
            Ok(Message::Request { id, method, params }) => {
                self.request(head, id, method, params).await
            }
            Ok(Message::Notification { method, params }) => {
                self.notification(head, &method, params.as_ref())
            }
            Ok(Message::Response { .. }) => {
                // Of a session it is an answer to nobody: this server asks nothing.
                self.sessions.find(&head.headers)?;
                Ok(reply::empty(StatusCode::ACCEPTED))
            }
            Err(malformed) => Err(malformed_reply(&malformed)),
        }
    }

    async fn request(
        self: Arc<Self>,
        head: &Parts,
        id: RequestId,
        method: String,
        params: Option<Json>,
    ) -> Result<Response<Body>, Refusal> {
        let headers = &head.headers;
        if let Some(version) = stamp::version_of(params.as_ref()) {
            check::mirrored(headers, &id, &method, params.as_ref(), &version)?;
            return match admit(method, params.as_ref(), None, &self.last) {
                Admit::Serve { incoming, .. } => Ok(self.stateless(id, incoming).await),
                Admit::Answer(answer) => Ok(admission(&id, answer)),
                Admit::Introduce(_) => Err(plain_refusal(&id)),
            };
        }
        let session = match headers.contains_key(SESSION_ID) {
            true => Some(self.sessions.find(headers)?),
            false => None,
        };
        if session.is_some() {
            check::version_of_session(headers)?;
        }
        let admitted = match &session {
            Some(session) => admit(
                method.clone(),
                params.as_ref(),
                Some(&mut lock(&session.introduced)),
                &self.last,
            ),
            None => admit(method.clone(), params.as_ref(), None, &self.last),
        };
        match (admitted, session) {
            (
                Admit::Serve {
                    incoming,
                    stateless: false,
                },
                Some(session),
            ) => Ok(self.in_session(session, id, method, incoming).await),
            (Admit::Introduce(introduced), _) => self.introduce(&id, introduced).await,
            (Admit::Answer(answer), _) => Ok(admission(&id, answer)),
            (Admit::Serve { .. }, _) => Err(plain_refusal(&id)),
        }
    }

    async fn stateless(&self, id: RequestId, incoming: Incoming) -> Response<Body> {
        let outbox = Arc::new(Outbox::new(self.options.stream_buffer));
        let sink = Sink::new(&outbox, EVENT, Hop::new(id.clone(), incoming.token));
        let mut request = incoming.request;
        request.interim = Interim::shared(sink.clone());
        let method = request.method.to_string();
        let outcome = answer(self.service.clone(), request);
        let (status, written) = tokio::sync::oneshot::channel();
        let call: BoxFuture<'static, Final> = Box::pin(async move {
            let result = outcome
                .await
                .and_then(|outcome| stamp::write_result(&method, outcome));
            // Only wanted when the answer is not part of a stream.
            let _ = status.send(status_of(&result));
            Some(encode(&id, &result))
        });
        match Events::new(call, sink, outbox, &self.options, false)
            .first()
            .await
        {
            First::Events(body) => reply::events(body),
            First::Answer(text) => {
                let status = written.await.unwrap_or(StatusCode::OK);
                reply::json(status, text.unwrap_or_default())
            }
        }
    }

    async fn in_session(
        &self,
        session: Arc<Session>,
        id: RequestId,
        method: String,
        incoming: Incoming,
    ) -> Response<Body> {
        let (abort, registration) = AbortHandle::new_pair();
        if !session.begin(&id, abort) {
            let error = ErrorObject::invalid_request(format!("id {id} is in use already"));
            return reply::error(StatusCode::BAD_REQUEST, Some(&id), &error);
        }
        let outbox = Arc::new(Outbox::new(self.options.stream_buffer));
        let sink = Sink::new(&outbox, EVENT, Hop::new(id.clone(), incoming.token));
        let mut request = incoming.request;
        request.interim = Interim::shared(sink.clone());
        let outcome = Abortable::new(answer(self.service.clone(), request), registration);
        let call: BoxFuture<'static, Final> = Box::pin(async move {
            // Cancelled: nothing more is sent for it, and its id may be in use again.
            let outcome = outcome.await.ok()?;
            session.finish(&id);
            let result = greeting::write_result(&method, outcome);
            Some(encode(&id, &result))
        });
        match Events::new(call, sink, outbox, &self.options, true)
            .first()
            .await
        {
            First::Events(body) => reply::events(body),
            First::Answer(Some(text)) => reply::json(StatusCode::OK, text),
            First::Answer(None) => reply::events(Body::empty()),
        }
    }

    async fn introduce(
        &self,
        id: &RequestId,
        introduced: Introduced,
    ) -> Result<Response<Body>, Refusal> {
        let outcome = answer(self.service.clone(), introduced.discover()).await;
        let result = introduced.answer(outcome);
        let result = result.map(Stamped::plain);
        let mut response = reply::json(StatusCode::OK, encode(id, &result));
        if result.is_ok() {
            let session = self.sessions.open(introduced)?;
            let session = HeaderValue::try_from(session).expect("base64 is a header value");
            response.headers_mut().insert(SESSION_ID, session);
        }
        Ok(response)
    }

    /// Accepts a notification. Those of clients without a session say nothing that this server
    /// has to remember (note N2).
    fn notification(
        &self,
        head: &Parts,
        method: &str,
        params: Option<&Json>,
    ) -> Result<Response<Body>, Refusal> {
        if head.headers.contains_key(SESSION_ID) {
            let session = self.sessions.find(&head.headers)?;
            check::version_of_session(&head.headers)?;
            if method == CANCELLED
                && let Some(Ok(cancelled)) = params.map(Json::decode::<Cancelled>)
            {
                session.cancel(&cancelled.request_id);
            }
        }
        Ok(reply::empty(StatusCode::ACCEPTED))
    }

    /// The change notifications of a session.
    pub(super) fn change_stream(&self, session: &Arc<Session>) -> Response<Body> {
        let outbox = Arc::new(Outbox::new(self.options.stream_buffer));
        let sink = Sink::new(&outbox, EVENT, Hop::unbound());
        let interim = Interim::shared(sink.clone());
        let changes = lock(&session.introduced).changes(self.service.clone(), interim);
        let (abort, registration) = AbortHandle::new_pair();
        session.replace_stream(Stream {
            abort,
            sink: sink.clone(),
        });
        let changes = Abortable::new(changes, registration);
        let held = session.clone();
        let call: BoxFuture<'static, Final> = Box::pin(async move {
            let _in_use = held;
            let _ = changes.await;
            None
        });
        reply::events(Events::new(call, sink, outbox, &self.options, false).into_body())
    }
}

fn encode(id: &RequestId, answer: &Result<Stamped, ErrorObject>) -> Vec<u8> {
    let mut text = Vec::new();
    Stamped::encode(&mut text, id, answer);
    text
}

/// An answer that was known without the service: a refusal has the status 400, except where the
/// method is unknown.
fn admission(id: &RequestId, answer: Result<Json, ErrorObject>) -> Response<Body> {
    let status = match &answer {
        Ok(_) => StatusCode::OK,
        Err(error) if error.code == code::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        Err(_) => StatusCode::BAD_REQUEST,
    };
    reply::json(status, encode(id, &answer.map(Stamped::plain)))
}

fn plain_refusal(id: &RequestId) -> Refusal {
    let error = ErrorObject::invalid_request("the request mixes two kinds of protocol versions");
    reply::error(StatusCode::BAD_REQUEST, Some(id), &error).into()
}

fn malformed_reply(malformed: &Malformed) -> Refusal {
    match malformed.claims {
        Claims::Notification => reply::plain(StatusCode::BAD_REQUEST, "not a notification"),
        _ => reply::error(
            StatusCode::BAD_REQUEST,
            malformed.id.as_ref(),
            &malformed.error,
        ),
    }
    .into()
}
