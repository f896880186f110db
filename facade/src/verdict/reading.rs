//! From what servers say to answers: whose diagnostics, as findings, with the lines they are on.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fourfold_edit::LineMap;
use fourfold_ledger::{Finding, Hides, Severity};
use fourfold_lsp_client::{Dependent, Diagnostic, Evidence, InUse, Role, Session, Settled};

use super::after::Gone;
use super::change::{Change, Content, slashed};
use super::compose::{Answer, Heard, Outcome};
use super::concern::Concern;
use super::desk::{Asked, Desk, Pending};
use super::syntax::is_syntax;
use super::twins::distinct;

impl Desk {
    /// From what was asked and settled to answers, and what may still come.
    pub(super) fn answers(
        &self,
        all: Vec<(Asked, Settled)>,
        gone: Vec<Gone>,
        changes: &[Change],
        concern: &Concern,
    ) -> (Vec<Answer>, Vec<Pending>) {
        let mut answers = Vec::new();
        let mut pending = Vec::new();
        let ours = |path: &Path| changes.iter().any(|change| change.absolute == *path);
        // The last word on a file that is none of the change counts; a sure one before others.
        let mut others: BTreeMap<(String, PathBuf), (InUse, Dependent, bool)> = BTreeMap::new();
        for (asked, settled) in all {
            let Some(change) = changes.get(asked.change) else {
                continue;
            };
            let before = match &settled.before {
                Some(late) if late.evidence.is_confirmed() => Some(late.diagnostics.clone()),
                _ => asked.before.clone(),
            };
            let known = asked.others_known;
            let edited = edited(change);
            let off = switched_off(&settled.diagnostics, &edited, change);
            let mut answer = self.answer(&asked.lease, &change.absolute, &settled, before, edited);
            if let (Outcome::Confirmed(_), Some(off)) = (&answer.outcome, off) {
                answer.outcome = Outcome::Unconfirmed(off);
            }
            if let Some(rows) = &change.owed {
                answer.guess(rows);
            }
            answers.push(answer);
            if !settled.evidence.is_confirmed() {
                pending.push(Pending::of(&asked.lease, &change.absolute));
            }
            for dependent in settled.dependents {
                if ours(&dependent.path) {
                    continue;
                }
                let key = (asked.lease.spec().id.clone(), dependent.path.clone());
                let sure = |one: &Dependent| one.evidence.is_confirmed();
                match others.get(&key) {
                    Some((_, earlier, _)) if sure(earlier) && !sure(&dependent) => {}
                    _ => {
                        others.insert(key, (asked.lease.clone(), dependent, known));
                    }
                }
            }
        }
        for one in gone {
            let (outcome, took) = match &one.witness {
                Some((_, settled)) => (outcome(&settled.evidence), settled.took),
                None if one.lease.spec().role != Role::Types => {
                    (Outcome::Confirmed(ALONE), Duration::ZERO)
                }
                None => (Outcome::Unconfirmed(NOBODY_LEFT.to_owned()), Duration::ZERO),
            };
            for change in one.files.iter().filter_map(|at| changes.get(*at)) {
                answers.push(Answer {
                    server: one.lease.spec().id.clone(),
                    types: one.lease.spec().role == Role::Types,
                    errors_hide: errors_hide(&one.lease),
                    path: change.path.clone(),
                    changed: true,
                    heard: Vec::new(),
                    before: None,
                    before_guessed: false,
                    outcome: outcome.clone(),
                    took,
                    edited: Vec::new(),
                });
            }
            let Some((path, settled)) = one.witness else {
                continue;
            };
            let key = (one.lease.spec().id.clone(), path.clone());
            let sure = |(_, other, _): &(InUse, Dependent, bool)| other.evidence.is_confirmed();
            // It may have been heard of with a file that was written.
            if !others.get(&key).is_some_and(sure) {
                others.remove(&key);
                let mut told = self.answer(&one.lease, &path, &settled, None, Vec::new());
                told.changed = false;
                answers.push(told);
            }
            for dependent in settled.dependents {
                if dependent.path != path && !ours(&dependent.path) {
                    let key = (one.lease.spec().id.clone(), dependent.path.clone());
                    others
                        .entry(key)
                        .or_insert((one.lease.clone(), dependent, true));
                }
            }
        }
        for ((_, path), (lease, dependent, known)) in others {
            let before = match dependent.before {
                Some(before) if known || was_asked(&dependent.evidence) => Some(before),
                // A server that publishes and had answered about the text before had nothing to say
                // about this file.
                None if known && !was_asked(&dependent.evidence) => Some(Vec::new()),
                _ => None,
            };
            let mut told = self.told(&lease, &path, &dependent.diagnostics, &dependent.evidence);
            match concern.rows_of_late(&lease, &path, &self.root) {
                Some(rows) => told.guess(rows),
                None => told.before = before.map(|all| findings(&lease, &all)),
            }
            answers.push(told);
        }
        (answers, pending)
    }

