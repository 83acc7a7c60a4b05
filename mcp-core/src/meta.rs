//! `_meta`: keys that the protocol defines, and the grammar of all others.

use std::fmt;

pub mod trace;
mod typed;

pub use typed::{ListenResultMeta, NotificationMeta, RequestMeta, ResultMeta};

/// Member of parameters and results that holds metadata.
pub const META: &str = "_meta";
/// Version of the protocol that a request speaks.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Capabilities of the client that sends a request.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// Who sends a request.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// Least severe log messages that a request wants.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// Who answered.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The stream that a notification belongs to. Belongs to one hop.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The request's progress token. Belongs to one hop.
pub const PROGRESS_TOKEN: &str = "progressToken";

/// The prefix of a `_meta` key or an extension id: labels with dots between them.
///
/// Labels start with a letter, end with a letter or digit and hold letters, digits and hyphens
/// (V26-META-003).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix<'a>(&'a str);

impl<'a> Prefix<'a> {
    /// Checks the grammar. The text comes without the slash.
    pub fn parse(text: &'a str) -> Option<Self> {
        (!text.is_empty() && text.split('.').all(is_label)).then_some(Self(text))
    }

    /// Reserved for the protocol itself: the second label is `modelcontextprotocol` or `mcp`
    /// (V26-META-005).
    pub fn is_reserved(self) -> bool {
        matches!(
            self.0.split('.').nth(1),
            Some("modelcontextprotocol" | "mcp")
        )
    }
}

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

fn is_label(label: &str) -> bool {
    let bytes = label.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
        && bytes
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || *b == b'-')
}

/// Whether the text is a name: alphanumeric at both ends, `-`, `_` and `.` inside
/// (V26-META-006).
pub fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
        && bytes
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

/// A key of `_meta`, taken apart.
///
/// ```
/// use mcp_core::meta::Key;
///
/// let key = Key::parse("com.example/color").expect("it is well-formed");
/// assert_eq!((key.prefix.map(|p| p.to_string()), key.name), (Some("com.example".into()), "color"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'a> {
    /// What stands before the slash.
    pub prefix: Option<Prefix<'a>>,
    /// What stands behind it; may be empty when there is a prefix.
    pub name: &'a str,
}

impl<'a> Key<'a> {
    /// Checks the grammar (V26-META-002, -006).
    pub fn parse(text: &'a str) -> Option<Self> {
        match text.split_once('/') {
            Some((prefix, name)) => Some(Self {
                prefix: Some(Prefix::parse(prefix)?),
                name: Some(name).filter(|name| name.is_empty() || is_name(name))?,
            }),
            None => is_name(text).then_some(Self {
                prefix: None,
                name: text,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v26_meta_002_003_prefix_grammar() {
        for good in ["a", "a-1.b", "com.example", "io.modelcontextprotocol"] {
            assert!(Prefix::parse(good).is_some(), "{good}");
        }
        for bad in ["", "1a.b", "a-.b", "a..b", ".a", "a.", "a_b", "ä.b"] {
            assert!(Prefix::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn v26_meta_005_reserved_prefixes() {
        let reserved = |text| Prefix::parse(text).unwrap().is_reserved();
        assert!(reserved("io.modelcontextprotocol") && reserved("com.mcp.tools"));
        assert!(!reserved("com.example.mcp") && !reserved("mcp"));
    }

    #[test]
    fn v26_meta_002_006_keys_have_an_optional_prefix_and_a_name() {
        for good in ["a", "a.b/c", "a.b/", "io.modelcontextprotocol/x-y"] {
            assert!(Key::parse(good).is_some(), "{good}");
        }
        for bad in ["", "/a", "a/b/c", "1a.b/x", "a-./x", "a/-"] {
            assert!(Key::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn v26_meta_006_name_grammar() {
        assert!(["a", "a.b_c-9", "9"].into_iter().all(is_name));
        assert!(!["", "-a", "a-", "a b", "a/b"].into_iter().any(is_name));
    }
}
