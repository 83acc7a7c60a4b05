//! What a file says as a whole, and how files are layered.

use super::*;

#[test]
fn c1_blank_and_comment_only_files_define_nothing() {
    for text in [
        "",
        " \r\n\t",
        "\u{feff}",
        "// nothing yet\n",
        "/* a */ // b",
    ] {
        let config = config(text);
        assert!(
            config.servers.is_empty() && config.warnings.is_empty(),
            "{text:?}"
        );
    }
}

/// C2, C6, R111.
#[test]
fn r111_comments_trailing_commas_a_byte_order_mark_and_carriage_returns() {
    let text = "\u{feff}{\r\n  // one\r\n  \"mcpServers\": {\r\n    /* two */\r\n    \
        \"a\": {\"url\": \"https://h/p//q\", \"headers\": {\"X\": \"/* kept */\",},},\r\n  },\r\n}\r\n";
    let config = config(text);
    assert_eq!(warnings(&config), [""; 0]);
    let Ok(ServerEntry {
        transport: Transport::Http(http),
        ..
    }) = &config.servers[0].entry
    else {
        panic!("{config:?}");
    };
    assert_eq!(http.url.as_str(), "https://h/p//q");
    assert_eq!(http.headers["x"], "/* kept */");
}

#[test]
fn a_broken_file_names_the_place_and_the_cause() {
    let cases = [
        ("{bad", "m.json:1:2: expected string for object property"),
        (
            "{\n  \"mcpServers\": {\n    \"a\" {}\n  }\n}",
            "m.json:3:9: expected colon after the string or word in object property",
        ),
        (
            "{\r\n\"a\": 'x'}",
            "m.json:2:6: single-quoted strings are not allowed",
        ),
        ("{\"a\": 1 \"b\": 2}", "m.json:1:8: expected comma"),
        (
            "{\"a\": \"s3cret\\q\"}",
            "m.json:1:14: invalid or unterminated string",
        ),
        (
            "{\"a\": \"s3cret",
            "m.json:1:7: invalid or unterminated string",
        ),
        (
            "{} {}",
            "m.json:1:4: text cannot contain more than one json value",
        ),
        ("{\"a\": s3cret}", "m.json:1:7: unexpected token"),
    ];
    for (text, expected) in cases {
        check_syntax(text, expected);
    }
}

#[test]
fn escaped_surrogates_make_one_character() {
    let config = config(r#"{"mcpServers": {"\ud83d\ude00\u00fc": {"command": "x"}}}"#);
    assert_eq!(names(&config), ["😀ü"]);
    check_syntax(
        r#"{"\ud83d": 1}"#,
        "m.json:1:3: invalid or unterminated string",
    );
}

#[test]
fn deep_nesting_is_an_error() {
    let text = "[".repeat(100_000);
    assert!(matches!(
        Document::parse("m.json", &text),
        Err(ConfigError::Syntax { .. })
    ));
}

/// C4, C5.
#[test]
fn c4_roots_and_maps_of_another_type_hold_no_servers() {
    let cases: &[(&str, &[&str])] = &[
        (
            "[]",
            &["m.json is not an object; the whole file is ignored"],
        ),
        ("{}", &[]),
        (
            "{\"mcpServers\": []}",
            &["m.json: mcpServers is not an object and is ignored"],
        ),
        (
            "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}, \"settings\": 3}",
            &["m.json: settings is not an object; the whole file is ignored"],
        ),
        (
            "{\"servers\": {\"a\": {\"command\": \"x\"}}}",
            &["m.json: servers is not read; servers belong under mcpServers"],
        ),
    ];
    for (text, expected) in cases {
        let config = config(text);
        assert!(config.servers.is_empty(), "{text}");
        assert_eq!(warnings(&config), *expected, "{text}");
    }
}

#[test]
fn c4_both_spellings_are_read_and_the_camel_cased_one_is_preferred() {
    let config = config(r#"{"mcp-servers": {"a": {"command": "x"}}}"#);
    assert_eq!(names(&config), ["a"]);

    let text = r#"{"mcp-servers": {"a": {"command": "x"}}, "mcpServers": {"b": {"command": "x"}}}"#;
    let config = self::config(text);
    assert_eq!(names(&config), ["b"]);
    assert_eq!(
        warnings(&config),
        ["m.json: mcp-servers is ignored because mcpServers is present"]
    );
}

#[test]
fn what_comes_later_is_announced() {
    let config = config(r#"{"imports": ["cursor"], "settings": {}, "mcpServers": {}}"#);
    assert_eq!(
        warnings(&config),
        [
            "m.json: settings is not supported yet and is ignored",
            "m.json: imports is not supported yet and is ignored",
        ]
    );
}

/// C4, V12, V14: a bad entry never harms the others.
#[test]
fn v12_one_bad_server_leaves_the_others_usable() {
    let config = config(
        r#"{"mcpServers": {"b": 3, "a": {"command": "x"}, "c": null, "__proto__": {"url": "http://h"}, "": {}}}"#,
    );
    assert_eq!(names(&config), ["b", "a", "c", "__proto__", ""]);
    let usable: Vec<bool> = config.servers.iter().map(|s| s.entry.is_ok()).collect();
    assert_eq!(usable, [false, true, false, true, false]);
    let error = config.server("b").unwrap().entry.as_ref().unwrap_err();
    assert_eq!(error.to_string(), "m.json: server \"b\" must be an object");
}

#[test]
fn the_last_definition_of_a_file_counts() {
    let config = config(r#"{"mcpServers": {"a": {"url": "http://h"}, "a": {"command": "x"}}}"#);
    assert!(
        matches!(&config.servers[..], [Server { entry: Ok(entry), .. }]
        if matches!(entry.transport, Transport::Stdio(_)))
    );
    let expected = "m.json: server \"a\" is defined twice; the last definition counts";
    assert_eq!(warnings(&config), [expected]);
}

#[test]
fn c10_the_more_specific_layer_wins_a_whole_server() {
    let low = r#"{"mcpServers": {"a": {"url": "http://h", "headers": {"X": "1"}, "bad": 1}, "b": {"command": "b"}}}"#;
    let high = r#"{"mcpServers": {"a": {"url": "http://h"}, "c": {"command": "c"}}}"#;
    let low = Document::parse("low.json", low).unwrap();
    let high = Document::parse("high.json", high).unwrap();
    let config = Config::from_documents([low, high], &environment);
    assert_eq!(names(&config), ["a", "b", "c"]);
    assert_eq!(config.servers[0].file, PathBuf::from("high.json"));
    let Ok(ServerEntry {
        transport: Transport::Http(http),
        ..
    }) = &config.servers[0].entry
    else {
        panic!("{config:?}");
    };
    assert!(http.headers.is_empty());
    assert_eq!(
        warnings(&config),
        [""; 0],
        "a hidden definition is not warned about"
    );
}
