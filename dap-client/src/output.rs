//! What the program printed: a ring of bytes with a cursor.

use std::collections::VecDeque;

use serde::Serialize;

/// A part of a program's output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OutputPage {
    /// The pieces, neighbours of one stream joined.
    pub chunks: Vec<OutputChunk>,
    /// Bytes before it that are not kept any more, or that this answer had no room for.
    pub dropped: u64,
    /// Where the next page begins.
    pub next: u64,
    /// Whether there is more behind it.
    pub more: bool,
}

/// A piece of output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OutputChunk {
    /// Where it came from.
    pub stream: Stream,
    /// The text.
    pub text: String,
}

/// Where output came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stream {
    /// The program's standard output. Some adapters print banners of their own there.
    Stdout,
    /// The program's standard error.
    Stderr,
    /// The adapter: log messages of breakpoints, warnings.
    Console,
}

impl OutputPage {
    /// Whether nothing was printed, and nothing was lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty() && self.dropped == 0
    }

    /// The text of all streams, in order.
    #[must_use]
    pub fn text(&self) -> String {
        self.chunks
            .iter()
            .map(|chunk| chunk.text.as_str())
            .collect()
    }
}

/// Keeps the last bytes of the output. Cursors count bytes from the beginning.
#[derive(Debug)]
pub(crate) struct Ring {
    chunks: VecDeque<OutputChunk>,
    /// The cursor of the first byte that is kept.
    first: u64,
    kept: usize,
    limit: usize,
    /// Where the last answer ended.
    told: u64,
}

/// Longest chunk that others are joined to.
const JOINED: usize = 1 << 10;

