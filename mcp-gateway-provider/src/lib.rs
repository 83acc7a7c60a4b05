//! The provider half of the gateway WebSocket protocol `mcp-gtw-provider/1`.
//!
//! A gateway stands where MCP clients can reach it; a provider connects to it from wherever the
//! tools are, publishes what it has and answers the requests that the gateway passes on.
//!
//! ```text
//!            hello.ack ack pong request cancel response protocol.error
//!  gateway ───────────────────────────────────────────────────────────► provider
//!          ◄───────────────────────────────────────────────────────────
//!                      register result call notify ping
//! ```
//!
//! What there is so far: [`frame`], the typed frames of both directions with their bounds. What
//! there is not yet: the connection, reconnecting, the registries and the serving of requests.
//!
//! # Example
//!
//! ```
//! use mcp_gateway_provider::frame::{Limits, ToGateway, ToProvider};
//!
//! let text = r#"{"type":"request","requestId":"5f4d","method":"tools/call","params":{"name":"add"}}"#;
//! let ToProvider::Request { request_id, .. } = ToProvider::decode(text, &Limits::TO_PROVIDER)? else {
//!     unreachable!("the text is a request");
//! };
//!
//! let answer = ToGateway::Result { request_id, outcome: Err("Target is too far away".into()) };
//! assert_eq!(
//!     answer.encode(&Limits::TO_GATEWAY)?,
//!     r#"{"type":"result","requestId":"5f4d","error":"Target is too far away"}"#,
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod frame;
