//! The bracket of a call or an index: it stands behind what it is applied to, and a text where no
//! bracket does that holds no match. A tuple, a list or a group tells nothing.

use crate::shape::Shape;
use crate::tree::PatternNode;

/// Kinds that are something and a bracket directly behind it. They are Rust's: no other language
/// has texts small enough to be asked for this.
const APPLIED: [&str; 3] = [
    "call_expression",
    "index_expression",
    "tuple_struct_pattern",
];

/// Bytes at which nothing ends that a bracket could be applied to. A slash is none of them, since a
/// comment may stand between.
const NO_END: &[u8] = b",([{;=+-*%^&|<:.@~!";

/// A bracket that every match has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bracket {
    open: u8,
    close: u8,
    /// There is something in it.
    filled: bool,
}

impl Bracket {
    /// Whether a text has such a bracket, or may have one behind a comment.
    pub(super) fn is_in(self, text: &[u8]) -> bool {
        let applied = memchr::memchr_iter(self.open, text).any(|at| {
            let last = text[..at].trim_ascii_end().last();
            let next = text[at + 1..].trim_ascii_start().first();
            last.is_some_and(|byte| !NO_END.contains(byte))
                && !(self.filled && next == Some(&self.close))
        });
        applied || memchr::memmem::find(text, b"//").is_some()
    }
}

/// Adds the brackets of a pattern that follow a variable.
pub(super) fn collect(node: &PatternNode, shape: &Shape, out: &mut Vec<Bracket>) {
    let PatternNode::Tree { kind, children, .. } = node else {
        return;
    };
    if let [PatternNode::One { .. }, rest @ ..] = children.as_slice()
        && APPLIED.contains(&shape.kind(*kind).name)
        && let Some(bracket) = opening(rest)
        && !out.contains(&bracket)
    {
        out.push(bracket);
    }
    for child in children {
        collect(child, shape, out);
    }
}

/// The bracket that the nodes begin with.
fn opening(nodes: &[PatternNode]) -> Option<Bracket> {
    match nodes {
        [PatternNode::Tree { children, .. }, ..] => opening(children),
        [PatternNode::Token { text, .. }, inside @ ..] => {
            let (open, close) = match text.as_str() {
                "(" => (b'(', b')'),
                "[" => (b'[', b']'),
                _ => return None,
            };
            let is_close = |node: &PatternNode| matches!(node, PatternNode::Token { text, .. } if text.as_bytes() == [close]);
            let filled = inside
                .iter()
                .take_while(|node| !is_close(node))
                .any(|node| !node.is_many() && !node.is_separator());
            Some(Bracket {
                open,
                close,
                filled,
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Bracket;

    #[test]
    fn a_bracket_is_applied_to_what_ends_before_it() {
        let call = |filled| Bracket {
            open: b'(',
            close: b')',
            filled,
        };
        for text in [
            "f(x)",
            "f (x)",
            "a, f(g())(h)",
            "f::<T>(x)",
            "f?(x)",
            "s[0](x)",
            "f /* , */ (x)",
            "f // ,\n (x)",
        ] {
            assert!(call(true).is_in(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "x",
            "(x)",
            "a, (b, c)",
            "a == (b)",
            "!(a)",
            "f()",
            "f( )",
            "|a| (b)",
            "m!(x)",
        ] {
            assert!(!call(true).is_in(text.as_bytes()), "{text}");
        }
        assert!(call(false).is_in(b"f( )"));
    }
}
