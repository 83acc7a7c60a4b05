//! What goes in: a method, its parameters and what the receiver should know about the sender.

use std::{borrow::Cow, fmt};

use mcp_core::{Json, RequestMessage};

use crate::{Context, Interim};

/// The name of a method, for example `tools/call`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Method(Cow<'static, str>);

impl Method {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&'static str> for Method {
    fn from(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }
}

impl From<String> for Method {
    fn from(name: String) -> Self {
        Self(Cow::Owned(name))
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One request, free of wire and protocol version: JSON-RPC ids, progress tokens and subscription
/// ids belong to one hop and never appear here.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is asked for.
    pub method: Method,
    /// An object as text, without `_meta`: what a receiver needs of it is in the context.
    pub params: Option<Json>,
    /// Who asks, and how.
    pub context: Context,
    /// Where notifications about this request go.
    pub interim: Interim,
    /// Facts that one layer leaves for another.
    pub extensions: http::Extensions,
}

impl Request {
    /// A request with an empty context that nobody listens to.
    pub fn new(method: impl Into<Method>, params: Option<Json>) -> Self {
        Self {
            method: method.into(),
            params,
            context: Context::default(),
            interim: Interim::none(),
            extensions: http::Extensions::new(),
        }
    }

    /// A request from typed parameters.
    ///
    /// # Errors
    /// The parameters refuse to be written as JSON.
    pub fn typed<M: RequestMessage>(params: &M) -> Result<Self, serde_json::Error> {
        Ok(Self::new(M::METHOD, Some(Json::from_value(params)?)))
    }
}
