//! The versions that begin with `initialize`, on both sides.

use std::sync::Arc;

use mcp_core::{
    ErrorObject, Json, ProtocolVersion, RequestMessage,
    error::code,
    meta::SERVER_INFO,
    schema::{
        cache::CacheScope,
        discover::DiscoverResult,
        implementation::Implementation,
        initialize::{INITIALIZED, Initialize, InitializeResult},
        logging::LogLevel,
        resources::ReadResource,
        subscriptions::{Listen, SubscriptionFilter},
    },
};
use mcp_ext::{
    Context, Interim, McpService, Outcome, Peer, Request, listen::EveryChange, service::answer,
};
use serde::Deserialize;

use super::stamp::Stamped;

/// Introduces a client.
pub(crate) const METHOD: &str = Initialize::METHOD;
/// Says that the introduction is complete.
pub(crate) const DONE: &str = INITIALIZED;

/// What a server keeps of a peer that introduced itself.
#[derive(Clone, Debug)]
pub(crate) struct Introduced {
    context: Context,
}

#[derive(Deserialize)]
struct SetLevel {
    level: LogLevel,
}

/// Changes the level of the log messages that a peer gets.
pub(crate) const SET_LEVEL: &str = "logging/setLevel";
/// Asks whether a peer is there.
pub(crate) const PING: &str = "ping";

impl Introduced {
    /// Reads the parameters of `initialize`.
    pub(crate) fn read(params: Option<&Json>) -> Result<Self, ErrorObject> {
        let empty = Json::empty_object();
        let hello: Initialize = params.unwrap_or(&empty).decode().map_err(|error| {
            ErrorObject::invalid_params(format!("{}: {error}", Initialize::METHOD))
        })?;
        let peer = Peer {
            implementation: Some(hello.client_info),
            capabilities: hello.capabilities,
        };
        let context = Context {
            version: ProtocolVersion::negotiate_handshake(&hello.protocol_version),
            peer: Arc::new(peer),
            // Without a level the server chooses; everything but the noise.
            log_level: Some(LogLevel::Info),
            ..Context::default()
        };
        Ok(Self { context })
    }

    pub(crate) fn version(&self) -> ProtocolVersion {
        self.context.version
    }

    /// The context of the peer's requests.
    pub(crate) fn context(&self) -> Context {
        self.context.clone()
    }

    /// What the inner service is asked so that `initialize` can be answered.
    pub(crate) fn discover(&self) -> Request {
        let mut request = Request::new(mcp_core::schema::discover::Discover::METHOD, None);
        request.context = self.context();
        request
    }

    /// The answer to `initialize`, from the inner service's answer to `server/discover`.
    pub(crate) fn answer(
        &self,
        outcome: Result<Outcome, ErrorObject>,
    ) -> Result<Json, ErrorObject> {
        let Outcome::Complete(discovered) = outcome? else {
            return Err(ErrorObject::internal("the server does not say what it is"));
        };
        let discovered: DiscoverResult = discovered
            .decode()
            .map_err(|_| ErrorObject::internal("the server does not say what it is"))?;
        let server_info = discovered
            .server_info()
            .unwrap_or_else(|| Implementation::new("unnamed", "0"));
        let answer = InitializeResult {
            protocol_version: self.version().to_string(),
            capabilities: discovered.capabilities,
            server_info,
            instructions: discovered.instructions,
            extra: Default::default(),
        };
        Json::from_value(&answer).map_err(|_| ErrorObject::internal("internal error"))
    }

    /// The change notifications of such a connection, as a subscription that nobody called. It
    /// ends when it is dropped, or when the server ends it.
    pub(crate) fn changes(
        &self,
        service: impl McpService,
        interim: Interim,
    ) -> impl Future<Output = ()> + Send + 'static {
        let every = EveryChange::default();
        let call = answer(service, self.listen(interim, every.clone()));
        async move {
            // A server that refuses has no changes to tell.
            if call.await.is_ok()
                && let Some(subscription) = every.take()
            {
                subscription.await;
            }
        }
    }

    fn listen(&self, interim: Interim, every: EveryChange) -> Request {
        let listen = Listen {
            notifications: SubscriptionFilter::lists(),
        };
        let mut request = Request::new(Listen::METHOD, Json::from_value(&listen).ok());
        request.context = self.context();
        request.interim = interim;
        request.extensions.insert(every);
        request
    }

    /// Answers `logging/setLevel` (V2511-FEAT-006, -007).
    pub(crate) fn set_level(&mut self, params: Option<&Json>) -> Result<Json, ErrorObject> {
        let empty = Json::empty_object();
        let SetLevel { level } = params
            .unwrap_or(&empty)
            .decode()
            .map_err(|error| ErrorObject::invalid_params(format!("{SET_LEVEL}: {error}")))?;
        self.context.log_level = Some(level);
        Ok(Json::empty_object())
    }
}

