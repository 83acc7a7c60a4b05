//! Notifications about a request, with the ids that belong to one hop.

use mcp_core::{
    Json, ProgressToken, RequestId,
    envelope::encode_notification,
    meta::{META, PROGRESS_TOKEN, SUBSCRIPTION_ID},
    schema::{logging, progress, subscriptions},
};
use mcp_ext::Notification;

/// The ids of one request on its way out: what its notifications are stamped with.
#[derive(Clone, Debug)]
pub(crate) struct Hop {
    /// The id of the request.
    pub(crate) id: RequestId,
    /// The token that its sender wants progress under.
    pub(crate) token: Option<ProgressToken>,
    /// The last progress that went out.
    progress: Option<f64>,
    /// Notifications go to the connection rather than to a request.
    unbound: bool,
}

impl Hop {
    pub(crate) fn new(id: RequestId, token: Option<ProgressToken>) -> Self {
        Self {
            id,
            token,
            progress: None,
            unbound: false,
        }
    }

    /// For the change notifications of a connection whose version has no subscriptions: nothing
    /// is stamped, and the acknowledgement that such a peer never asked for is kept back.
    pub(crate) fn unbound() -> Self {
        Self {
            unbound: true,
            ..Self::new(0i64.into(), None)
        }
    }

    /// Writes a notification, or nothing when it must not go out: progress that nobody asked for
    /// or that does not grow (V26-PROG-003).
    ///
    /// Progress gets its token, log messages stay as they are, and everything else belongs to a
    /// stream and is tagged with its id (V26-META-017).
    pub(crate) fn encode(&mut self, out: &mut Vec<u8>, notification: &Notification) -> bool {
        let Notification { method, params } = notification;
        let empty = Json::empty_object();
        let params = params.as_ref();
        match method.as_str() {
            progress::PROGRESS => {
                let Some(token) = &self.token else {
                    return false;
                };
                let now = params.and_then(|params| params.member("progress")?.decode().ok());
                let Some(now) = now.filter(|now| self.progress.is_none_or(|last| last < *now))
                else {
                    return false;
                };
                self.progress = Some(now);
                let token = text(token);
                let params = params
                    .unwrap_or(&empty)
                    .rewrite(&[(PROGRESS_TOKEN, &token)], &[]);
                encode_notification(out, method.as_str(), Some(&params));
            }
            subscriptions::ACKNOWLEDGED if self.unbound => return false,
            logging::MESSAGE => encode_notification(out, method.as_str(), params),
            _ if self.unbound => encode_notification(out, method.as_str(), params),
            _ => {
                let params = params.unwrap_or(&empty);
                let meta = params.member(META).unwrap_or(Json::empty_object());
                let meta = meta.rewrite(&[(SUBSCRIPTION_ID, &text(&self.id))], &[]);
                let params = params.rewrite(&[(META, &meta)], &[]);
                encode_notification(out, method.as_str(), Some(&params));
            }
        }
        true
    }
}

fn text(value: &impl serde::Serialize) -> Json {
    Json::from_value(value).unwrap_or(Json::empty_object())
}

/// The request that an incoming notification belongs to, as this hop's ids say it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Target {
    /// The request with this progress token.
    Progress(ProgressToken),
    /// The stream with this id.
    Stream(RequestId),
    /// None: it is for the connection.
    Connection,
}

/// Finds out where a notification belongs and takes the ids of the hop out of it.
pub(crate) fn read_notification(method: String, params: Option<Json>) -> (Target, Notification) {
    let Some(json) = &params else {
        return (Target::Connection, Notification::new(method, None));
    };
    if method == progress::PROGRESS {
        let token = json
            .member(PROGRESS_TOKEN)
            .and_then(|token| token.decode().ok());
        let target = token.map_or(Target::Connection, Target::Progress);
        let params = json.rewrite(&[], &[PROGRESS_TOKEN]);
        return (target, Notification::new(method, Some(params)));
    }
    let meta = json.member(META);
    let id = meta
        .as_ref()
        .and_then(|meta| meta.member(SUBSCRIPTION_ID)?.decode().ok());
    let (Some(meta), Some(id)) = (meta, id) else {
        return (Target::Connection, Notification::new(method, params));
    };
    let meta = meta.rewrite(&[], &[SUBSCRIPTION_ID]);
    let params = if meta.as_bytes() == b"{}" {
        json.rewrite(&[], &[META])
    } else {
        json.rewrite(&[(META, &meta)], &[])
    };
    (Target::Stream(id), Notification::new(method, Some(params)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notification(method: &'static str, params: &str) -> Notification {
        Notification::new(method, Some(params.parse().unwrap()))
    }

    fn encode(hop: &mut Hop, notification: &Notification) -> Option<String> {
        let mut out = Vec::new();
        hop.encode(&mut out, notification)
            .then(|| String::from_utf8(out).unwrap())
    }

    #[test]
    fn v26_prog_003_progress_grows_and_carries_the_token() {
        let mut hop = Hop::new(1i64.into(), Some(ProgressToken("t".into())));
        let mut at = |n: f64| {
            encode(
                &mut hop,
                &notification(progress::PROGRESS, &format!("{{\"progress\":{n}}}")),
            )
        };
        assert_eq!(
            at(1.0).unwrap(),
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}"#
        );
        assert_eq!((at(1.0), at(0.5), at(1.5).is_some()), (None, None, true));
    }

    #[test]
    fn progress_that_nobody_asked_for_stays_here() {
        let mut hop = Hop::new(1i64.into(), None);
        assert_eq!(
            encode(
                &mut hop,
                &notification(progress::PROGRESS, r#"{"progress":1}"#)
            ),
            None
        );
    }

    #[test]
    fn v26_meta_017_stream_notifications_are_tagged_and_untagged() {
        let original = notification("notifications/clock/tick", r#"{"n":1,"_meta":{"k":1}}"#);
        let mut hop = Hop::new("s".into(), None);
        let text = encode(&mut hop, &original).unwrap();
        let message = mcp_core::envelope::Message::decode(&text.into_bytes().into()).unwrap();
        let mcp_core::envelope::Message::Notification { method, params } = message else {
            panic!("not a notification")
        };
        let (target, again) = read_notification(method, params);
        assert_eq!(target, Target::Stream("s".into()));
        let sorted = |n: &Notification| n.params.clone().unwrap().decode::<serde_json::Value>();
        assert_eq!(sorted(&again).unwrap(), sorted(&original).unwrap());
    }

    #[test]
    fn a_peer_without_subscriptions_gets_plain_notifications() {
        let mut hop = Hop::unbound();
        assert_eq!(
            encode(&mut hop, &notification(subscriptions::ACKNOWLEDGED, "{}")),
            None
        );
        let changed = Notification::new("notifications/tools/list_changed", None);
        assert_eq!(
            encode(&mut hop, &changed).unwrap(),
            r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#
        );
    }
}
