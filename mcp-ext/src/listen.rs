//! Change notifications, and who wants them.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use mcp_core::schema::{resources, subscriptions::SubscriptionFilter, tools};
use serde_json::Value;
use tokio::sync::Notify;

use crate::{BoxFuture, Interim, Notification, Outcome, Request, interim::Refused};

/// Asks, in [`Request::extensions`] of a `subscriptions/listen`, for every change that the server
/// can announce, on behalf of a peer that cannot say what it wants.
///
/// Nobody called such a subscription, so no layer should count it as a call or end it as one that
/// takes too long. The service answers at once and leaves the subscription here; whoever sent the
/// request runs it.
#[derive(Clone, Default)]
pub struct EveryChange(Arc<Mutex<Option<BoxFuture<'static, ()>>>>);

impl EveryChange {
    /// Leaves the subscription for the sender of the request.
    pub fn hand_over(&self, subscription: impl Future<Output = ()> + Send + 'static) {
        *lock(&self.0) = Some(Box::pin(subscription));
    }

    /// Takes what was left, if the service has answered.
    pub fn take(&self) -> Option<BoxFuture<'static, ()>> {
        lock(&self.0).take()
    }
}

impl std::fmt::Debug for EveryChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EveryChange")
    }
}

/// For services that carry requests elsewhere: hands over a listen request that asks for
/// [`EveryChange`], as a call of its own, and gives the answer; any other request comes back.
///
/// # Errors
/// The request is not such a one.
pub fn hand_over<F>(
    mut request: Request,
    call: impl FnOnce(Request) -> F,
) -> Result<Outcome, Box<Request>>
where
    F: Future + Send + 'static,
{
    let Some(every) = request.extensions.remove::<EveryChange>() else {
        return Err(Box::new(request));
    };
    let call = call(request);
    every.hand_over(async move {
        // How it ends is nothing that anybody asked for.
        let _ = call.await;
    });
    Ok(Outcome::Complete(mcp_core::Json::empty_object()))
}

/// Hands change notifications to everybody who asked for them.
///
/// Announcing never waits. A listener without room keeps what it missed, each different
/// notification once: change notifications say "look again", so one is as good as many.
#[derive(Debug, Default)]
pub struct Hub {
    listeners: Mutex<BTreeMap<u64, Arc<Listener>>>,
    next: Mutex<u64>,
    shut: AtomicBool,
}

#[derive(Debug)]
struct Listener {
    filter: SubscriptionFilter,
    interim: Interim,
    state: Mutex<State>,
    wake: Notify,
    ended: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    /// Set once the acknowledgement is out: nothing goes before it (V26-SUB-003).
    open: bool,
    missed: VecDeque<Notification>,
}

impl Hub {
    /// Adds a listener. Changes are kept back until [`Subscription::run`].
    pub fn listen(self: &Arc<Self>, filter: SubscriptionFilter, interim: Interim) -> Subscription {
        let listener = Arc::new(Listener {
            filter,
            interim,
            state: Mutex::default(),
            wake: Notify::new(),
            ended: AtomicBool::new(false),
        });
        let mut next = lock(&self.next);
        *next += 1;
        lock(&self.listeners).insert(*next, listener.clone());
        // After the insertion: either this sees that the hub is shut, or shutting it sees this.
        if self.shut.load(Ordering::SeqCst) {
            listener.end();
        }
        Subscription {
            hub: self.clone(),
            key: *next,
            listener,
        }
    }

    /// Who listens now. Delivering is done without the lock: a sink may come back here.
    fn all(&self) -> Vec<Arc<Listener>> {
        lock(&self.listeners).values().cloned().collect()
    }

    /// Tells everybody whose filter has it. `field` names the filter field of an extension's
    /// notification; those of the core are known.
    pub fn announce(&self, notification: &Notification, field: Option<&str>) {
        for listener in self.all() {
            if wants(&listener.filter, notification, field) {
                listener.deliver(notification.clone());
            }
        }
    }

    /// Tells everybody who asked for an extension's changes, whichever: for links to peers that
    /// send their changes without saying what they answer to.
    pub fn announce_to_extensions(&self, notification: &Notification) {
        for listener in self.all() {
            if !listener.filter.extra.is_empty() {
                listener.deliver(notification.clone());
            }
        }
    }

    /// Ends every subscription in good order. New ones may follow.
    pub fn close(&self) {
        for listener in self.all() {
            listener.end();
        }
    }

    /// Ends every subscription, and every one that is still to come: the source of the changes is
    /// gone.
    pub fn shut(&self) {
        self.shut.store(true, Ordering::SeqCst);
        self.close();
    }

    /// How many listen.
    pub fn len(&self) -> usize {
        lock(&self.listeners).len()
    }

