//! Declarations.

use super::{Container, State, Walk};
use crate::extract::field::Fields;
use crate::facts::{
    Base, BaseKind, Bound, Expr, Extension, Flags, Function, NameId, Param, ScopeKind, Symbol,
    SymbolId, SymbolKind, Visibility,
};
use tree_sitter::Node;

/// What is special about a declaration.
#[derive(Default)]
struct Extra {
    flags: Flags,
    /// Where the signature ends, when that is before the end.
    head_end: Option<usize>,
    visibility: Option<Visibility>,
}

impl Walk<'_, '_> {
    /// On the way into a declaration: `Some` with whether to go on to its children, `None` when the
    /// node is none.
    pub(super) fn item(&mut self, node: Node<'_>, kind: &str) -> Option<bool> {
        match kind {
            "function_item" | "function_signature_item" => self.function(node),
            "struct_item" | "union_item" => self.type_item(node, SymbolKind::Struct),
            "enum_item" => self.type_item(node, SymbolKind::Enum),
            "enum_variant" => self.variant_item(node),
            "field_declaration" => self.field(node),
            "ordered_field_declaration_list" => self.tuple_fields(node),
            "trait_item" => self.trait_item(node),
            "impl_item" => self.impl_item(node),
            "mod_item" => return Some(self.mod_item(node)),
            "foreign_mod_item" => {
                self.pending.clear();
                let next = State {
                    container: Container::Foreign,
                    ..self.state
                };
                self.push(node, next);
            }
            "type_item" | "associated_type" => self.alias(node),
            "const_item" => self.constant(node, SymbolKind::Constant),
            "static_item" => self.constant(node, SymbolKind::Variable),
            "macro_definition" => {
                self.macro_definition(node);
                return Some(false);
            }
            "use_declaration" => {
                self.use_declaration(node);
                self.pending.clear();
                return Some(false);
            }
            "extern_crate_declaration" => {
                self.extern_crate(node);
                self.pending.clear();
                return Some(false);
            }
            _ => return None,
        }
        Some(true)
    }

    /// A symbol for a declaration, bound in the scope around. Its attributes become decorators.
    fn declare(
        &mut self,
        node: Node<'_>,
        name: Node<'_>,
        kind: SymbolKind,
        extra: Extra,
    ) -> SymbolId {
        let mut flags = extra.flags;
        flags.set(self.pending.flags());
        if self.state.test_code {
            flags.set(Flags::TEST_CODE);
        }
        if self.state.container == Container::Body {
            flags.set(Flags::LOCAL);
        }
        let mut span = self.span(node);
        let (start, end) = (span.start as usize, span.end as usize);
        if let Some((first, row)) = self.pending.start() {
            span.start = first as u32;
            span.row = row as u32;
        }
        let doc = self.take_doc();
        let head_end = extra.head_end.unwrap_or(end);
        let head = self.b.source().get(start..head_end).unwrap_or_default();
        let head = head.trim_end_matches(|c: char| c.is_whitespace() || ";,=".contains(c));
        let signature = self.b.line(start, start + head.len());
        let visibility = extra.visibility.unwrap_or_else(|| self.visibility(node));
        let owner = match self.state.container {
            Container::Impl(target, _) => target,
            _ => None,
        };
        let id = self.name_of(name);
        let at = self.bytes(name).start;
        let symbol = self.b.symbol(Symbol {
            kind,
            name: id,
            parent: self.state.parent,
            owner,
            span,
            name_at: at as u32,
            name_row: self.row(name) as u32,
            signature,
            doc,
            visibility,
            flags,
            members: None,
            function: None,
            declared: None,
            scope: self.state.scope,
        });
        self.b.bind(self.state.scope, id, at, Bound::Symbol(symbol));
        self.decorate(symbol);
        symbol
    }

    /// A symbol for a function that a macro makes.
    pub(super) fn made(&mut self, node: Node<'_>, name: Node<'_>, flags: Flags) -> SymbolId {
        let extra = Extra {
            flags,
            head_end: Some(self.bytes(name).end),
            visibility: Some(Visibility::Private),
        };
        self.declare(node, name, SymbolKind::Function, extra)
    }

    fn visibility(&self, node: Node<'_>) -> Visibility {
        match self.state.container {
            Container::Trait | Container::Impl(_, true) => return Visibility::Public,
            _ => {}
        }
        let mut cursor = node.walk();
        let modifier = node
            .named_children(&mut cursor)
            .find(|child| child.kind() == "visibility_modifier");
        match modifier.map(|modifier| self.text(modifier)) {
            Some("pub") => Visibility::Public,
            Some(text) if text.contains("self") => Visibility::Private,
            Some(_) => Visibility::Internal,
            None => Visibility::Private,
        }
    }

