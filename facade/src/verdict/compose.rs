//! From what servers answered to a verdict: what is news, by the ledger of the conversation.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use fourfold_ledger::{
    Delta, Evidence, Finding, Fresh, Hides, Ledger, Origin, Resolved, Severity, Shown, Slot,
};

use super::concern::Unlooked;
use super::desk::UNKNOWN_KIND;
use super::result::{
    FileVerdict, FixedProblem, Problem, ProblemCounts, ServerAnswer, Verdict, VerdictState,
};
use super::text::NAMED;
use super::twins::{same_gone, same_mistake};
use crate::text::listed;

/// What one server answered about one file.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The server's name.
    pub(crate) server: String,
    /// Whether it checks types, so that it can make a file clean.
    pub(crate) types: bool,
    /// What its errors may hide of its other findings, if anything.
    pub(crate) errors_hide: Option<Hides>,
    /// The file, below the root.
    pub(crate) path: String,
    /// Whether the file is one of the change, not one that depends on it.
    pub(crate) changed: bool,
    /// What it says is wrong now; hints left out.
    pub(crate) heard: Vec<Heard>,
    /// What it said was wrong just before the change, if it said so for that very content.
    pub(crate) before: Option<Vec<Finding>>,
    /// Whether that was worked out from what there is now, because nobody had looked before.
    pub(crate) before_guessed: bool,
    /// Whether it is the whole truth.
    pub(crate) outcome: Outcome,
    /// How long it took.
    pub(crate) took: Duration,
    /// The lines that the change touched, from 0.
    pub(crate) edited: Vec<Range<u32>>,
}

/// One problem that a server told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    /// What identifies it; its line counts from 0.
    pub(crate) finding: Finding,
    /// Column in characters, from 1.
    pub(crate) column: u32,
    /// The line it is on.
    pub(crate) source: Option<String>,
}

/// Whether an answer is the whole truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Yes, and how that is known.
    Confirmed(&'static str),
    /// No, and why not.
    Unconfirmed(String),
}

/// A changed file for which a server that its language could have was not asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unserved {
    /// The file, below the root.
    pub(crate) path: String,
    /// Why, and what would help.
    pub(crate) reason: String,
    /// Whether that server checks types.
    pub(crate) types: bool,
    /// Whether it was to be asked and failed, so that its silence must not pass for consent.
    pub(crate) failed: bool,
}

/// What answers are about.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Question<'a> {
    /// The changed files.
    pub(super) files: &'a [String],
    /// Those for which a server was not asked.
    pub(super) unserved: &'a [Unserved],
    /// Other files that the change concerns and that nobody looked at.
    pub(super) unlooked: &'a [Unlooked],
    /// How many new problems are shown.
    pub(super) most: usize,
    /// Whether it is said how many more there are.
    pub(super) counts: bool,
}

