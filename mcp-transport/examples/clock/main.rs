//! A clock as an MCP server: two tools, a resource and an extension of its own, served over
//! standard input and output and over HTTP from the same object.
//!
//! ```text
//! cargo run --example clock -- stdio
//! cargo run --example clock -- http --port 8080
//! cargo run --example clock -- unix --path /tmp/clock.sock
//! ```

#![allow(clippy::print_stderr, reason = "a program says where it listens")]

mod extension;

use std::{convert::Infallible, net::Ipv4Addr, time::Duration};

use mcp_core::schema::{content::ResourceContents, resources::Resource};
use mcp_ext::{
    Cx, Server,
    schemars::{self, JsonSchema},
    server::{Structured, resource, tool},
};
use mcp_transport::{http, stdio, unix};
use serde::{Deserialize, Serialize};

use crate::extension::Clock;

#[derive(Deserialize, JsonSchema)]
struct SetAlarm {
    /// What the alarm is for.
    label: String,
}

#[derive(Serialize, JsonSchema)]
struct AlarmSet {
    /// How many alarms there are now.
    alarms: usize,
}

#[derive(Deserialize, JsonSchema)]
struct Countdown {
    /// Where to start.
    from: u32,
    /// Pause between two numbers, in milliseconds.
    #[serde(default)]
    interval_ms: u64,
}

fn server() -> Result<Server, Box<dyn std::error::Error>> {
    let clock = Clock::default();
    let alarms = clock.clone();
    let set_alarm = tool(
        "set_alarm",
        "Sets an alarm.",
        move |cx: Cx, alarm: SetAlarm| {
            let alarms = alarms.clone();
            async move {
                let count = alarms.set(&cx, alarm.label);
                Ok::<_, Infallible>(Structured(AlarmSet { alarms: count }))
            }
        },
    );
    let countdown = tool(
        "countdown",
        "Counts down to zero and says how far it has come.",
        async |cx: Cx, Countdown { from, interval_ms }: Countdown| {
            for done in 1..=from {
                tokio::time::sleep(Duration::from_millis(interval_ms)).await;
                let left = format!("{} to go", from - done);
                cx.progress(done.into(), Some(from.into()), Some(&left))
                    .await?;
            }
            Ok::<_, mcp_ext::interim::NobodyLeft>(format!("counted down from {from}"))
        },
    );
    let about = Resource::new("clock://about", "about").mime_type("text/plain");
    Ok(Server::builder("clock", env!("CARGO_PKG_VERSION"))
        .instructions("Set alarms with set_alarm; list them with the extension com.example/clock.")
        .tool(set_alarm.title("Set an alarm").output::<AlarmSet>())
        .tool(countdown)
        .resource(resource(about, async |_: Cx| {
            Ok::<_, Infallible>(ResourceContents::text(
                "clock://about",
                "A clock that ticks.",
            ))
        }))
        .extension(clock)
        .build()?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        [] | ["stdio"] => stdio::serve(server()?, Default::default()).await?,
        ["http", "--port", port] => {
            let address = (Ipv4Addr::LOCALHOST, port.parse()?);
            let listener = tokio::net::TcpListener::bind(address).await?;
            eprintln!("listening on http://{}/mcp", listener.local_addr()?);
            http::server::serve(server()?, listener, Default::default()).await?;
        }
        ["unix", "--path", path] => {
            let listener = tokio::net::UnixListener::bind(path)?;
            eprintln!("listening on {path}");
            unix::serve(server()?, listener, Default::default()).await?;
        }
        _ => return Err("usage: clock [stdio | http --port N | unix --path P]".into()),
    }
    Ok(())
}
