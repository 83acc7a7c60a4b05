//! How a client finds out what a server speaks.

use std::{sync::Arc, time::Duration};

use mcp_core::ProtocolVersion;
use mcp_transport::{
    ConnectError, Versions,
    http::client::{Client, Options, connect},
};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::script::{Script, Seen, Wire, hello};

async fn try_connect(script: &Script) -> Result<Client, ConnectError> {
    connect(&script.url, Options::default()).await
}

async fn failed(script: &Script) -> ConnectError {
    try_connect(script)
        .await
        .map(|client| client.version())
        .unwrap_err()
}

#[tokio::test]
async fn v26_http_076_a_current_server_is_asked_once() {
    let script = Script::stateless(|_, wire| async { wire }).await;
    let client = try_connect(&script).await.unwrap();
    assert_eq!(client.version(), ProtocolVersion::V2026_07_28);
    assert_eq!(script.methods(), ["server/discover"]);
}

/// What servers say to a question that they do not know.
async fn say_something(case: usize, seen: &Seen, wire: &mut Wire) {
    match case {
        0 => wire.html(400).await,
        1 => wire.html(404).await,
        2 => wire.html(405).await,
        3 => wire.html(500).await,
        4 => wire.html(200).await,
        5 => wire.empty(200).await,
        6 => wire.empty(202).await,
        7 => wire.json(400, "").await,
        8 => wire.json(200, &seen.error(-32601)).await,
        9 => wire.json(404, &seen.error(-32601)).await,
        10 => wire.json(400, &seen.error(-32602)).await,
        11 => wire.json(406, &seen.error(-32600)).await,
        12 => {
            let error = json!({ "code": -32700, "message": "no" });
            let text = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
            wire.json(400, &text).await;
        }
        13 => wire.json(200, &seen.result(&json!({}))).await,
        14 => wire.json(200, "null").await,
        15 => wire.hang_up(),
        16 => {
            wire.stream().await;
            wire.end().await;
        }
        _ => unreachable!("there are 17 cases"),
    }
}

#[tokio::test]
async fn v26_http_078_r20_r103_every_answer_of_an_older_server_leads_to_a_handshake() {
    for case in 0..17 {
        let script = Script::serve(move |seen, mut wire| async move {
            match seen.method() {
                "initialize" => wire.json(200, &seen.result(&hello())).await,
                "notifications/initialized" => wire.empty(202).await,
                _ => say_something(case, &seen, &mut wire).await,
            }
            wire
        })
        .await;
        let client = try_connect(&script)
            .await
            .unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(client.version(), ProtocolVersion::V2025_06_18, "{case}");
        let methods = ["server/discover", "initialize", "notifications/initialized"];
        assert_eq!(script.methods(), methods, "{case}");
    }
}

async fn refusing(code: i64, supported: &'static [&'static str]) -> Script {
    Script::serve(move |seen, mut wire| async move {
        let data = json!({ "supported": supported, "requested": "2026-07-28" });
        let error = json!({ "code": code, "message": "no", "data": data });
        let text = json!({ "jsonrpc": "2.0", "id": seen.body["id"], "error": error });
        wire.json(400, &text.to_string()).await;
        wire
    })
    .await
}

#[tokio::test]
async fn v26_http_077_errors_of_current_servers_never_lead_to_a_handshake() {
    let script = refusing(-32022, &["2099-01-01", "2026-07-28"]).await;
    assert_eq!(
        try_connect(&script).await.unwrap().version(),
        ProtocolVersion::V2026_07_28
    );
    assert_eq!(script.count("initialize"), 0);
    for code in [-32022, -32021, -32020] {
        let script = refusing(code, &["2099-01-01"]).await;
        assert!(
            matches!(failed(&script).await, ConnectError::Incompatible(_)),
            "{code}"
        );
        assert_eq!(script.count("initialize"), 0, "{code}");
    }
}

