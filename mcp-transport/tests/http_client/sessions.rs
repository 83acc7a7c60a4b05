//! Requests to servers of the versions with a handshake.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcp_core::schema::{
    discover::{Discover, DiscoverResult},
    subscriptions::{ACKNOWLEDGED, Listen, SubscriptionFilter},
};
use mcp_ext::{CallError, Interim, Notification, Outcome, Request};
use mcp_transport::{
    ConnectError,
    http::client::{Client, Options, connect},
};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};
use tower::{Service, ServiceExt};

use crate::script::{Script, Seen, Wire, hello};

async fn client(script: &Script) -> Client {
    connect(&script.url, Options::default()).await.unwrap()
}

async fn call(client: &Client, method: &'static str) -> Result<Outcome, CallError> {
    client.clone().oneshot(Request::new(method, None)).await
}

async fn echo(seen: Seen, mut wire: Wire) -> Wire {
    wire.json(200, &seen.result(&json!({}))).await;
    wire
}

const CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;

/// A subscription in the background, and what it is told.
fn listen(
    client: &Client,
) -> (
    tokio::task::JoinHandle<Result<Outcome, CallError>>,
    mpsc::Receiver<Notification>,
) {
    let (interim, notifications) = Interim::queue(8);
    let mut request = Request::typed(&Listen {
        notifications: SubscriptionFilter::lists().with("clock"),
    })
    .unwrap();
    request.interim = interim;
    (tokio::spawn(client.clone().call(request)), notifications)
}

#[tokio::test]
async fn v2511_http_031_036_037_session_and_version_are_on_every_later_request() {
    let script = Script::sessions(echo).await;
    let client = client(&script).await;
    call(&client, "tools/list").await.unwrap();
    client.close().await;
    let seen = script.seen();
    let names = [
        "server/discover",
        "initialize",
        "notifications/initialized",
        "tools/list",
        "DELETE",
    ];
    assert_eq!(script.methods(), names);
    let headers = |seen: &Seen| {
        ["mcp-session-id", "mcp-protocol-version"].map(|name| seen.header(name).map(String::from))
    };
    assert_eq!(headers(&seen[1]), [None, None]);
    for later in &seen[2..] {
        assert_eq!(
            headers(later),
            [Some("1".into()), Some("2025-06-18".into())]
        );
        assert_eq!(later.header("mcp-method"), None);
    }
    assert_eq!(
        seen[3].body["params"],
        Value::Null,
        "requests stay as they are"
    );
}

#[tokio::test]
async fn discovery_is_answered_from_the_handshake() {
    let script = Script::sessions(echo).await;
    let client = client(&script).await;
    let outcome = client
        .oneshot(Request::typed(&Discover {}).unwrap())
        .await
        .unwrap();
    let Outcome::Complete(found) = outcome else {
        panic!("{outcome:?}")
    };
    let found: DiscoverResult = found.decode().unwrap();
    assert_eq!(found.server_info().unwrap().name, "older");
    assert_eq!(script.count("server/discover"), 1);
}

#[tokio::test]
async fn v2511_http_029_a_session_id_with_forbidden_characters_is_refused() {
    let script = Script::serve(|seen, mut wire| async move {
        let headers = "content-type: application/json\r\nmcp-session-id: a b\r\n";
        wire.answer(200, headers, &seen.result(&hello())).await;
        wire
    })
    .await;
    let error = connect(&script.url, Options::default()).await.unwrap_err();
    assert!(matches!(error, ConnectError::Incompatible(_)), "{error:?}");
}

/// A server that forgot its first session and says so in one of several ways.
async fn forgetful(case: usize) -> Script {
    Script::sessions(move |seen, mut wire| async move {
        if seen.header("mcp-session-id") != Some("1") {
            return echo(seen, wire).await;
        }
        match case {
            0 => wire.empty(404).await,
            1 => wire.html(404).await,
            2 => wire.json(404, &seen.error(-32600)).await,
            _ => wire.json(404, &seen.error(-32001)).await,
        }
        wire
    })
    .await
}

#[tokio::test]
async fn v2511_http_034_r29_r32_a_forgotten_session_is_begun_anew_once() {
    for case in 0..4 {
        let script = forgetful(case).await;
        let client = client(&script).await;
        call(&client, "tools/list").await.unwrap();
        call(&client, "tools/list").await.unwrap();
        assert_eq!(
            script.methods()[3..],
            [
                "tools/list",
                "initialize",
                "notifications/initialized",
                "tools/list",
                "tools/list"
            ]
        );
        let again = &script.seen()[4];
        assert_eq!(
            again.header("mcp-session-id"),
            None,
            "the new beginning has no id"
        );
    }
}

