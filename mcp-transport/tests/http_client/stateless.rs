//! Requests to servers of the current protocol.

use std::sync::Arc;

use http::{HeaderName, HeaderValue, header::AUTHORIZATION};
use mcp_core::schema::{capabilities::ClientCapabilities, implementation::Implementation};
use mcp_ext::{CallError, Interim, McpService, Outcome, Peer, Request};
use mcp_transport::http::client::{Client, Options, connect};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tower::{Service, ServiceExt};

use crate::script::{Script, Seen, Wire};

async fn client(script: &Script) -> Client {
    connect(&script.url, Options::default()).await.unwrap()
}

fn request(method: &'static str, params: Value) -> Request {
    Request::new(method, Some(params.into()))
}

async fn call(client: &Client, request: Request) -> Result<Outcome, CallError> {
    client.clone().oneshot(request).await
}

/// Calls a server whose answer to everything is what `answer` writes.
pub(crate) async fn answered<F, R>(options: Options, answer: F) -> Result<Outcome, CallError>
where
    F: Fn(Seen, Wire) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Wire> + Send,
{
    let script = Script::stateless(answer).await;
    let client = connect(&script.url, options).await.unwrap();
    call(&client, request("tools/call", json!({ "name": "x" }))).await
}

fn complete(value: Value) -> Outcome {
    Outcome::Complete(value.into())
}

fn is_a_service(_: impl McpService) {}

async fn echo(seen: Seen, mut wire: Wire) -> Wire {
    wire.json(200, &seen.result(&json!({ "resultType": "complete" })))
        .await;
    wire
}

#[tokio::test]
async fn v26_http_008_009_027_028_033_034_headers_of_a_call() {
    let script = Script::stateless(echo).await;
    let value = HeaderValue::from_static("Bearer x");
    let peer = Peer {
        implementation: Some(Implementation::new("me", "1")),
        capabilities: ClientCapabilities::default(),
    };
    let mine = |name| HeaderName::from_static(name);
    let options = Options::default()
        .peer(peer)
        .header(AUTHORIZATION, value.clone())
        .header(mine("mcp-method"), value.clone())
        .header(mine("accept"), value.clone())
        .header(mine("mcp-protocol-version"), value);
    let client = connect(&script.url, options).await.unwrap();
    is_a_service(client.clone());
    call(
        &client,
        request("tools/call", json!({ "name": "add", "arguments": {} })),
    )
    .await
    .unwrap();

    let seen = script.seen().pop().unwrap();
    let mut headers: Vec<_> = seen
        .headers
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "host" | "content-length"))
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    headers.sort();
    assert_eq!(
        headers,
        [
            "accept: application/json, text/event-stream",
            "authorization: Bearer x",
            "content-type: application/json",
            "mcp-method: tools/call",
            "mcp-name: add",
            "mcp-protocol-version: 2026-07-28",
        ]
    );
    let body = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "me", "version": "1" },
        },
        "name": "add",
        "arguments": {},
    }});
    assert_eq!(seen.body, body);
    assert_eq!(
        script.seen()[0].header("mcp-method"),
        Some("server/discover")
    );
}

#[tokio::test]
async fn v26_http_034_035_names_are_mirrored_where_they_are_due() {
    let script = Script::stateless(echo).await;
    let client = client(&script).await;
    for (method, params, name) in [
        (
            "tools/call",
            json!({ "name": "größe" }),
            Some("=?base64?Z3LDtsOfZQ==?="),
        ),
        ("prompts/get", json!({ "name": "greet" }), Some("greet")),
        (
            "resources/read",
            json!({ "uri": "file:///a" }),
            Some("file:///a"),
        ),
        ("tools/list", json!({ "name": "no" }), None),
        ("com.example/x", json!({ "name": "no", "uri": "no" }), None),
        ("tools/call", json!({ "name": 7 }), None),
    ] {
        call(&client, request(method, params)).await.unwrap();
        let seen = script.seen().pop().unwrap();
        assert_eq!(
            (seen.header("mcp-name"), seen.header("mcp-method")),
            (name, Some(method))
        );
    }
}

#[tokio::test]
async fn v26_http_015_both_forms_of_answer_are_equal() {
    for case in 0..4 {
        let outcome = answered(Options::default(), move |seen, mut wire| async move {
            let text = seen.result(&json!({ "resultType": "complete", "x": "ü" }));
            match case {
                0 => wire.json(200, &text).await,
                1 => {
                    wire.answer(
                        200,
                        "Content-Type: TEXT/event-stream; charset=utf-8\r\n",
                        &format!("data: {text}\n\n"),
                    )
                    .await;
                }
                2 => wire.json(200, &format!("[{text}]")).await,
                _ => {
                    wire.stream().await;
                    wire.event(&format!("[{text}]")).await;
                }
            }
            wire
        })
        .await;
        assert_eq!(outcome.unwrap(), complete(json!({ "x": "ü" })), "{case}");
    }
}

#[tokio::test]
async fn v26_http_022_r11_r22_r24_r25_a_stream_may_hold_anything_and_come_byte_by_byte() {
    let outcome = answered(Options::default(), |seen, mut wire| async move {
        let answer = seen.result(&json!({ "text": "😀" }));
        let text = format!(
            "\u{feff}: hello 😀\n\nid: 1\nretry: 5\ndata:\n\nevent: ping\ndata: now\n\ndata: {{\"type\":\"hb\"}}\r\n\r\n: x\n\
             data: {{\ndata: {}\n: in between\n\n",
            &answer[1..]
        );
        wire.stream().await;
        for byte in text.as_bytes() {
            wire.chunk(&[*byte]).await;
        }
        wire.end().await;
        wire
    })
    .await;
    assert_eq!(outcome.unwrap(), complete(json!({ "text": "😀" })));
}

