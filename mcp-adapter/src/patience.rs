//! A time limit for requests that progress extends.

use std::{
    task::{Context, Poll},
    time::Duration,
};

use futures_util::TryFutureExt;
use mcp_core::{RequestMessage, schema::subscriptions::Listen};
use mcp_ext::{BoxError, BoxFuture, Interim, McpService, Outcome, Request};
use tokio::time::Instant;
use tower::{Service, timeout::error::Elapsed};

/// Ends a request that stays without an answer for too long. `tower::timeout` would do for
/// requests that nobody watches; here every notification about the request begins the time anew
/// (L59), so a slow tool that reports progress is left to finish.
///
/// The error is `tower`'s [`Elapsed`], which every layer above knows.
///
/// ```
/// use std::time::Duration;
/// use mcp_adapter::patience::Patience;
/// use mcp_ext::{Client, Server};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::builder("slow", "1.0.0").build()?;
/// let client = Client::new(Patience::new(server, Duration::from_secs(10)));
/// # Ok(()) }
/// ```
///
/// # Cancellation
/// A request that runs out of time is dropped, and so cancelled at the peer.
#[derive(Clone, Debug)]
pub struct Patience<S> {
    inner: S,
    limit: Duration,
}

impl<S> Patience<S> {
    /// Lets requests to `inner` be silent for `limit`.
    pub fn new(inner: S, limit: Duration) -> Self {
        Self { inner, limit }
    }
}

/// Notifications on their way through; more of them wait in front.
const ROOM: usize = 16;

impl<S: McpService> Service<Request> for Patience<S> {
    type Response = Outcome;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Outcome, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        if request.method.as_str() == Listen::METHOD {
            // A subscription is quiet for as long as nothing changes.
            return Box::pin(self.inner.call(request).map_err(Into::into));
        }
        // Without a listener there must be none: it is what asks the peer for progress.
        let watched = request.interim.is_some();
        let (inner, mut heard) = Interim::queue(ROOM);
        let outer = std::mem::take(&mut request.interim);
        if watched {
            request.interim = inner;
        }
        let call = self.inner.call(request).map_err(Into::<BoxError>::into);
        let limit = self.limit;
        Box::pin(async move {
            tokio::pin!(call);
            let mut deadline = Instant::now() + limit;
            loop {
                tokio::select! {
                    biased;
                    // A listener that has gone still wants the outcome.
                    Some(notification) = heard.recv() => {
                        let _ = outer.send(notification).await;
                        deadline = Instant::now() + limit;
                    }
                    ended = &mut call => {
                        while let Ok(notification) = heard.try_recv() {
                            let _ = outer.send(notification).await;
                        }
                        return ended;
                    }
                    () = tokio::time::sleep_until(deadline) => return Err(Elapsed::new().into()),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use mcp_core::Json;
    use mcp_ext::{CallError, Notification};
    use tower::{ServiceExt, service_fn};

    use super::*;

    /// A service that takes `steps` seconds, with a notification after each.
    async fn slow(request: Request, steps: u32) -> Result<Outcome, BoxError> {
        for _ in 0..steps {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let _ = request.interim.deliver(Notification::new("tick", None));
        }
        Ok(Outcome::Complete(Json::empty_object()))
    }

    async fn run(interim: Interim, steps: u32) -> Result<Outcome, CallError> {
        let service = Patience::new(
            service_fn(move |request| slow(request, steps)),
            Duration::from_millis(2500),
        );
        let mut request = Request::new("x", None);
        request.interim = interim;
        service
            .oneshot(request)
            .await
            .map_err(CallError::from_boxed)
    }

    #[tokio::test(start_paused = true)]
    async fn l59_progress_begins_the_time_anew() {
        let (interim, mut ticks) = Interim::queue(16);
        assert!(run(interim, 10).await.is_ok());
        assert!(ticks.recv().await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_request_runs_out_of_time() {
        assert!(run(Interim::none(), 2).await.is_ok());
        assert!(matches!(
            run(Interim::none(), 3).await,
            Err(CallError::TimedOut)
        ));
    }
}
