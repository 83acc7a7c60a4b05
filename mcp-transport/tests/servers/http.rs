//! The HTTP server against raw requests: mostly as a service without sockets, where the clock can
//! stand still, and over real ones where a connection matters.

use std::{collections::BTreeSet, convert::Infallible, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::FutureExt;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody};
use mcp_core::schema::tools::{CallToolResult, Tool};
use mcp_ext::server::ServedTool;
use mcp_transport::http::server::{self, Body, Options};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::{Instant, timeout},
};
use tower::ServiceExt;

use crate::served::{
    CAPABILITIES, CLOCK_CHANGED, LOG_LEVEL, LONG, SERVER_INFO, SUBSCRIPTION, Signals, TICK,
    VERSION, assert_error, bare, call, cancelled, extra_tool, happened, initialize, notification,
    plain, server, stateless, text_of,
};

const NOW: &str = "2026-07-28";
const SESSION: &str = "mcp-session-id";
const EVENTS: &str = "text/event-stream";

#[derive(Clone)]
struct Http {
    http: server::Server<mcp_ext::Server>,
    mcp: mcp_ext::Server,
    signals: Arc<Signals>,
}

impl Http {
    fn open() -> Self {
        Self::with(Options::default())
    }

    fn with(options: Options) -> Self {
        let (mcp, signals) = server();
        Self {
            http: server::Server::new(mcp.clone(), options),
            mcp,
            signals,
        }
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Reply {
        let sent = self.http.clone().oneshot(request);
        let Ok(response) = timeout(LONG, sent).await.expect("there is a response");
        Reply::new(response)
    }

    async fn post(&self, message: &Value) -> Reply {
        self.send(post(message)).await
    }

    /// The answer, which is one JSON object.
    #[track_caller]
    fn ask(&self, message: Value) -> impl Future<Output = Value> + '_ {
        let place = std::panic::Location::caller();
        async move {
            let mut reply = self.post(&message).await;
            assert_eq!(reply.kind(), "application/json", "{place}");
            reply.json().await
        }
    }

    async fn session(&self) -> Session {
        let reply = self.post(&initialize("hello", "2025-11-25")).await;
        assert_eq!(reply.status, 200);
        let id = reply.headers[SESSION].to_str().unwrap().to_owned();
        let session = Session {
            http: self.clone(),
            id,
        };
        let done = notification("notifications/initialized", json!({}));
        assert_eq!(session.post(&done).await.status, 202);
        session
    }
}

/// A session of an older client.
struct Session {
    http: Http,
    id: String,
}

impl Session {
    fn request(&self, method: Method) -> http::request::Builder {
        request(method)
            .header(SESSION, &self.id)
            .header("mcp-protocol-version", "2025-11-25")
    }

    fn posted(&self, message: &Value) -> Request<Full<Bytes>> {
        let body = Full::from(message.to_string());
        self.request(Method::POST).body(body).unwrap()
    }

    async fn post(&self, message: &Value) -> Reply {
        self.http.send(self.posted(message)).await
    }

    async fn ask(&self, message: Value) -> Value {
        let mut reply = self.post(&message).await;
        assert_eq!(reply.status, 200);
        reply.json().await
    }

    async fn get(&self) -> Reply {
        let get = request(Method::GET).header(SESSION, &self.id);
        self.http.send(get.body(Full::default()).unwrap()).await
    }

    async fn delete(&self) -> StatusCode {
        let delete = self.request(Method::DELETE).body(Full::default()).unwrap();
        self.http.send(delete).await.status
    }
}

fn request(method: Method) -> http::request::Builder {
    Request::builder()
        .method(method)
        .uri("/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
}

/// The headers that a client of the current version sends with a message.
fn mirrored(message: &Value) -> Vec<(&'static str, String)> {
    let text = |value: &Value| value.as_str().map(String::from);
    let method = message["method"].as_str().unwrap_or_default();
    let name = match method {
        "tools/call" => text(&message["params"]["name"]),
        "resources/read" => text(&message["params"]["uri"]),
        _ => None,
    };
    let version = text(&message["params"]["_meta"][VERSION]);
    let mut headers = Vec::new();
    if let Some(version) = version {
        headers.push(("mcp-protocol-version", version));
        headers.push(("mcp-method", method.into()));
        headers.extend(name.map(|name| ("mcp-name", name)));
    }
    headers
}

fn with_headers(message: &Value, headers: &[(&str, &[u8])]) -> Request<Full<Bytes>> {
    let mut builder = request(Method::POST);
    for (name, value) in headers {
        builder = builder.header(*name, *value);
    }
    builder.body(Full::from(message.to_string())).unwrap()
}

fn post(message: &Value) -> Request<Full<Bytes>> {
    let headers = mirrored(message);
    let headers: Vec<_> = headers.iter().map(|(n, v)| (*n, v.as_bytes())).collect();
    with_headers(message, &headers)
}

/// A response whose body is read piece by piece.
struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Body,
    text: String,
}

impl Reply {
    fn new(response: Response<Body>) -> Self {
        let (head, body) = response.into_parts();
        Self {
            status: head.status,
            headers: head.headers,
            body,
            text: String::new(),
        }
    }

    fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map(|value| value.to_str().unwrap())
            .unwrap_or_default()
    }

    fn kind(&self) -> &str {
        self.header("content-type")
    }

    async fn frame(&mut self) -> Option<()> {
        let frame = timeout(LONG, self.body.frame())
            .await
            .expect("more of the body, or its end")?;
        let Ok(frame) = frame;
        self.text
            .push_str(std::str::from_utf8(frame.data_ref().unwrap()).unwrap());
        Some(())
    }

    async fn text(&mut self) -> String {
        while self.frame().await.is_some() {}
        std::mem::take(&mut self.text)
    }

    async fn json(&mut self) -> Value {
        let text = self.text().await;
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{}: not JSON: {text}", self.status))
    }

    /// The next event: its lines without the blank one at its end.
    async fn event(&mut self) -> Option<String> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let event = event.to_owned();
                self.text = rest.to_owned();
                return Some(event);
            }
            if self.frame().await.is_none() {
                assert_eq!(self.text, "", "the stream ends inside an event");
                return None;
            }
        }
    }

    /// The next message of a stream; comments are skipped.
    async fn message(&mut self) -> Option<Value> {
        let event = async {
            loop {
                let event = self.event().await?;
                if !event.starts_with(':') {
                    return Some(event);
                }
            }
        };
        let event = timeout(LONG, event)
            .await
            .expect("a message, or the end of the stream")?;
        // V26-HTTP-023: no ids, no names, one line.
        let data = event.strip_prefix("data: ").expect("only data");
        Some(serde_json::from_str(data).unwrap())
    }

    /// No message comes for as long as the clock allows.
    #[track_caller]
    fn silent(&mut self) -> impl Future<Output = ()> + '_ {
        let place = std::panic::Location::caller();
        async move {
            let message = timeout(LONG / 2, self.message()).await;
            assert!(message.is_err(), "{message:?}: {place}");
        }
    }

    async fn assert_error(&mut self, status: u16, id: impl Into<Value>, code: i64) {
        let body = self.json().await;
        assert_eq!(self.status, status, "{body}");
        assert_eq!(self.kind(), "application/json");
        assert_error(&body, id, code);
    }
}

fn listen(id: impl Into<Value>) -> Value {
    let filter = json!({ "notifications": { "toolsListChanged": true } });
    stateless(id, "subscriptions/listen", filter)
}

fn ticks(id: impl Into<Value>, count: u64) -> Value {
    stateless(id, "clock/ticks", json!({ "count": count }))
}

fn with_token(mut message: Value) -> Value {
    message["params"]["_meta"]["progressToken"] = json!("token");
    message
}

// ---- before the message