/// Composes the verdict, and takes what it shows as told.
pub(super) fn compose(
    ledger: &mut Ledger,
    question: &Question<'_>,
    mut answers: Vec<Answer>,
) -> Verdict {
    let most = question.most;
    let mut news = Vec::new();
    let mut servers: BTreeMap<String, ServerAnswer> = BTreeMap::new();
    let mut states = States::of(question);
    sight(ledger, &mut answers);
    for answer in answers {
        note(&mut servers, &answer);
        let slot = answer.slot();
        let evidence = answer.evidence();
        let findings = answer.findings();
        let delta = ledger.observe_edit(&slot, evidence, &findings, &answer.edited);
        let one = News { answer, delta };
        states.take(
            &one.answer,
            one.delta.fresh.len() > one.reworded().fresh.len(),
        );
        news.push(one);
    }
    let lifted = lifted(ledger, &news);
    // Errors of the changed files first; a server that checks types before one that does not.
    news.sort_by_key(|one| (!one.answer.changed, !one.answer.types));

    let doubles = doubles(&news);
    let shown = choose(&news, &doubles, most);
    let new: Vec<Problem> = shown
        .iter()
        .filter_map(|(at, place)| news.get(*at)?.problem(*place))
        .collect();
    let (mut new_left_out, mut maybe_old_left_out, mut untold_left_out) = (0, 0, 0);
    for (at, one) in news.iter().enumerate() {
        let fresh = (0..one.delta.fresh.len()).map(|place| (at, place));
        let unshown = fresh.filter(|at| !shown.contains(at) && !doubles.contains_key(at));
        let unshown: Vec<usize> = unshown.map(|(_, place)| place).collect();
        let fresh = unshown
            .iter()
            .filter_map(|place| one.delta.fresh.get(*place));
        new_left_out += unshown.len();
        maybe_old_left_out += fresh.filter(|fresh| one.is_maybe_old(fresh)).count();
        if one.is_first_look() {
            untold_left_out += unshown.len();
        }
    }

    let mut gone_now = Vec::new();
    let (mut remaining, mut remaining_unseen) = (ProblemCounts::default(), 0);
    for (at, one) in news.iter().enumerate() {
        let before = news.get(..at).unwrap_or_default();
        let reworded = one.reworded().resolved;
        let gone = one.delta.resolved.iter().enumerate();
        let gone = gone
            .filter(|(at, _)| !reworded.contains(at))
            .map(|(_, gone)| gone);
        let gone = gone.filter(|resolved| !one.gone_before(before, resolved));
        let (path, server) = (&one.answer.path, &one.answer.server);
        gone_now.extend(gone.map(|resolved| fixed(path, server, resolved)));
        if one.answer.changed {
            let twice = one.known_twice(before);
            remaining.errors += one.delta.remaining.errors.saturating_sub(twice.errors);
            remaining.warnings += one.delta.remaining.warnings.saturating_sub(twice.warnings);
            remaining.information += one.delta.remaining.information;
            remaining_unseen += one.delta.unconfirmed;
        }
    }
    gone_now.extend(lifted);
    let left_out = gone_now.iter().skip(most).map(|one| one.count as usize);
    let fixed_left_out = left_out.sum();
    gone_now.truncate(most);

    // A double was told by its twin, if that was shown.
    let mut told: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, place) in &shown {
        told.entry(*at).or_default().push(*place);
    }
    for ((at, place), twin) in doubles {
        if twin.is_none_or(|twin| shown.contains(&twin)) {
            told.entry(at).or_default().push(place);
        }
    }
    for (at, one) in news.into_iter().enumerate() {
        let shown = Shown::These(told.remove(&at).unwrap_or_default());
        match one.is_first_look() && question.counts {
            true => ledger.acknowledge_counted(one.delta, shown),
            false => ledger.acknowledge(one.delta, shown),
        };
    }

    let mut unlooked: Vec<String> = question
        .unlooked
        .iter()
        .filter_map(|one| one.path.clone())
        .collect();
    unlooked.dedup();
    let unlooked_left_out = unlooked.len().saturating_sub(most);
    unlooked.truncate(most);
    let (state, reason, files) = states.end();
    Verdict {
        state,
        reason,
        new,
        new_left_out,
        maybe_old_left_out,
        untold_left_out,
        fixed: gone_now,
        fixed_left_out,
        remaining,
        remaining_unseen,
        earlier: Vec::new(),
        earlier_fixed: Vec::new(),
        files,
        unlooked,
        unlooked_left_out,
        servers: servers.into_values().collect(),
    }
}

/// Why a file is not clean though nothing is wrong in it.
fn not_looked_at(files: &[&Unlooked]) -> String {
    if let Some(one) = files.iter().find(|one| one.why.is_some()) {
        let why = one.why.as_deref().unwrap_or_default();
        return format!("which other files use what was changed is not known: {why}");
    }
    let server = files.first().map_or("", |one| one.server.as_str());
    let paths: Vec<&str> = files.iter().filter_map(|one| one.path.as_deref()).collect();
    format!(
        "{server} looks at open files alone, and did not look at {}, which use what was changed; \
         `check` them",
        listed(&paths, NAMED, 0)
    )
}

impl Answer {
    pub(super) fn slot(&self) -> Slot {
        Slot::new(&self.server, &self.path)
    }

    pub(super) fn evidence(&self) -> Evidence {
        match self.outcome {
            Outcome::Confirmed(_) => Evidence::Complete,
            Outcome::Unconfirmed(_) => Evidence::Partial,
        }
    }

    /// Nobody had looked into the file before: what is wrong where it uses what was changed may come
    /// from that, the rest does not. What is not the whole truth tells nothing of what was there.
    pub(super) fn guess(&mut self, rows: &[u32]) {
        self.before = None;
        if !matches!(self.outcome, Outcome::Confirmed(_)) {
            return;
        }
        let mut before = self.findings();
        before.retain(|one| !rows.contains(&one.line));
        self.before = Some(before);
        self.before_guessed = true;
    }

    pub(super) fn findings(&self) -> Vec<Finding> {
        self.heard.iter().map(|one| one.finding.clone()).collect()
    }
}

