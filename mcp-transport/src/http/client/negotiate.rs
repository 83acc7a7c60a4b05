//! Finds out what a server speaks.
//!
//! ```text
//!  POST server/discover ─┬─ verdict of `era::probe` ───────▶ stateless, refused or handshake
//!                        ├─ 401, 403, no connection ───────▶ failure
//!                        ├─ anything else (HTML, 404, 500) ▶ handshake
//!                        └─ silence ───────────────────────▶ handshake as well; first answer wins
//! ```

use std::pin::pin;

use mcp_core::{
    ErrorObject, Json, ProtocolVersion, RequestMessage, envelope::encode_request,
    schema::discover::Discover,
};
use mcp_ext::{Context, Interim, Request};

use super::{
    Shared, Spoken,
    answer::Awaited,
    call::stateless_headers,
    failure::Failure,
    session::{Session, Sessions},
};
use crate::{
    ConnectError, Versions,
    era::{
        probe::{Verdict, judge},
        stamp,
    },
};

/// What the first question brought.
enum Found {
    Verdict(Verdict),
    /// No answer that says anything about the protocol.
    Nothing(Failure),
}

impl Shared {
    /// See the module.
    pub(super) async fn negotiate(&self) -> Result<Spoken, ConnectError> {
        if self.options.versions == Versions::Stateful {
            return self.greet().await;
        }
        let mut probe = pin!(self.ask());
        match tokio::time::timeout(self.options.probe, &mut probe).await {
            Ok(found) => self.follow(found?).await,
            Err(_) if self.options.versions == Versions::Stateless => {
                self.follow(probe.await?).await
            }
            Err(_) => self.greet_meanwhile(probe).await,
        }
    }

    /// An older server that swallows what it does not know (R104), or a slow one: whichever
    /// answer comes first decides.
    async fn greet_meanwhile(
        &self,
        mut probe: impl Future<Output = Result<Found, ConnectError>> + Unpin,
    ) -> Result<Spoken, ConnectError> {
        let mut greet = pin!(self.greet());
        tokio::select! {
            biased;
            greeted = &mut greet => match greeted {
                Ok(spoken) => Ok(spoken),
                // It may still turn out to be a newer server that does not know `initialize`.
                Err(error) => match probe.await {
                    Ok(Found::Verdict(verdict @ Verdict::Stateless(_))) => {
                        self.follow(Found::Verdict(verdict)).await
                    }
                    _ => Err(error),
                },
            },
            found = &mut probe => match found? {
                Found::Verdict(Verdict::Greet) | Found::Nothing(_) => greet.await,
                found => self.follow(found).await,
            },
        }
    }

    /// Asks a server of the current protocol what it is (V26-HTTP-076 to -078, R103).
    async fn ask(&self) -> Result<Found, ConnectError> {
        let version = ProtocolVersion::LATEST;
        let mut request = Request::new(Discover::METHOD, None);
        request.context = Context {
            peer: self.options.peer.clone(),
            ..Context::default()
        };
        let params = stamp::write_request(&request, version, None);
        let awaited = Awaited {
            endpoint: &self.endpoint,
            id: self.next_id().into(),
            interim: &Interim::none(),
            beside: None,
        };
        let mut message = Vec::new();
        encode_request(&mut message, &awaited.id, Discover::METHOD, Some(&params));
        let headers = stateless_headers(version, Discover::METHOD, Some(&params));
        let answer = match self.endpoint.post(&headers, message).await {
            Ok(response) => awaited.read(response).await,
            Err(failure) => Err(failure),
        };
        judged(answer)
    }

    async fn follow(&self, found: Found) -> Result<Spoken, ConnectError> {
        match found {
            Found::Verdict(Verdict::Stateless(version)) => Ok(Spoken::Stateless(version)),
            Found::Verdict(Verdict::Refused(reason)) => Err(ConnectError::Incompatible(reason)),
            Found::Nothing(failure) if self.options.versions == Versions::Stateless => {
                Err(failure.into_connect(Discover::METHOD))
            }
            Found::Verdict(Verdict::Greet) if self.options.versions == Versions::Stateless => {
                let reason = "the server only speaks versions that begin with a handshake";
                Err(ConnectError::Incompatible(reason.into()))
            }
            Found::Verdict(Verdict::Greet) | Found::Nothing(_) => self.greet().await,
        }
    }

    async fn greet(&self) -> Result<Spoken, ConnectError> {
        Ok(Spoken::Greeted(Sessions::new(Session::begin(self).await?)))
    }
}

fn judged(answer: Result<Json, Failure>) -> Result<Found, ConnectError> {
    let verdict = |answer: Result<Json, ErrorObject>| Ok(Found::Verdict(judge(&answer)));
    match answer {
        Ok(result) => verdict(Ok(result)),
        Err(Failure::Peer(error)) => verdict(Err(error)),
        Err(failure @ (Failure::Open { .. } | Failure::Unauthorized { .. })) => {
            Err(failure.into_connect(Discover::METHOD))
        }
        Err(failure) => Ok(Found::Nothing(failure)),
    }
}