#[tokio::test]
async fn v26_http_n3_401_and_403_go_to_authorization_first() {
    for status in [401, 403] {
        let script = Script::serve(move |_, mut wire| async move {
            wire.answer(status, "www-authenticate: Bearer realm=\"x\"\r\n", "{}")
                .await;
            wire
        })
        .await;
        let error = failed(&script).await;
        assert!(
            matches!(&error, ConnectError::Unauthorized { status: s, challenge: Some(c) }
                if *s == status && c == "Bearer realm=\"x\""),
            "{error:?}"
        );
        assert_eq!(script.methods(), ["server/discover"]);
    }
}

#[tokio::test]
async fn what_is_no_mcp_server_is_said_in_one_sentence_without_secrets() {
    let script = Script::serve(|_, mut wire| async {
        wire.html(404).await;
        wire
    })
    .await;
    let url = script.url.replace("http://", "http://user:hunter2@") + "?key=hunter2";
    let error = connect(&url, Options::default()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{} answered POST with HTTP 404 and text/html, which is not MCP; servers of the old \
             HTTP+SSE transport are not supported yet",
            script.url
        )
    );
    assert!(matches!(error, ConnectError::NotMcp(_)));
    let sent = script.seen()[0].header("authorization").map(String::from);
    assert_eq!(sent.as_deref(), Some("Basic dXNlcjpodW50ZXIy"));
}

#[tokio::test]
async fn redirects_are_named_and_not_followed() {
    let script = Script::serve(|_, mut wire| async {
        wire.answer(
            307,
            "location: https://u:hunter2@other/mcp/?k=hunter2\r\n",
            "",
        )
        .await;
        wire
    })
    .await;
    let error = failed(&script).await.to_string();
    assert!(
        error.contains("HTTP 307") && error.contains("https://other/mcp/"),
        "{error}"
    );
    assert!(!error.contains("hunter2"), "{error}");
    assert_eq!(script.methods(), ["server/discover", "initialize"]);
}

#[tokio::test]
async fn an_address_where_nobody_listens_is_named() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp?key=hunter2", free.local_addr().unwrap());
    drop(free);
    let error = connect(&url, Options::default()).await.unwrap_err();
    let ConnectError::Open { address, source } = error else {
        panic!("{error:?}")
    };
    assert_eq!(source.kind(), std::io::ErrorKind::ConnectionRefused);
    assert_eq!(Some(address.as_str()), url.strip_suffix("?key=hunter2"));
}

#[tokio::test]
async fn r104_a_server_that_swallows_the_question_is_greeted_meanwhile() {
    let script = Script::serve(|seen, mut wire| async move {
        match seen.method() {
            "server/discover" => wire.closed().await,
            "initialize" => wire.json(200, &seen.result(&hello())).await,
            _ => wire.empty(202).await,
        }
        wire
    })
    .await;
    let options = Options::default().probe(Duration::from_millis(20));
    let client = connect(&script.url, options).await.unwrap();
    assert_eq!(client.version(), ProtocolVersion::V2025_06_18);
}

#[tokio::test]
async fn a_slow_older_server_is_greeted_once() {
    let greeted = Arc::new(Semaphore::new(0));
    let answered = Arc::new(Semaphore::new(0));
    let script = Script::serve(move |seen, mut wire| {
        let (greeted, answered) = (greeted.clone(), answered.clone());
        async move {
            match seen.method() {
                "server/discover" => {
                    greeted.acquire().await.unwrap().forget();
                    wire.html(404).await;
                    answered.add_permits(1);
                }
                "initialize" => {
                    greeted.add_permits(1);
                    answered.acquire().await.unwrap().forget();
                    for _ in 0..100 {
                        tokio::task::yield_now().await;
                    }
                    wire.json(200, &seen.result(&hello())).await;
                }
                _ => wire.empty(202).await,
            }
            wire
        }
    })
    .await;
    let options = Options::default().probe(Duration::from_millis(20));
    connect(&script.url, options).await.unwrap();
    assert_eq!(script.count("initialize"), 1);
}

