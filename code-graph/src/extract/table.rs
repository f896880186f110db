//! One walk for the languages with declared types and classes. What a node of a grammar is stands
//! in that language's [`Grammar`]: a table of node kinds for the walk, one for reading expressions
//! and types, and hooks for what a table cannot say.

mod declare;
mod doc;
mod read;
mod scopes;
mod sites;

use super::Builder;
use crate::facts::{
    Base, BaseKind, Bound, ExprId, Flags, Function, FunctionId, Import, ImportId, NameId, ScopeId,
    ScopeKind, SymbolId, SymbolKind, Visibility,
};
pub(crate) use declare::CONSTRUCTOR;
pub(crate) use declare::Declared;
pub(crate) use declare::Parameter;
use hashbrown::{HashMap, HashSet};
pub(crate) use read::At;
pub(crate) use read::Read;
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};

/// What a hook of a language does with a node before the walk goes into it.
pub(crate) type Hook = fn(&mut Walk<'_, '_>, Node<'_>);

/// What the walk does when it comes to a node.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    /// Goes past it: nothing in it matters.
    Skip,
    /// Keeps it as what may be the doc comment of the next declaration.
    Comment,
    /// Opens a block's scope.
    Block,
    /// It is called: the node is one that [`Read::Call`] or [`Read::Method`] reads.
    Call,
    /// It is called: the callee and the node of the arguments.
    CallOf(At, At),
    /// The name of a type, where a type is used.
    Type,
    /// A member that is read without being called.
    Member,
    /// A closure: its parameters are taken from the node by [`Grammar::closure`].
    Closure,
    /// A `return` with what stands in it.
    Return,
    /// Names that stand directly in it are used as values.
    Values,
    /// Whatever the language says.
    Hook(Hook),
}

/// How one language is read.
pub(crate) struct Grammar {
    /// What the walk does, by node kind; a kind that begins with `'` is that of a keyword.
    pub(crate) walk: &'static [(&'static str, Act)],
    /// How expressions and types are read, by node kind.
    pub(crate) read: &'static [(&'static str, Read)],
    /// The nodes in which bare names are values, besides those that are [`Act::Values`]: operators,
    /// conditions, cases.
    pub(crate) operands: &'static [&'static str],
    /// Reads the parameters of a closure and binds them; the walk is in the closure's scope.
    pub(crate) closure: fn(&mut Walk<'_, '_>, Node<'_>, FunctionId),
    /// The nodes that hold modifiers or are modifiers, before a declaration's name.
    pub(crate) modifiers: &'static [&'static str],
    /// Methods and what is not called have names of their own: a method is bound, and called, as
    /// `name()`.
    pub(crate) methods_apart: bool,
    /// Whether any comment right before a declaration documents it, not only one that says so.
    pub(crate) plain_docs: bool,
    /// The nodes that are annotations or attributes.
    pub(crate) annotations: &'static [&'static str],
    /// Who sees a declaration that does not say it.
    pub(crate) visibility: fn(&Walk<'_, '_>, &str, SymbolKind) -> Visibility,
    /// The tables by the grammar's own numbers.
    pub(crate) numbered: OnceLock<Numbered>,
}

/// The tables of a [`Grammar`], indexed by the grammar's own numbers of node kinds.
pub(crate) struct Numbered {
    walk: Vec<Option<Act>>,
    read: Vec<Option<Read>>,
    operands: Vec<Option<()>>,
}

impl Grammar {
    /// The numbered tables, made once.
    fn numbered(&self, language: &tree_sitter::Language) -> &Numbered {
        self.numbered.get_or_init(|| Numbered {
            walk: number(self.walk, language),
            read: number(self.read, language),
            operands: {
                let operands: Vec<(&str, ())> =
                    self.operands.iter().map(|kind| (*kind, ())).collect();
                number(&operands, language)
            },
        })
    }
}

