//! The server side: reads requests, runs them, writes what they give.

use std::{collections::HashMap, future::pending, io, sync::Arc};

use futures_util::{
    FutureExt, StreamExt,
    future::{AbortHandle, Abortable},
    stream::FuturesUnordered,
};
use mcp_core::{
    ErrorObject, Json, RequestId, RequestMessage,
    envelope::{Claims, Malformed, Message, encode_error, encode_result, skim},
    schema::{
        progress::{CANCELLED, Cancelled},
        subscriptions::Listen,
    },
};
use mcp_ext::{BoxFuture, Interim, McpService, Outcome, service::answer};
use tokio::io::{AsyncRead, AsyncWrite};

use super::Limits;
use crate::{
    era::{
        Admit, admit,
        greeting::{self, Introduced},
        hop::Hop,
        stamp::{self, LastPeer, Stamped},
    },
    lines::Line,
    outbox::Outbox,
    pipe::{Input, Pipe},
    sink::{Framing, Sink},
};

/// Serves one connection until the client closes it.
///
/// A call is polled once where it arrives and kept only if it is pending: no task for each
/// request. Requests that are still running when the client closes its side may finish within
/// [`Limits::drain`].
///
/// # Errors
/// Reading or writing failed.
///
/// # Cancellation
/// Dropping the future cancels every request in flight and closes the connection.
pub async fn serve(
    service: impl McpService,
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin,
    limits: Limits,
) -> io::Result<()> {
    let mut pipe = Pipe::of_server(reader, writer, limits.message);
    let outbox = Arc::new(Outbox::new(limits.outbox));
    let mut server = Server {
        service,
        outbox: outbox.clone(),
        calls: FuturesUnordered::new(),
        in_flight: HashMap::new(),
        introduced: None,
        last: LastPeer::default(),
        listening: None,
        limits,
    };
    loop {
        tokio::select! {
            biased;
            Some(ended) = server.calls.next(), if !server.calls.is_empty() => server.end(ended),
            () = running(&mut server.listening) => server.listening = Some(Box::pin(pending())),
            input = pipe.next(&outbox) => match input? {
                Input::Line(Line::Complete(line)) => match Message::decode(&line) {
                    Ok(message) => server.receive(message),
                    Err(malformed) => server.refuse(&malformed),
                },
                Input::Line(Line::TooLong { head }) => server.refuse_too_long(&head),
                Input::Eof => break,
            },
        }
    }
    server.drain(&mut pipe).await
}

/// Runs what is there; waits for ever when there is nothing.
async fn running(future: &mut Option<BoxFuture<'static, ()>>) {
    match future {
        Some(future) => future.await,
        None => pending().await,
    }
}

struct Server<S> {
    service: S,
    outbox: Arc<Outbox>,
    calls: FuturesUnordered<Abortable<BoxFuture<'static, Ended>>>,
    in_flight: HashMap<RequestId, Running>,
    introduced: Option<Introduced>,
    last: LastPeer,
    /// The change notifications of a peer that introduced itself.
    listening: Option<BoxFuture<'static, ()>>,
    limits: Limits,
}

struct Running {
    abort: AbortHandle,
    sink: Arc<Sink>,
    is_listen: bool,
}

/// A call that has an outcome, and what to do with it.
struct Ended {
    call: Call,
    outcome: Result<Outcome, ErrorObject>,
}

enum Call {
    /// The peer waits for the answer.
    Request {
        id: RequestId,
        method: String,
        stateless: bool,
    },
    /// The answer completes an introduction.
    Introduction {
        id: RequestId,
        introduced: Introduced,
    },
}

impl Call {
    fn id(&self) -> &RequestId {
        match self {
            Self::Request { id, .. } | Self::Introduction { id, .. } => id,
        }
    }
}

impl<S: McpService> Server<S> {
    fn receive(&mut self, message: Message) {
        match message {
            Message::Request { id, method, params } => self.begin(id, method, params.as_ref()),
            Message::Notification { method, params } => self.notice(&method, params.as_ref()),
            // Servers send no requests, so nobody waits for a response.
            Message::Response { .. } => {}
        }
    }

    fn refuse(&self, malformed: &Malformed) {
        match malformed.claims {
            Claims::Notification | Claims::Response => {}
            Claims::Request | Claims::Unknown => {
                self.write_error(malformed.id.as_ref(), &malformed.error);
            }
        }
    }

    fn refuse_too_long(&self, head: &[u8]) {
        let (id, claims) = skim(head);
        let message = format!("the message is longer than {} bytes", self.limits.message);
        let error = ErrorObject::invalid_request(message);
        self.refuse(&Malformed { error, id, claims });
    }

