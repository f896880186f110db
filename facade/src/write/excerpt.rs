//! The changed places of a text, with line numbers.

use std::fmt::Write as _;
use std::ops::Range;

use fourfold_edit::LineMap;

use crate::result::capped;

/// Unchanged lines shown around a change.
const AROUND: usize = 2;

/// Excerpts of several files that share a number of lines.
pub(super) struct Excerpts {
    lines_left: usize,
    max_line_bytes: usize,
}

impl Excerpts {
    pub(super) fn new(max_lines: usize, max_line_bytes: usize) -> Excerpts {
        Excerpts {
            lines_left: max_lines,
            max_line_bytes,
        }
    }

    /// The places of `text` that `map` says are edited, as far as there are lines left.
    pub(super) fn of(&mut self, text: &[u8], map: &LineMap) -> String {
        if self.lines_left == 0 {
            return String::new();
        }
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let mut places: Vec<Range<usize>> = Vec::new();
        for rows in map.edited_rows() {
            let around = rows.start.saturating_sub(AROUND)..(rows.end + AROUND).min(lines.len());
            match places.last_mut().filter(|last| around.start <= last.end) {
                Some(last) => last.end = around.end,
                None => places.push(around),
            }
        }
        let mut out = String::new();
        let all: usize = places.iter().map(ExactSizeIterator::len).sum();
        let mut shown = 0;
        let mut edited = map.edited_rows().iter().peekable();
        for (index, place) in places.iter().enumerate() {
            if index > 0 && self.lines_left > 0 {
                out.push_str("     …\n");
            }
            for row in place.clone().take(self.lines_left) {
                while edited.next_if(|rows| rows.end <= row).is_some() {}
                let is_new = edited.peek().is_some_and(|rows| rows.contains(&row));
                let sign = if is_new { '+' } else { ' ' };
                let line = lines.get(row).copied().unwrap_or_default();
                let line = String::from_utf8_lossy(line);
                let line = capped(
                    line.trim_end_matches(['\r', '\n']),
                    self.max_line_bytes,
                    &mut false,
                );
                // Writing to a String cannot fail.
                let numbered = format!("{:>5}{sign} {line}", row + 1);
                let _ = writeln!(out, "{}", numbered.trim_end_matches(' '));
                shown += 1;
            }
            self.lines_left = self.lines_left.saturating_sub(place.len());
        }
        if shown < all {
            let _ = writeln!(
                out,
                "     … {} more lines of the changed places",
                all - shown
            );
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(old: &str, new: &str, max: usize) -> String {
        let map = LineMap::between(old.as_bytes(), new.as_bytes());
        format!("|\n{}", Excerpts::new(max, 20).of(new.as_bytes(), &map))
    }

    #[test]
    fn changed_places_are_shown_with_what_is_around() {
        let old: String = (1..=20)
            .map(|number| format!("line {number}\r\n"))
            .collect();
        let new = old
            .replace("line 5\r\n", "five\r\n5\r\n")
            .replace("line 17\r\n", "");
        expect_test::expect![[r#"
            |
                3  line 3
                4  line 4
                5+ five
                6+ 5
                7  line 6
                8  line 7
                 …
               16  line 15
               17  line 16
               18  line 18
               19  line 19
        "#]]
        .assert_eq(&excerpt(&old, &new, 40));
        expect_test::expect![[r#"
            |
                3  line 3
                4  line 4
                5+ five
                 … 7 more lines of the changed places
        "#]]
        .assert_eq(&excerpt(&old, &new, 3));
    }

    #[test]
    fn long_lines_are_cut_and_nothing_is_nothing() {
        assert_eq!(
            excerpt("", &"é".repeat(40), 9),
            format!("|\n    1+ {}…\n", "é".repeat(10))
        );
        assert_eq!(excerpt("a\n", "", 9), "|\n");
        assert_eq!(excerpt("a\n", "b\n", 0), "|\n");
    }
}
