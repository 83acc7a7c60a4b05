//! Which of our types a definition has, or why it has none.

use mcp_core::{
    ErrorObject, Json, JsonObject, ProgressToken, RequestId,
    meta::{ListenResultMeta, NotificationMeta, RequestMeta, ResultMeta},
    schema::{
        annotations::{Annotations, Role},
        capabilities::{ClientCapabilities, ServerCapabilities},
        completion::{Complete, CompleteResult, PromptReference, ResourceReference},
        content::{
            ContentBlock, EmbeddedResource, MediaContent, ResourceContents, ResourceLink,
            TextContent,
        },
        discover::{Discover, DiscoverResult},
        elicitation::{
            Elicit, ElicitResult, ElicitationComplete, FormElicitation, PrimitiveSchema,
            UrlElicitation,
            form::{BooleanSchema, NumberSchema, StringSchema},
            select::{
                MultiSelect, NamedSelect, TitledMultiSelect, TitledSelect, UntitledMultiSelect,
                UntitledSelect,
            },
        },
        error_data::{MissingCapability, UnsupportedVersion, UrlElicitationRequired},
        icons::Icon,
        implementation::Implementation,
        initialize::{Initialize, InitializeResult, Initialized},
        input::{InputRequired, Retry},
        logging::{LogLevel, LogMessage, SetLevel},
        notices::{PromptListChanged, ResourceListChanged, RootsListChanged, ToolListChanged},
        outcome::ResultType,
        pagination::{Cursor, Page},
        ping::Ping,
        progress::TokenProgress,
        prompts::{
            GetPrompt, GetPromptResult, ListPrompts, ListPromptsResult, Prompt, PromptArgument,
            PromptMessage,
        },
        resources::{
            ListResourceTemplates, ListResourceTemplatesResult, ListResources, ListResourcesResult,
            ReadResource, ReadResourceResult, Resource, ResourceTemplate, ResourceUpdated,
            Subscribe, Unsubscribe,
        },
        roots::{ListRoots, ListRootsResult, Root},
        sampling::{
            CreateMessage, CreateMessageResult, ModelHint, ModelPreferences, SamplingBlock,
            SamplingMessage, ToolChoice, ToolResultContent, ToolUseContent,
        },
        subscriptions::{Acknowledged, Listen, SubscriptionFilter},
        tasks::{
            CancelTask, CreateTaskResult, GetTask, GetTaskPayload, ListTasks, ListTasksResult,
            RelatedTask, Task, TaskMetadata, TaskStatus,
        },
        tools::{
            CallTool, CallToolResult, ListTools, ListToolsResult, Tool, ToolAnnotations,
            ToolExecution,
        },
    },
};
use serde_json::Value;

use crate::read::*;

/// How a definition is covered.
#[derive(Clone, Copy)]
pub(crate) enum Cover {
    /// By a type.
    Type(Read),
    /// It needs none.
    Because(&'static str),
}

use Cover::{Because, Type};

/// The cover of a definition.
pub(crate) fn cover(name: &str) -> Option<Cover> {
    let found = ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, cover)| *cover)
}

const UNION: Cover = Because("a union of messages; each is decoded as what its method says");
const PATTERN: Cover = Because("the general form; the envelope decodes every message of it");
const MIXIN: Cover = Because("members that other definitions share; their types have them");

