//! The stateless wire form: what a request carries in `_meta`, and `resultType` in results.

use std::sync::Arc;

use mcp_core::{
    ErrorObject, Json, JsonObject, ProgressToken, ProtocolVersion, RequestMessage,
    meta::{CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, META, PROGRESS_TOKEN, PROTOCOL_VERSION},
    schema::{
        capabilities::ClientCapabilities, discover::Discover, implementation::Implementation,
        input::InputRequired, logging::LogLevel,
    },
};
use mcp_ext::{Context, Outcome, Peer, Request};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

/// A request off the wire, apart from what belongs to this hop.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) request: Request,
    pub(crate) token: Option<ProgressToken>,
}

#[derive(Default, Deserialize)]
struct RequestMeta {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    _version: Option<IgnoredAny>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<ClientCapabilities>,
    #[serde(rename = "io.modelcontextprotocol/clientInfo")]
    implementation: Option<Implementation>,
    #[serde(rename = "io.modelcontextprotocol/logLevel")]
    log_level: Option<LogLevel>,
    #[serde(rename = "progressToken")]
    token: Option<ProgressToken>,
    #[serde(flatten)]
    rest: JsonObject,
}

/// Whether a request says which version it speaks.
pub(crate) fn names_version(params: Option<&Json>) -> bool {
    params
        .and_then(|params| params.member(META))
        .is_some_and(|meta| meta.member(PROTOCOL_VERSION).is_some())
}

/// The version that a request says it speaks, if it says so in a string.
#[cfg(feature = "http-server")]
pub(crate) fn version_of(params: Option<&Json>) -> Option<String> {
    params?
        .member(META)?
        .member(PROTOCOL_VERSION)?
        .decode()
        .ok()
}

/// Reads a stateless request. The checks come in the order of note N4: the version is there, it
/// is served, then the rest of what is required.
pub(crate) fn read_request(method: String, params: Option<&Json>) -> Result<Incoming, ErrorObject> {
    let raw = params.and_then(|params| params.member(META));
    let required = |key| {
        raw.as_ref()
            .and_then(|meta| meta.member(key))
            .ok_or_else(|| {
                ErrorObject::invalid_params(format!(
                    "{method}: `params._meta[\"{key}\"]` is required"
                ))
            })
    };
    let version = required(PROTOCOL_VERSION)?;
    let version: String = version.decode().map_err(|_| {
        ErrorObject::invalid_params(format!("`_meta[\"{PROTOCOL_VERSION}\"]` must be a string"))
    })?;
    let served: Vec<_> = ProtocolVersion::stateless().collect();
    let version = version
        .parse()
        .ok()
        .filter(|version| served.contains(version))
        .ok_or_else(|| ErrorObject::unsupported_version(&version, &served))?;
    required(CLIENT_CAPABILITIES)?;
    let meta = read_meta(raw.as_ref())?;
    let context = Context {
        version,
        peer: Arc::new(Peer {
            implementation: meta.implementation,
            capabilities: meta.capabilities.unwrap_or_default(),
        }),
        log_level: meta.log_level,
        meta: meta.rest,
    };
    Ok(incoming(method, params, context, meta.token))
}

/// Reads a request whose sender introduced itself before.
pub(crate) fn read_plain(
    method: String,
    params: Option<&Json>,
    known: Context,
) -> Result<Incoming, ErrorObject> {
    let meta = read_meta(params.and_then(|params| params.member(META)).as_ref())?;
    Ok(incoming(
        method,
        params,
        Context {
            meta: meta.rest,
            ..known
        },
        meta.token,
    ))
}

fn read_meta(meta: Option<&Json>) -> Result<RequestMeta, ErrorObject> {
    meta.map_or(Ok(RequestMeta::default()), |meta| {
        meta.decode()
            .map_err(|error| ErrorObject::invalid_params(format!("`_meta`: {error}")))
    })
}

fn incoming(
    method: String,
    params: Option<&Json>,
    context: Context,
    token: Option<ProgressToken>,
) -> Incoming {
    let mut request = Request::new(method, params.map(|params| params.rewrite(&[], &[META])));
    request.context = context;
    Incoming { request, token }
}

