//! From the facts of all files to edges: what each site refers to, and how surely.
//!
//! Linking is lazy evaluation of [expressions](crate::facts::Expr) over scopes, modules and types.
//! Three rules hold everywhere:
//!
//! * An edge is never invented. A receiver that cannot be told leaves an [`Unresolved`] with the
//!   candidates, not an edge to the nearest namesake.
//! * What comes from outside the checkout is [`External`] and ends the search.
//! * The links of a file are a pure function of the facts of all files, whatever the order in which
//!   files are linked and whatever was linked before.
//!
//! # How a language hooks in
//!
//! The core knows scopes, modules, namespaces, types, type arguments and calls; what differs between
//! languages is a trait, `Rules`, in `link/rules.rs`. A language
//!
//! 1. extracts [facts](crate::facts) (what a name is bound to, where the scopes are),
//! 2. implements `Rules` in a file of its own (`link/python.rs`) and adds one line to `rules_for`.
//!    `import` is the only method without a default; `global` gives names of the prelude or of the
//!    same package, `namespace` says which namespace a file belongs to where files are not modules,
//!    and the tables of the standard library hang on `external_member` and `external_call`.
//!
//! What is outside the checkout is a *type by name*: `Value::external("os.path")`. A member of it is
//! `os.path.join`, calling that gives `os.path.join()`, and so on; all of them end the search. An
//! instance of an external type keeps its type arguments (`Value::external_instance("list", …)`), a
//! method read from it too, so that `external_call("list.pop", [T], …)` can answer `T`. Types that
//! stand for one of their arguments (`Box`, `Optional`) are `transparent`.
//!
//! Whoever evaluates asks `Eval`: `eval` (an expression), `name`, `member`, `call`, `top` (a name at
//! the top of a module), `namespace_member`, `probe` (a path), `lineage` (what a type inherits).
//! These note what they looked up; a rule that reads another file's facts or paths goes through them
//! and never through the tables of `World`. Results of rules must not depend on anything else.

mod bash;
mod c;
mod csharp;
mod dart;
mod ecma;
mod elixir;
mod eval;
mod everyone;
mod flow;
mod go;
mod java;
mod key;
mod kotlin;
mod lua;
mod members;
mod modules;
mod objects;
mod php;
mod python;
mod ruby;
mod rules;
mod rust;
mod scala;
mod sites;
mod surface;
mod swift;
mod value;
mod world;

pub use surface::{ExtensionHead, ModuleHead, Prints, Surface};
pub use world::{Loader, SourceFile, World};

use crate::facts::{Facts, SymbolId, SymbolKind};
use fourfold_syntax::Language;
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A symbol or file of the checkout, named so that the name survives moved lines: 64 bits of the
/// BLAKE3 hash of the language and the path of a file, or of the id of what a symbol is declared in
/// (its parent, else its file), its owner's and its own name, its kind, and a number that tells
/// true duplicates apart in the order of their position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StableId(pub u64);

impl StableId {
    /// The id of a file; the path is relative to the checkout, with `/`.
    pub fn of_file(language: Language, path: &str) -> StableId {
        StableId::of_bytes([language.id(), ":", path].concat().as_bytes())
    }

