//! Reads functions: parameters, patterns, signatures, closures.

use super::super::types::{first_named, has_word, named};
use super::super::{DEPTH, Ecma, Frame};
use super::{This, body_start};
use crate::extract::field::Fields;
use crate::facts::{
    Bound, Expr, ExprId, Flags, Function, FunctionId, Param, ScopeId, ScopeKind, Span, Symbol,
    SymbolId, SymbolKind, Visibility,
};
use tree_sitter::Node;

impl<'n> Ecma<'_, '_, 'n> {
    /// The function that a node is, with its parameters bound in a scope of its own. The first to
    /// ask says what surrounds it.
    pub(in crate::extract::ecma) fn function_of(
        &mut self,
        node: Node<'n>,
        outer: ScopeId,
        symbol: Option<SymbolId>,
        this: This,
    ) -> FunctionId {
        if let Some(function) = self.functions.get(&node.id()).copied() {
            if symbol.is_some()
                && let Some(known) = self.b.function_mut(function)
            {
                known.symbol = symbol;
                let scope = known.scope;
                if let Some(scope) = self.b.facts.scopes.get_mut(scope.index()) {
                    scope.owner = symbol;
                }
            }
            return function;
        }
        let scope = self.b.scope(outer, ScopeKind::Function, symbol);
        let function = self.b.function(Function {
            symbol,
            scope,
            params: Vec::new(),
            result: None,
            returns: Vec::new(),
            yields: Vec::new(),
            type_params: Vec::new(),
            context: None,
        });
        self.functions.insert(node.id(), function);
        let at = node.start_byte();
        let name = self.b.name("this");
        let this = match this {
            This::Lexical => None,
            This::Instance => Some(Bound::Value(self.b.expr(Expr::This))),
            This::Class => Some(Bound::Value(self.b.expr(Expr::SelfType))),
            This::Object(members) => Some(Bound::Value(self.b.expr(Expr::Object(members)))),
            This::Value(value) => Some(Bound::Value(value)),
            This::Unknown => Some(Bound::Unknown),
        };
        let type_params = self.type_params(node, scope);
        let (params, declared_this) = self.params(node, scope);
        match (declared_this, this) {
            (Some(ty), _) => self.b.bind(scope, name, at, Bound::Declared(ty)),
            (None, Some(bound)) => self.b.bind(scope, name, at, bound),
            (None, None) => {}
        }
        let mut result = node
            .field("return_type")
            .or_else(|| node.field("type"))
            .map(|ty| self.ty(ty, scope, DEPTH));
        if !self.typed {
            result = result.or_else(|| self.doc_signature(node, scope, &params));
        }
        if let Some(known) = self.b.function_mut(function) {
            known.params = params;
            known.result = result;
            known.type_params = type_params;
        }
        function
    }

    /// Binds the types that the documentation gives to parameters; the documented result.
    fn doc_signature(
        &mut self,
        node: Node<'n>,
        scope: ScopeId,
        params: &[Param],
    ) -> Option<ExprId> {
        // The comment stands before the declaration that the function is a part of.
        let start = self.path.iter().rev().take(4).map(Node::start_byte);
        let starts: Vec<usize> = std::iter::once(node.start_byte()).chain(start).collect();
        let mut types = Vec::new();
        for start in starts {
            types = self.doc_types(start);
            if !types.is_empty() {
                break;
            }
        }
        let mut result = None;
        for (name, ty) in types {
            if name.is_empty() {
                result = Some(ty);
                continue;
            }
            let name = self.b.name(&name);
            if params.iter().any(|param| param.name == name) {
                self.b
                    .bind(scope, name, node.start_byte(), Bound::Declared(ty));
            }
        }
        result
    }

