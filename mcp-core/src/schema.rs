//! Typed parameters and results, one module for each area.
//!
//! Members that a type does not name are kept in its `extra` map and written back, so a message
//! of a newer version or with private members survives a round trip.

pub mod annotations;
pub mod cache;
pub mod capabilities;
#[cfg(test)]
pub(crate) mod check;
pub mod completion;
pub mod content;
pub mod discover;
pub mod elicitation;
pub mod error_data;
pub mod icons;
pub mod implementation;
pub mod initialize; // tidy: era
pub mod input;
mod literal;
pub mod logging;
pub mod notices;
pub mod outcome;
pub mod pagination;
pub mod ping;
pub mod progress;
pub mod prompts;
pub mod resources;
pub mod roots;
pub mod sampling;
pub mod subscriptions;
pub mod tasks;
pub mod tools;
