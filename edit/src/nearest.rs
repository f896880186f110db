//! The places that come nearest to a text that is not there, and how they differ from it.

use std::collections::HashMap;
use std::fmt;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::rows::Rows;
use crate::view::line_end;

/// How many places an error shows.
pub(crate) const MAX_CANDIDATES: usize = 5;
/// How many lines of a place are shown.
const MAX_LINES: usize = 8;
/// How much of a line is shown, in characters.
const MAX_CHARS: usize = 160;
/// How many differences of a place are told.
const MAX_DIFFERENCES: usize = 4;
/// Lines of the wanted text that are compared; a longer one is judged by its beginning.
const MAX_WANTED: usize = 400;
/// Wanted lines that are looked for by likeness, each costing one look at the whole text.
const PROBES: usize = 3;
/// How much of a text is looked at for likeness. What lies behind is found by equal lines only.
const MAX_PROBED: usize = 4 << 20;
/// A place below this likeness is none.
const MIN_LIKENESS: f32 = 0.4;
/// A place that is that much less like it than the best one is not worth showing.
const MIN_OF_BEST: f32 = 0.8;

/// A place in a text that an error points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its first line, counted from 1.
    pub first_line: usize,
    /// Its last line.
    pub last_line: usize,
    /// Its first lines as they stand, long ones cut; what is not UTF-8 is replaced.
    pub lines: Vec<String>,
    /// Where it differs from what was searched for, the first few. Empty for a place that matches.
    pub differences: Vec<Difference>,
    /// How many more differences there are.
    pub more_differences: usize,
}

/// A line of a place that is not as searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The line of the file, counted from 1; for a line that the file lacks, the one it would be.
    pub line: usize,
    /// What is different.
    pub kind: DifferenceKind,
    /// The line of the file, cut if long; empty if the file lacks it.
    pub found: String,
    /// The line that was searched for, cut if long; empty if the file has one too many.
    pub wanted: String,
}

/// What makes two lines differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DifferenceKind {
    /// The blanks at the beginning only.
    Indentation,
    /// Blanks inside only.
    Spacing,
    /// Upper and lower case only.
    Case,
    /// Typographic signs against plain ones: quotes, dashes, special spaces.
    Typography,
    /// The text.
    Text,
    /// The file has no such line.
    Missing,
    /// The file has this line and the wanted text does not.
    Extra,
}

impl Candidate {
    /// The place from row `first` to before row `end`, which matches.
    pub(crate) fn matching(rows: &Rows<'_>, first: usize, end: usize) -> Self {
        let end = end.clamp(first + 1, rows.count().max(first + 1));
        Self {
            first_line: first + 1,
            last_line: end,
            lines: (first..end.min(first + MAX_LINES))
                .map(|row| shown(rows.content(row)))
                .collect(),
            differences: Vec::new(),
            more_differences: 0,
        }
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, line) in self.lines.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(out, "{separator}{:>5} | {line}", self.first_line + index)?;
        }
        let more = (self.last_line + 1 - self.first_line).saturating_sub(self.lines.len());
        if more > 0 {
            write!(out, "\n      | … {more} more lines")?;
        }
        for difference in &self.differences {
            write!(out, "\n      {difference}")?;
        }
        if self.more_differences > 0 {
            write!(out, "\n      … {} more lines differ", self.more_differences)?;
        }
        Ok(())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, found, wanted) = (self.line, &self.found, &self.wanted);
        let what = match self.kind {
            DifferenceKind::Missing => {
                return write!(out, "before line {line}: the file lacks {wanted:?}");
            }
            DifferenceKind::Extra => {
                return write!(out, "line {line}: only the file has {found:?}");
            }
            DifferenceKind::Indentation => " in its indentation",
            DifferenceKind::Spacing => " in its spacing",
            DifferenceKind::Case => " in upper and lower case",
            DifferenceKind::Typography => " in typographic signs",
            DifferenceKind::Text => "",
        };
        write!(
            out,
            "line {line} differs{what}: the file has {found:?}, not {wanted:?}"
        )
    }
}

/// A line to show: without its end, cut if it is long.
pub(crate) fn shown(line: &[u8]) -> String {
    let line = &line[..line.len() - line_end(line).len()];
    // Four bytes are the longest character.
    let text = String::from_utf8_lossy(line.get(..4 * MAX_CHARS).unwrap_or(line));
    match text.char_indices().nth(MAX_CHARS) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None if line.len() > 4 * MAX_CHARS => format!("{text}…"),
        None => text.into_owned(),
    }
}

