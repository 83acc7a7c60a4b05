//! Helpers that know the API; the tests themselves are sorted by what they are about.

use std::time::Duration;

use super::*;

mod fields;
mod files;
mod properties;

fn environment(name: &str) -> Option<String> {
    let value = match name {
        "HOME" => "/home/me",
        "TOKEN" => "s3cret",
        "HOST" => "example.com",
        "TILDE" => "~/x",
        "TAIL" => "line\n",
        _ => return None,
    };
    Some(value.to_owned())
}

#[track_caller]
fn config(text: &str) -> Config {
    let document = Document::parse("m.json", text).unwrap();
    Config::from_documents([document], &environment)
}

/// The configuration with one entry named `s`.
#[track_caller]
fn with_entry(entry: &str) -> Config {
    config(&format!(r#"{{"mcpServers": {{"s": {entry}}}}}"#))
}

#[track_caller]
fn transport(entry: &str) -> Transport {
    let config = with_entry(entry);
    assert_eq!(warnings(&config), [""; 0], "{entry}");
    config.servers[0].entry.clone().unwrap().transport
}

#[track_caller]
fn process(entry: &str) -> Process {
    match transport(entry) {
        Transport::Stdio(process) => process,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn http(entry: &str) -> Http {
    match transport(entry) {
        Transport::Http(http) => http,
        other => panic!("{other:?}"),
    }
}

fn names(config: &Config) -> Vec<&str> {
    config.servers.iter().map(|s| s.name.as_str()).collect()
}

fn warnings(config: &Config) -> Vec<String> {
    config.warnings.iter().map(ToString::to_string).collect()
}

#[track_caller]
fn check_entry_error(entry: &str, expected: &str) {
    let config = with_entry(entry);
    let error = config.servers[0].entry.as_ref().unwrap_err().to_string();
    assert_eq!(error, format!("m.json: server \"s\"{expected}"), "{entry}");
}

#[track_caller]
fn check_error(entry: &str, expected: &str) {
    check_entry_error(entry, &format!(": {expected}"));
}

#[track_caller]
fn check_warnings(entry: &str, expected: &[&str]) {
    let config = with_entry(entry);
    let expected: Vec<_> = expected
        .iter()
        .map(|w| format!("m.json: server \"s\": {w}"))
        .collect();
    assert_eq!(warnings(&config), expected, "{entry}");
    config.servers[0].entry.as_ref().unwrap();
}

#[track_caller]
fn check_syntax(text: &str, expected: &str) {
    let error = Document::parse("m.json", text).unwrap_err();
    assert_eq!(error.to_string(), expected);
}
