//! The facts of a Python file.
//!
//! One pass in the order of the text. Names assigned anywhere in a function belong to the function;
//! what `self` is assigned in a method belongs to the class. A block that an `isinstance` guards is
//! a scope of its own in which the name has the type asked for.

mod assign;
mod blocks;
mod classes;
mod functions;
mod imports;
mod kinds;
mod names;
mod narrow;
pub(crate) mod operators;
mod read;
mod types;

use super::Builder;
use crate::facts::{
    Bound, Expr, ExprId, FunctionId, List, NameId, ScopeId, Site, SiteKind, SymbolId,
};
use hashbrown::{HashMap, HashSet};
use kinds::{Kind, Kinds};
use tree_sitter::{Node, Tree, TreeCursor};

/// Collects the facts of a parsed file.
pub(crate) fn walk(builder: &mut Builder<'_>, tree: &Tree) {
    let mut python = Python::new(builder, tree);
    let root = Place {
        scope: ScopeId::MODULE,
        locals: ScopeId::MODULE,
        owner: None,
        function: None,
        class: None,
        receiver: None,
        local: false,
        conditional: false,
        test: false,
    };
    python.children(tree.root_node(), root);
    while let Some((node, place)) = python.open.pop() {
        python.visit(node, place);
    }
    python.finish();
}

/// Where in the program a node stands.
#[derive(Clone, Copy)]
struct Place {
    /// Where names are looked up.
    scope: ScopeId,
    /// Where assigned names belong.
    locals: ScopeId,
    /// The symbol around.
    owner: Option<SymbolId>,
    /// The function around, for its `return`s.
    function: Option<FunctionId>,
    /// The class whose body this is directly.
    class: Option<(SymbolId, ScopeId)>,
    /// The name of the receiver in the method around, and the members of its class.
    receiver: Option<(NameId, SymbolId, ScopeId)>,
    /// Inside a function.
    local: bool,
    /// Inside a branch of the scope around, or of what may fail.
    conditional: bool,
    /// Inside a test class.
    test: bool,
}

struct Python<'b, 'x, 't> {
    builder: &'b mut Builder<'x>,
    kinds: &'static Kinds,
    cursor: TreeCursor<'t>,
    open: Vec<(Node<'t>, Place)>,
    /// The scopes of lambdas and comprehensions, by node.
    inner: HashMap<usize, (ScopeId, ExprId)>,
    /// Names that a function declares to be global.
    globals: HashSet<(ScopeId, NameId)>,
    /// Fields that have a symbol already.
    fields: HashSet<(SymbolId, NameId)>,
    /// The variables of the module.
    variables: HashMap<NameId, SymbolId>,
    /// Names that a dictionary literal was assigned to last, and its entries.
    dictionaries: HashMap<(ScopeId, NameId), ScopeId>,
    /// Dictionary literals inside others, by the entry.
    nested: HashMap<(ScopeId, NameId), ScopeId>,
    /// Names that a list literal was assigned to last.
    lists: HashSet<(ScopeId, NameId)>,
    /// The names that a guard, or what comes after it, binds in a scope of their own.
    guarded: HashSet<(ScopeId, NameId)>,
    /// Subscripts that are written to or deleted, by node: visiting them reads nothing.
    written: HashSet<usize>,
    /// `__all__`: the names, and whether all of them are known.
    exports: Option<(Vec<NameId>, bool)>,
}