    /// The ids of the symbols of a file, in the order of their table, from what is declared of
    /// each: its parent, its owner's name, its own name and its kind.
    pub fn of_symbols<'a>(
        file: StableId,
        symbols: impl Iterator<Item = (Option<SymbolId>, Option<&'a str>, &'a str, SymbolKind)>,
    ) -> Vec<StableId> {
        let mut ids: Vec<StableId> = Vec::with_capacity(symbols.size_hint().0);
        let mut taken: HashMap<StableId, u64> = HashMap::new();
        let mut bytes = Vec::new();
        for (parent, owner, name, kind) in symbols {
            let around = parent.and_then(|parent| ids.get(parent.index()).copied());
            bytes.clear();
            bytes.extend_from_slice(&around.unwrap_or(file).0.to_le_bytes());
            for part in [owner.unwrap_or_default(), ".", name, "/", kind.word()] {
                bytes.extend_from_slice(part.as_bytes());
            }
            let first = StableId::of_bytes(&bytes);
            let before = taken.entry(first).or_insert(0);
            let id = if *before == 0 {
                first
            } else {
                bytes.push(b'~');
                bytes.extend_from_slice(&before.to_le_bytes());
                StableId::of_bytes(&bytes)
            };
            *before += 1;
            ids.push(id);
        }
        ids
    }

    fn of_bytes(bytes: &[u8]) -> StableId {
        let hash = blake3::hash(bytes);
        let mut first = [0; 8];
        first.copy_from_slice(&hash.as_bytes()[..8]);
        StableId(u64::from_le_bytes(first))
    }
}

impl Facts {
    /// The ids of all symbols of the file that these facts are of.
    pub fn ids(&self, file: StableId) -> Vec<StableId> {
        let symbols = self.symbols.iter().map(|symbol| {
            let owner = symbol.owner.map(|owner| self.name(owner));
            (symbol.parent, owner, self.name(symbol.name), symbol.kind)
        });
        StableId::of_symbols(file, symbols)
    }
}

impl fmt::Display for StableId {
    /// Sixteen hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// How an edge was found, from the surest on. What each is worth was measured; the figures stand in
/// the README.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// By scope or by import, name for name.
    Exact,
    /// By a declared type, a constructor call, `self` and the class hierarchy.
    Typed,
    /// By a result type that was worked out, or by following values.
    Inferred,
    /// One of several; all of them are listed.
    Candidate,
    /// Only because no other symbol has the name.
    Name,
}

/// What an edge says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EdgeKind {
    /// The source calls the target.
    Calls,
    /// The source makes an instance of the target.
    Instantiates,
    /// The source uses the target as a value, without calling it.
    References,
    /// The source uses the target as a type.
    UsesType,
    /// The source is decorated or annotated with the target.
    Decorates,
    /// The source, a file, imports the target, a file or a symbol.
    Imports,
    /// The source inherits from the target.
    Extends,
    /// The source promises to have the members of the target.
    Implements,
    /// The source takes in the members of the target.
    MixesIn,
    /// The source, a method, replaces the target in a subclass.
    Overrides,
    /// The source writes to the target.
    Writes,
}

/// One edge of one file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The symbol of this file that the edge goes out from; none for the file itself.
    pub from: Option<SymbolId>,
    /// Where it leads.
    pub to: StableId,
    /// What it says.
    pub kind: EdgeKind,
    /// How it was found.
    pub certainty: Certainty,
    /// The byte and the 0-based row where the source says so.
    pub at: u32,
    /// See `at`.
    pub row: u32,
}

/// A use that could not be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unresolved {
    /// The symbol of this file around it.
    pub from: Option<SymbolId>,
    /// The name that is used, as text.
    pub name: String,
    /// What it would be.
    pub kind: EdgeKind,
    /// Where.
    pub at: u32,
    /// Its 0-based row.
    pub row: u32,
}

/// A use of something that is not in the checkout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct External {
    /// The symbol of this file around it.
    pub from: Option<SymbolId>,
    /// What is used, as qualified as is known: `os.path.join`, `react.useState`, `str.split`.
    pub name: String,
    /// What is done with it.
    pub kind: EdgeKind,
    /// Where.
    pub at: u32,
    /// Its 0-based row.
    pub row: u32,
}

/// What linking one file gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Links {
    /// In the order of position.
    pub edges: Vec<Link>,
    /// In the order of position.
    pub unresolved: Vec<Unresolved>,
    /// In the order of position.
    pub external: Vec<External>,
    /// The keys of everything that was looked up elsewhere, found or not, sorted: when none of them
    /// changes, linking the file again gives the same.
    pub lookups: Vec<u64>,
}
