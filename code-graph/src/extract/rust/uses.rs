//! `use` trees, `mod x;` and `extern crate`.

use super::Walk;
use crate::extract::field::Fields;
use crate::facts::{Bound, Import, ImportId};
use tree_sitter::Node;

impl Walk<'_, '_> {
    /// `use …;`: an import per name.
    pub(super) fn use_declaration(&mut self, node: Node<'_>) {
        let reexport = is_public(node);
        let Some(argument) = node.field("argument") else {
            return;
        };
        let mut rest = vec![(argument, String::new())];
        while let Some((node, prefix)) = rest.pop() {
            match node.kind() {
                "use_list" => {
                    let mut cursor = node.walk();
                    let children: Vec<_> = node.named_children(&mut cursor).collect();
                    rest.extend(
                        children
                            .into_iter()
                            .rev()
                            .map(|child| (child, prefix.clone())),
                    );
                }
                "scoped_use_list" => {
                    let path = node.field("path");
                    let prefix = match path {
                        Some(path) => join(&prefix, &self.path_text(path)),
                        None => join(&prefix, "::"),
                    };
                    if let Some(list) = node.field("list") {
                        rest.push((list, prefix));
                    }
                }
                "use_wildcard" => {
                    let prefix = match node.named_child(0) {
                        Some(path) => join(&prefix, &self.path_text(path)),
                        None => prefix,
                    };
                    self.import(node, &prefix, None, None, true, reexport);
                }
                "use_as_clause" => {
                    let (Some(path), Some(alias)) = (node.field("path"), node.field("alias"))
                    else {
                        continue;
                    };
                    let local = self.text(alias);
                    let local = Some(local).filter(|local| *local != "_");
                    self.import_path(path, &prefix, Some(local), reexport);
                }
                "self" | "identifier" | "scoped_identifier" | "crate" | "super" => {
                    self.import_path(node, &prefix, None, reexport);
                }
                _ => {}
            }
        }
    }

    /// One imported path; `alias` is what stands after `as`, with none for `_`.
    fn import_path(
        &mut self,
        node: Node<'_>,
        prefix: &str,
        alias: Option<Option<&str>>,
        reexport: bool,
    ) {
        let mut path = join(prefix, &self.path_text(node));
        if let Some(before) = path.strip_suffix("::self") {
            path.truncate(before.len());
        }
        let (module, name) = match path.rsplit_once("::") {
            Some(("", name)) => ("::", name),
            Some((module, name)) => (module, name),
            None => ("", path.as_str()),
        };
        let name = name.strip_prefix("r#").unwrap_or(name).to_string();
        let local = alias.unwrap_or(Some(&name));
        let last = node.field("name").unwrap_or(node);
        self.import(last, module, Some(&name), local, false, reexport);
    }

    fn import(
        &mut self,
        at: Node<'_>,
        module: &str,
        name: Option<&str>,
        local: Option<&str>,
        wildcard: bool,
        reexport: bool,
    ) {
        let (start, row) = (self.bytes(at).start, self.row(at) as u32);
        let import = Import {
            module: self.b.name(module),
            level: 0,
            name: name.map(|name| self.b.name(name)),
            local: local.map(|local| self.b.name(local)),
            wildcard,
            reexport,
            type_only: false,
            scope: self.state.scope,
            at: start as u32,
            row,
        };
        let id = ImportId(self.b.facts.imports.len() as u32);
        self.b.facts.imports.push(import);
        if let Some(local) = import.local {
            self.b
                .bind(self.state.scope, local, start, Bound::Import(id));
        }
    }

    /// `mod x;`
    pub(super) fn module_file(&mut self, node: Node<'_>, name: Node<'_>) {
        let module = match self.pending.path() {
            Some(path) => format!("mod {path}"),
            None => "mod ".to_string(),
        };
        let text = self.text(name);
        let text = text.strip_prefix("r#").unwrap_or(text);
        let public = is_public(node);
        self.import(name, &module, Some(text), Some(text), false, public);
    }

    /// `extern crate x as y;`
    pub(super) fn extern_crate(&mut self, node: Node<'_>) {
        let Some(name) = node.field("name") else {
            return;
        };
        let alias = node.field("alias");
        let local = self.text(alias.unwrap_or(name));
        let text = self.text(name);
        self.import(name, "::", Some(text), Some(local), false, is_public(node));
    }

    /// A path as text without white space and comments.
    fn path_text(&self, node: Node<'_>) -> String {
        let text = self.text(node);
        text.chars().filter(|c| !c.is_whitespace()).collect()
    }
}

/// Whether a declaration has a visibility of its own.
pub(super) fn is_public(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .any(|child| child.kind() == "visibility_modifier")
}

fn join(prefix: &str, path: &str) -> String {
    match (prefix, path) {
        ("", path) => path.to_string(),
        (prefix, "") => prefix.to_string(),
        ("::", path) => format!("::{path}"),
        (prefix, path) => format!("{prefix}::{path}"),
    }
}
