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
    /// What the adapter said in the middle of a line of the program. It waits for the end of the line,
    /// or for a reader.
    held: String,
}

/// Longest chunk that others are joined to.
const JOINED: usize = 1 << 10;

/// So much waits for the end of a line and no more: a program may print dots for hours.
const HELD: usize = 16 << 10;

impl Ring {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            chunks: VecDeque::new(),
            first: 0,
            kept: 0,
            limit,
            told: 0,
            held: String::new(),
        }
    }

    /// Takes in what was printed. The program and the adapter write beside each other: a log message
    /// does not cut a line of the program in two.
    pub(crate) fn push(&mut self, stream: Stream, text: &str) {
        if stream == Stream::Console && self.is_in_line() {
            self.held.push_str(text);
            if self.held.len() > HELD {
                self.release();
            }
            return;
        }
        let first = match self.held.is_empty() {
            true => text.len(),
            false => text.find('\n').map_or(text.len(), |end| end + 1),
        };
        let (first, rest) = text.split_at(first);
        self.append(stream, first);
        if first.ends_with('\n') {
            self.release();
        }
        self.append(stream, rest);
    }

    /// Whether the program is in the middle of a line.
    fn is_in_line(&self) -> bool {
        let last = self.chunks.back();
        last.is_some_and(|last| last.stream != Stream::Console && !last.text.ends_with('\n'))
    }

    /// Nothing waits any more.
    fn release(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.append(Stream::Console, &held);
    }

    fn append(&mut self, stream: Stream, text: &str) {
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
        self.first + (self.kept + self.held.len()) as u64
    }

    /// At most `room` bytes from a cursor on.
    pub(crate) fn page(&mut self, since: u64, room: usize) -> OutputPage {
        self.release();
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
        self.release();
        self.told = self.end();
    }

    /// The last lines, for messages.
    pub(crate) fn last_lines(&mut self, lines: usize) -> Vec<String> {
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
    fn a_log_message_waits_for_the_end_of_a_line_or_for_a_reader() {
        let mut ring = Ring::new(100);
        ring.push(Stream::Stdout, "paid");
        ring.push(Stream::Console, "amount 10\n");
        ring.push(Stream::Stdout, " 10");
        ring.push(Stream::Console, "amount 20\n");
        ring.push(Stream::Stdout, "\npaid");
        assert_eq!(ring.end(), 32);
        let page = ring.page(0, 100);
        assert_eq!(page.text(), "paid 10\namount 10\namount 20\npaid");
        ring.push(Stream::Console, "amount 30\n");
        let next = ring.page(page.next, 100);
        assert_eq!(next.text(), "amount 30\n");
        // What is much does not wait.
        let mut ring = Ring::new(1 << 20);
        ring.push(Stream::Stdout, ".");
        let line = "x".repeat(HELD);
        ring.push(Stream::Console, &line);
        assert!(!ring.held.is_empty());
        ring.push(Stream::Console, "\n");
        assert!(ring.held.is_empty());
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
        fn each_stream_keeps_its_order_and_no_line_of_the_program_is_cut(
            pieces in prop::collection::vec((0u8..3, "[ab]{0,3}\n?"), 0..30),
        ) {
            let mut ring = Ring::new(1 << 20);
            let (mut program, mut adapter) = (String::new(), String::new());
            for (kind, piece) in &pieces {
                match kind {
                    0 => {
                        let line = format!("LOG{}\n", piece.trim_end());
                        ring.push(Stream::Console, &line);
                        adapter.push_str(&line);
                    }
                    _ => {
                        ring.push(Stream::Stdout, piece);
                        program.push_str(piece);
                    }
                }
            }
            let page = ring.page(0, 1 << 20);
            let of = |console: bool| -> String {
                let chunks = page.chunks.iter();
                let chunks = chunks.filter(|one| (one.stream == Stream::Console) == console);
                chunks.map(|one| one.text.as_str()).collect()
            };
            prop_assert_eq!(of(false), program.clone());
            prop_assert_eq!(of(true), adapter);
            // All whole lines of the program are whole; only its last one may not have an end.
            let whole = page.text();
            let lines: Vec<&str> = whole.lines().filter(|line| !line.contains("LOG")).collect();
            for (line, told) in program.split_inclusive('\n').zip(&lines) {
                if let Some(line) = line.strip_suffix('\n') {
                    prop_assert_eq!(line, *told);
                }
            }
        }

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