impl Ring {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            chunks: VecDeque::new(),
            first: 0,
            kept: 0,
            limit,
            told: 0,
        }
    }

    pub(crate) fn push(&mut self, stream: Stream, text: &str) {
        if text.is_empty() {
            return;
        }
        let surplus = text.len().saturating_sub(self.limit);
        let cut = text.ceil_char_boundary(surplus);
        let (lost, text) = text.split_at(cut);
        if !lost.is_empty() {
            // Everything before it goes too.
            self.first += (self.kept + lost.len()) as u64;
            self.kept = 0;
            self.chunks.clear();
        }
        self.kept += text.len();
        match self.chunks.back_mut() {
            Some(last) if last.stream == stream && last.text.len() < JOINED => {
                last.text.push_str(text);
            }
            _ => self.chunks.push_back(OutputChunk {
                stream,
                text: text.to_owned(),
            }),
        }
        while self.kept > self.limit {
            let over = self.kept - self.limit;
            let Some(front) = self.chunks.front_mut() else {
                return;
            };
            let gone = if front.text.len() <= over {
                let gone = front.text.len();
                self.chunks.pop_front();
                gone
            } else {
                let cut = front.text.ceil_char_boundary(over);
                front.text.drain(..cut);
                cut
            };
            self.kept -= gone;
            self.first += gone as u64;
        }
    }

    /// The cursor behind the last byte.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.kept as u64
    }

    /// At most `room` bytes from a cursor on.
    pub(crate) fn page(&self, since: u64, room: usize) -> OutputPage {
        let begin = since.clamp(self.first, self.end());
        let mut page = OutputPage {
            dropped: begin.saturating_sub(since.min(begin)),
            next: begin,
            ..OutputPage::default()
        };
        let mut at = self.first;
        let mut left = room;
        for chunk in &self.chunks {
            let end = at + chunk.text.len() as u64;
            if end > begin {
                let from = chunk
                    .text
                    .ceil_char_boundary(begin.saturating_sub(at) as usize);
                let rest = chunk.text.get(from..).unwrap_or_default();
                // One character at least, or a reader would never come on.
                let least = rest.chars().next().map_or(0, char::len_utf8);
                let first = page.chunks.is_empty();
                let take = rest.floor_char_boundary(left);
                let take = if first { take.max(least) } else { take };
                let text = rest.get(..take).unwrap_or_default();
                if !text.is_empty() {
                    page.next = at + (from + take) as u64;
                    left = left.saturating_sub(take);
                    match page.chunks.last_mut() {
                        Some(last) if last.stream == chunk.stream => last.text.push_str(text),
                        _ => page.chunks.push(OutputChunk {
                            stream: chunk.stream,
                            text: text.to_owned(),
                        }),
                    }
                }
                if take < rest.len() {
                    break;
                }
            }
            at = end;
        }
        page.more = page.next < self.end();
        page
    }

    /// The end of what was printed since the last answer, at most `room` bytes.
    pub(crate) fn news(&mut self, room: usize) -> OutputPage {
        let since = self.told;
        let start = self.end().saturating_sub(room as u64).max(since);
        let mut page = self.page(start, room);
        // The beginning of a character that was cut is lost as well.
        page.dropped = page.next.saturating_sub(since).saturating_sub(
            page.chunks
                .iter()
                .map(|chunk| chunk.text.len() as u64)
                .sum(),
        );
        self.told = self.end();
        page
    }

    /// What is there is no news.
    pub(crate) fn skip_news(&mut self) {
        self.told = self.end();
    }

    /// The last lines, for messages.
    pub(crate) fn last_lines(&self, lines: usize) -> Vec<String> {
        let start = self.end().saturating_sub(4096);
        let text = self.page(start, 4096).text();
        let mut last: Vec<String> = text
            .lines()
            .rev()
            .map(|line| line.trim_end().chars().take(400).collect::<String>())
            .filter(|line| !line.trim().is_empty())
            .take(lines)
            .collect();
        last.reverse();
        last
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_cursor_reads_on_and_tells_what_is_lost() {
        let mut ring = Ring::new(10);
        ring.push(Stream::Stdout, "hello");
        ring.push(Stream::Stderr, "oh");
        let page = ring.page(0, 100);
        assert_eq!(
            (page.text().as_str(), page.next, page.dropped),
            ("hellooh", 7, 0)
        );
        assert_eq!(page.chunks.len(), 2);
        let part = ring.page(1, 2);
        assert_eq!(
            (part.text().as_str(), part.next, part.more),
            ("el", 3, true)
        );
        ring.push(Stream::Stdout, "123456");
        let page = ring.page(0, 100);
        assert_eq!(
            (page.text().as_str(), page.dropped),
            ("looh123456"[0..].into(), 3)
        );
        assert!(ring.page(99, 5).is_empty());
    }

    #[test]
    fn news_are_the_end_of_what_is_new() {
        let mut ring = Ring::new(100);
        ring.push(Stream::Stdout, "first\nsecond\n");
        assert_eq!(ring.news(7).text(), "second\n");
        assert!(ring.news(7).is_empty());
        ring.push(Stream::Stdout, "third\n");
        assert_eq!(ring.news(100).text(), "third\n");
        assert_eq!(ring.last_lines(2), ["second", "third"]);
    }

    #[test]
    fn more_than_fits_keeps_its_end() {
        let mut ring = Ring::new(4);
        ring.push(Stream::Stdout, "ab");
        ring.push(Stream::Stdout, "cdefgh");
        let page = ring.page(0, 100);
        assert_eq!(
            (page.text().as_str(), page.dropped, page.next),
            ("efgh", 4, 8)
        );
        // A character is not cut.
        ring.push(Stream::Stdout, "ééé");
        let page = ring.page(0, 100);
        assert_eq!((page.text().as_str(), page.next), ("éé", 14));
    }

    proptest! {
        #[test]
        fn pages_in_a_row_are_the_whole(
            pieces in prop::collection::vec("\\PC{0,6}", 0..20),
            limit in 1usize..40,
            room in 1usize..8,
        ) {
            let mut ring = Ring::new(limit);
            let mut all = String::new();
            for (index, piece) in pieces.iter().enumerate() {
                let stream = if index % 3 == 0 { Stream::Stderr } else { Stream::Stdout };
                ring.push(stream, piece);
                all.push_str(piece);
            }
            prop_assert!(ring.kept <= limit);
            prop_assert_eq!(ring.end(), all.len() as u64);
            let (mut read, mut at) = (String::new(), 0);
            loop {
                let page = ring.page(at, room);
                read.push_str(&page.text());
                if !page.more {
                    break;
                }
                prop_assert!(page.next > at);
                at = page.next;
            }
            prop_assert!(all.ends_with(&read));
            prop_assert_eq!(read.len(), ring.kept);
        }
    }
}
