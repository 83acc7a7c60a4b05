//! The client side: sends requests, routes answers and notifications to who waits for them.

use std::{
    pin::Pin,
    sync::{Arc, OnceLock},
    task::{self, Poll},
};

use mcp_core::{
    ErrorObject, Json, ProgressToken, ProtocolVersion, RequestId, RequestMessage,
    envelope::{
        Claims, Malformed, Message, encode_error, encode_notification, encode_request,
        encode_result, skim,
    },
    schema::{
        discover::Discover,
        progress::{CANCELLED, Cancelled},
        subscriptions::Listen,
    },
};
use mcp_ext::{
    BoxFuture, CallError, Context, Interim, Notification, Outcome, Request,
    listen::{Hub, hand_over},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::Notify,
    task::JoinHandle,
};
use tower::Service;

use super::{
    ClientOptions,
    waiters::{Answer, Event, Waiters, Waiting},
};
use crate::{
    ConnectError, Versions,
    era::{
        greeting::{self, Greeted},
        hop::{Target, read_notification},
        listening,
        probe::{Verdict, judge},
        stamp,
    },
    lines::Line,
    outbox::Outbox,
    pipe::{Input, Pipe},
};

/// A connection to one server. Use [`service`](Self::service); dropping every clone of it and
/// this closes the connection.
#[derive(Debug)]
pub struct Connection {
    link: Link,
    task: JoinHandle<()>,
}

/// The service of a connection. Clones share the connection.
///
/// # Cancellation
/// Dropping the future of a call sends `notifications/cancelled` for it; an answer that still
/// comes is dropped.
#[derive(Clone, Debug)]
pub struct Link(Arc<Handle>);

/// Held by every clone of a link, not by the task: the last one closes the connection.
#[derive(Debug)]
struct Handle(Arc<Shared>);

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.hang_up();
    }
}

#[derive(Debug)]
struct Shared {
    outbox: Outbox,
    waiters: Waiters,
    spoken: OnceLock<Spoken>,
    hub: Arc<Hub>,
    options: ClientOptions,
    hung_up: Notify,
}

/// What the two sides agreed on.
#[derive(Debug)]
enum Spoken {
    /// With the answer to the first `server/discover`, if that was one.
    Stateless(ProtocolVersion, Option<Json>),
    Greeted(Greeted),
}

/// Connects over a pair of byte streams: finds out which version the server speaks, and
/// introduces this client to one that has to be told first. Spawns one task, which ends with the
/// connection.
///
/// ```
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_ext::Client;
/// use mcp_transport::duplex::{ClientOptions, connect};
///
/// let (reader, writer) = tokio::net::TcpStream::connect("127.0.0.1:4000").await?.into_split();
/// let connection = connect(reader, writer, ClientOptions::default()).await?;
/// let tools = Client::new(connection.service()).list_tools().await?;
/// # Ok(()) }
/// ```
///
/// # Errors
/// See [`ConnectError`].
pub async fn connect<R, W>(
    reader: R,
    writer: W,
    options: ClientOptions,
) -> Result<Connection, ConnectError>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let limit = options.connect;
    let pipe = Pipe::of_client(reader, writer, options.limits.message);
    let connection = Connection::start(pipe, options);
    let negotiated = tokio::time::timeout(limit, connection.link.0.0.negotiate()).await;
    negotiated.unwrap_or(Err(ConnectError::Silent(limit)))?;
    Ok(connection)
}