/// The places in `text` that are most like `wanted`, best first.
pub(crate) fn nearest(text: &[u8], wanted: &[u8]) -> Vec<Candidate> {
    let (rows, wanted) = (Rows::new(text), Rows::new(wanted));
    let wanted: Vec<&[u8]> = (0..wanted.count().min(MAX_WANTED))
        .map(|row| wanted.whole(row))
        .collect();
    let mut scored: Vec<(f32, usize)> = starts(&rows, &wanted)
        .into_iter()
        .map(|start| (likeness_at(&rows, start, &wanted), start))
        .filter(|(likeness, _)| *likeness >= MIN_LIKENESS)
        .collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let best = scored.first().map_or(0.0, |(likeness, _)| *likeness);
    scored.retain(|(likeness, _)| *likeness >= best * MIN_OF_BEST);
    let mut taken: Vec<usize> = Vec::new();
    for (_, start) in scored {
        // Two windows on one place.
        let apart = |other: &usize| start.abs_diff(*other) >= wanted.len().max(1);
        if taken.iter().all(apart) {
            taken.push(start);
        }
        if taken.len() == 3 {
            break;
        }
    }
    taken
        .into_iter()
        .map(|start| compared(&rows, start, &wanted))
        .collect()
}

/// Rows where `wanted` may start: lines that are equal but for blanks at both ends vote, the rarer
/// the more; so do the lines most like the longest wanted lines that are nowhere.
fn starts(rows: &Rows<'_>, wanted: &[&[u8]]) -> Vec<usize> {
    let mut places: HashMap<&[u8], (Vec<usize>, Vec<usize>)> = HashMap::new();
    for (index, line) in wanted.iter().enumerate() {
        let line = line.trim_ascii();
        if !line.is_empty() {
            let (indexes, _) = places.entry(line).or_default();
            // A line repeated many times says little about where.
            if indexes.len() < 4 {
                indexes.push(index);
            }
        }
    }
    for row in 0..rows.count() {
        if let Some((_, found)) = places.get_mut(rows.content(row).trim_ascii_start()) {
            found.push(row);
        }
    }
    let mut votes: HashMap<usize, f32> = HashMap::new();
    let mut nowhere: Vec<&[u8]> = Vec::new();
    for (index, line) in wanted.iter().enumerate() {
        let Some((indexes, found)) = places.get(line.trim_ascii()) else {
            continue;
        };
        if indexes.first() == Some(&index) && found.is_empty() {
            nowhere.push(line.trim_ascii());
        }
        if indexes.contains(&index) && found.len() <= 1000 {
            for row in found.iter().filter(|row| **row >= index) {
                *votes.entry(row - index).or_default() += 1.0 / found.len() as f32;
            }
        }
    }
    nowhere.sort_by_key(|line| std::cmp::Reverse(line.len()));
    for line in nowhere.into_iter().take(PROBES) {
        let Some((indexes, _)) = places.get(line) else {
            continue;
        };
        for (likeness, row) in most_like(rows, line, wanted.len() == 1) {
            for index in indexes.iter().filter(|index| **index <= row) {
                *votes.entry(row - index).or_default() += likeness * 0.9;
            }
        }
    }
    let mut starts: Vec<(f32, usize)> = votes.into_iter().map(|(row, vote)| (vote, row)).collect();
    starts.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    starts.truncate(16);
    starts.into_iter().map(|(_, row)| row).collect()
}

/// The rows most like `line`.
fn most_like(rows: &Rows<'_>, line: &[u8], part: bool) -> Vec<(f32, usize)> {
    let mut probe = Probe::new(line, part);
    let mut best: Vec<(f32, usize)> = Vec::new();
    for row in 0..rows.of(MAX_PROBED) + usize::from(rows.count() > 0) {
        let likeness = probe.likeness(rows.content(row).trim_ascii_start());
        let worst = best.last().map_or(0.0, |(likeness, _)| *likeness);
        if likeness >= MIN_LIKENESS && (best.len() < 5 || likeness > worst) {
            let at = best.partition_point(|(other, _)| *other >= likeness);
            best.insert(at, (likeness, row));
            best.truncate(5);
        }
    }
    best
}

fn likeness_at(rows: &Rows<'_>, start: usize, wanted: &[&[u8]]) -> f32 {
    let mut sum = 0.0;
    for (index, line) in wanted.iter().enumerate() {
        let found = rows.content(start + index);
        let line = line.trim_ascii_end();
        sum += if found == line {
            1.0
        } else if found.trim_ascii_start() == line.trim_ascii_start() {
            0.95
        } else {
            Probe::new(line.trim_ascii_start(), wanted.len() == 1)
                .likeness(found.trim_ascii_start())
        };
    }
    sum / wanted.len().max(1) as f32
}

