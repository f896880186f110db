//! Reads classes: bases, members, documentation.

use super::kinds::Kind;
use super::{Place, Python, names};
use crate::facts::{
    Base, BaseKind, Bound, Flags, NameId, ScopeId, ScopeKind, Span, Symbol, SymbolId, SymbolKind,
};
use tree_sitter::Node;

impl<'t> Python<'_, '_, 't> {
    pub(super) fn class(
        &mut self,
        node: Node<'t>,
        whole: Node<'t>,
        decorators: &[Node<'t>],
        place: Place,
    ) {
        let f = &self.kinds.fields;
        let Some(name_node) = self.field(node, f.name) else {
            self.children(node, place);
            return;
        };
        let text = self.builder.text(name_node);
        let name = self.builder.name_of(name_node);
        let body = self.field(node, f.body);
        let bases = self.field(node, f.superclasses);
        let end = bases.map_or(name_node.end_byte(), |bases| bases.end_byte());
        let signature = self.builder.line(node.start_byte(), end);
        let doc = self.doc(body);
        let base_nodes = bases.map(|bases| self.named_children(bases));
        let base_nodes = base_nodes.unwrap_or_default();
        let mut last_names = Vec::new();
        for base in &base_nodes {
            let named = match self.kind(*base) {
                Kind::Subscript => self.field(*base, f.value).unwrap_or(*base),
                _ => *base,
            };
            last_names.push(self.last_name(named));
        }
        let id = self.builder.symbol(Symbol {
            kind: names::class_kind(&last_names),
            name,
            parent: place.owner,
            owner: None,
            span: Span::of(whole),
            name_at: name_node.start_byte() as u32,
            name_row: name_node.start_position().row as u32,
            signature,
            doc,
            visibility: names::visibility(text, place.class.is_some()),
            flags: Flags::default(),
            members: None,
            function: None,
            declared: None,
            scope: place.scope,
        });
        let members = self
            .builder
            .scope(place.scope, ScopeKind::Members, Some(id));
        let decorator_names = self.decorators(decorators, id, place);
        let mut flags = Flags::default();
        if !decorator_names.is_empty() {
            flags.set(Flags::DECORATED);
        }
        if place.local {
            flags.set(Flags::LOCAL);
        }
        if place.conditional {
            flags.set(Flags::CONDITIONAL);
        }
        let test = names::is_test_class(text, &last_names);
        if test || place.test {
            flags.set(Flags::TEST_CODE);
        }
        if let Some(symbol) = self.builder.symbol_mut(id) {
            symbol.members = Some(members);
            symbol.flags = flags;
        }
        self.bind(
            place.locals,
            name,
            name_node,
            place.scope,
            Bound::Symbol(id),
        );
        let inner = Place {
            scope: members,
            locals: members,
            owner: Some(id),
            function: None,
            class: Some((id, members)),
            receiver: None,
            local: place.local,
            conditional: false,
            test: test || place.test,
        };
        self.type_params(node, members, inner);
        for base in &base_nodes {
            match self.kind(*base) {
                Kind::KeywordArgument | Kind::Comment => continue,
                Kind::ListSplat | Kind::DictionarySplat => continue,
                _ => {}
            }
            let what = self.read_base(*base, id, place);
            let named = match self.kind(*base) {
                Kind::Subscript => self.field(*base, f.value).unwrap_or(*base),
                Kind::Call => self.field(*base, f.function).unwrap_or(*base),
                _ => *base,
            };
            let named = match self.kind(named) {
                Kind::Attribute => self.field(named, f.attribute).unwrap_or(named),
                _ => named,
            };
            self.builder.facts.bases.push(Base {
                class: id,
                kind: BaseKind::Extends,
                what,
                scope: place.scope,
                at: named.start_byte() as u32,
                row: named.start_position().row as u32,
            });
        }
        let place = Place {
            owner: Some(id),
            ..place
        };
        let from = self.open.len();
        self.visit_decorators(decorators, place);
        for base in base_nodes {
            match self.kind(base) {
                Kind::Identifier => {}
                Kind::Attribute => {
                    let object = self.field(base, self.kinds.fields.object);
                    self.open.extend(object.map(|object| (object, place)));
                }
                Kind::Subscript => {
                    for child in self.named_children(base) {
                        self.type_sites_of_base(child, base, place);
                    }
                }
                _ => self.open.push((base, place)),
            }
        }
        if let Some(body) = body {
            self.open.push((body, inner));
        }
        self.open[from..].reverse();
    }

    /// Sites for the type arguments of a base.
    fn type_sites_of_base(&mut self, child: Node<'t>, base: Node<'t>, place: Place) {
        if self.field(base, self.kinds.fields.value) != Some(child) {
            self.type_sites(child, place);
        }
    }

    /// The first paragraph of the text that a body begins with.
    pub(super) fn doc(&mut self, body: Option<Node<'t>>) -> Option<NameId> {
        let first = body?.named_child(0)?;
        let string = match self.kind(first) {
            Kind::ExpressionStatement => first.named_child(0)?,
            _ => first,
        };
        if self.kind(string) != Kind::String {
            return None;
        }
        let text = self.builder.text(string);
        let text = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let text = text.trim_matches(['"', '\'']);
        let offset = text.as_ptr() as usize - self.builder.source().as_ptr() as usize;
        let text = text.trim_start();
        let skipped = offset + {
            let whole = self.builder.text(string);
            let whole = whole.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            let whole = whole.trim_matches(['"', '\'']);
            whole.len() - whole.trim_start().len()
        };
        let mut len = 0;
        for line in text.split_inclusive('\n') {
            if line.trim().is_empty() {
                break;
            }
            len += line.len();
        }
        if len == 0 {
            return None;
        }
        Some(self.builder.line(skipped, skipped + len))
    }

    pub(super) fn is_enum(&self, class: SymbolId) -> bool {
        let symbol = self.builder.facts.symbols.get(class.index());
        symbol.is_some_and(|symbol| symbol.kind == SymbolKind::Enum)
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "one argument per part of the symbol"
    )]
    pub(super) fn field_symbol(
        &mut self,
        kind: SymbolKind,
        name: NameId,
        text: &str,
        node: Node<'t>,
        name_node: Node<'t>,
        owner: Option<SymbolId>,
        place: Place,
    ) {
        let signature = self.builder.line(node.start_byte(), node.end_byte());
        let mut flags = Flags::default();
        if place.test {
            flags.set(Flags::TEST_CODE);
        }
        let id = self.builder.symbol(Symbol {
            kind,
            name,
            parent: owner,
            owner: None,
            span: Span::of(node),
            name_at: name_node.start_byte() as u32,
            name_row: name_node.start_position().row as u32,
            signature,
            doc: None,
            visibility: names::visibility(text, owner.is_some()),
            flags,
            members: None,
            function: None,
            declared: None,
            scope: place.scope,
        });
        let members = match owner {
            Some(owner) => {
                let symbol = self.builder.facts.symbols.get(owner.index());
                symbol.and_then(|symbol| symbol.members)
            }
            None => {
                self.variables.insert(name, id);
                Some(ScopeId::MODULE)
            }
        };
        if let Some(members) = members {
            self.bind(members, name, name_node, place.scope, Bound::Symbol(id));
        }
    }