/// A table of node kinds, indexed by the grammar's numbers.
fn number<T: Copy>(table: &[(&str, T)], language: &tree_sitter::Language) -> Vec<Option<T>> {
    (0..language.node_kind_count() as u16)
        .map(|id| {
            let kind = language.node_kind_for_id(id)?;
            let named = language.node_kind_is_named(id);
            table
                .iter()
                .find(|(name, _)| match name.strip_prefix('\'') {
                    Some(keyword) => !named && keyword == kind,
                    None => named && *name == kind,
                })
                .map(|(_, what)| *what)
        })
        .collect()
}

/// What the walk comes back to when it leaves a node.
struct Frame {
    /// The depth of the node.
    depth: usize,
    state: State,
}

/// Where the walk is.
#[derive(Clone, Copy)]
struct State {
    scope: ScopeId,
    owner: Option<SymbolId>,
    function: Option<FunctionId>,
    class: Option<SymbolId>,
    /// What members without a receiver belong to (a Dart cascade).
    receiver: Option<ExprId>,
}

/// The walk over one tree.
pub(crate) struct Walk<'w, 't> {
    /// Where the facts go.
    pub(crate) b: &'w mut Builder<'t>,
    grammar: &'static Grammar,
    numbered: &'static Numbered,
    state: State,
    frames: Vec<Frame>,
    depth: usize,
    /// How deep the reading of an expression is.
    reading: usize,
    /// Nodes that were dealt with as part of another one: no site of their own.
    taken: HashSet<usize>,
    /// Closures that were read before the walk came to them.
    closures: HashMap<usize, FunctionId>,
    /// Names that are bound to locals, so that no site is made for them.
    locals: HashSet<(ScopeId, NameId)>,
    /// The comment before what comes next: first and last byte.
    comment: Option<(usize, usize)>,
    /// Nodes whose content belongs to a symbol.
    owners: HashMap<usize, SymbolId>,
    /// Nodes inside which names are known to be instances of types.
    narrowed: HashMap<usize, Vec<(NameId, ExprId)>>,
    /// Nodes whose value the function around them gives, to be read when the walk is there: what
    /// names in them mean depends on what stands before.
    results: HashSet<usize>,
    /// Whether the walk goes into the node it is at.
    descend: bool,
    /// Scopes that a language keeps by name (a Go type's methods, a second namespace).
    pub(crate) named_scopes: HashMap<NameId, ScopeId>,
}

/// Walks the tree by a language's grammar.
pub(crate) fn walk(b: &mut Builder<'_>, tree: &Tree, grammar: &'static Grammar) {
    let numbered = grammar.numbered(&tree.language());
    let mut walk = Walk {
        results: HashSet::new(),
        b,
        grammar,
        numbered,
        state: State {
            scope: ScopeId::MODULE,
            owner: None,
            function: None,
            class: None,
            receiver: None,
        },
        frames: Vec::new(),
        depth: 0,
        reading: 0,
        taken: HashSet::new(),
        closures: HashMap::new(),
        locals: HashSet::new(),
        comment: None,
        owners: HashMap::new(),
        narrowed: HashMap::new(),
        descend: true,
        named_scopes: HashMap::new(),
    };
    let mut cursor = tree.walk();
    loop {
        walk.descend = true;
        walk.enter(cursor.node());
        if walk.descend && cursor.goto_first_child() {
            walk.depth += 1;
            continue;
        }
        loop {
            walk.leave();
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return;
            }
            walk.depth -= 1;
        }
    }
}

impl Walk<'_, '_> {
    fn enter(&mut self, node: Node<'_>) {
        if self.results.remove(&node.id()) {
            self.returns(node);
        }
        if let Some(owner) = self.owners.get(&node.id()).copied() {
            self.enter_owner(owner);
        }
        if let Some(names) = self.narrowed.remove(&node.id()) {
            self.block();
            for (name, ty) in names {
                self.local_named(name, node.start_byte(), Bound::Declared(ty));
            }
        }
        let act = self.numbered.walk.get(usize::from(node.kind_id()));
        if let Some(act) = act.copied().flatten() {
            self.act(act, node);
        }
        if self.descend && self.has_operands(node) {
            self.values(node);
        }
    }

    /// Whether a node is one of [`Grammar::operands`].
    fn has_operands(&self, node: Node<'_>) -> bool {
        let kind = usize::from(node.kind_id());
        matches!(self.numbered.operands.get(kind), Some(Some(())))
    }

