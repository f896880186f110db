//! Texts replaced by others where they occur exactly once, or everywhere if that is asked for.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::edit::Composed;
use crate::error::{Hint, Step};
use crate::graft::{LineEnds, NewLine, Place, Step as LineStep, end_around};
use crate::nearest::{Candidate, MAX_CANDIDATES, nearest};
use crate::rows::Rows;
use crate::view::{MAX_MATCHES, Needle, View};
use crate::{Change, Error, Match, Tolerance};

/// A text to replace, and by what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replacement<'r> {
    /// The text as it stands in the file. It must occur exactly once, if not `all` is set.
    pub old: &'r [u8],
    /// What shall stand there.
    pub new: &'r [u8],
    /// Every occurrence, from the beginning on and without overlaps, at least one.
    pub all: bool,
}

impl<'r> Replacement<'r> {
    /// The only occurrence of `old` becomes `new`.
    pub fn unique(
        old: &'r (impl AsRef<[u8]> + ?Sized),
        new: &'r (impl AsRef<[u8]> + ?Sized),
    ) -> Self {
        Self {
            old: old.as_ref(),
            new: new.as_ref(),
            all: false,
        }
    }

    /// Every occurrence of `old` becomes `new`.
    pub fn everywhere(
        old: &'r (impl AsRef<[u8]> + ?Sized),
        new: &'r (impl AsRef<[u8]> + ?Sized),
    ) -> Self {
        Self {
            all: true,
            ..Self::unique(old, new)
        }
    }
}

/// Carries out `replacements` one after another, each on what the one before it has left.
///
/// An occurrence is exact if there is one. Without any, one that differs in line ends only is
/// taken, and then one that differs in trailing blanks too; [`Match::tolerance`] says so. Such an
/// occurrence keeps its own bytes in the lines that the replacement does not change, and the lines
/// that come end as those that they replace. A replacement of several lines for a part of one line
/// ends its lines as those around, if it has plain LFs.
///
/// # Errors
///
/// All replacements that cannot be carried out, each as if the others that cannot did not exist:
/// [`Error::EmptyOldText`], [`Error::SameText`], [`Error::NotFound`] with the nearest places and
/// [`Error::Ambiguous`] with all. Besides, [`Error::NoEdits`], and [`Error::Encoding`] for a text
/// in UTF-16 or UTF-32.
pub fn replace(text: &[u8], replacements: &[Replacement<'_>]) -> Result<Change, Error> {
    crate::check_encoding(text)?;
    if replacements.is_empty() {
        return Err(Error::NoEdits);
    }
    let mut composed = Composed::new(text);
    let mut matches = Vec::new();
    let mut errors = Vec::new();
    for (index, replacement) in replacements.iter().enumerate() {
        let step = Step::Edit {
            number: index + 1,
            of: replacements.len(),
        };
        match one(&composed.text, replacement, step) {
            Ok(found) => {
                composed.step(found.edits)?;
                matches.push(found.matched);
            }
            Err(error) => errors.push(error),
        }
    }
    match Error::all(errors) {
        Some(error) => Err(error),
        None => Ok(Change {
            edits: composed.edits,
            text: composed.text,
            matches,
        }),
    }
}

struct Found {
    edits: Vec<crate::Edit>,
    matched: Match,
}

fn one(text: &[u8], replacement: &Replacement<'_>, step: Step) -> Result<Found, Error> {
    let Replacement { old, new, all } = *replacement;
    if old.is_empty() {
        return Err(Error::EmptyOldText { step });
    }
    if old == new {
        return Err(Error::SameText { step });
    }
    for tolerance in Tolerance::ALL {
        let view = View::new(text, tolerance);
        let needle = Needle::new(old, tolerance);
        let matches = if all {
            needle.disjoint_matches(&view)
        } else {
            needle.matches(&view)
        };
        let Some(first) = matches.first() else {
            continue;
        };
        if matches.len() > 1 && !all {
            return Err(ambiguous(text, &view, &needle, &matches, tolerance, step));
        }
        let mut edits = Vec::new();
        for at in &matches {
            edits.extend(match tolerance {
                Tolerance::Exact => vec![exact(text, needle.range(&view, *at), old, new)],
                _ => grafted(text, &view, &needle, *at, old, new),
            });
        }
        let line = Rows::new(text).line(needle.range(&view, *first).start);
        return Ok(Found {
            edits,
            matched: Match {
                line,
                count: matches.len(),
                tolerance,
                header_off: false,
            },
        });
    }
    Err(Error::NotFound {
        step,
        candidates: nearest(text, old),
        hint: hint(text, old, new),
    })
}

fn ambiguous(
    text: &[u8],
    view: &View<'_>,
    needle: &Needle<'_>,
    matches: &[usize],
    tolerance: Tolerance,
    step: Step,
) -> Error {
    let rows = Rows::new(text);
    let places = matches.iter().take(MAX_CANDIDATES).map(|at| {
        let range = needle.range(view, *at);
        let end = range.end.saturating_sub(1).max(range.start);
        Candidate::matching(&rows, rows.of(range.start), rows.of(end) + 1)
    });
    Error::Ambiguous {
        step,
        places: places.collect(),
        count: matches.len().min(MAX_MATCHES),
        tolerance,
    }
}

/// An occurrence to the byte. Its replacement is taken as it is, except for plain LFs that come
/// into the middle of a line of a text with other line ends.
fn exact(text: &[u8], range: Range<usize>, old: &[u8], new: &[u8]) -> crate::Edit {
    let breaks = |bytes: &[u8]| memchr::memchr2(b'\n', b'\r', bytes).is_some();
    let end = end_around(text, range.start);
    if breaks(old) || end == b"\n" || memchr::memchr(b'\r', new).is_some() {
        return crate::Edit::new(range, new);
    }
    let mut replacement = Vec::with_capacity(new.len() + 16);
    for line in new.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(content) => replacement.extend([content, end].concat()),
            None => replacement.extend_from_slice(line),
        }
    }
    crate::Edit::new(range, replacement)
}

