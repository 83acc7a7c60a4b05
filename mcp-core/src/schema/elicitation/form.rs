//! Forms: flat objects of simple fields (V26-ELIC-013).

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, MapAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::{Number, Value};

use super::select::{
    MultiSelect, NamedSelect, TitledMultiSelect, TitledSelect, UntitledMultiSelect, UntitledSelect,
};
use crate::{
    JsonObject,
    schema::{
        content::chosen,
        literal::{BooleanType, ObjectType, StringType},
    },
};

/// The fields of a form, in the order in which they are asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FormSchema {
    /// Which dialect of JSON Schema this is.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    #[serde(rename = "type")]
    pub(crate) kind: ObjectType,
    /// The fields.
    pub properties: Fields,
    /// Fields that have to be filled in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<String>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl FormSchema {
    /// Adds a field that may be left empty.
    #[must_use]
    pub fn optional(mut self, name: impl Into<String>, field: impl Into<PrimitiveSchema>) -> Self {
        self.properties.set(name.into(), field.into());
        self
    }

    /// Adds a field that has to be filled in.
    #[must_use]
    pub fn required(mut self, name: impl Into<String>, field: impl Into<PrimitiveSchema>) -> Self {
        let name = name.into();
        self.required.push(name.clone());
        self.optional(name, field)
    }
}

/// Fields by name, in the order in which they were added or came. A repeated name replaces the
/// field where it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields(Vec<(String, PrimitiveSchema)>);

impl Fields {
    /// The field of that name.
    pub fn get(&self, name: &str) -> Option<&PrimitiveSchema> {
        self.iter().find(|(key, _)| *key == name).map(|(_, f)| f)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &PrimitiveSchema)> {
        self.0.iter().map(|(name, field)| (name.as_str(), field))
    }

    fn set(&mut self, name: String, field: PrimitiveSchema) {
        match self.0.iter_mut().find(|(key, _)| *key == name) {
            Some(old) => old.1 = field,
            None => self.0.push((name, field)),
        }
    }
}

impl FromIterator<(String, PrimitiveSchema)> for Fields {
    fn from_iter<I: IntoIterator<Item = (String, PrimitiveSchema)>>(fields: I) -> Self {
        let mut all = Self::default();
        for (name, field) in fields {
            all.set(name, field);
        }
        all
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, field) in self.iter() {
            map.serialize_entry(name, field)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of fields")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    fields.push(entry);
                }
                Ok(fields.into_iter().collect())
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

/// One field of a form.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum PrimitiveSchema {
    /// Text.
    String(StringSchema),
    /// A number or an integer.
    Number(NumberSchema),
    /// Yes or no.
    Boolean(BooleanSchema),
    /// One of some texts.
    Select(UntitledSelect),
    /// One of some texts, each with a title.
    TitledSelect(TitledSelect),
    /// One of some texts, with a list of their names; the older form of titles.
    NamedSelect(NamedSelect),
    /// Some of some texts. From 2025-11-25 on.
    MultiSelect(MultiSelect),
}

/// Chosen by `type`, then by the members that list the choices (types.md, section 9, note 8).
impl<'de> Deserialize<'de> for PrimitiveSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = JsonObject::deserialize(deserializer)?;
        let has = |name: &str| object.contains_key(name);
        match object.get("type").and_then(Value::as_str) {
            Some("array") => chosen(object).map(Self::MultiSelect),
            Some("boolean") => chosen(object).map(Self::Boolean),
            Some("integer" | "number") => chosen(object).map(Self::Number),
            Some("string") if has("oneOf") => chosen(object).map(Self::TitledSelect),
            Some("string") if has("enum") && has("enumNames") => {
                chosen(object).map(Self::NamedSelect)
            }
            Some("string") if has("enum") => chosen(object).map(Self::Select),
            Some("string") => chosen(object).map(Self::String),
            Some(other) => Err(D::Error::custom(format!(
                "a form has no fields of type {other:?}"
            ))),
            None => Err(D::Error::missing_field("type")),
        }
    }
}

macro_rules! field {
    ($($variant:ident($schema:ident);)+) => {$(
        impl From<$schema> for PrimitiveSchema {
            fn from(schema: $schema) -> Self {
                Self::$variant(schema)
            }
        }
    )+};
}

field! {
    String(StringSchema);
    Number(NumberSchema);
    Boolean(BooleanSchema);
    Select(UntitledSelect);
    TitledSelect(TitledSelect);
    NamedSelect(NamedSelect);
    MultiSelect(MultiSelect);
}

