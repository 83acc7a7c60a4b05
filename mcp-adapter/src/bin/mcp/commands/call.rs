//! `mcp call`: the arguments get the types that the tool wants, the result becomes text.

use mcp_adapter::suggest;
use mcp_core::{
    Json, RequestMessage,
    schema::tools::{CallTool, CallToolResult, Tool},
};
use mcp_ext::{CallError, Client};

use super::{Stage, completed, list_tools};
use crate::{
    arguments::{self, Pair, Schema},
    content,
    failure::Failure,
    progress::Meter,
    text,
};

impl Stage<'_> {
    pub(super) async fn call(
        &self,
        server: &str,
        tool: &str,
        pairs: &[Pair],
        json: Option<&str>,
    ) -> Result<(), Failure> {
        let given = json
            .map(arguments::object)
            .transpose()
            .map_err(Failure::Usage)?;
        let failed = |error| Failure::call(server, error);
        let client = self.client(server).await?;
        let tools = list_tools(&client).await.map_err(failed)?;
        let described = find(&tools, server, tool)?;
        let arguments = typed(described, pairs, given).map_err(|error| {
            Failure::Usage(format!("tool {tool:?} of server {server:?}: {error}"))
        })?;
        let answer = self
            .answer(&client, tool, arguments)
            .await
            .map_err(failed)?;
        let result: CallToolResult = answer.decode().map_err(|error| {
            failed(CallError::InvalidAnswer {
                method: CallTool::METHOD.into(),
                reason: error.to_string(),
            })
        })?;
        if self.terminal.wants_json() {
            self.terminal.line(&text::compact(answer.as_str()))?;
        }
        let text = content::of_tool(&result);
        if result.is_error {
            let (server, tool) = (server.into(), tool.into());
            return Err(Failure::Tool { server, tool, text });
        }
        if !self.terminal.wants_json() && !text.is_empty() {
            self.terminal.block(&text)?;
        }
        Ok(())
    }

    /// Calls the tool, with a bar for its progress.
    async fn answer(
        &self,
        client: &Client,
        tool: &str,
        arguments: Json,
    ) -> Result<Json, CallError> {
        let call = CallTool {
            name: tool.into(),
            arguments: Some(arguments),
        };
        let params = Json::from_value(&call).map_err(CallError::Params)?;
        let mut exchange = client.exchange(CallTool::METHOD, Some(params));
        let mut meter = Meter::new(self.terminal);
        while let Some(notification) = exchange.next().await {
            meter.hear(&notification);
        }
        completed(CallTool::METHOD, exchange.outcome().await?)
    }
}

fn find<'t>(tools: &'t [Tool], server: &str, name: &str) -> Result<&'t Tool, Failure> {
    tools
        .iter()
        .find(|tool| tool.name == name)
        .ok_or_else(|| Failure::UnknownTool {
            server: server.into(),
            tool: name.into(),
            instead: suggest::instead(name, tools.iter().map(|tool| tool.name.as_str())),
        })
}

fn typed(tool: &Tool, pairs: &[Pair], given: Option<Json>) -> Result<Json, String> {
    let schema = Schema(&tool.input_schema);
    match given {
        None => schema.read(pairs),
        Some(given) => {
            let object = given.decode().map_err(|error| error.to_string())?;
            schema.check(&object)?;
            Ok(given)
        }
    }
}
