//! What can go wrong, said in sentences an agent can act on.

use std::fmt;
use std::ops::Range;

use crate::Tolerance;
use crate::nearest::Candidate;

/// How many of several errors a sentence tells; the value has them all.
const MAX_TOLD: usize = 20;

/// Why a text was not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not in an encoding that text edits can be made in.
    #[error(
        "reading the text: it begins with the byte-order mark of {encoding}, and edits are made \
             in UTF-8 bytes only; convert the file to UTF-8 first, or write it whole"
    )]
    Encoding {
        /// What the mark stands for.
        encoding: &'static str,
    },
    /// Edits were applied to a text that they were not made for.
    #[error("applying edits: bytes {}..{} do not fit a text of {len} bytes behind the edit before \
             them; make the edits anew from the text as it is", range.start, range.end)]
    EditsDoNotFit {
        /// The range that does not fit.
        range: Range<usize>,
        /// How long the text is.
        len: usize,
    },
    /// There is nothing to do.
    #[error("reading the edits: there are none; give at least one old text and its replacement")]
    NoEdits,
    /// An old text is empty.
    #[error(
        "{step}: the old text is empty, so it names no place; copy the lines to change from the \
             file, with one line around an insertion"
    )]
    EmptyOldText {
        /// Which one.
        step: Step,
    },
    /// The old text and the new one are the same.
    #[error(
        "{step}: the old text and the new text are the same, so nothing would change; give the \
             text as it shall become"
    )]
    SameText {
        /// Which one.
        step: Step,
    },
    /// A text is not where it was looked for.
    #[error("{}", NotFoundText(step, candidates, hint.as_ref()))]
    NotFound {
        /// Which edit or hunk.
        step: Step,
        /// The places that come nearest, best first.
        candidates: Vec<Candidate>,
        /// What may have gone wrong.
        hint: Option<Hint>,
    },
    /// A text is at several places and nothing says which of them is meant.
    #[error("{}", AmbiguousText(step, places, *count, *tolerance))]
    Ambiguous {
        /// Which edit or hunk.
        step: Step,
        /// The first of the places.
        places: Vec<Candidate>,
        /// How many there are; counting ends at 10 000.
        count: usize,
        /// How exactly they match.
        tolerance: Tolerance,
    },
    /// A hunk adds lines and says nothing about where.
    #[error(
        "{step}: it only adds lines and shows none of the file, so nothing says where they \
             belong; put an unchanged line before or after them, or end the hunk with `*** End of \
             File` to append"
    )]
    NoPlace {
        /// Which hunk.
        step: Step,
    },
    /// A hunk that belongs at the end of the file matches elsewhere only.
    #[error(
        "{step}: it ends with `*** End of File`, but its lines are not the last ones of the \
             file; they stand here:\n{place}\nleave the marker out if that is the place"
    )]
    NotAtEnd {
        /// Which hunk.
        step: Step,
        /// Where its lines are.
        place: Box<Candidate>,
    },
    /// A hunk names an enclosing line, and its lines are above that only.
    #[error("{step}: its lines are not below `@@ {}`; they stand here:\n{place}\nname the line that \
             encloses them, or none if that is the place", header.join(" @@ "))]
    AboveHeader {
        /// Which hunk.
        step: Step,
        /// The lines that it names, the outermost first.
        header: Vec<String>,
        /// Where its lines are.
        place: Box<Candidate>,
    },
    /// Two hunks change the same lines.
    #[error("{second}: it changes lines that {} changes too, or adds some at the same place; make \
             them one hunk", first.short())]
    HunksCollide {
        /// The hunk that comes first in the file.
        first: Step,
        /// The other.
        second: Step,
    },
    /// A patch is written in a way that cannot be understood.
    #[error("reading line {line} of the patch: {problem}")]
    Malformed {
        /// The line of the patch, counted from 1.
        line: usize,
        /// What is wrong and what to do.
        problem: String,
    },
    /// A patch asks for something that is not done.
    #[error("reading line {line} of the patch, for {path}: {problem}")]
    Unsupported {
        /// The line of the patch, counted from 1.
        line: usize,
        /// The file.
        path: String,
        /// What it asks for and what to do.
        problem: String,
    },
    /// A patch names a path that is not one inside a checkout.
    #[error(
        "reading line {line} of the patch: the path {path:?} {problem}; give a path relative to \
             the root, like src/main.rs"
    )]
    Path {
        /// The line of the patch, counted from 1.
        line: usize,
        /// The path as it stands there.
        path: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Two sections of a patch are about one file and do not go together.
    #[error(
        "reading line {line} of the patch: {path} has another section at line {first}, and only \
             updates without a move go together; put both changes into one section"
    )]
    Twice {
        /// The line of the second section, counted from 1.
        line: usize,
        /// The line of the first.
        first: usize,
        /// The file.
        path: String,
    },
    /// A file that a patch adds is there already.
    #[error("adding {path}: there is such a file already; update it, or write it whole")]
    Exists {
        /// The file.
        path: String,
    },
    /// A file that a patch changes or deletes is not there.
    #[error("{doing} {path}: there is no such file; correct the path, or add the file")]
    Missing {
        /// Updating or deleting.
        doing: &'static str,
        /// The file.
        path: String,
    },
    /// A patch that shows what it deletes does not show all of it.
    #[error(
        "deleting {path}: it has more in it than the patch shows, from line {line} on; read it \
             again and delete it if all of that can go"
    )]
    NotAllShown {
        /// The file.
        path: String,
        /// The first line that the patch does not show, counted from 1.
        line: usize,
    },
    /// An update that changes nothing.
    #[error(
        "updating {path}: the patch changes nothing in it; mark the lines to take out with - \
             and the lines to put in with +"
    )]
    ChangesNothing {
        /// The file.
        path: String,
    },
    /// Several things are wrong; nothing was changed because of any of them.
    #[error("{}", SeveralText(.0))]
    Several(Vec<Error>),
}

