//! What a file declares: functions, classes, types, variables.

use super::types::{accessor, first_named, has_word, named};
use super::{ClassScopes, DEPTH, Ecma, Frame};
use crate::facts::{
    Base, BaseKind, Bound, Expr, ExprId, Flags, Function, FunctionId, NameId, Param, ScopeId,
    ScopeKind, Span, Symbol, SymbolId, SymbolKind, Visibility,
};
use tree_sitter::Node;

/// What `this` is in a function.
#[derive(Clone, Copy)]
pub(super) enum This {
    /// What it is around the function (arrow functions).
    Lexical,
    /// An instance of the class around.
    Instance,
    /// The class around.
    Class,
    /// The object literal around.
    Object(ScopeId),
    /// This value.
    Value(ExprId),
    /// Nothing that could be told.
    Unknown,
}

impl This {
    /// What `this` is in a function that belongs to nothing.
    pub(super) fn of(node: Node<'_>) -> This {
        match node.kind() {
            "arrow_function" => This::Lexical,
            _ => This::Unknown,
        }
    }
}

/// Where the body of a function or class begins; its end when it has none.
pub(super) fn body_start(node: Node<'_>) -> usize {
    node.child_by_field_name("body")
        .map_or(node.end_byte(), |body| body.start_byte())
}

/// Whether a node is a function literal.
pub(super) fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "arrow_function" | "function_expression" | "generator_function"
    )
}

