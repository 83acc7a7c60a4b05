//! One configured server: connected when it is first used, and again after it has gone.

mod connect;
mod slot;

#[cfg(test)]
mod tests;

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use futures_util::{
    FutureExt,
    future::{AbortHandle, Shared, abortable},
};
use mcp_core::{Json, schema::capabilities::ClientCapabilities};
use mcp_ext::{BoxError, BoxFuture, Client, Exchange, McpService, Method, Outcome, Request};
use mcp_transport::ConnectError;
use tower::{Service, ServiceExt};

pub use self::connect::Facts;
use self::{
    connect::Open,
    slot::{Enter, Generation, Remains, Slot},
};
use crate::{
    Settings, UseError,
    config::{self, EntryError, ServerEntry},
    patience::Patience,
};

/// A configured server. Clones share the connection.
///
/// It is an [`McpService`] itself: every request goes to the connection that there is, or waits
/// for one to be made. A server that has gone is connected once more by the next request; the
/// request that noticed is not repeated, for it may have done its work.
///
/// ```no_run
/// # async fn example(server: mcp_adapter::Server) -> Result<(), Box<dyn std::error::Error>> {
/// println!("{} speaks {}", server.name(), server.connect().await?.version);
/// let mut ticks = server.stream("clock/ticks", None).await?;
/// while let Some(tick) = ticks.next().await {
///     println!("{}", tick.method);
/// }
/// server.close().await;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Server(Arc<Inner>);

struct Inner {
    definition: config::Server,
    settings: Arc<Settings>,
    slot: Mutex<Slot<Attempt, Open, Cleanup>>,
}

/// An attempt to connect. It runs while somebody waits for it and is dropped with the last of
/// them, which ends the process or closes the socket that it had opened.
#[derive(Clone)]
struct Attempt {
    end: Shared<BoxFuture<'static, Result<Connected, Failed>>>,
    abort: AbortHandle,
}

/// Closing a connection. It runs while somebody waits for it.
type Cleanup = Shared<BoxFuture<'static, ()>>;

/// What everybody who waits for an attempt gets when it fails.
#[derive(Clone)]
enum Failed {
    Connect(Arc<ConnectError>),
    Closed,
}

/// A connection in use. It stays open for as long as the server is not closed.
#[derive(Clone, Debug)]
pub(crate) struct Connected {
    service: mcp_ext::BoxService,
    facts: Arc<Facts>,
}

impl Server {
    pub(crate) fn new(definition: config::Server, settings: Arc<Settings>) -> Self {
        Self(Arc::new(Inner {
            definition,
            settings,
            slot: Mutex::default(),
        }))
    }

    /// Its name in the configuration.
    pub fn name(&self) -> &str {
        &self.0.definition.name
    }

    /// How it is configured, or why that cannot be used.
    pub fn entry(&self) -> Result<&ServerEntry, &EntryError> {
        self.0.definition.entry.as_ref()
    }

    /// Whether the configuration switches it off.
    pub fn is_disabled(&self) -> bool {
        self.0.definition.disabled
    }

    /// Connects unless there is a connection, and says what the server told about itself.
    ///
    /// However many ask at once, one attempt is made for all of them (L10).
    ///
    /// # Errors
    /// Every [`UseError`] but `Unknown` and `Call`.
    ///
    /// # Cancellation
    /// The attempt is aborted when nobody waits for it any more (L12).
    pub async fn connect(&self) -> Result<Arc<Facts>, UseError> {
        Ok(self.connected().await?.facts)
    }

    /// A client that introduces itself as the [`Settings`] say and announces the extensions that
    /// the server announces, as far as they are not official ones: those change what the core
    /// methods answer, and a client that only passes messages on cannot follow them.
    ///
    /// Requests that stay without answer and progress for too long fail with
    /// [`CallError::TimedOut`](mcp_ext::CallError::TimedOut).
    ///
    /// # Errors
    /// The server cannot be connected; see [`connect`](Self::connect).
    pub async fn client(&self) -> Result<Client, UseError> {
        let facts = self.connect().await?;
        let limit = self.entry().ok().and_then(|entry| entry.request_timeout);
        let limit = limit.unwrap_or(self.0.settings.request);
        Ok(self.introduced(Patience::new(self.clone(), limit), &facts))
    }

