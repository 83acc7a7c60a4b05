//! Where notifications go while a request runs.

use std::{fmt, sync::Arc};

use mcp_core::Json;
use tokio::sync::mpsc;

use crate::{BoxFuture, Method};

/// A message that wants no answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// What is told.
    pub method: Method,
    /// An object as text.
    pub params: Option<Json>,
}

impl Notification {
    /// A notification from parameters as text.
    pub fn new(method: impl Into<Method>, params: Option<Json>) -> Self {
        Self {
            method: method.into(),
            params,
        }
    }

    /// A notification from anything that can be written as JSON.
    ///
    /// # Errors
    /// The parameters refuse to be written.
    pub fn with(
        method: impl Into<Method>,
        params: &impl serde::Serialize,
    ) -> Result<Self, serde_json::Error> {
        Ok(Self::new(method, Some(Json::from_value(params)?)))
    }
}

/// Why a notification came back.
#[derive(Clone, Debug, PartialEq)]
pub enum Refused {
    /// There is no room now; see [`Deliver::room`].
    Full(Notification),
    /// Nobody is left to receive it.
    Closed,
}

/// A place that takes notifications.
pub trait Deliver: Send + Sync {
    /// Never waits: gives the notification back when there is no room, and says so when nobody
    /// is left.
    ///
    /// # Errors
    /// See [`Refused`].
    fn deliver(&self, notification: Notification) -> Result<(), Refused>;

    /// Resolves when there may be room, or when nobody is left. The default suits sinks that are
    /// never full.
    fn room(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// The sink that a request carries. Cheap to clone; the default one drops everything.
#[derive(Clone, Default)]
pub struct Interim(Option<Arc<dyn Deliver>>);

/// Nobody is left to receive notifications: the request was cancelled or has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nobody is left to receive notifications of this request")]
pub struct NobodyLeft;

impl Interim {
    /// Drops everything. A request that carries it asks for no progress.
    pub const fn none() -> Self {
        Self(None)
    }

    /// Delivers to `sink`.
    pub fn new(sink: impl Deliver + 'static) -> Self {
        Self(Some(Arc::new(sink)))
    }

    /// Delivers to a sink that others hold too.
    pub fn shared(sink: Arc<dyn Deliver>) -> Self {
        Self(Some(sink))
    }

    /// A queue of `capacity` notifications and its receiving end. Dropping the receiver closes
    /// the queue.
    pub fn queue(capacity: usize) -> (Self, mpsc::Receiver<Notification>) {
        let (sender, receiver) = mpsc::channel(capacity.max(1));
        (Self::new(sender), receiver)
    }

    /// Whether notifications go anywhere.
    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Delivers without waiting; see [`Deliver::deliver`].
    ///
    /// # Errors
    /// See [`Refused`].
    pub fn deliver(&self, notification: Notification) -> Result<(), Refused> {
        self.0
            .as_ref()
            .map_or(Ok(()), |sink| sink.deliver(notification))
    }

    /// Delivers, waiting for room: a slow receiver slows its sender down and nothing is lost.
    ///
    /// # Errors
    /// Nobody is left to receive it.
    ///
    /// # Cancellation
    /// Dropping the future before it is done leaves the notification undelivered.
    pub async fn send(&self, notification: Notification) -> Result<(), NobodyLeft> {
        let Some(sink) = &self.0 else { return Ok(()) };
        let mut notification = notification;
        loop {
            match sink.deliver(notification) {
                Ok(()) => return Ok(()),
                Err(Refused::Closed) => return Err(NobodyLeft),
                Err(Refused::Full(back)) => notification = back,
            }
            sink.room().await;
        }
    }
}

impl fmt::Debug for Interim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_some() {
            "Interim(sink)"
        } else {
            "Interim(none)"
        })
    }
}

impl Deliver for mpsc::Sender<Notification> {
    fn deliver(&self, notification: Notification) -> Result<(), Refused> {
        self.try_send(notification).map_err(|error| match error {
            mpsc::error::TrySendError::Full(notification) => Refused::Full(notification),
            mpsc::error::TrySendError::Closed(_) => Refused::Closed,
        })
    }

    fn room(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            // A permit would be lost on drop: only the fact that there was one matters.
            let _ = self.reserve().await;
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_queue_slows_the_sender_and_loses_nothing() {
        let (interim, mut receiver) = Interim::queue(1);
        let sender = tokio::spawn(async move {
            for n in 0..100u32 {
                let params = serde_json::json!({ "n": n });
                interim
                    .send(Notification::with("tick", &params).unwrap())
                    .await
                    .unwrap();
            }
        });
        for n in 0..100u32 {
            let got = receiver.recv().await.unwrap();
            assert_eq!(got.params.unwrap().as_str(), format!("{{\"n\":{n}}}"));
        }
        sender.await.unwrap();
    }

    #[tokio::test]
    async fn a_dropped_receiver_is_told_to_the_sender() {
        let (interim, receiver) = Interim::queue(1);
        drop(receiver);
        assert_eq!(
            interim.send(Notification::new("tick", None)).await,
            Err(NobodyLeft)
        );
    }
}
