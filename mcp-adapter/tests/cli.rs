//! The program `mcp` as its users meet it.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests may panic like the tests do"
)]

#[path = "cli/bench.rs"]
mod bench;
#[path = "cli/failures.rs"]
mod failures;
#[path = "cli/results.rs"]
mod results;
#[path = "cli/server.rs"]
mod server;
#[path = "cli/streams.rs"]
mod streams;
