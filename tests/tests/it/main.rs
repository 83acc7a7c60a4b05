//! One test program for everything that crosses crates.

mod peers;
mod stack;
