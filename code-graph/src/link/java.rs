//! How Java names packages and types, and what its library gives.

use super::Certainty;
use super::eval::{Arguments, Eval};
use super::modules::Tree;
use super::objects;
use super::rules::{Key, Rules};
use super::value::{FileId, SymRef, Value, Values};
use crate::facts::{FunctionId, Import, NameId, ScopeId};

/// The rules of Java.
pub(crate) struct Java;

impl Rules for Java {
    fn name(&self) -> &'static str {
        "java"
    }

    fn has_extensions(&self) -> bool {
        false
    }

    fn methods_apart(&self) -> bool {
        true
    }

    fn namespace(&self, tree: &Tree, file: FileId) -> Option<String> {
        objects::declared_namespace(tree, file)
    }

    fn import(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        objects::import(eval, file, import, '.')
    }

    fn global(&self, eval: &mut Eval<'_>, file: FileId, _: ScopeId, name: NameId) -> Values {
        let name = objects::text_of(eval, file, name);
        let found = objects::own_namespace(eval, file, &name, false);
        if !found.is_empty() {
            return found;
        }
        if name.ends_with("()") {
            return Values::none();
        }
        // The first part of a qualified name, or a type of `java.lang`.
        if name.starts_with(char::is_lowercase) {
            return match eval.has_namespace(&name) {
                true => Values::one(Value::Namespace(name.into()), Certainty::Exact),
                false if matches!(&*name, "java" | "javax" | "org" | "com" | "net" | "io") => {
                    Values::one(Value::external(name), Certainty::Exact)
                }
                false => Values::none(),
            };
        }
        if is_lang(&name) || eval.has_external_wildcard(file) {
            return Values::one(Value::external(name), Certainty::Exact);
        }
        Values::none()
    }

    fn text(&self) -> &'static str {
        "String"
    }

    fn element(&self, eval: &mut Eval<'_>, value: &Value) -> Values {
        objects::element(eval, value)
    }

    fn index(&self, _: &mut Eval<'_>, value: &Value, _: Key) -> Values {
        super::rules::last_argument(value)
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

    fn may_own(&self, external: &str, member: &str) -> bool {
        match objects::simple(external) {
            "Object" | "Record" | "Enum" => is_of_object(member),
            _ => true,
        }
    }

    fn takes(&self, eval: &Eval<'_>, function: SymRef, arguments: usize) -> bool {
        objects::takes(eval, function, arguments)
    }

    fn fits(&self, eval: &mut Eval<'_>, function: SymRef, args: Arguments) -> Option<u32> {
        objects::fits(eval, function, args)
    }

    fn root(&self) -> Option<&'static str> {
        Some("Object")
    }
}

/// Members that everything has.
pub(super) fn is_of_object(member: &str) -> bool {
    matches!(
        objects::simple(member),
        "equals"
            | "hashCode"
            | "toString"
            | "getClass"
            | "notify"
            | "notifyAll"
            | "wait"
            | "clone"
            | "finalize"
            | "name"
            | "ordinal"
            | "compareTo"
            | "getDeclaringClass"
            | "valueOf"
            | "values"
    )
}

/// Types of `java.lang`, which need no import.
pub(super) fn is_lang(name: &str) -> bool {
    matches!(
        name,
        "Object"
            | "String"
            | "StringBuilder"
            | "StringBuffer"
            | "Integer"
            | "Long"
            | "Short"
            | "Byte"
            | "Character"
            | "Boolean"
            | "Double"
            | "Float"
            | "Number"
            | "Math"
            | "StrictMath"
            | "System"
            | "Thread"
            | "ThreadLocal"
            | "Runnable"
            | "Iterable"
            | "Comparable"
            | "CharSequence"
            | "Cloneable"
            | "AutoCloseable"
            | "Class"
            | "ClassLoader"
            | "Enum"
            | "Record"
            | "Void"
            | "Process"
            | "ProcessBuilder"
            | "Runtime"
            | "Package"
            | "Module"
            | "StackTraceElement"
            | "Throwable"
            | "Exception"
            | "RuntimeException"
            | "Error"
            | "AssertionError"
            | "ArithmeticException"
            | "ArrayIndexOutOfBoundsException"
            | "ArrayStoreException"
            | "ClassCastException"
            | "ClassNotFoundException"
            | "CloneNotSupportedException"
            | "IllegalArgumentException"
            | "IllegalStateException"
            | "IllegalAccessException"
            | "IndexOutOfBoundsException"
            | "InstantiationException"
            | "InterruptedException"
            | "NegativeArraySizeException"
            | "NoSuchFieldException"
            | "NoSuchMethodException"
            | "NullPointerException"
            | "NumberFormatException"
            | "ReflectiveOperationException"
            | "SecurityException"
            | "StringIndexOutOfBoundsException"
            | "UnsupportedOperationException"
            | "StackOverflowError"
            | "OutOfMemoryError"
            | "LinkageError"
            | "NoClassDefFoundError"
            | "ExceptionInInitializerError"
            | "VirtualMachineError"
            | "InternalError"
            | "Override"
            | "Deprecated"
            | "SuppressWarnings"
            | "FunctionalInterface"
            | "SafeVarargs"
            | "Readable"
            | "Appendable"
            | "InheritableThreadLocal"
            | "ThreadGroup"
            | "Iterator"
    )
}
