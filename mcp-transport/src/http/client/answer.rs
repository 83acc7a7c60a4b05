//! Reads the answer to one request, whichever form it comes in.
//!
//! ```text
//!  application/json ───▶ one message ──────────────────────────────▶ answer
//!  text/event-stream ──▶ messages: notifications, then the answer ─▶ answer
//!                        └─ the stream ends before: resumed in sessions, a failure otherwise
//!  anything else ──────▶ an error of this protocol in the body, or no MCP at all
//! ```

use bytes::Bytes;
use http::Response;
use mcp_core::{
    Json, ProgressToken, RequestId,
    envelope::{Claims, Message},
    schema::progress::{CANCELLED, Cancelled},
};
use mcp_ext::{Interim, Notification};

use super::{
    beside::Beside,
    endpoint::{Body, Endpoint, read, read_remark},
    events::Events,
    failure::{Failure, Foreign, media_type},
    messages::Messages,
    pause::Pause,
};
use crate::era::hop::{Target, read_notification};

/// Empty ends in a row after which a stream is given up.
const RESUMES: u32 = 5;

/// How long the rest of a stream may take once its answer is there.
const TAIL: std::time::Duration = std::time::Duration::from_secs(1);

/// One request whose answer is awaited.
#[derive(Debug)]
pub(super) struct Awaited<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) id: RequestId,
    pub(super) interim: &'a Interim,
    /// What else a session's streams carry; nothing without a session (V26-HTTP-016, -017).
    pub(super) beside: Option<Beside<'a>>,
}

type Answer = Result<Json, Failure>;

