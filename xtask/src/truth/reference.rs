//! The reference: the edges that a type-aware index proves, as far as an index can.
//!
//! An edge runs from the symbol that owns the code at a place to the symbol that is named there.
//! Tools differ in whether nested functions are symbols, so code in a nested function, a closure or
//! a member of an object literal belongs to the outermost function with a name around it, or to the
//! file. Edges that this turns into an edge of a symbol to its own part are left out on both sides.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use anyhow::Result;

use super::scip::{Document, Occurrence};
use super::source::{Language, Shape, Source};
use super::spans::{self, Span};
use super::symbols::{Class, Key, Keys, constructed, describe, implemented_trait};

/// A pair of caller and callee, or of whatever else an edge connects.
pub(crate) type Edge = (Key, Key);

/// What is known of one relation, calls for example.
#[derive(Debug, Default)]
pub(crate) struct Relation {
    /// The edges that a tool should report, and where the first place of each is.
    pub(crate) hard: BTreeMap<Edge, Site>,
    /// Edges that are neither right nor wrong when a tool reports them.
    pub(crate) soft: HashSet<Edge>,
}

/// Where an edge is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Site {
    pub(crate) file: usize,
    /// From zero.
    pub(crate) line: usize,
    /// How it is called, where it is.
    pub(crate) shape: Option<Shape>,
}

/// A definition in a file.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) key: Key,
    pub(crate) name: String,
    pub(crate) is_type: bool,
    pub(crate) is_function: bool,
    pub(crate) file: usize,
    pub(crate) line: usize,
    /// First and last line of the whole.
    pub(crate) span: (usize, usize),
    /// Whether the span owns the code in it.
    is_scope: bool,
    /// Local, or a member of an object literal: never the outermost owner.
    is_weak: bool,
}

impl Definition {
    fn holds(&self, line: usize) -> bool {
        self.span.0 <= line && line <= self.span.1
    }
}

/// A file of the corpus.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    /// The file as the owner of code.
    pub(crate) module: Key,
    pub(crate) source: Source,
    pub(crate) definitions: Vec<usize>,
    scopes: Vec<usize>,
    /// The places of occurrences, as line and column.
    pub(crate) named: HashSet<(usize, usize)>,
    /// What Python's own parser says of it.
    pub(crate) spans: spans::File,
}

/// Which edges are right.
#[derive(Debug, Default)]
pub(crate) struct Reference {
    pub(crate) files: Vec<File>,
    by_path: HashMap<String, usize>,
    /// Every folder that holds a file, with a `/` at its end.
    folders: HashSet<String>,
    pub(crate) keys: Keys,
    pub(crate) definitions: Vec<Definition>,
    by_key: HashMap<Key, Vec<usize>>,
    /// The files that a namespace's symbol may stand for.
    pub(crate) modules: HashMap<String, Vec<usize>>,
    /// Overriding and overridden, both ways.
    implementations: HashMap<Key, BTreeSet<Key>>,
    traits: HashMap<Key, String>,
    /// Names called by a symbol for which the indexer knows no symbol.
    unnamed: HashMap<Key, HashSet<String>>,
    /// The names that are exported under other names in TypeScript: `b` to `a` for `export { a as b }`.
    aliases: HashMap<String, BTreeSet<String>>,
    /// The places, as file, line and column, of types in the heads of others.
    pub(crate) heritage: HashSet<(usize, usize, usize)>,
    pub(crate) calls: Relation,
    pub(crate) references: Relation,
    pub(crate) extends: Relation,
    pub(crate) implements: Relation,
    pub(crate) imports: Relation,
}

