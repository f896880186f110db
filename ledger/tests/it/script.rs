//! A notation for runs of a ledger, so that a scenario is a few readable lines.
//!
//! A finding is `E message @3:9` (`E`, `W`, `I`, `H`; `S` for a syntax error; a code as `E[2304]`;
//! the column may be missing). `3*E follower {} @{}` are three, with 1, 2, 3 for the braces.
//! Findings are separated by `; `.
//!
//! The answer to an observation is `+` for each fresh finding, `-` for each resolved, `=n` for what
//! remains, `~n` for how much of that was not seen, `show n` when not all fresh are advised, and
//! `origin?` when it is not known what was there before.

use std::fmt::Write as _;

use fourfold_ledger::{
    Checkpoint, Config, Delta, Evidence, Finding, Hides, Ledger, Origin, Severity, Shown, Slot,
};

pub(crate) fn findings(text: &str) -> Vec<Finding> {
    let mut all = Vec::new();
    for one in text.split("; ").filter(|one| !one.is_empty()) {
        match one
            .split_once('*')
            .and_then(|(n, rest)| Some((n.parse::<u32>().ok()?, rest)))
        {
            Some((many, rest)) => {
                all.extend((1..=many).map(|i| finding(&rest.replace("{}", &i.to_string()))));
            }
            None => all.push(finding(one)),
        }
    }
    all
}

fn finding(text: &str) -> Finding {
    let (head, place) = text.rsplit_once(" @").unwrap();
    let (kind, message) = head.split_once(' ').unwrap();
    let (letter, code) = match kind.split_once('[') {
        Some((letter, code)) => (letter, Some(code.trim_end_matches(']'))),
        None => (kind, None),
    };
    let severity = match letter {
        "E" | "S" => Severity::Error,
        "W" => Severity::Warning,
        "I" => Severity::Information,
        "H" => Severity::Hint,
        other => panic!("no severity: {other}"),
    };
    let (line, column) = place.split_once(':').unwrap_or((place, "0"));
    let mut made = Finding::new(severity, message, line.parse().unwrap());
    made = made.at_column(column.parse().unwrap());
    if let Some(code) = code {
        made = made.with_code(code);
    }
    if letter == "S" {
        made.as_syntax()
    } else {
        made
    }
}

fn letter(severity: Severity) -> char {
    match severity {
        Severity::Error => 'E',
        Severity::Warning => 'W',
        Severity::Information => 'I',
        Severity::Hint => 'H',
    }
}

pub(crate) fn written(delta: &Delta) -> String {
    let mut out = String::new();
    if delta.fresh.len() > 8 {
        write!(out, "+{} fresh ", delta.fresh.len()).unwrap();
    } else {
        for item in &delta.fresh {
            let one = &item.finding;
            write!(
                out,
                "+{} {} @{} ",
                letter(one.severity),
                one.message,
                one.line
            )
            .unwrap();
            if let Some(was) = item.was {
                write!(out, "(was {was}) ").unwrap();
            }
            if item.maybe_hidden {
                out.push_str("(hidden?) ");
            }
        }
    }
    for gone in &delta.resolved {
        write!(out, "-{} {} ", letter(gone.severity), gone.message).unwrap();
        if gone.count > 1 {
            write!(out, "x{} ", gone.count).unwrap();
        }
    }
    write!(out, "={}", delta.remaining.total()).unwrap();
    if delta.unconfirmed > 0 {
        write!(out, " ~{}", delta.unconfirmed).unwrap();
    }
    if delta.advised < delta.fresh.len() {
        write!(out, " show {}", delta.advised).unwrap();
    }
    if delta.origin == Origin::Unknown && !delta.fresh.is_empty() {
        out.push_str(" origin?");
    }
    out
}

/// One conversation that is being played.
pub(crate) struct Run {
    pub(crate) ledger: Ledger,
    saved: Option<Checkpoint>,
}

impl Run {
    pub(crate) fn new() -> Self {
        Self {
            ledger: Ledger::new(Config::default()),
            saved: None,
        }
    }

    /// Plays one step, and gives the answer of an observation.
    ///
    /// `base a: …`, `see a: …` (complete, all acknowledged), `partial a: …`, `masked a: …`,
    /// `lost a: …` (complete, not acknowledged), `some a: …` (complete, as many as advised),
    /// `edit 5-9 a: …` (complete, those lines edited), `hides` (errors hide others from now on; `hides lesser`: warnings),
    /// `sight a: …` (its errors, before documents are observed together), `lifted` (what nothing hides any more), `forget`, `save`, `rewind`, `rename a b`,
    /// `drop a`.
    pub(crate) fn step(&mut self, step: &str) -> String {
        let (verb, text) = step.split_once(':').unwrap_or((step, ""));
        let words: Vec<&str> = verb.split(' ').collect();
        let set = findings(text.trim_start());
        let slot = Slot::new("server", *words.last().unwrap());
        let (evidence, shown) = match words[0] {
            "see" | "edit" => (Evidence::Complete, Some(Shown::All)),
            "partial" => (Evidence::Partial, Some(Shown::All)),
            "masked" => (Evidence::Masked, Some(Shown::All)),
            "some" => (Evidence::Complete, Some(Shown::First(usize::MAX))),
            "lost" => (Evidence::Complete, None),
            _ => return self.other(&words, &slot, &set),
        };
        if words[0] != "partial" {
            self.ledger.sight(&slot, &set);
        }
        let delta = match words[..] {
            ["edit", lines, _] => {
                let (from, to) = lines.split_once('-').unwrap();
                let lines = from.parse().unwrap()..to.parse::<u32>().unwrap() + 1;
                self.ledger.observe_edit(&slot, evidence, &set, &[lines])
            }
            _ => self.ledger.observe(&slot, evidence, &set),
        };
        let answer = written(&delta);
        match shown {
            Some(Shown::First(_)) => {
                let advised = delta.advised;
                assert!(self.ledger.acknowledge(delta, Shown::First(advised)));
            }
            Some(shown) => assert!(self.ledger.acknowledge(delta, shown)),
            None => {}
        }
        answer
    }

    fn other(&mut self, words: &[&str], slot: &Slot, set: &[Finding]) -> String {
        match *words {
            ["base", _] => assert!(self.ledger.baseline(slot, set)),
            ["hides"] => self.ledger.errors_hide("server", Hides::All),
            ["hides", "lesser"] => self.ledger.errors_hide("server", Hides::Lesser),
            ["lifted"] => {
                let gone = self.ledger.lifted("server", &[]);
                let gone = gone.iter().flat_map(|(slot, gone)| {
                    let of = gone.iter();
                    of.map(|one| {
                        format!(
                            "-{} {}: {}",
                            letter(one.severity),
                            slot.document,
                            one.message
                        )
                    })
                });
                return gone.collect::<Vec<_>>().join(" ");
            }
            ["sight", _] => self.ledger.sight(slot, set),
            ["forget"] => self.ledger.forget_told(),
            ["save"] => self.saved = Some(self.ledger.checkpoint()),
            ["rewind"] => self.ledger.restore(self.saved.clone().unwrap()),
            ["rename", old, new] => self.ledger.rename(old, new),
            ["drop", document] => {
                let gone = self.ledger.remove(document);
                return gone
                    .iter()
                    .map(|gone| format!("-{} {}", letter(gone.severity), gone.message))
                    .collect::<Vec<_>>()
                    .join(" ");
            }
            _ => panic!("no such step: {words:?}"),
        }
        String::new()
    }
}
