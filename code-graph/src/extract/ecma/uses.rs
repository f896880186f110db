//! Where a file calls, makes and uses something, and what control flow tells of a name.

use super::expr::operator;
use super::types::{first_named, named};
use super::{DEPTH, Ecma, Frame};
use crate::extract::field::Fields;
use crate::facts::{Bound, Expr, ExprId, List, ScopeId, Site, SiteKind, SymbolId};
use tree_sitter::Node;

/// What test frameworks call their blocks.
const TEST_BLOCKS: [&str; 12] = [
    "describe",
    "it",
    "test",
    "suite",
    "context",
    "specify",
    "beforeEach",
    "afterEach",
    "beforeAll",
    "afterAll",
    "before",
    "after",
];

impl<'n> Ecma<'_, '_, 'n> {
    fn site(&mut self, kind: SiteKind, what: ExprId, at: Node<'n>, args: List) {
        let frame = self.frame();
        self.site_of(kind, what, at, args, frame.owner, frame.scope);
    }

    fn site_of(
        &mut self,
        kind: SiteKind,
        what: ExprId,
        at: Node<'n>,
        args: List,
        owner: Option<SymbolId>,
        scope: ScopeId,
    ) {
        self.b.facts.sites.push(Site {
            kind,
            owner,
            scope,
            what,
            at: at.start_byte() as u32,
            row: at.start_position().row as u32,
            args,
        });
    }

    /// Notes that a function which no name leads to is used where it is written: `by` hands it on.
    pub(super) fn hand_on(&mut self, id: SymbolId, at: Node<'n>, by: Option<SymbolId>) {
        let what = self.b.expr(Expr::Symbol(id));
        let scope = self.scope();
        self.site_of(SiteKind::Value, what, at, List::default(), by, scope);
    }

