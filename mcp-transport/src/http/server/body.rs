//! Bodies: what is read, and the two forms of what is answered.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::StatusCode;
use http_body::Frame;
use http_body_util::{BodyExt, Limited};
use mcp_ext::{BoxError, BoxFuture};
use tokio::time::{Instant, Sleep, sleep};

use super::{Options, Refusal, reply};
use crate::{
    outbox::Outbox,
    sink::{Framing, Sink},
};

/// Reads a request body within its bounds.
pub(super) async fn read<B>(body: B, options: &Options) -> Result<Bytes, Refusal>
where
    B: http_body::Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    let whole = Limited::new(body, options.body).collect();
    match tokio::time::timeout(options.body_time, whole).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            Err(reply::plain(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long").into())
        }
        Ok(Err(_)) => Err(reply::plain(StatusCode::BAD_REQUEST, "the body is not complete").into()),
        Err(_) => {
            Err(reply::plain(StatusCode::REQUEST_TIMEOUT, "the body did not come in time").into())
        }
    }
}

/// The body of a response: one message, or a stream of events.
#[derive(Debug)]
pub struct Body(Form);

#[derive(Debug)]
enum Form {
    Full(Bytes),
    Events(Box<Events>),
}

impl Body {
    pub(super) fn empty() -> Self {
        Self::full(Bytes::new())
    }

    pub(super) fn full(bytes: Bytes) -> Self {
        Self(Form::Full(bytes))
    }
}

/// A message as one server-sent event.
pub(super) const EVENT: Framing = Framing {
    before: b"data: ",
    after: b"\n",
};

/// The answer to a call as text, `None` when it was cancelled.
pub(super) type Final = Option<Vec<u8>>;

/// A call whose answer goes out as events.
pub(super) struct Events {
    /// `None` once it has ended.
    call: Option<BoxFuture<'static, Final>>,
    sink: Arc<Sink>,
    outbox: Arc<Outbox>,
    /// Taken from the outbox and not sent yet.
    ready: Vec<u8>,
    keep_alive: std::time::Duration,
    timer: Pin<Box<Sleep>>,
    /// The call goes on when the client is gone.
    outlives: bool,
}

/// What came first of a call.
pub(super) enum First {
    /// Its answer, before any notification.
    Answer(Final),
    /// A notification, or nothing for a while.
    Events(Body),
}

impl Events {
    pub(super) fn new(
        call: BoxFuture<'static, Final>,
        sink: Arc<Sink>,
        outbox: Arc<Outbox>,
        options: &Options,
        outlives: bool,
    ) -> Self {
        let timer = Box::pin(sleep(options.keep_alive));
        let keep_alive = options.keep_alive;
        Self {
            call: Some(call),
            sink,
            outbox,
            ready: Vec::new(),
            keep_alive,
            timer,
            outlives,
        }
    }

    /// Streams from the start.
    pub(super) fn into_body(self) -> Body {
        Body(Form::Events(Box::new(self)))
    }

    /// Waits for what comes first.
    ///
    /// # Cancellation
    /// Dropping the future is the client going away.
    pub(super) async fn first(mut self) -> First {
        let answer = std::future::poll_fn(|cx| self.poll_first(cx)).await;
        match answer {
            Some(answer) => First::Answer(answer),
            None => First::Events(self.into_body()),
        }
    }

    fn poll_first(&mut self, cx: &mut Context<'_>) -> Poll<Option<Final>> {
        let answer = self.poll_call(cx);
        if self.outbox.take(&mut self.ready, cx.waker()) {
            // The answer, if it is there, goes behind the notifications.
            if let Poll::Ready(answer) = answer {
                self.push(answer);
            }
            return Poll::Ready(None);
        }
        match answer {
            Poll::Ready(answer) => Poll::Ready(Some(answer)),
            Poll::Pending => self.timer.as_mut().poll(cx).map(|()| None),
        }
    }

    fn poll_call(&mut self, cx: &mut Context<'_>) -> Poll<Final> {
        let Some(call) = &mut self.call else {
            return Poll::Pending;
        };
        let answer = ready!(call.as_mut().poll(cx));
        self.call = None;
        self.sink.close();
        Poll::Ready(answer)
    }

    fn push(&self, answer: Final) {
        if let Some(answer) = answer {
            self.outbox.push(|out| {
                EVENT.write(out, |out| {
                    out.extend_from_slice(&answer);
                    true
                });
            });
        }
    }

    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Poll::Ready(answer) = self.poll_call(cx) {
            self.push(answer);
        }
        if !self.ready.is_empty() || self.outbox.take(&mut self.ready, cx.waker()) {
            self.timer.as_mut().reset(Instant::now() + self.keep_alive);
            return Poll::Ready(Some(std::mem::take(&mut self.ready).into()));
        }
        if self.call.is_none() {
            return Poll::Ready(None);
        }
        ready!(self.timer.as_mut().poll(cx));
        self.timer.as_mut().reset(Instant::now() + self.keep_alive);
        Poll::Ready(Some(Bytes::from_static(b":\n\n")))
    }
}

/// The client has gone. A stateless call is cancelled by that (V26-HTTP-024); one of a session is
/// not (V2511-HTTP-016), so it is finished in a task, which the session can still abort, and does
/// not notice that nobody hears its notifications.
impl Drop for Events {
    fn drop(&mut self) {
        if self.outlives {
            self.outbox.discard();
        } else {
            self.outbox.close();
        }
        if let Some(call) = self.call.take().filter(|_| self.outlives)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(call);
        }
    }
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events")
            .field("running", &self.call.is_some())
            .finish_non_exhaustive()
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = match &mut self.0 {
            Form::Full(bytes) if bytes.is_empty() => None,
            Form::Full(bytes) => Some(std::mem::take(bytes)),
            Form::Events(events) => ready!(events.poll_frame(cx)),
        };
        Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.0, Form::Full(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> http_body::SizeHint {
        match &self.0 {
            Form::Full(bytes) => http_body::SizeHint::with_exact(bytes.len() as u64),
            Form::Events(_) => http_body::SizeHint::default(),
        }
    }
}