#[tokio::test]
async fn r34_callers_who_find_the_session_gone_share_one_new_beginning() {
    let script = forgetful(0).await;
    let mut client = client(&script).await;
    let calls: Vec<_> = (0..20)
        .map(|_| tokio::spawn(client.call(Request::new("a/b", None))))
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(script.count("initialize"), 2);
}

#[tokio::test]
async fn r34_a_caller_who_is_told_late_takes_the_new_session() {
    let release = Arc::new(Semaphore::new(0));
    let gate = release.clone();
    let script = Script::sessions(move |seen, mut wire| {
        let gate = gate.clone();
        async move {
            if seen.header("mcp-session-id") != Some("1") {
                return echo(seen, wire).await;
            }
            if seen.method() == "a/late" {
                gate.acquire().await.unwrap().forget();
            }
            wire.empty(404).await;
            wire
        }
    })
    .await;
    let mut client = client(&script).await;
    let late = tokio::spawn(client.call(Request::new("a/late", None)));
    script.wait(|seen| seen.method() == "a/late").await;
    call(&client, "a/b").await.unwrap();
    release.add_permits(1);
    late.await.unwrap().unwrap();
    assert_eq!((script.count("initialize"), script.count("a/late")), (2, 2));
}

#[tokio::test]
async fn a_server_that_forgets_every_session_gets_no_third_try() {
    let script = Script::sessions(|seen, mut wire| async move {
        wire.json(404, &seen.error(-32001)).await;
        wire
    })
    .await;
    let client = client(&script).await;
    let error = call(&client, "a/b").await.unwrap_err();
    assert!(
        matches!(&error, CallError::Peer(e) if e.code == -32001),
        "{error:?}"
    );
    assert_eq!((script.count("initialize"), script.count("a/b")), (2, 2));
}

#[tokio::test]
async fn v2511_http_017_r119_dropping_a_call_is_told_to_the_server() {
    let script = Script::sessions(|_, mut wire| async {
        wire.stream().await;
        wire.closed().await;
        wire
    })
    .await;
    let mut client = client(&script).await;
    let call = tokio::spawn(client.call(Request::new("a/slow", None)));
    let slow = script.wait(|seen| seen.method() == "a/slow").await;
    call.abort();
    drop(client);
    let told = script
        .wait(|seen| seen.method() == "notifications/cancelled")
        .await;
    assert_eq!(told.body["params"]["requestId"], slow.body["id"]);
    assert_eq!(told.header("mcp-session-id"), Some("1"));
}

