//! What a patch makes of a file.

use super::hunk::{Hunk, Sign};
use super::place::{Spot, Text};
use super::{Action, FileChange};
use crate::edit::Composed;
use crate::graft::{LineEnds, NewLine, Place, Step as LineStep};
use crate::rows::Rows;
use crate::{Change, Edit, Error, Match, Step, Tolerance};

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It is made, with this content.
    Added(Vec<u8>),
    /// It goes.
    Deleted,
    /// It is changed. Without edits it only gets another name.
    Updated(Change),
}

impl FileChange {
    /// What the patch makes of the file, of which `old` is the content, or `None` if there is no
    /// such file.
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] and [`Error::Exists`]; [`Error::Encoding`] for a text in UTF-16 or
    /// UTF-32; for every hunk that does not say for certain where it belongs
    /// [`Error::NotFound`], [`Error::Ambiguous`], [`Error::NoPlace`], [`Error::NotAtEnd`] or
    /// [`Error::HunksCollide`], in [`Error::Several`] if it is more than one; for an update that
    /// changes nothing [`Error::ChangesNothing`]; for a deletion that does not show everything
    /// [`Error::NotAllShown`].
    pub fn apply(&self, old: Option<&[u8]>) -> Result<Outcome, Error> {
        let path = || self.path.clone();
        let missing = |doing| Error::Missing {
            doing,
            path: path(),
        };
        match &self.action {
            Action::Add(_) if old.is_some() => Err(Error::Exists { path: path() }),
            Action::Add(content) => Ok(Outcome::Added(content.clone())),
            Action::Delete { shown } => {
                let old = old.ok_or_else(|| missing("deleting"))?;
                if let Some(shown) = shown {
                    self.check_shown(shown, old)?;
                }
                Ok(Outcome::Deleted)
            }
            Action::Update { to, sections } => {
                let old = old.ok_or_else(|| missing("updating"))?;
                let change = self.update(old, sections)?;
                if change.edits.is_empty() && to.is_none() {
                    return Err(Error::ChangesNothing { path: path() });
                }
                Ok(Outcome::Updated(change))
            }
        }
    }

    /// All of the file has to be in the hunk that takes it away.
    fn check_shown(&self, shown: &Hunk, old: &[u8]) -> Result<(), Error> {
        let change = self.update(old, &[vec![shown.clone()]])?;
        if change.text.is_empty() {
            return Ok(());
        }
        let gone = change.edits.first().map_or(0..0, |edit| edit.range.clone());
        let at = if gone.start > 0 { 0 } else { gone.end };
        Err(Error::NotAllShown {
            path: self.path.clone(),
            line: Rows::new(old).line(at),
        })
    }

    fn update(&self, old: &[u8], sections: &[Vec<Hunk>]) -> Result<Change, Error> {
        crate::check_encoding(old)?;
        let mut composed = Composed::new(old);
        let mut matches = Vec::new();
        let of = sections.iter().map(Vec::len).sum();
        for hunks in sections {
            let before = matches.len();
            let step = |index: usize| Step::Hunk {
                path: self.path.clone(),
                number: before + index + 1,
                of,
                line: hunks.get(index).map_or(self.line, |hunk| hunk.line),
            };
            let spots = Text::new(&composed.text).spots(hunks, step)?;
            matches.extend(spots.iter().map(|spot| Match {
                line: spot.row + 1,
                count: 1,
                tolerance: spot.tolerance,
                header_off: spot.header_off,
            }));
            let edits = edits(&composed.text, hunks, spots, step)?;
            composed.step(edits)?;
        }
        Ok(Change {
            edits: composed.edits,
            text: composed.text,
            matches,
        })
    }
}

/// The edits of all hunks, in ascending order.
fn edits(
    source: &[u8],
    hunks: &[Hunk],
    spots: Vec<Spot>,
    step: impl Fn(usize) -> Step,
) -> Result<Vec<Edit>, Error> {
    let mut edits: Vec<(usize, Edit)> = Vec::new();
    for (index, (hunk, spot)) in hunks.iter().zip(spots).enumerate() {
        let steps: Vec<LineStep<'_>> = hunk
            .lines
            .iter()
            .map(|line| match line.sign {
                Sign::Keep => LineStep::Keep,
                Sign::Remove => LineStep::Remove,
                Sign::Add => LineStep::Add(NewLine {
                    text: &line.text,
                    ended: line.ended,
                }),
            })
            .collect();
        let ends = if spot.adapt {
            LineEnds::OfThePlace
        } else {
            LineEnds::Given
        };
        let old_ended = hunk.old_side().last().is_none_or(|line| line.ended);
        let place = Place {
            source,
            lines: spot.lines,
            start: spot.start,
            cr_ends: spot.tolerance != Tolerance::Exact,
        };
        let of_hunk = place.graft(&steps, ends, old_ended);
        edits.extend(of_hunk.into_iter().map(|edit| (index, edit)));
    }
    edits.sort_by_key(|(_, edit)| (edit.range.start, edit.range.end));
    let mut merged: Vec<(usize, Edit)> = Vec::with_capacity(edits.len());
    let mut errors = Vec::new();
    for (index, edit) in edits {
        let Some((other, last)) = merged.last_mut() else {
            merged.push((index, edit));
            continue;
        };
        let insertions = last.range.is_empty() && edit.range.is_empty();
        if edit.range.start < last.range.end || (edit.range.start == last.range.start && insertions)
        {
            errors.push(Error::HunksCollide {
                first: step(*other),
                second: step(index),
            });
        } else if edit.range.start == last.range.start {
            // Lines that come below the line in front, and the replacement of the line behind.
            last.replacement.extend_from_slice(&edit.replacement);
            last.range.end = edit.range.end;
        } else {
            merged.push((index, edit));
        }
    }
    errors.dedup();
    match Error::all(errors) {
        Some(error) => Err(error),
        None => Ok(merged.into_iter().map(|(_, edit)| edit).collect()),
    }
}
