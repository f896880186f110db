//! The natural fragments with their meaning (`data/fragments/*.json`).

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::patterns::InContext;

/// The fragments of one language.
#[derive(Debug, Deserialize)]
pub struct Fragments {
    /// Language id.
    pub language: String,
    /// The fragments.
    pub patterns: Vec<Fragment>,
}

/// A fragment as an agent would write it, and what it means.
#[derive(Debug, Deserialize)]
pub struct Fragment {
    /// Its short name.
    pub id: String,
    /// What kind of thing it is (`call`, `type`, `optional-parts`, …).
    pub category: String,
    /// The text.
    pub pattern: String,
    /// Its meaning in the peer's terms; without one, what the peer finds is what is meant.
    pub oracle: Option<Oracle>,
    /// What the peer made of it when the file was written (`ok`, `silently-none`, …).
    pub ast_grep: String,
}

/// How the peer is made to find what a fragment means.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Oracle {
    /// One reading in its context.
    One(InContext),
    /// Several: their union.
    Many(Vec<InContext>),
    /// Every node of a kind: an upper bound, not a truth.
    Kind {
        /// The kind.
        kind: String,
    },
}

const OWN: [&str; 4] = [
    include_str!("../data/fragments/rust.json"),
    include_str!("../data/fragments/typescript.json"),
    include_str!("../data/fragments/python.json"),
    include_str!("../data/fragments/dart.json"),
];

/// The fragments that come with this crate.
///
/// # Errors
/// When a file of `data/fragments/` is not what it should be.
pub fn own() -> Result<Vec<Fragments>> {
    OWN.iter()
        .map(|t| serde_json::from_str(t).context("reading data/fragments"))
        .collect()
}

/// The fragments of a file of the same form.
///
/// # Errors
/// When it cannot be read or has another form.
pub fn read(path: &Path) -> Result<Fragments> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("reading the fragments in {}", path.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is no file of fragments", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_languages_are_there_with_their_counts() {
        let own = own().unwrap();
        let counts: Vec<_> = own
            .iter()
            .map(|f| (f.language.as_str(), f.patterns.len()))
            .collect();
        assert_eq!(
            counts,
            [
                ("rust", 36),
                ("typescript", 40),
                ("python", 39),
                ("dart", 35)
            ]
        );
        let ok = own
            .iter()
            .flat_map(|f| &f.patterns)
            .filter(|p| p.ast_grep == "ok")
            .count();
        // 27 + 25 + 30 + 10, and three that the peer finds by luck or as a part count among these.
        assert!((88..=95).contains(&ok), "{ok}");
    }
}