    /// Reads and binds parameters; the declared type of a `this` parameter stands apart.
    pub(super) fn params(
        &mut self,
        node: Node<'n>,
        scope: ScopeId,
    ) -> (Vec<Param>, Option<ExprId>) {
        let mut params = Vec::new();
        let mut this = None;
        let list = match node.field("parameter") {
            Some(single) => vec![single],
            None => node.field("parameters").map(named).unwrap_or_default(),
        };
        for param in list {
            let at = param.start_byte();
            let (mut pattern, declared, default) = match param.kind() {
                "required_parameter" | "optional_parameter" => {
                    let Some(pattern) = param.field("pattern").or_else(|| param.field("name"))
                    else {
                        continue;
                    };
                    let ty = param.field("type");
                    (pattern, ty, param.field("value"))
                }
                "assignment_pattern" => match param.field("left") {
                    Some(left) => (left, None, param.field("right")),
                    None => continue,
                },
                "comment" | "decorator" => continue,
                _ => (param, None, None),
            };
            let declared = declared.map(|ty| self.ty(ty, scope, DEPTH));
            if pattern.kind() == "this" {
                this = declared;
                continue;
            }
            let rest = pattern.kind() == "rest_pattern";
            if rest && let Some(inner) = first_named(pattern) {
                pattern = inner;
            }
            let default = default.map(|value| self.expr(value, scope, DEPTH));
            let index = params.len() as u16;
            let simple = pattern.kind() == "identifier";
            let name = match simple {
                true => self.b.name_of(pattern),
                false => self.b.name(&format!("#{index}")),
            };
            let bound = match declared {
                Some(ty) => Bound::Declared(ty),
                None => Bound::Parameter(index),
            };
            self.b.bind(scope, name, at, bound);
            if let (None, Some(value)) = (declared, default) {
                self.b.bind(scope, name, at, Bound::Value(value));
            }
            if !simple {
                let source = self.b.expr(Expr::Name(name));
                self.bind_pattern(pattern, scope, scope, Some(source), None);
            }
            params.push(Param {
                name,
                declared,
                default,
                rest,
            });
        }
        (params, this)
    }

