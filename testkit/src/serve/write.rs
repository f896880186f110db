//! What a scripted peer writes, byte for byte.

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, watch};

/// What the writer does next.
pub(super) enum Output {
    Bytes(Vec<u8>),
    Pieces(usize),
    Errors(String, usize),
    Close,
    Exit(u8),
}

/// Bytes that are written at once.
const BLOCK: usize = 64 * 1024;

/// One task writes, so that the server reads on while the client does not.
pub(super) async fn write(
    mut writes: mpsc::UnboundedReceiver<Output>,
    output: impl AsyncWrite + Unpin,
    mut errors: impl AsyncWrite + Unpin,
    ends: watch::Sender<Option<u8>>,
) {
    let mut output = Some(output);
    let mut pieces = usize::MAX;
    let mut next = None;
    while let Some(write) = match next.take() {
        Some(write) => Some(write),
        None => writes.recv().await,
    } {
        match write {
            Output::Bytes(mut bytes) => {
                // What waits already goes in one write: a flood is no reason to be slow.
                next = loop {
                    match writes.try_recv() {
                        Ok(Output::Bytes(more)) if bytes.len() < BLOCK => bytes.extend(more),
                        other => break other.ok(),
                    }
                };
                for piece in bytes.chunks(pieces) {
                    if let Some(output) = &mut output {
                        // A client that does not listen any more is no reason to stop.
                        let _ = output.write_all(piece).await;
                        let _ = output.flush().await;
                    }
                    if pieces != usize::MAX {
                        tokio::task::yield_now().await;
                    }
                }
            }
            Output::Pieces(bytes) => pieces = bytes.max(1),
            Output::Errors(text, times) => {
                let at_once = (BLOCK / text.len().max(1)).clamp(1, times.max(1));
                let block = text.repeat(at_once);
                for _ in 0..times / at_once {
                    let _ = errors.write_all(block.as_bytes()).await;
                }
                let rest = text.repeat(times % at_once);
                let _ = errors.write_all(rest.as_bytes()).await;
                let _ = errors.flush().await;
            }
            Output::Close => {
                if let Some(mut output) = output.take() {
                    let _ = output.shutdown().await;
                }
            }
            Output::Exit(code) => {
                ends.send_replace(Some(code));
                return;
            }
        }
    }
}
