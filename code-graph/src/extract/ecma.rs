//! JavaScript and TypeScript, with and without JSX: one walk for all four grammars.
//!
//! What is particular to the language is told to linking by names that no program can declare:
//!
//! * `export x` is bound in the file's scope for a name that is exported under another name than
//!   its own, `default` for the default export, `export=` for `module.exports` and `export =`;
//! * `this` is bound in the scope of every function that has a receiver of its own;
//! * `()`, `new` and `[]` are members of a type: what calling, making and indexing it gives;
//! * `new()` is the type of what makes instances of its one argument;
//! * `#0` is a parameter that is taken apart where it is declared;
//! * `return` is bound in a function's scope for every value returned out of a block.

mod declare;
mod docs;
mod expr;
mod modules;
pub(crate) mod project;
#[cfg(test)]
mod tests;
mod types;
mod uses;

use super::Builder;
use crate::facts::{
    Bound, Expr, ExprId, Flags, FunctionId, NameId, ScopeId, ScopeKind, Span, Symbol, SymbolId,
    SymbolKind, Visibility,
};
use hashbrown::{HashMap, HashSet};
use tree_sitter::{Node, Tree};

/// How deep an expression, a pattern or a type is read; what lies deeper is unknown.
const DEPTH: u32 = 64;

/// How deep readings may be nested in one another: a type in a parameter of a type, a default in a
/// parameter of a default.
const NESTED: u32 = 96;

/// Reads a text without type annotations.
pub(super) fn javascript(builder: &mut Builder<'_>, tree: &Tree) {
    walk(builder, tree, false);
}

/// Reads a text with type annotations.
pub(super) fn typescript(builder: &mut Builder<'_>, tree: &Tree) {
    walk(builder, tree, true);
}

/// Where the walk is.
#[derive(Clone, Copy)]
struct Frame {
    /// The node that the frame is left with.
    node: usize,
    /// Where names are looked up.
    scope: ScopeId,
    /// Where `var` binds.
    vars: ScopeId,
    /// The innermost symbol around.
    owner: Option<SymbolId>,
    /// The innermost function or closure around.
    function: Option<FunctionId>,
    /// The innermost class around, for `this.x = …` without a declaration.
    class: Option<SymbolId>,
    /// Inside the callback of a test framework.
    test: bool,
}

/// The scopes in which the initialisers of a class are evaluated.
#[derive(Clone, Copy)]
struct ClassScopes {
    members: ScopeId,
    instance: ScopeId,
    fixed: ScopeId,
}

/// The walk over one file.
struct Ecma<'b, 't, 'n> {
    b: &'b mut Builder<'t>,
    typed: bool,
    /// The nodes around the current one.
    path: Vec<Node<'n>>,
    frames: Vec<Frame>,
    /// The comment read last, which may be the documentation of what follows.
    comment: Option<Node<'n>>,
    /// Decorators that stand before what they decorate.
    decorators: Vec<Node<'n>>,
    /// The export statement around a declaration, by the declaration's node.
    exported: HashMap<usize, Node<'n>>,
    functions: HashMap<usize, FunctionId>,
    /// The symbol that a function, class or object is, by its node.
    symbols: HashMap<usize, SymbolId>,
    objects: HashMap<usize, ScopeId>,
    classes: HashMap<SymbolId, ClassScopes>,
    /// How many readings are under way.
    nested: u32,
    /// Functions declared by signatures, by scope, name and whether they are static.
    overloads: HashMap<(ScopeId, NameId, bool), SymbolId>,
    /// Identifiers that a construct around them has already told of.
    told: HashSet<usize>,
    /// Scopes made for a node before the walk comes to it.
    planned: HashMap<usize, ScopeId>,
    /// The alias whose type is being read.
    alias: Option<SymbolId>,
    /// Assignments to names: they bind where the name is declared, known at the end.
    assigned: Vec<(ScopeId, NameId, usize, ExprId)>,
    /// Names that a list exports under their own names.
    listed: Vec<NameId>,
    /// The scopes of members that are assigned to a prototype.
    prototypes: HashSet<ScopeId>,
    /// Functions of untyped texts that give `this` members: they are classes.
    makers: Vec<SymbolId>,
    /// Members given to something declared elsewhere, by its name and scope.
    extensions: HashMap<(ScopeId, NameId), ScopeId>,
}

