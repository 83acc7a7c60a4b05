//! Ctrl-C: the first one cancels, the second one ends the program at once.

use std::thread;

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
};

/// Exit code of a program that was ended by Ctrl-C.
const ENDED: i32 = 130;

/// Tells that the program should end.
#[derive(Debug)]
pub(crate) struct Interrupt(watch::Receiver<bool>);

impl Interrupt {
    /// Begins to listen to SIGINT, SIGTERM and SIGHUP.
    ///
    /// In a thread of its own: the second Ctrl-C has to work while the first thread waits for
    /// somebody to read its output. The thread ends with the program.
    pub(crate) fn listen() -> Self {
        let (sender, receiver) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build();
        if let Ok(runtime) = runtime {
            // Here, so that no signal comes before somebody listens.
            let entered = runtime.enter();
            let kinds = [
                SignalKind::interrupt(),
                SignalKind::terminate(),
                SignalKind::hangup(),
            ];
            let signals: Vec<_> = kinds
                .into_iter()
                .filter_map(|kind| signal(kind).ok())
                .collect();
            drop(entered);
            thread::spawn(move || runtime.block_on(watch(signals, &sender)));
        }
        Self(receiver)
    }

    /// Resolves with the first signal.
    pub(crate) async fn pressed(&mut self) {
        // Without a thread that listens, signals do what they always do.
        if self.0.wait_for(|pressed| *pressed).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

async fn watch(mut signals: Vec<Signal>, pressed: &watch::Sender<bool>) {
    any(&mut signals).await;
    pressed.send_replace(true);
    any(&mut signals).await;
    std::process::exit(ENDED);
}

async fn any(signals: &mut [Signal]) {
    std::future::poll_fn(|cx| {
        let came = signals
            .iter_mut()
            .any(|signal| signal.poll_recv(cx).is_ready());
        if came {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
}
