//! Must-show 4: one clear sentence that names server and cause, an exit code, and other servers
//! that stay usable.

use std::fs;

use serde_json::{Value, json};

use crate::bench::{Bench, web};

/// Answers the first questions of a client, and lists no tools.
const ANSWERS: &str = r#"
    while read -r line; do
        id=${line#*'"id":'}; id=${id%%[,\}]*}
        case $line in
            *'"server/discover"'*) body='"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}';;
            *'"tools/list"'*) body='"result":{"tools":[]}';;
            *'"id"'*) body='"error":{"code":-32601,"message":"no such method"}';;
            *) continue;;
        esac
        echo "$before"'{"jsonrpc":"2.0","id":'"$id,$body"'}'
    done"#;

#[test]
fn a_missing_command() {
    let bench = Bench::new().with("gone", json!({ "command": "no-such-program" }));
    bench.check_failure(
        &["tools", "gone"],
        1,
        r#"server "gone": could not start "no-such-program": No such file or directory (os error 2)"#,
    );
}

#[test]
fn a_missing_folder_is_not_a_missing_command() {
    let bench = Bench::new().with("b27", json!({ "command": "sh", "cwd": "/no/such" }));
    bench.check_failure(
        &["tools", "b27"],
        1,
        r#"server "b27": folder /no/such does not exist"#,
    );
}

#[test]
fn a_server_that_exits_at_once_is_quoted() {
    let bench = Bench::new().script("dead", "echo 'no token \u{1b}[31mgiven' >&2; exit 3");
    bench.check_failure(
        &["call", "dead", "x"],
        1,
        "server \"dead\": the server closed the connection before it answered (exit status: 3); \
         it said: no token [31mgiven",
    );
}

#[test]
fn text_before_json_on_lines_of_its_own_is_tolerated_and_said_once() {
    let bench = Bench::new().script(
        "chatty",
        &format!("echo Starting...; echo 'On port 1'; before=; {ANSWERS}"),
    );
    let ended = bench.run(&["tools", "chatty", "--json"]);
    assert_eq!((ended.code, &*ended.stdout), (Some(0), "[]\n"));
    assert_eq!(
        ended.stderr,
        "warning: server \"chatty\" printed text that is not a message on standard output: \
         \"Starting...\"\n"
    );
    // A check finds fault with it all the same.
    let checked = bench.run(&["servers", "--check"]);
    assert_eq!(checked.code, Some(1), "{}", checked.stderr);
    assert!(
        checked.stderr.contains("server \"chatty\" printed text"),
        "{}",
        checked.stderr
    );
    let sentence =
        "mcp: 1 of the servers print text on standard output, where only messages belong";
    assert!(
        checked.stderr.lines().any(|line| line == sentence),
        "{}",
        checked.stderr
    );
}

#[test]
fn text_in_front_of_json_makes_it_unreadable() {
    let bench = Bench::new().script("mixed", &format!("before='Log: '; {ANSWERS}"));
    let ended = bench.run(&["tools", "mixed"]);
    assert_eq!(ended.code, Some(1));
    let sentence = ended.stderr.lines().last().unwrap();
    assert!(
        sentence.starts_with("mcp: server \"mixed\": the answer to "),
        "{sentence}"
    );
    assert!(sentence.contains("not JSON"), "{sentence}");
    bench.check(
        &["call", "good", "add", "--arg", "a=1", "--arg", "b=2"],
        "3\n",
    );
}

