//! What a change may break, and which tests would tell.

use super::Inquiry;
use super::answer::{Answer, Entry, count};
use super::calls::said_kind;
use super::compose::{Draft, Page};
use super::filter::{Filter, Tests};
use super::lines::Texts;
use super::reach::{Reach, Reached, Step, Walk, is_dependency, reaching};
use super::removed::Orphan;
use super::resolve::Wanted;
use crate::graph::{Edge, File, NodeId};
use crate::link::{Certainty, EdgeKind};
use hashbrown::HashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The furthest that dependents are looked for.
const DEEPEST: u8 = 6;

/// Lines of a file that a change touches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChangedFile {
    /// Relative to the checkout, with `/`.
    pub path: String,
    /// First and last line, 1-based, of each changed stretch of the file as it is now.
    pub lines: Vec<(u32, u32)>,
    /// The lines after which lines were removed and none put in their place; 0 for the beginning.
    pub removed_after: Vec<u32>,
    /// The text of the file before, when something was removed: what it declared then and does not
    /// now is told as removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// What changes, or would.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImpactRequest {
    /// Symbols and files, named as everywhere.
    pub subjects: Vec<Wanted>,
    /// The lines of a diff.
    pub changed: Vec<ChangedFile>,
    /// How many steps, 1 to 6.
    pub depth: u8,
    /// The weakest certainty that is followed.
    pub certainty: Certainty,
    /// Only dependents among these are told.
    pub among: Filter,
    /// How much to give.
    pub page: Page,
}

impl Default for ImpactRequest {
    fn default() -> ImpactRequest {
        ImpactRequest {
            subjects: Vec::new(),
            changed: Vec::new(),
            depth: 2,
            certainty: Certainty::Inferred,
            among: Filter::default(),
            page: Page::default(),
        }
    }
}

