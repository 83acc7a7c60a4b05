//! Arbitrary messages, for property tests.
//!
//! There is a strategy for each type, and [`params`], [`results`] and [`notifications`] for whole
//! messages of a version: only methods and members that the version has.
//!
//! Where the published JSON schemas are narrower than the specification (note N16), values stay
//! within the schemas, so that what is generated can be validated against them.

use proptest::{collection, option, prelude::*, sample};
use serde_json::{Value, json};

use crate::{JsonObject, ProgressToken, RequestId};

mod asking;
mod capabilities;
mod content;
mod forms;
mod listing;
mod messages;

pub use asking::*;
pub use capabilities::*;
pub use content::*;
pub use forms::*;
pub use listing::*;
pub use messages::*;

/// A short text.
pub fn text() -> BoxedStrategy<String> {
    prop_oneof!["[a-z]{0,6}", "\\PC{0,8}"].boxed()
}

/// A URI.
pub fn uri() -> impl Strategy<Value = String> {
    "(file|https|test)://[a-z]{1,5}/[a-z0-9]{0,5}"
}

/// A number between 0 and 1 that every way of writing keeps.
pub fn share() -> impl Strategy<Value = f64> {
    (0..=64u8).prop_map(|n| f64::from(n) / 64.0)
}

/// Anything or nothing.
pub(crate) fn opt<T: std::fmt::Debug>(
    inner: impl Strategy<Value = T>,
) -> impl Strategy<Value = Option<T>> {
    option::of(inner)
}

/// A few of these.
pub(crate) fn few<T: std::fmt::Debug>(
    inner: impl Strategy<Value = T>,
) -> impl Strategy<Value = Vec<T>> {
    collection::vec(inner, 0..3)
}

/// An object of settings: no null and no fractions (note N16).
pub fn settings() -> impl Strategy<Value = JsonObject> {
    let value = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    object("[a-z]{1,5}", value)
}

/// Any JSON.
pub fn value() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        share().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            object("[a-z]{1,5}", inner).prop_map(Value::from),
        ]
    })
    .boxed()
}

/// Members that no type names, and sometimes `_meta`.
pub fn extra() -> impl Strategy<Value = JsonObject> {
    let unknown = object("x-[a-z]{1,4}", value());
    let meta = opt(object("com\\.example/[a-z]{1,3}", value()));
    (unknown, meta).prop_map(|(mut extra, meta)| {
        if let Some(meta) = meta {
            extra.insert("_meta".into(), meta.into());
        }
        extra
    })
}

/// Members that no type names, for types without `_meta`.
pub fn unknown() -> impl Strategy<Value = JsonObject> {
    object("x-[a-z]{1,4}", value())
}

fn object(
    key: &'static str,
    value: impl Strategy<Value = Value>,
) -> impl Strategy<Value = JsonObject> {
    collection::btree_map(key, value, 0..3).prop_map(|map| map.into_iter().collect())
}

/// The schema of an object.
pub fn object_schema() -> impl Strategy<Value = JsonObject> {
    let kind = sample::select(vec!["string", "integer", "boolean", "array"]);
    collection::btree_map("[a-z]{1,5}", kind, 0..3).prop_map(|fields| {
        let required: Vec<_> = fields.keys().take(1).cloned().collect();
        let properties: JsonObject = fields
            .into_iter()
            .map(|(name, kind)| (name, json!({ "type": kind })))
            .collect();
        JsonObject::from_iter([
            ("type".into(), "object".into()),
            ("properties".into(), properties.into()),
            ("required".into(), required.into()),
        ])
    })
}

/// The id of a request.
pub fn request_id() -> impl Strategy<Value = RequestId> {
    prop_oneof![
        any::<i64>().prop_map(RequestId::from),
        text().prop_map(RequestId::String),
    ]
}

/// A progress token.
pub fn progress_token() -> impl Strategy<Value = ProgressToken> {
    request_id().prop_map(ProgressToken)
}

#[cfg(test)]
mod tests;