    fn act(&mut self, act: Act, node: Node<'_>) {
        match act {
            Act::Skip => self.descend = false,
            Act::Comment => {
                self.comment(node);
                self.descend = false;
            }
            Act::Block => self.block(),
            Act::Call => {
                if let Some((what, args, name)) = self.callee(node) {
                    self.call_site(what, args, name);
                }
            }
            Act::CallOf(callee, args) => self.call_of(callee.of(node), args.of(node)),
            Act::Type => self.type_use(node),
            Act::Member => self.value(node),
            Act::Closure => self.closure(node),
            Act::Return => {
                self.values(node);
                let value = self.children(node).next();
                if let Some(value) = value {
                    self.returns(value);
                }
            }
            Act::Values => self.values(node),
            Act::Hook(hook) => hook(self, node),
        }
    }

    fn leave(&mut self) {
        while let Some(frame) = self.frames.last() {
            if frame.depth != self.depth {
                break;
            }
            self.state = frame.state;
            self.frames.pop();
        }
    }

    /// The walk does not go into the node it is at.
    pub(crate) fn skip(&mut self) {
        self.descend = false;
    }

    /// Keeps where the walk is, to come back to it when it leaves the node it is at.
    fn frame(&mut self) {
        self.frames.push(Frame {
            depth: self.depth,
            state: self.state,
        });
    }

