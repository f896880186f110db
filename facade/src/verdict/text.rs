//! The verdict in words: the state first, then what is new, then the rest.

use std::fmt::{self, Write as _};

use super::result::{CheckResult, FixedProblem, Problem, ProblemCounts, Verdict, VerdictState};
use crate::plain::OneLine;
use crate::text::listed;

impl fmt::Display for Verdict {
    /// As compact text for a person or a model; ends with a line end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(self))
    }
}

impl fmt::Display for Problem {
    /// Where it is, what it is and the line it is on; ends with a line end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        one_problem(&mut out, self);
        f.write_str(&out)
    }
}

impl fmt::Display for FixedProblem {
    /// Where it was and what it was; ends with a line end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        gone(&mut out, self);
        f.write_str(&out)
    }
}

fn text(verdict: &Verdict) -> String {
    let mut out = headline(verdict);
    let old = verdict
        .new
        .iter()
        .filter(|problem| problem.maybe_old)
        .count();
    let some = old < verdict.new.len();
    for problem in &verdict.new {
        one_problem(&mut out, problem);
        if some && problem.maybe_old {
            out.push_str("      (may have been there before)\n");
        }
    }
    let surely = verdict
        .new_left_out
        .saturating_sub(verdict.maybe_old_left_out);
    if surely > 0 {
        let _ = writeln!(out, "  … {surely} more new, not shown");
    }
    let perhaps = verdict.maybe_old_left_out;
    let perhaps = perhaps.saturating_sub(verdict.untold_left_out);
    if perhaps > 0 {
        let _ = writeln!(
            out,
            "  … {perhaps} more that may have been there before, not shown"
        );
    }
    if verdict.untold_left_out > 0 {
        let _ = writeln!(
            out,
            "  … {} more where nobody had looked before, which are not told again; `lsp \
             diagnostics` lists those of a file",
            verdict.untold_left_out
        );
    }
    if old > 0 && !some {
        out.push_str("  (all of it may have been there before: what the file held is not known, or an error hid it)\n");
    }
    for fixed in &verdict.fixed {
        gone(&mut out, fixed);
    }
    if verdict.fixed_left_out > 0 {
        let _ = writeln!(out, "  … {} more fixed", verdict.fixed_left_out);
    }
    if !verdict.earlier.is_empty() || !verdict.earlier_fixed.is_empty() {
        out.push_str("found since the last answer, not by this change:\n");
        for problem in &verdict.earlier {
            one_problem(&mut out, problem);
        }
        for fixed in &verdict.earlier_fixed {
            gone(&mut out, fixed);
        }
    }
    for file in &verdict.files {
        if let Some(line) = file.syntax_error_line {
            let _ = writeln!(
                out,
                "  {} does not parse: see line {line}",
                OneLine(&file.path)
            );
        }
        if let (VerdictState::Clean, Some(reason)) = (file.state, &file.reason) {
            let _ = writeln!(out, "  {}: {}", OneLine(&file.path), OneLine(reason));
            continue;
        }
        let differs = file.state != verdict.state && file.state != VerdictState::Problems;
        if differs || (verdict.state == VerdictState::Problems && file.reason.is_some()) {
            // Beside others it would read as if nothing were wrong in it.
            let word = match file.state {
                VerdictState::Clean => "nothing new",
                state => state.word(),
            };
            let _ = write!(out, "  {}: {word}", OneLine(&file.path));
            if let Some(reason) = &file.reason {
                let _ = write!(out, ": {}", OneLine(reason));
            }
            out.push('\n');
        }
    }
    let named = verdict.reason.as_deref().unwrap_or_default();
    let unlooked = verdict.unlooked.iter();
    let unlooked: Vec<&str> = unlooked
        .map(String::as_str)
        .filter(|path| !named.contains(path))
        .collect();
    if verdict.state != VerdictState::Unconfirmed && !unlooked.is_empty() {
        let unlooked = listed(&unlooked, NAMED, verdict.unlooked_left_out);
        let _ = writeln!(
            out,
            "  not looked at, though they use what was changed: {unlooked}"
        );
    }
    out
}

/// How many files that were not looked at are named.
pub(super) const NAMED: usize = 5;

/// What came late, told with another answer.
pub(crate) fn late(problems: &[Problem], fixed: &[FixedProblem]) -> String {
    let mut out = "found since the last answer, about earlier changes:\n".to_owned();
    for problem in problems {
        one_problem(&mut out, problem);
    }
    for fixed in fixed {
        gone(&mut out, fixed);
    }
    out
}

/// The verdict on what somebody else wrote.
pub(crate) fn checked(result: &CheckResult) -> String {
    let mut out = result.verdict.to_string();
    if !result.files.is_empty() {
        let _ = writeln!(out, "checked: {}", listed(&result.files, usize::MAX, 0));
    }
    if result.left_out > 0 {
        let _ = writeln!(
            out,
            "{} more changed and were not checked; name them to check them",
            plural(result.left_out, "file")
        );
    }
    out
}

