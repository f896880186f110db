//! The last words of a child.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::watch;

/// Bytes that are read at a time: a pipe holds that much.
const CHUNK: usize = 64 * 1024;

/// Longest line that is shown, in characters.
const LINE_LENGTH: usize = 400;

/// The last part of what a child wrote to its standard error. Clones show the same.
#[derive(Debug, Clone)]
pub struct StderrTail {
    kept: Arc<Mutex<Kept>>,
    over: watch::Receiver<bool>,
}

#[derive(Debug)]
struct Kept {
    bytes: VecDeque<u8>,
    max: usize,
    total: u64,
}

impl StderrTail {
    /// The tail of `source`, of which at most `max` bytes are kept, and the work of reading it,
    /// which must be run. It ends with the source.
    pub(crate) fn new<S: AsyncRead + Unpin>(
        mut source: S,
        max: usize,
    ) -> (Self, impl Future<Output = ()>) {
        let kept = Arc::new(Mutex::new(Kept {
            bytes: VecDeque::new(),
            max,
            total: 0,
        }));
        let (done, over) = watch::channel(false);
        let tail = Self {
            kept: Arc::clone(&kept),
            over,
        };
        let work = async move {
            let mut chunk = vec![0; CHUNK];
            while let Ok(read @ 1..) = source.read(&mut chunk).await {
                let bytes = chunk.get(..read).unwrap_or_default();
                tracing::trace!(text = %String::from_utf8_lossy(bytes), "standard error");
                kept.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(bytes);
            }
            done.send_replace(true);
        };
        (tail, work)
    }

    /// The last `lines` lines that hold something, oldest first: as UTF-8, without colours and other
    /// control sequences, each shortened to 400 characters. The first may have lost its beginning.
    pub fn last_words(&self, lines: usize) -> Vec<String> {
        let text = {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let (front, back) = kept.bytes.as_slices();
            [front, back].concat()
        };
        let text = String::from_utf8_lossy(&text);
        let mut last: Vec<String> = text
            .rsplit('\n')
            .map(shown)
            .filter(|line| !line.is_empty())
            .take(lines)
            .collect();
        last.reverse();
        last
    }

    /// How many bytes the child has written so far, those included that are not kept any more.
    pub fn total(&self) -> u64 {
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .total
    }

    /// Waits until everything has been read: until whatever holds the other end has closed it.
    ///
    /// *Cancel safety*: safe, nothing is lost.
    pub async fn ended(&self) {
        // When the reader is gone, it has ended as well.
        let _ = self.over.clone().wait_for(|over| *over).await;
    }
}

impl Kept {
    fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let skipped = bytes.len().saturating_sub(self.max);
        let bytes = bytes.get(skipped..).unwrap_or_default();
        let surplus = (self.bytes.len() + bytes.len()).saturating_sub(self.max);
        self.bytes.drain(..surplus);
        self.bytes.extend(bytes);
    }
}

/// A line as a terminal would leave it: the text after the last return of the carriage.
fn shown(line: &str) -> String {
    let line = line.trim_end();
    let line = line.rsplit('\r').next().unwrap_or(line);
    let mut shown = String::new();
    let mut left = LINE_LENGTH;
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match char {
            '\u{1b}' => skip_sequence(&mut chars),
            '\t' => shown.push(' '),
            _ if char.is_control() => continue,
            _ => shown.push(char),
        }
        left -= 1;
        if left == 0 {
            if chars.next().is_some() {
                shown.push('…');
            }
            break;
        }
    }
    shown.trim_end().to_owned()
}

/// Skips the rest of a control sequence, `ESC [ … letter` or `ESC ] … BEL`, or of another escape of
/// two characters.
fn skip_sequence(chars: &mut std::str::Chars<'_>) {
    match chars.next() {
        Some('[') => {
            chars.find(|char| ('@'..='~').contains(char));
        }
        Some(']') => {
            chars.find(|char| *char == '\u{7}' || *char == '\\');
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    async fn tail(text: &[u8], max: usize) -> StderrTail {
        let (tail, work) = StderrTail::new(text, max);
        work.await;
        tail
    }

    #[tokio::test]
    async fn the_last_lines_are_kept_in_their_order() {
        let tail = tail(b"one\ntwo\n\n  \nthree\xff\r\nfour", 1000).await;
        assert_eq!(tail.last_words(3), ["two", "three\u{fffd}", "four"]);
        assert_eq!(tail.last_words(9).len(), 4);
        assert!(tail.last_words(0).is_empty());
        assert_eq!(tail.total(), 24);
        tail.ended().await;
    }

    #[tokio::test]
    async fn a_line_looks_as_a_terminal_leaves_it() {
        let tail = tail(
            b"10 %\r50 %\rdone\n\x1b[31merror\x1b[0m: \x1b]8;;http://x\x07here\tthere\n\x1b[2K\n",
            1000,
        )
        .await;
        assert_eq!(tail.last_words(5), ["done", "error: here there"]);
    }

    #[tokio::test]
    async fn a_line_without_end_is_shortened() {
        let tail = tail("é".repeat(1000).as_bytes(), 100_000).await;
        assert_eq!(
            tail.last_words(1),
            [format!("{}…", "é".repeat(LINE_LENGTH))]
        );
    }

    proptest! {
        #[test]
        fn never_more_than_the_limit_is_kept(
            parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..10),
            max in 0usize..50,
        ) {
            let mut kept = Kept { bytes: VecDeque::new(), max, total: 0 };
            for part in &parts {
                kept.push(part);
            }
            let all = parts.concat();
            let expected = &all[all.len().saturating_sub(max)..];
            prop_assert_eq!(kept.bytes.make_contiguous(), expected);
            prop_assert_eq!(kept.total, all.len() as u64);
        }
    }
}
