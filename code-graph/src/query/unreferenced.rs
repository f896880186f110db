//! What nothing is known to use.

use super::Inquiry;
use super::answer::{Answer, Entry, count};
use super::compose::{Draft, Page};
use super::filter::{Filter, Tests};
use super::reach::replaced;
use crate::facts::{Flags, SymbolKind, Visibility};
use crate::graph::outline::hash;
use crate::graph::{Edge, File, Graph, NodeId};
use crate::link::{Certainty, EdgeKind};
use hashbrown::HashSet;
use serde::{Deserialize, Serialize};

/// Which symbols are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnreferencedRequest {
    /// Only these; without kinds, what can be called and types. Tests are left out unless asked for.
    pub among: Filter,
    /// How much to give.
    pub page: Page,
}

impl Default for UnreferencedRequest {
    fn default() -> UnreferencedRequest {
        UnreferencedRequest {
            among: Filter {
                tests: Tests::Without,
                ..Filter::default()
            },
            page: Page::default(),
        }
    }
}

/// The words of all text literals, by hash, with the numbers of the files that hold them.
struct Mentions(Vec<(u32, usize)>);

impl Mentions {
    fn of(graph: &Graph) -> Mentions {
        let files = graph.files().iter().enumerate();
        let words =
            files.flat_map(|(at, file)| file.outline.words().iter().map(move |word| (*word, at)));
        let mut all: Vec<(u32, usize)> = words.collect();
        all.sort_unstable();
        Mentions(all)
    }

    /// The files that hold a name as a word of a text.
    fn with(&self, name: &str) -> &[(u32, usize)] {
        let hash = hash(name);
        let from = self.0.partition_point(|(word, _)| *word < hash);
        let rest = self.0.get(from..).unwrap_or_default();
        let many = rest.partition_point(|(word, _)| *word == hash);
        rest.get(..many).unwrap_or_default()
    }
}

/// How a symbol is used.
enum Use {
    /// For sure, or as surely as most uses are known.
    Used,
    /// By tests only.
    Tested,
    /// Not as far as is known.
    None,
}

