//! Where the walk stands, and what it enters.

use super::Walk;
use crate::facts::{Bound, Expr, ExprId, FunctionId, NameId, ScopeId, ScopeKind, SymbolId};
use tree_sitter::Node;

impl Walk<'_, '_> {
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

    /// The full name of a symbol of this file: those around it and its own, with a separator.
    pub(crate) fn full_name(&self, id: SymbolId, separator: &str) -> String {
        let mut parts = Vec::new();
        let mut at = Some(id);
        while let Some(symbol) = at.and_then(|id| self.b.facts.symbols.get(id.index())) {
            parts.push(self.b.named(symbol.name));
            at = symbol.parent.filter(|parent| Some(*parent) < at);
        }
        parts.reverse();
        parts.join(separator)
    }
}
