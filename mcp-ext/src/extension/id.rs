//! Identifiers of extensions.

use std::{borrow::Cow, fmt, str::FromStr};

use mcp_core::meta::{Prefix, is_name};

/// `prefix/name`: a reversed domain that its author controls, a slash and a name (EXT-FW-001).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExtensionId(Cow<'static, str>);

/// A text that is no extension identifier.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not an extension id: {reason}")]
pub struct InvalidExtensionId {
    text: String,
    reason: &'static str,
}

impl ExtensionId {
    /// An identifier that is known to be well-formed.
    ///
    /// # Panics
    /// It is not.
    pub fn from_static(text: &'static str) -> Self {
        match check(text) {
            Ok(()) => Self(Cow::Borrowed(text)),
            Err(reason) => panic!("{text:?} is not an extension id: {reason}"),
        }
    }

    /// The identifier as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the prefix belongs to the protocol itself (EXT-FW-002).
    pub fn is_reserved(&self) -> bool {
        self.0
            .split_once('/')
            .and_then(|(prefix, _)| Prefix::parse(prefix))
            .is_some_and(Prefix::is_reserved)
    }
}

fn check(text: &str) -> Result<(), &'static str> {
    let (prefix, name) = text
        .split_once('/')
        .ok_or("it needs a prefix and a slash")?;
    Prefix::parse(prefix)
        .ok_or("the prefix must be labels of letters, digits and hyphens with dots between them")?;
    if is_name(name) {
        Ok(())
    } else {
        Err("the name must be alphanumeric at both ends")
    }
}

impl FromStr for ExtensionId {
    type Err = InvalidExtensionId;

    fn from_str(text: &str) -> Result<Self, InvalidExtensionId> {
        check(text)
            .map(|()| Self(Cow::Owned(text.into())))
            .map_err(|reason| InvalidExtensionId {
                text: text.into(),
                reason,
            })
    }
}

impl fmt::Display for ExtensionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v26_ver_004_ext_fw_001_grammar() {
        for good in [
            "com.example/clock",
            "io.modelcontextprotocol/tasks",
            "a/b.c_d-e",
        ] {
            assert!(good.parse::<ExtensionId>().is_ok(), "{good}");
        }
        for bad in [
            "tasks",
            "/tasks",
            "com.example/",
            "com..example/x",
            "com.example/a/b",
            "1x/y",
        ] {
            assert!(bad.parse::<ExtensionId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn ext_fw_002_reserved_prefixes() {
        assert!(ExtensionId::from_static("io.modelcontextprotocol/ui").is_reserved());
        assert!(ExtensionId::from_static("com.mcp/ui").is_reserved());
        assert!(!ExtensionId::from_static("com.example.mcp/ui").is_reserved());
    }
}