#[tokio::test(start_paused = true)]
async fn v26_http_002_003_t1_foreign_origins_and_hosts_are_refused_whatever_the_method() {
    let http = Http::open();
    for method in ["POST", "GET", "DELETE", "OPTIONS", "PUT", "HEAD"] {
        let method: Method = method.parse().unwrap();
        for (name, value) in [
            ("origin", "http://evil.example"),
            ("origin", "null"),
            ("origin", "file://"),
            ("origin", "http://localhost.evil.example"),
            ("origin", "http://localhost@evil.example"),
            ("origin", "https://evil.example#localhost"),
            ("host", "evil.example"),
            ("host", "evil.example:80"),
            ("host", "127.0.0.1.evil.example"),
        ] {
            let message = call(1, "echo", json!({ "text": "t" }));
            let mut request = post(&message);
            *request.method_mut() = method.clone();
            request.headers_mut().insert(name, value.parse().unwrap());
            // N4: before everything else that is wrong with it.
            request.headers_mut().remove("content-type");
            let reply = http.send(request).await;
            assert_eq!(reply.status, 403, "{method} {name}: {value}");
        }
    }
    for (host, origin) in [
        ("localhost:1", "http://localhost:9"),
        ("127.0.0.1", "https://127.0.0.1"),
        ("[::1]:80", "http://[::1]"),
        ("LocalHost", "http://LOCALHOST"),
    ] {
        let mut request = post(&call(1, "echo", json!({ "text": "t" })));
        request.headers_mut().insert("host", host.parse().unwrap());
        request
            .headers_mut()
            .insert("origin", origin.parse().unwrap());
        assert_eq!(http.send(request).await.status, 200, "{host} {origin}");
    }
    // One good one does not excuse another.
    let mut request = post(&call(1, "echo", json!({ "text": "t" })));
    for origin in ["http://localhost", "http://evil.example"] {
        request
            .headers_mut()
            .append("origin", origin.parse().unwrap());
    }
    assert_eq!(http.send(request).await.status, 403);
}

#[tokio::test(start_paused = true)]
async fn t1_a_foreign_host_in_the_target_is_refused() {
    // As HTTP/2 and absolute targets have it.
    let http = Http::open();
    let mut request = post(&call(1, "echo", json!({ "text": "t" })));
    *request.uri_mut() = "http://evil.example/mcp".parse().unwrap();
    assert_eq!(http.send(request).await.status, 403);
}

#[tokio::test(start_paused = true)]
async fn t1_a_foreign_host_beside_a_good_one_is_refused() {
    let http = Http::open();
    let mut request = post(&call(1, "echo", json!({ "text": "t" })));
    for host in ["localhost", "evil.example"] {
        request.headers_mut().append("host", host.parse().unwrap());
    }
    assert!(http.send(request).await.status.is_client_error());
}

#[tokio::test(start_paused = true)]
async fn t1_what_is_no_name_and_port_is_refused() {
    let http = Http::open();
    for (name, value) in [
        ("host", "localhost:80@evil.example"),
        ("origin", "http://localhost:80@evil.example"),
        ("origin", "http://localhost:80.evil.example"),
        ("host", "[::1]evil.example"),
        ("origin", "http://[::1].evil.example"),
    ] {
        let mut request = post(&call(1, "echo", json!({ "text": "t" })));
        request.headers_mut().insert(name, value.parse().unwrap());
        assert_eq!(http.send(request).await.status, 403, "{name}: {value}");
    }
}

