//! The address of a server and the pooled connections to it.

use std::{fmt, io, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::{Bytes, BytesMut};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri,
    header::{
        ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH,
        CONTENT_TYPE, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, WWW_AUTHENTICATE,
    },
};
use http_body::Body as _;
use http_body_util::{BodyExt, Full, combinators::UnsyncBoxBody};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, Error, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use mcp_ext::BoxError;
use url::Url;

use super::{Limits, Options, failure::Failure};
use crate::{ConnectError, http::headers};

/// A response body, whatever it came through.
pub(super) type Body = UnsyncBoxBody<Bytes, BoxError>;

/// What a client accepts as an answer to POST (V26-HTTP-008).
const BOTH_FORMS: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// How long a body may take that is no answer.
const REMARK: Duration = Duration::from_secs(5);

/// One server: where it is and how to reach it.
pub(super) struct Endpoint {
    pool: Pool,
    uri: Uri,
    /// The address as people may see it.
    pub(super) address: String,
    /// What every request carries.
    headers: HeaderMap,
    pub(super) limits: Limits,
}

enum Pool {
    Plain(Client<HttpConnector, Full<Bytes>>),
    Tls(Client<HttpsConnector<HttpConnector>, Full<Bytes>>),
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Endpoint {
    pub(super) fn new(url: &str, options: &Options) -> Result<Self, ConnectError> {
        let invalid = |reason: String| Err(ConnectError::Invalid(reason));
        let mut url = match Url::parse(url) {
            Ok(url) => url,
            Err(error) => return invalid(format!("the URL cannot be read: {error}")),
        };
        if !matches!(url.scheme(), "http" | "https") {
            let scheme = url.scheme();
            return invalid(format!(
                "a URL with {scheme}: cannot be used, only http: and https:"
            ));
        }
        let mut headers = configured(&options.headers);
        if let Some(value) = basic(&url)
            && !headers.contains_key(AUTHORIZATION)
        {
            headers.insert(AUTHORIZATION, value);
        }
        // An http: or https: URL has a host, so neither can fail.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.set_fragment(None);
        let address = shown(&url);
        let Ok(uri) = url.as_str().parse() else {
            return invalid(format!("the URL {address} cannot be used with HTTP"));
        };
        let pool = Pool::new(&url, options.connect)?;
        Ok(Self {
            pool,
            uri,
            address,
            headers,
            limits: options.limits.clone(),
        })
    }

    /// Sends one message. The headers of the protocol take the place of configured ones.
    pub(super) async fn post(
        &self,
        protocol: &HeaderMap,
        message: Vec<u8>,
    ) -> Result<Response<Body>, Failure> {
        let mut request = self.request(Method::POST, protocol, message.into());
        request.headers_mut().insert(CONTENT_TYPE, JSON);
        request.headers_mut().insert(ACCEPT, BOTH_FORMS);
        self.send(request).await
    }

    /// Asks for a stream of events, from behind the event of this id on (V2511-HTTP-018, -026).
    pub(super) async fn events(
        &self,
        protocol: &HeaderMap,
        last_event: &str,
    ) -> Result<Response<Body>, Failure> {
        let mut request = self.request(Method::GET, protocol, Bytes::new());
        request.headers_mut().insert(ACCEPT, EVENTS);
        if !last_event.is_empty()
            && let Ok(id) = HeaderValue::from_str(last_event)
        {
            request.headers_mut().insert(LAST_EVENT_ID, id);
        }
        self.send(request).await
    }

    /// Ends what the protocol's headers name (V2511-HTTP-035).
    pub(super) async fn delete(&self, protocol: &HeaderMap) -> Result<Response<Body>, Failure> {
        self.send(self.request(Method::DELETE, protocol, Bytes::new()))
            .await
    }

    fn request(&self, method: Method, protocol: &HeaderMap, body: Bytes) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = self.uri.clone();
        let mut headers = self.headers.clone();
        for (name, value) in protocol {
            headers.insert(name, value.clone());
        }
        *request.headers_mut() = headers;
        request
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Body>, Failure> {
        let response = match &self.pool {
            Pool::Plain(client) => client.request(request),
            Pool::Tls(client) => client.request(request),
        };
        let response = response.await.map_err(|error| self.failed(&error))?;
        let response = response.map(|body| body.map_err(BoxError::from).boxed_unsync());
        let status = response.status();
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            let challenge = challenge(response.headers());
            self.discard(response).await;
            return Err(Failure::Unauthorized {
                status: status.as_u16(),
                challenge,
            });
        }
        if let Some(coding) = response.headers().get(CONTENT_ENCODING)
            && coding != "identity"
        {
            return Err(Failure::Unusable(format!(
                "it is encoded as {coding:?}, which nobody asked for"
            )));
        }
        Ok(response)
    }

