//! `mcp stream`: a line for each notification, at once.

use mcp_core::Json;
use mcp_ext::Notification;
use serde_json::json;

use super::{Stage, completed, parameters};
use crate::{cli::Message, failure::Failure, text};

impl Stage<'_> {
    pub(super) async fn stream(&self, message: Message) -> Result<(), Failure> {
        let Message {
            server,
            method,
            json,
        } = message;
        let params = parameters(json.as_deref())?;
        let mut exchange = self.server(&server)?.stream(method.clone(), params).await?;
        while let Some(notification) = exchange.next().await {
            self.terminal.line(&self.told(&notification))?;
        }
        let outcome = exchange.outcome().await;
        let result = outcome.and_then(|outcome| completed(&method, outcome));
        let result = result.map_err(|error| Failure::call(&server, error))?;
        self.terminal.line(&if self.terminal.wants_json() {
            format!(r#"{{"result":{}}}"#, text::compact(result.as_str()))
        } else {
            text::compact(result.as_str())
        })
    }

    fn told(&self, notification: &Notification) -> String {
        let method = notification.method.as_str();
        let params = notification.params.as_ref().map_or("{}", Json::as_str);
        let params = text::compact(params);
        if self.terminal.wants_json() {
            let method = text::compact(&json!(method).to_string());
            format!(r#"{{"method":{method},"params":{params}}}"#)
        } else {
            format!("{} {params}", text::one_line(method))
        }
    }
}