    /// `fn`, with a body or without.
    fn function(&mut self, node: Node<'_>) {
        let Some(name) = node.field("name") else {
            return;
        };
        let body = node.field("body");
        let params = node.field("parameters");
        let container = self.state.container;
        let mut extra = Extra {
            head_end: body.map(|body| self.bytes(body).start),
            ..Extra::default()
        };
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if child.kind() == "function_modifiers" {
                let text = self.text(child);
                if text.split_whitespace().any(|word| word == "async") {
                    extra.flags.set(Flags::ASYNC);
                }
                if text.contains("extern") && body.is_some() {
                    extra.flags.set(Flags::ENTRY);
                }
            }
        }
        let method = matches!(container, Container::Impl(..) | Container::Trait);
        if method && !params.is_some_and(|params| self.has_receiver(params)) {
            extra.flags.set(Flags::STATIC);
        }
        if body.is_none() {
            extra.flags.set(match container {
                Container::Trait => Flags::ABSTRACT,
                _ => Flags::DECLARATION,
            });
        }
        if container == Container::Module && self.text(name) == "main" {
            extra.flags.set(Flags::ENTRY);
        }
        let kind = if method {
            SymbolKind::Method
        } else {
            SymbolKind::Function
        };
        let symbol = self.declare(node, name, kind, extra);
        let test_code = self
            .b
            .facts
            .symbols
            .get(symbol.index())
            .is_some_and(|s| s.flags.has(Flags::TEST_CODE));
        let scope = self
            .b
            .scope(self.state.scope, ScopeKind::Function, Some(symbol));
        let next = State {
            owner: Some(symbol),
            parent: Some(symbol),
            scope,
            vars: scope,
            barrier: self.locals.len(),
            container: Container::Body,
            test_code,
            ..self.state
        };
        self.push(node, next);
        let type_params = self.generics(node, scope);
        let result = node.field("return_type");
        let result = match result {
            Some(result) => self.type_expr(result),
            None => self.b.expr(Expr::Tuple(Default::default())),
        };
        let params = params.map_or_else(Vec::new, |params| self.parameters(params));
        let function = self.b.function(Function {
            symbol: Some(symbol),
            scope,
            params,
            result: Some(result),
            returns: Vec::new(),
            yields: Vec::new(),
            type_params,
            context: None,
        });
        if let Some(symbol) = self.b.symbol_mut(symbol) {
            symbol.function = Some(function);
        }
    }

    /// Whether the first parameter is a form of `self`.
    fn has_receiver(&self, params: Node<'_>) -> bool {
        let mut cursor = params.walk();
        params.named_children(&mut cursor).any(|child| {
            child.kind() == "self_parameter"
                || child.field("pattern").is_some_and(|pattern| {
                    self.text(pattern).trim_start_matches("mut ").trim() == "self"
                })
        })
    }

    /// Parameters, the receiver excluded; their names become visible.
    pub(super) fn parameters(&mut self, list: Node<'_>) -> Vec<Param> {
        let mut params = Vec::new();
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            if child.kind() != "parameter" {
                continue;
            }
            let (Some(pattern), Some(of)) = (child.field("pattern"), child.field("type")) else {
                continue;
            };
            if self.text(pattern).trim_start_matches("mut ").trim() == "self" {
                continue;
            }
            let declared = self.type_expr(of);
            let value = self.b.expr(Expr::Instance(declared));
            let name = match pattern.kind() {
                "identifier" => self.name_of(pattern),
                _ => self.b.name("_"),
            };
            params.push(Param {
                name,
                declared: Some(declared),
                default: None,
                rest: false,
            });
            self.bind_pattern(pattern, value, Bound::Declared(declared));
        }
        params
    }

    /// `struct`, `union`, `enum`.
    fn type_item(&mut self, node: Node<'_>, kind: SymbolKind) {
        let Some(name) = node.field("name") else {
            return;
        };
        let body = node.field("body");
        let extra = Extra {
            head_end: body
                .filter(|body| body.kind() != "ordered_field_declaration_list")
                .map(|body| self.bytes(body).start),
            ..Extra::default()
        };
        let symbol = self.declare(node, name, kind, extra);
        self.open_type(node, symbol, Container::Module);
    }

    /// Goes on in the scope of a type's members.
    fn open_type(&mut self, node: Node<'_>, symbol: SymbolId, container: Container) {
        let (_, members) = self.member_scopes(node, Some(symbol));
        if let Some(symbol) = self.b.symbol_mut(symbol) {
            symbol.members = Some(members);
        }
        let next = State {
            owner: Some(symbol),
            parent: Some(symbol),
            scope: members,
            vars: members,
            barrier: self.locals.len(),
            container,
            ..self.state
        };
        self.push(node, next);
    }

    fn variant_item(&mut self, node: Node<'_>) {
        let Some(name) = node.field("name") else {
            return;
        };
        let extra = Extra {
            visibility: Some(Visibility::Public),
            ..Extra::default()
        };
        let symbol = self.declare(node, name, SymbolKind::EnumMember, extra);
        let members = self
            .b
            .scope(self.state.scope, ScopeKind::Members, Some(symbol));
        if let Some(symbol) = self.b.symbol_mut(symbol) {
            symbol.members = Some(members);
        }
        let next = State {
            owner: Some(symbol),
            parent: Some(symbol),
            scope: members,
            ..self.state
        };
        self.push(node, next);
    }

    fn field(&mut self, node: Node<'_>) {
        let (Some(name), Some(of)) = (node.field("name"), node.field("type")) else {
            return;
        };
        let declared = self.type_expr(of);
        let symbol = self.declare(node, name, SymbolKind::Field, Extra::default());
        if let Some(symbol) = self.b.symbol_mut(symbol) {
            symbol.declared = Some(declared);
        }
    }

    /// The fields of a tuple struct or variant, by their numbers.
    fn tuple_fields(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let types: Vec<_> = node.children_by_field_name("type", &mut cursor).collect();
        for (at, of) in types.into_iter().enumerate() {
            let declared = self.type_expr(of);
            let name = self.b.name(&at.to_string());
            let byte = self.bytes(of).start;
            self.b
                .bind(self.state.scope, name, byte, Bound::Declared(declared));
        }
    }

    fn trait_item(&mut self, node: Node<'_>) {
        let Some(name) = node.field("name") else {
            return;
        };
        let body = node.field("body");
        let extra = Extra {
            head_end: body.map(|body| self.bytes(body).start),
            ..Extra::default()
        };
        let symbol = self.declare(node, name, SymbolKind::Interface, extra);
        let around = self.state.scope;
        self.open_type(node, symbol, Container::Trait);
        let Some(bounds) = node.field("bounds") else {
            return;
        };
        let mut cursor = bounds.walk();
        for child in bounds.named_children(&mut cursor) {
            if matches!(child.kind(), "lifetime" | "removed_trait_bound") {
                continue;
            }
            let what = self.type_expr(child);
            let at = self.last_name(child);
            self.b.facts.bases.push(Base {
                class: symbol,
                kind: BaseKind::Extends,
                what,
                scope: around,
                at: self.bytes(at).start as u32,
                row: self.row(at) as u32,
            });
        }
    }

    fn impl_item(&mut self, node: Node<'_>) {
        self.pending.clear();
        let Some(of) = node.field("type") else {
            return;
        };
        let (generics, members) = self.member_scopes(node, None);
        let before = self.state;
        self.state.scope = generics;
        let mut target = self.type_expr(of);
        if of.kind() == "pointer_type" {
            // What a pointer has is not what it points to has.
            target = self.b.expr(Expr::Unknown);
        }
        let interface = node.field("trait");
        let interface_expr = interface.map(|interface| self.type_expr(interface));
        self.state = before;
        let simple = self.simple_name(of);
        let is_parameter = simple.is_some_and(|name| {
            let bindings = self.b.facts.bindings.iter().rev();
            let of_block = bindings.take_while(|b| b.scope == generics);
            of_block
                .into_iter()
                .any(|b| b.name == name && matches!(b.bound, Bound::TypeParam(..)))
        });
        let at = self.last_name(of);
        self.b.facts.extensions.push(Extension {
            target,
            interface: interface_expr,
            members,
            scope: generics,
            at: self.bytes(at).start as u32,
            row: self.row(at) as u32,
            target_name: simple.filter(|_| !is_parameter),
        });
        let next = State {
            scope: members,
            vars: members,
            barrier: self.locals.len(),
            container: Container::Impl(simple, interface.is_some()),
            ..self.state
        };
        self.push(node, next);
    }

    /// The simple name of a type, by which `impl` blocks are found.
    fn simple_name(&mut self, node: Node<'_>) -> Option<NameId> {
        let mut at = node;
        loop {
            match at.kind() {
                "type_identifier" | "primitive_type" | "identifier" => {
                    return Some(self.name_of(at));
                }
                "scoped_type_identifier" | "scoped_identifier" => {
                    at = at.field("name")?;
                }
                "generic_type" | "reference_type" => at = at.field("type")?,
                // No receiver is found by what it points to.
                "pointer_type" => return Some(self.b.name("*")),
                "dynamic_type" => at = at.field("trait")?,
                "array_type" => return Some(self.b.name("[]")),
                "tuple_type" | "unit_type" => return Some(self.b.name("()")),
                "bounded_type" => at = at.named_child(0)?,
                "function_type" => return Some(self.b.name("fn")),
                _ => return None,
            }
        }
    }

    /// The node of the last name of a type or path.
    pub(super) fn last_name<'n>(&self, node: Node<'n>) -> Node<'n> {
        let mut at = node;
        loop {
            let field = match at.kind() {
                "scoped_type_identifier" | "scoped_identifier" => "name",
                "generic_type" | "reference_type" | "pointer_type" => "type",
                "generic_function" => "function",
                "field_expression" => "field",
                "dynamic_type" | "abstract_type" | "function_type" => "trait",
                "higher_ranked_trait_bound" => "type",
                _ => return at,
            };
            match at.field(field) {
                Some(inner) => at = inner,
                None => return at,
            }
        }
    }

    /// `mod x { … }` or `mod x;`.
    fn mod_item(&mut self, node: Node<'_>) -> bool {
        let Some(name) = node.field("name") else {
            return false;
        };
        let Some(body) = node.field("body") else {
            self.module_file(node, name);
            self.pending.clear();
            return false;
        };
        let test_code = self.state.test_code || self.pending.test_only();
        let extra = Extra {
            head_end: Some(self.bytes(body).start),
            ..Extra::default()
        };
        let symbol = self.declare(node, name, SymbolKind::Module, extra);
        let members = self
            .b
            .scope(self.state.scope, ScopeKind::Module, Some(symbol));
        if let Some(symbol) = self.b.symbol_mut(symbol) {
            symbol.members = Some(members);
        }
        let next = State {
            owner: Some(symbol),
            parent: Some(symbol),
            scope: members,
            vars: members,
            barrier: self.locals.len(),
            container: Container::Module,
            test_code,
            ..self.state
        };
        self.push(node, next);
        true
    }

    /// `type X = …`, in an `impl` or a trait too.
    fn alias(&mut self, node: Node<'_>) {
        let Some(name) = node.field("name") else {
            return;
        };
        let mut extra = Extra::default();
        let of = node.field("type");
        if of.is_none() {
            extra.flags.set(Flags::ABSTRACT);
        }
        let symbol = self.declare(node, name, SymbolKind::TypeAlias, extra);
        let scope = self.b.scope(self.state.scope, ScopeKind::Block, None);
        self.generics(node, scope);
        let declared = match of {
            Some(of) => self.type_expr(of),
            None => {
                let bounds = self.bounds(node.field("bounds"));
                let list = self.b.list(&bounds);
                self.b.expr(Expr::Bounds(list))
            }
        };
        if let Some(symbol) = self.b.symbol_mut(symbol) {
            symbol.declared = Some(declared);
            // Type parameters of its own are found around the declared type.
            symbol.scope = scope;
        }
    }

    /// `const` and `static`.
    fn constant(&mut self, node: Node<'_>, kind: SymbolKind) {
        let (Some(name), Some(of)) = (node.field("name"), node.field("type")) else {
            return;
        };
        let declared = self.type_expr(of);
        let extra = Extra {
            head_end: node.field("value").map(|value| self.bytes(value).start),
            ..Extra::default()
        };
        let symbol = self.declare(node, name, kind, extra);
        let scope = self.state.scope;
        if let Some(symbol) = self.b.symbol_mut(symbol) {
            symbol.declared = Some(declared);
        }
        let vars = self.b.scope(scope, ScopeKind::Function, Some(symbol));
        let next = State {
            owner: Some(symbol),
            parent: Some(symbol),
            scope: vars,
            vars,
            barrier: self.locals.len(),
            container: Container::Body,
            ..self.state
        };
        self.push(node, next);
    }

    /// `macro_rules!`
    fn macro_definition(&mut self, node: Node<'_>) {
        let Some(name) = node.field("name") else {
            return;
        };
        let exported = self.pending.has("macro_export");
        let extra = Extra {
            head_end: Some(self.bytes(name).end),
            visibility: Some(if exported {
                Visibility::Public
            } else {
                Visibility::Private
            }),
            ..Extra::default()
        };
        let symbol = self.declare(node, name, SymbolKind::Macro, extra);
        let before = self.state;
        self.state.owner = Some(symbol);
        self.state.parent = Some(symbol);
        self.macro_rules(node);
        let id = self.name_of(name);
        self.rules_that_make(node, id);
        self.state = before;
    }
}
