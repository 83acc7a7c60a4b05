//! Typed parameters and results, one module for each area.
//!
//! Members that a type does not name are kept in its `extra` map and written back, so a message
//! of a newer version or with private members survives a round trip.

pub mod cache;
pub mod capabilities;
pub mod content;
pub mod discover;
pub mod implementation;
pub mod initialize; // tidy: era
pub mod input;
pub mod logging;
pub mod pagination;
pub mod progress;
pub mod resources;
pub mod subscriptions;
pub mod tools;
