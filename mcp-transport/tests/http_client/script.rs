//! A server that answers HTTP as a closure says, down to the bytes.

use std::{
    future::Future,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// One HTTP request.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) verb: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Seen {
    /// The method of the JSON-RPC message.
    pub(crate) fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or("")
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The answer to this request as text.
    pub(crate) fn result(&self, result: &Value) -> String {
        json!({ "jsonrpc": "2.0", "id": self.body["id"], "result": result }).to_string()
    }

    pub(crate) fn error(&self, code: i64) -> String {
        let error = json!({ "code": code, "message": "no" });
        json!({ "jsonrpc": "2.0", "id": self.body["id"], "error": error }).to_string()
    }
}

/// The other end of one connection.
pub(crate) struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
    open: bool,
}

impl Wire {
    /// Writes a whole response.
    pub(crate) async fn answer(&mut self, status: u16, headers: &str, body: &str) {
        let length = body.len();
        self.raw(&format!(
            "HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\n\r\n{body}"
        ))
        .await;
    }

    pub(crate) async fn json(&mut self, status: u16, body: &str) {
        self.answer(status, "content-type: application/json\r\n", body)
            .await;
    }

    pub(crate) async fn html(&mut self, status: u16) {
        self.answer(
            status,
            "Content-Type: text/html; charset=utf-8\r\n",
            "<html>",
        )
        .await;
    }

    pub(crate) async fn empty(&mut self, status: u16) {
        self.answer(status, "", "").await;
    }

    /// Begins a stream of events.
    pub(crate) async fn stream(&mut self) {
        self.raw(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
        )
        .await;
    }

    pub(crate) async fn chunk(&mut self, bytes: &[u8]) {
        let head = format!("{:x}\r\n", bytes.len());
        let chunk = [head.as_bytes(), bytes, b"\r\n"].concat();
        self.open &= self.stream.write_all(&chunk).await.is_ok();
    }

    pub(crate) async fn event(&mut self, data: &str) {
        self.chunk(format!("data: {data}\n\n").as_bytes()).await;
    }

    /// Ends a stream of events in good order.
    pub(crate) async fn end(&mut self) {
        self.raw("0\r\n\r\n").await;
    }

    pub(crate) async fn raw(&mut self, text: &str) {
        self.open &= self.stream.write_all(text.as_bytes()).await.is_ok();
    }

    /// Waits until the client closes the connection.
    pub(crate) async fn closed(&mut self) {
        let mut byte = [0];
        while !matches!(self.stream.read(&mut byte).await, Ok(0) | Err(_)) {}
        self.open = false;
    }

    pub(crate) fn hang_up(&mut self) {
        self.open = false;
    }

    async fn read(&mut self) -> Option<Seen> {
        let end = loop {
            if let Some(at) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            self.more().await?;
        };
        let head = String::from_utf8(self.buffer[..end].to_vec()).unwrap();
        let mut lines = head.lines();
        let verb = lines.next()?.split(' ').next()?.to_string();
        let headers: HeaderMap = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| {
                (
                    name.parse::<HeaderName>().unwrap(),
                    value.parse::<HeaderValue>().unwrap(),
                )
            })
            .collect();
        let length = headers
            .get("content-length")
            .map_or(0, |n| n.to_str().unwrap().parse().unwrap());
        while self.buffer.len() < end + length {
            self.more().await?;
        }
        let body = serde_json::from_slice(&self.buffer[end..end + length]).unwrap_or(Value::Null);
        self.buffer.drain(..end + length);
        Some(Seen {
            verb,
            headers,
            body,
        })
    }

    async fn more(&mut self) -> Option<()> {
        let read = self.stream.read_buf(&mut self.buffer).await.ok()?;
        (read > 0).then_some(())
    }
}

/// A running server. Dropping it ends it.
pub(crate) struct Script {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Drop for Script {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Script {
    /// Answers every request with `handler`, which gives the connection back.
    pub(crate) async fn serve<F, R>(handler: F) -> Self
    where
        F: Fn(Seen, Wire) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Wire> + Send,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let seen = Arc::<Mutex<Vec<Seen>>>::default();
        let connections = Arc::<AtomicUsize>::default();
        let (log, count) = (seen.clone(), connections.clone());
        let task = tokio::spawn(async move {
            let mut open = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                let (log, handler) = (log.clone(), handler.clone());
                open.spawn(async move {
                    let mut wire = Wire {
                        stream,
                        buffer: Vec::new(),
                        open: true,
                    };
                    while let Some(seen) = wire.read().await {
                        log.lock().unwrap().push(seen.clone());
                        wire = handler(seen, wire).await;
                        if !wire.open {
                            return;
                        }
                    }
                });
            }
        });
        Self {
            url,
            seen,
            connections,
            task,
        }
    }

    /// A server of the current protocol: discovery is answered, the rest is the handler's.
    pub(crate) async fn stateless<F, R>(handler: F) -> Self
    where
        F: Fn(Seen, Wire) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Wire> + Send,
    {
        Self::serve(move |seen, mut wire| {
            let handler = handler.clone();
            async move {
                if seen.method() == "server/discover" {
                    let found = json!({ "supportedVersions": ["2026-07-28"], "capabilities": {} });
                    wire.json(200, &seen.result(&found)).await;
                    return wire;
                }
                handler(seen, wire).await
            }
        })
        .await
    }

    /// A server with sessions, named by their number: the beginning is answered, and what is
    /// neither a request nor GET; the rest is the handler's.
    pub(crate) async fn sessions<F, R>(handler: F) -> Self
    where
        F: Fn(Seen, Wire) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Wire> + Send,
    {
        let count = Arc::<AtomicUsize>::default();
        Self::serve(move |seen, mut wire| {
            let (handler, count) = (handler.clone(), count.clone());
            async move {
                match (seen.verb.as_str(), seen.method()) {
                    ("POST", "server/discover") => wire.html(404).await,
                    ("POST", "initialize") => {
                        let id = count.fetch_add(1, Ordering::SeqCst) + 1;
                        let headers =
                            format!("content-type: application/json\r\nmcp-session-id: {id}\r\n");
                        wire.answer(200, &headers, &seen.result(&hello())).await;
                    }
                    ("POST", _) if seen.body["id"].is_null() || seen.method().is_empty() => {
                        wire.empty(202).await;
                    }
                    ("DELETE", _) => wire.empty(200).await,
                    _ => return handler(seen, wire).await,
                }
                wire
            }
        })
        .await
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The JSON-RPC methods that came, `GET`, `DELETE` and answers by their verb.
    pub(crate) fn methods(&self) -> Vec<String> {
        let name = |seen: &Seen| match seen.method() {
            "" => seen.verb.clone(),
            method => method.into(),
        };
        self.seen().iter().map(name).collect()
    }

    pub(crate) fn count(&self, method: &str) -> usize {
        self.methods().iter().filter(|seen| *seen == method).count()
    }

    /// Waits until the first request comes that `f` accepts.
    pub(crate) async fn wait(&self, f: impl Fn(&Seen) -> bool) -> Seen {
        loop {
            if let Some(seen) = self.seen().iter().find(|seen| f(seen)) {
                return seen.clone();
            }
            tokio::task::yield_now().await;
        }
    }

    /// How many TCP connections were opened.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// The answer to `initialize`.
pub(crate) fn hello() -> Value {
    json!({
        "protocolVersion": "2025-06-18",
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "older", "version": "1" },
    })
}
