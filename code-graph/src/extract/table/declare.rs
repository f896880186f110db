//! Declaring types, functions and variables.

use super::Walk;
use crate::facts::{
    BaseKind, Bound, Expr, ExprId, Extension, Flags, Function, FunctionId, List, NameId, Param,
    ScopeId, ScopeKind, SiteKind, Span, Symbol, SymbolId, SymbolKind, Visibility,
};
use tree_sitter::Node;

/// The name that constructors are bound under among the members of their type.
pub(crate) const CONSTRUCTOR: &str = "<new>";

/// What a declaration is made of.
pub(crate) struct Declared<'n> {
    /// The whole declaration.
    pub(crate) node: Node<'n>,
    /// What it is.
    pub(crate) kind: SymbolKind,
    /// Its name.
    pub(crate) name: Node<'n>,
    /// Its body, which the signature ends before.
    pub(crate) body: Option<Node<'n>>,
}

/// One parameter as a language reads it.
pub(crate) struct Parameter<'n> {
    /// Its name.
    pub(crate) name: Node<'n>,
    /// Its declared type.
    pub(crate) declared: Option<Node<'n>>,
    /// Its default value.
    pub(crate) default: Option<Node<'n>>,
    /// It takes all that is left.
    pub(crate) rest: bool,
}

/// What the words before a declaration's name say.
#[derive(Default)]
struct Said {
    visibility: Option<Visibility>,
    flags: Flags,
    /// First byte of what is neither an annotation nor a comment.
    start: Option<usize>,
}

