//! Facts, outlines and links in the form in which they take little room: what grows along a table is
//! kept as the difference from the row before, and an operand as its distance.
//!
//! Folding is an exact inverse of unfolding for whatever numbers there are; that they grow only makes
//! it worth while.

use super::heap::{Damaged, decode, encode};
use crate::facts::{Bound, Expr, ExprId, Facts, List, Names, Span};
use crate::graph::{Outline, PackedLinks};

/// Facts as bytes.
pub(super) fn facts_to_bytes(mut facts: Facts) -> Vec<u8> {
    // In the order of position the numbers of scopes and names grow with it. The order that facts
    // have is got back by sorting, which keeps the order of bindings that are alike in all three.
    facts.bindings.sort_by_key(|binding| binding.at);
    fold_facts(&mut facts, Walk::Fold);
    encode(&facts)
}

/// Facts from [`facts_to_bytes`].
pub(super) fn facts_from_bytes(bytes: &[u8]) -> Result<Facts, Damaged> {
    let mut facts: Facts = decode(bytes)?;
    fold_facts(&mut facts, Walk::Unfold);
    facts
        .bindings
        .sort_by_key(|binding| (binding.scope, binding.name, binding.at));
    Ok(facts)
}

/// An outline as bytes.
pub(super) fn outline_to_bytes(mut outline: Outline) -> Vec<u8> {
    fold_outline(&mut outline, Walk::Fold);
    encode(&outline)
}

/// An outline from [`outline_to_bytes`].
pub(super) fn outline_from_bytes(bytes: &[u8]) -> Result<Outline, Damaged> {
    let mut outline: Outline = decode(bytes)?;
    fold_outline(&mut outline, Walk::Unfold);
    Ok(outline)
}

/// Links as bytes.
pub(super) fn links_to_bytes(mut links: PackedLinks) -> Vec<u8> {
    fold_links(&mut links, Walk::Fold);
    encode(&links)
}

/// Links from [`links_to_bytes`].
pub(super) fn links_from_bytes(bytes: &[u8]) -> Result<PackedLinks, Damaged> {
    let mut links: PackedLinks = decode(bytes)?;
    fold_links(&mut links, Walk::Unfold);
    Ok(links)
}

#[derive(Debug, Clone, Copy)]
enum Walk {
    Fold,
    Unfold,
}

impl Walk {
    /// Replaces a number by its difference from the one before, or the other way round; gives the
    /// number itself. Small differences of either sign become small numbers.
    fn step(self, number: &mut u32, before: &mut u32) -> u32 {
        match self {
            Walk::Fold => {
                let plain = std::mem::replace(before, *number);
                let difference = number.wrapping_sub(plain);
                *number = (difference << 1) ^ ((difference as i32 >> 31) as u32);
            }
            Walk::Unfold => {
                let difference = (*number >> 1) ^ (*number & 1).wrapping_neg();
                *number = before.wrapping_add(difference);
                *before = *number;
            }
        }
        *before
    }

    /// The same against a number that is known.
    fn from(self, number: &mut u32, base: u32) -> u32 {
        let mut base = base;
        self.step(number, &mut base)
    }

    /// The same for what may be there.
    fn step_some<T: Number>(self, number: &mut Option<T>, before: &mut u32) {
        if let Some(number) = number {
            self.step(number.number(), before);
        }
    }

    /// Texts by their lengths.
    fn names(self, names: &mut Names) {
        let mut end = 0;
        for one in names.ends_mut() {
            self.step(one, &mut end);
        }
    }

    /// A place with a name in it.
    fn span(self, span: &mut Span, name: (&mut u32, &mut u32), at: &mut u32, row: &mut u32) {
        let start = self.step(&mut span.start, at);
        let first = self.step(&mut span.row, row);
        self.from(&mut span.end, start);
        self.from(&mut span.end_row, first);
        self.from(name.0, start);
        self.from(name.1, first);
    }

    /// A list against the end of the one before.
    fn list(self, list: &mut List, end: &mut u32) {
        let start = self.from(&mut list.start, *end);
        *end = start.wrapping_add(u32::from(list.len));
    }
}

/// An id is a number.
trait Number {
    fn number(&mut self) -> &mut u32;
}

macro_rules! numbers {
    ($($id:ty),*) => {
        $(impl Number for $id {
            fn number(&mut self) -> &mut u32 {
                &mut self.0
            }
        })*
    };
}
numbers!(
    ExprId,
    crate::facts::FunctionId,
    crate::facts::NameId,
    crate::facts::ScopeId,
    crate::facts::SymbolId
);