fn walk(builder: &mut Builder<'_>, tree: &Tree, typed: bool) {
    let root = tree.root_node();
    let mut ecma = Ecma {
        b: builder,
        typed,
        path: Vec::new(),
        frames: vec![Frame {
            node: root.id(),
            scope: ScopeId::MODULE,
            vars: ScopeId::MODULE,
            owner: None,
            function: None,
            class: None,
            test: false,
        }],
        comment: None,
        decorators: Vec::new(),
        exported: HashMap::new(),
        functions: HashMap::new(),
        symbols: HashMap::new(),
        objects: HashMap::new(),
        classes: HashMap::new(),
        nested: 0,
        overloads: HashMap::new(),
        told: HashSet::new(),
        planned: HashMap::new(),
        alias: None,
        assigned: Vec::new(),
        listed: Vec::new(),
        prototypes: HashSet::new(),
        makers: Vec::new(),
        extensions: HashMap::new(),
    };
    let mut cursor = tree.walk();
    'walk: loop {
        let node = cursor.node();
        if ecma.enter(node, cursor.field_name()) && cursor.goto_first_child() {
            ecma.path.push(node);
            continue;
        }
        ecma.leave(node);
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
            ecma.path.pop();
            ecma.leave(cursor.node());
        }
    }
    ecma.finish();
}

impl<'n> Ecma<'_, '_, 'n> {
    /// The frame around the current node.
    fn frame(&self) -> Frame {
        match self.frames.last() {
            Some(frame) => *frame,
            // The first frame is never left before the walk ends.
            None => Frame {
                node: 0,
                scope: ScopeId::MODULE,
                vars: ScopeId::MODULE,
                owner: None,
                function: None,
                class: None,
                test: false,
            },
        }
    }

    /// The scope at the current node.
    fn scope(&self) -> ScopeId {
        self.frame().scope
    }

    fn leave(&mut self, node: Node<'n>) {
        while self.frames.len() > 1 && self.frames.last().is_some_and(|f| f.node == node.id()) {
            self.frames.pop();
        }
    }

    /// Goes on in another scope until `node` is left.
    fn push_scope(&mut self, node: Node<'n>, scope: ScopeId) {
        let frame = Frame {
            node: node.id(),
            scope,
            ..self.frame()
        };
        self.frames.push(frame);
    }

    /// Goes on with another owner until `node` is left.
    fn push_owner(&mut self, node: Node<'n>, owner: SymbolId) {
        let frame = Frame {
            node: node.id(),
            owner: Some(owner),
            ..self.frame()
        };
        self.frames.push(frame);
    }

    /// Goes on in a block scope until `node` is left.
    fn push_block(&mut self, node: Node<'n>) -> ScopeId {
        let scope = self.block();
        self.push_scope(node, scope);
        scope
    }

    /// A new block scope in the current one.
    fn block(&mut self) -> ScopeId {
        let owner = self.frame().owner;
        self.b.scope(self.scope(), ScopeKind::Block, owner)
    }

