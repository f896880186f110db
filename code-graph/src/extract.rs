//! From the text of one file to its [`Facts`]: one walk over the tree, one room per language.

mod builder;
mod python;

pub(crate) use builder::Builder;

use crate::facts::{Facts, Manifest};
use fourfold_syntax::{Language, Tree};

/// One walk over a tree.
type Walk = fn(&mut Builder<'_>, &Tree);

fn walk_of(language: Language) -> Option<Walk> {
    Some(match language.id() {
        "python" => python::walk,
        _ => return None,
    })
}

/// Whether there is an extractor for the language.
pub fn knows(language: Language) -> bool {
    walk_of(language).is_some()
}

/// What a project file says, told by its name; `None` when it is none or says nothing.
pub(crate) fn manifest(path: &str, text: &str) -> Option<Manifest> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let _ = text;
    match name {
        _ => None,
    }
}

/// The facts of a text and the tree that was parsed from it; `None` when no extractor knows the
/// language.
///
/// A tree with errors gives what can be read around them. A tree of another text gives facts of no
/// use, and no panic.
pub fn extract(language: Language, text: &str, tree: &Tree) -> Option<Facts> {
    let walk = walk_of(language)?;
    let mut builder = Builder::new(text);
    walk(&mut builder, tree);
    Some(builder.finish(tree))
}
