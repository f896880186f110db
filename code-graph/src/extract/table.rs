//! One walk for the languages with declared types and classes. What a node of a grammar is stands
//! in that language's [`Grammar`]: a table of node kinds for the walk, one for reading expressions
//! and types, and hooks for what a table cannot say.

mod declare;
mod doc;
mod read;

pub(crate) use declare::{CONSTRUCTOR, Declared, Parameter};
pub(crate) use read::{At, Read};

use super::Builder;
use crate::facts::{
    Base, BaseKind, ExprId, Flags, Function, FunctionId, Import, ImportId, List, NameId, ScopeId,
    ScopeKind, Site, SiteKind, SymbolId, SymbolKind, Visibility,
};
use crate::facts::{Bound, Expr};
use hashbrown::{HashMap, HashSet};
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
}

impl Grammar {
    /// The numbered tables, made once.
    fn numbered(&self, language: &tree_sitter::Language) -> &Numbered {
        self.numbered.get_or_init(|| Numbered {
            walk: number(self.walk, language),
            read: number(self.read, language),
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
        let Some(act) = act.copied().flatten() else {
            return;
        };
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

    /// The scope the walk is in.
    pub(crate) fn scope(&self) -> ScopeId {
        self.state.scope
    }

    /// The innermost symbol around.
    pub(crate) fn owner(&self) -> Option<SymbolId> {
        self.state.owner
    }

    /// The innermost type around, functions between left out of account.
    pub(crate) fn class(&self) -> Option<SymbolId> {
        self.state.class
    }

    /// The innermost function or closure around.
    pub(crate) fn function(&self) -> Option<FunctionId> {
        self.state.function
    }

    /// Lets members without a receiver belong to a value until the walk leaves the node it is at.
    pub(crate) fn enter_receiver(&mut self, receiver: ExprId) {
        self.frame();
        self.state.receiver = Some(receiver);
    }

    /// Does something while members without a receiver belong to a value.
    pub(crate) fn with_receiver<R>(
        &mut self,
        receiver: ExprId,
        work: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let before = self.state.receiver.replace(receiver);
        let done = work(self);
        self.state.receiver = before;
        done
    }

    /// What members without a receiver belong to.
    pub(crate) fn receiver(&mut self) -> ExprId {
        match self.state.receiver {
            Some(receiver) => receiver,
            None => self.b.expr(Expr::Unknown),
        }
    }

    /// Inside a node, a name is known to be an instance of a type.
    pub(crate) fn narrow(&mut self, node: Node<'_>, name: NameId, ty: ExprId) {
        self.narrowed.entry(node.id()).or_default().push((name, ty));
    }

    /// Whether the walk stands directly among the members of a type.
    pub(crate) fn in_members(&self) -> bool {
        self.kind_of(self.state.scope) == ScopeKind::Members
    }

    /// Whether the walk stands in no function and no type.
    pub(crate) fn at_top(&self) -> bool {
        self.state.function.is_none() && self.kind_of(self.state.scope) == ScopeKind::Module
    }

    pub(crate) fn kind_of(&self, scope: ScopeId) -> ScopeKind {
        self.b
            .facts
            .scopes
            .get(scope.index())
            .map_or(ScopeKind::Module, |scope| scope.kind)
    }

    /// The named children of a node, comments left out.
    pub(crate) fn children<'n>(&self, node: Node<'n>) -> impl Iterator<Item = Node<'n>> + use<'n> {
        children(node)
    }

    /// Opens a scope until the walk leaves the node it is at.
    pub(crate) fn enter_scope(&mut self, scope: ScopeId) {
        self.frame();
        self.state.scope = scope;
    }

    /// Lets what follows belong to a symbol until the walk leaves the node it is at.
    pub(crate) fn enter_owner(&mut self, owner: SymbolId) {
        self.frame();
        self.state.owner = Some(owner);
    }

    /// Does something for which a symbol is the owner.
    pub(crate) fn with_owner<R>(
        &mut self,
        owner: Option<SymbolId>,
        work: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let before = self.state.owner;
        self.state.owner = owner.or(before);
        let done = work(self);
        self.state.owner = before;
        done
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

    /// The node of the last name of what `node` names: `c` in `a.b.c<T>`.
    fn last_name<'n>(&self, node: Node<'n>) -> Node<'n> {
        let mut node = node;
        for _ in 0..16 {
            let next = match self.read_of(node) {
                Some(Read::Member(_, name)) => name.of(node),
                Some(Read::Generic(base, _)) => base.of(node),
                Some(Read::Through(inner) | Read::Unwrap(inner)) => inner.of(node),
                Some(Read::Method(_, name, _)) => name.of(node),
                Some(Read::New(class, _)) => class.of(node),
                Some(Read::Call(callee, _)) => callee.of(node),
                Some(Read::Segments) => children(node).last(),
                _ => None,
            };
            match next {
                Some(next) if next.id() != node.id() => node = next,
                _ => break,
            }
        }
        node
    }

    /// Adds a site whose name stands at `name`.
    pub(crate) fn site(&mut self, kind: SiteKind, what: ExprId, name: Node<'_>, args: List) {
        let site = Site {
            kind,
            owner: self.state.owner,
            scope: self.state.scope,
            what,
            at: name.start_byte() as u32,
            row: name.start_position().row as u32,
            args,
        };
        self.b.facts.sites.push(site);
    }

    /// A call of what a node names.
    pub(crate) fn call_of(&mut self, callee: Option<Node<'_>>, args: Option<Node<'_>>) {
        if let Some(callee) = callee {
            self.take(callee);
            let what = self.read(callee);
            let args = self.arguments(args);
            self.call_site(what, args, callee);
        }
    }

    /// A call whose callee is `name`, or ends in it.
    pub(crate) fn call_site(&mut self, what: ExprId, args: List, name: Node<'_>) {
        let name = self.last_name(name);
        if args.len > 0 {
            let call = self.b.expr(Expr::Call(what, args));
            self.expect(call, args);
        }
        self.site(SiteKind::Call, what, name, args);
    }

    /// The callee, the arguments and the node of the callee of a call.
    fn callee<'n>(&mut self, node: Node<'n>) -> Option<(ExprId, List, Node<'n>)> {
        match self.read_of(node)? {
            Read::Call(callee, args) => {
                let callee = callee.of(node)?;
                let args = args.of(node);
                self.take(callee);
                let what = self.read(callee);
                let args = self.arguments(args);
                Some((what, args, callee))
            }
            Read::Method(object, name, args) => {
                let name = name.of(node)?;
                let what = self.member_of(object.of(node), name);
                let args = self.arguments(args.of(node));
                Some((what, args, name))
            }
            _ => None,
        }
    }

