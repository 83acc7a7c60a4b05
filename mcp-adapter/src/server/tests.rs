//! Connections come, are shared and go.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use mcp_core::RequestMessage;
use mcp_ext::{
    Cx, Extension, ExtensionId,
    extension::{handlers::Handlers, messages::Messages},
};
use mcp_transport::duplex::{Limits, serve};
use serde::{Deserialize, Serialize};
use tokio::{
    io::AsyncReadExt,
    net::{UnixListener, UnixStream},
    sync::mpsc,
    task::AbortHandle,
};

use crate::{
    Adapter, Settings, UseError,
    config::{Config, Document},
};

/// A directory of its own, removed at the end.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("mcp-server-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn adapter(entry: &str) -> Adapter {
    let text = format!(r#"{{"mcpServers": {{"s": {entry}}}}}"#);
    let document = Document::parse("m.json", &text).unwrap();
    let config = Config::from_documents([document], &|_| None);
    Adapter::new(
        &config,
        Settings::default().grace(Duration::from_millis(50)),
    )
}

/// A socket that hands out what connects to it.
fn socket(directory: &Directory, more: &str) -> (Adapter, mpsc::Receiver<UnixStream>) {
    let path = directory.0.join("s");
    let listener = UnixListener::bind(&path).unwrap();
    let (sender, receiver) = mpsc::channel(16);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if sender.send(stream).await.is_err() {
                break;
            }
        }
    });
    (
        adapter(&format!(r#"{{"socket": {:?}{more}}}"#, path.display())),
        receiver,
    )
}

#[derive(Serialize, Deserialize)]
struct ListAlarms {}

#[derive(Serialize, Deserialize)]
struct Alarms {
    labels: Vec<String>,
}

impl RequestMessage for ListAlarms {
    const METHOD: &'static str = "clock/alarms";
    type Result = Alarms;
}

struct Clock;

impl Extension for Clock {
    fn id(&self) -> ExtensionId {
        ExtensionId::from_static("com.example/clock")
    }

    fn messages(&self) -> Messages {
        Messages::none().request::<ListAlarms>()
    }

    fn handlers(&self) -> Handlers {
        Handlers::none().request(async |_: Cx, _: ListAlarms| {
            Ok::<_, std::convert::Infallible>(Alarms {
                labels: vec!["tea".into()],
            })
        })
    }
}

/// Serves one connection to its end.
async fn serve_one(stream: UnixStream) {
    let server = mcp_ext::Server::builder("test", "1")
        .extension(Clock)
        .build()
        .unwrap();
    let (reader, writer) = stream.into_split();
    let _ = serve(server, reader, writer, Limits::default()).await;
}

#[tokio::test]
async fn l10_many_callers_make_one_attempt() {
    let directory = Directory::new();
    let (adapter, mut accepted) = socket(&directory, "");
    let server = adapter.server("s").unwrap();
    let callers = join_all((0..20).map(|_| server.connect()));
    let serving = async {
        let stream = accepted.recv().await.unwrap();
        tokio::spawn(serve_one(stream));
    };
    let (ends, ()) = tokio::join!(callers, serving);
    let first = ends[0].as_ref().unwrap();
    assert!(
        ends.iter()
            .all(|end| Arc::ptr_eq(end.as_ref().unwrap(), first))
    );
    assert!(accepted.try_recv().is_err());
    // L11
    assert!(Arc::ptr_eq(&server.connect().await.unwrap(), first));
}

#[tokio::test]
async fn l12_an_attempt_ends_with_the_last_who_waits() {
    let directory = Directory::new();
    let (adapter, mut accepted) = socket(&directory, "");
    let server = adapter.server("s").unwrap();
    let mut first = Box::pin(server.connect());
    let mut second = Box::pin(server.connect());
    let mut stream = tokio::select! {
        biased;
        _ = &mut first => panic!("nobody answers"),
        _ = &mut second => panic!("nobody answers"),
        stream = accepted.recv() => stream.unwrap(),
    };
    // The one who began it goes; the other one still gets somewhere.
    drop(first);
    let mut byte = [0];
    tokio::select! {
        biased;
        _ = &mut second => panic!("nobody answers"),
        read = stream.read(&mut byte) => assert_eq!(read.unwrap(), 1, "the attempt was aborted"),
    }
    drop(second);
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
}

#[tokio::test]
async fn l14_closing_aborts_an_attempt_and_its_callers_are_told() {
    let directory = Directory::new();
    let (adapter, mut accepted) = socket(&directory, "");
    let server = adapter.server("s").unwrap();
    let caller = tokio::spawn({
        let server = server.clone();
        async move { server.connect().await.map(drop) }
    });
    let mut stream = accepted.recv().await.unwrap();
    tokio::join!(server.close(), server.close());
    let end = caller.await.unwrap();
    assert!(matches!(end, Err(UseError::Closed { .. })), "{end:?}");
    stream.read_to_end(&mut Vec::new()).await.unwrap();

    // B7: the next one is not in the way of anything.
    let next = server.connect();
    let serving = async {
        tokio::spawn(serve_one(accepted.recv().await.unwrap()));
    };
    assert!(tokio::join!(next, serving).0.is_ok());
}

#[tokio::test]
async fn l21_a_server_that_has_gone_is_connected_once_more() {
    let directory = Directory::new();
    let (adapter, mut accepted) = socket(&directory, "");
    let served: Arc<Mutex<Vec<AbortHandle>>> = Arc::default();
    let serving = tokio::spawn({
        let served = served.clone();
        async move {
            while let Some(stream) = accepted.recv().await {
                let task = tokio::spawn(serve_one(stream));
                served.lock().unwrap().push(task.abort_handle());
            }
        }
    });
    let client = adapter.client("s").await.unwrap();
    served.lock().unwrap()[0].abort();
    // A request that is under way when the server goes is not repeated; the next one connects.
    while client.list_tools().await.is_err() {}
    while served.lock().unwrap().len() < 2 {
        assert!(client.list_tools().await.is_ok());
    }
    for _ in 0..5 {
        assert!(client.list_tools().await.is_ok());
    }
    assert_eq!(served.lock().unwrap().len(), 2);
    serving.abort();
}

#[tokio::test]
async fn l24_nothing_connects_after_the_end() {
    let directory = Directory::new();
    let (adapter, mut accepted) = socket(&directory, "");
    let server = adapter.server("s").unwrap();
    let served = tokio::spawn(async move { serve_one(accepted.recv().await.unwrap()).await });
    server.connect().await.unwrap();
    tokio::join!(adapter.close(), adapter.close());
    served.await.unwrap();
    let end = server.connect().await;
    assert!(matches!(end, Err(UseError::Retired { .. })), "{end:?}");
}

#[tokio::test]
async fn l7_what_is_disabled_is_not_started() {
    let error = adapter(r#"{"command": "false", "disabled": true}"#)
        .client("s")
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), r#"server "s" is disabled"#);
}

#[tokio::test]
async fn a_failed_attempt_is_told_to_everybody_and_leaves_the_next_one_free() {
    let adapter = adapter(r#"{"command": "sh", "args": ["-c", "echo no token >&2; exit 3"]}"#);
    let server = adapter.server("s").unwrap();
    for end in join_all((0..3).map(|_| server.connect())).await {
        assert_eq!(
            end.unwrap_err().to_string(),
            "server \"s\": the server closed the connection before it answered (exit status: 3); \
             it said: no token"
        );
    }
    assert!(server.connect().await.is_err());
}

/// Works with servers that hear about extensions with each request, and with those that hear
/// about them once.
#[tokio::test]
async fn extensions_of_the_server_are_announced_to_it() {
    for more in ["", r#", "protocolVersion": "legacy""#] {
        let directory = Directory::new();
        let (adapter, mut accepted) = socket(&directory, more);
        tokio::spawn(async move {
            while let Some(stream) = accepted.recv().await {
                tokio::spawn(serve_one(stream));
            }
        });
        let alarms = adapter
            .client("s")
            .await
            .unwrap()
            .call(&ListAlarms {})
            .await
            .unwrap();
        assert_eq!(alarms.labels, ["tea"]);
        adapter.close().await;
    }
}

fn is_running(pid: &str) -> bool {
    Path::new("/proc").join(pid).exists()
}

/// It ignores the end of its input and the request to terminate.
#[tokio::test]
async fn l23_a_stubborn_process_is_killed_with_all_that_it_started() {
    let directory = Directory::new();
    let pids = directory.0.join("pids");
    let script = format!(
        "trap '' TERM; sleep 1000 & echo $$ $! > '{}'; read -r line; \
         echo '{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"supportedVersions\":[\"2026-07-28\"],\
         \"capabilities\":{{}}}}}}'; read -r line; \
         echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{\"supportedVersions\":[\"2026-07-28\"],\
         \"capabilities\":{{}}}}}}'; while :; do wait; done",
        pids.display()
    );
    let adapter =
        adapter(&serde_json::json!({ "command": "sh", "args": ["-c", script] }).to_string());
    adapter.server("s").unwrap().connect().await.unwrap();
    let pids = std::fs::read_to_string(pids).unwrap();
    assert!(pids.split_whitespace().all(is_running));
    adapter.close().await;
    // Whoever is left was killed and is only waiting to be collected by the init process.
    let gone = |pid: &str| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        status.is_err() || status.is_ok_and(|status| status.contains(") Z "))
    };
    while !pids.split_whitespace().all(gone) {
        tokio::task::yield_now().await;
    }
}
