//! Collects the facts of one file; every extractor writes through it.

use crate::facts::{
    Binding, Bound, Expr, ExprId, Extent, Facts, Function, FunctionId, Interner, List, NameId,
    Scope, ScopeId, ScopeKind, Symbol, SymbolId,
};
use hashbrown::HashMap;
use tree_sitter::{Node, Tree};

/// The longest signature and doc text that is kept, in bytes.
const LINE: usize = 240;

/// Facts in the making. Ids that it hands out are final for symbols, scopes and functions; those
/// of expressions are renumbered by [`finish`](Builder::finish), which drops what nothing uses.
pub(crate) struct Builder<'t> {
    text: &'t str,
    pub(crate) facts: Facts,
    interner: Interner,
    known: HashMap<Expr, ExprId>,
    lists: HashMap<Vec<ExprId>, List>,
    /// The expression that a node was read as, by the node's id.
    read: HashMap<usize, ExprId>,
}

impl<'t> Builder<'t> {
    /// Nothing but the file's own scope.
    pub(crate) fn new(text: &'t str) -> Builder<'t> {
        let mut facts = Facts::default();
        facts.scopes.push(Scope {
            parent: None,
            kind: ScopeKind::Module,
            owner: None,
        });
        Builder {
            text,
            facts,
            interner: Interner::default(),
            known: HashMap::new(),
            lists: HashMap::new(),
            read: HashMap::new(),
        }
    }

    /// The text of a node.
    pub(crate) fn text(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The whole text.
    pub(crate) fn source(&self) -> &'t str {
        self.text
    }

    /// The id of a text.
    pub(crate) fn name(&mut self, text: &str) -> NameId {
        self.interner.intern(text)
    }

    /// The id of a node's text.
    pub(crate) fn name_of(&mut self, node: Node<'_>) -> NameId {
        let text = self.text(node);
        self.interner.intern(text)
    }

    /// The text of an id.
    pub(crate) fn named(&self, id: NameId) -> &str {
        self.interner.get(id)
    }

    /// The id of an expression; equal expressions share one.
    pub(crate) fn expr(&mut self, expr: Expr) -> ExprId {
        *self.known.entry(expr).or_insert_with(|| {
            self.facts.exprs.push(expr);
            ExprId(self.facts.exprs.len() as u32 - 1)
        })
    }

    /// What an id of an expression stands for.
    pub(crate) fn expr_at(&self, id: ExprId) -> Expr {
        self.facts
            .exprs
            .get(id.index())
            .copied()
            .unwrap_or(Expr::Unknown)
    }

    /// An operand list; what is beyond the first 65,535 operands is left out.
    pub(crate) fn list(&mut self, operands: &[ExprId]) -> List {
        if operands.is_empty() {
            return List::default();
        }
        if let Some(list) = self.lists.get(operands) {
            return *list;
        }
        let len = operands.len().min(usize::from(u16::MAX));
        let list = List {
            start: self.facts.lists.len() as u32,
            len: len as u16,
        };
        self.facts.lists.extend_from_slice(&operands[..len]);
        self.lists.insert(operands.to_vec(), list);
        list
    }

    /// The operands of a list of this builder.
    pub(crate) fn operands(&self, list: List) -> &[ExprId] {
        self.facts.list(list)
    }

    /// What a node was read as, when [`remember`](Builder::remember) was told.
    pub(crate) fn recall(&self, node: Node<'_>) -> Option<ExprId> {
        self.read.get(&node.id()).copied()
    }

    /// Keeps what a node was read as: a chain of calls is read once, not once per link.
    pub(crate) fn remember(&mut self, node: Node<'_>, expr: ExprId) {
        self.read.insert(node.id(), expr);
    }

    /// A new scope.
    pub(crate) fn scope(
        &mut self,
        parent: ScopeId,
        kind: ScopeKind,
        owner: Option<SymbolId>,
    ) -> ScopeId {
        self.facts.scopes.push(Scope {
            parent: Some(parent),
            kind,
            owner,
        });
        ScopeId(self.facts.scopes.len() as u32 - 1)
    }

    /// Gives a name a meaning in a scope, evaluated in that scope.
    pub(crate) fn bind(&mut self, scope: ScopeId, name: NameId, at: usize, bound: Bound) {
        self.bind_in(scope, name, at, scope, bound);
    }

    /// Gives a name a meaning in a scope, evaluated in `env`.
    pub(crate) fn bind_in(
        &mut self,
        scope: ScopeId,
        name: NameId,
        at: usize,
        env: ScopeId,
        bound: Bound,
    ) {
        self.facts.bindings.push(Binding {
            scope,
            name,
            at: at as u32,
            env,
            bound,
        });
    }

    /// Gives a name that is bound in a scope another meaning there.
    pub(crate) fn rebind(&mut self, scope: ScopeId, name: NameId, bound: Bound) {
        let known = self.facts.bindings.iter_mut().rev();
        for binding in known.take(64) {
            if binding.scope == scope && binding.name == name {
                binding.bound = bound;
                return;
            }
        }
    }

    /// A new symbol. It is not bound: whether its name is visible in its scope is for the extractor
    /// to say.
    pub(crate) fn symbol(&mut self, symbol: Symbol) -> SymbolId {
        self.facts.symbols.push(symbol);
        SymbolId(self.facts.symbols.len() as u32 - 1)
    }

    /// A symbol of this builder.
    pub(crate) fn symbol_mut(&mut self, id: SymbolId) -> Option<&mut Symbol> {
        self.facts.symbols.get_mut(id.index())
    }

    /// A new function.
    pub(crate) fn function(&mut self, function: Function) -> FunctionId {
        self.facts.functions.push(function);
        FunctionId(self.facts.functions.len() as u32 - 1)
    }

    /// A function of this builder.
    pub(crate) fn function_mut(&mut self, id: FunctionId) -> Option<&mut Function> {
        self.facts.functions.get_mut(id.index())
    }

    /// The text from `start` to `end` as one line: white space collapsed, cut at 240 bytes.
    pub(crate) fn line(&mut self, start: usize, end: usize) -> NameId {
        let text = self.text.get(start..end).unwrap_or_default();
        let line = one_line(text);
        self.interner.intern(&line)
    }

    /// A text as one line: white space collapsed, cut at 240 bytes.
    pub(crate) fn line_of(&mut self, text: &str) -> NameId {
        let line = one_line(text);
        self.interner.intern(&line)
    }

    /// The finished facts: bindings and sites in order, unused expressions dropped.
    pub(crate) fn finish(mut self, tree: &Tree) -> Facts {
        self.facts.extent = if tree.root_node().has_error() {
            Extent::Partial
        } else {
            Extent::Whole
        };
        self.facts.names = self.interner.finish();
        let facts = &mut self.facts;
        order_symbols(facts);
        facts.bindings.sort_by_key(|b| (b.scope, b.name, b.at));
        facts.sites.sort_by_key(|site| (site.at, site.kind));
        self.facts
    }
}

/// Puts symbols in the order of their position, a parent before its members: what is read ahead of
/// the walk (the members of an object in an argument) is declared before what stands before it.
fn order_symbols(facts: &mut Facts) {
    let start = |symbol: &Symbol| symbol.span.start;
    if facts.symbols.is_sorted_by_key(start) {
        return;
    }
    let symbols = std::mem::take(&mut facts.symbols);
    let mut order: Vec<u32> = (0..symbols.len() as u32).collect();
    order.sort_by_key(|at| symbols.get(*at as usize).map(start));
    let mut places = vec![SymbolId(0); symbols.len()];
    for (to, from) in order.iter().enumerate() {
        if let Some(place) = places.get_mut(*from as usize) {
            *place = SymbolId(to as u32);
        }
    }
    // A parent that begins where, or after, its member does would stand behind it: such symbols
    // stay as they are.
    let place = |id: SymbolId| places.get(id.index()).copied().unwrap_or(id);
    let parents_first = symbols.iter().enumerate().all(|(at, symbol)| {
        symbol
            .parent
            .is_none_or(|parent| place(parent) < place(SymbolId(at as u32)))
    });
    if !parents_first {
        facts.symbols = symbols;
        return;
    }
    let mut from: Vec<Option<Symbol>> = symbols.into_iter().map(Some).collect();
    for at in order {
        if let Some(symbol) = from.get_mut(at as usize).and_then(Option::take) {
            facts.symbols.push(symbol);
        }
    }
    for symbol in &mut facts.symbols {
        symbol.parent = symbol.parent.map(place);
    }
    for scope in &mut facts.scopes {
        scope.owner = scope.owner.map(place);
    }
    for binding in &mut facts.bindings {
        if let Bound::Symbol(id) = &mut binding.bound {
            *id = place(*id);
        }
    }
    for expr in &mut facts.exprs {
        if let Expr::Symbol(id) = expr {
            *id = place(*id);
        }
    }
    for function in &mut facts.functions {
        function.symbol = function.symbol.map(place);
    }
    for (owner, _) in &mut facts.type_params {
        *owner = place(*owner);
    }
    for base in &mut facts.bases {
        base.class = place(base.class);
    }
    for site in &mut facts.sites {
        site.owner = site.owner.map(place);
    }
}

/// A text as one line of at most 240 bytes.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(LINE));
    for word in text.split_whitespace() {
        if line.len() + 1 + word.len() > LINE {
            if line.is_empty() {
                let end = (0..=LINE).rev().find(|at| word.is_char_boundary(*at));
                line.push_str(&word[..end.unwrap_or(0)]);
            }
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}
