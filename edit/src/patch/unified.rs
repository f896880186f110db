//! Unified diffs, as git and other programs write them and as people and models imitate them.

use super::hunk::{Hunk, Sign, joined};
use super::read::{Line, Reading, excerpt};
use super::{Action, FileChange, path};
use crate::Error;

/// What stands between the `@@`.
pub(crate) struct Numbers {
    pub(crate) old_line: usize,
    /// How many lines each side has.
    counts: (usize, usize),
    /// What stands behind the second `@@`.
    pub(crate) heading: Option<Vec<u8>>,
}

/// The numbers of a header such as `@@ -12,3 +12,4 @@ fn main() {`.
pub(crate) fn numbers(line: &[u8]) -> Option<Numbers> {
    let rest = line.strip_prefix(b"@@")?.trim_ascii_start();
    let (old, rest) = span(rest.strip_prefix(b"-")?)?;
    let (new, rest) = span(rest.trim_ascii_start().strip_prefix(b"+")?)?;
    let heading = rest.trim_ascii_start().strip_prefix(b"@@")?.trim_ascii();
    Some(Numbers {
        old_line: old.0,
        counts: (old.1, new.1),
        heading: (!heading.is_empty()).then(|| heading.to_vec()),
    })
}

/// `12,3`, or `12` for one line.
fn span(text: &[u8]) -> Option<((usize, usize), &[u8])> {
    let (start, rest) = number(text)?;
    match rest.strip_prefix(b",").map(number) {
        Some(count) => count.map(|(count, rest)| ((start, count), rest)),
        None => Some(((start, 1), rest)),
    }
}

fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(digits);
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((number, rest))
}

/// Whether a unified diff begins here, if only with a hunk.
pub(crate) fn begins(line: &[u8]) -> bool {
    [&b"diff "[..], b"--- ", b"+++ ", b"@@ -"]
        .iter()
        .any(|start| line.starts_with(start))
}

pub(crate) fn read(lines: &[Line<'_>]) -> Reading {
    let mut reader = Reader {
        lines,
        at: 0,
        file: None,
        reading: Reading::default(),
    };
    reader.all();
    reader.finish();
    reader.reading
}

/// An old name and a new one.
type Names = (Option<Vec<u8>>, Option<Vec<u8>>);

/// A file of which the headers and perhaps some hunks have been read.
#[derive(Default)]
struct Pending {
    line: usize,
    /// The two names of the `diff --git` line.
    git: Option<(Vec<u8>, Vec<u8>)>,
    /// The names of the `---` and `+++` lines; [`None`] inside is `/dev/null`.
    names: Option<Names>,
    renamed: Names,
    added: bool,
    deleted: bool,
    /// What it asks for that is not done, and where.
    unsupported: Option<(usize, String)>,
    /// Something in it was not understood, and has been said.
    broken: bool,
    hunks: Vec<Hunk>,
}

struct Reader<'l, 'p> {
    lines: &'l [Line<'p>],
    at: usize,
    file: Option<Pending>,
    reading: Reading,
}

