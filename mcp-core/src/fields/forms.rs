//! Forms for 2025-06-18, which has fewer kinds of fields.
//!
//! A choice with titles becomes one with a second list for them, which says the same. A choice of
//! several texts has no counterpart: the field is left out, and nobody waits for it to be filled in.

use serde_json::{Value, json};

use super::table;
use crate::{JsonObject, ProtocolVersion};

pub(super) fn reduce(form: &mut Value, version: ProtocolVersion) {
    table::FORM.reduce(form, version);
    let Some(form) = form.as_object_mut() else {
        return;
    };
    if version >= ProtocolVersion::V2025_11_25 {
        return;
    }
    let Some(Value::Object(fields)) = form.get_mut("properties") else {
        return;
    };
    let is_several = |field: &Value| field.get("type").and_then(Value::as_str) == Some("array");
    let several: Vec<_> = fields
        .iter()
        .filter(|(_, field)| is_several(field))
        .map(|(name, _)| name.clone())
        .collect();
    fields.retain(|_, field| !is_several(field));
    fields
        .values_mut()
        .filter_map(Value::as_object_mut)
        .for_each(name_choices);
    if let Some(Value::Array(required)) = form.get_mut("required") {
        required.retain(|name| !several.iter().any(|left_out| name == left_out));
    }
}

/// `oneOf` with titles as `enum` and `enumNames`.
fn name_choices(field: &mut JsonObject) {
    let Some(Value::Array(choices)) = field.shift_remove("oneOf") else {
        return;
    };
    let all = |name: &str| -> Vec<_> {
        let members = choices.iter().filter_map(|choice| choice.get(name));
        members.cloned().collect()
    };
    field.insert("enum".into(), json!(all("const")));
    field.insert("enumNames".into(), json!(all("title")));
}
