//! Typed calls and streams over any service.

pub mod exchange;

use std::{collections::HashSet, sync::Arc};

use mcp_core::{
    Json, RequestMessage,
    schema::{
        capabilities::ClientCapabilities,
        discover::{Discover, DiscoverResult},
        implementation::Implementation,
        pagination::{Cursor, Page},
        resources::{
            ListResourceTemplates, ListResources, ReadResource, ReadResourceResult, Resource,
            ResourceTemplate,
        },
        subscriptions::{Listen, SubscriptionFilter},
        tools::{CallTool, CallToolResult, ListTools, Tool},
    },
};
use serde::Serialize;
use tower::ServiceExt;

use self::exchange::Exchange;
use crate::{
    BoxService, CallError, Extension, McpService, Method, Outcome, Peer, Request,
    extension::registry::{Registry, RegistryError},
    service::boxed,
};

/// Most pages that a list is followed for, against servers that never come to an end.
pub const MAX_PAGES: usize = 1000;

/// Calls a server, wherever it is: behind a transport, behind layers or in the same process.
/// Clones share the service.
///
/// Dropping the future of a call cancels it. Time limits are a layer's matter
/// (`tower::timeout`).
#[derive(Clone, Debug)]
pub struct Client {
    service: BoxService,
    peer: Arc<Peer>,
}

/// Says who the client is and what it offers.
#[derive(Debug)]
#[must_use]
pub struct Builder {
    service: BoxService,
    implementation: Implementation,
    capabilities: ClientCapabilities,
    extensions: Vec<Arc<dyn Extension>>,
}

impl Client {
    /// A client that says nothing special about itself.
    pub fn new(service: impl McpService) -> Self {
        let implementation = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        let peer = Peer {
            implementation: Some(implementation),
            ..Peer::default()
        };
        Self {
            service: boxed(service),
            peer: Arc::new(peer),
        }
    }

    /// Begins a client that introduces itself by name and version.
    pub fn builder(
        service: impl McpService,
        name: impl Into<String>,
        version: impl Into<String>,
    ) -> Builder {
        Builder {
            service: boxed(service),
            implementation: Implementation::new(name, version),
            capabilities: ClientCapabilities::default(),
            extensions: Vec::new(),
        }
    }

