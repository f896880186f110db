//! Indentation and line ends of a file, and moving lines by them.

use crate::layout::Layout;
use crate::template::blanks_of;

/// The indentation of a file.
#[derive(Debug, Default)]
pub(crate) struct Style {
    tabs: bool,
    /// Blanks of one level, where the file has levels indented with blanks.
    width: Option<usize>,
}

impl Style {
    /// What most lines of the file do.
    pub(crate) fn of(layout: &Layout<'_>) -> Style {
        let (mut tabbed, mut blank) = (0usize, 0usize);
        let mut steps = [0usize; 9];
        let mut before = 0;
        let mut at = 0;
        for line in layout.text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            let indent = blanks_of(line);
            if line.trim().is_empty() || layout.is_in_string(start) {
                continue;
            }
            if indent.starts_with('\t') {
                tabbed += 1;
            } else if indent.len() > 1 {
                blank += 1;
            }
            let step = indent.len().saturating_sub(before);
            // One blank more is the second line of a block comment.
            if step > 1
                && !indent.contains('\t')
                && let Some(count) = steps.get_mut(step)
            {
                *count += 1;
            }
            before = indent.len();
        }
        let width = (2..steps.len())
            .rev()
            .max_by_key(|&step| steps[step])
            .filter(|&step| steps[step] > 0);
        Style {
            tabs: tabbed > blank,
            width,
        }
    }

    /// One level of indentation at a place whose line begins with `base`; `None` where the file
    /// shows none.
    pub(crate) fn unit(&self, base: &str) -> Option<String> {
        let tabs = match base {
            "" => self.tabs,
            base => base.contains('\t'),
        };
        if tabs {
            Some("\t".to_owned())
        } else {
            self.width.map(|width| " ".repeat(width))
        }
    }
}

/// Where the line of a place starts; a line that starts inside a string counts to the one before.
pub(crate) fn line_start(layout: &Layout<'_>, at: usize) -> usize {
    let mut end = at;
    loop {
        let start = memchr::memrchr(b'\n', &layout.text.as_bytes()[..end]).map_or(0, |at| at + 1);
        if start == 0 || !layout.is_in_string(start) {
            return start;
        }
        end = start - 1;
    }
}

/// The blanks that the line of a place begins with.
pub(crate) fn line_indent<'t>(layout: &Layout<'t>, at: usize) -> &'t str {
    blanks_of(&layout.text[line_start(layout, at)..at])
}

/// Whether nothing but blanks stands before a place on its line.
pub(crate) fn begins_line(layout: &Layout<'_>, at: usize) -> bool {
    layout.text[line_start(layout, at)..at]
        .bytes()
        .all(|byte| matches!(byte, b' ' | b'\t'))
}

/// The line end that is used around a place: of its line, or of the line before the last.
pub(crate) fn line_end(text: &str, at: usize) -> &'static str {
    let bytes = text.as_bytes();
    let end = memchr::memchr(b'\n', &bytes[at..])
        .map(|offset| at + offset)
        .or_else(|| memchr::memrchr(b'\n', &bytes[..at]));
    match end {
        Some(end) if end > 0 && bytes[end - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}

/// The blanks of a line that moves with its surroundings from one indentation to another.
pub(crate) fn moved(indent: &str, from: &str, to: &str) -> String {
    let shared = indent
        .bytes()
        .zip(from.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let missing = from.len() - shared;
    let kept = to.len().saturating_sub(missing);
    format!("{}{}", &to[..kept], &indent[shared..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_keeps_its_distance_to_the_line_it_moves_with() {
        assert_eq!(moved("        ", "    ", "  "), "      ");
        assert_eq!(moved("\t\t", "\t", ""), "\t");
        assert_eq!(moved("  ", "    ", "      "), "    ");
        assert_eq!(moved("", "    ", "  "), "");
        assert_eq!(moved("    ", "    ", "\t"), "\t");
    }

    #[test]
    fn line_ends_are_those_of_the_place() {
        assert_eq!(line_end("a\r\nb\n", 0), "\r\n");
        assert_eq!(line_end("a\r\nb\n", 3), "\n");
        assert_eq!(line_end("a\r\nb", 3), "\r\n");
        assert_eq!(line_end("a", 0), "\n");
    }
}
