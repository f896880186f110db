//! `ast_grep`: search the files and tell what was found.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};

use fourfold_pattern_match::{Capture, Match};
use fourfold_syntax::Language;
use fourfold_worktree::{Control, Ended};

use crate::Error;
use crate::checkout::Checkout;
use crate::lines::Lines;
use crate::misses;
use crate::plan::{Plan, Searcher};
use crate::request::{GrepRequest, Selection, Shape};
use crate::result::{
    CaptureText, FileMatches, GrepResult, GrepSummary, LeftOut, MatchInfo, ReadingCount, capped,
    excerpt,
};
use crate::run::{Hit, Run};
use crate::text;

/// Near misses of a collected result.
const NEAR_MISSES: usize = 5;

/// What a worker makes of a file with matches.
struct FileFound {
    matches: FileMatches,
    language: Language,
    per_reading: Vec<usize>,
}

impl Checkout {
    /// Searches, and hands over the matches of each file, in path order, while the search goes on;
    /// blocking. `each` ends the search by breaking.
    ///
    /// Without a `limit` everything is given. With one, the rest is still counted. With
    /// [`count_only`](GrepRequest::count_only) the files come without matches. `control` cancels
    /// from another thread and tells the progress.
    ///
    /// # Errors
    /// A path or glob that cannot be used, a language that is unknown, a pattern that is no code of
    /// any language asked for or met; [`Error::Cancelled`] when that happens before the first file.
    pub fn grep_each(
        &self,
        request: &GrepRequest,
        control: &Control,
        each: &mut dyn FnMut(FileMatches) -> ControlFlow<()>,
    ) -> Result<GrepSummary, Error> {
        let run = self.run(&request.shape, None, &request.selection, control)?;
        run.check()?;
        let mut summary = self.grep_run(&run, request, control, each)?;
        if summary.matches == 0 && !summary.incomplete {
            run.check_nothing_found()?;
            summary.unmet = run.unmet(self.tree(), &request.selection, control)?;
        }
        let near_misses = request.near_misses.unwrap_or(0);
        if summary.matches == 0 && !summary.incomplete && near_misses > 0 {
            let max_text = self.max_text(request.max_text_bytes);
            misses::fill(&run, near_misses, max_text, control, &mut summary)?;
        }
        Ok(summary)
    }

    /// Searches and collects; blocking. At most `limit` matches, 100 unless configured; when
    /// nothing matches, the nearest misses with the reason.
    ///
    /// # Errors
    /// Those of [`grep_each`](Checkout::grep_each), and [`Error::Cancelled`].
    pub fn grep(&self, request: &GrepRequest, control: &Control) -> Result<GrepResult, Error> {
        let request = GrepRequest {
            // None at a time would never come to an end.
            count_only: request.count_only || request.limit == Some(0),
            limit: Some(request.limit.unwrap_or(self.limits().max_results)),
            near_misses: Some(request.near_misses.unwrap_or(NEAR_MISSES)),
            ..request.clone()
        };
        let mut files = Vec::new();
        let summary = self.grep_each(&request, control, &mut |file| {
            files.push(file);
            ControlFlow::Continue(())
        })?;
        if summary.incomplete {
            return Err(Error::Cancelled);
        }
        Ok(GrepResult { files, summary })
    }

    pub(crate) fn run(
        &self,
        shape: &Shape,
        template: Option<&str>,
        selection: &Selection,
        control: &Control,
    ) -> Result<Run, Error> {
        let plan = Plan::new(shape, template)?;
        let run = Run::prepare(self.tree(), self.limits(), plan, selection, control)?;
        Ok(run.with_index(self.index_if_open()))
    }

    pub(crate) fn max_text(&self, given: Option<usize>) -> usize {
        given.unwrap_or(self.limits().max_text_bytes)
    }

    /// The search itself, without near misses.
    pub(crate) fn grep_run(
        &self,
        run: &Run,
        request: &GrepRequest,
        control: &Control,
        each: &mut dyn FnMut(FileMatches) -> ControlFlow<()>,
    ) -> Result<GrepSummary, Error> {
        let wanted = window(request);
        let max_text = self.max_text(request.max_text_bytes);
        // How many matches the sink has seen: what comes after the window is only counted.
        let seen = AtomicUsize::new(0);
        let mut counts = Counts::default();
        let (mut matched, mut shown) = (0, 0);
        let work = |hit: Hit<'_>| {
            let room = wanted.end.saturating_sub(seen.load(Ordering::Relaxed));
            Some(describe(hit, room, max_text, request.with_source))
        };
        let done = run.search(control, work, |_, found| {
            let FileFound {
                mut matches,
                language,
                per_reading,
            } = found;
            let from = seen.load(Ordering::Relaxed);
            seen.store(from + matches.count, Ordering::Relaxed);
            matched += 1;
            counts.add(language, &per_reading);
            let first = wanted.start.saturating_sub(from).min(matches.matches.len());
            matches.matches.drain(..first);
            matches
                .matches
                .truncate(wanted.end.saturating_sub(from.max(wanted.start)));
            shown += matches.matches.len();
            if matches.matches.is_empty() && !request.count_only {
                return ControlFlow::Continue(());
            }
            each(matches)
        })?;
        let cut_short = done.ended == Ended::Enough;
        let mut summary = run.summary(done);
        summary.matches = seen.load(Ordering::Relaxed);
        summary.shown = shown;
        summary.files_matched = matched;
        summary.readings = counts.readings(&run.plan);
        if summary.matches == 0 {
            summary.hint = run.plan.likely_slip().map(str::to_owned);
        }
        if summary.matches > 0 && request.offset >= summary.matches && !request.count_only {
            summary.unmet.push(format!(
                "offset {} is past the last of {}",
                request.offset,
                text::count(summary.matches, "match")
            ));
        }
        let rest = summary.matches.saturating_sub(wanted.end);
        if rest > 0 && !request.count_only && !cut_short {
            summary.left_out = Some(LeftOut {
                matches: rest,
                next_offset: wanted.end,
            });
        }
        Ok(summary)
    }
}

