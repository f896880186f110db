//! What a type extends and implements: the text of its head says where the names are, the index says
//! what they are.
//!
//! Python's bases, TypeScript's `extends` and Rust's supertraits are `extends`; TypeScript's
//! `implements` and `impl Trait for Type` are `implements`.

use super::reference::{Reference, Relation, Site};
use super::scip::Document;
use super::source::{Language, Source, is_word, skip_generics};
use super::symbols::{Class, Key, describe};

/// A name in a head: where it is in the text, and whether it is implemented or extended.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Base {
    at: usize,
    implemented: bool,
}

/// Adds both relations of all files.
pub(crate) fn add(reference: &mut Reference, documents: &[&Document]) {
    for (file, document) in documents.iter().enumerate() {
        let mut found = Vec::new();
        // Traits of ours that types of others implement.
        let mut foreign = Vec::new();
        let named = |at: usize, source: &Source| {
            let (line, column) = source.place(at);
            let here = document.occurrences.iter();
            here.filter(|o| !o.is_definition && (o.line, o.start) == (line, column))
                .find(|o| describe(&o.symbol).1 == Class::Type || o.symbol.starts_with("local "))
                .map(|o| (o.symbol.clone(), (file, line, column)))
        };
        let source = &reference.files[file].source;
        for definition in document.occurrences.iter().filter(|o| o.is_definition) {
            if describe(&definition.symbol).1 != Class::Type {
                continue;
            }
            let name = source.byte(definition.line, definition.end);
            let before = source.before(definition.line, definition.start);
            for base in bases(source, before, name) {
                let base_symbol = named(base.at, source);
                found.extend(base_symbol.map(|b| (definition.symbol.clone(), b, base.implemented)));
            }
        }
        if source.language == Language::Rust {
            for (of_trait, of_type) in implementations(source) {
                match (named(of_trait, source), named(of_type, source)) {
                    (Some(of_trait), Some((of_type, _))) => found.push((of_type, of_trait, true)),
                    (Some((of_trait, _)), None) => foreign.push(of_trait),
                    _ => {}
                }
            }
        }
        for symbol in foreign {
            if let Some(of_trait) = reference.known(&symbol, file) {
                let module = reference.files[file].module;
                reference.implements.soft.insert((module, of_trait));
            }
        }
        for (symbol, (base, (file, line, column)), implemented) in found {
            let Some(to) = reference.known(&base, file) else {
                continue;
            };
            if let Some(name) = reference.bound_wrongly(file, (line, column), to) {
                let name = name.to_owned();
                if let Some(from) = reference.known(&symbol, file) {
                    reference.add_unnamed(from, name);
                }
                continue;
            }
            let from = reference.known(&symbol, file);
            let Some(from) = from.filter(|&from| is_type(reference, from)) else {
                let module = reference.files[file].module;
                reference.implements.soft.insert((module, to));
                continue;
            };
            if from != to && is_type(reference, to) {
                reference.heritage.insert((file, line, column));
                let site = Site {
                    file,
                    line,
                    shape: None,
                };
                let (relation, other) = if implemented {
                    (&mut reference.implements, &mut reference.references)
                } else {
                    (&mut reference.extends, &mut reference.references)
                };
                put(relation, other, (from, to), site);
            }
        }
    }
}

fn put(relation: &mut Relation, references: &mut Relation, edge: (Key, Key), site: Site) {
    relation.hard.entry(edge).or_insert(site);
    references.soft.insert(edge);
}

/// Whether it is a type of its own, no alias and no parameter.
fn is_type(reference: &Reference, key: Key) -> bool {
    reference.defined(key).any(|definition| {
        let source = &reference.files[definition.file].source;
        let mut words = source.line(definition.line).split_whitespace();
        let alias = words.any(|word| word == "type") && source.language != Language::Python;
        definition.is_type && !alias
    })
}

