//! What a peer of the Model Context Protocol is made of.
//!
//! A [`Request`] goes in, an [`Outcome`] comes out, and the notifications that belong to the
//! request go to the [`Interim`] sink that it carries. That is one `tower` service, the
//! [`McpService`], the same for clients and servers:
//!
//! ```text
//!  Client ──Request──▶ layers ──▶ link ~~~wire~~~ link ──▶ layers ──▶ Server
//!         ◀─Outcome──                                      │ handler(Cx, params)
//!         ◀─Interim── notifications, before the outcome ───┘
//! ```
//!
//! - [`request`], [`outcome`], [`interim`], [`context`], [`service`]: that vocabulary;
//! - [`extension`]: an [`Extension`] has an id, capabilities, messages and handlers, is enabled
//!   on a server or on a client and negotiated under `capabilities.extensions`;
//! - [`server`]: a [`Server`] made of tools, resources and extensions;
//! - [`client`]: typed calls and streams over any service;
//! - [`listen`]: change notifications and who wants them;
//! - [`error`]: how calls fail, and what the peer may know of it.
//!
//! Dropping the future of a call cancels it, here and at every hop behind it.
//!
//! ```
//! use mcp_ext::{Client, Cx, Server, server::tool};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Add { a: i64, b: i64 }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::builder("calculator", "1.0.0")
//!     .tool(tool("add", "Adds two numbers.", async |_: Cx, add: Add| {
//!         Ok::<_, std::convert::Infallible>((add.a + add.b).to_string())
//!     }))
//!     .build()?;
//!
//! let client = Client::new(server); // no transport between the two
//! let result = client.call_tool("add", &serde_json::json!({ "a": 1, "b": 2 })).await?;
//! assert_eq!(result.joined_text(), "3");
//! # Ok(()) }
//! ```

pub mod client;
pub mod context;
pub mod error;
pub mod extension;
pub mod interim;
pub mod listen;
pub mod outcome;
pub mod request;
pub mod server;
pub mod service;

pub use client::{Client, exchange::Exchange};
pub use context::{Context, Peer};
pub use error::{BoxError, CallError};
pub use extension::{Extension, id::ExtensionId};
pub use interim::{Deliver, Interim, Notification};
pub use outcome::Outcome;
pub use request::{Method, Request};
pub use schemars;
pub use server::{Server, cx::Cx};
pub use service::{BoxService, McpService};

/// A boxed future that can move between threads.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
