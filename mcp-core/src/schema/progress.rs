//! Progress and cancellation of a request.

use serde::{Deserialize, Serialize};

use crate::{JsonObject, NotificationMessage, ProgressToken, ProtocolVersion, RequestId};

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

impl NotificationMessage for Cancelled {
    const METHOD: &'static str = CANCELLED;
}

/// Progress as it travels: with the token that ties it to the request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TokenProgress {
    /// The token that the request carried.
    pub progress_token: ProgressToken,
    /// How far it has come.
    #[serde(flatten)]
    pub progress: Progress,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl TokenProgress {
    /// The progress of the request that carried this token.
    pub fn new(progress_token: ProgressToken, progress: Progress) -> Self {
        Self {
            progress_token,
            progress,
            extra: JsonObject::new(),
        }
    }
}

impl NotificationMessage for TokenProgress {
    const METHOD: &'static str = PROGRESS;
}

/// A cancellation as 2025-11-25 words it, where the request may be left out because a task is
/// meant (V2511-CANC-004, note L4). All other versions require it: see
/// [`for_version`](Self::for_version).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AnyCancelled {
    /// Which request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
    /// One line for logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl AnyCancelled {
    /// The cancellation of a request; nothing when the version requires one and there is none.
    #[must_use]
    pub fn for_version(self, version: ProtocolVersion) -> Option<Self> {
        let may_be_absent = version == ProtocolVersion::V2025_11_25;
        (may_be_absent || self.request_id.is_some()).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::{refused, survives};

    #[test]
    fn progress_survives() {
        survives::<TokenProgress>(
            r#"{"progressToken":"oivaizmir","progress":50.5,"total":100.5,"message":"Reticulating splines...","_meta":{}}"#,
        );
        refused::<TokenProgress>(&[r#"{"progress":1}"#, r#"{"progressToken":1}"#]);
        survives::<Cancelled>(r#"{"requestId":"123","reason":"User requested cancellation"}"#);
        refused::<Cancelled>(&["{}"]);
    }

    #[test]
    fn l4_only_2025_11_25_may_leave_the_request_out() {
        let none = survives::<AnyCancelled>(r#"{"reason":"r"}"#);
        for version in ProtocolVersion::ALL {
            let is_fine = none.clone().for_version(*version).is_some();
            assert_eq!(
                is_fine,
                *version == ProtocolVersion::V2025_11_25,
                "{version}"
            );
        }
    }
}
