//! Streamable HTTP, client side: one POST for each request, to servers of every version.
//!
//! ```text
//!  Request ──▶ POST ──▶ application/json: the answer
//!                   └─▶ text/event-stream: notifications ──▶ interim, then the answer
//!  in sessions only:
//!              GET  ──▶ text/event-stream: changes ──▶ whoever listens
//! ```
//!
//! Which version the server speaks is found out once, in [`connect`]. Connections are pooled and
//! kept open. Redirects are not followed. A call has no time limit of its own; that is a layer's
//! matter.

mod answer;
mod beside;
mod call;
mod endpoint;
mod events;
mod failure;
mod messages;
mod negotiate;
mod options;
mod pause;
mod push;
mod session;

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    task::{Context, Poll},
};

use mcp_core::ProtocolVersion;
use mcp_ext::{
    BoxFuture, CallError, Outcome, Request,
    listen::{Hub, hand_over},
};
use tower::Service;

pub use self::options::{Limits, Options};
use self::{beside::ASIDE, endpoint::Endpoint, push::Push, session::Sessions};
use crate::ConnectError;

/// Finds out which version the server at `url` speaks, and introduces this client if that needs a
/// handshake.
///
/// A user name and password in the URL are sent as basic authorization. Neither they nor the
/// query are part of any error.
///
/// ```
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_transport::http::client::{Options, connect};
///
/// let link = connect("http://127.0.0.1:8080/mcp", Options::default()).await?;
/// let client = mcp_ext::Client::new(link.clone());
/// let result = client.call_tool("add", &serde_json::json!({ "a": 1, "b": 2 })).await?;
/// link.close().await;
/// # Ok(()) }
/// ```
///
/// # Errors
/// See [`ConnectError`].
pub async fn connect(url: &str, options: Options) -> Result<Client, ConnectError> {
    let limit = options.connect;
    let shared = Arc::new(Shared {
        endpoint: Endpoint::new(url, &options)?,
        options,
        ids: AtomicI64::new(0),
        spoken: OnceLock::new(),
        hub: Arc::default(),
        closed: AtomicBool::new(false),
    });
    let negotiated = tokio::time::timeout(limit, shared.negotiate()).await;
    let spoken = negotiated.unwrap_or(Err(ConnectError::Silent(limit)))?;
    let _ = shared.spoken.set(spoken);
    Ok(Client(Arc::new(Handle {
        push: Push::default(),
        shared,
    })))
}

/// The service of one server. Clones share connections and session.
///
/// # Cancellation
/// Dropping the future of a call closes its response; servers with sessions are also sent
/// `notifications/cancelled` for it.
#[derive(Clone, Debug)]
pub struct Client(Arc<Handle>);

/// Held by clients and calls, not by tasks: the last one ends what runs in the background.
#[derive(Debug)]
struct Handle {
    push: Push,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    endpoint: Endpoint,
    options: Options,
    ids: AtomicI64,
    spoken: OnceLock<Spoken>,
    /// Who listens to changes of a server that sends them without being asked.
    hub: Arc<Hub>,
    closed: AtomicBool,
}

/// What the two sides agreed on.
#[derive(Debug)]
enum Spoken {
    Stateless(ProtocolVersion),
    Greeted(Sessions),
}

impl Client {
    /// The version that both sides speak.
    pub fn version(&self) -> ProtocolVersion {
        match self.0.shared.spoken.get() {
            Some(Spoken::Greeted(sessions)) => sessions.current().greeted.version,
            Some(Spoken::Stateless(version)) => *version,
            None => ProtocolVersion::LATEST,
        }
    }

    /// Ends the session, if there is one, also for other holders of a clone: their subscriptions
    /// end and new calls fail. Takes at most five seconds; dropping the client instead leaves it
    /// to the server to forget the session.
    pub async fn close(self) {
        let Handle { push, shared } = &*self.0;
        if shared.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        push.stop();
        shared.hub.shut();
        let session = shared.sessions().map(Sessions::current);
        if let Some(session) = session.filter(|session| session.has_id()) {
            let ended = async {
                // A server that does not let clients end sessions says 405 (V2511-HTTP-035).
                if let Ok(response) = shared.endpoint.delete(&session.headers).await {
                    shared.endpoint.discard(response).await;
                }
            };
            let _ = tokio::time::timeout(ASIDE, ended).await;
        }
    }
}

impl Shared {
    /// Ids are never used again with the same server (V2511-BASE-003).
    fn next_id(&self) -> i64 {
        self.ids.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    fn sessions(&self) -> Option<&Sessions> {
        match self.spoken.get() {
            Some(Spoken::Greeted(sessions)) => Some(sessions),
            _ => None,
        }
    }
}

impl Service<Request> for Client {
    type Response = Outcome;
    type Error = CallError;
    type Future = BoxFuture<'static, Result<Outcome, CallError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        // The future keeps the client: a call may outlive the clone that made it.
        let handle = self.0.clone();
        let open = move |request| async move { handle.call(request).await };
        match hand_over(request, open.clone()) {
            Ok(outcome) => Box::pin(std::future::ready(Ok(outcome))),
            Err(request) => Box::pin(open(*request)),
        }
    }
}
