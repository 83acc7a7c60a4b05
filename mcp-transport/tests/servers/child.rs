//! The client of child processes against children that misbehave: small shell scripts.

use std::{path::Path, time::Duration};

use mcp_core::Json;
use mcp_ext::{CallError, Client, Outcome, Request};
use mcp_transport::{
    ConnectError, Versions,
    duplex::{ClientOptions, Noise},
    stdio::{Child, Command, connect},
};
use rustix::process::{Pid, test_kill_process};
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::{Instant, timeout},
};
use tower::ServiceExt;

use crate::served::LONG;

/// What every script begins with: answers to a request in `$1`.
const WORDS: &str = r#"
DISCOVERED='{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}'
HELLO='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}'
id() { i=${1#*\"id\":}; i=${i%%,*}; }
answer() { id "$1"; printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$i" "$2"; }
refuse() { id "$1"; printf '{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"no"}}\n' "$i" "$2"; }
"#;

/// A child whose standard error is kept.
struct Script {
    command: Command,
    said: UnboundedReceiver<String>,
}

impl Script {
    /// Runs a script as it is.
    fn raw(script: &str) -> Self {
        let (sender, said) = unbounded_channel();
        let noise = Noise::new(move |line| {
            let _ = sender.send(line.to_owned());
        });
        let script = format!("{WORDS}\n{script}");
        Self {
            command: Command::new("sh")
                .args(["-c", &script])
                .grace(Duration::from_secs(1))
                .stderr(noise),
            said,
        }
    }

    /// A server that answers everything; `cases` come before its own.
    fn server(before: &str, cases: &str) -> Self {
        Self::raw(&format!(
            r#"{before}
            while read -r l; do case "$l" in
            {cases}
            *'"server/discover"'*) answer "$l" "$DISCOVERED";;
            *'"initialize"'*) answer "$l" "$HELLO";;
            *'"notifications/'*) ;;
            *) answer "$l" '{{"ok":true}}';;
            esac; done"#
        ))
    }

    /// As [`server`](Self::server), but of the older kind.
    fn older(before: &str, cases: &str) -> Self {
        let refuses = r#"*'"server/discover"'*) refuse "$l" -32601;;"#;
        Self::server(before, &format!("{cases}\n{refuses}"))
    }

    async fn connect(&self) -> Child {
        self.try_connect(ClientOptions::default()).await.unwrap()
    }

    async fn try_connect(&self, options: ClientOptions) -> Result<Child, ConnectError> {
        timeout(LONG, connect(&self.command, options))
            .await
            .expect("connecting ends")
    }

    /// The next line on standard error.
    async fn said(&mut self) -> String {
        timeout(LONG, self.said.recv())
            .await
            .expect("the child says something")
            .expect("its standard error is read")
    }

    /// A process that the script names as `pid N`.
    async fn pid(&mut self) -> Pid {
        loop {
            if let Some(pid) = self.said().await.strip_prefix("pid ") {
                return Pid::from_raw(pid.parse().unwrap()).unwrap();
            }
        }
    }
}

fn quick() -> ClientOptions {
    ClientOptions {
        probe: Duration::from_millis(500),
        connect: Duration::from_millis(1500),
        ..ClientOptions::default()
    }
}

/// Runs no more; one that nobody reaped may still be listed.
#[track_caller]
fn gone(pid: Pid) -> impl Future<Output = ()> {
    let runs = move || {
        if test_kill_process(pid).is_err() {
            return false;
        }
        let stat = Path::new("/proc").join(pid.to_string()).join("stat");
        let Ok(stat) = std::fs::read_to_string(stat) else {
            return true;
        };
        !stat
            .rsplit(')')
            .next()
            .unwrap()
            .trim_start()
            .starts_with('Z')
    };
    until(move || !runs())
}

/// Neither runs nor waits to be reaped.
#[track_caller]
fn reaped(pid: Pid) -> impl Future<Output = ()> {
    until(move || test_kill_process(pid).is_err())
}