    fn failed(&self, error: &Error) -> Failure {
        if error.is_connect() {
            return Failure::Open {
                address: self.address.clone(),
                source: innermost(error),
            };
        }
        let reason = innermost(error);
        Failure::Closed(format!(
            "the exchange with {} broke off: {reason}",
            self.address
        ))
    }

    /// Reads a body that nobody needs, so that its connection can be used again.
    pub(super) async fn discard(&self, response: Response<Body>) {
        if super::failure::media_type(response.headers()).as_deref() != Some("text/event-stream") {
            let _ = read_remark(response.into_body(), self.limits.error).await;
        }
    }
}

/// Reads a whole body of up to `limit` bytes.
pub(super) async fn read(mut body: Body, limit: usize) -> Result<Bytes, Failure> {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Failure::Closed("the response broke off".into()))?;
        let data = frame.into_data().unwrap_or_default();
        if whole.len() + data.len() > limit {
            return Err(Failure::Unusable(format!(
                "it is longer than {limit} bytes"
            )));
        }
        if whole.is_empty() && body.is_end_stream() {
            return Ok(data);
        }
        whole.extend_from_slice(&data);
    }
    Ok(whole.freeze())
}

/// Reads a body that explains or ends something; these are short and come at once, or not at all.
pub(super) async fn read_remark(body: Body, limit: usize) -> Option<Bytes> {
    tokio::time::timeout(REMARK, read(body, limit))
        .await
        .ok()?
        .ok()
}

impl Pool {
    fn new(url: &Url, limit: Duration) -> Result<Self, ConnectError> {
        let mut tcp = HttpConnector::new();
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(Duration::from_secs(60)));
        tcp.set_connect_timeout(Some(limit));
        tcp.enforce_http(false);
        let mut builder = Client::builder(TokioExecutor::new());
        builder
            .pool_timer(TokioTimer::new())
            .pool_max_idle_per_host(32);
        if url.scheme() == "http" {
            return Ok(Self::Plain(builder.build(tcp)));
        }
        let tls = HttpsConnectorBuilder::new()
            .with_native_roots()
            .map_err(|error| {
                ConnectError::Invalid(format!(
                    "https: needs the system's root certificates: {error}"
                ))
            })?;
        Ok(Self::Tls(builder.build(
            tls.https_only().enable_http1().wrap_connector(tcp),
        )))
    }
}

/// What is left of configured headers: those of the protocol and of the connection are not theirs
/// to set. The values become secrets.
fn configured(headers: &HeaderMap) -> HeaderMap {
    const RESERVED: [HeaderName; 9] = [
        ACCEPT,
        ACCEPT_ENCODING,
        CONNECTION,
        CONTENT_LENGTH,
        CONTENT_TYPE,
        TE,
        TRAILER,
        TRANSFER_ENCODING,
        UPGRADE,
    ];
    let protocol = |name: &str| {
        matches!(
            name,
            headers::PROTOCOL_VERSION | headers::METHOD | headers::NAME | headers::SESSION_ID
        )
    };
    let mut kept = HeaderMap::new();
    for (name, value) in headers {
        if !RESERVED.contains(name) && *name != LAST_EVENT_ID && !protocol(name.as_str()) {
            let mut value = value.clone();
            value.set_sensitive(true);
            kept.append(name, value);
        }
    }
    kept
}

