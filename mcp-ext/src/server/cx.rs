//! What a handler can reach while it serves a request.

use std::sync::Arc;

use mcp_core::schema::{
    logging::{self, LogLevel, LogMessage},
    progress::{self, Progress},
};
use serde::Serialize;
use serde_json::Value;

use super::Shared;
use crate::{Context, Interim, Notification, Request, interim::NobodyLeft};

/// The request from the handler's side: who asks, and where notifications go.
#[derive(Clone, Debug)]
pub struct Cx {
    context: Context,
    interim: Interim,
    extensions: http::Extensions,
    server: Arc<Shared>,
}

impl Cx {
    pub(super) fn new(
        request: Request,
        server: Arc<Shared>,
    ) -> (crate::Method, Option<mcp_core::Json>, Self) {
        let Request {
            method,
            params,
            context,
            interim,
            extensions,
        } = request;
        (
            method,
            params,
            Self {
                context,
                interim,
                extensions,
                server,
            },
        )
    }

    /// Who asks, in which version, with which metadata.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// What layers left with the request.
    pub fn extensions(&self) -> &http::Extensions {
        &self.extensions
    }

    pub(super) fn interim(&self) -> &Interim {
        &self.interim
    }

    /// Says how far the request has come; `done` has to grow from call to call. Goes nowhere when
    /// the peer did not ask for progress.
    ///
    /// # Errors
    /// Nobody is left to hear it: the request was cancelled.
    pub async fn progress(
        &self,
        done: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) -> Result<(), NobodyLeft> {
        let params = Progress {
            progress: done,
            total,
            message: message.map(Into::into),
        };
        self.notify(progress::PROGRESS, &params).await
    }

    /// Logs about the request. Goes nowhere unless the peer asked for messages this severe
    /// (V26-LOG-004, -006).
    ///
    /// # Errors
    /// Nobody is left to hear it.
    pub async fn log(
        &self,
        level: LogLevel,
        logger: Option<&str>,
        data: impl Into<Value>,
    ) -> Result<(), NobodyLeft> {
        if self.context.log_level.is_none_or(|wanted| level < wanted) {
            return Ok(());
        }
        let params = LogMessage {
            level,
            logger: logger.map(Into::into),
            data: data.into(),
        };
        self.notify(logging::MESSAGE, &params).await
    }

    /// Sends a notification about this request, after all that were sent before and before its
    /// outcome. Waits while the peer is slow.
    ///
    /// # Errors
    /// Nobody is left to hear it, or the parameters cannot be written as JSON, which is the same
    /// to the peer.
    pub async fn notify(
        &self,
        method: impl Into<crate::Method>,
        params: &impl Serialize,
    ) -> Result<(), NobodyLeft> {
        let notification = Notification::with(method, params).map_err(|_| NobodyLeft)?;
        self.interim.send(notification).await
    }

    /// Announces a change to everybody who asked for it; see
    /// [`Server::announce`](super::Server::announce).
    pub fn announce(&self, notification: &Notification) {
        self.server.announce(notification);
    }
}
