//! What the streams of a session carry beside the answer to a request.

use std::time::Duration;

use http::HeaderMap;
use mcp_core::{
    ErrorObject, Json, RequestId,
    envelope::{encode_error, encode_result},
    schema::{logging, resources, tools},
};
use mcp_ext::{Interim, Notification, listen::Hub};

use super::endpoint::Endpoint;
use crate::era::{greeting::PING, listening};

/// How long sending may take that nobody waits for.
pub(super) const ASIDE: Duration = Duration::from_secs(5);

/// Where messages go that are about no request of this side.
#[derive(Debug)]
pub(super) struct Beside<'a> {
    pub(super) endpoint: &'a Endpoint,
    /// The headers of the session.
    pub(super) headers: &'a HeaderMap,
    pub(super) hub: &'a Hub,
    pub(super) notifications: &'a Interim,
}

impl Beside<'_> {
    /// Whether a notification says that something of the server has changed.
    pub(super) fn is_change(notification: &Notification) -> bool {
        matches!(
            notification.method.as_str(),
            tools::LIST_CHANGED
                | resources::LIST_CHANGED
                | resources::UPDATED
                | "notifications/prompts/list_changed"
        )
    }

    /// Hands a notification to whom it may concern, without waiting.
    pub(super) fn notification(&self, notification: Notification) {
        if notification.method.as_str() != logging::MESSAGE {
            listening::announce(self.hub, &notification);
        }
        // Whoever watches the connection and has no room misses it.
        let _ = self.notifications.deliver(notification);
    }

    /// Answers a request of the server. The stream is not read on meanwhile, so a server cannot
    /// ask faster than it takes the answers.
    pub(super) async fn request(&self, id: &RequestId, method: &str) {
        let mut answer = Vec::new();
        if method == PING {
            encode_result(&mut answer, Some(id), &Json::empty_object());
        } else {
            encode_error(
                &mut answer,
                Some(id),
                &ErrorObject::method_not_found(method),
            );
        }
        post_aside(self.endpoint, self.headers, answer).await;
    }
}

/// Sends a message that has no answer. What the server says to it changes nothing (R60 to R63).
pub(super) async fn post_aside(endpoint: &Endpoint, headers: &HeaderMap, message: Vec<u8>) {
    let sent = async {
        if let Ok(response) = endpoint.post(headers, message).await {
            endpoint.discard(response).await;
        }
    };
    // One that hangs is left alone.
    let _ = tokio::time::timeout(ASIDE, sent).await;
}
