//! Rust: one walk over the tree, and one more over each macro invocation's arguments.
//!
//! Three things are peculiar to these facts:
//!
//! * Every local variable is bound under a name of its own, `name·n`, in the scope of the function
//!   or closure around it. The walk knows which one a name means (it goes through shadowing lets,
//!   match arms and blocks in order), so that linking needs no positions. A name without a dot in
//!   it is never a local.
//! * Type parameters of a type, trait or `impl` are bound in a block scope around the members, with
//!   a [`Bound::Type`] for each `where` predicate; bounds of projections are bound under their text
//!   (`T::Item`).
//! * `mod x;` is an import of `x` from the module `mod `, or `mod PATH` when `#[path]` says where.
//!
//! Values of expressions are put together from the bottom up: when the walk leaves a node, what its
//! operands are is known.

mod attributes;
pub(crate) mod cargo;
mod items;
mod macros;
mod patterns;
mod types;
mod uses;
mod values;

use crate::extract::Builder;
use crate::facts::{
    Bound, Expr, ExprId, List, NameId, ScopeId, ScopeKind, Site, SiteKind, Span, SymbolId,
};
use attributes::Pending;
use fourfold_syntax::Language;
use hashbrown::HashMap;
use macros::Maker;
use tree_sitter::{Node, Tree};

/// Reads one file.
pub(crate) fn walk(builder: &mut Builder<'_>, tree: &Tree) {
    let mut walk = Walk {
        b: builder,
        state: State {
            owner: None,
            parent: None,
            scope: ScopeId::MODULE,
            vars: ScopeId::MODULE,
            barrier: 0,
            locals: 0,
            container: Container::Module,
            test_code: false,
        },
        saved: Vec::new(),
        locals: Vec::new(),
        counts: HashMap::new(),
        read: HashMap::new(),
        pending: Pending::default(),
        delta: 0,
        rows: 0,
        macro_depth: 0,
        makers: HashMap::new(),
        beside: HashMap::new(),
        awaited: false,
        language: Language::named("rust").ok(),
    };
    walk.tree(tree.root_node());
}

/// What the items around a node are members of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    /// A file or module.
    Module,
    /// A function's body.
    Body,
    /// An `impl` block: the name of its target, and whether it is of a trait.
    Impl(Option<NameId>, bool),
    /// A trait.
    Trait,
    /// An `extern` block.
    Foreign,
}

/// What changes on the way into a node and is as before on the way out.
#[derive(Debug, Clone, Copy)]
struct State {
    /// The innermost symbol around.
    owner: Option<SymbolId>,
    /// The symbol that a declaration here is a member of.
    parent: Option<SymbolId>,
    /// Where names are looked up and items are bound.
    scope: ScopeId,
    /// Where locals are bound: the scope of the innermost function or closure.
    vars: ScopeId,
    /// The first local that the innermost function can see.
    barrier: usize,
    /// How many locals there were when this state began.
    locals: usize,
    container: Container,
    test_code: bool,
}

struct Walk<'b, 't> {
    b: &'b mut Builder<'t>,
    state: State,
    /// States to go back to, with the node whose end ends the present one.
    saved: Vec<(usize, State)>,
    /// Visible locals: the name as written and the name of its own.
    locals: Vec<(NameId, NameId)>,
    /// How often a name was bound as a local so far.
    counts: HashMap<NameId, u32>,
    /// What a node of the present tree was read as.
    read: HashMap<usize, ExprId>,
    pending: Pending<'t>,
    /// What to add to a byte position of the present tree to get one of the file.
    delta: isize,
    /// What to add to a row.
    rows: usize,
    macro_depth: usize,
    /// What the macros defined so far make.
    makers: HashMap<NameId, Vec<Maker>>,
    /// The scopes of functions that stand in the rules of macros: beside whatever the macro is given.
    beside: HashMap<NameId, ScopeId>,
    /// The `let` that is being read binds what awaiting its value yields.
    awaited: bool,
    language: Option<Language>,
}

