//! Standard input and output: a child process as a server, and a server on this process's own
//! streams.

mod client;
mod own;

pub use self::{
    client::{Child, Command, connect},
    own::serve,
};
