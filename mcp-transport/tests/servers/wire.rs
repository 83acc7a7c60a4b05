//! The byte-stream server against raw lines.
//!
//! The clock stands still: a time limit passes as soon as nobody has anything left to do, so
//! "nothing comes" is certain and costs no time.

use std::{io, sync::Arc, task::Poll, time::Duration};

use mcp_ext::{BoxFuture, Deliver, Interim, McpService, Notification, Outcome, Request, Server};
use mcp_transport::duplex::{Limits, serve};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf},
    task::JoinHandle,
    time::{Instant, timeout},
};

use crate::served::{
    CAPABILITIES, CLOCK, CLOCK_CHANGED, LOG_LEVEL, LONG, SERVER_INFO, SUBSCRIPTION, Signals, TICK,
    VERSION, assert_error, bare, call, cancelled, extra_tool, happened, initialize, notification,
    plain, server, stateless, text_of,
};

/// The client's end.
struct Wire {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: Option<WriteHalf<DuplexStream>>,
    serving: JoinHandle<io::Result<()>>,
}

impl Wire {
    fn with(service: impl McpService, limits: Limits, pipe: usize) -> Self {
        let (ours, theirs) = tokio::io::duplex(pipe);
        let (reader, writer) = tokio::io::split(theirs);
        let serving = tokio::spawn(serve(service, reader, writer, limits));
        let (reader, writer) = tokio::io::split(ours);
        Self {
            lines: BufReader::new(reader).lines(),
            writer: Some(writer),
            serving,
        }
    }

    fn to(service: impl McpService) -> Self {
        Self::with(service, Limits::default(), 1024 * 1024)
    }

    fn open() -> (Self, Server, Arc<Signals>) {
        let (server, signals) = server();
        (Self::to(server.clone()), server, signals)
    }

    async fn bytes(&mut self, bytes: &[u8]) {
        let writer = self.writer.as_mut().unwrap();
        timeout(LONG, writer.write_all(bytes))
            .await
            .expect("the server reads")
            .unwrap();
    }

    async fn send(&mut self, message: Value) {
        self.bytes(format!("{message}\n").as_bytes()).await;
    }

    /// All in one write.
    async fn send_all(&mut self, messages: impl IntoIterator<Item = Value>) {
        let text: String = messages.into_iter().map(|m| format!("{m}\n")).collect();
        self.bytes(text.as_bytes()).await;
    }

    #[track_caller]
    fn line(&mut self) -> impl Future<Output = String> + '_ {
        let place = std::panic::Location::caller();
        async move {
            match timeout(LONG, self.lines.next_line()).await {
                Ok(Ok(Some(line))) => line,
                other => panic!("no line but {other:?}: {place}"),
            }
        }
    }

    #[track_caller]
    fn next(&mut self) -> impl Future<Output = Value> + '_ {
        let line = self.line();
        async move {
            let line = line.await;
            let message: Value = serde_json::from_str(&line).expect("each line is JSON");
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            message
        }
    }

    #[track_caller]
    fn ask(&mut self, message: Value) -> impl Future<Output = Value> + '_ {
        let place = std::panic::Location::caller();
        async move {
            let id = message["id"].clone();
            self.send(message).await;
            let answer = self.next().await;
            assert_eq!(answer["id"], id, "{answer}: {place}");
            answer
        }
    }

    /// Nothing comes, and the connection lives.
    #[track_caller]
    fn silent(&mut self) -> impl Future<Output = ()> + '_ {
        let place = std::panic::Location::caller();
        async move {
            if let Ok(line) = timeout(LONG, self.lines.next_line()).await {
                panic!("something came: {line:?}: {place}");
            }
        }
    }

    #[track_caller]
    fn alive(&mut self) -> impl Future<Output = ()> + '_ {
        let answer = self.ask(call("alive", "echo", json!({ "text": "still" })));
        async move { assert_eq!(text_of(&answer.await), "still") }
    }

    async fn greet(&mut self, version: &str) -> Value {
        let answer = self.ask(initialize("hello", version)).await;
        self.send(notification("notifications/initialized", json!({})))
            .await;
        answer
    }

    fn hang_up(&mut self) {
        self.writer = None;
    }

    /// How serving ended, once this side has closed.
    async fn ended(mut self) -> io::Result<()> {
        if let Some(mut writer) = self.writer.take() {
            writer.shutdown().await.unwrap();
        }
        timeout(LONG, self.serving)
            .await
            .expect("serving ends")
            .unwrap()
    }
}

// ---- framing and malformed input

#[tokio::test(start_paused = true)]
async fn k04_r09_65_malformed_lines_leave_the_server_alive() {
    let (mut wire, ..) = Wire::open();
    let bad: [&[u8]; 13] = [
        b"{\"jsonrpc\":\"2.0\",\"id\":",
        b"\xff\xfe{\"jsonrpc\":\"2.0\"}",
        b"{\"text\":\"\xc3\x28\"}",
        b"null",
        b"42",
        b"-5 done",
        b"\"text\"",
        b"[]",
        b"[[]]",
        b"{}",
        b"[info] started",
        b"{\"a\":1}}}}}",
        b"\0\0\0",
    ];
    for round in 0..5 {
        for line in bad {
            wire.bytes(&[line, b"\n"].concat()).await;
            let answer = wire.next().await;
            assert!(
                matches!(answer["error"]["code"].as_i64(), Some(-32700 | -32600)),
                "{round}: {answer}"
            );
            assert!(answer.get("id").is_none_or(Value::is_null), "{answer}");
        }
    }
    wire.alive().await;
}

#[tokio::test(start_paused = true)]
async fn v26_base_002_an_array_is_no_message_whatever_stands_in_it() {
    let (mut wire, ..) = Wire::open();
    for line in [
        r#"["2.0",7,"ping"]"#,
        r#"["2.0",7,"ping",{}]"#,
        "[1,7]",
        r#"["2.0",7,"tools/list",null,null,null]"#,
    ] {
        wire.bytes(format!("{line}\n").as_bytes()).await;
        let answer = wire.next().await;
        assert_eq!(answer["error"]["code"], -32600, "{line}: {answer}");
        assert!(answer.get("id").is_none_or(Value::is_null), "{answer}");
    }
    wire.alive().await;
}

#[tokio::test(start_paused = true)]
async fn v26_base_012_a_readable_id_comes_back_with_the_refusal() {
    let (mut wire, ..) = Wire::open();
    for bad in [
        r#"{"jsonrpc":"1.0","id":"a","method":"tools/list"}"#,
        r#"{"id":"a","method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":"a","method":7}"#,
        r#"{"jsonrpc":"2.0","id":"a","method":"tools/list","params":[1]}"#,
        r#"{"jsonrpc":"2.0","id":"a","method":"tools/list","params":"x"}"#,
        r#"{"jsonrpc":"2.0","id":"a","method":"tools/list","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"a"}"#,
    ] {
        wire.bytes(format!("{bad}\n").as_bytes()).await;
        assert_error(&wire.next().await, "a", -32600);
    }
    // Cut off in the middle, but the id is there (R126: an error for that id).
    wire.bytes(b"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/list\",\"params\":{\n")
        .await;
    assert_error(&wire.next().await, "a", -32700);
    wire.alive().await;
}

#[tokio::test(start_paused = true)]
async fn v26_base_003_004_ids_that_are_none_are_refused() {
    let (mut wire, ..) = Wire::open();
    for id in ["null", "1.5", "{}", "[]", "true"] {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
        wire.bytes(line.as_bytes()).await;
        let answer = wire.next().await;
        assert_eq!(answer["error"]["code"], -32600, "{id}: {answer}");
        assert!(answer.get("id").is_none_or(Value::is_null), "{answer}");
    }
    wire.alive().await;
}

