//! Which of the readings found are kept: distinct ones, and none that takes a keyword for a name
//! or a call for a prototype.

use super::Accepted;
use crate::rung::Rung;
use crate::shape::{GAP, Shape};
use crate::tree::{PatternNode, Root};
use std::collections::BTreeSet;

/// Drops declarations that are named by a keyword of another reading: `catch ($E) { $$$B }` is
/// also a method called `catch`, which is not what anybody means.
pub(super) fn drop_keywords_as_names(readings: &mut Vec<Accepted>, shape: &Shape) {
    fn words(node: &PatternNode, shape: &Shape, wanted: bool, into: &mut BTreeSet<String>) {
        match node {
            PatternNode::Token {
                kind, named, text, ..
            } if *kind != GAP && is_name(shape, *kind, *named, text) == wanted => {
                into.insert(text.clone());
            }
            PatternNode::Tree { children, .. } => {
                for child in children {
                    words(child, shape, wanted, into);
                }
            }
            _ => {}
        }
    }
    let of = |root: &Root, named| {
        let mut found = BTreeSet::new();
        for item in root.items() {
            words(item, shape, named, &mut found);
        }
        found.retain(|word: &String| word.starts_with(|c: char| c.is_ascii_lowercase()));
        found
    };
    let all: Vec<[BTreeSet<String>; 2]> = readings
        .iter()
        .map(|reading| [of(&reading.root, false), of(&reading.root, true)])
        .collect();
    let mut at = 0;
    readings.retain(|reading| {
        let [keywords, names] = &all[at];
        at += 1;
        let elsewhere = all.iter().any(|[other_keywords, other_names]| {
            names.iter().any(|word| {
                !keywords.contains(word)
                    && other_keywords.contains(word)
                    && !other_names.contains(word)
            })
        });
        !(declares(reading.rung) && elsewhere)
    });
}

/// Whether what stands on this rung declares a name.
pub(super) fn declares(rung: Rung) -> bool {
    matches!(
        rung,
        Rung::Statement
            | Rung::Member
            | Rung::TopLevel
            | Rung::Parameter
            | Rung::InterfaceMember
            | Rung::EnumMember
    )
}

/// Whether a token is a name: some grammars give keywords nodes with names too.
pub(super) fn is_name(shape: &Shape, kind: u16, named: bool, text: &str) -> bool {
    let name = shape.name(kind);
    named && name != text && !name.ends_with("_keyword") && shape.kind(kind).class == 0
}

/// The leaf that a reading begins with, and whether it is a name; `None` if it is a metavariable.
pub(super) fn first_leaf<'r>(root: &'r Root, shape: &Shape) -> Option<(&'r str, bool)> {
    let mut node = root.items().first()?;
    loop {
        match node {
            PatternNode::Token {
                kind, text, named, ..
            } => return Some((text, is_name(shape, *kind, *named, text))),
            PatternNode::Tree { kind, children, .. }
                if shape.name(*kind).contains("identifier") =>
            {
                // Some grammars give a name that is also a keyword the keyword as its child.
                return match children.as_slice() {
                    [PatternNode::Token { text, .. }] => Some((text, true)),
                    _ => None,
                };
            }
            PatternNode::Tree { children, .. } => node = children.first()?,
            _ => return None,
        }
    }
}

/// Drops readings that begin with a word as a name where the language reserves it, or where an
/// earlier reading takes it for a keyword: `override fun f()` is no call of `override`.
pub(super) fn drop_reserved_as_names(
    readings: &mut Vec<Accepted>,
    text: &str,
    reserved: &[&str],
    shape: &Shape,
) {
    let keyword = (0..).zip(readings.iter()).find_map(|(at, reading)| {
        match first_leaf(&reading.root, shape) {
            Some((word, false)) => Some((at, word.to_owned())),
            _ => None,
        }
    });
    let mut at = 0;
    readings.retain(|reading| {
        at += 1;
        let Some((word, true)) = first_leaf(&reading.root, shape) else {
            return true;
        };
        let elsewhere = keyword.as_ref().is_some_and(|(place, keyword)| {
            keyword == word && (*place < at - 1 || declares(reading.rung))
        });
        // A label or the outer name of a parameter may be any word.
        let label = text[word.len().min(text.len())..]
            .trim_start()
            .starts_with(':')
            || reading.rung == Rung::Parameter;
        (label || !reserved.contains(&word)) && !elsewhere
    });
}

/// Drops what an annotation alone could otherwise be, but for the statement that some grammars
/// make of it inside a body; that comes last.
pub(super) fn drop_annotated(readings: &mut Vec<Accepted>, text: &str) {
    let alone = |reading: &Accepted| reading.rung == Rung::Decorator;
    if text.starts_with('@') && readings.iter().any(alone) {
        readings.retain(|reading| alone(reading) || reading.rung == Rung::Statement);
        readings.sort_by_key(|reading| !alone(reading));
    }
}

/// Parts of the names of kinds that declare something.
const PROTOTYPES: [&str; 14] = [
    "signature",
    "declaration",
    "declarator",
    "definition",
    "method",
    "field",
    "constructor",
    "function",
    "parameter",
    "enum_entry",
    "variant",
    "enum_constant",
    "macro_type_specifier",
    "type_descriptor",
];

/// Parts of the names of kinds that are the body of a declaration.
const BODIES: [&str; 4] = ["body", "block", "compound_statement", "declaration_list"];

/// Keeps a reading that is distinct from those before it and no prototype of what they read as a
/// call.
pub(super) fn keep(readings: &mut Vec<Accepted>, new: Accepted, shape: &Shape) {
    for known in readings.iter_mut() {
        match (&mut known.root, &new.root) {
            (
                Root::Sequence { items, parents },
                Root::Sequence {
                    items: same,
                    parents: more,
                },
            ) if items == same => {
                for parent in more {
                    if !parents.contains(parent) {
                        parents.push(*parent);
                    }
                }
                return;
            }
            (known, new) if known == new => return,
            _ => {}
        }
    }
    let is_call = |root: &Root| match root {
        Root::Node(PatternNode::Tree { kind, children, .. }) => {
            let call = |kind: u16| {
                let name = shape.name(kind);
                name.contains("call")
                    || name.contains("invocation")
                    || matches!(name, "object_creation_expression" | "new_expression")
            };
            let holder = shape.name(*kind);
            let holds = holder.contains("statement") || holder.contains("expression");
            let calls = |child: &PatternNode| matches!(child, PatternNode::Tree { kind, .. } if call(*kind));
            call(*kind) || (holds && children.iter().any(calls))
        }
        _ => false,
    };
    let is_prototype = |root: &Root| {
        root.kind().is_some_and(|kind| {
            let name = shape.name(kind);
            PROTOTYPES.iter().any(|part| name.contains(part)) && !name.contains("call")
        })
    };
    let has_body = |root: &Root| match root {
        Root::Node(PatternNode::Tree { children, .. }) => children.iter().any(|child| {
            matches!(child, PatternNode::Tree { kind, .. }
                if BODIES.iter().any(|part| shape.name(*kind).contains(part))
                    && !shape.name(*kind).starts_with("ordered"))
        }),
        _ => false,
    };
    if is_prototype(&new.root)
        && !has_body(&new.root)
        && readings.iter().any(|known| is_call(&known.root))
    {
        return;
    }
    readings.push(new);
}
