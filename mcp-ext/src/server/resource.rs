//! Resources that a server serves.

use std::sync::Arc;

use mcp_core::{
    ErrorObject,
    schema::{content::ResourceContents, resources::Resource},
};

use crate::{BoxError, BoxFuture, Cx, error::to_wire};

type Handler =
    Arc<dyn Fn(Cx) -> BoxFuture<'static, Result<ResourceContents, ErrorObject>> + Send + Sync>;

/// A resource and how it is read.
#[derive(Clone)]
pub struct ServedResource {
    pub(super) resource: Resource,
    handler: Handler,
}

/// A resource that is read by calling `handler`.
///
/// ```
/// use mcp_core::schema::{content::ResourceContents, resources::Resource};
/// use mcp_ext::{Cx, server::resource};
///
/// let about = resource(Resource::new("clock://about", "about"), async |_: Cx| {
///     Ok::<_, std::convert::Infallible>(ResourceContents::text("clock://about", "A clock."))
/// });
/// ```
pub fn resource<F, Fut, E>(resource: Resource, handler: F) -> ServedResource
where
    F: Fn(Cx) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ResourceContents, E>> + Send + 'static,
    E: Into<BoxError>,
{
    let handler: Handler = Arc::new(move |cx| {
        let reading = handler(cx);
        Box::pin(async move { reading.await.map_err(|error| to_wire(error.into())) })
    });
    ServedResource { resource, handler }
}

impl ServedResource {
    pub(super) fn read(&self, cx: Cx) -> BoxFuture<'static, Result<ResourceContents, ErrorObject>> {
        (self.handler)(cx)
    }
}

impl std::fmt::Debug for ServedResource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ServedResource")
            .field(&self.resource)
            .finish()
    }
}