/// Shows the ledger all answers before it is asked about any: what was there before, and which
/// errors there are that may hide something elsewhere.
pub(super) fn sight(ledger: &mut Ledger, answers: &mut [Answer]) {
    for answer in &mut *answers {
        if let Some(hides) = answer.errors_hide {
            ledger.errors_hide(&answer.server, hides);
        }
        if let Some(before) = &answer.before {
            // What is known is no guess.
            answer.before_guessed &= ledger.baseline(&answer.slot(), before);
        }
    }
    let sure = |answer: &&Answer| matches!(answer.outcome, Outcome::Confirmed(_));
    for answer in answers.iter().filter(sure) {
        ledger.sight(&answer.slot(), &answer.findings());
    }
}

/// What is gone in files that no answer is about: an error hid it when it went, and now nothing does.
fn lifted(ledger: &mut Ledger, news: &[News]) -> Vec<FixedProblem> {
    let sure = |server: &str| {
        let mut answers = news.iter().map(|one| &one.answer);
        answers.all(|one| one.server != server || matches!(one.outcome, Outcome::Confirmed(_)))
    };
    let servers: BTreeSet<&str> = news.iter().map(|one| one.answer.server.as_str()).collect();
    let mut all = Vec::new();
    for server in servers.into_iter().filter(|server| sure(server)) {
        let of = news.iter().filter(|one| one.answer.server == server);
        let but: Vec<&str> = of.map(|one| one.answer.path.as_str()).collect();
        for (slot, gone) in ledger.lifted(server, &but) {
            let gone = gone.iter();
            all.extend(gone.map(|resolved| fixed(&slot.document, server, resolved)));
        }
    }
    all
}

fn fixed(path: &str, server: &str, resolved: &Resolved) -> FixedProblem {
    FixedProblem {
        path: path.to_owned(),
        severity: word(resolved.severity).to_owned(),
        code: resolved.code.clone(),
        message: resolved.message.clone(),
        count: resolved.count,
        server: server.to_owned(),
    }
}

/// Findings of a delta that are others in other words, by their places in it.
#[derive(Default)]
struct Reworded {
    fresh: Vec<usize>,
    resolved: Vec<usize>,
}

/// An answer with what of it is news.
struct News {
    answer: Answer,
    delta: Delta,
}

impl News {
    fn problem(&self, place: usize) -> Option<Problem> {
        let fresh = self.delta.fresh.get(place)?;
        let heard = self.answer.heard.get(fresh.index)?;
        Some(Problem {
            path: self.answer.path.clone(),
            line: fresh.finding.line.saturating_add(1),
            column: heard.column,
            severity: word(fresh.finding.severity).to_owned(),
            code: fresh.finding.code.clone(),
            message: fresh.finding.message.clone(),
            server: self.answer.server.clone(),
            source: heard.source.clone(),
            maybe_old: self.is_maybe_old(fresh),
            was: fresh.was.map(|was| word(was).to_owned()),
        })
    }

    fn is_maybe_old(&self, fresh: &Fresh) -> bool {
        self.is_first_look() || fresh.maybe_hidden || self.answer.before_guessed
    }

    /// Whether nobody had looked before, so that all of it may have been there.
    fn is_first_look(&self) -> bool {
        self.delta.origin == Origin::Unknown
    }

    /// Whether nothing speaks for it that the change brought this: nobody had looked before, and it is
    /// in none of the lines that were edited.
    fn is_unlikely(&self, fresh: &Fresh) -> bool {
        let mut edited = self.answer.edited.iter();
        self.is_first_look() && !edited.any(|lines| lines.contains(&fresh.finding.line))
    }

    /// What came that is what went, in other words: a server with two voices tells a mistake by the
    /// one today and by the other tomorrow. Only of a file that is as it was, where both stand on the
    /// same line.
    fn reworded(&self) -> Reworded {
        let mut all = Reworded::default();
        let Some(before) = self.answer.before.as_ref().filter(|_| !self.answer.changed) else {
            return all;
        };
        let heard = || self.answer.heard.iter().map(|one| &one.finding);
        let is = |one: &Finding, other: &Finding| {
            (one.line, &one.code, &one.message) == (other.line, &other.code, &other.message)
        };
        let went = |old: &&Finding| !heard().any(|now| is(now, old));
        let mut gone: Vec<&Finding> = before.iter().filter(went).collect();
        for (index, now) in heard().enumerate() {
            let came = now.code.is_some() && !before.iter().any(|old| is(now, old));
            let of = (now.line, now.severity, &now.code);
            let same = |old: &&Finding| (old.line, old.severity, &old.code) == of;
            let Some(at) = gone.iter().position(same).filter(|_| came) else {
                continue;
            };
            let old = gone.swap_remove(at);
            let mut fresh = self.delta.fresh.iter();
            all.fresh.extend(fresh.position(|one| one.index == index));
            let mut resolved = self.delta.resolved.iter().enumerate();
            let known = resolved.find(|(at, known)| {
                known.count == 1
                    && old.message.starts_with(&known.message)
                    && !all.resolved.contains(at)
            });
            all.resolved.extend(known.map(|(at, _)| at));
        }
        all
    }