#[tokio::test(start_paused = true)]
async fn v26_base_025_notifications_are_never_answered_malformed_or_not() {
    let (mut wire, ..) = Wire::open();
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"panics","arguments":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":[]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":7}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/x","error":{}}"#,
        r#"{"jsonrpc":"2.0","method":9}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progre"#,
        // Responses are nobody's here either.
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":"x"}"#,
        r#"{"jsonrpc":"2.0","result":{}}"#,
    ] {
        wire.bytes(format!("{line}\n").as_bytes()).await;
        wire.silent().await;
    }
    wire.alive().await;
}

#[tokio::test(start_paused = true)]
#[ignore = "the first \"id\" anywhere in a damaged message is taken for its own"]
async fn v26_base_025_a_damaged_notification_is_no_answer_to_a_running_request() {
    let (mut wire, _, signals) = Wire::open();
    wire.send(call(7, "wait", json!({}))).await;
    happened(&signals.started).await;
    // Valid JSON without an id of its own; the one inside belongs to the data.
    wire.bytes(
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{\"id\":7},\"params\":{}}\n",
    )
    .await;
    if let Ok(Ok(Some(line))) = timeout(LONG, wire.lines.next_line()).await {
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_ne!(answer["id"], 7, "the request still runs: {line}");
    }
    signals.release.add_permits(1);
    assert_eq!(text_of(&wire.next().await), "released");
}

#[tokio::test(start_paused = true)]
async fn r03_r11_framing_dialects_and_split_characters_do_not_matter() {
    let (mut wire, ..) = Wire::open();
    let request = call(1, "echo", json!({ "text": "🦀 é" })).to_string();
    let framed = format!("Content-Length: {}\r\n\r\n{request}\r\n", request.len());
    wire.bytes(framed.as_bytes()).await;
    assert_eq!(wire.next().await["error"]["code"], -32700, "the header");
    assert_eq!(text_of(&wire.next().await), "🦀 é");
    for byte in format!("\n \n{request}\n").bytes() {
        wire.bytes(&[byte]).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(text_of(&wire.next().await), "🦀 é");
}

#[tokio::test(start_paused = true)]
async fn v26_std_001_every_message_is_one_line() {
    let (mut wire, ..) = Wire::open();
    let text = "a\nb\r\nc\u{2028}d";
    let answer = wire.ask(call(1, "echo", json!({ "text": text }))).await;
    assert_eq!(text_of(&answer), text);
    let answer = wire
        .ask(stateless(
            2,
            "resources/read",
            json!({ "uri": "test://about" }),
        ))
        .await;
    assert_eq!(answer["result"]["contents"][0]["text"], "A\nB");
    // In an error text as well.
    let answer = wire.ask(stateless("x\ny", "no\nsuch", json!({}))).await;
    assert_error(&answer, "x\ny", -32601);
    wire.silent().await;
}

fn small() -> Limits {
    Limits {
        message: 4096,
        ..Limits::default()
    }
}

#[tokio::test(start_paused = true)]
async fn k18_a_line_that_is_too_long_is_answered_and_the_connection_survives() {
    let (server, _) = server();
    let mut wire = Wire::with(server, small(), 1024 * 1024);
    for length in [4096, 5000, 100_000, 3_000_000] {
        let text = "x".repeat(length);
        let request = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":\"long\",\"method\":\"tools/call\",\"params\":{{\"text\":\"{text}\"}}}}\n"
        );
        wire.bytes(request.as_bytes()).await;
        assert_error(&wire.next().await, "long", -32600);
        wire.alive().await;
    }
    // Without an id in the first KiB: an error all the same.
    let text = "x".repeat(5000);
    wire.bytes(format!("{{\"params\":\"{text}\",\"jsonrpc\":\"2.0\",\"id\":1}}\n").as_bytes())
        .await;
    let answer = wire.next().await;
    assert!(answer["error"]["code"].is_i64(), "{answer}");
    // A notification stays without an answer.
    let long = notification("notifications/x", json!({ "text": text }));
    wire.bytes(
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{}}}\n",
            long["params"]
        )
        .as_bytes(),
    )
    .await;
    wire.silent().await;
    wire.alive().await;
}

#[tokio::test(start_paused = true)]
async fn k18_the_limit_itself_is_allowed() {
    let (server, _) = server();
    let mut wire = Wire::with(server, small(), 1024 * 1024);
    let shortest = call(1, "echo", json!({ "text": "" })).to_string().len();
    for (length, fits) in [(4096, true), (4097, false)] {
        let text = "x".repeat(length - shortest);
        let answer = wire.ask(call(1, "echo", json!({ "text": text }))).await;
        assert_eq!(answer.get("result").is_some(), fits, "{length}");
    }
}

#[tokio::test(start_paused = true)]
#[ignore = "words in the data of a long message decide what it is"]
async fn k18_a_long_line_whose_data_looks_like_a_response_is_answered_too() {
    let (server, _) = server();
    let mut wire = Wire::with(server, small(), 1024 * 1024);
    let text = "x".repeat(5000);
    let request = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":\"long\",\"params\":{{\"result\":1,\"text\":\"{text}\"}},\"method\":\"tools/call\"}}\n"
    );
    wire.bytes(request.as_bytes()).await;
    assert_error(&wire.next().await, "long", -32600);
}

#[tokio::test(start_paused = true)]
async fn r126_r127_deep_nesting_gets_an_answer_for_that_id() {
    let (mut wire, ..) = Wire::open();
    for depth in [100, 127, 128, 200, 256, 10_000, 1_000_000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let nested = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let head = stateless(depth, "tools/call", json!({ "name": "echo" })).to_string();
            let deep = head.replace(
                "\"name\":\"echo\"",
                &format!("\"name\":\"echo\",\"arguments\":{{\"text\":\"t\",\"deep\":{nested}}}"),
            );
            wire.bytes(format!("{deep}\n").as_bytes()).await;
            let answer = wire.next().await;
            assert_eq!(answer["id"], depth, "{answer}");
            // In the metadata.
            let deep = head.replace(
                "\"_meta\":{",
                &format!("\"_meta\":{{\"com.example/deep\":{nested},"),
            );
            wire.bytes(format!("{deep}\n").as_bytes()).await;
            assert_eq!(wire.next().await["id"], depth);
        }
    }
    // Half of it only.
    let half = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":\"half\",\"method\":\"x\",\"params\":{}\n",
        "[".repeat(1_000_000)
    );
    wire.bytes(half.as_bytes()).await;
    assert_error(&wire.next().await, "half", -32700);
    wire.alive().await;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn k04_k33_arbitrary_bytes_between_two_requests_change_nothing(
        garbage in prop::collection::vec(
            prop_oneof![
                prop::collection::vec(any::<u8>(), 0..60),
                r#"[\{\}\[\]":,0-9a-z\\ ]{0,60}"#.prop_map(String::into_bytes),
                r#"\{"jsonrpc":"2.0",("id":1,)?"(method|result|error)":[ -~]{0,30}"#
                    .prop_map(String::into_bytes),
            ],
            0..12,
        ),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let (mut wire, ..) = Wire::open();
            for line in &garbage {
                wire.bytes(line).await;
                wire.bytes(b"\n").await;
            }
            wire.send(call("after", "echo", json!({ "text": "t" }))).await;
            loop {
                let answer = wire.next().await;
                if answer["id"] == "after" {
                    assert_eq!(text_of(&answer), "t");
                    break;
                }
            }
        });
    }
}

// ---- ids

