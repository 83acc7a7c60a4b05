//! Arguments of a tool, from the command line to JSON of the types that the tool wants.

use std::{collections::BTreeSet, fs, path::PathBuf, str::FromStr};

use mcp_adapter::suggest;
use mcp_core::{Json, JsonObject};
use serde_json::Value;

/// One `--arg`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    name: String,
    given: Given,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Given {
    /// `name=text`
    Text(String),
    /// `name=@file`
    File(PathBuf),
    /// `name:=json`
    Raw(Value),
}

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("it must look like NAME=VALUE")?;
        let (name, given) = match (name.strip_suffix(':'), value.strip_prefix('@')) {
            (Some(name), _) => {
                let value = serde_json::from_str(value);
                (
                    name,
                    Given::Raw(value.map_err(|error| format!("not JSON: {error}"))?),
                )
            }
            (None, Some(file)) => (name, Given::File(file.into())),
            (None, None) => (name, Given::Text(value.into())),
        };
        if name.is_empty() {
            return Err("the name is missing".into());
        }
        Ok(Self {
            name: name.into(),
            given,
        })
    }
}

/// A JSON object from the command line, kept as it was written.
pub(crate) fn object(text: &str) -> Result<Json, String> {
    let json: Json = text
        .parse()
        .map_err(|error| format!("--json is not JSON: {error}"))?;
    match json.decode::<Value>() {
        Ok(Value::Object(_)) => Ok(json),
        Ok(other) => Err(format!(
            "--json must be a JSON object, not {}",
            named(&other)
        )),
        Err(error) => Err(format!("--json is not JSON: {error}")),
    }
}

/// What a tool says about its arguments, as far as it can be checked before calling.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema<'a>(pub(crate) &'a JsonObject);

impl<'a> Schema<'a> {
    /// Reads the values of pairs.
    pub(crate) fn read(self, pairs: &[Pair]) -> Result<Json, String> {
        let mut arguments = JsonObject::new();
        for pair in pairs {
            if !self.names().any(|name| name == pair.name) && self.is_meant_to_be_complete() {
                return Err(self.unknown(&pair.name));
            }
            let value = self.value(pair)?;
            if arguments.insert(pair.name.clone(), value).is_some() {
                return Err(format!("argument {:?} is given twice", pair.name));
            }
        }
        self.check(&arguments)?;
        Ok(Value::Object(arguments).into())
    }

    /// Checks what the tool says outright: types, what is required, what is refused.
    pub(crate) fn check(self, arguments: &JsonObject) -> Result<(), String> {
        let closed = self.0.get("additionalProperties") == Some(&Value::Bool(false));
        for (name, value) in arguments {
            if closed && !self.names().any(|known| known == name) && !self.has_patterns() {
                return Err(self.unknown(name));
            }
            let kinds = self.kinds(name);
            if !kinds.is_empty() && !kinds.iter().any(|kind| kind.fits(value)) {
                return Err(self.wrong(name, &kinds, named(value)));
            }
        }
        for name in self.required() {
            if !arguments.contains_key(name) {
                return Err(format!("argument {name:?} is missing"));
            }
        }
        Ok(())
    }

    /// The arguments in a few words: `label: string, minutes?: integer`.
    pub(crate) fn summary(self) -> String {
        let required: BTreeSet<_> = self.required().collect();
        let arguments = self.names().map(|name| {
            let mark = if required.contains(name) { "" } else { "?" };
            let kinds = self
                .kinds(name)
                .into_iter()
                .filter(|kind| *kind != Kind::Null);
            let kinds: Vec<_> = kinds.map(Kind::as_str).collect();
            match &kinds[..] {
                [] => format!("{name}{mark}"),
                kinds => format!("{name}{mark}: {}", kinds.join("|")),
            }
        });
        arguments.collect::<Vec<_>>().join(", ")
    }

    fn value(self, pair: &Pair) -> Result<Value, String> {
        let name = &pair.name;
        let text = match &pair.given {
            Given::Raw(value) => return Ok(value.clone()),
            Given::Text(text) => text.clone(),
            Given::File(file) => fs::read_to_string(file).map_err(|error| {
                format!(
                    "argument {name:?}: could not read {}: {error}",
                    file.display()
                )
            })?,
        };
        let kinds = self.kinds(name);
        if kinds.contains(&Kind::String) {
            return Ok(Value::String(text));
        }
        match serde_json::from_str(&text) {
            Ok(value) => Ok(value),
            Err(_) if kinds.is_empty() => Ok(Value::String(text)),
            Err(_) => Err(self.wrong(name, &kinds, &format!("{:?}", shortened(&text)))),
        }
    }