#[tokio::test]
async fn v26_http_024_k13_dropping_a_call_closes_its_response() {
    let gone = Arc::new(Semaphore::new(0));
    let told = gone.clone();
    let script = Script::stateless(move |_, mut wire| {
        let told = told.clone();
        async move {
            wire.stream().await;
            wire.event(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#)
                .await;
            wire.closed().await;
            told.add_permits(1);
            wire
        }
    })
    .await;
    let mut client = client(&script).await;
    let (interim, mut notifications) = Interim::queue(1);
    let mut request = request("tools/call", json!({ "name": "slow" }));
    request.interim = interim;
    let call = tokio::spawn(client.call(request));
    notifications.recv().await.unwrap();
    call.abort();
    gone.acquire().await.unwrap().forget();
    assert_eq!(
        script.methods(),
        ["server/discover", "tools/call"],
        "nothing else is sent"
    );
}

#[tokio::test]
async fn k10_ten_thousand_notifications_come_in_order_before_the_outcome() {
    const COUNT: usize = 10_000;
    let script = Script::stateless(|seen, mut wire| async move {
        wire.stream().await;
        let token = &seen.body["params"]["_meta"]["progressToken"];
        for first in (0..COUNT).step_by(100) {
            let events: String = (first..first + 100)
                .map(|n| format!("data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":{token},\"progress\":{n}}}}}\n\n"))
                .collect();
            wire.chunk(events.as_bytes()).await;
        }
        wire.event(&seen.result(&json!({}))).await;
        wire.end().await;
        wire
    })
    .await;
    let mut client = client(&script).await;
    let (interim, mut notifications) = Interim::queue(8);
    let mut request = request("tools/call", json!({ "name": "x" }));
    request.interim = interim;
    let outcome = tokio::spawn(client.call(request));
    for n in 0..COUNT {
        let got = notifications.recv().await.unwrap();
        assert_eq!(
            got.params.unwrap().as_str(),
            format!("{{\"progress\":{n}}}")
        );
    }
    assert_eq!(outcome.await.unwrap().unwrap(), complete(json!({})));
    assert_eq!(notifications.recv().await, None);
}

#[tokio::test]
async fn notifications_of_other_requests_are_dropped() {
    let script = Script::stateless(|seen, mut wire| async move {
        let id = &seen.body["id"];
        let stream = |id: &Value| json!({ "io.modelcontextprotocol/subscriptionId": id });
        wire.stream().await;
        for (method, params) in [
            (
                "notifications/progress",
                json!({ "progressToken": "other", "progress": 1 }),
            ),
            (
                "notifications/tools/list_changed",
                json!({ "_meta": stream(&json!(999)) }),
            ),
            (
                "notifications/tools/list_changed",
                json!({ "_meta": stream(id), "mine": 1 }),
            ),
            (
                "notifications/message",
                json!({ "level": "info", "data": 2 }),
            ),
        ] {
            let text = json!({ "jsonrpc": "2.0", "method": method, "params": params });
            wire.event(&text.to_string()).await;
        }
        wire.event(&json!({ "jsonrpc": "2.0", "id": 77, "result": {} }).to_string())
            .await;
        wire.event(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
            .await;
        wire.event(&seen.result(&json!({}))).await;
        wire
    })
    .await;
    let client = client(&script).await;
    let (interim, mut notifications) = Interim::queue(8);
    let mut request = request("com.example/stream", json!({}));
    request.interim = interim;
    call(&client, request).await.unwrap();
    let mut got = Vec::new();
    while let Some(notification) = notifications.recv().await {
        got.push(notification.params.unwrap().to_string());
    }
    assert_eq!(got, [r#"{"mine":1}"#, r#"{"level":"info","data":2}"#]);
    assert_eq!(script.count("POST"), 0, "a current server may ask nothing");
}

#[tokio::test]
async fn connections_are_used_again_whatever_the_answer_was() {
    let answered = Arc::new(Semaphore::new(0));
    let gate = answered.clone();
    let script = Script::stateless(move |seen, mut wire| {
        let gate = gate.clone();
        async move {
            match seen.method() {
                "a/json" => wire.json(200, &seen.result(&json!({}))).await,
                "a/error" => wire.html(500).await,
                _ => {
                    wire.stream().await;
                    wire.event(&seen.result(&json!({}))).await;
                    // The end comes when the caller has its answer already.
                    gate.acquire().await.unwrap().forget();
                    wire.end().await;
                }
            }
            wire
        }
    })
    .await;
    let client = client(&script).await;
    for _ in 0..8 {
        for method in ["a/stream", "a/json", "a/error"] {
            let _ = call(&client, request(method, json!({}))).await;
        }
        answered.add_permits(1);
        call(&client, request("a/json", json!({}))).await.unwrap();
    }
    let opened = script.connections();
    assert!(opened <= 3, "{opened} connections for 33 requests");
}

#[tokio::test]
async fn v26_http_006_calls_do_not_wait_for_each_other() {
    let gate = Arc::new(Semaphore::new(0));
    let open = gate.clone();
    let script = Script::stateless(move |seen, mut wire| {
        let gate = gate.clone();
        async move {
            gate.acquire().await.unwrap().forget();
            wire.json(200, &seen.result(&json!({}))).await;
            wire
        }
    })
    .await;
    let mut client = client(&script).await;
    let calls: Vec<_> = (0..20)
        .map(|_| tokio::spawn(client.call(request("a/b", json!({})))))
        .collect();
    while script.count("a/b") < 20 {
        tokio::task::yield_now().await;
    }
    open.add_permits(20);
    for call in calls {
        call.await.unwrap().unwrap();
    }
}