#[tokio::test]
async fn listening_opens_a_stream_and_leaving_closes_it() {
    let closed = Arc::new(Semaphore::new(0));
    let told = closed.clone();
    let script = Script::sessions(move |seen, mut wire| {
        let told = told.clone();
        async move {
            assert_eq!(
                (seen.verb.as_str(), seen.header("accept")),
                ("GET", Some("text/event-stream"))
            );
            wire.stream().await;
            wire.event(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#)
                .await;
            wire.event(r#"{"jsonrpc":"2.0","id":"q","method":"roots/list"}"#)
                .await;
            wire.event(CHANGED).await;
            wire.event(r#"{"jsonrpc":"2.0","method":"notifications/clock/changed"}"#)
                .await;
            wire.closed().await;
            told.add_permits(1);
            wire
        }
    })
    .await;
    let (everything, mut all) = Interim::queue(8);
    let options = Options::default().notifications(everything);
    let client = connect(&script.url, options).await.unwrap();
    let (first, mut notifications) = listen(&client);
    let mut got = Vec::new();
    for _ in 0..3 {
        got.push(
            notifications
                .recv()
                .await
                .unwrap()
                .method
                .as_str()
                .to_string(),
        );
    }
    let changes = [
        "notifications/tools/list_changed",
        "notifications/clock/changed",
    ];
    assert_eq!(got, [ACKNOWLEDGED, changes[0], changes[1]]);
    for change in changes {
        assert_eq!(all.recv().await.unwrap().method.as_str(), change);
    }
    let answers: Vec<_> = script
        .seen()
        .into_iter()
        .filter(|seen| seen.method().is_empty() && seen.verb == "POST")
        .collect();
    assert_eq!(
        answers[0].body,
        json!({ "jsonrpc": "2.0", "id": "p", "result": {} })
    );
    assert_eq!(answers[1].body["error"]["code"], -32601);

    let (second, mut notifications) = listen(&client);
    assert_eq!(
        notifications.recv().await.unwrap().method.as_str(),
        ACKNOWLEDGED
    );
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    assert_eq!(
        (script.count("GET"), closed.available_permits()),
        (1, 0),
        "one stream for both"
    );
    second.abort();
    closed.acquire().await.unwrap().forget();
}

#[tokio::test]
async fn r40_a_server_without_a_stream_is_asked_once_and_listening_goes_on() {
    let script = Script::sessions(|seen, mut wire| async move {
        match seen.verb.as_str() {
            "GET" => wire.empty(405).await,
            // Changes may come on the stream of any request.
            _ => {
                wire.stream().await;
                wire.event(CHANGED).await;
                wire.event(&seen.result(&json!({}))).await;
            }
        }
        wire
    })
    .await;
    let client = client(&script).await;
    let (listening, mut notifications) = listen(&client);
    assert_eq!(
        notifications.recv().await.unwrap().method.as_str(),
        ACKNOWLEDGED
    );
    script.wait(|seen| seen.verb == "GET").await;
    let (interim, mut own) = Interim::queue(8);
    let mut request = Request::new("a/b", None);
    request.interim = interim;
    client.clone().call(request).await.unwrap();
    assert_eq!(own.recv().await, None, "a change is not about the request");
    let changed = notifications.recv().await.unwrap();
    assert_eq!(changed.method.as_str(), "notifications/tools/list_changed");
    assert_eq!(script.count("GET"), 1);
    client.close().await;
    assert!(matches!(
        listening.await.unwrap(),
        Err(CallError::Closed(_))
    ));
}

#[tokio::test]
async fn v2511_http_010_012_026_a_stream_that_ends_early_is_resumed() {
    let ended = Arc::new(std::sync::Mutex::new(None));
    let script = Script::sessions(move |seen, mut wire| {
        let ended = ended.clone();
        async move {
            wire.stream().await;
            if seen.verb == "POST" {
                wire.chunk(b"id: e1\nretry: 500\ndata:\n\n").await;
                *ended.lock().unwrap() = Some((tokio::time::Instant::now(), seen));
            } else {
                let (at, request) = ended.lock().unwrap().clone().unwrap();
                assert!(
                    at.elapsed() >= Duration::from_millis(490),
                    "{:?}",
                    at.elapsed()
                );
                assert_eq!(seen.header("last-event-id"), Some("e1"));
                wire.event(&request.result(&json!({ "x": 1 }))).await;
            }
            wire.end().await;
            wire
        }
    })
    .await;
    let client = client(&script).await;
    let outcome = call(&client, "a/b").await.unwrap();
    assert_eq!(outcome, Outcome::Complete(json!({ "x": 1 }).into()));
}

#[tokio::test]
async fn v2511_http_035_closing_ends_the_session_for_every_clone() {
    let script = Script::sessions(echo).await;
    let client = client(&script).await;
    client.clone().close().await;
    assert_eq!(script.count("DELETE"), 1);
    assert!(matches!(
        call(&client, "a/b").await,
        Err(CallError::Closed(_))
    ));
    client.close().await;
    assert_eq!(script.count("DELETE"), 1);
}

#[tokio::test]
async fn a_server_without_session_ids_is_not_told_of_the_end() {
    let count = Arc::new(AtomicUsize::new(0));
    let script = Script::serve(move |seen, mut wire| {
        let count = count.clone();
        async move {
            match seen.method() {
                "initialize" => wire.json(200, &seen.result(&hello())).await,
                "a/b" if count.fetch_add(1, Ordering::SeqCst) == 0 => wire.empty(404).await,
                "a/b" => wire.json(200, &seen.result(&json!({}))).await,
                _ => wire.empty(405).await,
            }
            wire
        }
    })
    .await;
    let client = client(&script).await;
    let error = call(&client, "a/b").await.unwrap_err();
    assert!(matches!(error, CallError::Transport(_)), "{error:?}");
    call(&client, "a/b").await.unwrap();
    client.close().await;
    assert_eq!((script.count("initialize"), script.count("DELETE")), (1, 0));
}
