//! All files of a checkout, ready to be linked.

use super::eval::{Eval, Memo, Node};
use super::modules::Tree;
use super::rules::{Rules, rules_for};
use super::value::{FileId, SymRef};
use super::{Links, Prints, StableId, Surface, key};
use crate::facts::{
    Bound, Expr, ExprId, Facts, FunctionId, Manifest, NameId, ScopeId, SymbolId, SymbolKind,
};
use fourfold_syntax::Language;
use hashbrown::{HashMap, HashSet, HashTable};
use parking_lot::{Mutex, RwLock};
use std::sync::{Arc, OnceLock};

/// One file of a [`World`].
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Its path relative to the root of the checkout, with `/`.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// What its facts show of it to others.
    pub surface: Arc<Surface>,
}

/// Gives the facts of a file, by its index; `None` when they cannot be had, in which case the file
/// is taken as empty.
pub type Loader<'w> = Box<dyn Fn(usize) -> Option<Arc<Facts>> + Send + Sync + 'w>;

/// A text by number; equal texts have one number. Numbers depend on the order of asking, so nothing
/// is ever ordered by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Atom(u32);

/// The texts of a world.
#[derive(Default)]
struct Atoms {
    table: HashTable<u32>,
    texts: Vec<(u64, Arc<str>)>,
}

impl Atoms {
    fn find(&self, hash: u64, text: &str) -> Option<Atom> {
        let same = |at: &u32| {
            let known = self.texts.get(*at as usize);
            known.is_some_and(|(_, known)| **known == *text)
        };
        self.table.find(hash, same).copied().map(Atom)
    }

    fn intern(&mut self, text: &str) -> Atom {
        let hash = key::text(text);
        if let Some(known) = self.find(hash, text) {
            return known;
        }
        let at = self.texts.len() as u32;
        self.texts.push((hash, Arc::from(text)));
        let texts = &self.texts;
        let hash_of = |at: &u32| texts.get(*at as usize).map_or(0, |(hash, _)| *hash);
        self.table.insert_unique(hash, at, hash_of);
        Atom(at)
    }
}

/// One file with its facts, and what was worked out about it.
pub(crate) struct Unit {
    pub(crate) facts: Arc<Facts>,
    /// The number of each name of the file.
    atoms: Vec<Atom>,
    names: HashMap<Atom, NameId>,
    /// The hash of the path.
    pub(crate) path: u64,
    /// The hash of each symbol's qualified name.
    pub(crate) quals: Vec<u64>,
    /// Indices of [`Facts::bases`], ordered by class.
    bases: Vec<u32>,
    /// Indices of wildcard imports by scope, in the order of position.
    pub(crate) wildcards: Vec<(ScopeId, u32)>,
    /// The function whose parameters and locals a scope holds.
    functions: HashMap<ScopeId, FunctionId>,
    /// The extension whose members a scope holds.
    blocks: HashMap<ScopeId, u32>,
    /// Members scopes that bind type parameters.
    generic: HashSet<ScopeId>,
    /// Symbols of kind constructor by type, sorted.
    constructors: Vec<(SymbolId, SymbolId)>,
    pub(super) memo: Mutex<HashMap<Node, Arc<Memo>>>,
    ids: OnceLock<Vec<StableId>>,
}

