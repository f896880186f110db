//! Who calls, who is called, who refers.

use super::Inquiry;
use super::answer::{Answer, Entry, count, times};
use super::compose::{Draft, Page};
use super::filter::Filter;
use super::hidden::edges_to;
use super::lines::Texts;
use super::reach::{Reached, Walk, is_call, reaching, replaced};
use super::resolve::Wanted;
use crate::facts::SymbolKind;
use crate::graph::{Edge, Graph, Loose, NodeId};
use crate::link::{Certainty, EdgeKind};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is asked about calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallRequest {
    /// Of what.
    #[serde(flatten)]
    pub wanted: Wanted,
    /// How many steps: callers of callers. 1 to 6.
    pub depth: u8,
    /// The weakest certainty that counts; what is less sure is told apart.
    pub certainty: Certainty,
    /// Only callers (callees, places) among these.
    pub among: Filter,
    /// How much to give.
    pub page: Page,
}

impl Default for CallRequest {
    fn default() -> CallRequest {
        CallRequest {
            wanted: Wanted::default(),
            depth: 1,
            certainty: Certainty::Inferred,
            among: Filter::default(),
            page: Page::default(),
        }
    }
}

impl CallRequest {
    /// Calls of this symbol.
    pub fn named(symbol: impl Into<String>) -> CallRequest {
        CallRequest {
            wanted: Wanted::named(symbol),
            ..CallRequest::default()
        }
    }
}

/// A node at one end of some edges, with where they stand.
struct End {
    node: NodeId,
    certainty: Certainty,
    rows: Vec<u32>,
    detail: String,
}

