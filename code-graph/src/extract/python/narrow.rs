//! What holds after a guard: in the branches that it does not guard, behind it, and from an
//! assignment on.

use super::kinds::Kind;
use super::{Place, Python};
use crate::facts::{Bound, Expr, ExprId, NameId, ScopeKind};
use tree_sitter::Node;

/// How deep statements are looked into to tell whether they leave.
const DEPTH: u8 = 12;

impl<'t> Python<'_, '_, 't> {
    /// The only name that a condition asks for a type, and what is left of the name's declared types
    /// where the condition does not hold.
    pub(super) fn ruled_out(
        &mut self,
        condition: Node<'t>,
        place: Place,
    ) -> Option<(NameId, ExprId)> {
        let mut asks = condition;
        while self.kind(asks) == Kind::Parenthesized {
            asks = asks.named_child(0)?;
        }
        if !place.local || place.class.is_some() || self.kind(asks) != Kind::Call {
            return None;
        }
        let (name, of) = *self.guards(asks, place).first()?;
        let asked = self.types_in(of);
        let declared = self.declared_types(name, place)?;
        let left: Vec<ExprId> = declared
            .iter()
            .copied()
            .filter(|one| !asked.contains(one))
            .collect();
        if left.is_empty() || left.len() == declared.len() {
            return None;
        }
        Some((name, self.either(&left)))
    }

    /// The types that a type expression lists.
    fn types_in(&self, of: ExprId) -> Vec<ExprId> {
        let mut types = Vec::new();
        let mut open = vec![of];
        while let Some(one) = open.pop() {
            match self.builder.expr_at(one) {
                Expr::Union(list) => open.extend(self.builder.operands(list).iter().rev()),
                _ => types.push(one),
            }
        }
        types
    }

    /// The types that a name is declared with in the function around, as it is seen from a place.
    fn declared_types(&self, name: NameId, place: Place) -> Option<Vec<ExprId>> {
        let mut at = Some(place.scope);
        while let Some(scope) = at {
            let bindings = self.builder.facts.bindings.iter().rev();
            let mut here = bindings.filter(|one| one.scope == scope && one.name == name);
            if let Some(binding) = here.next() {
                let declared =
                    std::iter::once(binding)
                        .chain(here)
                        .find_map(|one| match one.bound {
                            Bound::Declared(of) => Some(of),
                            _ => None,
                        });
                return declared.map(|of| self.types_in(of));
            }
            if scope == place.locals {
                break;
            }
            let scope = self.builder.facts.scopes.get(scope.index());
            at = scope.and_then(|scope| scope.parent);
        }
        None
    }

    /// A place where a name is bound to these and to nothing else.
    fn narrowed(&mut self, name: NameId, bounds: &[Bound], at: usize, place: Place) -> Place {
        let scope = self.builder.scope(place.scope, ScopeKind::Block, None);
        self.guarded.insert((scope, name));
        for bound in bounds {
            self.builder.bind_in(scope, name, at, place.scope, *bound);
        }
        Place { scope, ..place }
    }

    /// The place of the branches of a condition that does not hold.
    pub(super) fn otherwise(
        &mut self,
        ruled: Option<(NameId, ExprId)>,
        at: Node<'t>,
        place: Place,
    ) -> Place {
        match ruled {
            Some((name, left)) => {
                self.narrowed(name, &[Bound::Declared(left)], at.start_byte(), place)
            }
            None => place,
        }
    }

    /// Behind an `if` whose block leaves, or gives the name another value, the name is not of the
    /// type that was asked for.
    pub(super) fn after_guard(
        &mut self,
        node: Node<'t>,
        block: Node<'t>,
        ruled: Option<(NameId, ExprId)>,
        place: Place,
    ) {
        let Some((name, left)) = ruled else {
            return;
        };
        if self.kind(node) != Kind::If || !self.leaves(block, name, DEPTH) {
            return;
        }
        let mut bounds = Vec::new();
        for value in self.values_given(node, name) {
            let value = self.read(value, place);
            if value != self.unknown() && !bounds.contains(&Bound::Value(value)) {
                bounds.push(Bound::Value(value));
            }
        }
        // A declared type would hide the values.
        bounds.push(match bounds.is_empty() {
            true => Bound::Declared(left),
            false => Bound::Value(self.builder.expr(Expr::Instance(left))),
        });
        self.rest_of_block(node, name, &bounds, place);
    }

