//! Arguments of a tool that are mirrored into headers: `x-mcp-header` in its input schema.

use std::{borrow::Cow, fmt};

use serde_json::{Number, Value};

use super::{PARAM_PREFIX, X_MCP_HEADER, encode};
use crate::{JsonObject, meta::trace::is_token};

/// The largest integer that every peer reads exactly (V26-HTTP-043).
const MAX_SAFE: i64 = (1 << 53) - 1;

/// An argument that is mirrored into a header.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirroredParam {
    /// The last part of the header's name, as the schema writes it.
    pub name: String,
    /// Where the value is: keys of nested objects.
    pub path: Vec<String>,
    /// What it is.
    pub kind: HeaderKind,
}

/// What a mirrored value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderKind {
    /// A text.
    String,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
}

/// Where an annotation stands in a schema; `properties.a.x-mcp-header` and the like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation(String);

impl fmt::Display for Annotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A schema breaks the rules for `x-mcp-header`. HTTP clients leave out the tool (V26-HTTP-047,
/// -048).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadAnnotation {
    /// It is empty, no text, or has characters that a header's name cannot have (V26-HTTP-038 to
    /// -040).
    #[error("{0} is not the name of a header")]
    Name(Annotation),
    /// Two properties have the same name but for case (V26-HTTP-041).
    #[error("{0} repeats the name of another header")]
    Repeated(Annotation),
    /// The property is not of type string, integer or boolean (V26-HTTP-042).
    #[error("{0} annotates a property that is no string, integer or boolean")]
    Type(Annotation),
    /// The property cannot be reached through `properties` alone (V26-HTTP-044, -045).
    #[error("{0} annotates what is not reached through properties alone")]
    Unreachable(Annotation),
}

/// An argument that cannot go into its header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotMirrored {
    /// It is not of the type that the schema says.
    #[error("argument {0} is not of the type that its header needs")]
    Type(String),
    /// It is beyond ±(2^53 − 1) (V26-HTTP-043).
    #[error("argument {0} is too large for a header")]
    TooLarge(String),
}

/// The arguments of a tool that are mirrored into headers, in the order of its input schema.
///
/// ```
/// use mcp_core::header;
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
/// });
/// let mirrored = header::mirrored(schema.as_object().unwrap())?;
/// assert_eq!(mirrored[0].header(), "mcp-param-region");
///
/// let arguments = json!({ "region": "us-west1" });
/// let value = mirrored[0].value(arguments.as_object().unwrap()).unwrap();
/// assert_eq!(value.as_deref(), Some("us-west1"));
/// # Ok::<(), header::BadAnnotation>(())
/// ```
///
/// # Errors
/// The first annotation that breaks a rule.
pub fn mirrored(input_schema: &JsonObject) -> Result<Vec<MirroredParam>, BadAnnotation> {
    let mut walk = Walk::default();
    walk.object(input_schema, true)?;
    Ok(walk.found)
}

impl MirroredParam {
    /// The name of the header, in lower case.
    pub fn header(&self) -> String {
        format!("{PARAM_PREFIX}{}", self.name.to_ascii_lowercase())
    }

    /// The value of the header for these arguments, encoded. Nothing when the argument is absent
    /// or null (V26-HTTP-046, -064).
    ///
    /// # Errors
    /// The argument is no value that a header can carry.
    pub fn value(&self, arguments: &JsonObject) -> Result<Option<String>, NotMirrored> {
        let path = || self.path.join(".");
        let wrong = || NotMirrored::Type(path());
        let Some(value) = self.find(arguments) else {
            return Ok(None);
        };
        let text: Cow<'_, str> = match (self.kind, value) {
            (HeaderKind::String, Value::String(text)) => encode(text),
            (HeaderKind::Boolean, Value::Bool(value)) => Cow::Owned(value.to_string()),
            (HeaderKind::Integer, Value::Number(number)) => {
                let whole = integer(number).ok_or_else(wrong)?;
                if !(-MAX_SAFE..=MAX_SAFE).contains(&whole) {
                    return Err(NotMirrored::TooLarge(path()));
                }
                Cow::Owned(whole.to_string())
            }
            _ => return Err(wrong()),
        };
        Ok(Some(text.into_owned()))
    }

    /// Whether a decoded header says what the arguments say: integers by value, texts exactly
    /// (V26-HTTP-061, -064 to -067, -069).
    pub fn agrees(&self, decoded: Option<&str>, arguments: &JsonObject) -> bool {
        match (self.find(arguments), decoded) {
            (None, decoded) => decoded.is_none(),
            (Some(_), None) => false,
            (Some(Value::String(text)), Some(header)) => text == header,
            (Some(Value::Bool(value)), Some(header)) => value.to_string() == header,
            (Some(Value::Number(number)), Some(header)) => {
                let header = serde_json::from_str::<Number>(header).ok();
                header.is_some_and(|header| header.as_f64() == number.as_f64())
            }
            (Some(_), Some(_)) => false,
        }
    }

    fn find<'a>(&self, arguments: &'a JsonObject) -> Option<&'a Value> {
        let (last, parents) = self.path.split_last()?;
        let mut object = arguments;
        for key in parents {
            object = object.get(key)?.as_object()?;
        }
        object.get(last).filter(|value| !value.is_null())
    }
}

