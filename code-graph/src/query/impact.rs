//! What a change may break, and which tests would tell.

use super::Inquiry;
use super::answer::{Answer, Entry, count};
use super::calls::said_kind;
use super::compose::{Draft, Page};
use super::filter::{Filter, Tests};
use super::lines::Texts;
use super::reach::{Reach, Reached, Step, Walk, is_dependency, reaching};
use super::resolve::Wanted;
use crate::graph::{Edge, File, NodeId};
use crate::link::{Certainty, EdgeKind};
use hashbrown::HashSet;
use serde::{Deserialize, Serialize};

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
                None => missing.push(changed.path.clone()),
            }
        }
        touched.sort_unstable();
        touched.dedup_by_key(|(node, _)| *node);
        // A symbol whose lines change is meant itself; a symbol that is named, with all in it.
        let mut seeds: Vec<NodeId> = subject
            .iter()
            .flat_map(|node| graph.within(*node))
            .collect();
        seeds.extend(touched.iter().map(|(node, _)| *node));
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
        let (tests, plain): (Vec<Reached>, Vec<Reached>) =
            near.into_iter().partition(|one| graph.is_test(one.node));
        let runs = |node: NodeId| graph.runs_as_test(node) || graph.symbol(node).is_none();
        let (mut tests, helpers): (Vec<Reached>, Vec<Reached>) =
            tests.into_iter().partition(|one| runs(one.node));
        tests.sort_by_key(|one| (one.depth, one.node));

        let files: HashSet<usize> = plain
            .iter()
            .map(|one| graph.file_number(one.node))
            .collect();
        let what = match (subject.as_slice(), touched.len()) {
            ([], 0) => "nothing".to_owned(),
            ([], many) => count(many, "changed symbol"),
            ([one], 0) => self.said(*one),
            (several, more) => count(several.len() + more, "symbol"),
        };
        let headline = match plain.len() + tests.len() + helpers.len() {
            0 => format!("nothing that is known depends on {what} within depth {depth}"),
            _ => format!(
                "{} in {} may depend on {what} within depth {depth}; {} it",
                count(plain.len(), "symbol"),
                count(files.len(), "file"),
                match tests.len() {
                    1 => "1 test reaches".to_owned(),
                    many => format!("{many} tests reach"),
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
        let importers = self.importers(&subject, &seeds);
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
        self.note_unknown(&mut draft, &subject, &touched);
        if !missing.is_empty() {
            draft.note(format!(
                "not in the index (removed, ignored, or of no known language): {}",
                missing.join(", ")
            ));
        }
        draft.finish(page)
    }

    fn note_unknown(&self, draft: &mut Draft<'_>, subject: &[NodeId], touched: &[(NodeId, bool)]) {
        let graph = self.graph;
        let named = subject
            .iter()
            .copied()
            .chain(touched.iter().map(|(node, _)| *node));
        let mut names: Vec<&str> = named
            .filter(|node| graph.symbol(*node).is_some())
            .map(|node| graph.name(node))
            .collect();
        names.sort_unstable();
        names.dedup();
        let mut unknown: Vec<(usize, &str)> = names
            .iter()
            .map(|name| (graph.unresolved_named(name).count(), *name))
            .filter(|(uses, _)| *uses > 0)
            .collect();
        unknown.sort_by_key(|(uses, name)| (std::cmp::Reverse(*uses), *name));
        let total: usize = unknown.iter().map(|(uses, _)| uses).sum();
        let names: Vec<String> = unknown
            .iter()
            .take(5)
            .map(|(uses, name)| format!("`{name}` {uses}"))
            .collect();
        if total > 0 {
            draft.note(format!(
                "{} of these names could hide more: {}",
                count(total, "unresolved use"),
                names.join(", ")
            ));
        }
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
            entry.lines = texts.lines(&entry.path, [one.step.row]);
            entry.more_lines = (one.edges as usize).saturating_sub(1);
        }
        debug_assert!(reach.of(one.node).is_some());
        entry
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