#[track_caller]
fn until(mut done: impl FnMut() -> bool) -> impl Future<Output = ()> {
    let place = std::panic::Location::caller();
    async move {
        let from = Instant::now();
        while !done() {
            assert!(from.elapsed() < LONG / 4, "it did not happen: {place}");
            tokio::task::yield_now().await;
        }
    }
}

async fn ask(child: &Child, method: &'static str) -> Result<Json, CallError> {
    Client::new(child.service()).request(method, None).await
}

/// As [`ask`], at once.
#[track_caller]
fn settles(child: &Child, method: &'static str) -> impl Future<Output = Result<Json, CallError>> {
    let place = std::panic::Location::caller();
    let client = Client::new(child.service());
    async move {
        timeout(LONG / 4, client.request(method, None))
            .await
            .unwrap_or_else(|_| panic!("the call hangs: {place}"))
    }
}

async fn close(child: Child) {
    timeout(LONG, child.close()).await.expect("closing ends");
}

// ---- starting

#[tokio::test]
async fn a_command_that_does_not_exist_is_named() {
    let command = Command::new("no-such-program-anywhere");
    let error = connect(&command, ClientOptions::default())
        .await
        .unwrap_err();
    assert!(matches!(error, ConnectError::Start { .. }), "{error}");
    assert!(error.to_string().contains("no-such-program-anywhere"));
    let command = Command::new("sh").current_dir("no/such/folder");
    let error = connect(&command, ClientOptions::default())
        .await
        .unwrap_err();
    assert!(error.to_string().contains("no/such/folder"), "{error}");
}

#[tokio::test]
async fn a_child_that_ends_at_once_is_quoted() {
    let mut script = Script::raw("echo \"pid $$\" >&2; echo 'token is missing' >&2; exit 3");
    let error = script
        .try_connect(ClientOptions::default())
        .await
        .unwrap_err();
    assert!(matches!(error, ConnectError::Closed(_)), "{error}");
    let text = error.to_string();
    assert!(text.contains("token is missing"), "{text}");
    assert!(text.contains('3'), "{text}");
    reaped(script.pid().await).await;
    // A killed one is told apart.
    let script = Script::raw("kill -9 $$");
    let text = script
        .try_connect(ClientOptions::default())
        .await
        .unwrap_err()
        .to_string();
    assert!(text.contains("signal"), "{text}");
}

#[tokio::test]
async fn r69_r104_v26_std_016_018_a_silent_child_is_probed_greeted_and_ended() {
    let mut script = Script::raw(
        r#"echo "pid $$" >&2; while read -r l; do case "$l" in
        *'"server/discover"'*) echo probe >&2;;
        *'"initialize"'*) echo hello >&2;;
        *) echo "other $l" >&2;;
        esac; done"#,
    );
    let from = Instant::now();
    let error = script.try_connect(quick()).await.unwrap_err();
    assert!(from.elapsed() < LONG / 2);
    assert!(
        error.to_string().contains("did not answer within"),
        "{error}"
    );
    let pid = script.pid().await;
    assert_eq!(script.said().await, "probe");
    assert_eq!(script.said().await, "hello");
    reaped(pid).await;
    // Nothing on standard error either.
    let script = Script::raw("while read -r l; do :; done");
    let error = script.try_connect(quick()).await.unwrap_err();
    assert!(matches!(error, ConnectError::Silent(_)), "{error}");
}

