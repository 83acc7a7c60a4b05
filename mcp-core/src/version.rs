//! Protocol versions, and which of them two peers agree on.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A published revision of the protocol.
///
/// Versions are ordered by date, so "from 2025-06-18 on" is `version >= V2025_06_18`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ProtocolVersion {
    /// 2024-11-05, the first one.
    V2024_11_05,
    /// 2025-03-26: Streamable HTTP, batches, audio, tool annotations.
    V2025_03_26,
    /// 2025-06-18: structured results, elicitation, resource links, titles.
    V2025_06_18,
    /// 2025-11-25: icons, URL elicitation, the last one with a handshake.
    V2025_11_25,
    /// 2026-07-28: stateless, everything a request needs travels with it.
    V2026_07_28,
}

use ProtocolVersion::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

impl ProtocolVersion {
    /// Every version, oldest first.
    pub const ALL: &[Self] = &[
        V2024_11_05,
        V2025_03_26,
        V2025_06_18,
        V2025_11_25,
        V2026_07_28,
    ];

    /// The newest version.
    pub const LATEST: Self = V2026_07_28;

    /// The newest version that begins with `initialize` (V2511-LIFE-008).
    pub const LATEST_WITH_HANDSHAKE: Self = V2025_11_25;

    /// The date that names the version on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            V2024_11_05 => "2024-11-05",
            V2025_03_26 => "2025-03-26",
            V2025_06_18 => "2025-06-18",
            V2025_11_25 => "2025-11-25",
            V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether requests carry version and capabilities themselves instead of relying on a
    /// handshake.
    pub const fn is_stateless(self) -> bool {
        matches!(self, V2026_07_28)
    }

    /// The versions without a handshake, newest first.
    pub fn stateless() -> impl Iterator<Item = Self> {
        Self::ALL
            .iter()
            .rev()
            .copied()
            .filter(|version| version.is_stateless())
    }

    /// What a server answers to `initialize`: the requested version when it is one with a
    /// handshake, its newest such version otherwise (V2511-LIFE-009 to -011).
    pub fn negotiate_handshake(requested: &str) -> Self {
        requested
            .parse()
            .ok()
            .filter(|version: &Self| !version.is_stateless())
            .unwrap_or(Self::LATEST_WITH_HANDSHAKE)
    }
}

/// A run of versions: from one on, up to one, or both.
///
/// ```
/// use mcp_core::{ProtocolVersion, version::Span};
///
/// let span = Span::since(ProtocolVersion::V2025_06_18).up_to(ProtocolVersion::V2025_11_25);
/// assert!(span.contains(ProtocolVersion::V2025_11_25));
/// assert!(!span.contains(ProtocolVersion::LATEST));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    since: Option<ProtocolVersion>,
    until: Option<ProtocolVersion>,
}

impl Span {
    /// Every version.
    pub const ALWAYS: Self = Self {
        since: None,
        until: None,
    };

    /// This version and all later ones.
    pub const fn since(version: ProtocolVersion) -> Self {
        Self {
            since: Some(version),
            until: None,
        }
    }

    /// This version and all earlier ones.
    pub const fn until(version: ProtocolVersion) -> Self {
        Self::ALWAYS.up_to(version)
    }

    /// This version alone.
    pub const fn only(version: ProtocolVersion) -> Self {
        Self::since(version).up_to(version)
    }

    /// The same run, which ends with this version.
    #[must_use]
    pub const fn up_to(self, version: ProtocolVersion) -> Self {
        Self {
            until: Some(version),
            ..self
        }
    }

    /// Whether a version is part of it.
    pub fn contains(&self, version: ProtocolVersion) -> bool {
        self.since.is_none_or(|since| since <= version)
            && self.until.is_none_or(|until| version <= until)
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no version that this crate knows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown protocol version {0:?}")]
pub struct UnknownVersion(pub String);

impl FromStr for ProtocolVersion {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        Self::ALL
            .iter()
            .find(|version| version.as_str() == text)
            .copied()
            .ok_or_else(|| UnknownVersion(text.into()))
    }
}

impl Serialize for ProtocolVersion {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ProtocolVersion {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v2511_life_009_a_supported_version_is_answered_with_itself() {
        for version in ProtocolVersion::ALL.iter().filter(|v| !v.is_stateless()) {
            assert_eq!(
                ProtocolVersion::negotiate_handshake(version.as_str()),
                *version
            );
        }
    }

    #[test]
    fn v2511_life_010_any_other_version_is_answered_with_the_newest_handshake_version() {
        for requested in ["1.0.0", "", "2026-07-28", "2025-11-26"] {
            assert_eq!(ProtocolVersion::negotiate_handshake(requested), V2025_11_25);
        }
    }
}