    /// What was settled about a file of the change.
    pub(super) fn answer(
        &self,
        session: &Session,
        path: &Path,
        settled: &Settled,
        before: Option<Vec<Diagnostic>>,
        edited: Vec<Range<u32>>,
    ) -> Answer {
        let mut answer = self.told(session, path, &settled.diagnostics, &settled.evidence);
        answer.changed = true;
        answer.before = before.map(|all| findings(session, &all));
        answer.took = settled.took;
        answer.edited = edited;
        if settled.diagnostics.iter().any(is_unlinked) {
            answer.outcome = Outcome::Unconfirmed(UNLINKED.to_owned());
        }
        answer
    }

    /// What a server says about a file that is none of the change.
    pub(super) fn told(
        &self,
        session: &Session,
        path: &Path,
        diagnostics: &[Diagnostic],
        evidence: &Evidence,
    ) -> Answer {
        Answer {
            server: session.spec().id.clone(),
            types: session.spec().role == Role::Types,
            errors_hide: errors_hide(session),
            path: self.relative(path),
            changed: false,
            heard: self.heard(&session.spec().id, path, diagnostics),
            before: None,
            before_guessed: false,
            outcome: outcome(evidence),
            took: Duration::ZERO,
            edited: Vec::new(),
        }
    }

    pub(super) fn relative(&self, path: &Path) -> String {
        slashed(path.strip_prefix(&self.root).unwrap_or(path))
    }

    /// The problems of a file as answers show them; hints are left out. The columns are counted in
    /// the file as it is on disk now.
    pub(super) fn heard(
        &self,
        server: &str,
        path: &Path,
        diagnostics: &[Diagnostic],
    ) -> Vec<Heard> {
        if diagnostics.is_empty() {
            return Vec::new();
        }
        let text = fs::read_to_string(path).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let shown = distinct(diagnostics).filter_map(|diagnostic| {
            let finding = finding(server, diagnostic)?;
            let start = diagnostic.span.start;
            let line = lines.get(start.line as usize).copied();
            let before = line.and_then(|line| line.get(..start.column as usize));
            let characters = before.map_or(start.column as usize, |before| before.chars().count());
            Some(Heard {
                finding,
                column: u32::try_from(characters)
                    .unwrap_or(u32::MAX)
                    .saturating_add(1),
                source: line.map(cut),
            })
        });
        shown.collect()
    }
}

fn errors_hide(session: &Session) -> Option<Hides> {
    match session.spec().diagnostics.errors_hide {
        fourfold_lsp_client::Hides::All => Some(Hides::All),
        fourfold_lsp_client::Hides::Lesser => Some(Hides::Lesser),
        _ => None,
    }
}

/// Whether the server was asked about the file itself.
fn was_asked(evidence: &Evidence) -> bool {
    matches!(evidence, Evidence::Pulled | Evidence::Asked)
}

/// What there is to say about a file that a server does not look into when it has nothing open to
/// judge it by.
const NOBODY_LEFT: &str = "no file that may depend on it is open here; `check` those that do";

/// Why a linter has nothing to say about a file that is gone.
const ALONE: &str = "it looks at each file by itself";

/// The longest source line that is shown, in characters.
const SOURCE: usize = 160;

fn cut(line: &str) -> String {
    match line.char_indices().nth(SOURCE) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line.to_owned(),
    }
}

/// The lines that a change touched, from 0.
fn edited(change: &Change) -> Vec<Range<u32>> {
    let (Some(before), Some(after)) = (change.before.text(), change.after.text()) else {
        return Vec::new();
    };
    let number = |row: usize| u32::try_from(row).unwrap_or(u32::MAX);
    let map = LineMap::between(before.as_bytes(), after.as_bytes());
    let rows = map.edited_rows().iter();
    rows.map(|rows| number(rows.start)..number(rows.end))
        .collect()
}

