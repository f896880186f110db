//! From the text of one file to its [`Facts`]: one walk over the tree, one room per language.

mod builder;
mod python;
pub(crate) mod rust;

pub(crate) use builder::Builder;

use crate::facts::{Facts, Manifest};
use fourfold_syntax::{Language, Tree};

/// The facts of a text and the tree that was parsed from it; `None` when no extractor knows the
/// language.
///
/// A tree with errors gives what can be read around them. A tree of another text gives facts of no
/// use, and no panic.
pub fn extract(language: Language, text: &str, tree: &Tree) -> Option<Facts> {
    let walk: fn(&mut Builder<'_>, &Tree) = match language.id() {
        "python" => python::walk,
        "rust" => rust::walk,
        _ => return None,
    };
    let mut builder = Builder::new(text);
    walk(&mut builder, tree);
    Some(builder.finish(tree))
}

/// What a project file says about where modules are; `None` for a file that is none, or that cannot
/// be read as one.
pub fn manifest(path: &str, text: &str) -> Option<Manifest> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        "Cargo.toml" => rust::cargo::manifest(text),
        _ => None,
    }
}
