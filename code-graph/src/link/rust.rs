//! Linking Rust: names through modules and crates, and enough of its type system to find methods.
//!
//! The rules of Rust are far from those of the other languages (types have no members of their own
//! but `impl` blocks anywhere, receivers are dereferenced on the way, types are inferred), so this
//! room works out types itself, over the same files, facts and look-up keys.
//!
//! What is worked out while linking one file is kept for that file only: so the links of a file do
//! not depend on what was linked before, and every look-up is noted once.

mod crates;
mod generic;
mod known;
mod methods;
mod names;
mod sites;
mod traits;
mod ty;
mod types;
mod values;

use super::eval::Eval;
use super::modules::Tree;
use super::rules::Rules;
use super::value::{FileId, SymRef, Values};
use super::world::{Atom, Unit, World};
use super::{Certainty, Links, key};
use crate::facts::{ExprId, Import, NameId, ScopeId, Symbol, SymbolId};
use crates::Crates;
use hashbrown::{HashMap, HashSet};
use methods::{Found, Impl};
use names::{Def, Ns};
use std::rc::Rc;
use std::sync::Arc;
use ty::Ty;

/// The rules of Rust.
pub(crate) struct Rust {
    crates: Crates,
}

impl Rust {
    /// The rules for these files.
    pub(crate) fn new(tree: &Tree) -> Rust {
        Rust {
            crates: Crates::new(tree),
        }
    }
}

impl Rules for Rust {
    fn name(&self) -> &'static str {
        "rust"
    }

    fn import(&self, _eval: &mut Eval<'_>, _file: FileId, _import: &Import) -> Values {
        Values::none()
    }

    fn place(&self, tree: &Tree, file: FileId) -> u64 {
        self.crates.print(tree, file)
    }

    fn link(&self, world: &World<'_>, file: FileId) -> Option<Links> {
        Some(Linker::new(world, &self.crates, file).link())
    }
}

/// How many steps the types of one use may take.
const STEPS: u32 = 20_000;

/// How deep they may be nested.
const DEPTH: u32 = 64;

/// A name that is looked up: where, and among what.
type NameKey = (FileId, ScopeId, Atom, Ns, bool);

/// A member that is looked up: of what, and from where.
type MemberKey = (Ty, Atom, Option<(FileId, ScopeId)>);

/// The linking of one file.
struct Linker<'w> {
    world: &'w World<'w>,
    crates: &'w Crates,
    file: FileId,
    notes: HashSet<u64>,
    names: HashMap<NameKey, Rc<[Def]>>,
    /// Names that are being looked up.
    seeking: HashSet<(FileId, ScopeId, Atom, Ns)>,
    types: HashMap<(FileId, ScopeId, ExprId), Ty>,
    values: HashMap<(FileId, ScopeId, ExprId), (Ty, Certainty)>,
    /// Values that are being worked out.
    active: HashSet<(FileId, ScopeId, ExprId)>,
    impls: HashMap<(FileId, u32), Rc<Impl>>,
    found: HashMap<MemberKey, Rc<[Found]>>,
    seen_traits: HashMap<(FileId, ScopeId, SymRef), bool>,
    aliases: HashMap<SymRef, Rc<[Arc<str>]>>,
    steps: u32,
    depth: u32,
    /// The scope of the code that is looked at.
    within: Option<(FileId, ScopeId)>,
}

impl<'w> Linker<'w> {
    fn new(world: &'w World<'w>, crates: &'w Crates, file: FileId) -> Linker<'w> {
        Linker {
            world,
            crates,
            file,
            notes: HashSet::new(),
            names: HashMap::new(),
            seeking: HashSet::new(),
            types: HashMap::new(),
            values: HashMap::new(),
            active: HashSet::new(),
            impls: HashMap::new(),
            found: HashMap::new(),
            seen_traits: HashMap::new(),
            aliases: HashMap::new(),
            steps: STEPS,
            depth: 0,
            within: None,
        }
    }

    /// Notes a look-up.
    fn note(&mut self, key: u64) {
        self.notes.insert(key);
    }

    fn unit(&self, file: FileId) -> Option<&'w Unit> {
        self.world.unit(file)
    }

    fn symbol(&self, symbol: SymRef) -> Option<&'w Symbol> {
        let unit = self.unit(symbol.file)?;
        unit.facts.symbols.get(symbol.symbol.index())
    }

    /// The text of a name of a file.
    fn text(&self, file: FileId, name: NameId) -> &'w str {
        self.unit(file).map_or("", |unit| unit.facts.name(name))
    }

    fn atom(&self, file: FileId, name: NameId) -> Atom {
        let known = self.unit(file).and_then(|unit| unit.atom(name));
        known.unwrap_or_else(|| self.world.atom(""))
    }

    /// Whether one more step may be taken; if so, [`leave`](Self::leave) ends it.
    fn step(&mut self) -> bool {
        if self.steps == 0 || self.depth >= DEPTH {
            return false;
        }
        self.steps -= 1;
        self.depth += 1;
        true
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Notes that a symbol's head and a member of it were looked at.
    fn note_member(&mut self, owner: SymRef, name: &str) {
        if let Some(unit) = self.unit(owner.file) {
            let class = unit
                .quals
                .get(owner.symbol.index())
                .copied()
                .unwrap_or_default();
            self.note(key::of_file(unit.path, key::member(class, name)));
            self.note(key::of_file(unit.path, key::head(class)));
        }
    }
}

/// A symbol of a file.
fn sym(file: FileId, symbol: SymbolId) -> SymRef {
    SymRef { file, symbol }
}
