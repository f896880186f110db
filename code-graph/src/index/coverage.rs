//! What an index speaks of, and what it leaves out.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Why a file is left out, or why only its outline is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// A program wrote it: its banner, name or folder says so.
    Generated,
    /// It belongs to a dependency that is kept in the checkout.
    Vendored,
    /// It is made for machines: minified, or of very long lines.
    Minified,
    /// It is longer than the limit.
    TooLarge,
    /// Parsing it took longer than the limit.
    TooSlow,
    /// It has a shape that the language's grammar cannot take.
    BeyondGrammar,
    /// It is no text.
    Binary,
    /// Its bytes are not UTF-8.
    NotUtf8,
    /// It could not be read, by permission or because the system failed.
    Unreadable,
    /// It lies in a work tree of its own inside this one.
    OtherWorkTree,
    /// The work on it failed in a way that nobody foresaw.
    Crashed,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Generated => "generated",
            Reason::Vendored => "vendored",
            Reason::Minified => "minified",
            Reason::TooLarge => "too large",
            Reason::TooSlow => "too slow to parse",
            Reason::BeyondGrammar => "beyond the grammar",
            Reason::Binary => "binary",
            Reason::NotUtf8 => "not UTF-8",
            Reason::Unreadable => "unreadable",
            Reason::OtherWorkTree => "in another work tree",
            Reason::Crashed => "crashed",
        })
    }
}

/// How many files, and the first few of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// How many.
    pub files: usize,
    /// The first of them, in the order of their paths.
    pub examples: Vec<String>,
}

/// So many examples are kept.
const EXAMPLES: usize = 50;

impl Counted {
    fn add(&mut self, path: &str) {
        self.files += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(path.to_owned());
        }
    }
}

/// What an index speaks of: source files in languages that it knows.
///
/// Displays as `412 of 430 files (6 partial, 9 in outline: 9 generated); skipped: 12 vendored, 6 too large`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Source files that there are, those that are left out included.
    pub files: usize,
    /// Files that are indexed: whole, partial and in outline together.
    pub indexed: usize,
    /// Indexed files with syntax errors: what could be read around them is in.
    pub partial: Counted,
    /// Indexed files whose symbols are in while where their calls lead is not, by reason.
    pub outline: BTreeMap<Reason, Counted>,
    /// Files that are left out, by reason.
    pub skipped: BTreeMap<Reason, Counted>,
}

impl Coverage {
    /// Counts an indexed file.
    pub(super) fn add(&mut self, path: &str, partial: bool, outline: Option<Reason>) {
        self.files += 1;
        self.indexed += 1;
        if partial {
            self.partial.add(path);
        }
        if let Some(reason) = outline {
            self.outline.entry(reason).or_default().add(path);
        }
    }

    /// Counts a file that is left out.
    pub(super) fn skip(&mut self, path: &str, reason: Reason) {
        self.files += 1;
        self.skipped.entry(reason).or_default().add(path);
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} files", self.indexed, self.files)?;
        let list = |counts: &BTreeMap<Reason, Counted>| {
            let parts = counts
                .iter()
                .map(|(why, count)| format!("{} {why}", count.files));
            parts.collect::<Vec<_>>().join(", ")
        };
        let mut notes = Vec::new();
        if self.partial.files > 0 {
            notes.push(format!("{} partial", self.partial.files));
        }
        if !self.outline.is_empty() {
            let files: usize = self.outline.values().map(|count| count.files).sum();
            notes.push(format!("{files} in outline: {}", list(&self.outline)));
        }
        if !notes.is_empty() {
            write!(f, " ({})", notes.join("; "))?;
        }
        if !self.skipped.is_empty() {
            write!(f, "; skipped: {}", list(&self.skipped))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_reads_well() {
        let mut coverage = Coverage::default();
        assert_eq!(coverage.to_string(), "0 of 0 files");
        coverage.add("a.py", false, None);
        assert_eq!(coverage.to_string(), "1 of 1 files");
        coverage.add("b.py", true, None);
        coverage.add("c_pb2.py", false, Some(Reason::Generated));
        coverage.skip("node_modules/x.js", Reason::Vendored);
        coverage.skip("big.py", Reason::TooLarge);
        assert_eq!(
            coverage.to_string(),
            "3 of 5 files (1 partial; 1 in outline: 1 generated); skipped: 1 vendored, 1 too large"
        );
    }
}