impl Connection {
    /// Starts the task of a connection on which nothing has been said.
    fn start<R, W>(pipe: Pipe<R, W>, options: ClientOptions) -> Self
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let shared = Arc::new(Shared {
            outbox: Outbox::new(options.limits.outbox),
            waiters: Waiters::default(),
            spoken: OnceLock::new(),
            hub: Arc::default(),
            options,
            hung_up: Notify::new(),
        });
        let task = tokio::spawn(shared.clone().run(pipe));
        Self {
            link: Link(Arc::new(Handle(shared))),
            task,
        }
    }

    /// The service to call.
    pub fn service(&self) -> Link {
        self.link.clone()
    }

    /// The version that both sides speak.
    pub fn version(&self) -> ProtocolVersion {
        match self.link.0.0.spoken.get() {
            Some(Spoken::Greeted(greeted)) => greeted.version,
            Some(Spoken::Stateless(version, _)) => *version,
            None => ProtocolVersion::LATEST,
        }
    }

    /// What the server said about itself when the connection was made: a
    /// [`DiscoverResult`](mcp_core::schema::discover::DiscoverResult) as text. `None` when it only
    /// said which versions it speaks.
    pub fn discovered(&self) -> Option<&Json> {
        match self.link.0.0.spoken.get()? {
            Spoken::Greeted(greeted) => Some(&greeted.discovered),
            Spoken::Stateless(_, discovered) => discovered.as_ref(),
        }
    }

    /// Whether the server has gone.
    pub fn is_closed(&self) -> bool {
        self.link.0.0.waiters.is_closed()
    }

    /// Closes the connection now, also for other holders of its service, and waits until both
    /// streams are dropped. Calls in flight end with [`CallError::Closed`].
    pub async fn close(self) {
        self.link.0.0.hang_up();
        // The task ends with the connection; it panics only if a `Noise` callback does.
        let _ = self.task.await;
    }
}

/// Ends the connection, also when a callback panics or the runtime goes away.
struct End<'a> {
    shared: &'a Shared,
    reason: Option<String>,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.shared.outbox.close();
        self.shared.waiters.close(self.reason.as_deref());
        self.shared.hub.shut();
    }
}

impl Shared {
    fn hang_up(&self) {
        self.hung_up.notify_one();
    }

