//! Tasks as 2025-11-25 has them: requests whose answer is fetched later.
//!
//! Later versions moved tasks into an extension, whose messages look alike and are others
//! (note L5). Which of the two applies is a matter of the version, never of the shape.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::pagination::{Cursor, Page};
use crate::{JsonObject, RequestMessage};

/// The status of a task has changed; carries a [`Task`].
pub const STATUS: &str = "notifications/tasks/status";
/// Key in `_meta` that ties a message to its task; the value is a [`RelatedTask`].
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// A request whose answer is fetched later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Task {
    /// Identifies it.
    pub task_id: String,
    /// How far it has come.
    pub status: TaskStatus,
    /// One line for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_message: Option<String>,
    /// When it began, in ISO 8601.
    pub created_at: String,
    /// When its status changed last, in ISO 8601.
    pub last_updated_at: String,
    /// For how many milliseconds it is kept; nothing, written as null, means for ever.
    #[serde(deserialize_with = "nullable")]
    pub ttl: Option<u64>,
    /// How many milliseconds to wait between questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poll_interval: Option<u64>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A member that has to be there and may be null.
fn nullable<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer)
}

impl Task {
    /// A task that has just begun, at `now` in ISO 8601.
    pub fn new(task_id: impl Into<String>, now: impl Into<String>) -> Self {
        let now = now.into();
        Self {
            task_id: task_id.into(),
            status: TaskStatus::Working,
            status_message: None,
            created_at: now.clone(),
            last_updated_at: now,
            ttl: None,
            poll_interval: None,
            extra: JsonObject::new(),
        }
    }
}

/// How far a task has come.
///
/// ```text
/// working ⇄ input_required
///    └──────────┴──► completed · failed · cancelled
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Under way.
    Working,
    /// Waits for the other side.
    InputRequired,
    /// Has an answer.
    Completed,
    /// Has an error.
    Failed,
    /// Was cancelled.
    Cancelled,
}

impl TaskStatus {
    /// Whether it stays as it is.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

impl fmt::Display for TaskStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// What a request says to become a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TaskMetadata {
    /// For how many milliseconds it should be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Ties a message to its task; see [`RELATED_TASK`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RelatedTask {
    /// Which task.
    pub task_id: String,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl RelatedTask {
    /// The tie to a task.
    pub fn new(task_id: impl Into<String>) -> Self {
        Self {
            task_id: task_id.into(),
            extra: JsonObject::new(),
        }
    }
}

/// Answer to a request that became a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateTaskResult {
    /// The task.
    pub task: Task,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl CreateTaskResult {
    /// The answer that says: it became this task.
    pub fn new(task: Task) -> Self {
        Self {
            task,
            extra: JsonObject::new(),
        }
    }
}

macro_rules! about_a_task {
    ($($(#[$doc:meta])* $name:ident = $method:literal -> $result:ty;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
        pub struct $name {
            /// Which task.
            pub task_id: String,
            /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
        }

        impl $name {
            /// The question about a task.
            pub fn new(task_id: impl Into<String>) -> Self {
                Self { task_id: task_id.into(), extra: JsonObject::new() }
            }
        }

        impl RequestMessage for $name {
            const METHOD: &'static str = $method;
            type Result = $result;
        }
    )+};
}

about_a_task! {
    /// Parameters of `tasks/get`: how far it has come.
    GetTask = "tasks/get" -> Task;
    /// Parameters of `tasks/result`: the answer of the request that became the task.
    GetTaskPayload = "tasks/result" -> JsonObject;
    /// Parameters of `tasks/cancel`.
    CancelTask = "tasks/cancel" -> Task;
}

/// Parameters of `tasks/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ListTasks(pub Page);

impl RequestMessage for ListTasks {
    const METHOD: &'static str = "tasks/list";
    type Result = ListTasksResult;
}

/// A page of tasks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListTasksResult {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// Where the next page begins; none on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::{refused, survives};

    const TASK: &str = r#"{"taskId":"786512e2","status":"working","statusMessage":"m","createdAt":"2025-11-25T10:30:00Z","lastUpdatedAt":"2025-11-25T10:40:00Z","ttl":60000,"pollInterval":5000}"#;

    #[test]
    fn tasks_survive() {
        survives::<Task>(TASK);
        survives::<CreateTaskResult>(&format!(r#"{{"task":{TASK},"_meta":{{}}}}"#));
        survives::<ListTasksResult>(&format!(r#"{{"tasks":[{TASK}],"nextCursor":"n"}}"#));
        survives::<GetTask>(r#"{"taskId":"a"}"#);
        survives::<RelatedTask>(r#"{"taskId":"a"}"#);
    }

    #[test]
    fn the_ttl_is_there_even_when_it_is_null() {
        let with = |ttl| {
            format!(r#"{{"taskId":"a","status":"failed","createdAt":"","lastUpdatedAt":""{ttl}}}"#)
        };
        survives::<Task>(&with(r#","ttl":null"#));
        refused::<Task>(&[&with("")]);
    }

    #[test]
    fn a_status_is_written_as_on_the_wire() {
        assert_eq!(TaskStatus::InputRequired.to_string(), "input_required");
        assert!(TaskStatus::Failed.is_terminal() && !TaskStatus::InputRequired.is_terminal());
    }
}
