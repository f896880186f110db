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

    /// Token by token; blanks and comments between tokens are no difference, and neither are the
    /// quotes of two strings. A character in its quotes is no string.
    fn same_tokens(&self, a: u32, b: u32) -> bool {
        let mut a = self.document.leaves(a);
        let mut b = self.document.leaves(b);
        let mut other_quotes = false;
        loop {
            match (a.next(), b.next()) {
                (None, None) => return true,
                (Some(a), Some(b)) => {
                    let (kind, other) = (self.document.node(a).kind, self.document.node(b).kind);
                    let (text, another) = (self.text_of(a), self.text_of(b));
                    if text == another {
                        if other_quotes && kind != other {
                            return false;
                        }
                        other_quotes = false;
                        continue;
                    }
                    let starts = kind == other && self.same_delimiter(kind, text, another);
                    if !(starts || self.both_quotes(kind, other)) {
                        return false;
                    }
                    other_quotes = true;
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
            || self.same_delimiter(kind, source, pattern)
    }

    /// Where a grammar's token for the begin of a string has its prefix letters too.
    fn same_delimiter(&self, kind: u16, a: &str, b: &str) -> bool {
        match self.shape.name(kind) {
            "string_start" => unquoted(a) == unquoted(b),
            "string_end" => true,
            _ => false,
        }
    }
}

/// The prefix letters of a Python string, without its quotes.
fn unquoted(start: &str) -> String {
    start.trim_end_matches(['\'', '"']).to_ascii_lowercase()
}
