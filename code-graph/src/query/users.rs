//! Which files use what an edit touches: for whoever has to look at them after it.

mod follows;
mod lost;

use super::reach::{Walk, is_dependency, steps_to};
use crate::facts::SymbolKind;
use crate::graph::{Edge, File, Graph, NodeId};
use crate::link::{Certainty, EdgeKind};
use follows::type_follows;
use hashbrown::{HashMap, HashSet};
pub use lost::lost_users;
use std::ops::Range;

/// What an edit is about to do to one file of the graph, or has done to the file that the graph
/// knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditedFile {
    /// Relative to the checkout, with `/`.
    pub path: String,
    /// The rows, counted from 0 in the file as the graph knows it, that are changed or taken away;
    /// an empty range is a place where rows come in, in front of that row.
    pub rows: Vec<Range<u32>>,
    /// The file as the graph knows it. Without it, what is changed cannot be told, and everything in
    /// the file counts as touched, but for its declarations.
    pub text: Option<String>,
    /// Whether the file goes away.
    pub gone: bool,
}

/// Why a file may have to be looked at after an edit; the strongest reason first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Stake {
    /// It uses something whose declaration is touched: its name, its parameters, its being there.
    Declaration,
    /// It stands on a type whose members are touched: it inherits from it, or makes values of it.
    Members,
    /// It uses something that does another thing than before, and whose type follows from that.
    Body,
    /// It uses something whose type follows from that of what is touched.
    Follows,
}

/// A file that uses what an edit touches.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UserFile {
    /// Relative to the checkout, with `/`.
    pub path: String,
    /// The strongest reason.
    pub stake: Stake,
    /// The surest of the edges that say so.
    pub certainty: Certainty,
    /// The paths of the edited files that it uses.
    pub uses: Vec<String>,
    /// The rows where it does, counted from 0.
    pub rows: Vec<u32>,
}

/// What follows from what is touched is looked for so many steps on, and at so many places at most.
const REMOVES: u32 = 2;
const PLACES: usize = 64;

/// The files that use what these edits touch, and those that use what follows from it where no type
/// is written down; none of the edited ones. Those with the strongest reason come first, of these the
/// surest, of these those with most uses.
pub fn users(graph: &Graph, edited: &[EditedFile]) -> Vec<UserFile> {
    let mut users = Users {
        graph,
        edited,
        found: HashMap::new(),
        follow: Vec::new(),
        seen: HashSet::new(),
    };
    for edit in edited {
        if let Some(file) = graph.file_at(&edit.path) {
            each_use(graph, file, edit, &mut |from, row, certainty, stake| {
                users.add(from, row, certainty, stake, &edit.path);
                if matches!(stake, Stake::Declaration | Stake::Body) {
                    users.follow(from, row, &edit.path);
                }
            });
        }
    }
    for _ in 0..REMOVES {
        for (node, used) in std::mem::take(&mut users.follow) {
            let walk = Walk {
                weakest: Certainty::Candidate,
                depth: 1,
                follows: |_| true,
                dispatch: true,
            };
            for (step, edge) in steps_to(graph, node, walk) {
                if edge.certainty <= walk.weakest {
                    users.add(step.from, step.row, step.certainty, Stake::Follows, &used);
                    users.follow(step.from, step.row, &used);
                }
            }
        }
    }
    let mut all: Vec<UserFile> = users.found.into_values().collect();
    for user in &mut all {
        user.rows.sort_unstable();
        user.rows.dedup();
    }
    let order = |user: &UserFile| (user.stake, user.certainty, usize::MAX - user.rows.len());
    all.sort_by(|a, b| order(a).cmp(&order(b)).then_with(|| a.path.cmp(&b.path)));
    all
}

/// The users that are being found.
struct Users<'g, 'e> {
    graph: &'g Graph,
    edited: &'e [EditedFile],
    /// By the number of the file.
    found: HashMap<usize, UserFile>,
    /// What may be of another type now, with the edited file that it comes from.
    follow: Vec<(NodeId, String)>,
    seen: HashSet<NodeId>,
}

