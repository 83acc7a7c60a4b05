//! A server on this process's own standard input and output.

use std::{
    fs::File,
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::FileTypeExt,
    },
    pin::Pin,
};

use mcp_ext::McpService;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{UnixStream, unix::pipe},
};

use crate::duplex::{Limits, serve as serve_duplex};

/// Serves the client on standard input and output until it closes our input.
///
/// Nothing else may write to standard output; send logs to standard error.
///
/// ```no_run
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = mcp_ext::Server::builder("empty", "1.0.0").build()?;
/// mcp_transport::stdio::serve(server, Default::default()).await?;
/// # Ok(()) }
/// ```
///
/// # Errors
/// Reading or writing failed.
pub async fn serve(service: impl McpService, limits: Limits) -> io::Result<()> {
    serve_duplex(service, input()?, output()?, limits).await
}

type Input = Pin<Box<dyn AsyncRead + Send>>;
type Output = Pin<Box<dyn AsyncWrite + Send>>;

/// Pipes and sockets are read themselves. Files and terminals cannot be polled and go through a
/// blocking thread, which costs several times as much.
fn input() -> io::Result<Input> {
    let fd = io::stdin().as_fd().try_clone_to_owned()?;
    Ok(match kind(&fd)? {
        Kind::Pipe => Box::pin(pipe::Receiver::from_owned_fd(fd)?),
        Kind::Socket => Box::pin(socket(fd)?),
        Kind::Other => Box::pin(tokio::io::stdin()),
    })
}

fn output() -> io::Result<Output> {
    let fd = io::stdout().as_fd().try_clone_to_owned()?;
    Ok(match kind(&fd)? {
        Kind::Pipe => Box::pin(pipe::Sender::from_owned_fd(fd)?),
        Kind::Socket => Box::pin(socket(fd)?),
        Kind::Other => Box::pin(tokio::io::stdout()),
    })
}

enum Kind {
    Pipe,
    Socket,
    Other,
}

fn kind(fd: &OwnedFd) -> io::Result<Kind> {
    let kind = File::from(fd.try_clone()?).metadata()?.file_type();
    Ok(if kind.is_fifo() {
        Kind::Pipe
    } else if kind.is_socket() {
        Kind::Socket
    } else {
        Kind::Other
    })
}

fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let stream = std::os::unix::net::UnixStream::from(fd);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}
