//! What users of code graphs report as wrong, missing or stale, each with the right answer.
//!
//! One test for each report, in three groups. The answers were worked out by the languages' rules.

mod asked;
mod missing;
mod pytest;
mod stale;
mod unused;
mod wrong;

use crate::index::{Project, refresh};
use fourfold_code_graph::index::Index;
use fourfold_code_graph::query::{
    Answer, CallRequest, ImpactRequest, Inquiry, Outcome, UnreferencedRequest, Wanted,
};
use fourfold_worktree::Control;
use std::sync::Arc;

/// An index of these files, which may be edited.
struct Checkout {
    project: Project,
    index: Index,
}

impl Checkout {
    /// A checkout written as one text: `== path` begins a file.
    fn of(text: &str) -> Checkout {
        let parts = text.split("== ").skip(1);
        let files: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once('\n')).collect();
        let project = Project::new(&files);
        let index = project.open();
        refresh(&index);
        Checkout { project, index }
    }

    fn ask(&self, question: impl Fn(&Inquiry<'_>) -> Answer) -> Answer {
        ask(&self.project, &self.index, question)
    }

    /// Who calls a symbol, without tests and what is less sure.
    fn callers(&self, symbol: &str) -> Vec<String> {
        let answer = self.ask(|inquiry| inquiry.callers(&CallRequest::named(symbol)));
        assert_eq!(answer.outcome, Outcome::Answered, "{answer}");
        group(&answer, "callers")
    }

    /// What a symbol calls in the checkout.
    fn callees(&self, symbol: &str) -> Vec<String> {
        let answer = self.ask(|inquiry| inquiry.callees(&CallRequest::named(symbol)));
        assert_eq!(answer.outcome, Outcome::Answered, "{answer}");
        group(&answer, "callees")
    }
}

fn ask(project: &Project, index: &Index, question: impl Fn(&Inquiry<'_>) -> Answer) -> Answer {
    let root = project.root();
    let reader = |path: &str| -> Option<Arc<str>> {
        std::fs::read_to_string(root.join(path)).ok().map(Arc::from)
    };
    let (answer, freshness) = index
        .answer(&Control::new(), |view| {
            let answer = question(&Inquiry {
                graph: &view.graph,
                coverage: &view.coverage,
                reader: &reader,
            });
            let paths = answer.paths();
            (answer, paths)
        })
        .unwrap();
    assert!(freshness.current);
    answer
}

/// The entries of a group: `path name [certainty]`.
fn group(answer: &Answer, title: &str) -> Vec<String> {
    let groups = answer.groups.iter().filter(|group| group.title == title);
    groups
        .flat_map(|group| &group.entries)
        .map(|entry| {
            let certainty = entry.certainty.map(|certainty| {
                let word = serde_json::to_string(&certainty).unwrap();
                format!(" [{}]", word.trim_matches('"'))
            });
            let path = match entry.kind {
                "file" => String::new(),
                _ => format!("{} ", entry.path),
            };
            format!("{path}{}{}", entry.name, certainty.unwrap_or_default())
        })
        .collect()
}

fn impact(symbol: &str) -> ImpactRequest {
    ImpactRequest {
        subjects: vec![Wanted::named(symbol)],
        ..ImpactRequest::default()
    }
}

/// Whether a symbol is told as without a known use and without a sign of one.
fn is_bare(checkout: &Checkout, name: &str) -> bool {
    let answer = checkout.ask(|inquiry| inquiry.unreferenced(&UnreferencedRequest::default()));
    let bare = group(&answer, "no known use, the largest first");
    bare.iter().any(|line| line.ends_with(&format!(" {name}")))
}
