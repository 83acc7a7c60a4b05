//! The good server: everything that the program can use, over a Unix socket.

use std::{
    convert::Infallible,
    path::Path,
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::Duration,
};

use mcp_core::{
    ErrorObject, RequestMessage,
    schema::{content::ResourceContents, resources::Resource, tools::CallToolResult},
};
use mcp_ext::{
    Cx, Extension, ExtensionId, Server,
    extension::{handlers::Handlers, messages::Messages},
    interim::NobodyLeft,
    server::{Structured, resource, tool},
};
use mcp_transport::{duplex::Limits, unix};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::net::UnixListener;

/// Long enough for anything that is not stuck.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the server notices.
pub(crate) struct Heard(Receiver<&'static str>);

impl Heard {
    #[track_caller]
    pub(crate) fn check(&self, expected: &str) {
        assert_eq!(self.0.recv_timeout(PATIENCE).unwrap(), expected);
    }
}

/// Tells that a handler was dropped before it was done.
struct Dropped(Sender<&'static str>, &'static str);

impl Drop for Dropped {
    fn drop(&mut self) {
        let _ = self.0.send(self.1);
    }
}

/// Serves in a thread of its own until the tests end.
pub(crate) fn start(socket: &Path) -> Heard {
    let (sender, receiver) = channel();
    let listener = std::os::unix::net::UnixListener::bind(socket).unwrap();
    listener.set_nonblocking(true).unwrap();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let listener = UnixListener::from_std(listener).unwrap();
            unix::serve(server(&sender), listener, Limits::default())
                .await
                .unwrap();
        });
    });
    Heard(receiver)
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Say {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Serialize)]
struct Point {
    x: f64,
}

fn server(sender: &Sender<&'static str>) -> Server {
    let hang = sender.clone();
    Server::builder("test", "1.0.0")
        .tool(tool(
            "add",
            "Adds two numbers.\nExactly.",
            async |_: Cx, add: Add| Ok::<_, Infallible>((add.a + add.b).to_string()),
        ))
        .tool(tool("say", "Says it again.", async |_: Cx, say: Say| {
            Ok::<_, Infallible>(say.text)
        }))
        .tool(tool("fail", "Fails.", async |_: Cx, say: Say| {
            Ok::<_, Infallible>(CallToolResult::error(say.text))
        }))
        .tool(tool(
            "refuse",
            "Answers with an error.",
            async |_: Cx, _: Nothing| Err::<String, _>(ErrorObject::new(7, "no more\ttea")),
        ))
        .tool(tool(
            "point",
            "Gives a point.",
            async |_: Cx, _: Nothing| Ok::<_, Infallible>(Structured(Point { x: 1.5 })),
        ))
        .tool(tool(
            "draw",
            "Gives a picture.",
            async |_: Cx, _: Nothing| {
                let image = json!({ "type": "image", "mimeType": "image/png", "data": "AAAAAAAA" });
                Ok::<_, serde_json::Error>(CallToolResult {
                    content: vec![serde_json::from_value(image)?],
                    ..CallToolResult::default()
                })
            },
        ))
        .tool(tool("hang", "Never ends.", move |cx: Cx, _: Nothing| {
            hang_on(cx, hang.clone())
        }))
        .resource(resource(Resource::new("test://a", "a"), async |_: Cx| {
            Ok::<_, Infallible>(ResourceContents::text("test://a", "first\nsecond\u{7}"))
        }))
        .extension(Clock(sender.clone()))
        .build()
        .unwrap()
}

async fn hang_on(cx: Cx, sender: Sender<&'static str>) -> Result<&'static str, NobodyLeft> {
    let dropped = Dropped(sender, "hang was cancelled");
    let _ = dropped.0.send("hang has begun");
    cx.progress(1.0, Some(2.0), Some("half")).await?;
    std::future::pending().await
}

async fn tick(cx: Cx, ticks: Ticks, sender: Sender<&'static str>) -> Result<Value, NobodyLeft> {
    let _dropped = Dropped(sender, "ticks have ended");
    for n in 1..=ticks.times.unwrap_or(u32::MAX) {
        cx.notify("notifications/clock/tick", &json!({ "n": n }))
            .await?;
        if ticks.times.is_none() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    Ok(json!({ "ticked": true }))
}

struct Clock(Sender<&'static str>);

#[derive(Serialize, Deserialize)]
struct Alarms {}

impl RequestMessage for Alarms {
    const METHOD: &'static str = "clock/alarms";
    type Result = Value;
}

/// Ticks `times` times, or without end.
#[derive(Serialize, Deserialize)]
struct Ticks {
    times: Option<u32>,
}

impl RequestMessage for Ticks {
    const METHOD: &'static str = "clock/ticks";
    type Result = Value;
}

impl Extension for Clock {
    fn id(&self) -> ExtensionId {
        ExtensionId::from_static("com.example/clock")
    }

    fn messages(&self) -> Messages {
        Messages::none()
            .request::<Alarms>()
            .stream(Ticks::METHOD)
            .notification("notifications/clock/tick")
    }

    fn handlers(&self) -> Handlers {
        let sender = self.0.clone();
        Handlers::none()
            .request(async |_: Cx, _: Alarms| Ok::<_, Infallible>(json!({ "labels": ["tea"] })))
            .request(move |cx: Cx, ticks: Ticks| tick(cx, ticks, sender.clone()))
    }
}
