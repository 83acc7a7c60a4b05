//! `mcp read`.

use mcp_core::{
    Json, RequestMessage,
    schema::resources::{ReadResource, ReadResourceResult},
};
use mcp_ext::CallError;

use super::Stage;
use crate::{content, failure::Failure, text};

impl Stage<'_> {
    pub(super) async fn read(&self, server: &str, uri: &str) -> Result<(), Failure> {
        let failed = |error| Failure::call(server, error);
        let read = ReadResource {
            uri: uri.into(),
            extra: Default::default(),
        };
        let params = Json::from_value(&read).map_err(|error| failed(CallError::Params(error)))?;
        let client = self.client(server).await?;
        let answer = client
            .request(ReadResource::METHOD, Some(params))
            .await
            .map_err(failed)?;
        if self.terminal.wants_json() {
            return self.terminal.line(&text::compact(answer.as_str()));
        }
        let result: ReadResourceResult = answer.decode().map_err(|error| {
            failed(CallError::InvalidAnswer {
                method: ReadResource::METHOD.into(),
                reason: error.to_string(),
            })
        })?;
        for contents in &result.contents {
            self.terminal.block(&content::of_resource(contents))?;
        }
        Ok(())
    }
}
