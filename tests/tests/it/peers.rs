//! Our example server in the hands of clients that we did not write, and the other way round.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use mcp_ext::Client;
use mcp_transport::{Versions, duplex::ClientOptions, stdio};
use serde_json::{Value, json};
use tests::{Peer, clock};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

/// Bounds a whole conversation.
const PATIENCE: Duration = Duration::from_secs(90);

/// The steps that a client reports, by name.
struct Steps(Vec<Value>);

impl Steps {
    #[track_caller]
    fn of(&self, name: &str) -> &Value {
        let step = self.0.iter().find(|step| step["step"] == name);
        step.unwrap_or_else(|| panic!("no step {name} in {:?}", self.0))
    }
}

/// Lets a client walk through a server.
async fn walk(peer: &Peer, era: &str, target: &[&str]) -> Steps {
    let mut command = Command::new(&peer.program);
    command.args(&peer.args).args(target).env("PEER_ERA", era);
    command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .kill_on_drop(true);
    let begun = Instant::now();
    let output = tokio::time::timeout(PATIENCE, command.output());
    let output = output
        .await
        .expect("the client hangs")
        .expect("the client starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let steps = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"));
    let steps = Steps(steps.collect());
    assert!(
        output.status.success(),
        "{} in {:?}: {text}",
        peer.name,
        begun.elapsed()
    );
    steps
}

/// What every client has to see, whatever it speaks.
fn check(steps: &Steps, version: &str) {
    assert_eq!(steps.of("connect")["protocolVersion"], version);
    assert_eq!(steps.of("connect")["server"], "clock");
    let extensions = &steps.of("capabilities")["capabilities"]["extensions"];
    assert_eq!(*extensions, json!({ "com.example/clock": {} }));
    assert_eq!(
        steps.of("tools")["names"],
        json!(["countdown", "set_alarm"])
    );
    assert_eq!(steps.of("call")["isError"], false);
    assert!(steps.of("call")["structured"]["alarms"].is_u64());
    assert_eq!(steps.of("progress")["progress"], json!([1, 2, 3]));
    assert_eq!(steps.of("progress")["text"], "counted down from 3");
    assert_eq!(steps.of("unknown-tool")["code"], -32602);
    assert_eq!(steps.of("bad-arguments")["isError"], true);
    assert_eq!(steps.of("resource")["text"], "A clock that ticks.");
    let missing = &steps.of("missing-resource")["code"];
    assert!(
        [-32602, -32002].map(Value::from).contains(missing),
        "{missing}"
    );
    let alarms = steps.of("extension")["result"]["labels"]
        .as_array()
        .expect("labels");
    assert!(alarms.contains(&json!("tea-🫖")), "{alarms:?}");
}

const ERAS: [(&str, &str); 2] = [("legacy", "2025-11-25"), ("modern", "2026-07-28")];

async fn over_stdio(peer: Option<Peer>) {
    let Some(peer) = peer else { return };
    let clock = clock();
    for (era, version) in ERAS {
        let target = ["stdio", clock.to_str().expect("a path in UTF-8"), "stdio"];
        check(&walk(&peer, era, &target).await, version);
    }
}

async fn over_http(peer: Option<Peer>) {
    let Some(peer) = peer else { return };
    let mut server = Command::new(clock());
    server.args(["http", "--port", "0"]);
    let (_server, url) = listening(server).await;
    for (era, version) in ERAS {
        check(&walk(&peer, era, &["http", &url]).await, version);
    }
}

/// Starts a server that says on standard error where it listens.
async fn listening(mut server: Command) -> (Child, String) {
    server
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let mut child = server.spawn().expect("the server starts");
    let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
    let url = async {
        while let Some(line) = lines.next_line().await.expect("text") {
            if let Some(url) = line.strip_prefix("listening on ") {
                return url.to_owned();
            }
        }
        panic!("the server ended before it listened")
    };
    let url = tokio::time::timeout(PATIENCE, url)
        .await
        .expect("the server does not listen");
    // Whatever else it says must not block it.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    (child, url)
}

#[tokio::test]
async fn typescript_client_over_stdio() {
    over_stdio(Peer::typescript_client()).await;
}

#[tokio::test]
async fn typescript_client_over_http() {
    over_http(Peer::typescript_client()).await;
}

#[tokio::test]
async fn python_client_over_stdio() {
    over_stdio(Peer::python_client()).await;
}

#[tokio::test]
async fn python_client_over_http() {
    over_http(Peer::python_client()).await;
}

fn command(peer: &Peer, args: &[&str]) -> stdio::Command {
    let own = peer
        .args
        .iter()
        .map(|arg| arg.to_string_lossy().into_owned());
    stdio::Command::new(peer.program.to_string_lossy())
        .args(own)
        .args(args.iter().copied())
}

/// A call of a tool and a list, against any server.
async fn echo(client: &Client) {
    let tools = client.list_tools().await.expect("tools");
    assert!(tools.iter().any(|tool| tool.name == "echo"), "{tools:?}");
    let result = client
        .call_tool("echo", &json!({ "message": "hello 🫖" }))
        .await
        .expect("a result");
    assert!(result.joined_text().contains("hello 🫖"), "{result:?}");
}

#[tokio::test]
async fn reference_server_over_stdio() {
    let Some(peer) = Peer::server_everything() else {
        return;
    };
    for versions in [Versions::Auto, Versions::Stateful] {
        let options = ClientOptions::default().versions(versions);
        let child = stdio::connect(&command(&peer, &["stdio"]), options)
            .await
            .expect("connected");
        echo(&Client::new(child.service())).await;
        child.close().await;
    }
}

#[tokio::test]
async fn reference_file_server_over_stdio() {
    let Some(peer) = Peer::server_filesystem() else {
        return;
    };
    let folder = std::env::temp_dir().join(format!("mcp-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("note.txt"), "buy tea").expect("a file");
    let folder = folder.canonicalize().expect("a path");
    let path = folder.to_str().expect("a path in UTF-8");
    let child = stdio::connect(&command(&peer, &[path]), Default::default()).await;
    let child = child.expect("connected");
    let client = Client::new(child.service());
    let arguments = json!({ "path": folder.join("note.txt") });
    let result = client
        .call_tool("read_text_file", &arguments)
        .await
        .expect("a result");
    assert_eq!(result.joined_text(), "buy tea");
    drop(client);
    child.close().await;
    std::fs::remove_dir_all(folder).expect("the folder can go");
}