/// An occurrence with other line ends or trailing blanks: line by line, so that the lines that the
/// replacement leaves alone stay as they are.
fn grafted(
    text: &[u8],
    view: &View<'_>,
    needle: &Needle<'_>,
    at: usize,
    old: &[u8],
    new: &[u8],
) -> Vec<crate::Edit> {
    let (old, new) = (
        Needle::new(old, Tolerance::LineEnds),
        Needle::new(new, Tolerance::LineEnds),
    );
    let split = |text| -> Vec<&[u8]> { split_lines(text) };
    let (old_lines, new_lines) = (split(&old.text), split(&new.text));
    let mut steps = Vec::with_capacity(old_lines.len() + new_lines.len());
    for op in capture_diff_slices(Algorithm::Myers, &old_lines, &new_lines) {
        if let DiffOp::Equal { len, .. } = op {
            steps.extend(vec![LineStep::Keep; len]);
            continue;
        }
        steps.extend(op.old_range().map(|_| LineStep::Remove));
        let added = new_lines.get(op.new_range()).unwrap_or_default();
        steps.extend(added.iter().map(|line| {
            let content = line.strip_suffix(b"\n");
            LineStep::Add(NewLine {
                text: content.unwrap_or(line),
                ended: content.is_some(),
            })
        }));
    }
    let place = Place {
        source: text,
        start: needle.range(view, at).start,
        lines: needle.lines(view, at),
        cr_ends: true,
    };
    place.graft(&steps, LineEnds::OfThePlace, old.text.ends_with(b"\n"))
}

fn split_lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// What may have gone wrong.
pub(crate) fn hint(text: &[u8], old: &[u8], new: &[u8]) -> Option<Hint> {
    let only = |needle: &[u8]| {
        let matches = [Tolerance::Exact, Tolerance::TrailingBlanks].map(|tolerance| {
            let view = View::new(text, tolerance);
            let needle = Needle::new(needle, tolerance);
            let matches = needle.matches(&view);
            let [at] = matches[..] else {
                return None;
            };
            Some(Rows::new(text).line(needle.range(&view, at).start))
        });
        matches.into_iter().flatten().next()
    };
    // A word or two may stand somewhere by chance.
    if new.trim_ascii().len() >= 12
        && let Some(line) = only(new)
    {
        return Some(Hint::AlreadyThere { line });
    }
    if let Some(line) = without_line_numbers(old).and_then(|bare| only(&bare)) {
        return Some(Hint::LineNumbers { line });
    }
    let line = unescaped(old).and_then(|plain| only(&plain))?;
    Some(Hint::Escapes { line })
}

/// The text without a number and a separator in front of every line, if they all have them.
fn without_line_numbers(text: &[u8]) -> Option<Vec<u8>> {
    let mut bare = Vec::with_capacity(text.len());
    for line in split_lines(text) {
        let line = line.trim_ascii_start();
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let rest = line.get(digits..).filter(|_| digits > 0)?;
        let rest = [&b"\t"[..], b" | ", b"| ", b"|", b": ", b":", "→".as_bytes()]
            .iter()
            .find_map(|separator| rest.strip_prefix(*separator))
            .or_else(|| rest.is_empty().then_some(rest))?;
        bare.extend_from_slice(rest);
    }
    Some(bare)
}

/// The text with its backslash escapes resolved, if it has any.
fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
    memchr::memchr(b'\\', text)?;
    let mut plain = Vec::with_capacity(text.len());
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = match (byte, bytes.peek()) {
            (b'\\', Some(b'n')) => b'\n',
            (b'\\', Some(b't')) => b'\t',
            (b'\\', Some(b'r')) => b'\r',
            (b'\\', Some(sign @ (b'"' | b'\'' | b'\\' | b'`' | b'$'))) => *sign,
            _ => {
                plain.push(byte);
                continue;
            }
        };
        bytes.next();
        plain.push(escaped);
    }
    Some(plain)
}
