//! From the text of one file to its [`Facts`]: one walk over the tree, one room per language.

mod bash;
mod builder;
mod c;
mod csharp;
mod dart;
pub(crate) mod ecma;
mod elixir;
mod field;
mod go;
mod handed;
mod java;
mod kotlin;
mod lua;
mod php;
pub(crate) mod python;
mod ruby;
pub(crate) mod rust;
mod scala;
mod swift;
mod table;

pub(crate) use builder::Builder;
pub(crate) use c::PROTOTYPE;
pub(crate) use ruby::DECLARED;
pub(crate) use table::CONSTRUCTOR;

use crate::facts::{Facts, Manifest};
use fourfold_syntax::{Language, Tree};

/// The walk of a language.
fn walk_of(language: Language) -> Option<fn(&mut Builder<'_>, &Tree)> {
    Some(match language.id() {
        "bash" => bash::extract,
        "c" | "cpp" => c::extract,
        "elixir" => elixir::extract,
        "csharp" => csharp::extract,
        "dart" => dart::extract,
        "go" => go::extract,
        "kotlin" => kotlin::extract,
        "php" => php::extract,
        "java" => java::extract,
        "scala" => scala::extract,
        "swift" => swift::extract,
        "lua" => lua::extract,
        "ruby" => ruby::extract,
        "python" => python::walk,
        "javascript" | "jsx" => ecma::javascript,
        "typescript" | "tsx" => ecma::typescript,
        "rust" => rust::walk,
        _ => return None,
    })
}

/// Whether a class can be written in an expression of the language.
fn has_nameless_types(language: Language) -> bool {
    matches!(
        language.id(),
        "csharp"
            | "java"
            | "javascript"
            | "jsx"
            | "kotlin"
            | "php"
            | "scala"
            | "swift"
            | "tsx"
            | "typescript"
    )
}

/// Whether there is an extractor for the language.
pub fn knows(language: Language) -> bool {
    walk_of(language).is_some()
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
    if has_nameless_types(language) {
        handed::hand_on(&mut builder);
    }
    Some(builder.finish(tree))
}

/// What a project file says about where modules are; `None` for a file that is none, or that cannot
/// be read as one.
pub fn manifest(path: &str, text: &str) -> Option<Manifest> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        "Cargo.toml" => rust::cargo::manifest(text),
        "package.json" => ecma::project::package(text),
        "jsconfig.json" => ecma::project::typescript(text),
        _ if name.starts_with("tsconfig") && name.ends_with(".json") => {
            ecma::project::typescript(text)
        }
        "go.mod" => go::module(text),
        "pubspec.yaml" => dart::package(text),
        _ => None,
    }
}
