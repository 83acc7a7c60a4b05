//! What servers list, call and read.

use std::collections::BTreeMap;

use proptest::{collection, prelude::*, sample};

use super::{
    content_block, extra, few, icon, object_schema, opt, output_schema, role, settings, text,
    unknown, value,
};
use crate::{
    Json, JsonObject,
    schema::{
        cache::CacheScope,
        completion::{Complete, CompleteResult, Completion, CompletionContext, Reference},
        pagination::Page,
        prompts::{GetPrompt, GetPromptResult, Prompt, PromptArgument, PromptMessage},
        tasks::{Task, TaskMetadata, TaskStatus},
        tools::{CallTool, CallToolResult, TaskSupport, Tool, ToolAnnotations, ToolExecution},
    },
};

/// How long a result may be reused, and by whom.
pub fn cache() -> impl Strategy<Value = (u64, CacheScope)> {
    let scope = sample::select(vec![CacheScope::Private, CacheScope::Public]);
    (any::<u32>().prop_map(u64::from), scope)
}

/// A page of a list.
pub fn page() -> impl Strategy<Value = Page> {
    opt(text()).prop_map(|cursor| Page { cursor })
}

prop_compose! {
    /// Claims about a tool.
    pub fn tool_annotations()(
        title in opt(text()),
        hints in prop::array::uniform4(opt(any::<bool>())),
        extra in unknown(),
    ) -> ToolAnnotations {
        let [read_only_hint, destructive_hint, idempotent_hint, open_world_hint] = hints;
        ToolAnnotations {
            title, read_only_hint, destructive_hint, idempotent_hint, open_world_hint, extra,
        }
    }
}

fn execution() -> impl Strategy<Value = ToolExecution> {
    use TaskSupport::{Forbidden, Optional, Required};
    let support = opt(sample::select(vec![Forbidden, Optional, Required]));
    (support, unknown()).prop_map(|(task_support, extra)| ToolExecution {
        task_support,
        extra,
    })
}

prop_compose! {
    /// A tool.
    pub fn tool()(
        name in "[a-zA-Z0-9_.-]{1,8}",
        title in opt(text()),
        description in opt(text()),
        input_schema in object_schema(),
        output_schema in opt(output_schema()),
        annotations in opt(tool_annotations()),
        icons in few(icon()),
        execution in opt(execution()),
        extra in extra(),
    ) -> Tool {
        Tool {
            name, title, description, input_schema, output_schema, annotations, icons, execution,
            extra,
        }
    }
}

/// The call of a tool.
pub fn call_tool() -> impl Strategy<Value = CallTool> {
    let arguments = opt(settings().prop_map(Json::from));
    (text(), arguments).prop_map(|(name, arguments)| CallTool { name, arguments })
}

prop_compose! {
    /// What a tool answered.
    pub fn call_tool_result()(
        content in few(content_block()),
        structured_content in opt(value()),
        is_error in any::<bool>(),
        extra in extra(),
    ) -> CallToolResult {
        CallToolResult { content, structured_content, is_error, extra }
    }
}

prop_compose! {
    fn prompt_argument()(
        name in text(),
        title in opt(text()),
        description in opt(text()),
        required in opt(any::<bool>()),
        extra in extra(),
    ) -> PromptArgument {
        PromptArgument { name, title, description, required, extra }
    }
}

prop_compose! {
    /// A prompt.
    pub fn prompt()(
        name in text(),
        title in opt(text()),
        description in opt(text()),
        arguments in few(prompt_argument()),
        icons in few(icon()),
        extra in extra(),
    ) -> Prompt {
        Prompt { name, title, description, arguments, icons, extra }
    }
}

fn texts_by_name() -> impl Strategy<Value = BTreeMap<String, String>> {
    collection::btree_map("[a-z]{1,4}", text(), 0..3)
}

prop_compose! {
    /// Asks for a prompt.
    pub fn get_prompt()(
        name in text(),
        arguments in texts_by_name(),
        extra in unknown(),
    ) -> GetPrompt {
        GetPrompt { name, arguments, extra }
    }
}

prop_compose! {
    fn prompt_message()(
        role in role(),
        content in content_block(),
        extra in unknown(),
    ) -> PromptMessage {
        PromptMessage { role, content, extra }
    }
}

prop_compose! {
    /// The messages of a prompt.
    pub fn get_prompt_result()(
        description in opt(text()),
        messages in few(prompt_message()),
        extra in extra(),
    ) -> GetPromptResult {
        GetPromptResult { description, messages, extra }
    }
}

fn reference() -> impl Strategy<Value = Reference> {
    let prompt = (text(), opt(text())).prop_map(|(name, title)| {
        let mut reference = Reference::prompt(name);
        if let Reference::Prompt(prompt) = &mut reference {
            prompt.title = title;
        }
        reference
    });
    prop_oneof![prompt, super::uri().prop_map(Reference::resource)]
}

prop_compose! {
    /// Asks what an argument could be.
    pub fn complete()(
        reference in reference(),
        name in text(),
        value in text(),
        context in opt((texts_by_name(), unknown())),
        extra in unknown(),
    ) -> Complete {
        let context =
            context.map(|(arguments, extra)| CompletionContext { arguments, extra });
        Complete { context, extra, ..Complete::new(reference, name, value) }
    }
}

prop_compose! {
    /// What an argument could be.
    pub fn complete_result()(
        values in few(text()),
        total in opt(any::<u32>().prop_map(u64::from)),
        has_more in opt(any::<bool>()),
        inner in unknown(),
        extra in extra(),
    ) -> CompleteResult {
        let completion = Completion { values, total, has_more, extra: inner };
        CompleteResult { completion, extra }
    }
}

prop_compose! {
    /// What a request says to become a task.
    pub fn task_metadata()(
        ttl in opt(any::<u32>().prop_map(u64::from)),
        extra in unknown(),
    ) -> TaskMetadata {
        TaskMetadata { ttl, extra }
    }
}

prop_compose! {
    /// A task.
    pub fn task()(
        task_id in text(),
        status in sample::select(vec![
            TaskStatus::Working,
            TaskStatus::InputRequired,
            TaskStatus::Completed,
            TaskStatus::Failed,
            TaskStatus::Cancelled,
        ]),
        status_message in opt(text()),
        ttl in opt(any::<u32>().prop_map(u64::from)),
        poll_interval in opt(any::<u32>().prop_map(u64::from)),
        extra in unknown(),
    ) -> Task {
        let new = Task::new(task_id, "2025-11-25T10:30:00Z");
        Task { status, status_message, ttl, poll_interval, extra, ..new }
    }
}

/// `extra` with the members that a list's result has.
pub(super) fn of_list(members: impl IntoIterator<Item = (&'static str, Json)>) -> JsonObject {
    let decoded = |json: Json| json.decode().expect("what was written can be read");
    let members = members.into_iter();
    members
        .map(|(name, json)| (name.into(), decoded(json)))
        .collect()
}