/// Which matches are to be given, by their number.
fn window(request: &GrepRequest) -> Range<usize> {
    if request.count_only {
        return 0..0;
    }
    let end = request
        .limit
        .map_or(usize::MAX, |limit| request.offset.saturating_add(limit));
    request.offset..end
}

/// Matches per language and reading.
#[derive(Default)]
pub(crate) struct Counts(BTreeMap<Language, Vec<usize>>);

impl Counts {
    pub(crate) fn add(&mut self, language: Language, per_reading: &[usize]) {
        let counts = self.0.entry(language).or_default();
        counts.resize(counts.len().max(per_reading.len()), 0);
        for (count, more) in counts.iter_mut().zip(per_reading) {
            *count += more;
        }
    }

    /// The readings that matched with the primary one of their language; when nothing matched,
    /// the primary one of each usable language.
    pub(crate) fn readings(&self, plan: &Plan) -> Vec<ReadingCount> {
        let nothing = self.0.is_empty();
        let mut all = Vec::new();
        for (language, ready) in plan.compiled() {
            let Ok(ready) = ready else { continue };
            let counts = self.0.get(&language);
            if counts.is_none() && !nothing {
                continue;
            }
            for reading in 0..ready.searcher.readings() {
                let matches = counts
                    .and_then(|counts| counts.get(reading))
                    .copied()
                    .unwrap_or_default();
                if matches > 0 || reading == 0 {
                    all.push(reading_count(language, &ready.searcher, reading, matches));
                }
            }
        }
        all
    }

    /// The further readings that matched.
    pub(crate) fn others(&self, plan: &Plan) -> Vec<ReadingCount> {
        let mut all = self.readings(plan);
        all.retain(|reading| !reading.primary && reading.matches > 0);
        all
    }
}

fn reading_count(
    language: Language,
    searcher: &Searcher,
    reading: usize,
    matches: usize,
) -> ReadingCount {
    ReadingCount {
        language: language.id(),
        rung: searcher.rung(reading),
        kind: searcher.kind(reading).to_owned(),
        primary: reading == 0,
        matches,
    }
}

pub(crate) fn per_reading(searcher: &Searcher, matches: &[Match]) -> Vec<usize> {
    let mut counts = vec![0; searcher.readings()];
    for found in matches {
        if let Some(count) = counts.get_mut(found.reading) {
            *count += 1;
        }
    }
    counts
}

/// The first `room` matches of a file, for people and models.
fn describe(hit: Hit<'_>, room: usize, max_text: usize, with_source: bool) -> FileFound {
    let searcher = &hit.ready.searcher;
    let per_reading = per_reading(searcher, &hit.found.matches);
    let count = hit.found.matches.len();
    let mut matches = Vec::with_capacity(count.min(room));
    if room > 0 {
        let mut lines = Lines::new(&hit.text);
        for found in hit.found.matches.iter().take(room) {
            let texts = (!with_source).then_some(max_text);
            matches.push(match_info(searcher, &hit.text, &mut lines, found, texts));
        }
    }
    let source = match with_source && !matches.is_empty() {
        true => hit.text,
        false => String::new(),
    };
    FileFound {
        matches: FileMatches {
            path: hit.file.to_string(),
            language: hit.language.id(),
            count,
            has_errors: hit.found.has_errors,
            matches,
            source,
        },
        language: hit.language,
        per_reading,
    }
}

/// One match; with its texts cut to so many bytes, or without them.
fn match_info(
    searcher: &Searcher,
    text: &str,
    lines: &mut Lines<'_>,
    found: &Match,
    texts: Option<usize>,
) -> MatchInfo {
    let start = lines.place(found.range.start);
    let end = lines.end(found.range.end);
    let mut info = MatchInfo {
        start,
        end,
        text: String::new(),
        truncated: false,
        captures: BTreeMap::new(),
        rung: searcher.rung(found.reading),
        kind: found.kind,
        further: found.reading > 0,
    };
    if let Some(max) = texts {
        let cut = &mut info.truncated;
        info.text = excerpt(text, &found.range, max, cut);
        for (variable, capture) in searcher.variables().iter().zip(&found.captures) {
            let capture = capture_text(text, capture, max, cut);
            info.captures.insert(variable.name.clone(), capture);
        }
    }
    info
}

/// A list is cut to `max` bytes in all.
fn capture_text(text: &str, capture: &Capture, max: usize, truncated: &mut bool) -> CaptureText {
    let items = match capture {
        Capture::One(range) => return CaptureText::One(excerpt(text, range, max, truncated)),
        Capture::Many(items) => items,
    };
    let mut left = max;
    let mut shown = Vec::new();
    for range in items {
        let item = text.get(range.clone()).unwrap_or_default();
        if left == 0 {
            *truncated = true;
            shown.push("…".to_owned());
            break;
        }
        shown.push(capped(item, left, truncated));
        left = left.saturating_sub(item.len().max(1));
    }
    CaptureText::Many(shown)
}
