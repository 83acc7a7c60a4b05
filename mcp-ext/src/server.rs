//! A server made of parts: tools, resources and extensions.

pub mod builder;
pub mod cx;
mod resource;
mod tool;

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
    task::{self, Poll},
};

use mcp_core::{
    ErrorObject, Json, ProtocolVersion, RequestMessage,
    meta::META,
    schema::{
        cache::CacheScope,
        capabilities::ServerCapabilities,
        discover::{Discover, DiscoverResult},
        pagination::Page,
        resources::{
            ListResourceTemplates, ListResourceTemplatesResult, ListResources, ListResourcesResult,
            ReadResource, ReadResourceResult,
        },
        subscriptions::{self, Listen, ListenResult, SubscriptionFilter},
        tools::{self, CallTool, ListTools, ListToolsResult},
    },
};
use tower::Service;

use self::cx::Cx;
pub use self::{
    builder::{BuildError, Builder},
    resource::{ServedResource, resource},
    tool::{IntoToolResult, ServedTool, Structured, tool},
};
use crate::{
    BoxFuture, Notification, Outcome, Request,
    extension::{
        handlers::{complete, decode},
        registry::{Lookup, Registry, not_announced},
    },
    listen::{EveryChange, Hub},
};

/// Serves requests with the parts it was built from. Clones share them.
///
/// It is a `tower` service; transports serve it, layers go around it, and a
/// [`Client`](crate::Client) can use it directly.
#[derive(Clone, Debug)]
pub struct Server(Arc<Shared>);

/// What all clones share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// `{"io.modelcontextprotocol/serverInfo": …}`, as every result carries it (V26-META-014).
    meta: Json,
    instructions: Option<String>,
    capabilities: ServerCapabilities,
    page_size: usize,
    tools: RwLock<BTreeMap<String, ServedTool>>,
    resources: RwLock<BTreeMap<String, ServedResource>>,
    registry: Registry,
    hub: Arc<Hub>,
}

impl Server {
    /// Begins a server with a name and a version.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> Builder {
        Builder::new(name.into(), version.into())
    }

    /// Adds or replaces a tool at run time and announces that the list changed.
    ///
    /// # Errors
    /// The name or the schema of the arguments is not well-formed.
    pub fn add_tool(&self, tool: ServedTool) -> Result<(), BuildError> {
        builder::check(&tool)?;
        let name = tool.tool.name.clone();
        self.0
            .tools
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name, tool);
        self.announce(&Notification::new(tools::LIST_CHANGED, None));
        Ok(())
    }

    /// Removes a tool at run time and announces that the list changed. Whether there was one.
    pub fn remove_tool(&self, name: &str) -> bool {
        let mut tools = self.0.tools.write().unwrap_or_else(PoisonError::into_inner);
        let found = tools.remove(name).is_some();
        drop(tools);
        if found {
            self.announce(&Notification::new(tools::LIST_CHANGED, None));
        }
        found
    }

    /// Announces a change to every open `subscriptions/listen` that asked for it: one of the
    /// core's change notifications, or one that an enabled extension declares.
    pub fn announce(&self, notification: &Notification) {
        self.0.announce(notification);
    }

    /// Ends every open `subscriptions/listen` in good order, before a shutdown (V26-SUB-008).
    pub fn close_subscriptions(&self) {
        self.0.hub.close();
    }
}

impl Service<Request> for Server {
    type Response = Outcome;
    type Error = ErrorObject;
    type Future = BoxFuture<'static, Result<Outcome, ErrorObject>>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> Poll<Result<(), ErrorObject>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let shared = self.0.clone();
        let (method, params, cx) = Cx::new(request, shared.clone());
        match method.as_str() {
            CallTool::METHOD => shared.call_tool(cx, params),
            ReadResource::METHOD => shared.read_resource(cx, params.as_ref()),
            Listen::METHOD => shared.listen(cx, params.as_ref()),
            method => match shared.answer_at_once(method, params.as_ref()) {
                Some(answer) => ready(answer),
                None => shared.call_extension(method, cx, params),
            },
        }
    }
}

fn ready(answer: Result<Outcome, ErrorObject>) -> BoxFuture<'static, Result<Outcome, ErrorObject>> {
    Box::pin(std::future::ready(answer))
}

