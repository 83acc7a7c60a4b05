//! What peers may do to the server ends and to the child processes' client, and what they must
//! get for it. Written from the requirement tables; the ids in the names are theirs.

#![allow(
    clippy::needless_pass_by_value,
    reason = "messages are written where they are sent, as literals"
)]

#[cfg(test)]
mod child;
#[cfg(feature = "http-server")]
#[cfg(test)]
mod http;
#[cfg(test)]
mod served;
#[cfg(test)]
mod wire;