#[tokio::test(start_paused = true)]
async fn r15_r18_v26_base_006_ids_come_back_exactly() {
    let (mut wire, ..) = Wire::open();
    for id in [
        "1",
        "\"1\"",
        "0",
        "-1",
        "\"\"",
        "\"0x10\"",
        "\" 7 \"",
        "\"init-a\"",
        "9007199254740992",
        "9007199254740993",
        "9223372036854775807",
        "18446744073709551615",
        "-9223372036854775808",
        "\"\u{1f980}\"",
        "\"\\\"quoted\\\"\"",
    ] {
        for (method, member) in [("tools/list", "result"), ("no/such", "error")] {
            let params = stateless(0, method, json!({}))["params"].clone();
            let line = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n"
            );
            wire.bytes(line.as_bytes()).await;
            let answer = wire.line().await;
            assert!(
                answer.starts_with(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"{member}\"")),
                "{id}: {answer}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn k19_an_id_in_use_is_refused_and_the_first_is_still_answered() {
    let (mut wire, _, signals) = Wire::open();
    wire.send(call(7, "wait", json!({}))).await;
    happened(&signals.started).await;
    for double in [
        call(7, "echo", json!({ "text": "no" })),
        plain(7, "ping", json!({})),
        stateless(7, "subscriptions/listen", json!({ "notifications": {} })),
    ] {
        assert_error(&wire.ask(double).await, 7, -32600);
    }
    // The same digits as text are another id.
    let other = wire.ask(call("7", "echo", json!({ "text": "yes" }))).await;
    assert_eq!(text_of(&other), "yes");
    signals.release.add_permits(1);
    let first = wire.next().await;
    assert_eq!((&first["id"], text_of(&first)), (&json!(7), "released"));
    // Free again.
    let again = wire.ask(call(7, "echo", json!({ "text": "again" }))).await;
    assert_eq!(text_of(&again), "again");
    wire.silent().await;
}

// ---- what a result carries

#[tokio::test(start_paused = true)]
async fn v26_base_008_v26_meta_014_every_result_says_its_type_and_who_answered() {
    let (mut wire, ..) = Wire::open();
    for request in [
        stateless(1, "server/discover", json!({})),
        stateless(1, "tools/list", json!({})),
        stateless(1, "resources/list", json!({})),
        stateless(1, "resources/templates/list", json!({})),
        stateless(1, "resources/read", json!({ "uri": "test://about" })),
        call(1, "echo", json!({ "text": "t" })),
        call(1, "later", json!({ "text": "t" })),
        call(1, "fails", json!({})),
        call(1, "meta", json!({})),
        stateless(1, "clock/alarms", json!({})),
    ] {
        let answer = wire.ask(request.clone()).await;
        let result = &answer["result"];
        assert_eq!(result["resultType"], "complete", "{request}: {answer}");
        assert_eq!(
            result["_meta"][SERVER_INFO]["name"], "subject",
            "{request}: {answer}"
        );
    }
    let answer = wire.ask(call(1, "meta", json!({}))).await;
    assert_eq!(answer["result"]["_meta"]["com.example/own"], 1, "{answer}");
    let answer = wire.ask(call(1, "fails", json!({}))).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}

#[tokio::test(start_paused = true)]
async fn v26_ver_003_discover_lists_what_is_served() {
    let (mut wire, ..) = Wire::open();
    let answer = wire.ask(stateless(1, "server/discover", json!({}))).await;
    let result = &answer["result"];
    assert_eq!(result["supportedVersions"], json!(["2026-07-28"]));
    assert!(result["capabilities"]["tools"].is_object(), "{answer}");
    assert!(result["capabilities"]["extensions"][CLOCK].is_object());
}

// ---- stateless requests

#[tokio::test(start_paused = true)]
async fn v26_meta_008_v26_ver_001_what_a_request_must_say() {
    let (mut wire, ..) = Wire::open();
    let with = |meta: Value| plain(1, "tools/list", json!({ "_meta": meta }));
    for missing in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }),
        plain(1, "tools/list", json!({})),
        with(json!({})),
        with(json!({ VERSION: "2026-07-28" })),
        with(json!({ CAPABILITIES: {} })),
        with(json!({ VERSION: 20_260_728, CAPABILITIES: {} })),
        with(json!({ VERSION: "2026-07-28", CAPABILITIES: [] })),
        with(json!("text")),
        // V26-LOG-007.
        with(json!({ VERSION: "2026-07-28", CAPABILITIES: {}, LOG_LEVEL: "loud" })),
        // V26-PROG-001.
        with(json!({ VERSION: "2026-07-28", CAPABILITIES: {}, "progressToken": 1.5 })),
        with(json!({ VERSION: "2026-07-28", CAPABILITIES: {}, "progressToken": {} })),
    ] {
        let answer = wire.ask(missing.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{missing}: {answer}");
    }
    for unknown in ["1900-01-01", "2025-11-25", "", "2026-07-28 "] {
        // N4: before the capabilities, which a later version may have elsewhere.
        let answer = wire.ask(with(json!({ VERSION: unknown }))).await;
        assert_error(&answer, 1, -32022);
        assert_eq!(
            answer["error"]["data"],
            json!({ "supported": ["2026-07-28"], "requested": unknown })
        );
    }
    wire.alive().await;
}

#[tokio::test(start_paused = true)]
async fn v26_base_027_nothing_is_remembered_from_earlier_requests() {
    let (mut wire, ..) = Wire::open();
    let announced = stateless(1, "clock/alarms", json!({}));
    let mut silent = announced.clone();
    silent["params"]["_meta"][CAPABILITIES] = json!({});
    for _ in 0..3 {
        let answer = wire.ask(announced.clone()).await;
        assert_eq!(answer["result"]["labels"], json!(["tea"]));
        assert_error(&wire.ask(silent.clone()).await, 1, -32021);
    }
}

#[tokio::test(start_paused = true)]
async fn ext_fw_009_015_k09_how_methods_of_an_extension_are_answered() {
    let (mut wire, ..) = Wire::open();
    wire.greet("2025-11-25").await;
    let without = |method: &str| {
        let mut request = stateless(1, method, json!({ "count": 1 }));
        request["params"]["_meta"][CAPABILITIES] = json!({});
        request
    };
    let with = |method: &str| stateless(1, method, json!({ "count": 1 }));
    let old = |method: &str| plain(1, method, json!({ "count": 1 }));
    for (method, announced, not_announced, older) in [
        ("clock/nobody", -32601, -32601, -32601),
        ("clock/lost", -32601, -32601, -32601),
        ("clock/ticks", 0, -32021, -32601),
        ("clock/alarms", 0, -32021, -32601),
        // A notification of it is no request.
        (TICK, -32601, -32601, -32601),
    ] {
        for (request, code) in [
            (with(method), announced),
            (without(method), not_announced),
            (old(method), older),
        ] {
            wire.send(request.clone()).await;
            let mut answer = wire.next().await;
            while answer["method"] == TICK {
                answer = wire.next().await;
            }
            assert_eq!(
                answer["error"]["code"].as_i64().unwrap_or(0),
                code,
                "{request}: {answer}"
            );
            if code == -32021 {
                assert_eq!(
                    answer["error"]["data"]["requiredCapabilities"]["extensions"],
                    json!({ CLOCK: {} }),
                    "V26-META-012"
                );
            }
        }
    }
    // The three refusals can be told apart.
    let text = |answer: Value| answer["error"]["message"].as_str().unwrap().to_owned();
    let unknown = text(wire.ask(with("clock/nobody")).await);
    let not_served = text(wire.ask(with("clock/lost")).await);
    assert!(not_served.contains(CLOCK), "{not_served}");
    assert!(!unknown.contains(CLOCK), "{unknown}");
}

#[tokio::test(start_paused = true)]
async fn k10_stream_notifications_are_tagged_ordered_and_before_the_result() {
    let (server, _) = server();
    // Less room than there are notifications.
    let limits = Limits {
        outbox: 2000,
        ..Limits::default()
    };
    let mut wire = Wire::with(server, limits, 500);
    for id in [json!("s"), json!(12)] {
        wire.send(stateless(
            id.clone(),
            "clock/ticks",
            json!({ "count": 10_000 }),
        ))
        .await;
        for n in 1..=10_000 {
            let tick = wire.next().await;
            assert_eq!(tick["method"], TICK);
            assert_eq!(tick["params"]["n"], n);
            assert_eq!(tick["params"]["_meta"][SUBSCRIPTION], id, "V26-META-017");
        }
        let end = wire.next().await;
        assert_eq!((&end["id"], &end["result"]["ticks"]), (&id, &json!(10_000)));
    }
}

