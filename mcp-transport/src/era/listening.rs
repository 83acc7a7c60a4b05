//! `subscriptions/listen` towards servers that send change notifications without being asked.

use std::sync::Arc;

use mcp_core::{
    ErrorObject, Json,
    schema::{logging, resources, subscriptions, subscriptions::Listen, tools},
};
use mcp_ext::{CallError, Notification, Request, listen::Hub};

/// Listens until the hub is closed: acknowledges the whole filter, then delivers what the server
/// sends and the filter asks for.
pub(crate) async fn listen(hub: &Arc<Hub>, request: &Request) -> Result<(), CallError> {
    let empty = Json::empty_object();
    let listen: Listen = request
        .params
        .as_ref()
        .unwrap_or(&empty)
        .decode()
        .map_err(|error| {
            CallError::Peer(ErrorObject::invalid_params(format!(
                "subscriptions/listen: {error}"
            )))
        })?;
    let subscription = hub.listen(listen.notifications.clone(), request.interim.clone());
    let acknowledged =
        Notification::with(subscriptions::ACKNOWLEDGED, &listen).map_err(CallError::Params)?;
    if request.interim.send(acknowledged).await.is_ok() {
        subscription.run().await;
    }
    Ok(())
}

/// Hands a change notification of such a server to its listeners. Which filter field asks for an
/// extension's notification is not known here, so those reach everybody who asked for any
/// extension's.
pub(crate) fn announce(hub: &Hub, notification: &Notification) {
    match notification.method.as_str() {
        tools::LIST_CHANGED
        | resources::LIST_CHANGED
        | resources::UPDATED
        | "notifications/prompts/list_changed" => hub.announce(notification, None),
        // Log messages are about a request or the connection, not about a change.
        logging::MESSAGE => {}
        _ => hub.announce_to_extensions(notification),
    }
}
