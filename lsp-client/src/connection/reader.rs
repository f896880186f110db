//! The reader: bytes in, messages out, and the end of it all.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::BytesMut;
use fourfold_framing::{Decoder, Frame, FrameError, Limits};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::{Cause, Ended, Farewell, Handler, Link, WIRE};
use crate::wire::{self, Incoming};

/// Room for one read.
const CHUNK: usize = 64 << 10;
/// Kept of what was skipped.
const NOISE: usize = 1 << 10;
/// How long the end of the output is awaited after the input broke: a program that ends closes
/// both, and its output may hold more.
const OTHER_END: Duration = Duration::from_millis(500);

/// Reads until the connection is over, and says so to everybody.
pub(super) async fn run<R>(
    source: R,
    limits: Limits,
    link: Arc<Link>,
    handler: Arc<dyn Handler>,
    mut write_failed: oneshot::Receiver<Cause>,
    farewell: Farewell,
) where
    R: AsyncRead + Unpin,
{
    let mut reading = std::pin::pin!(read(source, limits, &link, &*handler));
    let cause = tokio::select! {
        cause = &mut reading => cause,
        Ok(cause) = &mut write_failed => match cause {
            Cause::ClosedInput(_) => timeout(OTHER_END, reading).await.unwrap_or(cause),
            other => other,
        },
    };
    let words = farewell.await;
    let noise = std::mem::take(&mut *link.noise.lock());
    link.end(Ended::new(&link.server, cause, words, noise), &*handler);
}

async fn read<R>(mut source: R, limits: Limits, link: &Link, handler: &dyn Handler) -> Cause
where
    R: AsyncRead + Unpin,
{
    let mut decoder = Decoder::new(limits);
    let mut buffer = BytesMut::new();
    loop {
        match decoder.decode(&mut buffer) {
            Ok(Some(frame)) => {
                link.take(frame, handler);
                continue;
            }
            Ok(None) => {}
            Err(error) => return Cause::Unreadable(error.to_string()),
        }
        if buffer.capacity() - buffer.len() < CHUNK / 8 {
            buffer.reserve(CHUNK);
        }
        match source.read_buf(&mut buffer).await {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => return Cause::Unreadable(error.to_string()),
        }
    }
    loop {
        match decoder.finish(&mut buffer) {
            Ok(Some(frame)) => link.take(frame, handler),
            Ok(None) => return Cause::ClosedOutput,
            // It died while it wrote: its exit status says more.
            Err(FrameError::Truncated { .. }) => return Cause::ClosedOutput,
            Err(error) => return Cause::Unreadable(error.to_string()),
        }
    }
}

impl Link {
    fn take(&self, frame: Frame, handler: &dyn Handler) {
        let body = match frame {
            Frame::Body(body) => body,
            Frame::Skipped(skipped) => {
                tracing::debug!(server = self.server, "{skipped}");
                self.keep_noise(&String::from_utf8_lossy(&skipped.sample));
                return;
            }
        };
        tracing::trace!(target: WIRE, server = self.server, body = %String::from_utf8_lossy(&body), "received");
        match Incoming::read(&body) {
            Ok(Incoming::Request { id, method, params }) => {
                let answer = handler.request(&method, params);
                // A server that does not read its answers must not stop us from reading.
                if let Err(gone) = self.post(wire::response(id, answer)) {
                    tracing::debug!(server = self.server, method, %gone, "answer not sent");
                }
            }
            Ok(Incoming::Notification { method, params }) => handler.notification(&method, params),
            Ok(Incoming::Response { id, outcome }) => self.pending.answer(id, outcome),
            Err(why) => {
                tracing::warn!(server = self.server, %why, "skipped a message that is none");
                let start = body.get(..body.len().min(256)).unwrap_or_default();
                self.keep_noise(&String::from_utf8_lossy(start));
            }
        }
    }

    /// Counts what was skipped, and keeps the end of it.
    fn keep_noise(&self, text: &str) {
        self.skipped.fetch_add(1, Ordering::Relaxed);
        let mut noise = self.noise.lock();
        if !noise.is_empty() && !noise.ends_with('\n') {
            noise.push('\n');
        }
        noise.push_str(text);
        let surplus = noise.len().saturating_sub(NOISE);
        let cut = noise.ceil_char_boundary(surplus);
        noise.drain(..cut);
    }
}