impl Users<'_, '_> {
    fn add(&mut self, from: NodeId, row: u32, certainty: Certainty, stake: Stake, used: &str) {
        let path = &self.graph.file(from).path;
        if self.edited.iter().any(|one| one.path == *path) {
            return;
        }
        let number = self.graph.file_number(from);
        let user = self.found.entry(number).or_insert_with(|| UserFile {
            path: path.clone(),
            stake,
            certainty,
            uses: Vec::new(),
            rows: Vec::new(),
        });
        user.stake = user.stake.min(stake);
        user.certainty = user.certainty.min(certainty);
        user.rows.push(row);
        if !user.uses.iter().any(|known| known == used) {
            user.uses.push(used.to_owned());
        }
    }

    /// Takes it that what is at a place may be of another type.
    fn follow(&mut self, from: NodeId, row: u32, used: &str) {
        let place = self
            .graph
            .at_line(self.graph.file(from), row.saturating_add(1));
        if self.seen.len() < PLACES && type_follows(self.graph, place) && self.seen.insert(place) {
            self.follow.push((place, used.to_owned()));
        }
    }
}

/// Whether an edit touches nothing but what functions and the like do: everything is declared as
/// before, and what other files mean by the names in them is the same after it. Then a graph that
/// knows the file as it was before the edit still tells who uses what is in it. `lines` are all that
/// come in: one that is not indented as what is in a body may declare something. False for a file
/// that the graph does not have.
///
/// That is as sure as [`Stake::Body`] is: a type that follows from a body may be another.
pub fn is_within_bodies<'l>(
    graph: &Graph,
    edit: &EditedFile,
    lines: impl IntoIterator<Item = &'l str>,
) -> bool {
    let (Some(file), Some(text), false) = (graph.file_at(&edit.path), &edit.text, edit.gone) else {
        return false;
    };
    let mut deepest = "";
    for (node, stake) in touched_by(graph, file, edit) {
        let Some(item) = graph.symbol(node).filter(|_| stake == Stake::Body) else {
            return false;
        };
        let head = text.get(..item.span.start as usize).unwrap_or_default();
        let head = head.rsplit('\n').next().unwrap_or_default();
        let rest = head.trim_start_matches([' ', '\t']);
        let indent = head.strip_suffix(rest).unwrap_or_default();
        if indent.len() > deepest.len() {
            deepest = indent;
        }
    }
    lines.into_iter().all(|line| {
        let inner = line.strip_prefix(deepest);
        line.trim().is_empty() || inner.is_some_and(|line| line.starts_with([' ', '\t']))
    })
}

/// Tells every use of what an edit touches: from where, in which row, how surely, and why it
/// matters.
fn each_use(
    graph: &Graph,
    file: &File,
    edit: &EditedFile,
    tell: &mut impl FnMut(NodeId, u32, Certainty, Stake),
) {
    let touched = touched_by(graph, file, edit);
    for (node, stake) in &touched {
        let walk = Walk {
            weakest: match stake {
                Stake::Declaration => Certainty::Name,
                Stake::Members | Stake::Body | Stake::Follows => Certainty::Candidate,
            },
            depth: 1,
            follows: |_| true,
            dispatch: true,
        };
        let itself = match stake {
            Stake::Declaration => *node != file.node || edit.gone,
            Stake::Body => edit.text.is_none() || type_follows(graph, *node),
            Stake::Members | Stake::Follows => false,
        };
        for (step, edge) in steps_to(graph, *node, walk).filter(|_| itself) {
            if edge.certainty <= walk.weakest {
                tell(step.from, step.row, step.certainty, *stake);
            }
        }
        // Who inherits from a type, or has to have its members, is concerned by each of them.
        let owner = match graph.kind(*node) {
            Some(kind) if kind.is_type() => Some(*node),
            _ => graph.parent(*node),
        };
        let owner = owner.filter(|_| *stake < Stake::Body);
        if let Some(owner) = owner
            && let Some(kind) = graph.kind(owner)
        {
            // A member that is another now makes it another type, wherever a value of it goes.
            let another = owner != *node;
            let counts = |edge: &&Edge| match another {
                true => is_dependency(edge.kind),
                false => stands_on(kind, edge),
            };
            for edge in graph.incoming(owner).filter(counts) {
                tell(edge.from, edge.row, edge.certainty, Stake::Members);
            }
        }
    }
    if touched.iter().any(|(node, _)| *node == file.node) {
        each_use_through(graph, file, edit, tell);
    }
}

