//! Frames that are shown after they were left: what has run on the way out.

use std::path::Path;

use crate::protocol::RawFrame;
use crate::request::Exceptions;
use crate::source;

use super::inner::Inner;

impl Inner {
    /// What is to be said of a failure whose frames were left before it was told, where code of the
    /// user's own has run on the way.
    pub(super) fn unwound(&self, frames: &[RawFrame]) -> Option<String> {
        if !self.adapter.post_mortem || *self.exceptions.lock() == Exceptions::All {
            return None;
        }
        let mut own = frames.iter().filter(|frame| self.is_ours(frame));
        own.any(|frame| {
            let path = frame.path.as_deref().unwrap_or_default();
            source::read(Path::new(path)).is_some_and(|text| leaves_a_block(&text, frame.line))
        })
        .then(|| {
            "these are the values after unwinding: the `finally`, `except` and `with` blocks around \
             the failure have run, and may have changed them; stop at `all` exceptions, or at a \
             breakpoint on the line, to see them before"
                .to_owned()
        })
    }
}

/// Whether the line of Python, counted from 1, is in a `try` or `with` statement of its function.
fn leaves_a_block(text: &str, line: u32) -> bool {
    let lines: Vec<&str> = text.lines().take(line as usize).collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut inner = usize::MAX;
    for line in lines.iter().rev() {
        let words = line.trim();
        if words.is_empty() || words.starts_with('#') || indent(line) >= inner {
            continue;
        }
        let opens = inner != usize::MAX;
        inner = indent(line);
        let mut first = words.split(|char: char| !char.is_alphanumeric() && char != '_');
        let word = match first.next() {
            Some("async") => first.next(),
            word => word,
        };
        match word {
            Some("def" | "class") if opens => return false,
            Some("try" | "except" | "finally") if opens => return true,
            Some("with") => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blocks_of_the_function_around_the_line_are_left() {
        let text = "try:\n    import a\nexcept E:\n    b = 1\ndef f():\n    x = 5\n    try:\n        g(x)\n    \
                    finally:\n        x = 0\n    h()\n    async with k:\n\n        # no\n        for i in l:\n            m(i)\n";
        let left: Vec<u32> = (1..=16)
            .filter(|line| leaves_a_block(text, *line))
            .collect();
        // In `import a`, `b = 1`, `g(x)`, `x = 0`, the `with` itself and all in it.
        assert_eq!(left, [2, 4, 8, 10, 12, 13, 14, 15, 16]);
    }
}