#[test]
fn a_url_that_is_not_mcp() {
    let url = web(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\
                   Connection: close\r\n\r\nhello",
    );
    let bench = Bench::new().with("web", json!({ "url": format!("{url}?key=s3cret") }));
    let ended = bench.run(&["tools", "web"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(
        ended.stderr.starts_with("mcp: server \"web\": "),
        "{}",
        ended.stderr
    );
    assert_eq!(ended.stderr.lines().count(), 1);
    assert!(!ended.stderr.contains("s3cret"), "{}", ended.stderr);
    bench.check(
        &["call", "good", "add", "--arg", "a=1", "--arg", "b=2"],
        "3\n",
    );
}

#[test]
fn a_url_that_wants_authorization() {
    let url = web(
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\
                   Connection: close\r\n\r\n",
    );
    let bench = Bench::new().with("web", json!({ "url": url }));
    let sentence = r#"server "web": the server wants authorization (HTTP 401)"#;
    bench.check_failure(&["tools", "web"], 3, sentence);
}

#[test]
fn invalid_configuration() {
    let bench = Bench::new();
    let bad = bench.write("bad.json", "{\"mcpServers\": {\n  oops}}");
    let ended = bench.run(&["--config", "bad.json", "tools", "x"]);
    assert_eq!(ended.code, Some(4));
    assert!(
        ended.stderr.starts_with("mcp: bad.json:2:3: "),
        "{}",
        ended.stderr
    );

    // C3: as one of several files it costs only its own servers.
    fs::rename(bad, bench.directory.join(".mcp.json")).unwrap();
    let ended = bench.run(&["call", "good", "add", "--arg", "a=1", "--arg", "b=2"]);
    assert_eq!((ended.code, &*ended.stdout), (Some(0), "3\n"));
    assert!(ended.stderr.contains(".mcp.json:2:3: "), "{}", ended.stderr);
    let ended = bench.run(&["tools", "lost"]);
    assert_eq!(ended.code, Some(4));
    assert!(
        ended.stderr.contains(r#"mcp: there is no server "lost""#),
        "{}",
        ended.stderr
    );
    assert_eq!(bench.run(&["servers"]).code, Some(4));

    bench.check_missing();
}

impl Bench {
    #[track_caller]
    fn check_missing(&self) {
        let ended = self.run(&["--config", "nowhere.json", "servers"]);
        let sentence = "mcp: no configuration file nowhere.json\n";
        assert_eq!((ended.code, &*ended.stderr), (Some(4), sentence));
    }
}

#[test]
fn an_entry_that_cannot_be_used() {
    let bench = Bench::new().with("bad", json!({ "command": "x", "url": "http://y" }));
    let ended = bench.run(&["tools", "bad"]);
    assert_eq!(ended.code, Some(4));
    assert!(
        ended
            .stderr
            .contains(r#"server "bad" has command and url, but exactly one"#),
        "{}",
        ended.stderr
    );
    bench.check(
        &["call", "good", "add", "--arg", "a=1", "--arg", "b=2"],
        "3\n",
    );
}

#[test]
fn no_configuration_at_all() {
    let bench = Bench::new();
    fs::remove_file(bench.directory.join("mcp.json")).unwrap();
    let ended = bench.run(&["servers"]);
    assert_eq!(ended.code, Some(4));
    for part in [
        "no servers are configured; looked for ",
        ".config/mcp/mcp.json",
        "{\"mcpServers\"",
    ] {
        assert!(ended.stderr.contains(part), "{}", ended.stderr);
    }
}

#[test]
fn names_that_do_not_exist() {
    let bench = Bench::new().with("off", json!({ "command": "x", "disabled": true }));
    bench.check_failure(
        &["tools", "goood"],
        2,
        r#"there is no server "goood"; did you mean "good"?"#,
    );
    bench.check_failure(
        &["call", "good", "ad"],
        1,
        r#"server "good" has no tool "ad"; did you mean "add"?"#,
    );
    bench.check_failure(&["tools", "off"], 1, r#"server "off" is disabled"#);
    bench.check_failure(
        &["request", "good", "no/such"],
        1,
        r#"server "good": method "no/such" is not known here (error -32601)"#,
    );
}

#[test]
fn wrong_arguments() {
    let bench = Bench::new();
    bench.check_failure(
        &["call", "good", "add", "--arg", "a=one", "--arg", "b=2"],
        2,
        r#"tool "add" of server "good": argument "a" must be an integer, not "one""#,
    );
    bench.check_failure(
        &["call", "good", "add", "--json", r#"{"a": 1}"#],
        2,
        r#"tool "add" of server "good": argument "b" is missing"#,
    );
    bench.check_failure(
        &["call", "good", "add", "--json", "[1]"],
        2,
        "--json must be a JSON object, not an array",
    );
    // What only the server can see is the server's to say.
    let ended = bench.run(&["call", "good", "add", "--json", r#"{"a": 1, "b": 1e300}"#]);
    let sentence = "mcp: tool \"add\" of server \"good\" failed: the arguments do not fit: `b`: ";
    assert_eq!((ended.code, &*ended.stdout), (Some(1), ""));
    assert!(ended.stderr.starts_with(sentence), "{}", ended.stderr);
    assert_eq!(
        bench.run(&["call", "good", "add", "--arg", "a"]).code,
        Some(2)
    );
}

#[test]
fn programs_get_failures_as_json_as_well() {
    let bench = Bench::new();
    let ended = bench.run(&["call", "good", "refuse", "-j"]);
    assert_eq!((ended.code, &*ended.stdout), (Some(1), ""));
    let (sentence, json) = ended.stderr.split_once('\n').unwrap();
    assert_eq!(sentence, r#"mcp: server "good": no more\ttea (error 7)"#);
    let json: Value = serde_json::from_str(json).unwrap();
    assert_eq!(
        json,
        json!({ "error": {
            "message": "server \"good\": no more\ttea (error 7)",
            "kind": "error-answer",
            "code": 7,
        } })
    );
}

#[test]
fn one_failing_server_does_not_spoil_the_others() {
    let bench = Bench::new()
        .with("gone", json!({ "command": "no-such-program" }))
        .script("dead", "exit 3")
        .script("silent", "exec sleep 1000 < /dev/null")
        .with("off", json!({ "command": "x", "disabled": true }));
    let mut running = bench.start(&["servers", "--check"]);
    let mut lines: Vec<_> = (0..4).map(|_| running.line()).collect();
    lines.sort();
    assert_eq!(lines[0].split_whitespace().next(), Some("dead"));
    assert_eq!(lines[1].split_whitespace().next(), Some("gone"));
    assert!(
        lines[2].ends_with("ok, 2026-07-28, test 1.0.0, 7 tools, extensions com.example/clock\n"),
        "{}",
        lines[2]
    );
    assert!(
        lines[3].starts_with("off ") && lines[3].ends_with(" disabled\n"),
        "{}",
        lines[3]
    );
    // The silent one would take half a minute.
    running.interrupt();
    let ended = running.wait();
    assert_eq!((ended.code, &*ended.stderr), (Some(1), "cancelled\n"));
}
