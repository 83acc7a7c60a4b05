//! A byte-stream server, line by line: what a client sees that speaks the wire itself.

use std::{convert::Infallible, sync::Arc, time::Duration};

use mcp_core::{RequestMessage, schema::logging::LogLevel};
use mcp_ext::{
    Cx, Extension, ExtensionId, Notification, Server,
    extension::{handlers::Handlers, messages::Messages},
    interim::NobodyLeft,
    schemars::{self, JsonSchema},
    server::tool,
};
use mcp_transport::duplex::{ClientOptions, Limits, connect, serve};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tests::{Nothing, OnDrop};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf},
    sync::Notify,
    task::JoinHandle,
};

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

#[derive(Serialize, Deserialize)]
struct Feed {
    count: u32,
}

impl RequestMessage for Feed {
    const METHOD: &'static str = "feed/open";
    type Result = Feed;
}

/// Serves `feed/open`, defines `feed/never` without serving it.
struct Feeds;

impl Extension for Feeds {
    fn id(&self) -> ExtensionId {
        ExtensionId::from_static("com.example/feeds")
    }

    fn messages(&self) -> Messages {
        Messages::none()
            .stream(Feed::METHOD)
            .stream("feed/never")
            .notification("notifications/feed/item")
            .change("notifications/feed/changed", "feedChanged")
    }

    fn handlers(&self) -> Handlers {
        Handlers::none().request(async |cx: Cx, feed: Feed| {
            for n in 1..=feed.count {
                cx.notify("notifications/feed/item", &json!({ "n": n }))
                    .await?;
            }
            Ok::<_, NobodyLeft>(feed)
        })
    }
}

fn server(dropped: &Arc<Notify>) -> Server {
    let dropped = dropped.clone();
    Server::builder("wire", "1.0.0")
        .tool(tool(
            "echo",
            "Returns the text.",
            async |_: Cx, Text { text }: Text| Ok::<_, Infallible>(text),
        ))
        .tool(tool("hang", "Never returns.", move |cx: Cx, _: Nothing| {
            let guard = OnDrop(dropped.clone());
            async move {
                let _guard = guard;
                cx.progress(1.0, None, None).await?;
                std::future::pending::<()>().await;
                Ok::<_, NobodyLeft>("never")
            }
        }))
        .tool(tool(
            "log",
            "Logs at two levels.",
            async |cx: Cx, _: Nothing| {
                cx.log(LogLevel::Debug, None, "quiet").await?;
                cx.log(LogLevel::Error, None, "loud").await?;
                Ok::<_, NobodyLeft>("done")
            },
        ))
        .tool(tool(
            "progress",
            "Repeats itself.",
            async |cx: Cx, _: Nothing| {
                for step in [1.0, 1.0, 2.0, 1.5, 3.0] {
                    cx.progress(step, None, None).await?;
                }
                Ok::<_, NobodyLeft>("done")
            },
        ))
        .tool(tool(
            "change",
            "Announces changes.",
            async |cx: Cx, _: Nothing| {
                cx.announce(&Notification::new("notifications/tools/list_changed", None));
                cx.announce(&Notification::new("notifications/feed/changed", None));
                Ok::<_, Infallible>("done")
            },
        ))
        .extension(Feeds)
        .build()
        .unwrap()
}

/// The client's ends of a connection.
struct Wire {
    lines: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    serving: JoinHandle<std::io::Result<()>>,
    dropped: Arc<Notify>,
}

/// Long enough for everything that happens at all; time is paused.
const PATIENCE: Duration = Duration::from_secs(60);

impl Wire {
    fn open() -> Self {
        Self::with(Limits::default())
    }

