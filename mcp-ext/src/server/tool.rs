//! Tools that a server serves.

use std::sync::Arc;

use mcp_core::{
    ErrorObject, Json, JsonObject,
    schema::tools::{CallToolResult, Tool, ToolAnnotations},
};
use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{BoxError, BoxFuture, Cx};

type Handler = Arc<
    dyn Fn(Cx, Option<Json>) -> BoxFuture<'static, Result<CallToolResult, ErrorObject>>
        + Send
        + Sync,
>;

/// A tool and what it does.
#[derive(Clone)]
pub struct ServedTool {
    pub(super) tool: Tool,
    handler: Handler,
}

/// A tool whose arguments are a type: their schema is derived from it, and arguments that do not
/// fit are answered with a result the model can read and correct (note N8).
///
/// The handler's error becomes a result with `isError` and its text, except an [`ErrorObject`],
/// which becomes the answer to the request.
pub fn tool<A, F, Fut, R, E>(
    name: impl Into<String>,
    description: impl Into<String>,
    handler: F,
) -> ServedTool
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(Cx, A) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, E>> + Send + 'static,
    R: IntoToolResult,
    E: Into<BoxError>,
{
    let tool = Tool::new(name, description, schema_of::<A>());
    let empty = Json::empty_object();
    ServedTool::untyped(tool, move |cx, arguments| {
        match arguments.as_ref().unwrap_or(&empty).decode::<A>() {
            Err(error) => {
                let text = format!("the arguments do not fit: {error}");
                Box::pin(std::future::ready(Ok(CallToolResult::error(text))))
            }
            Ok(arguments) => {
                let call = handler(cx, arguments);
                Box::pin(async move {
                    match call.await {
                        Ok(result) => result.into_tool_result(),
                        Err(error) => failed(error.into()),
                    }
                })
            }
        }
    })
}

fn failed(error: BoxError) -> Result<CallToolResult, ErrorObject> {
    match error.downcast::<ErrorObject>() {
        Ok(error) => Err(*error),
        Err(error) => Ok(CallToolResult::error(error.to_string())),
    }
}

/// The JSON Schema (2020-12) of a type.
///
/// Formats that only Rust knows (`uint32` and the like) are left out: validators of other
/// languages warn about them, and `minimum` and `maximum` say the same.
fn schema_of<T: JsonSchema>() -> JsonObject {
    let formats = RecursiveTransform(|schema: &mut Schema| {
        let format = schema
            .get("format")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if ["int", "uint", "float", "double"]
            .iter()
            .any(|rust| format.starts_with(rust))
        {
            schema.remove("format");
        }
    });
    let settings = SchemaSettings::draft2020_12().with_transform(formats);
    match settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
    {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

impl ServedTool {
    /// A tool whose arguments stay text.
    pub fn untyped<F>(tool: Tool, handler: F) -> Self
    where
        F: Fn(Cx, Option<Json>) -> BoxFuture<'static, Result<CallToolResult, ErrorObject>>
            + Send
            + Sync
            + 'static,
    {
        Self {
            tool,
            handler: Arc::new(handler),
        }
    }

    /// What to show to people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.tool.title = Some(title.into());
        self
    }

    /// What calling it does.
    #[must_use]
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.tool.annotations = Some(annotations);
        self
    }

    /// Announces the schema of its structured results.
    #[must_use]
    pub fn output<T: JsonSchema>(mut self) -> Self {
        self.tool.output_schema = Some(schema_of::<T>());
        self
    }

    pub(super) fn call(
        &self,
        cx: Cx,
        arguments: Option<Json>,
    ) -> BoxFuture<'static, Result<CallToolResult, ErrorObject>> {
        (self.handler)(cx, arguments)
    }
}

impl std::fmt::Debug for ServedTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ServedTool").field(&self.tool).finish()
    }
}

/// What a tool's handler may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not what a tool returns",
    note = "return a `String`, a `CallToolResult`, or `Structured(value)`"
)]
pub trait IntoToolResult {
    /// The result as the protocol has it.
    ///
    /// # Errors
    /// The value cannot be written as JSON.
    fn into_tool_result(self) -> Result<CallToolResult, ErrorObject>;
}

impl IntoToolResult for CallToolResult {
    fn into_tool_result(self) -> Result<CallToolResult, ErrorObject> {
        Ok(self)
    }
}

impl IntoToolResult for String {
    fn into_tool_result(self) -> Result<CallToolResult, ErrorObject> {
        Ok(CallToolResult::text(self))
    }
}

impl IntoToolResult for &'static str {
    fn into_tool_result(self) -> Result<CallToolResult, ErrorObject> {
        Ok(CallToolResult::text(self))
    }
}

/// A structured result, sent as such and as its JSON text.
#[derive(Clone, Copy, Debug)]
pub struct Structured<T>(pub T);

impl<T: Serialize> IntoToolResult for Structured<T> {
    fn into_tool_result(self) -> Result<CallToolResult, ErrorObject> {
        CallToolResult::structured(&self.0)
            .map_err(|_| ErrorObject::internal("the result cannot be written as JSON"))
    }
}
