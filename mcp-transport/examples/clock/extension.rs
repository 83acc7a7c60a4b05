//! The extension `com.example/clock`: a request, a stream and a change notification.
//!
//! | message | kind |
//! |---|---|
//! | `clock/alarms` | request: the labels of all alarms |
//! | `clock/ticks` | stream: sends `notifications/clock/tick` until it is cancelled |
//! | `notifications/clock/alarms_changed` | change; the filter field is `clockAlarmsChanged` |
//!
//! A client that does not announce the extension can still use the tools (EXT-FW-010).

use std::{
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use mcp_core::RequestMessage;
use mcp_ext::{
    Cx, Extension, ExtensionId, Notification,
    extension::{handlers::Handlers, messages::Messages},
    interim::NobodyLeft,
};
use serde::{Deserialize, Serialize};

/// Parameters of `clock/alarms`.
#[derive(Debug, Serialize, Deserialize)]
struct ListAlarms {}

#[derive(Debug, Serialize, Deserialize)]
struct Alarms {
    labels: Vec<String>,
}

impl RequestMessage for ListAlarms {
    const METHOD: &'static str = "clock/alarms";
    type Result = Alarms;
}

/// Parameters of `clock/ticks`.
#[derive(Debug, Serialize, Deserialize)]
struct Ticks {
    /// Pause between two ticks, in milliseconds.
    #[serde(default = "second")]
    interval_ms: u64,
    /// How many; none for ever.
    #[serde(default)]
    count: Option<u64>,
}

fn second() -> u64 {
    1000
}

#[derive(Debug, Serialize, Deserialize)]
struct TicksDone {
    ticks: u64,
}

impl RequestMessage for Ticks {
    const METHOD: &'static str = "clock/ticks";
    type Result = TicksDone;
}

#[derive(Debug, Serialize)]
struct Tick {
    n: u64,
}

const TICK: &str = "notifications/clock/tick";
const ALARMS_CHANGED: &str = "notifications/clock/alarms_changed";

/// The alarms. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Clock {
    labels: Arc<Mutex<Vec<String>>>,
}

impl Clock {
    /// Adds an alarm and tells everybody who listens; gives the number of alarms.
    pub(crate) fn set(&self, cx: &Cx, label: String) -> usize {
        let mut labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        labels.push(label);
        cx.announce(&Notification::new(ALARMS_CHANGED, None));
        labels.len()
    }

    fn list(&self) -> Alarms {
        let labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        Alarms {
            labels: labels.clone(),
        }
    }
}

impl Extension for Clock {
    fn id(&self) -> ExtensionId {
        ExtensionId::from_static("com.example/clock")
    }

    fn messages(&self) -> Messages {
        Messages::none()
            .request::<ListAlarms>()
            .stream(Ticks::METHOD)
            .notification(TICK)
            .change(ALARMS_CHANGED, "clockAlarmsChanged")
    }

    fn handlers(&self) -> Handlers {
        let clock = self.clone();
        Handlers::none()
            .request(move |_: Cx, _: ListAlarms| {
                let alarms = clock.list();
                async move { Ok::<_, Infallible>(alarms) }
            })
            .request(async |cx: Cx, Ticks { interval_ms, count }: Ticks| {
                let mut n = 0;
                while count.is_none_or(|count| n < count) {
                    tokio::time::sleep(Duration::from_millis(interval_ms)).await;
                    n += 1;
                    cx.notify(TICK, &Tick { n }).await?;
                }
                Ok::<_, NobodyLeft>(TicksDone { ticks: n })
            })
    }
}
