//! Puts a server together.

use std::{
    collections::BTreeMap,
    sync::{Arc, RwLock},
};

use mcp_core::{
    Json,
    meta::SERVER_INFO,
    schema::{
        capabilities::{ListCapability, ResourcesCapability, ServerCapabilities},
        implementation::Implementation,
        tools::is_tool_name,
    },
};
use serde_json::Value;

use super::{ServedResource, ServedTool, Server, Shared};
use crate::{
    Extension,
    extension::registry::{Registry, RegistryError},
};

/// Why a server cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two tools of one name (V26-TOOL-018).
    #[error("there are two tools named {0:?}")]
    DuplicateTool(String),
    /// Two resources of one URI.
    #[error("there are two resources {0:?}")]
    DuplicateResource(String),
    /// Not 1 to 128 of `A-Z a-z 0-9 _ - .` (V26-TOOL-014, -016).
    #[error("{0:?} is not a tool name: use 1 to 128 letters, digits, `_`, `-` and `.`")]
    ToolName(String),
    /// The arguments of a tool are always an object (V26-TOOL-012).
    #[error("the arguments of tool {0:?} are not described by an object schema; use a struct")]
    InputSchema(String),
    /// The extensions do not fit together.
    #[error(transparent)]
    Extensions(#[from] RegistryError),
}

/// Collects the parts of a [`Server`].
///
/// Capabilities follow from the parts: a server with tools declares `tools`, and so on.
#[derive(Debug)]
#[must_use]
pub struct Builder {
    info: Implementation,
    instructions: Option<String>,
    page_size: usize,
    tools: Vec<ServedTool>,
    resources: Vec<ServedResource>,
    extensions: Vec<Arc<dyn Extension>>,
}

impl std::fmt::Debug for dyn Extension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Extension({})", self.id())
    }
}

impl Builder {
    pub(super) fn new(name: String, version: String) -> Self {
        Self {
            info: Implementation::new(name, version),
            instructions: None,
            page_size: usize::MAX,
            tools: Vec::new(),
            resources: Vec::new(),
            extensions: Vec::new(),
        }
    }

    /// How a model should use the server.
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }

    /// Most entries on one page of a list, at least one. Without it a list is one page.
    pub fn page_size(mut self, entries: usize) -> Self {
        self.page_size = entries.max(1);
        self
    }

    /// Adds a tool; see [`tool`](super::tool()).
    pub fn tool(mut self, tool: ServedTool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Adds a resource; see [`resource`](super::resource()).
    pub fn resource(mut self, resource: ServedResource) -> Self {
        self.resources.push(resource);
        self
    }

    /// Enables an extension. None is enabled by itself (EXT-FW-004).
    pub fn extension(mut self, extension: impl Extension) -> Self {
        self.extensions.push(Arc::new(extension));
        self
    }

    /// Puts the parts together.
    ///
    /// # Errors
    /// They do not fit; see [`BuildError`].
    pub fn build(self) -> Result<Server, BuildError> {
        let registry = Registry::build(&self.extensions)?;
        let mut tools = BTreeMap::new();
        for tool in self.tools {
            check(&tool)?;
            if let Some(double) = tools.insert(tool.tool.name.clone(), tool) {
                return Err(BuildError::DuplicateTool(double.tool.name));
            }
        }
        let mut resources = BTreeMap::new();
        for resource in self.resources {
            if let Some(double) = resources.insert(resource.resource.uri.clone(), resource) {
                return Err(BuildError::DuplicateResource(double.resource.uri));
            }
        }
        let capabilities = ServerCapabilities {
            tools: Some(ListCapability {
                list_changed: Some(true),
            }),
            resources: (!resources.is_empty()).then_some(ResourcesCapability {
                list_changed: Some(true),
                subscribe: None,
            }),
            extensions: registry.announcement().clone(),
            ..ServerCapabilities::default()
        };
        let meta = serde_json::json!({ SERVER_INFO: self.info });
        Ok(Server(Arc::new(Shared {
            meta: Json::from(meta),
            instructions: self.instructions,
            capabilities,
            page_size: self.page_size,
            tools: RwLock::new(tools),
            resources: RwLock::new(resources),
            registry,
            hub: Arc::default(),
        })))
    }
}

/// Whether a tool can be served.
pub(super) fn check(served: &ServedTool) -> Result<(), BuildError> {
    let tool = &served.tool;
    if !is_tool_name(&tool.name) {
        return Err(BuildError::ToolName(tool.name.clone()));
    }
    if tool.input_schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err(BuildError::InputSchema(tool.name.clone()));
    }
    Ok(())
}
