//! What one side serves of an extension.

use std::{borrow::Cow, fmt, sync::Arc};

use mcp_core::{ErrorObject, Json, RequestMessage};

use crate::{BoxError, BoxFuture, Cx, Outcome, error::to_wire};

/// A handler behind one type: parameters as text in, outcome out.
pub(crate) type Handler =
    Arc<dyn Fn(Cx, Option<Json>) -> BoxFuture<'static, Result<Outcome, ErrorObject>> + Send + Sync>;

/// Handlers by method.
///
/// A handler returns any error; an [`ErrorObject`] reaches the peer as it is, everything else as
/// an internal error without its text.
#[derive(Clone, Default)]
pub struct Handlers(pub(crate) Vec<(Cow<'static, str>, Handler)>);

impl Handlers {
    /// No handlers.
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// Serves a request, or a stream: one that sends notifications through [`Cx`] and returns
    /// when it ends by itself. When the peer cancels, the handler's future is dropped.
    #[must_use]
    pub fn request<M, F, Fut, E>(mut self, handler: F) -> Self
    where
        M: RequestMessage,
        F: Fn(Cx, M) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<M::Result, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        let erased: Handler = Arc::new(move |cx, params| match decode::<M>(params.as_ref()) {
            Err(error) => Box::pin(std::future::ready(Err(error))),
            Ok(params) => {
                let call = handler(cx, params);
                Box::pin(async move {
                    let result = call.await.map_err(|error| to_wire(error.into()))?;
                    complete(&result)
                })
            }
        });
        self.0.push((M::METHOD.into(), erased));
        self
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|(method, _)| method))
            .finish()
    }
}

/// Reads typed parameters; none are read as an empty object (K02: bad ones are -32602 with the
/// path).
pub(crate) fn decode<M: RequestMessage>(params: Option<&Json>) -> Result<M, ErrorObject> {
    let empty = Json::empty_object();
    params
        .unwrap_or(&empty)
        .decode()
        .map_err(|error| ErrorObject::invalid_params(format!("{}: {error}", M::METHOD)))
}

pub(crate) fn complete(result: &impl serde::Serialize) -> Result<Outcome, ErrorObject> {
    Json::from_value(result)
        .map(Outcome::Complete)
        .map_err(|_| ErrorObject::internal("the result cannot be written as JSON"))
}
