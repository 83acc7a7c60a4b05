//! The published schemas and examples.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use jsonschema::Validator;
use mcp_core::ProtocolVersion;
use serde_json::{Map, Value, json};

use crate::read::Cx;

const DIRECTORY: &str = "MCP_SCHEMA_DIR";

/// Tells whoever runs the tests; `cargo xtask schema` shows it.
#[allow(clippy::print_stderr, reason = "these tests are run for their numbers")]
pub(crate) fn report(text: &str) {
    eprintln!("schema: {text}");
}

/// The schema of each version; nothing when nobody said where they are.
pub(crate) fn published() -> impl Iterator<Item = Published> {
    let directory = env::var_os(DIRECTORY).map(PathBuf::from);
    if directory.is_none() {
        report(&format!("skipped, {DIRECTORY} is not set"));
    }
    directory.into_iter().flat_map(|directory| {
        let versions = ProtocolVersion::ALL.iter();
        versions.map(move |version| Published::read(&directory, *version))
    })
}

/// What was published of a version.
pub(crate) struct Published {
    pub(crate) version: ProtocolVersion,
    directory: PathBuf,
    schema: Value,
    key: &'static str,
}

/// An example, and the definition that it is an example of.
pub(crate) struct Example {
    pub(crate) of: String,
    pub(crate) name: String,
    pub(crate) value: Value,
}

impl Published {
    fn read(directory: &Path, version: ProtocolVersion) -> Self {
        let directory = directory.join(version.as_str());
        let schema = json_file(&directory.join("schema.json"));
        let key = if schema.get("$defs").is_some() {
            "$defs"
        } else {
            "definitions"
        };
        Self {
            version,
            directory,
            schema,
            key,
        }
    }

    fn definitions(&self) -> &Map<String, Value> {
        self.schema[self.key]
            .as_object()
            .expect("it has definitions")
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.definitions().keys().map(String::as_str)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.definitions().contains_key(name)
    }

    /// How a definition is read: as a whole message when it has `jsonrpc`.
    pub(crate) fn cx(&self, name: &str) -> Cx {
        let has_envelope = self.definitions()[name]["properties"]
            .get("jsonrpc")
            .is_some();
        Cx {
            version: self.version,
            has_envelope,
        }
    }

    /// The smallest instance of a definition, each time with a member that has a value of some
    /// type; many of them do not fit.
    pub(crate) fn wrong(&self, name: &str) -> Vec<(String, Value)> {
        let smallest = self.smallest(name);
        let values = [
            json!(true),
            json!("wrong"),
            json!(12.5),
            json!([[]]),
            json!({ "wrong": [] }),
        ];
        let mut all = Vec::new();
        let members = self.definitions()[name]["properties"].as_object();
        for member in members.into_iter().flat_map(Map::keys) {
            for value in &values {
                let mut whole = smallest.clone();
                whole[member] = value.clone();
                all.push((member.clone(), whole));
            }
        }
        all
    }

    pub(crate) fn validator(&self, name: &str) -> Validator {
        let schema = json!({
            "$schema": self.schema["$schema"],
            "allOf": [{ "$ref": format!("#/{}/{name}", self.key) }],
            self.key: self.definitions(),
        });
        jsonschema::validator_for(&schema).expect("the schema is one")
    }

    pub(crate) fn examples(&self) -> Vec<Example> {
        let directory = self.directory.join("examples");
        let mut examples = Vec::new();
        for of in entries(&directory) {
            for file in entries(&directory.join(&of)) {
                examples.push(Example {
                    value: json_file(&directory.join(&of).join(&file)),
                    of: of.clone(),
                    name: file,
                });
            }
        }
        examples
    }

    /// An instance of a definition with nothing in it that may be left out.
    pub(crate) fn smallest(&self, name: &str) -> Value {
        self.instance(&self.definitions()[name])
    }

    fn instance(&self, schema: &Value) -> Value {
        if let Some(reference) = schema["$ref"].as_str() {
            return self.smallest(reference.rsplit('/').next().expect("it has a last part"));
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(value) = schema["enum"].get(0) {
            return value.clone();
        }
        if let Some(all) = schema["anyOf"].as_array() {
            // That one fits everything (note N15).
            let asking = format!("#/{}/InputRequiredResult", self.key);
            let mut complete = all.iter().filter(|one| one["$ref"] != asking);
            return self.instance(complete.next().expect("there is a complete result"));
        }
        if let Some(parts) = schema["allOf"].as_array() {
            let mut whole = Map::new();
            for part in parts {
                if let Value::Object(part) = self.instance(part) {
                    whole.extend(part);
                }
            }
            return whole.into();
        }
        let kind = schema["type"].as_str().or(schema["type"][0].as_str());
        match kind {
            Some("object") => {
                let names = schema["required"].as_array().into_iter().flatten();
                let members = names.filter_map(Value::as_str).map(|name| {
                    let value = match name {
                        "resultType" => json!("complete"),
                        _ => self.instance(&schema["properties"][name]),
                    };
                    (name.to_owned(), value)
                });
                Value::Object(members.collect())
            }
            Some("array") => json!([]),
            Some("integer" | "number") => json!(1),
            Some("boolean") => json!(true),
            _ if schema["format"] == "uri" => json!("file:///a"),
            _ => json!("a"),
        }
    }
}

/// The names in a directory, in order; none when it is not there.
fn entries(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn json_file(path: &Path) -> Value {
    let text = fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("could not read {}: {error}", path.display()));
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{} is not JSON: {error}", path.display()))
}
