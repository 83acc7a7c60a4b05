//! The stateless wire form: what a request carries in `_meta`, and `resultType` in results.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_core::{
    ErrorObject, Json, JsonObject, ProgressToken, ProtocolVersion, RequestId, RequestMessage,
    envelope::{encode_error, encode_result_with},
    meta::{
        CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, META, PROGRESS_TOKEN, PROTOCOL_VERSION,
        SUBSCRIPTION_ID,
    },
    schema::{discover::Discover, input::InputRequired, logging::LogLevel, subscriptions::Listen},
};
use mcp_ext::{Context, Outcome, Peer, Request};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A request off the wire, apart from what belongs to this hop.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) request: Request,
    pub(crate) token: Option<ProgressToken>,
}

/// The `_meta` of a request, taken apart.
#[derive(Default)]
struct RequestMeta {
    version: Option<Json>,
    capabilities: Option<Json>,
    implementation: Option<Json>,
    log_level: Option<Json>,
    token: Option<Json>,
    rest: JsonObject,
}

impl RequestMeta {
    fn log_level(&self) -> Result<Option<LogLevel>, ErrorObject> {
        self.log_level
            .as_ref()
            .map(|level| decode(LOG_LEVEL, level))
            .transpose()
    }

    fn token(&self) -> Result<Option<ProgressToken>, ErrorObject> {
        self.token
            .as_ref()
            .map(|token| decode(PROGRESS_TOKEN, token))
            .transpose()
    }

    fn read(raw: Option<&Json>) -> Result<Self, ErrorObject> {
        let mut meta = Self::default();
        let Some(raw) = raw else { return Ok(meta) };
        if !raw.is_object() {
            return Err(ErrorObject::invalid_params("`_meta` must be an object"));
        }
        for (key, value) in raw.members() {
            match &*key {
                PROTOCOL_VERSION => meta.version = Some(value),
                CLIENT_CAPABILITIES => meta.capabilities = Some(value),
                CLIENT_INFO => meta.implementation = Some(value),
                LOG_LEVEL => meta.log_level = Some(value),
                PROGRESS_TOKEN => meta.token = Some(value),
                _ => {
                    meta.rest.insert(key.into_owned(), decode("_meta", &value)?);
                }
            }
        }
        Ok(meta)
    }
}

fn decode<T: DeserializeOwned>(key: &str, value: &Json) -> Result<T, ErrorObject> {
    value
        .decode()
        .map_err(|error| ErrorObject::invalid_params(format!("`_meta[{key:?}]`: {error}")))
}

/// The peer of the last request. A client says the same about itself with every request, so it is
/// read once.
#[derive(Debug, Default)]
pub(crate) struct LastPeer(Mutex<Option<Said>>);

#[derive(Debug)]
struct Said {
    capabilities: Json,
    implementation: Option<Json>,
    peer: Arc<Peer>,
}

impl LastPeer {
    /// Longest text, in bytes, that is worth remembering.
    const MOST: usize = 8 * 1024;

    fn read(
        &self,
        capabilities: &Json,
        implementation: Option<&Json>,
    ) -> Result<Arc<Peer>, ErrorObject> {
        let same = |said: &&Said| {
            said.capabilities == *capabilities && said.implementation.as_ref() == implementation
        };
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(peer) = lock().as_ref().filter(same).map(|said| said.peer.clone()) {
            return Ok(peer);
        }
        let read = Peer {
            capabilities: decode(CLIENT_CAPABILITIES, capabilities)?,
            implementation: implementation
                .map(|implementation| decode(CLIENT_INFO, implementation))
                .transpose()?,
        };
        let peer = Arc::new(read);
        let size = |json: &Json| json.as_bytes().len();
        if size(capabilities) + implementation.map_or(0, size) <= Self::MOST {
            // Copies: what was said must not keep the whole message.
            *lock() = Some(Said {
                capabilities: capabilities.detached(),
                implementation: implementation.map(Json::detached),
                peer: peer.clone(),
            });
        }
        Ok(peer)
    }
}