/// The bases of the type whose name ends at a byte of the text.
fn bases(source: &Source, before: &str, end: usize) -> Vec<Base> {
    let word = before.trim_end().rsplit(|c| !is_word(c)).next();
    match (source.language, word) {
        (Language::Python, Some("class")) => python(source.text(), end),
        (Language::TypeScript, Some("class" | "interface")) => typescript(source.text(), end),
        (Language::Rust, Some("trait")) => supertraits(source.text(), end),
        _ => Vec::new(),
    }
}

/// A place in a text.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn move_to(&mut self, rest: &str) {
        self.at = self.text.len() - rest.len();
    }

    /// Past blanks and comments.
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest().trim_start();
            let after = if rest.starts_with("//") || rest.starts_with('#') {
                rest.find('\n').map(|end| &rest[end..])
            } else if rest.starts_with("/*") {
                rest.split_once("*/").map(|(_, after)| after)
            } else {
                None
            };
            self.move_to(after.unwrap_or(rest));
            if after.is_none() {
                return;
            }
        }
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let rest = self.rest().strip_prefix(word);
        let found = rest.is_some_and(|rest| !rest.starts_with(is_word));
        if found {
            self.at += word.len();
        }
        found
    }

    fn skip_generics(&mut self) {
        self.skip_blanks();
        if self.rest().starts_with('<')
            && let Some(rest) = skip_generics(self.rest())
        {
            self.move_to(rest);
        }
        self.skip_blanks();
    }

    /// Past the brackets that the rest starts with, strings inside heeded.
    fn skip_brackets(&mut self) {
        let mut depth = 0;
        let mut quote = None;
        for (at, c) in self.rest().char_indices() {
            match (quote, c) {
                (Some(open), c) if open == c => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '(' | '[' | '{') => depth += 1,
                (None, ')' | ']' | '}') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at += at + c.len_utf8();
                return;
            }
        }
        self.at = self.text.len();
    }

    /// Reads `a.b.C` or `a::b::C`; gives where the last name starts.
    fn path(&mut self, separator: &str) -> Option<usize> {
        let mut last = None;
        loop {
            let rest = self.rest();
            let end = rest
                .find(|c| !(is_word(c) || c == '$'))
                .unwrap_or(rest.len());
            if end == 0 {
                return last;
            }
            last = Some(self.at);
            self.at += end;
            if !self.eat(separator) {
                return last;
            }
        }
    }
}

fn python(text: &str, end: usize) -> Vec<Base> {
    let mut cursor = Cursor { text, at: end };
    let mut found = Vec::new();
    cursor.skip_blanks();
    if cursor.rest().starts_with('[') {
        cursor.skip_brackets();
        cursor.skip_blanks();
    }
    if !cursor.eat("(") {
        return found;
    }
    loop {
        cursor.skip_blanks();
        let base = cursor.path(".");
        cursor.skip_blanks();
        // `Generic[T]` is a base, `metaclass=M` and the result of a call are none.
        let is_base = cursor.rest().starts_with(['[', ',', ')']);
        found.extend(base.filter(|_| is_base).map(|at| Base {
            at,
            implemented: false,
        }));
        loop {
            let rest = cursor.rest();
            match rest.chars().next() {
                None | Some(')') => return found,
                Some(',') => break,
                Some('(' | '[' | '{') => cursor.skip_brackets(),
                Some('#') => cursor.skip_blanks(),
                Some(c) => cursor.at += c.len_utf8(),
            }
        }
        cursor.at += 1;
    }
}

fn typescript(text: &str, end: usize) -> Vec<Base> {
    let mut cursor = Cursor { text, at: end };
    let mut found = Vec::new();
    cursor.skip_generics();
    loop {
        let implemented = if cursor.eat_word("extends") {
            false
        } else if cursor.eat_word("implements") {
            true
        } else {
            return found;
        };
        loop {
            cursor.skip_blanks();
            let base = cursor.path(".");
            cursor.skip_generics();
            let is_call = cursor.rest().starts_with('(');
            if is_call {
                cursor.skip_brackets();
                cursor.skip_blanks();
            }
            found.extend(base.filter(|_| !is_call).map(|at| Base { at, implemented }));
            if !cursor.eat(",") {
                break;
            }
        }
    }
}

