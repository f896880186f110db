//! The patterns of the speed comparison (`data/patterns.json`).

use anyhow::{Context, Result};
use serde::Deserialize;

/// One pattern, as both programs are asked for it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Language id.
    pub language: String,
    /// The pattern as a person writes it; what we are always asked.
    pub pattern: String,
    /// Whether it holds a name that most files do not have.
    #[serde(default)]
    pub specific: bool,
    /// What the peer is asked instead, where the plain pattern means something else to it.
    pub peer: Option<InContext>,
    /// What a reader of the table has to know.
    pub note: Option<String>,
}

/// The peer's way to say what a fragment means: a pattern in its context, and the kind to select.
#[derive(Debug, Clone, Deserialize)]
pub struct InContext {
    /// The whole that parses as meant.
    pub pattern: String,
    /// The kind of the node inside it that is the pattern.
    pub selector: String,
}

/// All patterns, in the order of the file.
///
/// # Errors
/// When `data/patterns.json` is not what it should be.
pub fn all() -> Result<Vec<Question>> {
    serde_json::from_str(include_str!("../data/patterns.json"))
        .context("reading data/patterns.json")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn every_language_with_patterns_has_a_corpus_and_most_a_specific_name() {
        let corpora = crate::corpora::languages().unwrap();
        let mut specific: BTreeMap<String, usize> = BTreeMap::new();
        for question in all().unwrap() {
            assert!(
                corpora.contains(&question.language),
                "{}",
                question.language
            );
            *specific.entry(question.language).or_default() += usize::from(question.specific);
        }
        let without: Vec<_> = specific
            .iter()
            .filter(|(_, n)| **n == 0)
            .map(|(l, _)| l)
            .collect();
        assert_eq!(without, ["css"]);
    }
}
