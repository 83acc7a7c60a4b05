//! Request ids and progress tokens: strings or integers, never null.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// What ties a response to its request. `1` and `"1"` are two different ids (V26-BASE-003, -006).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RequestId {
    /// An integer id. Covers every value of `i64` and `u64`.
    Integer(i128),
    /// A string id.
    String(String),
}

impl From<i64> for RequestId {
    fn from(value: i64) -> Self {
        Self::Integer(value.into())
    }
}

impl From<u64> for RequestId {
    fn from(value: u64) -> Self {
        Self::Integer(value.into())
    }
}

impl From<&str> for RequestId {
    fn from(value: &str) -> Self {
        Self::String(value.into())
    }
}

/// As it stands on the wire: strings keep their quotes.
impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(n) => n.fmt(f),
            Self::String(s) => write!(f, "{s:?}"),
        }
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(n) => match i64::try_from(*n) {
                Ok(n) => serializer.serialize_i64(n),
                Err(_) => serializer.serialize_i128(*n),
            },
            Self::String(s) => serializer.serialize_str(s),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = RequestId;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an integer")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<RequestId, E> {
                Ok(value.into())
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<RequestId, E> {
                Ok(value.into())
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<RequestId, E> {
                Ok(value.into())
            }

            fn visit_string<E: de::Error>(self, value: String) -> Result<RequestId, E> {
                Ok(RequestId::String(value))
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

/// Ties progress notifications to the request that asked for them (V26-PROG-001).
///
/// It belongs to one hop: links allocate it, route by it and strip it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProgressToken(pub RequestId);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str) {
        let id: RequestId = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&id).unwrap(), text);
    }

    #[test]
    fn v26_base_003_ids_are_echoed_exactly() {
        for text in [
            "0",
            "-1",
            "9007199254740993",
            "9223372036854775807",
            "18446744073709551615",
        ] {
            check(text);
        }
        for text in [r#""1""#, r#""""#, r#""0x10""#, r#"" 7 ""#] {
            check(text);
        }
    }

    #[test]
    fn v26_base_003_other_types_are_refused() {
        for text in ["1.5", "null", "true", "{}", "[1]"] {
            assert!(serde_json::from_str::<RequestId>(text).is_err(), "{text}");
        }
    }
}