/// The parameters of a stateless request with everything that has to travel with it
/// (V26-META-007, -010).
pub(crate) fn write_request(
    request: &Request,
    version: ProtocolVersion,
    token: Option<&ProgressToken>,
) -> Json {
    let context = &request.context;
    let mut meta = context.meta.clone();
    let mut put = |key: &str, value: Result<Value, serde_json::Error>| {
        if let Ok(value) = value {
            meta.insert(key.into(), value);
        }
    };
    put(PROTOCOL_VERSION, Ok(version.as_str().into()));
    put(
        CLIENT_CAPABILITIES,
        serde_json::to_value(&context.peer.capabilities),
    );
    if let Some(implementation) = &context.peer.implementation {
        put(CLIENT_INFO, serde_json::to_value(implementation));
    }
    if let Some(level) = context.log_level {
        put(LOG_LEVEL, serde_json::to_value(level));
    }
    if let Some(token) = token {
        put(PROGRESS_TOKEN, serde_json::to_value(token));
    }
    with_meta(request.params.as_ref(), meta)
}

/// The parameters of a request to a peer that knows who asks. Without metadata they stay as they
/// are.
pub(crate) fn write_plain(request: &Request, token: Option<&ProgressToken>) -> Option<Json> {
    let mut meta = request.context.meta.clone();
    if let Some(Ok(token)) = token.map(serde_json::to_value) {
        meta.insert(PROGRESS_TOKEN.into(), token);
    }
    if meta.is_empty() {
        return request.params.clone();
    }
    Some(with_meta(request.params.as_ref(), meta))
}

fn with_meta(params: Option<&Json>, meta: JsonObject) -> Json {
    let empty = Json::empty_object();
    params
        .unwrap_or(&empty)
        .rewrite(&[(META, &meta.into())], &[])
}

const RESULT_TYPE: &str = "resultType";

/// Reads a result by its `resultType`; one without it is complete, it comes from an older server
/// (V26-BASE-011).
pub(crate) fn read_result(result: Json) -> Result<Outcome, String> {
    let Some(kind) = result.member(RESULT_TYPE) else {
        return if result.is_object() {
            Ok(Outcome::Complete(result))
        } else {
            Err("the result is not an object".into())
        };
    };
    let kind: String = kind.decode().map_err(|_| "`resultType` is not a string")?;
    let body = result.rewrite(&[], &[RESULT_TYPE]);
    match kind.as_str() {
        "complete" => Ok(Outcome::Complete(body)),
        "input_required" => {
            let input: InputRequired = body.decode().map_err(|error| error.to_string())?;
            if input.input_requests.is_empty() && input.request_state.is_none() {
                return Err("input is required, but the server does not say which".into());
            }
            Ok(Outcome::InputRequired(input))
        }
        _ => Ok(Outcome::Other { kind, body }),
    }
}

/// Writes an outcome as a stateless result (V26-BASE-008). Which versions are served is this hop's
/// to say: the service behind it may be a server of another version.
pub(crate) fn write_result(method: &str, outcome: &Outcome) -> Result<Json, ErrorObject> {
    let with = |kind: &str, body: &Json| {
        if !body.is_object() {
            return Err(ErrorObject::internal(
                "the handler's result is not an object",
            ));
        }
        Ok(body.rewrite(&[(RESULT_TYPE, &Json::from(Value::from(kind)))], &[]))
    };
    match outcome {
        Outcome::Complete(body) if method == Discover::METHOD => {
            let served: Vec<_> = ProtocolVersion::stateless()
                .map(ProtocolVersion::as_str)
                .collect();
            with(
                "complete",
                &body.rewrite(&[("supportedVersions", &Value::from(served).into())], &[]),
            )
        }
        Outcome::Complete(body) => with("complete", body),
        Outcome::InputRequired(input) => {
            let body = Json::from_value(input)
                .map_err(|_| ErrorObject::internal("the questions cannot be written as JSON"))?;
            with("input_required", &body)
        }
        Outcome::Other { kind, body } => with(kind, body),
        _ => Err(ErrorObject::internal(
            "this kind of outcome has no wire form",
        )),
    }
}

