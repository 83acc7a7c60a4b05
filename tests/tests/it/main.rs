//! One test program for everything that crosses crates.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails where something unexpected happens"
)]

mod changes;
mod child;
mod peers;
mod stack;
mod web;
mod wire;
