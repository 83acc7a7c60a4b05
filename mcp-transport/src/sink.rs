//! Where the notifications of one request go on their way to the peer.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use mcp_ext::{BoxFuture, Deliver, Notification, interim::Refused};

use crate::{
    era::hop::Hop,
    outbox::{NotTaken, Outbox},
};

/// What stands around a message in an outbox, apart from the newline that the outbox adds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Framing {
    pub(crate) before: &'static [u8],
    pub(crate) after: &'static [u8],
}

impl Framing {
    /// One message on each line.
    pub(crate) const LINE: Self = Self {
        before: b"",
        after: b"",
    };

    /// Writes a message. Nothing is written when `encode` returns `false`.
    pub(crate) fn write(
        self,
        out: &mut Vec<u8>,
        encode: impl FnOnce(&mut Vec<u8>) -> bool,
    ) -> bool {
        let start = out.len();
        out.extend_from_slice(self.before);
        let written = encode(out);
        if written {
            out.extend_from_slice(self.after);
        } else {
            out.truncate(start);
        }
        written
    }
}

/// The sink of one request: stamps notifications with the ids of this hop and puts them into the
/// queue of the connection.
#[derive(Debug)]
pub(crate) struct Sink {
    outbox: Arc<Outbox>,
    framing: Framing,
    hop: Mutex<Hop>,
    open: AtomicBool,
}

impl Sink {
    pub(crate) fn new(outbox: &Arc<Outbox>, framing: Framing, hop: Hop) -> Arc<Self> {
        Arc::new(Self {
            outbox: outbox.clone(),
            framing,
            hop: Mutex::new(hop),
            open: AtomicBool::new(true),
        })
    }

    /// The request is over: whatever still comes is dropped.
    pub(crate) fn close(&self) {
        self.open.store(false, Ordering::Release);
    }
}

impl Deliver for Sink {
    fn deliver(&self, notification: Notification) -> Result<(), Refused> {
        if !self.open.load(Ordering::Acquire) {
            return Err(Refused::Closed);
        }
        let mut hop = self.hop.lock().unwrap_or_else(PoisonError::into_inner);
        let encode = |out: &mut Vec<u8>| hop.encode(out, &notification);
        self.outbox
            .try_push(|out| self.framing.write(out, encode))
            .map_err(|refused| match refused {
                NotTaken::Full => Refused::Full(notification),
                NotTaken::Closed => Refused::Closed,
            })
    }

    fn room(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.outbox.room())
    }
}
