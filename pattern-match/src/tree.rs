//! The pattern as the matcher sees it.

use crate::shape::Shape;
use std::fmt::Write as _;
use std::ops::Range;

/// Index of a variable in the pattern's list of variables; `None` does not bind.
pub(crate) type Slot = Option<usize>;

/// The field of an item of a sequence whose place names none: bodies differ in that.
pub(crate) const ANY_FIELD: u8 = u8::MAX;

/// One node of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PatternNode {
    /// `$X`: one node.
    One { slot: Slot, field: u8 },
    /// `$$$XS`: any run of siblings.
    Many { slot: Slot, field: u8 },
    /// A metavariable that is the whole content of a string, or all of a path in parts.
    Content { slot: Slot },
    /// A token with a metavariable in it and signs around that: a string in one token with its
    /// quotes, a symbol with its colon.
    QuotedContent {
        slot: Slot,
        kind: u16,
        field: u8,
        open: String,
        close: String,
    },
    /// A leaf, compared by kind and text.
    Token {
        kind: u16,
        field: u8,
        named: bool,
        separator: bool,
        text: String,
    },
    /// An inner node.
    Tree {
        kind: u16,
        field: u8,
        children: Vec<PatternNode>,
        /// Classes of omissible parts that the pattern itself names here.
        classes: u8,
    },
}

impl PatternNode {
    pub(crate) fn is_separator(&self) -> bool {
        matches!(
            self,
            PatternNode::Token {
                separator: true,
                ..
            }
        )
    }

    pub(crate) fn is_comma(&self) -> bool {
        matches!(self, PatternNode::Token { separator: true, text, .. } if text == ",")
    }

    pub(crate) fn is_many(&self) -> bool {
        matches!(self, PatternNode::Many { .. })
    }

    fn is_parenthesis(&self) -> bool {
        matches!(self, PatternNode::Token { text, named: false, .. } if text == "(" || text == ")")
    }

    /// The variables of a list that holds nothing but `$$$`, and that a source may lack instead of
    /// having it empty.
    pub(crate) fn empty_list(&self, shape: &Shape) -> Option<Vec<Slot>> {
        let PatternNode::Tree { kind, children, .. } = self else {
            return None;
        };
        let kind = shape.kind(*kind);
        let is_bare = !children.iter().any(PatternNode::is_parenthesis);
        if !(kind.vanishes || (kind.list && is_bare)) {
            return None;
        }
        let slots = children
            .iter()
            .filter(|item| !item.is_separator() && !item.is_parenthesis())
            .map(|item| match item {
                PatternNode::Many { slot, .. } => Some(*slot),
                _ => None,
            })
            .collect::<Option<Vec<Slot>>>();
        slots.filter(|slots| !slots.is_empty())
    }
}

/// One way to read the fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Root {
    /// One node.
    Node(PatternNode),
    /// A run of siblings, with the kinds of parents that such a run may stand in.
    Sequence {
        items: Vec<PatternNode>,
        parents: Vec<u16>,
    },
}

impl Root {
    /// The kind of node that a match must have; `None` for a lone metavariable or a sequence.
    pub(crate) fn kind(&self) -> Option<u16> {
        match self {
            Root::Node(
                PatternNode::Token { kind, .. }
                | PatternNode::Tree { kind, .. }
                | PatternNode::QuotedContent { kind, .. },
            ) => Some(*kind),
            _ => None,
        }
    }

    pub(crate) fn items(&self) -> &[PatternNode] {
        match self {
            Root::Node(node) => std::slice::from_ref(node),
            Root::Sequence { items, .. } => items,
        }
    }

    /// How many nodes the pattern has.
    pub(crate) fn size(&self) -> usize {
        fn count(node: &PatternNode) -> usize {
            match node {
                PatternNode::Tree { children, .. } => 1 + children.iter().map(count).sum::<usize>(),
                _ => 1,
            }
        }
        self.items().iter().map(count).sum()
    }

    /// How many levels of a candidate the matcher looks at: those of the pattern, or all of them
    /// when a variable is used twice and what it captured must be compared.
    pub(crate) fn depth(&self) -> usize {
        fn measure(node: &PatternNode, seen: &mut Vec<usize>, repeated: &mut bool) -> usize {
            match node {
                PatternNode::One { slot, .. }
                | PatternNode::Many { slot, .. }
                | PatternNode::Content { slot }
                | PatternNode::QuotedContent { slot, .. } => {
                    if let Some(slot) = slot {
                        *repeated |= seen.contains(slot);
                        seen.push(*slot);
                    }
                    0
                }
                PatternNode::Token { .. } => 0,
                PatternNode::Tree { children, .. } => {
                    1 + children
                        .iter()
                        .map(|child| measure(child, seen, repeated))
                        .max()
                        .unwrap_or(0)
                }
            }
        }
        let (mut seen, mut repeated) = (Vec::new(), false);
        let deepest = self
            .items()
            .iter()
            .map(|item| measure(item, &mut seen, &mut repeated))
            .max()
            .unwrap_or(0);
        let own = match self {
            Root::Node(_) => deepest,
            Root::Sequence { .. } => deepest + 1,
        };
        if repeated { usize::MAX } else { own }
    }

    /// The pattern as a small indented tree, for people.
    pub(crate) fn render(&self, shape: &Shape, names: &dyn Fn(usize) -> String) -> String {
        let mut out = String::new();
        for item in self.items() {
            render(item, shape, names, 0, &mut out);
        }
        out
    }
}

fn render(
    node: &PatternNode,
    shape: &Shape,
    names: &dyn Fn(usize) -> String,
    depth: usize,
    out: &mut String,
) {
    let indent = "  ".repeat(depth);
    let slot_name = |slot: &Slot, dollars: &str| match slot {
        Some(slot) => format!("{dollars}{}", names(*slot)),
        None if dollars == "$" => "$_".to_owned(),
        None => "$$$".to_owned(),
    };
    // Writing to a String cannot fail.
    let _ = match node {
        PatternNode::One { slot, .. } => writeln!(out, "{indent}{}", slot_name(slot, "$")),
        PatternNode::Many { slot, .. } => writeln!(out, "{indent}{}", slot_name(slot, "$$$")),
        PatternNode::Content { slot } => {
            writeln!(out, "{indent}{} (string content)", slot_name(slot, "$"))
        }
        PatternNode::QuotedContent {
            slot,
            kind,
            open,
            close,
            ..
        } => {
            writeln!(
                out,
                "{indent}{} {open}{}{close}",
                shape.name(*kind),
                slot_name(slot, "$")
            )
        }
        PatternNode::Token {
            kind,
            text,
            named: true,
            ..
        } => {
            writeln!(out, "{indent}{} {text:?}", shape.name(*kind))
        }
        PatternNode::Token { text, .. } => writeln!(out, "{indent}{text:?}"),
        PatternNode::Tree { kind, children, .. } => {
            let line = writeln!(out, "{indent}{}", shape.name(*kind));
            for child in children {
                render(child, shape, names, depth + 1, out);
            }
            line
        }
    };
}

/// What a variable is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Capture {
    /// The bytes of the node that `$X` stands for.
    One(Range<usize>),
    /// The bytes of each item that `$$$XS` stands for, without the separators between them.
    Many(Vec<Range<usize>>),
}

impl Capture {
    /// From the first byte captured to the last; `None` for an empty list.
    pub fn span(&self) -> Option<Range<usize>> {
        match self {
            Capture::One(range) => Some(range.clone()),
            Capture::Many(items) => Some(items.first()?.start..items.last()?.end),
        }
    }
}