#[tokio::test]
async fn r104_a_child_that_swallows_the_probe_is_greeted() {
    let script = Script::server("", r#"*'"server/discover"'*) ;;"#);
    let options = ClientOptions {
        probe: Duration::from_millis(100),
        ..ClientOptions::default()
    };
    let child = script.try_connect(options).await.unwrap();
    assert!(!child.connection().version().is_stateless());
    assert!(ask(&child, "x/y").await.is_ok());
    close(child).await;
}

#[tokio::test]
async fn v26_std_017_018_019_r20_r103_what_the_answer_to_the_probe_decides() {
    for (answer, stateless) in [
        (r#"answer "$l" "$DISCOVERED""#, true),
        (r#"refuse "$l" -32601"#, false),
        (r#"refuse "$l" -32602"#, false),
        (r#"refuse "$l" -32603"#, false),
        (r#"refuse "$l" -32000"#, false),
        (r#"refuse "$l" 17"#, false),
        (r#"answer "$l" '{}'"#, false),
        (r#"answer "$l" null"#, false),
        (r#"answer "$l" '{"tools":[]}'"#, false),
        (
            r#"echo '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}'"#,
            false,
        ),
        (
            r#"echo '{"jsonrpc":"2.0","error":{"code":-32700,"message":"?"}}'"#,
            false,
        ),
    ] {
        let cases = format!("*'\"server/discover\"'*) {answer};;");
        let script = Script::server("", &cases);
        let child = script.connect().await;
        assert_eq!(
            child.connection().version().is_stateless(),
            stateless,
            "{answer}"
        );
        assert!(ask(&child, "x/y").await.is_ok(), "{answer}");
        close(child).await;
    }
    for code in [-32020, -32021, -32022] {
        let cases = format!(
            "*'\"server/discover\"'*) refuse \"$l\" {code};; *'\"initialize\"'*) echo greeted >&2; answer \"$l\" \"$HELLO\";;"
        );
        let mut script = Script::server("", &cases);
        let error = script
            .try_connect(ClientOptions::default())
            .await
            .unwrap_err();
        assert!(matches!(error, ConnectError::Incompatible(_)), "{error}");
        assert!(script.said.try_recv().is_err(), "it was greeted");
    }
}

#[tokio::test]
async fn a_child_that_ends_when_it_is_probed_is_started_once_more_and_greeted() {
    let mut script = Script::server(
        "echo \"pid $$\" >&2",
        r#"*'"server/discover"'*) echo 'unknown method' >&2; exit 1;;"#,
    );
    let child = script.connect().await;
    assert!(!child.connection().version().is_stateless());
    assert!(ask(&child, "x/y").await.is_ok());
    let first = script.pid().await;
    reaped(first).await;
    let second = script.pid().await;
    assert_ne!(first, second);
    close(child).await;
    reaped(second).await;
}

#[tokio::test]
async fn v26_std_017_only_a_client_that_may_use_both_kinds_starts_it_once_more() {
    for versions in [Versions::Stateless, Versions::Stateful] {
        let mut script = Script::raw("echo \"pid $$\" >&2; read -r l; exit 1");
        let options = ClientOptions::default().versions(versions);
        let error = script.try_connect(options).await.unwrap_err();
        assert!(matches!(error, ConnectError::Closed(_)), "{error}");
        script.pid().await;
        assert!(script.said.try_recv().is_err(), "{versions:?}");
    }
}

#[tokio::test]
async fn r114_a_child_gets_only_the_variables_that_it_should() {
    let mut script = Script::server(
        "echo \"got ${CARGO_MANIFEST_DIR-nothing} ${GIVEN-nothing} ${PATH:+path}\" >&2",
        "",
    );
    script.command = script
        .command
        .inherit_only(&["PATH"])
        .envs([("GIVEN", "$HOME")]);
    let child = script.connect().await;
    assert_eq!(script.said().await, "got nothing $HOME path");
    close(child).await;
}

// ---- what is on standard output

const NOISE: &str =
    r#"printf '%s\n' 'Starting up...' '-5 done' '[info] x' '"q' 'null' '42' '{half' '{}' '[1]' ''"#;

#[tokio::test]
async fn r01_r02_r12_text_between_messages_is_reported_and_does_no_harm() {
    for older in [false, true] {
        let cases = format!(
            r#"*'"error"'*|*'"result"'*) echo "answered $l" >&2;;
            *'"x/y"'*) {NOISE}; printf '\377\376\n'; answer "$l" '{{"ok":1}}'; {NOISE};;"#
        );
        let mut script = match older {
            false => Script::server(NOISE, &cases),
            true => Script::older(NOISE, &cases),
        };
        let (sender, mut lines) = unbounded_channel();
        let options = ClientOptions {
            noise: Some(Noise::new(move |line| {
                let _ = sender.send(line.to_owned());
            })),
            ..ClientOptions::default()
        };
        let child = script.try_connect(options).await.unwrap();
        for _ in 0..3 {
            assert_eq!(
                settles(&child, "x/y").await.unwrap().as_str(),
                r#"{"ok":1}"#
            );
        }
        close(child).await;
        let mut reported = Vec::new();
        while let Ok(line) = lines.try_recv() {
            reported.push(line);
        }
        for line in ["Starting up...", "-5 done", "[info] x", "{half"] {
            let times = reported.iter().filter(|reported| *reported == line).count();
            assert!(times >= 4, "{line}: {times} of {reported:?}");
        }
        // V26-STD-006: nothing of it was answered.
        assert!(script.said.try_recv().is_err());
    }
}

#[tokio::test]
async fn r02_a_printed_list_is_no_request() {
    let mut script = Script::server(
        "",
        r#"*'"error"'*) echo "answered $l" >&2;;
        *'"x/y"'*) echo '[1, 2, 3]'; answer "$l" '{"ok":1}';;"#,
    );
    let child = script.connect().await;
    settles(&child, "x/y").await.unwrap();
    settles(&child, "x/y").await.unwrap();
    close(child).await;
    assert_eq!(script.said.try_recv().ok(), None);
}

#[tokio::test]
async fn text_in_front_of_an_answer_fails_that_call_at_once() {
    let script = Script::server("", r#"*'"x/y"'*) printf 'log: '; answer "$l" '{"ok":1}';;"#);
    let child = script.connect().await;
    let error = settles(&child, "x/y").await.unwrap_err();
    assert!(
        matches!(&error, CallError::InvalidAnswer { method, .. } if method == "x/y"),
        "{error}"
    );
    assert!(settles(&child, "other/z").await.is_ok());
    close(child).await;
}

#[tokio::test]
async fn v26_std_006_text_in_front_of_an_answer_about_methods_fails_that_call_too() {
    let mut script = Script::server(
        "",
        r#"*'"error"'*) echo "answered $l" >&2;;
        *'"x/y"'*) printf 'log: '; answer "$l" '{"method":"GET"}';;"#,
    );
    let child = script.connect().await;
    let error = settles(&child, "x/y").await.unwrap_err();
    assert!(matches!(error, CallError::InvalidAnswer { .. }), "{error}");
    close(child).await;
    assert_eq!(script.said.try_recv().ok(), None, "nothing is answered");
}

#[tokio::test]
async fn lost_calls_answers_that_cannot_be_used_fail_their_call_at_once() {
    for (answer, why) in [
        (
            r#"id "$l"; printf '{"jsonrpc":"2.0","id":%s,"result":{},"error":{"code":1,"message":"x"}}\n' "$i""#,
            "both",
        ),
        (
            r#"id "$l"; printf '{"jsonrpc":"2.0","id":%s,"error":"text"}\n' "$i""#,
            "V26-BASE-013",
        ),
        (
            r#"id "$l"; printf '{"jsonrpc":"2.0","id":%s,"error":{"code":1.5,"message":"x"}}\n' "$i""#,
            "V26-BASE-014",
        ),
        (
            r#"id "$l"; printf '{"jsonrpc":"2.0","id":%s,"result":{"a":\n' "$i""#,
            "cut off",
        ),
        (
            r#"id "$l"; printf '{"id":%s,"result":{}}\n' "$i""#,
            "V26-BASE-002",
        ),
        (r#"answer "$l" null"#, "R102"),
        (r#"answer "$l" '"text"'"#, "no object"),
        (r#"answer "$l" '{"resultType":"zzz"}'"#, "V26-BASE-010"),
        (r#"answer "$l" '{"resultType":7}'"#, "V26-BASE-010"),
    ] {
        let script = Script::server("", &format!("*'\"x/y\"'*) {answer};;"));
        let child = script.connect().await;
        let error = settles(&child, "x/y").await.expect_err(why);
        assert!(
            matches!(&error, CallError::InvalidAnswer { method, .. } if method == "x/y"),
            "{why}: {error}"
        );
        assert!(settles(&child, "other/z").await.is_ok(), "{why}");
        close(child).await;
    }
}

#[tokio::test]
async fn lost_calls_r126_odd_but_good_answers_arrive() {
    for result in [
        r#"{"a":"\\ud800"}"#,
        r#"{"a":1e400,"b":123456789012345678901234567890}"#,
        &format!("{{\"a\":{}{}}}", "[".repeat(2000), "]".repeat(2000)),
    ] {
        let script = Script::server("", &format!("*'\"x/y\"'*) answer \"$l\" '{result}';;"));
        let child = script.connect().await;
        let got = settles(&child, "x/y").await.unwrap();
        assert!(got.as_str().len() + 2 >= result.len(), "{result}");
        close(child).await;
    }
}

#[tokio::test]
#[ignore = "an answer with another id is dropped without a word"]
async fn r16_an_answer_whose_id_became_text_settles_its_call() {
    let cases = r#"*'"x/y"'*) id "$l"; printf '{"jsonrpc":"2.0","id":"%s","result":{}}\n' "$i";;"#;
    let child = Script::server("", cases).connect().await;
    let _ = settles(&child, "x/y").await;
    close(child).await;
}

#[tokio::test]
#[ignore = "an answer whose id cannot be read is noise"]
async fn r17_an_answer_whose_id_became_a_fraction_settles_its_call() {
    let cases = r#"*'"x/y"'*) id "$l"; printf '{"jsonrpc":"2.0","id":%s.0,"result":{}}\n' "$i";;"#;
    let child = Script::server("", cases).connect().await;
    let _ = settles(&child, "x/y").await;
    close(child).await;
}

#[tokio::test]
async fn k18_an_answer_that_is_too_long_fails_its_call_only() {
    let cases = r#"*'"x/y"'*) id "$l"; printf '{"jsonrpc":"2.0","id":%s,"result":{"a":"%s"}}\n' "$i" "$(printf '%05000d' 0)";;"#;
    let script = Script::server("", cases);
    let mut options = ClientOptions::default();
    options.limits.message = 4096;
    let child = script.try_connect(options).await.unwrap();
    let error = settles(&child, "x/y").await.unwrap_err();
    assert!(matches!(error, CallError::InvalidAnswer { .. }), "{error}");
    assert!(settles(&child, "other/z").await.is_ok());
    close(child).await;
}

#[tokio::test]
async fn r03_another_framing_ends_at_the_deadline() {
    let script = Script::raw(
        r#"read -r l; printf 'Content-Length: 40\r\n\r\n'; answer "$l" "$HELLO" | tr -d '\n'; cat >/dev/null"#,
    );
    let error = script.try_connect(quick()).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("did not answer within"), "{text}");
    assert!(text.contains("Content-Length"), "what it printed: {text}");
}

// ---- what goes to standard input

#[tokio::test]
async fn v26_std_006_requests_of_a_stateless_server_are_not_answered() {
    let mut script = Script::server(
        "",
        r#"*'"error"'*|*'"result"'*) echo "answered $l" >&2;;
        *'"x/y"'*) for m in ping roots/list sampling/createMessage; do
            printf '{"jsonrpc":"2.0","id":"s","method":"%s"}\n' $m; done
            answer "$l" '{"ok":1}';;"#,
    );
    let child = script.connect().await;
    settles(&child, "x/y").await.unwrap();
    settles(&child, "x/y").await.unwrap();
    close(child).await;
    assert_eq!(script.said.try_recv().ok(), None);
}

#[tokio::test]
async fn v26_std_006_malformed_requests_of_a_stateless_server_are_not_answered_either() {
    let mut script = Script::server(
        "",
        r#"*'"error"'*) echo "answered $l" >&2;;
        *'"x/y"'*) echo '{"jsonrpc":"2.0","id":"s","method":"ping","params":[]}'; answer "$l" '{"ok":1}';;"#,
    );
    let child = script.connect().await;
    settles(&child, "x/y").await.unwrap();
    settles(&child, "x/y").await.unwrap();
    close(child).await;
    assert_eq!(script.said.try_recv().ok(), None);
}

#[tokio::test]
async fn v2511_ping_001_requests_of_an_older_server_are_answered() {
    let mut script = Script::older(
        "",
        r#"*'"error"'*|*'"result"'*) echo "$l" >&2;;
        *'"x/y"'*) echo '{"jsonrpc":"2.0","id":"p","method":"ping"}'
            echo '{"jsonrpc":"2.0","id":"r","method":"roots/list"}'
            answer "$l" '{"ok":1}';;"#,
    );
    let child = script.connect().await;
    settles(&child, "x/y").await.unwrap();
    assert_eq!(
        script.said().await,
        r#"{"jsonrpc":"2.0","id":"p","result":{}}"#
    );
    assert!(
        script
            .said()
            .await
            .starts_with(r#"{"jsonrpc":"2.0","id":"r","error":{"code":-32601,"#)
    );
    close(child).await;
}

#[tokio::test]
async fn v26_std_009_r119_r122_a_dropped_call_is_cancelled_once_and_its_late_answer_ignored() {
    let mut script = Script::server(
        "",
        r#"*'"x/y"'*) held=$l; echo held >&2;;
        *notifications/cancelled*) echo "$l" >&2; answer "$held" '{"late":1}';;"#,
    );
    let child = script.connect().await;
    let service = child.service();
    let call = tokio::spawn(service.oneshot(Request::new("x/y", None)));
    assert_eq!(script.said().await, "held");
    call.abort();
    let cancelled = script.said().await;
    assert!(cancelled.contains("\"requestId\":2"), "{cancelled}");
    for _ in 0..3 {
        let got = settles(&child, "other/z").await.unwrap();
        assert_eq!(got.as_str(), r#"{"ok":true}"#);
    }
    close(child).await;
    assert_eq!(script.said.try_recv().ok(), None, "once");
}

#[tokio::test]
async fn t31_a_child_that_never_reads_does_not_keep_anybody() {
    let script = Script::raw(r#"read -r l; answer "$l" "$DISCOVERED"; while :; do sleep 1; done"#);
    let child = script.connect().await;
    let big = Json::from_value(&serde_json::json!({ "text": "x".repeat(4_000_000) })).unwrap();
    let call = child.service().oneshot(Request::new("x/y", Some(big)));
    let unanswered = timeout(Duration::from_millis(100), call).await;
    assert!(unanswered.is_err());
    let from = Instant::now();
    close(child).await;
    assert!(from.elapsed() < LONG / 2);
}

// ---- ends

#[tokio::test]
async fn r68_a_child_that_dies_in_a_call_fails_it_at_once() {
    for end in ["kill -9 $$", "exit 1", "exec >&-; sleep 60"] {
        let script = Script::server("", &format!("*'\"x/y\"'*) {end};;"));
        let child = script.connect().await;
        let error = settles(&child, "x/y").await.unwrap_err();
        assert!(matches!(error, CallError::Closed(_)), "{end}: {error}");
        assert!(child.connection().is_closed());
        // And the next one.
        let error = settles(&child, "other/z").await.unwrap_err();
        assert!(matches!(error, CallError::Closed(_)), "{end}: {error}");
        close(child).await;
    }
}

#[tokio::test]
#[ignore = "the end of the process is not watched, only of its output"]
async fn r68_t31_a_child_that_dies_fails_its_calls_though_another_holds_its_output() {
    let script = Script::server("sleep 60 &", "*'\"x/y\"'*) kill -9 $$;;");
    let child = script.connect().await;
    let error = settles(&child, "x/y").await.unwrap_err();
    assert!(matches!(error, CallError::Closed(_)), "{error}");
    close(child).await;
}

#[tokio::test]
#[ignore = "the end of the process is not watched, only of its output"]
async fn t31_a_child_that_ends_at_once_is_noticed_though_another_holds_its_output() {
    let script = Script::raw("sleep 60 & echo 'no config' >&2; exit 1");
    let from = Instant::now();
    let options = ClientOptions {
        connect: LONG / 2,
        ..ClientOptions::default()
    };
    let error = script.try_connect(options).await.unwrap_err();
    assert!(error.to_string().contains("no config"), "{error}");
    assert!(from.elapsed() < LONG / 4, "{:?}", from.elapsed());
}

#[tokio::test]
async fn calls_in_flight_end_when_the_connection_is_closed() {
    let mut script = Script::server("", "*'\"x/y\"'*) echo held >&2;;");
    let child = script.connect().await;
    let call = tokio::spawn(child.service().oneshot(Request::new("x/y", None)));
    script.said().await;
    close(child).await;
    let ended: Result<Outcome, _> = call.await.unwrap();
    assert!(matches!(ended, Err(CallError::Closed(_))), "{ended:?}");
}

#[tokio::test]
async fn k22_r64_what_a_wrapper_left_behind_is_gone_after_the_close() {
    let wrapper = "sleep 60 & echo \"pid $!\" >&2; echo \"pid $$\" >&2";
    let mut script = Script::server(wrapper, "");
    let child = script.connect().await;
    let (grandchild, itself) = (script.pid().await, script.pid().await);
    assert!(test_kill_process(grandchild).is_ok());
    close(child).await;
    reaped(itself).await;
    gone(grandchild).await;
    // Through `exec`, which gives the wrapper's place to the server.
    let mut script = Script::raw(&format!(
        r#"{wrapper}; exec sh -c 'read -r l; printf "%s\n" "$1"; cat >/dev/null' server "$(
            printf '{{"jsonrpc":"2.0","id":1,"result":%s}}' "$DISCOVERED")""#
    ));
    let child = script.connect().await;
    let (grandchild, itself) = (script.pid().await, script.pid().await);
    close(child).await;
    reaped(itself).await;
    gone(grandchild).await;
}

#[tokio::test]
async fn k22_r64_what_a_wrapper_left_behind_is_gone_after_the_drop() {
    let mut script = Script::server("sleep 60 & echo \"pid $!\" >&2; echo \"pid $$\" >&2", "");
    let child = script.connect().await;
    let (grandchild, itself) = (script.pid().await, script.pid().await);
    drop(child);
    gone(itself).await;
    gone(grandchild).await;
    // Also when connecting is given up.
    let mut script = Script::raw("sleep 60 & echo \"pid $!\" >&2; cat >/dev/null");
    let connecting = tokio::spawn({
        let command = script.command.clone();
        async move { connect(&command, ClientOptions::default()).await }
    });
    let grandchild = script.pid().await;
    connecting.abort();
    gone(grandchild).await;
}

#[tokio::test]
async fn k22_what_a_silent_wrapper_left_behind_is_gone() {
    let mut script = Script::raw("sleep 60 & echo \"pid $!\" >&2; cat >/dev/null");
    script.try_connect(quick()).await.unwrap_err();
    gone(script.pid().await).await;
}

#[tokio::test]
async fn k22_what_a_wrapper_left_behind_is_gone_when_it_ended_by_itself() {
    // Its output is closed, so its end is noticed.
    let mut script = Script::raw("sleep 60 >/dev/null 2>&1 & echo \"pid $!\" >&2; exit 1");
    script
        .try_connect(ClientOptions::default())
        .await
        .unwrap_err();
    let (first, second) = (script.pid().await, script.pid().await);
    gone(second).await;
    gone(first).await;
}

#[tokio::test]
async fn k22_what_a_child_left_behind_is_gone_when_it_died_later() {
    let mut script = Script::server(
        "sleep 60 >/dev/null 2>&1 & echo \"pid $!\" >&2",
        "*'\"x/y\"'*) kill -9 $$;;",
    );
    let child = script.connect().await;
    settles(&child, "x/y").await.unwrap_err();
    let grandchild = script.pid().await;
    close(child).await;
    gone(grandchild).await;
}

#[tokio::test]
async fn v26_std_012_v2511_life_016_a_polite_child_ends_by_itself() {
    let mut script = Script::raw(
        r#"trap 'echo term >&2; exit' TERM
        while read -r l; do case "$l" in *discover*) answer "$l" "$DISCOVERED";; esac; done
        echo bye >&2"#,
    );
    script.command = script.command.grace(LONG);
    let child = script.connect().await;
    close(child).await;
    assert_eq!(script.said().await, "bye");
    assert_eq!(script.said.try_recv().ok(), None, "no signal");
}

#[tokio::test]
async fn v26_std_012_a_child_that_ignores_the_end_of_its_input_gets_sigterm() {
    let mut script = Script::raw(
        r#"trap 'echo term >&2; exit' TERM
        echo "pid $$" >&2
        read -r l; answer "$l" "$DISCOVERED"
        while :; do sleep 0.05; done"#,
    );
    let child = script.connect().await;
    let pid = script.pid().await;
    close(child).await;
    // The shell has a word for its own child.
    while script.said().await != "term" {}
    reaped(pid).await;
}

#[tokio::test]
async fn v26_std_012_k22_a_child_that_ignores_everything_is_killed_with_its_group() {
    let mut script = Script::raw(
        r#"trap '' TERM INT HUP
        sh -c 'trap "" TERM INT HUP; while :; do sleep 1; done' & echo "pid $!" >&2
        echo "pid $$" >&2
        read -r l; answer "$l" "$DISCOVERED"
        while :; do sleep 1; done"#,
    );
    let child = script.connect().await;
    let (grandchild, itself) = (script.pid().await, script.pid().await);
    let from = Instant::now();
    close(child).await;
    let took = from.elapsed();
    assert!(
        took >= Duration::from_secs(2),
        "two grace periods: {took:?}"
    );
    assert!(took < LONG / 2, "{took:?}");
    reaped(itself).await;
    gone(grandchild).await;
}

// ---- standard error

#[tokio::test]
async fn r76_v26_std_002_a_flood_on_standard_error_blocks_nothing() {
    let flood = "head -c 262144 /dev/zero | tr '\\0' 'x' >&2";
    for flood in [
        flood.to_owned(),
        format!("{flood}; {flood}; echo >&2"),
        "i=0; while [ $i -lt 5000 ]; do echo 'a line of fifty characters or about that many' >&2; i=$((i+1)); done".into(),
    ] {
        let script = Script::server(&flood, &format!("*'\"x/y\"'*) {flood}; answer \"$l\" '{{}}';;"));
        let child = script.connect().await;
        settles(&child, "x/y").await.unwrap();
        assert!(child.last_words().len() < 64 * 1024);
        close(child).await;
    }
}

#[tokio::test]
async fn r78_what_is_quoted_of_standard_error_is_bounded_and_clean() {
    let script = Script::raw(
        r"printf '\033[31mred\033[0m \007bell\n' >&2; printf '\377\376 bytes\n' >&2; printf '%09000d\n' 0 >&2; exit 1",
    );
    let text = script
        .try_connect(ClientOptions::default())
        .await
        .unwrap_err()
        .to_string();
    assert!(text.contains("red") && text.contains("bytes"), "{text}");
    assert!(!text.contains(char::is_control), "{text:?}");
    assert!(text.len() < 4096, "{}", text.len());
}