impl Reference {
    /// Works out the reference of the files that are wanted; those that cannot be read are not.
    pub(crate) fn new(
        documents: &[Document],
        root: &Path,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Reference> {
        let mut sources = Vec::new();
        for document in documents.iter().filter(|document| wanted(&document.path)) {
            if let Ok(source) = Source::read(root, &document.path) {
                sources.push((document, source));
            }
        }
        let python = |(document, source): &&(&Document, Source)| {
            (source.language == Language::Python).then(|| document.path.clone())
        };
        let paths: Vec<_> = sources.iter().filter_map(|s| python(&s)).collect();
        let spans = spans::read(root, &paths)?;
        Ok(Reference::of(sources, spans))
    }

    /// The same of sources in memory; `spans` are those of the files in Python, by path.
    pub(crate) fn of(
        sources: Vec<(&Document, Source)>,
        mut spans: HashMap<String, spans::File>,
    ) -> Reference {
        let mut reference = Reference::default();
        let mut documents = Vec::new();
        for (document, source) in sources {
            let number = reference.files.len();
            reference.by_path.insert(document.path.clone(), number);
            let folders = document
                .path
                .match_indices('/')
                .map(|(at, _)| &document.path[..=at]);
            reference.folders.extend(folders.map(str::to_owned));
            reference.files.push(File {
                path: document.path.clone(),
                module: reference.keys.module(number),
                source,
                definitions: Vec::new(),
                scopes: Vec::new(),
                named: document
                    .occurrences
                    .iter()
                    .map(|o| (o.line, o.start))
                    .collect(),
                spans: spans.remove(&document.path).unwrap_or_default(),
            });
            documents.push(document);
        }
        for (file, document) in documents.iter().enumerate() {
            reference.add_definitions(file, document);
            for (own, other) in reference.files[file].source.exported_aliases() {
                let names = reference.aliases.entry(other.to_owned()).or_default();
                names.insert(own.to_owned());
            }
        }
        for file in 0..reference.files.len() {
            reference.use_spans(file);
        }
        reference.order_scopes();
        for file in 0..reference.files.len() {
            reference.add_unnamed_calls(file);
        }
        super::heritage::add(&mut reference, &documents);
        super::imports::add(&mut reference, &documents);
        for (file, document) in documents.iter().enumerate() {
            reference.add_edges(file, document);
        }
        reference
    }

    pub(crate) fn file(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// Whether a file is below the folder, whose path ends in `/`.
    pub(crate) fn has_folder(&self, folder: &str) -> bool {
        self.folders.contains(folder)
    }

    /// The definitions of a symbol.
    pub(crate) fn defined(&self, key: Key) -> impl Iterator<Item = &Definition> {
        let places = self.by_key.get(&key).into_iter().flatten();
        places.filter_map(|&place| self.definitions.get(place))
    }

    /// The definitions in a file.
    pub(crate) fn defined_in(&self, file: usize) -> impl Iterator<Item = &Definition> {
        let places = self.files.get(file).map(|file| file.definitions.as_slice());
        let places = places.unwrap_or_default().iter();
        places.filter_map(|&place| self.definitions.get(place))
    }

    fn add_definitions(&mut self, file: usize, document: &Document) {
        for occurrence in document.occurrences.iter().filter(|o| o.is_definition) {
            let source = &self.files[file].source;
            if occurrence.symbol.is_empty() || occurrence.line >= source.lines() {
                continue;
            }
            if let Some(definition) = definition(&mut self.keys, source, file, occurrence) {
                self.push(definition);
            } else if describe(&occurrence.symbol).1 == Class::Namespace {
                let files = self.modules.entry(occurrence.symbol.clone()).or_default();
                if !files.contains(&file) {
                    files.push(file);
                }
            }
        }
        for (symbol, target) in &document.implementations {
            let symbol = self.keys.of(symbol, file);
            let target = self.keys.of(target, file);
            self.implementations
                .entry(symbol)
                .or_default()
                .insert(target);
            self.implementations
                .entry(target)
                .or_default()
                .insert(symbol);
        }
    }

    fn push(&mut self, definition: Definition) {
        let place = self.definitions.len();
        self.by_key.entry(definition.key).or_default().push(place);
        self.files[definition.file].definitions.push(place);
        self.definitions.push(definition);
    }

    /// Python: exact spans; overloads and twins of which the indexer names only one.
    fn use_spans(&mut self, file: usize) {
        let spans::File { spans, groups, .. } = &self.files[file].spans;
        let by_place: HashMap<_, _> = spans
            .iter()
            .map(|s| ((s.name.as_str(), s.line), s))
            .collect();
        let mut known: HashMap<(&str, usize), usize> = HashMap::new();
        for &place in &self.files[file].definitions {
            let definition = &mut self.definitions[place];
            let Some(span) = by_place.get(&(definition.name.as_str(), definition.line)) else {
                continue;
            };
            definition.span = span.whole;
            definition.is_scope = true;
            definition.is_function |= !span.is_class;
            known.insert((span.name.as_str(), span.line), place);
        }
        let mut twins = Vec::new();
        for group in groups {
            let group: Vec<&Span> = group.iter().filter_map(|&place| spans.get(place)).collect();
            let place = |span: &Span| known.get(&(span.name.as_str(), span.line)).copied();
            for span in &group {
                let first = group
                    .iter()
                    .filter(|s| s.name == span.name)
                    .find_map(|s| place(s));
                if let (None, Some(first)) = (place(span), first) {
                    let whole = by_place.get(&(span.name.as_str(), span.line));
                    twins.push(Definition {
                        span: whole.map_or(span.whole, |span| span.whole),
                        line: span.line,
                        ..self.definitions[first].clone()
                    });
                }
            }
        }
        for twin in twins {
            self.push(twin);
        }
    }

    fn order_scopes(&mut self) {
        for file in &mut self.files {
            let definitions = &self.definitions;
            let scopes = file.definitions.iter().copied();
            file.scopes = scopes
                .filter(|&place| definitions[place].is_scope)
                .collect();
            file.scopes.sort_by_key(|&place| {
                let (first, last) = definitions[place].span;
                (first, std::cmp::Reverse(last))
            });
        }
        let mut seen = HashSet::new();
        for definition in &self.definitions {
            if seen.insert(definition.key)
                && let Some(name) = implemented_trait(self.keys.symbol(definition.key))
            {
                self.traits.insert(definition.key, name.to_owned());
            }
        }
    }

    /// The scopes of a file, outermost first.
    fn scopes(&self, file: usize) -> impl Iterator<Item = &Definition> {
        let places = self.files.get(file).map(|file| file.scopes.as_slice());
        let places = places.unwrap_or_default().iter();
        places.filter_map(|&place| self.definitions.get(place))
    }

    /// The symbol that owns the code of a line, else the file.
    pub(crate) fn owner(&self, file: usize, line: usize) -> Key {
        let mut of_type = None;
        for scope in self.scopes(file).filter(|scope| scope.holds(line)) {
            if scope.is_function && !scope.is_weak {
                return self.canonical(scope.key);
            }
            if scope.is_type {
                of_type = Some(scope.key);
            }
        }
        match of_type {
            Some(key) => self.canonical(key),
            None => self.files[file].module,
        }
    }

    /// A constructor as its type, where that is known.
    pub(crate) fn canonical(&self, key: Key) -> Key {
        let file = self.keys.file(key);
        constructed(self.keys.symbol(key))
            .and_then(|owner| self.keys.find(file, owner))
            .filter(|owner| self.by_key.contains_key(owner))
            .unwrap_or(key)
    }

    pub(crate) fn is_nested_in_function(&self, definition: &Definition) -> bool {
        self.scopes(definition.file).any(|scope| {
            scope.is_function
                && !std::ptr::eq(scope, definition)
                && scope.holds(definition.line)
                && scope.span != definition.span
        })
    }

    /// Whether the definition is a part of the caller's body.
    pub(crate) fn is_inside(&self, definition: &Definition, caller: Key) -> bool {
        caller != definition.key
            && self.defined(caller).any(|outer| {
                outer.file == definition.file
                    && outer.is_function
                    && outer.holds(definition.line)
                    && !std::ptr::eq(outer, definition)
            })
    }

    fn add_unnamed_calls(&mut self, file: usize) {
        let File { source, named, .. } = &self.files[file];
        let unnamed: Vec<_> = (0..source.lines())
            .flat_map(|line| source.calls(line).into_iter().map(move |call| (line, call)))
            .filter(|(line, (column, _))| !named.contains(&(*line, *column)))
            .map(|(line, (_, name))| (line, name.to_owned()))
            .collect();
        let mut last = None;
        for (line, name) in unnamed {
            let owner = match last {
                Some((at, owner)) if at == line => owner,
                _ => self.owner(file, line),
            };
            last = Some((line, owner));
            self.unnamed.entry(owner).or_default().insert(name);
        }
    }

    /// Whether the indexer has no symbol for a call of that name by that caller.
    pub(crate) fn calls_unnamed(&self, caller: Key, name: &str) -> bool {
        self.unnamed
            .get(&caller)
            .is_some_and(|names| names.contains(name))
    }

    /// Whether the name stands in the caller's code where the indexer has no symbol.
    pub(crate) fn mentions_unnamed(&self, caller: Key, name: &str) -> bool {
        self.mentions(caller, name, |file, at| !file.named.contains(&at))
    }

    /// Whether a method is called by the language itself, so that its name stands nowhere in the
    /// caller's code: what `with`, `for` and the call of a value run in Python. No index has these.
    pub(crate) fn is_implicit(&self, caller: Key, callee: Key) -> bool {
        let mut names = self.defined(callee).filter(|definition| {
            let source = self.files.get(definition.file).map(|file| &file.source);
            source.is_some_and(|source| source.language == Language::Python)
                && definition.name.starts_with("__")
                && definition.name.ends_with("__")
        });
        names.any(|definition| !self.mentions(caller, &definition.name, |_, _| true))
    }

    /// Whether a place at which the name stands in the caller's code is such as is asked for.
    fn mentions(
        &self,
        caller: Key,
        name: &str,
        is_meant: impl Fn(&File, (usize, usize)) -> bool,
    ) -> bool {
        let spans: Vec<_> = match self.keys.file(caller) {
            Some(file) if self.keys.is_module(caller) => vec![(file, 0, usize::MAX)],
            _ => self
                .defined(caller)
                .map(|d| (d.file, d.span.0, d.span.1))
                .collect(),
        };
        spans.into_iter().any(|(file, first, last)| {
            let Some(file) = self.files.get(file) else {
                return false;
            };
            let end = file.source.lines().min(last.saturating_add(1));
            (first..end).any(|line| {
                let places = file.source.mentions(line, name);
                places.into_iter().any(|at| is_meant(file, (line, at)))
            })
        })
    }

    fn add_edges(&mut self, file: usize, document: &Document) {
        let mut aliases = None;
        let heads = self.head_lines(file);
        for occurrence in document.occurrences.iter().filter(|o| !o.is_definition) {
            let File { source, .. } = &self.files[file];
            if occurrence.symbol.is_empty() || occurrence.line >= source.lines() {
                continue;
            }
            let (line, start, end) = (occurrence.line, occurrence.start, occurrence.end);
            let text = source.slice(line, start, end);
            if source.language == Language::TypeScript
                && self.is_foreign_local(file, occurrence, text)
            {
                let owner = self.owner(file, line);
                let names = self.aliases.get(text).cloned().unwrap_or_default();
                let unnamed = self.unnamed.entry(owner).or_default();
                unnamed.insert(text.to_owned());
                unnamed.extend(names);
                continue;
            }
            let Some(key) = self.known(&occurrence.symbol, file) else {
                continue;
            };
            if source.language == Language::Python && self.is_misnamed(text, key, occurrence) {
                let aliases = aliases.get_or_insert_with(|| spans::aliases(source.text()));
                if !aliases.contains(text) {
                    // Names that come with `from x import *` are bound to the wrong symbol.
                    let text = text.to_owned();
                    let owner = self.owner(file, line);
                    self.unnamed.entry(owner).or_default().insert(text);
                    continue;
                }
            }
            if occurrence.is_import || source.is_import(line) {
                continue;
            }
            // The second definition of a name, of which the index knows one only, is no use of it.
            if source.follows_function_word(line, start) {
                continue;
            }
            let called = source.call_shape(line, start, end);
            let language = source.language;
            let unsure = heads.contains(&line)
                || self.heritage.contains(&(file, line, start))
                || self.is_property(key)
                || (language == Language::Rust
                    && is_other_use(source, occurrence, self.keys.symbol(key)));
            let owner = self.owner(file, line);
            if self.is_own_part(owner, key) {
                continue;
            }
            let is_function = self.defined(key).any(|definition| definition.is_function);
            let is_type = self
                .defined(key)
                .next()
                .is_some_and(|definition| definition.is_type);
            let shape = match called {
                Some(shape) if is_function => Some(shape),
                Some(_) if is_type && language != Language::Rust => Some(Shape::New),
                _ => None,
            };
            let edge = (owner, key);
            let site = Site { file, line, shape };
            if shape.is_some() {
                self.calls.hard.entry(edge).or_insert(site);
                self.references.soft.insert(edge);
                continue;
            }
            self.calls.soft.insert(edge);
            if language == Language::Rust && is_part_of_type(self.keys.symbol(owner)) {
                // Whether the type of a trait is a symbol, tools see differently.
                let module = self.files[file].module;
                self.references.soft.extend([edge, (module, key)]);
            } else if (is_function || is_type) && !unsure {
                self.references.hard.entry(edge).or_insert(site);
            } else {
                self.references.soft.insert(edge);
            }
        }
    }

    /// The lines of a file that are imports, or heads of blocks that are no symbols of their own.
    fn head_lines(&self, file: usize) -> HashSet<usize> {
        let File { source, spans, .. } = &self.files[file];
        let starts = (0..source.lines()).filter(|&line| source.is_import(line));
        let lines = starts.flat_map(|line| line..=source.import_end(line));
        let heads = (0..source.lines()).filter(|&line| source.is_implementation(line));
        let lines = lines.chain(heads.flat_map(|line| line..=source.head_end(line)));
        let python = spans
            .imports
            .iter()
            .flat_map(|import| import.line..=import.last);
        lines.chain(python).collect()
    }

    /// Whether the symbol is read like a field, though it is a function.
    fn is_property(&self, key: Key) -> bool {
        let symbol = self.keys.symbol(key);
        symbol.contains("`<get>")
            || symbol.contains("`<set>")
            || self.defined(key).any(|definition| {
                let source = &self.files[definition.file].source;
                (definition.span.0..definition.line).any(|line| {
                    let text = source.line(line).trim_start();
                    text.starts_with('@') && (text.contains("property") || text.contains(".setter"))
                })
            })
    }

    /// The number of a symbol that has a definition here; a constructor's is its type's.
    pub(crate) fn known(&self, symbol: &str, file: usize) -> Option<Key> {
        let local = symbol.starts_with("local ").then_some(file);
        let defined = |symbol| {
            let key = self.keys.find(local, symbol);
            key.filter(|key| self.by_key.contains_key(key))
        };
        constructed(symbol)
            .and_then(defined)
            .or_else(|| defined(symbol))
    }

    /// Whether a name in TypeScript has the symbol of a local that is none of this file: scip-typescript
    /// writes the number that a re-export under another name has in its own file.
    fn is_foreign_local(&self, file: usize, occurrence: &Occurrence, text: &str) -> bool {
        let key = || self.keys.find(Some(file), &occurrence.symbol);
        occurrence.symbol.starts_with("local ")
            && key().is_none_or(|key| self.defined(key).all(|definition| definition.name != text))
    }

    fn is_misnamed(&self, text: &str, key: Key, occurrence: &Occurrence) -> bool {
        let name = self
            .defined(key)
            .next()
            .map(|definition| definition.name.as_str());
        name != Some(text) && describe(&occurrence.symbol).0 != text
    }

    /// The name of a base in Python, where it is another than that of what the indexer takes it for:
    /// this happens to names that come with `from x import *`.
    pub(crate) fn bound_wrongly(&self, file: usize, at: (usize, usize), key: Key) -> Option<&str> {
        let source = &self.files[file].source;
        let text = source.after(at.0, at.1, 0);
        let end = text.find(|c| !super::source::is_word(c));
        let text = &text[..end.unwrap_or(text.len())];
        let is_wrong = source.language == Language::Python
            && self.defined(key).all(|definition| definition.name != text)
            && !spans::aliases(source.text()).contains(text);
        is_wrong.then_some(text)
    }

    /// Notes that the indexer has no right symbol for a name that the owner uses.
    pub(crate) fn add_unnamed(&mut self, owner: Key, name: String) {
        self.unnamed.entry(owner).or_default().insert(name);
    }

    fn is_own_part(&self, owner: Key, key: Key) -> bool {
        (owner == key && self.defined(key).any(|d| self.is_nested_in_function(d)))
            || self.defined(key).any(|d| self.is_inside(d, owner))
    }

    /// Whether an edge leads to what overrides a right target of the same caller, or is overridden
    /// by it.
    pub(crate) fn is_override(&self, key: Key, right: Key) -> bool {
        let none = BTreeSet::new();
        let of = |key| self.implementations.get(&key).unwrap_or(&none);
        if of(key).contains(&right) || !of(key).is_disjoint(of(right)) {
            return true;
        }
        let (symbol, right_symbol) = (self.keys.symbol(key), self.keys.symbol(right));
        if describe(symbol).0 != describe(right_symbol).0 {
            return false;
        }
        let (ours, theirs) = (self.traits.get(&key), self.traits.get(&right));
        let names = |symbol: &str, name: &String| {
            symbol
                .match_indices(&format!("{name}#"))
                .any(|(at, _)| !symbol[..at].ends_with(super::source::is_word))
        };
        ours.is_some_and(|name| Some(name) == theirs || names(right_symbol, name))
            || theirs.is_some_and(|name| names(symbol, name))
    }

    /// The definition that a tool means: the nearest of that name, for its line may be that of a
    /// decorator or of a comment.
    pub(crate) fn meant(&self, file: usize, line: usize, name: &str) -> Option<&Definition> {
        let line = i64::try_from(line).ok()? - 1;
        let distance = |definition: &Definition| {
            let at = i64::try_from(definition.line).ok()?;
            let first = i64::try_from(definition.span.0.min(definition.line)).ok()?;
            match line {
                line if first <= line && line <= at => Some(0),
                line if line < at => Some(at - line).filter(|&above| above <= 15),
                line => Some((line - at) * 2).filter(|&below| below <= 6),
            }
        };
        self.defined_in(file)
            .filter(|definition| definition.name == name)
            .filter_map(|definition| {
                let other = !(definition.is_function || definition.is_type);
                Some(((distance(definition)?, other, definition.line), definition))
            })
            .min_by_key(|(order, _)| *order)
            .map(|(_, definition)| definition)
    }
}

/// Whether a symbol of Rust is an enum's variant or a trait's type: the type around it is named too.
fn is_part_of_type(symbol: &str) -> bool {
    let name = symbol.strip_suffix('#').unwrap_or(symbol);
    let around = name.trim_end_matches(|c| super::source::is_word(c) || c == '`');
    around.ends_with(['#', ']'])
}

/// Whether a name in Rust stands for more, or less, than a use of what it names: an operator, `Self`,
/// a part of a type, a value that is made.
fn is_other_use(source: &Source, occurrence: &Occurrence, symbol: &str) -> bool {
    let (line, start, end) = (occurrence.line, occurrence.start, occurrence.end);
    let text = source.slice(line, start, end);
    let after = source.after(line, end, 0).trim_start();
    let result = source.before(line, start).rsplit_once("->");
    let is_result = result.is_some_and(|(_, between)| !between.contains('{'));
    text == "Self"
        || !text.chars().all(super::source::is_word)
        || is_part_of_type(symbol)
        || after.starts_with('(')
        || (after.starts_with('{') && !is_result)
}

fn definition(
    keys: &mut Keys,
    source: &Source,
    file: usize,
    occurrence: &Occurrence,
) -> Option<Definition> {
    let line = occurrence.line;
    let is_local = occurrence.symbol.starts_with("local ");
    let (mut name, mut class) = describe(&occurrence.symbol);
    if is_local {
        name = source
            .slice(line, occurrence.start, occurrence.end)
            .to_owned();
        class = Class::Term;
    }
    let is_member = class == Class::Member && source.language == Language::TypeScript;
    if is_member {
        name.truncate(name.trim_end_matches(|c: char| c.is_ascii_digit()).len());
        class = Class::Term;
    }
    let is_function = match class {
        Class::Function => true,
        Class::Type => false,
        Class::Term => {
            source.binds_function(line, occurrence.end, is_member || is_local)
                // A nested function is a local symbol for some indexers.
                || (is_local
                    && occurrence.enclosing.is_some()
                    && source.follows_function_word(line, occurrence.start))
        }
        Class::Namespace | Class::Member | Class::Other => return None,
    };
    let span = match occurrence.enclosing {
        Some(span) => Some(span),
        None if is_function && source.language == Language::Python => Some((line, line)),
        None if is_function => Some((line, source.statement_end(line, occurrence.end))),
        None => None,
    };
    Some(Definition {
        key: keys.of(&occurrence.symbol, file),
        name,
        is_type: class == Class::Type,
        is_function,
        file,
        line,
        span: span.unwrap_or((line, line)),
        is_scope: span.is_some() && (is_function || class == Class::Type),
        is_weak: is_local || is_member,
    })
}