    /// The node of the last name of an expression or a type.
    pub(super) fn last_name(&self, node: Node<'n>) -> Node<'n> {
        let mut at = node;
        for _ in 0..DEPTH {
            let next = match at.kind() {
                "member_expression" | "nested_identifier" => at.field("property"),
                "nested_type_identifier" | "generic_type" => at.field("name"),
                "call_expression" | "instantiation_expression" => at.field("function"),
                "parenthesized_expression"
                | "non_null_expression"
                | "as_expression"
                | "satisfies_expression" => first_named(at),
                _ => None,
            };
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }

    /// A name that is used as a value, unless its place declares it.
    pub(super) fn identifier(&mut self, node: Node<'n>, field: Option<&str>) {
        if self.told.contains(&node.id()) {
            return;
        }
        let Some(parent) = self.path.last() else {
            return;
        };
        let declares = match parent.kind() {
            "variable_declarator"
            | "function_declaration"
            | "function_signature"
            | "function_expression"
            | "generator_function"
            | "generator_function_declaration"
            | "class_declaration"
            | "class"
            | "enum_declaration"
            | "internal_module"
            | "module"
            | "index_signature" => field == Some("name"),
            "arrow_function" | "catch_clause" => field == Some("parameter"),
            "required_parameter" | "optional_parameter" => field != Some("value"),
            "assignment_pattern" | "object_assignment_pattern" => field != Some("right"),
            "for_in_statement" => field == Some("left"),
            "formal_parameters"
            | "rest_pattern"
            | "array_pattern"
            | "object_pattern"
            | "pair_pattern"
            | "type_predicate"
            | "asserts"
            | "nested_identifier"
            | "nested_type_identifier"
            | "jsx_namespace_name" => true,
            _ => false,
        };
        if declares {
            return;
        }
        let kind = match (parent.kind(), field) {
            (
                "assignment_expression" | "augmented_assignment_expression" | "update_expression",
                Some("left" | "argument"),
            ) => SiteKind::Write,
            _ => SiteKind::Value,
        };
        let name = self.b.name_of(node);
        let what = self.b.expr(Expr::Name(name));
        self.site(kind, what, node, List::default());
    }

    /// A name that is used as a type, unless its place declares it.
    pub(super) fn type_identifier(&mut self, node: Node<'n>, field: Option<&str>) {
        if self.told.contains(&node.id()) {
            return;
        }
        let declares = self.path.last().is_some_and(|parent| {
            field == Some("name")
                && matches!(
                    parent.kind(),
                    "class_declaration"
                        | "abstract_class_declaration"
                        | "class"
                        | "interface_declaration"
                        | "type_alias_declaration"
                        | "type_parameter"
                        | "mapped_type_clause"
                )
                || parent.kind() == "infer_type"
        });
        if declares {
            return;
        }
        let name = self.b.name_of(node);
        let what = self.b.expr(Expr::Name(name));
        self.site(SiteKind::Type, what, node, List::default());
    }

    /// `A.B` as a type.
    pub(super) fn nested_type(&mut self, node: Node<'n>) -> bool {
        let last = self.last_name(node);
        if !self.told.contains(&last.id()) {
            let what = self.ty(node, self.scope(), DEPTH);
            self.site(SiteKind::Type, what, last, List::default());
        }
        false
    }

    /// `a.b` that is no callee: its last name is read or written.
    pub(super) fn member_use(&mut self, node: Node<'n>, field: Option<&str>) {
        let Some(property) = node.field("property") else {
            return;
        };
        if !self.told.insert(property.id()) {
            return;
        }
        let parent = self.path.last().map_or("", |parent| parent.kind());
        let kind = match (parent, field) {
            (
                "assignment_expression" | "augmented_assignment_expression" | "update_expression",
                Some("left" | "argument"),
            ) => SiteKind::Write,
            _ => SiteKind::Value,
        };
        let what = self.expr(node, self.scope(), DEPTH);
        self.site(kind, what, property, List::default());
    }

    /// Notes what is called or made, and that its last name is told.
    fn invoked(&mut self, kind: SiteKind, node: Node<'n>, callee: Node<'n>) {
        let scope = self.scope();
        let whole = self.expr(node, scope, DEPTH);
        let args = match self.b.expr_at(whole) {
            Expr::Call(_, args) | Expr::New(_, args) => args,
            _ => List::default(),
        };
        self.expect_args(node, whole);
        let mut inner = callee;
        for _ in 0..DEPTH {
            match inner.kind() {
                "parenthesized_expression"
                | "non_null_expression"
                | "instantiation_expression"
                | "as_expression"
                | "satisfies_expression" => match first_named(inner) {
                    Some(next) => inner = next,
                    None => break,
                },
                _ => break,
            }
        }
        if !matches!(inner.kind(), "identifier" | "member_expression" | "super") {
            // What a call, an index or a literal gives has no name to be found by.
            return;
        }
        let what = self.expr(callee, scope, DEPTH);
        let last = self.last_name(inner);
        self.told.insert(last.id());
        self.site(kind, what, last, args);
    }

    /// The walk comes to a call.
    pub(super) fn call(&mut self, node: Node<'n>) {
        let Some(callee) = node.field("function") else {
            return;
        };
        self.bare_require(node);
        self.invoked(SiteKind::Call, node, callee);
        if self.is_test_block(node, callee) {
            let frame = self.frame();
            self.frames.push(Frame {
                node: node.id(),
                test: true,
                ..frame
            });
        }
    }

    /// Whether a call is a block of a test framework: its name, and a function to run.
    fn is_test_block(&self, node: Node<'n>, callee: Node<'n>) -> bool {
        let text = self.b.text(callee);
        let root = text.split(['.', '(']).next().unwrap_or_default();
        TEST_BLOCKS.contains(&root)
            && node.field("arguments").is_some_and(|args| {
                named(args)
                    .iter()
                    .any(|arg| super::declare::is_function(*arg))
            })
    }

    /// The walk comes to a `new`.
    pub(super) fn make(&mut self, node: Node<'n>) {
        if let Some(class) = node.field("constructor") {
            self.invoked(SiteKind::New, node, class);
        }
    }

    /// The walk comes to an element: a component is referred to, and called by the framework alone.
    pub(super) fn jsx(&mut self, node: Node<'n>) {
        let Some(name_node) = node.field("name") else {
            return;
        };
        let intrinsic = name_node.kind() == "identifier"
            && self
                .b
                .text(name_node)
                .starts_with(|c: char| c.is_ascii_lowercase());
        if intrinsic || name_node.kind() == "jsx_namespace_name" {
            self.told.insert(name_node.id());
            return;
        }
        let what = self.expr(name_node, self.scope(), DEPTH);
        let last = self.last_name(name_node);
        self.told.insert(last.id());
        self.site(SiteKind::Value, what, last, List::default());
    }

    /// The walk comes to a decorator. Those before class members and exports wait for what they
    /// decorate.
    pub(super) fn decorator(&mut self, node: Node<'n>) {
        let waits = self
            .path
            .last()
            .is_some_and(|parent| matches!(parent.kind(), "class_body" | "export_statement"));
        if waits {
            self.decorators.push(node);
        } else if let Some(owner) = self.frame().owner
            && self.path.last().is_some_and(|parent| {
                !matches!(
                    parent.kind(),
                    "public_field_definition" | "field_definition"
                )
            })
        {
            self.decorate(owner, &[node]);
        }
        self.run_outside(node);
    }

    /// What a decorator is made with runs where its class is defined: for members and parameters
    /// that is the class, for the class itself what is around it.
    fn run_outside(&mut self, node: Node<'n>) {
        let frame = self.frame();
        let of_class = self.path.last().is_some_and(|parent| {
            matches!(
                parent.kind(),
                "class_declaration" | "abstract_class_declaration" | "class"
            )
        });
        let below = self.frames.len().checked_sub(2);
        let owner = match below.and_then(|below| self.frames.get(below)) {
            Some(around) if of_class => around.owner,
            _ => frame.class.or(frame.owner),
        };
        self.frames.push(Frame {
            node: node.id(),
            owner,
            ..frame
        });
    }

    /// Notes what a symbol is decorated with.
    pub(super) fn decorate(&mut self, id: SymbolId, decorators: &[Node<'n>]) {
        let scope = self.scope();
        for decorator in decorators {
            let Some(inner) = first_named(*decorator) else {
                continue;
            };
            if let Some(symbol) = self.b.symbol_mut(id) {
                symbol.flags.set(crate::facts::Flags::DECORATED);
            }
            let named = match inner.kind() {
                "call_expression" => inner.field("function").unwrap_or(inner),
                _ => inner,
            };
            let what = self.expr(named, scope, DEPTH);
            let last = self.last_name(named);
            if inner.kind() != "call_expression" {
                self.told.insert(last.id());
            }
            self.site_of(
                SiteKind::Decorator,
                what,
                last,
                List::default(),
                Some(id),
                scope,
            );
        }
    }

    /// The walk comes to a member of an object literal.
    pub(super) fn pair(&mut self, node: Node<'n>) {
        let value = node.field("value");
        let symbol = value
            .and_then(|value| self.symbols.get(&value.id()))
            .or_else(|| self.symbols.get(&node.id()))
            .copied();
        if let Some(id) = symbol {
            self.document(node, id);
            if value.is_some_and(|value| value.kind() != "class") {
                self.push_owner(node, id);
            }
        }
    }

    /// The walk comes to a block: it is a scope of its own when it declares something.
    pub(super) fn statement_block(&mut self, node: Node<'n>) {
        let body = self.path.last().is_some_and(|parent| {
            matches!(
                parent.kind(),
                "function_declaration"
                    | "generator_function_declaration"
                    | "function_expression"
                    | "generator_function"
                    | "arrow_function"
                    | "method_definition"
                    | "class_static_block"
                    | "internal_module"
                    | "module"
                    | "catch_clause"
                    | "for_in_statement"
            )
        });
        if body {
            return;
        }
        let mut cursor = node.walk();
        let declares = node.named_children(&mut cursor).any(|child| {
            matches!(
                child.kind(),
                "lexical_declaration"
                    | "class_declaration"
                    | "abstract_class_declaration"
                    | "function_declaration"
                    | "generator_function_declaration"
                    | "interface_declaration"
                    | "type_alias_declaration"
                    | "enum_declaration"
            )
        });
        if declares {
            self.push_block(node);
        }
    }

    /// The walk comes to a loop over something.
    pub(super) fn for_in(&mut self, node: Node<'n>) {
        let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
            return;
        };
        let frame = self.frame();
        let scope = self.push_block(node);
        let of = node
            .field("operator")
            .is_some_and(|operator| operator.kind() == "of");
        let value = match of {
            true => {
                let over = self.expr(right, frame.scope, DEPTH);
                self.b.expr(Expr::Element(over))
            }
            false => self.literal("string"),
        };
        match node.field("kind").map(|kind| kind.kind()) {
            Some("var") => {
                self.bind_pattern(left, frame.vars, frame.scope, Some(value), None);
            }
            Some(_) => self.bind_pattern(left, scope, frame.scope, Some(value), None),
            None if left.kind() == "identifier" => {
                let name = self.b.name_of(left);
                self.assigned
                    .push((frame.scope, name, left.start_byte(), value));
            }
            None => {}
        }
    }

    /// The walk comes to a `catch`.
    pub(super) fn catch(&mut self, node: Node<'n>) {
        let scope = self.push_block(node);
        if let Some(parameter) = node.field("parameter") {
            let declared = node
                .field("type")
                .map(|ty| self.ty(ty, scope, DEPTH))
                .map(|ty| self.b.expr(Expr::Instance(ty)));
            self.bind_pattern(parameter, scope, scope, declared, None);
        }
    }

    /// `if (x instanceof T)`, `x instanceof T ? … : …` and `x instanceof T && …` tell what `x` is
    /// in the branch that follows.
    pub(super) fn narrow(&mut self, node: Node<'n>) {
        let (condition, branch) = match node.kind() {
            "binary_expression" if operator(node) == Some("&&") => ("left", node.field("right")),
            "binary_expression" => return,
            _ => ("condition", node.field("consequence")),
        };
        let (Some(condition), Some(branch)) = (node.field(condition), branch) else {
            return;
        };
        let mut told = Vec::new();
        let mut open = vec![condition];
        while let Some(node) = open.pop() {
            match (node.kind(), operator(node)) {
                ("parenthesized_expression", _) => open.extend(first_named(node)),
                ("binary_expression", Some("&&")) => {
                    open.extend(node.field("left"));
                    open.extend(node.field("right"));
                }
                ("binary_expression", Some("instanceof")) => {
                    if let (Some(left), Some(right)) = (node.field("left"), node.field("right"))
                        && left.kind() == "identifier"
                    {
                        told.push((left, right));
                    }
                }
                _ => {}
            }
        }
        if told.is_empty() {
            return;
        }
        let outer = self.scope();
        let scope = self.block();
        for (name_node, class) in told {
            let class = self.expr(class, outer, DEPTH);
            let name = self.b.name_of(name_node);
            self.b.bind_in(
                scope,
                name,
                branch.start_byte(),
                outer,
                Bound::Declared(class),
            );
        }
        self.planned.insert(branch.id(), scope);
    }

    /// The walk comes to an assignment.
    pub(super) fn assignment(&mut self, node: Node<'n>) {
        let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
            return;
        };
        let scope = self.scope();
        match left.kind() {
            "identifier" => {
                if self.b.text(left) == "exports" && self.common_export(node, left, right) {
                    return;
                }
                let value = self.expr(right, scope, DEPTH);
                let name = self.b.name_of(left);
                self.assigned.push((scope, name, left.start_byte(), value));
            }
            "member_expression" if !self.common_export(node, left, right) => {
                self.assigned_member(node, left, right);
            }
            _ => {}
        }
        let context = match left.kind() {
            "identifier" | "member_expression" => self.expr(left, scope, DEPTH),
            _ => return,
        };
        self.expr(right, scope, DEPTH);
        self.expect(right, context, DEPTH);
    }

    /// The walk comes to `x ??= …` and its like.
    pub(super) fn augmented(&mut self, node: Node<'n>) {
        if !matches!(operator(node), Some("??=" | "||=")) {
            return;
        }
        if let (Some(left), Some(right)) = (node.field("left"), node.field("right"))
            && left.kind() == "identifier"
        {
            let scope = self.scope();
            let value = self.expr(right, scope, DEPTH);
            let name = self.b.name_of(left);
            self.assigned.push((scope, name, left.start_byte(), value));
        }
    }

    /// The walk comes to a `return`.
    pub(super) fn returned(&mut self, node: Node<'n>) {
        if let Some(value) = first_named(node) {
            self.give_back(value);
        }
    }

    /// The walk comes to a `yield`.
    pub(super) fn yielded(&mut self, node: Node<'n>) {
        let frame = self.frame();
        let (Some(function), Some(value)) = (frame.function, first_named(node)) else {
            return;
        };
        let mut read = self.expr(value, frame.scope, DEPTH);
        if super::types::has_word(node, "*") {
            read = self.b.expr(Expr::Element(read));
        }
        let scope = self.b.function_mut(function).map(|known| known.scope);
        if scope.is_some_and(|scope| scope != frame.scope) {
            let name = self.b.name("yield");
            let scope = scope.unwrap_or(frame.scope);
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
            && !known.yields.contains(&read)
        {
            known.yields.push(read);
        }
    }

    /// `{ … } as T` tells the functions in the object what they are.
    pub(super) fn cast(&mut self, node: Node<'n>) {
        let parts = named(node);
        if let [value, ty, ..] = parts[..]
            && ty.kind() != "const"
        {
            let scope = self.scope();
            self.expr(value, scope, DEPTH);
            let ty = self.ty(ty, scope, DEPTH);
            let context = self.b.expr(Expr::Instance(ty));
            self.expect(value, context, DEPTH);
        }
    }

    /// Drops uses of what is no symbol and comes from nowhere: parameters, locals, and the names
    /// of the platform where they are not called.
    pub(super) fn drop_local_uses(&mut self) {
        let sites = std::mem::take(&mut self.b.facts.sites);
        let kept = sites.into_iter().filter(|site| self.counts(site)).collect();
        self.b.facts.sites = kept;
    }

    fn counts(&self, site: &Site) -> bool {
        if !matches!(
            site.kind,
            SiteKind::Value | SiteKind::Write | SiteKind::Type
        ) {
            return true;
        }
        let mut what = site.what;
        let mut member = false;
        // Operands stand before what uses them, so this ends.
        let name = loop {
            match self.b.expr_at(what) {
                Expr::Name(name) => break name,
                Expr::Member(of, _) if of < what => {
                    what = of;
                    member = true;
                }
                _ => return true,
            }
        };
        let Some(scope) = self.declaring(site.scope, name) else {
            // A type of the platform is worth knowing, its objects are not.
            return site.kind == SiteKind::Type;
        };
        let bindings = self.b.facts.bindings_of(scope, name);
        let tells = bindings
            .iter()
            .any(|binding| matches!(binding.bound, Bound::Symbol(_) | Bound::Import(_)));
        let only_type = bindings
            .iter()
            .all(|binding| matches!(binding.bound, Bound::TypeParam(..)));
        (member || tells) && !only_type
    }
}