    /// The class and members that an attribute of the receiver belongs to.
    pub(super) fn receiver_of(&self, node: Node<'t>, place: Place) -> Option<(SymbolId, ScopeId)> {
        let (name, class, members) = place.receiver?;
        let object = self.field(node, self.kinds.fields.object)?;
        let is = self.kind(object) == Kind::Identifier
            && self.builder.text(object) == self.builder.named(name);
        is.then_some((class, members))
    }

    pub(super) fn type_alias(&mut self, node: Node<'t>, place: Place) {
        let f = &self.kinds.fields;
        let (Some(left), Some(right)) = (self.field(node, f.left), self.field(node, f.right))
        else {
            return;
        };
        let mut name_node = left;
        for _ in 0..4 {
            if self.kind(name_node) == Kind::Identifier {
                break;
            }
            match name_node.named_child(0) {
                Some(child) => name_node = child,
                None => return,
            }
        }
        let text = self.builder.text(name_node);
        let name = self.builder.name_of(name_node);
        let of = self.read_type(right, place);
        let signature = self.builder.line(node.start_byte(), node.end_byte());
        let id = self.builder.symbol(Symbol {
            kind: SymbolKind::TypeAlias,
            name,
            parent: place.owner,
            owner: None,
            span: Span::of(node),
            name_at: name_node.start_byte() as u32,
            name_row: name_node.start_position().row as u32,
            signature,
            doc: None,
            visibility: names::visibility(text, place.class.is_some()),
            flags: Flags::default(),
            members: None,
            function: None,
            declared: Some(of),
            scope: place.scope,
        });
        self.bind(
            place.locals,
            name,
            name_node,
            place.scope,
            Bound::Symbol(id),
        );
        self.then([Some(right)], place);
    }
}
