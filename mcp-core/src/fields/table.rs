//! The types of the specification, as far as versions differ in them, and which type the
//! parameters and results of a method have.

use super::{Holds, Member, Shape, member};
use crate::{
    ProtocolVersion::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28},
    version::Span,
};
use Holds::{
    Blocks, Each, Form, Map, ObjectAtFirst, ObjectSchemaAtFirst, One, SamplingBlocks,
    SamplingMessages,
};

/// Named types have `_meta` from this version on.
const META: Span = Span::since(V2025_06_18);

macro_rules! shapes {
    ($($name:ident $wire:literal ($meta:expr) { $($member:expr;)* })+) => {
        $(pub(super) static $name: Shape = Shape {
            name: $wire,
            meta: $meta,
            members: { const MEMBERS: &[Member] = &[$($member),*]; MEMBERS },
        };)+

        /// Every type in which versions differ.
        pub(super) static SHAPES: &[&Shape] = &[$(&$name),+];
    };
}

shapes! {
    IMPLEMENTATION "Implementation" (Span::ALWAYS) {
        member("title").since(V2025_06_18);
        member("description").since(V2025_11_25);
        member("icons").since(V2025_11_25);
        member("websiteUrl").since(V2025_11_25);
    }
    CLIENT_CAPABILITIES "ClientCapabilities" (Span::ALWAYS) {
        member("roots").holds(One(&ROOTS_CAPABILITY));
        member("sampling").holds(One(&SAMPLING_CAPABILITY));
        member("elicitation").since(V2025_06_18).holds(One(&ELICITATION_CAPABILITY));
        member("tasks").only(V2025_11_25);
    }
    ROOTS_CAPABILITY "ClientCapabilities.roots" (Span::ALWAYS) {
        member("listChanged").until(V2025_11_25);
    }
    SAMPLING_CAPABILITY "ClientCapabilities.sampling" (Span::ALWAYS) {
        member("context").since(V2025_11_25);
        member("tools").since(V2025_11_25);
    }
    ELICITATION_CAPABILITY "ClientCapabilities.elicitation" (Span::ALWAYS) {
        member("form").since(V2025_11_25);
        member("url").since(V2025_11_25);
    }
    SERVER_CAPABILITIES "ServerCapabilities" (Span::ALWAYS) {
        member("completions").since(V2025_03_26);
        member("tasks").only(V2025_11_25);
    }
    ANNOTATIONS "Annotations" (Span::ALWAYS) {
        member("lastModified").since(V2025_06_18);
    }
    TOOL "Tool" (META) {
        member("title").since(V2025_06_18);
        member("annotations").since(V2025_03_26);
        member("outputSchema").since(V2025_06_18).holds(ObjectSchemaAtFirst);
        member("execution").only(V2025_11_25);
        member("icons").since(V2025_11_25);
    }
    RESOURCE "Resource" (META) {
        member("title").since(V2025_06_18);
        member("annotations").holds(One(&ANNOTATIONS));
        member("icons").since(V2025_11_25);
    }
    RESOURCE_TEMPLATE "ResourceTemplate" (META) {
        member("title").since(V2025_06_18);
        member("annotations").holds(One(&ANNOTATIONS));
        member("icons").since(V2025_11_25);
    }
    RESOURCE_CONTENTS "ResourceContents" (META) {}
    PROMPT "Prompt" (META) {
        member("title").since(V2025_06_18);
        member("arguments").holds(Each(&PROMPT_ARGUMENT));
        member("icons").since(V2025_11_25);
    }
    PROMPT_ARGUMENT "PromptArgument" (Span::ALWAYS) {
        member("title").since(V2025_06_18);
    }
    PROMPT_MESSAGE "PromptMessage" (Span::ALWAYS) {
        member("content").holds(Blocks);
    }
    PROMPT_REFERENCE "PromptReference" (Span::ALWAYS) {
        member("title").since(V2025_06_18);
    }
    TEXT_CONTENT "TextContent" (META) {
        member("annotations").holds(One(&ANNOTATIONS));
    }
    EMBEDDED_RESOURCE "EmbeddedResource" (META) {
        member("annotations").holds(One(&ANNOTATIONS));
        member("resource").holds(One(&RESOURCE_CONTENTS));
    }
    RESOURCE_LINK "ResourceLink" (META) {
        member("annotations").holds(One(&ANNOTATIONS));
        member("icons").since(V2025_11_25);
    }
    TOOL_RESULT_CONTENT "ToolResultContent" (META) {
        member("content").holds(Blocks);
        member("structuredContent").holds(ObjectAtFirst);
    }
    SAMPLING_MESSAGE "SamplingMessage" (Span::since(V2025_11_25)) {
        member("content").holds(SamplingBlocks);
    }
    ROOT "Root" (META) {}
    CALL_TOOL "CallToolRequestParams" (Span::ALWAYS) {
        member("task").only(V2025_11_25);
        member("inputResponses").since(V2026_07_28).holds(Map(&INPUT_RESPONSE));
        member("requestState").since(V2026_07_28);
    }
    RETRY "InputResponseRequestParams" (Span::ALWAYS) {
        member("inputResponses").since(V2026_07_28).holds(Map(&INPUT_RESPONSE));
        member("requestState").since(V2026_07_28);
    }
    INPUT_RESPONSE "InputResponse" (Span::until(V2025_11_25)) {}
    COMPLETE "CompleteRequestParams" (Span::ALWAYS) {
        member("ref").holds(One(&PROMPT_REFERENCE));
        member("context").since(V2025_06_18);
    }
    CREATE_MESSAGE "CreateMessageRequestParams" (Span::ALWAYS) {
        member("messages").holds(SamplingMessages);
        member("task").only(V2025_11_25);
        member("toolChoice").since(V2025_11_25);
        member("tools").since(V2025_11_25).holds(Each(&TOOL));
    }
    ELICIT "ElicitRequestParams" (Span::until(V2025_11_25)) {
        member("elicitationId").only(V2025_11_25);
        member("mode").since(V2025_11_25);
        member("requestedSchema").holds(Form);
        member("task").only(V2025_11_25);
    }
    FORM "ElicitRequestParams.requestedSchema" (Span::ALWAYS) {
        member("$schema").since(V2025_11_25);
    }
    PROGRESS "ProgressNotificationParams" (Span::ALWAYS) {
        member("message").since(V2025_03_26);
    }
    INITIALIZE "InitializeRequestParams" (Span::ALWAYS) { // tidy: era
        member("capabilities").holds(One(&CLIENT_CAPABILITIES));
        member("clientInfo").holds(One(&IMPLEMENTATION));
    }
    RESULT "Result" (Span::ALWAYS) {
        member("resultType").since(V2026_07_28);
    }
    INITIALIZE_RESULT "InitializeResult" (Span::ALWAYS) { // tidy: era
        member("capabilities").holds(One(&SERVER_CAPABILITIES));
        member("serverInfo").holds(One(&IMPLEMENTATION));
        member("resultType").since(V2026_07_28);
    }
    DISCOVER_RESULT "DiscoverResult" (Span::ALWAYS) {
        member("capabilities").holds(One(&SERVER_CAPABILITIES));
    }
    LIST_TOOLS_RESULT "ListToolsResult" (Span::ALWAYS) {
        member("tools").holds(Each(&TOOL));
        member("resultType").since(V2026_07_28);
        member("ttlMs").since(V2026_07_28);
        member("cacheScope").since(V2026_07_28);
    }
    CALL_TOOL_RESULT "CallToolResult" (Span::ALWAYS) {
        member("content").holds(Blocks);
        member("structuredContent").since(V2025_06_18).holds(ObjectAtFirst);
        member("resultType").since(V2026_07_28);
    }
    LIST_RESOURCES_RESULT "ListResourcesResult" (Span::ALWAYS) {
        member("resources").holds(Each(&RESOURCE));
        member("resultType").since(V2026_07_28);
        member("ttlMs").since(V2026_07_28);
        member("cacheScope").since(V2026_07_28);
    }
    LIST_TEMPLATES_RESULT "ListResourceTemplatesResult" (Span::ALWAYS) {
        member("resourceTemplates").holds(Each(&RESOURCE_TEMPLATE));
        member("resultType").since(V2026_07_28);
        member("ttlMs").since(V2026_07_28);
        member("cacheScope").since(V2026_07_28);
    }
    READ_RESOURCE_RESULT "ReadResourceResult" (Span::ALWAYS) {
        member("contents").holds(Each(&RESOURCE_CONTENTS));
        member("resultType").since(V2026_07_28);
        member("ttlMs").since(V2026_07_28);
        member("cacheScope").since(V2026_07_28);
    }
    LIST_PROMPTS_RESULT "ListPromptsResult" (Span::ALWAYS) {
        member("prompts").holds(Each(&PROMPT));
        member("resultType").since(V2026_07_28);
        member("ttlMs").since(V2026_07_28);
        member("cacheScope").since(V2026_07_28);
    }
    GET_PROMPT_RESULT "GetPromptResult" (Span::ALWAYS) {
        member("messages").holds(Each(&PROMPT_MESSAGE));
        member("resultType").since(V2026_07_28);
    }
    CREATE_MESSAGE_RESULT "CreateMessageResult" (Span::ALWAYS) {
        member("content").holds(SamplingBlocks);
    }
    ELICIT_RESULT "ElicitResult" (Span::until(V2025_11_25)) {}
    LIST_ROOTS_RESULT "ListRootsResult" (Span::until(V2025_11_25)) {
        member("roots").holds(Each(&ROOT));
    }
}

