//! Which version knows which member, as data, and what is left of a message for an older one
//! (types.md, sections 3 to 5).
//!
//! Everything inside speaks the newest version. A link to a peer of an older one sends what
//! [`params`] and [`result`] leave: members that the version does not have are taken out, and
//! content that it cannot express becomes a line of text about it. Members that no version knows
//! are none of this module's business and stay.
//!
//! ```
//! use mcp_core::{Json, ProtocolVersion, fields};
//!
//! let result: Json = r#"{"tools":[{"name":"a","title":"A"}],"ttlMs":0}"#.parse()?;
//! let old = fields::result("tools/list", &result, ProtocolVersion::V2025_03_26);
//! assert_eq!(old.as_str(), r#"{"tools":[{"name":"a"}]}"#);
//! # Ok::<(), serde_json::Error>(())
//! ```

use serde_json::Value;

use crate::{Json, JsonObject, ProtocolVersion, meta::META, version::Span};

mod blocks;
mod forms;
mod table;

/// A member that not every version has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field {
    /// The type that has it, as the specification calls it.
    pub of: &'static str,
    /// Its name.
    pub name: &'static str,
    /// The versions that have it.
    pub versions: Span,
}

/// Every member that not every version has, type by type.
pub fn all() -> impl Iterator<Item = Field> {
    table::SHAPES.iter().flat_map(|shape| {
        let limited = shape.members.iter().filter(|m| m.versions != Span::ALWAYS);
        limited.map(|member| Field {
            of: shape.name,
            name: member.name,
            versions: member.versions,
        })
    })
}

/// What is left of the parameters of a method for a version.
pub fn params(method: &str, params: &Json, version: ProtocolVersion) -> Json {
    reduce(table::params(method), params, version)
}

/// What is left of the result of a method for a version.
pub fn result(method: &str, result: &Json, version: ProtocolVersion) -> Json {
    reduce(table::result(method), result, version)
}

/// What is left of a value of a type of the specification, for example `Implementation`. A type
/// that no version changed stays as it is.
pub fn value(of: &str, value: &Json, version: ProtocolVersion) -> Json {
    let shape = table::SHAPES.iter().find(|shape| shape.name == of);
    reduce(shape.copied(), value, version)
}

/// The newest version has everything, except what was taken out of the protocol; so every version
/// is looked at alike.
fn reduce(shape: Option<&'static Shape>, json: &Json, version: ProtocolVersion) -> Json {
    let Some(shape) = shape else {
        return json.clone();
    };
    let Ok(mut value) = json.decode::<Value>() else {
        return json.clone();
    };
    shape.reduce(&mut value, version);
    value.into()
}

/// A type of the specification, as far as versions differ in it.
#[derive(Debug)]
struct Shape {
    name: &'static str,
    /// The versions in which it has `_meta`.
    meta: Span,
    members: &'static [Member],
}

/// A member of a type.
#[derive(Debug)]
struct Member {
    name: &'static str,
    versions: Span,
    holds: Holds,
}

/// What is inside a member.
#[derive(Clone, Copy, Debug)]
enum Holds {
    /// Nothing that versions differ in.
    Plain,
    /// One of these.
    One(&'static Shape),
    /// A list, or one of these alone.
    Each(&'static Shape),
    /// An object with these as values.
    Map(&'static Shape),
    /// A form that a person is asked to fill in.
    Form,
    /// Blocks of content: a list, or one alone.
    Blocks,
    /// Blocks of a conversation with a model: a list, or one alone.
    SamplingBlocks,
    /// Messages of a conversation with a model.
    SamplingMessages,
    /// Only objects, up to 2025-11-25; anything later.
    ObjectAtFirst,
    /// Only schemas of objects, up to 2025-11-25; any schema later.
    ObjectSchemaAtFirst,
}

const fn member(name: &'static str) -> Member {
    Member {
        name,
        versions: Span::ALWAYS,
        holds: Holds::Plain,
    }
}

impl Member {
    const fn since(self, version: ProtocolVersion) -> Self {
        let versions = Span::since(version);
        Self { versions, ..self }
    }

    const fn until(self, version: ProtocolVersion) -> Self {
        let versions = Span::until(version);
        Self { versions, ..self }
    }

    const fn only(self, version: ProtocolVersion) -> Self {
        let versions = Span::only(version);
        Self { versions, ..self }
    }

    const fn holds(self, holds: Holds) -> Self {
        Self { holds, ..self }
    }

    /// Whether the version has the member, with this value.
    fn fits(&self, value: &Value, version: ProtocolVersion) -> bool {
        let is_first = version <= ProtocolVersion::V2025_11_25;
        self.versions.contains(version)
            && match self.holds {
                Holds::ObjectAtFirst if is_first => value.is_object(),
                Holds::ObjectSchemaAtFirst if is_first => {
                    value.get("type").and_then(Value::as_str) == Some("object")
                }
                _ => true,
            }
    }
}

impl Shape {
    fn reduce(&self, value: &mut Value, version: ProtocolVersion) {
        if let Value::Object(object) = value {
            self.reduce_object(object, version);
        }
    }

    fn reduce_object(&self, object: &mut JsonObject, version: ProtocolVersion) {
        if !self.meta.contains(version) {
            object.shift_remove(META);
        }
        for member in self.members {
            let Some(value) = object.get_mut(member.name) else {
                continue;
            };
            if member.fits(value, version) {
                member.holds.reduce(value, version);
            } else {
                object.shift_remove(member.name);
            }
        }
    }
}

impl Holds {
    fn reduce(self, value: &mut Value, version: ProtocolVersion) {
        match self {
            Self::Plain | Self::ObjectAtFirst | Self::ObjectSchemaAtFirst => {}
            Self::One(shape) => shape.reduce(value, version),
            Self::Each(shape) => each(value, |item| shape.reduce(item, version)),
            Self::Map(shape) => {
                let values = value.as_object_mut().into_iter();
                values
                    .flat_map(JsonObject::values_mut)
                    .for_each(|value| shape.reduce(value, version));
            }
            Self::Form => forms::reduce(value, version),
            Self::Blocks => each(value, |block| blocks::reduce(block, version)),
            Self::SamplingBlocks => blocks::sampling(value, version),
            Self::SamplingMessages => blocks::messages(value, version),
        }
    }
}

fn each(value: &mut Value, mut change: impl FnMut(&mut Value)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(change),
        one => change(one),
    }
}

#[cfg(test)]
#[allow(
    clippy::needless_pass_by_value,
    reason = "literals are easier to read without a reference in front of each"
)]
mod tests;
