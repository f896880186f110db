//! Imports and exports.

use super::declare::{body_start, is_function};
use super::types::{first_named, has_word, named};
use super::{DEPTH, Ecma};
use crate::extract::field::Fields;
use crate::facts::{
    Bound, Expr, Flags, Import, ImportId, NameId, ScopeId, SymbolId, SymbolKind, Visibility,
};
use tree_sitter::Node;

impl<'n> Ecma<'_, '_, 'n> {
    #[allow(
        clippy::too_many_arguments,
        reason = "an import statement has that many parts, and they are named where it is called"
    )]
    /// One imported name. It is bound as `bound_as` where it has a local name.
    fn add_import(
        &mut self,
        at: Node<'n>,
        module: NameId,
        name: Option<NameId>,
        local: Option<NameId>,
        bound_as: Option<NameId>,
        reexport: bool,
        type_only: bool,
    ) {
        let scope = match reexport {
            true => ScopeId::MODULE,
            false => self.scope(),
        };
        let id = ImportId(self.b.facts.imports.len() as u32);
        self.b.facts.imports.push(Import {
            module,
            level: 0,
            name,
            local,
            wildcard: reexport && local.is_none(),
            reexport,
            type_only,
            scope,
            at: at.start_byte() as u32,
            row: at.start_position().row as u32,
        });
        if let Some(bound_as) = bound_as {
            self.b
                .bind(scope, bound_as, at.start_byte(), Bound::Import(id));
        }
    }

    /// The name under which something is exported that is not bound under it.
    fn export_name(&mut self, name: &str) -> NameId {
        match name {
            "default" | "export=" => self.b.name(name),
            _ => self.b.name(&format!("export {name}")),
        }
    }

    /// `import … from "m"`, `import "m"`, `import x = require("m")`.
    pub(super) fn import(&mut self, node: Node<'n>) {
        let type_only = has_word(node, "type");
        let clause = named(node)
            .into_iter()
            .find(|child| matches!(child.kind(), "import_clause" | "import_require_clause"));
        let source = node
            .field("source")
            .or_else(|| clause.and_then(|clause| clause.field("source")));
        let Some(source) = source else {
            return;
        };
        let module = self.key(source);
        let Some(clause) = clause else {
            self.add_import(source, module, None, None, None, false, false);
            return;
        };
        for part in named(clause) {
            match part.kind() {
                "identifier" => {
                    let local = self.b.name_of(part);
                    let name = match clause.kind() {
                        "import_clause" => "default",
                        _ => "export=",
                    };
                    let name = Some(self.b.name(name));
                    self.add_import(
                        part,
                        module,
                        name,
                        Some(local),
                        Some(local),
                        false,
                        type_only,
                    );
                }
                "namespace_import" => {
                    if let Some(name_node) = first_named(part) {
                        let local = self.b.name_of(name_node);
                        self.add_import(
                            name_node,
                            module,
                            None,
                            Some(local),
                            Some(local),
                            false,
                            type_only,
                        );
                    }
                }
                "named_imports" => {
                    for specifier in named(part) {
                        let Some(name_node) = specifier.field("name") else {
                            continue;
                        };
                        let name = self.key(name_node);
                        let local = match specifier.field("alias") {
                            Some(alias) => self.b.name_of(alias),
                            None => name,
                        };
                        let type_only = type_only || has_word(specifier, "type");
                        self.add_import(
                            name_node,
                            module,
                            Some(name),
                            Some(local),
                            Some(local),
                            false,
                            type_only,
                        );
                    }
                }
                _ => {}
            }
        }
    }

    /// `import x = A.B.C`.
    pub(super) fn import_alias(&mut self, node: Node<'n>) {
        let parts = named(node);
        let [name_node, target] = parts[..] else {
            return;
        };
        let scope = self.scope();
        let name = self.b.name_of(name_node);
        let what = self.expr(target, scope, DEPTH);
        let at = name_node.start_byte();
        self.b.bind(scope, name, at, Bound::Type(what));
    }

    /// The walk comes to an `export`; whether it goes on inside.
    pub(super) fn export(&mut self, node: Node<'n>) -> bool {
        let type_only = has_word(node, "type");
        if let Some(source) = node.field("source") {
            self.export_from(node, source, type_only);
            return false;
        }
        if let Some(declaration) = node.field("declaration") {
            self.exported.insert(declaration.id(), node);
            return true;
        }
        if let Some(value) = node.field("value") {
            self.export_value(node, value, "default");
            return true;
        }
        let clause = named(node)
            .into_iter()
            .find(|child| child.kind() == "export_clause");
        if let Some(clause) = clause {
            for specifier in named(clause) {
                let Some(name_node) = specifier.field("name") else {
                    continue;
                };
                let name = self.key(name_node);
                self.listed.push(name);
                if let Some(alias) = specifier.field("alias") {
                    let alias = self.key(alias);
                    let alias = self.b.named(alias).to_owned();
                    let alias = self.export_name(&alias);
                    let value = self.b.expr(Expr::Name(name));
                    self.bind_export(alias, name_node, value);
                }
            }
            return false;
        }
        // `export = x`, `export as namespace X`.
        if has_word(node, "=")
            && let Some(value) = first_named(node)
        {
            self.export_value(node, value, "export=");
            return true;
        }
        !has_word(node, "namespace")
    }

    /// Gives a name of the file's own scope the meaning of an expression, as value and as type.
    fn bind_export(&mut self, name: NameId, at: Node<'n>, value: crate::facts::ExprId) {
        let env = self.scope();
        self.b.bind_in(
            ScopeId::MODULE,
            name,
            at.start_byte(),
            env,
            Bound::Type(value),
        );
    }

    /// `export … from "m"`.
    fn export_from(&mut self, node: Node<'n>, source: Node<'n>, type_only: bool) {
        let module = self.key(source);
        let mut all = true;
        for child in named(node) {
            match child.kind() {
                "namespace_export" => {
                    all = false;
                    if let Some(name_node) = first_named(child) {
                        let local = self.key(name_node);
                        let text = self.b.named(local).to_owned();
                        let bound = self.export_name(&text);
                        self.add_import(
                            name_node,
                            module,
                            None,
                            Some(local),
                            Some(bound),
                            true,
                            type_only,
                        );
                    }
                }
                "export_clause" => {
                    all = false;
                    for specifier in named(child) {
                        let Some(name_node) = specifier.field("name") else {
                            continue;
                        };
                        let name = self.key(name_node);
                        let local = match specifier.field("alias") {
                            Some(alias) => self.key(alias),
                            None => name,
                        };
                        let text = self.b.named(local).to_owned();
                        let bound = self.export_name(&text);
                        self.add_import(
                            name_node,
                            module,
                            Some(name),
                            Some(local),
                            Some(bound),
                            true,
                            type_only,
                        );
                    }
                }
                _ => {}
            }
        }
        if all {
            self.add_import(source, module, None, None, None, true, type_only);
        }
    }

    /// A value that is exported without a name of its own: `export default …`, `export = …`,
    /// `module.exports = …`, `exports.name = …`.
    pub(super) fn export_value(&mut self, whole: Node<'n>, value: Node<'n>, name: &str) {
        let scope = self.scope();
        let bound = self.export_name(name);
        if value.kind() == "identifier" {
            let name = self.b.name_of(value);
            self.listed.push(name);
        }
        let own = value.field("name");
        let simple = name.trim_end_matches('=');
        if is_function(value) {
            // What is exported as such has no name but its own.
            let whole_module = matches!(name, "default" | "export=");
            let (name, at) = match own.filter(|_| whole_module) {
                Some(own) => (self.b.name_of(own), own),
                None => (self.b.name(simple), value),
            };
            let mut symbol =
                self.new_symbol(SymbolKind::Function, name, at, whole, body_start(value));
            symbol.visibility = Visibility::Public;
            symbol.flags.set(Flags::EXPORTED);
            if has_word(value, "async") {
                symbol.flags.set(Flags::ASYNC);
            }
            let id = self.b.symbol(symbol);
            self.become_function(value, id, scope, super::declare::This::of(value));
            self.bind_symbol_export(bound, value, id);
            return;
        }
        if value.kind() == "class" {
            let name_of_class = match own {
                Some(own) => (self.b.name_of(own), own),
                None => (self.b.name(simple), value),
            };
            let id = self.class_symbol(value, Some(name_of_class), scope);
            if let Some(symbol) = self.b.symbol_mut(id) {
                symbol.visibility = Visibility::Public;
                symbol.flags.set(Flags::EXPORTED);
            }
            if let Some(own) = own {
                self.b
                    .bind(scope, name_of_class.0, own.start_byte(), Bound::Symbol(id));
            }
            self.bind_symbol_export(bound, value, id);
            return;
        }
        let read = self.expr(value, scope, DEPTH);
        self.bind_export(bound, value, read);
    }

    fn bind_symbol_export(&mut self, name: NameId, at: Node<'n>, id: SymbolId) {
        self.b
            .bind(ScopeId::MODULE, name, at.start_byte(), Bound::Symbol(id));
    }

    /// Notes that a symbol declared by `node` is the default export, when it is.
    pub(super) fn export_symbol(&mut self, node: Node<'n>, name: NameId, id: SymbolId) {
        let Some(statement) = self.exported.get(&node.id()).copied() else {
            return;
        };
        if has_word(statement, "default") {
            let bound = self.b.name("default");
            if bound != name {
                self.bind_symbol_export(bound, node, id);
            }
        }
    }

    /// `const x = require("m")` and `const { a } = require("m")` are imports; whether this is one.
    pub(super) fn required(&mut self, node: Node<'n>, pattern: Node<'n>, value: Node<'n>) -> bool {
        let (call, member) = match value.kind() {
            "member_expression" => {
                let (Some(object), Some(property)) =
                    (value.field("object"), value.field("property"))
                else {
                    return false;
                };
                (object, Some(property))
            }
            _ => (value, None),
        };
        let Some(module) = self.required_module(call) else {
            return false;
        };
        match pattern.kind() {
            "identifier" => {
                self.told.insert(call.id());
                let local = self.b.name_of(pattern);
                let name = match member {
                    Some(member) => self.b.name_of(member),
                    None => self.b.name("export="),
                };
                self.add_import(
                    pattern,
                    module,
                    Some(name),
                    Some(local),
                    Some(local),
                    false,
                    false,
                );
                true
            }
            "object_pattern" if member.is_none() => {
                let parts = named(pattern);
                let simple = parts.iter().all(|part| match part.kind() {
                    "shorthand_property_identifier_pattern" | "comment" => true,
                    "pair_pattern" => part
                        .field("value")
                        .is_some_and(|value| value.kind() == "identifier"),
                    _ => false,
                });
                if !simple {
                    return false;
                }
                self.told.insert(call.id());
                for part in parts {
                    let (name, local) = match part.kind() {
                        "comment" => continue,
                        "pair_pattern" => {
                            let (Some(key), Some(value)) = (part.field("key"), part.field("value"))
                            else {
                                continue;
                            };
                            (self.key(key), self.b.name_of(value))
                        }
                        _ => {
                            let name = self.b.name_of(part);
                            (name, name)
                        }
                    };
                    self.add_import(
                        part,
                        module,
                        Some(name),
                        Some(local),
                        Some(local),
                        false,
                        false,
                    );
                }
                true
            }
            _ => {
                let _ = node;
                false
            }
        }
    }

    /// The walk comes to a call: `require("m")` that binds nothing imports all the same.
    pub(super) fn bare_require(&mut self, node: Node<'n>) {
        if self.told.contains(&node.id()) {
            return;
        }
        if let Some(module) = self.required_module(node) {
            self.add_import(node, module, None, None, None, false, false);
        }
    }

    /// The module that `require("m")` names.
    fn required_module(&mut self, value: Node<'n>) -> Option<NameId> {
        if value.kind() != "call_expression" {
            return None;
        }
        let callee = value.field("function")?;
        if self.b.text(callee) != "require" {
            return None;
        }
        let source = first_named(value.field("arguments")?)?;
        (source.kind() == "string").then(|| self.key(source))
    }

    /// `module.exports = …`, `module.exports.x = …`, `exports.x = …`; whether it was one.
    pub(super) fn common_export(
        &mut self,
        node: Node<'n>,
        left: Node<'n>,
        right: Node<'n>,
    ) -> bool {
        let text = self.b.text(left);
        let name = match text {
            "module.exports" | "exports" => "export=",
            _ => {
                let name = text
                    .strip_prefix("module.exports.")
                    .or_else(|| text.strip_prefix("exports."));
                match name {
                    Some(name) if !name.contains(['.', '[', '(']) => name,
                    _ => return false,
                }
            }
        };
        self.export_value(node, right, name);
        true
    }
}