    /// From an assignment on, a name that a guard had narrowed is what it was given.
    pub(super) fn after_assignment(
        &mut self,
        node: Node<'t>,
        left: Node<'t>,
        value: ExprId,
        place: Place,
    ) {
        if self.kind(left) != Kind::Identifier || place.scope == place.locals {
            return;
        }
        let Some(statement) = node
            .parent()
            .filter(|parent| self.kind(*parent) == Kind::ExpressionStatement)
        else {
            return;
        };
        let name = self.builder.name_of(left);
        if !self.is_narrowed(name, place) {
            return;
        }
        let bound = match value == self.unknown() {
            true => Bound::Unknown,
            false => Bound::Value(value),
        };
        self.rest_of_block(statement, name, &[bound], place);
    }

    /// Whether a scope between a place and its function binds a name.
    fn is_narrowed(&self, name: NameId, place: Place) -> bool {
        let mut at = place.scope;
        while at != place.locals {
            if self.guarded.contains(&(at, name)) {
                return true;
            }
            let scope = self.builder.facts.scopes.get(at.index());
            match scope.and_then(|scope| scope.parent) {
                Some(parent) => at = parent,
                None => return false,
            }
        }
        false
    }

    /// Has the statements behind one in the same block read with a name that is bound anew.
    fn rest_of_block(&mut self, node: Node<'t>, name: NameId, bounds: &[Bound], place: Place) {
        let Some(block) = node.parent() else {
            return;
        };
        let is_rest = |one: &(Node<'t>, Place)| {
            one.0.start_byte() >= node.end_byte()
                && one.0.end_byte() <= block.end_byte()
                && one.1.scope == place.scope
        };
        let count = self
            .open
            .iter()
            .rev()
            .take_while(|one| is_rest(one))
            .count();
        if count == 0 {
            return;
        }
        let rest = self.narrowed(name, bounds, node.end_byte(), place);
        let from = self.open.len() - count;
        for (_, at) in self.open.iter_mut().skip(from) {
            at.scope = rest.scope;
        }
    }

    /// Whether what stands behind a block is not reached from its end with the value that a name had
    /// at its beginning.
    fn leaves(&mut self, block: Node<'t>, name: NameId, depth: u8) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        for statement in self.named_children(block) {
            let leaves = match self.kind(statement) {
                Kind::Return | Kind::Raise => true,
                Kind::ExpressionStatement => {
                    let inner = statement.named_child(0);
                    inner.is_some_and(|inner| self.gives(inner, name))
                }
                Kind::If => self.both_leave(statement, name, depth),
                Kind::With => {
                    let body = self.field(statement, self.kinds.fields.body);
                    body.is_some_and(|body| self.leaves(body, name, depth))
                }
                _ => matches!(statement.kind(), "continue_statement" | "break_statement"),
            };
            if leaves {
                return true;
            }
        }
        false
    }

    /// Whether all branches of an `if` leave, and one of them is taken.
    fn both_leave(&mut self, node: Node<'t>, name: NameId, depth: u8) -> bool {
        let f = &self.kinds.fields;
        let mut has_else = false;
        let mut blocks: Vec<Node<'t>> = self.field(node, f.consequence).into_iter().collect();
        for child in self.named_children(node) {
            match child.kind() {
                "elif_clause" => blocks.extend(self.field(child, f.consequence)),
                "else_clause" => {
                    has_else = true;
                    blocks.extend(self.field(child, f.body));
                }
                _ => {}
            }
        }
        has_else
            && blocks
                .into_iter()
                .all(|block| self.leaves(block, name, depth))
    }

    /// Whether a node is an assignment to a name.
    fn gives(&mut self, node: Node<'t>, name: NameId) -> bool {
        let f = &self.kinds.fields;
        let left = self.field(node, f.left);
        self.kind(node) == Kind::Assignment
            && self.field(node, f.right).is_some()
            && left.is_some_and(|left| {
                self.kind(left) == Kind::Identifier && self.builder.name_of(left) == name
            })
    }

    /// The values that a statement gives a name, functions in it left out.
    fn values_given(&mut self, statement: Node<'t>, name: NameId) -> Vec<Node<'t>> {
        let mut values = Vec::new();
        let mut open = vec![statement];
        while let Some(node) = open.pop() {
            match self.kind(node) {
                Kind::Function | Kind::Class | Kind::Lambda => continue,
                Kind::Assignment if self.gives(node, name) => {
                    values.extend(self.field(node, self.kinds.fields.right));
                }
                _ => {}
            }
            open.extend(self.named_children(node).into_iter().rev());
        }
        values
    }
}