impl Error {
    /// The errors as one: the only one itself, or else all of them. `None` if there are none.
    pub fn all(errors: Vec<Self>) -> Option<Self> {
        let mut flat = Vec::with_capacity(errors.len());
        for error in errors {
            match error {
                Self::Several(errors) => flat.extend(errors),
                one => flat.push(one),
            }
        }
        if flat.len() > 1 {
            return Some(Self::Several(flat));
        }
        flat.pop()
    }

    /// The single errors in it.
    pub fn each(&self) -> &[Self] {
        match self {
            Self::Several(errors) => errors,
            one => std::slice::from_ref(one),
        }
    }
}

/// What an error is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// One of the replacements of a request.
    Edit {
        /// Which one, counted from 1.
        number: usize,
        /// How many there are.
        of: usize,
    },
    /// One of the hunks for a file.
    Hunk {
        /// The file.
        path: String,
        /// Which one, counted from 1.
        number: usize,
        /// How many the file has.
        of: usize,
        /// The line of the patch where it begins, counted from 1.
        line: usize,
    },
}

impl fmt::Display for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Edit { of: 1, .. } => out.write_str("replacing"),
            Self::Edit { number, of } => write!(out, "replacing, edit {number} of {of}"),
            Self::Hunk {
                path,
                number,
                of,
                line,
            } => write!(
                out,
                "updating {path}, hunk {number} of {of} (line {line} of the patch)"
            ),
        }
    }
}

impl Step {
    /// Without the file.
    fn short(&self) -> String {
        match self {
            Self::Edit { number, .. } => format!("edit {number}"),
            Self::Hunk { number, line, .. } => format!("hunk {number} (line {line} of the patch)"),
        }
    }

    /// What it is that was looked for.
    fn wanted(&self) -> &'static str {
        match self {
            Self::Edit { .. } => "the old text is",
            Self::Hunk { .. } => "the lines that it shows are",
        }
    }
}

/// What may have gone wrong when a text is not found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// What it should become is there, as if the change had been made before.
    AlreadyThere {
        /// Where, counted from 1.
        line: usize,
    },
    /// It would be found without the line numbers at the beginning of its lines.
    LineNumbers {
        /// Where, counted from 1.
        line: usize,
    },
    /// It would be found with `\n`, `\t`, `\"` and the like as what they stand for.
    Escapes {
        /// Where, counted from 1.
        line: usize,
    },
}

impl fmt::Display for Hint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyThere { line } => write!(
                out,
                "what it should become is there at line {line}: the change seems to be made already"
            ),
            Self::LineNumbers { line } => write!(
                out,
                "without the line numbers in front of its lines it is at line {line}: leave them out"
            ),
            Self::Escapes { line } => write!(
                out,
                "with its escapes (such as \\n) as real characters it is at line {line}: give it \
                 unescaped"
            ),
        }
    }
}

struct NotFoundText<'e>(&'e Step, &'e [Candidate], Option<&'e Hint>);

impl fmt::Display for NotFoundText<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(step, candidates, hint) = self;
        let wanted = step.wanted();
        write!(out, "{step}: {wanted} not in the file")?;
        if let Some(hint) = hint {
            write!(out, "; {hint}")?;
        }
        if candidates.is_empty() {
            if hint.is_none() {
                out.write_str(
                    ", and nothing in it is like it; read the file and copy the text from it",
                )?;
            }
            return Ok(());
        }
        let places = if candidates.len() == 1 {
            "place is"
        } else {
            "places are"
        };
        write!(out, "; the nearest {places}:")?;
        show(out, candidates)?;
        if hint.is_none() {
            out.write_str("\ncopy the text exactly as it stands in the file")?;
        }
        Ok(())
    }
}

struct AmbiguousText<'e>(&'e Step, &'e [Candidate], usize, Tolerance);

impl fmt::Display for AmbiguousText<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(step, places, count, tolerance) = self;
        let wanted = step.wanted();
        let or_more = if *count == crate::view::MAX_MATCHES {
            " or more"
        } else {
            ""
        };
        write!(out, "{step}: {wanted} found at {count}{or_more} places")?;
        match tolerance {
            Tolerance::Exact => {}
            Tolerance::LineEnds => out.write_str(", all with other line ends")?,
            Tolerance::TrailingBlanks => out.write_str(", all with other trailing blanks")?,
        }
        out.write_str(":")?;
        show(out, places)?;
        if *count > places.len() {
            write!(out, "\n      … {} more", count - places.len())?;
        }
        out.write_str(match step {
            Step::Edit { .. } => {
                "\ngive more of the lines around the one that is meant, or replace all of them"
            }
            Step::Hunk { .. } => {
                "\ngive more unchanged lines around the change, or name the enclosing function or \
                 class after @@"
            }
        })
    }
}

fn show(out: &mut fmt::Formatter<'_>, places: &[Candidate]) -> fmt::Result {
    for (index, place) in places.iter().enumerate() {
        let between = index > 0 && (place.lines.len() > 1 || !place.differences.is_empty());
        write!(out, "{}\n{place}", if between { "\n      --" } else { "" })?;
    }
    Ok(())
}

struct SeveralText<'e>(&'e [Error]);

impl fmt::Display for SeveralText<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} problems, nothing was changed:", self.0.len())?;
        for (index, error) in self.0.iter().take(MAX_TOLD).enumerate() {
            write!(out, "\n{}. {error}", index + 1)?;
        }
        match self.0.len().saturating_sub(MAX_TOLD) {
            0 => Ok(()),
            more => write!(out, "\nand {more} more"),
        }
    }
}
