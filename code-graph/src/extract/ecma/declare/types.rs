//! Reads interfaces, type aliases, enums and namespaces.

use super::super::types::named;
use super::super::{DEPTH, Ecma, Frame};
use crate::extract::field::Fields;
use crate::facts::{
    BaseKind, Bound, Expr, Flags, ScopeId, ScopeKind, SymbolId, SymbolKind, Visibility,
};
use tree_sitter::Node;

impl<'n> Ecma<'_, '_, 'n> {
    /// The walk comes to an interface.
    pub(in crate::extract::ecma) fn interface(&mut self, node: Node<'n>) {
        let (Some(name_node), Some(body)) = (node.field("name"), node.field("body")) else {
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
    pub(super) fn list_type_params(&mut self, node: Node<'n>, scope: ScopeId, id: SymbolId) {
        for name in self.type_params(node, scope) {
            self.b.facts.type_params.push((id, name));
        }
    }

    /// The walk comes to a type alias.
    pub(in crate::extract::ecma) fn type_alias(&mut self, node: Node<'n>) {
        let (Some(name_node), Some(value)) = (node.field("name"), node.field("value")) else {
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
    pub(in crate::extract::ecma) fn enumeration(&mut self, node: Node<'n>) {
        let (Some(name_node), Some(body)) = (node.field("name"), node.field("body")) else {
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
                "enum_assignment" => member.field("name"),
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
    pub(in crate::extract::ecma) fn module(&mut self, node: Node<'n>) {
        let (Some(name_node), Some(body)) = (node.field("name"), node.field("body")) else {
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
}