    /// Binds the names of a pattern to the parts of a value. With a kind, they are symbols.
    pub(in crate::extract::ecma) fn bind_pattern(
        &mut self,
        pattern: Node<'n>,
        scope: ScopeId,
        env: ScopeId,
        source: Option<ExprId>,
        kind: Option<SymbolKind>,
    ) {
        let mut open = vec![(pattern, source)];
        while let Some((pattern, source)) = open.pop() {
            match pattern.kind() {
                "identifier" | "shorthand_property_identifier_pattern" => {
                    let name = self.b.name_of(pattern);
                    let at = pattern.start_byte();
                    if let Some(kind) = kind {
                        let symbol =
                            self.new_symbol(kind, name, pattern, pattern, pattern.end_byte());
                        let id = self.b.symbol(symbol);
                        self.b.bind(scope, name, at, Bound::Symbol(id));
                    }
                    let bound = source.map_or(Bound::Unknown, Bound::Value);
                    self.b.bind_in(scope, name, at, env, bound);
                }
                "assignment_pattern" | "object_assignment_pattern" => {
                    let (left, right) = (pattern.field("left"), pattern.field("right"));
                    let Some(left) = left else { continue };
                    let from = match left.kind() {
                        "shorthand_property_identifier_pattern" => {
                            let name = self.b.name_of(left);
                            source.map(|source| self.b.expr(Expr::Member(source, name)))
                        }
                        _ => source,
                    };
                    let default = right.map(|right| self.expr(right, env, DEPTH));
                    let parts: Vec<ExprId> = from.into_iter().chain(default).collect();
                    let value = (!parts.is_empty()).then(|| self.any_of(parts));
                    open.push((left, value));
                }
                "object_pattern" => {
                    for part in named(pattern) {
                        match part.kind() {
                            "shorthand_property_identifier_pattern" => {
                                let name = self.b.name_of(part);
                                let value =
                                    source.map(|source| self.b.expr(Expr::Member(source, name)));
                                open.push((part, value));
                            }
                            "pair_pattern" => {
                                let (Some(key), Some(value)) =
                                    (part.field("key"), part.field("value"))
                                else {
                                    continue;
                                };
                                let name = self.key(key);
                                let from =
                                    source.map(|source| self.b.expr(Expr::Member(source, name)));
                                open.push((value, from));
                            }
                            "object_assignment_pattern" => open.push((part, source)),
                            "rest_pattern" => {
                                if let Some(inner) = first_named(part) {
                                    open.push((inner, source));
                                }
                            }
                            _ => {}
                        }
                    }
                }
                "array_pattern" => {
                    let mut index = 0u16;
                    let mut cursor = pattern.walk();
                    let parts: Vec<Node<'n>> = pattern.children(&mut cursor).collect();
                    for part in parts {
                        match part.kind() {
                            "," => index = index.saturating_add(1),
                            "rest_pattern" => {
                                if let Some(inner) = first_named(part) {
                                    open.push((inner, source));
                                }
                            }
                            _ if part.is_named() && part.kind() != "comment" => {
                                let from =
                                    source.map(|source| self.b.expr(Expr::Part(source, index)));
                                open.push((part, from));
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Goes into the scope of a function until its node is left.
    pub(super) fn push_function(
        &mut self,
        node: Node<'n>,
        function: FunctionId,
        owner: Option<SymbolId>,
    ) {
        let Some(known) = self.b.facts.functions.get(function.index()) else {
            return;
        };
        let scope = known.scope;
        let frame = self.frame();
        self.frames.push(Frame {
            node: node.id(),
            scope,
            vars: scope,
            owner: owner.or(frame.owner),
            function: Some(function),
            ..frame
        });
    }

    /// A signature that is only a type: its parameters are in a scope of their own.
    pub(in crate::extract::ecma) fn signature_of(
        &mut self,
        node: Node<'n>,
        outer: ScopeId,
        symbol: Option<SymbolId>,
        _depth: u32,
    ) -> FunctionId {
        let this = match symbol {
            Some(_) => This::Instance,
            None => This::Lexical,
        };
        self.function_of(node, outer, symbol, this)
    }

    /// The walk comes to a signature.
    pub(in crate::extract::ecma) fn signature(&mut self, node: Node<'n>) {
        let function = self.signature_of(node, self.scope(), None, DEPTH);
        self.push_function(node, function, None);
    }

    /// The walk comes to a function literal.
    pub(in crate::extract::ecma) fn closure(&mut self, node: Node<'n>) {
        let scope = self.scope();
        let mut owner = self.symbols.get(&node.id()).copied();
        // A named function expression is a symbol, visible in itself.
        if let Some(name_node) = node.field("name") {
            let name = self.b.name_of(name_node);
            let id = owner.unwrap_or_else(|| {
                let mut symbol = self.new_symbol(
                    SymbolKind::Function,
                    name,
                    name_node,
                    node,
                    body_start(node),
                );
                symbol.visibility = Visibility::Private;
                self.async_flag(node, &mut symbol);
                let around = symbol.parent;
                let id = self.b.symbol(symbol);
                self.symbols.insert(node.id(), id);
                self.hand_on(id, name_node, around);
                id
            });
            owner = Some(id);
            let function = self.function_of(node, scope, owner, This::of(node));
            self.tie(id, function);
            if let Some(inner) = self.scope_of(function) {
                self.b
                    .bind(inner, name, name_node.start_byte(), Bound::Symbol(id));
            }
        }
        let function = self.function_of(node, scope, owner, This::of(node));
        self.push_function(node, function, owner);
        if let Some(body) = node
            .field("body")
            .filter(|body| body.kind() != "statement_block")
        {
            self.give_back(body);
        }
    }

    fn scope_of(&self, function: FunctionId) -> Option<ScopeId> {
        let function = self.b.facts.functions.get(function.index())?;
        Some(function.scope)
    }

    pub(super) fn async_flag(&self, node: Node<'n>, symbol: &mut Symbol) {
        if has_word(node, "async") {
            symbol.flags.set(Flags::ASYNC);
        }
    }

    /// Makes a function what a symbol is.
    pub(super) fn tie(&mut self, id: SymbolId, function: FunctionId) {
        if let Some(symbol) = self.b.symbol_mut(id) {
            symbol.function = Some(function);
        }
    }

    /// A value that the function around gives back.
    pub(in crate::extract::ecma) fn give_back(&mut self, value: Node<'n>) {
        let frame = self.frame();
        let Some(function) = frame.function else {
            return;
        };
        let mut read = self.expr(value, frame.scope, DEPTH);
        let Some(known) = self.b.facts.functions.get(function.index()) else {
            return;
        };
        let (scope, result) = (known.scope, known.result);
        let context = match (result, known.context) {
            (Some(ty), _) => Some(self.b.expr(Expr::Instance(ty))),
            _ => None,
        };
        if let Some(context) = context {
            self.expect(value, context, DEPTH);
        }
        if frame.scope != scope {
            let name = self.b.name("return");
            self.b.bind_in(
                scope,
                name,
                value.start_byte(),
                frame.scope,
                Bound::Value(read),
            );
            read = self.b.expr(Expr::Name(name));
        }
        if let Some(known) = self.b.function_mut(function)
            && !known.returns.contains(&read)
        {
            known.returns.push(read);
        }
    }

    /// The walk comes to a declared function, or to a signature that overloads one.
    pub(in crate::extract::ecma) fn function_declaration(&mut self, node: Node<'n>) {
        let scope = self.scope();
        let name_node = node.field("name").unwrap_or(node);
        let name = match name_node.id() == node.id() {
            true => self.b.name("default"),
            false => self.b.name_of(name_node),
        };
        let signature = node.kind() == "function_signature";
        let known = self.overloads.get(&(scope, name, false)).copied();
        let id = match known {
            Some(id) => id,
            None => {
                let mut symbol = self.new_symbol(
                    SymbolKind::Function,
                    name,
                    name_node,
                    node,
                    body_start(node),
                );
                self.async_flag(node, &mut symbol);
                if signature {
                    symbol.flags.set(Flags::DECLARATION);
                }
                let id = self.b.symbol(symbol);
                self.b
                    .bind(scope, name, name_node.start_byte(), Bound::Symbol(id));
                self.export_symbol(node, name, id);
                id
            }
        };
        self.symbols.insert(node.id(), id);
        let this = match self.typed || signature {
            true => This::Unknown,
            // An old class: `this` is what `new` makes of it.
            false => {
                let class = self.b.expr(Expr::Symbol(id));
                This::Value(self.b.expr(Expr::Instance(class)))
            }
        };
        let function = self.function_of(node, scope, Some(id), this);
        if signature {
            self.overloads.insert((scope, name, false), id);
            self.add_overload(id, function, known.is_some());
        } else {
            self.implement(node, id, function, known.is_some());
            self.overloads.remove(&(scope, name, false));
        }
        self.push_function(node, function, Some(id));
        if !self.typed && !signature {
            let class = self.frames.len() - 1;
            if let Some(frame) = self.frames.get_mut(class) {
                frame.class = Some(id);
            }
        }
    }

    /// The body of a symbol that signatures may have declared before.
    pub(super) fn implement(
        &mut self,
        node: Node<'n>,
        id: SymbolId,
        function: FunctionId,
        known: bool,
    ) {
        let end = Span::of(node);
        let first = self.b.symbol_mut(id).and_then(|symbol| symbol.function);
        let declared = match first.filter(|_| known) {
            Some(first) => Some(self.b.expr(Expr::Closure(first))),
            None => None,
        };
        if let Some(symbol) = self.b.symbol_mut(id) {
            symbol.function = Some(function);
            symbol.declared = symbol.declared.or(declared);
            symbol.flags = Flags(symbol.flags.0 & !Flags::DECLARATION.0);
            symbol.span.end = end.end;
            symbol.span.end_row = end.end_row;
        }
    }
}