/// The type of a method's parameters.
pub(super) fn params(method: &str) -> Option<&'static Shape> {
    Some(match method {
        "initialize" => &INITIALIZE, // tidy: era
        "tools/call" => &CALL_TOOL,
        "prompts/get" | "resources/read" => &RETRY,
        "completion/complete" => &COMPLETE,
        "sampling/createMessage" => &CREATE_MESSAGE,
        "elicitation/create" => &ELICIT,
        "notifications/progress" => &PROGRESS,
        _ => return None,
    })
}

/// The type of a method's result; of one that is not named here, what all results share.
pub(super) fn result(method: &str) -> Option<&'static Shape> {
    Some(match method {
        "initialize" => &INITIALIZE_RESULT, // tidy: era
        "server/discover" => &DISCOVER_RESULT,
        "tools/list" => &LIST_TOOLS_RESULT,
        "tools/call" => &CALL_TOOL_RESULT,
        "resources/list" => &LIST_RESOURCES_RESULT,
        "resources/templates/list" => &LIST_TEMPLATES_RESULT,
        "resources/read" => &READ_RESOURCE_RESULT,
        "prompts/list" => &LIST_PROMPTS_RESULT,
        "prompts/get" => &GET_PROMPT_RESULT,
        "sampling/createMessage" => &CREATE_MESSAGE_RESULT,
        "elicitation/create" => &ELICIT_RESULT,
        "roots/list" => &LIST_ROOTS_RESULT,
        _ => &RESULT,
    })
}
