//! Extension ids and `_meta` keys (EXT-FW-001, -002, -013, V26-META-002 to -006), and what
//! readers of `_meta` ask it for.

#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use mcp_core::{
    Json, JsonObject, ProgressToken,
    meta::{self, Prefix, is_name},
    schema::{
        capabilities::ClientCapabilities, discover::DiscoverResult, implementation::Implementation,
        logging::LogLevel,
    },
};
use mcp_ext::ExtensionId;
use serde_json::Value;

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    grammar(text);
    if let Ok(params) = Json::from_bytes(&Bytes::copy_from_slice(input)) {
        read(&params);
    }
});

fn grammar(text: &str) {
    let id = text.parse::<ExtensionId>();
    let parts = text.split_once('/');
    let is_id = parts.is_some_and(|(prefix, name)| {
        prefix.split('.').all(is_label) && ends_well(name) && name.chars().all(is_name_character)
    });
    assert_eq!(id.is_ok(), is_id, "{text:?}");
    if let (Ok(id), Some((prefix, name))) = (id, parts) {
        assert_eq!((id.as_str(), &*id.to_string()), (text, text));
        let prefix = Prefix::parse(prefix).expect("the prefix of an id");
        assert!(is_name(name), "{name:?}");
        assert_eq!(id.is_reserved(), prefix.is_reserved());
        assert_eq!(format!("{prefix}/{name}"), text);
    }
}

/// The grammar as the specification words it, one character at a time.
fn is_label(label: &str) -> bool {
    label.starts_with(|c: char| c.is_ascii_alphabetic())
        && ends_well(label)
        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

fn ends_well(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
}

fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.')
}

/// What a receiver does with `_meta`: every known key may hold anything.
fn read(params: &Json) {
    let Some(meta) = params.member(meta::META) else {
        return;
    };
    for (key, _) in meta.members() {
        grammar(&key);
    }
    let known = |key| meta.member(key);
    let _ = known(meta::PROTOCOL_VERSION).map(|version| version.decode::<String>());
    let _ = known(meta::CLIENT_CAPABILITIES).map(|offered| offered.decode::<ClientCapabilities>());
    let _ = known(meta::CLIENT_INFO).map(|client| client.decode::<Implementation>());
    let _ = known(meta::LOG_LEVEL).map(|level| level.decode::<LogLevel>());
    let _ = known(meta::PROGRESS_TOKEN).map(|token| token.decode::<ProgressToken>());
    let whole = meta.decode::<JsonObject>();
    if let (Ok(result), Ok(whole)) = (params.decode::<DiscoverResult>(), whole) {
        assert_eq!(result.meta.as_ref(), Some(&whole));
        // By way of a value: a type refuses a member that is there twice, a value keeps the last.
        let info = known(meta::SERVER_INFO).and_then(|info| info.decode::<Value>().ok());
        let info = info.and_then(|info| serde_json::from_value(info).ok());
        assert_eq!(result.server_info(), info);
    }
}