    /// What the server is and offers.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn discover(&self) -> Result<DiscoverResult, CallError> {
        self.call(&Discover {}).await
    }

    /// All tools, page after page.
    ///
    /// # Errors
    /// See [`CallError`]; also when the server repeats a cursor or sends more than [`MAX_PAGES`].
    pub async fn list_tools(&self) -> Result<Vec<Tool>, CallError> {
        self.pages(ListTools, |page| (page.tools, page.next_cursor))
            .await
    }

    /// Calls a tool. A tool that ran and failed is a result with `is_error`.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: &(impl Serialize + ?Sized),
    ) -> Result<CallToolResult, CallError> {
        let params = CallTool::new(name, arguments).map_err(CallError::Params)?;
        self.call(&params).await
    }

    /// All resources, page after page.
    ///
    /// # Errors
    /// As [`list_tools`](Self::list_tools).
    pub async fn list_resources(&self) -> Result<Vec<Resource>, CallError> {
        self.pages(ListResources, |page| (page.resources, page.next_cursor))
            .await
    }

    /// All resource templates, page after page.
    ///
    /// # Errors
    /// As [`list_tools`](Self::list_tools).
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, CallError> {
        self.pages(ListResourceTemplates, |page| {
            (page.resource_templates, page.next_cursor)
        })
        .await
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, CallError> {
        self.call(&ReadResource {
            uri: uri.into(),
            extra: Default::default(),
        })
        .await
    }

    /// Opens a subscription to changes. Its first notification says which part of the filter the
    /// server honours.
    ///
    /// # Errors
    /// Only when the filter refuses to be written as JSON.
    pub fn listen(&self, filter: SubscriptionFilter) -> Result<Exchange, CallError> {
        let listen = Listen {
            notifications: filter,
        };
        let params = Json::from_value(&listen).map_err(CallError::Params)?;
        Ok(self.exchange(Listen::METHOD, Some(params)))
    }

    /// Calls any typed method, an extension's too.
    ///
    /// # Errors
    /// See [`CallError`]; a result that does not decode names method and path (K01).
    pub async fn call<M: RequestMessage>(&self, params: &M) -> Result<M::Result, CallError> {
        let params = Json::from_value(params).map_err(CallError::Params)?;
        let result = self.request(M::METHOD, Some(params)).await?;
        result.decode().map_err(|error| CallError::InvalidAnswer {
            method: M::METHOD.into(),
            reason: error.to_string(),
        })
    }

    /// Calls any method and keeps the result as text.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn request(
        &self,
        method: impl Into<Method>,
        params: Option<Json>,
    ) -> Result<Json, CallError> {
        let request = self.prepare(method.into(), params);
        let name = request.method.to_string();
        let outcome = self
            .service
            .clone()
            .oneshot(request)
            .await
            .map_err(CallError::from_boxed)?;
        complete(&name, outcome)
    }

    /// Calls any method and shows its notifications as they come. Dropping the exchange cancels
    /// the call.
    pub fn exchange(&self, method: impl Into<Method>, params: Option<Json>) -> Exchange {
        Exchange::start(self.service.clone(), self.prepare(method.into(), params))
    }

    fn prepare(&self, method: Method, params: Option<Json>) -> Request {
        let mut request = Request::new(method, params);
        request.context.peer = self.peer.clone();
        request
    }

    async fn pages<M: RequestMessage, T>(
        &self,
        params: impl Fn(Page) -> M,
        split: impl Fn(M::Result) -> (Vec<T>, Option<Cursor>),
    ) -> Result<Vec<T>, CallError> {
        let endless = |reason: &str| CallError::InvalidAnswer {
            method: M::METHOD.into(),
            reason: reason.into(),
        };
        let (mut all, mut cursor, mut seen) = (Vec::new(), None, HashSet::new());
        for _ in 0..MAX_PAGES {
            let page = self
                .call(&params(Page {
                    cursor: cursor.take(),
                }))
                .await?;
            let (entries, next) = split(page);
            all.extend(entries);
            match next {
                None => return Ok(all),
                Some(next) if !seen.insert(next.clone()) => {
                    return Err(endless("the server repeats a cursor"));
                }
                next => cursor = next,
            }
        }
        Err(endless("the list does not come to an end"))
    }
}

/// The result of a call that wants one, and nothing else.
fn complete(method: &str, outcome: Outcome) -> Result<Json, CallError> {
    match outcome {
        Outcome::Complete(result) => Ok(result),
        Outcome::InputRequired(input) => Err(CallError::InputRequired(Box::new(input))),
        Outcome::Other { kind, .. } => Err(CallError::InvalidAnswer {
            method: method.into(),
            reason: format!("result type {kind:?} was not negotiated"),
        }),
    }
}

impl Builder {
    /// Enables an extension: it is announced with every request.
    pub fn extension(mut self, extension: impl Extension) -> Self {
        self.extensions.push(Arc::new(extension));
        self
    }

    /// What else the client offers.
    pub fn capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Puts the client together.
    ///
    /// # Errors
    /// The extensions do not fit together.
    pub fn build(mut self) -> Result<Client, RegistryError> {
        let registry = Registry::build(&self.extensions)?;
        let announced = registry
            .announcement()
            .iter()
            .map(|(id, set)| (id.clone(), set.clone()));
        self.capabilities.extensions.extend(announced);
        let peer = Peer {
            implementation: Some(self.implementation),
            capabilities: self.capabilities,
        };
        Ok(Client {
            service: self.service,
            peer: Arc::new(peer),
        })
    }
}
