//! Results as people read them.

use mcp_core::schema::{
    content::{ContentBlock, ResourceBody, ResourceContents},
    tools::CallToolResult,
};
use serde_json::Value;

use crate::text;

/// A tool's answer as text. Structured content is shown unless the text is the same in words.
pub(crate) fn of_tool(result: &CallToolResult) -> String {
    let mut parts: Vec<_> = result.content.iter().map(of_block).collect();
    if let Some(structured) = &result.structured_content
        && !result
            .content
            .iter()
            .any(|block| is_written(block, structured))
    {
        parts.push(text::pretty(&structured.to_string()));
    }
    parts.join("\n")
}

fn is_written(block: &ContentBlock, structured: &Value) -> bool {
    let text = block.as_text().unwrap_or_default();
    serde_json::from_str::<Value>(text).is_ok_and(|value| value == *structured)
}

fn of_block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(content) => content.text.clone(),
        ContentBlock::Media(media) => {
            format!(
                "[{} {}, {} bytes]",
                media.kind,
                media.mime_type,
                decoded(&media.data)
            )
        }
        ContentBlock::Resource(embedded) => {
            let resource = &embedded.resource;
            let bytes = match &resource.body {
                ResourceBody::Text(text) => text.len(),
                ResourceBody::Blob(data) => decoded(data),
            };
            format!(
                "[resource {}, {}{bytes} bytes]",
                resource.uri,
                kind(resource)
            )
        }
        ContentBlock::Link(link) => format!("[resource link {}]", link.resource.uri),
        ContentBlock::Other(object) => of_other(object),
        _ => "[content of an unknown type]".into(),
    }
}

fn of_other(object: &mcp_core::JsonObject) -> String {
    let member = |name: &str| object.get(name).and_then(Value::as_str);
    let kind = member("type").unwrap_or("content");
    match member("uri") {
        Some(uri) => format!("[{} {uri}]", kind.replace('_', " ")),
        None => format!("[{kind}]"),
    }
}

/// A part of a resource: its text, or a line about its bytes.
pub(crate) fn of_resource(contents: &ResourceContents) -> String {
    match &contents.body {
        ResourceBody::Text(text) => text.clone(),
        ResourceBody::Blob(data) => {
            format!(
                "[resource {}, {}{} bytes]",
                contents.uri,
                kind(contents),
                decoded(data)
            )
        }
    }
}

fn kind(contents: &ResourceContents) -> String {
    contents
        .mime_type
        .as_ref()
        .map(|kind| format!("{kind}, "))
        .unwrap_or_default()
}

/// How many bytes a base64 text stands for.
fn decoded(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(result: Value, text: &str) {
        assert_eq!(of_tool(&serde_json::from_value(result).unwrap()), text);
    }

    #[test]
    fn what_is_no_text_is_summed_up() {
        check(
            json!({ "content": [
                { "type": "text", "text": "a" },
                { "type": "image", "mimeType": "image/png", "data": "AAAAAA==" },
                { "type": "resource", "resource": { "uri": "a:b", "text": "four" } },
                { "type": "resource_link", "uri": "a:c", "name": "c" },
                { "type": "hologram" },
            ] }),
            "a\n[image image/png, 4 bytes]\n[resource a:b, 4 bytes]\n[resource link a:c]\n[hologram]",
        );
    }

    #[test]
    fn b36_structured_content_is_neither_lost_nor_said_twice() {
        let n = json!({ "n": 1 });
        let text = |text: &str| json!([{ "type": "text", "text": text }]);
        check(
            json!({ "content": [], "structuredContent": n }),
            "{\n  \"n\": 1\n}",
        );
        check(
            json!({ "content": text("ok"), "structuredContent": n }),
            "ok\n{\n  \"n\": 1\n}",
        );
        check(
            json!({ "content": text(r#"{ "n": 1 }"#), "structuredContent": n }),
            "{ \"n\": 1 }",
        );
    }
}
