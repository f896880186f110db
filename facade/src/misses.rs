//! When nothing matches: which words of the pattern stand nowhere, and where it nearly matches.

use std::collections::BTreeMap;

use fourfold_pattern_match::{NearMiss, Reading, Rung};
use fourfold_worktree::{Admitted, Control};

use crate::Error;
use crate::lines::Lines;
use crate::nearest::nearest;
use crate::plan::Searcher;
use crate::result::{GrepSummary, NearMissInfo, excerpt};
use crate::run::Run;
use crate::words::{is_word, whole};

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
    let mut words: BTreeMap<String, Option<Near>> = BTreeMap::new();
    let mut likely: Vec<(usize, usize)> = Vec::new();
    run.revisit(
        &files,
        control,
        |_, opened| {
            let required = required(&opened.ready.searcher)?;
            let near: Vec<Option<Near>> = required
                .iter()
                .map(|word| Near::of(word, &opened.text))
                .collect();
            Some((required, near))
        },
        |at, (required, near)| {
            let is_there = |near: &&Option<Near>| matches!(near, Some(Near::There));
            let score = near.iter().filter(is_there).count();
            if score > 0 || required.is_empty() {
                likely.push((at, score));
            }
            for (word, near) in required.into_iter().zip(near) {
                let known = words.entry(word).or_default();
                *known = std::mem::take(known).max(near);
            }
        },
    )?;
    for (word, near) in words {
        if !word.contains(char::is_alphanumeric) || near == Some(Near::There) {
            continue;
        }
        if let Some(Near::Alike(_, std::cmp::Reverse(other))) = near {
            summary.near_words.insert(word.clone(), other);
        }
        summary.absent_words.push(word);
    }
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
            let tree = worker.parse(opened.language, &opened.text).ok()?;
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

/// What a text has of a word; the best comes last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Near {
    /// Another word that is written nearly so, and how often. The first in the alphabet of those that
    /// are as frequent.
    Alike(usize, std::cmp::Reverse<String>),
    /// The word itself.
    There,
}

impl Near {
    fn of(word: &str, text: &str) -> Option<Near> {
        if whole(text, word).next().is_some() {
            return Some(Near::There);
        }
        if !word.contains(char::is_alphanumeric) || !word.chars().all(is_word) {
            return None;
        }
        let mut alike: BTreeMap<&str, usize> = BTreeMap::new();
        for other in text.split(|c| !is_word(c)) {
            // Most words are told apart at a glance.
            let near = other.len().abs_diff(word.len()) <= 2
                && (other.get(..1) == word.get(..1)
                    || other.ends_with(word.get(1..).unwrap_or(word)));
            if let (true, Some(count)) = (near, alike.get_mut(other)) {
                *count += 1;
            } else if near && nearest(word, [other]).is_some() {
                alike.insert(other, 1);
            }
        }
        let best = alike
            .into_iter()
            .map(|(other, count)| Near::Alike(count, std::cmp::Reverse(other.to_owned())));
        best.max()
    }
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
