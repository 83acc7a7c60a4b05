//! `mcp request`.

use super::{Stage, parameters};
use crate::{cli::Message, failure::Failure, text};

impl Stage<'_> {
    pub(super) async fn request(&self, message: Message) -> Result<(), Failure> {
        let Message {
            server,
            method,
            json,
        } = message;
        let params = parameters(json.as_deref())?;
        let client = self.client(&server).await?;
        let answer = client.request(method, params).await;
        let result = answer.map_err(|error| Failure::call(&server, error))?;
        self.terminal.line(&if self.terminal.wants_json() {
            text::compact(result.as_str())
        } else {
            text::pretty(result.as_str())
        })
    }
}
