//! Files and folders, and what they need of each other.

use super::Inquiry;
use super::answer::{Answer, Entry, Line, count};
use super::calls::said_kind;
use super::compose::{Draft, Page};
use super::filter::{Filter, Sieve, Tests};
use super::lines::Texts;
use crate::graph::{Edge, Graph};
use crate::link::{Certainty, EdgeKind};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What is one module.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A file.
    File,
    /// A folder with all its files; not those of folders in it.
    #[default]
    Folder,
}

/// A question about modules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModuleRequest {
    /// What is one module.
    pub level: Level,
    /// Folders deeper than this many are one module with the folder above; 0 for no bound.
    pub folders: u8,
    /// Only what these files need of each other. Tests are left out unless asked for.
    pub among: Filter,
    /// The weakest certainty that counts.
    pub certainty: Certainty,
    /// How much to give.
    pub page: Page,
}

impl Default for ModuleRequest {
    fn default() -> ModuleRequest {
        ModuleRequest {
            level: Level::Folder,
            folders: 0,
            among: Filter {
                tests: Tests::Without,
                ..Filter::default()
            },
            certainty: Certainty::Inferred,
            page: Page::default(),
        }
    }
}

/// Modules and what they need of each other.
#[derive(Debug, Default)]
pub(super) struct Modules {
    /// Sorted.
    names: Vec<String>,
    /// By source and target.
    needs: BTreeMap<(usize, usize), Need>,
    /// The targets of each module, sorted.
    after: Vec<Vec<usize>>,
}

/// All edges from one module to another.
#[derive(Debug, Clone)]
struct Need {
    edges: usize,
    kinds: BTreeMap<EdgeKind, usize>,
    /// The one that shows it best: the surest, and of those the first.
    witness: Edge,
}

impl Modules {
    fn of(graph: &Graph, request: &ModuleRequest, sieve: &Sieve) -> Modules {
        let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
        let module: Vec<Option<&str>> = graph
            .files()
            .iter()
            .map(|file| {
                let wanted = sieve.lets(graph, file.node);
                wanted.then(|| module_of(&file.path, request))
            })
            .collect();
        for name in module.iter().flatten() {
            ids.insert(name, 0);
        }
        for (at, id) in ids.values_mut().enumerate() {
            *id = at;
        }
        let of_file: Vec<Option<usize>> = module
            .iter()
            .map(|name| name.and_then(|name| ids.get(name).copied()))
            .collect();
        let mut modules = Modules {
            names: ids.keys().map(|name| (*name).to_owned()).collect(),
            ..Modules::default()
        };
        for edge in graph.edges() {
            if edge.certainty > request.certainty || edge.kind == EdgeKind::Overrides {
                continue;
            }
            let end = |node| of_file.get(graph.file_number(node)).copied().flatten();
            let (Some(from), Some(to)) = (end(edge.from), end(edge.to)) else {
                continue;
            };
            if from == to {
                continue;
            }
            let need = modules.needs.entry((from, to)).or_insert_with(|| Need {
                edges: 0,
                kinds: BTreeMap::new(),
                witness: *edge,
            });
            need.edges += 1;
            *need.kinds.entry(edge.kind).or_default() += 1;
            if edge.certainty < need.witness.certainty {
                need.witness = *edge;
            }
        }
        modules.after = vec![Vec::new(); modules.names.len()];
        for (from, to) in modules.needs.keys() {
            modules.after[*from].push(*to);
        }
        modules
    }

    fn name(&self, module: usize) -> &str {
        self.names
            .get(module)
            .map_or("", |name| match name.as_str() {
                "" => ".",
                name => name,
            })
    }

    /// The layer of each module: 0 for what needs no other, else one more than the highest that it
    /// needs; modules in a cycle share a layer.
    fn layers(&self, components: &[Vec<usize>]) -> Vec<usize> {
        let mut component = vec![0; self.names.len()];
        for (at, members) in components.iter().enumerate() {
            for member in members {
                component[*member] = at;
            }
        }
        // Components come after all that they need.
        let mut layers = vec![0; components.len()];
        for (at, members) in components.iter().enumerate() {
            let needed = members.iter().flat_map(|member| &self.after[*member]);
            let others = needed.map(|to| component[*to]).filter(|to| *to != at);
            layers[at] = others.map(|to| layers[to] + 1).max().unwrap_or(0);
        }
        component.iter().map(|at| layers[*at]).collect()
    }
}

/// The name of the module that a file belongs to.
fn module_of<'p>(path: &'p str, request: &ModuleRequest) -> &'p str {
    match request.level {
        Level::File => path,
        Level::Folder => {
            let folder = path.rfind('/').map_or("", |at| &path[..at]);
            let bound = match request.folders {
                0 => None,
                most => folder.match_indices('/').nth(usize::from(most) - 1),
            };
            bound.map_or(folder, |(at, _)| &folder[..at])
        }
    }
}

