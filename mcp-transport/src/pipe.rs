//! Reads lines and writes the outbox, in one task.

use std::{
    future::poll_fn,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::BufMut;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::{
    lines::{Line, Lines},
    outbox::Outbox,
};

/// The two byte streams of a connection.
///
/// What is readable is read before anything is written, so the answers to everything that came
/// together leave together.
///
/// A server reads nothing while its outbox is full: a client that does not read its answers cannot
/// ask for more. A client reads on, or the two would wait for each other for ever.
#[derive(Debug)]
pub(crate) struct Pipe<R, W> {
    reader: R,
    writer: W,
    lines: Lines,
    waits_for_room: bool,
    /// Bytes read since the last attempt to write.
    unanswered: usize,
    eof: bool,
    /// Taken from the outbox; written up to `written`.
    text: Vec<u8>,
    written: usize,
    unflushed: bool,
}

/// What came in.
#[derive(Debug)]
pub(crate) enum Input {
    Line(Line),
    Eof,
}

/// Bytes that may be read before something is written, if there is something.
const FAIR: usize = 256 * 1024;
/// Bytes asked for in one read.
const READ: usize = 64 * 1024;

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Pipe<R, W> {
    pub(crate) fn of_server(reader: R, writer: W, max_message: usize) -> Self {
        Self {
            waits_for_room: true,
            ..Self::of_client(reader, writer, max_message)
        }
    }

    pub(crate) fn of_client(reader: R, writer: W, max_message: usize) -> Self {
        Self {
            waits_for_room: false,
            unanswered: 0,
            reader,
            writer,
            lines: Lines::new(max_message),
            eof: false,
            text: Vec::new(),
            written: 0,
            unflushed: false,
        }
    }

    /// The next line, writing meanwhile. [`Input::Eof`] comes once; afterwards this only writes
    /// and never resolves.
    ///
    /// # Cancellation
    /// Nothing is lost when the future is dropped.
    pub(crate) async fn next(&mut self, outbox: &Outbox) -> io::Result<Input> {
        poll_fn(|cx| self.poll_next(cx, outbox)).await
    }

    /// Writes everything in the outbox.
    pub(crate) async fn flush(&mut self, outbox: &Outbox) -> io::Result<()> {
        poll_fn(|cx| self.poll_write(cx, outbox)).await
    }

    fn poll_next(&mut self, cx: &mut Context<'_>, outbox: &Outbox) -> Poll<io::Result<Input>> {
        if self.waits_for_room && outbox.is_full() {
            ready!(self.poll_write(cx, outbox))?;
        }
        if self.unanswered > FAIR {
            self.unanswered = 0;
            // Whether or not everything could be written.
            let _ = self.poll_write(cx, outbox)?;
        }
        if !self.eof
            && let Poll::Ready(input) = self.poll_read(cx)?
        {
            return Poll::Ready(Ok(input));
        }
        ready!(self.poll_write(cx, outbox))?;
        Poll::Pending
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Input>> {
        loop {
            if let Some(line) = self.lines.next() {
                return Poll::Ready(Ok(Input::Line(line)));
            }
            let buffer = self.lines.buffer();
            buffer.reserve(READ);
            let before = buffer.len();
            // Reading into spare capacity would need `unsafe` to zero-copy; a zeroed tail does.
            buffer.put_bytes(0, READ);
            let mut read = ReadBuf::new(&mut buffer[before..]);
            let polled = Pin::new(&mut self.reader).poll_read(cx, &mut read);
            let filled = read.filled().len();
            buffer.truncate(before + filled);
            ready!(polled)?;
            self.unanswered += filled;
            if filled == 0 {
                self.eof = true;
                return Poll::Ready(Ok(Input::Eof));
            }
        }
    }

    /// Ready once the outbox is empty and everything is flushed; `cx` is woken when more comes.
    fn poll_write(&mut self, cx: &mut Context<'_>, outbox: &Outbox) -> Poll<io::Result<()>> {
        loop {
            while self.written < self.text.len() {
                let rest = &self.text[self.written..];
                let count = ready!(Pin::new(&mut self.writer).poll_write(cx, rest))?;
                if count == 0 {
                    return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                }
                self.written += count;
                self.unflushed = true;
            }
            self.text.clear();
            self.written = 0;
            if !outbox.take(&mut self.text, cx.waker()) {
                break;
            }
        }
        if self.unflushed {
            ready!(Pin::new(&mut self.writer).poll_flush(cx))?;
            self.unflushed = false;
        }
        Poll::Ready(Ok(()))
    }
}