    async fn run<R, W>(self: Arc<Self>, mut pipe: Pipe<R, W>)
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let mut end = End {
            shared: &self,
            reason: None,
        };
        loop {
            tokio::select! {
                biased;
                input = pipe.next(&self.outbox) => match input {
                    Ok(Input::Line(line)) => self.receive(line),
                    Ok(Input::Eof) => break,
                    Err(error) => {
                        end.reason = Some(error.to_string());
                        break;
                    }
                },
                () = self.hung_up.notified() => {
                    // Cancellations that are on their way still leave, if the peer reads.
                    let written = pipe.flush(&self.outbox);
                    let _ = tokio::time::timeout(self.options.limits.drain, written).await;
                    break;
                }
            }
        }
    }

    fn receive(&self, line: Line) {
        let line = match line {
            Line::Complete(line) => line,
            Line::TooLong { head } => {
                let reason = format!("it is longer than {} bytes", self.options.limits.message);
                return match skim(&head) {
                    (id, Claims::Response) => self.give_up(id.as_ref(), reason),
                    _ => self.noise(&head),
                };
            }
        };
        match Message::decode(&line) {
            Ok(Message::Response {
                id: Some(id),
                outcome,
            }) => {
                self.waiters.answer(&id, outcome.map_err(CallError::Peer));
            }
            Ok(Message::Response { id: None, outcome }) => {
                self.waiters.answer_only(outcome.map_err(CallError::Peer));
            }
            Ok(Message::Notification { method, params }) => self.notice(method, params),
            Ok(Message::Request { id, method, .. }) => self.answer(&id, &method),
            Err(malformed) => self.refuse(&line, &malformed),
        }
    }

    /// A line that is no message: text that the server prints, or a damaged answer, whose caller
    /// must not wait any longer.
    fn refuse(&self, line: &[u8], malformed: &Malformed) {
        match (malformed.claims, &malformed.id) {
            (Claims::Response, Some(id)) => {
                self.noise(line);
                self.give_up(Some(id), malformed.error.message.clone());
            }
            // An answer in front of which something was printed may look like anything.
            (_, Some(id)) if self.waiters.is_waiting(id) => {
                self.noise(line);
                self.give_up(Some(id), malformed.error.message.clone());
            }
            (Claims::Request, Some(id)) if !self.is_stateless() => {
                self.outbox
                    .push(|out| encode_error(out, Some(id), &malformed.error));
            }
            _ => self.noise(line),
        }
    }

    fn is_stateless(&self) -> bool {
        matches!(self.spoken.get(), Some(Spoken::Stateless(..)))
    }

    fn noise(&self, line: &[u8]) {
        if let Some(noise) = &self.options.noise {
            noise.report(line);
        }
    }

    fn give_up(&self, id: Option<&RequestId>, reason: String) {
        let error = CallError::InvalidAnswer {
            method: "the request".into(),
            reason,
        };
        match id {
            Some(id) => self.waiters.answer(id, Err(error)),
            None => self.waiters.answer_only(Err(error)),
        }
    }

    fn notice(&self, method: String, params: Option<Json>) {
        if method == CANCELLED {
            let ended = params.and_then(|params| params.decode::<Cancelled>().ok());
            if let Some(Cancelled { request_id, reason }) = ended {
                let reason = reason.unwrap_or_else(|| "the server ended the request".into());
                self.waiters
                    .answer(&request_id, Err(CallError::Closed(Some(reason))));
            }
            return;
        }
        let (target, notification) = read_notification(method, params);
        match target {
            Target::Progress(ProgressToken(id)) | Target::Stream(id) => {
                if !self.waiters.notify(&id, notification) {
                    self.cancel(&id);
                }
            }
            Target::Connection => {
                listening::announce(&self.hub, &notification);
                // Whoever watches the connection and has no room misses it.
                let _ = self.options.notifications.deliver(notification);
            }
        }
    }

    fn cancel(&self, id: &RequestId) {
        let cancelled = Cancelled {
            request_id: id.clone(),
            reason: None,
        };
        let params = Json::from_value(&cancelled).ok();
        self.outbox
            .push(|out| encode_notification(out, CANCELLED, params.as_ref()));
    }

    /// Requests of the server. Only peers that were greeted may send any (V26-STD-006).
    fn answer(&self, id: &RequestId, method: &str) {
        if matches!(method, greeting::METHOD | Discover::METHOD) {
            // Only clients send these: it is our own message.
            return self.give_up(Some(id), "the server only repeats what it hears".into());
        }
        if !self.is_stateless() {
            // A server that does not read its answers gets no more of them.
            let _ = self.outbox.try_push(|out| {
                match method {
                    greeting::PING => encode_result(out, Some(id), &Json::empty_object()),
                    _ => encode_error(out, Some(id), &ErrorObject::method_not_found(method)),
                }
                true
            });
        }
    }

    /// Sends a request; the ticket waits for the answer, and cancels when it is dropped.
    fn send(
        self: &Arc<Self>,
        method: &str,
        events: bool,
        params: impl FnOnce(&RequestId) -> Option<Json>,
    ) -> Result<Sent, CallError> {
        let (id, waiting) = self.waiters.add(events)?;
        let ticket = Ticket {
            shared: self.clone(),
            id,
            cancellable: method != greeting::METHOD,
        };
        let request_id = RequestId::from(id);
        let params = params(&request_id);
        self.outbox
            .push(|out| encode_request(out, &request_id, method, params.as_ref()));
        Ok(Sent {
            waiting,
            _ticket: ticket,
        })
    }

    async fn raw(self: &Arc<Self>, method: &str, params: Option<Json>) -> Answer {
        let mut sent = self.send(method, false, |_| params)?;
        sent.answer(&Interim::none())
            .await
            .map_err(|error| named(error, method))
    }

    /// Finds out what the server speaks (see `era::probe`).
    async fn negotiate(self: &Arc<Self>) -> Result<(), ConnectError> {
        if self.options.versions == Versions::Stateful {
            return self.greet().await;
        }
        let mut request = Request::new(Discover::METHOD, None);
        request.context = Context {
            peer: self.options.peer.clone(),
            ..Context::default()
        };
        let params = stamp::write_request(&request, ProtocolVersion::LATEST, None);
        let probe = self.raw(Discover::METHOD, Some(params));
        tokio::pin!(probe);
        match tokio::time::timeout(self.options.probe, &mut probe).await {
            Ok(answer) => self.conclude(answer).await,
            Err(_) if self.options.versions == Versions::Stateless => {
                self.conclude(probe.await).await
            }
            Err(_) => self.negotiate_late(probe).await,
        }
    }

    /// Silence: an older server that ignores what it does not know, or one that is slow to start.
    /// Both questions are on their way now, and an answer to the first one that names a stateless
    /// version wins, whenever it comes.
    async fn negotiate_late(
        self: &Arc<Self>,
        mut probe: Pin<&mut impl Future<Output = Answer>>,
    ) -> Result<(), ConnectError> {
        let greeting = self.greet();
        tokio::pin!(greeting);
        let mut refused = None;
        let answer = tokio::select! {
            biased;
            answer = &mut probe => answer,
            greeted = &mut greeting => match greeted {
                // A server that does not know greetings may still answer the first question.
                Err(error @ ConnectError::Call(_)) => {
                    refused = Some(error);
                    probe.await
                }
                greeted => return greeted,
            },
        };
        match (self.verdict(answer), refused) {
            (Ok(Verdict::Greet), Some(error)) => Err(error),
            (Ok(Verdict::Greet), None) => greeting.await,
            (verdict, _) => verdict.map(drop),
        }
    }

    async fn conclude(self: &Arc<Self>, answer: Answer) -> Result<(), ConnectError> {
        match self.verdict(answer)? {
            Verdict::Greet => self.greet_unless_refused().await,
            _ => Ok(()),
        }
    }

    /// What the answer to the first question says; a stateless version is settled by it.
    fn verdict(&self, answer: Answer) -> Result<Verdict, ConnectError> {
        let answer = match answer {
            Ok(result) => Ok(result),
            Err(CallError::Peer(error)) => Err(error),
            Err(CallError::Closed(_)) => return Err(ConnectError::Closed(String::new())),
            // An answer that cannot be read says nothing about a newer protocol.
            Err(_) => return Ok(Verdict::Greet),
        };
        match judge(&answer) {
            Verdict::Refused(reason) => Err(ConnectError::Incompatible(reason)),
            Verdict::Stateless(version) => {
                let discovered = answer.ok().as_ref().map(Json::detached);
                let _ = self.spoken.set(Spoken::Stateless(version, discovered));
                Ok(Verdict::Stateless(version))
            }
            Verdict::Greet => Ok(Verdict::Greet),
        }
    }

    async fn greet_unless_refused(self: &Arc<Self>) -> Result<(), ConnectError> {
        if self.options.versions == Versions::Stateless {
            let reason = "the server only speaks versions that begin with an introduction";
            return Err(ConnectError::Incompatible(reason.into()));
        }
        self.greet().await
    }

    async fn greet(self: &Arc<Self>) -> Result<(), ConnectError> {
        let hello = greeting::hello(&self.options.peer)
            .map_err(|error| ConnectError::Call(CallError::Params(error)))?;
        let answer =
            self.raw(greeting::METHOD, Some(hello))
                .await
                .map_err(|error| match error {
                    CallError::Closed(_) => ConnectError::Closed(String::new()),
                    other => ConnectError::Call(other),
                })?;
        let greeted = Greeted::read(&answer).map_err(ConnectError::Incompatible)?;
        let _ = self.spoken.set(Spoken::Greeted(greeted));
        self.outbox
            .push(|out| encode_notification(out, greeting::DONE, None));
        Ok(())
    }

    fn call(self: Arc<Self>, request: Request) -> BoxFuture<'static, Result<Outcome, CallError>> {
        let greeted = match self.spoken.get() {
            Some(Spoken::Greeted(greeted)) => Some(greeted),
            _ => None,
        };
        match (greeted, request.method.as_str()) {
            (Some(greeted), Discover::METHOD) => {
                let discovered = greeted.discovered.clone();
                Box::pin(std::future::ready(Ok(Outcome::Complete(discovered))))
            }
            (Some(_), Listen::METHOD) => Box::pin(async move {
                let closed = || CallError::Closed(None);
                if self.waiters.is_closed() {
                    return Err(closed());
                }
                listening::listen(&self.hub, &request).await?;
                Err(closed())
            }),
            _ => Box::pin(async move {
                let method = request.method.as_str();
                let events = request.interim.is_some();
                let mut sent = self.send(method, events, |id| self.params(&request, id))?;
                let result = sent
                    .answer(&request.interim)
                    .await
                    .map_err(|error| named(error, method))?;
                stamp::read_result(result).map_err(|reason| CallError::InvalidAnswer {
                    method: method.into(),
                    reason,
                })
            }),
        }
    }

    fn params(&self, request: &Request, id: &RequestId) -> Option<Json> {
        let token = request.interim.is_some().then(|| ProgressToken(id.clone()));
        match self.spoken.get() {
            Some(Spoken::Greeted(_)) => stamp::write_plain(request, token.as_ref()),
            Some(Spoken::Stateless(version, _)) => {
                Some(stamp::write_request(request, *version, token.as_ref()))
            }
            None => request.params.clone(),
        }
    }
}