/// Strongly connected components, each after all those that it leads to; by Tarjan's method with a
/// stack of its own, so that no depth overflows.
fn components(after: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut order = vec![UNSEEN; after.len()];
    let mut low = vec![0; after.len()];
    let mut waiting = vec![false; after.len()];
    let mut stack = Vec::new();
    let mut all = Vec::new();
    let mut next = 0;
    for root in 0..after.len() {
        if order[root] != UNSEEN {
            continue;
        }
        // A node with the number of its edges that were followed.
        let mut open = vec![(root, 0)];
        while let Some((node, edge)) = open.last_mut() {
            let node = *node;
            if *edge == 0 {
                order[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                waiting[node] = true;
            }
            if let Some(to) = after[node].get(*edge).copied() {
                *edge += 1;
                if order[to] == UNSEEN {
                    open.push((to, 0));
                } else if waiting[to] {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            open.pop();
            if let Some((before, _)) = open.last() {
                low[*before] = low[*before].min(low[node]);
            }
            if low[node] == order[node] {
                let from = stack.iter().rposition(|one| *one == node).unwrap_or(0);
                let mut members = stack.split_off(from);
                for member in &members {
                    waiting[*member] = false;
                }
                members.sort_unstable();
                all.push(members);
            }
        }
    }
    all
}

impl Modules {
    /// A shortest cycle through a component: from each of its members, the first of the shortest.
    fn cycle(&self, members: &[usize]) -> Vec<usize> {
        let inside = |module: &usize| members.binary_search(module).is_ok();
        let mut best: Vec<usize> = Vec::new();
        // A large component is one knot; its cycles are looked for from some of its members.
        for start in members.iter().take(64) {
            let mut before: HashMap<usize, usize> = HashMap::new();
            let mut frontier = vec![*start];
            let mut at = 0;
            'search: while let Some(module) = frontier.get(at).copied() {
                at += 1;
                for to in self.after[module].iter().filter(|to| inside(to)) {
                    if to == start {
                        let mut cycle = vec![module];
                        while let Some(previous) = cycle.last().and_then(|last| before.get(last)) {
                            cycle.push(*previous);
                        }
                        cycle.reverse();
                        if best.is_empty() || cycle.len() < best.len() {
                            best = cycle;
                        }
                        break 'search;
                    }
                    if !before.contains_key(to) && to != start {
                        before.insert(*to, module);
                        frontier.push(*to);
                    }
                }
            }
            if best.len() == 2 {
                break;
            }
        }
        best
    }
}

impl Inquiry<'_> {
    /// Which modules need which, how much, and in which layers they lie.
    pub fn modules(&self, request: &ModuleRequest) -> Answer {
        let graph = self.graph;
        let sieve = match request.among.sieve(graph) {
            Ok(sieve) => sieve,
            Err(why) => return Draft::new(why, self.coverage).finish(&request.page),
        };
        let modules = Modules::of(graph, request, &sieve);
        let components = components(&modules.after);
        let layers = modules.layers(&components);
        let cyclic = components.iter().filter(|members| members.len() > 1);
        let (knots, in_knots) = cyclic.fold((0, 0), |(knots, all), members| {
            (knots + 1, all + members.len())
        });
        let headline = format!(
            "{} with {} in {}",
            count(modules.names.len(), "module"),
            count(modules.needs.len(), "dependency"),
            count(layers.iter().max().map_or(0, |last| last + 1), "layer")
        );
        let mut needed = vec![0usize; modules.names.len()];
        for (_, to) in modules.needs.keys() {
            needed[*to] += 1;
        }
        let texts = Texts::new(self.reader);
        let mut draft = Draft::new(headline, self.coverage);
        draft.narrowed(&sieve);
        draft.without_tests(graph, &request.among, &sieve);
        if knots > 0 {
            draft.note(format!(
                "{in_knots} of them need each other in {}: ask for cycles",
                count(knots, "knot")
            ));
        }
        let mut all: Vec<usize> = (0..modules.names.len()).collect();
        all.sort_by_key(|module| (Reverse(layers[*module]), *module));
        draft.group("modules, from the top layer down", false, all, |module| {
            let mut after: Vec<(usize, usize)> = modules.after[*module]
                .iter()
                .map(|to| {
                    (
                        modules
                            .needs
                            .get(&(*module, *to))
                            .map_or(0, |need| need.edges),
                        *to,
                    )
                })
                .collect();
            after.sort_by_key(|(edges, to)| (Reverse(*edges), *to));
            let heaviest: Vec<String> = after
                .iter()
                .take(3)
                .map(|(edges, to)| format!("{} {edges}", modules.name(*to)))
                .collect();
            let more = if after.len() > 3 { ", …" } else { "" };
            let colon = if after.is_empty() { "" } else { ": " };
            Entry {
                name: modules.name(*module).to_owned(),
                detail: format!(
                    "layer {}, needed by {}, needs {}{colon}{}{more}",
                    layers[*module],
                    needed[*module],
                    after.len(),
                    heaviest.join(", ")
                ),
                ..Entry::default()
            }
        });
        let mut needs: Vec<(&(usize, usize), &Need)> = modules.needs.iter().collect();
        needs.sort_by_key(|(ends, need)| (Reverse(need.edges), **ends));
        draft.group(
            "dependencies, the heaviest first",
            false,
            needs,
            |((from, to), need)| self.need(&modules, *from, *to, need, &texts),
        );
        draft.finish(&request.page)
    }

    fn need(
        &self,
        modules: &Modules,
        from: usize,
        to: usize,
        need: &Need,
        texts: &Texts<'_>,
    ) -> Entry {
        let mut kinds: Vec<(&EdgeKind, &usize)> = need.kinds.iter().collect();
        kinds.sort_by_key(|(kind, times)| (Reverse(**times), **kind));
        let kinds: Vec<String> = kinds
            .iter()
            .take(3)
            .map(|(kind, times)| format!("{} {times}", said_kind(**kind)))
            .collect();
        let path = &self.graph.file(need.witness.from).path;
        let mut lines: Vec<Line> = texts.lines(path, [need.witness.row]);
        for line in &mut lines {
            line.text = format!("{}  ({path})", line.text);
        }
        Entry {
            name: format!("{} → {}", modules.name(from), modules.name(to)),
            detail: format!("{}: {}", count(need.edges, "edge"), kinds.join(", ")),
            lines,
            ..Entry::default()
        }
    }

    /// Modules that need each other: of each knot its size, a shortest cycle with a place for every
    /// step, and the lightest step.
    pub fn cycles(&self, request: &ModuleRequest) -> Answer {
        let graph = self.graph;
        let sieve = match request.among.sieve(graph) {
            Ok(sieve) => sieve,
            Err(why) => return Draft::new(why, self.coverage).finish(&request.page),
        };
        let modules = Modules::of(graph, request, &sieve);
        let mut knots = components(&modules.after);
        knots.retain(|members| members.len() > 1);
        knots.sort_by_key(|members| (members.len(), members.first().copied()));
        let noun = match request.level {
            Level::File => "file",
            Level::Folder => "folder",
        };
        let headline = match knots.len() {
            0 => format!("no {noun} needs itself by way of others"),
            many => format!(
                "{} of {noun}s that need each other ({} of {} in all)",
                count(many, "knot"),
                knots.iter().map(Vec::len).sum::<usize>(),
                count(modules.names.len(), noun)
            ),
        };
        let texts = Texts::new(self.reader);
        let mut draft = Draft::new(headline, self.coverage);
        draft.narrowed(&sieve);
        draft.without_tests(graph, &request.among, &sieve);
        for members in &knots {
            let cycle = modules.cycle(members);
            let next = cycle.iter().skip(1).chain(cycle.first());
            let steps: Vec<(usize, usize)> = cycle.iter().copied().zip(next.copied()).collect();
            let weight = |step: &(usize, usize)| modules.needs.get(step).map_or(0, |n| n.edges);
            let lightest = steps.iter().min_by_key(|step| weight(step)).copied();
            let title = match members.len() == cycle.len() {
                true => format!("cycle of {noun}s, steps"),
                false => format!(
                    "knot of {}; its shortest cycle, steps",
                    count(members.len(), noun)
                ),
            };
            let (modules, texts) = (&modules, &texts);
            draft.group(title, false, steps, move |step| {
                let Some(need) = modules.needs.get(step) else {
                    return Entry::default();
                };
                let mut entry = self.need(modules, step.0, step.1, need, texts);
                if lightest == Some(*step) {
                    entry.detail.push_str("; the lightest");
                }
                entry
            });
            if members.len() > cycle.len() {
                let title = format!("all {noun}s of the knot");
                draft.group(title, false, members.clone(), move |module| Entry {
                    name: modules.name(*module).to_owned(),
                    ..Entry::default()
                });
            }
        }
        draft.finish(&request.page)
    }
}

#[cfg(test)]
mod tests {
    use super::components;
    use proptest::prelude::*;

    #[test]
    fn a_chain_as_long_as_a_large_checkout_does_not_overflow() {
        let after: Vec<Vec<usize>> = (0..300_000).map(|at| vec![(at + 1) % 300_000]).collect();
        assert_eq!(components(&after).len(), 1);
    }

    proptest! {
        #[test]
        fn components_are_those_that_reach_each_other(
            edges in proptest::collection::vec((0usize..12, 0usize..12), 0..40)
        ) {
            let mut after = vec![Vec::new(); 12];
            let mut reaches = [[false; 12]; 12];
            for (from, to) in edges {
                after[from].push(to);
                reaches[from][to] = true;
            }
            for via in 0..12 {
                for from in 0..12 {
                    for to in 0..12 {
                        reaches[from][to] |= reaches[from][via] && reaches[via][to];
                    }
                }
            }
            let all = components(&after);
            let mut place = [usize::MAX; 12];
            for (at, members) in all.iter().enumerate() {
                for member in members {
                    prop_assert_eq!(place[*member], usize::MAX);
                    place[*member] = at;
                }
            }
            for a in 0..12 {
                for b in 0..12 {
                    let together = a == b || reaches[a][b] && reaches[b][a];
                    prop_assert_eq!(place[a] == place[b], together);
                    if reaches[a][b] {
                        prop_assert!(place[b] <= place[a]);
                    }
                }
            }
        }
    }
}
