//! The stream on which a session's server tells what changes, open while anybody listens.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use http::StatusCode;
use mcp_core::envelope::Message;
use mcp_ext::Notification;
use tokio::{sync::watch, task::JoinHandle};

use super::{
    Shared,
    answer::is_stream,
    events::Events,
    failure::Failure,
    messages::Messages,
    pause::Pause,
    session::{Session, Sessions},
};
use crate::era::hop::{Target, read_notification};

/// The task that reads the stream: started by the first listener, ended with the last one or with
/// the client.
#[derive(Debug, Default)]
pub(super) struct Push(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    listeners: usize,
    task: Option<Task>,
}

#[derive(Debug)]
struct Task {
    handle: JoinHandle<()>,
    tried: watch::Receiver<bool>,
}

/// One listener.
#[derive(Debug)]
pub(super) struct Listening<'a> {
    push: &'a Push,
    tried: watch::Receiver<bool>,
}

/// How long a server may take to begin its stream before listening begins without. Some send
/// nothing at all before the first event.
const OPENING: Duration = Duration::from_secs(1);

impl Push {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the stream open until the guard is dropped.
    pub(super) fn listen(&self, shared: &Arc<Shared>) -> Listening<'_> {
        let mut state = self.state();
        state.listeners += 1;
        let task = state.task.get_or_insert_with(|| {
            let (tell, tried) = watch::channel(false);
            Task {
                handle: tokio::spawn(follow(shared.clone(), tell)),
                tried,
            }
        });
        Listening {
            push: self,
            tried: task.tried.clone(),
        }
    }

    /// Closes the stream, whoever listens.
    pub(super) fn stop(&self) {
        if let Some(task) = self.state().task.take() {
            task.handle.abort();
        }
    }
}

impl Listening<'_> {
    /// Waits until the stream is open, or it is known that it cannot be opened now. What changes
    /// afterwards is told; a client that hears so and then looks misses nothing.
    pub(super) async fn ready(&mut self) {
        let tried = self.tried.wait_for(|tried| *tried);
        let _ = tokio::time::timeout(OPENING, tried).await;
    }
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        let mut state = self.push.state();
        state.listeners -= 1;
        if state.listeners == 0
            && let Some(task) = state.task.take()
        {
            task.handle.abort();
        }
    }
}

impl Drop for Push {
    fn drop(&mut self) {
        self.stop();
    }
}

/// What came of an attempt to open the stream.
enum Opened {
    Stream(Events),
    Not(Reason),
}

/// Why there is no stream.
#[derive(Debug, PartialEq)]
enum Reason {
    /// The server has forgotten the session.
    Gone,
    /// It may work another time.
    Later,
    /// The server has no such stream.
    Never,
}

impl Reason {
    /// 405 says that there is no such stream; whatever answers anything else but a passing trouble
    /// has none either (R38, R40).
    fn of(status: StatusCode) -> Self {
        match status {
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => Self::Later,
            StatusCode::NOT_IMPLEMENTED => Self::Never,
            _ if status.is_server_error() => Self::Later,
            _ => Self::Never,
        }
    }
}

/// Opens the stream, again and again, until the server says that there is none.
async fn follow(shared: Arc<Shared>, tell: watch::Sender<bool>) {
    let Some(sessions) = shared.sessions() else {
        return;
    };
    let mut pause = Pause::default();
    let mut last_event = String::new();
    let mut session = sessions.current();
    loop {
        let opened = open(&shared, &session, &last_event).await;
        tell.send_replace(true);
        match opened {
            Opened::Stream(events) => {
                read(&shared, &session, events, &mut last_event, &mut pause).await;
            }
            Opened::Not(Reason::Gone) => renew(&shared, sessions, &session).await,
            Opened::Not(Reason::Later) => {}
            Opened::Not(Reason::Never) => return,
        }
        tokio::time::sleep(pause.next()).await;
        let current = sessions.current();
        if !Arc::ptr_eq(&current, &session) {
            // Events are counted anew in each session.
            last_event.clear();
            session = current;
        }
    }
}

async fn renew(shared: &Arc<Shared>, sessions: &Sessions, gone: &Arc<Session>) {
    // If it fails, the next attempt to open the stream finds the session gone again.
    let _ = sessions.renew(gone, shared).await;
}

async fn open(shared: &Shared, session: &Session, last_event: &str) -> Opened {
    let response = match shared.endpoint.events(&session.headers, last_event).await {
        Ok(response) => response,
        Err(Failure::Open { .. } | Failure::Closed(_)) => return Opened::Not(Reason::Later),
        Err(_) => return Opened::Not(Reason::Never),
    };
    let status = response.status();
    if status.is_success() && is_stream(&response) {
        return Opened::Stream(Events::new(
            response.into_body(),
            shared.endpoint.limits.event,
        ));
    }
    let gone = session.is_gone(&response);
    shared.endpoint.discard(response).await;
    Opened::Not(if gone {
        Reason::Gone
    } else {
        Reason::of(status)
    })
}

async fn read(
    shared: &Shared,
    session: &Session,
    mut events: Events,
    last_event: &mut String,
    pause: &mut Pause,
) {
    let beside = shared.beside(&session.headers);
    while let Some(Ok(event)) = events.next().await {
        *last_event = event.id;
        pause.asked(event.retry);
        for message in Messages::new(event.data.into()) {
            match Message::decode(&message) {
                Ok(Message::Notification { method, params }) => {
                    pause.progress();
                    if let Some(notification) = of_the_connection(read_notification(method, params))
                    {
                        beside.notification(notification);
                    }
                }
                Ok(Message::Request { id, method, .. }) => {
                    pause.progress();
                    beside.request(&id, &method).await;
                }
                // Answers come on the streams of their requests (V2511-HTTP-021).
                Ok(Message::Response { .. }) | Err(_) => {}
            }
        }
    }
}

/// Progress belongs to a request, and those have streams of their own.
fn of_the_connection((target, notification): (Target, Notification)) -> Option<Notification> {
    (!matches!(target, Target::Progress(_))).then_some(notification)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r38_r40_only_a_passing_trouble_is_a_reason_to_come_back() {
        for (status, reason) in [
            (405, Reason::Never),
            (200, Reason::Never),
            (400, Reason::Never),
            (404, Reason::Never),
            (501, Reason::Never),
            (429, Reason::Later),
            (503, Reason::Later),
        ] {
            assert_eq!(
                Reason::of(StatusCode::from_u16(status).unwrap()),
                reason,
                "{status}"
            );
        }
    }
}
