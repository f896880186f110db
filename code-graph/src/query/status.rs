//! What the graph holds, and a look at a part of it.

use super::Inquiry;
use super::answer::{Answer, Entry, count};
use super::compose::{Draft, Page};
use super::resolve::Wanted;
use crate::export::{Drawing, drawing};
use crate::index::Counted;
use crate::link::Certainty;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Nodes of a drawing: more cannot be read.
const DRAWN: usize = 60;

/// A part of the graph that is to be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DrawRequest {
    /// What is in the middle.
    #[serde(flatten)]
    pub wanted: Wanted,
    /// How many edges away from it, in both directions.
    pub depth: u8,
    /// In which language.
    pub form: Drawing,
    /// The least sure edges that are drawn.
    pub certainty: Certainty,
    /// How much to give; the limit is one of nodes.
    pub page: Page,
}

impl Default for DrawRequest {
    fn default() -> DrawRequest {
        DrawRequest {
            wanted: Wanted::default(),
            depth: 1,
            form: Drawing::Mermaid,
            certainty: Certainty::Inferred,
            page: Page::default(),
        }
    }
}

/// What is counted of one language.
#[derive(Debug, Default)]
struct Counts {
    files: usize,
    symbols: usize,
    edges: [usize; Certainty::ALL.len()],
    external: usize,
    unresolved: usize,
}

impl Inquiry<'_> {
    /// What the graph holds, by language: how much of what is used is known, and how surely.
    pub fn status(&self, page: &Page) -> Answer {
        let graph = self.graph;
        let mut languages: BTreeMap<&str, Counts> = BTreeMap::new();
        for file in graph.files() {
            let counts = languages.entry(file.language.name()).or_default();
            counts.files += 1;
            counts.symbols += file.outline.items.len();
        }
        for node in graph.nodes() {
            let language = graph.file(node).language.name();
            let Some(counts) = languages.get_mut(language) else {
                continue;
            };
            for edge in graph.outgoing(node) {
                counts.edges[edge.certainty as usize] += 1;
            }
            counts.external += graph.external_in(node).len();
            counts.unresolved += graph.unresolved_in(node).len();
        }
        let headline = format!(
            "{}, {}, {}",
            count(graph.files().len(), "file"),
            count(graph.len() - graph.files().len(), "symbol"),
            count(graph.edges().len(), "edge")
        );
        let mut draft = Draft::new(headline, self.coverage);
        let mut all: Vec<(&str, Counts)> = languages.into_iter().collect();
        all.sort_by_key(|(name, counts)| (Reverse(counts.files), *name));
        draft.group("languages", false, all, |(name, counts)| {
            let edges: Vec<String> = Certainty::ALL
                .iter()
                .zip(counts.edges)
                .filter(|(_, edges)| *edges > 0)
                .map(|(certainty, edges)| format!("{edges} {}", certainty.word()))
                .collect();
            Entry {
                name: (*name).to_owned(),
                detail: format!(
                    "{}, {}; edges: {}; {} lead out, {} could not be told",
                    count(counts.files, "file"),
                    count(counts.symbols, "symbol"),
                    if edges.is_empty() {
                        "none".to_owned()
                    } else {
                        edges.join(", ")
                    },
                    counts.external,
                    counts.unresolved
                ),
                ..Entry::default()
            }
        });
        let partial = &self.coverage.partial;
        self.name_files(&mut draft, "known in part, for syntax errors", partial);
        for (reason, files) in &self.coverage.outline {
            self.name_files(&mut draft, &format!("known in outline: {reason}"), files);
        }
        for (reason, files) in &self.coverage.skipped {
            self.name_files(&mut draft, &format!("left out: {reason}"), files);
        }
        draft.finish(page)
    }

    /// Names files of which less than all is known.
    fn name_files<'d>(&'d self, draft: &mut Draft<'d>, why: &str, files: &'d Counted) {
        let more = files.files - files.examples.len();
        let title = match more {
            0 => why.to_owned(),
            more => format!("{why}, {more} more than are named"),
        };
        let named = files.examples.iter().collect();
        draft.group(title, false, named, |path: &&String| Entry {
            kind: "file",
            name: (*path).clone(),
            ..Entry::default()
        });
    }

    /// A drawing of what is around a symbol: as many nodes as the budget holds, sixty at most.
    pub fn draw(&self, request: &DrawRequest) -> Answer {
        let page = &request.page;
        let subject = match self.subject(&request.wanted, page) {
            Ok(subject) => subject,
            Err(answer) => return *answer,
        };
        let around = self.targets(&subject);
        let depth = request.depth.min(6);
        let mut most = page.limit.min(DRAWN);
        loop {
            let (text, left_out) = drawing(
                self.graph,
                &around,
                depth,
                request.certainty,
                most,
                request.form,
            );
            let headline = format!("what is around {}", self.said_all(&subject));
            let mut draft = Draft::new(headline, self.coverage);
            if left_out > 0 {
                draft.note(format!("{} left out", count(left_out, "node")));
            }
            draft.answer.drawing = Some(text);
            let answer = draft.answer;
            if answer.to_string().len() <= page.bytes() || most <= 1 {
                let fits = answer.to_string().len() <= page.bytes();
                let drawing = answer.drawing.clone().filter(|_| fits);
                return Answer { drawing, ..answer };
            }
            most = most * 2 / 3;
        }
    }
}
