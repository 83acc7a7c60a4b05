//! What is shown, in which order, and how each command is expected to end.

use super::{show::Command, stage::Stage};

/// The headings, each with the commands below it.
pub(super) fn acts(stage: &Stage) -> Vec<(&'static str, Vec<Command>)> {
    let mut acts = vec![
        ("the configured servers", vec![Command::new(["servers"])]),
        (
            "tools of a server that is a child process",
            vec![
                Command::new(["tools", "clock"]),
                Command::new(["call", "clock", "set_alarm", "--arg", "label=tea"]),
            ],
        ),
        (
            "a slow tool over HTTP, with progress",
            vec![countdown("clock-http")],
        ),
        (
            "a resource",
            vec![Command::new(["read", "clock", "clock://about"])],
        ),
        (
            "a method of an extension",
            vec![Command::new(["request", "clock", "clock/alarms"])],
        ),
        (
            "a stream of notifications, ended with Ctrl-C",
            vec![ticks("clock"), ticks("clock-http")],
        ),
    ];
    if stage.without_node().is_none() {
        let files = stage.files().to_string_lossy().into_owned();
        acts.push((
            "the reference servers, by other authors",
            vec![
                Command::new(["call", "everything", "echo", "--arg", "message=hello"]),
                Command::new(["call", "everything-http", "echo", "--arg", "message=hello"]),
                Command::new(["call", "files", "list_directory", "--arg"])
                    .argument(format!("path={files}")),
            ],
        ));
    }
    acts.push((
        "a call that fails",
        vec![Command::new(["call", "clock", "nope"]).ends_with(1)],
    ));
    acts
}

fn countdown(server: &str) -> Command {
    Command::new([
        "call",
        server,
        "countdown",
        "--arg",
        "from=3",
        "--arg",
        "interval_ms=50",
    ])
}

fn ticks(server: &str) -> Command {
    Command::new([
        "stream",
        server,
        "clock/ticks",
        "--json",
        r#"{"interval_ms":100}"#,
    ])
    .interrupted_after(3)
}
