//! What each field of an entry means.

use super::*;

#[test]
fn all_fields_of_a_process() {
    let process = process(
        r#"{"type": "stdio", "command": "~/bin/x", "args": ["-t", "${TOKEN}"],
            "env": {"A": "$env:TOKEN", "B": "!!{env:HOST}"}, "cwd": "~/${HOST}", "inheritEnv": false}"#,
    );
    assert_eq!(process.command, "/home/me/bin/x");
    assert_eq!(process.args, ["-t", "s3cret"]);
    let env: Vec<_> = process
        .env
        .iter()
        .map(|(k, v)| (k.as_str(), v.as_str()))
        .collect();
    assert_eq!(env, [("A", "s3cret"), ("B", "!example.com")]);
    assert_eq!(process.cwd, Some(PathBuf::from("/home/me/example.com")));
    assert!(!process.inherit_env);
}

#[test]
fn defaults_of_a_process() {
    let process = process(r#"{"command": "npx", "args": null, "cwd": ""}"#);
    assert_eq!(process.command, "npx");
    assert!(process.args.is_empty() && process.env.is_empty() && process.inherit_env);
    assert_eq!(process.cwd, None);
}

#[test]
fn urls_headers_and_sockets_are_expanded() {
    let http = http(
        r#"{"url": "https://${HOST}/mcp?k=${TOKEN}", "headers": {"Authorization": "Bearer ${TOKEN}"}}"#,
    );
    assert_eq!(http.url.as_str(), "https://example.com/mcp?k=s3cret");
    assert_eq!(http.headers["authorization"], "Bearer s3cret");
    assert!(http.headers["authorization"].is_sensitive());

    let path = PathBuf::from("/home/me/s.sock");
    assert_eq!(
        transport(r#"{"socket": "~/s.sock"}"#),
        Transport::Socket { path }
    );
}

/// C48: `~` counts where it was written, not where it came from.
#[test]
fn a_tilde_in_a_value_is_a_tilde() {
    let process = process(r#"{"command": "x", "cwd": "${TILDE}"}"#);
    assert_eq!(process.cwd, Some(PathBuf::from("~/x")));
}

#[test]
fn c46_missing_variables_refuse_a_url_and_are_empty_elsewhere() {
    check_error(
        r#"{"url": "https://${NO_HOST}/${NO_PATH}"}"#,
        "url needs environment variables that are not set: NO_HOST, NO_PATH",
    );
    check_warnings(
        r#"{"url": "http://h", "headers": {"Authorization": "Bearer ${NOPE}"}}"#,
        &["headers.Authorization uses the environment variable NOPE, which is not set"],
    );
    check_warnings(
        r#"{"command": "x", "args": ["a", "${NOPE}"]}"#,
        &["args[1] uses the environment variable NOPE, which is not set"],
    );
}

#[test]
fn r112_nothing_that_looks_like_a_reference_leaves_literally() {
    let reference = "holds a \"${\" that begins no reference like ${VAR} or ${VAR:-default} \
        (write \"$${\" for a literal one)";
    check_error(
        r#"{"url": "http://h", "headers": {"X": "${TOKEN"}}"#,
        &format!("headers.X {reference}"),
    );
    check_error(
        r#"{"command": "x", "args": ["${a-b}"]}"#,
        &format!("args[0] {reference}"),
    );
    check_error(
        r#"{"command": "${HOME}/bin/x"}"#,
        "command holds a reference to the environment, which is not replaced here",
    );
    check_error(
        r#"{"command": "x", "env": {"K": "!pass show k"}}"#,
        "env.K asks for the output of a command, which is not supported yet",
    );
}

#[test]
fn exactly_one_transport() {
    let none = " needs one of command, url or socket";
    for entry in [
        "{}",
        r#"{"command": ""}"#,
        r#"{"url": null}"#,
        r#"{"httpUrl": "http://h"}"#,
    ] {
        check_entry_error(entry, none);
    }
    check_entry_error(
        r#"{"command": "x", "socket": "/s", "url": "http://h"}"#,
        " has command and url and socket, but exactly one of command, url and socket is allowed",
    );
    // V6: an empty text counts as absent.
    assert_eq!(process(r#"{"url": "", "command": "x"}"#).command, "x");
}

#[test]
fn r113_other_spellings_lose_nothing() {
    let nested = r#"{"transport": {"type": "http", "url": "http://h/", "headers": {"X": "1"}, "env": null}, "url": null}"#;
    let http = http(nested);
    assert_eq!(
        (http.url.as_str(), &http.headers["x"]),
        ("http://h/", &"1".parse().unwrap())
    );
    assert_eq!(
        self::http(r#"{"serverUrl": "http://h/"}"#).url.as_str(),
        "http://h/"
    );
    check_error(
        r#"{"serverUrl": "http://h", "url": "http://i"}"#,
        "serverUrl is given twice",
    );
    check_error(
        r#"{"url": "http://h", "transport": {"url": "http://i"}}"#,
        "transport.url is given twice",
    );
}

#[test]
fn words_for_the_transport() {
    for word in ["http", "streamable-http", "streamableHttp"] {
        http(&format!(r#"{{"type": "{word}", "url": "http://h"}}"#));
        http(&format!(r#"{{"transport": "{word}", "url": "http://h"}}"#));
    }
    check_error(
        r#"{"type": "sse", "url": "http://h"}"#,
        "type asks for the HTTP+SSE transport, which is not supported yet",
    );
    check_error(
        r#"{"type": "stdio", "url": "http://h"}"#,
        "type contradicts url",
    );
    check_error(
        r#"{"httpTransport": "s3cret", "url": "http://h"}"#,
        r#"httpTransport must be one of "stdio", "http", "streamable-http", "socket""#,
    );
}

#[test]
fn wrong_types_and_values_name_the_field() {
    let cases = [
        (r#"{"command": ["x"]}"#, "command must be a string"),
        (
            r#"{"command": "x", "args": "-v"}"#,
            "args must be an array of strings",
        ),
        (
            r#"{"command": "x", "args": ["a", 3]}"#,
            "args[1] must be a string",
        ),
        (
            r#"{"command": "x", "env": []}"#,
            "env must be an object of strings",
        ),
        (
            r#"{"command": "x", "env": {"PORT": 80}}"#,
            "env.PORT must be a string",
        ),
        (
            r#"{"command": "x", "inheritEnv": "no"}"#,
            "inheritEnv must be true or false",
        ),
        (r#"{"command": "x", "cwd": 1}"#, "cwd must be a string"),
        (
            r#"{"command": "x", "requestTimeoutMs": "5"}"#,
            "requestTimeoutMs must be a number",
        ),
        (
            r#"{"command": "x", "requestTimeoutMs": 1e300}"#,
            "requestTimeoutMs is out of range",
        ),
        (r#"{"url": 1}"#, "url must be a string"),
        (r#"{"url": "ftp://h"}"#, "url must be an http or https URL"),
        (r#"{"url": "s3cret"}"#, "url is not a valid URL"),
        (
            r#"{"url": "http://h", "headers": {"a b": ""}}"#,
            "headers.a b is not a valid header name",
        ),
        (
            r#"{"url": "http://h", "headers": {"X": "${TAIL}"}}"#,
            "headers.X must not hold line breaks or control characters",
        ),
        (
            r#"{"url": "http://h", "headers": {"x": "", "X": ""}}"#,
            "headers.X is given twice",
        ),
        (
            r#"{"command": "x\u0000"}"#,
            "command is empty or holds a character that cannot be passed to a process",
        ),
        (
            r#"{"command": "x", "env": {"A=B": ""}}"#,
            "env.A=B is empty or holds a character that cannot be passed to a process",
        ),
        (
            r#"{"command": "x", "protocolVersion": "2024-11-05"}"#,
            r#"protocolVersion must be one of "legacy", "auto", "2026-07-28""#, // tidy: era
        ),
    ];
    for (entry, expected) in cases {
        check_error(entry, expected);
    }
}

#[test]
fn unknown_early_and_misplaced_keys_are_warned_about() {
    check_warnings(
        r#"{"command": "x", "comand": 1, "lifecycle": "eager", "headers": {}, "disabled": "true"}"#,
        &[
            "comand is not known and is ignored",
            "lifecycle is not supported yet and is ignored",
            "headers has no meaning for this kind of server",
            "disabled is not true or false and is ignored",
        ],
    );
}

#[test]
fn c29_only_a_literal_true_disables() {
    for (value, expected) in [
        ("true", true),
        ("false", false),
        ("\"true\"", false),
        ("1", false),
    ] {
        let config = with_entry(&format!(r#"{{"command": "x", "disabled": {value}}}"#));
        assert_eq!(config.servers[0].disabled, expected, "{value}");
    }
    let unusable = with_entry(r#"{"url": "${NOPE}", "disabled": true}"#);
    assert!(unusable.servers[0].disabled && unusable.servers[0].entry.is_err());
}

#[test]
fn timeouts_and_protocol_choices() {
    let cases = [
        ("0", None),
        ("-1", None),
        ("1500", Some(Duration::from_millis(1500))),
        ("0.5", Some(Duration::from_micros(500))),
    ];
    for (value, expected) in cases {
        let config = with_entry(&format!(
            r#"{{"command": "x", "requestTimeoutMs": {value}}}"#
        ));
        let entry = config.servers[0].entry.as_ref().unwrap();
        assert_eq!(
            (entry.request_timeout, entry.protocol),
            (expected, None),
            "{value}"
        );
    }
    let cases = [
        ("legacy", ProtocolChoice::Greet), // tidy: era
        ("auto", ProtocolChoice::Detect),
        ("2026-07-28", ProtocolChoice::Current),
    ];
    for (word, expected) in cases {
        let config = with_entry(&format!(
            r#"{{"command": "x", "protocolVersion": "{word}"}}"#
        ));
        let entry = config.servers[0].entry.as_ref().unwrap();
        assert_eq!(entry.protocol, Some(expected), "{word}");
    }
}

#[test]
fn names_cannot_write_to_the_terminal() {
    let config = config(r#"{"mcpServers": {"\u001b[2J": {"\u001b[1m": 1}}}"#);
    let error = config.servers[0].entry.as_ref().unwrap_err().to_string();
    let all = error + &warnings(&config).concat();
    assert!(!all.contains('\u{1b}'), "{all:?}");
}
