//! What is printed when everything works.

use serde_json::{Value, json};

use crate::bench::Bench;

#[test]
fn servers_are_listed_without_starting_any() {
    let bench = Bench::new()
        .script("a", "echo started > started")
        .with(
            "web",
            json!({ "url": "https://example.com/secret?key=s3cret" }),
        )
        .with(
            "off",
            json!({ "command": "x", "args": ["s3cret"], "disabled": true }),
        );
    let socket = bench.directory.join("good");
    let width = socket.display().to_string().len();
    let row = |name: &str, transport: &str, place: &str, state: &str| {
        format!("{name:<4}  {transport:<6}  {place:<width$}  {state}\n")
    };
    let expected = [
        row("good", "socket", &socket.display().to_string(), "enabled"),
        row("a", "stdio", "sh", "enabled"),
        row("web", "http", "https://example.com", "enabled"),
        row("off", "stdio", "x", "disabled"),
    ];
    bench.check(&["servers"], &expected.concat());
    assert!(!bench.directory.join("started").exists());

    let ended = bench.run(&["servers", "--json"]);
    let list: Value = serde_json::from_str(&ended.stdout).unwrap();
    let expected = json!({
        "name": "web", "transport": "http", "where": "https://example.com", "state": "enabled",
    });
    assert_eq!(list[2], expected);
    assert!(!ended.stdout.contains("s3cret"));
}

#[test]
fn tools_are_listed_in_columns() {
    let bench = Bench::new();
    let ended = bench.run(&["tools", "good"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let expected = [
        "add     Adds two numbers.       a: integer, b: integer",
        "draw    Gives a picture.",
        "fail    Fails.                  text: string",
    ];
    assert_eq!(ended.stdout.lines().take(3).collect::<Vec<_>>(), expected);
    let ended = bench.run(&["tools", "good", "--json"]);
    let list: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(list[0]["inputSchema"]["required"], json!(["a", "b"]));
}

#[test]
fn results_of_tools() {
    let bench = Bench::new();
    bench.check(&["call", "good", "add", "-a", "a=1", "-a", "b:=2"], "3\n");
    bench.check(
        &["call", "good", "add", "--json", r#"{"a":1,"b":2}"#],
        "3\n",
    );
    bench.check(&["call", "good", "say", "--arg", "text=[1]"], "[1]\n");
    bench.check(
        &["call", "good", "say", "--arg", "text=a\u{1b}[2J\nb\tc"],
        "a\\u{1b}[2J\nb\tc\n",
    );
    bench.write("note.txt", "from a file\n");
    bench.check(
        &["call", "good", "say", "--arg", "text=@note.txt"],
        "from a file\n",
    );
    bench.check(&["call", "good", "draw"], "[image image/png, 6 bytes]\n");
    bench.check(&["call", "good", "point"], "{\"x\":1.5}\n");

    let ended = bench.run(&["call", "good", "point", "-j"]);
    let result: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(result["structuredContent"], json!({ "x": 1.5 }));
}

#[test]
fn a_tool_that_fails_says_so_on_standard_error() {
    let bench = Bench::new();
    let args = ["call", "good", "fail", "--arg", "text=first\nsecond\u{1b}"];
    let sentence = "tool \"fail\" of server \"good\" failed: first\nsecond\\u{1b}";
    bench.check_failure(&args, 1, sentence);
    // Programs find the whole result where results are.
    let ended = bench.run(&[&args[..], &["-j"]].concat());
    let result: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((ended.code, &result["isError"]), (Some(1), &json!(true)));
}

#[test]
fn resources_and_methods() {
    let bench = Bench::new();
    bench.check(&["read", "good", "test://a"], "first\nsecond\\u{7}\n");
    let ended = bench.run(&["read", "good", "test://b"]);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stderr.contains(r#"there is no resource "test://b""#),
        "{}",
        ended.stderr
    );

    let ended = bench.run(&["request", "good", "clock/alarms"]);
    assert!(
        ended.stdout.contains("  \"labels\": [\n    \"tea\"\n  ]"),
        "{}",
        ended.stdout
    );
    let ended = bench.run(&["request", "good", "clock/alarms", "-j"]);
    assert_eq!(ended.stdout.lines().count(), 1);
}

#[test]
fn warnings_about_the_configuration_come_with_what_they_are_about() {
    let bench = Bench::new().with("odd", json!({ "command": "x", "colour": "red" }));
    let warning = "server \"odd\": colour is not known and is ignored\n";
    assert!(bench.run(&["servers"]).stderr.ends_with(warning));
    assert_eq!(bench.run(&["tools", "good"]).stderr, "");
}
