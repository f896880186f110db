//! Where the hunks of a section belong in a text.
//!
//! Content decides. Where it leaves several places, the end-of-file marker, the headers, an exactly
//! right line number and the order of the hunks do, in this order; where these leave several too,
//! the hunk is refused.

use std::cell::OnceCell;
use std::ops::Range;

use super::hunk::{Hunk, joined};
use super::scope::scopes;
use crate::nearest::{Candidate, MAX_CANDIDATES, nearest, shown};
use crate::replace::hint;
use crate::rows::Rows;
use crate::view::{BYTE_ORDER_MARK, Needle, View, is_blank};
use crate::{Error, Step, Tolerance};

/// Where a hunk belongs.
#[derive(Debug)]
pub(crate) struct Spot {
    /// The lines of its old side.
    pub(crate) lines: Vec<Range<usize>>,
    pub(crate) start: usize,
    pub(crate) row: usize,
    pub(crate) tolerance: Tolerance,
    /// Lines that come end as those of the place, not as the patch has them.
    pub(crate) adapt: bool,
    pub(crate) header_off: bool,
}

/// A place where the old side of a hunk matches.
#[derive(Clone, Debug)]
struct Fit {
    /// In the view.
    at: usize,
    range: Range<usize>,
    /// What the hunk would change there.
    core: Range<usize>,
    row: usize,
}

/// A text in the forms in which it is compared.
pub(crate) struct Text<'t> {
    source: &'t [u8],
    rows: Rows<'t>,
    views: [OnceCell<View<'t>>; 3],
}

impl<'t> Text<'t> {
    pub(crate) fn new(source: &'t [u8]) -> Self {
        Self {
            source,
            rows: Rows::new(source),
            views: Default::default(),
        }
    }