    fn with(limits: Limits) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(theirs);
        let dropped = Arc::new(Notify::new());
        let serving = tokio::spawn(serve(server(&dropped), reader, writer, limits));
        let (reader, writer) = tokio::io::split(ours);
        Self {
            lines: BufReader::new(reader).lines(),
            writer,
            serving,
            dropped,
        }
    }

    async fn send(&mut self, line: impl AsRef<[u8]>) {
        self.writer.write_all(line.as_ref()).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    async fn request(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let message =
            json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params });
        self.send(message.to_string()).await;
    }

    /// A request of the stateless kind, with `meta` next to what is required.
    async fn stateless(
        &mut self,
        id: impl Into<Value>,
        method: &str,
        mut params: Value,
        meta: Value,
    ) {
        let mut all = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {
                "extensions": { "com.example/feeds": {} }
            },
        });
        for (key, value) in meta.as_object().unwrap() {
            all[key] = value.clone();
        }
        params["_meta"] = all;
        self.request(id, method, params).await;
    }

    async fn call(&mut self, id: impl Into<Value>, name: &str, meta: Value) {
        let params = json!({ "name": name, "arguments": {} });
        self.stateless(id, "tools/call", params, meta).await;
    }

    async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await;
        let line = line
            .expect("nothing comes")
            .unwrap()
            .expect("the connection ended");
        serde_json::from_str(&line).expect("a line of JSON")
    }

    /// Asserts that nothing has been sent: the next message is the answer to a new request.
    async fn nothing_but_an_answer(&mut self) {
        self.stateless("probe", "server/discover", json!({}), json!({}))
            .await;
        assert_eq!(self.next().await["id"], "probe");
    }

    async fn introduce(&mut self, version: &str) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": { "extensions": { "com.example/feeds": {} } },
            "clientInfo": { "name": "wire", "version": "1" },
        });
        self.request("hello", "initialize", params).await;
        let answer = self.next().await;
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
        answer
    }
}

#[tokio::test(start_paused = true)]
async fn k04_r09_malformed_lines_cost_an_error_each_and_nothing_else() {
    let mut wire = Wire::open();
    let lines: [&[u8]; 7] = [
        b"{",
        b"null",
        b"-5 done",
        b"\"q",
        b"[1,2]",
        b"\xff\xfe",
        b"{\"id\":1}",
    ];
    for round in 0..10 {
        for line in lines {
            wire.send(line).await;
            let error = wire.next().await;
            let code = error["error"]["code"].as_i64().unwrap();
            assert!(
                [-32700, -32600].contains(&code),
                "{round} {line:?}: {error}"
            );
        }
    }
    wire.nothing_but_an_answer().await;
}

#[tokio::test(start_paused = true)]
async fn v26_base_025_notifications_are_never_answered() {
    let mut wire = Wire::open();
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/unknown","params":[]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
    ] {
        wire.send(line).await;
    }
    wire.nothing_but_an_answer().await;
}

#[tokio::test(start_paused = true)]
async fn k18_a_message_that_is_too_long_is_answered_with_its_id() {
    let mut wire = Wire::with(Limits {
        message: 1000,
        ..Limits::default()
    });
    let long = "x".repeat(5000);
    wire.stateless(
        7,
        "tools/call",
        json!({ "name": "echo", "arguments": { "text": long } }),
        json!({}),
    )
    .await;
    let error = wire.next().await;
    assert_eq!(
        (&error["id"], &error["error"]["code"]),
        (&json!(7), &json!(-32600)),
        "{error}"
    );
    wire.nothing_but_an_answer().await;
}

#[tokio::test(start_paused = true)]
async fn r15_v26_base_006_ids_come_back_exactly() {
    let mut wire = Wire::open();
    for id in [
        json!(0),
        json!(-1),
        json!(9_007_199_254_740_993_i64),
        json!(u64::MAX),
        json!("1"),
        json!(""),
    ] {
        wire.stateless(id.clone(), "tools/list", json!({}), json!({}))
            .await;
        assert_eq!(wire.next().await["id"], id);
    }
}

#[tokio::test(start_paused = true)]
async fn k19_an_id_in_use_is_refused_and_the_first_request_runs_on() {
    let mut wire = Wire::open();
    wire.call(1, "hang", json!({ "progressToken": "t" })).await;
    assert_eq!(wire.next().await["method"], "notifications/progress");
    wire.call(1, "echo", json!({})).await;
    let error = wire.next().await;
    assert_eq!(
        (&error["id"], &error["error"]["code"]),
        (&json!(1), &json!(-32600))
    );
    wire.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)
        .await;
    tokio::time::timeout(PATIENCE, wire.dropped.notified())
        .await
        .expect("it was not running");
}