impl From<UntitledMultiSelect> for PrimitiveSchema {
    fn from(schema: UntitledMultiSelect) -> Self {
        Self::MultiSelect(MultiSelect::Untitled(schema))
    }
}

impl From<TitledMultiSelect> for PrimitiveSchema {
    fn from(schema: TitledMultiSelect) -> Self {
        Self::MultiSelect(MultiSelect::Titled(schema))
    }
}

/// A text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StringSchema {
    #[serde(rename = "type")]
    pub(crate) kind: StringType,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// At least this many characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u64>,
    /// At most this many characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// What the text has to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<StringFormat>,
    /// What stands there first. From 2025-11-25 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl StringSchema {
    /// Gives it a title for people.
    #[must_use]
    pub fn title(mut self, text: impl Into<String>) -> Self {
        self.title = Some(text.into());
        self
    }

    /// Says what the text has to be.
    #[must_use]
    pub fn format(mut self, format: StringFormat) -> Self {
        self.format = Some(format);
        self
    }
}

/// What a text has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "JSON Schema's own names")]
pub enum StringFormat {
    Email,
    Uri,
    Date,
    DateTime,
}

/// A number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NumberSchema {
    /// Whether it has to be whole.
    #[serde(rename = "type")]
    pub kind: NumberType,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// At least this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Number>,
    /// At most this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Number>,
    /// What stands there first. From 2025-11-25 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Number>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl NumberSchema {
    /// A field for a number of this kind.
    pub fn new(kind: NumberType) -> Self {
        Self {
            kind,
            title: None,
            description: None,
            minimum: None,
            maximum: None,
            default: None,
            extra: JsonObject::new(),
        }
    }
}

/// Whether a number has to be whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NumberType {
    /// Any number.
    Number,
    /// A whole one.
    Integer,
}

/// Yes or no.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BooleanSchema {
    #[serde(rename = "type")]
    pub(crate) kind: BooleanType,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What is chosen first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::{refused, survives};

    #[track_caller]
    fn check(text: &str, kind: fn(&PrimitiveSchema) -> bool) {
        let field = survives::<PrimitiveSchema>(text);
        assert!(kind(&field), "{field:?}");
    }

    #[test]
    fn types_9_8_a_field_is_chosen_by_type_and_choices() {
        use PrimitiveSchema as P;
        check(
            r#"{"type":"string","minLength":3,"maxLength":50,"format":"date-time","default":"x"}"#,
            |f| matches!(f, P::String(_)),
        );
        check(
            r#"{"type":"integer","minimum":0,"maximum":100,"default":50,"x":1}"#,
            |f| matches!(f, P::Number(_)),
        );
        check(r#"{"type":"boolean","default":false}"#, |f| {
            matches!(f, P::Boolean(_))
        });
        check(r#"{"type":"string","enum":["a"],"default":"a"}"#, |f| {
            matches!(f, P::Select(_))
        });
        check(r#"{"type":"string","enum":["a"],"enumNames":["A"]}"#, |f| {
            matches!(f, P::NamedSelect(_))
        });
        check(
            r#"{"type":"string","oneOf":[{"const":"a","title":"A"}]}"#,
            |f| matches!(f, P::TitledSelect(_)),
        );
        check(
            r#"{"type":"array","items":{"type":"string","enum":["a"]},"minItems":1}"#,
            |f| matches!(f, P::MultiSelect(MultiSelect::Untitled(_))),
        );
        check(
            r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}"#,
            |f| matches!(f, P::MultiSelect(MultiSelect::Titled(_))),
        );
    }

    #[test]
    fn v26_elic_013_nothing_else_fits_into_a_form() {
        refused::<PrimitiveSchema>(&[
            r#"{"type":"object","properties":{}}"#,
            r#"{"type":"array","items":{"type":"number"}}"#,
            r#"{"type":"array"}"#,
            r#"{"type":"string","oneOf":[{"const":"a"}]}"#,
            r#"{"type":"string","format":"phone"}"#,
            r#"{"title":"a"}"#,
        ]);
        refused::<FormSchema>(&[r#"{"type":"object"}"#, r#"{"properties":{}}"#]);
    }

    #[test]
    fn fields_keep_their_order() {
        let text = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"z":{"type":"string"},"a":{"type":"boolean"}},"required":["z"]}"#;
        let form: FormSchema = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&form).unwrap(), text);
        let names: Vec<_> = form.properties.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["z", "a"]);
    }
}