#[tokio::test]
async fn a_slow_current_server_that_refuses_the_handshake_is_waited_for() {
    let greeted = Arc::new(Semaphore::new(0));
    let script = Script::serve(move |seen, mut wire| {
        let greeted = greeted.clone();
        async move {
            if seen.method() == "initialize" {
                wire.json(400, &seen.error(-32601)).await;
                greeted.add_permits(1);
            } else {
                greeted.acquire().await.unwrap().forget();
                let found = json!({ "supportedVersions": ["2026-07-28"], "capabilities": {} });
                wire.json(200, &seen.result(&found)).await;
            }
            wire
        }
    })
    .await;
    let options = Options::default().probe(Duration::from_millis(20));
    let client = connect(&script.url, options).await.unwrap();
    assert_eq!(client.version(), ProtocolVersion::V2026_07_28);
}

#[tokio::test]
async fn a_server_that_never_answers_is_silent() {
    let script = Script::serve(|_, mut wire| async {
        wire.closed().await;
        wire
    })
    .await;
    let limit = Duration::from_millis(60);
    let options = Options::default()
        .probe(Duration::from_millis(20))
        .connect(limit);
    let error = connect(&script.url, options).await.unwrap_err();
    assert!(
        matches!(error, ConnectError::Silent(after) if after == limit),
        "{error:?}"
    );
}

#[tokio::test]
async fn versions_can_be_restricted() {
    let script = Script::sessions(|_, wire| async { wire }).await;
    let options = Options::default().versions(Versions::Stateless);
    let error = connect(&script.url, options).await.unwrap_err();
    assert!(matches!(error, ConnectError::NotMcp(_)), "{error:?}");
    assert_eq!(script.methods(), ["server/discover"]);

    let script = Script::sessions(|_, wire| async { wire }).await;
    let options = Options::default().versions(Versions::Stateful);
    let client = connect(&script.url, options).await.unwrap();
    assert_eq!(client.version(), ProtocolVersion::V2025_06_18);
    assert_eq!(
        script.methods(),
        ["initialize", "notifications/initialized"]
    );
}

#[tokio::test]
async fn r80_nothing_overtakes_initialized() {
    let release = Arc::new(Semaphore::new(0));
    let gate = release.clone();
    let script = Script::serve(move |seen, mut wire| {
        let gate = gate.clone();
        async move {
            match seen.method() {
                "server/discover" => wire.html(404).await,
                "initialize" => wire.json(200, &seen.result(&hello())).await,
                _ => {
                    gate.acquire().await.unwrap().forget();
                    wire.empty(202).await;
                }
            }
            wire
        }
    })
    .await;
    let url = script.url.clone();
    let connecting = tokio::spawn(async move { connect(&url, Options::default()).await });
    script
        .wait(|seen| seen.method() == "notifications/initialized")
        .await;
    assert!(!connecting.is_finished());
    release.add_permits(1);
    connecting.await.unwrap().unwrap();
}

#[tokio::test]
async fn r60_to_r63_whatever_a_server_says_to_a_notification_is_fine() {
    for case in 0..6 {
        let script = Script::serve(move |seen, mut wire| async move {
            match (seen.method(), case) {
                ("server/discover", _) => wire.html(404).await,
                ("initialize", _) => wire.json(200, &seen.result(&hello())).await,
                (_, 0) => wire.empty(200).await,
                (_, 1) => wire.json(200, "null").await,
                (_, 2) => wire.answer(200, "content-type: text/plain\r\n", "ok").await,
                (_, 3) => wire.raw("HTTP/1.1 204 No Content\r\n\r\n").await,
                (_, 4) => wire.html(500).await,
                (_, _) => {
                    wire.stream().await;
                    wire.chunk(b": nothing\n\n").await;
                }
            }
            wire
        })
        .await;
        try_connect(&script)
            .await
            .unwrap_or_else(|error| panic!("{case}: {error}"));
    }
}