    /// The name that a method is bound and called by.
    pub(crate) fn method_name(&mut self, name: Node<'_>) -> NameId {
        let text = self.b.text(name).trim_matches('`');
        if !self.grammar.methods_apart {
            return self.b.name(text);
        }
        self.apart(text)
    }

    /// The name that a method of this name is bound and called by, where methods have names of
    /// their own.
    pub(crate) fn apart(&mut self, text: &str) -> NameId {
        let apart = format!("{text}()");
        self.b.name(&apart)
    }

    /// `object.name`, or the bare name without an object, as what is called.
    fn member_of(&mut self, object: Option<Node<'_>>, name: Node<'_>) -> ExprId {
        let id = self.method_name(name);
        match object {
            Some(object) => {
                let object = self.read(object);
                self.b.expr(Expr::Member(object, id))
            }
            None => self.b.expr(Expr::Name(id)),
        }
    }

    /// An instance made in a node that the table reads as that.
    pub(crate) fn new_of(&mut self, node: Node<'_>) {
        let Some(Read::New(class, args)) = self.read_of(node) else {
            return;
        };
        let args = args.of(node);
        let args = self.arguments(args);
        if let Some(class) = class.of(node) {
            self.new_site(class, args);
            if args.len > 0 {
                let what = self.read(class);
                let call = self.b.expr(Expr::New(what, args));
                self.expect(call, args);
            }
        }
    }

    /// An instance is made of the class that a node names.
    pub(crate) fn new_site(&mut self, class: Node<'_>, args: List) {
        let what = self.read(class);
        let name = self.last_name(class);
        self.take(class);
        self.take(name);
        self.site(SiteKind::New, what, name, args);
    }

    /// An instance is made of a class, which stands at `class`.
    pub(crate) fn made(&mut self, what: ExprId, class: Node<'_>, args: List) {
        let name = self.last_name(class);
        self.take(class);
        self.take(name);
        self.site(SiteKind::New, what, name, args);
        if args.len > 0 {
            let call = self.b.expr(Expr::New(what, args));
            self.expect(call, args);
        }
    }

    /// A type is used where `node` names it.
    pub(crate) fn type_use(&mut self, node: Node<'_>) {
        if self.is_taken(node) {
            return;
        }
        let what = self.read(node);
        if matches!(
            self.b.expr_at(what),
            Expr::Unknown | Expr::Literal(_) | Expr::SelfType
        ) {
            return;
        }
        let name = self.last_name(node);
        // What leads to the last name is part of this use.
        self.take_names(node);
        self.site(SiteKind::Type, what, name, List::default());
    }

    /// Marks the parts of a dotted name.
    fn take_names(&mut self, node: Node<'_>) {
        let mut left = vec![node];
        while let Some(node) = left.pop() {
            self.taken.insert(node.id());
            match self.read_of(node) {
                Some(Read::Member(object, name)) => {
                    left.extend(object.of(node));
                    left.extend(name.of(node));
                }
                Some(Read::Segments) => left.extend(children(node)),
                _ => {}
            }
        }
    }

