//! The facts of a Python file.
//!
//! One pass in the order of the text. Names assigned anywhere in a function belong to the function;
//! what `self` is assigned in a method belongs to the class. A block that an `isinstance` guards is
//! a scope of its own in which the name has the type asked for.

mod kinds;
mod names;
mod read;
mod types;

use super::Builder;
use crate::facts::{
    Base, BaseKind, Bound, Expr, ExprId, Flags, Function, FunctionId, Import, ImportId, List,
    NameId, Param, ScopeId, ScopeKind, Site, SiteKind, Span, Symbol, SymbolId, SymbolKind,
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
    /// Names that a dictionary literal was assigned to last, and its entries.
    dictionaries: HashMap<(ScopeId, NameId), ScopeId>,
    /// Dictionary literals inside others, by the entry.
    nested: HashMap<(ScopeId, NameId), ScopeId>,
    /// Names that a list literal was assigned to last.
    lists: HashSet<(ScopeId, NameId)>,
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
            dictionaries: HashMap::new(),
            nested: HashMap::new(),
            lists: HashSet::new(),
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

    // ------------------------------------------------------------------ declarations

    fn decorated(&mut self, node: Node<'t>, place: Place) {
        let definition = self.field(node, self.kinds.fields.definition);
        let decorators: Vec<Node<'t>> = self
            .named_children(node)
            .into_iter()
            .filter(|child| self.kinds.of(*child) == Kind::Decorator)
            .collect();
        match definition {
            Some(inner) if self.kind(inner) == Kind::Function => {
                self.function(inner, node, &decorators, place);
            }
            Some(inner) if self.kind(inner) == Kind::Class => {
                self.class(inner, node, &decorators, place);
            }
            _ => self.children(node, place),
        }
    }

    /// The last name of each decorator, and sites for them.
    fn decorators(
        &mut self,
        decorators: &[Node<'t>],
        symbol: SymbolId,
        place: Place,
    ) -> Vec<&'x str> {
        let mut names = Vec::new();
        for decorator in decorators {
            let Some(expr) = decorator.named_child(0) else {
                continue;
            };
            let named = match self.kind(expr) {
                Kind::Call => self.field(expr, self.kinds.fields.function),
                _ => Some(expr),
            };
            let Some(named) = named else {
                continue;
            };
            names.push(self.last_name(named));
            let decorated = Place {
                owner: Some(symbol),
                ..place
            };
            self.site(SiteKind::Decorator, named, decorated, List::default());
        }
        names
    }

    /// The last name of an expression.
    fn last_name(&self, node: Node<'t>) -> &'x str {
        match self.kind(node) {
            Kind::Attribute => {
                let name = self.field(node, self.kinds.fields.attribute);
                name.map_or("", |name| self.builder.text(name))
            }
            Kind::Identifier => self.builder.text(node),
            _ => "",
        }
    }

    fn function(&mut self, node: Node<'t>, whole: Node<'t>, decorators: &[Node<'t>], place: Place) {
        let f = &self.kinds.fields;
        let Some(name_node) = self.field(node, f.name) else {
            self.children(node, place);
            return;
        };
        let text = self.builder.text(name_node);
        let name = self.builder.name_of(name_node);
        let body = self.field(node, f.body);
        let parameters = self.field(node, f.parameters);
        let result = self.field(node, f.return_type);
        let end = result
            .or(parameters)
            .map_or(name_node.end_byte(), |last| last.end_byte());
        let signature = self.builder.line(node.start_byte(), end);
        let doc = self.doc(body);
        let id = self.builder.symbol(Symbol {
            kind: match place.class {
                Some(_) => SymbolKind::Method,
                None => SymbolKind::Function,
            },
            name,
            parent: place.owner,
            owner: None,
            span: Span::of(whole),
            name_at: name_node.start_byte() as u32,
            name_row: name_node.start_position().row as u32,
            signature,
            doc,
            visibility: names::visibility(text, place.class.is_some()),
            flags: Flags::default(),
            members: None,
            function: None,
            declared: None,
            scope: place.scope,
        });
        let scope = self
            .builder
            .scope(place.scope, ScopeKind::Function, Some(id));
        let mut function = Function {
            symbol: Some(id),
            scope,
            params: Vec::new(),
            result: None,
            returns: Vec::new(),
            yields: Vec::new(),
            type_params: Vec::new(),
            context: None,
        };
        let decorator_names = self.decorators(decorators, id, place);
        let mut flags = names::function_flags(text, &decorator_names, place.class.is_some());
        if place.local {
            flags.set(Flags::LOCAL);
        }
        if is_async(node) {
            flags.set(Flags::ASYNC);
        }
        if place.test || flags.has(Flags::TEST) {
            flags.set(Flags::TEST_CODE);
        }
        let setter = decorator_names
            .iter()
            .any(|name| matches!(*name, "setter" | "deleter"));
        let kind = match place.class {
            Some(_) if setter => SymbolKind::Setter,
            Some(_) if flags.has(Flags::PROPERTY) => SymbolKind::Getter,
            Some(_) if text == "__init__" => SymbolKind::Constructor,
            Some(_) => SymbolKind::Method,
            None => SymbolKind::Function,
        };
        let inner = Place {
            scope,
            locals: scope,
            owner: Some(id),
            function: None,
            class: None,
            receiver: match place.class {
                Some(_) => None,
                None => place.receiver,
            },
            local: true,
            test: place.test,
        };
        self.type_params(node, scope, inner);
        for name in self.type_param_names(node) {
            function.type_params.push(name);
        }
        let mut receiver = inner.receiver;
        if let Some(parameters) = parameters {
            let method = match place.class {
                Some(class) if !flags.has(Flags::STATIC) => {
                    Some((class, flags.has(Flags::CLASS_METHOD)))
                }
                _ => None,
            };
            let first = self.parameters(parameters, scope, &mut function, method, inner, place);
            if let (Some(first), Some((class, members))) = (first, place.class) {
                receiver = Some((first, class, members));
            } else if let Some((known, ..)) = receiver
                && function.params.iter().any(|param| param.name == known)
            {
                receiver = None;
            }
        }
        if let Some(result) = result {
            let expr = self.read_type(result, inner);
            function.result = (expr != self.unknown()).then_some(expr);
        }
        let function_id = self.builder.function(function);
        if let Some(symbol) = self.builder.symbol_mut(id) {
            symbol.flags = flags;
            symbol.kind = kind;
            symbol.function = Some(function_id);
        }
        if kind != SymbolKind::Setter {
            self.bind(
                place.locals,
                name,
                name_node,
                place.scope,
                Bound::Symbol(id),
            );
        }
        let inner = Place {
            function: Some(function_id),
            receiver,
            ..inner
        };
        // Decorators, defaults and annotations stand within the declaration.
        let head = Place {
            owner: Some(id),
            ..place
        };
        let from = self.open.len();
        self.visit_decorators(decorators, head);
        if let Some(result) = result {
            self.open.push((result, head));
        }
        if let Some(body) = body {
            self.open.push((body, inner));
        }
        self.open[from..].reverse();
        if let Some(parameters) = parameters {
            self.defaults(parameters, head);
        }
    }

    /// Visits what decorators are made with; that they decorate has been said.
    fn visit_decorators(&mut self, decorators: &[Node<'t>], place: Place) {
        for decorator in decorators {
            if let Some(expr) = decorator.named_child(0) {
                match self.kind(expr) {
                    Kind::Identifier => {}
                    Kind::Attribute => {
                        let object = self.field(expr, self.kinds.fields.object);
                        self.open.extend(object.map(|object| (object, place)));
                    }
                    _ => self.open.push((expr, place)),
                }
            }
        }
    }

    /// Reads parameters; gives the receiver's name for a method.
    fn parameters(
        &mut self,
        parameters: Node<'t>,
        scope: ScopeId,
        function: &mut Function,
        method: Option<((SymbolId, ScopeId), bool)>,
        inner: Place,
        outer: Place,
    ) -> Option<NameId> {
        let f = &self.kinds.fields;
        // A parameter hides no type of its name.
        let env = if function.type_params.is_empty() {
            outer.scope
        } else {
            scope
        };
        let mut receiver = None;
        let mut first = true;
        for node in self.named_children(parameters) {
            let kind = self.kind(node);
            let (name_node, declared, default) = match kind {
                Kind::Identifier => (Some(node), None, None),
                Kind::DefaultParameter => {
                    (self.field(node, f.name), None, self.field(node, f.value))
                }
                Kind::TypedParameter => (node.named_child(0), self.field(node, f.type_), None),
                Kind::TypedDefaultParameter => (
                    self.field(node, f.name),
                    self.field(node, f.type_),
                    self.field(node, f.value),
                ),
                Kind::ListSplatPattern | Kind::DictionarySplatPattern => (Some(node), None, None),
                _ => continue,
            };
            let Some(mut name_node) = name_node else {
                continue;
            };
            let splat = self.kind(name_node);
            if matches!(splat, Kind::ListSplatPattern | Kind::DictionarySplatPattern) {
                match name_node.named_child(0) {
                    Some(inside) => name_node = inside,
                    None => continue,
                }
            }
            if self.kind(name_node) != Kind::Identifier {
                continue;
            }
            let name = self.builder.name_of(name_node);
            let at = name_node;
            if first && let Some((_, of_class)) = method {
                first = false;
                if splat == Kind::Identifier {
                    receiver = Some(name);
                    let this = if of_class { Expr::SelfType } else { Expr::This };
                    // A type variable that the receiver is declared with stands for its type.
                    if let Some(declared) = declared {
                        let declared = self.read_type(declared, inner);
                        let variable = match self.builder.expr_at(declared) {
                            Expr::Generic(_, list) => self.builder.operands(list).first().copied(),
                            _ => Some(declared),
                        };
                        if let Some(variable) = variable
                            && let Expr::Name(variable) = self.builder.expr_at(variable)
                        {
                            let own = self.builder.expr(Expr::SelfType);
                            self.bind(scope, variable, at, scope, Bound::Type(own));
                            function.type_params.push(variable);
                        }
                    }
                    let bound = Bound::Value(self.builder.expr(this));
                    self.bind(scope, name, at, scope, bound);
                    continue;
                }
            }
            first = false;
            let declared = declared
                .map(|declared| self.read_type(declared, inner))
                .filter(|declared| *declared != self.unknown());
            let default = default
                .map(|default| self.read(default, inner))
                .filter(|default| *default != self.unknown());
            match splat {
                Kind::ListSplatPattern => {
                    let element = declared.unwrap_or_else(|| self.unknown());
                    let list = self.builder.list(&[element]);
                    let array = self.builder.expr(Expr::Array(list));
                    let bound = match declared {
                        Some(_) => Bound::Declared(array),
                        None => Bound::Parameter(function.params.len() as u16),
                    };
                    self.bind(scope, name, at, env, bound);
                    function.params.push(Param {
                        name,
                        declared: declared.map(|_| array),
                        default: None,
                        rest: true,
                    });
                }
                Kind::DictionarySplatPattern => {
                    let bound = match declared {
                        Some(declared) => {
                            let dict = self.builder.name("dict");
                            let dict = self.builder.expr(Expr::Name(dict));
                            let unknown = self.unknown();
                            let list = self.builder.list(&[unknown, declared]);
                            Bound::Declared(self.builder.expr(Expr::Generic(dict, list)))
                        }
                        None => Bound::Unknown,
                    };
                    self.bind(scope, name, at, env, bound);
                }
                _ => {
                    let bound = match declared {
                        Some(declared) => Bound::Declared(declared),
                        None => Bound::Parameter(function.params.len() as u16),
                    };
                    self.bind(scope, name, at, env, bound);
                    if let (None, Some(default)) = (declared, default) {
                        self.bind(scope, name, at, outer.scope, Bound::Value(default));
                    }
                    function.params.push(Param {
                        name,
                        declared,
                        default,
                        rest: false,
                    });
                }
            }
        }
        receiver
    }

    /// Visits the defaults and annotations of parameters.
    fn defaults(&mut self, parameters: Node<'t>, place: Place) {
        let f = &self.kinds.fields;
        for node in self.named_children(parameters) {
            let (type_, value) = (self.field(node, f.type_), self.field(node, f.value));
            if matches!(
                self.kind(node),
                Kind::TypedParameter | Kind::TypedDefaultParameter | Kind::DefaultParameter
            ) {
                self.then([type_, value], place);
            }
        }
    }

    fn class(&mut self, node: Node<'t>, whole: Node<'t>, decorators: &[Node<'t>], place: Place) {
        let f = &self.kinds.fields;
        let Some(name_node) = self.field(node, f.name) else {
            self.children(node, place);
            return;
        };
        let text = self.builder.text(name_node);
        let name = self.builder.name_of(name_node);
        let body = self.field(node, f.body);
        let bases = self.field(node, f.superclasses);
        let end = bases.map_or(name_node.end_byte(), |bases| bases.end_byte());
        let signature = self.builder.line(node.start_byte(), end);
        let doc = self.doc(body);
        let base_nodes = bases.map(|bases| self.named_children(bases));
        let base_nodes = base_nodes.unwrap_or_default();
        let mut last_names = Vec::new();
        for base in &base_nodes {
            let named = match self.kind(*base) {
                Kind::Subscript => self.field(*base, f.value).unwrap_or(*base),
                _ => *base,
            };
            last_names.push(self.last_name(named));
        }
        let id = self.builder.symbol(Symbol {
            kind: names::class_kind(&last_names),
            name,
            parent: place.owner,
            owner: None,
            span: Span::of(whole),
            name_at: name_node.start_byte() as u32,
            name_row: name_node.start_position().row as u32,
            signature,
            doc,
            visibility: names::visibility(text, place.class.is_some()),
            flags: Flags::default(),
            members: None,
            function: None,
            declared: None,
            scope: place.scope,
        });
        let members = self
            .builder
            .scope(place.scope, ScopeKind::Members, Some(id));
        let decorator_names = self.decorators(decorators, id, place);
        let mut flags = Flags::default();
        if !decorator_names.is_empty() {
            flags.set(Flags::DECORATED);
        }
        if place.local {
            flags.set(Flags::LOCAL);
        }
        let test = names::is_test_class(text, &last_names);
        if test || place.test {
            flags.set(Flags::TEST_CODE);
        }
        if let Some(symbol) = self.builder.symbol_mut(id) {
            symbol.members = Some(members);
            symbol.flags = flags;
        }
        self.bind(
            place.locals,
            name,
            name_node,
            place.scope,
            Bound::Symbol(id),
        );
        let inner = Place {
            scope: members,
            locals: members,
            owner: Some(id),
            function: None,
            class: Some((id, members)),
            receiver: None,
            local: place.local,
            test: test || place.test,
        };
        self.type_params(node, members, inner);
        for base in &base_nodes {
            match self.kind(*base) {
                Kind::KeywordArgument | Kind::Comment => continue,
                Kind::ListSplat | Kind::DictionarySplat => continue,
                _ => {}
            }
            let what = self.read_base(*base, id, place);
            let named = match self.kind(*base) {
                Kind::Subscript => self.field(*base, f.value).unwrap_or(*base),
                Kind::Call => self.field(*base, f.function).unwrap_or(*base),
                _ => *base,
            };
            let named = match self.kind(named) {
                Kind::Attribute => self.field(named, f.attribute).unwrap_or(named),
                _ => named,
            };
            self.builder.facts.bases.push(Base {
                class: id,
                kind: BaseKind::Extends,
                what,
                scope: place.scope,
                at: named.start_byte() as u32,
                row: named.start_position().row as u32,
            });
        }
        let place = Place {
            owner: Some(id),
            ..place
        };
        let from = self.open.len();
        self.visit_decorators(decorators, place);
        for base in base_nodes {
            match self.kind(base) {
                Kind::Identifier => {}
                Kind::Attribute => {
                    let object = self.field(base, self.kinds.fields.object);
                    self.open.extend(object.map(|object| (object, place)));
                }
                Kind::Subscript => {
                    for child in self.named_children(base) {
                        self.type_sites_of_base(child, base, place);
                    }
                }
                _ => self.open.push((base, place)),
            }
        }
        if let Some(body) = body {
            self.open.push((body, inner));
        }
        self.open[from..].reverse();
    }

    /// Sites for the type arguments of a base.
    fn type_sites_of_base(&mut self, child: Node<'t>, base: Node<'t>, place: Place) {
        if self.field(base, self.kinds.fields.value) != Some(child) {
            self.type_sites(child, place);
        }
    }

    /// The first paragraph of the text that a body begins with.
    fn doc(&mut self, body: Option<Node<'t>>) -> Option<NameId> {
        let first = body?.named_child(0)?;
        let string = match self.kind(first) {
            Kind::ExpressionStatement => first.named_child(0)?,
            _ => first,
        };
        if self.kind(string) != Kind::String {
            return None;
        }
        let text = self.builder.text(string);
        let text = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let text = text.trim_matches(['"', '\'']);
        let offset = text.as_ptr() as usize - self.builder.source().as_ptr() as usize;
        let text = text.trim_start();
        let skipped = offset + {
            let whole = self.builder.text(string);
            let whole = whole.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            let whole = whole.trim_matches(['"', '\'']);
            whole.len() - whole.trim_start().len()
        };
        let mut len = 0;
        for line in text.split_inclusive('\n') {
            if line.trim().is_empty() {
                break;
            }
            len += line.len();
        }
        if len == 0 {
            return None;
        }
        Some(self.builder.line(skipped, skipped + len))
    }

    // ------------------------------------------------------------------ imports

    fn import(&mut self, node: Node<'t>, place: Place) {
        for child in self.named_children(node) {
            let (name, alias) = match self.kind(child) {
                Kind::AliasedImport => (
                    self.field(child, self.kinds.fields.name),
                    self.field(child, self.kinds.fields.alias),
                ),
                Kind::DottedName => (Some(child), None),
                _ => continue,
            };
            let Some(name) = name else {
                continue;
            };
            let text = self.builder.text(name);
            let module = self.dotted(name);
            let local = match alias {
                Some(alias) => self.builder.name_of(alias),
                None => {
                    let first = text.split('.').next().unwrap_or(text);
                    self.builder.name(first.trim())
                }
            };
            self.add_import(module, 0, None, Some(local), false, name, place);
        }
    }

    /// A dotted name without white space.
    fn dotted(&mut self, node: Node<'t>) -> NameId {
        let text = self.builder.text(node);
        if text.contains(char::is_whitespace) {
            let text: String = text.split_whitespace().collect();
            return self.builder.name(&text);
        }
        self.builder.name(text)
    }

    fn import_from(&mut self, node: Node<'t>, place: Place) {
        let Some(module) = self.field(node, self.kinds.fields.module_name) else {
            return;
        };
        let (level, module_name) = match self.kind(module) {
            Kind::RelativeImport => {
                let mut level = 0;
                let mut name = self.builder.name("");
                for child in self.named_children(module) {
                    match self.kind(child) {
                        Kind::ImportPrefix => {
                            let text = self.builder.text(child);
                            level = text.bytes().filter(|b| *b == b'.').count();
                        }
                        Kind::DottedName => name = self.dotted(child),
                        _ => {}
                    }
                }
                (level.min(255) as u8, name)
            }
            _ => (0, self.dotted(module)),
        };
        for child in self.named_children(node) {
            if child.id() == module.id() {
                continue;
            }
            let (name, alias) = match self.kind(child) {
                Kind::AliasedImport => (
                    self.field(child, self.kinds.fields.name),
                    self.field(child, self.kinds.fields.alias),
                ),
                Kind::DottedName => (Some(child), None),
                Kind::WildcardImport => {
                    self.add_import(module_name, level, None, None, true, child, place);
                    continue;
                }
                _ => continue,
            };
            let Some(name_node) = name else {
                continue;
            };
            let name = self.dotted(name_node);
            let local = alias.map_or(name, |alias| self.builder.name_of(alias));
            self.add_import(
                module_name,
                level,
                Some(name),
                Some(local),
                false,
                name_node,
                place,
            );
        }
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "one argument per part of the statement"
    )]
    fn add_import(
        &mut self,
        module: NameId,
        level: u8,
        name: Option<NameId>,
        local: Option<NameId>,
        wildcard: bool,
        at: Node<'t>,
        place: Place,
    ) {
        let id = ImportId(self.builder.facts.imports.len() as u32);
        self.builder.facts.imports.push(Import {
            module,
            level,
            name,
            local,
            wildcard,
            reexport: true,
            type_only: false,
            scope: place.locals,
            at: at.start_byte() as u32,
            row: at.start_position().row as u32,
        });
        if let Some(local) = local {
            self.bind(place.locals, local, at, place.scope, Bound::Import(id));
        }
    }

    // ------------------------------------------------------------------ assignments

    fn assignment(&mut self, node: Node<'t>, place: Place) {
        let f = &self.kinds.fields;
        let Some(left) = self.field(node, f.left) else {
            return;
        };
        let right = self.field(node, f.right);
        let declared = self.field(node, f.type_);
        // `a = b = c` is an assignment whose right side is one.
        let mut value = right;
        while let Some(inner) = value
            && self.kind(inner) == Kind::Assignment
        {
            value = self.field(inner, f.right);
        }
        let expr = match value {
            Some(value) => self.read(value, place),
            None => self.unknown(),
        };
        self.variable(node, left, value, place);
        if let Some(declared) = declared {
            let mut of = self.read_type(declared, place);
            if of == self.unknown() {
                self.assign(left, expr, place);
            } else {
                if self.is_bare_final(of) {
                    of = expr;
                    self.assign(left, of, place);
                } else {
                    self.declare(left, of, place);
                }
            }
        } else if right.is_some() {
            self.assign(left, expr, place);
        }
        self.then([declared, right], place);
        if self.kind(left) != Kind::Identifier {
            self.targets(left, place);
        }
        if place.scope == ScopeId::MODULE {
            self.special(left, value, place);
        }
        self.entry(left, value, expr, place);
    }

    /// `d = {…}` and `l = […]` are remembered, so that `d["key"] = value` adds to them.
    fn entry(&mut self, left: Node<'t>, value: Option<Node<'t>>, expr: ExprId, place: Place) {
        match self.kind(left) {
            Kind::Identifier => {
                let name = self.builder.name_of(left);
                let key = (place.locals, name);
                self.dictionaries.remove(&key);
                self.lists.remove(&key);
                match value.map(|value| self.kind(value)) {
                    Some(Kind::Dictionary) => {
                        if let Expr::Object(scope) = self.builder.expr_at(expr) {
                            self.dictionaries.insert(key, scope);
                        }
                    }
                    Some(Kind::List) => {
                        self.lists.insert(key);
                    }
                    _ => {}
                }
            }
            Kind::Subscript if expr != self.unknown() => {
                let (Some(object), Some(key)) = (
                    self.field(left, self.kinds.fields.value),
                    left.named_child(1),
                ) else {
                    return;
                };
                if let Some(scope) = self.entries_of(object, place) {
                    let name = match self.entry_name(key) {
                        Some(name) => name,
                        None => self.builder.name("*"),
                    };
                    let bound = Bound::Value(expr);
                    self.builder
                        .bind_in(scope, name, left.start_byte(), place.scope, bound);
                } else if self.kind(object) == Kind::Identifier {
                    let name = self.builder.name_of(object);
                    if self.lists.contains(&(place.locals, name)) {
                        let list = self.builder.list(&[expr]);
                        let array = self.builder.expr(Expr::Array(list));
                        self.bind(place.locals, name, left, place.scope, Bound::Value(array));
                    }
                }
            }
            _ => {}
        }
    }

    /// The entries of a dictionary literal that a name, or an entry of one, stands for.
    fn entries_of(&mut self, node: Node<'t>, place: Place) -> Option<ScopeId> {
        let mut keys = Vec::new();
        let mut at = node;
        while self.kind(at) == Kind::Subscript && keys.len() < 8 {
            keys.push(self.entry_name(at.named_child(1)?)?);
            at = self.field(at, self.kinds.fields.value)?;
        }
        if self.kind(at) != Kind::Identifier {
            return None;
        }
        let name = self.builder.name_of(at);
        let mut scope = *self.dictionaries.get(&(place.locals, name))?;
        while let Some(key) = keys.pop() {
            scope = *self.nested.get(&(scope, key))?;
        }
        Some(scope)
    }

    /// `d.update({…})` adds entries.
    fn update(&mut self, object: Node<'t>, arguments: Node<'t>, place: Place) {
        let Some(scope) = self.entries_of(object, place) else {
            return;
        };
        let Some(given) = arguments.named_child(0) else {
            return;
        };
        if self.kind(given) != Kind::Dictionary {
            return;
        }
        for pair in self.named_children(given) {
            let f = &self.kinds.fields;
            if let (Some(key), Some(value)) = (self.field(pair, f.key), self.field(pair, f.value))
                && let Some(name) = self.entry_name(key)
            {
                let value = self.read(value, place);
                let bound = Bound::Value(value);
                self.builder
                    .bind_in(scope, name, pair.start_byte(), place.scope, bound);
            }
        }
    }

    /// Visits what assignment targets read: `a` in `a.b = c`, `a` and `i` in `a[i] = c`.
    fn targets(&mut self, left: Node<'t>, place: Place) {
        let mut open = vec![left];
        while let Some(node) = open.pop() {
            match self.kind(node) {
                Kind::Identifier => {}
                Kind::Attribute => {
                    self.site(SiteKind::Write, node, place, List::default());
                    let object = self.field(node, self.kinds.fields.object);
                    self.then([object], place);
                }
                Kind::PatternList
                | Kind::TuplePattern
                | Kind::ListPattern
                | Kind::Tuple
                | Kind::List
                | Kind::Parenthesized
                | Kind::ListSplatPattern => {
                    let children = self.named_children(node);
                    open.extend(children.into_iter().rev());
                }
                _ => self.then([Some(node)], place),
            }
        }
    }

    /// A symbol for a variable of the module or the class.
    fn variable(&mut self, node: Node<'t>, left: Node<'t>, value: Option<Node<'t>>, place: Place) {
        if value.is_some_and(|value| self.kind(value) == Kind::Lambda) || place.local {
            // A lambda that is given a name is still called by that name; see below.
        }
        match self.kind(left) {
            Kind::Identifier if !place.local => {
                let text = self.builder.text(left);
                let name = self.builder.name_of(left);
                let owner = place.class.map(|(class, _)| class);
                let key = (owner.unwrap_or(SymbolId(u32::MAX)), name);
                if !self.fields.insert(key) {
                    return;
                }
                let kind = match owner {
                    Some(class) if self.is_enum(class) && value.is_some() => SymbolKind::EnumMember,
                    Some(_) => SymbolKind::Field,
                    None if names::is_constant(text) => SymbolKind::Constant,
                    None => SymbolKind::Variable,
                };
                self.field_symbol(kind, name, text, node, left, owner, place);
            }
            Kind::Attribute => {
                let f = &self.kinds.fields;
                if let Some((class, _)) = self.receiver_of(left, place)
                    && let Some(name_node) = self.field(left, f.attribute)
                {
                    let text = self.builder.text(name_node);
                    let name = self.builder.name_of(name_node);
                    if self.fields.insert((class, name)) {
                        self.field_symbol(
                            SymbolKind::Field,
                            name,
                            text,
                            node,
                            name_node,
                            Some(class),
                            place,
                        );
                    }
                }
            }
            _ => {}
        }
    }

    fn is_enum(&self, class: SymbolId) -> bool {
        let symbol = self.builder.facts.symbols.get(class.index());
        symbol.is_some_and(|symbol| symbol.kind == SymbolKind::Enum)
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "one argument per part of the symbol"
    )]
    fn field_symbol(
        &mut self,
        kind: SymbolKind,
        name: NameId,
        text: &str,
        node: Node<'t>,
        name_node: Node<'t>,
        owner: Option<SymbolId>,
        place: Place,
    ) {
        let signature = self.builder.line(node.start_byte(), node.end_byte());
        let mut flags = Flags::default();
        if place.test {
            flags.set(Flags::TEST_CODE);
        }
        let id = self.builder.symbol(Symbol {
            kind,
            name,
            parent: owner,
            owner: None,
            span: Span::of(node),
            name_at: name_node.start_byte() as u32,
            name_row: name_node.start_position().row as u32,
            signature,
            doc: None,
            visibility: names::visibility(text, owner.is_some()),
            flags,
            members: None,
            function: None,
            declared: None,
            scope: place.scope,
        });
        let members = match owner {
            Some(owner) => {
                let symbol = self.builder.facts.symbols.get(owner.index());
                symbol.and_then(|symbol| symbol.members)
            }
            None => Some(ScopeId::MODULE),
        };
        if let Some(members) = members {
            self.bind(members, name, name_node, place.scope, Bound::Symbol(id));
        }
    }

    /// The class and members that an attribute of the receiver belongs to.
    fn receiver_of(&self, node: Node<'t>, place: Place) -> Option<(SymbolId, ScopeId)> {
        let (name, class, members) = place.receiver?;
        let object = self.field(node, self.kinds.fields.object)?;
        let is = self.kind(object) == Kind::Identifier
            && self.builder.text(object) == self.builder.named(name);
        is.then_some((class, members))
    }

    /// Gives the names of a target their value.
    fn assign(&mut self, left: Node<'t>, value: ExprId, place: Place) {
        self.give(left, value, place, false);
    }

    /// Gives the name of a target its declared type.
    fn declare(&mut self, left: Node<'t>, of: ExprId, place: Place) {
        self.give(left, of, place, true);
    }

    fn give(&mut self, left: Node<'t>, value: ExprId, place: Place, declared: bool) {
        let mut open = vec![(left, value)];
        while let Some((node, value)) = open.pop() {
            let bound = if declared {
                Bound::Declared(value)
            } else {
                Bound::Value(value)
            };
            match self.kind(node) {
                Kind::Identifier => {
                    let name = self.builder.name_of(node);
                    let unknown = value == self.unknown();
                    // A value of which nothing is known hides an outer name all the same.
                    let bound = if unknown { Bound::Unknown } else { bound };
                    self.bind(place.locals, name, node, place.scope, bound);
                }
                Kind::Attribute => {
                    if let Some((_, members)) = self.receiver_of(node, place)
                        && let Some(name) = self.field(node, self.kinds.fields.attribute)
                    {
                        let name = self.builder.name_of(name);
                        let unknown = value == self.unknown();
                        let bound = if unknown { Bound::Unknown } else { bound };
                        self.builder
                            .bind_in(members, name, node.start_byte(), place.scope, bound);
                    }
                }
                Kind::PatternList
                | Kind::TuplePattern
                | Kind::ListPattern
                | Kind::ExpressionList
                | Kind::Tuple
                | Kind::List => {
                    let children = self.named_children(node);
                    let splat = children
                        .iter()
                        .position(|child| self.kind(*child) == Kind::ListSplatPattern);
                    for (at, child) in children.into_iter().enumerate() {
                        if self.kind(child) == Kind::ListSplatPattern {
                            let Some(inside) = child.named_child(0) else {
                                continue;
                            };
                            let element = self.builder.expr(Expr::Element(value));
                            let list = self.builder.list(&[element]);
                            let array = self.builder.expr(Expr::Array(list));
                            open.push((inside, array));
                            continue;
                        }
                        let part = if splat.is_some_and(|splat| at > splat) {
                            self.builder.expr(Expr::Element(value))
                        } else {
                            self.builder.expr(Expr::Part(value, at.min(999) as u16))
                        };
                        open.push((child, part));
                    }
                }
                Kind::Parenthesized | Kind::ListSplatPattern | Kind::AsPatternTarget => {
                    if let Some(inside) = node.named_child(0) {
                        open.push((inside, value));
                    }
                }
                _ => {}
            }
        }
    }

    /// Binds a name where the language puts it: a `global` one in the module.
    fn bind(&mut self, locals: ScopeId, name: NameId, at: Node<'t>, env: ScopeId, bound: Bound) {
        let locals = if self.globals.contains(&(locals, name)) {
            ScopeId::MODULE
        } else {
            locals
        };
        self.builder
            .bind_in(locals, name, at.start_byte(), env, bound);
    }

    fn unknown(&mut self) -> ExprId {
        self.builder.expr(Expr::Unknown)
    }

    /// The scope that a walrus assigns in: the function around comprehensions.
    fn outside_comprehensions(&self, place: Place) -> ScopeId {
        place.locals
    }

    // ------------------------------------------------------------------ statements

    fn with(&mut self, node: Node<'t>, place: Place) {
        let enter = match is_async(node) {
            true => "__aenter__",
            false => "__enter__",
        };
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            for child in self.named_children(node) {
                match self.kind(child) {
                    Kind::WithClause => open.push(child),
                    Kind::WithItem => {
                        let value = self.field(child, self.kinds.fields.value);
                        if let Some(value) = value
                            && self.kind(value) == Kind::AsPattern
                            && let Some(entered) = value.named_child(0)
                            && let Some(target) = self.field(value, self.kinds.fields.alias)
                        {
                            let expr = self.read(entered, place);
                            self.protocol(expr, enter, entered, place);
                            let expr = self.builder.expr(Expr::Enter(expr));
                            self.assign(target, expr, place);
                        } else if let Some(entered) = value
                            && self.kind(entered) != Kind::AsPattern
                        {
                            let expr = self.read(entered, place);
                            self.protocol(expr, enter, entered, place);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn except(&mut self, node: Node<'t>, place: Place) {
        let f = &self.kinds.fields;
        let mut value = self.field(node, f.value).or_else(|| {
            node.named_child(0)
                .filter(|first| self.kind(*first) != Kind::Block)
        });
        let mut alias = self.field(node, f.alias);
        if let Some(pattern) = value
            && self.kind(pattern) == Kind::AsPattern
        {
            value = pattern.named_child(0);
            alias = self.field(pattern, f.alias);
        }
        if let (Some(value), Some(alias)) = (value, alias) {
            let types = match self.kind(value) {
                Kind::Tuple => self.named_children(value),
                _ => vec![value],
            };
            let mut all = Vec::new();
            for of in types {
                let of = self.read(of, place);
                all.push(self.builder.expr(Expr::Instance(of)));
            }
            let list = self.builder.list(&all);
            let union = self.builder.expr(Expr::Union(list));
            self.assign(alias, union, place);
        }
        self.children(node, place);
    }

    /// `if` and `elif`: what the condition asks holds in its block.
    fn branch(&mut self, node: Node<'t>, place: Place) {
        let f = &self.kinds.fields;
        let condition = self.field(node, f.condition);
        let block = self.field(node, f.consequence);
        let inside = match condition {
            Some(condition) => self.guarded(condition, node, place),
            None => place,
        };
        let from = self.open.len();
        for child in self.named_children(node) {
            let of = if Some(child) == block { inside } else { place };
            self.open.push((child, of));
        }
        self.open[from..].reverse();
    }

    /// The place where a condition holds.
    fn guarded(&mut self, condition: Node<'t>, at: Node<'t>, place: Place) -> Place {
        let guards = self.guards(condition, place);
        if guards.is_empty() || place.class.is_some() {
            return place;
        }
        let scope = self.builder.scope(place.scope, ScopeKind::Block, None);
        for (name, of) in guards {
            let bound = Bound::Declared(of);
            self.builder
                .bind_in(scope, name, at.start_byte(), place.scope, bound);
        }
        Place { scope, ..place }
    }

    /// The names that a condition asks to be instances of something, and of what.
    fn guards(&mut self, condition: Node<'t>, place: Place) -> Vec<(NameId, ExprId)> {
        let f = &self.kinds.fields;
        let mut found = Vec::new();
        let mut open = vec![condition];
        while let Some(node) = open.pop() {
            match self.kind(node) {
                Kind::Parenthesized => open.extend(node.named_child(0)),
                Kind::BooleanOperator => {
                    let operator = self.field(node, f.operator);
                    if operator.is_some_and(|operator| operator.kind() == "and") {
                        open.extend(self.field(node, f.left));
                        open.extend(self.field(node, f.right));
                    }
                }
                Kind::Call => {
                    let (Some(function), Some(arguments)) =
                        (self.field(node, f.function), self.field(node, f.arguments))
                    else {
                        continue;
                    };
                    if self.builder.text(function) != "isinstance" {
                        continue;
                    }
                    let arguments = self.named_children(arguments);
                    let [what, types] = arguments.as_slice() else {
                        continue;
                    };
                    if self.kind(*what) != Kind::Identifier {
                        continue;
                    }
                    let types = match self.kind(*types) {
                        Kind::Tuple => self.named_children(*types),
                        _ => vec![*types],
                    };
                    let mut all = Vec::new();
                    for of in types {
                        let of = self.read(of, place);
                        all.push(of);
                    }
                    if all.contains(&self.unknown()) {
                        continue;
                    }
                    let list = self.builder.list(&all);
                    let of = match all.as_slice() {
                        [one] => *one,
                        _ => self.builder.expr(Expr::Union(list)),
                    };
                    found.push((self.builder.name_of(*what), of));
                }
                _ => {}
            }
        }
        found
    }

    fn match_statement(&mut self, node: Node<'t>, place: Place) {
        let f = &self.kinds.fields;
        // Patterns: classes are used as types, captured names are bound.
        let subject = self.field(node, f.subject);
        let mut open: Vec<Node<'t>> = Vec::new();
        if let Some(body) = self.field(node, f.body) {
            open.push(body);
        }
        while let Some(node) = open.pop() {
            match self.kind(node) {
                Kind::CaseClause => {
                    for child in self.named_children(node) {
                        if self.kind(child) == Kind::CasePattern {
                            open.push(child);
                        }
                    }
                }
                Kind::AsPattern => {
                    let children = self.named_children(node);
                    if let [pattern, .., name] = children.as_slice()
                        && self.kind(*name) == Kind::Identifier
                    {
                        let class = self.pattern_class(*pattern, place);
                        let bound = match class {
                            Some(class) => Bound::Declared(class),
                            None => Bound::Unknown,
                        };
                        let id = self.builder.name_of(*name);
                        self.bind(place.locals, id, *name, place.scope, bound);
                    }
                    open.extend(children.first().copied());
                }
                Kind::ClassPattern => {
                    let children = self.named_children(node);
                    if let Some(class) = children.first() {
                        self.site(SiteKind::Type, *class, place, List::default());
                    }
                    open.extend(children.into_iter().skip(1));
                }
                Kind::DottedName => {
                    if let (Some(name), true) = (node.named_child(0), node.named_child_count() == 1)
                    {
                        let id = self.builder.name_of(name);
                        if self.builder.text(name) != "_" {
                            self.bind(place.locals, id, name, place.scope, Bound::Unknown);
                        }
                    } else {
                        self.site(SiteKind::Value, node, place, List::default());
                    }
                }
                _ => {
                    let children = self.named_children(node);
                    open.extend(
                        children
                            .into_iter()
                            .filter(|child| !matches!(self.kinds.of(*child), Kind::Block)),
                    );
                }
            }
        }
        self.then([subject], place);
        if let Some(body) = self.field(node, f.body) {
            let mut blocks = Vec::new();
            for clause in self.named_children(body) {
                if self.kind(clause) == Kind::CaseClause {
                    blocks.push(self.field(clause, f.guard));
                    blocks.push(self.field(clause, f.consequence));
                }
            }
            self.then(blocks, place);
        }
    }

    /// The class of a class pattern, as an expression.
    fn pattern_class(&mut self, pattern: Node<'t>, place: Place) -> Option<ExprId> {
        let mut node = pattern;
        for _ in 0..4 {
            match self.kind(node) {
                Kind::ClassPattern => {
                    let class = node.named_child(0)?;
                    return Some(self.read(class, place));
                }
                _ => node = node.named_child(0)?,
            }
        }
        None
    }

    fn type_alias(&mut self, node: Node<'t>, place: Place) {
        let f = &self.kinds.fields;
        let (Some(left), Some(right)) = (self.field(node, f.left), self.field(node, f.right))
        else {
            return;
        };
        let mut name_node = left;
        for _ in 0..4 {
            if self.kind(name_node) == Kind::Identifier {
                break;
            }
            match name_node.named_child(0) {
                Some(child) => name_node = child,
                None => return,
            }
        }
        let text = self.builder.text(name_node);
        let name = self.builder.name_of(name_node);
        let of = self.read_type(right, place);
        let signature = self.builder.line(node.start_byte(), node.end_byte());
        let id = self.builder.symbol(Symbol {
            kind: SymbolKind::TypeAlias,
            name,
            parent: place.owner,
            owner: None,
            span: Span::of(node),
            name_at: name_node.start_byte() as u32,
            name_row: name_node.start_position().row as u32,
            signature,
            doc: None,
            visibility: names::visibility(text, place.class.is_some()),
            flags: Flags::default(),
            members: None,
            function: None,
            declared: Some(of),
            scope: place.scope,
        });
        self.bind(
            place.locals,
            name,
            name_node,
            place.scope,
            Bound::Symbol(id),
        );
        self.then([Some(right)], place);
    }

    // ------------------------------------------------------------------ module-level specialties

    /// `__all__`, and `T = TypeVar("T")`.
    fn special(&mut self, left: Node<'t>, value: Option<Node<'t>>, place: Place) {
        if self.kind(left) != Kind::Identifier {
            return;
        }
        let Some(value) = value else {
            return;
        };
        if self.builder.text(left) == "__all__" {
            self.exports = Some((Vec::new(), true));
            self.add_exports(value);
            return;
        }
        if self.kind(value) == Kind::Call
            && let Some(function) = self.field(value, self.kinds.fields.function)
            && matches!(self.last_name(function), "TypeVar" | "ParamSpec")
        {
            let name = self.builder.name_of(left);
            let bound = self.type_var_bound(value, place);
            let scope = ScopeId::MODULE;
            let bindings = &mut self.builder.facts.bindings;
            bindings.retain(|b| !(b.scope == scope && b.name == name));
            self.bind(scope, name, left, scope, Bound::TypeParam(0, bound));
        }
    }

    /// `__all__ += […]`.
    fn exports_grow(&mut self, left: Option<Node<'t>>, right: Option<Node<'t>>, place: Place) {
        if place.scope == ScopeId::MODULE
            && let (Some(left), Some(right)) = (left, right)
            && self.builder.text(left) == "__all__"
        {
            self.add_exports(right);
        }
    }

    /// Adds the names of a list to `__all__`.
    fn add_exports(&mut self, value: Node<'t>) {
        let mut open = vec![value];
        while let Some(node) = open.pop() {
            match self.kind(node) {
                Kind::List | Kind::Tuple | Kind::Parenthesized => {
                    open.extend(self.named_children(node));
                }
                Kind::String => {
                    let text = read::string_content(self.builder.text(node));
                    let name = self.builder.name(text);
                    if let Some((names, _)) = &mut self.exports {
                        names.push(name);
                    }
                }
                Kind::BinaryOperator => {
                    open.extend(self.field(node, self.kinds.fields.left));
                    open.extend(self.field(node, self.kinds.fields.right));
                }
                Kind::Comment => {}
                _ => {
                    if let Some((_, known)) = &mut self.exports {
                        *known = false;
                    }
                }
            }
        }
    }

    // ------------------------------------------------------------------ sites

    fn call(&mut self, node: Node<'t>, place: Place) {
        let f = &self.kinds.fields;
        let function = self.field(node, f.function);
        let arguments = self.field(node, f.arguments);
        if let Some(function) = function {
            match self.kind(function) {
                Kind::Identifier | Kind::Attribute => {
                    let args = self.read_arguments(arguments, place);
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

    /// `__all__.extend([…])`, `__all__.append("…")`.
    fn exports_call(
        &mut self,
        function: Node<'t>,
        object: Option<Node<'t>>,
        arguments: Option<Node<'t>>,
    ) {
        if let (Some(object), Some(arguments)) = (object, arguments)
            && self.builder.text(object) == "__all__"
            && matches!(self.last_name(function), "extend" | "append")
        {
            for argument in self.named_children(arguments) {
                self.add_exports(argument);
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
            Expr::Unknown | Expr::Array(_) | Expr::Tuple(_) | Expr::Str(_) | Expr::Object(_) => {
                return None;
            }
            _ => {}
        }
        let name = self.builder.name(name);
        let what = self.builder.expr(Expr::Member(of, name));
        self.add_site(SiteKind::Value, what, at, place, List::default());
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
