//! What a stop shows of the variables of JavaScript: parameters and locals first, then those of the
//! functions around, then what the module counts with. Functions, classes and the tables of a module are
//! in the source, and are counted only.

use crate::error::DebugError;
use crate::protocol::{RawScope, RawValue};
use crate::result::{More, Page, Value};

use super::inner::Inner;
use super::moment::{FrameRef, ValueRef};

/// Values of one scope that are looked at.
const LOOKED_AT: usize = 200;

/// What is left out, and how many of them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Folded {
    functions: usize,
    tables: usize,
}

impl Inner {
    /// The variables that a stop shows, and what is said of those that it leaves out.
    pub(super) async fn shown_locals(
        &self,
        frame: &FrameRef,
    ) -> Result<(Page<Value>, Option<String>), DebugError> {
        let shown = &self.config.shown;
        if !self.adapter.in_parts {
            let page = self
                .locals(frame, 0, shown.values, shown.characters)
                .await?;
            return Ok((page, None));
        }
        let scopes = self.scopes_of(frame).await?;
        let module = module_scope(&scopes);
        let mut chosen: Vec<RawValue> = Vec::new();
        let mut last: Vec<RawValue> = Vec::new();
        let mut folded = Folded::default();
        for (number, scope) in scopes.iter().enumerate() {
            if scope.expensive || scope.beyond || scope.reference == 0 {
                continue;
            }
            let of = ValueRef {
                connection: frame.connection,
                reference: scope.reference,
                indexed: None,
                name: String::new(),
                secret: false,
                root: None,
            };
            let (values, _) = self.children(&of, 0, LOOKED_AT).await?;
            let is_module = values.iter().any(|raw| raw.name == "__filename");
            for raw in values {
                let is_hidden = chosen.iter().any(|known| known.name == raw.name);
                match raw.name.as_str() {
                    // What stands further in has the name.
                    _ if is_hidden => {}
                    "arguments" => {}
                    // What every module of CommonJS is given.
                    "__dirname" | "__filename" | "exports" | "module" | "require" | "this"
                        if is_module => {}
                    "this" if is_nothing(&raw) => {}
                    "this" | "Return value" => last.push(raw),
                    _ if is_function(&raw.value) => folded.functions += 1,
                    _ if module == Some(number) && raw.reference > 0 => folded.tables += 1,
                    _ => chosen.push(raw),
                }
            }
        }
        chosen.extend(last);
        let more = chosen.len().saturating_sub(shown.values);
        let items = chosen
            .iter()
            .take(shown.values)
            .map(|raw| without_trace(self.value(frame.connection, raw, false, shown.characters)))
            .collect();
        let page = Page {
            items,
            start: 0,
            more: match more {
                0 => More::None,
                more => More::Exactly(more as u64),
            },
        };
        Ok((page, folded.words()))
    }
}

impl Folded {
    fn words(&self) -> Option<String> {
        let count = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        };
        let functions = count(self.functions, "function or class", "functions and classes");
        let tables = count(self.tables, "object of the module", "objects of the module");
        let words: Vec<String> = functions.into_iter().chain(tables).collect();
        (!words.is_empty()).then(|| {
            format!(
                "left out of the locals: {}; `variables` has them",
                words.join(", ")
            )
        })
    }
}

/// The scope of a module of CommonJS, in which its code is the body of a function without a name.
fn module_scope(scopes: &[RawScope]) -> Option<usize> {
    let is_closure = |scope: &RawScope| scope.name.starts_with("Closure");
    if scopes.iter().any(|scope| scope.name == "Module") {
        return None;
    }
    let last = scopes.iter().rposition(is_closure)?;
    scopes.get(last).filter(|scope| scope.name == "Closure")?;
    Some(last)
}

/// Whether `this` is nothing that the program has chosen.
fn is_nothing(this: &RawValue) -> bool {
    let of_everything = ["global", "globalThis", "Window"];
    let kind = this.kind.as_deref().unwrap_or_default();
    ["undefined", "{}"].contains(&this.value.as_str()) || of_everything.contains(&kind)
}

fn is_function(text: &str) -> bool {
    ["ƒ", "async ƒ", "class "]
        .iter()
        .any(|start| text.starts_with(start))
}

/// An error without its stack, which a stop has in a form of its own.
fn without_trace(mut value: Value) -> Value {
    let at = value.text.find("\n    at ");
    if let Some(at) = at.filter(|at| *at > 0) {
        value.cut_from = value.cut_from.or(Some(value.text.chars().count()));
        value.text.truncate(at);
        value.shortened = true;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scopes(names: &[&str]) -> Vec<RawScope> {
        let scope = |name: &&str| RawScope {
            name: (*name).to_owned(),
            ..RawScope::default()
        };
        names.iter().map(scope).collect()
    }

    #[test]
    fn the_scope_of_a_module_is_known() {
        assert_eq!(
            module_scope(&scopes(&["Block", "Local: run", "Closure", "Global"])),
            Some(2)
        );
        assert_eq!(
            module_scope(&scopes(&["Local", "Closure: run", "Closure", "Global"])),
            Some(2)
        );
        assert_eq!(
            module_scope(&scopes(&["Local", "Closure: run", "Global"])),
            None
        );
        assert_eq!(
            module_scope(&scopes(&["Local", "Closure", "Module", "Global"])),
            None
        );
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let words = |functions, tables| Folded { functions, tables }.words();
        assert_eq!(words(0, 0), None);
        assert_eq!(
            words(2, 1).as_deref(),
            Some(
                "left out of the locals: 2 functions and classes, 1 object of the module; \
                 `variables` has them"
            )
        );
    }
}
