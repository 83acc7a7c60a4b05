//! No text panics, no secret is repeated.

use proptest::prelude::*;

use super::*;

/// Every text that leaves this module without being asked for a value.
fn everything_said(text: &str, environment: Environment<'_>) -> String {
    match Document::parse("m.json", text) {
        Err(error) => format!("{error} {error:?}"),
        Ok(document) => {
            let mut said = format!("{document:?}");
            let config = Config::from_documents([document], environment);
            said += &format!("{config:?}{:?}", warnings(&config));
            for server in &config.servers {
                said.extend(server.entry.as_ref().err().map(ToString::to_string));
            }
            said
        }
    }
}

const SECRET: &str = "Zq7Xw9Kv3";

/// Values that hold the secret in all the ways that are treated differently.
fn secret_value() -> impl Strategy<Value = String> {
    const FORMS: &[&str] = &[
        "S", "Bearer S", "${KEY}", "!S", "!!S", "${S", "$${S}", "S\\n", "S\\u0000", "~/S",
    ];
    let strings = proptest::sample::select(FORMS).prop_map(|form| format!("\"{form}\""));
    const SHAPES: &[&str] = &[
        "[\"S\"]",
        "{\"a\": \"S\"}",
        "\"S",
        "'S'",
        "S",
        "\"\\S\"",
        "\"\\uS\"",
    ];
    let shapes = proptest::sample::select(SHAPES).prop_map(str::to_owned);
    prop_oneof![4 => strings, 1 => shapes].prop_map(|value| value.replace('S', SECRET))
}

/// An entry with a secret in every place that may hold one.
fn entry_with_secrets() -> impl Strategy<Value = String> {
    const TRANSPORTS: &[&str] = &[
        "\"command\": \"x\"",
        "\"url\": \"http://h/V\"",
        "\"url\": \"V\"",
        "\"socket\": \"/s\"",
    ];
    let transport = proptest::sample::select(TRANSPORTS);
    let places = proptest::collection::vec((0..6usize, secret_value()), 0..6);
    (transport, places).prop_map(|(transport, places)| {
        let mut entry = transport.replace('V', SECRET);
        for (place, value) in places {
            entry += &match place {
                0 => format!(", \"env\": {{\"K\": {value}}}"),
                1 => format!(", \"headers\": {{\"X-Key\": {value}}}"),
                2 => format!(", \"args\": [\"-k\", {value}]"),
                3 => format!(", \"env\": {value}"),
                4 => format!(", \"headers\": {value}"),
                _ => format!(", \"bearerToken\": {value}"),
            };
        }
        format!("{{\"mcpServers\": {{\"s\": {{{entry}}}}}}}")
    })
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>()) {
        everything_said(&text, &environment);
    }

    #[test]
    fn no_text_of_json_pieces_panics(
        pieces in proptest::collection::vec(proptest::sample::select(&[
            "{", "}", "[", "]", ",", ":", "\"", "\\u", "d83d", "//", "/*", "*/", "\n", "\r", "null",
            "1e999", "-", "\"mcpServers\":", "\"a\":{", "\"command\":", "\"url\":", "\"x\"", "ü",
            "\"env\":{", "\"transport\":{", "\"${\"", "\u{feff}",
        ][..]), 0..30)
    ) {
        everything_said(&pieces.concat(), &environment);
    }

    #[test]
    fn secrets_are_never_said(text in entry_with_secrets()) {
        let environment = |name: &str| match name {
            "KEY" | "HOME" => Some(SECRET.to_owned()),
            _ => None,
        };
        let said = everything_said(&text, &environment);
        prop_assert!(!said.contains(SECRET), "{text}\n{said}");
    }
}