impl Awaited<'_> {
    /// Reads the response to its end or to the answer, handing on notifications as they come.
    pub(super) async fn read(&self, response: Response<Body>) -> Answer {
        if !response.status().is_success() {
            return self.refusal(response).await;
        }
        if is_stream(&response) {
            return self.stream(response.into_body()).await;
        }
        let (head, body) = response.into_parts();
        let whole = read(body, self.endpoint.limits.body).await?;
        let foreign = || Foreign::new(&self.endpoint.address, head.status, &head.headers);
        self.single(whole)
            .await
            .unwrap_or_else(|| Err(Failure::Foreign(foreign())))
    }

    /// An error status. Whatever the content type says, the body may be an error of this protocol.
    async fn refusal(&self, response: Response<Body>) -> Answer {
        let (head, body) = response.into_parts();
        let foreign = Foreign::new(&self.endpoint.address, head.status, &head.headers);
        let whole = read_remark(body, self.endpoint.limits.error)
            .await
            .unwrap_or_default();
        for message in Messages::new(whole) {
            if let Ok(Message::Response {
                id,
                outcome: Err(error),
            }) = Message::decode(&message)
                && id.is_none_or(|id| id == self.id)
            {
                return Err(Failure::Peer(error));
            }
        }
        Err(Failure::Foreign(foreign))
    }

    /// A body that is one message, or several that were put together; nothing if it is no message
    /// at all.
    async fn single(&self, whole: Bytes) -> Option<Answer> {
        let mut reason = None;
        for message in Messages::new(whole) {
            if let Some(answer) = self.take(message.clone()).await {
                return Some(answer);
            }
            match Message::decode(&message) {
                Err(damaged) if damaged.claims == Claims::Unknown => {}
                Err(damaged) => reason = Some(damaged.error.message),
                Ok(_) => reason = Some("it is a message, but not the answer".into()),
            }
        }
        reason.map(|reason| Err(Failure::Unusable(reason)))
    }

    async fn stream(&self, body: Body) -> Answer {
        let mut pause = Pause::default();
        let mut last_event = String::new();
        let mut events = Events::new(body, self.endpoint.limits.event);
        loop {
            while let Some(event) = events.next().await {
                let event = match event {
                    Ok(event) => event,
                    Err(Failure::Closed(_)) if !last_event.is_empty() => break,
                    Err(failure) => return Err(failure),
                };
                last_event = event.id;
                pause.asked(event.retry);
                if event.data.is_empty() {
                    continue;
                }
                pause.progress();
                for message in Messages::new(event.data.into()) {
                    if let Some(answer) = self.take(message).await {
                        finish(events);
                        return answer;
                    }
                }
            }
            events = self.resume(&last_event, &mut pause).await?;
        }
    }

    /// Opens the stream of a session again behind its last event, after the pause that the server
    /// asked for (V2511-HTTP-010, -012, -026).
    async fn resume(&self, last_event: &str, pause: &mut Pause) -> Result<Events, Failure> {
        let ended = || Failure::Closed("the response stream ended without an answer".into());
        let beside = self.beside.as_ref().ok_or_else(ended)?;
        if last_event.is_empty() {
            return Err(ended());
        }
        while pause.failures() < RESUMES {
            tokio::time::sleep(pause.next()).await;
            match self.endpoint.events(beside.headers, last_event).await {
                Ok(response) if response.status().is_success() && is_stream(&response) => {
                    return Ok(Events::new(
                        response.into_body(),
                        self.endpoint.limits.event,
                    ));
                }
                Ok(response) if response.status().is_server_error() => {}
                Err(Failure::Open { .. } | Failure::Closed(_)) => {}
                Err(failure @ Failure::Unauthorized { .. }) => return Err(failure),
                _ => break,
            }
        }
        Err(ended())
    }

    /// Takes one message; the answer, if it is that.
    async fn take(&self, message: Bytes) -> Option<Answer> {
        match Message::decode(&message) {
            Ok(Message::Response { id, outcome }) if id.as_ref() == Some(&self.id) => {
                Some(outcome.map_err(Failure::Peer))
            }
            // An error without an id can belong to nobody else (V26-BASE-012, R20).
            Ok(Message::Response { id: None, outcome }) => Some(outcome.map_err(Failure::Peer)),
            Ok(Message::Response { .. }) => None,
            Ok(Message::Notification { method, params }) => self.notice(method, params).await,
            Ok(Message::Request { id, method, .. }) => {
                if let Some(beside) = &self.beside {
                    beside.request(&id, &method).await;
                }
                None
            }
            // A damaged answer ends the waiting; other noise is skipped (R25).
            Err(damaged) => (damaged.claims == Claims::Response
                && damaged.id.as_ref() == Some(&self.id))
            .then(|| Err(Failure::Unusable(damaged.error.message))),
        }
    }

    async fn notice(&self, method: String, params: Option<Json>) -> Option<Answer> {
        if method == CANCELLED {
            let cancelled: Cancelled = params?.decode().ok()?;
            let reason = cancelled
                .reason
                .unwrap_or_else(|| "the server ended the request".into());
            return (cancelled.request_id == self.id).then(|| Err(Failure::Closed(reason)));
        }
        let (target, notification) = read_notification(method, params);
        match (target, &self.beside) {
            (Target::Progress(ProgressToken(id)) | Target::Stream(id), _) if id != self.id => {}
            (Target::Connection, Some(beside)) if !self.is_ours(&notification) => {
                beside.notification(notification);
            }
            // Waits for room: the server's stream is not read faster than the caller reads.
            // A caller that listens no longer still wants its answer.
            _ => drop(self.interim.send(notification).await),
        }
        None
    }

    /// Whether a notification on the request's own stream that says nothing else is about the
    /// request (V2511-HTTP-014): all but changes, as long as the caller listens.
    fn is_ours(&self, notification: &Notification) -> bool {
        self.interim.is_some() && !Beside::is_change(notification)
    }
}

/// Whether the body is a stream of events.
pub(super) fn is_stream(response: &Response<Body>) -> bool {
    media_type(response.headers()).as_deref() == Some("text/event-stream")
}

/// Reads what is left of a stream whose answer came, usually only its end, so that its connection
/// can be used again. The caller does not wait for it; the task is bounded by its time limit.
fn finish(mut events: Events) {
    let rest = async move { while let Some(Ok(_)) = events.next().await {} };
    let mut rest = Box::pin(tokio::time::timeout(TAIL, rest));
    if futures_util::FutureExt::now_or_never(&mut rest).is_none() {
        tokio::spawn(rest);
    }
}