impl<'p> Reader<'_, 'p> {
    fn line(&self, at: usize) -> Option<Line<'p>> {
        self.lines.get(at).copied()
    }

    fn text(&self, at: usize) -> &'p [u8] {
        self.line(at).map_or(b"", |line| line.text)
    }

    /// The two lines that name a file.
    fn names_file(&self, at: usize) -> bool {
        self.text(at).starts_with(b"--- ") && self.text(at + 1).starts_with(b"+++ ")
    }

    fn all(&mut self) {
        while let Some(line) = self.line(self.at) {
            let text = line.text;
            if let Some(names) = text.strip_prefix(b"diff --git ") {
                self.begin(line.number);
                if let Some(file) = &mut self.file {
                    file.git = git_names(names);
                }
            } else if text.starts_with(b"diff --cc ") || text.starts_with(b"diff --combined ") {
                self.finish();
                self.reading.malformed(
                    line.number,
                    "it is the diff of a merge, with several old sides; make a plain one, as `git \
                     diff HEAD` does",
                );
            } else if text.starts_with(b"diff ") {
                self.finish();
            } else if self.names_file(self.at) {
                self.names(line);
                continue;
            } else if text.starts_with(b"@@") {
                self.hunk(line);
                continue;
            } else if text == b"-- " || (text == b"--" && self.text(self.at + 1).is_empty()) {
                // The signature of a mail.
                self.finish();
            } else if self.file.is_some() {
                self.header(line);
            }
            self.at += 1;
        }
    }

    fn begin(&mut self, line: usize) {
        self.finish();
        self.file = Some(Pending {
            line,
            ..Pending::default()
        });
    }

    fn names(&mut self, line: Line<'_>) {
        let fresh = |file: &Pending| file.git.is_some() && file.names.is_none();
        if !self.file.as_ref().is_some_and(fresh) {
            self.begin(line.number);
        }
        let name = |text: &[u8]| {
            let name = path::unquoted(text.get(4..).unwrap_or_default().trim_ascii_end());
            (name != b"/dev/null").then_some(name)
        };
        let names = (name(self.text(self.at)), name(self.text(self.at + 1)));
        if let Some(file) = &mut self.file {
            file.added |= names.0.is_none();
            file.deleted |= names.1.is_none();
            file.names = Some(names);
        }
        self.at += 2;
    }

    /// The lines that git puts between the names and the hunks.
    fn header(&mut self, line: Line<'_>) {
        let Some(file) = &mut self.file else { return };
        let text = line.text;
        let after = |start: &[u8]| text.strip_prefix(start).map(path::unquoted);
        let mut refuse = |problem: String| {
            file.unsupported.get_or_insert((line.number, problem));
        };
        if let Some(mode) = after(b"new mode ") {
            refuse(format!(
                "it changes the mode to {}, and modes are kept as they are; leave the mode lines \
                 out and change it with chmod",
                excerpt(&mode)
            ));
        } else if let Some(mode) = after(b"new file mode ") {
            if mode != b"100644" {
                refuse(format!(
                    "it adds a file of mode {}, and only plain files (100644) are made; leave the \
                     mode line out and change it with chmod",
                    excerpt(&mode)
                ));
            }
            file.added = true;
        } else if let Some(mode) = after(b"deleted file mode ") {
            if !mode.starts_with(b"100") {
                refuse("it deletes what is no plain file; do that with rm".to_owned());
            }
            file.deleted = true;
        } else if text.starts_with(b"copy from ") {
            refuse("it copies a file, which is not done; add the copy as a new file".to_owned());
        } else if let Some(name) = after(b"rename from ") {
            file.renamed.0 = Some(name);
        } else if let Some(name) = after(b"rename to ") {
            file.renamed.1 = Some(name);
        } else if text.starts_with(b"GIT binary patch")
            || (text.starts_with(b"Binary files ") && text.ends_with(b" differ"))
        {
            refuse(
                "it is a binary patch, which cannot be applied; write the file whole".to_owned(),
            );
        } else if matches!(text, [b'+' | b'-' | b' ', ..]) {
            let stray = !file.broken;
            file.broken = true;
            if stray {
                let problem = if file.hunks.is_empty() {
                    "it has no hunk header above it; begin the hunk with @@"
                } else {
                    "it does not belong to the hunk above it; begin another one with @@"
                };
                let found = excerpt(text);
                self.reading
                    .malformed(line.number, format!("{found:?}: {problem}"));
            }
        }
    }

    fn hunk(&mut self, line: Line<'_>) {
        if self.file.is_none() {
            self.reading.malformed(
                line.number,
                "a hunk stands before any file is named; put `--- a/path` and `+++ b/path` above it",
            );
            self.begin(line.number);
            if let Some(file) = &mut self.file {
                file.broken = true;
            }
        }
        self.at += 1;
        let mut hunk = Hunk {
            line: line.number,
            tells_ends: true,
            ..Hunk::default()
        };
        let numbers = numbers(line.text);
        if let Some(numbers) = &numbers {
            hunk.old_line = Some(numbers.old_line);
            hunk.heading.clone_from(&numbers.heading);
        } else {
            let text = line
                .text
                .strip_prefix(b"@@")
                .unwrap_or_default()
                .trim_ascii();
            let text = text.strip_suffix(b"@@").unwrap_or(text).trim_ascii();
            hunk.heading = (!text.is_empty() && text != b"...").then(|| text.to_vec());
        }
        let counted = numbers.and_then(|numbers| self.counted(hunk.clone(), numbers.counts));
        let hunk = match counted {
            Some((hunk, end)) => {
                self.at = end;
                Some(hunk)
            }
            None => self.up_to_boundary(hunk),
        };
        let Some(file) = &mut self.file else { return };
        match hunk {
            Some(hunk) => file.hunks.push(hunk),
            None => file.broken = true,
        }
    }

    /// The hunk with as many lines as its header says, if that can be true, and where it ends.
    fn counted(&self, mut hunk: Hunk, counts: (usize, usize)) -> Option<(Hunk, usize)> {
        let (mut old, mut new) = counts;
        let mut at = self.at;
        while old > 0 || new > 0 {
            let line = self.line(at)?;
            if !no_newline(line.text, &mut hunk) {
                let takes = match line.text.first() {
                    Some(b'-') => (1, 0),
                    Some(b'+') => (0, 1),
                    _ => (1, 1),
                };
                old = old.checked_sub(takes.0)?;
                new = new.checked_sub(takes.1)?;
                if !hunk.take(line.text) {
                    return None;
                }
            }
            at += 1;
        }
        while self
            .line(at)
            .is_some_and(|line| no_newline(line.text, &mut hunk))
        {
            at += 1;
        }
        // What follows must not look like more of it.
        let mut next = at;
        while self
            .line(next)
            .is_some_and(|line| matches!(line.text, [] | [b'\r']))
        {
            next += 1;
        }
        let more = matches!(self.text(next), [b'+' | b'-' | b' ', ..]);
        (!more || self.is_boundary(next)).then_some((hunk, at))
    }

    /// The hunk with all lines up to what cannot be one of its. `None` if that is nothing a patch
    /// has.
    fn up_to_boundary(&mut self, mut hunk: Hunk) -> Option<Hunk> {
        while let Some(line) = self.line(self.at).filter(|_| !self.is_boundary(self.at)) {
            if !no_newline(line.text, &mut hunk) && !hunk.take(line.text) {
                let found = excerpt(line.text);
                self.reading.malformed(
                    line.number,
                    format!(
                        "{found:?} begins neither with a blank (stays), + (comes) nor - (goes); put \
                         the right sign in front"
                    ),
                );
                while self.line(self.at).is_some() && !self.is_boundary(self.at) {
                    self.at += 1;
                }
                return None;
            }
            self.at += 1;
        }
        hunk.trim();
        Some(hunk)
    }

    /// Whether a hunk cannot go on here.
    fn is_boundary(&self, at: usize) -> bool {
        let text = self.text(at);
        let names = self.names_file(at)
            && (self.text(at + 2).starts_with(b"@@") || self.line(at + 2).is_none());
        let signature = text == b"-- " && self.line(at + 2).is_none_or(|line| line.text.is_empty());
        names || signature || text.starts_with(b"@@") || text.starts_with(b"diff ")
    }

    /// Ends the file that is being read.
    fn finish(&mut self) {
        let Some(file) = self.file.take() else { return };
        let line = file.line;
        let errors = &mut self.reading.errors;
        if let Some((line, problem)) = file.unsupported {
            let names = file.git.map(|(_, new)| new).unwrap_or_default();
            let path = excerpt(strip(&names).map_or(&names[..], |(_, rest)| rest));
            errors.push(Error::Unsupported {
                line,
                path,
                problem,
            });
            return;
        }
        if file.broken {
            return;
        }
        let (old, new) = match file.paths() {
            Ok(paths) => paths,
            Err(error) => {
                errors.push(error);
                return;
            }
        };
        let path = old.clone().or(new.clone()).unwrap_or_default();
        let mut hunks = file.hunks;
        hunks.retain(Hunk::changes_something);
        let one_sided = |sign: Sign| {
            hunks
                .iter()
                .find(|hunk| hunk.lines.iter().any(|l| l.sign != sign))
        };
        let action = match (&old, new) {
            (None, _) => {
                if let Some(hunk) = one_sided(Sign::Add) {
                    let problem = "the file is new, so all lines of its hunk begin with +";
                    self.reading.malformed(hunk.line, problem);
                    return;
                }
                let content = hunks.iter().flat_map(|hunk| joined(hunk.new_side()));
                Action::Add(content.collect())
            }
            (_, None) => {
                if let Some(hunk) = one_sided(Sign::Remove) {
                    let problem = "the file is deleted, so all lines of its hunk begin with -";
                    self.reading.malformed(hunk.line, problem);
                    return;
                }
                Action::Delete {
                    shown: hunks.into_iter().reduce(|mut shown, more| {
                        shown.lines.extend(more.lines);
                        shown
                    }),
                }
            }
            (Some(old), Some(new)) => Action::Update {
                to: (*old != new).then_some(new),
                sections: if hunks.is_empty() {
                    Vec::new()
                } else {
                    vec![hunks]
                },
            },
        };
        self.reading.files.push(FileChange { path, line, action });
    }
}