    /// Whether another server has told that the same mistake is gone.
    fn gone_before(&self, before: &[News], resolved: &Resolved) -> bool {
        let others = before.iter().filter(|other| self.is_beside(other));
        let mut gone = others.flat_map(|other| &other.delta.resolved);
        gone.any(|other| same_gone(other, resolved))
    }

    /// How many of what was known before another server tells too.
    fn known_twice(&self, before: &[News]) -> ProblemCounts {
        let mut twice = ProblemCounts::default();
        let fresh: Vec<usize> = self.delta.fresh.iter().map(|fresh| fresh.index).collect();
        for (index, heard) in self.answer.heard.iter().enumerate() {
            let others = before.iter().filter(|other| self.is_beside(other));
            let mut told = others.flat_map(|other| &other.answer.heard);
            if fresh.contains(&index) || !told.any(|other| same_mistake(other, heard)) {
                continue;
            }
            match heard.finding.severity {
                Severity::Error => twice.errors += 1,
                Severity::Warning => twice.warnings += 1,
                Severity::Information | Severity::Hint => {}
            }
        }
        twice
    }

    /// Whether the other is of the same file and another server.
    fn is_beside(&self, other: &News) -> bool {
        self.answer.path == other.answer.path && self.answer.server != other.answer.server
    }
}

/// A fresh finding: which of the news, and its place there.
type At = (usize, usize);

/// The fresh findings that another server has told too, each with its twin; without, if the twin was
/// told earlier, or the same server told it in other words.
fn doubles(news: &[News]) -> BTreeMap<At, Option<At>> {
    let mut doubles = BTreeMap::new();
    for (later, second) in news.iter().enumerate() {
        let reworded = second.reworded().fresh;
        doubles.extend(reworded.iter().map(|place| ((later, *place), None)));
        for (place, fresh) in second.delta.fresh.iter().enumerate() {
            if reworded.contains(&place) {
                continue;
            }
            let Some(heard) = second.answer.heard.get(fresh.index) else {
                continue;
            };
            let before = news.iter().enumerate().take(later);
            let twin = before.into_iter().find_map(|(at, first)| {
                if first.answer.path != second.answer.path {
                    return None;
                }
                let same = |other: &Fresh| {
                    let said = first.answer.heard.get(other.index);
                    other.same_as(fresh) || said.is_some_and(|said| same_mistake(said, heard))
                };
                match first.delta.fresh.iter().position(same) {
                    Some(at_first) => Some(Some((at, at_first))),
                    None => {
                        let mut known = first.answer.heard.iter();
                        let told = known.any(|said| same_mistake(said, heard));
                        (told && second.is_beside(first)).then_some(None)
                    }
                }
            });
            doubles.extend(twin.map(|twin| ((later, place), twin)));
        }
    }
    doubles
}

/// Which of the fresh findings are shown: what the change is likely to have brought before the rest,
/// of either what the ledger advises before what else there is, errors of all before warnings of any.
fn choose(news: &[News], doubles: &BTreeMap<At, Option<At>>, most: usize) -> Vec<At> {
    let mut all = Vec::new();
    for (at, one) in news.iter().enumerate() {
        // Beside a syntax error what else is found may come from that.
        let broken = one.delta.fresh.iter().any(|fresh| fresh.finding.syntax);
        for (place, fresh) in one.delta.fresh.iter().enumerate() {
            let extra = place >= one.delta.advised;
            if doubles.contains_key(&(at, place)) || (extra && broken) {
                continue;
            }
            let finding = &fresh.finding;
            let rank = (!finding.syntax, finding.severity, (at, place));
            all.push((one.is_unlikely(fresh), extra, rank));
        }
    }
    all.sort();
    all.truncate(most);
    all.sort_by_key(|(unlikely, _, rank)| (*unlikely, *rank));
    all.into_iter().map(|(.., (.., at))| at).collect()
}

pub(super) fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    }
}