impl Inquiry<'_> {
    /// What depends on some symbols, files or changed lines, by distance, with the tests that reach
    /// them.
    pub fn impact(&self, request: &ImpactRequest) -> Answer {
        let graph = self.graph;
        let page = &request.page;
        let mut subject: Vec<NodeId> = Vec::new();
        for wanted in &request.subjects {
            match self.about(wanted, &request.among, page) {
                Ok((nodes, _)) => subject.extend(nodes),
                Err(answer) => return *answer,
            }
        }
        let sieve = match request.among.sieve(graph) {
            Ok(sieve) => sieve,
            Err(why) => return Draft::new(why, self.coverage).finish(page),
        };
        let mut missing = Vec::new();
        let mut touched: Vec<(NodeId, bool)> = Vec::new();
        for changed in &request.changed {
            match graph.file_at(&changed.path) {
                Some(file) => touched.extend(self.touched(file, changed)),
                None => missing.push(changed),
            }
        }
        touched.sort_unstable();
        touched.dedup_by_key(|(node, _)| *node);
        let removed = self.removed(&request.changed);
        let mut orphans = self.orphans(&removed);
        missing.retain(|file| file.before.is_none());
        // A symbol whose lines change is meant itself; a symbol that is named, with all in it.
        let mut seeds: Vec<NodeId> = subject
            .iter()
            .flat_map(|node| graph.within(*node))
            .collect();
        seeds.extend(touched.iter().map(|(node, _)| *node));
        orphans.retain(|orphan| !seeds.contains(&orphan.node));
        // What still names what was removed is told apart; what depends on that, like all else.
        seeds.extend(orphans.iter().map(|orphan| orphan.node));
        seeds.sort_unstable();
        seeds.dedup();
        let reach = reaching(
            graph,
            &seeds,
            Walk {
                weakest: request.certainty,
                depth: DEEPEST,
                follows: is_dependency,
                dispatch: true,
            },
        );
        let depth = request.depth.clamp(1, DEEPEST);
        let (near, far): (Vec<Reached>, Vec<Reached>) = reach
            .all
            .iter()
            .filter(|one| sieve.lets(graph, one.node))
            .partition(|one| one.depth <= depth);
        let whole = reach.all.iter().filter(|one| one.depth <= depth).count();
        let kept_back = whole - near.len();
        let (tests, plain): (Vec<Reached>, Vec<Reached>) =
            near.into_iter().partition(|one| graph.is_test(one.node));
        let runs = |node: NodeId| graph.runs_as_test(node) || graph.symbol(node).is_none();
        let (mut tests, helpers): (Vec<Reached>, Vec<Reached>) =
            tests.into_iter().partition(|one| runs(one.node));
        tests.sort_by_key(|one| (one.depth, one.node));

        let (orphan_tests, orphans): (Vec<Orphan>, Vec<Orphan>) = orphans
            .into_iter()
            .filter(|orphan| sieve.lets(graph, orphan.node))
            .partition(|orphan| graph.is_test(orphan.node));

        let files: HashSet<usize> = plain
            .iter()
            .map(|one| one.node)
            .chain(orphans.iter().map(|orphan| orphan.node))
            .map(|node| graph.file_number(node))
            .collect();
        let importers: Vec<Edge> = self
            .importers(&subject, &seeds)
            .into_iter()
            .filter(|edge| sieve.lets(graph, edge.from))
            .collect();
        let changed = match touched.len() {
            0 => None,
            many => Some(count(many, "changed symbol")),
        };
        let gone = match removed.len() {
            0 => None,
            many => Some(count(many, "removed symbol")),
        };
        let what = match subject.as_slice() {
            [] => None,
            several => Some(self.said_all(several)),
        };
        let what: Vec<String> = [what, changed, gone].into_iter().flatten().collect();
        let what = what.join(" and ");
        let told = plain.len() + orphans.len();
        let tested = tests.len() + orphan_tests.iter().filter(|one| runs(one.node)).count();
        let headline = match told + tested + helpers.len() {
            _ if what.is_empty() && request.changed.is_empty() => {
                "nothing has changed, so nothing depends on it".to_owned()
            }
            _ if what.is_empty() => {
                format!(
                    "no symbol of the index is in what changed ({})",
                    count(request.changed.len(), "file")
                )
            }
            0 if kept_back == 1 => format!(
                "the only dependent of {what} within depth {depth} is not among what was asked for"
            ),
            0 if kept_back > 0 => format!(
                "none of the {kept_back} dependents of {what} within depth {depth} is among what \
                 was asked for"
            ),
            0 if !importers.is_empty() => format!(
                "{} {what}; nothing else that is known depends on it within depth {depth}",
                match importers.len() {
                    1 => "1 file imports".to_owned(),
                    many => format!("{many} files import"),
                }
            ),
            0 => format!("nothing that is known depends on {what} within depth {depth}"),
            _ => format!(
                "{} in {} may depend on {what} within depth {depth}{}",
                count(told, "symbol"),
                count(files.len(), "file"),
                match tested {
                    _ if request.among.tests == Tests::Without => String::new(),
                    0 => "; no test is known to reach it in as many steps".to_owned(),
                    1 => "; 1 test reaches it".to_owned(),
                    many => format!("; {many} tests reach it"),
                }
            ),
        };
        let texts = Texts::new(self.reader);
        let mut draft = Draft::new(headline, self.coverage);
        if !request.changed.is_empty() {
            draft.group("changed", true, touched.clone(), |(node, declaration)| {
                let mut entry = self.entry(*node);
                entry.detail = match (graph.symbol(*node), declaration) {
                    (None, _) => "code outside of symbols".to_owned(),
                    (_, true) => "declaration".to_owned(),
                    (_, false) => "body".to_owned(),
                };
                entry
            });
        }
        draft.group("removed", true, removed, |one| self.gone(one));
        let orphan = |one: &Orphan| self.orphan(one, &texts);
        draft.group("may still use what was removed", true, orphans, orphan);
        draft.group("tests that may still use it", true, orphan_tests, orphan);
        let mut levels: Vec<Vec<Reached>> = vec![Vec::new(); usize::from(depth)];
        for one in plain {
            if let Some(level) = levels.get_mut(usize::from(one.depth) - 1) {
                level.push(one);
            }
        }
        let dependent = |one: &Reached| self.dependent(one, &reach, &texts);
        for (level, at) in levels.into_iter().zip(1..) {
            let edges: u32 = level.iter().map(|one| one.edges).sum();
            let edges = count(edges as usize, "edge");
            draft.group(format!("depth {at}, by {edges}"), true, level, dependent);
            if at == 1 && request.among.tests != Tests::Without {
                draft.group("tests that reach it", true, tests.clone(), |one| {
                    self.witness(one, &reach)
                });
            }
        }
        draft.group("other test code", true, helpers, dependent);
        draft.group("files that import it", true, importers, |edge: &Edge| {
            let mut entry = self.entry(edge.from);
            entry.certainty = Some(edge.certainty);
            entry.lines = texts.lines(&entry.path, [edge.row]);
            entry
        });
        if !far.is_empty() {
            let tests = far
                .iter()
                .filter(|one| runs(one.node) && graph.is_test(one.node));
            draft.note(format!(
                "{} more within depth {DEEPEST}, {} of them tests",
                far.len(),
                tests.count()
            ));
        }
        let start: Vec<NodeId> = match subject.iter().all(|node| graph.symbol(*node).is_none()) {
            true => seeds,
            false => {
                let touched = touched.iter().map(|(node, _)| *node);
                subject.iter().copied().chain(touched).collect()
            }
        };
        let way = reach.all.iter().filter(|one| one.depth < depth);
        let way: Vec<NodeId> = way.map(|one| one.node).collect();
        self.note_unknown(&mut draft, &start, &way, request.certainty);
        draft.narrowed(&sieve);
        if kept_back < whole {
            draft.kept_back(kept_back, "more dependent");
        }
        if !missing.is_empty() {
            let names: Vec<&str> = missing.iter().map(|file| file.path.as_str()).collect();
            draft.note(format!(
                "not in the index (removed, ignored, or of no known language): {}",
                names.join(", ")
            ));
        }
        draft.finish(page)
    }

    /// Says what else may depend on what changes: `touched` with what was asked about, `way` with
    /// what depends on it and could hand it on.
    fn note_unknown(
        &self,
        draft: &mut Draft<'_>,
        start: &[NodeId],
        way: &[NodeId],
        weakest: Certainty,
    ) {
        if weakest < Certainty::Name {
            let known: HashSet<NodeId> = start.iter().chain(way).copied().collect();
            let known = |node| known.contains(&node);
            let hidden = self.hidden(start.iter().copied(), is_dependency, known);
            if let Some(note) = self.said_hidden_on(&hidden, "of these names") {
                draft.note(note);
            }
        }
        self.note_way(draft, start, way, weakest, is_dependency);
    }

    /// The innermost symbols that changed lines lie in, and whether their declaration is touched.
    fn touched(&self, file: &File, changed: &ChangedFile) -> Vec<(NodeId, bool)> {
        let mut found: HashSet<NodeId> = HashSet::new();
        let mut declared: HashSet<NodeId> = HashSet::new();
        for line in &changed.removed_after {
            // What goes on after the gap is what lines were taken out of.
            let (before, after) = (
                self.graph.at_line(file, *line),
                self.graph.at_line(file, line + 1),
            );
            let around = self.graph.within(after).contains(&before);
            let both = self.graph.within(before).contains(&after);
            found.insert(match (both, around) {
                (true, _) => before,
                (false, true) => after,
                _ => self.graph.parent(before).unwrap_or(file.node),
            });
        }
        for (first, last) in &changed.lines {
            for line in *first..=(*last).min(first.saturating_add(100_000)) {
                let node = self.graph.at_line(file, line);
                found.insert(node);
                let head = self.graph.symbol(node);
                if head.is_some_and(|item| line <= item.name_row + 1) {
                    declared.insert(node);
                }
            }
        }
        let mut found: Vec<(NodeId, bool)> = found
            .into_iter()
            .map(|node| (node, declared.contains(&node)))
            .collect();
        found.sort_unstable();
        // Blank lines and imports between symbols do not make the whole file changed, when symbols
        // are.
        if found.len() > 1 {
            found.retain(|(node, _)| *node != file.node);
        }
        found
    }

    /// The files that import a file that was asked about, or something in it, and say so only by
    /// the import.
    fn importers(&self, subject: &[NodeId], seeds: &[NodeId]) -> Vec<Edge> {
        let graph = self.graph;
        let files = subject.iter().filter(|node| graph.symbol(**node).is_none());
        let mut found: Vec<Edge> = files
            .flat_map(|file| graph.within(*file))
            .flat_map(|node| graph.incoming(node).copied().collect::<Vec<_>>())
            .filter(|edge| edge.kind == EdgeKind::Imports)
            .filter(|edge| seeds.binary_search(&edge.from).is_err())
            .collect();
        found.sort_by_key(|edge| (edge.from, edge.row));
        found.dedup_by_key(|edge| edge.from);
        found
    }

    /// A dependent with the reason.
    fn dependent(&self, one: &Reached, reach: &Reach, texts: &Texts<'_>) -> Entry {
        let mut entry = self.entry(one.node);
        entry.certainty = Some(one.weakest);
        entry.detail = self.reason(&one.step);
        if one.depth == 1 {
            entry.lines = texts.lines(&entry.path, self.rows(one, reach));
        }
        debug_assert!(reach.of(one.node).is_some());
        entry
    }

    /// The rows at which something needs what was asked about, or what stands for it.
    fn rows(&self, one: &Reached, reach: &Reach) -> Vec<u32> {
        let graph = self.graph;
        let needed = |to: NodeId| reach.is_seed(to) || Some(to) == one.step.through;
        let edges = graph.outgoing(one.node);
        let edges = edges.filter(|edge| is_dependency(edge.kind) && needed(edge.to));
        let rows = edges.map(|edge| edge.row).chain([one.step.row]);
        let rows: BTreeSet<u32> = rows.collect();
        rows.into_iter().collect()
    }

    /// "calls A.f", "calls B.f, which A.f overrides".
    fn reason(&self, step: &Step) -> String {
        let verb = said_kind(step.kind);
        let to = self.short(step.to);
        match step.through {
            Some(base) => format!("{verb} {}, which {to} overrides", self.short(base)),
            None => format!("{verb} {to}"),
        }
    }

    /// A name for a sentence: a qualified one, or a path.
    pub(super) fn short(&self, node: NodeId) -> String {
        self.graph.qualified(node)
    }

    /// A test with the way on which it reaches what changes.
    fn witness(&self, one: &Reached, reach: &Reach) -> Entry {
        let mut entry = self.entry(one.node);
        entry.certainty = Some(one.weakest);
        let way = reach.way(one.node);
        let steps: Vec<String> = way.iter().map(|step| self.short(step.to)).collect();
        entry.detail = format!("→ {}", steps.join(" → "));
        entry
    }
}