/// The parameters of a request off the wire, with `_meta` taken out of them.
#[derive(Debug)]
pub(crate) struct Params {
    meta: Option<Json>,
    rest: Option<Json>,
}

impl Params {
    pub(crate) fn split(params: Option<&Json>) -> Self {
        let (meta, rest) = params.map(|params| params.take(META)).unzip();
        Self {
            meta: meta.flatten(),
            rest,
        }
    }

    /// Whether the request says which version it speaks.
    pub(crate) fn name_version(&self) -> bool {
        self.meta
            .as_ref()
            .is_some_and(|meta| meta.member(PROTOCOL_VERSION).is_some())
    }
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
pub(crate) fn read_request(
    method: String,
    params: Params,
    last: &LastPeer,
) -> Result<Incoming, ErrorObject> {
    let meta = RequestMeta::read(params.meta.as_ref())?;
    let missing = |key| {
        ErrorObject::invalid_params(format!("{method}: `params._meta[\"{key}\"]` is required"))
    };
    let version = meta
        .version
        .as_ref()
        .ok_or_else(|| missing(PROTOCOL_VERSION))?;
    let version = read_version(&decode::<String>(PROTOCOL_VERSION, version)?)?;
    let capabilities = meta
        .capabilities
        .as_ref()
        .ok_or_else(|| missing(CLIENT_CAPABILITIES))?;
    let token = meta.token()?;
    let context = Context {
        version,
        peer: last.read(capabilities, meta.implementation.as_ref())?,
        log_level: meta.log_level()?,
        meta: meta.rest,
    };
    Ok(incoming(method, params.rest, context, token))
}

fn read_version(text: &str) -> Result<ProtocolVersion, ErrorObject> {
    let version = text
        .parse()
        .ok()
        .filter(|version: &ProtocolVersion| version.is_stateless());
    version.ok_or_else(|| {
        let served: Vec<_> = ProtocolVersion::stateless().collect();
        ErrorObject::unsupported_version(text, &served)
    })
}

/// Reads a request whose sender introduced itself before.
pub(crate) fn read_plain(
    method: String,
    params: Params,
    known: Context,
) -> Result<Incoming, ErrorObject> {
    let meta = RequestMeta::read(params.meta.as_ref())?;
    let token = meta.token()?;
    Ok(incoming(
        method,
        params.rest,
        Context {
            meta: meta.rest,
            ..known
        },
        token,
    ))
}

fn incoming(
    method: String,
    params: Option<Json>,
    context: Context,
    token: Option<ProgressToken>,
) -> Incoming {
    let mut request = Request::new(method, params);
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
const COMPLETE: &str = "complete";
const INPUT_REQUIRED: &str = "input_required";

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
        COMPLETE => Ok(Outcome::Complete(body)),
        INPUT_REQUIRED => {
            let input: InputRequired = body.decode().map_err(|error| error.to_string())?;
            if input.input_requests.is_empty() && input.request_state.is_none() {
                return Err("input is required, but the server does not say which".into());
            }
            Ok(Outcome::InputRequired(input))
        }
        _ => Ok(Outcome::Other { kind, body }),
    }
}

/// A result and the members that this hop adds to it.
#[derive(Debug)]
pub(crate) struct Stamped {
    pub(crate) body: Json,
    kind: Option<Json>,
    versions: Option<Json>,
    /// The result of a subscription carries the id of its request (V26-SUB-010).
    tagged: bool,
}

impl Stamped {
    /// A result that goes out as it is.
    pub(crate) fn plain(body: Json) -> Self {
        Self {
            body,
            kind: None,
            versions: None,
            tagged: false,
        }
    }

