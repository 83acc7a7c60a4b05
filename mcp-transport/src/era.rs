//! What differs between protocol versions, so that nothing else has to know.
//!
//! Everything inside speaks the current protocol. The current wire form carries version and
//! capabilities with each request ([`stamp`]); the older ones begin with a handshake that this
//! module remembers on behalf of the service ([`greeting`]).
//!
//! | older wire event, server side | what the inner service sees |
//! |---|---|
//! | `initialize` | nothing: the peer's facts are kept, the answer comes from `server/discover` |
//! | `notifications/initialized` | `subscriptions/listen` for everything that can change |
//! | any request | the same request with the stored facts as context |
//! | `ping`, `logging/setLevel` | nothing: answered here |

pub(crate) mod greeting;
pub(crate) mod hop;
pub(crate) mod listening;
pub(crate) mod probe;
pub(crate) mod stamp;

use mcp_core::{
    ErrorObject, Json, RequestMessage,
    schema::{discover::Discover, initialize::Initialize, subscriptions::Listen},
};

use self::{
    greeting::Introduced,
    stamp::{Incoming, LastPeer, Params},
};

/// Which versions a client may use, and how it finds out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Versions {
    /// Asks the server with `server/discover` and falls back to the handshake when the server
    /// does not know it (V26-STD-016, V26-HTTP-076).
    #[default]
    Auto,
    /// Only versions without a handshake, in which every request says what it needs.
    Stateless,
    /// Only versions that begin with `initialize`, without asking.
    Stateful,
}

/// What to do with a request off the wire.
#[derive(Debug)]
pub(crate) enum Admit {
    /// The inner service answers; in the stateless form or not.
    Serve { incoming: Incoming, stateless: bool },
    /// A peer introduces itself.
    Introduce(Introduced),
    /// The answer is known here.
    Answer(Result<Json, ErrorObject>),
}

/// Decides about a request: one that says which version it speaks is served as it is
/// (V26-VER-011); all others need a peer that introduced itself on this connection or session
/// (V26-VER-012).
pub(crate) fn admit(
    method: String,
    params: Option<&Json>,
    introduced: Option<&mut Introduced>,
    last: &LastPeer,
) -> Admit {
    let serve = |incoming: Result<Incoming, ErrorObject>, stateless| match incoming {
        Ok(incoming) => Admit::Serve {
            incoming,
            stateless,
        },
        Err(error) => Admit::Answer(Err(error)),
    };
    let split = Params::split(params);
    if split.name_version() {
        return serve(stamp::read_request(method, split, last), true);
    }
    match (method.as_str(), introduced) {
        (Initialize::METHOD, _) => match Introduced::read(params) {
            Ok(introduced) => Admit::Introduce(introduced),
            Err(error) => Admit::Answer(Err(error)),
        },
        (greeting::PING, _) => Admit::Answer(Ok(Json::empty_object())),
        (greeting::SET_LEVEL, Some(introduced)) => Admit::Answer(introduced.set_level(params)),
        (Discover::METHOD | Listen::METHOD, Some(_)) => {
            Admit::Answer(Err(ErrorObject::method_not_found(&method)))
        }
        (_, Some(introduced)) => serve(
            stamp::read_plain(method, split, introduced.context()),
            false,
        ),
        // Nothing says which version this is: the answer names what is missing.
        (_, None) => serve(stamp::read_request(method, split, last), true),
    }
}
