//! Where we differ from a schema, and the notes that say why.

use mcp_core::ProtocolVersion::{self, V2024_11_05, V2025_06_18, V2025_11_25, V2026_07_28};
use serde_json::Value;

/// A schema that refuses what the specification allows.
pub(crate) struct Defect {
    /// The note about it.
    pub(crate) note: &'static str,
    pub(crate) of: &'static str,
    pub(crate) versions: &'static [ProtocolVersion],
    /// What the schema wrongly refuses.
    pub(crate) instance: &'static str,
}

pub(crate) const DEFECTS: &[Defect] = &[
    Defect {
        note: "N16: JSONValue has no fractions",
        of: "ClientCapabilities",
        versions: &[V2026_07_28],
        instance: r#"{"experimental":{"a":{"share":0.5}}}"#,
    },
    Defect {
        note: "N16: JSONValue has no null",
        of: "ServerCapabilities",
        versions: &[V2026_07_28],
        instance: r#"{"extensions":{"com.example/a":{"limit":null}}}"#,
    },
    Defect {
        note: "N16: JSONValue has no null",
        of: "CreateMessageRequestParams",
        versions: &[V2026_07_28],
        instance: r#"{"messages":[],"maxTokens":1,"metadata":{"a":null,"b":1.5}}"#,
    },
    Defect {
        note: "N16, L8: answers to forms have no fractions",
        of: "ElicitResult",
        versions: &[V2025_06_18, V2025_11_25, V2026_07_28],
        instance: r#"{"action":"accept","content":{"height":1.75}}"#,
    },
];

/// A member that a schema requires and we do not.
struct Tolerance {
    /// The definition that is read, or any.
    of: Option<&'static str>,
    /// The end of the member's path.
    member: &'static str,
    /// The first version in which we do not.
    since: ProtocolVersion,
    #[allow(dead_code, reason = "for who reads the list")]
    why: &'static str,
}

const fn tolerated(member: &'static str, since: ProtocolVersion, why: &'static str) -> Tolerance {
    Tolerance {
        of: None,
        member,
        since,
        why,
    }
}

const TOLERATED: &[Tolerance] = &[
    tolerated(
        "resultType",
        V2026_07_28,
        "absent means complete (types.md, section 9, note 1)",
    ),
    tolerated("ttlMs", V2026_07_28, "absent means 0 (V26-CACHE-007)"),
    tolerated("cacheScope", V2026_07_28, "absent means private (note N19)"),
    tolerated(
        "elicitationId",
        V2025_11_25,
        "one type for all versions, and only this one requires it",
    ),
    tolerated(
        "inputSchema.type",
        V2024_11_05,
        "schemas are kept as they came (types.md, section 9, note 6)",
    ),
    tolerated(
        "outputSchema.type",
        V2025_06_18,
        "schemas are kept as they came (types.md, section 9, note 6)",
    ),
    Tolerance {
        of: Some("JSONRPCError"),
        ..tolerated(
            "id",
            V2024_11_05,
            "absent when the request could not be read (note N18)",
        )
    },
    Tolerance {
        of: Some("CancelledNotification"),
        ..tolerated(
            "params",
            V2025_11_25,
            "absent means empty (types.md, section 9, note 17), which is enough here",
        )
    },
];

/// Whether we decode what lacks the member at `path` on purpose.
pub(crate) fn is_tolerated(version: ProtocolVersion, of: &str, path: &str) -> bool {
    TOLERATED.iter().any(|tolerance| {
        let start = path.strip_suffix(tolerance.member);
        version >= tolerance.since
            && tolerance.of.is_none_or(|only| only == of)
            && start.is_some_and(|start| start.is_empty() || start.ends_with('.'))
    })
}

/// Members that we write although they were absent, as what their absence means: the newest
/// version requires them (V26-CACHE-001, -007, note N19). One published example lacks them, and
/// fits its schema only as a result that asks for input. Links to older versions take them out.
pub(crate) fn is_added(member: &str, value: &Value) -> bool {
    match member {
        "ttlMs" => *value == 0,
        "cacheScope" => value == "private",
        _ => false,
    }
}

/// Members that are kept as they came, whatever they are: the definition or any, the member, why.
const KEPT: &[(&str, &str, &str)] = &[
    (
        "",
        "_meta",
        "metadata is nobody's business until somebody reads it; see `mcp_core::meta`",
    ),
    ("", "uri", "any text is a URI until somebody opens it"),
    (
        "",
        "src",
        "any text is a URI until somebody opens it (note N12)",
    ),
    (
        "",
        "url",
        "any text is a URI until somebody opens it (V26-ELIC-016 is the host's)",
    ),
    (
        "",
        "websiteUrl",
        "any text is a URI until somebody opens it",
    ),
    (
        "",
        "priority",
        "a number beyond 0 and 1 is a claim like any other",
    ),
    (
        "",
        "costPriority",
        "a number beyond 0 and 1 is a claim like any other",
    ),
    (
        "",
        "speedPriority",
        "a number beyond 0 and 1 is a claim like any other",
    ),
    (
        "",
        "intelligencePriority",
        "a number beyond 0 and 1 is a claim like any other",
    ),
    (
        "",
        "inputSchema",
        "schemas are kept as they came (types.md, section 9, note 6)",
    ),
    (
        "",
        "outputSchema",
        "schemas are kept as they came (types.md, section 9, note 6)",
    ),
    (
        "ImageContent",
        "type",
        "one type for images and sounds; blocks are chosen by `type`",
    ),
    (
        "AudioContent",
        "type",
        "one type for images and sounds; blocks are chosen by `type`",
    ),
    (
        "JSONRPCResponse",
        "result",
        "kept as text until somebody decodes it",
    ),
    (
        "JSONRPCResultResponse",
        "result",
        "kept as text until somebody decodes it",
    ),
    (
        "",
        "structuredContent",
        "an object at first, anything later; `mcp_core::fields` sees to it",
    ),
    (
        "ElicitResult",
        "content",
        "whoever asked holds the answer against the form",
    ),
    (
        "CallToolRequestParams",
        "task",
        "whoever runs tasks reads it from the open form",
    ),
    ("", "inputResponses", "read as a `Retry` by whoever asked"),
    ("", "requestState", "read as a `Retry` by whoever asked"),
    (
        "",
        "ttlMs",
        "any number is read, as a time that is not negative (V26-CACHE-008)",
    ),
];

/// Whether a member is kept as it came on purpose.
pub(crate) fn is_kept(of: &str, member: &str) -> bool {
    KEPT.iter()
        .any(|(only, name, _)| (only.is_empty() || *only == of) && *name == member)
}