#[tokio::test(start_paused = true)]
async fn v26_http_001_079_only_the_methods_that_are_served() {
    let http = Http::open();
    for method in ["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"] {
        let method: Method = method.parse().unwrap();
        let reply = http
            .send(request(method.clone()).body(Full::default()).unwrap())
            .await;
        assert_eq!(reply.status, 405, "{method}");
        assert!(reply.header("allow").contains("POST"), "{method}");
    }
    let mut elsewhere = post(&call(1, "echo", json!({ "text": "t" })));
    *elsewhere.uri_mut() = "/other".parse().unwrap();
    assert_eq!(http.send(elsewhere).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn t2_other_content_types_are_415_and_nothing_is_done() {
    let http = Http::open();
    let session = http.session().await;
    for kind in [
        "text/plain",
        "text/plain; application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/jsonp",
        "application/json-rpc",
        "",
    ] {
        for mut request in [
            post(&call(1, "wait", json!({}))),
            session.posted(&plain(1, "tools/call", json!({ "name": "wait" }))),
        ] {
            request
                .headers_mut()
                .insert("content-type", kind.parse().unwrap());
            assert_eq!(http.send(request).await.status, 415, "{kind:?}");
        }
    }
    assert_eq!(http.signals.started.available_permits(), 0);
    for kind in [
        "application/json",
        "application/json; charset=utf-8",
        "Application/JSON ;charset=UTF-8",
    ] {
        let mut request = post(&call(1, "echo", json!({ "text": "t" })));
        request
            .headers_mut()
            .insert("content-type", kind.parse().unwrap());
        assert_eq!(http.send(request).await.status, 200, "{kind:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn n27_a_client_that_takes_neither_form_gets_406() {
    let http = Http::open();
    for (accept, status) in [
        ("application/json, text/event-stream", 200),
        ("*/*", 200),
        ("application/*;q=0.9", 200),
        ("APPLICATION/JSON", 200),
        ("text/html", 406),
        ("text/html, image/*", 406),
        ("application/jsonx", 406),
    ] {
        let mut request = post(&call(1, "echo", json!({ "text": "t" })));
        request
            .headers_mut()
            .insert("accept", accept.parse().unwrap());
        let mut reply = http.send(request).await;
        assert_eq!(reply.status, status, "{accept}");
        if status == 406 {
            assert!(reply.json().await["error"]["code"].is_i64());
        }
    }
    let mut request = post(&call(1, "echo", json!({ "text": "t" })));
    request.headers_mut().remove("accept");
    assert_eq!(http.send(request).await.status, 200, "no header takes all");
}

#[tokio::test(start_paused = true)]
#[ignore = "`Accept` does not choose the form"]
async fn n27_a_client_that_takes_only_json_gets_no_events() {
    let http = Http::open();
    let message = with_token(call(1, "steps", json!({ "values": [1, 2] })));
    let mut request = post(&message);
    let json = "application/json".parse().unwrap();
    request.headers_mut().insert("accept", json);
    let reply = http.send(request).await;
    assert!(reply.status == 406 || reply.kind() == "application/json");
}

#[tokio::test(start_paused = true)]
#[ignore = "`Accept` does not choose the form"]
async fn n27_a_client_that_takes_only_events_gets_no_json() {
    let http = Http::open();
    let mut request = post(&call(1, "echo", json!({ "text": "t" })));
    request
        .headers_mut()
        .insert("accept", EVENTS.parse().unwrap());
    let reply = http.send(request).await;
    assert!(reply.status == 406 || reply.kind() == EVENTS);
}

#[tokio::test(start_paused = true)]
async fn t5_a_body_beyond_the_limit_is_413() {
    let mut options = Options::default();
    options.body = 2000;
    let http = Http::with(options);
    let shortest = call(1, "echo", json!({ "text": "" })).to_string().len();
    for (length, status) in [(2000, 200), (2001, 413), (1_000_000, 413)] {
        let message = call(1, "echo", json!({ "text": "x".repeat(length - shortest) }));
        assert_eq!(http.post(&message).await.status, status, "{length}");
    }
    // In pieces, and without an end.
    let pieces = futures_util::stream::repeat_with(|| {
        Ok::<_, Infallible>(Frame::data(Bytes::from_static(&[b' '; 100])))
    });
    let endless = request(Method::POST).body(StreamBody::new(pieces)).unwrap();
    let Ok(response) = http.http.clone().oneshot(endless).await;
    assert_eq!(response.status(), 413);
}

#[tokio::test(start_paused = true)]
async fn t7_a_body_that_does_not_come_is_408_and_a_broken_one_400() {
    let http = Http::open();
    let never = futures_util::stream::pending::<Result<Frame<Bytes>, Infallible>>();
    let never = request(Method::POST).body(StreamBody::new(never)).unwrap();
    let from = Instant::now();
    let Ok(response) = http.http.clone().oneshot(never).await;
    assert_eq!(response.status(), 408);
    assert!(from.elapsed() <= Duration::from_secs(31));
    let broken = futures_util::stream::iter([
        Ok(Frame::data(Bytes::from_static(b"{\"json"))),
        Err(std::io::Error::other("reset")),
    ]);
    let broken = request(Method::POST).body(StreamBody::new(broken)).unwrap();
    let Ok(response) = http.http.clone().oneshot(broken).await;
    assert_eq!(response.status(), 400);
}

#[tokio::test(start_paused = true)]
async fn v26_http_010_011_v26_base_012_what_is_no_request_is_400() {
    let http = Http::open();
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("\u{0}", -32700),
        ("null", -32600),
        ("42", -32600),
        ("\"text\"", -32600),
        ("[]", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        ("{}", -32600),
    ] {
        let request = request(Method::POST).body(Full::from(body)).unwrap();
        let mut reply = http.send(request).await;
        let error = reply.json().await;
        assert_eq!(reply.status, 400, "{body}");
        assert_eq!(error["error"]["code"], code, "{body}: {error}");
        assert!(error.get("id").is_none(), "{error}");
    }
    let bad = request(Method::POST)
        .body(Full::from(
            &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}"[..],
        ))
        .unwrap();
    assert_eq!(http.send(bad).await.status, 400);
    // A response is no message for a server without sessions.
    let response = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
    assert_eq!(http.post(&response).await.status, 400);
    // V26-BASE-012: the id that could be read.
    let request = json!({ "jsonrpc": "1.0", "id": "a", "method": "ping" });
    http.post(&request)
        .await
        .assert_error(400, "a", -32600)
        .await;
}

#[tokio::test(start_paused = true)]
async fn v26_http_012_013_notifications_are_202_without_a_body_or_4xx() {
    let http = Http::open();
    let session = http.session().await;
    for method in [
        "notifications/cancelled",
        "notifications/initialized",
        "notifications/unknown",
    ] {
        let message = notification(method, json!({ "requestId": 99 }));
        for mut reply in [http.post(&message).await, session.post(&message).await] {
            assert_eq!(reply.status, 202, "{method}");
            assert_eq!(reply.text().await, "");
        }
    }
    // N2: headers are not compared with the bodies of notifications.
    let message = notification("notifications/unknown", json!({}));
    let headers: [(&str, &[u8]); 2] = [("mcp-protocol-version", b"x"), ("mcp-method", b"y")];
    assert_eq!(
        http.send(with_headers(&message, &headers)).await.status,
        202
    );
    for bad in [
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":[]}"#,
        r#"{"jsonrpc":"2.0","method":7}"#,
        r#"{"method":"notifications/x"}"#,
    ] {
        let request = request(Method::POST).body(Full::from(bad)).unwrap();
        assert!(http.send(request).await.status.is_client_error(), "{bad}");
    }
    // V2511-HTTP-004: responses of a session too.
    let response = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
    assert_eq!(session.post(&response).await.status, 202);
}

// ---- mirrored headers

#[tokio::test(start_paused = true)]
async fn t3_v26_http_029_033_034_067_068_070_071_072_mirrored_headers() {
    let http = Http::open();
    let message = call("id", "echo", json!({ "text": "t" }));
    let good: [(&str, &[u8]); 3] = [
        ("mcp-protocol-version", NOW.as_bytes()),
        ("mcp-method", b"tools/call"),
        ("mcp-name", b"echo"),
    ];
    assert_eq!(http.send(with_headers(&message, &good)).await.status, 200);
    for at in 0..good.len() {
        let (name, value) = good[at];
        let wrong: [&[u8]; 6] = [
            b"",
            b"other",
            &value.to_ascii_uppercase(),
            b"\xff",
            b"e\xc3\xa9",
            &[value, b","].concat(),
        ];
        let mut cases = vec![];
        let mut missing = good.to_vec();
        missing.remove(at);
        cases.push(missing.clone());
        for wrong in wrong {
            if wrong != value {
                cases.push([missing.clone(), vec![(name, wrong)]].concat());
            }
        }
        // Twice: the same, and another before and behind it.
        cases.push([good.to_vec(), vec![(name, value)]].concat());
        cases.push([good.to_vec(), vec![(name, &b"other"[..])]].concat());
        cases.push([vec![(name, &b"other"[..])], good.to_vec()].concat());
        for headers in cases {
            let mut reply = http.send(with_headers(&message, &headers)).await;
            let error = reply.json().await;
            assert_eq!(reply.status, 400, "{headers:?}: {error}");
            assert_error(&error, "id", -32020);
        }
    }
    // V26-HTTP-034: the URI of a resource.
    let read = stateless(1, "resources/read", json!({ "uri": "test://about" }));
    assert_eq!(http.post(&read).await.status, 200);
    let headers: [(&str, &[u8]); 3] = [
        ("mcp-protocol-version", NOW.as_bytes()),
        ("mcp-method", b"resources/read"),
        ("mcp-name", b"test://other"),
    ];
    let mut reply = http.send(with_headers(&read, &headers)).await;
    reply.assert_error(400, 1, -32020).await;
    // N29: ignored where it is not defined.
    let mut request = post(&stateless(1, "tools/list", json!({})));
    request
        .headers_mut()
        .insert("mcp-name", "x".parse().unwrap());
    assert_eq!(http.send(request).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn r105_r106_v26_http_053_055_056_names_in_base64() {
    let http = Http::open();
    http.mcp
        .add_tool(extra_tool("plain"))
        .expect("a name like any other");
    let send = async |name: &str, header: &[u8]| {
        let message = call(1, name, json!({}));
        let headers: [(&str, &[u8]); 3] = [
            ("mcp-protocol-version", NOW.as_bytes()),
            ("mcp-method", b"tools/call"),
            ("mcp-name", header),
        ];
        http.send(with_headers(&message, &headers)).await.status
    };
    // "plain", "plaim", not Base64, not UTF-8.
    assert_eq!(send("plain", b"plain").await, 200);
    assert_eq!(send("plain", b"=?base64?cGxhaW4=?=").await, 200);
    assert_eq!(send("plain", b"=?base64?cGxhaW0=?=").await, 400);
    assert_eq!(send("plain", b"=?base64?%%?=").await, 400);
    assert_eq!(send("plain", b"=?base64?/w==?=").await, 400);
    assert_eq!(send("plain", b"=?BASE64?cGxhaW4=?=").await, 400);
    // Decoded once.
    let twice = b"=?base64?PT9iYXNlNjQ/Y0d4aGFXND0/PQ==?=";
    assert_eq!(send("plain", twice).await, 400);
    // A name that is the sentinel itself, plain and encoded: the tool does not exist, which is
    // another error than a header that differs.
    assert_eq!(send("=?base64?cGxhaW4=?=", twice).await, 200);
    assert_eq!(
        send("=?base64?cGxhaW4=?=", b"=?base64?cGxhaW4=?=").await,
        400
    );
    assert_eq!(send("h\u{e9}", b"=?base64?aMOp?=").await, 200);
    assert_eq!(
        send("h\u{e9}", "h\u{e9}".as_bytes()).await,
        400,
        "V26-HTTP-060"
    );
}

#[tokio::test(start_paused = true)]
async fn t4_with_a_member_twice_header_and_handler_see_the_same() {
    let http = Http::open();
    let head = call(1, "fails", json!({})).to_string();
    let body = head.replace("\"name\":\"fails\"", "\"name\":\"fails\",\"name\":\"wait\"");
    assert!(body.contains("wait"));
    let request = request(Method::POST)
        .header("mcp-protocol-version", NOW)
        .header("mcp-method", "tools/call")
        .header("mcp-name", "fails")
        .body(Full::from(body))
        .unwrap();
    http.send(request).await;
    assert_eq!(
        http.signals.started.available_permits(),
        0,
        "the header names another tool"
    );
}

fn region_tool() -> ServedTool {
    let schema = json!({
        "type": "object",
        "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
    });
    let Value::Object(schema) = schema else {
        unreachable!()
    };
    ServedTool::untyped(Tool::new("deploy", "Deploys.", schema), |_, _| {
        Box::pin(std::future::ready(Ok(CallToolResult::text("deployed"))))
    })
}

#[tokio::test(start_paused = true)]
#[ignore = "`Mcp-Param-*` is not checked"]
async fn v26_http_060_061_062_066_annotated_arguments_equal_their_headers() {
    let http = Http::open();
    http.mcp.add_tool(region_tool()).unwrap();
    let message = call(1, "deploy", json!({ "region": "us-west1" }));
    for (header, status) in [
        (Some(&b"us-west1"[..]), 200),
        (Some(b"=?base64?dXMtd2VzdDE=?="), 200),
        (Some(b"eu-east1"), 400),
        (Some(b"US-WEST1"), 400),
        (Some(b"us\xff"), 400),
        (None, 400),
    ] {
        let mut request = post(&message);
        if let Some(header) = header {
            let value = http::HeaderValue::from_bytes(header).unwrap();
            request.headers_mut().insert("mcp-param-region", value);
        }
        assert_eq!(http.send(request).await.status, status, "{header:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn v26_http_065_no_header_is_expected_where_there_is_no_value() {
    let http = Http::open();
    http.mcp.add_tool(region_tool()).unwrap();
    for arguments in [json!({}), json!({ "region": null })] {
        assert_eq!(http.post(&call(1, "deploy", arguments)).await.status, 200);
    }
}

// ---- refusals and their statuses

#[tokio::test(start_paused = true)]
async fn v26_http_030_031_v26_meta_009_013_refusals_and_their_statuses() {
    let http = Http::open();
    let mut unknown = stateless("u", "tools/list", json!({}));
    unknown["params"]["_meta"][VERSION] = json!("1900-01-01");
    let mut reply = http.post(&unknown).await;
    let error = reply.json().await;
    assert_eq!(reply.status, 400);
    assert_error(&error, "u", -32022);
    assert_eq!(
        error["error"]["data"],
        json!({ "supported": [NOW], "requested": "1900-01-01" })
    );
    for method in [
        "foo/bar",
        "clock/nobody",
        "clock/lost",
        "ping",
        "initialize",
    ] {
        let mut reply = http.post(&stateless(1, method, json!({}))).await;
        reply.assert_error(404, 1, -32601).await;
    }
    let mut undeclared = stateless(2, "clock/alarms", json!({}));
    undeclared["params"]["_meta"][CAPABILITIES] = json!({});
    http.post(&undeclared)
        .await
        .assert_error(400, 2, -32021)
        .await;
    let mut incomplete = stateless(3, "tools/list", json!({}));
    incomplete["params"]["_meta"] = json!({ VERSION: NOW });
    http.post(&incomplete)
        .await
        .assert_error(400, 3, -32602)
        .await;
    let mut loud = stateless(4, "tools/list", json!({}));
    loud["params"]["_meta"][LOG_LEVEL] = json!("loud");
    http.post(&loud).await.assert_error(400, 4, -32602).await;
    // K15.
    for tool in ["panics", "panics_at_once"] {
        let answer = http.ask(call(5, tool, json!({}))).await;
        assert_error(&answer, 5, -32603);
    }
    // Nothing at all is said.
    for message in [
        plain(6, "tools/list", json!({})),
        json!({ "jsonrpc": "2.0", "id": 6, "method": "tools/list" }),
    ] {
        assert_eq!(http.post(&message).await.status, 400, "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn n4_of_several_faults_the_first_one_is_named() {
    let http = Http::open();
    let all_wrong = || {
        let mut message = stateless(1, "no/such", json!({}));
        message["params"]["_meta"] = json!({ VERSION: "1900-01-01", LOG_LEVEL: "loud" });
        message
    };
    // Headers differ, version unknown, capabilities missing, method unknown.
    let headers: [(&str, &[u8]); 2] = [
        ("mcp-protocol-version", NOW.as_bytes()),
        ("mcp-method", b"no/such"),
    ];
    let mut reply = http.send(with_headers(&all_wrong(), &headers)).await;
    reply.assert_error(400, 1, -32020).await;
    // Headers agree.
    http.post(&stateless(
        1,
        "no/such",
        json!({ "_meta": { VERSION: "1900-01-01" } }),
    ))
    .await
    .assert_error(400, 1, -32022)
    .await;
    // The version is served.
    let mut message = stateless(1, "no/such", json!({}));
    message["params"]["_meta"] = json!({ VERSION: NOW });
    http.post(&message).await.assert_error(400, 1, -32602).await;
    // The method is there, the capability is not, and neither are the parameters.
    let mut message = stateless(1, "clock/ticks", json!({ "count": "x" }));
    message["params"]["_meta"][CAPABILITIES] = json!({});
    http.post(&message).await.assert_error(400, 1, -32021).await;
}

#[tokio::test(start_paused = true)]
async fn n4_an_unknown_version_is_named_before_faults_in_the_rest_of_the_metadata() {
    let http = Http::open();
    let mut message = stateless(1, "tools/list", json!({}));
    message["params"]["_meta"] =
        json!({ LOG_LEVEL: "of 2099", "progressToken": [], VERSION: "2099-01-01" });
    http.post(&message).await.assert_error(400, 1, -32022).await;
}

#[tokio::test(start_paused = true)]
#[ignore = "headers are compared only if the body has a version"]
async fn n4_a_header_that_differs_is_named_before_a_version_that_is_missing() {
    let http = Http::open();
    let message = plain(1, "tools/list", json!({}));
    let headers: [(&str, &[u8]); 2] = [
        ("mcp-protocol-version", NOW.as_bytes()),
        ("mcp-method", b"tools/call"),
    ];
    let mut reply = http.send(with_headers(&message, &headers)).await;
    reply.assert_error(400, 1, -32020).await;
}

// ---- answers and streams

#[tokio::test(start_paused = true)]
async fn v26_http_014_an_answer_without_notifications_is_one_json_object() {
    let http = Http::open();
    for message in [
        call("a", "echo", json!({ "text": "t" })),
        call("a", "later", json!({ "text": "t" })),
        // Nobody asked for progress.
        call("a", "steps", json!({ "values": [1, 2] })),
    ] {
        let mut reply = http.post(&message).await;
        assert_eq!(
            (reply.status.as_u16(), reply.kind()),
            (200, "application/json")
        );
        assert!(reply.headers.get(SESSION).is_none(), "V26-HTTP-080");
        let answer = reply.json().await;
        assert_eq!(answer["id"], "a");
        assert_eq!(answer["result"]["resultType"], "complete", "V26-BASE-008");
        assert_eq!(answer["result"]["_meta"][SERVER_INFO]["name"], "subject");
    }
}

#[tokio::test(start_paused = true)]
async fn v26_http_014_016_018_020_k16_a_notification_makes_it_a_stream_that_ends_with_the_answer() {
    let http = Http::open();
    let values: Vec<u32> = (1..=500).collect();
    let mut reply = http
        .post(&with_token(call(7, "steps", json!({ "values": values }))))
        .await;
    assert_eq!((reply.status.as_u16(), reply.kind()), (200, EVENTS));
    assert_eq!(reply.header("x-accel-buffering"), "no");
    for at in values {
        let progress = reply.message().await.unwrap();
        assert_eq!(progress["params"]["progress"].as_f64(), Some(f64::from(at)));
        assert_eq!(progress["params"]["progressToken"], "token");
    }
    let answer = reply.message().await.unwrap();
    assert_eq!((&answer["id"], text_of(&answer)), (&json!(7), "walked"));
    assert_eq!(reply.message().await, None, "V26-HTTP-018");
    // One that comes later.
    let asked = tokio::spawn({
        let http = http.clone();
        async move { http.post(&with_token(call(8, "wait", json!({})))).await }
    });
    happened(&http.signals.started).await;
    http.signals.release.add_permits(1);
    let mut reply = asked.await.unwrap();
    assert_eq!(reply.kind(), EVENTS);
    assert_eq!(
        reply.message().await.unwrap()["method"],
        "notifications/progress"
    );
    assert_eq!(reply.message().await.unwrap()["id"], 8);
    assert_eq!(reply.message().await, None);
}

#[tokio::test(start_paused = true)]
async fn k10_k11_streams_of_an_extension_are_tagged_ordered_and_apart() {
    let mut options = Options::default();
    options.stream_buffer = 1000;
    let http = Http::with(options);
    let mut replies = Vec::new();
    for id in ["a", "b", "c"] {
        replies.push((id, http.post(&ticks(id, 3000)).await));
    }
    for n in 1..=3000 {
        for (id, reply) in &mut replies {
            let tick = reply.message().await.unwrap();
            assert_eq!(
                (&tick["method"], &tick["params"]["n"]),
                (&json!(TICK), &json!(n))
            );
            assert_eq!(tick["params"]["_meta"][SUBSCRIPTION], *id);
        }
    }
    for (id, mut reply) in replies {
        assert_eq!(reply.message().await.unwrap()["id"], id);
        assert_eq!(reply.message().await, None);
    }
}

#[tokio::test(start_paused = true)]
async fn t8_a_reader_that_is_slow_holds_its_handler_back_and_nobody_else() {
    let mut options = Options::default();
    options.stream_buffer = 4000;
    let http = Http::with(options);
    let mut slow = http.post(&ticks(1, 100_000)).await;
    assert!(slow.frame().await.is_some());
    for _ in 0..10 {
        http.ask(call(1, "echo", json!({ "text": "t" }))).await;
    }
    // What one read gives is about what the buffer holds.
    assert!(slow.text.len() < 3 * 4000, "{}", slow.text.len());
    let mut last = 0;
    while last < 1000 {
        last = slow.message().await.unwrap()["params"]["n"]
            .as_u64()
            .unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn v26_http_021_a_listening_stream_begins_with_the_acknowledgement_and_is_kept_alive() {
    let http = Http::open();
    let mut reply = http.post(&listen("sub")).await;
    assert_eq!((reply.status.as_u16(), reply.kind()), (200, EVENTS));
    assert_eq!(reply.header("x-accel-buffering"), "no");
    let ack = reply.message().await.unwrap();
    assert_eq!(ack["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(ack["params"]["_meta"][SUBSCRIPTION], "sub");
    let keep_alive = Options::default().keep_alive;
    for _ in 0..3 {
        let from = Instant::now();
        let comment = reply.event().await.unwrap();
        assert!(comment.starts_with(':'), "{comment}");
        let pause = from.elapsed();
        assert!(pause <= keep_alive + Duration::from_millis(50), "{pause:?}");
        assert!(pause >= keep_alive / 2, "{pause:?}");
    }
    http.mcp
        .announce(&bare("notifications/resources/list_changed"));
    http.mcp.announce(&bare("notifications/tools/list_changed"));
    let changed = reply.message().await.unwrap();
    assert_eq!(changed["method"], "notifications/tools/list_changed");
    assert_eq!(changed["params"]["_meta"][SUBSCRIPTION], "sub");
    // V26-HTTP-019, V26-LOG-005: what other requests say does not come here.
    let mut other = with_token(call(1, "logs", json!({})));
    other["params"]["_meta"][LOG_LEVEL] = json!("debug");
    http.post(&other).await.text().await;
    http.mcp.close_subscriptions();
    let end = reply.message().await.unwrap();
    assert_eq!(
        (&end["id"], &end["result"]["resultType"]),
        (&json!("sub"), &json!("complete"))
    );
    assert_eq!(reply.message().await, None, "V26-SUB-008");
}

#[tokio::test(start_paused = true)]
async fn v26_sub_010_the_end_of_a_subscription_says_which() {
    let http = Http::open();
    let mut reply = http.post(&listen("sub")).await;
    reply.message().await.unwrap();
    http.mcp.close_subscriptions();
    let end = reply.message().await.unwrap();
    assert_eq!(end["result"]["_meta"][SUBSCRIPTION], "sub", "{end}");
}

#[tokio::test(start_paused = true)]
async fn v26_http_021_a_call_that_takes_long_becomes_a_stream_that_is_kept_alive() {
    let http = Http::open();
    let mut reply = http.post(&call(1, "wait", json!({}))).await;
    assert_eq!(reply.kind(), EVENTS);
    for _ in 0..2 {
        assert!(reply.event().await.unwrap().starts_with(':'));
    }
    http.signals.release.add_permits(1);
    assert_eq!(text_of(&reply.message().await.unwrap()), "released");
    assert_eq!(reply.message().await, None);
}

#[tokio::test(start_paused = true)]
async fn v26_http_080_081_sessions_and_event_ids_mean_nothing_to_stateless_requests() {
    let http = Http::open();
    for (name, value) in [(SESSION, "no-such-session"), ("last-event-id", "7")] {
        let mut request = post(&call(1, "echo", json!({ "text": "t" })));
        request.headers_mut().insert(name, value.parse().unwrap());
        let mut reply = http.send(request).await;
        assert_eq!(reply.status, 200, "{name}");
        assert!(reply.headers.get(SESSION).is_none());
        assert_eq!(text_of(&reply.json().await), "t");
    }
    assert_eq!(http.http.sessions(), 0);
}

// ---- disconnects

#[tokio::test(start_paused = true)]
async fn v26_http_024_025_n22_a_stateless_client_that_goes_cancels() {
    let http = Http::open();
    // Before there was a response.
    let asked = tokio::spawn({
        let http = http.clone();
        async move { http.post(&call(1, "wait", json!({}))).await }
    });
    happened(&http.signals.started).await;
    asked.abort();
    happened(&http.signals.dropped).await;
    // With a stream that has begun.
    let reply = http.post(&with_token(call(1, "wait", json!({})))).await;
    happened(&http.signals.started).await;
    assert_eq!(reply.kind(), EVENTS);
    drop(reply);
    happened(&http.signals.dropped).await;
}

#[tokio::test(start_paused = true)]
async fn v26_http_026_work_that_goes_on_reaches_nobody() {
    let http = Http::open();
    let mut message = with_token(call(1, "detached", json!({})));
    message["params"]["_meta"][LOG_LEVEL] = json!("debug");
    let reply = http.post(&message).await;
    happened(&http.signals.started).await;
    drop(reply);
    happened(&http.signals.dropped).await;
    http.signals.release.add_permits(1);
    happened(&http.signals.finished).await;
}

#[tokio::test(start_paused = true)]
async fn v26_http_024_a_listener_that_goes_is_forgotten() {
    let http = Http::open();
    let mut reply = http.post(&listen(1)).await;
    reply.message().await.unwrap();
    drop(reply);
    for _ in 0..10_000 {
        http.mcp.announce(&bare("notifications/tools/list_changed"));
    }
    http.ask(call(1, "echo", json!({ "text": "t" }))).await;
}

#[tokio::test(start_paused = true)]
async fn t10_a_stateless_cancel_notification_cancels_nobody() {
    let http = Http::open();
    let session = http.session().await;
    let stateless = tokio::spawn({
        let http = http.clone();
        async move { http.ask(call(1, "wait", json!({}))).await }
    });
    happened(&http.signals.started).await;
    let posted = session.posted(&plain(1, "tools/call", json!({ "name": "wait" })));
    let older = tokio::spawn({
        let http = http.clone();
        async move { http.send(posted).await.json().await }
    });
    happened(&http.signals.started).await;
    assert_eq!(http.post(&cancelled(1)).await.status, 202);
    http.signals.release.add_permits(2);
    assert_eq!(text_of(&stateless.await.unwrap()), "released");
    assert_eq!(text_of(&older.await.unwrap()), "released");
}

#[tokio::test(start_paused = true)]
async fn v2511_http_016_017_a_client_of_a_session_that_goes_does_not_cancel_but_a_cancel_does() {
    let http = Http::open();
    let session = http.session().await;
    let waiting = || {
        plain(
            "w",
            "tools/call",
            json!({ "name": "wait", "arguments": {} }),
        )
    };
    for begun in [false, true] {
        // Gone, and the work goes on to its end.
        if begun {
            let reply = session.post(&waiting()).await;
            happened(&http.signals.started).await;
            assert_eq!(reply.kind(), EVENTS);
            drop(reply);
        } else {
            let posted = session.posted(&waiting());
            let http = http.clone();
            let asked = tokio::spawn({
                let http = http.clone();
                async move { http.send(posted).await }
            });
            happened(&http.signals.started).await;
            asked.abort();
        }
        http.signals.release.add_permits(1);
        happened(&http.signals.finished).await;
        // Gone, and cancelled afterwards.
        let reply = session.post(&waiting()).await;
        happened(&http.signals.started).await;
        drop(reply);
        assert_eq!(session.post(&cancelled("w")).await.status, 202);
        happened(&http.signals.dropped).await;
    }
    // Still there, and cancelled: the stream ends without an answer.
    let mut reply = session.post(&waiting()).await;
    happened(&http.signals.started).await;
    session.post(&cancelled("w")).await;
    assert_eq!(reply.message().await, None, "V26-CANC-014");
    happened(&http.signals.dropped).await;
}

#[tokio::test(start_paused = true)]
async fn v2511_http_016_a_handler_does_not_notice_that_nobody_reads() {
    let mut options = Options::default();
    options.stream_buffer = 1000;
    let http = Http::with(options);
    let mut hello = initialize(1, "2025-11-25");
    hello["params"]["capabilities"] = json!({ "extensions": { "com.example/clock": {} } });
    let reply = http.post(&hello).await;
    let session = Session {
        id: reply.header(SESSION).into(),
        http: http.clone(),
    };
    let mut reply = session
        .post(&plain(2, "clock/ticks", json!({ "count": 10_000 })))
        .await;
    reply.message().await.unwrap();
    drop(reply);
    // Its id is free once it has ended.
    loop {
        let again = session.ask(plain(2, "ping", json!({}))).await;
        if again["result"].is_object() {
            break;
        }
        tokio::task::yield_now().await;
    }
}

// ---- sessions

#[tokio::test(start_paused = true)]
async fn v2511_http_028_029_032_033_the_life_of_a_session() {
    let http = Http::open();
    let session = http.session().await;
    assert_eq!(http.http.sessions(), 1);
    assert!(session.id.len() >= 22, "128 bits: {}", session.id);
    assert!(session.id.bytes().all(|b| (0x21..=0x7e).contains(&b)));
    let answer = session.ask(plain(1, "tools/list", json!({}))).await;
    assert!(answer["result"]["tools"].is_array());
    assert!(
        answer["result"].get("resultType").is_none(),
        "V2511-BASE-004"
    );
    assert_eq!(
        session.ask(plain(2, "ping", json!({}))).await["result"],
        json!({})
    );
    assert_error(
        &session.ask(plain(3, "no/such", json!({}))).await,
        3,
        -32601,
    );
    // Without the id, with another, and with one that only begins like it.
    let list = plain(1, "tools/list", json!({}));
    assert_eq!(http.post(&list).await.status, 400);
    for id in ["other", &session.id[1..], &format!("{}x", session.id), ""] {
        let stranger = Session {
            id: id.into(),
            http: http.clone(),
        };
        for reply in [
            stranger.post(&list).await,
            stranger.post(&cancelled(1)).await,
            stranger
                .post(&json!({ "jsonrpc": "2.0", "id": 1, "result": {} }))
                .await,
            stranger.get().await,
        ] {
            assert_eq!(reply.status, 404, "{id:?}");
        }
        assert_eq!(stranger.delete().await, 404);
    }
    assert!(session.delete().await.is_success());
    assert_eq!(http.http.sessions(), 0);
    assert_eq!(session.post(&list).await.status, 404);
    assert_eq!(session.get().await.status, 404);
    assert_eq!(session.delete().await, 404);
}

#[tokio::test(start_paused = true)]
async fn t10_session_ids_are_never_the_clients_and_never_the_same() {
    let http = Http::open();
    let mut ids = BTreeSet::new();
    for _ in 0..200 {
        ids.insert(http.session().await.id);
    }
    assert_eq!(ids.len(), 200);
    let mut chosen = post(&initialize(1, "2025-11-25"));
    chosen
        .headers_mut()
        .insert(SESSION, "mine".parse().unwrap());
    let reply = http.send(chosen).await;
    assert_ne!(reply.header(SESSION), "mine");
}

#[tokio::test(start_paused = true)]
async fn t12_k23_what_fails_opens_no_session_and_beyond_the_limit_there_is_503() {
    let mut options = Options::default();
    options.sessions = 3;
    let http = Http::with(options);
    for bad in [
        plain(1, "initialize", json!({})),
        plain(1, "initialize", json!({ "protocolVersion": 1 })),
        plain(1, "tools/list", json!({})),
        notification("notifications/initialized", json!({})),
        stateless(1, "server/discover", json!({})),
        stateless(1, "initialize", json!({})),
    ] {
        let reply = http.post(&bad).await;
        assert!(reply.headers.get(SESSION).is_none(), "{bad}");
    }
    assert_eq!(http.http.sessions(), 0);
    let mut sessions = Vec::new();
    for _ in 0..3 {
        sessions.push(http.session().await);
    }
    let reply = http.post(&initialize(1, "2025-11-25")).await;
    assert_eq!(reply.status, 503);
    assert!(reply.headers.get(SESSION).is_none());
    // Stateless ones need none.
    http.ask(call(1, "echo", json!({ "text": "t" }))).await;
    sessions.pop().unwrap().delete().await;
    http.session().await;
}

/// Until more time than this has passed on the clock of the machine, which sessions use.
fn outlast(time: Duration) {
    let from = std::time::Instant::now();
    while from.elapsed() <= time {
        std::thread::yield_now();
    }
}

fn short_idle() -> Options {
    let mut options = Options::default();
    options.session_idle = Duration::from_millis(50);
    options
}

#[tokio::test]
async fn t12_idle_sessions_make_room() {
    let mut options = short_idle();
    options.sessions = 50;
    let http = Http::with(options);
    for _ in 0..50 {
        http.session().await;
    }
    outlast(Duration::from_millis(60));
    http.session().await;
    assert_eq!(http.http.sessions(), 1);
}

#[tokio::test]
#[ignore = "idle sessions are only looked for when a new one opens"]
async fn k23_r35_abandoned_sessions_are_gone_after_the_idle_time_without_new_ones() {
    let http = Http::with(short_idle());
    for _ in 0..300 {
        http.post(&initialize(1, "2025-11-25")).await;
    }
    outlast(Duration::from_millis(60));
    // Whatever clients do now that opens none.
    http.ask(call(1, "echo", json!({ "text": "t" }))).await;
    assert_eq!(http.http.sessions(), 0);
}

#[tokio::test]
async fn v2511_http_033_a_session_that_was_idle_for_too_long_is_404() {
    let http = Http::with(short_idle());
    let session = http.session().await;
    outlast(Duration::from_millis(60));
    let reply = session.post(&plain(1, "ping", json!({}))).await;
    assert_eq!(reply.status, 404);
}

#[tokio::test]
async fn k14_a_session_in_use_is_not_idle() {
    let mut options = short_idle();
    options.session_idle *= 4;
    options.sessions = 2;
    let http = Http::with(options);
    let (reading, working) = (http.session().await, http.session().await);
    let _stream = reading.get().await;
    let posted = working.posted(&plain(1, "tools/call", json!({ "name": "wait" })));
    let running = tokio::spawn({
        let http = http.clone();
        async move { http.send(posted).await }
    });
    happened(&http.signals.started).await;
    outlast(Duration::from_millis(210));
    assert_eq!(http.post(&initialize(1, "2025-11-25")).await.status, 503);
    assert_eq!(http.http.sessions(), 2);
    http.signals.release.add_permits(1);
    running.await.unwrap();
}

#[tokio::test(start_paused = true)]
#[ignore = "calls of sessions are not counted"]
async fn k17_t12_calls_whose_clients_are_gone_are_bounded() {
    let http = Http::open();
    let session = http.session().await;
    let mut refused = 0;
    for id in 0..20_000 {
        let waiting = session.posted(&plain(id, "tools/call", json!({ "name": "wait" })));
        let sent = http.http.clone().oneshot(waiting);
        if sent.now_or_never().is_some() {
            refused += 1;
        }
    }
    assert!(refused > 0, "20 000 handlers run for nobody");
}

#[tokio::test(start_paused = true)]
async fn r15_r126_t6_ids_come_back_exactly_and_depth_is_answered() {
    let http = Http::open();
    let list = stateless(0, "tools/list", json!({})).to_string();
    for id in [
        "\"1\"",
        "1",
        "\"\"",
        "-1",
        "18446744073709551615",
        "\" 7 \"",
    ] {
        let body = list.replace("\"id\":0", &format!("\"id\":{id}"));
        let mut request = post(&stateless(0, "tools/list", json!({})));
        *request.body_mut() = Full::from(body);
        let text = http.send(request).await.text().await;
        assert!(
            text.starts_with(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},")),
            "{text}"
        );
    }
    for depth in [200, 10_000, 1_000_000] {
        let nested = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let message = call(0, "echo", json!({ "text": "t" }));
        let deep = format!("\"arguments\":{{\"deep\":{nested},");
        let body = message.to_string().replace("\"arguments\":{", &deep);
        let mut request = post(&message);
        *request.body_mut() = Full::from(body);
        assert_eq!(http.send(request).await.json().await["id"], 0);
    }
}

#[tokio::test(start_paused = true)]
async fn t11_r79_two_clients_with_the_same_ids_get_their_own_answers() {
    let http = Http::open();
    let sessions = [http.session().await, http.session().await];
    for round in 0..30 {
        let mut asked = Vec::new();
        for (client, session) in sessions.iter().enumerate() {
            let text = format!("{round} {client}");
            let params = json!({ "name": "later", "arguments": { "text": text } });
            let requests = [
                session.posted(&plain(1, "tools/call", params)),
                post(&call(1, "later", json!({ "text": text }))),
            ];
            for request in requests {
                let (http, text) = (http.clone(), text.clone());
                asked.push(tokio::spawn(async move {
                    let answer = http.send(request).await.json().await;
                    assert_eq!((&answer["id"], text_of(&answer)), (&json!(1), &*text));
                }));
            }
        }
        for asked in asked {
            asked.await.unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn t10_a_session_cannot_cancel_the_requests_of_another() {
    let http = Http::open();
    let (mine, other) = (http.session().await, http.session().await);
    let mut reply = mine
        .post(&plain(1, "tools/call", json!({ "name": "wait" })))
        .await;
    happened(&http.signals.started).await;
    assert_eq!(other.post(&cancelled(1)).await.status, 202);
    http.signals.release.add_permits(1);
    assert_eq!(text_of(&reply.message().await.unwrap()), "released");
}

#[tokio::test(start_paused = true)]
async fn k19_an_id_in_use_in_a_session_is_refused() {
    let http = Http::open();
    let session = http.session().await;
    let mut reply = session
        .post(&plain(1, "tools/call", json!({ "name": "wait" })))
        .await;
    happened(&http.signals.started).await;
    let double = plain(
        1,
        "tools/call",
        json!({ "name": "echo", "arguments": { "text": "t" } }),
    );
    let error = session.post(&double).await.json().await;
    assert_error(&error, 1, -32600);
    http.signals.release.add_permits(1);
    assert_eq!(text_of(&reply.message().await.unwrap()), "released");
    assert_eq!(text_of(&session.ask(double).await), "t");
}

#[tokio::test(start_paused = true)]
async fn v26_canc_016_a_cancelled_request_does_not_take_its_successor_along() {
    let http = Http::open();
    let session = http.session().await;
    let waiting = plain(1, "tools/call", json!({ "name": "wait" }));
    let mut first = session.post(&waiting).await;
    happened(&http.signals.started).await;
    session.post(&cancelled(1)).await;
    // The same id again, while nobody has looked at the first stream yet.
    let mut second = session.post(&waiting).await;
    happened(&http.signals.started).await;
    assert_eq!(first.message().await, None);
    happened(&http.signals.dropped).await;
    // The second is still known under its id.
    session.post(&cancelled(1)).await;
    assert_eq!(second.message().await, None);
    happened(&http.signals.dropped).await;
}

#[tokio::test(start_paused = true)]
async fn v2511_http_038_039_the_version_header_of_a_session() {
    let http = Http::open();
    let session = http.session().await;
    let with = |version: Option<&str>, method: Method| {
        let mut request = session.posted(&plain(1, "ping", json!({})));
        *request.method_mut() = method;
        request.headers_mut().remove("mcp-protocol-version");
        if let Some(version) = version {
            let version = version.parse().unwrap();
            request
                .headers_mut()
                .insert("mcp-protocol-version", version);
        }
        request
    };
    for version in [None, Some("2025-11-25")] {
        assert_eq!(http.send(with(version, Method::POST)).await.status, 200);
        assert_eq!(http.send(with(version, Method::GET)).await.status, 200);
    }
    for version in ["bogus", "1900-01-01", ""] {
        for method in [Method::POST, Method::GET] {
            let reply = http.send(with(Some(version), method)).await;
            assert_eq!(reply.status, 400, "{version}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn v2511_http_039_the_version_header_counts_when_a_session_ends_too() {
    let http = Http::open();
    let session = http.session().await;
    let mut request = session.posted(&json!({}));
    *request.method_mut() = Method::DELETE;
    let bogus = "bogus".parse().unwrap();
    request.headers_mut().insert("mcp-protocol-version", bogus);
    assert_eq!(http.send(request).await.status, 400);
    assert_eq!(http.http.sessions(), 1);
}

#[tokio::test(start_paused = true)]
async fn v2511_feat_002_006_a_session_has_its_own_changes_and_its_own_level() {
    let http = Http::open();
    let (session, other) = (http.session().await, http.session().await);
    let mut changes = session.get().await;
    assert_eq!((changes.status.as_u16(), changes.kind()), (200, EVENTS));
    assert_eq!(changes.header("x-accel-buffering"), "no");
    // It listens as soon as somebody reads.
    changes.silent().await;
    for method in ["notifications/tools/list_changed", CLOCK_CHANGED] {
        http.mcp.announce(&bare(method));
        let changed = changes.message().await.unwrap();
        assert_eq!(changed["method"], method);
        assert!(
            changed["params"]["_meta"][SUBSCRIPTION].is_null(),
            "{changed}"
        );
    }
    assert!(
        changes.event().await.unwrap().starts_with(':'),
        "kept alive"
    );
    let logs = plain(1, "tools/call", json!({ "name": "logs", "arguments": {} }));
    for (level, count) in [("emergency", 1), ("debug", 4)] {
        let set = plain(2, "logging/setLevel", json!({ "level": level }));
        assert_eq!(session.ask(set).await["result"], json!({}));
        let mut reply = session.post(&logs).await;
        for _ in 0..count {
            let message = reply.message().await.unwrap();
            assert_eq!(message["method"], "notifications/message");
        }
        assert_eq!(reply.message().await.unwrap()["id"], 1);
    }
    // Nothing of that comes on the other stream, or to the other session (V2511-HTTP-020, -021).
    changes.silent().await;
    let mut reply = other.post(&logs).await;
    assert_ne!(reply.message().await.unwrap()["params"]["level"], "debug");
}

#[tokio::test(start_paused = true)]
async fn v2511_http_018_a_stream_of_changes_is_for_those_who_take_events() {
    let http = Http::open();
    let session = http.session().await;
    let mut request = session.posted(&json!({}));
    *request.method_mut() = Method::GET;
    let json = "application/json".parse().unwrap();
    request.headers_mut().insert("accept", json);
    assert_eq!(http.send(request).await.status, 406);
}

#[tokio::test(start_paused = true)]
async fn v2511_http_023_with_two_streams_a_change_comes_on_one_of_them() {
    let http = Http::open();
    let session = http.session().await;
    let mut first = session.get().await;
    first.silent().await;
    let mut second = session.get().await;
    if second.status != 200 {
        return;
    }
    second.silent().await;
    http.mcp.announce(&bare("notifications/tools/list_changed"));
    let mut seen = 0;
    for stream in [&mut first, &mut second] {
        if let Ok(Some(_)) = timeout(LONG / 2, stream.message()).await {
            seen += 1;
        }
    }
    assert_eq!(seen, 1);
}

#[tokio::test(start_paused = true)]
async fn r37_the_end_of_a_session_ends_its_streams() {
    let http = Http::open();
    let session = http.session().await;
    let mut running = session
        .post(&plain(1, "tools/call", json!({ "name": "wait" })))
        .await;
    happened(&http.signals.started).await;
    session.delete().await;
    assert_eq!(running.message().await, None);
    happened(&http.signals.dropped).await;
}

#[tokio::test(start_paused = true)]
async fn r37_the_end_of_a_session_ends_its_stream_of_changes() {
    let http = Http::open();
    let session = http.session().await;
    let mut changes = session.get().await;
    changes.silent().await;
    session.delete().await;
    http.mcp.announce(&bare("notifications/tools/list_changed"));
    let message = timeout(LONG / 2, changes.message()).await;
    assert_eq!(message, Ok(None), "the session is over");
}

#[tokio::test(start_paused = true)]
async fn v26_ver_012_sessions_and_stateless_requests_side_by_side() {
    let http = Http::open();
    let session = http.session().await;
    for n in 0..10 {
        let old = session.ask(plain(n, "tools/list", json!({}))).await;
        assert!(old["result"].get("resultType").is_none());
        let new = http.ask(stateless(n, "tools/list", json!({}))).await;
        assert_eq!(new["result"]["resultType"], "complete");
    }
    // A stateless request that names a session is stateless all the same (V26-VER-011).
    let mut request = post(&stateless("s", "clock/alarms", json!({})));
    request
        .headers_mut()
        .insert(SESSION, session.id.parse().unwrap());
    let answer = http.send(request).await.json().await;
    assert_eq!(answer["result"]["labels"], json!(["tea"]));
    let answer = session.ask(plain(1, "clock/alarms", json!({}))).await;
    assert_error(&answer, 1, -32601);
}

#[tokio::test(start_paused = true)]
#[ignore = "there are no CORS headers"]
async fn r14_a_page_from_an_allowed_origin_can_read_its_session_id() {
    let http = Http::open();
    let mut request = post(&initialize(1, "2025-11-25"));
    let origin = "http://localhost:3000".parse().unwrap();
    request.headers_mut().insert("origin", origin);
    let reply = http.send(request).await;
    let exposed = reply
        .header("access-control-expose-headers")
        .to_ascii_lowercase();
    assert!(exposed.contains(SESSION), "{:?}", reply.headers);
}

#[tokio::test(start_paused = true)]
async fn t2_no_origin_is_allowed_by_a_wildcard() {
    let http = Http::open();
    let mut request = post(&call(1, "echo", json!({ "text": "t" })));
    let origin = "http://localhost".parse().unwrap();
    request.headers_mut().insert("origin", origin);
    let reply = http.send(request).await;
    assert_ne!(reply.header("access-control-allow-origin"), "*");
}

// ---- over real sockets

struct Served {
    http: Http,
    address: std::net::SocketAddr,
    task: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(options: Options) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let http = Http::open();
    let task = tokio::spawn(server::serve(http.mcp.clone(), listener, options));
    Served {
        http,
        address,
        task,
    }
}

fn raw(message: &Value) -> String {
    let body = message.to_string();
    let headers: String = mirrored(message)
        .into_iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

async fn until(stream: &mut TcpStream, what: &str) -> String {
    let mut text = Vec::new();
    while !String::from_utf8_lossy(&text).contains(what) {
        let read = timeout(LONG, stream.read_buf(&mut text)).await;
        let read = read.unwrap_or_else(|_| panic!("no {what}")).unwrap();
        assert_ne!(read, 0, "{}", String::from_utf8_lossy(&text));
    }
    String::from_utf8(text).unwrap()
}

#[tokio::test]
async fn v26_http_024_t16_a_broken_connection_cancels() {
    let served = serve(Options::default()).await;
    let signals = &served.http.signals;
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream
        .write_all(raw(&call(1, "wait", json!({}))).as_bytes())
        .await
        .unwrap();
    happened(&signals.started).await;
    drop(stream);
    happened(&signals.dropped).await;
    // A stream that has begun, and one that is told of something once the client is gone.
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream
        .write_all(raw(&listen("l")).as_bytes())
        .await
        .unwrap();
    until(&mut stream, "acknowledged").await;
    drop(stream);
    served
        .http
        .mcp
        .announce(&bare("notifications/tools/list_changed"));
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream
        .write_all(raw(&call(2, "echo", json!({ "text": "still" }))).as_bytes())
        .await
        .unwrap();
    until(&mut stream, "still").await;
}

#[tokio::test]
async fn t9_t7_broken_requests_cost_their_connection_only() {
    let served = serve(Options::default()).await;
    let mut good = TcpStream::connect(served.address).await.unwrap();
    for bad in [
        "GARBAGE\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: x\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: nonsense\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n",
    ] {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        stream.write_all(bad.as_bytes()).await.unwrap();
        let mut text = Vec::new();
        let _ = timeout(LONG, stream.read_to_end(&mut text))
            .await
            .unwrap_or_else(|_| panic!("it stays open: {bad}"));
        let text = String::from_utf8_lossy(&text);
        assert!(
            text.is_empty() || text.starts_with("HTTP/1.1 4"),
            "{bad}: {text}"
        );
    }
    // Half a body, then gone.
    let whole = raw(&call(1, "wait", json!({})));
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream
        .write_all(&whole.as_bytes()[..whole.len() - 3])
        .await
        .unwrap();
    drop(stream);
    // Two on one connection, in one write, and the connection is as good as new.
    let two = raw(&call(1, "echo", json!({ "text": "one" })))
        + &raw(&call(2, "echo", json!({ "text": "two" })));
    good.write_all(two.as_bytes()).await.unwrap();
    until(&mut good, "two").await;
    assert_eq!(served.http.signals.started.available_permits(), 0);
}

#[tokio::test]
async fn t8_r87_a_client_that_never_reads_blocks_nobody() {
    let mut options = Options::default();
    options.stream_buffer = 10_000;
    let served = serve(options).await;
    let mut stuck = Vec::new();
    for id in 0..20 {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        stream
            .write_all(raw(&ticks(id, 10_000_000)).as_bytes())
            .await
            .unwrap();
        stuck.push(stream);
    }
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    for n in 0..50 {
        let text = format!("answer {n}.");
        stream
            .write_all(raw(&call(n, "echo", json!({ "text": text }))).as_bytes())
            .await
            .unwrap();
        until(&mut stream, &text).await;
    }
    drop(stuck);
}

#[tokio::test]
async fn v2511_http_016_a_broken_connection_of_a_session_does_not_cancel() {
    let served = serve(Options::default()).await;
    let signals = &served.http.signals;
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream
        .write_all(raw(&initialize(1, "2025-06-18")).as_bytes())
        .await
        .unwrap();
    let head = until(&mut stream, "serverInfo").await;
    let at = head.to_ascii_lowercase().find("mcp-session-id: ").unwrap();
    let id = head[at + 16..].split("\r\n").next().unwrap();
    let waiting = raw(&plain(2, "tools/call", json!({ "name": "wait" })));
    let waiting = waiting.replacen("\r\n", &format!("\r\nmcp-session-id: {id}\r\n"), 1);
    stream.write_all(waiting.as_bytes()).await.unwrap();
    happened(&signals.started).await;
    drop(stream);
    signals.release.add_permits(1);
    happened(&signals.finished).await;
    assert_eq!(signals.dropped.available_permits(), 0);
}

#[tokio::test]
async fn t7_idle_connections_do_not_keep_others_out_for_ever() {
    let mut options = Options::default();
    options.connections = 2;
    let served = serve(options).await;
    let mut idle = Vec::new();
    for _ in 0..2 {
        idle.push(TcpStream::connect(served.address).await.unwrap());
    }
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream
        .write_all(raw(&call(1, "echo", json!({ "text": "in" }))).as_bytes())
        .await
        .unwrap();
    // One goes: the next one comes in.
    idle.pop();
    until(&mut stream, "\"in\"").await;
}
