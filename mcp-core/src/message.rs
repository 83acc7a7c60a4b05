//! What ties typed parameters to the method that carries them.
//!
//! The [`Open`] form of a type keeps the members that the type does not name.

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _},
    ser::Error as _,
};
use serde_json::Value;

use crate::JsonObject;

/// The typed parameters of a request, its method and the type of its result.
///
/// One definition serves on the server and calls on the client:
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use mcp_core::RequestMessage;
///
/// #[derive(Serialize, Deserialize)]
/// struct ListThings { kind: String }
///
/// #[derive(Serialize, Deserialize)]
/// struct Things { names: Vec<String> }
///
/// impl RequestMessage for ListThings {
///     const METHOD: &'static str = "things/list";
///     type Result = Things;
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the parameters of a request",
    note = "implement `RequestMessage` for it: the method name and the type of the result"
)]
pub trait RequestMessage: Serialize + DeserializeOwned + Send + 'static {
    /// The JSON-RPC method, for example `tools/call`.
    const METHOD: &'static str;
    /// What a complete answer decodes to.
    type Result: Serialize + DeserializeOwned + Send + 'static;
}

/// The typed parameters of a notification, and its method.
///
/// ```
/// use mcp_core::{NotificationMessage, schema::resources::ResourceUpdated};
///
/// let updated = ResourceUpdated::new("file:///a");
/// assert_eq!(ResourceUpdated::METHOD, "notifications/resources/updated");
/// # let _ = updated;
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the parameters of a notification",
    note = "implement `NotificationMessage` for it: the method name"
)]
pub trait NotificationMessage: Serialize + DeserializeOwned + Send + 'static {
    /// The JSON-RPC method, for example `notifications/progress`.
    const METHOD: &'static str;
}

/// A typed object together with the members that its type does not name.
///
/// Most types of this crate keep unknown members themselves. The few that have no place for them
/// (a call's arguments stay text, a page is a cursor and nothing else) do so in this wrapping.
///
/// ```
/// use mcp_core::{message::Open, schema::tools::CallTool};
///
/// let text = r#"{"name":"draw","requestState":"s"}"#;
/// let call: Open<CallTool> = serde_json::from_str(text)?;
/// assert_eq!(call.known.name, "draw");
/// assert_eq!(call.rest["requestState"], "s");
/// assert_eq!(serde_json::to_string(&call)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Open<T> {
    /// What the type names.
    pub known: T,
    /// Everything else. A member that the type writes too is written as the type has it.
    pub rest: JsonObject,
}

impl<T> From<T> for Open<T> {
    fn from(known: T) -> Self {
        Self {
            known,
            rest: JsonObject::new(),
        }
    }
}

impl<T: Serialize> Serialize for Open<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all = written(&self.known).map_err(S::Error::custom)?;
        for (name, value) in &self.rest {
            if !all.contains_key(name) {
                all.insert(name.clone(), value.clone());
            }
        }
        all.serialize(serializer)
    }
}

impl<'de, T: Serialize + DeserializeOwned> Deserialize<'de> for Open<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut rest = JsonObject::deserialize(deserializer)?;
        let known =
            serde_json::from_value(Value::Object(rest.clone())).map_err(D::Error::custom)?;
        let named = written::<T>(&known).map_err(D::Error::custom)?;
        rest.retain(|name, _| !named.contains_key(name));
        Ok(Self { known, rest })
    }
}

fn written<T: Serialize>(value: &T) -> Result<JsonObject, serde_json::Error> {
    serde_json::to_value(value).and_then(serde_json::from_value)
}