/// The number when it is whole, however it is written: `42.0` is.
fn integer(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| {
        let value = number.as_f64()?;
        // Saturates, which is beyond what a header may carry.
        (value.fract() == 0.0).then_some(value as i64)
    })
}

/// A walk through a schema that knows whether only `properties` led to where it is.
#[derive(Default)]
struct Walk {
    found: Vec<MirroredParam>,
    /// Keys of properties.
    path: Vec<String>,
    /// Keys of the schema.
    at: Vec<String>,
}

impl Walk {
    /// Looks into an object of a schema. `reachable` says that it is a schema that only
    /// `properties` led to.
    fn object(&mut self, schema: &JsonObject, reachable: bool) -> Result<(), BadAnnotation> {
        if let Some(name) = schema.get(X_MCP_HEADER) {
            self.annotation(schema, name, reachable)?;
        }
        for (keyword, value) in schema {
            self.at.push(keyword.clone());
            match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    self.properties(properties, reachable)?;
                }
                // Values that are data, not schemas: whatever stands in there is no annotation.
                ("const" | "default" | "enum" | "examples", _) => {}
                _ => self.unreachable(value)?,
            }
            self.at.pop();
        }
        Ok(())
    }

    fn properties(&mut self, all: &JsonObject, reachable: bool) -> Result<(), BadAnnotation> {
        for (name, schema) in all {
            self.at.push(name.clone());
            self.path.push(name.clone());
            match schema {
                Value::Object(schema) => self.object(schema, reachable)?,
                other => self.unreachable(other)?,
            }
            self.path.pop();
            self.at.pop();
        }
        Ok(())
    }

    fn unreachable(&mut self, value: &Value) -> Result<(), BadAnnotation> {
        match value {
            Value::Object(object) => self.object(object, false),
            Value::Array(items) => items.iter().try_for_each(|item| self.unreachable(item)),
            _ => Ok(()),
        }
    }

    fn annotation(
        &mut self,
        schema: &JsonObject,
        name: &Value,
        reachable: bool,
    ) -> Result<(), BadAnnotation> {
        let at = || Annotation([self.at.join("."), X_MCP_HEADER.into()].join("."));
        let Some(name) = name.as_str().filter(|name| is_token(name)) else {
            return Err(BadAnnotation::Name(at()));
        };
        if !reachable || self.path.is_empty() {
            return Err(BadAnnotation::Unreachable(at()));
        }
        let kind = match schema.get("type").and_then(Value::as_str) {
            Some("string") => HeaderKind::String,
            Some("integer") => HeaderKind::Integer,
            Some("boolean") => HeaderKind::Boolean,
            _ => return Err(BadAnnotation::Type(at())),
        };
        let repeats = |other: &MirroredParam| other.name.eq_ignore_ascii_case(name);
        if self.found.iter().any(repeats) {
            return Err(BadAnnotation::Repeated(at()));
        }
        self.found.push(MirroredParam {
            name: name.into(),
            path: self.path.clone(),
            kind,
        });
        Ok(())
    }
}