impl<'t> Walk<'_, 't> {
    /// Walks all of a tree. Recursion is only into macro invocations, which are trees of their own.
    fn tree(&mut self, root: Node<'_>) {
        let mut cursor = root.walk();
        let mut ancestors: Vec<Node<'_>> = Vec::new();
        loop {
            let node = cursor.node();
            let field = cursor.field_name();
            if self.enter(node, field, &ancestors) && cursor.goto_first_child() {
                ancestors.push(node);
                continue;
            }
            self.leave(node, field, &ancestors);
            loop {
                if ancestors.is_empty() {
                    return;
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                let Some(parent) = ancestors.pop() else {
                    return;
                };
                cursor.goto_parent();
                let field = cursor.field_name();
                self.leave(parent, field, &ancestors);
            }
        }
    }

    /// On the way into a node: whether to go on to its children.
    fn enter(&mut self, node: Node<'_>, field: Option<&str>, ancestors: &[Node<'_>]) -> bool {
        if !node.is_named() {
            return false;
        }
        let kind = node.kind();
        match kind {
            "line_comment" | "block_comment" => {
                self.pending.comment(self.b.source(), self.bytes(node));
                return false;
            }
            "attribute_item" => {
                self.attribute(node);
                return false;
            }
            "inner_attribute_item" => {
                self.inner_attribute(node);
                return false;
            }
            "visibility_modifier"
            | "lifetime"
            | "label"
            | "string_literal"
            | "escape_sequence"
            | "raw_string_literal"
            | "function_modifiers"
            | "metavariable"
            | "self_parameter"
            | "use_bounds" => return false,
            _ => {}
        }
        let parent = ancestors.last().map_or("", Node::kind);
        if self.is_pattern(kind, field, parent) {
            return false;
        }
        if let Some(descend) = self.item(node, kind) {
            return descend;
        }
        if kind == "macro_invocation" {
            self.macro_invocation(node);
            return false;
        }
        if kind != "expression_statement" {
            self.pending.clear();
        }
        match kind {
            "block" => self.block(node),
            "if_expression" | "while_expression" | "match_arm" | "for_expression" => {
                self.push(node, self.state);
            }
            "else_clause" => {
                // What the condition binds is not visible here.
                self.locals.truncate(self.state.locals);
            }
            "match_pattern" => self.match_pattern(node, ancestors),
            "closure_expression" => self.closure(node, ancestors),
            "scoped_identifier" | "scoped_type_identifier" => {
                self.path_prefix_sites(node);
                return false;
            }
            _ => {}
        }
        if field == Some("body") && parent == "for_expression" {
            self.for_pattern(ancestors);
        }
        true
    }

    /// Whether a node is a pattern, which is read as a whole when its names become visible.
    fn is_pattern(&self, kind: &str, field: Option<&str>, parent: &str) -> bool {
        match parent {
            "let_declaration" | "let_condition" | "for_expression" | "parameter"
            | "variadic_parameter" => field == Some("pattern"),
            "match_pattern" => field != Some("condition"),
            "closure_parameters" => kind != "parameter",
            _ => false,
        }
    }

    /// On the way out of a node.
    fn leave(&mut self, node: Node<'_>, field: Option<&str>, ancestors: &[Node<'_>]) {
        if !node.is_named() {
            return;
        }
        let parent = ancestors.last().map_or("", Node::kind);
        if !self.is_pattern(node.kind(), field, parent) {
            self.value(node, field, parent);
        }
        if self.saved.last().is_some_and(|(id, _)| *id == node.id()) {
            self.pop();
        }
    }

    /// Goes on with another state until the end of `node`.
    fn push(&mut self, node: Node<'_>, next: State) {
        self.saved.push((node.id(), self.state));
        self.state = State {
            locals: self.locals.len(),
            ..next
        };
    }

    /// Goes back to the state before; the locals bound since are out of sight.
    fn pop(&mut self) {
        self.locals.truncate(self.state.locals);
        if let Some((_, before)) = self.saved.pop() {
            self.state = before;
        }
    }

    /// The bytes of the file that a node of the present tree stands for.
    fn bytes(&self, node: Node<'_>) -> std::ops::Range<usize> {
        let map = |at: usize| at.saturating_add_signed(self.delta);
        map(node.start_byte())..map(node.end_byte())
    }

    /// The text of a node.
    fn text(&self, node: Node<'_>) -> &'t str {
        self.b.source().get(self.bytes(node)).unwrap_or_default()
    }

    /// The id of a node's text, `r#` taken off.
    fn name_of(&mut self, node: Node<'_>) -> NameId {
        let text = self.text(node);
        self.b.name(text.strip_prefix("r#").unwrap_or(text))
    }

    /// The 0-based row of a node in the file.
    fn row(&self, node: Node<'_>) -> usize {
        node.start_position().row + self.rows
    }

    /// The stretch of the file that a node stands for.
    fn span(&self, node: Node<'_>) -> Span {
        let bytes = self.bytes(node);
        Span {
            start: bytes.start as u32,
            end: bytes.end as u32,
            row: self.row(node) as u32,
            end_row: (node.end_position().row + self.rows) as u32,
        }
    }

    /// What a node was read as.
    fn get(&mut self, node: Option<Node<'_>>) -> ExprId {
        let read = node.and_then(|node| self.read.get(&node.id()).copied());
        read.unwrap_or_else(|| self.b.expr(Expr::Unknown))
    }

    fn remember(&mut self, node: Node<'_>, expr: ExprId) {
        self.read.insert(node.id(), expr);
    }

    /// A name of the language itself, as the type of a literal.
    fn literal(&mut self, name: &str) -> ExprId {
        let name = self.b.name(name);
        self.b.expr(Expr::Literal(name))
    }

    /// The name of its own of a visible local.
    fn local(&self, name: NameId) -> Option<NameId> {
        let visible = self.locals.get(self.state.barrier..).unwrap_or_default();
        let found = visible.iter().rev().find(|(written, _)| *written == name);
        found.map(|(_, own)| *own)
    }

    /// Makes a local visible.
    fn new_local(&mut self, name: NameId, at: usize, bound: Bound) {
        let count = self.counts.entry(name).or_insert(0);
        *count += 1;
        let own = format!("{}·{count}", self.b.named(name));
        let own = self.b.name(&own);
        self.locals.push((name, own));
        let (vars, env) = (self.state.vars, self.state.scope);
        self.b.bind_in(vars, own, at, env, bound);
    }

    /// Notes that something is used.
    fn site(&mut self, kind: SiteKind, what: ExprId, name: Node<'_>, args: List) {
        let at = self.bytes(name).start as u32;
        let row = self.row(name) as u32;
        self.b.facts.sites.push(Site {
            kind,
            owner: self.state.owner,
            scope: self.state.scope,
            what,
            at,
            row,
            args,
        });
    }

    /// A block: its locals end with it, and items in it are visible in all of it.
    fn block(&mut self, node: Node<'_>) {
        let mut next = self.state;
        let mut cursor = node.walk();
        let holds_items = node.named_children(&mut cursor).any(|child| {
            matches!(
                child.kind(),
                "function_item"
                    | "use_declaration"
                    | "struct_item"
                    | "enum_item"
                    | "const_item"
                    | "static_item"
                    | "type_item"
                    | "trait_item"
                    | "mod_item"
                    | "macro_definition"
                    | "union_item"
            )
        });
        if holds_items {
            next.scope = self.b.scope(self.state.scope, ScopeKind::Block, None);
        }
        self.push(node, next);
    }
}

#[cfg(test)]
mod tests;
