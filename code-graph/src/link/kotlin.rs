//! How Kotlin names packages, and what its library gives.

use super::Certainty;
use super::eval::{Arguments, Eval};
use super::modules::Tree;
use super::objects;
use super::rules::{Key, Rules, last_argument};
use super::value::{Class, FileId, SymRef, Value, Values};
use crate::facts::{FunctionId, Import, NameId, ScopeId};

/// The rules of Kotlin.
pub(crate) struct Kotlin;

impl Rules for Kotlin {
    fn name(&self) -> &'static str {
        "kotlin"
    }

    fn methods_apart(&self) -> bool {
        true
    }

    fn shown_first(&self) -> bool {
        true
    }

    fn call_member(&self) -> Option<&'static str> {
        Some("invoke()")
    }

    fn namespace(&self, tree: &Tree, file: FileId) -> Option<String> {
        objects::declared_namespace(tree, file)
    }

    fn import(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        let found = objects::import(eval, file, import, '.');
        if !found.is_empty() {
            return found;
        }
        // What is imported as a function may be a property.
        let Some(unit) = eval.unit(file) else {
            return found;
        };
        let plain = import
            .name
            .and_then(|name| unit.facts.name(name).strip_suffix("()"));
        let Some(plain) = plain else { return found };
        let atom = eval.world.atom(plain);
        match unit.name(atom) {
            Some(name) => {
                let import = Import {
                    name: Some(name),
                    ..*import
                };
                objects::import(eval, file, &import, '.')
            }
            None => found,
        }
    }

    fn global(&self, eval: &mut Eval<'_>, file: FileId, scope: ScopeId, name: NameId) -> Values {
        let text = objects::text_of(eval, file, name);
        let found = objects::own_namespace(eval, file, &text, false);
        if !found.is_empty() {
            return found;
        }
        if let Some(plain) = text.strip_suffix("()") {
            // Something that is called as a function is one.
            let atom = eval.world.atom(plain);
            if let Some(plain) = eval.unit(file).and_then(|unit| unit.name(atom)) {
                let found = eval.name(file, scope, plain);
                if !found.is_empty() {
                    return found;
                }
            }
            return match is_library_function(plain) {
                true => Values::one(Value::external(text), Certainty::Exact),
                false => Values::none(),
            };
        }
        if text.starts_with(char::is_lowercase) {
            return match eval.has_namespace(&text) {
                true => Values::one(Value::Namespace(text.into()), Certainty::Exact),
                false if matches!(&*text, "java" | "javax" | "kotlin" | "org" | "com") => {
                    Values::one(Value::external(text), Certainty::Exact)
                }
                false => Values::none(),
            };
        }
        if is_library_type(&text) || super::java::is_lang(&text) || eval.has_external_wildcard(file)
        {
            return Values::one(Value::external(text), Certainty::Exact);
        }
        Values::none()
    }

    fn extensions_by_file(&self) -> bool {
        true
    }

    /// A member that is added to a type is seen in its package and where it is imported.
    fn extension_applies(
        &self,
        eval: &mut Eval<'_>,
        file: FileId,
        extension: (FileId, u32),
    ) -> bool {
        let (of, at) = extension;
        if of == file {
            return true;
        }
        let (Some(there), Some(here)) = (eval.unit(of), eval.unit(file)) else {
            return false;
        };
        let Some(block) = there.facts.extensions.get(at as usize) else {
            return false;
        };
        let package = |unit: &super::world::Unit| {
            let name = unit.facts.namespace.map(|name| unit.facts.name(name));
            name.unwrap_or_default().to_owned()
        };
        let mut package_there = package(there);
        if block.scope != ScopeId::MODULE {
            // It is a member of a type itself: it is seen where it is imported from that.
            let owner = there.facts.scopes.get(block.scope.index());
            let Some(owner) = owner.and_then(|scope| scope.owner) else {
                return false;
            };
            let owner = there.facts.qualified_name(owner);
            package_there = format!("{package_there}.{owner}");
        } else if package(here) == package_there {
            return true;
        }
        eval.note_wildcards(file);
        for binding in there.facts.bindings_in(block.members) {
            let name = there.facts.name(binding.name);
            eval.note(super::key::namespace_member(&package_there, name));
        }
        here.facts.imports.iter().any(|import| {
            here.facts.name(import.module) == package_there
                && match import.name {
                    None => import.wildcard,
                    Some(name) => {
                        let text = here.facts.name(name);
                        let plain = text.strip_suffix("()").unwrap_or(text);
                        let names = there.facts.bindings_in(block.members);
                        names.iter().any(|binding| {
                            let bound = there.facts.name(binding.name);
                            bound.strip_suffix("()").unwrap_or(bound) == plain
                        })
                    }
                }
        })
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
                    || member.starts_with("component")
                    || is_scope_function(objects::simple(member))
            }
            _ => true,
        }
    }

    fn operated(&self, eval: &mut Eval<'_>, operator: &str, value: &Value) -> Values {
        let name = match operator {
            "+" => "plus()",
            "-" => "minus()",
            "*" => "times()",
            "/" => "div()",
            "%" => "rem()",
            ".." => "rangeTo()",
            _ => return Values::none(),
        };
        if value.external_name().is_some() {
            return objects::operated(value);
        }
        let found = eval.member(value, Certainty::Typed, name);
        eval.each(&found, |eval, value, certainty| match value {
            Value::Function(..) => eval.call(value, certainty, None),
            _ => Values::none(),
        })
    }

    fn element(&self, eval: &mut Eval<'_>, value: &Value) -> Values {
        objects::element(eval, value)
    }

    fn index(&self, eval: &mut Eval<'_>, value: &Value, _: Key) -> Values {
        match value {
            Value::Instance(Class::Symbol(_), _) | Value::This(_) => {
                let operator = eval.member(value, Certainty::Typed, "get()");
                eval.each(&operator, |eval, value, certainty| match value {
                    Value::Function(..) => eval.call(value, certainty, None),
                    _ => Values::none(),
                })
            }
            value => last_argument(value),
        }
    }

    fn part(&self, eval: &mut Eval<'_>, value: &Value, n: u16) -> Values {
        match value {
            Value::Instance(Class::External(_), args) => match args.len() {
                0 | 1 => last_argument(value),
                _ => args.get(usize::from(n)).cloned().unwrap_or_default(),
            },
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

fn is_scope_function(name: &str) -> bool {
    matches!(
        name,
        "let" | "also" | "apply" | "run" | "takeIf" | "takeUnless" | "to" | "use"
    )
}

/// Functions of the standard library that need no import.
fn is_library_function(name: &str) -> bool {
    is_scope_function(name)
        || matches!(
            name,
            "println"
                | "print"
                | "readLine"
                | "listOf"
                | "mutableListOf"
                | "arrayListOf"
                | "emptyList"
                | "listOfNotNull"
                | "setOf"
                | "mutableSetOf"
                | "emptySet"
                | "hashSetOf"
                | "linkedSetOf"
                | "mapOf"
                | "mutableMapOf"
                | "emptyMap"
                | "hashMapOf"
                | "linkedMapOf"
                | "arrayOf"
                | "arrayOfNulls"
                | "emptyArray"
                | "intArrayOf"
                | "longArrayOf"
                | "byteArrayOf"
                | "charArrayOf"
                | "booleanArrayOf"
                | "doubleArrayOf"
                | "floatArrayOf"
                | "shortArrayOf"
                | "sequenceOf"
                | "sequence"
                | "generateSequence"
                | "buildList"
                | "buildMap"
                | "buildSet"
                | "buildString"
                | "require"
                | "requireNotNull"
                | "check"
                | "checkNotNull"
                | "error"
                | "assert"
                | "lazy"
                | "lazyOf"
                | "with"
                | "repeat"
                | "synchronized"
                | "maxOf"
                | "minOf"
                | "runCatching"
                | "iterator"
                | "compareBy"
                | "compareByDescending"
                | "enumValueOf"
                | "enumValues"
                | "typeOf"
                | "suspendCoroutine"
        )
}

/// Types of the standard library that need no import.
fn is_library_type(name: &str) -> bool {
    matches!(
        name,
        "Any"
            | "Unit"
            | "Nothing"
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
            | "IntArray"
            | "LongArray"
            | "ByteArray"
            | "CharArray"
            | "ShortArray"
            | "DoubleArray"
            | "FloatArray"
            | "BooleanArray"
            | "UInt"
            | "ULong"
            | "UByte"
            | "UShort"
            | "List"
            | "MutableList"
            | "ArrayList"
            | "Set"
            | "MutableSet"
            | "HashSet"
            | "LinkedHashSet"
            | "Map"
            | "MutableMap"
            | "HashMap"
            | "LinkedHashMap"
            | "Collection"
            | "MutableCollection"
            | "Iterable"
            | "MutableIterable"
            | "Iterator"
            | "MutableIterator"
            | "ListIterator"
            | "Sequence"
            | "Pair"
            | "Triple"
            | "Comparable"
            | "Comparator"
            | "CharSequence"
            | "Number"
            | "Regex"
            | "Lazy"
            | "Result"
            | "Function"
            | "Throws"
            | "JvmStatic"
            | "JvmName"
            | "JvmField"
            | "JvmOverloads"
            | "Suppress"
            | "Volatile"
            | "Synchronized"
            | "TODO"
            | "OptIn"
            | "Deprecated"
            | "RequiresOptIn"
            | "Target"
            | "Retention"
            | "DslMarker"
            | "PublishedApi"
            | "ExperimentalStdlibApi"
            | "KClass"
            | "KProperty"
            | "ArrayDeque"
            | "IntRange"
            | "LongRange"
            | "CharRange"
            | "ReplaceWith"
            | "NoSuchElementException"
    )
}