impl Shared {
    /// The methods that need no handler; `None` for all others.
    fn answer_at_once(
        &self,
        method: &str,
        params: Option<&Json>,
    ) -> Option<Result<Outcome, ErrorObject>> {
        Some(match method {
            Discover::METHOD => self.complete(&self.discover()),
            ListTools::METHOD => self.list_tools(params),
            ListResources::METHOD if self.capabilities.resources.is_some() => {
                self.list_resources(params)
            }
            ListResourceTemplates::METHOD if self.capabilities.resources.is_some() => {
                self.complete(&ListResourceTemplatesResult::default())
            }
            _ => return None,
        })
    }

    fn discover(&self) -> DiscoverResult {
        DiscoverResult {
            supported_versions: ProtocolVersion::stateless()
                .map(|v| v.to_string())
                .collect(),
            capabilities: self.capabilities.clone(),
            instructions: self.instructions.clone(),
            ttl_ms: 0,
            cache_scope: CacheScope::Private,
            meta: None,
            extra: Default::default(),
        }
    }

    fn list_tools(&self, params: Option<&Json>) -> Result<Outcome, ErrorObject> {
        let ListTools(page) = decode(params)?;
        let tools = read(&self.tools);
        let (tools, next_cursor) = self.page(&tools, &page, |served| served.tool.clone())?;
        self.complete(&ListToolsResult {
            tools,
            next_cursor,
            ..Default::default()
        })
    }

    fn list_resources(&self, params: Option<&Json>) -> Result<Outcome, ErrorObject> {
        let ListResources(page) = decode(params)?;
        let all = read(&self.resources);
        let (resources, next_cursor) = self.page(&all, &page, |served| served.resource.clone())?;
        self.complete(&ListResourcesResult {
            resources,
            next_cursor,
            ..Default::default()
        })
    }

    /// One page, in the order of the names. A cursor names the entry that it continues after, so
    /// it stays good while entries come and go (V26-PAGE-002).
    fn page<T, R>(
        &self,
        all: &BTreeMap<String, T>,
        page: &Page,
        show: impl Fn(&T) -> R,
    ) -> Result<(Vec<R>, Option<String>), ErrorObject> {
        let from = match &page.cursor {
            None => Bound::Unbounded,
            Some(cursor) => Bound::Excluded(
                cursor
                    .strip_prefix(CURSOR)
                    .ok_or_else(|| ErrorObject::invalid_params("`cursor` is not one of ours"))?,
            ),
        };
        let mut rest = all.range::<str, _>((from, Bound::Unbounded));
        let entries: Vec<_> = rest.by_ref().take(self.page_size).collect();
        let next = rest
            .next()
            .and(entries.last())
            .map(|(name, _)| format!("{CURSOR}{name}"));
        Ok((
            entries.into_iter().map(|(_, entry)| show(entry)).collect(),
            next,
        ))
    }