// ---- handshakes

#[tokio::test(start_paused = true)]
async fn r82_v2511_life_001_a_request_before_initialize_is_an_error_and_no_more() {
    let (mut wire, ..) = Wire::open();
    for method in ["tools/list", "tools/call", "logging/setLevel"] {
        let answer = wire
            .ask(plain(1, method, json!({ "level": "debug" })))
            .await;
        assert!(answer["error"]["code"].is_i64(), "{answer}");
    }
    // V2511-PING-001: in any phase.
    assert_eq!(
        wire.ask(plain(2, "ping", json!({}))).await["result"],
        json!({})
    );
    let answer = wire.greet("2025-11-25").await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    let answer = wire.ask(plain(3, "tools/list", json!({}))).await;
    assert!(answer["result"]["tools"].is_array(), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn v2511_life_003_009_010_011_each_version_is_answered_and_served() {
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1.0.0", "2025-11-25"),
        ("", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
        // That one has no handshake (V2511-LIFE-008).
        ("2026-07-28", "2025-11-25"),
    ] {
        let (mut wire, ..) = Wire::open();
        let hello = wire.greet(asked).await;
        let result = &hello["result"];
        assert_eq!(result["protocolVersion"], agreed, "{asked}: {hello}");
        assert_eq!(result["serverInfo"]["name"], "subject");
        assert!(result["capabilities"]["tools"].is_object());
        let empty = wire.ask(plain(1, "ping", json!({}))).await;
        assert_eq!(empty["result"], json!({}));
        let empty = wire
            .ask(plain(2, "logging/setLevel", json!({ "level": "error" })))
            .await;
        assert_eq!(empty["result"], json!({}), "V2511-FEAT-006");
        let bad = wire
            .ask(plain(2, "logging/setLevel", json!({ "level": "loud" })))
            .await;
        assert_error(&bad, 2, -32602);
        let tools = wire.ask(plain("3", "tools/list", json!({}))).await;
        assert!(tools["result"]["tools"].as_array().unwrap().len() > 3);
        assert!(
            tools["result"].get("resultType").is_none(),
            "V2511-BASE-004"
        );
        // Without parameters at all.
        let tools = wire
            .ask(json!({ "jsonrpc": "2.0", "id": 4, "method": "tools/list" }))
            .await;
        assert!(tools["result"]["tools"].is_array());
        let answer = wire
            .ask(plain(
                5,
                "tools/call",
                json!({ "name": "echo", "arguments": { "text": asked } }),
            ))
            .await;
        assert_eq!(text_of(&answer), asked);
        let answer = wire.ask(plain(6, "no/such", json!({}))).await;
        assert_error(&answer, 6, -32601);
    }
}

#[tokio::test(start_paused = true)]
async fn v2511_life_003_a_bad_introduction_is_an_error_and_can_be_repeated() {
    let (mut wire, ..) = Wire::open();
    for params in [json!({}), json!({ "protocolVersion": 7 })] {
        let answer = wire.ask(plain(1, "initialize", params)).await;
        assert_error(&answer, 1, -32602);
    }
    assert!(wire.greet("2025-11-25").await["result"].is_object());
}

#[tokio::test(start_paused = true)]
async fn k02_methods_of_the_stateless_version_are_unknown_to_the_older_ones() {
    let (mut wire, ..) = Wire::open();
    wire.greet("2025-11-25").await;
    for method in ["server/discover", "subscriptions/listen"] {
        let request = plain(
            1,
            method,
            json!({ "notifications": { "toolsListChanged": true } }),
        );
        assert_error(&wire.ask(request).await, 1, -32601);
    }
}

#[tokio::test(start_paused = true)]
async fn k02_methods_of_the_older_versions_are_unknown_to_the_stateless_one() {
    let (mut wire, ..) = Wire::open();
    wire.greet("2025-11-25").await;
    for method in [
        "ping",
        "logging/setLevel",
        "initialize",
        "resources/subscribe",
    ] {
        let answer = wire
            .ask(stateless(1, method, json!({ "level": "debug" })))
            .await;
        assert_error(&answer, 1, -32601);
    }
}

#[tokio::test(start_paused = true)]
async fn v26_ver_011_012_both_kinds_share_a_pipe() {
    let (mut wire, server, _) = Wire::open();
    let discover = || stateless("d", "server/discover", json!({}));
    let before = wire.ask(discover()).await;
    wire.greet("2024-11-05").await;
    assert_eq!(wire.ask(discover()).await, before);
    for n in 0..20 {
        wire.send_all([
            plain(n, "tools/list", json!({})),
            stateless(format!("{n}"), "tools/list", json!({})),
        ])
        .await;
        let (old, new) = (wire.next().await, wire.next().await);
        assert_eq!(
            (&old["id"], &new["id"]),
            (&json!(n), &json!(format!("{n}")))
        );
        assert!(old["result"].get("resultType").is_none(), "{old}");
        assert_eq!(new["result"]["resultType"], "complete");
    }
    // The unasked notification for the one, a tagged one for the other.
    let listen = json!({ "notifications": { "toolsListChanged": true } });
    wire.send(stateless("l", "subscriptions/listen", listen))
        .await;
    wire.next().await;
    server.add_tool(extra_tool("more")).unwrap();
    let mut got = [wire.next().await, wire.next().await];
    got.sort_by_key(|n| n["params"].to_string());
    assert_eq!(got[0]["method"], "notifications/tools/list_changed");
    assert_eq!(got[1]["method"], "notifications/tools/list_changed");
    assert_eq!(
        got.iter()
            .filter(|n| n["params"]["_meta"][SUBSCRIPTION] == "l")
            .count(),
        1,
        "{got:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn v2511_feat_002_changes_come_unasked_once_the_introduction_is_complete() {
    let (mut wire, server, _) = Wire::open();
    server.announce(&bare("notifications/tools/list_changed"));
    wire.ask(initialize(1, "2025-11-25")).await;
    server.announce(&bare("notifications/tools/list_changed"));
    wire.silent().await;
    wire.send(notification("notifications/initialized", json!({})))
        .await;
    wire.send(notification("notifications/initialized", json!({})))
        .await;
    wire.ask(plain(2, "ping", json!({}))).await;
    for method in [
        "notifications/tools/list_changed",
        "notifications/resources/list_changed",
        CLOCK_CHANGED,
    ] {
        server.announce(&bare(method));
        let changed = wire.next().await;
        assert_eq!(changed["method"], method);
        assert!(changed.get("id").is_none(), "{changed}");
        assert!(changed["params"]["_meta"][SUBSCRIPTION].is_null());
    }
    // Introduced once more: still once each.
    wire.greet("2025-06-18").await;
    wire.ask(plain(2, "ping", json!({}))).await;
    server.announce(&bare("notifications/tools/list_changed"));
    wire.next().await;
    wire.silent().await;
}

/// A service that takes a moment before it answers, as a proxy does.
#[derive(Clone)]
struct Slow(Server);

impl tower::Service<Request> for Slow {
    type Response = Outcome;
    type Error = mcp_ext::BoxError;
    type Future = BoxFuture<'static, Result<Outcome, mcp_ext::BoxError>>;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let call = self.0.call(request);
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            Ok(call.await?)
        })
    }
}