/// Takes the remark that the line above has no end.
fn no_newline(text: &[u8], hunk: &mut Hunk) -> bool {
    let remark = text.starts_with(b"\\ ");
    if remark && let Some(last) = hunk.lines.last_mut() {
        last.ended = false;
    }
    remark
}

impl Pending {
    /// The old path and the new one; `None` for the one that there is not.
    fn paths(&self) -> Result<(Option<String>, Option<String>), Error> {
        let line = self.line;
        let checked = |name: &[u8]| path::checked(name, line);
        if let (Some(from), Some(to)) = &self.renamed {
            return Ok((Some(checked(from)?), Some(checked(to)?)));
        }
        let names = match (&self.names, &self.git) {
            (Some((old, new)), _) => (old.clone(), new.clone()),
            (None, Some((old, new))) => (
                Some(old.clone()).filter(|_| !self.added),
                Some(new.clone()).filter(|_| !self.deleted),
            ),
            (None, None) => {
                return Err(Error::Malformed {
                    line,
                    problem: "it does not say which file it is about; put `--- a/path` and `+++ \
                              b/path` above the first hunk"
                        .to_owned(),
                });
            }
        };
        // Names without prefixes are the same in the line of git.
        let bare = self.git.as_ref().is_some_and(|(old, new)| old == new);
        match names {
            (Some(old), Some(new)) => {
                let (old, new) = match (strip(&old), strip(&new)) {
                    (Some((one, old)), Some((other, new))) if one != other && old == new => {
                        (old, new)
                    }
                    _ => (&old[..], &new[..]),
                };
                if old != new {
                    let path = excerpt(old);
                    return Err(Error::Unsupported {
                        line,
                        path,
                        problem: format!(
                            "its new name is {}; to move a file, say so with `rename from` and \
                             `rename to` below a `diff --git` line, else name it the same twice",
                            excerpt(new)
                        ),
                    });
                }
                let path = checked(old)?;
                match (self.added, self.deleted) {
                    (true, _) => Ok((None, Some(path))),
                    (_, true) => Ok((Some(path), None)),
                    _ => Ok((Some(path.clone()), Some(path))),
                }
            }
            (old, new) => {
                let one = |name: Option<Vec<u8>>| -> Result<Option<String>, Error> {
                    let Some(name) = name else { return Ok(None) };
                    let stripped = strip(&name).filter(|_| !bare).map(|(_, rest)| rest);
                    checked(stripped.unwrap_or(&name)).map(Some)
                };
                match (one(old)?, one(new)?) {
                    (None, None) => Err(Error::Malformed {
                        line,
                        problem: "both names are /dev/null; name the file on one side".to_owned(),
                    }),
                    paths => Ok(paths),
                }
            }
        }
    }
}

/// The letter and the rest of a name such as `a/src/main.rs`, with the letters that git uses.
fn strip(name: &[u8]) -> Option<(u8, &[u8])> {
    match name {
        [
            letter @ (b'a' | b'b' | b'i' | b'w' | b'c' | b'o'),
            b'/',
            rest @ ..,
        ] => Some((*letter, rest)),
        _ => None,
    }
}

/// The two names of a `diff --git` line. Without quotes they are two halves that are the same but
/// for their prefixes.
fn git_names(text: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let text = text.trim_ascii_end();
    if let Some((old, rest)) = path::quoted(text) {
        return Some((old, path::unquoted(rest.trim_ascii_start())));
    }
    if let Some(at) = memchr::memmem::find(text, b" \"") {
        return Some((text[..at].to_vec(), path::unquoted(&text[at + 1..])));
    }
    let same = |at: &usize| {
        let (old, new) = (&text[..*at], &text[at + 1..]);
        let bare = |name| strip(name).map_or(name, |(_, rest)| rest);
        bare(old) == bare(new)
    };
    let at = memchr::memchr_iter(b' ', text)
        .find(same)
        .or_else(|| memchr::memchr(b' ', text))?;
    Some((text[..at].to_vec(), text[at + 1..].to_vec()))
}
