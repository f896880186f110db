//! The place of a breakpoint, looked for on the disk.

use std::path::Path;

use crate::error::DebugError;
use crate::program::near;
use crate::request::{At, Breakpoint};
use crate::source;

use super::Where;

/// Looks for the place of a breakpoint on the disk.
pub(in crate::session) fn find(asked: &Breakpoint, project: &Path) -> Result<Where, DebugError> {
    let no_place = |asked: String, why: String| DebugError::NoPlace { asked, why };
    let read = |file: &Path| {
        let whole = project.join(file);
        let whole = whole.canonicalize().unwrap_or(whole);
        match source::read(&whole) {
            Some(text) => Ok((whole, text)),
            None => Err(no_place(
                file.display().to_string(),
                match near(file, project).as_slice() {
                    [] => format!(
                        "there is no such file in {}; correct the path",
                        project.display()
                    ),
                    near => format!("there is no such file; near it: {}", near.join(", ")),
                },
            )),
        }
    };
    match &asked.at {
        At::Function { name } => Ok(Where::Function(name.clone())),
        At::Line { file, line } => {
            let (whole, text) = read(file)?;
            let lines = text.lines().count();
            if *line == 0 || *line as usize > lines {
                return Err(no_place(
                    format!("{}:{line}", file.display()),
                    format!(
                        "the file has {lines} lines; name one of them, or the text of the line"
                    ),
                ));
            }
            Ok(Where::Line {
                file: whole,
                line: *line,
            })
        }
        At::Text { file, text } => {
            let (whole, content) = read(file)?;
            let line = line_with(&content, text)
                .map_err(|why| no_place(format!("{} `{text}`", file.display()), why))?;
            Ok(Where::Line { file: whole, line })
        }
    }
}

/// The line that holds a text; `text#2` is the second.
fn line_with(content: &str, wanted: &str) -> Result<u32, String> {
    let holding = |text: &str| -> Vec<u32> {
        content
            .lines()
            .zip(1u32..)
            .filter(|(line, _)| !text.trim().is_empty() && line.contains(text.trim()))
            .map(|(_, number)| number)
            .collect()
    };
    let counted = wanted
        .rsplit_once('#')
        .and_then(|(text, number)| Some((text, number.parse::<usize>().ok()?)));
    let plain = holding(wanted);
    // A whole line is meant before a part of others.
    let whole = content
        .lines()
        .zip(1u32..)
        .filter(|(line, _)| !wanted.trim().is_empty() && line.trim() == wanted.trim());
    if let [(_, number)] = whole.collect::<Vec<_>>().as_slice() {
        return Ok(*number);
    }
    match (plain.as_slice(), counted) {
        ([one], _) => Ok(*one),
        ([], Some((text, number))) => {
            let lines = holding(text);
            let found = number.checked_sub(1).and_then(|index| lines.get(index));
            found.copied().ok_or_else(|| {
                format!("{} lines hold `{text}`; there is no {number}.", lines.len())
            })
        }
        ([], None) => Err("no line holds this text; copy it from the file as it is now".to_owned()),
        (many, _) => {
            let lines: Vec<String> = many.iter().take(8).map(u32::to_string).collect();
            Err(format!(
                "{} lines hold this text ({}); add `#2` for the second, or name the line",
                many.len(),
                lines.join(", ")
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_named_by_its_text() {
        let text = "a = 1\nb = a\nprint(b)\n  b = a + 1\n# x#2\n";
        assert_eq!(line_with(text, "print("), Ok(3));
        assert_eq!(line_with(text, "b = a#2"), Ok(4));
        assert_eq!(line_with(text, "b = a"), Ok(2), "a whole line");
        assert_eq!(line_with(text, "x#2"), Ok(5), "as it stands there");
        assert!(
            line_with(text, "= a")
                .unwrap_err()
                .contains("2 lines hold this text (2, 4)")
        );
        assert_eq!(line_with("sum\n sum += 1\n", "sum"), Ok(1), "a whole line");
        assert!(line_with(text, "c").unwrap_err().contains("no line holds"));
        assert!(
            line_with(text, "b = a#3")
                .unwrap_err()
                .contains("there is no 3.")
        );
        assert!(line_with(text, "").is_err());
    }
}