impl Unit {
    fn new(facts: Arc<Facts>, path: &str, atoms: &RwLock<Atoms>) -> Unit {
        let mut numbers = Vec::with_capacity(facts.names.len());
        {
            let known = atoms.read();
            for name in facts.names.iter() {
                numbers.push(known.find(key::text(name), name));
            }
        }
        if numbers.iter().any(Option::is_none) {
            let mut known = atoms.write();
            for (at, number) in numbers.iter_mut().enumerate() {
                if number.is_none() {
                    *number = Some(known.intern(facts.names.get(NameId(at as u32))));
                }
            }
        }
        let atoms: Vec<Atom> = numbers.into_iter().flatten().collect();
        let mut names = HashMap::with_capacity(atoms.len());
        for (at, atom) in atoms.iter().enumerate() {
            names.insert(*atom, NameId(at as u32));
        }
        let mut bases: Vec<u32> = (0..facts.bases.len() as u32).collect();
        bases.sort_by_key(|at| facts.bases.get(*at as usize).map(|base| base.class));
        let mut wildcards: Vec<(ScopeId, u32)> = Vec::new();
        for (at, import) in facts.imports.iter().enumerate() {
            if import.wildcard {
                wildcards.push((import.scope, at as u32));
            }
        }
        wildcards.sort_unstable();
        let mut functions = HashMap::with_capacity(facts.functions.len());
        for (at, function) in facts.functions.iter().enumerate() {
            functions.insert(function.scope, FunctionId(at as u32));
        }
        let mut blocks = HashMap::new();
        for (at, extension) in facts.extensions.iter().enumerate() {
            blocks.insert(extension.members, at as u32);
        }
        let mut generic = HashSet::new();
        for binding in &facts.bindings {
            if matches!(binding.bound, Bound::TypeParam(..)) {
                generic.insert(binding.scope);
            }
        }
        let mut constructors = Vec::new();
        for (at, symbol) in facts.symbols.iter().enumerate() {
            if symbol.kind == SymbolKind::Constructor
                && let Some(parent) = symbol.parent
            {
                constructors.push((parent, SymbolId(at as u32)));
            }
        }
        constructors.sort_unstable();
        Unit {
            functions,
            blocks,
            generic,
            constructors,
            atoms,
            names,
            path: key::text(path),
            quals: key::qualified(&facts),
            bases,
            wildcards,
            memo: Mutex::new(HashMap::new()),
            ids: OnceLock::new(),
            facts,
        }
    }

    /// The number of a name of this file.
    pub(crate) fn atom(&self, name: NameId) -> Option<Atom> {
        self.atoms.get(name.index()).copied()
    }

    /// The name of this file that has a number.
    pub(crate) fn name(&self, atom: Atom) -> Option<NameId> {
        self.names.get(&atom).copied()
    }

    /// What a type of this file inherits, in the order of position.
    pub(crate) fn bases(&self, class: SymbolId) -> impl Iterator<Item = crate::facts::Base> + '_ {
        let base = |at: &u32| self.facts.bases.get(*at as usize).copied();
        let from = self
            .bases
            .partition_point(|at| base(at).is_some_and(|base| base.class < class));
        let rest = self.bases.get(from..).unwrap_or_default();
        rest.iter()
            .filter_map(base)
            .take_while(move |base| base.class == class)
    }

    /// The function whose parameters and locals a scope holds.
    pub(crate) fn function_of(&self, scope: ScopeId) -> Option<FunctionId> {
        self.functions.get(&scope).copied()
    }

    /// The extension whose members a scope holds.
    pub(crate) fn extension_of(&self, scope: ScopeId) -> Option<u32> {
        self.blocks.get(&scope).copied()
    }

    /// Whether a scope binds type parameters.
    pub(crate) fn has_type_params(&self, scope: ScopeId) -> bool {
        self.generic.contains(&scope)
    }

    /// The symbols of kind constructor that a type has.
    pub(crate) fn constructors(&self, class: SymbolId) -> impl Iterator<Item = SymbolId> + '_ {
        let from = self.constructors.partition_point(|(of, _)| *of < class);
        let rest = self.constructors.get(from..).unwrap_or_default();
        rest.iter()
            .take_while(move |(of, _)| *of == class)
            .map(|(_, symbol)| *symbol)
    }

    /// Whether a type lists type parameters of its own.
    pub(crate) fn has_own_type_params(&self, symbol: SymbolId) -> bool {
        let listed = &self.facts.type_params;
        listed.iter().any(|(owner, _)| *owner == symbol)
    }

    /// The signatures of a function that has several: its declared type is then their union.
    pub(crate) fn overloads(&self, symbol: SymbolId) -> Option<Vec<FunctionId>> {
        let facts = self.facts.symbols.get(symbol.index())?;
        facts.function?;
        let closure = |expr: ExprId| match self.facts.exprs.get(expr.index()) {
            Some(Expr::Closure(function)) => Some(*function),
            _ => None,
        };
        let declared = facts.declared?;
        match self.facts.exprs.get(declared.index())? {
            Expr::Closure(function) => Some(vec![*function]),
            Expr::Union(list) => self.facts.list(*list).iter().map(|e| closure(*e)).collect(),
            _ => None,
        }
    }

    /// The wildcard imports of a scope.
    pub(crate) fn wildcards_of(&self, scope: ScopeId) -> impl DoubleEndedIterator<Item = u32> + '_ {
        let from = self.wildcards.partition_point(|(of, _)| *of < scope);
        let rest = self.wildcards.get(from..).unwrap_or_default();
        let len = rest.partition_point(|(of, _)| *of <= scope);
        let found = rest.get(..len).unwrap_or_default();
        found.iter().map(|(_, at)| *at)
    }
}