impl<'n> Ecma<'_, '_, 'n> {
    /// The function that a node is, with its parameters bound in a scope of its own. The first to
    /// ask says what surrounds it.
    pub(super) fn function_of(
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
            .child_by_field_name("return_type")
            .or_else(|| node.child_by_field_name("type"))
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
    fn params(&mut self, node: Node<'n>, scope: ScopeId) -> (Vec<Param>, Option<ExprId>) {
        let mut params = Vec::new();
        let mut this = None;
        let list = match node.child_by_field_name("parameter") {
            Some(single) => vec![single],
            None => node
                .child_by_field_name("parameters")
                .map(named)
                .unwrap_or_default(),
        };
        for param in list {
            let at = param.start_byte();
            let (mut pattern, declared, default) = match param.kind() {
                "required_parameter" | "optional_parameter" => {
                    let Some(pattern) = param
                        .child_by_field_name("pattern")
                        .or_else(|| param.child_by_field_name("name"))
                    else {
                        continue;
                    };
                    let ty = param.child_by_field_name("type");
                    (pattern, ty, param.child_by_field_name("value"))
                }
                "assignment_pattern" => match param.child_by_field_name("left") {
                    Some(left) => (left, None, param.child_by_field_name("right")),
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
    pub(super) fn bind_pattern(
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
                    let (left, right) = (
                        pattern.child_by_field_name("left"),
                        pattern.child_by_field_name("right"),
                    );
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
                                let (Some(key), Some(value)) = (
                                    part.child_by_field_name("key"),
                                    part.child_by_field_name("value"),
                                ) else {
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
    fn push_function(&mut self, node: Node<'n>, function: FunctionId, owner: Option<SymbolId>) {
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
    pub(super) fn signature_of(
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
    pub(super) fn signature(&mut self, node: Node<'n>) {
        let function = self.signature_of(node, self.scope(), None, DEPTH);
        self.push_function(node, function, None);
    }

    /// The walk comes to a function literal.
    pub(super) fn closure(&mut self, node: Node<'n>) {
        let scope = self.scope();
        let mut owner = self.symbols.get(&node.id()).copied();
        // A named function expression is a symbol, visible in itself.
        if let Some(name_node) = node.child_by_field_name("name") {
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
                let id = self.b.symbol(symbol);
                self.symbols.insert(node.id(), id);
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
            .child_by_field_name("body")
            .filter(|body| body.kind() != "statement_block")
        {
            self.give_back(body);
        }
    }

    fn scope_of(&self, function: FunctionId) -> Option<ScopeId> {
        let function = self.b.facts.functions.get(function.index())?;
        Some(function.scope)
    }

    fn async_flag(&self, node: Node<'n>, symbol: &mut Symbol) {
        if has_word(node, "async") {
            symbol.flags.set(Flags::ASYNC);
        }
    }

    /// Makes a function what a symbol is.
    fn tie(&mut self, id: SymbolId, function: FunctionId) {
        if let Some(symbol) = self.b.symbol_mut(id) {
            symbol.function = Some(function);
        }
    }

    /// A value that the function around gives back.
    pub(super) fn give_back(&mut self, value: Node<'n>) {
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
    pub(super) fn function_declaration(&mut self, node: Node<'n>) {
        let scope = self.scope();
        let name_node = node.child_by_field_name("name").unwrap_or(node);
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
    fn implement(&mut self, node: Node<'n>, id: SymbolId, function: FunctionId, known: bool) {
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

    /// The symbol of a class, with what it inherits.
    pub(super) fn class_symbol(
        &mut self,
        node: Node<'n>,
        name: Option<(NameId, Node<'n>)>,
        scope: ScopeId,
    ) -> SymbolId {
        if let Some(id) = self.symbols.get(&node.id()) {
            return *id;
        }
        let own = node.child_by_field_name("name");
        let (name, name_node) = match (name, own) {
            (Some(name), _) => name,
            (None, Some(own)) => (self.b.name_of(own), own),
            (None, None) => (self.b.name("class"), node),
        };
        let mut symbol =
            self.new_symbol(SymbolKind::Class, name, name_node, node, body_start(node));
        if node.kind() == "abstract_class_declaration" {
            symbol.flags.set(Flags::ABSTRACT);
        }
        symbol.scope = scope;
        let id = self.b.symbol(symbol);
        self.symbols.insert(node.id(), id);
        let around = self.b.scope(scope, ScopeKind::Block, Some(id));
        self.list_type_params(node, around, id);
        if let Some(own) = own.filter(|_| node.kind() == "class") {
            let own_name = self.b.name_of(own);
            self.b
                .bind(around, own_name, own.start_byte(), Bound::Symbol(id));
        }
        let members = self.b.scope(around, ScopeKind::Members, Some(id));
        let this = self.b.name("this");
        let at = node.start_byte();
        let instance = self.b.scope(members, ScopeKind::Block, Some(id));
        let value = self.b.expr(Expr::This);
        self.b.bind(instance, this, at, Bound::Value(value));
        let fixed = self.b.scope(members, ScopeKind::Block, Some(id));
        let value = self.b.expr(Expr::SelfType);
        self.b.bind(fixed, this, at, Bound::Value(value));
        self.classes.insert(
            id,
            ClassScopes {
                members,
                instance,
                fixed,
            },
        );
        if let Some(symbol) = self.b.symbol_mut(id) {
            symbol.members = Some(members);
        }
        let mut cursor = node.walk();
        let heritage = node
            .children(&mut cursor)
            .find(|child| child.kind() == "class_heritage");
        for clause in heritage.map(named).unwrap_or_default() {
            match clause.kind() {
                "extends_clause" => {
                    if let Some(value) = clause.child_by_field_name("value") {
                        let what = self.expr(value, around, DEPTH);
                        let what = self.generic(clause, what, around, DEPTH);
                        self.base(id, BaseKind::Extends, what, around, value);
                    }
                }
                "implements_clause" => {
                    for ty in named(clause) {
                        if ty.kind() != "comment" {
                            let what = self.ty(ty, around, DEPTH);
                            self.base(id, BaseKind::Implements, what, around, ty);
                        }
                    }
                }
                "comment" => {}
                _ => {
                    let what = self.expr(clause, around, DEPTH);
                    self.base(id, BaseKind::Extends, what, around, clause);
                }
            }
        }
        id
    }

    /// Notes what a type inherits; its name is told by that.
    fn base(
        &mut self,
        class: SymbolId,
        kind: BaseKind,
        what: ExprId,
        scope: ScopeId,
        node: Node<'n>,
    ) {
        let last = self.last_name(node);
        self.told.insert(last.id());
        self.b.facts.bases.push(Base {
            class,
            kind,
            what,
            scope,
            at: last.start_byte() as u32,
            row: last.start_position().row as u32,
        });
    }

    /// The walk comes to a class.
    pub(super) fn class(&mut self, node: Node<'n>) {
        let scope = self.scope();
        let fresh = !self.symbols.contains_key(&node.id());
        let id = self.class_symbol(node, None, scope);
        if fresh && node.kind() != "class" {
            let name = match node.child_by_field_name("name") {
                Some(name_node) => {
                    let name = self.b.name_of(name_node);
                    self.b
                        .bind(scope, name, name_node.start_byte(), Bound::Symbol(id));
                    name
                }
                None => self.b.name("class"),
            };
            self.export_symbol(node, name, id);
        }
        let pending = std::mem::take(&mut self.decorators);
        self.decorate(id, &pending);
        let around = self.b.facts.symbols.get(id.index()).and_then(|s| s.members);
        let around = around
            .and_then(|members| self.b.facts.scopes.get(members.index()))
            .and_then(|members| members.parent);
        let frame = self.frame();
        self.frames.push(Frame {
            node: node.id(),
            scope: around.unwrap_or(scope),
            owner: Some(id),
            class: Some(id),
            ..frame
        });
    }

    /// The walk comes to the members of a class.
    pub(super) fn class_body(&mut self, node: Node<'n>) {
        self.decorators.clear();
        let frame = self.frame();
        if let Some(scopes) = frame.class.and_then(|class| self.classes.get(&class)) {
            let members = scopes.members;
            self.frames.push(Frame {
                node: node.id(),
                scope: members,
                vars: members,
                function: None,
                ..frame
            });
        }
    }

    /// What is said of a class member before its name.
    fn member_modifiers(&mut self, node: Node<'n>, symbol: &mut Symbol) {
        symbol.visibility = Visibility::Public;
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "accessibility_modifier" => {
                    symbol.visibility = match self.b.text(child) {
                        "private" => Visibility::Private,
                        "protected" => Visibility::Protected,
                        _ => Visibility::Public,
                    };
                }
                "static" => symbol.flags.set(Flags::STATIC),
                "async" => symbol.flags.set(Flags::ASYNC),
                "abstract" => symbol.flags.set(Flags::ABSTRACT),
                "override_modifier" => symbol.flags.set(Flags::OVERRIDE),
                "formal_parameters" | "statement_block" => break,
                _ => {}
            }
        }
        if self.b.named(symbol.name).starts_with('#') {
            symbol.visibility = Visibility::Private;
        }
    }

    /// The walk comes to a method, of a class or of an object literal or a type.
    pub(super) fn method(&mut self, node: Node<'n>) {
        if let Some(id) = self.symbols.get(&node.id()).copied() {
            // Declared when the object or the type around was read.
            let scope = self.scope();
            self.document(node, id);
            let function = self.function_of(node, scope, Some(id), This::Unknown);
            self.push_function(node, function, Some(id));
            return;
        }
        let frame = self.frame();
        let (Some(class), Some(name_node)) = (frame.class, node.child_by_field_name("name")) else {
            let function = self.function_of(node, frame.scope, None, This::Unknown);
            self.push_function(node, function, None);
            return;
        };
        let Some(scopes) = self.classes.get(&class).copied() else {
            return;
        };
        let name = self.key(name_node);
        let kind = match self.b.named(name) {
            "constructor" => SymbolKind::Constructor,
            _ => accessor(node).unwrap_or(SymbolKind::Method),
        };
        let fixed = has_word(node, "static");
        let key = (scopes.members, name, fixed);
        let known = self.overloads.get(&key).copied();
        let pending = std::mem::take(&mut self.decorators);
        let id = known.unwrap_or_else(|| {
            let mut symbol = self.new_symbol(kind, name, name_node, node, body_start(node));
            symbol.flags = Flags(symbol.flags.0 & !Flags::LOCAL.0);
            self.member_modifiers(node, &mut symbol);
            if let Some(first) = pending.first() {
                symbol.span.start = first.start_byte() as u32;
                symbol.span.row = first.start_position().row as u32;
            }
            symbol.scope = scopes.members;
            if matches!(kind, SymbolKind::Getter | SymbolKind::Setter) {
                symbol.flags.set(Flags::PROPERTY);
            }
            if node.kind() == "abstract_method_signature" {
                symbol.flags.set(Flags::ABSTRACT);
            }
            let id = self.b.symbol(symbol);
            self.b.bind(
                scopes.members,
                name,
                name_node.start_byte(),
                Bound::Symbol(id),
            );
            id
        });
        self.symbols.insert(node.id(), id);
        self.decorate(id, &pending);
        let this = if fixed { This::Class } else { This::Instance };
        let function = self.function_of(node, scopes.members, Some(id), this);
        if node.kind() == "method_definition" {
            self.implement(node, id, function, known.is_some());
            self.overloads.remove(&key);
        } else {
            self.overloads.insert(key, id);
            self.add_overload(id, function, known.is_some());
        }
        if kind == SymbolKind::Constructor {
            self.parameter_properties(node, class, scopes);
        }
        self.push_function(node, function, Some(id));
    }

    /// Fields that a constructor declares by its parameters.
    fn parameter_properties(&mut self, node: Node<'n>, class: SymbolId, scopes: ClassScopes) {
        let params = node.child_by_field_name("parameters");
        for param in params.map(named).unwrap_or_default() {
            let property = has_word(param, "readonly")
                || named(param).iter().any(|child| {
                    matches!(child.kind(), "accessibility_modifier" | "override_modifier")
                });
            let Some(name_node) = param
                .child_by_field_name("pattern")
                .filter(|pattern| property && pattern.kind() == "identifier")
            else {
                continue;
            };
            let name = self.b.name_of(name_node);
            let mut symbol =
                self.new_symbol(SymbolKind::Field, name, name_node, param, param.end_byte());
            symbol.flags = Flags(symbol.flags.0 & !Flags::LOCAL.0);
            self.member_modifiers(param, &mut symbol);
            symbol.parent = Some(class);
            symbol.scope = scopes.members;
            symbol.declared = param
                .child_by_field_name("type")
                .map(|ty| self.ty(ty, scopes.members, DEPTH));
            let id = self.b.symbol(symbol);
            let at = name_node.start_byte();
            self.b.bind(scopes.members, name, at, Bound::Symbol(id));
            if let Some(value) = param.child_by_field_name("value") {
                let value = self.expr(value, scopes.instance, DEPTH);
                self.b.bind_in(
                    scopes.members,
                    name,
                    at,
                    scopes.instance,
                    Bound::Value(value),
                );
            }
        }
    }

    /// The walk comes to a field of a class.
    pub(super) fn field(&mut self, node: Node<'n>) {
        let frame = self.frame();
        let name_node = node
            .child_by_field_name("name")
            .or_else(|| node.child_by_field_name("property"));
        let (Some(class), Some(name_node)) = (frame.class, name_node) else {
            return;
        };
        let Some(scopes) = self.classes.get(&class).copied() else {
            return;
        };
        let name = self.key(name_node);
        let value = node.child_by_field_name("value");
        let function = value.filter(|value| is_function(*value));
        let kind = match function {
            Some(_) => SymbolKind::Method,
            None => SymbolKind::Field,
        };
        let end = match function {
            Some(function) => body_start(function),
            None => node.end_byte(),
        };
        let mut symbol = self.new_symbol(kind, name, name_node, node, end);
        symbol.flags = Flags(symbol.flags.0 & !Flags::LOCAL.0);
        self.member_modifiers(node, &mut symbol);
        let fixed = symbol.flags.has(Flags::STATIC);
        let pending: Vec<Node<'n>> = std::mem::take(&mut self.decorators)
            .into_iter()
            .chain(
                named(node)
                    .into_iter()
                    .filter(|child| child.kind() == "decorator"),
            )
            .collect();
        if let Some(first) = pending.first()
            && (first.start_byte() as u32) < symbol.span.start
        {
            symbol.span.start = first.start_byte() as u32;
            symbol.span.row = first.start_position().row as u32;
        }
        symbol.scope = scopes.members;
        let declared = node
            .child_by_field_name("type")
            .map(|ty| self.ty(ty, scopes.members, DEPTH));
        symbol.declared = declared;
        let types = match self.typed {
            true => Vec::new(),
            false => self.doc_types(node.start_byte()),
        };
        if let Some((_, ty)) = types.iter().find(|(name, _)| name == "type") {
            symbol.declared = Some(*ty);
        }
        let id = self.b.symbol(symbol);
        let at = name_node.start_byte();
        self.b.bind(scopes.members, name, at, Bound::Symbol(id));
        self.symbols.insert(node.id(), id);
        self.decorate(id, &pending);
        let env = if fixed { scopes.fixed } else { scopes.instance };
        if let Some(value) = value {
            match function {
                Some(node) => {
                    self.symbols.insert(node.id(), id);
                    let function = self.function_of(node, env, Some(id), This::of(node));
                    self.tie(id, function);
                }
                None => {
                    if value.kind() == "object" {
                        self.symbols.insert(value.id(), id);
                    }
                    let value = self.expr(value, env, DEPTH);
                    self.b
                        .bind_in(scopes.members, name, at, env, Bound::Value(value));
                }
            }
            if let Some(ty) = declared {
                let context = self.b.expr(Expr::Instance(ty));
                self.expect(value, context, DEPTH);
            }
        }
        self.frames.push(Frame {
            node: node.id(),
            scope: env,
            vars: env,
            owner: Some(id),
            ..frame
        });
    }

    /// The walk comes to a `static { … }`.
    pub(super) fn static_block(&mut self, node: Node<'n>) {
        let frame = self.frame();
        if let Some(scopes) = frame.class.and_then(|class| self.classes.get(&class)) {
            let fixed = scopes.fixed;
            let scope = self.b.scope(fixed, ScopeKind::Block, frame.class);
            self.frames.push(Frame {
                node: node.id(),
                scope,
                vars: scope,
                ..frame
            });
        }
    }

    /// The walk comes to an interface.
    pub(super) fn interface(&mut self, node: Node<'n>) {
        let (Some(name_node), Some(body)) = (
            node.child_by_field_name("name"),
            node.child_by_field_name("body"),
        ) else {
            return;
        };
        let scope = self.scope();
        let name = self.b.name_of(name_node);
        let symbol = self.new_symbol(
            SymbolKind::Interface,
            name,
            name_node,
            node,
            body.start_byte(),
        );
        let id = self.b.symbol(symbol);
        self.b
            .bind(scope, name, name_node.start_byte(), Bound::Symbol(id));
        self.export_symbol(node, name, id);
        let around = self.b.scope(scope, ScopeKind::Block, Some(id));
        self.list_type_params(node, around, id);
        let members = self.b.scope(around, ScopeKind::Members, Some(id));
        if let Some(symbol) = self.b.symbol_mut(id) {
            symbol.members = Some(members);
        }
        for clause in named(node) {
            if clause.kind() != "extends_type_clause" {
                continue;
            }
            for ty in named(clause) {
                if ty.kind() != "comment" {
                    let what = self.ty(ty, around, DEPTH);
                    self.base(id, BaseKind::Extends, what, around, ty);
                }
            }
        }
        self.type_members(body, members, Some(id), DEPTH);
        self.planned.insert(body.id(), members);
        self.push_owner(node, id);
        if let Some(frame) = self.frames.last_mut() {
            frame.scope = around;
        }
    }

    /// Binds the type parameters of a type and lists them as its own.
    fn list_type_params(&mut self, node: Node<'n>, scope: ScopeId, id: SymbolId) {
        for name in self.type_params(node, scope) {
            self.b.facts.type_params.push((id, name));
        }
    }

    /// The walk comes to a type alias.
    pub(super) fn type_alias(&mut self, node: Node<'n>) {
        let (Some(name_node), Some(value)) = (
            node.child_by_field_name("name"),
            node.child_by_field_name("value"),
        ) else {
            return;
        };
        let scope = self.scope();
        let name = self.b.name_of(name_node);
        let mut symbol = self.new_symbol(
            SymbolKind::TypeAlias,
            name,
            name_node,
            node,
            node.end_byte(),
        );
        let around = self.b.scope(scope, ScopeKind::Block, None);
        symbol.scope = around;
        let id = self.b.symbol(symbol);
        if let Some(scope) = self.b.facts.scopes.get_mut(around.index()) {
            scope.owner = Some(id);
        }
        self.b
            .bind(scope, name, name_node.start_byte(), Bound::Symbol(id));
        self.export_symbol(node, name, id);
        self.list_type_params(node, around, id);
        self.alias = Some(id);
        // What is written as one object or one function is a type of its own, as an interface is.
        let members = match value.kind() {
            "object_type" => {
                let members = self.b.scope(around, ScopeKind::Members, Some(id));
                self.objects.insert(value.id(), members);
                self.type_members(value, members, Some(id), DEPTH);
                Some(members)
            }
            "function_type" => {
                let members = self.b.scope(around, ScopeKind::Members, Some(id));
                let function = self.signature_of(value, members, None, DEPTH);
                let called = self.b.expr(Expr::Closure(function));
                let name = self.b.name("()");
                self.b
                    .bind(members, name, value.start_byte(), Bound::Declared(called));
                Some(members)
            }
            _ => None,
        };
        let declared = self.ty(value, around, DEPTH);
        self.alias = None;
        if let Some(symbol) = self.b.symbol_mut(id) {
            symbol.declared = Some(declared);
            symbol.members = members;
        }
        self.push_owner(node, id);
        if let Some(frame) = self.frames.last_mut() {
            frame.scope = around;
        }
    }

    /// The walk comes to an enum.
    pub(super) fn enumeration(&mut self, node: Node<'n>) {
        let (Some(name_node), Some(body)) = (
            node.child_by_field_name("name"),
            node.child_by_field_name("body"),
        ) else {
            return;
        };
        let scope = self.scope();
        let name = self.b.name_of(name_node);
        let symbol = self.new_symbol(SymbolKind::Enum, name, name_node, node, body.start_byte());
        let id = self.b.symbol(symbol);
        self.b
            .bind(scope, name, name_node.start_byte(), Bound::Symbol(id));
        self.export_symbol(node, name, id);
        let members = self.b.scope(scope, ScopeKind::Members, Some(id));
        if let Some(symbol) = self.b.symbol_mut(id) {
            symbol.members = Some(members);
        }
        for member in named(body) {
            let key = match member.kind() {
                "comment" => {
                    self.comment = Some(member);
                    continue;
                }
                "enum_assignment" => member.child_by_field_name("name"),
                _ => Some(member),
            };
            let Some(key) = key else { continue };
            let name = self.key(key);
            let mut symbol =
                self.new_symbol(SymbolKind::EnumMember, name, key, member, member.end_byte());
            symbol.parent = Some(id);
            symbol.scope = members;
            symbol.visibility = Visibility::Public;
            symbol.flags.set(Flags::STATIC);
            let member = self.b.symbol(symbol);
            self.b
                .bind(members, name, key.start_byte(), Bound::Symbol(member));
        }
        self.push_owner(node, id);
    }

    /// The walk comes to a namespace, or to the declaration of a module.
    pub(super) fn module(&mut self, node: Node<'n>) {
        let (Some(name_node), Some(body)) = (
            node.child_by_field_name("name"),
            node.child_by_field_name("body"),
        ) else {
            return;
        };
        let mut scope = self.scope();
        let text = match name_node.kind() {
            "string" => {
                let name = self.key(name_node);
                self.b.named(name).to_owned()
            }
            _ => self.b.text(name_node).to_owned(),
        };
        let names: Vec<&str> = match name_node.kind() {
            "string" => vec![&text],
            _ => text.split('.').map(str::trim).collect(),
        };
        let mut owner = None;
        for (depth, name) in names.iter().enumerate() {
            let name = self.b.name(name);
            let mut symbol =
                self.new_symbol(SymbolKind::Module, name, name_node, node, body.start_byte());
            symbol.scope = scope;
            if owner.is_some() {
                symbol.parent = owner;
            }
            let id = self.b.symbol(symbol);
            self.b
                .bind(scope, name, name_node.start_byte(), Bound::Symbol(id));
            if depth == 0 {
                self.export_symbol(node, name, id);
            }
            let inside = self.b.scope(scope, ScopeKind::Module, Some(id));
            if let Some(symbol) = self.b.symbol_mut(id) {
                symbol.members = Some(inside);
            }
            scope = inside;
            owner = Some(id);
        }
        self.planned.insert(body.id(), scope);
        let frame = self.frame();
        self.frames.push(Frame {
            node: node.id(),
            scope,
            vars: scope,
            owner,
            ..frame
        });
    }

    /// The walk comes to one variable of a declaration.
    pub(super) fn variable(&mut self, node: Node<'n>) {
        let Some(name_node) = node.child_by_field_name("name") else {
            return;
        };
        let value = node.child_by_field_name("value");
        if let Some(value) = value
            && self.required(node, name_node, value)
        {
            return;
        }
        let frame = self.frame();
        let declaration = self.path.last().copied();
        let word = declaration
            .and_then(|d| d.child(0))
            .map_or("var", |first| first.kind());
        let scope = if word == "var" {
            frame.vars
        } else {
            frame.scope
        };
        let outside = frame.function.is_none()
            && self
                .b
                .facts
                .scopes
                .get(scope.index())
                .is_some_and(|scope| scope.kind == ScopeKind::Module);
        let kind = match word {
            "const" => SymbolKind::Constant,
            _ => SymbolKind::Variable,
        };
        let annotation = node.child_by_field_name("type");
        if name_node.kind() != "identifier" {
            let mut source = match annotation {
                Some(ty) => {
                    let ty = self.ty(ty, frame.scope, DEPTH);
                    Some(self.b.expr(Expr::Instance(ty)))
                }
                None => value.map(|value| self.expr(value, frame.scope, DEPTH)),
            };
            if source.is_none() {
                source = Some(self.unknown());
            }
            let kind = outside.then_some(kind);
            if let (Some(declaration), Some(_)) = (declaration, kind)
                && let Some(statement) = self.exported.get(&declaration.id()).copied()
            {
                for part in pattern_names(name_node) {
                    self.exported.insert(part.id(), statement);
                }
            }
            self.bind_pattern(name_node, scope, frame.scope, source, kind);
            return;
        }
        let name = self.b.name_of(name_node);
        let at = name_node.start_byte();
        let declared = match annotation {
            Some(ty) => Some(self.ty(ty, frame.scope, DEPTH)),
            None if self.typed => None,
            None => {
                let start = declaration.map_or(node.start_byte(), |d| d.start_byte());
                let types = self.doc_types(start);
                types
                    .iter()
                    .find(|(name, _)| name == "type")
                    .map(|(_, ty)| *ty)
            }
        };
        let function = value.filter(|value| is_function(*value));
        let class = value.filter(|value| value.kind() == "class");
        if let Some(class) = class {
            let whole = self.whole(node, declaration);
            if let Some(statement) = self.exported.get(&whole.id()).copied() {
                self.exported.insert(class.id(), statement);
            }
            let id = self.class_symbol(class, Some((name, name_node)), frame.scope);
            self.b.bind(scope, name, at, Bound::Symbol(id));
            self.export_symbol(whole, name, id);
            return;
        }
        if function.is_some() || outside {
            let whole = self.whole(node, declaration);
            let kind = match function {
                Some(_) => SymbolKind::Function,
                None => kind,
            };
            let end = function.map_or(whole.end_byte(), body_start);
            let mut symbol = self.new_symbol(kind, name, name_node, whole, end);
            symbol.declared = declared;
            symbol.scope = frame.scope;
            if let Some(function) = function {
                self.async_flag(function, &mut symbol);
            }
            let id = self.b.symbol(symbol);
            self.b.bind(scope, name, at, Bound::Symbol(id));
            self.export_symbol(whole, name, id);
            if let Some(node) = function {
                self.symbols.insert(node.id(), id);
                let function = self.function_of(node, frame.scope, Some(id), This::of(node));
                self.tie(id, function);
            } else {
                if let Some(value) = value.map(bare).filter(|value| value.kind() == "object") {
                    self.symbols.insert(value.id(), id);
                    let members = self.object(value, frame.scope, DEPTH);
                    if let Some(symbol) = self.b.symbol_mut(id) {
                        symbol.members = Some(members);
                    }
                }
                self.push_owner(node, id);
            }
        }
        match (declared, value) {
            (Some(ty), _) if !(function.is_some() || outside) => {
                self.b
                    .bind_in(scope, name, at, frame.scope, Bound::Declared(ty));
            }
            (None, Some(value)) if function.is_none() => {
                let value = self.expr(value, frame.scope, DEPTH);
                self.b
                    .bind_in(scope, name, at, frame.scope, Bound::Value(value));
            }
            (None, None) if !outside => self.b.bind(scope, name, at, Bound::Unknown),
            _ => {}
        }
        if let (Some(ty), Some(value)) = (declared, value) {
            // Reading it makes the functions in it known.
            self.expr(value, frame.scope, DEPTH);
            let context = self.b.expr(Expr::Instance(ty));
            self.expect(value, context, DEPTH);
        }
    }

    /// What a variable's symbol spans: the declaration when it declares only this one.
    fn whole(&self, node: Node<'n>, declaration: Option<Node<'n>>) -> Node<'n> {
        match declaration {
            Some(declaration)
                if matches!(
                    declaration.kind(),
                    "lexical_declaration" | "variable_declaration"
                ) && (declaration.named_child_count() == 1
                    || declaration.named_child(0).map(|c| c.id()) == Some(node.id())) =>
            {
                declaration
            }
            _ => node,
        }
    }

    /// Gives a symbol the documentation before its node, when it was declared before the walk came.
    pub(super) fn document(&mut self, node: Node<'n>, id: SymbolId) {
        let has = self
            .b
            .symbol_mut(id)
            .is_none_or(|symbol| symbol.doc.is_some());
        if has {
            return;
        }
        let mut flags = Flags::default();
        let doc = self.doc(node.start_byte(), &mut flags);
        if let Some(symbol) = self.b.symbol_mut(id) {
            symbol.doc = doc;
            symbol.flags.set(flags);
        }
    }

    /// `this.x = value` and `Foo.prototype.x = value` declare members.
    pub(super) fn assigned_member(&mut self, node: Node<'n>, left: Node<'n>, right: Node<'n>) {
        let (Some(object), Some(property)) = (
            left.child_by_field_name("object"),
            left.child_by_field_name("property"),
        ) else {
            return;
        };
        let frame = self.frame();
        let name = self.b.name_of(property);
        let at = property.start_byte();
        if object.kind() == "this" {
            let Some(class) = frame.class.filter(|_| !self.typed) else {
                return;
            };
            let members = self.members_of(class);
            self.makers.push(class);
            let key = (members, name, false);
            if !self.overloads.contains_key(&key) {
                let kind = match is_function(right) {
                    true => SymbolKind::Method,
                    false => SymbolKind::Field,
                };
                let mut symbol = self.new_symbol(kind, name, property, node, node.end_byte());
                symbol.flags = Flags(symbol.flags.0 & !Flags::LOCAL.0);
                symbol.parent = Some(class);
                symbol.visibility = Visibility::Public;
                let id = self.b.symbol(symbol);
                self.overloads.insert(key, id);
                self.b.bind(members, name, at, Bound::Symbol(id));
                if is_function(right) {
                    self.become_function(right, id, frame.scope, This::of(right));
                    return;
                }
            }
            let value = self.expr(right, frame.scope, DEPTH);
            self.b
                .bind_in(members, name, at, frame.scope, Bound::Value(value));
            return;
        }
        let prototype = object.kind() == "member_expression"
            && object
                .child_by_field_name("property")
                .is_some_and(|property| self.b.text(property) == "prototype");
        let target = match prototype {
            true => object.child_by_field_name("object"),
            false => Some(object),
        };
        let Some(target) = target.filter(|target| target.kind() == "identifier") else {
            return;
        };
        if !prototype && !is_function(right) {
            return;
        }
        let members = self.extension_of(target);
        if prototype {
            self.prototypes.insert(members);
        }
        let class = self.expr(target, frame.scope, DEPTH);
        let this = match (right.kind(), prototype) {
            ("arrow_function", _) => This::Lexical,
            (_, true) => This::Value(self.b.expr(Expr::Instance(class))),
            (_, false) => This::Value(class),
        };
        if is_function(right) {
            let kind = match prototype {
                true => SymbolKind::Method,
                false => SymbolKind::Function,
            };
            let mut symbol = self.new_symbol(kind, name, property, node, body_start(right));
            symbol.owner = Some(self.b.name_of(target));
            symbol.visibility = Visibility::Public;
            symbol.flags = Flags(symbol.flags.0 & !Flags::LOCAL.0);
            if !prototype {
                symbol.flags.set(Flags::STATIC);
            }
            let id = self.b.symbol(symbol);
            self.b
                .bind_in(members, name, at, frame.scope, Bound::Symbol(id));
            self.become_function(right, id, frame.scope, this);
        } else {
            let value = self.expr(right, frame.scope, DEPTH);
            self.b
                .bind_in(members, name, at, frame.scope, Bound::Value(value));
        }
    }

    /// Makes a function literal a symbol.
    pub(super) fn become_function(
        &mut self,
        node: Node<'n>,
        id: SymbolId,
        scope: ScopeId,
        this: This,
    ) {
        self.symbols.insert(node.id(), id);
        let function = self.function_of(node, scope, Some(id), this);
        self.tie(id, function);
    }

    /// The members of a class, or of a function that is used as one.
    pub(super) fn members_of(&mut self, class: SymbolId) -> ScopeId {
        if let Some(members) = self
            .b
            .facts
            .symbols
            .get(class.index())
            .and_then(|s| s.members)
        {
            return members;
        }
        let scope = self.b.facts.symbols.get(class.index()).map(|s| s.scope);
        let members = self.b.scope(
            scope.unwrap_or(ScopeId::MODULE),
            ScopeKind::Members,
            Some(class),
        );
        if let Some(symbol) = self.b.symbol_mut(class) {
            symbol.members = Some(members);
        }
        members
    }

    /// The members that assignments give to what an identifier names.
    fn extension_of(&mut self, target: Node<'n>) -> ScopeId {
        let frame = self.frame();
        let name = self.b.name_of(target);
        if let Some(members) = self.extensions.get(&(frame.scope, name)) {
            return *members;
        }
        let members = self.b.scope(frame.scope, ScopeKind::Members, None);
        self.extensions.insert((frame.scope, name), members);
        let class = self.expr(target, frame.scope, DEPTH);
        self.b.facts.extensions.push(crate::facts::Extension {
            target: class,
            interface: None,
            members,
            scope: frame.scope,
            at: target.start_byte() as u32,
            row: target.start_position().row as u32,
            target_name: Some(name),
        });
        members
    }
}

/// The value inside casts and parentheses.
fn bare(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    for _ in 0..8 {
        match at.kind() {
            "parenthesized_expression" | "as_expression" | "satisfies_expression" => {
                match first_named(at) {
                    Some(inner) => at = inner,
                    None => break,
                }
            }
            _ => break,
        }
    }
    at
}

/// The identifiers that a pattern binds.
fn pattern_names(pattern: Node<'_>) -> Vec<Node<'_>> {
    let mut names = Vec::new();
    let mut open = vec![pattern];
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => names.push(node),
            "object_pattern" | "array_pattern" | "rest_pattern" => open.extend(named(node)),
            "pair_pattern" => open.extend(node.child_by_field_name("value")),
            "assignment_pattern" | "object_assignment_pattern" => {
                open.extend(node.child_by_field_name("left"));
            }
            _ => {}
        }
    }
    names
}