    fn view(&self, tolerance: Tolerance) -> &View<'t> {
        self.views[tolerance as usize].get_or_init(|| View::new(self.source, tolerance))
    }

    /// Where each of `hunks` belongs, in their order, or everything that is wrong with them.
    pub(crate) fn spots(
        &self,
        hunks: &[Hunk],
        step: impl Fn(usize) -> Step,
    ) -> Result<Vec<Spot>, Error> {
        let mut errors = Vec::new();
        let mut open = Vec::new();
        for (index, hunk) in hunks.iter().enumerate() {
            match self.fits(hunk, &step(index)) {
                Ok(found) => open.push((index, hunk, found)),
                Err(error) => errors.push((index, error)),
            }
        }
        let chosen = in_order(open.iter().map(|(_, _, found)| &found.fits[..]).collect());
        let mut spots = Vec::with_capacity(hunks.len());
        for ((index, hunk, found), left) in open.iter().zip(chosen) {
            match &left[..] {
                [only] => {
                    spots.extend(found.fits.get(*only).map(|fit| self.spot(hunk, found, fit)));
                }
                many => {
                    let places = many.iter().filter_map(|at| found.fits.get(*at));
                    let error = Error::Ambiguous {
                        step: step(*index),
                        places: places
                            .take(MAX_CANDIDATES)
                            .map(|fit| self.candidate(fit))
                            .collect(),
                        count: many.len(),
                        tolerance: found.tolerance,
                    };
                    errors.push((*index, error));
                }
            }
        }
        errors.sort_by_key(|(index, _)| *index);
        let errors = errors.into_iter().map(|(_, error)| error).collect();
        match Error::all(errors) {
            Some(error) => Err(error),
            None => Ok(spots),
        }
    }

    fn candidate(&self, fit: &Fit) -> Candidate {
        let last = fit.range.end.saturating_sub(1).max(fit.range.start);
        Candidate::matching(&self.rows, fit.row, self.rows.of(last) + 1)
    }

    fn spot(&self, hunk: &Hunk, found: &Found<'_>, fit: &Fit) -> Spot {
        let lines = match &found.needle {
            Some(needle) => needle.lines(self.view(found.tolerance), fit.at),
            None => Vec::new(),
        };
        // A place without lines, or whose only line has no end, does not show how lines end.
        let unended = fit.range.end == self.source.len() && !self.source.ends_with(b"\n");
        let bare = lines.is_empty() || (lines.len() == 1 && unended && !hunk.tells_ends);
        // CRs in the patch are no accident then.
        let bare = bare && !hunk.new_side().any(|line| line.text.ends_with(b"\r"));
        let loose = found.tolerance != Tolerance::Exact;
        Spot {
            start: fit.range.start,
            row: fit.row,
            tolerance: found.tolerance,
            adapt: loose || (bare && !is_blank(self.source)),
            header_off: found.header_off,
            lines,
        }
    }

    /// The places of a hunk that its content, marker, headers and line number leave.
    fn fits<'h>(&self, hunk: &'h Hunk, step: &Step) -> Result<Found<'h>, Error> {
        if hunk.old_side().next().is_none() {
            if !hunk.at_end && !is_blank(self.source) {
                return Err(Error::NoPlace { step: step.clone() });
            }
            let end = self.source.len();
            return Ok(Found {
                needle: None,
                tolerance: Tolerance::Exact,
                header_off: false,
                fits: vec![Fit {
                    at: end,
                    range: end..end,
                    core: end..end,
                    row: self.rows.count(),
                }],
            });
        }
        let scopes = scopes(&self.rows, &hunk.headers);
        let scoped = !hunk.headers.is_empty() && !scopes.is_empty();
        // What a header encloses comes first, if only with other line ends or trailing blanks.
        for inside in [true, false].into_iter().filter(|inside| scoped || !inside) {
            for tolerance in Tolerance::ALL {
                let (needle, mut fits) = self.matches(hunk, tolerance);
                if inside {
                    fits.retain(|fit| scopes.iter().any(|scope| scope.contains(&fit.row)));
                }
                if fits.is_empty() {
                    continue;
                }
                let mut found = Found {
                    needle: Some(needle),
                    tolerance,
                    header_off: scopes.is_empty(),
                    fits,
                };
                if scoped && !inside {
                    let first = found.fits.first().map(|fit| self.candidate(fit));
                    found
                        .fits
                        .retain(|fit| scopes.iter().any(|scope| scope.start < fit.row));
                    if let Some(place) = first.filter(|_| found.fits.is_empty()) {
                        return Err(Error::AboveHeader {
                            step: step.clone(),
                            header: hunk.headers.iter().map(|header| shown(header)).collect(),
                            place: Box::new(place),
                        });
                    }
                }
                self.narrow(hunk, &mut found.fits, step)?;
                return Ok(found);
            }
        }
        let old = joined(hunk.old_side());
        Err(Error::NotFound {
            step: step.clone(),
            candidates: nearest(self.source, &old),
            hint: hint(self.source, &old, &joined(hunk.new_side())),
        })
    }

    fn matches<'h>(&self, hunk: &'h Hunk, tolerance: Tolerance) -> (Needle<'h>, Vec<Fit>) {
        let mut old = joined(hunk.old_side());
        // Only the last line can be without an end, and it is the last one of the file then.
        let last_of_file = !old.ends_with(b"\n");
        if last_of_file && tolerance != Tolerance::Exact {
            old.push(b'\n');
        }
        let view = self.view(tolerance);
        let needle = Needle::new(old, tolerance);
        let line_starts = |at: usize| {
            let before = view.text.get(..at).unwrap_or_default();
            before.is_empty() || before.ends_with(b"\n") || before == BYTE_ORDER_MARK
        };
        let ends =
            |at: usize| !last_of_file || view.end(at + needle.text.len()) == self.source.len();
        let mut starts = needle.matches_where(view, |at| line_starts(at) && ends(at));
        // The envelope has no way to say that the last line has no end.
        if tolerance == Tolerance::Exact
            && !hunk.tells_ends
            && !self.source.ends_with(b"\n")
            && let Some(open) = needle.text.strip_suffix(b"\n")
            && self.source.ends_with(open)
        {
            let at = self.source.len() - open.len();
            starts.extend((at < self.source.len() && line_starts(at)).then_some(at));
        }
        let (before, after) = hunk.core();
        let mut offsets = vec![0];
        offsets.extend(memchr::memchr_iter(b'\n', &needle.text).map(|at| at + 1));
        offsets.push(needle.text.len());
        let offset = |line: usize| offsets.get(line).copied().unwrap_or(needle.text.len());
        let fits = starts.into_iter().map(|at| {
            let range = needle.range(view, at);
            Fit {
                at,
                core: view.end(at + offset(before))..view.end(at + offset(after)),
                row: self.rows.of(range.start),
                range,
            }
        });
        let fits = fits.collect();
        (needle, fits)
    }

    /// Leaves the places that the marker, the line number and the heading allow.
    fn narrow(&self, hunk: &Hunk, fits: &mut Vec<Fit>, step: &Step) -> Result<(), Error> {
        if hunk.at_end {
            let first = fits.first().map(|fit| self.candidate(fit));
            fits.retain(|fit| fit.range.end == self.source.len());
            if let Some(place) = first.filter(|_| fits.is_empty()) {
                return Err(Error::NotAtEnd {
                    step: step.clone(),
                    place: Box::new(place),
                });
            }
        }
        let mut prefer = |better: &dyn Fn(&Fit) -> bool| {
            if fits.len() > 1 && fits.iter().any(better) {
                fits.retain(better);
            }
        };
        if let Some(line) = hunk.old_line {
            prefer(&|fit| fit.row + 1 == line);
        }
        if let Some(heading) = &hunk.heading {
            let scopes = scopes(&self.rows, std::slice::from_ref(heading));
            prefer(&|fit| scopes.iter().any(|scope| scope.contains(&fit.row)));
        }
        Ok(())
    }
}

