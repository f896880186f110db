//! How good a tool's edges are: precision, recall and F1, by kind, by certainty, within a file and
//! across files.
//!
//! These edges count neither way:
//!
//! * of which the reference is not sure: a call through a variable, a function used without a call, …;
//! * to an override of a right target of the same caller;
//! * which the indexer itself could not see, because it has no symbol at a name like that in the
//!   caller; a name that TypeScript exports under another (`export { a as b }`) has none, for
//!   scip-typescript writes the number of a local there that means nothing outside of its file;
//! * to a method that the language calls without naming it (`__enter__` of Python's `with`);
//! * references to a variable or a field: only those to functions and types are in the reference.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::edges::{Kind, ToolEdge};
use super::reference::{Definition, Edge, Reference, Relation};
use super::symbols::Key;

/// Right, wrong and missed edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) right: usize,
    pub(crate) wrong: usize,
    pub(crate) missed: usize,
}

impl Counts {
    pub(crate) fn precision(&self) -> f64 {
        share(self.right, self.right + self.wrong)
    }

    pub(crate) fn recall(&self) -> f64 {
        share(self.right, self.right + self.missed)
    }

    pub(crate) fn f1(&self) -> f64 {
        share(2 * self.right, 2 * self.right + self.wrong + self.missed)
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "right": self.right, "wrong": self.wrong, "missed": self.missed,
            "precision": self.precision(), "recall": self.recall(), "f1": self.f1(),
        })
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// The score of one kind of edges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Score {
    pub(crate) in_reference: usize,
    pub(crate) from_tool: usize,
    pub(crate) all: Counts,
    pub(crate) same_file: Counts,
    pub(crate) cross_file: Counts,
    /// Right and wrong ones by the tool's own certainty.
    pub(crate) tiers: BTreeMap<String, Counts>,
    /// Found and missed ones by how they are called.
    pub(crate) shapes: BTreeMap<&'static str, Counts>,
    pub(crate) neutral: usize,
    /// Wrong and missed edges, to be looked at.
    pub(crate) wrong: Vec<String>,
    pub(crate) missed: Vec<String>,
}

impl Score {
    /// The precision of some tiers together.
    pub(crate) fn precision_of(&self, tiers: &[&str]) -> f64 {
        let mut all = Counts::default();
        for counts in tiers.iter().filter_map(|tier| self.tiers.get(*tier)) {
            all.right += counts.right;
            all.wrong += counts.wrong;
        }
        all.precision()
    }

    pub(crate) fn json(&self) -> Value {
        let counts = |counts: &Counts| counts.json();
        let tiers: BTreeMap<_, _> = self.tiers.iter().map(|(k, v)| (k, counts(v))).collect();
        let shapes: BTreeMap<_, _> = self.shapes.iter().map(|(k, v)| (k, counts(v))).collect();
        json!({
            "edges_in_reference": self.in_reference, "edges_from_tool": self.from_tool,
            "neutral": self.neutral, "all": self.all.json(),
            "same_file": self.same_file.json(), "cross_file": self.cross_file.json(),
            "by_tier": tiers, "by_call_shape": shapes,
        })
    }
}

/// Scores a tool's edges of one kind.
pub(crate) fn score(reference: &mut Reference, edges: &[ToolEdge], kind: Kind) -> Score {
    // Each with the file of the callee, for a symbol may have twins in other files.
    let mut found: BTreeMap<Edge, (&str, Option<usize>)> = BTreeMap::new();
    for edge in edges.iter().filter(|edge| edge.kind == kind) {
        if let Some(pair) = place(reference, edge) {
            let file = reference.file(&edge.callee.file);
            found.entry(pair).or_insert((&edge.tier, file));
        }
    }
    let reference = &*reference;
    let relation = relation(reference, kind);
    let mut targets: BTreeMap<Key, Vec<Key>> = BTreeMap::new();
    for (caller, callee) in relation.hard.keys() {
        targets.entry(*caller).or_default().push(*callee);
    }
    let mut score = Score {
        in_reference: relation.hard.len(),
        from_tool: found.len(),
        ..Score::default()
    };
    for (&edge, &(tier, file)) in &found {
        let right = relation.hard.contains_key(&edge);
        if !right && is_neutral(reference, relation, &targets, edge, kind) {
            score.neutral += 1;
            continue;
        }
        let same = is_in_file(reference, edge.0, file);
        let tier = score.tiers.entry(tier.to_owned()).or_default();
        let split = if same {
            &mut score.same_file
        } else {
            &mut score.cross_file
        };
        for counts in [&mut score.all, split, tier] {
            if right {
                counts.right += 1;
            } else {
                counts.wrong += 1;
            }
        }
        if !right {
            score.wrong.push(shown(reference, edge));
        }
    }
    for (&edge, site) in &relation.hard {
        let missed = !found.contains_key(&edge);
        if let Some(shape) = site.shape {
            let counts = score.shapes.entry(shape.name()).or_default();
            if missed {
                counts.missed += 1;
            } else {
                counts.right += 1;
            }
        }
        if missed {
            let same = is_in_file(reference, edge.0, file_of(reference, edge.1));
            let split = if same {
                &mut score.same_file
            } else {
                &mut score.cross_file
            };
            for counts in [&mut score.all, split] {
                counts.missed += 1;
            }
            let file = &reference.files[site.file].path;
            let place = format!("{}  [{file}:{}]", shown(reference, edge), site.line + 1);
            score.missed.push(place);
        }
    }
    score
}

