//! The extensions of one side: built once, refused when they do not fit together.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
    sync::Arc,
};

use mcp_core::{ErrorObject, schema::capabilities::ExtensionSettings};

use super::{Extension, handlers::Handler, id::ExtensionId, messages::Kind};

/// Namespaces that belong to the core protocol.
const CORE: &[&str] = &[
    "completion",
    "elicitation",
    "initialize", // tidy: era
    "logging",
    "ping",
    "prompts",
    "resources",
    "roots",
    "sampling",
    "server",
    "subscriptions",
    "tasks",
    "tools",
];
/// Core notifications that do not name such a namespace.
const CORE_NOTIFICATIONS: &[&str] = &[
    "cancelled",
    "initialized", // tidy: era
    "message",
    "progress",
];

/// A set of extensions that fit together.
#[derive(Clone, Default)]
pub struct Registry {
    settings: ExtensionSettings,
    methods: HashMap<Cow<'static, str>, Entry>,
}

#[derive(Clone)]
struct Entry {
    owner: ExtensionId,
    kind: Kind,
    handler: Option<Handler>,
}

/// Why a set of extensions cannot be enabled together. Each text names both parties.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The same id twice.
    #[error("extension {0} is enabled twice")]
    EnabledTwice(ExtensionId),
    /// Two extensions define the same method.
    #[error("{second} defines {method}, which {first} defines already")]
    ClaimedTwice {
        /// The method.
        method: String,
        /// Who defined it first.
        first: ExtensionId,
        /// Who came later.
        second: ExtensionId,
    },
    /// A handler for a method that the extension does not define as a request.
    #[error("{owner} has a handler for {method}, which it does not define as a request")]
    NotDefined {
        /// The method.
        method: String,
        /// Whose handler.
        owner: ExtensionId,
    },
    /// Two handlers for one method.
    #[error("{owner} has two handlers for {method}")]
    ServedTwice {
        /// The method.
        method: String,
        /// Whose handlers.
        owner: ExtensionId,
    },
    /// A method in a namespace of the core protocol.
    #[error("{owner} defines {method}, but that namespace belongs to the core protocol")]
    ShadowsCore {
        /// The method.
        method: String,
        /// Whose method.
        owner: ExtensionId,
    },
    /// A prefix of the protocol itself, used by somebody else.
    #[error("{0} uses a prefix that is reserved for the protocol")]
    ReservedPrefix(ExtensionId),
}

/// What is known about a method.
#[derive(Clone)]
pub(crate) enum Lookup {
    Unknown,
    NotServed(ExtensionId),
    Served(ExtensionId, Handler),
}

impl Registry {
    /// Puts extensions together.
    ///
    /// # Errors
    /// They do not fit; see [`RegistryError`].
    pub fn build(extensions: &[Arc<dyn Extension>]) -> Result<Self, RegistryError> {
        let mut registry = Self::default();
        for extension in extensions {
            registry.add(extension.as_ref())?;
        }
        Ok(registry)
    }

    fn add(&mut self, extension: &dyn Extension) -> Result<(), RegistryError> {
        let id = extension.id();
        if id.is_reserved() {
            return Err(RegistryError::ReservedPrefix(id));
        }
        if self
            .settings
            .insert(id.to_string(), extension.capabilities())
            .is_some()
        {
            return Err(RegistryError::EnabledTwice(id));
        }
        for declaration in extension.messages().0 {
            let method = declaration.method.to_string();
            if is_core(&method) {
                return Err(RegistryError::ShadowsCore { method, owner: id });
            }
            let entry = Entry {
                owner: id.clone(),
                kind: declaration.kind,
                handler: None,
            };
            if let Some(earlier) = self.methods.insert(declaration.method, entry) {
                return Err(RegistryError::ClaimedTwice {
                    method,
                    first: earlier.owner,
                    second: id,
                });
            }
        }
        for (method, handler) in extension.handlers().0 {
            let entry = self.methods.get_mut(&method).filter(|entry| {
                entry.owner == id && matches!(entry.kind, Kind::Request | Kind::Stream)
            });
            let Some(entry) = entry else {
                return Err(RegistryError::NotDefined {
                    method: method.into(),
                    owner: id,
                });
            };
            if entry.handler.replace(handler).is_some() {
                return Err(RegistryError::ServedTwice {
                    method: method.into(),
                    owner: id,
                });
            }
        }
        Ok(())
    }

    /// What goes under `capabilities.extensions`.
    pub fn announcement(&self) -> &ExtensionSettings {
        &self.settings
    }

    pub(crate) fn lookup(&self, method: &str) -> Lookup {
        match self.methods.get(method) {
            Some(Entry {
                owner,
                handler: Some(handler),
                ..
            }) => Lookup::Served(owner.clone(), handler.clone()),
            Some(Entry {
                owner,
                kind: Kind::Request | Kind::Stream,
                ..
            }) => Lookup::NotServed(owner.clone()),
            _ => Lookup::Unknown,
        }
    }

