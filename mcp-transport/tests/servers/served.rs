//! A server with something of everything, and the messages to it.

use std::{convert::Infallible, sync::Arc, time::Duration};

use mcp_core::{
    Json, RequestMessage,
    schema::{
        content::ResourceContents,
        logging::LogLevel,
        resources::Resource,
        tools::{CallToolResult, Tool},
    },
};
use mcp_ext::{
    Cx, Extension, ExtensionId, Server,
    extension::{handlers::Handlers, messages::Messages},
    interim::NobodyLeft,
    server::{ServedTool, resource, tool},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::{sync::Semaphore, time::timeout};

/// Longer than anything in a test takes.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// What handlers have done, and what they wait for.
#[derive(Debug)]
pub(crate) struct Signals {
    pub(crate) started: Semaphore,
    pub(crate) dropped: Semaphore,
    pub(crate) finished: Semaphore,
    /// Handlers that wait go on with a permit of this.
    pub(crate) release: Semaphore,
}

/// Waits until something has happened (once more).
#[track_caller]
pub(crate) fn happened(signal: &Semaphore) -> impl Future<Output = ()> + '_ {
    let place = std::panic::Location::caller();
    async move {
        match timeout(LONG, signal.acquire()).await {
            Ok(permit) => permit.unwrap().forget(),
            Err(_) => panic!("it did not happen: {place}"),
        }
    }
}

/// Tells when the future that holds it is dropped before its end.
struct Guard(Option<Arc<Signals>>);

impl Guard {
    fn new(signals: &Arc<Signals>) -> Self {
        signals.started.add_permits(1);
        Self(Some(signals.clone()))
    }

