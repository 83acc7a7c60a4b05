//! One script of requests through server, proxy and client, with stock tower layers, in every
//! mix of protocol versions on the two hops.
//!
//! ```text
//!  Client ─ Timeout ─▶ link ~~~ serve( ConcurrencyLimit ─▶ link ) ~~~ serve( Server )
//! ```

use std::{convert::Infallible, sync::Arc, time::Duration};

use mcp_core::{ErrorObject, Json, error::code, schema::progress::PROGRESS};
use mcp_ext::{CallError, Client, Cx, Outcome, Server, server::tool};
use mcp_transport::{Versions, duplex::ClientOptions, memory};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tests::{Nothing, OnDrop};
use tokio::sync::Notify;
use tower::ServiceBuilder;

use mcp_ext::schemars;

#[derive(Deserialize, JsonSchema)]
struct Steps {
    count: u32,
}

#[derive(Deserialize, JsonSchema)]
struct Pad {
    padding: String,
}

/// What the handler of `hang` lets the test see.
#[derive(Clone, Default)]
struct Seen {
    started: Arc<Notify>,
    dropped: Arc<Notify>,
    release: Arc<Notify>,
}

fn server(seen: &Seen) -> Server {
    let hang = seen.clone();
    Server::builder("stack", "1.0.0")
        .tool(tool(
            "steps",
            "Reports progress.",
            async |cx: Cx, Steps { count }: Steps| {
                for step in 1..=count {
                    cx.progress(step.into(), Some(count.into()), None).await?;
                }
                Ok::<_, mcp_ext::interim::NobodyLeft>("done")
            },
        ))
        .tool(tool(
            "hang",
            "Waits until it is released.",
            move |_: Cx, _: Nothing| {
                let seen = hang.clone();
                async move {
                    let _guard = OnDrop(seen.dropped.clone());
                    seen.started.notify_one();
                    seen.release.notified().await;
                    Ok::<_, Infallible>("released")
                }
            },
        ))
        .tool(tool(
            "pad",
            "Returns its padding.",
            async |_: Cx, Pad { padding }: Pad| Ok::<_, Infallible>(padding),
        ))
        .tool(tool(
            "refuse",
            "Fails with an error of its own.",
            async |_: Cx, _: Nothing| {
                Err::<&str, _>(ErrorObject::new(7, "no more tea").with_data(&json!({ "pot": 3 })))
            },
        ))
        .tool(tool("panic", "Panics.", async |_: Cx, _: Nothing| {
            if true {
                panic!("as asked");
            }
            Ok::<_, Infallible>("never")
        }))
        .build()
        .unwrap()
}

/// The whole stack. Dropping it closes both connections.
struct Stack {
    client: Client,
    _connections: [mcp_transport::Connection; 2],
}

const LIMIT: Duration = Duration::from_secs(1);

async fn stack(seen: &Seen, near: Versions, far: Versions) -> Stack {
    let versions = |versions| ClientOptions::default().versions(versions);
    let upstream = memory::connect(server(seen), versions(far)).await.unwrap();
    let proxy = ServiceBuilder::new()
        .concurrency_limit(1)
        .service(upstream.service());
    let downstream = memory::connect(proxy, versions(near)).await.unwrap();
    let service = ServiceBuilder::new()
        .timeout(LIMIT)
        .service(downstream.service());
    Stack {
        client: Client::new(service),
        _connections: [downstream, upstream],
    }
}

#[track_caller]
fn refusal<T: std::fmt::Debug>(ended: Result<T, CallError>) -> ErrorObject {
    match ended {
        Err(CallError::Peer(error)) => error,
        other => panic!("the peer did not answer with an error: {other:?}"),
    }
}

const MIXES: [(Versions, Versions); 4] = [
    (Versions::Stateless, Versions::Stateless),
    (Versions::Stateful, Versions::Stateless),
    (Versions::Stateless, Versions::Stateful),
    (Versions::Stateful, Versions::Stateful),
];