#[tokio::test(start_paused = true)]
async fn v26_std_010_011_a_cancelled_request_is_dropped_and_never_answered() {
    let mut wire = Wire::open();
    wire.call("a", "hang", json!({ "progressToken": 5 })).await;
    let progress = wire.next().await;
    assert_eq!(
        progress["params"],
        json!({ "progressToken": 5, "progress": 1.0 })
    );
    wire.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}"#)
        .await;
    tokio::time::timeout(PATIENCE, wire.dropped.notified())
        .await
        .expect("the handler runs on");
    wire.nothing_but_an_answer().await;
}

#[tokio::test(start_paused = true)]
async fn v26_prog_003_005_progress_needs_a_token_and_grows() {
    let mut wire = Wire::open();
    wire.call(1, "progress", json!({})).await;
    assert_eq!(wire.next().await["result"]["content"][0]["text"], "done");
    wire.call(2, "progress", json!({ "progressToken": "t" }))
        .await;
    for step in [1.0, 2.0, 3.0] {
        assert_eq!(
            wire.next().await["params"],
            json!({ "progressToken": "t", "progress": step })
        );
    }
    assert_eq!(wire.next().await["id"], 2);
}

#[tokio::test(start_paused = true)]
async fn v26_log_004_006_log_messages_are_asked_for_by_each_request() {
    let mut wire = Wire::open();
    wire.call(1, "log", json!({})).await;
    assert_eq!(wire.next().await["id"], 1);
    wire.call(
        2,
        "log",
        json!({ "io.modelcontextprotocol/logLevel": "warning" }),
    )
    .await;
    let message = wire.next().await;
    assert_eq!(
        message["params"],
        json!({ "level": "error", "data": "loud" })
    );
    assert_eq!(wire.next().await["id"], 2);
}