#[tokio::test(start_paused = true)]
#[ignore = "what comes before the introduction is answered is refused or lost"]
async fn r81_a_whole_conversation_in_one_write_works_with_a_service_that_takes_a_moment() {
    let (server, _) = server();
    let mut wire = Wire::to(Slow(server.clone()));
    wire.send_all([
        initialize(1, "2025-11-25"),
        notification("notifications/initialized", json!({})),
        plain(2, "tools/list", json!({})),
    ])
    .await;
    let (one, two) = (wire.next().await, wire.next().await);
    let answer = |id: i64| if one["id"] == id { &one } else { &two };
    assert!(answer(1)["result"].is_object(), "{one} {two}");
    assert!(answer(2)["result"]["tools"].is_array(), "{one} {two}");
    server.announce(&bare("notifications/tools/list_changed"));
    let changed = wire.next().await;
    assert_eq!(changed["method"], "notifications/tools/list_changed");
}

#[tokio::test(start_paused = true)]
async fn v26_base_020_v2511_feat_003_a_missing_resource_has_the_code_of_the_time() {
    let (mut wire, ..) = Wire::open();
    wire.greet("2025-11-25").await;
    let params = json!({ "uri": "test://nowhere" });
    let answer = wire
        .ask(stateless(1, "resources/read", params.clone()))
        .await;
    assert_error(&answer, 1, -32602);
    let answer = wire.ask(plain(1, "resources/read", params)).await;
    assert_error(&answer, 1, -32002);
}

#[tokio::test(start_paused = true)]
#[ignore = "there are no batches"]
async fn v2503_001_k05_the_version_with_batches_has_batches() {
    let (mut wire, ..) = Wire::open();
    wire.greet("2025-03-26").await;
    let batch = json!([
        plain(1, "ping", json!({})),
        notification("notifications/x", json!({})),
        plain(2, "ping", json!({}))
    ]);
    wire.send(batch).await;
    let mut ids = Vec::new();
    while ids.len() < 2 {
        match wire.next().await {
            Value::Array(answers) => ids.extend(answers.into_iter().map(|a| a["id"].clone())),
            answer => {
                assert!(answer["result"].is_object(), "{answer}");
                ids.push(answer["id"].clone());
            }
        }
    }
    assert_eq!(ids, [json!(1), json!(2)]);
}

#[tokio::test(start_paused = true)]
async fn v2506_001_r10_batches_are_refused_in_other_versions() {
    for version in ["2025-06-18", "2025-11-25"] {
        let (mut wire, ..) = Wire::open();
        wire.greet(version).await;
        for batch in [json!([plain(1, "ping", json!({}))]), json!([])] {
            wire.send(batch).await;
            assert_eq!(wire.next().await["error"]["code"], -32600);
        }
        wire.alive().await;
    }
}

// ---- cancelling

#[tokio::test(start_paused = true)]
async fn v26_std_010_011_v26_canc_012_to_014_a_cancelled_request_is_dropped_and_silent() {
    for older in [false, true] {
        let (mut wire, _, signals) = Wire::open();
        wire.greet("2025-11-25").await;
        let arguments = json!({
            "name": "wait", "arguments": {}, "_meta": { "progressToken": "p", LOG_LEVEL: "debug" },
        });
        let request = match older {
            true => plain("w", "tools/call", arguments),
            false => stateless("w", "tools/call", arguments),
        };
        wire.send(request).await;
        happened(&signals.started).await;
        wire.send(cancelled("w")).await;
        happened(&signals.dropped).await;
        signals.release.add_permits(9);
        wire.silent().await;
        wire.alive().await;
    }
}

#[tokio::test(start_paused = true)]
async fn v26_std_011_v26_prog_005_work_that_goes_on_says_nothing_more() {
    let (mut wire, _, signals) = Wire::open();
    let mut request = call("w", "detached", json!({}));
    request["params"]["_meta"]["progressToken"] = json!(1);
    request["params"]["_meta"][LOG_LEVEL] = json!("debug");
    wire.send(request).await;
    happened(&signals.started).await;
    wire.send(cancelled("w")).await;
    happened(&signals.dropped).await;
    signals.release.add_permits(1);
    happened(&signals.finished).await;
    wire.silent().await;
}

#[tokio::test(start_paused = true)]
async fn v26_canc_016_019_cancels_of_nothing_are_ignored() {
    let (mut wire, _, signals) = Wire::open();
    wire.ask(call(1, "echo", json!({ "text": "t" }))).await;
    wire.send(call(2, "wait", json!({}))).await;
    happened(&signals.started).await;
    for params in [
        json!({ "requestId": 1, "reason": "late" }),
        json!({ "requestId": 99 }),
        // Another type than the request's.
        json!({ "requestId": "2" }),
        json!({ "requestId": null }),
        json!({ "requestId": 2.5 }),
        json!({ "requestId": [2] }),
        json!({ "id": 2 }),
        json!({}),
    ] {
        wire.send(notification("notifications/cancelled", params))
            .await;
        wire.silent().await;
    }
    wire.bytes(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}\n")
        .await;
    wire.silent().await;
    assert_eq!(signals.dropped.available_permits(), 0);
    signals.release.add_permits(1);
    assert_eq!(text_of(&wire.next().await), "released");
}

#[tokio::test(start_paused = true)]
async fn v26_base_005_an_id_is_free_as_soon_as_its_request_is_cancelled() {
    let (mut wire, _, signals) = Wire::open();
    for _ in 0..20 {
        wire.send_all([
            call(1, "wait", json!({})),
            cancelled(1),
            call(1, "later", json!({ "text": "second" })),
        ])
        .await;
        assert_eq!(text_of(&wire.next().await), "second");
        happened(&signals.dropped).await;
    }
    wire.silent().await;
}

#[tokio::test(start_paused = true)]
async fn v26_canc_016_one_cancel_leaves_the_others_running() {
    let (mut wire, _, signals) = Wire::open();
    for id in 0..10 {
        wire.send(call(id, "wait", json!({}))).await;
        happened(&signals.started).await;
    }
    wire.send(cancelled(4)).await;
    happened(&signals.dropped).await;
    signals.release.add_permits(9);
    let mut ids = Vec::new();
    for _ in 0..9 {
        ids.push(wire.next().await["id"].as_i64().unwrap());
    }
    ids.sort_unstable();
    assert_eq!(ids, [0, 1, 2, 3, 5, 6, 7, 8, 9]);
    wire.silent().await;
}

// ---- subscriptions

#[tokio::test(start_paused = true)]
async fn v26_sub_001_to_006_the_acknowledgement_comes_first_and_only_what_was_asked_for() {
    for id in [json!("sub"), json!(17)] {
        let (mut wire, server, _) = Wire::open();
        let filter = json!({
            "toolsListChanged": true, "promptsListChanged": true, "unknownThings": true,
        });
        wire.send(stateless(
            id.clone(),
            "subscriptions/listen",
            json!({ "notifications": filter }),
        ))
        .await;
        let ack = wire.next().await;
        assert_eq!(ack["method"], "notifications/subscriptions/acknowledged");
        assert_eq!(ack["params"]["_meta"][SUBSCRIPTION], id);
        assert_eq!(
            ack["params"]["notifications"],
            json!({ "toolsListChanged": true }),
            "V26-SUB-004"
        );
        for method in [
            "notifications/resources/list_changed",
            "notifications/prompts/list_changed",
            CLOCK_CHANGED,
            "notifications/nobody/knows",
        ] {
            server.announce(&bare(method));
        }
        wire.silent().await;
        server.add_tool(extra_tool("more")).unwrap();
        assert!(server.remove_tool("more"));
        for _ in 0..2 {
            let changed = wire.next().await;
            assert_eq!(changed["method"], "notifications/tools/list_changed");
            assert_eq!(changed["params"]["_meta"][SUBSCRIPTION], id);
        }
        assert!(!server.remove_tool("more"));
        wire.silent().await;
        // Ended by the client: nothing more, not even a result.
        wire.send(cancelled(id)).await;
        wire.alive().await;
        server.add_tool(extra_tool("again")).unwrap();
        wire.silent().await;
    }
}

