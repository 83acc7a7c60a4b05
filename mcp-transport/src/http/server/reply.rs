//! Responses that are not streams.

use http::{
    HeaderValue, Response, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use mcp_core::{ErrorObject, RequestId, envelope::encode_error, error::code};

use super::Body;

pub(super) fn empty(status: StatusCode) -> Response<Body> {
    build(status, Body::empty())
}

/// A sentence for people, where no JSON-RPC message is answered.
pub(super) fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = build(status, Body::full(text.as_bytes().into()));
    set(&mut response, CONTENT_TYPE, "text/plain; charset=utf-8");
    response
}

pub(super) fn error(
    status: StatusCode,
    id: Option<&RequestId>,
    error: &ErrorObject,
) -> Response<Body> {
    let mut text = Vec::new();
    encode_error(&mut text, id, error);
    json(status, text)
}

pub(super) fn json(status: StatusCode, text: Vec<u8>) -> Response<Body> {
    let mut response = build(status, Body::full(text.into()));
    set(&mut response, CONTENT_TYPE, "application/json");
    response
}

/// A stream of server-sent events that no proxy should hold back (V26-HTTP-020).
pub(super) fn events(body: Body) -> Response<Body> {
    let mut response = build(StatusCode::OK, body);
    set(&mut response, CONTENT_TYPE, "text/event-stream");
    set(&mut response, CACHE_CONTROL, "no-cache");
    response
        .headers_mut()
        .insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

fn build(status: StatusCode, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

fn set(response: &mut Response<Body>, name: http::HeaderName, value: &'static str) {
    response
        .headers_mut()
        .insert(name, HeaderValue::from_static(value));
}

/// The status of a stateless answer. Errors of handlers are answers like any other; those that
/// say something about the request itself have a status of their own (types.md, section 7).
pub(super) fn status_of<T>(result: &Result<T, ErrorObject>) -> StatusCode {
    match result {
        Err(error) if error.code == code::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        Err(error) if error.is_stateless_only() => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}
