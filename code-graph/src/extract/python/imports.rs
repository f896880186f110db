//! Reads imports and what a module exports.

use super::kinds::Kind;
use super::{Place, Python, read};
use crate::facts::{Bound, Import, ImportId, NameId, ScopeId};
use tree_sitter::Node;

impl<'t> Python<'_, '_, 't> {
    pub(super) fn import(&mut self, node: Node<'t>, place: Place) {
        for child in self.named_children(node) {
            let (name, alias) = match self.kind(child) {
                Kind::AliasedImport => (
                    self.field(child, self.kinds.fields.name),
                    self.field(child, self.kinds.fields.alias),
                ),
                Kind::DottedName => (Some(child), None),
                _ => continue,
            };
            let Some(name) = name else {
                continue;
            };
            let text = self.builder.text(name);
            let module = self.dotted(name);
            let local = match alias {
                Some(alias) => self.builder.name_of(alias),
                None => {
                    let first = text.split('.').next().unwrap_or(text);
                    self.builder.name(first.trim())
                }
            };
            self.add_import(module, 0, None, Some(local), false, name, place);
        }
    }

    /// A dotted name without white space.
    fn dotted(&mut self, node: Node<'t>) -> NameId {
        let text = self.builder.text(node);
        if text.contains(char::is_whitespace) {
            let text: String = text.split_whitespace().collect();
            return self.builder.name(&text);
        }
        self.builder.name(text)
    }

    pub(super) fn import_from(&mut self, node: Node<'t>, place: Place) {
        let Some(module) = self.field(node, self.kinds.fields.module_name) else {
            return;
        };
        let (level, module_name) = match self.kind(module) {
            Kind::RelativeImport => {
                let mut level = 0;
                let mut name = self.builder.name("");
                for child in self.named_children(module) {
                    match self.kind(child) {
                        Kind::ImportPrefix => {
                            let text = self.builder.text(child);
                            level = text.bytes().filter(|b| *b == b'.').count();
                        }
                        Kind::DottedName => name = self.dotted(child),
                        _ => {}
                    }
                }
                (level.min(255) as u8, name)
            }
            _ => (0, self.dotted(module)),
        };
        for child in self.named_children(node) {
            if child.id() == module.id() {
                continue;
            }
            let (name, alias) = match self.kind(child) {
                Kind::AliasedImport => (
                    self.field(child, self.kinds.fields.name),
                    self.field(child, self.kinds.fields.alias),
                ),
                Kind::DottedName => (Some(child), None),
                Kind::WildcardImport => {
                    self.add_import(module_name, level, None, None, true, child, place);
                    continue;
                }
                _ => continue,
            };
            let Some(name_node) = name else {
                continue;
            };
            let name = self.dotted(name_node);
            let local = alias.map_or(name, |alias| self.builder.name_of(alias));
            self.add_import(
                module_name,
                level,
                Some(name),
                Some(local),
                false,
                name_node,
                place,
            );
        }
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "one argument per part of the statement"
    )]
    fn add_import(
        &mut self,
        module: NameId,
        level: u8,
        name: Option<NameId>,
        local: Option<NameId>,
        wildcard: bool,
        at: Node<'t>,
        place: Place,
    ) {
        let id = ImportId(self.builder.facts.imports.len() as u32);
        self.builder.facts.imports.push(Import {
            module,
            level,
            name,
            local,
            wildcard,
            reexport: true,
            type_only: false,
            scope: place.locals,
            at: at.start_byte() as u32,
            row: at.start_position().row as u32,
        });
        if let Some(local) = local {
            self.bind(place.locals, local, at, place.scope, Bound::Import(id));
        }
    }

    /// `__all__`, and `T = TypeVar("T")`.
    pub(super) fn special(&mut self, left: Node<'t>, value: Option<Node<'t>>, place: Place) {
        if self.kind(left) != Kind::Identifier {
            return;
        }
        let Some(value) = value else {
            return;
        };
        if self.builder.text(left) == "__all__" {
            self.exports = Some((Vec::new(), true));
            self.add_exports(value);
            return;
        }
        if self.kind(value) == Kind::Call
            && let Some(function) = self.field(value, self.kinds.fields.function)
            && matches!(self.last_name(function), "TypeVar" | "ParamSpec")
        {
            let name = self.builder.name_of(left);
            let bound = self.type_var_bound(value, place);
            let scope = ScopeId::MODULE;
            let bindings = &mut self.builder.facts.bindings;
            bindings.retain(|b| !(b.scope == scope && b.name == name));
            self.bind(scope, name, left, scope, Bound::TypeParam(0, bound));
        }
    }

    /// `__all__ += […]`.
    pub(super) fn exports_grow(
        &mut self,
        left: Option<Node<'t>>,
        right: Option<Node<'t>>,
        place: Place,
    ) {
        if place.scope == ScopeId::MODULE
            && let (Some(left), Some(right)) = (left, right)
            && self.builder.text(left) == "__all__"
        {
            self.add_exports(right);
        }
    }

    /// Adds the names of a list to `__all__`.
    fn add_exports(&mut self, value: Node<'t>) {
        let mut open = vec![value];
        while let Some(node) = open.pop() {
            match self.kind(node) {
                Kind::List | Kind::Tuple | Kind::Parenthesized => {
                    open.extend(self.named_children(node));
                }
                Kind::String => {
                    let text = read::string_content(self.builder.text(node));
                    let name = self.builder.name(text);
                    if let Some((names, _)) = &mut self.exports {
                        names.push(name);
                    }
                }
                Kind::BinaryOperator => {
                    open.extend(self.field(node, self.kinds.fields.left));
                    open.extend(self.field(node, self.kinds.fields.right));
                }
                Kind::Comment => {}
                _ => {
                    if let Some((_, known)) = &mut self.exports {
                        *known = false;
                    }
                }
            }
        }
    }

    /// `__all__.extend([…])`, `__all__.append("…")`.
    pub(super) fn exports_call(
        &mut self,
        function: Node<'t>,
        object: Option<Node<'t>>,
        arguments: Option<Node<'t>>,
    ) {
        if let (Some(object), Some(arguments)) = (object, arguments)
            && self.builder.text(object) == "__all__"
            && matches!(self.last_name(function), "extend" | "append")
        {
            for argument in self.named_children(arguments) {
                self.add_exports(argument);
            }
        }
    }
}
