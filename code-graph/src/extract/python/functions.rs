//! Reads functions: decorators, parameters, defaults, what they are tests of.

use super::kinds::Kind;
use super::read::string_content;
use super::{Place, Python, is_async, names};
use crate::facts::{
    Bound, Expr, ExprId, Flags, Function, FunctionId, List, NameId, Param, ScopeId, ScopeKind,
    SiteKind, Span, Symbol, SymbolId, SymbolKind,
};
use hashbrown::HashMap;
use tree_sitter::Node;

impl<'x, 't> Python<'_, 'x, 't> {
    pub(super) fn decorated(&mut self, node: Node<'t>, place: Place) {
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
    pub(super) fn decorators(
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
    pub(super) fn last_name(&self, node: Node<'t>) -> &'x str {
        match self.kind(node) {
            Kind::Attribute => {
                let name = self.field(node, self.kinds.fields.attribute);
                name.map_or("", |name| self.builder.text(name))
            }
            Kind::Identifier => self.builder.text(node),
            _ => "",
        }
    }

    pub(super) fn function(
        &mut self,
        node: Node<'t>,
        whole: Node<'t>,
        decorators: &[Node<'t>],
        place: Place,
    ) {
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
        if self.is_test(text, place) {
            flags.set(Flags::TEST);
        }
        if place.local {
            flags.set(Flags::LOCAL);
        }
        if place.conditional {
            flags.set(Flags::CONDITIONAL);
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
            conditional: false,
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
        // Decorators, defaults and annotations stand within the declaration, and are credited to it.
        let head = Place {
            owner: Some(id),
            ..place
        };
        let from = self.open.len();
        self.visit_decorators(decorators, head);
        if place.local && !decorators.is_empty() {
            // The function around is what runs them: it hands on what it decorates.
            let what = self.builder.expr(Expr::Symbol(id));
            self.add_site(SiteKind::Value, what, name_node, place, List::default());
        }
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

    /// Whether test runners collect a function of this name: at the top of a module, or as a method
    /// of a class for tests, be it one that others take it from.
    fn is_test(&self, name: &str, place: Place) -> bool {
        if place.local || !(name.starts_with("test_") || name == "test") {
            return false;
        }
        let Some((class, _)) = place.class else {
            return true;
        };
        let class = self.builder.facts.symbols.get(class.index());
        let named = class.map(|class| self.builder.named(class.name));
        place.test || named.is_some_and(|name| name.contains("Test"))
    }

    /// Gives every function with overloads their signatures: its own is not seen by who calls it.
    pub(super) fn overloads(&mut self) {
        let mut signatures: HashMap<(ScopeId, NameId), Vec<FunctionId>> = HashMap::new();
        let mut given: Vec<(usize, Vec<FunctionId>)> = Vec::new();
        for (at, symbol) in self.builder.facts.symbols.iter().enumerate() {
            let key = (symbol.scope, symbol.name);
            let Some(function) = symbol.function else {
                continue;
            };
            if symbol.flags.has(Flags::DECLARATION) {
                signatures.entry(key).or_default().push(function);
            } else if let Some(signatures) = signatures.remove(&key) {
                given.push((at, signatures));
            }
        }
        for (at, signatures) in given {
            let functions = &self.builder.facts.functions;
            // What nobody declares is told by the body.
            let told = signatures.iter().any(|id| {
                let function = functions.get(id.index());
                function.is_some_and(|function| function.result.is_some())
            });
            if !told {
                continue;
            }
            let mut closures = Vec::new();
            for id in signatures {
                closures.push(self.builder.expr(Expr::Closure(id)));
            }
            let declared = self.either(&closures);
            if let Some(symbol) = self.builder.facts.symbols.get_mut(at) {
                symbol.declared = Some(declared);
            }
        }
    }

    /// Visits what decorators are made with; that they decorate has been said.
    pub(super) fn visit_decorators(&mut self, decorators: &[Node<'t>], place: Place) {
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
    pub(super) fn parameters(
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
            let written = declared;
            let declared = declared
                .map(|declared| self.read_type(declared, inner))
                .filter(|declared| *declared != self.unknown());
            let default = default.map(|default| self.read(default, inner));
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
                    if let (None, Some(default)) = (declared, default)
                        && default != self.unknown()
                    {
                        self.bind(scope, name, at, outer.scope, Bound::Value(default));
                    }
                    let literal = || self.literal_type(written?);
                    function.params.push(Param {
                        name,
                        declared: declared.or_else(literal),
                        default,
                        rest: false,
                    });
                }
            }
        }
        receiver
    }

    /// `None`, or `Literal` of texts: the values that tell the overloads of a function apart.
    fn literal_type(&mut self, declared: Node<'t>) -> Option<ExprId> {
        let text = self.builder.text(declared).trim();
        if text == "None" {
            let none = self.builder.name("None");
            return Some(self.builder.expr(Expr::Literal(none)));
        }
        let (of, listed) = text.strip_suffix(']')?.split_once('[')?;
        if of.rsplit('.').next() != Some("Literal") {
            return None;
        }
        let mut texts = Vec::new();
        for one in listed
            .split(',')
            .map(str::trim)
            .filter(|one| !one.is_empty())
        {
            if !one.ends_with(['"', '\'']) {
                return None;
            }
            let name = self.builder.name(string_content(one));
            texts.push(self.builder.expr(Expr::Str(name)));
        }
        (!texts.is_empty()).then(|| self.either(&texts))
    }

    /// Visits the defaults and annotations of parameters.
    pub(super) fn defaults(&mut self, parameters: Node<'t>, place: Place) {
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
}
