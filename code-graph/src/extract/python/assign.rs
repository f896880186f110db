//! Reads assignments: what names, fields and entries are bound to.

use super::kinds::Kind;
use super::{Place, Python, names};
use crate::facts::{Bound, Expr, ExprId, List, NameId, ScopeId, SiteKind, SymbolId, SymbolKind};
use tree_sitter::Node;

impl<'t> Python<'_, '_, 't> {
    pub(super) fn assignment(&mut self, node: Node<'t>, place: Place) {
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
        self.after_assignment(node, left, expr, place);
        // What a variable of the module is made of, it is that depends on it.
        let owner = match self.kind(left) {
            Kind::Identifier if place.owner.is_none() && !place.local => {
                let name = self.builder.name_of(left);
                self.variables.get(&name).copied()
            }
            _ => place.owner,
        };
        self.then([declared, right], Place { owner, ..place });
        if self.kind(left) != Kind::Identifier {
            self.targets(left, place);
        }
        if place.scope == ScopeId::MODULE {
            self.special(left, value, place);
        }
        self.entry(left, value, expr, place);
    }

    /// `d = {…}` and `l = […]` are remembered, so that `d["key"] = value` adds to them.
    pub(super) fn entry(
        &mut self,
        left: Node<'t>,
        value: Option<Node<'t>>,
        expr: ExprId,
        place: Place,
    ) {
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
    pub(super) fn update(&mut self, object: Node<'t>, arguments: Node<'t>, place: Place) {
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
                _ => {
                    self.subscripts(node, "__setitem__", place);
                    self.then([Some(node)], place);
                }
            }
        }
    }

    /// A symbol for a variable of the module or the class.
    pub(super) fn variable(
        &mut self,
        node: Node<'t>,
        left: Node<'t>,
        value: Option<Node<'t>>,
        place: Place,
    ) {
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

    /// Gives the names of a target their value.
    pub(super) fn assign(&mut self, left: Node<'t>, value: ExprId, place: Place) {
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
    pub(super) fn bind(
        &mut self,
        locals: ScopeId,
        name: NameId,
        at: Node<'t>,
        env: ScopeId,
        bound: Bound,
    ) {
        let locals = if self.globals.contains(&(locals, name)) {
            ScopeId::MODULE
        } else {
            locals
        };
        self.builder
            .bind_in(locals, name, at.start_byte(), env, bound);
    }

    pub(super) fn unknown(&mut self) -> ExprId {
        self.builder.expr(Expr::Unknown)
    }

    /// The scope that a walrus assigns in: the function around comprehensions.
    pub(super) fn outside_comprehensions(&self, place: Place) -> ScopeId {
        place.locals
    }
}