/// All files of a checkout, ready to be linked. Everything that is worked out on the way is kept,
/// and is a pure function of the facts of all files.
pub struct World<'w> {
    pub(crate) tree: Tree,
    loader: Loader<'w>,
    units: Vec<OnceLock<Option<Unit>>>,
    atoms: RwLock<Atoms>,
    rules: Vec<Box<dyn Rules>>,
    /// The rules of each file, an index into `rules`.
    ruled: Vec<u8>,
    /// The files of each namespace.
    namespaces: HashMap<Arc<str>, Vec<FileId>>,
    /// Every namespace and every one above it.
    above: HashSet<String>,
    /// Extensions by the name of what they extend.
    extensions: HashMap<String, Vec<(FileId, u32)>>,
    /// The files that have methods of a name, and how many; made when first asked for.
    methods: OnceLock<HashMap<String, Vec<(FileId, u32)>>>,
    /// The files with interfaces that declare a method of a name; made when first asked for.
    promised: OnceLock<HashMap<String, Vec<FileId>>>,
    /// What was worked out about namespaces.
    pub(super) shared: Mutex<HashMap<Node, Arc<Memo>>>,
}

impl<'w> World<'w> {
    /// The world of these files, which must be sorted by path, and of the project files with their
    /// paths.
    pub fn new(
        files: Vec<SourceFile>,
        manifests: Vec<(String, Manifest)>,
        loader: Loader<'w>,
    ) -> World<'w> {
        let tree = Tree::new(files, manifests);
        let mut by_language: HashMap<&'static str, u8> = HashMap::new();
        let mut rules: Vec<Box<dyn Rules>> = Vec::new();
        let mut ruled = Vec::new();
        for file in tree.files() {
            let id = file.language.id();
            let at = *by_language.entry(id).or_insert_with(|| {
                let made = rules_for(id, &tree);
                match rules.iter().position(|known| known.name() == made.name()) {
                    Some(at) => at as u8,
                    None => {
                        rules.push(made);
                        rules.len() as u8 - 1
                    }
                }
            });
            ruled.push(at);
        }
        let mut namespaces: HashMap<Arc<str>, Vec<FileId>> = HashMap::new();
        let mut above: HashSet<String> = HashSet::new();
        let mut extensions: HashMap<String, Vec<(FileId, u32)>> = HashMap::new();
        for (at, file) in tree.files().iter().enumerate() {
            let id = FileId(at as u32);
            let rules = ruled.get(at).and_then(|at| rules.get(usize::from(*at)));
            let namespace = rules.and_then(|rules| rules.namespace(&tree, id));
            if let Some(namespace) = namespace {
                for prefix in prefixes(&namespace) {
                    if !above.contains(prefix) {
                        above.insert(prefix.to_owned());
                    }
                }
                namespaces.entry(namespace.into()).or_default().push(id);
            }
            for head in &file.surface.extensions {
                let target = head.target.clone().unwrap_or_default();
                extensions.entry(target).or_default().push((id, head.index));
            }
        }
        World {
            units: tree.files().iter().map(|_| OnceLock::new()).collect(),
            tree,
            loader,
            atoms: RwLock::default(),
            rules,
            ruled,
            namespaces,
            above,
            extensions,
            methods: OnceLock::new(),
            promised: OnceLock::new(),
            shared: Mutex::default(),
        }
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// The links of one file. This may be called from many threads; what it gives depends on the
    /// facts of all files and on nothing else. A file that is not there has none.
    pub fn link(&self, file: usize) -> Links {
        let id = FileId(file as u32);
        match self.rules(id).link(self, id) {
            Some(links) => links,
            None => Eval::new(self).link(id),
        }
    }

