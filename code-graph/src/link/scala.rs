//! How Scala names packages, and what its library gives.

use super::Certainty;
use super::eval::{Arguments, Eval};
use super::modules::Tree;
use super::objects;
use super::rules::{Key, Rules};
use super::value::{Class, FileId, SymRef, Value, Values};
use crate::extract::CONSTRUCTOR;
use crate::facts::{FunctionId, Import, NameId, ScopeId};

/// The rules of Scala.
pub(crate) struct Scala;

impl Rules for Scala {
    fn name(&self) -> &'static str {
        "scala"
    }

    fn shown_first(&self) -> bool {
        true
    }

    fn bare_calls(&self) -> bool {
        true
    }

    fn every_constructor(&self) -> bool {
        false
    }

    fn constructors(&self) -> &'static [&'static str] {
        &[CONSTRUCTOR]
    }

    fn type_call_member(&self) -> Option<&'static str> {
        Some("apply")
    }

    fn call_member(&self) -> Option<&'static str> {
        Some("apply")
    }

    fn namespace(&self, tree: &Tree, file: FileId) -> Option<String> {
        objects::declared_namespace(tree, file)
    }

    /// An import begins at the root, or at a package around.
    fn import(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        let found = objects::import(eval, file, import, '.');
        let known = found
            .iter()
            .any(|(value, _)| value.external_name().is_none());
        let Some(unit) = eval.unit(file).filter(|_| !known) else {
            return found;
        };
        let module = unit.facts.name(import.module);
        let name = import.name.map(|name| unit.facts.name(name));
        // The first name of a path may be bound in the file, or in its package.
        let (first, rest) = module.split_once('.').unwrap_or((module, ""));
        let first_atom = eval.world.atom(first);
        let bound = unit
            .name(first_atom)
            .filter(|name| !unit.facts.bindings_of(ScopeId::MODULE, *name).is_empty());
        let start = match bound {
            Some(name) => eval.bound(file, ScopeId::MODULE, name),
            None => objects::own_namespace(eval, file, first, true),
        };
        let mut at = start;
        for part in rest.split('.').filter(|part| !part.is_empty()).chain(name) {
            let of = at;
            at = eval.each(&of, |eval, value, certainty| {
                eval.member(value, certainty, part)
            });
        }
        match at.is_empty() {
            true => found,
            false => at,
        }
    }

    fn global(&self, eval: &mut Eval<'_>, file: FileId, _: ScopeId, name: NameId) -> Values {
        let name = objects::text_of(eval, file, name);
        let found = objects::own_namespace(eval, file, &name, true);
        if !found.is_empty() {
            return found;
        }
        if name.starts_with(char::is_lowercase) {
            if eval.has_namespace(&name) {
                return Values::one(Value::Namespace(name.into()), Certainty::Exact);
            }
            let known = matches!(
                &*name,
                "java"
                    | "javax"
                    | "scala"
                    | "println"
                    | "print"
                    | "require"
                    | "assert"
                    | "assume"
                    | "classOf"
                    | "implicitly"
                    | "identity"
                    | "locally"
                    | "summon"
                    | "sys"
            );
            return match known {
                true => Values::one(Value::external(name), Certainty::Exact),
                false => Values::none(),
            };
        }
        if is_library_type(&name) || super::java::is_lang(&name) || eval.has_external_wildcard(file)
        {
            return Values::one(Value::external(name), Certainty::Exact);
        }
        Values::none()
    }

    fn text(&self) -> &'static str {
        "String"
    }

    fn root(&self) -> Option<&'static str> {
        Some("Any")
    }

    fn may_own(&self, external: &str, member: &str) -> bool {
        match objects::simple(external) {
            "Any" => {
                super::java::is_of_object(member)
                    || matches!(
                        member,
                        "==" | "!="
                            | "eq"
                            | "ne"
                            | "##"
                            | "isInstanceOf"
                            | "asInstanceOf"
                            | "synchronized"
                            | "->"
                            | "copy"
                            | "apply"
                            | "unapply"
                            | "productIterator"
                    )
            }
            _ => true,
        }
    }

    fn element(&self, eval: &mut Eval<'_>, value: &Value) -> Values {
        objects::element(eval, value)
    }

    fn index(&self, eval: &mut Eval<'_>, value: &Value, _: Key) -> Values {
        objects::element(eval, value)
    }

    fn operated(&self, _: &mut Eval<'_>, _: &str, value: &Value) -> Values {
        objects::operated(value)
    }

    /// A case class comes apart into what it was made of.
    fn part(&self, eval: &mut Eval<'_>, value: &Value, n: u16) -> Values {
        match value {
            Value::Instance(Class::External(_), args) => {
                args.get(usize::from(n)).cloned().unwrap_or_default()
            }
            Value::Instance(Class::Symbol(class), _) => objects::made_of(eval, value, *class, n),
            _ => Values::none(),
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

    fn fits(
        &self,
        eval: &mut Eval<'_>,
        function: SymRef,
        args: Arguments,
        type_args: usize,
    ) -> Option<u32> {
        objects::fits(eval, function, args, type_args)
    }
}

/// Types that need no import.
fn is_library_type(name: &str) -> bool {
    matches!(
        name,
        "Any"
            | "AnyRef"
            | "AnyVal"
            | "Unit"
            | "Nothing"
            | "Null"
            | "Int"
            | "Long"
            | "Short"
            | "Byte"
            | "Double"
            | "Float"
            | "Boolean"
            | "Char"
            | "String"
            | "Array"
            | "List"
            | "Seq"
            | "IndexedSeq"
            | "Vector"
            | "Set"
            | "Map"
            | "Iterable"
            | "Iterator"
            | "Option"
            | "Some"
            | "None"
            | "Nil"
            | "Either"
            | "Left"
            | "Right"
            | "Stream"
            | "LazyList"
            | "Range"
            | "BigInt"
            | "BigDecimal"
            | "StringBuilder"
            | "Ordering"
            | "Ordered"
            | "Numeric"
            | "Fractional"
            | "Integral"
            | "Function"
            | "PartialFunction"
            | "Symbol"
            | "Product"
            | "Serializable"
            | "Equiv"
            | "StringContext"
            | "Predef"
            | "Function0"
            | "Function1"
            | "Function2"
            | "Tuple2"
            | "Tuple3"
            | "IterableOnce"
    )
}
