//! Texts from files, servers and programs as they are shown: no control character of theirs moves a
//! cursor, colours a screen or begins a line that looks like one of ours.

use std::fmt;

/// The name of a file, or a sentence with some, in one line: control characters and line breaks are
/// written as escapes.
///
/// ```
/// use fourfold::OneLine;
///
/// let name = OneLine("a.py\nclean: nothing new");
/// assert_eq!(name.to_string(), r"a.py\nclean: nothing new");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneLine<'a>(pub &'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escaped(f, self.0, |c, _| c.is_control())
    }
}

/// A text of several lines, whose control characters but tabs and line ends are written as escapes.
///
/// ```
/// use fourfold::Plain;
///
/// assert_eq!(Plain("a\u{1b}[2J\tb\r\n").to_string(), "a\\u{1b}[2J\tb\r\n");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain<'a>(pub &'a str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escaped(f, self.0, |c, rest| match c {
            '\t' | '\n' => false,
            '\r' => !rest.starts_with("\r\n"),
            c => c.is_control(),
        })
    }
}

/// Writes a text with some of its characters as escapes; `is_escaped` is also told the text from
/// that character on.
fn escaped(
    f: &mut fmt::Formatter<'_>,
    text: &str,
    is_escaped: impl Fn(char, &str) -> bool,
) -> fmt::Result {
    let mut written = 0;
    for (at, c) in text.char_indices() {
        let (before, rest) = (text.get(written..at), text.get(at..));
        if is_escaped(c, rest.unwrap_or_default()) {
            f.write_str(before.unwrap_or_default())?;
            write!(f, "{}", c.escape_default())?;
            written = at + c.len_utf8();
        }
    }
    f.write_str(text.get(written..).unwrap_or_default())
}
