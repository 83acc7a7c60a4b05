//! The HTTP server, request by request, as a `tower` service: no sockets.

use std::{convert::Infallible, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use mcp_ext::{Cx, Notification, Server, interim::NobodyLeft, server::tool};
use mcp_transport::http::server::{Body, Options, Server as Http};
use serde_json::{Value, json};
use tests::{Nothing, OnDrop};
use tokio::sync::Notify;
use tower::ServiceExt;

#[derive(Clone, Default)]
struct Seen {
    started: Arc<Notify>,
    dropped: Arc<Notify>,
    release: Arc<Notify>,
    finished: Arc<Notify>,
}

fn server(seen: &Seen) -> Server {
    let hang = seen.clone();
    Server::builder("web", "1.0.0")
        .tool(tool(
            "plain",
            "Answers at once.",
            async |_: Cx, _: Nothing| Ok::<_, Infallible>("done"),
        ))
        .tool(tool(
            "progress",
            "Reports progress.",
            async |cx: Cx, _: Nothing| {
                for step in 1..=3u8 {
                    cx.progress(step.into(), Some(3.0), None).await?;
                }
                Ok::<_, NobodyLeft>("done")
            },
        ))
        .tool(tool("hang", "Waits.", move |cx: Cx, _: Nothing| {
            let seen = hang.clone();
            async move {
                let _guard = OnDrop(seen.dropped.clone());
                cx.progress(1.0, None, None).await?;
                seen.started.notify_one();
                seen.release.notified().await;
                // Whether or not anybody hears it.
                cx.progress(2.0, None, None).await?;
                seen.finished.notify_one();
                Ok::<_, NobodyLeft>("done")
            }
        }))
        .tool(tool(
            "change",
            "Announces a change.",
            async |cx: Cx, _: Nothing| {
                cx.announce(&Notification::new("notifications/tools/list_changed", None));
                Ok::<_, Infallible>("done")
            },
        ))
        .build()
        .unwrap()
}

type Web = Http<Server>;

fn web(seen: &Seen) -> Web {
    Http::new(server(seen), Options::default())
}

/// Sends a request whose headers are the given ones besides the usual; `-name` leaves one out.
async fn send(
    web: &Web,
    method: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Response<Body> {
    let mut all = HeaderMap::new();
    all.insert("host", "127.0.0.1:8080".parse().unwrap());
    if method == "POST" {
        all.insert("content-type", "application/json".parse().unwrap());
        all.insert(
            "accept",
            "application/json, text/event-stream".parse().unwrap(),
        );
    }
    for (name, value) in headers {
        match name.strip_prefix('-') {
            Some(name) => drop(all.remove(name)),
            None => drop(all.append(
                name.parse::<http::HeaderName>().unwrap(),
                http::HeaderValue::from_bytes(value.as_bytes()).unwrap(),
            )),
        }
    }
    let mut request = Request::builder().method(method).uri("/mcp");
    *request.headers_mut().unwrap() = all;
    let request = request.body(Full::new(body.into())).unwrap();
    web.clone().oneshot(request).await.unwrap()
}

fn stateless(id: i64, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "progressToken": "t",
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

const VERSION: (&str, &str) = ("mcp-protocol-version", "2026-07-28");
const CALL: (&str, &str) = ("mcp-method", "tools/call");

/// Calls a tool in the stateless form.
async fn call(web: &Web, name: &'static str) -> Response<Body> {
    let body = stateless(1, "tools/call", json!({ "name": name }));
    send(web, "POST", &[VERSION, CALL, ("mcp-name", name)], body).await
}

async fn text(response: Response<Body>) -> String {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(bytes.to_vec()).unwrap()
}

async fn json_of(response: Response<Body>) -> Value {
    assert_eq!(response.headers()["content-type"], "application/json");
    serde_json::from_str(&text(response).await).unwrap()
}

/// The messages of a whole stream.
async fn events_of(response: Response<Body>) -> Vec<Value> {
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let text = text(response).await;
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

/// The next event of an open stream, or the comment that keeps it alive.
async fn next_of(body: &mut Body) -> String {
    let frame = tokio::time::timeout(Duration::from_secs(60), body.frame()).await;
    let frame = frame
        .expect("nothing comes")
        .expect("the stream ended")
        .unwrap();
    String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn v26_http_014_a_call_without_notifications_is_answered_as_json() {
    let response = call(&web(&Seen::default()), "plain").await;
    assert_eq!(response.status(), StatusCode::OK);
    let answer = json_of(response).await;
    assert_eq!(answer["result"]["content"][0]["text"], "done");
    assert_eq!(answer["result"]["resultType"], "complete");
}

#[tokio::test(start_paused = true)]
async fn k16_notifications_turn_the_answer_into_a_stream_and_come_first() {
    let response = call(&web(&Seen::default()), "progress").await;
    assert_eq!(
        response.headers()["x-accel-buffering"],
        "no",
        "V26-HTTP-020"
    );
    let events = events_of(response).await;
    let steps: Vec<_> = events
        .iter()
        .map(|event| event["params"]["progress"].clone())
        .collect();
    assert_eq!(steps, [json!(1.0), json!(2.0), json!(3.0), Value::Null]);
    assert_eq!(events[0]["params"]["progressToken"], "t");
    assert_eq!(events[3]["id"], 1);
}

#[tokio::test(start_paused = true)]
async fn v26_http_029_062_068_to_072_mirrored_headers_have_to_agree() {
    let web = web(&Seen::default());
    let name = ("mcp-name", "plain");
    let body = || stateless(1, "tools/call", json!({ "name": "plain" }));
    for headers in [
        &[CALL, name][..],
        &[VERSION, name],
        &[VERSION, CALL],
        &[("mcp-protocol-version", "2025-11-25"), CALL, name],
        &[VERSION, ("mcp-method", "TOOLS/CALL"), name],
        &[VERSION, ("mcp-method", "tools/list"), name],
        &[VERSION, CALL, ("mcp-name", "other")],
        &[VERSION, CALL, name, name],
        &[VERSION, CALL, ("mcp-name", "=?base64?!!?=")],
        &[VERSION, CALL, ("mcp-name", "plain\u{e9}")],
    ] {
        let response = send(&web, "POST", headers, body()).await;
        assert_eq!(response.status(), StatusCode::BAD_REQUEST, "{headers:?}");
        let error = json_of(response).await;
        assert_eq!(
            (&error["error"]["code"], &error["id"]),
            (&json!(-32020), &json!(1)),
            "{headers:?}"
        );
    }
    for good in ["plain", "=?base64?cGxhaW4=?="] {
        let response = send(&web, "POST", &[VERSION, CALL, ("MCP-Name", good)], body()).await;
        assert_eq!(
            response.status(),
            StatusCode::OK,
            "V26-HTTP-055, -067: {good}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn n4_refusals_have_their_status_and_come_in_order() {
    let web = web(&Seen::default());
    let check = async |headers: &[(&str, &str)], body: String, status: u16, code: i64| {
        let response = send(&web, "POST", headers, body.clone()).await;
        assert_eq!(response.status(), status, "{body}");
        assert_eq!(json_of(response).await["error"]["code"], code, "{body}");
    };
    let unknown = ("mcp-method", "no/such");
    check(
        &[VERSION, unknown],
        stateless(1, "no/such", json!({})),
        404,
        -32601,
    )
    .await;
    let old = stateless(1, "tools/list", json!({})).replace("2026-07-28", "1900-01-01");
    let list = ("mcp-method", "tools/list");
    check(
        &[("mcp-protocol-version", "1900-01-01"), list],
        old.clone(),
        400,
        -32022,
    )
    .await;
    check(&[VERSION, list], old, 400, -32020).await;
    let bare = |meta: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{{{meta}}}}}}}"#
        )
    };
    let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    check(&[VERSION, list], bare(version), 400, -32602).await;
    check(&[VERSION, list], "{".into(), 400, -32700).await;
    check(
        &[VERSION, list],
        format!("[{}]", bare(version)),
        400,
        -32600,
    )
    .await;
    // An unknown tool is an answer like any other.
    let nope = stateless(1, "tools/call", json!({ "name": "nope" }));
    check(&[VERSION, CALL, ("mcp-name", "nope")], nope, 200, -32602).await;
}

#[tokio::test(start_paused = true)]
async fn t1_t2_foreign_pages_and_forms_get_nowhere() {
    let web = web(&Seen::default());
    for method in ["POST", "GET", "DELETE", "OPTIONS"] {
        for headers in [
            &[("origin", "http://evil.example")][..],
            &[("-host", ""), ("host", "evil.example")],
        ] {
            let response = send(&web, method, headers, "").await;
            assert_eq!(
                response.status(),
                StatusCode::FORBIDDEN,
                "{method} {headers:?}"
            );
        }
    }
    let kind = [("-content-type", ""), ("content-type", "text/plain")];
    let response = send(&web, "POST", &kind, stateless(1, "tools/list", json!({}))).await;
    assert_eq!(response.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let accept = [("-accept", ""), ("accept", "text/html")];
    let response = send(&web, "POST", &accept, stateless(1, "tools/list", json!({}))).await;
    assert_eq!(response.status(), StatusCode::NOT_ACCEPTABLE);
    for accept in ["*/*", "application/json", "text/event-stream;q=0.5"] {
        let headers = [
            ("-accept", ""),
            ("accept", accept),
            VERSION,
            ("mcp-method", "tools/list"),
        ];
        let response = send(
            &web,
            "POST",
            &headers,
            stateless(1, "tools/list", json!({})),
        )
        .await;
        assert_eq!(response.status(), StatusCode::OK, "note N27: {accept}");
    }
}

#[tokio::test(start_paused = true)]
async fn t5_a_body_beyond_the_limit_is_refused() {
    let mut options = Options::default();
    options.body = 1000;
    let web = Http::new(server(&Seen::default()), options);
    let response = send(&web, "POST", &[], "x".repeat(1001)).await;
    assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test(start_paused = true)]
async fn v26_http_012_013_011_what_is_no_request() {
    let web = web(&Seen::default());
    let post = async |body: &'static str| send(&web, "POST", &[VERSION], body).await;
    let accepted = post(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#).await;
    assert_eq!(accepted.status(), StatusCode::ACCEPTED);
    assert_eq!(text(accepted).await, "");
    let malformed = post(r#"{"jsonrpc":"2.0","method":"notifications/x","params":[]}"#).await;
    assert_eq!(malformed.status(), StatusCode::BAD_REQUEST);
    let answer = post(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    for method in ["GET", "DELETE"] {
        let response = send(&web, method, &[("accept", "text/event-stream")], "").await;
        assert_eq!(
            response.status(),
            StatusCode::METHOD_NOT_ALLOWED,
            "V26-HTTP-079"
        );
        assert_eq!(response.headers()["allow"], "POST");
    }
}

#[tokio::test(start_paused = true)]
async fn v26_http_024_leaving_cancels_a_stateless_call() {
    let seen = Seen::default();
    let mut body = call(&web(&seen), "hang").await.into_body();
    assert!(next_of(&mut body).await.contains("notifications/progress"));
    drop(body);
    tokio::time::timeout(Duration::from_secs(1), seen.dropped.notified())
        .await
        .expect("it runs on");
}

#[tokio::test(start_paused = true)]
async fn v26_http_021_sub_002_a_subscription_is_a_stream_that_stays_alive() {
    let web = web(&Seen::default());
    let filter = json!({ "notifications": { "toolsListChanged": true } });
    let headers = [VERSION, ("mcp-method", "subscriptions/listen")];
    let response = send(
        &web,
        "POST",
        &headers,
        stateless(9, "subscriptions/listen", filter),
    )
    .await;
    let mut body = response.into_body();
    assert!(
        next_of(&mut body)
            .await
            .contains("notifications/subscriptions/acknowledged")
    );
    assert_eq!(
        next_of(&mut body).await,
        ":\n\n",
        "nothing happened for a while"
    );
    call(&web, "change").await;
    let event = next_of(&mut body).await;
    assert!(
        event.contains("notifications/tools/list_changed"),
        "{event}"
    );
    assert!(
        event.contains(r#""io.modelcontextprotocol/subscriptionId":9"#),
        "{event}"
    );
}

/// Opens a session and gives its id.
async fn introduce(web: &Web) -> String {
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" },
    });
    let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello });
    let response = send(web, "POST", &[], body.to_string()).await;
    assert_eq!(response.status(), StatusCode::OK);
    let id = response.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        json_of(response).await["result"]["protocolVersion"],
        "2025-11-25"
    );
    id
}

async fn in_session(web: &Web, session: &str, id: i64, name: &str) -> Response<Body> {
    let params = json!({ "name": name, "_meta": { "progressToken": "t" } });
    let body = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
    send(
        web,
        "POST",
        &[("mcp-session-id", session)],
        body.to_string(),
    )
    .await
}

#[tokio::test(start_paused = true)]
async fn v2511_http_028_to_035_the_life_of_a_session() {
    let web = web(&Seen::default());
    let (first, second) = (introduce(&web).await, introduce(&web).await);
    assert!(first != second && first.len() >= 22, "{first}");
    assert!(first.bytes().all(|byte| (0x21..=0x7e).contains(&byte)));
    assert_eq!(web.sessions(), 2);

    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    for body in [list, ping] {
        let unknown = send(&web, "POST", &[("mcp-session-id", "guess")], body).await;
        assert_eq!(unknown.status(), StatusCode::NOT_FOUND);
    }
    assert_eq!(
        send(&web, "POST", &[], list).await.status(),
        StatusCode::BAD_REQUEST,
        "no session"
    );
    let version = [
        ("mcp-session-id", &*first),
        ("mcp-protocol-version", "1900-01-01"),
    ];
    assert_eq!(
        send(&web, "POST", &version, list).await.status(),
        StatusCode::BAD_REQUEST
    );

    // T11: two clients, one id.
    let (a, b) = tokio::join!(
        in_session(&web, &first, 7, "plain"),
        in_session(&web, &second, 7, "progress")
    );
    assert_eq!(json_of(a).await["id"], 7);
    assert_eq!(events_of(b).await.len(), 4);

    let session = [("mcp-session-id", &*first)];
    assert_eq!(
        send(&web, "DELETE", &session, "").await.status(),
        StatusCode::NO_CONTENT
    );
    assert_eq!(
        send(&web, "DELETE", &session, "").await.status(),
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        send(&web, "POST", &session, list).await.status(),
        StatusCode::NOT_FOUND
    );
    assert_eq!(web.sessions(), 1);
}

#[tokio::test(start_paused = true)]
async fn v2511_http_016_017_leaving_does_not_cancel_in_a_session_but_saying_so_does() {
    let seen = Seen::default();
    let web = web(&seen);
    let session = introduce(&web).await;
    let wait = Duration::from_secs(1);

    let mut body = in_session(&web, &session, 1, "hang").await.into_body();
    next_of(&mut body).await;
    seen.started.notified().await;
    drop(body);
    seen.release.notify_one();
    tokio::time::timeout(wait, seen.finished.notified())
        .await
        .expect("leaving cancelled it");
    seen.dropped.notified().await;

    let mut body = in_session(&web, &session, 2, "hang").await.into_body();
    next_of(&mut body).await;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    let response = send(&web, "POST", &[("mcp-session-id", &session)], cancel).await;
    assert_eq!(response.status(), StatusCode::ACCEPTED);
    assert!(body.frame().await.is_none(), "nothing more is sent for it");
    tokio::time::timeout(wait, seen.dropped.notified())
        .await
        .expect("it runs on");
}

#[tokio::test(start_paused = true)]
async fn v2511_http_019_023_the_get_stream_has_the_changes_of_its_session() {
    let web = web(&Seen::default());
    let session = introduce(&web).await;
    let headers = [
        ("mcp-session-id", &*session),
        ("accept", "text/event-stream"),
    ];
    let mut body = send(&web, "GET", &headers, "").await.into_body();
    // The stream is served when somebody reads it.
    let reading = next_of(&mut body);
    let changing = async {
        tokio::task::yield_now().await;
        json_of(in_session(&web, &session, 1, "change").await).await
    };
    let (event, _) = tokio::join!(reading, changing);
    assert!(
        event.contains("notifications/tools/list_changed"),
        "{event}"
    );
    assert!(
        !event.contains("_meta"),
        "nothing is tagged in a session: {event}"
    );
}

#[tokio::test]
async fn k23_t12_sessions_are_bounded_and_idle_ones_go() {
    let mut options = Options::default();
    options.sessions = 2;
    options.session_idle = Duration::ZERO;
    let web = Http::new(server(&Seen::default()), options.clone());
    for _ in 0..100 {
        introduce(&web).await;
    }
    assert!(web.sessions() <= 2, "{}", web.sessions());

    options.session_idle = Duration::from_secs(3600);
    let web = Http::new(server(&Seen::default()), options);
    introduce(&web).await;
    introduce(&web).await;
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
    let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello });
    let response = send(&web, "POST", &[], body.to_string()).await;
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
}
