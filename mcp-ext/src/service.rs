//! The one abstraction: a service of requests.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll},
};

use mcp_core::ErrorObject;
use tower::{Service, ServiceExt, util::BoxCloneSyncService};

use crate::{BoxError, Outcome, Request, error::to_wire};

/// A name for the bounds; everything that fits implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not serve MCP requests",
    note = "it has to be a `tower::Service<Request, Response = Outcome>` that is `Clone + Send + \
            Sync + 'static`, with a future that is `Send + 'static`"
)]
pub trait McpService:
    Service<Request, Response = Outcome, Error: Into<BoxError>, Future: Send + 'static>
    + Clone
    + Send
    + Sync
    + 'static
{
}

impl<S> McpService for S where
    S: Service<Request, Response = Outcome, Error: Into<BoxError>, Future: Send + 'static>
        + Clone
        + Send
        + Sync
        + 'static
{
}

/// Any service, where a type has to be named.
pub type BoxService = BoxCloneSyncService<Request, Outcome, BoxError>;

/// Boxes a service with its error.
pub fn boxed(service: impl McpService) -> BoxService {
    BoxService::new(service.map_err(Into::into))
}

/// Runs one request to its end as a link does it for a peer: waits until the service is ready,
/// turns every failure into what the peer may know, and a panic into an internal error that ends
/// this request only.
///
/// # Cancellation
/// Dropping the future cancels the request.
pub async fn answer(service: impl McpService, request: Request) -> Result<Outcome, ErrorObject> {
    match CatchPanic(Box::pin(service.oneshot(request))).await {
        Some(ended) => ended.map_err(|error| to_wire(error.into())),
        None => Err(ErrorObject::internal("the handler panicked")),
    }
}

/// Resolves to `None` when the future panics.
struct CatchPanic<F>(Pin<Box<F>>);

impl<F: Future> Future for CatchPanic<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // A future that panicked is not polled again: this one has resolved.
        match catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Some),
            Err(_) => Poll::Ready(None),
        }
    }
}