#[tokio::test(start_paused = true)]
async fn ext_fw_015_methods_of_extensions_get_four_kinds_of_answers() {
    let mut wire = Wire::open();
    wire.stateless(1, "feed/open", json!({ "count": 2 }), json!({}))
        .await;
    for n in [1, 2] {
        let item = wire.next().await;
        assert_eq!(item["method"], "notifications/feed/item");
        let wanted = json!({ "n": n, "_meta": { "io.modelcontextprotocol/subscriptionId": 1 } });
        assert_eq!(item["params"], wanted);
    }
    let result = wire.next().await;
    assert_eq!(
        (&result["result"]["count"], &result["result"]["resultType"]),
        (&json!(2), &json!("complete"))
    );

    wire.stateless(2, "feed/never", json!({}), json!({})).await;
    let error = wire.next().await;
    assert_eq!(error["error"]["code"], -32601);
    assert!(
        error["error"]["message"]
            .as_str()
            .unwrap()
            .contains("com.example/feeds"),
        "{error}"
    );

    wire.stateless(3, "feed/unknown", json!({}), json!({}))
        .await;
    assert_eq!(wire.next().await["error"]["code"], -32601);

    let silent = json!({ "io.modelcontextprotocol/clientCapabilities": {} });
    wire.stateless(4, "feed/open", json!({ "count": 1 }), silent)
        .await;
    let error = wire.next().await;
    assert_eq!(error["error"]["code"], -32021);
    let required = json!({ "requiredCapabilities": { "extensions": { "com.example/feeds": {} } } });
    assert_eq!(error["error"]["data"], required);

    wire.stateless(5, "feed/open", json!({ "count": "x" }), json!({}))
        .await;
    let error = wire.next().await;
    assert_eq!(error["error"]["code"], -32602);
    assert!(
        error["error"]["message"]
            .as_str()
            .unwrap()
            .contains("`count`"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn v26_sub_001_002_006_a_subscription_begins_with_its_acknowledgement() {
    let mut wire = Wire::open();
    for id in [json!("s"), json!(8)] {
        let filter =
            json!({ "notifications": { "toolsListChanged": true, "promptsListChanged": true } });
        wire.stateless(id.clone(), "subscriptions/listen", filter, json!({}))
            .await;
        let tag = json!({ "io.modelcontextprotocol/subscriptionId": id });
        let first = wire.next().await;
        assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
        let wanted = json!({ "notifications": { "toolsListChanged": true }, "_meta": tag });
        assert_eq!(
            first["params"], wanted,
            "a server without prompts cannot grant them"
        );

        // The change of the extension was not asked for.
        wire.call("c", "change", json!({})).await;
        let both = [wire.next().await, wire.next().await];
        let change = both.iter().find(|message| message["id"].is_null()).unwrap();
        assert_eq!(change["method"], "notifications/tools/list_changed");
        assert_eq!(change["params"]["_meta"], tag);
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
        wire.send(cancel.to_string()).await;
    }
    wire.call("c", "change", json!({})).await;
    assert_eq!(
        wire.next().await["id"],
        "c",
        "a cancelled subscription was served"
    );
}

#[tokio::test(start_paused = true)]
async fn v2511_life_009_010_every_older_version_is_served_after_an_introduction() {
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1.0.0", "2025-11-25"),
    ] {
        let mut wire = Wire::open();
        wire.request(0, "tools/list", json!({})).await;
        assert_eq!(
            wire.next().await["error"]["code"],
            -32602,
            "R82: refused, not fatal"
        );
        wire.request(1, "ping", json!({})).await;
        assert_eq!(
            wire.next().await["result"],
            json!({}),
            "V2511-PING-001: in any phase"
        );
        let hello = wire.introduce(asked).await;
        assert_eq!(hello["result"]["protocolVersion"], answered);
        assert_eq!(hello["result"]["serverInfo"]["name"], "wire");

        wire.request(
            2,
            "tools/call",
            json!({ "name": "echo", "arguments": { "text": "é" } }),
        )
        .await;
        let result = wire.next().await;
        assert_eq!(result["result"]["content"][0]["text"], "é");
        assert!(
            result["result"]["resultType"].is_null(),
            "V2511-BASE-004: {result}"
        );

        wire.request(3, "logging/setLevel", json!({ "level": "debug" }))
            .await;
        assert_eq!(wire.next().await["result"], json!({}));
        wire.request(4, "tools/call", json!({ "name": "log", "arguments": {} }))
            .await;
        assert_eq!(wire.next().await["params"]["data"], "quiet");
        assert_eq!(wire.next().await["params"]["data"], "loud");
        assert_eq!(wire.next().await["id"], 4);

        // V2511-FEAT-002: changes come unasked, without a tag.
        wire.request(
            5,
            "tools/call",
            json!({ "name": "change", "arguments": {} }),
        )
        .await;
        let mut seen = Vec::new();
        for _ in 0..3 {
            let message = wire.next().await;
            assert!(message["params"]["_meta"].is_null());
            seen.push(message["method"].as_str().unwrap_or("answer").to_owned());
        }
        seen.sort();
        assert_eq!(
            seen,
            [
                "answer",
                "notifications/feed/changed",
                "notifications/tools/list_changed"
            ]
        );
    }
}

#[tokio::test(start_paused = true)]
async fn v26_ver_011_012_both_kinds_of_requests_share_a_connection() {
    let mut wire = Wire::open();
    wire.call(1, "change", json!({})).await;
    assert_eq!(wire.next().await["result"]["resultType"], "complete");
    wire.introduce("2025-06-18").await;
    wire.request(2, "tools/list", json!({})).await;
    assert!(wire.next().await["result"]["resultType"].is_null());
    wire.stateless(3, "tools/list", json!({}), json!({})).await;
    let result = wire.next().await;
    assert_eq!(result["result"]["resultType"], "complete");
    let info = &result["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(info["name"], "wire", "V26-META-014");
    // V26-BASE-027: what the introduction said does not count for a stateless request.
    let silent = json!({ "io.modelcontextprotocol/clientCapabilities": {} });
    wire.stateless(4, "feed/open", json!({ "count": 1 }), silent)
        .await;
    assert_eq!(wire.next().await["error"]["code"], -32021);
}

#[tokio::test(start_paused = true)]
async fn r67_the_server_ends_when_its_input_does() {
    let mut wire = Wire::open();
    wire.introduce("2025-11-25").await;
    wire.call("h", "hang", json!({ "progressToken": 1 })).await;
    wire.next().await;
    let begun = tokio::time::Instant::now();
    wire.writer.shutdown().await.unwrap();
    tokio::time::timeout(PATIENCE, &mut wire.serving)
        .await
        .expect("it serves on")
        .unwrap()
        .unwrap();
    assert!(begun.elapsed() <= Limits::default().drain);
    tokio::time::timeout(PATIENCE, wire.dropped.notified())
        .await
        .expect("the handler runs on");
}

#[tokio::test(start_paused = true)]
async fn requests_that_came_before_the_end_of_input_are_answered() {
    let mut wire = Wire::open();
    for id in 0..100 {
        wire.call(id, "change", json!({})).await;
    }
    wire.writer.shutdown().await.unwrap();
    for id in 0..100 {
        assert_eq!(wire.next().await["id"], id);
    }
    assert!(wire.lines.next_line().await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn r126_deep_nesting_is_answered_with_its_id() {
    let mut wire = Wire::open();
    for depth in [200, 256, 10_000] {
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":{depth},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":{deep}}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        );
        wire.send(line).await;
        let answer = wire.next().await;
        assert_eq!(answer["id"], depth, "{answer}");
    }
}

/// K17: whoever does not read cannot make the server grow, and gets everything once it reads.
#[tokio::test(start_paused = true)]
async fn k17_a_client_that_does_not_read_is_not_read_either() {
    const CALLS: usize = 20_000;
    let limits = Limits {
        outbox: 64 * 1024,
        ..Limits::default()
    };
    let Wire {
        mut lines,
        mut writer,
        serving,
        ..
    } = Wire::with(limits);
    let written = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counter = written.clone();
    let writing = tokio::spawn(async move {
        for id in 0..CALLS {
            let line = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/list\",\"params\":{{\"_meta\":{{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{{}}}}}}}}\n"
            );
            writer.write_all(line.as_bytes()).await.unwrap();
            counter.store(id, std::sync::atomic::Ordering::Relaxed);
        }
        writer
    });
    // Time only moves when nobody can do anything more.
    tokio::time::sleep(PATIENCE).await;
    let stuck_at = written.load(std::sync::atomic::Ordering::Relaxed);
    assert!(
        stuck_at < CALLS / 4,
        "{stuck_at} requests were read from a client that does not read"
    );
    for id in 0..CALLS {
        let line = lines.next_line().await.unwrap().unwrap();
        assert!(line.contains(&format!("\"id\":{id},")), "{id}: {line}");
    }
    drop(writing.await.unwrap());
    drop(lines);
    tokio::time::timeout(PATIENCE, serving)
        .await
        .expect("it serves on")
        .unwrap()
        .unwrap();
}

/// A server that takes longer than the probe may: it reads both questions at once and answers them
/// in one write. Its answer to the first one decides.
#[tokio::test(start_paused = true)]
async fn v26_std_017_a_slow_server_that_answers_the_first_question_is_not_greeted() {
    let discovered = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {},
        "ttlMs": 0, "cacheScope": "private",
    });
    let greeted = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "serverInfo": { "name": "slow", "version": "1" },
    });
    for known in [true, false] {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(ours);
        let connecting = tokio::spawn(connect(reader, writer, ClientOptions::default()));
        let (reader, mut writer) = tokio::io::split(theirs);
        let mut lines = BufReader::new(reader).lines();
        let mut ids = Vec::new();
        for method in ["server/discover", "initialize"] {
            let line = lines.next_line().await.unwrap().unwrap();
            let request: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(request["method"], method);
            ids.push(request["id"].clone());
        }
        let first = json!({ "jsonrpc": "2.0", "id": ids[0], "result": discovered });
        let second = match known {
            true => json!({ "jsonrpc": "2.0", "id": ids[1], "result": greeted }),
            false => {
                json!({ "jsonrpc": "2.0", "id": ids[1], "error": { "code": -32601, "message": "no" } })
            }
        };
        writer
            .write_all(format!("{second}\n{first}\n").as_bytes())
            .await
            .unwrap();
        let connection = connecting.await.unwrap().unwrap();
        assert_eq!(connection.version().as_str(), "2026-07-28", "{known}");
    }
}