    /// The named children of a node, comments left out.
    pub(crate) fn children<'n>(&self, node: Node<'n>) -> impl Iterator<Item = Node<'n>> + use<'n> {
        children(node)
    }

    /// Opens a block's scope.
    pub(crate) fn block(&mut self) {
        let scope = self.b.scope(self.state.scope, ScopeKind::Block, None);
        self.enter_scope(scope);
    }

    /// Marks a node: it was dealt with as part of another one.
    pub(crate) fn take(&mut self, node: Node<'_>) {
        self.taken.insert(node.id());
    }

    /// Whether a node was dealt with.
    pub(crate) fn is_taken(&self, node: Node<'_>) -> bool {
        self.taken.contains(&node.id())
    }

    /// Binds a local name in the scope around.
    pub(crate) fn local(&mut self, name: Node<'_>, bound: Bound) {
        let id = self.b.name_of(name);
        self.local_named(id, name.start_byte(), bound);
    }

    /// Binds a local name in the scope around.
    pub(crate) fn local_named(&mut self, name: NameId, at: usize, bound: Bound) {
        let scope = self.state.scope;
        self.locals.insert((scope, name));
        self.b.bind(scope, name, at, bound);
    }

    /// Whether a name is known as a local of a function around.
    pub(crate) fn is_local(&self, name: NameId) -> bool {
        let mut at = Some(self.state.scope);
        while let Some(scope) = at {
            if self.locals.contains(&(scope, name)) {
                return true;
            }
            let Some(known) = self.b.facts.scopes.get(scope.index()) else {
                return false;
            };
            if !matches!(known.kind, ScopeKind::Function | ScopeKind::Block) {
                return false;
            }
            at = known.parent;
        }
        false
    }

    /// The function around returns what stands at a node that the walk has not come to yet.
    pub(crate) fn returns_later(&mut self, value: Node<'_>) {
        self.results.insert(value.id());
    }

    /// What the function around returns.
    pub(crate) fn returns(&mut self, value: Node<'_>) {
        let value = self.read(value);
        self.returns_expr(value);
    }

    /// What the function around returns.
    pub(crate) fn returns_expr(&mut self, value: ExprId) {
        if let Some(function) = self.state.function.and_then(|id| self.b.function_mut(id))
            && !function.returns.contains(&value)
            && function.returns.len() < 64
        {
            function.returns.push(value);
        }
    }

    /// The closure of a node: made when it is read or come to, whichever is first.
    pub(crate) fn closure_of(&mut self, node: Node<'_>) -> FunctionId {
        if let Some(known) = self.closures.get(&node.id()) {
            return *known;
        }
        let scope = self.b.scope(self.state.scope, ScopeKind::Function, None);
        let id = self.b.function(Function {
            symbol: None,
            scope,
            params: Vec::new(),
            result: None,
            returns: Vec::new(),
            yields: Vec::new(),
            type_params: Vec::new(),
            context: None,
        });
        self.closures.insert(node.id(), id);
        let before = self.state;
        self.state.scope = scope;
        self.state.function = Some(id);
        (self.grammar.closure)(self, node, id);
        self.state = before;
        id
    }

    /// Enters the closure of a node until the walk leaves it.
    pub(crate) fn closure(&mut self, node: Node<'_>) {
        let id = self.closure_of(node);
        let Some(scope) = self.b.function_mut(id).map(|function| function.scope) else {
            return;
        };
        self.enter_scope(scope);
        self.state.function = Some(id);
    }

    /// Enters a function that was declared.
    fn enter_function(&mut self, id: FunctionId, scope: ScopeId, owner: Option<SymbolId>) {
        self.frame();
        self.state.scope = scope;
        self.state.function = Some(id);
        if owner.is_some() {
            self.state.owner = owner;
        }
    }

    /// Something that `class` inherits, named by `node`.
    pub(crate) fn base(&mut self, class: SymbolId, kind: BaseKind, node: Node<'_>, scope: ScopeId) {
        let what = self.read_in(scope, node);
        let name = self.last_name(node);
        self.take(node);
        self.take_names(name);
        self.take_names(node);
        if let Some(Read::Generic(base, _)) = self.read_of(node)
            && let Some(base) = base.of(node)
        {
            self.take_names(base);
        }
        self.base_expr(class, kind, what, name, scope);
    }

    /// Something that `class` inherits, already read.
    pub(crate) fn base_expr(
        &mut self,
        class: SymbolId,
        kind: BaseKind,
        what: ExprId,
        name: Node<'_>,
        scope: ScopeId,
    ) {
        self.b.facts.bases.push(Base {
            class,
            kind,
            what,
            scope,
            at: name.start_byte() as u32,
            row: name.start_position().row as u32,
        });
    }

    /// Adds an import and binds its local name.
    pub(crate) fn import(&mut self, import: Import) -> ImportId {
        let id = ImportId(self.b.facts.imports.len() as u32);
        let (scope, local, at) = (import.scope, import.local, import.at);
        self.b.facts.imports.push(import);
        if let Some(local) = local {
            self.b.bind(scope, local, at as usize, Bound::Import(id));
        }
        id
    }

    /// An import of `name` (all of it without one) from `module`, bound to `local`.
    pub(crate) fn import_of(
        &mut self,
        node: Node<'_>,
        module: &str,
        name: Option<&str>,
        local: Option<&str>,
    ) -> ImportId {
        let import = Import {
            module: self.b.name(module),
            level: 0,
            name: name.map(|name| self.b.name(name)),
            local: local.map(|local| self.b.name(local)),
            wildcard: name.is_none() && local.is_none(),
            reexport: false,
            type_only: false,
            scope: self.state.scope,
            at: node.start_byte() as u32,
            row: node.start_position().row as u32,
        };
        self.import(import)
    }

    /// Flags of the symbol around that what stands in it inherits.
    fn inherited_flags(&self) -> Flags {
        let mut flags = Flags::default();
        if self.state.function.is_some() {
            flags.set(Flags::LOCAL);
        }
        if let Some(owner) = self
            .state
            .owner
            .and_then(|id| self.b.facts.symbols.get(id.index()))
            && (owner.flags.has(Flags::TEST) || owner.flags.has(Flags::TEST_CODE))
        {
            flags.set(Flags::TEST_CODE);
        }
        flags
    }
}

/// The named children of a node, comments left out.
pub(crate) fn children<'n>(node: Node<'n>) -> impl Iterator<Item = Node<'n>> + use<'n> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    std::iter::from_fn(move || {
        while more {
            let child = cursor.node();
            more = cursor.goto_next_sibling();
            if child.is_named() && !child.is_extra() {
                return Some(child);
            }
        }
        None
    })
}

/// The first child of a kind.
pub(crate) fn child_of_kind<'n>(node: Node<'n>, kind: &str) -> Option<Node<'n>> {
    children(node).find(|child| child.kind() == kind)
}
