//! The HTTP client against servers that answer what a script says, over real sockets.
#![cfg(feature = "http-client")]

#[cfg(test)]
mod connecting;
#[cfg(test)]
mod failing;
#[cfg(feature = "http-server")]
#[cfg(test)]
mod own;
#[cfg(test)]
mod script;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod stateless;