#[cfg(test)]
mod tests {
    use mcp_core::error::code;

    use super::*;

    fn json(text: &str) -> Json {
        text.parse().unwrap()
    }

    const META_TEXT: &str = r#"{"a":1,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"com.example/x":{}}},"progressToken":7,"traceparent":"00-1"},"b":2}"#;

    #[test]
    fn what_belongs_to_the_link_is_taken_out_of_the_request() {
        let Incoming { request, token } =
            read_request("tools/call".into(), Some(&json(META_TEXT))).unwrap();
        assert_eq!(request.params.unwrap().as_str(), r#"{"a":1,"b":2}"#);
        assert_eq!(token, Some(ProgressToken(7i64.into())));
        assert!(
            request
                .context
                .peer
                .capabilities
                .extensions
                .contains_key("com.example/x")
        );
        assert_eq!(request.context.meta.len(), 1, "{:?}", request.context.meta);
    }

    #[test]
    fn reading_what_was_written_gives_the_same_request() {
        let Incoming { request, token } =
            read_request("tools/call".into(), Some(&json(META_TEXT))).unwrap();
        let text = write_request(&request, ProtocolVersion::LATEST, token.as_ref());
        let again = read_request("tools/call".into(), Some(&text)).unwrap();
        assert_eq!(again.request.context, request.context);
        assert_eq!((again.request.params, again.token), (request.params, token));
    }

    #[track_caller]
    fn refused(params: Option<&str>, code: i64) {
        let params = params.map(json);
        let error = read_request("tools/list".into(), params.as_ref()).unwrap_err();
        assert_eq!(error.code, code, "{error}");
    }

    #[test]
    fn v26_meta_008_a_missing_required_field_is_invalid_params() {
        refused(None, code::INVALID_PARAMS);
        refused(Some("{}"), code::INVALID_PARAMS);
        refused(Some(r#"{"_meta":{}}"#), code::INVALID_PARAMS);
        refused(
            Some(r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#),
            code::INVALID_PARAMS,
        );
    }

    #[test]
    fn v26_ver_001_n4_an_unknown_version_comes_before_other_missing_fields() {
        refused(
            Some(r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}"#),
            code::UNSUPPORTED_VERSION,
        );
        refused(
            Some(r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}}"#),
            code::UNSUPPORTED_VERSION,
        );
    }

    #[test]
    fn v26_log_007_an_unknown_log_level_is_invalid_params() {
        let text = META_TEXT.replace(
            "\"traceparent\":\"00-1\"",
            "\"io.modelcontextprotocol/logLevel\":\"loud\"",
        );
        refused(Some(&text), code::INVALID_PARAMS);
    }

    #[test]
    fn v26_base_010_011_results_are_selected_by_their_type() {
        assert_eq!(
            read_result(json("{\"x\":1}")),
            Ok(Outcome::Complete(json("{\"x\":1}")))
        );
        let complete = json(r#"{"resultType":"complete","x":1}"#);
        assert_eq!(
            read_result(complete),
            Ok(Outcome::Complete(json("{\"x\":1}")))
        );
        let other = read_result(json(r#"{"resultType":"task","x":1}"#)).unwrap();
        assert_eq!(
            other,
            Outcome::Other {
                kind: "task".into(),
                body: json("{\"x\":1}")
            }
        );
        assert!(read_result(json(r#"{"resultType":"input_required"}"#)).is_err());
        assert!(read_result(json("[1]")).is_err());
    }

    #[test]
    fn v26_base_008_every_result_says_its_type_once() {
        let result = write_result("m", &Outcome::Complete(json(r#"{"resultType":"x","a":1}"#)));
        assert_eq!(
            result.unwrap().as_str(),
            r#"{"resultType":"complete","a":1}"#
        );
    }
}
