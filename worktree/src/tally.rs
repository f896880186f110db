//! Counting what a run left out, for the one line that says so.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::read::{Size, Skipped};

/// A reason for skipping without its particulars, see [`Skipped`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SkipKind {
    /// [`Skipped::Binary`]
    Binary,
    /// [`Skipped::NotUtf8`]
    NotUtf8,
    /// [`Skipped::TooLarge`]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// [`Skipped::Vanished`]
    Vanished,
    /// [`Skipped::NotRegular`]
    NotRegular,
    /// [`Skipped::Denied`]
    Denied,
    /// [`Skipped::Unreadable`]
    Unreadable,
    /// [`Skipped::LeadsOut`]
    LeadsOut,
    /// [`Skipped::BrokenLink`]
    BrokenLink,
    /// [`Skipped::NotWanted`]
    NotWanted,
    /// [`Skipped::Crashed`]
    Crashed,
}

impl fmt::Display for SkipKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SkipKind::Binary => "binary",
            SkipKind::NotUtf8 => "not UTF-8",
            SkipKind::TooLarge { limit } => return write!(f, "too large (>{})", Size(*limit)),
            SkipKind::Vanished => "vanished",
            SkipKind::NotRegular => "not a regular file",
            SkipKind::Denied => "permission denied",
            SkipKind::Unreadable => "unreadable",
            SkipKind::LeadsOut => "link out of the checkout",
            SkipKind::BrokenLink => "broken link",
            SkipKind::NotWanted => "of another kind",
            SkipKind::Crashed => "crashed",
        })
    }
}

/// How many files were skipped, by reason, with a few example paths each.
///
/// Displays as `skipped: 3 binary, 1 too large (>8 MiB)`, or `skipped: nothing`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    keep: usize,
    reasons: BTreeMap<SkipKind, (usize, Vec<PathBuf>)>,
}

impl Default for Tally {
    /// Keeps five examples for each reason.
    fn default() -> Self {
        Tally::keeping(5)
    }
}

impl Tally {
    /// An empty tally that keeps up to `examples` paths for each reason.
    pub fn keeping(examples: usize) -> Tally {
        Tally {
            keep: examples,
            reasons: BTreeMap::new(),
        }
    }

    /// Counts one file.
    pub fn add(&mut self, path: &Path, why: &Skipped) {
        let (count, examples) = self.reasons.entry(why.kind()).or_default();
        *count += 1;
        if examples.len() < self.keep {
            examples.push(path.to_path_buf());
        }
    }

    /// Adds what another tally counted; its examples come after ours.
    pub fn merge(&mut self, other: &Tally) {
        for (kind, (more, paths)) in &other.reasons {
            let (count, examples) = self.reasons.entry(*kind).or_default();
            *count += more;
            let room = self.keep.saturating_sub(examples.len());
            examples.extend(paths.iter().take(room).cloned());
        }
    }

    /// How many files were skipped in all.
    pub fn total(&self) -> usize {
        self.reasons.values().map(|(count, _)| count).sum()
    }

    /// Whether nothing was skipped.
    pub fn is_empty(&self) -> bool {
        self.reasons.is_empty()
    }

    /// Each reason that occurred, how often, and the first paths it occurred for.
    pub fn iter(&self) -> impl Iterator<Item = (SkipKind, usize, &[PathBuf])> {
        self.reasons
            .iter()
            .map(|(kind, (count, examples))| (*kind, *count, examples.as_slice()))
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("skipped: ")?;
        if self.is_empty() {
            return f.write_str("nothing");
        }
        for (index, (kind, count, _)) in self.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{count} {kind}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tallies_count_merge_and_read_well() {
        let mut tally = Tally::keeping(2);
        assert_eq!(tally.to_string(), "skipped: nothing");
        let large = Skipped::TooLarge {
            bytes: 9 << 20,
            limit: 8 << 20,
        };
        tally.add(Path::new("big"), &large);
        tally.add(Path::new("x"), &Skipped::Binary { offset: 0 });
        let mut other = Tally::default();
        for name in ["y", "z"] {
            other.add(Path::new(name), &Skipped::Binary { offset: 7 });
        }
        tally.merge(&other);
        assert_eq!(tally.to_string(), "skipped: 3 binary, 1 too large (>8 MiB)");
        assert_eq!(tally.total(), 4);
        let (kind, count, examples) = tally.iter().next().unwrap();
        assert_eq!((kind, count), (SkipKind::Binary, 3));
        assert_eq!(examples, [Path::new("x"), Path::new("y")]);
    }
}
