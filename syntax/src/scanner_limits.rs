//! Texts that a grammar's C scanner answers with an assertion, which would end the process. They
//! are recognised before the parser sees them.
//!
//! A scanner keeps its state in 1,024 bytes. Three scanners overrun that or misread it:
//!
//! * YAML from 254 open indentation levels on,
//! * Ruby when a heredoc's name has more than 255 bytes,
//! * Python when about 383 open indentation levels meet an odd number of open strings.
//!
//! The checks only over-estimate: what they let through stays under the bound, what they refuse
//! comes near it. Each costs one pass over the text of its own language and nothing elsewhere.

use crate::{Error, Language};
use std::collections::BTreeSet;

const YAML_LEVELS: usize = 250;
const PYTHON_LEVELS: usize = 380;
const RUBY_NAME: usize = 255;

/// Refuses what the language's scanner cannot take.
pub(crate) fn check(language: Language, text: &str) -> Result<(), Error> {
    let reason = match language.id() {
        "yaml" if yaml_levels(text) > YAML_LEVELS => "it may nest 250 levels deep or more",
        "python" if python_levels(text) > PYTHON_LEVELS => "it is indented to 380 columns or more",
        "ruby" if has_long_heredoc_name(text) => "a heredoc's name has more than 255 bytes",
        _ => return Ok(()),
    };
    Err(Error::BeyondGrammar {
        language: language.name(),
        reason,
    })
}

/// An upper bound of the indentation levels open at once.
///
/// A level opens at the column of a token and stays below every level to its right, two at most
/// share a column (a mapping and the list that is its value), and a line can build only on levels
/// that are left of its own start. So the bound of a line is the greatest bound found left of it,
/// plus two for each place in the line at which a level can open.
fn yaml_levels(text: &str) -> usize {
    /// Columns further right count as this one.
    const COLUMNS: usize = 1024;
    // `bound[c]`: the most levels of which the innermost is at column `c` or left of it.
    let mut bound = vec![0; COLUMNS + 1];
    let mut most = 0;
    for line in text.lines() {
        let bytes = line.as_bytes();
        let Some(start) = bytes.iter().position(|b| !matches!(b, b' ' | b'\t')) else {
            continue;
        };
        if bytes[start] == b'#' {
            continue;
        }
        let spaced = |at: usize| matches!(bytes.get(at + 1), None | Some(b' ' | b'\t'));
        let prefix = bytes
            .iter()
            .position(|b| !matches!(b, b' ' | b'\t' | b'-' | b'?' | b':'))
            .unwrap_or(bytes.len());
        // Where a level can open: at an indicator (a colon only before other content, for any
        // later one belongs to a key that has its place already) and at the first content.
        let opens = |at: usize| match bytes[at] {
            b'-' | b'?' => spaced(at),
            b':' => at < prefix && spaced(at),
            _ => false,
        };
        let is_key = bytes.contains(&b':');
        let mut levels = start
            .checked_sub(1)
            .map_or(0, |left| bound[left.min(COLUMNS)]);
        for at in start..bytes.len() {
            if opens(at) || (at == prefix && is_key) {
                levels += 2;
                most = most.max(levels);
                // Columns right of this one can build on it as well.
                for column in &mut bound[at.min(COLUMNS)..] {
                    if *column >= levels {
                        break;
                    }
                    *column = levels;
                }
            }
        }
    }
    most
}

/// An upper bound of the indentation levels open at once: the levels are strictly increasing
/// columns, so there are no more of them than different columns at which a line starts.
fn python_levels(text: &str) -> usize {
    let mut columns = BTreeSet::new();
    let mut rest = text;
    loop {
        let mut column = 0;
        loop {
            let mut chars = rest.chars();
            match chars.next() {
                Some(' ') => column += 1,
                Some('\t') => column += 8,
                Some('\r' | '\u{c}') => {}
                // A continued line goes on counting.
                Some('\\') if rest.starts_with("\\\n") || rest.starts_with("\\\r\n") => {
                    chars.find(|&c| c == '\n');
                }
                _ => break,
            }
            rest = chars.as_str();
        }
        columns.insert(column);
        match rest.split_once('\n') {
            Some((_, after)) => rest = after,
            None => return columns.len(),
        }
    }
}

/// Whether a `<<`, `<<-` or `<<~` is followed by a name, quoted or not, that is too long.
fn has_long_heredoc_name(text: &str) -> bool {
    text.match_indices("<<").any(|(at, opener)| {
        let after = &text[at + opener.len()..];
        let after = after.strip_prefix(['-', '~']).unwrap_or(after);
        let too_long = |name: &str, ends: &dyn Fn(char) -> bool| {
            name.find(ends).unwrap_or(name.len()) > RUBY_NAME
        };
        match after.chars().next() {
            Some(quote @ ('\'' | '"' | '`')) => too_long(&after[1..], &|c| c == quote),
            Some(_) => too_long(after, &|c| !(c.is_alphanumeric() || c == '_')),
            None => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_levels_are_never_under_estimated() {
        // The pair of a mapping and the list in it, twice.
        assert!(yaml_levels("a:\n- b:\n  - c\n") >= 4);
        assert!(yaml_levels(&"- ".repeat(254)) >= 254);
        assert!(yaml_levels(&"? ".repeat(254)) >= 254);
        let staircase: String = (0..254).map(|n| format!("{:n$}a:\n", "")).collect();
        assert!(yaml_levels(&staircase) >= 254);
        let lists: String = (0..130)
            .map(|n| format!("{:n$}a:\n{:n$}-\n", "", ""))
            .collect();
        assert!(yaml_levels(&lists) >= 254);
    }

    #[test]
    fn ordinary_yaml_is_far_from_the_bound() {
        let many = "key:\n  - name: one\n    run: |\n      echo a - b ? c: d\n".repeat(1000);
        assert!(yaml_levels(&many) < 40, "{}", yaml_levels(&many));
        let wide = format!("a: {{{}}}\n", "b: 1, ".repeat(1000));
        assert_eq!(yaml_levels(&wide), 2);
    }

    #[test]
    fn python_levels_count_columns() {
        assert_eq!(python_levels("if a:\n  b\n  c\nd\n"), 2);
        assert_eq!(python_levels("if a:\n\tb\n \\\n  c"), 3);
    }

    #[test]
    fn heredoc_names() {
        let long = "A".repeat(256);
        for opener in ["<<", "<<-", "<<~", "<<\"", "<<~'"] {
            assert!(has_long_heredoc_name(&format!("x = {opener}{long}\n")));
            assert!(!has_long_heredoc_name(&format!(
                "x = {opener}NAME'\"\n{long}\nNAME\n"
            )));
        }
        assert!(!has_long_heredoc_name("a << b; a <<"));
    }
}