#[tokio::test(start_paused = true)]
async fn ext_fw_017_changes_of_an_extension_are_asked_for_by_its_field() {
    let (mut wire, server, _) = Wire::open();
    wire.send(stateless(
        1,
        "subscriptions/listen",
        json!({ "notifications": { "clockChanged": true } }),
    ))
    .await;
    let ack = wire.next().await;
    assert_eq!(
        ack["params"]["notifications"],
        json!({ "clockChanged": true })
    );
    server.announce(&bare("notifications/tools/list_changed"));
    server.announce(&bare(CLOCK_CHANGED));
    let changed = wire.next().await;
    assert_eq!(changed["method"], CLOCK_CHANGED);
    assert_eq!(changed["params"]["_meta"][SUBSCRIPTION], 1);
    wire.silent().await;
}

#[tokio::test(start_paused = true)]
async fn v26_std_007_two_subscriptions_on_one_pipe_hear_what_each_asked_for() {
    let (mut wire, server, _) = Wire::open();
    for (id, field) in [(1, "toolsListChanged"), (2, "resourcesListChanged")] {
        let filter = json!({ "notifications": { field: true } });
        wire.send(stateless(id, "subscriptions/listen", filter))
            .await;
        assert_eq!(wire.next().await["params"]["_meta"][SUBSCRIPTION], id);
    }
    for _ in 0..10 {
        server.announce(&bare("notifications/tools/list_changed"));
        server.announce(&bare("notifications/resources/list_changed"));
        let tools = wire.next().await;
        assert_eq!(tools["method"], "notifications/tools/list_changed");
        assert_eq!(tools["params"]["_meta"][SUBSCRIPTION], 1);
        let resources = wire.next().await;
        assert_eq!(resources["method"], "notifications/resources/list_changed");
        assert_eq!(resources["params"]["_meta"][SUBSCRIPTION], 2);
    }
    wire.silent().await;
}

#[tokio::test(start_paused = true)]
async fn v26_sub_001_a_bad_filter_is_invalid_params() {
    let (mut wire, ..) = Wire::open();
    for params in [
        json!({}),
        json!({ "notifications": [] }),
        json!({ "notifications": { "toolsListChanged": "yes" } }),
    ] {
        let answer = wire.ask(stateless(1, "subscriptions/listen", params)).await;
        assert_error(&answer, 1, -32602);
    }
}

/// Announces a change in the moment in which the acknowledgement is on its way.
#[derive(Clone)]
struct Hurry(Server);

struct AnnounceFirst {
    server: Server,
    inner: Interim,
}

impl Deliver for AnnounceFirst {
    fn deliver(&self, notification: Notification) -> Result<(), mcp_ext::interim::Refused> {
        if notification.method.as_str() == "notifications/subscriptions/acknowledged" {
            self.server
                .announce(&bare("notifications/tools/list_changed"));
        }
        self.inner.deliver(notification)
    }
}

impl tower::Service<Request> for Hurry {
    type Response = Outcome;
    type Error = mcp_core::ErrorObject;
    type Future = BoxFuture<'static, Result<Outcome, mcp_core::ErrorObject>>;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        request.interim = Interim::new(AnnounceFirst {
            server: self.0.clone(),
            inner: request.interim,
        });
        self.0.call(request)
    }
}

#[tokio::test(start_paused = true)]
async fn v26_sub_002_003_a_change_before_the_acknowledgement_waits_behind_it() {
    let (server, _) = server();
    let mut wire = Wire::to(Hurry(server));
    let filter = json!({ "notifications": { "toolsListChanged": true } });
    wire.send(stateless(1, "subscriptions/listen", filter))
        .await;
    assert_eq!(
        wire.next().await["method"],
        "notifications/subscriptions/acknowledged"
    );
    assert_eq!(
        wire.next().await["method"],
        "notifications/tools/list_changed"
    );
    wire.silent().await;
}

#[tokio::test(start_paused = true)]
async fn v26_sub_008_the_server_ends_a_subscription_with_a_result() {
    let (mut wire, server, _) = Wire::open();
    let filter = json!({ "notifications": { "toolsListChanged": true } });
    wire.send(stateless("s", "subscriptions/listen", filter))
        .await;
    wire.next().await;
    server.announce(&bare("notifications/tools/list_changed"));
    server.close_subscriptions();
    assert_eq!(
        wire.next().await["method"],
        "notifications/tools/list_changed"
    );
    let end = wire.next().await;
    assert_eq!(end["id"], "s");
    assert_eq!(end["result"]["resultType"], "complete");
    wire.alive().await;
}

#[tokio::test(start_paused = true)]
async fn v26_sub_010_that_result_says_which_subscription_it_ends() {
    let (mut wire, server, _) = Wire::open();
    wire.send(stateless(
        "s",
        "subscriptions/listen",
        json!({ "notifications": {} }),
    ))
    .await;
    wire.next().await;
    server.close_subscriptions();
    let end = wire.next().await;
    assert_eq!(end["result"]["_meta"][SUBSCRIPTION], "s", "{end}");
}

// ---- progress and logs

fn steps(token: Option<Value>, values: Value) -> Value {
    let mut request = call("s", "steps", json!({ "values": values }));
    if let Some(token) = token {
        request["params"]["_meta"]["progressToken"] = token;
    }
    request
}

#[tokio::test(start_paused = true)]
async fn v26_prog_001_003_k16_progress_has_the_token_grows_and_precedes_the_result() {
    let (mut wire, ..) = Wire::open();
    for token in [json!("t"), json!(0), json!("0"), json!("")] {
        wire.send(steps(
            Some(token.clone()),
            json!([0.5, 1, 1, 0.9, -3, 2, 2.0, 2.5]),
        ))
        .await;
        for at in [0.5, 1.0, 2.0, 2.5] {
            let progress = wire.next().await;
            assert_eq!(progress["method"], "notifications/progress");
            assert_eq!(progress["params"]["progress"].as_f64(), Some(at));
            assert_eq!(progress["params"]["progressToken"], token);
        }
        let end = wire.next().await;
        assert_eq!((&end["id"], text_of(&end)), (&json!("s"), "walked"));
    }
    wire.silent().await;
}

#[tokio::test(start_paused = true)]
async fn v26_prog_005_without_a_token_there_is_no_progress() {
    let (mut wire, ..) = Wire::open();
    let answer = wire.ask(steps(None, json!([1, 2, 3]))).await;
    assert_eq!(text_of(&answer), "walked");
    wire.greet("2025-06-18").await;
    let older = |meta: Value| {
        plain(
            "o",
            "tools/call",
            json!({ "name": "steps", "arguments": { "values": [1, 2] }, "_meta": meta }),
        )
    };
    let answer = wire.ask(older(json!({}))).await;
    assert_eq!(text_of(&answer), "walked");
    wire.send(older(json!({ "progressToken": 3 }))).await;
    for _ in 0..2 {
        assert_eq!(wire.next().await["params"]["progressToken"], 3);
    }
    assert_eq!(wire.next().await["id"], "o");
}

#[tokio::test(start_paused = true)]
async fn k16_a_thousand_notifications_never_come_behind_their_results() {
    let (mut wire, ..) = Wire::open();
    for n in 0..1000 {
        let mut request = steps(Some(json!(n)), json!([1, 2]));
        request["id"] = json!(n);
        wire.send(request).await;
    }
    let mut seen = vec![0; 1000];
    let mut answers = 0;
    while answers < 1000 {
        let message = wire.next().await;
        match message["id"].as_u64() {
            Some(id) => {
                assert_eq!(seen[usize::try_from(id).unwrap()], 2);
                answers += 1;
            }
            None => {
                let token = message["params"]["progressToken"].as_u64().unwrap();
                seen[usize::try_from(token).unwrap()] += 1;
            }
        }
    }
}

