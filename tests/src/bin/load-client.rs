//! A client that makes many calls.
//!
//! `load-client TARGET… --calls N --in-flight W --bytes B [--era legacy|modern]`, where TARGET is
//! `stdio CMD ARGS…`, `http URL` or `unix PATH`. Calls `echo` and prints one line of JSON.

use std::{
    error::Error,
    io::Write,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use mcp_ext::Client;
use mcp_transport::Versions;
use serde_json::json;
use tests::Connected;
use tokio::task::JoinSet;

/// What to do.
struct Load {
    target: Vec<String>,
    calls: usize,
    in_flight: usize,
    bytes: usize,
    versions: Versions,
}

impl Load {
    fn read(args: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut load = Self {
            target: Vec::new(),
            calls: 1000,
            in_flight: 1,
            bytes: 100,
            versions: Versions::Auto,
        };
        let mut args = args;
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
            match arg.as_str() {
                "--calls" => load.calls = value()?.parse()?,
                "--in-flight" => load.in_flight = value()?.parse::<usize>()?.max(1),
                "--bytes" => load.bytes = value()?.parse()?,
                "--era" => {
                    load.versions = match value()?.as_str() {
                        "legacy" => Versions::Stateful,
                        "modern" => Versions::Stateless,
                        other => return Err(format!("no such era: {other}").into()),
                    }
                }
                _ => load.target.push(arg),
            }
        }
        Ok(load)
    }
}

/// The time that each call took, and how many failed.
async fn run(client: Client, load: &Load) -> (Vec<Duration>, usize) {
    let left = Arc::new(AtomicUsize::new(load.calls));
    let arguments = Arc::new(json!({ "text": "x".repeat(load.bytes) }));
    let mut workers = JoinSet::new();
    for _ in 0..load.in_flight.min(load.calls) {
        let (client, left, arguments) = (client.clone(), left.clone(), arguments.clone());
        workers.spawn(async move {
            let (mut times, mut errors) = (Vec::new(), 0);
            let take = |n: usize| n.checked_sub(1);
            while left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
                .is_ok()
            {
                let begun = Instant::now();
                let result = client.call_tool("echo", &*arguments).await;
                times.push(begun.elapsed());
                let text = result.map(|result| result.joined_text());
                errors += usize::from(text.ok().as_deref() != arguments["text"].as_str());
            }
            (times, errors)
        });
    }
    let (mut times, mut errors) = (Vec::with_capacity(load.calls), 0);
    for (some, wrong) in workers.join_all().await {
        times.extend(some);
        errors += wrong;
    }
    (times, errors)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let load = Load::read(std::env::args().skip(1))?;
    let target: Vec<&str> = load.target.iter().map(String::as_str).collect();
    let connected = Connected::open(&target, load.versions, Default::default()).await?;
    let begun = Instant::now();
    let (mut times, errors) = run(Client::new(connected.service()), &load).await;
    let seconds = begun.elapsed().as_secs_f64();
    times.sort_unstable();
    let percentile = |n: usize| {
        times
            .get(times.len() * n / 100)
            .or(times.last())
            .map_or(0, Duration::as_micros)
    };
    let line = json!({
        "calls": times.len(),
        "seconds": seconds,
        "p50_us": percentile(50),
        "p99_us": percentile(99),
        "errors": errors,
    });
    writeln!(std::io::stdout(), "{line}")?;
    connected.close().await;
    Ok(())
}
