//! The ends of a child's standard input and output that are ours.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::unix::pipe;

/// Where a child's standard input is written. Dropping it closes it, and so does
/// [`Child::stop`](crate::Child::stop), whoever holds it: writing fails with `BrokenPipe` then.
///
/// When a write has returned, the bytes are in the pipe; nothing is buffered here.
#[derive(Debug)]
pub struct Stdin {
    shared: SharedStdin,
}

/// The part of [`Stdin`] that stays with the child, to close it.
#[derive(Debug, Clone)]
pub(crate) struct SharedStdin(Arc<Mutex<Slot>>);

#[derive(Debug)]
struct Slot {
    pipe: Option<pipe::Sender>,
    /// Who waits to write.
    waiting: Option<Waker>,
}

impl SharedStdin {
    pub(crate) fn new(pipe: pipe::Sender) -> Self {
        Self(Arc::new(Mutex::new(Slot {
            pipe: Some(pipe),
            waiting: None,
        })))
    }

    pub(crate) fn writer(&self) -> Stdin {
        Stdin {
            shared: self.clone(),
        }
    }

    pub(crate) fn close(&self) {
        let waiting = {
            let mut slot = self.lock();
            slot.pipe = None;
            slot.waiting.take()
        };
        if let Some(waiting) = waiting {
            waiting.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn poll<T>(
        &self,
        cx: &mut Context<'_>,
        operation: impl FnOnce(Pin<&mut pipe::Sender>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let mut slot = self.lock();
        let Some(pipe) = &mut slot.pipe else {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        };
        let poll = operation(Pin::new(pipe), cx);
        if poll.is_pending() {
            slot.waiting = Some(cx.waker().clone());
        }
        poll
    }
}

impl AsyncWrite for Stdin {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.shared.poll(cx, |pipe, cx| pipe.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.shared
            .poll(cx, |pipe, cx| pipe.poll_write_vectored(cx, slices))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Closes it.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.shared.close();
        Poll::Ready(Ok(()))
    }
}

impl Drop for Stdin {
    fn drop(&mut self) {
        self.shared.close();
    }
}

/// Where a child's standard output is read. Its end comes when the child and everything that
/// inherited the output has closed it or is gone.
#[derive(Debug)]
pub struct Stdout(pub(crate) pipe::Receiver);

impl AsyncRead for Stdout {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}
