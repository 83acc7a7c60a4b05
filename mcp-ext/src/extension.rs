//! Protocol extensions: what they are, how a set of them is built and negotiated.
//!
//! Messages are declared apart from handlers, so that a request for an extension's method gets
//! one of four answers:
//!
//! | the method is | answer |
//! |---|---|
//! | not known to anybody here | -32601 |
//! | defined by an enabled extension, not served on this side | -32601 that names the extension |
//! | served, but the client did not announce the extension | -32021 with what is missing |
//! | served and announced | the handler's |

pub mod handlers;
pub mod id;
pub mod messages;
pub mod registry;

use mcp_core::JsonObject;

use self::{handlers::Handlers, id::ExtensionId, messages::Messages};

/// A protocol extension: an identifier, the settings that are announced for it, the messages it
/// adds and what this side serves of them.
///
/// The same object can be enabled on a server and on a client; the side that enables it decides
/// which announcement carries it. One that only announces something needs [`id`](Self::id) alone:
///
/// ```
/// use mcp_ext::{Extension, ExtensionId};
///
/// struct Polite;
///
/// impl Extension for Polite {
///     fn id(&self) -> ExtensionId {
///         ExtensionId::from_static("com.example/polite")
///     }
/// }
/// ```
///
/// One with a request, a stream and a change notification:
///
/// ```
/// use mcp_core::RequestMessage;
/// use mcp_ext::{Cx, Extension, ExtensionId, extension::{handlers::Handlers, messages::Messages}};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct ListAlarms {}
/// #[derive(Serialize, Deserialize)]
/// struct Alarms { labels: Vec<String> }
/// impl RequestMessage for ListAlarms {
///     const METHOD: &'static str = "clock/alarms";
///     type Result = Alarms;
/// }
///
/// struct Clock;
///
/// impl Extension for Clock {
///     fn id(&self) -> ExtensionId {
///         ExtensionId::from_static("com.example/clock")
///     }
///
///     fn messages(&self) -> Messages {
///         Messages::none()
///             .request::<ListAlarms>()
///             .stream("clock/ticks")
///             .notification("notifications/clock/tick")
///             .change("notifications/clock/alarms_changed", "clockAlarmsChanged")
///     }
///
///     fn handlers(&self) -> Handlers {
///         Handlers::none().request(async |_: Cx, _: ListAlarms| {
///             Ok::<_, std::convert::Infallible>(Alarms { labels: vec!["tea".into()] })
///         })
///     }
/// }
/// ```
pub trait Extension: Send + Sync + 'static {
    /// The key under `capabilities.extensions`.
    fn id(&self) -> ExtensionId;

    /// The settings announced for it; empty means that it is supported and has none.
    fn capabilities(&self) -> JsonObject {
        JsonObject::new()
    }

    /// Every request, stream and notification that it defines.
    fn messages(&self) -> Messages {
        Messages::none()
    }

    /// What this side serves of them.
    fn handlers(&self) -> Handlers {
        Handlers::none()
    }
}