    /// The filter field that asks for a change notification.
    pub(crate) fn change_field(&self, method: &str) -> Option<&str> {
        match &self.methods.get(method)?.kind {
            Kind::Change { field } => Some(field),
            _ => None,
        }
    }

    /// Every filter field of the enabled extensions.
    pub(crate) fn change_fields(&self) -> BTreeSet<&str> {
        self.methods
            .values()
            .filter_map(|entry| match &entry.kind {
                Kind::Change { field } => Some(&**field),
                _ => None,
            })
            .collect()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let methods: BTreeSet<_> = self.methods.keys().collect();
        f.debug_struct("Registry")
            .field("settings", &self.settings)
            .field("methods", &methods)
            .finish()
    }
}

fn is_core(method: &str) -> bool {
    let (name, notification) = match method.strip_prefix("notifications/") {
        Some(rest) => (rest, true),
        None => (method, false),
    };
    let first = name.split('/').next().unwrap_or(name);
    CORE.contains(&first) || notification && CORE_NOTIFICATIONS.contains(&first)
}

/// The extensions that both sides announced, with the other side's settings (EXT-FW-006 to -009).
pub fn negotiate(ours: &ExtensionSettings, theirs: &ExtensionSettings) -> ExtensionSettings {
    ours.keys()
        .filter_map(|id| {
            theirs
                .get(id)
                .map(|settings| (id.clone(), settings.clone()))
        })
        .collect::<BTreeMap<_, _>>()
}

/// The answer to a client that did not announce an extension it uses.
pub(crate) fn not_announced(id: &ExtensionId) -> ErrorObject {
    let required = serde_json::json!({ "extensions": { id.as_str(): {} } });
    let required = required.as_object().cloned().unwrap_or_default();
    ErrorObject::missing_client_capability(&format!("extension {id}"), &required)
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::{
        Cx,
        extension::{handlers::Handlers, messages::Messages},
    };

    #[derive(Serialize, Deserialize)]
    struct Now {}

    impl mcp_core::RequestMessage for Now {
        const METHOD: &'static str = "clock/now";
        type Result = Now;
    }

    struct Fake(&'static str, &'static [&'static str], usize);

    impl Extension for Fake {
        fn id(&self) -> ExtensionId {
            ExtensionId::from_static(self.0)
        }

        fn messages(&self) -> Messages {
            self.1.iter().fold(Messages::none(), |messages, method| {
                messages.stream(*method)
            })
        }

        fn handlers(&self) -> Handlers {
            (0..self.2).fold(Handlers::none(), |handlers, _| {
                handlers.request(async |_: Cx, now: Now| Ok::<_, ErrorObject>(now))
            })
        }
    }

    #[track_caller]
    fn refused(set: Vec<Fake>, text: &str) {
        let set: Vec<Arc<dyn Extension>> = set
            .into_iter()
            .map(|fake| Arc::new(fake) as Arc<dyn Extension>)
            .collect();
        assert_eq!(Registry::build(&set).unwrap_err().to_string(), text);
    }

    const A: &str = "com.example/a";
    const B: &str = "com.example/b";

    #[test]
    fn k08_a_set_that_does_not_fit_is_refused_and_both_parties_are_named() {
        refused(
            vec![Fake(A, &[], 0), Fake(A, &[], 0)],
            "extension com.example/a is enabled twice",
        );
        refused(
            vec![Fake(A, &["clock/now"], 0), Fake(B, &["clock/now"], 0)],
            "com.example/b defines clock/now, which com.example/a defines already",
        );
        refused(
            vec![Fake(A, &[], 1)],
            "com.example/a has a handler for clock/now, which it does not define as a request",
        );
        refused(
            vec![Fake(A, &["clock/now"], 2)],
            "com.example/a has two handlers for clock/now",
        );
        for method in [
            "tools/call",
            "ping",
            "notifications/progress",
            "notifications/tools/x",
        ] {
            refused(
                vec![Fake(A, Vec::leak(vec![method]), 0)],
                &format!(
                    "com.example/a defines {method}, but that namespace belongs to the core protocol"
                ),
            );
        }
    }

    #[test]
    fn ext_fw_002_third_parties_keep_off_reserved_prefixes() {
        refused(
            vec![Fake("io.modelcontextprotocol/x", &[], 0)],
            "io.modelcontextprotocol/x uses a prefix that is reserved for the protocol",
        );
    }

    #[test]
    fn ext_fw_009_negotiation_keeps_what_both_announce() {
        let side = |ids: &[&str]| {
            ids.iter()
                .map(|id| ((*id).into(), Default::default()))
                .collect()
        };
        let both = negotiate(&side(&[A, "com.example/x"]), &side(&[A, B]));
        assert_eq!(both.into_keys().collect::<Vec<_>>(), [A]);
    }
}
