//! What servers ask clients.

use proptest::{collection, prelude::*, sample};

use super::{
    elicit_form, extra, few, opt, role, sampling_blocks, sampling_message, settings, share,
    task_metadata, text, tool, unknown, uri,
};
use crate::schema::{
    input::{InputRequest, InputRequired},
    roots::{ListRoots, ListRootsResult, Root},
    sampling::{
        CreateMessage, CreateMessageResult, IncludeContext, ModelHint, ModelPreferences,
        ToolChoice, ToolMode,
    },
};

prop_compose! {
    /// A root.
    pub fn root()(
        uri in uri(),
        name in opt(text()),
        extra in extra(),
    ) -> Root {
        Root { uri, name, extra }
    }
}

prop_compose! {
    /// The roots of a client.
    pub fn list_roots_result()(
        roots in few(root()),
        extra in extra(),
    ) -> ListRootsResult {
        ListRootsResult { roots, extra }
    }
}

fn hint() -> impl Strategy<Value = ModelHint> {
    (opt(text()), unknown()).prop_map(|(name, extra)| ModelHint { name, extra })
}

prop_compose! {
    /// Which model a server would like.
    pub fn model_preferences()(
        hints in few(hint()),
        cost_priority in opt(share()),
        speed_priority in opt(share()),
        intelligence_priority in opt(share()),
        extra in unknown(),
    ) -> ModelPreferences {
        ModelPreferences { hints, cost_priority, speed_priority, intelligence_priority, extra }
    }
}

fn include_context() -> impl Strategy<Value = IncludeContext> {
    use IncludeContext::{AllServers, None, ThisServer};
    sample::select(vec![None, ThisServer, AllServers])
}

fn tool_choice() -> impl Strategy<Value = ToolChoice> {
    use ToolMode::{Auto, None, Required};
    let mode = opt(sample::select(vec![Auto, Required, None]));
    (mode, unknown()).prop_map(|(mode, extra)| ToolChoice { mode, extra })
}

prop_compose! {
    /// Asks for a model.
    pub fn create_message()(
        messages in few(sampling_message()),
        max_tokens in any::<u32>().prop_map(u64::from),
        model_preferences in opt(model_preferences()),
        system_prompt in opt(text()),
        include_context in opt(include_context()),
        temperature in opt(share()),
        stop_sequences in few(text()),
        metadata in opt(settings()),
        tools in few(tool()),
        tool_choice in opt(tool_choice()),
        task in opt(task_metadata()),
        extra in extra(),
    ) -> CreateMessage {
        CreateMessage {
            model_preferences, system_prompt, include_context, temperature, stop_sequences,
            metadata, tools, tool_choice, task, extra,
            ..CreateMessage::new(messages, max_tokens)
        }
    }
}

prop_compose! {
    /// What a model answered.
    pub fn create_message_result()(
        role in role(),
        content in sampling_blocks(),
        model in text(),
        stop_reason in opt(text()),
        extra in extra(),
    ) -> CreateMessageResult {
        CreateMessageResult { role, content, model, stop_reason, extra }
    }
}

fn question() -> impl Strategy<Value = InputRequest> {
    const WRITES: &str = "a generated question can be written";
    prop_oneof![
        elicit_form().prop_map(|question| InputRequest::new(&question).expect(WRITES)),
        create_message().prop_map(|question| InputRequest::new(&question).expect(WRITES)),
        Just(InputRequest::new(&ListRoots::default()).expect(WRITES)),
    ]
}

prop_compose! {
    /// What a server wants to know first.
    pub fn input_required()(
        input_requests in collection::btree_map("[a-z]{1,4}", question(), 0..3),
        request_state in opt(text()),
        extra in extra(),
    ) -> InputRequired {
        InputRequired { input_requests, request_state, extra }
    }
}
