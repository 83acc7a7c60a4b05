//! Generated messages of a version fit the schema of the version.

use mcp_core::{Json, ProtocolVersion, strategies};
use proptest::{
    strategy::Strategy,
    test_runner::{Config, TestCaseError, TestRunner},
};
use serde_json::{Value, json};

use crate::files::{Published, published, report};

/// How many messages of each method are generated.
const CASES: u32 = 48;

/// The definitions of a method's request and of its result.
const REQUESTS: &[(&str, &str, &str)] = &[
    ("initialize", "InitializeRequest", "InitializeResult"),
    ("server/discover", "DiscoverRequest", "DiscoverResult"),
    ("ping", "PingRequest", "EmptyResult"),
    ("tools/list", "ListToolsRequest", "ListToolsResult"),
    ("tools/call", "CallToolRequest", "CallToolResult"),
    (
        "resources/list",
        "ListResourcesRequest",
        "ListResourcesResult",
    ),
    (
        "resources/templates/list",
        "ListResourceTemplatesRequest",
        "ListResourceTemplatesResult",
    ),
    (
        "resources/read",
        "ReadResourceRequest",
        "ReadResourceResult",
    ),
    ("resources/subscribe", "SubscribeRequest", "EmptyResult"),
    ("resources/unsubscribe", "UnsubscribeRequest", "EmptyResult"),
    ("prompts/list", "ListPromptsRequest", "ListPromptsResult"),
    ("prompts/get", "GetPromptRequest", "GetPromptResult"),
    ("completion/complete", "CompleteRequest", "CompleteResult"),
    ("logging/setLevel", "SetLevelRequest", "EmptyResult"),
    (
        "subscriptions/listen",
        "SubscriptionsListenRequest",
        "SubscriptionsListenResult",
    ),
    ("tasks/get", "GetTaskRequest", "GetTaskResult"),
    (
        "tasks/result",
        "GetTaskPayloadRequest",
        "GetTaskPayloadResult",
    ),
    ("tasks/list", "ListTasksRequest", "ListTasksResult"),
    ("tasks/cancel", "CancelTaskRequest", "CancelTaskResult"),
    (
        "sampling/createMessage",
        "CreateMessageRequest",
        "CreateMessageResult",
    ),
    ("elicitation/create", "ElicitRequest", "ElicitResult"),
    ("roots/list", "ListRootsRequest", "ListRootsResult"),
];

const NOTIFICATIONS: &[(&str, &str)] = &[
    ("notifications/initialized", "InitializedNotification"),
    (
        "notifications/subscriptions/acknowledged",
        "SubscriptionsAcknowledgedNotification",
    ),
    ("notifications/cancelled", "CancelledNotification"),
    ("notifications/progress", "ProgressNotification"),
    ("notifications/message", "LoggingMessageNotification"),
    (
        "notifications/resources/updated",
        "ResourceUpdatedNotification",
    ),
    (
        "notifications/resources/list_changed",
        "ResourceListChangedNotification",
    ),
    (
        "notifications/tools/list_changed",
        "ToolListChangedNotification",
    ),
    (
        "notifications/prompts/list_changed",
        "PromptListChangedNotification",
    ),
    (
        "notifications/roots/list_changed",
        "RootsListChangedNotification",
    ),
    (
        "notifications/elicitation/complete",
        "ElicitationCompleteNotification",
    ),
    ("notifications/tasks/status", "TaskStatusNotification"),
];

#[test]
fn generated_messages_of_a_version_fit_its_schema() {
    for published in published() {
        let version = published.version;
        let mut methods = 0;
        for (method, params) in strategies::params(version) {
            let (_, of, _) = request(method);
            fits(
                &published,
                of,
                method,
                &params,
                |params| json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }),
            );
            methods += 1;
        }
        for (method, result) in strategies::results(version) {
            let (_, _, of) = request(method);
            fits(&published, of, method, &result, |result| result);
        }
        for (method, params) in strategies::notifications(version) {
            let (_, of) = NOTIFICATIONS
                .iter()
                .find(|(name, _)| *name == method)
                .unwrap_or_else(|| panic!("no definition for {method}"));
            fits(
                &published,
                of,
                method,
                &params,
                |params| json!({ "jsonrpc": "2.0", "method": method, "params": params }),
            );
            methods += 1;
        }
        if version == ProtocolVersion::LATEST {
            let asking = strategies::asking_result();
            fits(&published, "InputRequiredResult", "asking", &asking, |r| r);
        }
        report(&format!(
            "{version}: generated messages of {methods} methods fit, {CASES} of each"
        ));
    }
}

fn request(method: &str) -> &'static (&'static str, &'static str, &'static str) {
    let found = REQUESTS.iter().find(|(name, ..)| *name == method);
    found.unwrap_or_else(|| panic!("no definition for {method}"))
}

fn fits(
    published: &Published,
    of: &str,
    method: &str,
    strategy: &impl Strategy<Value = Json>,
    whole: impl Fn(Value) -> Value,
) {
    assert!(published.has(of), "{} lacks {of}", published.version);
    let validator = published.validator(of);
    let mut runner = TestRunner::new(Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(strategy, |json| {
        let inner: Value = json.decode().expect("what is generated is JSON");
        let message = whole(inner);
        let errors: Vec<_> = validator
            .iter_errors(&message)
            .map(|error| format!("{} at {}", error, error.instance_path()))
            .collect();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(TestCaseError::fail(format!("{message}: {errors:?}")))
        }
    });
    if let Err(error) = outcome {
        panic!("{method} as {of} in {}: {error}", published.version);
    }
}