/// The credentials in a URL as a header.
fn basic(url: &Url) -> Option<HeaderValue> {
    let (user, password) = (url.username(), url.password().unwrap_or_default());
    if user.is_empty() && password.is_empty() {
        return None;
    }
    let plain = [unescape(user), b":".to_vec(), unescape(password)].concat();
    let mut value = HeaderValue::try_from(format!("Basic {}", STANDARD.encode(plain))).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = (*first == b'%')
            .then(|| std::str::from_utf8(tail.get(..2)?).ok())
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    out
}

/// An address without what may be secret in it: no user, no query, and no long part of the path,
/// where some servers expect a key.
fn shown(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), shown_path(url))
}

fn shown_path(url: &Url) -> String {
    /// Longer ones are not words.
    const WORD: usize = 20;
    let parts = url
        .path()
        .split('/')
        .map(|part| if part.len() > WORD { "…" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

/// An address that a server names, relative or not, without what may be secret in it.
pub(super) fn redacted(location: &str) -> String {
    const NOWHERE: &str = "http://nowhere.invalid/";
    let Ok(url) = Url::parse(NOWHERE).and_then(|base| base.join(location)) else {
        return "an address that cannot be read".into();
    };
    if url.host_str() == Some("nowhere.invalid") {
        shown_path(&url)
    } else {
        shown(&url)
    }
}

/// The challenges of a server that wants to know who asks.
fn challenge(headers: &HeaderMap) -> Option<String> {
    let all: Vec<_> = headers
        .get_all(WWW_AUTHENTICATE)
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// What the operating system or TLS says, without the layers around it.
fn innermost(error: &Error) -> io::Error {
    let mut inner: &(dyn std::error::Error + 'static) = error;
    let mut known = None;
    while let Some(source) = inner.source() {
        inner = source;
        known = inner.downcast_ref::<io::Error>().or(known);
    }
    match known.and_then(io::Error::raw_os_error) {
        Some(code) => io::Error::from_raw_os_error(code),
        None => {
            let kind = known.map_or(io::ErrorKind::Other, io::Error::kind);
            io::Error::new(kind, inner.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &str) -> String {
        Endpoint::new(url, &Options::default())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn only_http_urls_are_used_and_the_scheme_is_named() {
        assert!(refused("ftp://example.com/x").contains("ftp:"));
        assert!(refused("stdio:echo").contains("stdio:"));
        assert!(refused("no url").contains("cannot be read"));
    }

    #[test]
    fn secrets_of_a_url_are_sent_and_never_shown() {
        let url = "http://us%40er:hun%ter2@example.com:8080/mcp?key=secret#part";
        let endpoint = Endpoint::new(url, &Options::default()).unwrap();
        assert_eq!(endpoint.address, "http://example.com:8080/mcp");
        assert_eq!(endpoint.uri, "http://example.com:8080/mcp?key=secret");
        let plain = STANDARD
            .decode(&endpoint.headers[AUTHORIZATION].as_bytes()[6..])
            .unwrap();
        assert_eq!(plain, b"us@er:hun%ter2");
        let shown = format!("{endpoint:?}");
        assert!(
            !shown.contains("hun") && !shown.contains("secret"),
            "{shown}"
        );
        assert_eq!(redacted("https://u:p@other/x?token=1"), "https://other/x");
        assert_eq!(redacted("/mcp/?token=1"), "/mcp/");
        assert_eq!(redacted("/s/0123456789abcdef01234/"), "/s/…/");
        assert_eq!(redacted("//u:p@other/x?token=1"), "http://other/x");
        assert_eq!(
            redacted("https://other/s/0123456789abcdef01234/mcp"),
            "https://other/s/…/mcp"
        );
    }

    #[test]
    fn configured_headers_take_nothing_over() {
        let mut headers = HeaderMap::new();
        for name in [
            "mcp-method",
            "accept",
            "content-length",
            "transfer-encoding",
            "x-key",
        ] {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static("v"));
        }
        let kept = configured(&headers);
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["x-key"]);
        assert!(kept["x-key"].is_sensitive());
    }
}
