//! The bodies of Rust macros, parsed again as the code they hold.
//!
//! The grammar leaves a macro's arguments as a tree of tokens, in which `a.unwrap()` is no call.
//! Where the tokens read as arguments, as statements, or as items without an error, that reading
//! takes their place; where they do not, they stay tokens.

use crate::document::Document;
use crate::filter::Filter;
use crate::shape::Shape;
use fourfold_syntax::{Language, ParseLimits, with_parser};
use std::ops::Range;

const ARGUMENTS: (&str, &str) = ("fn f(){f(", ");}");
const ARRAY: (&str, &str) = ("fn f(){[", "];}");
const STATEMENTS: (&str, &str) = ("fn f(){", "\n}");

/// What is put around a body, in the order in which it is tried: a body in braces is likely
/// statements or items, one in parentheses arguments, one in brackets a list or a repetition.
fn scaffolds(open: Option<u8>, content: &str) -> &'static [(&'static str, &'static str)] {
    match open {
        Some(b'{') => &[STATEMENTS, ARGUMENTS],
        Some(b'[') if content.contains(';') => &[ARRAY],
        _ if content.trim_end().ends_with(';') => &[STATEMENTS],
        _ => &[ARGUMENTS],
    }
}

/// A body larger than this stays tokens.
const MAX_BODY: usize = 256 << 10;

/// Macro calls nested deeper than this stay tokens: each level parses what is inside it again.
const MAX_DEPTH: usize = 8;

/// Which macro bodies are worth parsing again.
#[derive(Clone, Copy)]
pub(crate) enum Reparse<'a> {
    /// All of them: the pattern has a macro call itself, or everything is wanted.
    All,
    /// Those whose text may hold a match of one of these.
    Holding(&'a [&'a Filter]),
}

impl Reparse<'_> {
    fn wants(self, body: &str) -> bool {
        match self {
            Reparse::All => true,
            Reparse::Holding(filters) => filters
                .iter()
                .any(|filter| filter.admits_node(body.as_bytes())),
        }
    }
}

/// Appends the parsed body as children of the node appended last; false when it stays tokens.
pub(crate) fn splice(
    document: &mut Document,
    shape: &Shape,
    text: &str,
    body: Range<usize>,
    shift: usize,
    reparse: Reparse<'_>,
) -> bool {
    let range = body.start + 1..body.end.saturating_sub(1);
    if document.macro_depth >= MAX_DEPTH {
        return false;
    }
    let Some(content) = text
        .get(range.clone())
        .filter(|content| content.len() <= MAX_BODY)
    else {
        return false;
    };
    if content.trim().is_empty() || !reparse.wants(content) {
        return false;
    }
    let Ok(rust) = Language::named("rust") else {
        return false;
    };
    for (prefix, suffix) in scaffolds(text.as_bytes().get(body.start).copied(), content) {
        let scaffold = format!("{prefix}{content}{suffix}");
        let parsed = with_parser(ParseLimits::default(), |parser| {
            parser.parse_sound(rust, &scaffold)
        });
        let Ok(Some(tree)) = parsed else { continue };
        let mut cursor = tree.walk();
        if !descend(&mut cursor, prefix.len(), prefix.len() + content.len()) {
            continue;
        }
        document.macro_depth += 1;
        loop {
            let child = cursor.node();
            if child.start_byte() >= prefix.len()
                && child.end_byte() <= prefix.len() + content.len()
            {
                document.append(
                    shape,
                    &scaffold,
                    &mut child.walk(),
                    prefix.len(),
                    range.start.wrapping_add(shift),
                    reparse,
                    usize::MAX,
                );
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        document.macro_depth -= 1;
        return true;
    }
    false
}

/// Moves the cursor to the first of the siblings that lie in the range; false if the range is no
/// run of whole nodes.
fn descend(cursor: &mut tree_sitter::TreeCursor<'_>, start: usize, end: usize) -> bool {
    while cursor.goto_first_child() {
        loop {
            let node = cursor.node();
            let (from, to) = (node.start_byte(), node.end_byte());
            if from <= start && to >= end && (from, to) != (start, end) {
                break;
            }
            if node.start_byte() >= start {
                return node.start_byte() < end;
            }
            if !cursor.goto_next_sibling() {
                return false;
            }
        }
    }
    false
}