    /// Calls a method and shows its notifications as they come, without a time limit: a stream
    /// may be silent for as long as it likes. Dropping the exchange cancels the call.
    ///
    /// # Errors
    /// The server cannot be connected; see [`connect`](Self::connect).
    pub async fn stream(
        &self,
        method: impl Into<Method>,
        params: Option<Json>,
    ) -> Result<Exchange, UseError> {
        let facts = self.connect().await?;
        Ok(self
            .introduced(self.clone(), &facts)
            .exchange(method, params))
    }

    /// Closes the connection and waits until it is gone: a child process's input is closed, after
    /// a grace period it is told to terminate, and after another one it is killed. An attempt to
    /// connect is aborted. The next use connects again.
    ///
    /// # Cancellation
    /// The rest is done by whoever waits next, or at once and without grace when the server is
    /// dropped.
    pub async fn close(&self) {
        let closing = self.slot().close(|remains| clean(remains).boxed().shared());
        if let Some((generation, cleanup)) = closing {
            cleanup.await;
            self.slot().closed(generation);
        }
    }

    /// Refuses every later attempt to connect.
    pub(crate) fn retire(&self) {
        self.slot().retire();
    }

    fn introduced(&self, service: impl McpService, facts: &Facts) -> Client {
        let info = &self.0.settings.implementation;
        let capabilities = ClientCapabilities {
            extensions: facts.mirrored(),
            ..ClientCapabilities::default()
        };
        Client::builder(service, &info.name, &info.version)
            .capabilities(capabilities)
            .build()
            .expect("no extension is enabled that could not fit another")
    }

    /// The connection that there is, or a new one.
    async fn connected(&self) -> Result<Connected, UseError> {
        let server = || self.name().to_owned();
        if self.is_disabled() {
            return Err(UseError::Disabled { server: server() });
        }
        let entry = self.entry().map_err(Clone::clone)?;
        loop {
            let entered = self.slot().enter(Open::alive, |generation, dead| {
                self.attempt(entry.clone(), generation, dead)
            });
            let (generation, attempt) = match entered {
                Enter::Ready(connected) => return Ok(connected),
                Enter::Retired => return Err(UseError::Retired { server: server() }),
                Enter::Closing(generation, cleanup) => {
                    cleanup.await;
                    self.slot().closed(generation);
                    continue;
                }
                Enter::Wait(generation, attempt) => (generation, attempt),
            };
            let _leave = Leave {
                server: self,
                generation,
            };
            return attempt.end.await.map_err(|failed| match failed {
                Failed::Connect(source) => UseError::Connect {
                    server: server(),
                    source,
                },
                Failed::Closed => UseError::Closed { server: server() },
            });
        }
    }

    /// Begins an attempt; nothing happens until somebody awaits it.
    fn attempt(&self, entry: ServerEntry, generation: Generation, dead: Option<Open>) -> Attempt {
        // The slot keeps the attempt and the attempt keeps the server: the circle ends with the
        // attempt, which nobody keeps without waiting for it.
        let server = self.clone();
        let opening = async move {
            if let Some(dead) = dead {
                dead.close().await;
            }
            let opened = Open::new(server.name(), &entry, &server.0.settings).await;
            let (open, end) = match opened {
                Ok(open) => {
                    let connected = open.connected().clone();
                    (Some(open), Ok(connected))
                }
                Err(error) => (None, Err(Failed::Connect(Arc::new(error)))),
            };
            let unwanted = server.slot().finish(generation, open);
            match unwanted {
                Some(unwanted) => {
                    unwanted.close().await;
                    Err(Failed::Closed)
                }
                None => end,
            }
        };
        let (opening, abort) = abortable(opening);
        let end = opening.map(|end| end.unwrap_or(Err(Failed::Closed)));
        Attempt {
            end: end.boxed().shared(),
            abort,
        }
    }

    fn slot(&self) -> MutexGuard<'_, Slot<Attempt, Open, Cleanup>> {
        self.0.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn clean(remains: Remains<Attempt, Open>) {
    match remains {
        Remains::Attempt(attempt) => {
            attempt.abort.abort();
            drop(attempt.end.await);
        }
        Remains::Connection(open) => open.close().await,
    }
}

/// One who waits for an attempt.
struct Leave<'a> {
    server: &'a Server,
    generation: Generation,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        let abandoned = self.server.slot().leave(self.generation);
        // Outside the lock: this may kill a process.
        drop(abandoned);
    }
}

impl Service<Request> for Server {
    type Response = Outcome;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Outcome, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let server = self.clone();
        Box::pin(async move {
            let connected = server.connected().await?;
            connected.service.oneshot(request).await
        })
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}