/// Compares one line with many, by the pairs of bytes that both have.
struct Probe {
    /// Whether it may be a part of a line, so that what else the line has does not count.
    part: bool,
    wanted: usize,
    /// How often each pair occurs, by a hash of it.
    pairs: Vec<u16>,
    left: Vec<u16>,
}

impl Probe {
    const SLOTS: usize = 1024;
    /// A line is judged by its beginning.
    const MAX_BYTES: usize = 400;

    fn new(line: &[u8], part: bool) -> Self {
        let mut pairs = vec![0; Self::SLOTS];
        let mut wanted = 0;
        for slot in Self::slots(line) {
            pairs[slot] += 1;
            wanted += 1;
        }
        Self {
            part,
            wanted,
            left: pairs.clone(),
            pairs,
        }
    }

    fn slots(line: &[u8]) -> impl Iterator<Item = usize> {
        let line = &line[..line.len().min(Self::MAX_BYTES)];
        line.windows(2)
            .filter(|pair| !pair.iter().all(u8::is_ascii_whitespace))
            .map(|pair| (usize::from(pair[0]) * 31 + usize::from(pair[1])) % Self::SLOTS)
    }

    /// From 0, nothing in common, to 1.
    fn likeness(&mut self, line: &[u8]) -> f32 {
        let length = line.len().min(Self::MAX_BYTES);
        // Too different in length to be alike.
        let long = !self.part && length > 4 * self.wanted + 8;
        if self.wanted == 0 || long || self.wanted > 4 * length + 8 {
            return 0.0;
        }
        let (mut common, mut count) = (0, 0);
        for slot in Self::slots(line) {
            count += 1;
            if self.left[slot] > 0 {
                self.left[slot] -= 1;
                common += 1;
            }
        }
        for slot in Self::slots(line) {
            self.left[slot] = self.pairs[slot];
        }
        let alike = 2.0 * common as f32 / (self.wanted + count) as f32;
        if self.part {
            alike.max(0.9 * common as f32 / self.wanted as f32)
        } else {
            alike
        }
    }
}

/// The place at `start`, line by line beside what was wanted.
fn compared(rows: &Rows<'_>, start: usize, wanted: &[&[u8]]) -> Candidate {
    let end = (start + wanted.len()).min(rows.count());
    let found: Vec<&[u8]> = (start..end).map(|row| rows.content(row)).collect();
    let bare: Vec<&[u8]> = wanted.iter().map(|line| line.trim_ascii_end()).collect();
    let mut differences = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &bare, &found) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (old, new) = (op.old_range(), op.new_range());
        for offset in 0..old.len().max(new.len()) {
            let one = old.clone().nth(offset).and_then(|index| bare.get(index));
            let other = new.clone().nth(offset).and_then(|index| found.get(index));
            let kind = match (one, other) {
                (Some(one), Some(other)) => kind_of(one, other),
                (Some(_), None) => DifferenceKind::Missing,
                (None, _) => DifferenceKind::Extra,
            };
            let line = |line: Option<&&[u8]>| line.map(|line| shown(line)).unwrap_or_default();
            differences.push(Difference {
                line: start + 1 + (new.start + offset).min(new.end),
                kind,
                found: line(other),
                wanted: line(one),
            });
        }
    }
    let more_differences = differences.len().saturating_sub(MAX_DIFFERENCES);
    differences.truncate(MAX_DIFFERENCES);
    Candidate {
        differences,
        more_differences,
        ..Candidate::matching(rows, start, end)
    }
}

fn kind_of(wanted: &[u8], found: &[u8]) -> DifferenceKind {
    let without_blanks = |line: &[u8]| -> Vec<u8> {
        let kept = line.iter().filter(|byte| !byte.is_ascii_whitespace());
        kept.copied().collect()
    };
    if wanted.trim_ascii_start() == found.trim_ascii_start() {
        DifferenceKind::Indentation
    } else if without_blanks(wanted) == without_blanks(found) {
        DifferenceKind::Spacing
    } else if wanted.eq_ignore_ascii_case(found) {
        DifferenceKind::Case
    } else if plain(wanted) == plain(found) {
        DifferenceKind::Typography
    } else {
        DifferenceKind::Text
    }
}

/// With typographic signs made plain.
fn plain(line: &[u8]) -> String {
    let fold = |sign| match sign {
        '\u{2018}'..='\u{201B}' => '\'',
        '\u{201C}'..='\u{201F}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        other => other,
    };
    String::from_utf8_lossy(line).chars().map(fold).collect()
}