impl<'b, 'x, 't> Python<'b, 'x, 't> {
    fn new(builder: &'b mut Builder<'x>, tree: &'t Tree) -> Python<'b, 'x, 't> {
        Python {
            builder,
            kinds: kinds::kinds(),
            cursor: tree.walk(),
            open: Vec::new(),
            inner: HashMap::new(),
            globals: HashSet::new(),
            fields: HashSet::new(),
            variables: HashMap::new(),
            dictionaries: HashMap::new(),
            nested: HashMap::new(),
            lists: HashSet::new(),
            guarded: HashSet::new(),
            written: HashSet::new(),
            exports: None,
        }
    }

    fn kind(&self, node: Node<'_>) -> Kind {
        self.kinds.of(node)
    }

    fn named_children(&mut self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut children = Vec::new();
        self.cursor.reset(node);
        if self.cursor.goto_first_child() {
            loop {
                let child = self.cursor.node();
                if child.is_named() && self.kinds.of(child) != Kind::Comment {
                    children.push(child);
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        children
    }

    /// Visits the named children of a node, in their order.
    fn children(&mut self, node: Node<'t>, place: Place) {
        let from = self.open.len();
        self.cursor.reset(node);
        if self.cursor.goto_first_child() {
            loop {
                let child = self.cursor.node();
                if child.is_named() {
                    self.open.push((child, place));
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.open[from..].reverse();
    }

    /// Visits these nodes, in this order.
    fn then(&mut self, nodes: impl IntoIterator<Item = Option<Node<'t>>>, place: Place) {
        let from = self.open.len();
        for node in nodes.into_iter().flatten() {
            self.open.push((node, place));
        }
        self.open[from..].reverse();
    }

    fn field(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    fn visit(&mut self, node: Node<'t>, place: Place) {
        let f = &self.kinds.fields;
        match self.kind(node) {
            Kind::Comment
            | Kind::Integer
            | Kind::Float
            | Kind::True
            | Kind::False
            | Kind::None
            | Kind::Ellipsis
            | Kind::Nonlocal
            | Kind::StringStart
            | Kind::StringContent
            | Kind::StringEnd => {}
            Kind::Function => self.function(node, node, &[], place),
            Kind::Class => self.class(node, node, &[], place),
            Kind::Decorated => self.decorated(node, place),
            Kind::Import => self.import(node, place),
            Kind::ImportFrom => self.import_from(node, place),
            Kind::FutureImport => {}
            Kind::Assignment => self.assignment(node, place),
            Kind::Augmented => {
                let (left, right) = (self.field(node, f.left), self.field(node, f.right));
                self.exports_grow(left, right, place);
                self.augmented(node, left, place);
                self.then([right], place);
                if let Some(left) = left
                    && self.kind(left) != Kind::Identifier
                {
                    self.then([Some(left)], place);
                }
            }
            Kind::NamedExpression => {
                if let (Some(name), Some(value)) =
                    (self.field(node, f.name), self.field(node, f.value))
                {
                    let expr = self.read(value, place);
                    let name = self.builder.name_of(name);
                    let locals = self.outside_comprehensions(place);
                    self.bind(locals, name, node, place.scope, Bound::Value(expr));
                    self.then([Some(value)], place);
                }
            }
            Kind::For => {
                if let (Some(left), Some(right)) =
                    (self.field(node, f.left), self.field(node, f.right))
                {
                    let expr = self.read(right, place);
                    let element = self.builder.expr(Expr::Element(expr));
                    self.assign(left, element, place);
                    self.iterates(node, expr, right, place);
                    self.then(
                        [
                            Some(right),
                            self.field(node, f.body),
                            self.field(node, f.alternative),
                        ],
                        place,
                    );
                }
            }
            Kind::With => {
                self.with(node, place);
                self.children(node, place);
            }
            Kind::WithClause => self.children(node, place),
            Kind::WithItem => {
                let value = self.field(node, f.value);
                match value {
                    Some(value) if self.kind(value) == Kind::AsPattern => {
                        self.children(value, place);
                    }
                    value => self.then([value], place),
                }
            }
            Kind::AsPattern => {
                let value = node.named_child(0);
                self.then([value], place);
            }
            Kind::AsPatternTarget => {
                // Attributes and subscripts in a target are read before they are written to.
                for child in self.named_children(node) {
                    if self.kind(child) != Kind::Identifier {
                        self.then([Some(child)], place);
                    }
                }
            }
            Kind::Try => self.children(
                node,
                Place {
                    conditional: true,
                    ..place
                },
            ),
            Kind::Except => self.except(node, place),
            Kind::If | Kind::Elif => self.branch(node, place),
            Kind::Assert => {
                if let Some(condition) = node.named_child(0) {
                    for (name, of) in self.guards(condition, place) {
                        let instance = self.builder.expr(Expr::Instance(of));
                        let at = node;
                        self.bind(place.locals, name, at, place.scope, Bound::Value(instance));
                    }
                }
                self.children(node, place);
            }
            Kind::Delete => {
                for target in self.named_children(node) {
                    self.subscripts(target, "__delitem__", place);
                }
                self.children(node, place);
            }
            Kind::Subscript => {
                if !self.written.remove(&node.id()) {
                    self.subscript(node, "__getitem__", place);
                }
                self.children(node, place);
            }
            Kind::BinaryOperator => {
                self.binary(node, place);
                self.children(node, place);
            }
            Kind::Comparison => {
                self.comparison(node, place);
                self.children(node, place);
            }
            Kind::Global => {
                for child in self.named_children(node) {
                    let name = self.builder.name_of(child);
                    self.globals.insert((place.locals, name));
                }
            }
            Kind::Return => {
                if let Some(value) = node.named_child(0) {
                    let expr = self.read(value, place);
                    if let Some(function) = place.function
                        && expr != self.unknown()
                        && let Some(function) = self.builder.function_mut(function)
                        && !function.returns.contains(&expr)
                    {
                        function.returns.push(expr);
                    }
                    self.then([Some(value)], place);
                }
            }
            Kind::Yield => {
                if let Some(value) = node.named_child(0) {
                    let mut expr = self.read(value, place);
                    if node.child(1).is_some_and(|token| token.kind() == "from") {
                        expr = self.builder.expr(Expr::Element(expr));
                    }
                    if let Some(function) = place.function
                        && let Some(function) = self.builder.function_mut(function)
                        && !function.yields.contains(&expr)
                    {
                        function.yields.push(expr);
                    }
                    self.then([Some(value)], place);
                }
            }
            Kind::Raise => {
                // Raising a class makes an instance of it.
                if let Some(raised) = node.named_child(0)
                    && matches!(self.kind(raised), Kind::Identifier | Kind::Attribute)
                {
                    self.site(SiteKind::New, raised, place, List::default());
                }
                self.children(node, place);
            }
            Kind::Call => self.call(node, place),
            Kind::Attribute => {
                self.site(SiteKind::Value, node, place, List::default());
                let object = self.field(node, f.object);
                self.then([object], place);
            }
            Kind::Identifier => self.site(SiteKind::Value, node, place, List::default()),
            Kind::KeywordArgument => {
                let value = self.field(node, f.value);
                self.then([value], place);
            }
            Kind::Lambda => {
                let scope = self.lambda(node, place);
                let inner = Place {
                    scope,
                    locals: scope,
                    function: None,
                    class: None,
                    ..place
                };
                let body = self.field(node, f.body);
                if let Some(parameters) = self.field(node, f.parameters) {
                    self.defaults(parameters, place);
                }
                self.then([body], inner);
            }
            Kind::ListComprehension
            | Kind::SetComprehension
            | Kind::DictionaryComprehension
            | Kind::Generator => {
                let scope = self.comprehension(node, place);
                let inner = Place {
                    scope,
                    class: None,
                    ..place
                };
                self.children(node, inner);
            }
            Kind::ForIn => {
                let right = self.field(node, f.right);
                if let Some(right) = right {
                    let over = self.read(right, place);
                    self.iterates(node, over, right, place);
                }
                self.then([right], place);
            }
            Kind::Conditional => {
                let parts = self.named_children(node);
                let [then, condition, otherwise] = parts.as_slice() else {
                    self.children(node, place);
                    return;
                };
                let inside = self.guarded(*condition, node, place);
                self.open.push((*otherwise, place));
                self.open.push((*condition, place));
                self.open.push((*then, inside));
            }
            Kind::BooleanOperator => {
                let (left, right) = (self.field(node, f.left), self.field(node, f.right));
                let operator = self.field(node, f.operator);
                let (Some(left), Some(right)) = (left, right) else {
                    self.children(node, place);
                    return;
                };
                let inside = match operator {
                    Some(operator) if operator.kind() == "and" => self.guarded(left, node, place),
                    _ => place,
                };
                self.open.push((right, inside));
                self.open.push((left, place));
            }
            Kind::Match => self.match_statement(node, place),
            Kind::TypeAlias => self.type_alias(node, place),
            Kind::Type => self.type_sites(node, place),
            Kind::String => {
                if node.named_child_count() > 2 {
                    self.children(node, place);
                }
            }
            _ => self.children(node, place),
        }
    }

    fn call(&mut self, node: Node<'t>, place: Place) {
        let f = &self.kinds.fields;
        let function = self.field(node, f.function);
        let arguments = self.field(node, f.arguments);
        if let Some(function) = function {
            match self.kind(function) {
                Kind::Identifier | Kind::Attribute => {
                    let args = self.read_arguments(arguments, place);
                    self.length(function, arguments, place);
                    self.site(SiteKind::Call, function, place, args);
                    if self.kind(function) == Kind::Attribute {
                        let object = self.field(function, f.object);
                        if place.scope == ScopeId::MODULE {
                            self.exports_call(function, object, arguments);
                        }
                        if self.last_name(function) == "update"
                            && let (Some(object), Some(arguments)) = (object, arguments)
                        {
                            self.update(object, arguments, place);
                        }
                        self.then([object, arguments], place);
                        return;
                    }
                    self.then([arguments], place);
                }
                _ => {
                    let args = self.read_arguments(arguments, place);
                    let what = self.read(function, place);
                    if what != self.unknown() {
                        self.add_site(SiteKind::Call, what, function, place, args);
                    }
                    self.then([Some(function), arguments], place);
                }
            }
        }
    }

    /// What iterating over a value calls, in a loop or a part of a comprehension.
    fn iterates(&mut self, node: Node<'t>, over: ExprId, at: Node<'t>, place: Place) {
        let (iter, next) = match is_async(node) {
            true => ("__aiter__", "__anext__"),
            false => ("__iter__", "__next__"),
        };
        let Some(iter) = self.protocol(over, iter, at, place) else {
            return;
        };
        let iterator = self.builder.expr(Expr::Call(iter, List::default()));
        self.protocol(iterator, next, at, place);
    }

    /// A call that the language makes of a member of a value.
    fn protocol(&mut self, of: ExprId, name: &str, at: Node<'t>, place: Place) -> Option<ExprId> {
        match self.builder.expr_at(of) {
            Expr::Unknown
            | Expr::Array(_)
            | Expr::Tuple(_)
            | Expr::Str(_)
            | Expr::Int(_)
            | Expr::Literal(_)
            | Expr::Object(_) => return None,
            _ => {}
        }
        let name = self.builder.name(name);
        let what = self.builder.expr(Expr::Member(of, name));
        self.add_site(SiteKind::Implicit, what, at, place, List::default());
        Some(what)
    }

    /// A site for a name or an attribute.
    fn site(&mut self, kind: SiteKind, node: Node<'t>, place: Place, args: List) {
        let what = self.read(node, place);
        if what == self.unknown() {
            return;
        }
        let at = match self.kind(node) {
            Kind::Attribute => self
                .field(node, self.kinds.fields.attribute)
                .unwrap_or(node),
            _ => node,
        };
        self.add_site(kind, what, at, place, args);
    }

    fn add_site(&mut self, kind: SiteKind, what: ExprId, at: Node<'t>, place: Place, args: List) {
        self.builder.facts.sites.push(Site {
            kind,
            owner: place.owner,
            scope: place.scope,
            what,
            at: at.start_byte() as u32,
            row: at.start_position().row as u32,
            args,
        });
    }

    /// What is left to do when the file is read: exports, and the sites that name locals go.
    fn finish(mut self) {
        if let Some((names, true)) = self.exports.take() {
            self.builder.facts.exports = Some(names);
        }
        self.overloads();
        if self.has_own_length() {
            let len = self.builder.name("__len__");
            let facts = &mut self.builder.facts;
            let exprs = &facts.exprs;
            facts.sites.retain(|site| {
                let what = exprs.get(site.what.index());
                site.kind != SiteKind::Implicit
                    || !matches!(what, Some(Expr::Member(_, name)) if *name == len)
            });
        }
        let facts = &mut self.builder.facts;
        let mut named: HashMap<(ScopeId, NameId), bool> = HashMap::new();
        for binding in &facts.bindings {
            let counts = matches!(binding.bound, Bound::Symbol(_) | Bound::Import(_));
            *named.entry((binding.scope, binding.name)).or_default() |= counts;
        }
        let (scopes, exprs) = (&facts.scopes, &facts.exprs);
        let wildcard = facts.imports.iter().any(|import| import.wildcard);
        facts.sites.retain(|site| {
            if !matches!(site.kind, SiteKind::Value | SiteKind::Write) {
                return true;
            }
            let Some(Expr::Name(name)) = exprs.get(site.what.index()) else {
                return true;
            };
            let mut at = Some(site.scope);
            while let Some(scope) = at {
                if let Some(counts) = named.get(&(scope, *name)) {
                    return *counts;
                }
                at = scopes.get(scope.index()).and_then(|scope| scope.parent);
            }
            wildcard
        });
    }
}

/// Whether a function, a loop or a `with` is asynchronous.
fn is_async(node: Node<'_>) -> bool {
    node.child(0).is_some_and(|token| token.kind() == "async")
}