    fn call_tool(
        self: Arc<Self>,
        cx: Cx,
        params: Option<Json>,
    ) -> BoxFuture<'static, Result<Outcome, ErrorObject>> {
        let params = params.unwrap_or(Json::empty_object());
        let (mut name, mut arguments) = (None, None);
        for (key, value) in params.members() {
            match &*key {
                "name" => name = Some(value),
                // Some clients write null where they mean nothing.
                "arguments" if value.as_str() != "null" => arguments = Some(value),
                _ => {}
            }
        }
        let refuse = |why: &str| {
            ready(Err(ErrorObject::invalid_params(format!(
                "tools/call: {why}"
            ))))
        };
        let Some(Ok(name)) = name.map(|name| name.decode::<String>()) else {
            return refuse("`name` must be a string");
        };
        if arguments
            .as_ref()
            .is_some_and(|arguments| !arguments.is_object())
        {
            return refuse("`arguments` must be an object");
        }
        let Some(tool) = read(&self.tools).get(&name).cloned() else {
            return refuse(&format!("there is no tool {name:?}"));
        };
        let call = tool.call(cx, arguments);
        Box::pin(async move {
            let result = call.await?;
            match result.extra.contains_key(META) {
                true => self.stamp(complete(&result)),
                false => self.complete(&result),
            }
        })
    }

    fn read_resource(
        self: Arc<Self>,
        cx: Cx,
        params: Option<&Json>,
    ) -> BoxFuture<'static, Result<Outcome, ErrorObject>> {
        let ReadResource { uri, .. } = match decode(params) {
            Ok(params) => params,
            Err(error) => return ready(Err(error)),
        };
        let Some(resource) = read(&self.resources).get(&uri).cloned() else {
            return ready(Err(ErrorObject::resource_not_found(&uri)));
        };
        Box::pin(async move {
            let contents = vec![resource.read(cx).await?];
            self.complete(&ReadResourceResult {
                contents,
                ttl_ms: 0,
                cache_scope: CacheScope::Private,
                extra: Default::default(),
            })
        })
    }

    fn call_extension(
        self: Arc<Self>,
        method: &str,
        cx: Cx,
        params: Option<Json>,
    ) -> BoxFuture<'static, Result<Outcome, ErrorObject>> {
        match self.registry.lookup(method) {
            Lookup::Unknown => ready(Err(ErrorObject::method_not_found(method))),
            Lookup::NotServed(owner) => ready(Err(ErrorObject::new(
                mcp_core::error::code::METHOD_NOT_FOUND,
                format!("method {method:?} belongs to {owner}, but is not served here"),
            ))),
            Lookup::Served(owner, handler) => {
                let announced = &cx.context().peer.capabilities.extensions;
                if !announced.contains_key(owner.as_str()) {
                    return ready(Err(not_announced(&owner)));
                }
                let call = handler(cx, params);
                Box::pin(async move { self.stamp(call.await) })
            }
        }
    }

    fn listen(
        self: Arc<Self>,
        cx: Cx,
        params: Option<&Json>,
    ) -> BoxFuture<'static, Result<Outcome, ErrorObject>> {
        let asked = match decode::<Listen>(params) {
            Ok(Listen { notifications }) => notifications,
            Err(error) => return ready(Err(error)),
        };
        let every = cx.extensions().get::<EveryChange>();
        let granted = self.grant(&asked, every.is_some());
        let subscription = self.hub.listen(granted.clone(), cx.interim().clone());
        if let Some(every) = every {
            every.hand_over(subscription.run());
            return ready(self.complete(&ListenResult::default()));
        }
        Box::pin(async move {
            let granted = Listen {
                notifications: granted,
            };
            if cx
                .notify(subscriptions::ACKNOWLEDGED, &granted)
                .await
                .is_ok()
            {
                subscription.run().await;
            }
            self.complete(&ListenResult::default())
        })
    }

    /// The part of a filter that this server honours (V26-SUB-004).
    fn grant(&self, asked: &SubscriptionFilter, everything: bool) -> SubscriptionFilter {
        let mut granted = SubscriptionFilter {
            tools_list_changed: asked.tools_list_changed && self.capabilities.tools.is_some(),
            resources_list_changed: asked.resources_list_changed
                && self.capabilities.resources.is_some(),
            ..SubscriptionFilter::default()
        };
        for field in self.registry.change_fields() {
            if everything {
                granted = granted.with(field);
            } else if let Some(value) = asked.extra.get(field) {
                granted.extra.insert(field.into(), value.clone());
            }
        }
        granted
    }

    fn announce(&self, notification: &Notification) {
        let field = self.registry.change_field(notification.method.as_str());
        self.hub.announce(notification, field);
    }

    /// A result that has no `_meta` of its own, with who answered in it.
    fn complete(&self, result: &impl serde::Serialize) -> Result<Outcome, ErrorObject> {
        Json::object(&[(META, &self.meta)], result)
            .map(Outcome::Complete)
            .map_err(|_| ErrorObject::internal("the result cannot be written as JSON"))
    }

    /// Says in the result who answered, next to what the handler put there.
    fn stamp(&self, outcome: Result<Outcome, ErrorObject>) -> Result<Outcome, ErrorObject> {
        let stamp = |body: &Json| {
            let meta = match body.member(META) {
                None => self.meta.clone(),
                Some(own) => self.meta.members().fold(own, |meta, (key, value)| {
                    meta.rewrite(&[(&key, &value)], &[])
                }),
            };
            body.rewrite(&[(META, &meta)], &[])
        };
        Ok(match outcome? {
            Outcome::Complete(body) => Outcome::Complete(stamp(&body)),
            Outcome::Other { kind, body } => Outcome::Other {
                kind,
                body: stamp(&body),
            },
            other => other,
        })
    }
}

/// What our cursors begin with.
const CURSOR: &str = "after:";

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}
