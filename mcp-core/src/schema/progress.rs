//! Progress and cancellation of a request.

use serde::{Deserialize, Serialize};

use crate::RequestId;

/// Carries a [`Progress`].
pub const PROGRESS: &str = "notifications/progress";
/// Carries a [`Cancelled`].
pub const CANCELLED: &str = "notifications/cancelled";

/// How far a request has come. The token that ties it to the request is added by the link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Grows with every notification.
    pub progress: f64,
    /// Where it will end, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// One line for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The sender is not interested in a request any longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cancelled {
    /// Which request.
    pub request_id: RequestId,
    /// One line for logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