    fn done(mut self) {
        if let Some(signals) = self.0.take() {
            signals.finished.add_permits(1);
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(signals) = self.0.take() {
            signals.dropped.add_permits(1);
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Steps {
    values: Vec<f64>,
}

/// Parameters of `clock/alarms`.
#[derive(Debug, Serialize, Deserialize)]
struct Alarms {}

/// Parameters of `clock/lost`, which nobody serves.
#[derive(Debug, Serialize, Deserialize)]
struct Lost {}

#[derive(Debug, Serialize, Deserialize)]
struct Labels {
    labels: Vec<String>,
}

impl RequestMessage for Alarms {
    const METHOD: &'static str = "clock/alarms";
    type Result = Labels;
}

impl RequestMessage for Lost {
    const METHOD: &'static str = "clock/lost";
    type Result = Labels;
}

/// Parameters of `clock/ticks`.
#[derive(Debug, Serialize, Deserialize)]
struct Ticks {
    count: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Ticked {
    ticks: u64,
}

impl RequestMessage for Ticks {
    const METHOD: &'static str = "clock/ticks";
    type Result = Ticked;
}

pub(crate) const CLOCK: &str = "com.example/clock";
pub(crate) const TICK: &str = "notifications/clock/tick";
pub(crate) const CLOCK_CHANGED: &str = "notifications/clock/changed";

struct Clock;

impl Extension for Clock {
    fn id(&self) -> ExtensionId {
        ExtensionId::from_static(CLOCK)
    }

    fn messages(&self) -> Messages {
        Messages::none()
            .request::<Alarms>()
            .request::<Lost>()
            .stream(Ticks::METHOD)
            .notification(TICK)
            .change(CLOCK_CHANGED, "clockChanged")
    }

    fn handlers(&self) -> Handlers {
        Handlers::none()
            .request(async |_: Cx, _: Alarms| {
                let labels = vec!["tea".into()];
                Ok::<_, Infallible>(Labels { labels })
            })
            .request(async |cx: Cx, Ticks { count }: Ticks| {
                for n in 1..=count {
                    cx.notify(TICK, &json!({ "n": n })).await?;
                }
                Ok::<_, NobodyLeft>(Ticked { ticks: count })
            })
    }
}

/// The server and what its handlers do.
pub(crate) fn server() -> (Server, Arc<Signals>) {
    let none = || Semaphore::new(0);
    let signals = Arc::new(Signals {
        started: none(),
        dropped: none(),
        finished: none(),
        release: none(),
    });
    let (waits, detached) = (signals.clone(), signals.clone());
    let server = Server::builder("subject", "1.2.3")
        .tool(tool("echo", "Echoes.", async |_: Cx, echo: Echo| {
            Ok::<_, Infallible>(echo.text)
        }))
        .tool(tool("steps", "Progress.", async |cx: Cx, steps: Steps| {
            for value in steps.values {
                cx.progress(value, None, None).await?;
            }
            Ok::<_, NobodyLeft>("walked")
        }))
        .tool(tool("later", "Yields.", async |_: Cx, echo: Echo| {
            tokio::task::yield_now().await;
            Ok::<_, Infallible>(echo.text)
        }))
        .tool(tool("logs", "Logs.", async |cx: Cx, _: Nothing| {
            for level in [
                LogLevel::Debug,
                LogLevel::Info,
                LogLevel::Warning,
                LogLevel::Emergency,
            ] {
                cx.log(level, None, "said").await?;
            }
            Ok::<_, NobodyLeft>("logged")
        }))
        .tool(tool("wait", "Waits.", move |cx: Cx, _: Nothing| {
            let signals = waits.clone();
            async move {
                let guard = Guard::new(&signals);
                signals.release.acquire().await?.forget();
                cx.progress(1.0, None, None).await?;
                guard.done();
                Ok::<_, mcp_ext::BoxError>("released")
            }
        }))
        .tool(tool("detached", "Goes on.", move |cx: Cx, _: Nothing| {
            let signals = detached.clone();
            async move {
                let guard = Guard::new(&signals);
                let on = signals.clone();
                tokio::spawn(async move {
                    let Ok(permit) = on.release.acquire().await else {
                        return;
                    };
                    permit.forget();
                    let _ = cx.progress(1.0, None, None).await;
                    let _ = cx.log(LogLevel::Emergency, None, "late").await;
                    let _ = cx.notify(TICK, &json!({})).await;
                    on.finished.add_permits(1);
                });
                std::future::pending::<()>().await;
                guard.done();
                Ok::<_, Infallible>("never")
            }
        }))
        .tool(tool("panics", "Panics.", async |_: Cx, _: Nothing| {
            tokio::task::yield_now().await;
            if true {
                panic!("hunter2");
            }
            Ok::<_, Infallible>("never")
        }))
        .tool(ServedTool::untyped(
            Tool::new("panics_at_once", "Panics.", object_schema()),
            |_, _| panic!("hunter2"),
        ))
        .tool(tool("fails", "Fails.", async |_: Cx, _: Nothing| {
            Err::<String, _>("it broke")
        }))
        .tool(ServedTool::untyped(
            Tool::new("meta", "Has metadata.", object_schema()),
            |_, _| {
                let result = json!({ "content": [], "_meta": { "com.example/own": 1 } });
                let result: CallToolResult = serde_json::from_value(result).unwrap();
                Box::pin(std::future::ready(Ok(result)))
            },
        ))
        .resource(resource(
            Resource::new("test://about", "about"),
            async |_: Cx| Ok::<_, Infallible>(ResourceContents::text("test://about", "A\nB")),
        ))
        .extension(Clock)
        .build()
        .unwrap();
    (server, signals)
}

/// The schema of any object.
pub(crate) fn object_schema() -> mcp_core::JsonObject {
    let Value::Object(schema) = json!({ "type": "object" }) else {
        unreachable!()
    };
    schema
}

/// One more tool, for changes of the list.
pub(crate) fn extra_tool(name: &str) -> ServedTool {
    tool(name.to_owned(), "One more.", async |_: Cx, _: Nothing| {
        Ok::<_, Infallible>("more")
    })
}

/// A notification without parameters.
pub(crate) fn bare(method: &'static str) -> mcp_ext::Notification {
    mcp_ext::Notification::new(method, None::<Json>)
}

pub(crate) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
pub(crate) const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// A request that begins a connection of the older kind or belongs to one.
pub(crate) fn plain(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

/// A stateless request of a client with the extension; `_meta` in `params` is added to.
pub(crate) fn stateless(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    let mut meta = json!({ VERSION: "2026-07-28", CAPABILITIES: { "extensions": { CLOCK: {} } } });
    if let Some(Value::Object(own)) = params.get("_meta") {
        for (key, value) in own {
            meta[key] = value.clone();
        }
    }
    params["_meta"] = meta;
    plain(id, method, params)
}

/// A stateless call of a tool.
pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    stateless(
        id,
        "tools/call",
        json!({ "name": tool, "arguments": arguments }),
    )
}

pub(crate) fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

pub(crate) fn cancelled(id: impl Into<Value>) -> Value {
    notification("notifications/cancelled", json!({ "requestId": id.into() }))
}

pub(crate) fn initialize(id: impl Into<Value>, version: &str) -> Value {
    plain(
        id,
        "initialize",
        json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": { "name": "old", "version": "1" },
        }),
    )
}

/// The text of a tool's result.
#[track_caller]
pub(crate) fn text_of(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("no text in {answer}"))
}

#[track_caller]
pub(crate) fn assert_error(answer: &Value, id: impl Into<Value>, code: i64) {
    assert_eq!(answer["id"], id.into(), "{answer}");
    assert_eq!(answer["error"]["code"], code, "{answer}");
    assert!(answer["error"]["message"].is_string(), "{answer}");
}
