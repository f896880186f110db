//! Reads statements that bind names or narrow them: `with`, `except`, branches, `match`.

use super::kinds::Kind;
use super::{Place, Python, is_async};
use crate::facts::{Bound, Expr, ExprId, List, NameId, ScopeKind, SiteKind};
use tree_sitter::Node;

impl<'t> Python<'_, '_, 't> {
    pub(super) fn with(&mut self, node: Node<'t>, place: Place) {
        let runs = match is_async(node) {
            true => ["__aenter__", "__aexit__"],
            false => ["__enter__", "__exit__"],
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
                            self.protocols(expr, runs, entered, place);
                            let expr = self.builder.expr(Expr::Enter(expr));
                            self.assign(target, expr, place);
                        } else if let Some(entered) = value
                            && self.kind(entered) != Kind::AsPattern
                        {
                            let expr = self.read(entered, place);
                            self.protocols(expr, runs, entered, place);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    pub(super) fn except(&mut self, node: Node<'t>, place: Place) {
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
    pub(super) fn branch(&mut self, node: Node<'t>, place: Place) {
        let f = &self.kinds.fields;
        let condition = self.field(node, f.condition);
        let block = self.field(node, f.consequence);
        let inside = match condition {
            Some(condition) => self.guarded(condition, node, place),
            None => place,
        };
        let ruled = condition.and_then(|condition| self.ruled_out(condition, place));
        let otherwise = self.otherwise(ruled, node, place);
        if let Some(block) = block {
            self.after_guard(node, block, ruled, place);
        }
        let from = self.open.len();
        for child in self.named_children(node) {
            let of = match child {
                child if Some(child) == block => inside,
                child if Some(child) == condition => place,
                _ => otherwise,
            };
            let of = Place {
                conditional: true,
                ..of
            };
            self.open.push((child, of));
        }
        self.open[from..].reverse();
    }

    /// The place where a condition holds.
    pub(super) fn guarded(&mut self, condition: Node<'t>, at: Node<'t>, place: Place) -> Place {
        let guards = self.guards(condition, place);
        if guards.is_empty() || place.class.is_some() {
            return place;
        }
        let scope = self.builder.scope(place.scope, ScopeKind::Block, None);
        for (name, of) in guards {
            let bound = Bound::Declared(of);
            self.guarded.insert((scope, name));
            self.builder
                .bind_in(scope, name, at.start_byte(), place.scope, bound);
        }
        Place { scope, ..place }
    }

    /// The names that a condition asks to be instances of something, and of what.
    pub(super) fn guards(&mut self, condition: Node<'t>, place: Place) -> Vec<(NameId, ExprId)> {
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

    pub(super) fn match_statement(&mut self, node: Node<'t>, place: Place) {
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
            let place = Place {
                conditional: true,
                ..place
            };
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
}
