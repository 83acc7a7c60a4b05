//! What crosses the crates: shared helpers of the workspace-wide tests.

#![allow(clippy::print_stderr, reason = "a skipped peer is reported by name")]

mod connected;

use std::{env, path::PathBuf, sync::Arc};

use mcp_ext::schemars::{self, JsonSchema};
use serde::Deserialize;
use tokio::sync::Notify;

pub use connected::Connected;

/// The arguments of a tool that takes none.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Nothing {}

/// Tells a test when a handler's future is dropped.
#[derive(Debug)]
pub struct OnDrop(pub Arc<Notify>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// The clock example, as the test run has built it.
///
/// # Panics
/// It was not built; `cargo xtask test` and `cargo test --workspace` do.
pub fn clock() -> PathBuf {
    let test = env::current_exe().expect("a test knows its own path");
    let profile = test
        .parent()
        .and_then(|deps| deps.parent())
        .expect("tests lie in deps/");
    let clock = profile.join("examples/clock");
    assert!(
        clock.is_file(),
        "run `cargo build --example clock --package mcp-transport` first"
    );
    clock
}

/// A program of another implementation, and what to start it with.
#[derive(Clone, Debug)]
pub struct Peer {
    /// What it is, for skip messages.
    pub name: &'static str,
    /// The program.
    pub program: PathBuf,
    /// Its first arguments.
    pub args: Vec<PathBuf>,
}

impl Peer {
    fn find(name: &'static str, program: &str, script: &str) -> Option<Self> {
        let peers = PathBuf::from(env::var_os("MCP_PEERS").unwrap_or_default());
        let script = peers.join(script);
        let program = if program.contains('/') {
            peers.join(program)
        } else {
            program.into()
        };
        let found = script.is_file();
        if !found {
            eprintln!("skipped: {name} is not installed; `cargo xtask test` installs it");
        }
        found.then(|| Self {
            name,
            program,
            args: vec![script],
        })
    }

    /// The client on the official TypeScript SDK.
    pub fn typescript_client() -> Option<Self> {
        Self::find("TypeScript SDK client", "node", "node/client.mjs")
    }

    /// The client on the Python SDK.
    pub fn python_client() -> Option<Self> {
        Self::find("Python SDK client", "python/bin/python", "python/client.py")
    }

    /// The public reference server that shows everything.
    pub fn server_everything() -> Option<Self> {
        let script = "node/node_modules/@modelcontextprotocol/server-everything/dist/index.js";
        Self::find("@modelcontextprotocol/server-everything", "node", script)
    }

    /// The public reference server for files.
    pub fn server_filesystem() -> Option<Self> {
        let script = "node/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js";
        Self::find("@modelcontextprotocol/server-filesystem", "node", script)
    }
}

/// The examples in the README compile (K34).
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
