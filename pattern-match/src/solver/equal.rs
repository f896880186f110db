//! When two pieces of code are the same: token by token, whatever stands between the tokens.

use super::{Binding, Solver};

impl Solver<'_> {
    pub(super) fn equal(&self, a: &Binding, b: &Binding) -> bool {
        match (a, b) {
            (Binding::Node(a), Binding::Node(b)) => self.same_tokens(*a, *b),
            (Binding::List(a), Binding::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| self.same_tokens(a, b))
            }
            (a, b) => match (self.capture(a).span(), self.capture(b).span()) {
                (Some(a), Some(b)) => self.text[a] == self.text[b],
                (a, b) => a.is_none() && b.is_none(),
            },
        }
    }

    /// Token by token; blanks and comments between tokens are no difference.
    fn same_tokens(&self, a: u32, b: u32) -> bool {
        let mut a = self.document.leaves(a);
        let mut b = self.document.leaves(b);
        loop {
            match (a.next(), b.next()) {
                (None, None) => return true,
                (Some(a), Some(b)) => {
                    let same = self.text_of(a) == self.text_of(b)
                        || self.both_quotes(self.document.node(a).kind, self.document.node(b).kind);
                    if !same {
                        return false;
                    }
                }
                _ => return false,
            }
        }
    }

    pub(super) fn both_quotes(&self, a: u16, b: u16) -> bool {
        self.shape.kind(a).quote && self.shape.kind(b).quote
    }

    pub(super) fn same_token(&self, kind: u16, source: &str, pattern: &str, named: bool) -> bool {
        source == pattern
            || (!named && (self.shape.kind(kind).quote || self.shape.kind(kind).word))
            || (self.shape.name(kind) == "string_start" && unquoted(source) == unquoted(pattern))
            || (self.shape.name(kind) == "string_end")
    }
}

/// The prefix letters of a Python string, without its quotes.
fn unquoted(start: &str) -> String {
    start.trim_end_matches(['\'', '"']).to_ascii_lowercase()
}
