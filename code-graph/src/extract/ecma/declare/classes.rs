//! Reads classes and their members.

use super::super::types::{accessor, has_word, named};
use super::super::{ClassScopes, DEPTH, Ecma, Frame};
use super::{This, body_start, is_function};
use crate::extract::field::Fields;
use crate::facts::{
    Base, BaseKind, Bound, Expr, ExprId, Flags, NameId, ScopeId, ScopeKind, Symbol, SymbolId,
    SymbolKind, Visibility,
};
use tree_sitter::Node;

impl<'n> Ecma<'_, '_, 'n> {
    /// The symbol of a class, with what it inherits.
    pub(in crate::extract::ecma) fn class_symbol(
        &mut self,
        node: Node<'n>,
        name: Option<(NameId, Node<'n>)>,
        scope: ScopeId,
    ) -> SymbolId {
        if let Some(id) = self.symbols.get(&node.id()) {
            return *id;
        }
        let own = node.field("name");
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
                    if let Some(value) = clause.field("value") {
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
    pub(super) fn base(
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
    pub(in crate::extract::ecma) fn class(&mut self, node: Node<'n>) {
        let scope = self.scope();
        let fresh = !self.symbols.contains_key(&node.id());
        let id = self.class_symbol(node, None, scope);
        if fresh && node.kind() != "class" {
            let name = match node.field("name") {
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
    pub(in crate::extract::ecma) fn class_body(&mut self, node: Node<'n>) {
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
    pub(in crate::extract::ecma) fn method(&mut self, node: Node<'n>) {
        if let Some(id) = self.symbols.get(&node.id()).copied() {
            // Declared when the object or the type around was read.
            let scope = self.scope();
            self.document(node, id);
            let function = self.function_of(node, scope, Some(id), This::Unknown);
            self.push_function(node, function, Some(id));
            return;
        }
        let frame = self.frame();
        let (Some(class), Some(name_node)) = (frame.class, node.field("name")) else {
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
        let params = node.field("parameters");
        for param in params.map(named).unwrap_or_default() {
            let property = has_word(param, "readonly")
                || named(param).iter().any(|child| {
                    matches!(child.kind(), "accessibility_modifier" | "override_modifier")
                });
            let Some(name_node) = param
                .field("pattern")
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
                .field("type")
                .map(|ty| self.ty(ty, scopes.members, DEPTH));
            let id = self.b.symbol(symbol);
            let at = name_node.start_byte();
            self.b.bind(scopes.members, name, at, Bound::Symbol(id));
            if let Some(value) = param.field("value") {
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
    pub(in crate::extract::ecma) fn field(&mut self, node: Node<'n>) {
        let frame = self.frame();
        let name_node = node.field("name").or_else(|| node.field("property"));
        let (Some(class), Some(name_node)) = (frame.class, name_node) else {
            return;
        };
        let Some(scopes) = self.classes.get(&class).copied() else {
            return;
        };
        let name = self.key(name_node);
        let value = node.field("value");
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
            .field("type")
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
    pub(in crate::extract::ecma) fn static_block(&mut self, node: Node<'n>) {
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
}
