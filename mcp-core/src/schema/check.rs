//! What the tests of this module lean on.

use serde::{Serialize, de::DeserializeOwned};

/// The text decodes and encodes to itself, but for the order of members.
#[track_caller]
pub(crate) fn survives<T: Serialize + DeserializeOwned>(text: &str) -> T {
    let value: T = serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let again = serde_json::to_value(&value).unwrap();
    assert_eq!(
        again,
        serde_json::from_str::<serde_json::Value>(text).unwrap()
    );
    value
}

/// None of the texts decodes.
#[track_caller]
pub(crate) fn refused<T: DeserializeOwned>(texts: &[&str]) {
    for text in texts {
        assert!(serde_json::from_str::<T>(text).is_err(), "{text}");
    }
}