    /// The stable id of a symbol of a file, or of the file itself.
    pub fn id_of(&self, file: usize, symbol: Option<SymbolId>) -> StableId {
        let Some(source) = self.tree.file(FileId(file as u32)) else {
            return StableId(0);
        };
        match symbol {
            Some(symbol) => {
                let ids = self.ids_of(file);
                ids.get(symbol.index()).copied().unwrap_or(StableId(0))
            }
            None => StableId::of_file(source.language, &source.path),
        }
    }

    /// The ids of a file's symbols, in their order; none when its facts cannot be had.
    pub fn ids_of(&self, file: usize) -> &[StableId] {
        let id = FileId(file as u32);
        let (Some(source), Some(unit)) = (self.tree.file(id), self.unit(id)) else {
            return &[];
        };
        unit.ids
            .get_or_init(|| stable_ids(source.language, &source.path, &unit.facts))
    }

    /// Tells whether a key of [`Links::lookups`] is of something in this file: whoever links the
    /// file again when it has changed need not keep it.
    pub fn own(&self, file: usize) -> impl Fn(u64) -> bool + use<> {
        let path = key::text(self.tree.path(FileId(file as u32)));
        move |key| key::is_of_file(key, path)
    }

    /// Everything that can be looked up in a file from outside, with its fingerprint: when it
    /// differs between two states of a file, the files whose [`Links::lookups`] have a key of the
    /// difference are to be linked again. That a file exists is among them, so that a new file and
    /// a deleted one differ in all of theirs.
    ///
    /// `prints` are those of the file's facts, `place` is its [`place_of`](World::place_of). The
    /// world may be one of this file and the project files only.
    pub fn keys_of(&self, file: usize, prints: &Prints, place: u64) -> Vec<(u64, u64)> {
        let id = FileId(file as u32);
        let Some(source) = self.tree.file(id) else {
            return Vec::new();
        };
        let path = key::text(&source.path);
        let mut keys = vec![(key::path(&source.path), key::text(source.language.id()))];
        keys.push((key::of_file(path, key::PLACE), place));
        for (local, print) in &prints.local {
            keys.push((key::of_file(path, *local), *print));
        }
        keys.extend(prints.shared.iter().copied());
        for brought in self.rules(id).brings(&source.path) {
            keys.push((key::namespace(&brought), path));
        }
        if let Some(namespace) = self.rules(id).namespace(&self.tree, id) {
            for prefix in prefixes(&namespace) {
                keys.push((key::namespace(prefix), path));
            }
            let local = &prints.local;
            for name in &prints.top {
                let top = key::top(name);
                let at = local.partition_point(|(key, _)| *key < top);
                let print = local.get(at).map_or(0, |(_, print)| *print);
                keys.push((
                    key::namespace_member(&namespace, name),
                    key::mix(path, print),
                ));
            }
        }
        keys.sort_unstable();
        keys
    }

    /// A fingerprint of where a file stands: when it differs between two worlds while the file is the
    /// same, all its keys of both are to be taken for changed, and the file is to be linked again.
    pub fn place_of(&self, file: usize) -> u64 {
        let id = FileId(file as u32);
        self.rules(id).place(&self.tree, id)
    }

