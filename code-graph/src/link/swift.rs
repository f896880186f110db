//! How Swift finds names, and what its library gives.

use super::Certainty;
use super::eval::{Arguments, Eval};
use super::everyone;
use super::modules::Tree;
use super::objects;
use super::rules::{Key, Rules, last_argument};
use super::value::{Class, FileId, SymRef, Value, Values};
use crate::facts::{FunctionId, Import, NameId, ScopeId, Visibility};

/// The one namespace of all Swift files: a module's files see each other without an import.
const SPACE: &str = "swift";

/// The rules of Swift.
pub(crate) struct Swift;

impl Rules for Swift {
    fn name(&self) -> &'static str {
        "swift"
    }

    fn shown_first(&self) -> bool {
        true
    }

    fn call_member(&self) -> Option<&'static str> {
        Some("callAsFunction")
    }

    fn namespace(&self, _: &Tree, _: FileId) -> Option<String> {
        Some(SPACE.to_owned())
    }

    fn shares(&self, eval: &Eval<'_>, file: FileId, name: NameId) -> bool {
        everyone::shares(eval, file, name, |symbol| {
            symbol.visibility != Visibility::Private
        })
    }

    fn import(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        let module = objects::text_of(eval, file, import.module);
        Values::one(Value::external(module), Certainty::Exact)
    }

    /// What no file of the checkout declares comes from a library.
    fn global(&self, eval: &mut Eval<'_>, file: FileId, _: ScopeId, name: NameId) -> Values {
        let text = objects::text_of(eval, file, name);
        let found = everyone::everyone(eval, SPACE, &text);
        if !found.is_empty() {
            return found;
        }
        Values::one(Value::external(text), Certainty::Exact)
    }

    fn text(&self) -> &'static str {
        "String"
    }

    fn integer(&self) -> &'static str {
        "Int"
    }

    fn array(&self) -> &'static str {
        "Array"
    }

    fn operated(&self, _: &mut Eval<'_>, _: &str, value: &Value) -> Values {
        objects::operated(value)
    }

    fn element(&self, eval: &mut Eval<'_>, value: &Value) -> Values {
        objects::element(eval, value)
    }

    fn index(&self, eval: &mut Eval<'_>, value: &Value, _: Key) -> Values {
        match value {
            Value::Instance(Class::Symbol(_), _) | Value::This(_) => {
                let operator = eval.member(value, Certainty::Typed, "subscript");
                eval.each(&operator, |eval, value, certainty| match value {
                    Value::Function(..) => eval.call(value, certainty, None),
                    _ => Values::none(),
                })
            }
            value => last_argument(value),
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
        let found = match member {
            "first" | "last" => last_argument(receiver),
            _ => return None,
        };
        (!found.is_empty()).then_some(found)
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
}
