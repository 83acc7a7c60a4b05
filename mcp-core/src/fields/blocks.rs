//! Blocks of content for versions that do not have all types of them.
//!
//! A block cannot be left out like a member: the answer would lack what it is about. What a version
//! cannot express becomes a line of text that says what was there.

use serde_json::{Value, json};

use super::{Shape, each, table};
use crate::{
    JsonObject, ProtocolVersion,
    ProtocolVersion::{V2025_03_26, V2025_06_18, V2025_11_25},
};

/// The first version that has a type of block, and the type's members.
fn known(kind: &str) -> Option<(ProtocolVersion, &'static Shape)> {
    Some(match kind {
        "text" | "image" => (ProtocolVersion::V2024_11_05, &table::TEXT_CONTENT),
        "audio" => (V2025_03_26, &table::TEXT_CONTENT),
        "resource" => (ProtocolVersion::V2024_11_05, &table::EMBEDDED_RESOURCE),
        "resource_link" => (V2025_06_18, &table::RESOURCE_LINK),
        "tool_use" => (V2025_11_25, &table::TEXT_CONTENT),
        "tool_result" => (V2025_11_25, &table::TOOL_RESULT_CONTENT),
        _ => return None,
    })
}

/// A block as the version has it. Types that no version knows stay.
pub(super) fn reduce(block: &mut Value, version: ProtocolVersion) {
    let Value::Object(object) = block else {
        return;
    };
    let kind = object.get("type").and_then(Value::as_str);
    match kind.and_then(known) {
        Some((since, shape)) if since <= version => shape.reduce_object(object, version),
        Some(_) => {
            let text = in_words(object);
            *block = json!({ "type": "text", "text": text });
        }
        None => {}
    }
}

/// The content of a message or an answer of a model. Versions before 2025-11-25 have one block
/// there: the first one stands for a list.
pub(super) fn sampling(content: &mut Value, version: ProtocolVersion) {
    if version < V2025_11_25
        && let Value::Array(blocks) = content
    {
        let none = || json!({ "type": "text", "text": "" });
        let first = blocks.drain(..).next();
        *content = first.unwrap_or_else(none);
    }
    each(content, |block| reduce(block, version));
}

/// Messages for a model. Where a message has one block only, a message with a list of blocks
/// becomes one message for each of them.
pub(super) fn messages(messages: &mut Value, version: ProtocolVersion) {
    let Value::Array(all) = messages else {
        return;
    };
    if version < V2025_11_25 {
        *all = all.drain(..).flat_map(one_block_each).collect();
    }
    for message in all {
        table::SAMPLING_MESSAGE.reduce(message, version);
    }
}

fn one_block_each(message: Value) -> Vec<Value> {
    let Some(Value::Array(blocks)) = message.get("content") else {
        return vec![message];
    };
    let with = |block: &Value| {
        let mut one = message.clone();
        one["content"] = block.clone();
        one
    };
    blocks.iter().map(with).collect()
}

/// What was there, for a model to read.
fn in_words(block: &JsonObject) -> String {
    let member = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
    match member("type") {
        "resource_link" => format!("resource {}: {}", member("name"), member("uri")),
        "audio" => format!("a sound of type {}, which was left out", member("mimeType")),
        "tool_use" => format!(
            "call of the tool {}: {}",
            member("name"),
            block.get("input").unwrap_or(&Value::Null)
        ),
        "tool_result" => {
            let blocks = block.get("content").and_then(Value::as_array);
            let texts = blocks.into_iter().flatten().filter_map(|block| {
                let text = block.get("text");
                text.and_then(Value::as_str)
            });
            let texts: Vec<_> = texts.collect();
            format!("the tool answered: {}", texts.join("\n"))
        }
        other => format!("content of type {other}, which was left out"),
    }
}