    /// The facts of a file and what goes with them.
    pub(crate) fn unit(&self, file: FileId) -> Option<&Unit> {
        let slot = self.units.get(file.index())?;
        let unit = slot.get_or_init(|| {
            let facts = (self.loader)(file.index())?;
            let path = &self.tree.file(file)?.path;
            Some(Unit::new(facts, path, &self.atoms))
        });
        unit.as_ref()
    }

    /// The rules of a file's language.
    pub(crate) fn rules(&self, file: FileId) -> &dyn Rules {
        let at = self.ruled.get(file.index()).copied().unwrap_or(0);
        match self.rules.get(usize::from(at)) {
            Some(rules) => &**rules,
            None => &super::rules::Plain,
        }
    }

    /// The number of a text.
    pub(crate) fn atom(&self, text: &str) -> Atom {
        let known = self.atoms.read().find(key::text(text), text);
        match known {
            Some(atom) => atom,
            None => self.atoms.write().intern(text),
        }
    }

    /// The text of a number.
    pub(crate) fn text(&self, atom: Atom) -> Arc<str> {
        let atoms = self.atoms.read();
        match atoms.texts.get(atom.0 as usize) {
            Some((_, text)) => text.clone(),
            None => Arc::from(""),
        }
    }

    /// The hash of the text of a number.
    pub(crate) fn hash(&self, atom: Atom) -> u64 {
        let atoms = self.atoms.read();
        atoms
            .texts
            .get(atom.0 as usize)
            .map_or(0, |(hash, _)| *hash)
    }

    /// The files of a namespace.
    pub(crate) fn namespace(&self, name: &str) -> &[FileId] {
        self.namespaces.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether there is a namespace of this name, or one inside it.
    pub(crate) fn has_namespace_under(&self, name: &str) -> bool {
        self.above.contains(name)
    }

    /// The extensions of types of a name.
    pub(crate) fn extensions(&self, target: &str) -> &[(FileId, u32)] {
        self.extensions.get(target).map_or(&[], Vec::as_slice)
    }

    /// The files that have methods of a name, and how many each.
    pub(crate) fn methods(&self, name: &str) -> &[(FileId, u32)] {
        let methods = self.methods.get_or_init(|| {
            let mut methods: HashMap<String, Vec<(FileId, u32)>> = HashMap::new();
            for (at, file) in (0..).map(FileId).zip(self.tree.files()) {
                for (name, count) in &file.surface.methods {
                    let known = methods.entry_ref(name.as_str()).or_default();
                    known.push((at, *count));
                }
            }
            methods
        });
        methods.get(name).map_or(&[], Vec::as_slice)
    }

    /// The files with interfaces that declare a method of a name.
    pub(crate) fn promised(&self, name: &str) -> &[FileId] {
        let promised = self.promised.get_or_init(|| {
            let mut promised: HashMap<String, Vec<FileId>> = HashMap::new();
            for (at, file) in (0..).map(FileId).zip(self.tree.files()) {
                for name in &file.surface.promised {
                    promised.entry_ref(name.as_str()).or_default().push(at);
                }
            }
            promised
        });
        promised.get(name).map_or(&[], Vec::as_slice)
    }

    /// The stable id of a symbol.
    pub(crate) fn id(&self, symbol: SymRef) -> StableId {
        self.id_of(symbol.file.index(), Some(symbol.symbol))
    }
}

/// A namespace and all above it.
fn prefixes(namespace: &str) -> impl Iterator<Item = &str> {
    let cuts = namespace
        .char_indices()
        .filter(|(_, c)| matches!(c, '.' | '\\' | '/' | ':'))
        .map(|(at, _)| at);
    cuts.chain([namespace.len()])
        .filter_map(|at| namespace.get(..at))
}

/// The stable ids of a file's symbols, in their order.
fn stable_ids(language: Language, path: &str, facts: &Facts) -> Vec<StableId> {
    let symbols = facts.symbols.iter().map(|symbol| {
        let owner = symbol.owner.map(|owner| facts.name(owner));
        (symbol.parent, owner, facts.name(symbol.name), symbol.kind)
    });
    StableId::of_symbols(StableId::of_file(language, path), symbols)
}