    /// A class is named where one is used as a value or as a type: `self` and the like are not.
    pub(crate) fn class_use(&mut self, node: Node<'_>) {
        let what = self.read(node);
        if matches!(self.b.expr_at(what), Expr::Name(_) | Expr::Member(..)) && !self.is_taken(node)
        {
            self.take(node);
            let name = self.last_name(node);
            self.site(SiteKind::Type, what, name, List::default());
        }
    }

    /// Binds a local in the function around, or in the file.
    pub(crate) fn function_local(&mut self, name: NameId, at: usize, bound: Bound) {
        let mut scope = self.state.scope;
        while let Some(known) = self.b.facts.scopes.get(scope.index()) {
            match known.parent {
                Some(parent) if known.kind == ScopeKind::Block => scope = parent,
                _ => break,
            }
        }
        self.locals.insert((scope, name));
        self.b.bind(scope, name, at, bound);
    }

    /// The scope of the members around.
    pub(crate) fn members_around(&self) -> ScopeId {
        let mut scope = self.state.scope;
        while let Some(known) = self.b.facts.scopes.get(scope.index()) {
            match known.parent {
                Some(parent) if known.kind != ScopeKind::Members => scope = parent,
                _ => break,
            }
        }
        scope
    }

    /// Every type named in a node is used; for grammars whose type names are plain identifiers.
    pub(crate) fn types_in(&mut self, node: Node<'_>) {
        let mut left = vec![node];
        while let Some(node) = left.pop() {
            match self.read_of(node) {
                Some(Read::Name | Read::Member(..) | Read::Segments) => {
                    self.type_use(node);
                }
                _ => {
                    let from = left.len();
                    left.extend(children(node));
                    left[from..].reverse();
                }
            }
        }
    }

    /// A member or name that stands for a value.
    pub(crate) fn value(&mut self, node: Node<'_>) {
        self.value_at(node, Some(self.last_name(node)));
    }

    /// A member or name that stands for a value and whose last name is at `name`.
    pub(crate) fn value_at(&mut self, node: Node<'_>, name: Option<Node<'_>>) {
        if self.is_taken(node) {
            return;
        }
        let what = self.read(node);
        match self.b.expr_at(what) {
            Expr::Name(name) if self.is_local(name) => return,
            Expr::Name(_) | Expr::Member(..) | Expr::Path(..) => {}
            _ => return,
        }
        self.take(node);
        self.site(SiteKind::Value, what, name.unwrap_or(node), List::default());
    }

    /// A node is used as a value if it is a bare name.
    pub(crate) fn value_if_name(&mut self, node: Node<'_>) {
        match self.read_of(node) {
            Some(Read::Name) => self.value(node),
            Some(Read::Hook(_)) if node.kind() == "identifier" => self.value_if_bare(node),
            _ => {}
        }
    }

    /// A node is used as a value if it is read as a bare name.
    pub(crate) fn value_if_bare(&mut self, node: Node<'_>) {
        let what = self.read(node);
        if matches!(self.b.expr_at(what), Expr::Name(_)) {
            self.value_at(node, Some(node));
        }
    }

    /// A member or name that is written to.
    pub(crate) fn write(&mut self, node: Node<'_>) {
        self.write_at(node, self.last_name(node));
    }

    /// A member or name that is written to and whose last name is at `name`.
    pub(crate) fn write_at(&mut self, node: Node<'_>, name: Node<'_>) {
        let what = self.read(node);
        match self.b.expr_at(what) {
            Expr::Name(name) if self.is_local(name) => return,
            Expr::Name(_) | Expr::Member(..) | Expr::Path(..) => {}
            _ => return,
        }
        self.take(node);
        self.site(SiteKind::Write, what, name, List::default());
    }

    /// Names that stand directly in a node are used as values.
    pub(crate) fn values(&mut self, node: Node<'_>) {
        for child in children(node) {
            self.value_if_name(child);
        }
    }

    /// The operands of an argument list, which are used as values.
    pub(crate) fn arguments(&mut self, args: Option<Node<'_>>) -> List {
        let Some(args) = args else {
            return List::default();
        };
        self.read_all(args)
    }

    /// Tells the closures among the arguments of a call what their place expects of them.
    pub(crate) fn expect(&mut self, call: ExprId, args: List) {
        let operands = self.b.operands(args).to_vec();
        for (at, operand) in operands.into_iter().enumerate() {
            if let Expr::Closure(function) = self.b.expr_at(operand) {
                let expected = self.b.expr(Expr::Expected(call, at as u16));
                if let Some(function) = self.b.function_mut(function) {
                    function.context.get_or_insert(expected);
                }
            }
        }
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
