//! How C# names namespaces and types, and what its library gives.

use super::Certainty;
use super::eval::{Arguments, Eval};
use super::modules::Tree;
use super::objects;
use super::rules::{Key, Rules, last_argument};
use super::value::{Class, FileId, SymRef, Value, Values};
use crate::facts::{FunctionId, Import, NameId, ScopeId};

/// The rules of C#.
pub(crate) struct CSharp;

/// The parts of one partial type stand for one: the first.
fn one_of_parts(eval: &Eval<'_>, values: Values) -> Values {
    let name = |value: &Value| match value {
        Value::Type(Class::Symbol(class), _) => {
            let facts = eval.facts(*class)?;
            Some(eval.unit(class.file)?.facts.name(facts.name))
        }
        _ => None,
    };
    let first = values.iter().next().cloned();
    let Some((first, certainty)) = first else {
        return values;
    };
    let of_first = name(&first);
    let all = values.iter().all(|(value, _)| name(value) == of_first);
    match of_first.is_some() && all {
        true => Values::one(first, certainty),
        false => values,
    }
}

impl Rules for CSharp {
    fn name(&self) -> &'static str {
        "csharp"
    }

    fn shown_first(&self) -> bool {
        true
    }

    fn namespace(&self, tree: &Tree, file: FileId) -> Option<String> {
        objects::declared_namespace(tree, file)
    }

    fn import(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        let found = objects::import(eval, file, import, '.');
        one_of_parts(eval, found)
    }

    fn global(&self, eval: &mut Eval<'_>, file: FileId, _: ScopeId, name: NameId) -> Values {
        let name = objects::text_of(eval, file, name);
        let found = objects::own_namespace(eval, file, &name, true);
        if !found.is_empty() {
            return one_of_parts(eval, found);
        }
        // The first part of a qualified name, seen from the namespaces around.
        let unit = eval.unit(file);
        let mut around = unit
            .and_then(|unit| Some(unit.facts.name(unit.facts.namespace?).to_owned()))
            .unwrap_or_default();
        loop {
            let full = match around.as_str() {
                "" => name.clone(),
                around => format!("{around}.{name}"),
            };
            if eval.has_namespace(&full) {
                return Values::one(Value::Namespace(full.into()), Certainty::Exact);
            }
            if around.is_empty() {
                break;
            }
            around = around
                .rsplit_once('.')
                .map_or_else(String::new, |(outer, _)| outer.to_owned());
        }
        let is_type = name.starts_with(char::is_uppercase);
        if name == "nameof" || (is_type && eval.has_external_wildcard(file)) {
            return Values::one(Value::external(name), Certainty::Exact);
        }
        Values::none()
    }

    fn extension_applies(
        &self,
        eval: &mut Eval<'_>,
        file: FileId,
        extension: (FileId, u32),
    ) -> bool {
        // A part of a partial type, or a method of a static class whose namespace is seen.
        let _ = (eval, file, extension);
        true
    }

    fn text(&self) -> &'static str {
        "string"
    }

    fn root(&self) -> Option<&'static str> {
        Some("object")
    }

    fn may_own(&self, external: &str, member: &str) -> bool {
        match objects::simple(external) {
            "object" => matches!(
                member,
                "ToString"
                    | "Equals"
                    | "GetHashCode"
                    | "GetType"
                    | "ReferenceEquals"
                    | "MemberwiseClone"
                    | "Finalize"
                    | "HasFlag"
                    | "CompareTo"
            ),
            _ => true,
        }
    }

    fn element(&self, eval: &mut Eval<'_>, value: &Value) -> Values {
        objects::element(eval, value)
    }

    fn index(&self, eval: &mut Eval<'_>, value: &Value, _: Key) -> Values {
        match value {
            Value::Instance(Class::Symbol(_), _) | Value::This(_) => {
                eval.member(value, Certainty::Typed, "this[]")
            }
            value => last_argument(value),
        }
    }

    fn awaited(&self, _: &mut Eval<'_>, value: &Value) -> Values {
        match value {
            Value::Instance(Class::External(name), args)
                if matches!(
                    objects::simple(name),
                    "Task" | "ValueTask" | "ConfiguredTaskAwaitable"
                ) =>
            {
                args.last().cloned().unwrap_or_default()
            }
            value => Values::one(value.clone(), Certainty::Exact),
        }
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

    fn external_member(
        &self,
        _: &mut Eval<'_>,
        _: &str,
        receiver: &Value,
        member: &str,
    ) -> Option<Values> {
        match member {
            "Value" | "Result" | "Current" => {
                let found = last_argument(receiver);
                (!found.is_empty()).then_some(found)
            }
            "Values" => Some(objects::container("Collection", &[last_argument(receiver)])),
            _ => None,
        }
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

    fn takes(&self, eval: &Eval<'_>, function: SymRef, arguments: usize) -> bool {
        objects::takes(eval, function, arguments)
    }

    fn fits(&self, eval: &mut Eval<'_>, function: SymRef, args: Arguments) -> Option<u32> {
        objects::fits(eval, function, args)
    }
}
