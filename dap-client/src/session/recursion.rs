//! Stacks of recursions: what repeats is told once, with its number, and what called it is found.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::protocol::RawFrame;
use crate::result::{More, StackEntry};

use super::inner::Inner;
use super::look::RawStack;

/// The longest cycle of functions that call one another which is seen as a recursion.
const CYCLE: usize = 4;

/// How often a cycle must come for that, and how many frames it must have in all.
const TIMES: usize = 3;
const FRAMES: usize = 6;

/// How long the other end of a recursion is looked for.
const SEARCH: Duration = Duration::from_secs(3);

/// Frames behind a recursion that are shown.
const CALLERS: usize = 5;

/// A run of frames that repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    /// Its first frame.
    start: usize,
    /// After how many frames it is the same again.
    period: usize,
    /// The first frame behind it.
    end: usize,
}

/// Frames are the same when they stand at the same line of the same function.
fn same(one: &RawFrame, other: &RawFrame) -> bool {
    one.line == other.line && one.name == other.name && one.path == other.path
}

/// The first run of frames that repeat, from a frame on.
fn run(frames: &[RawFrame], from: usize) -> Option<Run> {
    (from..frames.len()).find_map(|start| {
        (1..=CYCLE).find_map(|period| {
            let again = frames.iter().skip(start + period);
            let pairs = frames.iter().skip(start).zip(again);
            let equal = pairs.take_while(|(one, other)| same(one, other)).count();
            let length = equal + period;
            (equal > 0 && length >= FRAMES && length >= TIMES * period).then_some(Run {
                start,
                period,
                end: start + length,
            })
        })
    })
}

impl Inner {
    /// The entries of a stack as it came, recursions folded; looks behind a recursion that the page
    /// ends in.
    pub(super) async fn told(
        &self,
        connection: usize,
        thread: i64,
        start: usize,
        raw: &RawStack,
    ) -> (Vec<StackEntry>, More) {
        let frames = &raw.frames;
        let mut entries = Vec::new();
        let (mut from, mut more) = (0, raw.more);
        while let Some(run) = run(frames, from) {
            let kept = run.start + run.period;
            let part = frames.get(from..kept).unwrap_or_default();
            entries.extend(self.entries(connection, thread, start + from, part));
            let names = frames.get(run.start..kept).unwrap_or_default();
            let mut functions: Vec<String> = names.iter().map(|frame| frame.name.clone()).collect();
            functions.dedup();
            from = run.end;
            let mut count = run.end - kept;
            let mut at_least = false;
            if run.end == frames.len() && more != More::None {
                let deep = self.behind(connection, thread, start, frames, run).await;
                count = deep.end - (start + kept);
                at_least = !deep.found;
                entries.push(StackEntry::Repeated {
                    count,
                    at_least,
                    functions,
                });
                entries.extend(self.entries(connection, thread, deep.end, &deep.stack.frames));
                more = deep.stack.more;
                continue;
            }
            entries.push(StackEntry::Repeated {
                count,
                at_least,
                functions,
            });
        }
        let rest = frames.get(from..).unwrap_or_default();
        entries.extend(self.entries(connection, thread, start + from, rest));
        (entries, more)
    }

    /// Where a recursion ends that goes on beyond the page: looked for in growing steps and then by
    /// halves, a frame at a time.
    async fn behind(
        &self,
        connection: usize,
        thread: i64,
        start: usize,
        frames: &[RawFrame],
        run: Run,
    ) -> Deep {
        let until = Instant::now() + SEARCH;
        // The frame before this one is of the recursion; whether that at `out` is not.
        let (mut inside, mut out) = (start + run.end, None);
        let mut step = frames.len().max(1);
        loop {
            let probe = match out {
                None => inside.saturating_add(step),
                Some(out) if out > inside => inside + (out - inside) / 2,
                Some(_) => break,
            };
            let asked = self.stack_of(connection, thread, probe, 1);
            let Ok(Ok(found)) = timeout_at(until, asked).await else {
                break;
            };
            let of_cycle = frames.get(run.start + (probe - start - run.start) % run.period);
            let is_in = match (found.frames.first(), of_cycle) {
                (Some(found), Some(known)) => same(found, known),
                _ => false,
            };
            if is_in {
                inside = probe + 1;
                step = step.saturating_mul(2);
            } else {
                out = Some(probe);
            }
        }
        let found = out == Some(inside);
        let mut stack = RawStack {
            frames: Vec::new(),
            more: More::Some,
        };
        if found && let Ok(callers) = self.stack_of(connection, thread, inside, CALLERS).await {
            stack = callers;
        }
        Deep {
            end: inside,
            found,
            stack,
        }
    }
}

/// The other end of a recursion.
struct Deep {
    /// The first frame that is not of it, or how far was looked.
    end: usize,
    found: bool,
    stack: RawStack,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(names: &str) -> Vec<RawFrame> {
        let frame = |name: char| RawFrame {
            name: name.to_string(),
            ..RawFrame::default()
        };
        names.chars().map(frame).collect()
    }

    fn found(names: &str) -> Option<(usize, usize, usize)> {
        run(&frames(names), 0).map(|run| (run.start, run.period, run.end))
    }

    #[test]
    fn what_repeats_is_found() {
        assert_eq!(found("abffffffm"), Some((2, 1, 8)));
        assert_eq!(found("afffffm"), None, "five are shown");
        assert_eq!(found("xababababm"), Some((1, 2, 9)));
        assert_eq!(found("abcabcm"), None, "twice is no recursion");
        assert_eq!(found("abcdefgh"), None);
        assert_eq!(found(""), None);
    }
}
