//! Servers in child processes that misbehave.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use mcp_ext::{CallError, Client};
use mcp_transport::{
    ConnectError,
    duplex::{ClientOptions, Noise},
    stdio::{Child, Command, connect},
};
use serde_json::json;
use tests::clock;

/// Longer than anything here may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server that runs a shell script; `$CLOCK` is a good one.
fn shell(script: &str) -> Command {
    let clock = clock();
    Command::new("sh")
        .args(["-c", script])
        .envs([("CLOCK", clock.to_str().unwrap())])
        .grace(Duration::from_millis(300))
}

async fn open(script: &str) -> Result<Child, ConnectError> {
    let command = shell(script);
    let connecting = connect(&command, ClientOptions::default());
    tokio::time::timeout(PATIENCE, connecting)
        .await
        .expect("connecting hangs")
}

async fn refused(script: &str) -> String {
    open(script)
        .await
        .expect_err("it must not connect")
        .to_string()
}

#[tokio::test]
async fn a_missing_program_and_a_missing_folder_are_named() {
    let error = connect(&Command::new("no-such-program"), Default::default())
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("could not start \"no-such-program\""),
        "{error}"
    );
    let command = shell("exec $CLOCK").current_dir("/no/such/folder");
    let error = connect(&command, Default::default()).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("folder /no/such/folder does not exist"),
        "{error}"
    );
}

#[tokio::test]
async fn a_server_that_ends_at_once_is_quoted() {
    let error = refused("echo 'cannot find module foo' >&2; exit 3").await;
    assert!(
        error.contains("exit status: 3") && error.contains("cannot find module foo"),
        "{error}"
    );
}

#[tokio::test]
async fn r01_text_before_and_between_messages_is_reported_and_skipped() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let noise = heard.clone();
    let options = ClientOptions {
        noise: Some(Noise::new(move |line| {
            noise.lock().unwrap().push(line.to_owned());
        })),
        ..ClientOptions::default()
    };
    let script = "echo Welcome; echo '-5 done'; $CLOCK | while read -r l; do echo \"$l\"; echo between; done";
    let child = connect(&shell(script), options).await.expect("connected");
    assert_eq!(
        Client::new(child.service())
            .list_tools()
            .await
            .unwrap()
            .len(),
        2
    );
    let heard = heard.lock().unwrap().clone();
    assert_eq!(heard[..2], ["Welcome", "-5 done"]);
    child.close().await;
}

#[tokio::test]
async fn text_glued_to_an_answer_ends_its_call_at_once_and_no_other() {
    // The third answer is spoilt: after discovery and a first list.
    let script = r#"$CLOCK | { read -r a; echo "$a"; read -r a; echo "$a"; read -r a; echo "Oops $a"; cat; }"#;
    let child = open(script).await.expect("connected");
    let client = Client::new(child.service());
    client.list_tools().await.unwrap();
    let begun = Instant::now();
    let error = client.list_tools().await.unwrap_err();
    assert!(begun.elapsed() < PATIENCE / 10, "it waited");
    assert!(
        error
            .to_string()
            .starts_with("the answer to tools/list cannot be used"),
        "{error}"
    );
    client.list_tools().await.expect("the connection is usable");
    child.close().await;
}

#[tokio::test]
async fn a_server_that_ends_when_it_is_asked_something_new_is_started_again() {
    // Ends on anything but `initialize` as the first message.
    let script = r#"read -r first; case $first in *'"initialize"'*) { echo "$first"; cat; } | $CLOCK;; *) exit 1;; esac"#;
    let child = open(script).await.expect("connected");
    assert_eq!(child.connection().version().as_str(), "2025-11-25");
    assert_eq!(
        Client::new(child.service())
            .list_tools()
            .await
            .unwrap()
            .len(),
        2
    );
    child.close().await;
}

#[tokio::test]
async fn r68_a_call_ends_when_the_server_dies() {
    // Dies with its third request, after discovery and a list.
    let script = r#"{ read -r a; echo "$a"; read -r a; echo "$a"; read -r a; } | $CLOCK"#;
    let child = open(script).await.expect("connected");
    let client = Client::new(child.service());
    client.list_tools().await.unwrap();
    let arguments = json!({ "from": 1000, "interval_ms": 1000 });
    let call = client.call_tool("countdown", &arguments);
    let ended = tokio::time::timeout(PATIENCE, call)
        .await
        .expect("the call hangs");
    assert!(matches!(ended, Err(CallError::Closed(_))), "{ended:?}");
}

#[tokio::test]
async fn r76_a_flood_on_standard_error_blocks_nothing() {
    let script = "head -c 4000000 /dev/zero | tr '\\0' 'x' >&2; echo last words >&2; exec $CLOCK";
    let child = open(script).await.expect("connected");
    assert_eq!(
        Client::new(child.service())
            .list_tools()
            .await
            .unwrap()
            .len(),
        2
    );
    assert!(
        child.last_words().len() < 4000,
        "{}",
        child.last_words().len()
    );
    child.close().await;
}

/// Whether a process is there and not a zombie.
fn is_running(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        !stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .trim()
            .starts_with('Z')
    })
}

async fn gone(pid: &str) {
    let begun = Instant::now();
    while is_running(pid) {
        assert!(begun.elapsed() < PATIENCE, "process {pid} is still there");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn k22_r64_what_a_wrapper_started_ends_with_it() {
    for closes in [true, false] {
        let said = Arc::new(Mutex::new(String::new()));
        let pid = said.clone();
        let command =
            shell("sleep 1000 & echo $! >&2; exec $CLOCK").stderr(Noise::new(move |line| {
                line.clone_into(&mut pid.lock().unwrap());
            }));
        let child = connect(&command, Default::default())
            .await
            .expect("connected");
        assert_eq!(
            Client::new(child.service())
                .list_tools()
                .await
                .unwrap()
                .len(),
            2
        );
        let pid = said.lock().unwrap().clone();
        assert!(is_running(&pid), "{pid:?}");
        match closes {
            true => child.close().await,
            false => drop(child),
        }
        gone(&pid).await;
    }
}

#[tokio::test]
async fn v26_std_012_a_server_that_does_not_want_to_end_is_ended() {
    // Ignores the end of its input and SIGTERM.
    let script = "trap '' TERM; echo $$ >&2; $CLOCK; while :; do sleep 1; done";
    let child = open(script).await.expect("connected");
    let pid = child
        .last_words()
        .trim_start_matches("; it said: ")
        .to_owned();
    assert!(is_running(&pid), "{pid:?}");
    tokio::time::timeout(PATIENCE, child.close())
        .await
        .expect("closing hangs");
    gone(&pid).await;
}
