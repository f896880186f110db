//! Reading a patch: which form it has, what is wrapped around it, and sections that go together.

use std::collections::HashMap;

use super::{Action, FileChange, Patch, envelope, unified};
use crate::Error;
use crate::nearest::shown;

/// A line of a patch, without its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'p> {
    /// Counted from 1.
    pub(crate) number: usize,
    pub(crate) text: &'p [u8],
}

/// What has been read, and what could not be.
#[derive(Default)]
pub(crate) struct Reading {
    pub(crate) files: Vec<FileChange>,
    pub(crate) errors: Vec<Error>,
}

impl Reading {
    pub(crate) fn malformed(&mut self, line: usize, problem: impl Into<String>) {
        self.errors.push(Error::Malformed {
            line,
            problem: problem.into(),
        });
    }
}

pub(crate) fn patch(text: &[u8]) -> Result<Patch, Error> {
    let lines = unwrapped(lines(text));
    let mut reading = if lines.iter().any(|line| envelope::begins(line.text)) {
        envelope::read(&lines)
    } else if lines.iter().any(|line| unified::begins(line.text)) {
        unified::read(&lines)
    } else {
        let mut reading = Reading::default();
        reading.malformed(
            1,
            "it is no patch; begin with `*** Begin Patch` and `*** Update File: path`, or with the \
             `--- a/path` and `+++ b/path` of a unified diff",
        );
        reading
    };
    if reading.files.is_empty() && reading.errors.is_empty() {
        reading.malformed(1, "it names no file; add a section for each file to change");
    }
    let files = together(std::mem::take(&mut reading.files), &mut reading.errors);
    match Error::all(reading.errors) {
        Some(error) => Err(error),
        None => Ok(Patch { files }),
    }
}

/// The lines. A CR in front of every LF belongs to the patch, not to what it shows.
fn lines(text: &[u8]) -> Vec<Line<'_>> {
    let whole = || text.split_inclusive(|byte| *byte == b'\n');
    let crlf = whole().all(|line| line.ends_with(b"\r\n") || !line.ends_with(b"\n"));
    whole()
        .enumerate()
        .map(|(index, line)| {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let bare = line.strip_suffix(b"\r").filter(|_| crlf);
            Line {
                number: index + 1,
                text: bare.unwrap_or(line),
            }
        })
        .collect()
}

/// Without a code fence or a here-document around it.
fn unwrapped(mut lines: Vec<Line<'_>>) -> Vec<Line<'_>> {
    let begins = |line: &Line<'_>| envelope::begins(line.text) || unified::begins(line.text);
    let start = lines.iter().position(begins).unwrap_or(0);
    // The innermost wrapper is the last line in front.
    let mut ends: Vec<Vec<u8>> = Vec::new();
    for line in lines.drain(..start) {
        let text = line.text.trim_ascii();
        if text.starts_with(b"```") {
            ends.push(b"```".to_vec());
        } else if let Some(at) = memchr::memmem::find(text, b"<<") {
            let word = text[at + 2..].trim_ascii_start();
            let word = word.strip_prefix(b"-").unwrap_or(word);
            let quotes = |byte: &u8| matches!(byte, b'\'' | b'"');
            let word: Vec<u8> = word
                .iter()
                .skip_while(|byte| quotes(byte))
                .take_while(|byte| !quotes(byte) && !byte.is_ascii_whitespace())
                .copied()
                .collect();
            if !word.is_empty() {
                ends.push(word);
            }
        }
    }
    while let Some(end) = ends.pop() {
        let last = lines
            .iter()
            .rposition(|line| !line.text.trim_ascii().is_empty());
        if let Some(last) = last.filter(|last| lines[*last].text.trim_ascii() == end) {
            lines.truncate(last);
        }
    }
    lines
}

/// One change per file: updates become the sections of one, everything else is refused.
fn together(files: Vec<FileChange>, errors: &mut Vec<Error>) -> Vec<FileChange> {
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut merged: Vec<FileChange> = Vec::new();
    for mut file in files {
        let names = [Some(file.path.clone()), moved_to(&file)];
        let known_as = names.iter().flatten().find_map(|name| {
            let index = known.get(name)?;
            Some((name.clone(), *index))
        });
        let Some((name, index)) = known_as else {
            known.extend(names.into_iter().flatten().map(|name| (name, merged.len())));
            merged.push(file);
            continue;
        };
        let earlier = merged.get_mut(index);
        let Some(earlier) = earlier else { continue };
        let line = earlier.line;
        match (&mut earlier.action, &mut file.action) {
            (
                Action::Update { to: None, sections },
                Action::Update {
                    to: None,
                    sections: more,
                },
            ) => sections.append(more),
            _ => errors.push(Error::Twice {
                line: file.line,
                first: line,
                path: name,
            }),
        }
    }
    merged
}

fn moved_to(file: &FileChange) -> Option<String> {
    match &file.action {
        Action::Update { to, .. } => to.clone(),
        _ => None,
    }
}

/// The beginning of a line, to show it in a message.
pub(crate) fn excerpt(line: &[u8]) -> String {
    shown(line.get(..80).unwrap_or(line))
}
