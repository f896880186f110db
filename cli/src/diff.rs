//! A unified diff in colours.

use std::io::{self, Write};

use fourfold::Plain;

use crate::style::{Paint, Style};

/// Writes a diff; without colours its bytes are left alone, so that `git apply` takes them.
pub(crate) fn write(out: &mut impl Write, style: Style, diff: &str) -> io::Result<()> {
    if !style.is_on() {
        return out.write_all(diff.as_bytes());
    }
    for line in diff.split_inclusive('\n') {
        let text = line.strip_suffix('\n').unwrap_or(line);
        let paint = match text.as_bytes() {
            [b'+', b'+', b'+', b' ', ..] | [b'-', b'-', b'-', b' ', ..] => Some(Paint::Bold),
            [b'+', ..] => Some(Paint::Added),
            [b'-', ..] => Some(Paint::Removed),
            [b'@', b'@', ..] => Some(Paint::Dim),
            [b' ', ..] | [] => None,
            _ => Some(Paint::Bold),
        };
        match paint {
            Some(paint) => writeln!(out, "{}", style.paint(paint, Plain(text)))?,
            None => writeln!(out, "{}", Plain(text))?,
        }
    }
    Ok(())
}