    fn begin(&mut self, id: RequestId, method: String, params: Option<&Json>) {
        if self.in_flight.contains_key(&id) {
            let error = ErrorObject::invalid_request(format!("id {id} is in use already"));
            return self.write_error(Some(&id), &error);
        }
        match admit(method.clone(), params, self.introduced.as_mut(), &self.last) {
            Admit::Answer(Ok(result)) => {
                self.outbox
                    .push(|out| encode_result(out, Some(&id), &result));
            }
            Admit::Answer(Err(error)) => self.write_error(Some(&id), &error),
            Admit::Introduce(introduced) => {
                let sink = Sink::new(&self.outbox, Framing::LINE, Hop::new(id.clone(), None));
                let request = introduced.discover();
                self.run(request, sink, Call::Introduction { id, introduced });
            }
            Admit::Serve {
                incoming,
                stateless,
            } => {
                let sink = Sink::new(
                    &self.outbox,
                    Framing::LINE,
                    Hop::new(id.clone(), incoming.token),
                );
                let mut request = incoming.request;
                request.interim = Interim::shared(sink.clone());
                self.run(
                    request,
                    sink,
                    Call::Request {
                        id,
                        method,
                        stateless,
                    },
                );
            }
        }
    }

    /// Polls a call once and keeps it if it is not done.
    fn run(&mut self, request: mcp_ext::Request, sink: Arc<Sink>, call: Call) {
        if self.in_flight.len() >= self.limits.in_flight {
            let error = ErrorObject::internal("too many requests in flight");
            return self.write_error(Some(call.id()), &error);
        }
        let id = call.id().clone();
        let is_listen = request.method.as_str() == Listen::METHOD;
        let outcome = answer(self.service.clone(), request);
        let mut running: BoxFuture<'static, Ended> = Box::pin(async move {
            Ended {
                call,
                outcome: outcome.await,
            }
        });
        if let Some(ended) = (&mut running).now_or_never() {
            sink.close();
            return self.finish(ended);
        }
        let (abort, registration) = AbortHandle::new_pair();
        self.calls.push(Abortable::new(running, registration));
        self.in_flight.insert(
            id,
            Running {
                abort,
                sink,
                is_listen,
            },
        );
    }

    /// A call that was kept has ended, or was cancelled and is gone.
    fn end(&mut self, ended: Result<Ended, futures_util::future::Aborted>) {
        let Ok(ended) = ended else { return };
        // Without an entry it was cancelled in the same moment: nothing more is sent for it.
        if let Some(running) = self.in_flight.remove(ended.call.id()) {
            running.sink.close();
            self.finish(ended);
        }
    }

    fn finish(&mut self, Ended { call, outcome }: Ended) {
        let (id, result) = match call {
            Call::Request {
                id,
                method,
                stateless: true,
            } => (
                id,
                outcome.and_then(|outcome| stamp::write_result(&method, outcome)),
            ),
            Call::Request {
                id,
                method,
                stateless: false,
            } => (id, greeting::write_result(&method, outcome)),
            Call::Introduction { id, introduced } => {
                let answer = introduced.answer(outcome);
                if answer.is_ok() {
                    self.introduced = Some(introduced);
                }
                (id, answer.map(Stamped::plain))
            }
        };
        self.outbox.push(|out| Stamped::encode(out, &id, &result));
    }

    fn notice(&mut self, method: &str, params: Option<&Json>) {
        match method {
            CANCELLED => {
                let cancelled = params.and_then(|params| params.decode::<Cancelled>().ok());
                let running = cancelled.and_then(|c| self.in_flight.remove(&c.request_id));
                if let Some(running) = running {
                    running.sink.close();
                    running.abort.abort();
                }
            }
            greeting::DONE if self.listening.is_none() => {
                if let Some(introduced) = &self.introduced {
                    let sink = Sink::new(&self.outbox, Framing::LINE, Hop::unbound());
                    let changes = introduced.changes(self.service.clone(), Interim::shared(sink));
                    self.listening = Some(Box::pin(changes));
                }
            }
            _ => {}
        }
    }

    fn write_error(&self, id: Option<&RequestId>, error: &ErrorObject) {
        self.outbox.push(|out| encode_error(out, id, error));
    }

    /// After the client closed its side: lets what is running finish, within a limit. Nobody can
    /// cancel a subscription any more, so those end at once.
    async fn drain<R, W>(&mut self, pipe: &mut Pipe<R, W>) -> io::Result<()>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        self.listening = None;
        for running in self.in_flight.values().filter(|running| running.is_listen) {
            running.abort.abort();
        }
        self.in_flight.retain(|_, running| !running.is_listen);
        let outbox = self.outbox.clone();
        let deadline = tokio::time::sleep(self.limits.drain);
        tokio::pin!(deadline);
        while !self.in_flight.is_empty() {
            tokio::select! {
                biased;
                Some(ended) = self.calls.next() => self.end(ended),
                written = pipe.next(&outbox) => { written?; }
                () = &mut deadline => break,
            }
        }
        tokio::select! {
            written = pipe.flush(&outbox) => written,
            () = &mut deadline => Ok(()),
        }
    }
}

/// Closing the connection closes the sinks of all its requests.
impl<S> Drop for Server<S> {
    fn drop(&mut self) {
        self.outbox.close();
    }
}
