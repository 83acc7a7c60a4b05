//! Streamable HTTP, server side: one endpoint for both kinds of clients.
//!
//! ```text
//!  POST, version in `_meta` ────────────▶ served as it is, no state
//!  POST initialize ─────────────────────▶ new session, its id in `Mcp-Session-Id`
//!  POST with `Mcp-Session-Id` ──────────▶ served with what the session knows
//!  GET with `Mcp-Session-Id` ───────────▶ stream of change notifications
//!  DELETE with `Mcp-Session-Id` ────────▶ end of the session
//! ```
//!
//! A request is answered as plain JSON; if a notification comes first, or nothing comes for a
//! while, the same call moves into a stream of server-sent events. No task for each request.

mod body;
mod check;
mod listen;
mod options;
mod post;
mod reply;
mod sessions;

use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header::ALLOW};
use mcp_ext::{BoxError, BoxFuture, McpService};
use tower::Service;

pub use self::{body::Body, listen::serve, options::Options};
use self::{reply::plain, sessions::Sessions};
use crate::{era::stamp::LastPeer, http::headers::SESSION_ID};

/// Serves an [`McpService`] as a `tower` service of HTTP requests, to be mounted in hyper, axum or
/// anything else that speaks `http`. Clones share the sessions.
///
/// ```
/// use mcp_transport::http::server::{Options, Server};
///
/// # fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let mcp = mcp_ext::Server::builder("empty", "1.0.0").build()?;
/// let http = Server::new(mcp, Options::default());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Server<S> {
    shared: Arc<Shared<S>>,
}

#[derive(Debug)]
struct Shared<S> {
    service: S,
    options: Options,
    sessions: Sessions,
    last: LastPeer,
}

impl<S: McpService> Server<S> {
    /// Serves `service` within the bounds of `options`.
    pub fn new(service: S, options: Options) -> Self {
        let sessions = Sessions::new(options.sessions, options.session_idle);
        Self {
            shared: Arc::new(Shared {
                service,
                options,
                sessions,
                last: LastPeer::default(),
            }),
        }
    }

    /// How many sessions are open.
    pub fn sessions(&self) -> usize {
        self.shared.sessions.len()
    }
}

impl<S, B> Service<Request<B>> for Server<S>
where
    S: McpService,
    B: http_body::Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let shared = self.shared.clone();
        Box::pin(async move {
            Ok(shared
                .route(request)
                .await
                .unwrap_or_else(|refusal| *refusal))
        })
    }
}

/// A response that ends the handling early.
type Refusal = Box<Response<Body>>;

impl<S: McpService> Shared<S> {
    async fn route<B>(self: Arc<Self>, request: Request<B>) -> Result<Response<Body>, Refusal>
    where
        B: http_body::Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
    {
        let (head, body) = request.into_parts();
        if head.uri.path() != self.options.path {
            return Err(plain(StatusCode::NOT_FOUND, "there is nothing here").into());
        }
        check::origin(&head, &self.options)?;
        match head.method {
            Method::POST => {
                check::content(&head.headers)?;
                let body: Bytes = body::read(body, &self.options).await?;
                self.post(&head, &body).await
            }
            Method::GET => self.get(&head),
            Method::DELETE => self.delete(&head),
            _ => Err(not_allowed("POST, GET, DELETE")),
        }
    }

    /// The stream of change notifications of a session. Without one there is none: clients of
    /// the stateless kind ask with `subscriptions/listen` (V26-HTTP-079).
    fn get(self: &Arc<Self>, head: &http::request::Parts) -> Result<Response<Body>, Refusal> {
        if !head.headers.contains_key(SESSION_ID) {
            return Err(not_allowed("POST"));
        }
        check::wants_events(&head.headers)?;
        let session = self.sessions.find(&head.headers)?;
        check::version_of_session(&head.headers)?;
        Ok(self.change_stream(&session))
    }

    fn delete(&self, head: &http::request::Parts) -> Result<Response<Body>, Refusal> {
        if !head.headers.contains_key(SESSION_ID) {
            return Err(not_allowed("POST"));
        }
        check::version_of_session(&head.headers)?;
        self.sessions.end(&head.headers)?;
        Ok(reply::empty(StatusCode::NO_CONTENT))
    }
}

fn not_allowed(allowed: &'static str) -> Refusal {
    let mut response = plain(
        StatusCode::METHOD_NOT_ALLOWED,
        "this method is not served here",
    );
    response
        .headers_mut()
        .insert(ALLOW, http::HeaderValue::from_static(allowed));
    response.into()
}
