//! Answers that are none, and how calls fail.

use mcp_ext::CallError;
use mcp_transport::http::client::{Limits, Options};
use serde_json::{Value, json};

use crate::stateless::answered;

#[tokio::test]
async fn v26_base_012_errors_of_the_protocol_are_the_peers_at_any_status() {
    for (status, with_id) in [
        (200, true),
        (400, true),
        (404, true),
        (500, false),
        (400, false),
        (200, false),
    ] {
        let error = answered(Options::default(), move |seen, mut wire| async move {
            let mut text: Value = serde_json::from_str(&seen.error(-32602)).unwrap();
            if !with_id {
                text["id"] = Value::Null;
            }
            if status == 200 {
                wire.stream().await;
                wire.event(&text.to_string()).await;
            } else {
                wire.json(status, &text.to_string()).await;
            }
            wire
        })
        .await
        .unwrap_err();
        assert!(
            matches!(&error, CallError::Peer(e) if e.code == -32602),
            "{status}: {error:?}"
        );
    }
}

#[tokio::test]
async fn other_statuses_are_named() {
    for (status, text) in [
        (500, "HTTP 500 and text/html"),
        (404, "HTTP 404 and text/html"),
        (302, "HTTP 302, and redirects are not followed"),
    ] {
        let error = answered(Options::default(), move |_, mut wire| async move {
            wire.html(status).await;
            wire
        })
        .await
        .unwrap_err();
        let shown = error.to_string();
        assert!(
            matches!(error, CallError::Transport(_)) && shown.contains(text),
            "{shown}"
        );
    }
    let error = answered(Options::default(), |_, mut wire| async {
        wire.answer(
            401,
            "www-authenticate: Bearer\r\nwww-authenticate: Basic\r\n",
            "",
        )
        .await;
        wire
    })
    .await
    .unwrap_err();
    assert!(
        matches!(&error, CallError::Unauthorized { status: 401, challenge: Some(c) } if c == "Bearer, Basic"),
        "{error:?}"
    );
}

#[tokio::test]
async fn r27_a_stream_that_ends_without_an_answer_is_closed() {
    for case in 0..3 {
        let error = answered(Options::default(), move |_, mut wire| async move {
            wire.stream().await;
            wire.chunk(b"id: 7\nevent: error\ndata: oops\n\n").await;
            match case {
                0 => wire.end().await,
                1 => wire.hang_up(),
                _ => {
                    let n = json!({ "requestId": 2, "reason": "shutting down" });
                    let text = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": n });
                    wire.event(&text.to_string()).await;
                }
            }
            wire
        })
        .await
        .unwrap_err();
        let CallError::Closed(Some(reason)) = &error else {
            panic!("{error:?}")
        };
        let want = [
            "ended without an answer",
            "without an answer",
            "shutting down",
        ][case];
        assert!(reason.contains(want), "{reason}");
    }
}

#[tokio::test]
async fn t26_what_is_too_long_cannot_be_used() {
    let limits = Limits {
        body: 1000,
        event: 1000,
        error: 100,
    };
    for case in 0..3 {
        let options = Options::default().limits(limits.clone());
        let error = answered(options, move |seen, mut wire| async move {
            let text = seen.result(&json!({ "x": "x".repeat(1000) }));
            match case {
                0 => wire.json(200, &text).await,
                1 => {
                    wire.stream().await;
                    wire.event(&text).await;
                }
                // The end never comes: the limit ends it.
                _ => {
                    wire.raw("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9999999\r\n\r\n").await;
                    wire.raw(&text).await;
                    wire.closed().await;
                }
            }
            wire
        })
        .await
        .unwrap_err();
        let CallError::InvalidAnswer { reason, .. } = &error else {
            panic!("{error:?}")
        };
        assert!(reason.contains("longer than 1000 bytes"), "{reason}");
    }
}

#[tokio::test]
async fn damaged_answers_end_the_waiting() {
    for case in 0..5 {
        let error = answered(Options::default(), move |seen, mut wire| async move {
            let id = &seen.body["id"];
            let both = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}},"error":7}}"#);
            match case {
                0 => {
                    wire.stream().await;
                    wire.event(&both).await;
                    wire.closed().await;
                }
                1 => wire.json(200, &both).await,
                2 => {
                    let other = r#"{"jsonrpc":"2.0","id":"other","result":{}}"#;
                    wire.json(200, other).await;
                }
                3 => wire.json(200, &seen.result(&json!([1]))).await,
                _ => wire.answer(200, "content-encoding: gzip\r\n", "xx").await,
            }
            wire
        })
        .await
        .unwrap_err();
        assert!(
            matches!(error, CallError::InvalidAnswer { .. }),
            "{case}: {error:?}"
        );
    }
}
