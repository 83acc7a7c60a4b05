//! `mcp tools`: name, first line of the description, arguments.

use mcp_core::schema::tools::Tool;

use super::{Stage, aligned, list_tools};
use crate::{arguments::Schema, failure::Failure, text};

/// Longest description in a list.
const DESCRIPTION: usize = 60;

impl Stage<'_> {
    pub(super) async fn tools(&self, server: &str) -> Result<(), Failure> {
        let client = self.client(server).await?;
        let tools = list_tools(&client)
            .await
            .map_err(|error| Failure::call(server, error))?;
        if self.terminal.wants_json() {
            let json = serde_json::to_string(&tools).unwrap_or_default();
            return self.terminal.line(&text::compact(&json));
        }
        if tools.is_empty() {
            self.terminal
                .warn(&format!("server {server:?} has no tools"));
        }
        let rows: Vec<_> = tools.iter().map(row).collect();
        for line in aligned(&rows) {
            self.terminal.line(&line)?;
        }
        Ok(())
    }
}

fn row(tool: &Tool) -> [String; 3] {
    let description = tool
        .description
        .as_deref()
        .or(tool.title.as_deref())
        .unwrap_or("");
    let first = description.trim_start().lines().next().unwrap_or("");
    [
        text::one_line(&tool.name),
        text::short(first, DESCRIPTION),
        text::one_line(&Schema(&tool.input_schema).summary()),
    ]
}