/// Enters an answer into the list of servers: the slowest and the least certain of a server counts.
fn note(servers: &mut BTreeMap<String, ServerAnswer>, answer: &Answer) {
    let took_ms = u64::try_from(answer.took.as_millis()).unwrap_or(u64::MAX);
    let (confirmed, how) = match &answer.outcome {
        Outcome::Confirmed(how) => (true, (*how).to_owned()),
        Outcome::Unconfirmed(why) => (false, why.clone()),
    };
    let entry = servers
        .entry(answer.server.clone())
        .or_insert_with(|| ServerAnswer {
            server: answer.server.clone(),
            confirmed,
            how: how.clone(),
            took_ms,
        });
    entry.took_ms = entry.took_ms.max(took_ms);
    if entry.confirmed && !confirmed {
        entry.confirmed = false;
        entry.how = how;
    }
}

/// The states of the changed files while answers come in.
struct States<'a> {
    files: Vec<FileState<'a>>,
    /// Whether a file that is none of the change has new problems.
    elsewhere: bool,
}

struct FileState<'a> {
    path: &'a str,
    problems: bool,
    unconfirmed: Vec<String>,
    by_types: bool,
    by_linter: Option<String>,
    unserved: Vec<&'a Unserved>,
    /// Files that use what may not be there any more, and that nobody looked at.
    unlooked: Vec<&'a Unlooked>,
}

impl<'a> States<'a> {
    fn of(question: &Question<'a>) -> States<'a> {
        let (unserved, unlooked) = (question.unserved, question.unlooked);
        let files = question.files.iter().map(|path| FileState {
            path,
            problems: false,
            unconfirmed: Vec::new(),
            by_types: false,
            by_linter: None,
            unserved: unserved.iter().filter(|one| one.path == *path).collect(),
            unlooked: unlooked
                .iter()
                .filter(|one| one.declared)
                .filter(|one| one.uses.is_empty() || one.uses.contains(path))
                .collect(),
        });
        States {
            files: files.collect(),
            elsewhere: false,
        }
    }

    /// Takes an answer in, and whether it has news.
    fn take(&mut self, answer: &Answer, news: bool) {
        let mut files = self.files.iter_mut();
        let Some(file) = files.find(|file| file.path == answer.path) else {
            self.elsewhere |= news;
            return;
        };
        file.problems |= news;
        match &answer.outcome {
            Outcome::Unconfirmed(why) => file.unconfirmed.push(format!("{}: {why}", answer.server)),
            Outcome::Confirmed(_) if answer.types => file.by_types = true,
            Outcome::Confirmed(_) => file.by_linter = Some(answer.server.clone()),
        }
    }

    fn end(self) -> (VerdictState, Option<String>, Vec<FileVerdict>) {
        let files: Vec<FileVerdict> = self.files.into_iter().map(FileState::end).collect();
        let worst = files.iter().map(|file| file.state).max();
        let state = match worst.unwrap_or(VerdictState::NoServer) {
            _ if self.elsewhere => VerdictState::Problems,
            worst => worst,
        };
        let mut reasons: Vec<&str> = Vec::new();
        for file in files.iter().filter(|file| file.state == state) {
            let reason = file.reason.as_deref().unwrap_or_default();
            if !reason.is_empty() && !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        let reason = (!reasons.is_empty()).then(|| reasons.join("; "));
        (state, reason, files)
    }
}

impl FileState<'_> {
    fn end(self) -> FileVerdict {
        let failed = self.unserved.iter().filter(|one| one.failed);
        let mut open = self.unconfirmed;
        open.extend(failed.map(|one| one.reason.clone()));
        let missing = self.unserved.iter().find(|one| one.types);
        let (state, reason) = if self.problems {
            (VerdictState::Problems, None)
        } else if !open.is_empty() {
            (VerdictState::Unconfirmed, Some(open.join("; ")))
        } else if self.by_types && !self.unlooked.is_empty() {
            (
                VerdictState::Unconfirmed,
                Some(not_looked_at(&self.unlooked)),
            )
        } else if self.by_types {
            (VerdictState::Clean, None)
        } else if let Some(linter) = self.by_linter {
            match missing {
                None => (VerdictState::Clean, None),
                Some(types) => {
                    let why = format!(
                        "{linter} found nothing, but checks no types; {}",
                        types.reason
                    );
                    (VerdictState::Unconfirmed, Some(why))
                }
            }
        } else {
            let reasons: Vec<&str> = self
                .unserved
                .iter()
                .map(|one| one.reason.as_str())
                .collect();
            let reason = match reasons.as_slice() {
                [] => UNKNOWN_KIND.to_owned(),
                reasons => reasons.join("; "),
            };
            (VerdictState::NoServer, Some(reason))
        };
        FileVerdict {
            path: self.path.to_owned(),
            state,
            reason,
            syntax_error_line: None,
        }
    }
}