    fn wrong(self, name: &str, kinds: &[Kind], instead: &str) -> String {
        let kinds: Vec<_> = kinds.iter().map(|kind| kind.with_article()).collect();
        format!(
            "argument {name:?} must be {}, not {instead}",
            kinds.join(" or ")
        )
    }

    fn unknown(self, name: &str) -> String {
        format!(
            "the tool has no argument {name:?}{}",
            suggest::instead(name, self.names())
        )
    }

    /// Whether a name that is not listed is more likely a slip than meant: the tool lists
    /// arguments and does not say that there may be others. `--json` lets them through.
    fn is_meant_to_be_complete(self) -> bool {
        let completes = match self.0.get("additionalProperties") {
            None => self.names().next().is_some(),
            Some(others) => *others == Value::Bool(false),
        };
        completes && !self.has_patterns()
    }

    fn has_patterns(self) -> bool {
        let combined = ["patternProperties", "allOf", "anyOf", "oneOf", "$ref"];
        combined.iter().any(|key| self.0.contains_key(*key))
    }

    fn names(self) -> impl Iterator<Item = &'a str> {
        let properties = self.0.get("properties").and_then(Value::as_object);
        properties
            .into_iter()
            .flat_map(JsonObject::keys)
            .map(String::as_str)
    }

    fn required(self) -> impl Iterator<Item = &'a str> {
        let required = self.0.get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str)
    }

    /// The types that an argument may have; nothing when anything goes.
    fn kinds(self, name: &str) -> Vec<Kind> {
        /// References may go in circles.
        const DEPTH: usize = 8;
        let property = self.0.get("properties").and_then(|all| all.get(name));
        property
            .and_then(|schema| self.kinds_of(schema, DEPTH))
            .unwrap_or_default()
    }

    /// `None` when anything goes.
    fn kinds_of(self, schema: &Value, depth: usize) -> Option<Vec<Kind>> {
        let depth = depth.checked_sub(1)?;
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let at = reference.strip_prefix('#')?;
            let root = self.0.get(at.split('/').nth(1)?)?;
            let rest: String = at
                .split('/')
                .skip(2)
                .map(|step| format!("/{step}"))
                .collect();
            return self.kinds_of(root.pointer(&rest)?, depth);
        }
        match schema.get("type") {
            Some(Value::String(kind)) => return Some(vec![Kind::parse(kind)?]),
            Some(Value::Array(kinds)) => {
                return kinds
                    .iter()
                    .map(|kind| Kind::parse(kind.as_str()?))
                    .collect();
            }
            _ => {}
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            let kinds: BTreeSet<_> = values.iter().map(Kind::of).collect();
            return Some(kinds.into_iter().collect());
        }
        let alternatives = schema
            .get("anyOf")
            .or_else(|| schema.get("oneOf"))?
            .as_array()?;
        let mut all = BTreeSet::new();
        for alternative in alternatives {
            all.extend(self.kinds_of(alternative, depth)?);
        }
        Some(all.into_iter().collect())
    }
}

/// The types of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    String,
    Integer,
    Number,
    Boolean,
    Array,
    Object,
    Null,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::String,
        Self::Integer,
        Self::Number,
        Self::Boolean,
        Self::Array,
        Self::Object,
        Self::Null,
    ];

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
            Self::Null => "null",
        }
    }

    fn with_article(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::Boolean => "true or false",
            Self::Array => "an array",
            Self::Object => "an object",
            Self::Null => "null",
        }
    }

    fn of(value: &Value) -> Self {
        match value {
            Value::String(_) => Self::String,
            Value::Number(number) if number.is_f64() => Self::Number,
            Value::Number(_) => Self::Integer,
            Value::Bool(_) => Self::Boolean,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
            Value::Null => Self::Null,
        }
    }

    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Number => value.is_number(),
            // 3.0 is an integer to JSON Schema, and so is one too large for 64 bits.
            Self::Integer => {
                value.as_number().is_some_and(|n| !n.is_f64())
                    || value.as_f64().is_some_and(|n| n.fract() == 0.0)
            }
            kind => Self::of(value) == kind,
        }
    }
}

fn named(value: &Value) -> &'static str {
    Kind::of(value).with_article()
}

/// Enough of a text to recognise it.
fn shortened(text: &str) -> String {
    const LENGTH: usize = 40;
    match text.char_indices().nth(LENGTH) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests;