impl Inquiry<'_> {
    /// Who calls a symbol. Of a class: who makes instances of it. Of a file: who calls into it.
    pub fn callers(&self, request: &CallRequest) -> Answer {
        self.uses(request, "caller", is_call)
    }

    /// Every place that refers to a symbol, whatever it does with it.
    pub fn references(&self, request: &CallRequest) -> Answer {
        self.uses(request, "user", |kind| kind != EdgeKind::Overrides)
    }

    fn uses(&self, request: &CallRequest, noun: &str, follows: fn(EdgeKind) -> bool) -> Answer {
        let graph = self.graph;
        let page = &request.page;
        let (subject, sieve) = match self.about(&request.wanted, &request.among, page) {
            Ok(both) => both,
            Err(answer) => return *answer,
        };
        let targets = self.targets(&subject);
        let inside = |node: NodeId| {
            subject.iter().any(|one| graph.symbol(*one).is_none())
                && targets.binary_search(&node).is_ok()
        };
        let edges = targets
            .iter()
            .flat_map(|target| edges_to(graph, *target, request.certainty))
            .filter(|edge| follows(edge.kind) && !inside(edge.from));
        let by_kind = noun == "user";
        let (mut sure, mut unsure) =
            self.by_end(edges, |edge| edge.from, request.certainty, by_kind);
        let whole = sure.len();
        sure.retain(|end| sieve.lets(graph, end.node));
        unsure.retain(|end| sieve.lets(graph, end.node));
        let outside = whole - sure.len();
        let (tests, plain): (Vec<End>, Vec<End>) =
            sure.into_iter().partition(|end| graph.is_test(end.node));
        let through = match noun {
            "caller" => self.through_base(&subject, request.certainty),
            _ => Vec::new(),
        };
        let through: Vec<End> = through
            .into_iter()
            .filter(|end| sieve.lets(graph, end.node))
            .collect();
        let places = |ends: &[End]| ends.iter().map(|end| end.rows.len()).sum::<usize>();
        let mut headline = match plain.len() + tests.len() {
            0 if outside == 1 => format!(
                "the only known {noun} of {} is not among what was asked for",
                self.said_all(&subject)
            ),
            0 if outside > 0 => format!(
                "none of the {outside} known {noun}s of {} is among what was asked for",
                self.said_all(&subject)
            ),
            0 => format!("no known {noun}s of {}", self.said_all(&subject)),
            many => format!(
                "{} of {} in {}",
                count(many, noun),
                self.said_all(&subject),
                count(places(&plain) + places(&tests), "place")
            ),
        };
        if !tests.is_empty() {
            headline.push_str(&format!("; {} of them in tests", tests.len()));
        }
        let none = whole == 0;
        let texts = Texts::new(self.reader);
        let mut draft = Draft::new(headline, self.coverage);
        let entry = |end: &End| self.end(end, &texts);
        draft.group(format!("{noun}s"), true, plain, entry);
        let mut way = Vec::new();
        if request.depth > 1 {
            let walk = Walk {
                weakest: request.certainty,
                depth: request.depth.min(6),
                follows,
                dispatch: false,
            };
            let reach = reaching(graph, &targets, walk);
            let passed = reach.all.iter().filter(|one| one.depth < walk.depth);
            way.extend(passed.map(|one| one.node));
            let mut levels: BTreeMap<u8, Vec<Reached>> = BTreeMap::new();
            for one in reach.all.iter().filter(|one| one.depth > 1) {
                if sieve.lets(graph, one.node) {
                    levels.entry(one.depth).or_default().push(*one);
                }
            }
            for (depth, level) in levels {
                draft.group(
                    format!("at distance {depth}"),
                    true,
                    level,
                    |one: &Reached| {
                        let mut entry = self.entry(one.node);
                        entry.certainty = Some(one.weakest);
                        entry.detail = format!("by {}", graph.qualified(one.step.to));
                        entry
                    },
                );
            }
        }
        draft.group(format!("{noun}s in tests"), true, tests, entry);
        draft.group(
            "may call it through what it overrides",
            true,
            through,
            entry,
        );
        draft.group("less sure", true, unsure, entry);
        draft.narrowed(&sieve);
        if outside < whole {
            draft.kept_back(outside, &format!("more {noun}"));
        }
        self.note_hidden(&mut draft, &subject, &way, request, (noun, none), follows);
        draft.finish(page)
    }

    /// Says what else may be there that no edge tells; `way` holds what was passed through, `none`
    /// says that no caller or user is known.
    fn note_hidden(
        &self,
        draft: &mut Draft<'_>,
        subject: &[NodeId],
        way: &[NodeId],
        request: &CallRequest,
        (noun, none): (&str, bool),
        follows: fn(EdgeKind) -> bool,
    ) {
        let graph = self.graph;
        let file = subject.iter().all(|node| graph.symbol(*node).is_none());
        let start = match file {
            true => self.targets(subject),
            false => subject.to_vec(),
        };
        if request.certainty < Certainty::Name {
            let hidden = self.hidden(start.iter().copied(), follows, |node| {
                file && start.binary_search(&node).is_ok()
            });
            if let Some(note) = self.said_hidden(&hidden) {
                draft.note(note);
            }
        }
        self.note_way(draft, &start, way, request.certainty, follows);
        let outside = match noun {
            "caller" => subject
                .iter()
                .find_map(|one| self.called_from_outside(*one)),
            _ => None,
        };
        if let Some(why) = outside {
            draft.note(why);
        } else if none && self.is_decorated(subject) {
            draft.note("it is decorated: what decorates it may hand it on");
        }
        if noun == "caller" {
            self.note_handed_on(draft, &start, file);
        }
        let below = subject
            .iter()
            .flat_map(|node| graph.incoming(*node))
            .filter(|edge| edge.kind == EdgeKind::Overrides)
            .count();
        if below > 0 && noun == "caller" {
            draft.note(format!(
                "{} it: a call here may run one of those",
                match below {
                    1 => "1 method overrides".to_owned(),
                    many => format!("{many} methods override"),
                }
            ));
        }
    }

    /// Says how often what is asked about is used without being called; of a file, only uses outside
    /// of it count. What is a function may be called from where it is handed to.
    fn note_handed_on(&self, draft: &mut Draft<'_>, start: &[NodeId], file: bool) {
        let graph = self.graph;
        let own = |edge: &Edge| file && graph.file_number(edge.from) == graph.file_number(edge.to);
        let (mut handed_on, mut used) = (0, 0);
        for node in start {
            let edges = graph.incoming(*node).filter(|edge| !own(edge));
            let uses = edges
                .filter(|edge| edge.kind == EdgeKind::References)
                .count();
            match graph.kind(*node).is_some_and(SymbolKind::is_callable) {
                true => handed_on += uses,
                false => used += uses,
            }
        }
        let whose = match file {
            true => "what is in it is",
            false => "it is",
        };
        if handed_on > 0 {
            draft.note(format!(
                "{whose} also used {} as a value, and may be called from where that goes: ask for \
                 references",
                times(handed_on)
            ));
        }
        if used > 0 && !file {
            draft.note(format!(
                "{whose} also used {} without a call: ask for references",
                times(used)
            ));
        }
    }

    /// What calls a symbol, or else what a call may run instead: the callers of what it overrides.
    fn through_base(&self, subject: &[NodeId], weakest: Certainty) -> Vec<End> {
        let graph = self.graph;
        let mut all = Vec::new();
        for base in subject.iter().flat_map(|node| replaced(graph, *node)) {
            let edges = graph
                .incoming(base)
                .copied()
                .filter(|edge| edge.kind == EdgeKind::Calls && !subject.contains(&edge.from));
            let (sure, _) = self.by_end(edges, |edge| edge.from, weakest, false);
            all.extend(sure.into_iter().map(|end| End {
                detail: format!("calls {}", graph.qualified(base)),
                ..end
            }));
        }
        all
    }

    /// What a symbol calls. Of a class or a file: what anything in it calls outside of it.
    pub fn callees(&self, request: &CallRequest) -> Answer {
        let graph = self.graph;
        let page = &request.page;
        let (subject, sieve) = match self.about(&request.wanted, &request.among, page) {
            Ok(both) => both,
            Err(answer) => return *answer,
        };
        let sources = self.sources(&subject);
        let whole = sources.len() > subject.len();
        let inside = |node: NodeId| whole && sources.binary_search(&node).is_ok();
        let edges = sources
            .iter()
            .flat_map(|source| graph.outgoing(*source).copied())
            .filter(|edge| is_call(edge.kind) && !inside(edge.to));
        let (mut sure, mut unsure) = self.by_end(edges, |edge| edge.to, request.certainty, false);
        let all = sure.len();
        sure.retain(|end| sieve.lets(graph, end.node));
        unsure.retain(|end| sieve.lets(graph, end.node));
        let kept_back = all - sure.len();
        let said = self.said_all(&subject);
        let outside = self.loose_by_name(sources.iter().flat_map(|n| graph.external_in(*n)));
        let unknown = self.loose_by_name(sources.iter().flat_map(|n| graph.unresolved_in(*n)));
        let headline = match sure.len() {
            0 if kept_back > 0 => format!("{said} calls nothing among what was asked for"),
            0 => format!("{said} calls nothing that is known in the checkout"),
            many => format!("{said} calls {}", count(many, "symbol")),
        };
        let texts = Texts::new(self.reader);
        let mut draft = Draft::new(headline, self.coverage);
        let here: &str = subject
            .first()
            .map_or("", |node| graph.file(*node).path.as_str());
        let entry = |end: &End| {
            let mut entry = self.entry(end.node);
            entry.certainty = Some(end.certainty);
            if !whole {
                entry.lines = texts.lines(here, end.rows.iter().copied());
            } else if end.rows.len() > 1 {
                entry.detail = times(end.rows.len());
            }
            entry
        };
        draft.group("callees", true, sure, entry);
        draft.group("less sure", true, unsure, entry);
        let named = |kind: &'static str| {
            move |(name, rows): &(String, Vec<u32>)| Entry {
                kind,
                name: name.clone(),
                detail: match rows.as_slice() {
                    [row] if !whole => format!("line {}", row + 1),
                    rows => times(rows.len()),
                },
                ..Entry::default()
            }
        };
        draft.group("outside the checkout", false, outside, named("external"));
        draft.group("could not be told", false, unknown, named("unresolved"));
        draft.narrowed(&sieve);
        draft.kept_back(kept_back, "more callee");
        draft.finish(page)
    }

    fn loose_by_name<'b>(&self, uses: impl Iterator<Item = &'b Loose>) -> Vec<(String, Vec<u32>)> {
        let mut all: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for one in uses.filter(|one| is_call(one.kind)) {
            let name = match self.graph.name_of(one) {
                "" => "(what an expression gives)",
                name => name,
            };
            all.entry(name).or_default().push(one.row);
        }
        all.into_iter()
            .map(|(name, rows)| (name.to_owned(), rows))
            .collect()
    }

    /// What a question is about and what it is narrowed to, or the answer that says why not.
    pub(super) fn about(
        &self,
        wanted: &Wanted,
        among: &Filter,
        page: &Page,
    ) -> Result<(Vec<NodeId>, super::filter::Sieve), Box<Answer>> {
        let subject = self.subject(wanted, page)?;
        let sieve = among
            .sieve(self.graph)
            .map_err(|why| Box::new(Draft::new(why, self.coverage).finish(page)))?;
        Ok((subject, sieve))
    }

    /// What an edge must lead to in order to use a subject: a class is used through its
    /// constructors, a constructor also by the types that inherit it, a file through all that is in
    /// it. Sorted.
    pub(super) fn targets(&self, subject: &[NodeId]) -> Vec<NodeId> {
        let graph = self.graph;
        let mut all = Vec::new();
        for node in subject {
            match graph.kind(*node) {
                None => all.extend(graph.within(*node)),
                Some(kind) => {
                    all.push(*node);
                    let users = graph.incoming(*node).map(|edge| edge.from);
                    all.extend(users.filter(|user| graph.alias_of(*user) == Some(*node)));
                    if kind.is_type() {
                        all.extend(graph.children(*node).filter(|one| is_maker(graph, *one)));
                    }
                    if is_maker(graph, *node)
                        && let Some(class) = graph.parent(*node)
                    {
                        all.extend(heirs(graph, class));
                    }
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What stands for a subject as a source: a class or a file with all that is in it. Sorted.
    pub(super) fn sources(&self, subject: &[NodeId]) -> Vec<NodeId> {
        let graph = self.graph;
        let whole = |node: NodeId| {
            graph
                .kind(node)
                .is_none_or(|kind| kind.is_type() || kind == SymbolKind::Module)
        };
        let mut all: Vec<NodeId> = subject
            .iter()
            .flat_map(|node| match whole(*node) {
                true => graph.within(*node),
                false => vec![*node],
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The subject of a sentence.
    pub(super) fn said_all(&self, subject: &[NodeId]) -> String {
        match subject {
            [] => String::new(),
            [one] => self.said(*one),
            [first, .., last] if self.graph.symbol(*first).is_none() => {
                // Files come together as what a folder holds.
                let (a, b) = (&self.graph.file(*first).path, &self.graph.file(*last).path);
                let both = a.split('/').zip(b.split('/'));
                let folder: Vec<&str> = both
                    .take_while(|(a, b)| a == b)
                    .map(|(part, _)| part)
                    .collect();
                let folder = match folder.is_empty() {
                    true => ".".to_owned(),
                    false => folder.join("/"),
                };
                format!("folder {folder} ({})", count(subject.len(), "file"))
            }
            [first, rest @ ..] => {
                format!("{} and {} more of that name", self.said(*first), rest.len())
            }
        }
    }

    /// Edges by one of their ends: those that are sure enough, and the others. A place where both a
    /// class and its constructor are named is one place.
    fn by_end(
        &self,
        edges: impl Iterator<Item = Edge>,
        end: fn(&Edge) -> NodeId,
        weakest: Certainty,
        by_kind: bool,
    ) -> (Vec<End>, Vec<End>) {
        let mut places: HashMap<(NodeId, NodeId, u32), Edge> = HashMap::new();
        for edge in edges {
            let key = match end(&edge) == edge.from {
                true => (edge.from, NodeId(0), edge.at),
                false => (edge.from, edge.to, edge.at),
            };
            let known = places.entry(key).or_insert(edge);
            if (edge.certainty, edge.kind) < (known.certainty, known.kind) {
                *known = edge;
            }
        }
        let mut places: Vec<Edge> = places.into_values().collect();
        places.sort_unstable_by_key(|edge| (end(edge), edge.from, edge.at));
        let mut both = (Vec::<End>::new(), Vec::<End>::new());
        for edge in places {
            let ends = match edge.certainty <= weakest {
                true => &mut both.0,
                false => &mut both.1,
            };
            let node = end(&edge);
            if ends.last().is_none_or(|last| last.node != node) {
                ends.push(End {
                    node,
                    certainty: edge.certainty,
                    rows: Vec::new(),
                    detail: String::new(),
                });
            }
            if let Some(last) = ends.last_mut() {
                last.certainty = last.certainty.min(edge.certainty);
                last.rows.push(edge.row);
                let what = said_kind(edge.kind);
                if by_kind && !last.detail.contains(what) {
                    let comma = if last.detail.is_empty() { "" } else { ", " };
                    last.detail.push_str(&format!("{comma}{what}"));
                }
            }
        }
        both
    }

    /// A caller or user with the lines that say so.
    fn end(&self, end: &End, texts: &Texts<'_>) -> Entry {
        let mut entry = self.entry(end.node);
        entry.certainty = Some(end.certainty);
        entry.detail = end.detail.clone();
        entry.lines = texts.lines(&entry.path, end.rows.iter().copied());
        entry
    }
}

/// What an edge says, as a verb.
pub(super) fn said_kind(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Calls => "calls",
        EdgeKind::Instantiates => "makes",
        EdgeKind::References => "refers to",
        EdgeKind::UsesType => "uses as type",
        EdgeKind::Decorates => "is decorated with",
        EdgeKind::Imports => "imports",
        EdgeKind::Extends => "extends",
        EdgeKind::Implements => "implements",
        EdgeKind::MixesIn => "mixes in",
        EdgeKind::Overrides => "overrides",
        EdgeKind::Writes => "writes to",
    }
}

fn is_maker(graph: &Graph, node: NodeId) -> bool {
    graph.kind(node) == Some(SymbolKind::Constructor)
}

/// The types that are made by the constructors of a type, because neither they nor a type between them
/// has any.
fn heirs(graph: &Graph, class: NodeId) -> Vec<NodeId> {
    let mut all: Vec<NodeId> = Vec::new();
    let mut open = vec![class];
    while let Some(class) = open.pop() {
        for edge in graph.incoming(class) {
            let heir = edge.from;
            let inherits = matches!(edge.kind, EdgeKind::Extends | EdgeKind::MixesIn)
                && !graph.children(heir).any(|one| is_maker(graph, one));
            if inherits && heir != class && !all.contains(&heir) {
                all.push(heir);
                open.push(heir);
            }
        }
    }
    all
}
