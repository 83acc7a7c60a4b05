//! What is checked before a message is looked at.

use http::{
    HeaderMap, StatusCode,
    header::{ACCEPT, CONTENT_TYPE, HOST, ORIGIN},
    request::Parts,
};
use mcp_core::{ErrorObject, Json, ProtocolVersion, RequestId, header};

use super::{Options, Refusal, reply};
use crate::http::headers::{METHOD, NAME, PROTOCOL_VERSION};

/// `Host`, the target and `Origin` name this server: a web page that reached it by a name of its
/// own is refused (V26-HTTP-002, -003). Programs send no `Origin`.
pub(super) fn origin(head: &Parts, options: &Options) -> Result<(), Refusal> {
    let Some(hosts) = &options.hosts else {
        return Ok(());
    };
    let known = |authority: &str| {
        host_name(authority)
            .is_some_and(|name| hosts.iter().any(|host| host.eq_ignore_ascii_case(name)))
    };
    let forbidden = |text| Err(reply::plain(StatusCode::FORBIDDEN, text).into());
    let target = head
        .uri
        .authority()
        .is_none_or(|authority| known(authority.as_str()));
    let mut named = head.headers.get_all(HOST).iter();
    if !target || !named.all(|host| host.to_str().is_ok_and(known)) {
        return forbidden("this host name is not served here");
    }
    for origin in head.headers.get_all(ORIGIN) {
        let authority = origin.to_str().ok().and_then(|origin| {
            origin
                .strip_prefix("http://")
                .or_else(|| origin.strip_prefix("https://"))
        });
        if !authority.is_some_and(known) {
            return forbidden("this origin may not use the server");
        }
    }
    Ok(())
}

/// `name`, `name:port`, `[v6]` or `[v6]:port`, without the port; nothing else.
fn host_name(authority: &str) -> Option<&str> {
    let end = match authority.strip_prefix('[') {
        Some(rest) => rest.find(']')? + 2,
        None => authority.find(':').unwrap_or(authority.len()),
    };
    let (name, rest) = authority.split_at(end);
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port)).then_some(name)
}

/// The body is JSON, and the client takes one of our forms of answer (note N27).
pub(super) fn content(headers: &HeaderMap) -> Result<(), Refusal> {
    let essence = |value: &str| {
        value
            .split(';')
            .next()
            .unwrap_or("")
            .trim()
            .to_ascii_lowercase()
    };
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .map(essence);
    if kind.as_deref() != Some("application/json") {
        return Err(reply::plain(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the body must be application/json",
        )
        .into());
    }
    if accepts(headers, &["application/json", "text/event-stream"]) {
        return Ok(());
    }
    let error = ErrorObject::invalid_request(
        "the answer is application/json or text/event-stream, and `Accept` takes neither",
    );
    Err(reply::error(StatusCode::NOT_ACCEPTABLE, None, &error).into())
}

pub(super) fn wants_events(headers: &HeaderMap) -> Result<(), Refusal> {
    if accepts(headers, &["text/event-stream"]) {
        return Ok(());
    }
    Err(reply::plain(
        StatusCode::NOT_ACCEPTABLE,
        "the answer is text/event-stream",
    )
    .into())
}

fn accepts(headers: &HeaderMap, kinds: &[&str]) -> bool {
    let mut values = headers.get_all(ACCEPT).iter().peekable();
    if values.peek().is_none() {
        return true;
    }
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|range| {
            let range = range
                .split(';')
                .next()
                .unwrap_or("")
                .trim()
                .to_ascii_lowercase();
            range == "*/*"
                || kinds.contains(&range.as_str())
                || range.strip_suffix("/*").is_some_and(|class| {
                    kinds
                        .iter()
                        .any(|kind| kind.split('/').next() == Some(class))
                })
        })
}

/// The headers that mirror the body of a stateless request: each is there once and says the same
/// (V26-HTTP-029, -033, -034, -062, -068; note N4: before anything else about the request).
pub(super) fn mirrored(
    headers: &HeaderMap,
    id: &RequestId,
    method: &str,
    params: Option<&Json>,
    version: &str,
) -> Result<(), Refusal> {
    let compare = |name: &str, body: &str, encoded: bool| {
        let mut values = headers.get_all(name).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return Err(format!("header {name} must be there once"));
        };
        let text = value
            .to_str()
            .map_err(|_| format!("header {name} is not plain text"))?;
        let same = if encoded {
            header::decode(text).is_some_and(|text| text == body)
        } else {
            text == body
        };
        if same {
            Ok(())
        } else {
            Err(format!("header {name} says something else than the body"))
        }
    };
    let all = || {
        compare(PROTOCOL_VERSION, version, false)?;
        compare(METHOD, method, false)?;
        let named = header::name_param(method)
            .and_then(|param| params?.member(param)?.decode::<String>().ok());
        named.map_or(Ok(()), |named| compare(NAME, &named, true))
    };
    all().map_err(|reason: String| {
        let error = ErrorObject::header_mismatch(reason);
        reply::error(StatusCode::BAD_REQUEST, Some(id), &error).into()
    })
}

/// A session's version header is one that has sessions; without one the session knows
/// (V2511-HTTP-038, -039).
pub(super) fn version_of_session(headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(value) = headers.get(PROTOCOL_VERSION) else {
        return Ok(());
    };
    let version = value
        .to_str()
        .ok()
        .and_then(|text| text.parse::<ProtocolVersion>().ok());
    if version.is_some_and(|version| !version.is_stateless()) {
        return Ok(());
    }
    let text = String::from_utf8_lossy(value.as_bytes());
    let error =
        ErrorObject::invalid_request(format!("protocol version {text:?} is not one of a session"));
    Err(reply::error(StatusCode::BAD_REQUEST, None, &error).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pairs: &[(&'static str, &'static str)], allowed: bool) {
        let mut request = http::Request::new(());
        for (name, value) in pairs {
            request.headers_mut().append(*name, value.parse().unwrap());
        }
        let (head, ()) = request.into_parts();
        assert_eq!(
            origin(&head, &Options::default()).is_ok(),
            allowed,
            "{pairs:?}"
        );
    }

    #[test]
    fn v26_http_002_003_t1_foreign_names_are_refused() {
        check(&[], true);
        check(
            &[
                ("host", "localhost:8080"),
                ("origin", "http://127.0.0.1:3000"),
            ],
            true,
        );
        check(&[("host", "[::1]:8080"), ("origin", "http://[::1]")], true);
        check(&[("host", "LOCALHOST")], true);
        check(&[("host", "evil.example:8080")], false);
        check(&[("host", "localhost.evil.example")], false);
        check(&[("host", "localhost:80@evil.example")], false);
        check(&[("host", "[::1].evil.example")], false);
        check(&[("host", "localhost"), ("host", "evil.example")], false);
        check(
            &[("host", "localhost"), ("origin", "http://evil.example")],
            false,
        );
        check(&[("host", "localhost"), ("origin", "null")], false);
        check(&[("origin", "http://localhost@evil.example")], false);
    }
}
