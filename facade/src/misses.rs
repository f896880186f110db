//! When nothing matches: which words of the pattern stand nowhere, and where it nearly matches.

use std::collections::BTreeMap;

use fourfold_pattern_match::{NearMiss, Reading, Rung};
use fourfold_worktree::{Admitted, Control};

use crate::Error;
use crate::lines::Lines;
use crate::plan::Searcher;
use crate::result::{GrepSummary, NearMissInfo, excerpt};
use crate::run::Run;

/// The most files that are parsed for near misses: those that have most of the pattern's words.
const MAX_FILES: usize = 100;

/// Fills in what explains that nothing was found.
pub(crate) fn fill(
    run: &Run,
    limit: usize,
    max_text: usize,
    control: &Control,
    summary: &mut GrepSummary,
) -> Result<(), Error> {
    let files: Vec<&Admitted> = run.files().iter().collect();
    let mut words: BTreeMap<String, bool> = BTreeMap::new();
    let mut likely: Vec<(usize, usize)> = Vec::new();
    run.revisit(
        &files,
        control,
        |_, opened| {
            let required = required(&opened.ready.searcher)?;
            let present: Vec<bool> = required
                .iter()
                .map(|word| opened.text.contains(word.as_str()))
                .collect();
            Some((required, present))
        },
        |at, (required, present)| {
            let score = present.iter().filter(|is_present| **is_present).count();
            if score > 0 || required.is_empty() {
                likely.push((at, score));
            }
            for (word, is_present) in required.into_iter().zip(present) {
                *words.entry(word).or_default() |= is_present;
            }
        },
    )?;
    summary.absent_words = words
        .into_iter()
        .filter(|(word, is_present)| !is_present && word.contains(char::is_alphanumeric))
        .map(|(word, _)| word)
        .collect();
    likely.sort_by_key(|(at, score)| (std::cmp::Reverse(*score), *at));
    likely.truncate(MAX_FILES);
    let likely: Vec<&Admitted> = likely.into_iter().map(|(at, _)| files[at]).collect();
    let mut nearest: Vec<(usize, NearMissInfo)> = Vec::new();
    run.revisit(
        &likely,
        control,
        |worker, opened| {
            let Searcher::Pattern(search) = &opened.ready.searcher else {
                return None;
            };
            let tree = worker.parser.parse(opened.language, &opened.text).ok()?;
            let misses = search.explain(&opened.text, &tree, limit);
            let mut lines = Lines::new(&opened.text);
            let readings = search.pattern().readings();
            let described = misses.iter().map(|miss| {
                let rung = readings.get(miss.reading).map(Reading::rung);
                let info = describe(miss, rung, &opened.text, &mut lines, max_text);
                (miss.matched, info)
            });
            Some(described.collect::<Vec<_>>())
        },
        |at, misses| {
            for (matched, mut miss) in misses {
                miss.path = likely[at].to_string();
                nearest.push((matched, miss));
            }
        },
    )?;
    nearest.sort_by_key(|(matched, _)| std::cmp::Reverse(*matched));
    nearest.truncate(limit);
    summary.near_misses = nearest.into_iter().map(|(_, miss)| miss).collect();
    Ok(())
}

/// The words that every match of the primary reading contains; none for a query.
fn required(searcher: &Searcher) -> Option<Vec<String>> {
    Some(searcher.pattern()?.readings().first()?.required_text())
}

fn describe(
    miss: &NearMiss,
    rung: Option<Rung>,
    text: &str,
    lines: &mut Lines<'_>,
    max_text: usize,
) -> NearMissInfo {
    NearMissInfo {
        path: String::new(),
        start: lines.place(miss.range.start),
        text: excerpt(text, &miss.range, max_text, &mut false),
        rung: rung.map_or("", Rung::name),
        reason: miss.reason.to_string(),
    }
}