#[tokio::test(start_paused = true)]
async fn k16_notifications_arrive_in_order_and_before_their_outcome() {
    for (near, far) in MIXES {
        let stack = stack(&Seen::default(), near, far).await;
        let params = json!({ "name": "steps", "arguments": { "count": 500 } });
        let mut call = stack
            .client
            .exchange("tools/call", Some(Json::from(params)));
        let mut progress = Vec::new();
        while let Some(notification) = call.next().await {
            assert_eq!(notification.method.as_str(), PROGRESS);
            let params = notification.params.unwrap();
            assert!(
                params.member("progressToken").is_none(),
                "a hop's token leaked: {params}"
            );
            progress.push(params.member("progress").unwrap().decode::<f64>().unwrap());
        }
        let wanted: Vec<f64> = (1..=500).map(f64::from).collect();
        assert_eq!(progress, wanted, "{near:?} {far:?}");
        let Outcome::Complete(result) = call.outcome().await.unwrap() else {
            panic!("not a complete result")
        };
        assert!(result.as_str().contains("\"done\""));
        assert!(
            result.member("resultType").is_none(),
            "a hop's member leaked: {result}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn k13_a_timeout_cancels_a_handler_two_hops_away() {
    for (near, far) in MIXES {
        let seen = Seen::default();
        let stack = stack(&seen, near, far).await;
        let ended = stack.client.call_tool("hang", &json!({})).await;
        assert!(
            matches!(ended, Err(CallError::TimedOut)),
            "{near:?} {far:?}: {ended:?}"
        );
        tokio::time::timeout(LIMIT, seen.dropped.notified())
            .await
            .expect("the handler runs on");
        // The limit of one call at a time is free again, and both connections are usable.
        let result = stack
            .client
            .call_tool("steps", &json!({ "count": 0 }))
            .await
            .unwrap();
        assert_eq!(result.joined_text(), "done");
    }
}

#[tokio::test(start_paused = true)]
async fn error_codes_and_data_survive_both_hops() {
    for (near, far) in MIXES {
        let stack = stack(&Seen::default(), near, far).await;
        let error = refusal(stack.client.call_tool("refuse", &json!({})).await);
        let wanted = ErrorObject::new(7, "no more tea").with_data(&json!({ "pot": 3 }));
        assert_eq!(error, wanted, "{near:?} {far:?}");

        let error = refusal(stack.client.call_tool("nope", &json!({})).await);
        assert_eq!(error.code, code::INVALID_PARAMS, "{near:?} {far:?}");
        let error = refusal(stack.client.request("no/such", None).await);
        assert_eq!(error.code, code::METHOD_NOT_FOUND, "{near:?} {far:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn k29_a_stock_concurrency_limit_limits() {
    for (near, far) in MIXES {
        let seen = Seen::default();
        let stack = stack(&seen, near, far).await;
        let nothing = json!({});
        let first = stack.client.call_tool("hang", &nothing);
        let second = stack.client.call_tool("hang", &nothing);
        let watch = async {
            seen.started.notified().await;
            let started = tokio::time::timeout(LIMIT / 4, seen.started.notified()).await;
            assert!(
                started.is_err(),
                "the second call started while the first one ran"
            );
            seen.release.notify_one();
            seen.started.notified().await;
            seen.release.notify_one();
        };
        let (first, second, ()) = tokio::join!(first, second, watch);
        assert_eq!(first.unwrap().joined_text(), "released", "{near:?} {far:?}");
        assert_eq!(
            second.unwrap().joined_text(),
            "released",
            "{near:?} {far:?}"
        );
    }
}

/// Far more than fits into all buffers on the way, in both directions at once: what a client writes
/// now, and what it has to say afterwards.
#[tokio::test(start_paused = true)]
async fn many_large_calls_at_once_do_not_block_each_other() {
    let options = ClientOptions::default();
    let connection = memory::connect(server(&Seen::default()), options)
        .await
        .unwrap();
    let client = Client::new(connection.service());
    let mut calls = tokio::task::JoinSet::new();
    for n in 0..250 {
        let client = client.clone();
        calls.spawn(async move {
            if n >= 200 {
                tokio::task::yield_now().await;
            }
            let arguments = json!({ "padding": "x".repeat(30_000) });
            let result = client.call_tool("pad", &arguments).await.unwrap();
            result.joined_text().len()
        });
    }
    let all = tokio::time::timeout(LIMIT, calls.join_all())
        .await
        .expect("they wait for ever");
    assert!(all.iter().all(|length| *length == 30_000));
}

#[tokio::test(start_paused = true)]
async fn k15_a_panic_ends_its_call_and_nothing_else() {
    for (near, far) in MIXES {
        let stack = stack(&Seen::default(), near, far).await;
        let error = refusal(stack.client.call_tool("panic", &json!({})).await);
        assert_eq!(error.code, code::INTERNAL_ERROR);
        assert!(
            !error.to_string().contains("as asked"),
            "the panic's text leaked: {error}"
        );
        let result = stack
            .client
            .call_tool("steps", &json!({ "count": 0 }))
            .await
            .unwrap();
        assert_eq!(result.joined_text(), "done", "{near:?} {far:?}");
    }
}