impl Inquiry<'_> {
    /// Symbols without a known use, with what speaks against their being unused: they may be used
    /// in a way that nothing in the checkout tells. First those against which nothing speaks.
    pub fn unreferenced(&self, request: &UnreferencedRequest) -> Answer {
        let graph = self.graph;
        let sieve = match request.among.sieve(graph) {
            Ok(sieve) => sieve,
            Err(why) => return Draft::new(why, self.coverage).finish(&request.page),
        };
        let any_kind = request.among.kinds.is_empty();
        let (mut bare, mut doubtful, mut tested) = (Vec::new(), Vec::new(), Vec::new());
        let mentions = Mentions::of(graph);
        let mut looked_at = 0;
        let mut unused: HashSet<NodeId> = HashSet::new();
        for node in graph.nodes() {
            let Some(item) = graph.symbol(node) else {
                continue;
            };
            let usual = item.kind.is_callable() || item.kind.is_type();
            if any_kind && !usual || !sieve.lets(graph, node) || item.flags.has(Flags::TEST) {
                continue;
            }
            looked_at += 1;
            if graph
                .parent(node)
                .is_some_and(|parent| unused.contains(&parent))
            {
                // What is declared in something unused goes with it.
                unused.insert(node);
                continue;
            }
            match used(graph, node) {
                Use::Used => {}
                Use::Tested => tested.push((node, Vec::new())),
                Use::None => {
                    unused.insert(node);
                    let against = self.against(node, &mentions);
                    match against.is_empty() {
                        true => bare.push((node, against)),
                        false => doubtful.push((node, against)),
                    }
                }
            }
        }
        // What no edge and no text speaks for may still be read from something.
        let nodes: Vec<NodeId> = bare.iter().map(|(node, _)| *node).collect();
        let accesses = self.accesses(&nodes);
        bare.retain(|(node, _)| match accesses.get(node) {
            Some(access) => {
                doubtful.push((*node, vec![self.said_access(access)]));
                false
            }
            None => true,
        });
        let size = |node: &NodeId| {
            graph
                .symbol(*node)
                .map_or(0, |item| item.span.end_row - item.span.row)
        };
        bare.sort_by_key(|(node, _)| (std::cmp::Reverse(size(node)), *node));
        let strong = |node: &NodeId| {
            graph
                .symbol(*node)
                .is_some_and(|item| item.flags.has(Flags::ENTRY))
        };
        doubtful.sort_by_key(|(node, against): &(NodeId, Vec<String>)| {
            (strong(node), against.len(), *node)
        });
        let headline = format!(
            "{} of {} without a known use, {} of them without a sign of one; {} used by tests only",
            bare.len() + doubtful.len(),
            count(looked_at, "symbol"),
            bare.len(),
            tested.len()
        );
        let mut draft = Draft::new(headline, self.coverage);
        draft.narrowed(&sieve);
        draft.note("no known use is not no use: reflection, configuration and other checkouts are not seen");
        let entry = |(node, against): &(NodeId, Vec<String>)| {
            let mut entry: Entry = self.entry(*node);
            entry.end_line = graph.symbol(*node).map(|item| item.span.end_row + 1);
            let inside = graph.within(*node).len() - 1;
            let inside = (inside > 0).then(|| format!("with {inside} declared in it"));
            entry.detail = inside
                .into_iter()
                .chain(against.iter().cloned())
                .collect::<Vec<String>>()
                .join("; ");
            entry
        };
        draft.group("no known use, the largest first", false, bare, entry);
        draft.group("no known use, but", false, doubtful, entry);
        draft.group("used by tests only", false, tested, entry);
        draft.finish(&request.page)
    }

    /// What lets a symbol without a known use be used all the same.
    fn against(&self, node: NodeId, mentions: &Mentions) -> Vec<String> {
        let graph = self.graph;
        let mut all = Vec::new();
        let Some(item) = graph.symbol(node) else {
            return all;
        };
        let flags = [
            (Flags::ENTRY, "called by the runtime or a framework"),
            (Flags::EXPORTED, "exported"),
            (Flags::DECORATED, "decorated"),
        ];
        for (flag, word) in flags {
            if item.flags.has(flag) {
                all.push(word.to_owned());
            }
        }
        if !item.flags.has(Flags::EXPORTED)
            && item.visibility == Visibility::Public
            && says_public(graph.file(node).language.id())
        {
            all.push("public".to_owned());
        }
        if let Some(class) = graph.parent(node).and_then(|parent| graph.symbol(parent))
            && class.kind.is_type()
            && class.flags.has(Flags::EXPORTED)
            && item.visibility == Visibility::Public
            && !says_public(graph.file(node).language.id())
        {
            all.push("public in what is exported".to_owned());
        }
        if let Some(base) = replaced(graph, node).first() {
            all.push(format!("overrides {}", self.short(*base)));
        }
        if !item.flags.has(Flags::ENTRY) {
            all.extend(self.called_from_outside(node));
        }
        let name = graph.name(node);
        let unresolved = graph.unresolved_named(name).count();
        if unresolved > 0 {
            all.push(format!(
                "{} of its name",
                count(unresolved, "unresolved use")
            ));
        }
        let possible = graph
            .incoming(node)
            .filter(|edge| edge.certainty > Certainty::Inferred)
            .count();
        if possible > 0 {
            all.push(count(possible, "possible use"));
        }
        let imported = graph
            .incoming(node)
            .find(|edge| edge.kind == EdgeKind::Imports);
        if let Some(edge) = imported {
            all.push(format!("imported in {}", graph.file(edge.from).path));
        }
        let mentioned = mentions.with(name);
        let first = mentioned
            .first()
            .and_then(|(_, file)| graph.files().get(*file));
        if let Some(File { path: first, .. }) = first {
            let more = match mentioned.len() {
                1 => String::new(),
                many => format!(" and {} more", many - 1),
            };
            all.push(format!("its name is a text in {first}{more}"));
        }
        all
    }
}

/// Who uses a symbol from outside of itself. A type is used when a member of it is, and a member
/// when one is that it replaces, or that it fulfils an interface by.
fn used(graph: &Graph, node: NodeId) -> Use {
    let mut tested = false;
    let own = graph.within(node);
    for target in std::iter::once(node).chain(replaced(graph, node)) {
        match used_itself(graph, target, &own) {
            Use::Used => return Use::Used,
            Use::Tested => tested = true,
            Use::None => {}
        }
    }
    if tested { Use::Tested } else { Use::None }
}

/// Who uses a symbol by its own name; what some nodes do does not count.
fn used_itself(graph: &Graph, node: NodeId, besides: &[NodeId]) -> Use {
    let inside = graph.within(node);
    let mut tested = false;
    let is_type = graph.kind(node).is_some_and(SymbolKind::is_type);
    let targets: &[NodeId] = match is_type {
        true => &inside,
        false => &inside[..1],
    };
    // Each of several definitions of one name is the one that is meant, under its condition.
    let conditional = graph
        .symbol(node)
        .is_some_and(|item| item.flags.has(Flags::CONDITIONAL));
    let weakest = match conditional {
        true => Certainty::Candidate,
        false => Certainty::Inferred,
    };
    let counts = |edge: &&Edge| {
        !matches!(edge.kind, EdgeKind::Imports | EdgeKind::Overrides)
            && edge.certainty <= weakest
            && !inside.contains(&edge.from)
            && !besides.contains(&edge.from)
    };
    for edge in targets
        .iter()
        .flat_map(|target| graph.incoming(*target))
        .filter(counts)
    {
        if !graph.is_test(edge.from) || graph.is_test(node) {
            return Use::Used;
        }
        tested = true;
    }
    if tested { Use::Tested } else { Use::None }
}

/// Whether being public is said in the language by a sign, so that it means something.
fn says_public(language: &str) -> bool {
    !matches!(
        language,
        "python" | "ruby" | "lua" | "bash" | "javascript" | "jsx" | "typescript" | "tsx" | "php"
    )
}
