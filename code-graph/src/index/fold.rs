//! Facts and links in the form in which they take little room: what grows along a table is kept as
//! the difference from the row before.
//!
//! Folding is an exact inverse of unfolding for whatever numbers there are; that they grow only makes
//! it worth while.

use super::heap::{Damaged, decode, encode};
use crate::facts::{Facts, Span};
use crate::link::Links;

/// Facts as bytes.
pub(super) fn facts_to_bytes(facts: &Facts) -> Vec<u8> {
    let mut facts = facts.clone();
    // In the order of position the numbers of scopes and names grow with it. The order that facts
    // have is got back by sorting, which keeps the order of bindings that are alike in all three.
    facts.bindings.sort_by_key(|binding| binding.at);
    fold(&mut facts, Walk::Fold);
    encode(&facts)
}

/// Facts from [`facts_to_bytes`].
pub(super) fn facts_from_bytes(bytes: &[u8]) -> Result<Facts, Damaged> {
    let mut facts: Facts = decode(bytes)?;
    fold(&mut facts, Walk::Unfold);
    facts
        .bindings
        .sort_by_key(|binding| (binding.scope, binding.name, binding.at));
    Ok(facts)
}

/// Links as bytes.
pub(super) fn links_to_bytes(links: &Links) -> Vec<u8> {
    let mut links = links.clone();
    fold_links(&mut links, Walk::Fold);
    encode(&links)
}

/// Links from [`links_to_bytes`].
pub(super) fn links_from_bytes(bytes: &[u8]) -> Result<Links, Damaged> {
    let mut links: Links = decode(bytes)?;
    fold_links(&mut links, Walk::Unfold);
    Ok(links)
}

#[derive(Debug, Clone, Copy)]
enum Walk {
    Fold,
    Unfold,
}

impl Walk {
    /// Replaces a number by its difference from the one before, or the other way round. Small
    /// differences of either sign become small numbers.
    fn step(self, number: &mut u32, before: &mut u32) {
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
    }

    /// The same against a number that is known.
    fn from(self, number: &mut u32, base: u32) {
        let mut base = base;
        self.step(number, &mut base);
    }
}

fn fold(facts: &mut Facts, walk: Walk) {
    let (mut at, mut row) = (0, 0);
    for symbol in &mut facts.symbols {
        let Span {
            start,
            end,
            row: first,
            end_row,
        } = &mut symbol.span;
        // What others are measured against must be plain: before folding, after unfolding.
        let plain = (*start, *first);
        walk.step(start, &mut at);
        walk.step(first, &mut row);
        let plain = match walk {
            Walk::Fold => plain,
            Walk::Unfold => (*start, *first),
        };
        walk.from(end, plain.0);
        walk.from(end_row, plain.1);
        walk.from(&mut symbol.name_at, plain.0);
        walk.from(&mut symbol.name_row, plain.1);
    }
    let mut name = 0;
    for symbol in &mut facts.symbols {
        walk.step(&mut symbol.name.0, &mut name);
        walk.step(&mut symbol.signature.0, &mut name);
    }
    let (mut at, mut scope, mut name) = (0, 0, 0);
    for binding in &mut facts.bindings {
        let plain = binding.scope.0;
        walk.step(&mut binding.at, &mut at);
        walk.step(&mut binding.scope.0, &mut scope);
        walk.step(&mut binding.name.0, &mut name);
        let plain = match walk {
            Walk::Fold => plain,
            Walk::Unfold => binding.scope.0,
        };
        walk.from(&mut binding.env.0, plain);
    }
    let (mut at, mut row, mut scope, mut what) = (0, 0, 0, 0);
    for site in &mut facts.sites {
        walk.step(&mut site.at, &mut at);
        walk.step(&mut site.row, &mut row);
        walk.step(&mut site.scope.0, &mut scope);
        walk.step(&mut site.what.0, &mut what);
    }
    let (mut at, mut row) = (0, 0);
    for import in &mut facts.imports {
        walk.step(&mut import.at, &mut at);
        walk.step(&mut import.row, &mut row);
    }
}

fn fold_links(links: &mut Links, walk: Walk) {
    let (mut at, mut row) = (0, 0);
    for edge in &mut links.edges {
        walk.step(&mut edge.at, &mut at);
        walk.step(&mut edge.row, &mut row);
    }
    let (mut at, mut row) = (0, 0);
    for one in &mut links.unresolved {
        walk.step(&mut one.at, &mut at);
        walk.step(&mut one.row, &mut row);
    }
    let (mut at, mut row) = (0, 0);
    for one in &mut links.external {
        walk.step(&mut one.at, &mut at);
        walk.step(&mut one.row, &mut row);
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
            folded.iter_mut().for_each(|number| Walk::Fold.step(number, &mut before));
            before = 0;
            folded.iter_mut().for_each(|number| Walk::Unfold.step(number, &mut before));
            prop_assert_eq!(folded, numbers);
        }

        #[test]
        fn facts_are_got_back(lines in prop::collection::vec(prop::sample::select(LINES.to_vec()), 0..40)) {
            let text = lines.concat();
            let Ok(python) = Language::named("python") else { return Ok(()) };
            let tree = with_parser(ParseLimits::default(), |parser| parser.parse(python, &text)).unwrap();
            let facts = extract(python, &text, &tree).unwrap();
            prop_assert_eq!(facts_from_bytes(&facts_to_bytes(&facts)).unwrap(), facts);
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