/// Every definition of every version.
#[rustfmt::skip]
pub(crate) const ALL: &[(&str, Cover)] = &[
    // The envelope.
    ("JSONRPCMessage", Type(any_message)),
    ("JSONRPCRequest", Type(any_request)),
    ("JSONRPCNotification", Type(any_notification)),
    ("JSONRPCResponse", Type(any_response)),
    ("JSONRPCResultResponse", Type(any_response)),
    ("JSONRPCError", Type(any_response)),
    ("JSONRPCErrorResponse", Type(any_response)),
    ("JSONRPCBatchRequest", Because("a list of messages, each decoded alone; only in 2025-03-26")),
    ("JSONRPCBatchResponse", Because("a list of messages, each decoded alone; only in 2025-03-26")),
    ("Error", Type(plain::<ErrorObject>)),
    ("RequestId", Type(plain::<RequestId>)),
    ("ProgressToken", Type(plain::<ProgressToken>)),
    ("Request", PATTERN),
    ("Notification", PATTERN),
    ("ClientRequest", UNION),
    ("ServerRequest", UNION),
    ("ClientNotification", UNION),
    ("ServerNotification", UNION),
    ("ClientResult", Because("note N25; a result is decoded as what its request says")),
    ("ServerResult", Because("note N15; a result is decoded as what its request says")),
    ("JSONValue", Type(plain::<Value>)),
    ("JSONObject", Type(plain::<JsonObject>)),
    ("JSONArray", Type(plain::<Vec<Value>>)),

    // What many definitions share.
    ("Annotated", MIXIN),
    ("BaseMetadata", MIXIN),
    ("Icons", MIXIN),
    ("CacheableResult", MIXIN),
    ("PaginatedRequest", MIXIN),
    ("PaginatedResult", MIXIN),
    ("TaskAugmentedRequestParams", MIXIN),
    ("Result", Type(result::<JsonObject>)),
    ("EmptyResult", Type(result::<JsonObject>)),
    ("ResultType", Type(plain::<ResultType>)),
    ("RequestParams", Type(params::<JsonObject>)),
    ("NotificationParams", Type(notification_params::<JsonObject>)),
    ("PaginatedRequestParams", Type(params::<Page>)),
    ("ResourceRequestParams", Type(params::<ReadResource>)),
    ("MetaObject", Type(plain::<JsonObject>)),
    ("RequestMetaObject", Type(plain::<RequestMeta>)),
    ("NotificationMetaObject", Type(plain::<NotificationMeta>)),
    ("ResultMetaObject", Type(plain::<ResultMeta>)),
    ("Cursor", Type(plain::<Cursor>)),
    ("Role", Type(plain::<Role>)),
    ("Annotations", Type(plain::<Annotations>)),
    ("Icon", Type(plain::<Icon>)),
    ("Implementation", Type(plain::<Implementation>)),
    ("ClientCapabilities", Type(plain::<ClientCapabilities>)),
    ("ServerCapabilities", Type(plain::<ServerCapabilities>)),

    // Beginning.
    ("InitializeRequest", Type(request::<Initialize>)),
    ("InitializeRequestParams", Type(params::<Initialize>)),
    ("InitializeResult", Type(result::<InitializeResult>)),
    ("InitializedNotification", Type(notification::<Initialized>)),
    ("DiscoverRequest", Type(request::<Discover>)),
    ("DiscoverResult", Type(result::<DiscoverResult>)),
    ("DiscoverResultResponse", Type(response::<DiscoverResult>)),
    ("PingRequest", Type(request::<Ping>)),

    // Content.
    ("ContentBlock", Type(plain::<ContentBlock>)),
    ("TextContent", Type(plain::<TextContent>)),
    ("ImageContent", Type(plain::<MediaContent>)),
    ("AudioContent", Type(plain::<MediaContent>)),
    ("EmbeddedResource", Type(plain::<EmbeddedResource>)),
    ("ResourceLink", Type(plain::<ResourceLink>)),
    ("ResourceContents", Because("what text and bytes share; one of them is always there")),
    ("TextResourceContents", Type(plain::<ResourceContents>)),
    ("BlobResourceContents", Type(plain::<ResourceContents>)),

    // Tools.
    ("Tool", Type(plain::<Tool>)),
    ("ToolAnnotations", Type(plain::<ToolAnnotations>)),
    ("ToolExecution", Type(plain::<ToolExecution>)),
    ("ListToolsRequest", Type(request::<ListTools>)),
    ("ListToolsResult", Type(result::<ListToolsResult>)),
    ("ListToolsResultResponse", Type(response::<ListToolsResult>)),
    ("CallToolRequest", Type(request::<CallTool>)),
    ("CallToolRequestParams", Type(params::<CallTool>)),
    ("CallToolResult", Type(result::<CallToolResult>)),
    ("CallToolResultResponse", Type(response::<CallToolResult>)),
    ("ToolListChangedNotification", Type(notification::<ToolListChanged>)),

    // Resources.
    ("Resource", Type(plain::<Resource>)),
    ("ResourceTemplate", Type(plain::<ResourceTemplate>)),
    ("ListResourcesRequest", Type(request::<ListResources>)),
    ("ListResourcesResult", Type(result::<ListResourcesResult>)),
    ("ListResourcesResultResponse", Type(response::<ListResourcesResult>)),
    ("ListResourceTemplatesRequest", Type(request::<ListResourceTemplates>)),
    ("ListResourceTemplatesResult", Type(result::<ListResourceTemplatesResult>)),
    ("ListResourceTemplatesResultResponse", Type(response::<ListResourceTemplatesResult>)),
    ("ReadResourceRequest", Type(request::<ReadResource>)),
    ("ReadResourceRequestParams", Type(params::<ReadResource>)),
    ("ReadResourceResult", Type(result::<ReadResourceResult>)),
    ("ReadResourceResultResponse", Type(response::<ReadResourceResult>)),
    ("SubscribeRequest", Type(request::<Subscribe>)),
    ("SubscribeRequestParams", Type(params::<Subscribe>)),
    ("UnsubscribeRequest", Type(request::<Unsubscribe>)),
    ("UnsubscribeRequestParams", Type(params::<Unsubscribe>)),
    ("ResourceListChangedNotification", Type(notification::<ResourceListChanged>)),
    ("ResourceUpdatedNotification", Type(notification::<ResourceUpdated>)),
    ("ResourceUpdatedNotificationParams", Type(notification_params::<ResourceUpdated>)),

    // Prompts and completion.
    ("Prompt", Type(plain::<Prompt>)),
    ("PromptArgument", Type(plain::<PromptArgument>)),
    ("PromptMessage", Type(plain::<PromptMessage>)),
    ("ListPromptsRequest", Type(request::<ListPrompts>)),
    ("ListPromptsResult", Type(result::<ListPromptsResult>)),
    ("ListPromptsResultResponse", Type(response::<ListPromptsResult>)),
    ("GetPromptRequest", Type(request::<GetPrompt>)),
    ("GetPromptRequestParams", Type(params::<GetPrompt>)),
    ("GetPromptResult", Type(result::<GetPromptResult>)),
    ("GetPromptResultResponse", Type(response::<GetPromptResult>)),
    ("PromptListChangedNotification", Type(notification::<PromptListChanged>)),
    ("PromptReference", Type(plain::<PromptReference>)),
    ("ResourceReference", Type(plain::<ResourceReference>)),
    ("ResourceTemplateReference", Type(plain::<ResourceReference>)),
    ("CompleteRequest", Type(request::<Complete>)),
    ("CompleteRequestParams", Type(params::<Complete>)),
    ("CompleteResult", Type(result::<CompleteResult>)),
    ("CompleteResultResponse", Type(response::<CompleteResult>)),

    // Progress, cancellation, logging, subscriptions.
    ("ProgressNotification", Type(notification::<TokenProgress>)),
    ("ProgressNotificationParams", Type(notification_params::<TokenProgress>)),
    ("CancelledNotification", Type(cancelled)),
    ("CancelledNotificationParams", Type(cancelled_params)),
    ("LoggingLevel", Type(plain::<LogLevel>)),
    ("LoggingMessageNotification", Type(notification::<LogMessage>)),
    ("LoggingMessageNotificationParams", Type(notification_params::<LogMessage>)),
    ("SetLevelRequest", Type(request::<SetLevel>)),
    ("SetLevelRequestParams", Type(params::<SetLevel>)),
    ("SubscriptionFilter", Type(plain::<SubscriptionFilter>)),
    ("SubscriptionsListenRequest", Type(request::<Listen>)),
    ("SubscriptionsListenRequestParams", Type(params::<Listen>)),
    ("SubscriptionsListenResult", Type(listen_result)),
    ("SubscriptionsListenResultMetaObject", Type(plain::<ListenResultMeta>)),
    ("SubscriptionsListenResultResponse", Type(listen_response)),
    ("SubscriptionsAcknowledgedNotification", Type(notification::<Acknowledged>)),
    ("SubscriptionsAcknowledgedNotificationParams", Type(notification_params::<Acknowledged>)),

    // Questions to the client.
    ("InputRequest", Type(input_request)),
    ("InputRequests", Type(input_requests)),
    ("InputResponse", Type(input_response)),
    ("InputResponses", Type(input_responses)),
    ("InputRequiredResult", Type(result::<InputRequired>)),
    ("InputResponseRequestParams", Type(params::<Retry>)),
    ("Root", Type(plain::<Root>)),
    ("ListRootsRequest", Type(request::<ListRoots>)),
    ("ListRootsResult", Type(plain::<ListRootsResult>)),
    ("RootsListChangedNotification", Type(notification::<RootsListChanged>)),
    ("CreateMessageRequest", Type(request::<CreateMessage>)),
    ("CreateMessageRequestParams", Type(plain::<CreateMessage>)),
    ("CreateMessageResult", Type(plain::<CreateMessageResult>)),
    ("SamplingMessage", Type(plain::<SamplingMessage>)),
    ("SamplingMessageContentBlock", Type(plain::<SamplingBlock>)),
    ("ToolUseContent", Type(plain::<ToolUseContent>)),
    ("ToolResultContent", Type(plain::<ToolResultContent>)),
    ("ModelPreferences", Type(plain::<ModelPreferences>)),
    ("ModelHint", Type(plain::<ModelHint>)),
    ("ToolChoice", Type(plain::<ToolChoice>)),
    ("ElicitRequest", Type(request::<Elicit>)),
    ("ElicitRequestParams", Type(plain::<Elicit>)),
    ("ElicitRequestFormParams", Type(plain::<FormElicitation>)),
    ("ElicitRequestURLParams", Type(plain::<UrlElicitation>)),
    ("ElicitResult", Type(plain::<ElicitResult>)),
    ("ElicitationCompleteNotification", Type(notification::<ElicitationComplete>)),
    ("PrimitiveSchemaDefinition", Type(plain::<PrimitiveSchema>)),
    ("StringSchema", Type(plain::<StringSchema>)),
    ("NumberSchema", Type(plain::<NumberSchema>)),
    ("BooleanSchema", Type(plain::<BooleanSchema>)),
    ("EnumSchema", Type(choice)),
    ("SingleSelectEnumSchema", Type(choice)),
    ("MultiSelectEnumSchema", Type(plain::<MultiSelect>)),
    ("UntitledSingleSelectEnumSchema", Type(plain::<UntitledSelect>)),
    ("TitledSingleSelectEnumSchema", Type(plain::<TitledSelect>)),
    ("UntitledMultiSelectEnumSchema", Type(plain::<UntitledMultiSelect>)),
    ("TitledMultiSelectEnumSchema", Type(plain::<TitledMultiSelect>)),
    ("LegacyTitledEnumSchema", Type(plain::<NamedSelect>)),

    // Tasks.
    ("Task", Type(plain::<Task>)),
    ("TaskStatus", Type(plain::<TaskStatus>)),
    ("TaskMetadata", Type(plain::<TaskMetadata>)),
    ("RelatedTaskMetadata", Type(plain::<RelatedTask>)),
    ("CreateTaskResult", Type(result::<CreateTaskResult>)),
    ("GetTaskRequest", Type(request::<GetTask>)),
    ("GetTaskResult", Type(result::<Task>)),
    ("GetTaskPayloadRequest", Type(request::<GetTaskPayload>)),
    ("GetTaskPayloadResult", Type(result::<JsonObject>)),
    ("ListTasksRequest", Type(request::<ListTasks>)),
    ("ListTasksResult", Type(result::<ListTasksResult>)),
    ("CancelTaskRequest", Type(request::<CancelTask>)),
    ("CancelTaskResult", Type(result::<Task>)),
    ("TaskStatusNotification", Type(notification::<Task>)),
    ("TaskStatusNotificationParams", Type(notification_params::<Task>)),

    // Errors.
    ("ParseError", Type(error::<-32700>)),
    ("InvalidRequestError", Type(error::<-32600>)),
    ("MethodNotFoundError", Type(error::<-32601>)),
    ("InvalidParamsError", Type(error::<-32602>)),
    ("InternalError", Type(error::<-32603>)),
    ("HeaderMismatchError", Type(error_response::<-32020, Option<Json>>)),
    ("MissingRequiredClientCapabilityError", Type(error_response::<-32021, MissingCapability>)),
    ("UnsupportedProtocolVersionError", Type(error_response::<-32022, UnsupportedVersion>)),
    ("URLElicitationRequiredError", Type(error_response::<-32042, UrlElicitationRequired>)),
];
