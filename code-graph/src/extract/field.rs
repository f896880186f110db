//! The fields of nodes, by their names.

use std::cell::RefCell;
use std::num::NonZero;
use tree_sitter::{Language, Node};

/// The places of the table. There are about a thousand names in all grammars together, and a file has
/// those of one.
const PLACES: usize = 512;

/// A name in a grammar, and the number of the field; none where the grammar has no such field.
struct Known {
    grammar: Language,
    name: &'static str,
    field: Option<u16>,
}

thread_local! {
    static KNOWN: RefCell<[Option<Known>; PLACES]> =
        const { RefCell::new([const { None }; PLACES]) };
}

/// Children by the field that they stand in.
pub(super) trait Fields<'t> {
    /// The child in the field of this name. Each thread looks a name up among those of the grammar
    /// once; tree-sitter would compare it with one after another each time.
    fn field(&self, name: &'static str) -> Option<Node<'t>>;
}

impl<'t> Fields<'t> for Node<'t> {
    fn field(&self, name: &'static str) -> Option<Node<'t>> {
        self.child_by_field_id(id_of(&self.language(), name)?)
    }
}

fn id_of(grammar: &Language, name: &'static str) -> Option<u16> {
    // The same name is mostly the same text at the same place.
    let place = name.as_ptr().addr();
    KNOWN.with_borrow_mut(|known| {
        let known = known.get_mut((place ^ (place >> 9)) % PLACES)?;
        if let Some(known) = known
            && std::ptr::eq(known.name, name)
            && known.grammar == *grammar
        {
            return known.field;
        }
        let field = grammar.field_id_for_name(name).map(NonZero::get);
        *known = Some(Known {
            grammar: grammar.clone(),
            name,
            field,
        });
        field
    })
}

#[cfg(test)]
mod tests {
    use super::Fields;
    use fourfold_syntax::{Language, ParseLimits, with_parser};

    #[test]
    fn a_field_is_found_by_its_name_in_each_grammar() {
        let of = |id: &str, text: &str| {
            let language = Language::named(id).unwrap();
            with_parser(ParseLimits::default(), |parser| {
                parser.parse(language, text)
            })
            .unwrap()
        };
        for _ in 0..2 {
            let tree = of("go", "package p\nfunc f() {}\n");
            let function = tree.root_node().named_child(1).unwrap();
            let name = function.field("name").map(|name| name.byte_range());
            assert_eq!(name, Some(15..16));
            assert!(function.field("consequence").is_none());
            let tree = of("java", "class C {}\n");
            let class = tree.root_node().named_child(0).unwrap();
            let name = class.field("name").map(|name| name.byte_range());
            assert_eq!(name, Some(6..7));
            assert!(class.field("no such field").is_none());
        }
    }
}