fn fold_facts(facts: &mut Facts, walk: Walk) {
    walk.names(&mut facts.names);
    fold_symbols(facts, walk);
    let mut owner = 0;
    for (at, scope) in (0..).zip(&mut facts.scopes) {
        walk.step_some(&mut scope.parent, &mut { at });
        walk.step_some(&mut scope.owner, &mut owner);
    }
    fold_bindings(facts, walk);
    let (mut at, mut row, mut name, mut scope) = (0, 0, 0, 0);
    for import in &mut facts.imports {
        walk.step(&mut import.at, &mut at);
        walk.step(&mut import.row, &mut row);
        walk.step(&mut import.module.0, &mut name);
        walk.step_some(&mut import.name, &mut name);
        walk.step_some(&mut import.local, &mut name);
        walk.step(&mut import.scope.0, &mut scope);
    }
    fold_exprs(facts, walk);
    let (mut symbol, mut scope, mut name, mut expr) = (0, 0, 0, 0);
    for function in &mut facts.functions {
        walk.step_some(&mut function.symbol, &mut symbol);
        walk.step(&mut function.scope.0, &mut scope);
        for param in &mut function.params {
            walk.step(&mut param.name.0, &mut name);
            walk.step_some(&mut param.declared, &mut expr);
            walk.step_some(&mut param.default, &mut expr);
        }
        walk.step_some(&mut function.result, &mut expr);
        for one in function.returns.iter_mut().chain(&mut function.yields) {
            walk.step(&mut one.0, &mut expr);
        }
        for one in &mut function.type_params {
            walk.step(&mut one.0, &mut name);
        }
        walk.step_some(&mut function.context, &mut expr);
    }
    let (mut at, mut row, mut class, mut expr, mut scope) = (0, 0, 0, 0, 0);
    for base in &mut facts.bases {
        walk.step(&mut base.at, &mut at);
        walk.step(&mut base.row, &mut row);
        walk.step(&mut base.class.0, &mut class);
        walk.step(&mut base.what.0, &mut expr);
        walk.step(&mut base.scope.0, &mut scope);
    }
    let (mut at, mut row, mut scope, mut what, mut owner, mut end) = (0, 0, 0, 0, 0, 0);
    for site in &mut facts.sites {
        walk.step(&mut site.at, &mut at);
        walk.step(&mut site.row, &mut row);
        walk.step(&mut site.scope.0, &mut scope);
        walk.step(&mut site.what.0, &mut what);
        walk.step_some(&mut site.owner, &mut owner);
        walk.list(&mut site.args, &mut end);
    }
}

fn fold_symbols(facts: &mut Facts, walk: Walk) {
    let (mut at, mut row) = (0, 0);
    for symbol in &mut facts.symbols {
        let name = (&mut symbol.name_at, &mut symbol.name_row);
        walk.span(&mut symbol.span, name, &mut at, &mut row);
    }
    let (mut name, mut scope, mut function, mut expr) = (0, 0, 0, 0);
    for (at, symbol) in (0..).zip(&mut facts.symbols) {
        walk.step(&mut symbol.name.0, &mut name);
        walk.step(&mut symbol.signature.0, &mut name);
        walk.step_some(&mut symbol.doc, &mut name);
        walk.step_some(&mut symbol.owner, &mut name);
        walk.step_some(&mut symbol.parent, &mut { at });
        walk.step(&mut symbol.scope.0, &mut scope);
        walk.step_some(&mut symbol.members, &mut scope);
        walk.step_some(&mut symbol.function, &mut function);
        walk.step_some(&mut symbol.declared, &mut expr);
    }
}

fn fold_bindings(facts: &mut Facts, walk: Walk) {
    let (mut at, mut scope, mut name, mut symbol, mut import, mut expr) = (0, 0, 0, 0, 0, 0);
    for binding in &mut facts.bindings {
        walk.step(&mut binding.at, &mut at);
        let own = walk.step(&mut binding.scope.0, &mut scope);
        walk.step(&mut binding.name.0, &mut name);
        walk.from(&mut binding.env.0, own);
        match &mut binding.bound {
            Bound::Symbol(of) => {
                walk.step(&mut of.0, &mut symbol);
            }
            Bound::Import(of) => {
                walk.step(&mut of.0, &mut import);
            }
            Bound::Value(of) | Bound::Declared(of) | Bound::Type(of) => {
                walk.step(&mut of.0, &mut expr);
            }
            Bound::TypeParam(_, of) => walk.step_some(of, &mut expr),
            Bound::Parameter(_) | Bound::Unknown => {}
        }
    }
}