/// An outcome as a result of the older versions: without `resultType`, errors with the codes of
/// the time.
pub(crate) fn write_result(
    method: &str,
    outcome: Result<Outcome, ErrorObject>,
) -> Result<Stamped, ErrorObject> {
    match outcome {
        Ok(Outcome::Complete(result)) if result.is_object() => Ok(Stamped::plain(result)),
        Ok(Outcome::Complete(_)) => Err(ErrorObject::internal(
            "the handler's result is not an object",
        )),
        Ok(Outcome::InputRequired(_)) => Err(ErrorObject::internal(
            "the server needs input from the client, which it cannot ask for in this version",
        )),
        Ok(_) => Err(ErrorObject::internal(
            "this kind of outcome has no form in this version",
        )),
        Err(error) => Err(older_error(method, error)),
    }
}

/// The codes of the time: a missing resource is -32002 (V26-BASE-020), and a method of an
/// extension that the client did not announce is one that it cannot know (EXT-FW-015).
fn older_error(method: &str, mut error: ErrorObject) -> ErrorObject {
    let names_uri = || {
        error
            .data
            .as_ref()
            .is_some_and(|data| data.member("uri").is_some())
    };
    match error.code {
        code::INVALID_PARAMS if method == ReadResource::METHOD && names_uri() => {
            error.code = code::RESOURCE_NOT_FOUND;
        }
        code::MISSING_CLIENT_CAPABILITY => error.code = code::METHOD_NOT_FOUND,
        _ => {}
    }
    error
}

/// What a client sends to introduce itself (V2511-LIFE-002, -008).
pub(crate) fn hello(peer: &Peer) -> Result<Json, serde_json::Error> {
    let unnamed = || Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    Json::from_value(&Initialize {
        protocol_version: ProtocolVersion::LATEST_WITH_HANDSHAKE.to_string(),
        capabilities: peer.capabilities.clone(),
        client_info: peer.implementation.clone().unwrap_or_else(unnamed),
    })
}

/// What a client keeps of a server: the version, and the answer to `server/discover`, which such
/// a server cannot give itself.
#[derive(Clone, Debug)]
pub(crate) struct Greeted {
    pub(crate) version: ProtocolVersion,
    pub(crate) discovered: Json,
}

impl Greeted {
    /// Reads the answer to `initialize`. A version that this crate does not know ends the
    /// connection (V2511-LIFE-012, note L1).
    pub(crate) fn read(answer: &Json) -> Result<Self, String> {
        let answer: InitializeResult = answer
            .decode()
            .map_err(|error| format!("the answer to initialize: {error}"))?;
        let version: ProtocolVersion = answer
            .protocol_version
            .parse()
            .map_err(|error| format!("the server answered with a version: {error}"))?;
        let mut meta = mcp_core::JsonObject::new();
        if let Ok(info) = serde_json::to_value(&answer.server_info) {
            meta.insert(SERVER_INFO.into(), info);
        }
        let discovered = DiscoverResult {
            supported_versions: vec![version.to_string()],
            capabilities: answer.capabilities,
            instructions: answer.instructions,
            ttl_ms: 0,
            cache_scope: CacheScope::Private,
            meta: Some(meta),
            extra: answer.extra,
        };
        let discovered = Json::from_value(&discovered).map_err(|error| error.to_string())?;
        Ok(Self {
            version,
            discovered,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{"extensions":{"com.example/x":{}}},"clientInfo":{"name":"c","version":"1"}}"#;

    fn json(text: &str) -> Json {
        text.parse().unwrap()
    }

    #[test]
    fn v2511_life_003_the_answer_comes_from_discovery() {
        let peer = Introduced::read(Some(&json(HELLO))).unwrap();
        let discovered = json(
            r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"be nice","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"2"}}}"#,
        );
        let answer = peer.answer(Ok(Outcome::Complete(discovered))).unwrap();
        assert_eq!(
            answer.as_str(),
            r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"2"},"instructions":"be nice"}"#
        );
        let greeted = Greeted::read(&answer).unwrap();
        assert_eq!(greeted.version, ProtocolVersion::V2025_06_18);
        let again: DiscoverResult = greeted.discovered.decode().unwrap();
        assert_eq!(again.server_info().unwrap().name, "s");
    }

    #[test]
    fn v2511_life_012_an_unknown_version_is_not_accepted() {
        let answer = json(
            r#"{"protocolVersion":"1.0","capabilities":{},"serverInfo":{"name":"s","version":"2"}}"#,
        );
        assert!(Greeted::read(&answer).unwrap_err().contains("1.0"));
    }

    #[test]
    fn v26_base_020_a_missing_resource_has_the_code_of_the_time() {
        let error = write_result(
            "resources/read",
            Err(ErrorObject::resource_not_found("a:b")),
        );
        assert_eq!(error.unwrap_err().code, code::RESOURCE_NOT_FOUND);
        let error = write_result("tools/call", Err(ErrorObject::invalid_params("x")));
        assert_eq!(error.unwrap_err().code, code::INVALID_PARAMS);
    }

    #[test]
    fn v2511_feat_007_an_unknown_level_is_invalid_params() {
        let mut peer = Introduced::read(Some(&json(HELLO))).unwrap();
        assert!(peer.set_level(Some(&json(r#"{"level":"debug"}"#))).is_ok());
        assert_eq!(peer.context().log_level, Some(LogLevel::Debug));
        let error = peer
            .set_level(Some(&json(r#"{"level":"loud"}"#)))
            .unwrap_err();
        assert_eq!(error.code, code::INVALID_PARAMS);
    }
}