    /// Whether nobody listens.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn wants(filter: &SubscriptionFilter, notification: &Notification, field: Option<&str>) -> bool {
    match (notification.method.as_str(), field) {
        (tools::LIST_CHANGED, _) => filter.tools_list_changed,
        (resources::LIST_CHANGED, _) => filter.resources_list_changed,
        ("notifications/prompts/list_changed", _) => filter.prompts_list_changed,
        (resources::UPDATED, _) => {
            let uri = notification
                .params
                .as_ref()
                .and_then(|params| params.member("uri"));
            let uri = uri.and_then(|uri| uri.decode::<String>().ok());
            uri.is_some_and(|uri| filter.resource_subscriptions.contains(&uri))
        }
        (_, Some(field)) => !matches!(filter.extra.get(field), None | Some(Value::Bool(false))),
        _ => false,
    }
}

/// Most different notifications that are kept for a listener without room. Beyond that the oldest
/// go: a listener that comes back looks at everything again anyway.
const MISSED: usize = 256;

impl Listener {
    fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.wake.notify_one();
    }

    fn deliver(&self, notification: Notification) {
        let mut state = lock(&self.state);
        let back = if state.open && state.missed.is_empty() {
            match self.interim.deliver(notification) {
                Ok(()) | Err(Refused::Closed) => return,
                Err(Refused::Full(back)) => back,
            }
        } else {
            notification
        };
        if !state.missed.contains(&back) {
            if state.missed.len() == MISSED {
                state.missed.pop_front();
            }
            state.missed.push_back(back);
            self.wake.notify_one();
        }
    }

    fn pop(&self) -> Option<Notification> {
        let mut state = lock(&self.state);
        state.open = true;
        state.missed.pop_front()
    }
}

/// One listener. Dropping it ends it.
#[derive(Debug)]
pub struct Subscription {
    hub: Arc<Hub>,
    key: u64,
    listener: Arc<Listener>,
}

impl Subscription {
    /// Delivers changes until the hub is closed or nobody is left to receive them.
    pub async fn run(self) {
        loop {
            while let Some(notification) = self.listener.pop() {
                if self.listener.interim.send(notification).await.is_err() {
                    return;
                }
            }
            if self.listener.ended.load(Ordering::Acquire) {
                return;
            }
            self.listener.wake.notified().await;
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        lock(&self.hub.listeners).remove(&self.key);
    }
}

/// Nothing is left half done under these locks, so a panic elsewhere does not spoil them.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed() -> Notification {
        Notification::new(tools::LIST_CHANGED, None)
    }

    #[tokio::test]
    async fn v26_sub_001_only_what_was_asked_for_is_delivered() {
        let hub = Arc::new(Hub::default());
        let (interim, mut receiver) = Interim::queue(8);
        let filter = SubscriptionFilter::default().with("clockChanged");
        let subscription = hub.listen(filter, interim);
        hub.announce(&changed(), None);
        hub.announce(
            &Notification::new("notifications/clock/changed", None),
            Some("clockChanged"),
        );
        hub.close();
        subscription.run().await;
        assert_eq!(
            receiver.recv().await.unwrap().method.as_str(),
            "notifications/clock/changed"
        );
        assert_eq!(receiver.recv().await, None);
        assert!(hub.is_empty());
    }

    #[tokio::test]
    async fn a_subscription_to_a_hub_that_is_shut_ends_at_once() {
        let hub = Arc::new(Hub::default());
        hub.shut();
        hub.listen(SubscriptionFilter::lists(), Interim::none())
            .run()
            .await;
    }

    #[tokio::test]
    async fn what_is_missed_is_bounded() {
        let hub = Arc::new(Hub::default());
        let (interim, mut receiver) = Interim::queue(2 * MISSED);
        let subscription = hub.listen(SubscriptionFilter::lists().with("x"), interim);
        for n in 0..2 * MISSED {
            let params = serde_json::json!({ "n": n });
            hub.announce_to_extensions(&Notification::with("x", &params).unwrap());
        }
        hub.close();
        subscription.run().await;
        let mut got = 0;
        while receiver.try_recv().is_ok() {
            got += 1;
        }
        assert_eq!(got, MISSED);
    }

    #[tokio::test]
    async fn a_listener_without_room_hears_each_change_once_later() {
        let hub = Arc::new(Hub::default());
        let (interim, mut receiver) = Interim::queue(1);
        let subscription = hub.listen(SubscriptionFilter::lists(), interim);
        for _ in 0..1000 {
            hub.announce(&changed(), None);
        }
        hub.close();
        subscription.run().await;
        assert_eq!(receiver.recv().await, Some(changed()));
        assert_eq!(receiver.recv().await, None);
    }
}