fn findings(lease: &Session, diagnostics: &[Diagnostic]) -> Vec<Finding> {
    let all = distinct(diagnostics);
    all.filter_map(|diagnostic| finding(&lease.spec().id, diagnostic))
        .collect()
}

/// A diagnostic as the ledger knows it; nothing for a hint, which is never told.
fn finding(server: &str, diagnostic: &Diagnostic) -> Option<Finding> {
    let severity = match diagnostic.severity {
        fourfold_lsp_client::Severity::Error => Severity::Error,
        fourfold_lsp_client::Severity::Warning => Severity::Warning,
        fourfold_lsp_client::Severity::Information => Severity::Information,
        fourfold_lsp_client::Severity::Hint => return None,
    };
    let start = diagnostic.span.start;
    let mut finding = Finding::new(severity, without_trace(&diagnostic.message), start.line)
        .at_column(start.column.saturating_add(1));
    if let Some(code) = &diagnostic.code {
        finding = finding.with_code(code);
    }
    if is_syntax(server, diagnostic) {
        finding = finding.as_syntax();
    }
    Some(finding)
}

/// A message without the places in the server's own code where it gave up, which are others each time.
fn without_trace(message: &str) -> &str {
    let own = |line: &str| line.trim_start().starts_with("at ") && line.contains(".js:");
    let mut at = 0;
    for line in message.split_inclusive('\n') {
        if own(line) {
            break;
        }
        at += line.len();
    }
    message.get(..at).unwrap_or(message).trim_end()
}

/// Whether a server says that it does not look at a file, because it is part of nothing.
fn is_unlinked(diagnostic: &Diagnostic) -> bool {
    diagnostic.code.as_deref() == Some("unlinked-file")
}

/// What that means.
const UNLINKED: &str = "the file is part of no crate that is checked here, so it is not either; \
                        declare it as a module, unless it is one of a target or under a `cfg` that \
                        is switched off";

/// Why lines that were written were looked at by nobody: they are not compiled here.
fn switched_off(
    diagnostics: &[Diagnostic],
    edited: &[Range<u32>],
    change: &Change,
) -> Option<String> {
    let new = change.before == Content::Absent;
    let off = diagnostics.iter().find(|one| {
        let (first, last) = (one.span.start.line, one.span.end.line);
        let mut edited = edited.iter();
        let touched = edited.any(|rows| rows.start <= last && first < rows.end);
        one.code.as_deref() == Some("inactive-code") && (new || touched)
    })?;
    let (first, last) = (off.span.start.line + 1, off.span.end.line + 1);
    let lines = match first == last {
        true => format!("line {first} is"),
        false => format!("lines {first} to {last} are"),
    };
    let why = off.message.trim_start_matches("code is inactive due to ");
    Some(format!(
        "{lines} not compiled here, so nobody looked at them: {why}"
    ))
}

fn outcome(evidence: &Evidence) -> Outcome {
    match evidence {
        Evidence::ExactVersion => Outcome::Confirmed("it published for exactly this text"),
        Evidence::Pulled => Outcome::Confirmed("it was asked about this text"),
        Evidence::Asked => Outcome::Confirmed("its compiler was asked about this text"),
        Evidence::QuietAfterChange => {
            Outcome::Confirmed("it published after the change and was quiet since")
        }
        Evidence::CheckEnded => Outcome::Confirmed("its check of the project ended"),
        Evidence::Unconfirmed(why) => Outcome::Unconfirmed(why.to_string()),
        _ => Outcome::Unconfirmed("it answered in a way that is not known here".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_server_gave_up_in_its_own_code_is_no_part_of_a_message() {
        let told = "Maximum parse depth exceeded; RangeError: stack\n    at Checker.visit \
                    (/opt/node_modules/pyright/dist/checker.js:1:22)\n    at more (x.js:3:4)";
        assert_eq!(
            without_trace(told),
            "Maximum parse depth exceeded; RangeError: stack"
        );
        for whole in ["one\n  at the end", "one", ""] {
            assert_eq!(without_trace(whole), whole);
        }
    }
}
