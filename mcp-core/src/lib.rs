//! The words of the Model Context Protocol and the rules between them.
//!
//! This crate has no runtime, opens no socket and reads no clock. It holds
//!
//! - [`envelope`]: JSON-RPC messages, decoded once with their parameters kept as text;
//! - [`json`]: that text, cheap to clone, to look into and to edit without a parse tree;
//! - [`id`], [`error`], [`version`], [`meta`]: the vocabulary every message is made of;
//! - [`schema`]: the typed parameters and results, one module for each area;
//! - [`message`]: what ties a typed message to its method;
//! - [`methods`], [`fields`]: which version knows which method and which member, as data;
//! - [`header`]: what HTTP mirrors into headers, and how values get into them.
//!
//! ```
//! use mcp_core::envelope::Message;
//!
//! let line = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"p2"}}"#;
//! let Message::Request { id, method, params } = Message::decode(&line.as_slice().into())? else {
//!     unreachable!("the line has an id and a method");
//! };
//! assert_eq!((id.to_string().as_str(), method.as_str()), ("1", "tools/list"));
//! assert_eq!(params.unwrap().as_str(), r#"{"cursor":"p2"}"#);
//! # Ok::<(), mcp_core::envelope::Malformed>(())
//! ```

pub mod envelope;
pub mod error;
pub mod fields;
pub mod header;
pub mod id;
pub mod json;
pub mod message;
pub mod meta;
pub mod methods;
pub mod schema;
#[cfg(any(test, feature = "proptest"))]
pub mod strategies;
pub mod version;

pub use error::ErrorObject;
pub use id::{ProgressToken, RequestId};
pub use json::Json;
pub use message::{NotificationMessage, RequestMessage};
pub use version::ProtocolVersion;

/// A JSON object with free content.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
