//! The envelope: `*** Begin Patch`, a section per file, `*** End Patch`.

use super::hunk::Hunk;
use super::read::{Line, Reading, excerpt};
use super::{Action, FileChange, path, unified};

/// A line that is about the patch and not about what it shows.
enum Marker<'p> {
    Begin,
    End,
    Add(&'p [u8]),
    Delete(&'p [u8]),
    Update(&'p [u8]),
    MoveTo(&'p [u8]),
    EndOfFile,
    Unknown,
}

fn marker(line: &[u8]) -> Option<Marker<'_>> {
    let text = line.strip_prefix(b"***")?.trim_ascii();
    let after = |name: &[u8]| Some(text.strip_prefix(name)?.trim_ascii());
    Some(match text {
        b"Begin Patch" => Marker::Begin,
        b"End Patch" => Marker::End,
        b"End of File" => Marker::EndOfFile,
        _ => {
            if let Some(path) = after(b"Add File:") {
                Marker::Add(path)
            } else if let Some(path) = after(b"Delete File:") {
                Marker::Delete(path)
            } else if let Some(path) = after(b"Update File:") {
                Marker::Update(path)
            } else if let Some(path) = after(b"Move to:") {
                Marker::MoveTo(path)
            } else {
                Marker::Unknown
            }
        }
    })
}

/// Whether a patch in this form begins here, if only with its first section.
pub(crate) fn begins(line: &[u8]) -> bool {
    let begins = |marker| !matches!(marker, Marker::Unknown | Marker::EndOfFile | Marker::End);
    marker(line).is_some_and(begins)
}

pub(crate) fn read(lines: &[Line<'_>]) -> Reading {
    let start = lines.iter().position(|line| begins(line.text));
    let mut reader = Reader {
        lines: lines.get(start.unwrap_or(0)..).unwrap_or_default(),
        at: 0,
        reading: Reading::default(),
    };
    reader.sections();
    reader.reading
}

struct Reader<'l, 'p> {
    lines: &'l [Line<'p>],
    at: usize,
    reading: Reading,
}

impl<'p> Reader<'_, 'p> {
    fn peek(&self) -> Option<Line<'p>> {
        self.lines.get(self.at).copied()
    }

    fn sections(&mut self) {
        let mut ended = false;
        while let Some(line) = self.peek() {
            self.at += 1;
            match marker(line.text) {
                Some(Marker::Begin) => ended = false,
                Some(Marker::End) => ended = true,
                Some(Marker::Add(name)) => self.add(line.number, name),
                Some(Marker::Delete(name)) => self.delete(line.number, name),
                Some(Marker::Update(name)) => self.update(line.number, name),
                Some(Marker::MoveTo(_) | Marker::EndOfFile | Marker::Unknown) => {
                    self.stray(line);
                    self.skip();
                }
                None if line.text.trim_ascii().is_empty() => {}
                None => {
                    self.stray(line);
                    self.skip();
                }
            }
        }
        if !ended {
            let last = self.lines.last().map_or(1, |line| line.number);
            self.reading.malformed(
                last,
                "it ends without `*** End Patch`, so some of it may be missing; send the whole \
                 patch again, with that line at its end",
            );
        }
    }

    fn stray(&mut self, line: Line<'_>) {
        self.reading.malformed(
            line.number,
            format!(
                "{:?} stands where a section for a file begins; begin it with `*** Add File: \
                 path`, `*** Update File: path` (and `*** Move to: path` below it) or `*** Delete \
                 File: path`",
                excerpt(line.text)
            ),
        );
    }

    /// To the next section, after something was wrong with this one.
    fn skip(&mut self) {
        while self.peek().is_some_and(|line| {
            matches!(
                marker(line.text),
                None | Some(Marker::MoveTo(_) | Marker::EndOfFile | Marker::Unknown)
            )
        }) {
            self.at += 1;
        }
    }

    fn path(&mut self, line: usize, name: &[u8]) -> Option<String> {
        match path::checked(name, line) {
            Ok(path) => Some(path),
            Err(error) => {
                self.reading.errors.push(error);
                None
            }
        }
    }

    fn push(&mut self, line: usize, path: Option<String>, action: Action) {
        if let Some(path) = path {
            self.reading.files.push(FileChange { path, line, action });
        }
    }

    fn delete(&mut self, line: usize, name: &[u8]) {
        let path = self.path(line, name);
        self.push(line, path, Action::Delete { shown: None });
        self.no_more("a file that is deleted has no lines in the patch; leave them out");
    }

    fn add(&mut self, line: usize, name: &[u8]) {
        let path = self.path(line, name);
        let mut content = Vec::new();
        // Empty lines that have lost their +; at the end they are none of the file's.
        let mut empty = 0;
        while let Some(next) = self.peek().filter(|next| marker(next.text).is_none()) {
            match next.text {
                [b'+', text @ ..] => {
                    content.resize(content.len() + empty, b'\n');
                    empty = 0;
                    content.extend_from_slice(text);
                    content.push(b'\n');
                }
                text if text.trim_ascii().is_empty() => empty += 1,
                _ => break,
            }
            self.at += 1;
        }
        if self
            .peek()
            .is_some_and(|next| matches!(marker(next.text), Some(Marker::EndOfFile)))
        {
            self.at += 1;
        }
        self.push(line, path, Action::Add(content));
        self.no_more("every line of a file that is added begins with +; put one in front");
    }

    /// Nothing but the next section may come.
    fn no_more(&mut self, problem: &str) {
        while self
            .peek()
            .is_some_and(|line| line.text.trim_ascii().is_empty())
        {
            self.at += 1;
        }
        let Some(line) = self.peek().filter(|line| !is_section(line.text)) else {
            return;
        };
        let found = excerpt(line.text);
        self.reading.malformed(
            line.number,
            format!("{found:?} does not belong here: {problem}"),
        );
        self.skip();
    }

    fn update(&mut self, line: usize, name: &[u8]) {
        let path = self.path(line, name);
        let mut to = None;
        let mut fine = path.is_some();
        if let Some(next) = self.peek()
            && let Some(Marker::MoveTo(name)) = marker(next.text)
        {
            self.at += 1;
            to = self.path(next.number, name);
            fine &= to.is_some();
            to = to.filter(|to| Some(to) != path.as_ref());
        }
        self.skip_diff_header();
        let mut hunks: Vec<Hunk> = Vec::new();
        // Whether the last hunk may still get lines.
        let mut open = false;
        while let Some(next) = self.peek() {
            if is_section(next.text) {
                break;
            }
            self.at += 1;
            if let Some(Marker::EndOfFile) = marker(next.text) {
                match hunks.last_mut().filter(|_| open) {
                    Some(hunk) => hunk.at_end = true,
                    None => self.reading.malformed(
                        next.number,
                        "`*** End of File` has no hunk above it; put it behind the lines that are \
                         the last ones of the file",
                    ),
                }
                open = false;
            } else if next.text.starts_with(b"@@") {
                // Several in a row name places inside one another.
                let stacked = open && hunks.last().is_some_and(|hunk| hunk.lines.is_empty());
                if !stacked {
                    hunks.push(hunk(next.number));
                }
                open = true;
                if let Some(hunk) = hunks.last_mut() {
                    at_header(hunk, next.text);
                }
            } else {
                if !open && !next.text.trim_ascii().is_empty() {
                    hunks.push(hunk(next.number));
                    open = true;
                }
                let taken = |hunk: &mut Hunk| hunk.take(next.text);
                if open && !hunks.last_mut().is_some_and(taken) {
                    self.unmarked(next);
                    self.skip();
                    fine = false;
                    break;
                }
            }
        }
        for hunk in &mut hunks {
            hunk.trim();
        }
        hunks.retain(Hunk::changes_something);
        if fine {
            let sections = if hunks.is_empty() {
                Vec::new()
            } else {
                vec![hunks]
            };
            self.push(line, path, Action::Update { to, sections });
        }
    }

    fn unmarked(&mut self, line: Line<'_>) {
        let found = excerpt(line.text);
        self.reading.malformed(
            line.number,
            format!(
                "{found:?} begins neither with a blank (stays), + (comes) or - (goes) nor with @@; \
                 put the right sign in front"
            ),
        );
    }

    /// The two lines that name the file in a unified diff say nothing new here.
    fn skip_diff_header(&mut self) {
        let text = |at: usize| self.lines.get(at).map_or(&b""[..], |line| line.text);
        if text(self.at).starts_with(b"--- ")
            && text(self.at + 1).starts_with(b"+++ ")
            && text(self.at + 2).starts_with(b"@@")
        {
            self.at += 2;
        }
    }
}

fn hunk(line: usize) -> Hunk {
    Hunk {
        line,
        ..Hunk::default()
    }
}

fn is_section(line: &[u8]) -> bool {
    marker(line).is_some_and(|marker| !matches!(marker, Marker::EndOfFile))
}

/// What stands behind `@@`: a line of the file, or line numbers as in a unified diff.
fn at_header(hunk: &mut Hunk, line: &[u8]) {
    if let Some(numbers) = unified::numbers(line) {
        hunk.old_line = Some(numbers.old_line);
        hunk.heading = numbers.heading;
        return;
    }
    let text = line.strip_prefix(b"@@").unwrap_or(line).trim_ascii();
    let text = text.strip_suffix(b"@@").unwrap_or(text).trim_ascii_end();
    if !text.is_empty() {
        hunk.headers.push(text.to_vec());
    }
}