/// What an edit touches of a file. The node of the file itself stands for what is in no symbol.
fn touched_by(graph: &Graph, file: &File, edit: &EditedFile) -> Vec<(NodeId, Stake)> {
    let all = |stake| {
        let nodes = graph.within(file.node).into_iter();
        nodes.map(move |node| (node, stake)).collect()
    };
    if edit.gone {
        return all(Stake::Declaration);
    }
    let Some(text) = &edit.text else {
        return all(Stake::Body);
    };
    let mut found: HashMap<NodeId, Stake> = HashMap::new();
    let mut take = |node, stake: Stake| {
        let known = found.entry(node).or_insert(stake);
        *known = stake.min(*known);
    };
    for rows in &edit.rows {
        if rows.is_empty() {
            let (node, stake) = place_between(graph, file, rows.start, text);
            take(node, stake);
        }
        for row in rows.clone() {
            let node = graph.at_line(file, row.saturating_add(1));
            let stake = match graph.symbol(node) {
                Some(item) if item.kind.is_type() => match row <= head_end(graph, node, text) {
                    true => Stake::Declaration,
                    false => Stake::Members,
                },
                Some(_) if row > head_end(graph, node, text) => Stake::Body,
                _ => Stake::Declaration,
            };
            take(node, stake);
        }
    }
    let mut found: Vec<(NodeId, Stake)> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// What rows that come in front of a row are put into: the innermost that is around both sides.
fn place_between(graph: &Graph, file: &File, row: u32, text: &str) -> (NodeId, Stake) {
    let mut node = graph.at_line(file, row);
    let after = graph.at_line(file, row.saturating_add(1));
    // At the end of a block the grammar may not count the last blank rows in.
    while !(graph.within(node).contains(&after) || node == file.node) {
        node = graph.parent(node).unwrap_or(file.node);
    }
    let stake = match graph.symbol(node) {
        Some(item) if item.kind.is_type() => Stake::Members,
        Some(_) if row > head_end(graph, node, text) => Stake::Body,
        Some(_) => Stake::Declaration,
        // What is new at the top of a file is used by nobody yet.
        None => Stake::Body,
    };
    (node, stake)
}

/// Uses of what a file only hands on, such as the names that it imports from others: those in
/// files that import this one, of names in the rows that are touched.
fn each_use_through(
    graph: &Graph,
    file: &File,
    edit: &EditedFile,
    tell: &mut impl FnMut(NodeId, u32, Certainty, Stake),
) {
    let importers: HashSet<usize> = graph
        .incoming(file.node)
        .filter(|edge| edge.kind == EdgeKind::Imports)
        .map(|edge| graph.file_number(edge.from))
        .collect();
    let lines: Vec<&str> = edit.text.as_deref().unwrap_or_default().lines().collect();
    let touched = edit.rows.iter().flat_map(Clone::clone);
    let touched = touched.filter_map(|row| lines.get(row as usize));
    let names: HashSet<&str> = touched.flat_map(|line| identifiers(line)).collect();
    for name in names {
        for node in graph.named(name) {
            for edge in graph.incoming(node) {
                if importers.contains(&graph.file_number(edge.from)) {
                    tell(edge.from, edge.row, edge.certainty, Stake::Declaration);
                }
            }
        }
    }
}

/// Whether an edge to a type of this kind means that the members of the type matter to its source.
fn stands_on(kind: SymbolKind, edge: &Edge) -> bool {
    match edge.kind {
        EdgeKind::Extends | EdgeKind::Implements | EdgeKind::MixesIn => true,
        EdgeKind::Instantiates => kind.is_type(),
        // What has to have all its members, and what is asked for each of its members.
        EdgeKind::UsesType | EdgeKind::References => {
            matches!(kind, SymbolKind::Interface | SymbolKind::Enum)
        }
        _ => false,
    }
}

/// The last row of the declaration of a symbol without its body, counted from 0.
fn head_end(graph: &Graph, node: NodeId, text: &str) -> u32 {
    let Some(item) = graph.symbol(node) else {
        return 0;
    };
    let names = &graph.file(node).outline.names;
    let (signature, name) = (names.get(item.signature), names.get(item.name));
    let rest = signature.find(name).map_or("", |at| &signature[at..]);
    let mut left = rest.chars().filter(|c| !c.is_whitespace()).count();
    let mut row = item.name_row;
    let source = text.get(item.name_at as usize..).unwrap_or_default();
    for c in source.chars() {
        if left == 0 {
            break;
        }
        row += u32::from(c == '\n');
        left -= usize::from(!c.is_whitespace());
    }
    row
}

/// The words of a line that could be names.
fn identifiers(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
        .filter(|word| !word.is_empty())
}