/// Says which method an unusable answer belongs to.
fn named(error: CallError, method: &str) -> CallError {
    match error {
        CallError::InvalidAnswer { reason, .. } => CallError::InvalidAnswer {
            method: method.into(),
            reason,
        },
        other => other,
    }
}

/// A request that is on its way. Dropping it before the answer came cancels it.
#[derive(Debug)]
struct Ticket {
    shared: Arc<Shared>,
    id: i64,
    cancellable: bool,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        // Once answered there is nothing to remove, and nothing to cancel (V26-CANC-010).
        if self.shared.waiters.remove(self.id) && self.cancellable {
            self.shared.cancel(&self.id.into());
        }
    }
}

#[derive(Debug)]
struct Sent {
    waiting: Waiting,
    _ticket: Ticket,
}

impl Sent {
    /// Waits for the answer, handing on notifications as they come.
    async fn answer(&mut self, interim: &Interim) -> Answer {
        let too_slow = || CallError::InvalidAnswer {
            method: "the request".into(),
            reason: "its notifications came faster than they were read".into(),
        };
        match &mut self.waiting {
            Waiting::Answer(receiver) => receiver.await.unwrap_or(Err(CallError::Closed(None))),
            Waiting::Events(receiver) => loop {
                match receiver.recv().await {
                    Some(Event::Answer(answer)) => return answer,
                    // A caller that listens no longer still wants its answer.
                    Some(Event::Notification(n)) => drop(interim.send(n).await),
                    None => return Err(too_slow()),
                }
            },
        }
    }
}

impl Link {
    /// Sends a notification that belongs to no request.
    pub fn notify(&self, notification: &Notification) {
        self.0.0.outbox.push(|out| {
            encode_notification(
                out,
                notification.method.as_str(),
                notification.params.as_ref(),
            );
        });
    }
}

impl Service<Request> for Link {
    type Response = Outcome;
    type Error = CallError;
    type Future = BoxFuture<'static, Result<Outcome, CallError>>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        // The future keeps the connection open: a call may outlive the link that made it.
        let link = self.clone();
        let open = move |request| {
            let call = link.0.0.clone().call(request);
            async move {
                let _open = link;
                call.await
            }
        };
        match hand_over(request, open.clone()) {
            Ok(outcome) => Box::pin(std::future::ready(Ok(outcome))),
            Err(request) => Box::pin(open(*request)),
        }
    }
}
