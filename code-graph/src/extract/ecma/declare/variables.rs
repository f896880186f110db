//! Reads variables and what is assigned to members.

use super::super::types::{first_named, named};
use super::super::{DEPTH, Ecma};
use super::{This, body_start, is_function};
use crate::extract::field::Fields;
use crate::facts::{Bound, Expr, Flags, ScopeId, ScopeKind, SymbolId, SymbolKind, Visibility};
use tree_sitter::Node;

impl<'n> Ecma<'_, '_, 'n> {
    /// The walk comes to one variable of a declaration.
    pub(in crate::extract::ecma) fn variable(&mut self, node: Node<'n>) {
        let Some(name_node) = node.field("name") else {
            return;
        };
        let value = node.field("value");
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
        let annotation = node.field("type");
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

    /// `this.x = value` and `Foo.prototype.x = value` declare members.
    pub(in crate::extract::ecma) fn assigned_member(
        &mut self,
        node: Node<'n>,
        left: Node<'n>,
        right: Node<'n>,
    ) {
        let (Some(object), Some(property)) = (left.field("object"), left.field("property")) else {
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
                .field("property")
                .is_some_and(|property| self.b.text(property) == "prototype");
        let target = match prototype {
            true => object.field("object"),
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
    pub(in crate::extract::ecma) fn become_function(
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
    pub(in crate::extract::ecma) fn members_of(&mut self, class: SymbolId) -> ScopeId {
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
            "pair_pattern" => open.extend(node.field("value")),
            "assignment_pattern" | "object_assignment_pattern" => {
                open.extend(node.field("left"));
            }
            _ => {}
        }
    }
    names
}