#[cfg(test)]
#[allow(
    clippy::needless_pass_by_value,
    reason = "literals are easier to read without a reference in front of each"
)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(properties: Value) -> Result<Vec<MirroredParam>, BadAnnotation> {
        let schema = json!({ "type": "object", "properties": properties });
        mirrored(schema.as_object().unwrap())
    }

    fn annotated(kind: &str, name: Value) -> Value {
        json!({ "type": kind, "x-mcp-header": name })
    }

    #[test]
    fn v26_http_038_039_040_a_name_is_a_token() {
        assert!(of(json!({ "a": annotated("string", json!("X-y_1")) })).is_ok());
        for name in ["", "a b", "a:b", "ä", "a/b", "a\r\nb", "a\tb", "a\0"] {
            let bad = of(json!({ "a": annotated("string", json!(name)) }));
            assert!(matches!(bad, Err(BadAnnotation::Name(_))), "{name:?}");
        }
        let number = of(json!({ "a": annotated("string", json!(1)) }));
        assert_eq!(
            number.unwrap_err().to_string(),
            "properties.a.x-mcp-header is not the name of a header"
        );
    }

    #[test]
    fn v26_http_041_names_differ_in_more_than_case() {
        let twice = json!({
            "a": annotated("string", json!("Region")),
            "b": annotated("string", json!("REGION")),
        });
        assert!(matches!(of(twice), Err(BadAnnotation::Repeated(_))));
    }

    #[test]
    fn v26_http_042_n6_only_three_types_go_into_headers() {
        for kind in ["string", "integer", "boolean"] {
            assert!(of(json!({ "a": annotated(kind, json!("A")) })).is_ok());
        }
        for kind in ["number", "object", "array", "null"] {
            let bad = of(json!({ "a": annotated(kind, json!("A")) }));
            assert!(matches!(bad, Err(BadAnnotation::Type(_))), "{kind}");
        }
        let several = json!({ "a": { "type": ["string", "null"], "x-mcp-header": "A" } });
        assert!(matches!(of(several), Err(BadAnnotation::Type(_))));
    }

    #[test]
    fn v26_http_044_045_only_properties_lead_to_it() {
        let leaf = annotated("string", json!("A"));
        let nested = json!({ "o": { "type": "object", "properties": { "a": leaf } } });
        assert_eq!(of(nested).unwrap()[0].path, ["o", "a"]);
        for keyword in ["items", "not", "if", "then", "else", "additionalProperties"] {
            let bad = of(json!({ "o": { keyword: leaf } }));
            assert!(
                matches!(bad, Err(BadAnnotation::Unreachable(_))),
                "{keyword}"
            );
            let inside = json!({ "o": { keyword: { "properties": { "a": leaf } } } });
            assert!(matches!(of(inside), Err(BadAnnotation::Unreachable(_))));
        }
        for keyword in ["oneOf", "anyOf", "allOf", "prefixItems"] {
            let bad = of(json!({ "o": { keyword: [leaf] } }));
            assert!(
                matches!(bad, Err(BadAnnotation::Unreachable(_))),
                "{keyword}"
            );
        }
        let defs = json!({ "type": "object", "$defs": { "a": leaf } });
        assert!(mirrored(defs.as_object().unwrap()).is_err());
        let root = json!({ "type": "string", "x-mcp-header": "A" });
        assert!(mirrored(root.as_object().unwrap()).is_err());
    }

    #[test]
    fn data_in_a_schema_is_no_annotation() {
        let data = json!({ "a": { "type": "object", "default": { "x-mcp-header": "" } } });
        assert_eq!(of(data).unwrap(), []);
        let named = json!({ "x-mcp-header": { "type": "string" } });
        assert_eq!(of(named).unwrap(), []);
    }

    #[track_caller]
    fn check(kind: &str, argument: Value, expected: Result<Option<&str>, ()>) {
        let param = &of(json!({ "a": annotated(kind, json!("A")) })).unwrap()[0];
        let arguments = json!({ "a": argument });
        let value = param.value(arguments.as_object().unwrap());
        assert_eq!(
            value.as_ref().map(Option::as_deref).map_err(|_| ()),
            expected
        );
        if let Ok(value) = value {
            let decoded = value.as_deref().map(|v| super::super::decode(v).unwrap());
            assert!(param.agrees(decoded.as_deref(), arguments.as_object().unwrap()));
        }
    }

    #[test]
    fn v26_http_043_051_064_069_values_of_headers() {
        check("string", json!("us-west1"), Ok(Some("us-west1")));
        check("string", json!(" a"), Ok(Some("=?base64?IGE=?=")));
        check("integer", json!(42), Ok(Some("42")));
        check("integer", json!(42.0), Ok(Some("42")));
        check(
            "integer",
            json!(9_007_199_254_740_991_i64),
            Ok(Some("9007199254740991")),
        );
        check("integer", json!(9_007_199_254_740_992_i64), Err(()));
        check("integer", json!(u64::MAX), Err(()));
        check("integer", json!(1.5), Err(()));
        check("boolean", json!(true), Ok(Some("true")));
        check("boolean", json!("true"), Err(()));
        check("string", Value::Null, Ok(None));
    }

    #[test]
    fn v26_http_046_nothing_at_the_path_means_no_header() {
        let schema = json!({ "o": { "properties": { "a": annotated("string", json!("A")) } } });
        let param = &of(schema).unwrap()[0];
        for arguments in [
            json!({}),
            json!({ "o": {} }),
            json!({ "o": 1 }),
            json!({ "a": "x" }),
        ] {
            assert_eq!(param.value(arguments.as_object().unwrap()), Ok(None));
        }
    }

    #[test]
    fn v26_http_062_066_069_headers_are_compared_with_the_arguments() {
        let param = &of(json!({ "a": annotated("integer", json!("A")) })).unwrap()[0];
        let agrees = |header, argument: Value| {
            param.agrees(header, json!({ "a": argument }).as_object().unwrap())
        };
        assert!(agrees(Some("42"), json!(42.0)) && agrees(Some("42.0"), json!(42)));
        assert!(!agrees(Some("43"), json!(42)) && !agrees(Some("x"), json!(42)));
        assert!(!agrees(None, json!(42)) && !agrees(Some("42"), Value::Null));
        assert!(agrees(None, Value::Null));
    }
}
