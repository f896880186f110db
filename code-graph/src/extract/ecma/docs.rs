//! Documentation comments and the types that they tell.

use super::Ecma;
use crate::facts::{Expr, ExprId, Flags, NameId};

impl Ecma<'_, '_, '_> {
    /// The first paragraph of the documentation that ends before `start`; `@deprecated` sets its
    /// flag.
    pub(super) fn doc(&mut self, start: usize, flags: &mut Flags) -> Option<NameId> {
        let text = self.doc_text(start)?;
        if text.contains("@deprecated") {
            flags.set(Flags::DEPRECATED);
        }
        let mut words = String::new();
        for line in doc_lines(text) {
            if line.is_empty() && !words.is_empty() || line.starts_with('@') {
                break;
            }
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(line);
        }
        (!words.trim().is_empty()).then(|| {
            let line = super::super::builder::one_line(&words);
            self.b.name(&line)
        })
    }

    /// The documentation comment that ends before `start`, with its markers.
    fn doc_text(&self, start: usize) -> Option<&str> {
        let comment = self.comment?;
        let between = self.b.source().get(comment.end_byte()..start)?;
        let text = self.b.text(comment);
        (text.starts_with("/**") && between.chars().all(char::is_whitespace)).then_some(text)
    }

    /// The types that a documentation comment before `start` gives: of parameters, by name, and
    /// under no name the result; `@type` stands under `type`.
    pub(super) fn doc_types(&mut self, start: usize) -> Vec<(String, ExprId)> {
        let Some(text) = self.doc_text(start) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for line in doc_lines(text) {
            let Some((tag, rest)) = line.split_once(char::is_whitespace) else {
                continue;
            };
            if !matches!(tag, "@param" | "@returns" | "@return" | "@type") {
                continue;
            }
            let Some((inside, after)) = braced(rest.trim_start()) else {
                continue;
            };
            let name = match tag {
                "@param" => {
                    let word = after.split_whitespace().next().unwrap_or_default();
                    let word = word.trim_start_matches('[');
                    word.split(['=', ']']).next().unwrap_or_default()
                }
                "@type" => "type",
                _ => "",
            };
            found.push((name.to_owned(), inside.to_owned()));
        }
        found
            .into_iter()
            .map(|(name, text)| {
                let expr = self.doc_type(&text);
                (name, expr)
            })
            .collect()
    }

    /// A type as documentation comments write it: names, arrays, type arguments and unions.
    fn doc_type(&mut self, text: &str) -> ExprId {
        let mut reader = Reader { rest: text };
        reader.union(self, 0)
    }

    /// The text from `start` to the head's end as one line, without the brace that opens a body.
    pub(super) fn head(&mut self, start: usize, end: usize) -> NameId {
        self.b.line(start, end)
    }
}

/// The lines of a documentation comment without their markers.
fn doc_lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_prefix("/**").unwrap_or(text);
    let text = text.strip_suffix("*/").unwrap_or(text);
    text.lines().map(|line| {
        let line = line.trim();
        line.strip_prefix('*').unwrap_or(line).trim()
    })
}

/// What stands in the braces that a text begins with, and what stands after them.
fn braced(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Some((text.get(1..at)?, text.get(at + 1..)?)),
            '}' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Reads a type from a comment.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn skip(&mut self) {
        self.rest = self
            .rest
            .trim_start_matches(|c: char| c.is_whitespace() || "?!=.".contains(c));
    }

    fn eat(&mut self, c: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn union(&mut self, ecma: &mut Ecma<'_, '_, '_>, depth: u32) -> ExprId {
        let mut parts = vec![self.one(ecma, depth)];
        while self.eat('|') && parts.len() < 16 {
            parts.push(self.one(ecma, depth));
        }
        ecma.any_of(parts)
    }

    fn one(&mut self, ecma: &mut Ecma<'_, '_, '_>, depth: u32) -> ExprId {
        self.skip();
        if depth > 8 {
            return ecma.unknown();
        }
        let mut expr = if self.eat('(') {
            let inner = self.union(ecma, depth + 1);
            self.eat(')');
            inner
        } else {
            let end = self
                .rest
                .find(|c: char| !(c.is_alphanumeric() || "_$.".contains(c)))
                .unwrap_or(self.rest.len());
            let (word, rest) = self.rest.split_at(end);
            let word = word.trim_end_matches('.');
            self.rest = rest;
            match word {
                "" | "any" | "unknown" | "Object" | "object" | "Function" => ecma.unknown(),
                "string" | "number" | "boolean" | "null" | "undefined" | "void" => {
                    ecma.literal(word)
                }
                _ => {
                    let mut names = word.split('.');
                    let mut expr = ecma.named(names.next().unwrap_or_default());
                    for name in names {
                        let name = ecma.b.name(name);
                        expr = ecma.b.expr(Expr::Member(expr, name));
                    }
                    expr
                }
            }
        };
        if self.eat('<') {
            let mut args = vec![self.union(ecma, depth + 1)];
            while self.eat(',') && args.len() < 8 {
                args.push(self.union(ecma, depth + 1));
            }
            self.eat('>');
            let list = ecma.b.list(&args);
            expr = ecma.b.expr(Expr::Generic(expr, list));
        }
        while self.rest.trim_start().starts_with("[]") {
            self.eat('[');
            self.eat(']');
            let list = ecma.b.list(&[expr]);
            expr = ecma.b.expr(Expr::Array(list));
        }
        expr
    }
}
