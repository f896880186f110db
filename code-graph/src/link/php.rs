//! How PHP names namespaces, and what is not its own.

use super::Certainty;
use super::eval::{Arguments, Eval};
use super::modules::Tree;
use super::objects;
use super::rules::{Key, Rules, last_argument};
use super::value::{FileId, Value, Values};
use crate::facts::{FunctionId, Import, NameId, ScopeId};

/// The rules of PHP.
pub(crate) struct Php;

impl Php {
    /// What a full name means: what its namespace has under the last part, else the namespace.
    fn full(&self, eval: &mut Eval<'_>, name: &str) -> Values {
        let (namespace, last) = name.rsplit_once('\\').unwrap_or(("", name));
        let found = objects::member_of_namespace(eval, namespace, last);
        if !found.is_empty() {
            return found;
        }
        if eval.has_namespace(name) {
            return Values::one(Value::Namespace(name.into()), Certainty::Exact);
        }
        // In a namespace of the checkout it is missing; elsewhere it is somebody else's.
        match !namespace.is_empty() && !eval.world.namespace(namespace).is_empty() {
            true => Values::none(),
            false => Values::one(Value::external(name), Certainty::Exact),
        }
    }
}

impl Rules for Php {
    fn name(&self) -> &'static str {
        "php"
    }

    fn sees_members(&self) -> bool {
        false
    }

    fn has_extensions(&self) -> bool {
        false
    }

    fn shown_first(&self) -> bool {
        true
    }

    fn call_member(&self) -> Option<&'static str> {
        Some("__invoke")
    }

    fn namespace(&self, tree: &Tree, file: FileId) -> Option<String> {
        objects::declared_namespace(tree, file)
    }

    fn import(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        let Some(unit) = eval.unit(file) else {
            return Values::none();
        };
        let module = unit.facts.name(import.module);
        let full = match import.name.map(|name| unit.facts.name(name)) {
            Some(name) if module.is_empty() => name.to_owned(),
            Some(name) => format!("{module}\\{name}"),
            None => module.to_owned(),
        };
        self.full(eval, &full)
    }

    fn global(&self, eval: &mut Eval<'_>, file: FileId, _: ScopeId, name: NameId) -> Values {
        let text = objects::text_of(eval, file, name);
        if text.starts_with('$') {
            return Values::none();
        }
        let own = eval
            .unit(file)
            .and_then(|unit| Some(unit.facts.name(unit.facts.namespace?).to_owned()))
            .unwrap_or_default();
        let within = |name: &str| match own.as_str() {
            "" => name.to_owned(),
            own => format!("{own}\\{name}"),
        };
        if let Some(full) = text.strip_prefix('\\') {
            return self.full(eval, full);
        }
        if let Some(rest) = text.strip_prefix("namespace\\") {
            return self.full(eval, &within(rest));
        }
        if let Some((first, rest)) = text.split_once('\\') {
            let first_atom = eval.world.atom(first);
            let bound = eval.unit(file).and_then(|unit| unit.name(first_atom));
            if let Some(bound) = bound {
                let import = eval.unit(file).and_then(|unit| {
                    let bindings = unit.facts.bindings_of(ScopeId::MODULE, bound);
                    bindings.iter().find_map(|binding| match binding.bound {
                        crate::facts::Bound::Import(id) => unit.facts.imports.get(id.index()),
                        _ => None,
                    })
                });
                if let (Some(import), Some(unit)) = (import, eval.unit(file)) {
                    let module = unit.facts.name(import.module);
                    let name = import.name.map_or("", |name| unit.facts.name(name));
                    let full = match module {
                        "" => format!("{name}\\{rest}"),
                        module => format!("{module}\\{name}\\{rest}"),
                    };
                    return self.full(eval, &full);
                }
            }
            return self.full(eval, &within(&text));
        }
        let found = objects::member_of_namespace(eval, &own, &text);
        if !found.is_empty() {
            return found;
        }
        // Functions and constants of the global namespace are seen everywhere.
        let found = match own.is_empty() {
            true => Values::none(),
            false => objects::member_of_namespace(eval, "", &text),
        };
        if !found.is_empty() {
            return found;
        }
        match own.is_empty() || text.starts_with(char::is_lowercase) {
            true => Values::one(Value::external(text), Certainty::Exact),
            false => Values::none(),
        }
    }

    fn element(&self, eval: &mut Eval<'_>, value: &Value) -> Values {
        objects::element(eval, value)
    }

    fn index(&self, _: &mut Eval<'_>, value: &Value, _: Key) -> Values {
        last_argument(value)
    }

    fn external_call(
        &self,
        eval: &mut Eval<'_>,
        name: &str,
        type_args: &[Values],
        args: Arguments,
    ) -> Option<Values> {
        objects::container_call(eval, name, type_args, args)
    }

    fn parameter(
        &self,
        eval: &mut Eval<'_>,
        file: FileId,
        function: FunctionId,
        index: u16,
    ) -> Values {
        objects::closure_parameter(eval, file, function, index)
    }
}