impl<'t> Walk<'_, 't> {
    /// Declares a symbol by the text of its name node and binds it in the scope around.
    pub(crate) fn declare(&mut self, declared: &Declared<'_>) -> SymbolId {
        let name = self.b.text(declared.name).trim_matches('`');
        let name = self.b.name(name);
        let id = self.symbol(declared, name);
        let bound = match declared.kind {
            SymbolKind::Method | SymbolKind::Function => self.method_name(declared.name),
            _ => name,
        };
        self.b.bind(
            self.state.scope,
            bound,
            declared.name.start_byte(),
            Bound::Symbol(id),
        );
        id
    }

    /// Declares a symbol under a name without binding it.
    pub(crate) fn symbol(&mut self, declared: &Declared<'_>, name: NameId) -> SymbolId {
        let Declared {
            node,
            kind,
            name: at,
            body,
        } = *declared;
        let said = self.said(node, at);
        let text = self.b.named(name).to_owned();
        let visibility = said
            .visibility
            .unwrap_or_else(|| (self.grammar.visibility)(self, &text, kind));
        let mut flags = said.flags;
        flags.set(self.inherited_flags());
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let start = said.start.unwrap_or(node.start_byte());
        let end = self.before_body(start, end.max(at.end_byte()));
        let signature = self.b.line(start, end);
        let doc = self.doc_before(node.start_byte(), self.grammar.plain_docs);
        self.comment = None;
        self.b.symbol(Symbol {
            kind,
            name,
            parent: self.parent(),
            owner: None,
            span: Span::of(node),
            name_at: at.start_byte() as u32,
            name_row: at.start_position().row as u32,
            signature,
            doc,
            visibility,
            flags,
            members: None,
            function: None,
            declared: None,
            scope: self.state.scope,
        })
    }

    /// The symbol that what is declared here stands in.
    fn parent(&self) -> Option<SymbolId> {
        self.state.owner
    }

    /// The end of a signature: what opens a body is not part of it.
    fn before_body(&self, start: usize, end: usize) -> usize {
        let text = self.b.source().get(start..end).unwrap_or_default();
        let text = text.trim_end();
        let text = text
            .strip_suffix("=>")
            .or_else(|| text.strip_suffix(['{', '=', ';', ':']))
            .unwrap_or(text);
        start + text.trim_end().len()
    }

    /// Reads the words before the name.
    fn said(&mut self, node: Node<'_>, name: Node<'_>) -> Said {
        let mut said = Said::default();
        let mut cursor = node.walk();
        let mut depth = 0;
        if !cursor.goto_first_child() {
            return said;
        }
        loop {
            let child = cursor.node();
            if child.start_byte() >= name.start_byte() {
                break;
            }
            let kind = child.kind();
            if self.grammar.annotations.contains(&kind) {
                said.flags.set(Flags::DECORATED);
                self.annotated(child, &mut said);
            } else if self.grammar.modifiers.contains(&kind) && child.child_count() > 0 && depth < 3
            {
                cursor.goto_first_child();
                depth += 1;
                continue;
            } else if !child.is_extra() {
                said.start.get_or_insert(child.start_byte());
                self.word(child, &mut said);
            }
            loop {
                if cursor.goto_next_sibling() {
                    break;
                }
                if depth == 0 || !cursor.goto_parent() {
                    return said;
                }
                depth -= 1;
            }
        }
        said
    }

    /// What an annotation says of a declaration.
    fn annotated(&self, node: Node<'_>, said: &mut Said) {
        let text = self.b.text(node);
        for name in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            match name {
                "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" | "Fact"
                | "Theory" | "TestMethod" | "TestCase" | "DataProvider" => {
                    said.flags.set(Flags::TEST);
                }
                "Deprecated" | "deprecated" | "Obsolete" => said.flags.set(Flags::DEPRECATED),
                "Override" | "override" => said.flags.set(Flags::OVERRIDE),
                "" => continue,
                _ => {}
            }
            // Only the first name is the annotation's own; one before a dot or colon is not.
            if !text.contains(['.', ':', ',']) {
                break;
            }
            if text.contains('(') {
                break;
            }
        }
    }

    /// What a word before a declaration says.
    fn word(&self, node: Node<'_>, said: &mut Said) {
        if node.byte_range().len() > 24 {
            return;
        }
        let text = self.b.text(node);
        let word = text.split(|c: char| !c.is_alphanumeric()).next();
        match word.unwrap_or_default() {
            "public" | "open" => said.visibility = Some(Visibility::Public),
            "private" | "fileprivate" if !text.contains("(set)") => {
                said.visibility = Some(Visibility::Private);
            }
            "protected" => said.visibility = Some(Visibility::Protected),
            "internal" | "package" if said.visibility.is_none() => {
                said.visibility = Some(Visibility::Internal);
            }
            "static" => said.flags.set(Flags::STATIC),
            "abstract" => said.flags.set(Flags::ABSTRACT),
            "override" => said.flags.set(Flags::OVERRIDE),
            "async" | "suspend" => said.flags.set(Flags::ASYNC),
            "external" | "extern" | "native" => said.flags.set(Flags::DECLARATION),
            _ => {}
        }
    }

    /// The scope in which what a type inherits is read.
    pub(crate) fn outside(&self, class: SymbolId) -> ScopeId {
        let facts = &self.b.facts;
        let members = facts
            .symbols
            .get(class.index())
            .and_then(|symbol| symbol.members);
        let scope = members.and_then(|members| facts.scopes.get(members.index()));
        scope
            .and_then(|scope| scope.parent)
            .unwrap_or(ScopeId::MODULE)
    }

    /// Sets flags of a symbol.
    pub(crate) fn flag(&mut self, id: SymbolId, flags: Flags) {
        if let Some(symbol) = self.b.symbol_mut(id) {
            symbol.flags.set(flags);
        }
    }

    /// Whether a symbol has a flag.
    pub(crate) fn has_flag(&self, id: SymbolId, flags: Flags) -> bool {
        let symbol = self.b.facts.symbols.get(id.index());
        symbol.is_some_and(|symbol| symbol.flags.has(flags))
    }

    /// The function that a symbol is.
    pub(crate) fn function_id(&self, id: SymbolId) -> Option<FunctionId> {
        self.b.facts.symbols.get(id.index())?.function
    }

    /// What a symbol is.
    pub(crate) fn kind(&self, id: SymbolId) -> Option<SymbolKind> {
        Some(self.b.facts.symbols.get(id.index())?.kind)
    }

    /// Declares a type with members; the walk stays among its members until it leaves the node it
    /// is at. Gives the type and the scope in which what it inherits is read: the one around, or
    /// one that has the type parameters.
    pub(crate) fn declare_type<'n>(
        &mut self,
        declared: &Declared<'n>,
        params: impl IntoIterator<Item = (Node<'n>, Option<Node<'n>>)>,
    ) -> (SymbolId, ScopeId) {
        let id = self.declare(declared);
        (id, self.type_body(id, params))
    }

    /// Gives a symbol type parameters and members, and enters these; see
    /// [`declare_type`](Walk::declare_type).
    pub(crate) fn type_body<'n>(
        &mut self,
        id: SymbolId,
        params: impl IntoIterator<Item = (Node<'n>, Option<Node<'n>>)>,
    ) -> ScopeId {
        let mut params = params.into_iter().peekable();
        let mut head = self.state.scope;
        if params.peek().is_some() {
            head = self.b.scope(head, ScopeKind::Block, Some(id));
            self.enter_scope(head);
            for name in self.type_params(params) {
                self.b.facts.type_params.push((id, name));
            }
        }
        self.members(id);
        head
    }

    /// Gives a symbol a scope for members and enters it.
    pub(crate) fn members(&mut self, id: SymbolId) -> ScopeId {
        let scope = self.b.scope(self.state.scope, ScopeKind::Members, Some(id));
        if let Some(symbol) = self.b.symbol_mut(id) {
            symbol.members = Some(scope);
        }
        self.frame();
        self.state.scope = scope;
        self.state.owner = Some(id);
        self.state.class = Some(id);
        self.state.function = None;
        scope
    }

    /// Binds type parameters in the scope the walk is in: the node of each name and of its bound.
    pub(crate) fn type_params<'n>(
        &mut self,
        params: impl IntoIterator<Item = (Node<'n>, Option<Node<'n>>)>,
    ) -> Vec<NameId> {
        let mut names = Vec::new();
        for (name, bound) in params {
            let id = self.b.name_of(name);
            let bound = bound.map(|bound| self.read(bound));
            let index = names.len() as u16;
            names.push(id);
            self.take(name);
            self.b.bind(
                self.state.scope,
                id,
                name.start_byte(),
                Bound::TypeParam(index, bound),
            );
        }
        names
    }

    /// Declares a function and enters it until the walk leaves the node it is at. Parameters, type
    /// parameters and the result are for the caller to add, who is then in the function's scope.
    pub(crate) fn declare_function(&mut self, declared: &Declared<'_>) -> (SymbolId, FunctionId) {
        let id = self.declare(declared);
        let function = self.function_of(id);
        (id, function)
    }

    /// Gives a symbol a function and enters it.
    pub(crate) fn function_of(&mut self, id: SymbolId) -> FunctionId {
        let scope = self
            .b
            .scope(self.state.scope, ScopeKind::Function, Some(id));
        let function = self.b.function(Function {
            symbol: Some(id),
            scope,
            params: Vec::new(),
            result: None,
            returns: Vec::new(),
            yields: Vec::new(),
            type_params: Vec::new(),
            context: None,
        });
        if let Some(symbol) = self.b.symbol_mut(id) {
            symbol.function = Some(function);
        }
        self.enter_function(function, scope, Some(id));
        function
    }

    /// Sets the type parameters of a function.
    pub(crate) fn set_type_params(&mut self, function: FunctionId, names: Vec<NameId>) {
        if let Some(function) = self.b.function_mut(function) {
            function.type_params = names;
        }
    }

    /// Sets the declared result of a function.
    pub(crate) fn set_result(&mut self, function: FunctionId, result: Option<Node<'_>>) {
        let result = result.map(|node| self.read(node));
        let Some(result) = result else { return };
        if let Some(function) = self.b.function_mut(function) {
            function.result = Some(result);
        }
    }

    /// Adds a parameter to a function and binds it in the scope the walk is in.
    pub(crate) fn param(&mut self, function: FunctionId, param: &Parameter<'_>) {
        let name = self.b.name_of(param.name);
        let declared = param.declared.map(|node| self.read(node));
        let declared = declared.filter(|id| !matches!(self.b.expr_at(*id), Expr::Unknown));
        let declared = declared.map(|id| match param.rest {
            true => {
                let list = self.b.list(&[id]);
                self.b.expr(Expr::Array(list))
            }
            false => id,
        });
        let default = param.default.map(|node| self.read(node));
        self.param_of(
            function,
            name,
            param.name.start_byte(),
            declared,
            default,
            param.rest,
        );
    }

    /// Adds a parameter, already read.
    pub(crate) fn param_of(
        &mut self,
        function: FunctionId,
        name: NameId,
        at: usize,
        declared: Option<ExprId>,
        default: Option<ExprId>,
        rest: bool,
    ) {
        let Some(known) = self.b.function_mut(function) else {
            return;
        };
        let index = known.params.len() as u16;
        known.params.push(Param {
            name,
            declared,
            default,
            rest,
        });
        let scope = known.scope;
        let bound = match declared {
            Some(declared) => Bound::Declared(declared),
            None => Bound::Parameter(index),
        };
        self.locals.insert((scope, name));
        self.b.bind(scope, name, at, bound);
    }

    /// A variable that is declared here: a symbol among members or at the top, a binding else.
    pub(crate) fn variable(
        &mut self,
        declared: &Declared<'_>,
        ty: Option<ExprId>,
        value: Option<ExprId>,
    ) -> Option<SymbolId> {
        let ty = ty.filter(|id| !matches!(self.b.expr_at(*id), Expr::Unknown));
        let name = self.b.text(declared.name).trim_matches('`');
        let name = self.b.name(name);
        let at = declared.name.start_byte();
        let scope = self.state.scope;
        if matches!(self.kind_of(scope), ScopeKind::Function | ScopeKind::Block) {
            let bound = match (ty, value) {
                (Some(ty), _) => Bound::Declared(ty),
                (None, Some(value)) => Bound::Value(value),
                (None, None) => Bound::Unknown,
            };
            self.local_named(name, at, bound);
            return None;
        }
        let id = self.symbol(declared, name);
        // A member that is named as its type: the type is read from outside the members.
        let named = ty.and_then(|ty| self.named_type(ty));
        let env = match (named == Some(name), self.state.class) {
            (true, Some(class)) if self.in_members() => self.outside(class),
            _ => scope,
        };
        if let Some(symbol) = self.b.symbol_mut(id) {
            symbol.declared = ty;
            symbol.scope = env;
        }
        self.b.bind(scope, name, at, Bound::Symbol(id));
        match (ty, value) {
            (None, Some(value)) => self.b.bind(scope, name, at, Bound::Value(value)),
            (Some(ty), _) => self.b.bind_in(scope, name, at, env, Bound::Declared(ty)),
            (None, None) => {}
        }
        Some(id)
    }

    /// Members that are added to a type declared elsewhere.
    pub(crate) fn extension(
        &mut self,
        target: Node<'_>,
        interface: Option<Node<'_>>,
        members: ScopeId,
        scope: ScopeId,
    ) {
        let what = self.read_in(scope, target);
        let interface = interface.map(|node| self.read_in(scope, node));
        let name = self.last_name(target);
        let simple = self.named_type(what);
        self.b.facts.extensions.push(Extension {
            target: what,
            interface,
            members,
            scope,
            at: name.start_byte() as u32,
            row: name.start_position().row as u32,
            target_name: simple,
        });
    }

    /// The simple name of a type expression.
    pub(crate) fn named_type(&self, mut what: ExprId) -> Option<NameId> {
        for _ in 0..8 {
            what = match self.b.expr_at(what) {
                Expr::Name(name) | Expr::Member(_, name) | Expr::Path(_, name) => {
                    return Some(name);
                }
                Expr::Generic(base, _)
                | Expr::Reference(base)
                | Expr::Unwrap(base)
                | Expr::Instance(base) => base,
                Expr::Literal(name) => return Some(name),
                _ => return None,
            };
        }
        None
    }

    /// Lets a symbol be a function without parameters that gives a `ty`.
    pub(crate) fn accessor(&mut self, id: SymbolId, ty: ExprId) -> SymbolId {
        let scope = self
            .b
            .scope(self.state.scope, ScopeKind::Function, Some(id));
        let function = self.b.function(Function {
            symbol: Some(id),
            scope,
            params: Vec::new(),
            result: Some(ty),
            returns: Vec::new(),
            yields: Vec::new(),
            type_params: Vec::new(),
            context: None,
        });
        if let Some(symbol) = self.b.symbol_mut(id) {
            symbol.function = Some(function);
        }
        id
    }

    /// A constructor: bound among the members under a name that no member can have.
    pub(crate) fn bind_constructor(&mut self, id: SymbolId, name: Node<'_>) {
        let new = self.b.name(CONSTRUCTOR);
        let scope = self.state.scope;
        self.b
            .bind(scope, new, name.start_byte(), Bound::Symbol(id));
    }

    /// A constructor calls another one of its class, or of the class it inherits from.
    pub(crate) fn constructor_call(&mut self, class: ExprId, at: Node<'_>, args: List) {
        let new = self.b.name(CONSTRUCTOR);
        let what = self.b.expr(Expr::Member(class, new));
        self.site(SiteKind::Call, what, at, args);
    }

    /// A type without a name, made where `node` stands: the walk is among its members until it
    /// leaves the node it is at. Its name is `new` and that of what it inherits.
    pub(crate) fn anonymous(
        &mut self,
        node: Node<'_>,
        base: Node<'_>,
        body: Option<Node<'_>>,
        kind: BaseKind,
    ) -> SymbolId {
        let last = self.last_name(base);
        let name = format!("new {}", self.b.text(last));
        let name = self.b.name(&name);
        let declared = Declared {
            node,
            kind: SymbolKind::Class,
            name: last,
            body,
        };
        let id = self.symbol(&declared, name);
        let scope = self.state.scope;
        self.type_body(id, []);
        self.base(id, kind, base, scope);
        id
    }

    /// The walk gives what stands in the initialiser at `node`, which is inside the node it is at,
    /// to the declared symbol.
    pub(crate) fn own_initialiser(&mut self, node: Node<'_>, id: SymbolId) {
        self.owners.insert(node.id(), id);
    }

    /// An array of a type.
    pub(crate) fn array_of(&mut self, element: ExprId) -> ExprId {
        let list = self.b.list(&[element]);
        self.b.expr(Expr::Array(list))
    }

    /// What the place that a closure is written at expects of it.
    pub(crate) fn expected(&mut self, function: FunctionId, ty: ExprId) {
        if let Some(function) = self.b.function_mut(function) {
            function.context.get_or_insert(ty);
        }
    }

    /// An annotation: the owner is the symbol around, which is what it stands on.
    pub(crate) fn annotation(&mut self, name: Node<'_>, args: Option<Node<'_>>) {
        let what = self.read(name);
        let last = self.last_name(name);
        self.take(name);
        self.take_names(name);
        let args = match args {
            Some(args) => self.arguments(Some(args)),
            None => List::default(),
        };
        self.site(SiteKind::Decorator, what, last, args);
    }
}
