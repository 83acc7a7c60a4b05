//! Many configured Model Context Protocol servers behind one door, and the program `mcp`.
//!
//! ```text
//!                     Adapter
//!  name ──▶ Server ──▶ Slot ── at most one ──▶ child process | Unix socket | HTTP
//!             │         ▲                              │
//!             │         └── opened by the first use ───┘
//!             └─ Request ─▶ Patience ─▶ the connection ─▶ Outcome
//! ```
//!
//! - [`config`]: which servers there are, read from JSONC files;
//! - [`adapter`]: the [`Adapter`], all of them under their names;
//! - [`server`]: a [`Server`], connected when it is first used, and again after it has gone;
//! - [`settings`]: the [`Settings`] that all servers share, and the [`Remark`]s they cause;
//! - [`patience`]: a time limit for requests that progress extends;
//! - [`error`]: a [`UseError`] names the server and the cause in one sentence;
//! - [`suggest`]: the name that somebody probably meant.
//!
//! ```no_run
//! use mcp_adapter::{Adapter, Settings, config::{Config, process_environment}};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let config = Config::load_file("mcp.json".as_ref(), &process_environment)?;
//! let adapter = Adapter::new(&config, Settings::default()); // connects nothing
//! for tool in adapter.client("files").await?.list_tools().await? {
//!     println!("{}", tool.name);
//! }
//! adapter.close().await;
//! # Ok(()) }
//! ```

pub mod adapter;
pub mod config;
pub mod error;
pub mod patience;
pub mod server;
pub mod settings;
pub mod suggest;

pub use adapter::Adapter;
pub use error::UseError;
pub use server::Server;
pub use settings::{Remark, Settings};