async fn levels(wire: &mut Wire, request: Value) -> Vec<String> {
    wire.send(request).await;
    let mut levels = Vec::new();
    loop {
        let message = wire.next().await;
        if message.get("id").is_some() {
            assert_eq!(text_of(&message), "logged");
            return levels;
        }
        assert_eq!(message["method"], "notifications/message");
        levels.push(message["params"]["level"].as_str().unwrap().into());
    }
}

#[tokio::test(start_paused = true)]
async fn v26_log_004_006_log_messages_are_asked_for_with_each_request() {
    let (mut wire, ..) = Wire::open();
    let logs = |level: Option<&str>| {
        let mut request = call(1, "logs", json!({}));
        if let Some(level) = level {
            request["params"]["_meta"][LOG_LEVEL] = json!(level);
        }
        request
    };
    for (level, expected) in [
        (None, vec![]),
        (Some("debug"), vec!["debug", "info", "warning", "emergency"]),
        (Some("notice"), vec!["warning", "emergency"]),
        (Some("emergency"), vec!["emergency"]),
        (None, vec![]),
    ] {
        assert_eq!(levels(&mut wire, logs(level)).await, expected, "{level:?}");
    }
    // What an older client on the same pipe has set says nothing about this one.
    wire.greet("2025-11-25").await;
    wire.ask(plain(1, "logging/setLevel", json!({ "level": "debug" })))
        .await;
    assert!(levels(&mut wire, logs(None)).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn v2511_feat_006_a_level_that_was_set_stays() {
    let (mut wire, ..) = Wire::open();
    wire.greet("2025-11-25").await;
    let logs = || plain(1, "tools/call", json!({ "name": "logs", "arguments": {} }));
    for (level, count) in [("error", 1), ("warning", 2), ("debug", 4)] {
        wire.ask(plain(2, "logging/setLevel", json!({ "level": level })))
            .await;
        assert_eq!(levels(&mut wire, logs()).await.len(), count, "{level}");
        assert_eq!(levels(&mut wire, logs()).await.len(), count, "{level}");
    }
}

#[tokio::test(start_paused = true)]
#[ignore = "`logging` is never announced"]
async fn v26_log_003_a_server_that_logs_says_so() {
    let (mut wire, ..) = Wire::open();
    let discovered = wire.ask(stateless(1, "server/discover", json!({}))).await;
    let announced = discovered["result"]["capabilities"]["logging"].is_object();
    let mut request = call(1, "logs", json!({}));
    request["params"]["_meta"][LOG_LEVEL] = json!("debug");
    let logged = levels(&mut wire, request).await;
    assert!(
        announced || logged.is_empty(),
        "{logged:?} without `logging`"
    );
}

#[tokio::test(start_paused = true)]
async fn v26_log_005_nothing_is_logged_on_a_subscription() {
    let (mut wire, ..) = Wire::open();
    let mut listen = stateless(
        "l",
        "subscriptions/listen",
        json!({ "notifications": { "toolsListChanged": true } }),
    );
    listen["params"]["_meta"][LOG_LEVEL] = json!("debug");
    wire.send(listen).await;
    wire.next().await;
    let mut request = call(1, "logs", json!({}));
    request["params"]["_meta"][LOG_LEVEL] = json!("debug");
    wire.send(request).await;
    for _ in 0..4 {
        let message = wire.next().await;
        assert!(
            message["params"]["_meta"][SUBSCRIPTION].is_null(),
            "{message}"
        );
    }
    assert_eq!(wire.next().await["id"], 1);
    wire.silent().await;
}

// ---- panics, floods, ends

#[tokio::test(start_paused = true)]
async fn k15_a_panic_ends_its_request_only_and_keeps_its_text() {
    let (mut wire, _, signals) = Wire::open();
    wire.greet("2025-11-25").await;
    wire.send(call("w", "wait", json!({}))).await;
    happened(&signals.started).await;
    for tool in ["panics", "panics_at_once"] {
        let params = json!({ "name": tool, "arguments": {} });
        for request in [call(1, tool, json!({})), plain(1, "tools/call", params)] {
            let answer = wire.ask(request).await;
            assert_error(&answer, 1, -32603);
            assert!(!answer.to_string().contains("hunter2"), "{answer}");
        }
    }
    signals.release.add_permits(1);
    assert_eq!(text_of(&wire.next().await), "released");
    wire.alive().await;
}

/// Its future panics when it is dropped before its end.
#[derive(Clone)]
struct Fragile(Server);

impl tower::Service<Request> for Fragile {
    type Response = Outcome;
    type Error = mcp_core::ErrorObject;
    type Future = BoxFuture<'static, Result<Outcome, mcp_core::ErrorObject>>;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        struct Bomb(bool);
        impl Drop for Bomb {
            fn drop(&mut self) {
                assert!(!self.0, "dropped while armed");
            }
        }
        let call = self.0.call(request);
        Box::pin(async move {
            let mut bomb = Bomb(true);
            let outcome = call.await;
            bomb.0 = false;
            outcome
        })
    }
}

#[tokio::test(start_paused = true)]
#[ignore = "a panic in the drop of a cancelled call ends the connection"]
async fn k15_a_panic_while_a_request_is_cancelled_ends_nothing_else() {
    let (server, signals) = server();
    let mut wire = Wire::to(Fragile(server));
    wire.send(call(1, "wait", json!({}))).await;
    happened(&signals.started).await;
    wire.send(cancelled(1)).await;
    wire.alive().await;
}

#[tokio::test(start_paused = true)]
async fn k17_too_many_requests_at_once_are_refused_not_queued() {
    let (server, signals) = server();
    let limits = Limits {
        in_flight: 3,
        ..Limits::default()
    };
    let mut wire = Wire::with(server, limits, 1024 * 1024);
    for id in 0..3 {
        wire.send(call(id, "wait", json!({}))).await;
        happened(&signals.started).await;
    }
    let refused = wire.ask(call(3, "wait", json!({}))).await;
    assert!(refused["error"]["code"].is_i64(), "{refused}");
    // A cancel makes room.
    wire.send(cancelled(0)).await;
    happened(&signals.dropped).await;
    wire.alive().await;
    signals.release.add_permits(2);
    wire.next().await;
    wire.next().await;
    wire.alive().await;
}

#[tokio::test(start_paused = true)]
async fn k17_r87_a_client_that_never_reads_is_held_back_and_loses_nothing() {
    const REQUESTS: usize = 20_000;
    const PIPE: usize = 4096;
    let (server, _) = server();
    let limits = Limits {
        outbox: 64 * 1024,
        ..Limits::default()
    };
    let mut wire = Wire::with(server, limits, PIPE);
    let mut writer = wire.writer.take().unwrap();
    let written = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = written.clone();
    let writing = tokio::spawn(async move {
        for id in 0..REQUESTS {
            let line = format!("{}\n", call(id, "later", json!({ "text": "t" })));
            writer.write_all(line.as_bytes()).await.unwrap();
            count.fetch_add(line.len(), std::sync::atomic::Ordering::Relaxed);
        }
        writer
    });
    // The clock moves when nobody can go on.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let held = written.load(std::sync::atomic::Ordering::Relaxed);
    assert!(!writing.is_finished());
    // An answer is about as long as its request: what was taken is what waits, and what one read
    // holds.
    assert!(held < 4 * 64 * 1024 + 2 * PIPE, "{held} bytes were taken");
    let mut seen = vec![false; REQUESTS];
    for _ in 0..REQUESTS {
        let answer = wire.next().await;
        let id = usize::try_from(answer["id"].as_u64().unwrap()).unwrap();
        assert_eq!(text_of(&answer), "t");
        assert!(!std::mem::replace(&mut seen[id], true), "{id} twice");
    }
    assert!(seen.into_iter().all(|seen| seen));
    wire.writer = Some(writing.await.unwrap());
    wire.alive().await;
}

#[tokio::test(start_paused = true)]
async fn k17_notifications_for_a_client_that_never_reads_wait_in_their_handler() {
    let (server, signals) = server();
    let limits = Limits {
        outbox: 1000,
        ..Limits::default()
    };
    let mut wire = Wire::with(server.clone(), limits, 100);
    wire.send(stateless(1, "clock/ticks", json!({ "count": 5000 })))
        .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    // Changes meanwhile are kept once each.
    for _ in 0..1000 {
        server.announce(&bare("notifications/tools/list_changed"));
    }
    drop(signals);
    for n in 1..=5000 {
        assert_eq!(wire.next().await["params"]["n"], n);
    }
    assert_eq!(wire.next().await["id"], 1);
    wire.alive().await;
}

#[tokio::test(start_paused = true)]
async fn k17_v26_std_010_a_cancel_overtakes_a_flood_that_the_client_reads_slowly() {
    const OUTBOX: usize = 16 * 1024;
    const PIPE: usize = 2048;
    let (server, _) = server();
    let limits = Limits {
        outbox: OUTBOX,
        ..Limits::default()
    };
    let mut wire = Wire::with(server, limits, PIPE);
    wire.send(stateless(
        "flood",
        "clock/ticks",
        json!({ "count": 1_000_000 }),
    ))
    .await;
    for _ in 0..100 {
        assert_eq!(wire.next().await["method"], TICK);
    }
    wire.send(cancelled("flood")).await;
    // What was on its way still comes, and no more.
    let mut bytes = 0;
    while let Ok(line) = timeout(LONG, wire.lines.next_line()).await {
        bytes += line.unwrap().expect("the connection lives").len();
        assert!(bytes < 8 * (OUTBOX + PIPE), "it goes on after the cancel");
    }
    wire.alive().await;
}

#[tokio::test(start_paused = true)]
async fn k17_a_flood_for_one_request_leaves_room_for_the_answers_to_others() {
    const OUTBOX: usize = 16 * 1024;
    let (server, _) = server();
    let limits = Limits {
        outbox: OUTBOX,
        ..Limits::default()
    };
    let mut wire = Wire::with(server, limits, 2048);
    wire.send(stateless(
        "flood",
        "clock/ticks",
        json!({ "count": 1_000_000 }),
    ))
    .await;
    for _ in 0..100 {
        assert_eq!(wire.next().await["method"], TICK);
    }
    wire.send(call("other", "echo", json!({ "text": "t" })))
        .await;
    let mut bytes = 0;
    loop {
        let line = wire.line().await;
        if line.contains("\"other\"") {
            break;
        }
        bytes += line.len();
        assert!(bytes < 8 * (OUTBOX + 2048), "the other request is not read");
    }
}

#[tokio::test(start_paused = true)]
async fn k17_r83_both_ends_of_this_crate_never_wait_for_each_other() {
    const CALLS: usize = 400;
    let (server, _) = server();
    let connection = mcp_transport::memory::connect(server, Default::default())
        .await
        .unwrap();
    let client = mcp_ext::Client::new(connection.service());
    let text = "x".repeat(64 * 1024);
    let calls = (0..CALLS).map(|n| {
        let (client, text) = (client.clone(), text.clone());
        tokio::spawn(async move {
            for _ in 0..n {
                tokio::task::yield_now().await;
            }
            client.call_tool("echo", &json!({ "text": text })).await
        })
    });
    for (n, call) in calls.collect::<Vec<_>>().into_iter().enumerate() {
        let answer = timeout(LONG, call)
            .await
            .unwrap_or_else(|_| panic!("call {n} waits for ever"))
            .unwrap()
            .unwrap();
        assert_eq!(answer.joined_text().len(), text.len());
    }
}

#[tokio::test(start_paused = true)]
async fn r67_v26_std_013_serving_ends_within_the_limit_after_the_client_has_closed() {
    let (mut wire, _, signals) = Wire::open();
    wire.greet("2025-11-25").await;
    wire.send(call(1, "wait", json!({}))).await;
    happened(&signals.started).await;
    wire.send(stateless(
        2,
        "subscriptions/listen",
        json!({ "notifications": { "toolsListChanged": true } }),
    ))
    .await;
    wire.next().await;
    let from = Instant::now();
    wire.ended().await.unwrap();
    let took = from.elapsed();
    assert!(
        took <= Limits::default().drain + Duration::from_millis(50),
        "{took:?}"
    );
    happened(&signals.dropped).await;
}

#[tokio::test(start_paused = true)]
async fn r67_serving_ends_at_once_when_only_subscriptions_are_open() {
    let (mut wire, ..) = Wire::open();
    wire.greet("2025-11-25").await;
    for id in 0..3 {
        let filter = json!({ "notifications": { "toolsListChanged": true } });
        wire.send(stateless(id, "subscriptions/listen", filter))
            .await;
        wire.next().await;
    }
    let from = Instant::now();
    wire.ended().await.unwrap();
    assert!(from.elapsed() < Duration::from_millis(100));
}

#[tokio::test(start_paused = true)]
async fn r67_what_finishes_in_time_after_the_close_is_still_answered() {
    let (server, signals) = server();
    let mut wire = Wire::to(server);
    wire.send(call(1, "wait", json!({}))).await;
    happened(&signals.started).await;
    wire.bytes(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"met").await;
    wire.writer.as_mut().unwrap().shutdown().await.unwrap();
    tokio::task::yield_now().await;
    signals.release.add_permits(1);
    assert_eq!(text_of(&wire.next().await), "released");
    assert!(matches!(
        timeout(LONG, wire.lines.next_line()).await,
        Ok(Ok(None))
    ));
}

#[tokio::test(start_paused = true)]
async fn r67_a_client_that_closes_and_never_reads_does_not_keep_the_server() {
    let (server, _) = server();
    let mut wire = Wire::with(server, Limits::default(), 64);
    for id in 0..10 {
        wire.send(call(id, "echo", json!({ "text": "x".repeat(1000) })))
            .await;
    }
    let from = Instant::now();
    wire.ended().await.unwrap();
    assert!(from.elapsed() <= Limits::default().drain + Duration::from_millis(50));
}

#[tokio::test(start_paused = true)]
async fn v26_canc_013_a_client_that_is_gone_cancels_what_it_asked_for() {
    let (mut wire, _, signals) = Wire::open();
    let mut request = call(1, "wait", json!({}));
    request["params"]["_meta"]["progressToken"] = json!(1);
    wire.send(request).await;
    happened(&signals.started).await;
    wire.hang_up();
    drop(wire.lines);
    happened(&signals.dropped).await;
    // Broken or not, serving is over.
    let _ = timeout(LONG, wire.serving).await.expect("serving ends");
}

#[tokio::test(start_paused = true)]
async fn v26_tool_errors_n8_what_is_the_callers_fault_and_what_is_the_tools() {
    let (mut wire, ..) = Wire::open();
    for params in [
        json!({}),
        json!({ "name": 7 }),
        json!({ "name": "nobody" }),
        json!({ "name": "echo", "arguments": [] }),
        json!({ "name": "echo", "arguments": "text" }),
    ] {
        let answer = wire.ask(stateless(1, "tools/call", params)).await;
        assert_error(&answer, 1, -32602);
    }
    for arguments in [json!({}), json!({ "text": 7 })] {
        let answer = wire.ask(call(1, "echo", arguments)).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
    // T4: names are exact.
    let cased = plain(1, "tools/call", json!({ "Name": "echo", "Arguments": {} }));
    let mut cased = cased;
    cased["params"]["_meta"] = stateless(1, "x", json!({}))["params"]["_meta"].clone();
    assert_error(&wire.ask(cased).await, 1, -32602);
}