/// What is said of files that somebody else is about to write.
pub(crate) fn noted(result: &CheckResult) -> String {
    let reason = result.verdict.reason.as_deref().unwrap_or_default();
    format!("{}: {reason}\n", listed(&result.files, usize::MAX, 0))
}

fn headline(verdict: &Verdict) -> String {
    let mut out = verdict.state.word().to_owned();
    match verdict.state {
        VerdictState::Problems => {
            let _ = write!(out, ": {}", news(verdict));
        }
        VerdictState::Clean => match &verdict.reason {
            Some(reason) => out = OneLine(reason).to_string(),
            None => out.push_str(": nothing new"),
        },
        VerdictState::Unconfirmed | VerdictState::NoServer => {
            let reason = verdict.reason.as_deref().unwrap_or_default();
            let _ = write!(out, ": {}", OneLine(reason));
        }
    }
    let fixed = verdict.fixed.iter().map(|one| one.count as usize);
    let fixed = fixed.sum::<usize>() + verdict.fixed_left_out;
    if fixed > 0 {
        let _ = write!(out, "; {fixed} fixed");
    }
    if verdict.remaining.total() > 0 {
        let _ = write!(out, "; {} from before", remaining(&verdict.remaining));
        match verdict.remaining_unseen {
            0 => {}
            all if all == verdict.remaining.total() => out.push_str(", perhaps gone"),
            some => {
                let _ = write!(out, ", {some} of them perhaps gone");
            }
        }
    }
    let answered: Vec<String> = verdict
        .servers
        .iter()
        .filter(|server| server.confirmed)
        .map(|server| format!("{} {}", server.server, seconds(server.took_ms)))
        .collect();
    if !answered.is_empty() {
        let _ = write!(out, " ({})", answered.join(", "));
    }
    out.push('\n');
    out
}

pub(crate) fn one_problem(out: &mut String, problem: &Problem) {
    let Problem {
        path,
        line,
        column,
        severity,
        message,
        ..
    } = problem;
    let path = OneLine(path);
    let _ = write!(out, "  {path}:{line}:{column} {severity}");
    if let Some(code) = &problem.code {
        let _ = write!(out, " {}", OneLine(code));
    }
    let mut lines = message.lines().filter(|line| !line.trim().is_empty());
    let _ = writeln!(out, ": {}", lines.next().unwrap_or_default());
    for more in lines {
        let _ = writeln!(out, "      {more}");
    }
    if let Some(was) = &problem.was {
        let _ = writeln!(out, "      (was a {was} before)");
    }
    if let Some(source) = &problem.source {
        let _ = writeln!(out, "      {line} | {}", source.trim_end());
    }
}

fn gone(out: &mut String, fixed: &FixedProblem) {
    let _ = write!(out, "  fixed: {} {}", OneLine(&fixed.path), fixed.severity);
    if let Some(code) = &fixed.code {
        let _ = write!(out, " {}", OneLine(code));
    }
    let _ = write!(
        out,
        ": {}",
        fixed.message.lines().next().unwrap_or_default()
    );
    if fixed.count > 1 {
        let _ = write!(out, " ({} times)", fixed.count);
    }
    out.push('\n');
}

/// How much is new, and how much of that perhaps is not.
fn news(verdict: &Verdict) -> String {
    let many = |severity: &str| {
        let of = verdict.new.iter();
        of.filter(|problem| problem.severity == severity).count()
    };
    let parts = [
        (many("error"), "error"),
        (many("warning"), "warning"),
        (many("information"), "note"),
    ];
    let parts = parts.into_iter().filter(|(number, _)| *number > 0);
    let shown: Vec<String> = parts.map(|(number, name)| plural(number, name)).collect();
    let shown = shown.join(", ");
    let old = verdict.new.iter().filter(|problem| problem.maybe_old);
    let old = old.count() + verdict.maybe_old_left_out;
    let all = verdict.new.len() + verdict.new_left_out;
    let what = match verdict.new_left_out {
        0 => shown.clone(),
        _ => plural(all, "problem"),
    };
    let mut said = match old {
        0 if verdict.new_left_out > 0 => format!("{all} new"),
        0 => format!("{what} new"),
        old if old == all => format!("{what}, which may have been there before"),
        old => format!("{what} new, {old} of them perhaps not"),
    };
    if verdict.new_left_out > 0 {
        let _ = write!(said, " ({shown} shown)");
    }
    said
}

fn remaining(counts: &ProblemCounts) -> String {
    let parts = [
        (counts.errors, "error"),
        (counts.warnings, "warning"),
        (counts.information, "note"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, name)| plural(number, name))
        .collect();
    parts.join(", ")
}

pub(super) fn plural(number: usize, name: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {name}{s}")
}

pub(crate) fn seconds(ms: u64) -> String {
    match ms {
        0..1000 => format!("{ms} ms"),
        _ => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
    }
}
