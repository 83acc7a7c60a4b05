//! JSON-RPC errors and the codes that the protocol defines.

use serde::{Deserialize, Serialize};

use crate::{Json, JsonObject, ProtocolVersion};

/// The codes of the specification (types.md, section 7).
pub mod code {
    /// The text is not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON is not a JSON-RPC message.
    pub const INVALID_REQUEST: i64 = -32600;
    /// Nobody here serves the method.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters do not fit the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The peer failed in a way that is its own business.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// Resource not found, up to 2025-11-25 only.
    pub const RESOURCE_NOT_FOUND: i64 = -32002;
    /// A mirrored HTTP header is missing or disagrees with the body.
    pub const HEADER_MISMATCH: i64 = -32020;
    /// The request needs a capability that the client did not declare.
    pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
    /// The server does not serve the protocol version.
    pub const UNSUPPORTED_VERSION: i64 = -32022;
    /// The person has to see a page first. Only in 2025-11-25.
    pub const URL_ELICITATION_REQUIRED: i64 = -32042;
    /// The person refused to sample. Up to 2025-11-25.
    pub const USER_REJECTED: i64 = -1;
}

/// The error member of a response: what one peer lets the other know.
///
/// ```
/// use mcp_core::{ErrorObject, error::code};
///
/// let error = ErrorObject::invalid_params("`cursor` is not one of ours");
/// assert_eq!(error.code, code::INVALID_PARAMS);
/// assert_eq!(error.to_string(), "`cursor` is not one of ours (error -32602)");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message} (error {code})")]
pub struct ErrorObject {
    /// See [`code`]; other integers outside -32768..-32000 are free for applications.
    pub code: i64,
    /// One sentence for people.
    pub message: String,
    /// What programs need to react; its shape depends on the code.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::json::present"
    )]
    pub data: Option<Json>,
}

impl ErrorObject {
    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The same error with data. Data that cannot be written as JSON is left out.
    #[must_use]
    pub fn with_data(mut self, data: &impl Serialize) -> Self {
        self.data = Json::from_value(data).ok();
        self
    }

    /// -32700: the text is not JSON.
    pub fn parse_error(message: impl Into<String>) -> Self {
        Self::new(code::PARSE_ERROR, message)
    }

    /// -32600: not a JSON-RPC message.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_REQUEST, message)
    }

    /// -32601: nobody here serves `method`.
    pub fn method_not_found(method: &str) -> Self {
        Self::new(
            code::METHOD_NOT_FOUND,
            format!("method {method:?} is not known here"),
        )
    }

    /// -32602: the parameters do not fit the method.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_PARAMS, message)
    }

    /// -32603: failed for a reason that is not the peer's business.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(code::INTERNAL_ERROR, message)
    }

    /// There is no such resource: -32602 with the URI as data (V26-RES-008). Links to peers of
    /// older versions send -32002 instead.
    pub fn resource_not_found(uri: &str) -> Self {
        Self::invalid_params(format!("there is no resource {uri:?}"))
            .with_data(&serde_json::json!({ "uri": uri }))
    }

    /// -32020: a mirrored header is missing or disagrees with the body (V26-HTTP-071).
    pub fn header_mismatch(message: impl Into<String>) -> Self {
        Self::new(code::HEADER_MISMATCH, message)
    }

    /// -32021 with the missing part of the client capabilities (V26-META-012).
    pub fn missing_client_capability(what: &str, required: &JsonObject) -> Self {
        Self::new(
            code::MISSING_CLIENT_CAPABILITY,
            format!("the client did not declare {what}, which this request needs"),
        )
        .with_data(&serde_json::json!({ "requiredCapabilities": required }))
    }

    /// -32022 with the versions that are served (V26-VER-001).
    pub fn unsupported_version(requested: &str, supported: &[ProtocolVersion]) -> Self {
        let names: Vec<_> = supported.iter().map(|version| version.as_str()).collect();
        Self::new(
            code::UNSUPPORTED_VERSION,
            format!(
                "protocol version {requested:?} is not served; served: {}",
                names.join(", ")
            ),
        )
        .with_data(&serde_json::json!({ "supported": names, "requested": requested }))
    }

    /// Whether only a server of a stateless version answers like this (note N3).
    pub fn is_stateless_only(&self) -> bool {
        matches!(
            self.code,
            code::HEADER_MISMATCH | code::MISSING_CLIENT_CAPABILITY | code::UNSUPPORTED_VERSION
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v26_base_013_014_code_and_message_are_required_and_typed() {
        for text in [
            r#"{"code":-32600}"#,
            r#"{"message":"x"}"#,
            r#"{"code":"-32600","message":"x"}"#,
            r#"{"code":1.5,"message":"x"}"#,
        ] {
            assert!(serde_json::from_str::<ErrorObject>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn v26_base_019_typed_codes_carry_their_data() {
        let error = ErrorObject::unsupported_version("1900-01-01", &[ProtocolVersion::LATEST]);
        assert_eq!(
            serde_json::to_string(&error).unwrap(),
            r#"{"code":-32022,"message":"protocol version \"1900-01-01\" is not served; served: 2026-07-28","data":{"supported":["2026-07-28"],"requested":"1900-01-01"}}"#
        );
    }

    #[test]
    fn null_data_is_kept_apart_from_no_data() {
        let text = r#"{"code":1,"message":"x","data":null}"#;
        let error: ErrorObject = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&error).unwrap(), text);
    }
}