/// What is left for a hunk.
struct Found<'h> {
    /// Its old side; [`None`] if it has none.
    needle: Option<Needle<'h>>,
    tolerance: Tolerance,
    header_off: bool,
    fits: Vec<Fit>,
}

/// For each hunk, which of its places can be meant if the hunks stand in the text in their order.
/// If they cannot all stand so, order says nothing.
fn in_order(hunks: Vec<&[Fit]>) -> Vec<Vec<usize>> {
    let all = || hunks.iter().map(|fits| (0..fits.len()).collect());
    if hunks.iter().all(|fits| fits.len() == 1) {
        return all().collect();
    }
    let follows = |one: &Fit, other: &Fit| {
        one.core.end <= other.core.start && one.core.start < other.core.start.max(other.core.end)
    };
    // Whether the hunks up to this one can all stand in order if it stands here.
    let mut possible: Vec<Vec<bool>> = Vec::with_capacity(hunks.len());
    for fits in &hunks {
        let row = match possible
            .last()
            .zip(hunks.get(possible.len().wrapping_sub(1)))
        {
            None => vec![true; fits.len()],
            Some((before, places)) => {
                // The one that ends first leaves most room.
                let first = places
                    .iter()
                    .zip(before)
                    .find(|(_, can)| **can)
                    .map(|(fit, _)| fit);
                fits.iter()
                    .map(|fit| first.is_some_and(|first| follows(first, fit)))
                    .collect()
            }
        };
        possible.push(row);
    }
    // The same from the end.
    let mut after: Option<&Fit> = None;
    for (fits, row) in hunks.iter().zip(&mut possible).rev() {
        for (fit, can) in fits.iter().zip(row.iter_mut()) {
            *can &= after.is_none_or(|after| follows(fit, after));
        }
        after = fits
            .iter()
            .zip(row.iter())
            .rev()
            .find(|(_, can)| **can)
            .map(|(fit, _)| fit);
        if after.is_none() {
            return all().collect();
        }
    }
    let left = |row: Vec<bool>| {
        let kept = row.into_iter().enumerate().filter(|(_, can)| *can);
        kept.map(|(at, _)| at).collect()
    };
    possible.into_iter().map(left).collect()
}
