//! A client to be measured from outside.
//!
//! `probe-client stdio CMD ARGS… | http URL | unix PATH`
//!
//! Prints one JSON line for each step and always ends with `done`.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use mcp_ext::{CallError, Client};
use mcp_transport::{ConnectError, Versions};
use serde_json::{Value, json};
use tests::Connected;

/// The headers of `PROBE_HEADERS`, a JSON object.
fn headers() -> Result<http::HeaderMap, ConnectError> {
    let Ok(text) = std::env::var("PROBE_HEADERS") else {
        return Ok(Default::default());
    };
    let invalid = || ConnectError::Invalid("PROBE_HEADERS is not an object of strings".into());
    let pairs: std::collections::BTreeMap<String, String> =
        serde_json::from_str(&text).map_err(|_| invalid())?;
    pairs
        .iter()
        .map(|(name, value)| Some((name.parse::<http::HeaderName>().ok()?, value.parse().ok()?)))
        .collect::<Option<_>>()
        .ok_or_else(invalid)
}

fn seconds(name: &str, default: f64) -> Duration {
    let given = std::env::var(name).ok().and_then(|text| text.parse().ok());
    Duration::try_from_secs_f64(given.unwrap_or(default)).unwrap_or_default()
}

/// Prints a step; whoever read our output may be gone.
fn print(line: &Value) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Runs a step against its deadline and prints how it went.
async fn step<T, E: std::fmt::Display>(
    name: &str,
    limit: Duration,
    work: impl Future<Output = Result<T, E>>,
) -> Option<T> {
    let begun = Instant::now();
    let ended = tokio::time::timeout(limit, work).await;
    let ms = begun.elapsed().as_millis() as u64;
    let (kind, detail) = match ended {
        Ok(Ok(value)) => {
            print(&json!({ "step": name, "ok": true, "ms": ms }));
            return Some(value);
        }
        Ok(Err(error)) => ("error", error.to_string()),
        Err(_) => ("timeout", format!("nothing within {limit:?}")),
    };
    print(&json!({ "step": name, "ok": false, "ms": ms, "kind": kind, "detail": detail }));
    None
}

async fn open(target: &[&str]) -> Result<Connected, ConnectError> {
    Connected::open(target, Versions::Auto, headers()?).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let connect = seconds("PROBE_CONNECT_S", 10.0);
    if let Some(connected) = step("connect", connect, open(&args)).await {
        let client = Client::new(connected.service());
        let limit = seconds("PROBE_STEP_S", 5.0);
        step("list", limit, client.list_tools()).await;
        step("poke", limit, client.call_tool("poke", &json!({}))).await;
        step("after", limit, after(&client)).await;
        tokio::time::sleep(seconds("PROBE_HOLD_S", 0.0)).await;
        drop(client);
        let close = async {
            connected.close().await;
            Ok::<_, CallError>(())
        };
        step("close", Duration::from_secs(12), close).await;
    }
    print(&json!({ "step": "done", "ok": true }));
    std::process::exit(0);
}

/// The same text has to come back.
async fn after(client: &Client) -> Result<(), String> {
    const TEXT: &str = "after-🦀";
    let result = client.call_tool("echo", &json!({ "text": TEXT })).await;
    let text = result.map_err(|error| error.to_string())?.joined_text();
    if text == TEXT {
        Ok(())
    } else {
        Err(format!("{text:?} came back"))
    }
}