fn relation(reference: &Reference, kind: Kind) -> &Relation {
    match kind {
        Kind::Call => &reference.calls,
        Kind::Reference => &reference.references,
        Kind::Extends => &reference.extends,
        Kind::Implements => &reference.implements,
        Kind::Imports => &reference.imports,
    }
}

/// The pair that a tool's edge means; none where an end is outside of the corpus, or the callee a
/// part of the caller.
fn place(reference: &mut Reference, edge: &ToolEdge) -> Option<Edge> {
    let from = reference.file(&edge.caller.file)?;
    let to = reference.file(&edge.callee.file)?;
    if edge.kind == Kind::Imports {
        let pair = (reference.files[from].module, reference.files[to].module);
        return (from != to).then_some(pair);
    }
    let lifted = matches!(edge.kind, Kind::Call | Kind::Reference);
    let caller = match edge.caller.is_module() {
        true => reference.files[from].module,
        false => {
            let meant = reference.meant(from, edge.caller.line, &edge.caller.name);
            match meant.filter(|d| d.is_function || d.is_type) {
                Some(definition) if !lifted => reference.canonical(definition.key),
                Some(definition) => reference.owner(from, definition.line),
                None => reference.owner(from, edge.caller.line.saturating_sub(1)),
            }
        }
    };
    let (line, name) = (edge.callee.line, edge.callee.name.as_str());
    let callee = reference
        .meant(to, line, name)
        .or_else(|| twin(reference, to, name, edge.kind));
    let Some(definition) = callee else {
        return Some((caller, reference.keys.unknown(to, name, line)));
    };
    let key = reference.canonical(definition.key);
    let own = lifted
        && ((caller == key && reference.is_nested_in_function(definition))
            || reference.is_inside(definition, caller));
    (!own).then_some((caller, key))
}

/// The only function of that name in the file, or the only type where it is not called: its twin is
/// under a condition of the build that the indexer does not see.
fn twin<'a>(
    reference: &'a Reference,
    file: usize,
    name: &str,
    kind: Kind,
) -> Option<&'a Definition> {
    let fits = |d: &Definition| d.is_function || (d.is_type && kind != Kind::Call);
    let twins = || {
        reference
            .defined_in(file)
            .filter(|d| d.name == name && fits(d))
    };
    let keys: BTreeSet<_> = twins().map(|definition| definition.key).collect();
    twins().last().filter(|_| keys.len() == 1)
}

fn is_neutral(
    reference: &Reference,
    relation: &Relation,
    targets: &BTreeMap<Key, Vec<Key>>,
    edge: Edge,
    kind: Kind,
) -> bool {
    if relation.soft.contains(&edge) {
        return true;
    }
    let (caller, callee) = edge;
    let none = Vec::new();
    let right = targets.get(&caller).unwrap_or(&none);
    let unknown = reference.keys.unknown_name(callee).into_iter();
    let mut names = unknown.chain(reference.defined(callee).map(|d| d.name.as_str()));
    if reference.is_implicit(caller, callee) {
        return true;
    }
    match kind {
        Kind::Imports => false,
        Kind::Call => {
            right
                .iter()
                .any(|&right| reference.is_override(callee, right))
                || names.any(|name| reference.calls_unnamed(caller, name))
        }
        // What the index does not know at all, it cannot judge.
        Kind::Reference if reference.keys.unknown_name(callee).is_some() => true,
        Kind::Reference
            if reference
                .defined(callee)
                .all(|d| !d.is_function && !d.is_type) =>
        {
            true
        }
        Kind::Reference | Kind::Extends | Kind::Implements => {
            right
                .iter()
                .any(|&right| reference.is_override(callee, right))
                || names.any(|name| {
                    reference.calls_unnamed(caller, name)
                        || reference.mentions_unnamed(caller, name)
                })
        }
    }
}

/// The file of a symbol's first definition.
fn file_of(reference: &Reference, key: Key) -> Option<usize> {
    let defined = reference
        .defined(key)
        .next()
        .map(|definition| definition.file);
    defined.or_else(|| reference.keys.file(key))
}

/// Whether the caller has a definition in that file.
fn is_in_file(reference: &Reference, caller: Key, file: Option<usize>) -> bool {
    let mut defined = reference
        .defined(caller)
        .map(|definition| definition.file)
        .peekable();
    match defined.peek() {
        Some(_) => defined.any(|at| Some(at) == file),
        None => reference.keys.file(caller) == file,
    }
}

fn shown(reference: &Reference, (caller, callee): Edge) -> String {
    let end = |key| match reference.defined(key).next() {
        Some(definition) => {
            let file = &reference.files[definition.file].path;
            format!("{file}:{}:{}", definition.line + 1, definition.name)
        }
        None => {
            let file = reference
                .keys
                .file(key)
                .and_then(|file| reference.files.get(file));
            let file = file.map_or("", |file| file.path.as_str());
            format!("{file}:{}", reference.keys.symbol(key))
        }
    };
    format!("{} -> {}", end(caller), end(callee))
}
