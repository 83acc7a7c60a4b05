//! What an extension defines.

use std::borrow::Cow;

use mcp_core::RequestMessage;

/// Every message that an extension defines, whether or not this side serves it.
#[derive(Clone, Debug, Default)]
pub struct Messages(pub(crate) Vec<Declaration>);

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Its method.
    pub method: Cow<'static, str>,
    /// What it is.
    pub kind: Kind,
}

/// The kinds of messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A request with one answer.
    Request,
    /// A request that stays open and sends notifications until it is cancelled or ends.
    Stream,
    /// A notification about a request or a stream.
    Notification,
    /// A notification that something changed, sent to whoever asked for it.
    Change {
        /// The field of the `subscriptions/listen` filter that asks for it (EXT-FW-017).
        field: Cow<'static, str>,
    },
}

impl Messages {
    /// No messages.
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// Adds a request.
    #[must_use]
    pub fn request<M: RequestMessage>(self) -> Self {
        self.with(M::METHOD, Kind::Request)
    }

    /// Adds a stream.
    #[must_use]
    pub fn stream(self, method: impl Into<Cow<'static, str>>) -> Self {
        self.with(method, Kind::Stream)
    }

    /// Adds a notification about a request or a stream.
    #[must_use]
    pub fn notification(self, method: impl Into<Cow<'static, str>>) -> Self {
        self.with(method, Kind::Notification)
    }

    /// Adds a change notification and the filter field that asks for it.
    #[must_use]
    pub fn change(
        self,
        method: impl Into<Cow<'static, str>>,
        field: impl Into<Cow<'static, str>>,
    ) -> Self {
        self.with(
            method,
            Kind::Change {
                field: field.into(),
            },
        )
    }

    fn with(mut self, method: impl Into<Cow<'static, str>>, kind: Kind) -> Self {
        self.0.push(Declaration {
            method: method.into(),
            kind,
        });
        self
    }
}
