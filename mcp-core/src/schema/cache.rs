//! How long a result may be reused, and by whom (V26-CACHE).

use serde::{Deserialize, Deserializer, Serialize};

/// Who may reuse a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheScope {
    /// Only callers with the same authorization. Read when the peer says nothing (note N19).
    #[default]
    Private,
    /// Every caller.
    Public,
}

/// Reads `ttlMs`: missing and negative mean stale at once (V26-CACHE-007, -008).
pub(crate) fn ttl<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    Ok(number
        .as_u64()
        .unwrap_or_else(|| number.as_f64().map_or(0, |ms| ms.max(0.0) as u64)))
}