    /// What is done at a node before its children; whether the walk goes into them.
    fn enter(&mut self, node: Node<'n>, field: Option<&str>) -> bool {
        if !node.is_named() {
            return false;
        }
        if let Some(scope) = self.planned.remove(&node.id()) {
            self.push_scope(node, scope);
        }
        match node.kind() {
            "comment" => {
                self.comment = Some(node);
                return false;
            }
            "string"
            | "string_fragment"
            | "number"
            | "property_identifier"
            | "regex"
            | "predefined_type"
            | "jsx_text"
            | "jsx_closing_element"
            | "statement_identifier" => {
                return false;
            }
            "identifier" | "shorthand_property_identifier" => self.identifier(node, field),
            "type_identifier" => self.type_identifier(node, field),
            "nested_type_identifier" => return self.nested_type(node),
            "member_expression" => self.member_use(node, field),
            "call_expression" => self.call(node),
            "new_expression" => self.make(node),
            "jsx_opening_element" | "jsx_self_closing_element" => self.jsx(node),
            "decorator" => self.decorator(node),
            "import_statement" => {
                self.import(node);
                return false;
            }
            "import_alias" => {
                self.import_alias(node);
                return false;
            }
            "export_statement" => return self.export(node),
            "function_declaration" | "generator_function_declaration" | "function_signature" => {
                self.function_declaration(node);
            }
            "arrow_function" | "function_expression" | "generator_function" => {
                self.closure(node);
            }
            "function_type" | "call_signature" | "construct_signature" | "constructor_type" => {
                self.signature(node);
            }
            "class_declaration" | "abstract_class_declaration" | "class" => self.class(node),
            "class_body" => self.class_body(node),
            "method_definition" | "method_signature" | "abstract_method_signature" => {
                self.method(node);
            }
            "public_field_definition" | "field_definition" => self.field(node),
            "class_static_block" => self.static_block(node),
            "interface_declaration" => self.interface(node),
            "type_alias_declaration" => self.type_alias(node),
            "enum_declaration" => self.enumeration(node),
            "internal_module" | "module" => self.module(node),
            "variable_declarator" => self.variable(node),
            "object" => {
                self.object(node, self.scope(), DEPTH);
            }
            "pair" => self.pair(node),
            "object_type" => {
                self.object_type(node, self.scope(), DEPTH);
            }
            "property_signature" => {
                if let Some(symbol) = self.symbols.get(&node.id()) {
                    self.push_owner(node, *symbol);
                }
            }
            "statement_block" => self.statement_block(node),
            "switch_body" | "for_statement" => {
                self.push_block(node);
            }
            "for_in_statement" => self.for_in(node),
            "catch_clause" => self.catch(node),
            "if_statement" | "ternary_expression" | "binary_expression" => self.narrow(node),
            "assignment_expression" => self.assignment(node),
            "augmented_assignment_expression" => self.augmented(node),
            "return_statement" => self.returned(node),
            "yield_expression" => self.yielded(node),
            "as_expression" | "satisfies_expression" => self.cast(node),
            _ => {}
        }
        true
    }

    /// A symbol with what every symbol has, not yet in the table.
    fn new_symbol(
        &mut self,
        kind: SymbolKind,
        name: NameId,
        at: Node<'n>,
        whole: Node<'n>,
        head_end: usize,
    ) -> Symbol {
        let frame = self.frame();
        let outer = self.exported.get(&whole.id()).copied();
        let span = Span::of(outer.unwrap_or(whole));
        let mut flags = Flags::default();
        if frame.function.is_some() {
            flags.set(Flags::LOCAL);
        }
        if frame.test {
            flags.set(Flags::TEST_CODE);
        }
        let visibility = if outer.is_some() {
            flags.set(Flags::EXPORTED);
            Visibility::Public
        } else {
            Visibility::Private
        };
        let doc = self.doc(span.start as usize, &mut flags);
        let signature = self.head(span.start as usize, head_end);
        Symbol {
            kind,
            name,
            parent: frame.owner,
            owner: None,
            span,
            name_at: at.start_byte() as u32,
            name_row: at.start_position().row as u32,
            signature,
            doc,
            visibility,
            flags,
            members: None,
            function: None,
            declared: None,
            scope: frame.scope,
        }
    }

    /// The name of a member as it is written, without quotes.
    fn key(&mut self, node: Node<'n>) -> NameId {
        let text = self.b.text(node);
        let text = match node.kind() {
            "string" => text.get(1..text.len().saturating_sub(1)).unwrap_or(text),
            _ => text,
        };
        self.b.name(text)
    }

    fn literal(&mut self, name: &str) -> ExprId {
        let name = self.b.name(name);
        self.b.expr(Expr::Literal(name))
    }

    fn named(&mut self, name: &str) -> ExprId {
        let name = self.b.name(name);
        self.b.expr(Expr::Name(name))
    }

    fn unknown(&mut self) -> ExprId {
        self.b.expr(Expr::Unknown)
    }

    /// Any of these; the one when it is one.
    fn any_of(&mut self, mut parts: Vec<ExprId>) -> ExprId {
        parts.dedup();
        match parts[..] {
            [] => self.unknown(),
            [one] => one,
            _ => {
                let list = self.b.list(&parts);
                self.b.expr(Expr::Union(list))
            }
        }
    }

    /// What can be said only when all has been seen.
    fn finish(mut self) {
        self.b
            .facts
            .bindings
            .sort_by_key(|b| (b.scope, b.name, b.at));
        self.settle_extensions();
        self.bind_assignments();
        self.export_listed();
        self.drop_local_uses();
    }

