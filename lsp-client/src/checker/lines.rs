//! Checkers that write lines for people.

use crate::diagnostic::Severity;
use crate::position::{Encoding, Position, Range};

use super::finding::{Found, Place, from_one};

/// `src/a.ts(3,7): error TS2322: message`, with further lines of the message indented.
pub(super) fn typescript(stdout: &str) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for line in stdout.lines() {
        match typescript_line(line) {
            Some(one) => found.push(one),
            None if line.starts_with(' ') => {
                if let Some(last) = found.last_mut() {
                    last.message.push('\n');
                    last.message.push_str(line);
                }
            }
            None => {}
        }
    }
    found
}

fn typescript_line(line: &str) -> Option<Found> {
    let (place, rest) = line.split_once("): ")?;
    let (file, at) = place.rsplit_once('(')?;
    let (line, column) = at.split_once(',')?;
    let (severity, rest) = rest.split_once(' ')?;
    let (code, message) = rest.split_once(": ")?;
    let start = from_one(line.parse().ok()?, column.parse().ok()?);
    let mut found = Found::new(
        at_point(file, start, Encoding::Utf16),
        severity_of(severity)?,
        "typescript",
        message,
    );
    // The server of the language writes the number alone.
    found.code = Some(code.trim_start_matches("TS").to_owned());
    Some(found)
}

/// `vet: ./main.go:9:28: message` for what does not compile, `sub/a.go:6:2: message` for the rest.
pub(super) fn go_vet<'a>(stderr: impl Iterator<Item = &'a str>) -> Vec<Found> {
    stderr.filter_map(go_vet_line).collect()
}

fn go_vet_line(line: &str) -> Option<Found> {
    let (line, severity) = match line.strip_prefix("vet: ") {
        Some(line) => (line, Severity::Error),
        None => (line, Severity::Warning),
    };
    let (file, rest) = line.split_once(".go:")?;
    let mut parts = rest.splitn(3, ':');
    let start = from_one(parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let message = parts.next()?.trim_start();
    let place = at_point(&format!("{file}.go"), start, Encoding::Utf8);
    Some(Found::new(place, severity, "go vet", message))
}

/// `ERROR|TYPE|CODE|file|line|column|length|message`, with `\` before a bar in a field.
pub(super) fn dart(stdout: &str) -> Vec<Found> {
    stdout.lines().filter_map(dart_line).collect()
}

fn dart_line(line: &str) -> Option<Found> {
    let mut fields = bars(line).into_iter();
    let severity = severity_of(&fields.next()?.to_ascii_lowercase())?;
    let (_, code, file) = (fields.next()?, fields.next()?, fields.next()?);
    let mut number = || fields.next()?.parse::<u32>().ok();
    let start = from_one(number()?, number()?);
    let length = number()?;
    let end = Position {
        character: start.character.saturating_add(length),
        ..start
    };
    let place = Place {
        file,
        range: Range { start, end },
        encoding: Encoding::Utf16,
    };
    let mut found = Found::new(place, severity, "dart", fields.next()?);
    found.code = Some(code.to_ascii_lowercase());
    Some(found)
}

/// The fields of a line, without what escapes a bar.
fn bars(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let literal = match character {
            '|' => {
                fields.push(String::new());
                continue;
            }
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some(escaped) => escaped,
                None => '\\',
            },
            plain => plain,
        };
        if let Some(field) = fields.last_mut() {
            field.push(literal);
        }
    }
    fields
}

/// `a.py:8:3:8:5: error: message  [code]`; the end is the last column that belongs to it.
pub(super) fn mypy(stdout: &str) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for line in stdout.lines() {
        let Some(one) = mypy_line(line) else {
            continue;
        };
        // Notes follow what they explain.
        match (one.severity, found.last_mut()) {
            (Severity::Information, Some(last)) => last.related.push((one.place, one.message)),
            _ => found.push(one),
        }
    }
    found
}

fn mypy_line(line: &str) -> Option<Found> {
    let (place, rest) = line.split_once(": ")?;
    let (severity, message) = rest.split_once(": ")?;
    let severity = severity_of(severity)?;
    let mut numbers = place.rsplitn(5, ':');
    let mut number = || numbers.next()?.parse::<u32>().ok();
    let (end_column, end_line, column, line) = (number()?, number()?, number()?, number()?);
    let file = numbers.next()?;
    let place = Place {
        file: file.to_owned(),
        range: Range {
            start: from_one(line, column),
            end: from_one(end_line, end_column.saturating_add(1)),
        },
        encoding: Encoding::Utf32,
    };
    let coded = message
        .strip_suffix(']')
        .and_then(|message| message.rsplit_once("  ["));
    let (message, code) = match coded {
        Some((message, code)) => (message, Some(code.to_owned())),
        None => (message, None),
    };
    let mut found = Found::new(place, severity, "mypy", message);
    found.code = code;
    Some(found)
}

fn at_point(file: &str, start: Position, encoding: Encoding) -> Place {
    Place {
        file: file.to_owned(),
        range: Range { start, end: start },
        encoding,
    }
}

fn severity_of(word: &str) -> Option<Severity> {
    match word {
        "error" => Some(Severity::Error),
        "warning" => Some(Severity::Warning),
        "info" | "note" | "message" => Some(Severity::Information),
        _ => None,
    }
}