fn supertraits(text: &str, end: usize) -> Vec<Base> {
    let mut cursor = Cursor { text, at: end };
    let mut found = Vec::new();
    cursor.skip_generics();
    if !cursor.eat(":") {
        return found;
    }
    loop {
        cursor.skip_blanks();
        if cursor.eat("'") {
            cursor.path("::");
        } else if let Some(at) = cursor.path("::") {
            found.push(Base {
                at,
                implemented: false,
            });
        }
        cursor.skip_generics();
        if cursor.rest().starts_with('(') {
            cursor.skip_brackets();
            cursor.skip_blanks();
        }
        if !cursor.eat("+") {
            return found;
        }
    }
}

/// Every `impl Trait for Type`: where the two names are.
fn implementations(source: &Source) -> Vec<(usize, usize)> {
    let heads = (0..source.lines()).filter_map(|line| {
        let text = source.line(line);
        let head = text.trim_start();
        let head = head.strip_prefix("unsafe").unwrap_or(head).trim_start();
        let rest = head.strip_prefix("impl")?;
        (!rest.starts_with(is_word)).then(|| source.byte(line, 0) + text.len() - rest.len())
    });
    heads
        .filter_map(|at| implementation(source.text(), at))
        .collect()
}

fn implementation(text: &str, at: usize) -> Option<(usize, usize)> {
    let mut cursor = Cursor { text, at };
    cursor.skip_generics();
    let of_trait = cursor.path("::")?;
    cursor.skip_generics();
    if !cursor.eat_word("for") {
        return None;
    }
    cursor.skip_blanks();
    while cursor.eat("&") || cursor.eat_word("mut") || cursor.eat_word("dyn") || cursor.eat("'") {
        if cursor.text[..cursor.at].ends_with('\'') {
            cursor.path("::");
        }
        cursor.skip_blanks();
    }
    Some((of_trait, cursor.path("::")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, name: &str, expected: &[(&str, bool)]) {
        let source = Source::new(path, text);
        let start = text.find(name).unwrap();
        let found: Vec<_> = bases(&source, &text[..start], start + name.len())
            .into_iter()
            .map(|base| {
                let rest = &text[base.at..];
                (
                    &rest[..rest.find(|c| !is_word(c)).unwrap()],
                    base.implemented,
                )
            })
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn heads_are_read() {
        check("a.py", "class A:\n  x(B)", "A", &[]);
        check(
            "a.py",
            "class A(m.B, C[D, E],  # F\n  f(G), metaclass=H, **k):",
            "A",
            &[("B", false), ("C", false)],
        );
        check("a.py", "class A[T: X](B):", "A", &[("B", false)]);
        check(
            "a.ts",
            "class A<T extends X> extends n.B<Y> implements C, D<Z> {",
            "A",
            &[("B", false), ("C", true), ("D", true)],
        );
        check(
            "a.ts",
            "class A extends mix(B) implements C {",
            "A",
            &[("C", true)],
        );
        check(
            "a.ts",
            "interface A extends B, C {}",
            "A",
            &[("B", false), ("C", false)],
        );
        check("a.ts", "type A = B & C;", "A", &[]);
        check(
            "a.rs",
            "trait A<T>: 'static + b::B<T> + Fn(X) + C where T: D {",
            "A",
            &[("B", false), ("Fn", false), ("C", false)],
        );
    }

    #[test]
    fn implementations_are_read() {
        let text =
            "unsafe impl<T: A> b::B<T> for &'a mut c::C<T> {}\nimpl D {}\nimplied!(E for F);\n";
        let source = Source::new("a.rs", text);
        let at = |word: &str| text.find(word).unwrap();
        assert_eq!(implementations(&source), [(at("B<T>"), at("C<T>"))]);
    }
}
