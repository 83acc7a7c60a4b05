//! One call as a stream.

use std::{
    future::poll_fn,
    task::{Context, Poll},
};

use tokio::sync::mpsc;
use tower::ServiceExt;

use crate::{BoxFuture, BoxService, CallError, Interim, Notification, Outcome, Request};

/// Notifications that wait for a slow reader before their sender has to wait too.
const ROOM: usize = 256;

/// Stream view of one call: its notifications in order, then how it ended.
///
/// # Cancellation
/// Dropping it cancels the call at the peer.
///
/// ```
/// # use mcp_ext::{Client, CallError, Server};
/// # async fn example(client: Client) -> Result<(), CallError> {
/// let mut ticks = client.exchange("clock/ticks", None);
/// while let Some(notification) = ticks.next().await {
///     println!("{}", notification.method);
/// }
/// let outcome = ticks.outcome().await?;
/// # Ok(()) }
/// ```
pub struct Exchange {
    call: Option<BoxFuture<'static, Result<Outcome, CallError>>>,
    notifications: mpsc::Receiver<Notification>,
    ended: Option<Result<Outcome, CallError>>,
}

impl Exchange {
    pub(super) fn start(service: BoxService, mut request: Request) -> Self {
        let (interim, notifications) = Interim::queue(ROOM);
        request.interim = interim;
        let call = service.oneshot(request);
        let call = Box::pin(async move { call.await.map_err(CallError::from_boxed) });
        Self {
            call: Some(call),
            notifications,
            ended: None,
        }
    }

    /// The next notification; `None` once the call has ended and all were taken.
    ///
    /// # Cancellation
    /// Nothing is lost when the future is dropped. The call only makes progress while this or
    /// [`outcome`](Self::outcome) is awaited.
    pub async fn next(&mut self) -> Option<Notification> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Notification>> {
        if let Some(call) = &mut self.call {
            // The call first: it is what fills the queue.
            if let Poll::Ready(ended) = call.as_mut().poll(cx) {
                self.call = None;
                self.ended = Some(ended);
            }
        }
        if self.call.is_none() {
            // Everything that belongs to the call is in the queue by now. `poll_recv` may pretend
            // that it is empty, to let other tasks run.
            return Poll::Ready(self.notifications.try_recv().ok());
        }
        match self.notifications.poll_recv(cx) {
            Poll::Ready(Some(notification)) => Poll::Ready(Some(notification)),
            // Either nothing is there now, or the service dropped the sink early; the call goes on.
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }

    /// How the call ended. Notifications that were not taken are dropped.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn outcome(mut self) -> Result<Outcome, CallError> {
        while self.next().await.is_some() {}
        self.ended.take().unwrap_or(Err(CallError::Closed(None)))
    }
}

impl futures_core::Stream for Exchange {
    type Item = Notification;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Notification>> {
        Self::poll_next(&mut self, cx)
    }
}

impl std::fmt::Debug for Exchange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exchange")
            .field("running", &self.call.is_some())
            .finish_non_exhaustive()
    }
}