    /// Writes an answer, good or bad.
    pub(crate) fn encode(out: &mut Vec<u8>, id: &RequestId, answer: &Result<Self, ErrorObject>) {
        let stamped = match answer {
            Ok(stamped) => stamped,
            Err(error) => return encode_error(out, Some(id), error),
        };
        let meta = stamped.tagged.then(|| {
            let meta = stamped.body.member(META).unwrap_or(Json::empty_object());
            let id = Json::from_value(id).unwrap_or(Json::empty_object());
            meta.rewrite(&[(SUBSCRIPTION_ID, &id)], &[])
        });
        let all = [
            (RESULT_TYPE, &stamped.kind),
            ("supportedVersions", &stamped.versions),
            (META, &meta),
        ];
        let add: Vec<_> = all
            .iter()
            .filter_map(|(key, value)| Some((*key, value.as_ref()?)))
            .collect();
        encode_result_with(out, Some(id), &add, &stamped.body);
    }
}

/// Makes an outcome a stateless result (V26-BASE-008). Which versions are served is this hop's to
/// say: the service behind it may be a server of another version.
pub(crate) fn write_result(method: &str, outcome: Outcome) -> Result<Stamped, ErrorObject> {
    let with = |kind: &str, body: Json| {
        if !body.is_object() {
            return Err(ErrorObject::internal(
                "the handler's result is not an object",
            ));
        }
        let versions = (method == Discover::METHOD && kind == COMPLETE).then(|| {
            let served = ProtocolVersion::stateless().map(ProtocolVersion::as_str);
            Value::from(served.collect::<Vec<_>>()).into()
        });
        Ok(Stamped {
            body,
            kind: Some(Value::from(kind).into()),
            versions,
            tagged: method == Listen::METHOD,
        })
    };
    match outcome {
        Outcome::Complete(body) => with(COMPLETE, body),
        Outcome::InputRequired(input) => {
            let body = Json::from_value(&input)
                .map_err(|_| ErrorObject::internal("the questions cannot be written as JSON"))?;
            with(INPUT_REQUIRED, body)
        }
        Outcome::Other { kind, body } => with(&kind, body),
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

    fn split(text: &str) -> Params {
        Params::split(Some(&json(text)))
    }

    const META_TEXT: &str = r#"{"a":1,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"com.example/x":{}}},"progressToken":7,"traceparent":"00-1"},"b":2}"#;

    #[test]
    fn what_belongs_to_the_link_is_taken_out_of_the_request() {
        let Incoming { request, token } =
            read_request("tools/call".into(), split(META_TEXT), &LastPeer::default()).unwrap();
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
            read_request("tools/call".into(), split(META_TEXT), &LastPeer::default()).unwrap();
        let text = write_request(&request, ProtocolVersion::LATEST, token.as_ref());
        let again = read_request(
            "tools/call".into(),
            Params::split(Some(&text)),
            &LastPeer::default(),
        )
        .unwrap();
        assert_eq!(again.request.context, request.context);
        assert_eq!((again.request.params, again.token), (request.params, token));
    }

    #[test]
    fn what_a_peer_says_of_itself_is_read_anew_when_it_changes() {
        let last = LastPeer::default();
        let peer = |text: &str| {
            read_request("m".into(), split(text), &last)
                .unwrap()
                .request
                .context
                .peer
        };
        let first = peer(META_TEXT);
        assert!(Arc::ptr_eq(&first, &peer(META_TEXT)));
        let other = peer(&META_TEXT.replace("com.example/x", "com.example/y"));
        assert!(other.capabilities.extensions.contains_key("com.example/y"));
        assert!(!other.capabilities.extensions.contains_key("com.example/x"));
    }

    #[track_caller]
    fn refused(params: Option<&str>, code: i64) {
        let params = params.map(json);
        let error = read_request(
            "tools/list".into(),
            Params::split(params.as_ref()),
            &LastPeer::default(),
        )
        .unwrap_err();
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
        let outcome = Outcome::Complete(json(r#"{"resultType":"x","a":1}"#));
        let mut out = Vec::new();
        Stamped::encode(&mut out, &7i64.into(), &write_result("m", outcome));
        assert_eq!(
            String::from_utf8(out).unwrap(),
            r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","a":1}}"#
        );
    }
}
