use serde_json::{Value, json};

use super::*;
use ProtocolVersion::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

#[track_caller]
fn check_result(method: &str, version: ProtocolVersion, whole: Value, left: Value) {
    let left_over: Value = result(method, &whole.into(), version).decode().unwrap();
    assert_eq!(left_over, left);
}

#[track_caller]
fn check_params(method: &str, version: ProtocolVersion, whole: Value, left: Value) {
    let left_over: Value = params(method, &whole.into(), version).decode().unwrap();
    assert_eq!(left_over, left);
}

#[test]
fn types_5_tools_lose_what_came_later() {
    let tool = json!({
        "name": "a", "title": "A", "inputSchema": { "type": "object" },
        "outputSchema": { "type": "array" }, "annotations": {}, "icons": [],
        "execution": {}, "_meta": {}, "x": 1,
    });
    let list = |tool: Value| json!({ "tools": [tool] });
    let of = |names: &[&str]| {
        let mut tool = tool.clone();
        let kept =
            |name: &str| names.contains(&name) || matches!(name, "name" | "inputSchema" | "x");
        tool.as_object_mut().unwrap().retain(|name, _| kept(name));
        list(tool)
    };
    let whole = || {
        let mut whole = list(tool.clone());
        whole["ttlMs"] = json!(5);
        whole["cacheScope"] = json!("public");
        whole["resultType"] = json!("complete");
        whole
    };
    check_result("tools/list", V2024_11_05, whole(), of(&[]));
    check_result("tools/list", V2025_03_26, whole(), of(&["annotations"]));
    check_result(
        "tools/list",
        V2025_06_18,
        whole(),
        of(&["annotations", "title", "_meta"]),
    );
    let with_icons = ["annotations", "title", "_meta", "icons", "execution"];
    check_result("tools/list", V2025_11_25, whole(), of(&with_icons));
    let mut newest = whole();
    newest["tools"][0]
        .as_object_mut()
        .unwrap()
        .remove("execution");
    check_result("tools/list", V2026_07_28, whole(), newest);
}

#[test]
fn v2411_009_v2503_010_blocks_that_a_version_lacks_become_text() {
    let whole = || {
        json!({ "content": [
            { "type": "text", "text": "t", "_meta": {}, "annotations": { "lastModified": "2025" } },
            { "type": "audio", "data": "AA==", "mimeType": "audio/wav" },
            { "type": "resource_link", "uri": "a:b", "name": "n", "icons": [] },
            { "type": "hologram" },
        ] })
    };
    check_result(
        "tools/call",
        V2024_11_05,
        whole(),
        json!({ "content": [
        { "type": "text", "text": "t", "annotations": {} },
        { "type": "text", "text": "a sound of type audio/wav, which was left out" },
        { "type": "text", "text": "resource n: a:b" },
        { "type": "hologram" },
    ] }),
    );
    let mut later = whole();
    later["content"][2].as_object_mut().unwrap().remove("icons");
    check_result("tools/call", V2025_06_18, whole(), later);
}

#[test]
fn structured_content_was_an_object_at_first() {
    let whole = |value: Value| json!({ "content": [], "structuredContent": value });
    let none = json!({ "content": [] });
    check_result("tools/call", V2025_03_26, whole(json!({})), none.clone());
    check_result(
        "tools/call",
        V2025_11_25,
        whole(json!({})),
        whole(json!({})),
    );
    check_result("tools/call", V2025_11_25, whole(json!([1])), none);
    check_result(
        "tools/call",
        V2026_07_28,
        whole(Value::Null),
        whole(Value::Null),
    );
}

#[test]
fn types_9_7_a_conversation_had_one_block_in_each_message() {
    let blocks = json!([
        { "type": "tool_use", "id": "c", "name": "t", "input": { "a": 1 } },
        { "type": "text", "text": "t" },
    ]);
    let whole = json!({
        "messages": [{ "role": "user", "content": blocks, "_meta": {} }],
        "maxTokens": 1, "tools": [], "toolChoice": {},
    });
    check_params(
        "sampling/createMessage",
        V2025_06_18,
        whole.clone(),
        json!({
            "messages": [
                { "role": "user", "content": { "type": "text", "text": "call of the tool t: {\"a\":1}" } },
                { "role": "user", "content": { "type": "text", "text": "t" } },
            ],
            "maxTokens": 1,
        }),
    );
    check_params("sampling/createMessage", V2025_11_25, whole.clone(), whole);
    let answer =
        json!({ "role": "assistant", "model": "m", "content": [{ "type": "text", "text": "t" }] });
    let mut alone = answer.clone();
    alone["content"] = answer["content"][0].clone();
    check_result("sampling/createMessage", V2025_06_18, answer, alone);
}

#[test]
fn forms_capabilities_and_progress_lose_what_came_later() {
    let form = json!({ "mode": "form", "message": "m", "requestedSchema": {
        "$schema": "s", "type": "object",
        "properties": {
            "a": { "type": "string", "oneOf": [{ "const": "a", "title": "A" }] },
            "b": { "type": "array", "items": { "type": "string", "enum": ["b"] } },
        },
        "required": ["b", "a"],
    } });
    check_params(
        "elicitation/create",
        V2025_06_18,
        form,
        json!({
            "message": "m",
            "requestedSchema": {
                "type": "object",
                "properties": { "a": { "type": "string", "enum": ["a"], "enumNames": ["A"] } },
                "required": ["a"],
            },
        }),
    );
    let greeting = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {
            "elicitation": { "form": {} }, "sampling": { "tools": {} }, "tasks": {},
            "roots": { "listChanged": true },
        },
        "clientInfo": { "name": "a", "version": "1", "title": "A", "icons": [] },
    });
    check_params(
        "initialize",
        V2025_06_18,
        greeting,
        json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "elicitation": {}, "sampling": {}, "roots": { "listChanged": true } },
            "clientInfo": { "name": "a", "version": "1", "title": "A" },
        }),
    );
    let progress = json!({ "progressToken": 1, "progress": 1, "message": "m" });
    let bare = json!({ "progressToken": 1, "progress": 1 });
    check_params("notifications/progress", V2024_11_05, progress, bare);
}

#[test]
fn types_1_input_results_lost_their_metadata() {
    let roots = json!({ "roots": [{ "uri": "file:///a" }], "_meta": {} });
    let bare = json!({ "roots": [{ "uri": "file:///a" }] });
    check_result("roots/list", V2025_11_25, roots.clone(), roots.clone());
    check_result("roots/list", V2026_07_28, roots, bare);
}

#[test]
fn what_is_no_object_or_of_no_known_method_stays() {
    check_params(
        "clock/now",
        V2024_11_05,
        json!({ "title": 1 }),
        json!({ "title": 1 }),
    );
    check_result(
        "tools/list",
        V2024_11_05,
        json!({ "tools": 1 }),
        json!({ "tools": 1 }),
    );
    check_result("tools/list", V2024_11_05, json!([1]), json!([1]));
    let info: Json = r#"{"name":"a","version":"1","title":"A"}"#.parse().unwrap();
    let old = value("Implementation", &info, V2025_03_26);
    assert_eq!(old.as_str(), r#"{"name":"a","version":"1"}"#);
}

#[test]
fn every_difference_is_listed_once() {
    let mut seen: Vec<_> = all().map(|field| (field.of, field.name)).collect();
    assert!(seen.len() > 60, "{}", seen.len());
    let total = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), total);
}
