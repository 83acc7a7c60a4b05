//! Streams, Ctrl-C, and what is left when the program has ended.

use std::path::Path;

use serde_json::json;

use crate::bench::Bench;

#[test]
fn ctrl_c_cancels_a_stream_on_the_wire() {
    let bench = Bench::new();
    let mut running = bench.start(&["stream", "good", "clock/ticks"]);
    assert_eq!(running.line(), "notifications/clock/tick {\"n\":1}\n");
    assert_eq!(running.line(), "notifications/clock/tick {\"n\":2}\n");
    running.interrupt();
    bench.heard.check("ticks have ended");
    let ended = running.wait();
    assert_eq!((ended.code, &*ended.stderr), (Some(0), "cancelled\n"));
}

#[test]
fn a_stream_that_ends_prints_its_result() {
    let bench = Bench::new();
    let ended = bench.run(&["stream", "good", "clock/ticks", "--json", r#"{"times":2}"#]);
    let lines: Vec<_> = ended.stdout.lines().collect();
    assert_eq!(lines[0], r#"notifications/clock/tick {"n":1}"#);
    assert_eq!(lines[1], r#"notifications/clock/tick {"n":2}"#);
    assert!(
        lines[2].contains(r#""ticked":true"#) && lines.len() == 3,
        "{lines:?}"
    );
    assert_eq!((ended.code, &*ended.stderr), (Some(0), ""));

    let ended = bench.run(&[
        "stream",
        "good",
        "clock/ticks",
        "-j",
        "--json",
        r#"{"times":1}"#,
    ]);
    let lines: Vec<serde_json::Value> = ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["params"]["n"], 1);
    assert_eq!(lines[1]["result"]["ticked"], true);
}

#[test]
fn output_that_nobody_reads_ends_the_program_quietly() {
    let bench = Bench::new();
    let mut running = bench.start(&["stream", "good", "clock/ticks"]);
    running.line();
    let ended = running.hang_up();
    assert_eq!((ended.code, &*ended.stderr), (Some(0), ""));
    bench.heard.check("ticks have ended");
}

#[test]
fn ctrl_c_cancels_a_call_on_the_wire() {
    let bench = Bench::new();
    let running = bench.start(&["call", "good", "hang"]);
    bench.heard.check("hang has begun");
    running.interrupt();
    bench.heard.check("hang was cancelled");
    let ended = running.wait();
    // Nobody watches, so nothing is shown of the progress.
    let expected = (Some(1), "", "cancelled\n");
    assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), expected);
}

#[test]
fn a_call_that_stays_silent_for_too_long_is_given_up() {
    let bench = Bench::new();
    let socket = bench.directory.join("good");
    let bench = bench.with("hasty", json!({ "socket": socket, "requestTimeoutMs": 50 }));
    bench.check_failure(
        &["call", "hasty", "hang"],
        1,
        r#"server "hasty": the answer did not come in time"#,
    );
    bench.heard.check("hang has begun");
    bench.heard.check("hang was cancelled");
    // A stream may be silent for as long as it likes.
    let mut running = bench.start(&["stream", "hasty", "clock/ticks"]);
    assert!(!running.line().is_empty());
    running.interrupt();
    assert_eq!(running.wait().code, Some(0));
}

/// A server that keeps a log of what it is told, and leaves its process id.
const LOGS: &str = r#"
    echo $$ > pid
    while read -r line; do
        printf '%s\n' "$line" >> log
        id=${line#*'"id":'}; id=${id%%[,\}]*}
        case $line in
            *'"server/discover"'*)
                result='"supportedVersions":["2026-07-28"],"capabilities":{"extensions":{"com.example/x":{}}}'
                echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"resultType":"complete",'"$result"'}}';;
            *'"x/stream"'*)
                echo '{"jsonrpc":"2.0","method":"notifications/x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":'"$id"'}}}';;
        esac
    done
    echo 'end of input' >> log"#;

#[test]
fn a_child_process_hears_of_the_cancellation_and_is_gone_afterwards() {
    let bench = Bench::new().script("x", LOGS);
    let mut running = bench.start(&["stream", "x", "x/stream"]);
    assert!(running.line().starts_with("notifications/x "));
    assert!(Path::new("/proc").join(bench.read("pid").trim()).exists());
    running.interrupt();
    let ended = running.wait();
    assert_eq!((ended.code, &*ended.stderr), (Some(0), "cancelled\n"));
    assert!(!Path::new("/proc").join(bench.read("pid").trim()).exists());
    let log = bench.read("log");
    let [.., stream, cancelled, end] = &log.lines().collect::<Vec<_>>()[..] else {
        panic!("{log}");
    };
    // The extension was announced because the server had announced it.
    assert!(
        stream.contains("\"x/stream\"") && stream.contains("com.example/x"),
        "{stream}"
    );
    assert!(
        cancelled.contains("\"notifications/cancelled\""),
        "{cancelled}"
    );
    assert_eq!(*end, "end of input");
}

#[test]
fn a_child_process_is_gone_when_connecting_is_cancelled() {
    let bench = Bench::new().script(
        "x",
        "echo $$ > pid; echo > ready; exec sleep 1000 < /dev/null",
    );
    let running = bench.start(&["tools", "x"]);
    while !bench.directory.join("ready").exists() {
        std::thread::yield_now();
    }
    running.interrupt();
    let ended = running.wait();
    assert_eq!((ended.code, &*ended.stderr), (Some(1), "cancelled\n"));
    let stat = Path::new("/proc")
        .join(bench.read("pid").trim())
        .join("stat");
    // It was killed; the system may still be busy with taking it away.
    while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
        std::thread::yield_now();
    }
}