    /// The nearest scope around `scope` that binds `name`, as far as the bindings are sorted.
    fn declaring(&self, scope: ScopeId, name: NameId) -> Option<ScopeId> {
        let facts = &self.b.facts;
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = facts.scopes.get(id.index())?;
            let visible = !matches!(scope.kind, ScopeKind::Members | ScopeKind::Object);
            if visible && !facts.bindings_of(id, name).is_empty() {
                return Some(id);
            }
            at = scope.parent.filter(|parent| *parent < id);
        }
        None
    }

    /// Binds what is assigned to a name where the name is declared without a type.
    fn bind_assignments(&mut self) {
        let mut more = Vec::new();
        for (env, name, at, value) in std::mem::take(&mut self.assigned) {
            let Some(scope) = self.declaring(env, name) else {
                continue;
            };
            let open = self
                .b
                .facts
                .bindings_of(scope, name)
                .iter()
                .all(|b| match b.bound {
                    Bound::Value(_) | Bound::Unknown => true,
                    Bound::Symbol(id) => {
                        self.b.facts.symbols.get(id.index()).is_some_and(|symbol| {
                            symbol.kind == SymbolKind::Variable && symbol.declared.is_none()
                        })
                    }
                    _ => false,
                });
            if open {
                more.push((scope, name, at, env, value));
            }
        }
        for (scope, name, at, env, value) in more {
            self.b.bind_in(scope, name, at, env, Bound::Value(value));
        }
        self.b
            .facts
            .bindings
            .sort_by_key(|b| (b.scope, b.name, b.at));
    }

    /// Gives what was assigned to a name (`Old.prototype.run = …`, `util.parse = …`) to the symbol
    /// that the name means in the file. A function with members of its own is a class.
    fn settle_extensions(&mut self) {
        let mut moved: HashMap<ScopeId, ScopeId> = HashMap::new();
        let mut held: Vec<(ScopeId, NameId, u32, ScopeId)> = Vec::new();
        let extensions = std::mem::take(&mut self.b.facts.extensions);
        for extension in extensions {
            let Some(name) = extension.target_name else {
                continue;
            };
            let found = self.declaring(extension.scope, name).and_then(|scope| {
                let bindings = self.b.facts.bindings_of(scope, name).iter();
                bindings.rev().find_map(|binding| match binding.bound {
                    Bound::Symbol(id) => Some(id),
                    _ => None,
                })
            });
            let prototype = self.prototypes.contains(&extension.members);
            if let Some(id) = found {
                let symbol = self.b.facts.symbols.get(id.index());
                let variable = symbol.is_some_and(|symbol| {
                    matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Constant)
                        && symbol.members.is_none()
                        && symbol.declared.is_none()
                });
                let members = self.members_of(id);
                moved.insert(extension.members, members);
                if prototype {
                    self.makers.push(id);
                } else if variable && let Some(scope) = self.declaring(extension.scope, name) {
                    held.push((scope, name, extension.at, members));
                }
            } else if !prototype && let Some(scope) = self.declaring(extension.scope, name) {
                held.push((scope, name, extension.at, extension.members));
            }
        }
        // Whatever else a variable holds, it has the members that the file gives it.
        for (scope, name, at, members) in held {
            let object = self.b.expr(Expr::Object(members));
            self.b
                .bind_in(scope, name, at as usize, scope, Bound::Value(object));
        }
        for binding in &mut self.b.facts.bindings {
            if let Some(members) = moved.get(&binding.scope) {
                binding.scope = *members;
            }
        }
        self.b
            .facts
            .bindings
            .sort_by_key(|b| (b.scope, b.name, b.at));
        for id in std::mem::take(&mut self.makers) {
            if let Some(symbol) = self.b.symbol_mut(id)
                && symbol.kind == SymbolKind::Function
            {
                symbol.kind = SymbolKind::Class;
            }
        }
    }

    /// Marks what `export { a }` exports.
    fn export_listed(&mut self) {
        for name in std::mem::take(&mut self.listed) {
            let found: Vec<SymbolId> = self
                .b
                .facts
                .bindings_of(ScopeId::MODULE, name)
                .iter()
                .filter_map(|binding| match binding.bound {
                    Bound::Symbol(id) => Some(id),
                    _ => None,
                })
                .collect();
            for id in found {
                if let Some(symbol) = self.b.symbol_mut(id) {
                    symbol.flags.set(Flags::EXPORTED);
                    symbol.visibility = Visibility::Public;
                }
            }
        }
    }
}