fn fold_exprs(facts: &mut Facts, walk: Walk) {
    let (mut name, mut end, mut scope, mut symbol, mut function) = (0, 0, 0, 0, 0);
    for (at, expr) in (0..).zip(&mut facts.exprs) {
        // An operand stands a little before.
        let near = |of: &mut ExprId| {
            walk.from(&mut of.0, at);
        };
        match expr {
            Expr::Unknown | Expr::This | Expr::Super | Expr::SelfType | Expr::Int(_) => {}
            Expr::Name(text) | Expr::Str(text) | Expr::Literal(text) => {
                walk.step(&mut text.0, &mut name);
            }
            Expr::Member(of, text)
            | Expr::Path(of, text)
            | Expr::Operator(text, of)
            | Expr::Keyword(text, of) => {
                near(of);
                walk.step(&mut text.0, &mut name);
            }
            Expr::Call(of, args) | Expr::New(of, args) | Expr::Generic(of, args) => {
                near(of);
                walk.list(args, &mut end);
            }
            Expr::Union(list) | Expr::Tuple(list) | Expr::Array(list) | Expr::Bounds(list) => {
                walk.list(list, &mut end);
            }
            Expr::Object(of) => {
                walk.step(&mut of.0, &mut scope);
            }
            Expr::Symbol(of) => {
                walk.step(&mut of.0, &mut symbol);
            }
            Expr::Closure(of) => {
                walk.step(&mut of.0, &mut function);
            }
            Expr::Instance(of)
            | Expr::TypeOf(of)
            | Expr::Element(of)
            | Expr::Await(of)
            | Expr::Unwrap(of)
            | Expr::Enter(of)
            | Expr::Reference(of)
            | Expr::Spread(of)
            | Expr::Part(of, _)
            | Expr::Expected(of, _)
            | Expr::Passed(of, _) => near(of),
            Expr::Index(of, other) | Expr::Variant(of, other) | Expr::Qualified(of, other) => {
                near(of);
                near(other);
            }
        }
    }
    let mut last = 0;
    for one in &mut facts.lists {
        walk.step(&mut one.0, &mut last);
    }
}

fn fold_outline(outline: &mut Outline, walk: Walk) {
    walk.names(&mut outline.names);
    let (mut at, mut row, mut name) = (0, 0, 0);
    for (number, item) in (0..).zip(&mut outline.items) {
        let place = (&mut item.name_at, &mut item.name_row);
        walk.span(&mut item.span, place, &mut at, &mut row);
        walk.step(&mut item.name.0, &mut name);
        walk.step(&mut item.signature.0, &mut name);
        walk.step_some(&mut item.doc, &mut name);
        walk.step_some(&mut item.owner, &mut name);
        walk.step_some(&mut item.parent, &mut { number });
    }
    let mut word = 0;
    for one in outline.words_mut() {
        walk.step(one, &mut word);
    }
}

fn fold_links(links: &mut PackedLinks, walk: Walk) {
    walk.names(&mut links.names);
    let (mut at, mut row, mut from) = (0, 0, 0);
    for edge in &mut links.edges {
        walk.step(&mut edge.at, &mut at);
        walk.step(&mut edge.row, &mut row);
        walk.step_some(&mut edge.from, &mut from);
    }
    for uses in [&mut links.unresolved, &mut links.external] {
        let (mut at, mut row, mut from) = (0, 0, 0);
        for one in uses {
            walk.step(&mut one.at, &mut at);
            walk.step(&mut one.row, &mut row);
            walk.step_some(&mut one.from, &mut from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::extract;
    use fourfold_syntax::{Language, ParseLimits, with_parser};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_number_is_got_back(numbers in prop::collection::vec(any::<u32>(), 0..20)) {
            let mut folded = numbers.clone();
            let mut before = 0;
            folded.iter_mut().for_each(|number| { Walk::Fold.step(number, &mut before); });
            before = 0;
            folded.iter_mut().for_each(|number| { Walk::Unfold.step(number, &mut before); });
            prop_assert_eq!(folded, numbers);
        }

        #[test]
        fn facts_are_got_back(lines in prop::collection::vec(prop::sample::select(LINES.to_vec()), 0..40)) {
            let text = lines.concat();
            let Ok(python) = Language::named("python") else { return Ok(()) };
            let tree = with_parser(ParseLimits::default(), |parser| parser.parse(python, &text)).unwrap();
            let facts = extract(python, &text, &tree).unwrap();
            let outline = Outline::of(&facts);
            prop_assert_eq!(outline_from_bytes(&outline_to_bytes(outline.clone())).unwrap(), outline);
            prop_assert_eq!(facts_from_bytes(&facts_to_bytes(facts.clone())).unwrap(), facts);
        }
    }

    const LINES: [&str; 9] = [
        "import a.b as c\n",
        "from .d import e, f\n",
        "class A(c.B):\n",
        "    def m(self, x: e) -> f:\n",
        "        return self.m(x).n\n",
        "def g(a, *b, **c):\n",
        "    x = y = g(a, b=c)\n",
        "        for i, j in x: self.z = i\n",
        "A().m(1)\n",
    ];
}
