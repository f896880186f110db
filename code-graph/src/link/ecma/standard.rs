//! What the standard library of the language gives: containers, promises, and the types that
//! rework others.

use super::{Ecma, callback_of, either, is_checkout, made};
use crate::link::Certainty;
use crate::link::eval::{Arguments, Eval};
use crate::link::rules::Rules;
use crate::link::value::{Args, Class, Value, Values};

/// Types that hold one kind of thing and are iterated.
const HOLDERS: [&str; 15] = [
    "Array",
    "ReadonlyArray",
    "Set",
    "ReadonlySet",
    "WeakSet",
    "Iterable",
    "Iterator",
    "IterableIterator",
    "IteratorObject",
    "ArrayIterator",
    "AsyncIterable",
    "AsyncIterator",
    "AsyncIterableIterator",
    "Generator",
    "AsyncGenerator",
];

/// Names that every file knows and modules of the platform whose members and results are of the
/// platform's own types, sorted.
const SETTLED: &[&str] = &[
    "Array",
    "ArrayBuffer",
    "BigInt",
    "Boolean",
    "Buffer",
    "DataView",
    "Date",
    "Error",
    "Function",
    "Infinity",
    "Intl",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "RangeError",
    "Record",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "SyntaxError",
    "TextDecoder",
    "TextEncoder",
    "Tuple",
    "TypeError",
    "URL",
    "URLSearchParams",
    "Uint8Array",
    "WeakMap",
    "WeakRef",
    "WeakSet",
    "assert",
    "atob",
    "boolean",
    "btoa",
    "chai",
    "clearInterval",
    "clearTimeout",
    "console",
    "crypto",
    "describe",
    "document",
    "encodeURIComponent",
    "expect",
    "fs",
    "history",
    "isNaN",
    "it",
    "localStorage",
    "location",
    "navigator",
    "node:assert",
    "node:buffer",
    "node:crypto",
    "node:fs",
    "node:os",
    "node:path",
    "node:process",
    "node:querystring",
    "node:url",
    "node:util",
    "node:zlib",
    "number",
    "os",
    "parseFloat",
    "parseInt",
    "path",
    "performance",
    "process",
    "querystring",
    "sessionStorage",
    "setInterval",
    "setTimeout",
    "string",
    "structuredClone",
    "symbol",
    "test",
    "url",
    "util",
    "zlib",
];

/// Whether the member of something external of this name may be a method of the checkout: of what
/// a call gave, of a field, of a variable of another module, of a name that no file is known to bind.
pub(super) fn gives_unknown(owner: &str, member: &str) -> bool {
    let first = owner.split(['.', '(']).next().unwrap_or(owner);
    if SETTLED.binary_search(&first).is_ok() {
        return false;
    }
    if owner == "function" || owner.contains("()") {
        return crate::link::sites::gives_unknown(owner, member);
    }
    let types = [owner.rsplit('.').next().unwrap_or(owner), member];
    let is_type = |name: &&str| name.starts_with(|c: char| c.is_ascii_uppercase());
    !owner.contains('.') || !types.iter().any(is_type)
}

/// What iterating over a value yields.
pub(super) fn element(eval: &mut Eval<'_>, value: &Value, depth: u32) -> Values {
    match value {
        Value::Instance(Class::External(name), args) => match &**name {
            "Map" | "ReadonlyMap" | "WeakMap" => {
                let key = args.first().cloned().unwrap_or_default();
                let held = args.get(1).cloned().unwrap_or_default();
                made("Tuple", vec![key, held])
            }
            "Tuple" => {
                let mut all = Values::none();
                for part in args.iter() {
                    all = either(&all, part);
                }
                all
            }
            "string" => made("string", Vec::new()),
            name if HOLDERS.contains(&name) => args.first().cloned().unwrap_or_default(),
            _ => Values::none(),
        },
        value => {
            let Some(class) = is_checkout(value) else {
                return Values::none();
            };
            if depth > 2 {
                return Values::none();
            }
            let lineage = eval.lineage(class);
            for (base, _) in lineage.iter() {
                if let Value::Type(Class::External(name), args) = base
                    && (HOLDERS.contains(&&**name) || matches!(&**name, "Map" | "ReadonlyMap"))
                {
                    let held = Value::external_instance(name.clone(), args.clone());
                    return element(eval, &held, depth + 1);
                }
            }
            let iterator = eval.member(value, Certainty::Typed, "[Symbol.iterator]");
            let yielded = eval.each(&iterator, |eval, value, certainty| {
                eval.call(value, certainty, None)
            });
            eval.each(&yielded, |eval, value, _| element(eval, value, depth + 1))
        }
    }
}

/// What a member of an instance of one of the platform's types is, where it is no method.
pub(super) fn member(
    eval: &mut Eval<'_>,
    class: &str,
    self_: &Value,
    name: &str,
) -> Option<Values> {
    match class {
        "null" | "undefined" | "void" | "never" => Some(Values::none()),
        "Record" => match self_ {
            Value::Instance(_, args) => {
                let _ = eval;
                args.get(1).cloned()
            }
            _ => None,
        },
        _ if matches!(name, "length" | "size") => Some(made("number", Vec::new())),
        _ => None,
    }
}

/// What a type of the platform stands for when it is named as a type.
pub(super) fn type_of_name(
    rules: &Ecma,
    eval: &mut Eval<'_>,
    name: &str,
    args: &Args,
) -> Option<Values> {
    let first = args.first();
    match name {
        super::TYPEOF
        | "Readonly"
        | "Partial"
        | "Required"
        | "NonNullable"
        | "Pick"
        | "Omit"
        | "Exclude"
        | "NoInfer" => first.cloned(),
        "Extract" => args.get(1).or(first).cloned(),
        "Awaited" => {
            let values = first?.clone();
            Some(eval.each(&values, |eval, value, _| rules.awaited(eval, value)))
        }
        "ReturnType" => {
            let values = first?.clone();
            Some(eval.each(&values, |eval, value, certainty| {
                eval.call(value, certainty, None)
            }))
        }
        "InstanceType" => {
            let values = first?.clone();
            Some(eval.each(&values, |eval, value, certainty| match value {
                Value::Type(..) => eval.instance_of(value, certainty),
                value => Values::one(value.clone(), certainty),
            }))
        }
        "ReadonlyArray" | "ArrayLike" => Some(made("Array", args.to_vec())),
        "ReadonlyMap" => Some(made("Map", args.to_vec())),
        "ReadonlySet" => Some(made("Set", args.to_vec())),
        _ => None,
    }
}

/// The holder and the method of a name like `Array.map`.
fn split(name: &str) -> Option<(&str, &str)> {
    name.rsplit_once('.')
}

/// What calling something of the platform gives.
pub(super) fn call(
    rules: &Ecma,
    eval: &mut Eval<'_>,
    name: &str,
    types: &[Values],
    args: Arguments,
) -> Option<Values> {
    let first = || types.first().cloned().unwrap_or_default();
    let second = || types.get(1).cloned().unwrap_or_default();
    let Some((holder, method)) = split(name) else {
        return constructed(rules, eval, name, types, args);
    };
    let values = match (holder, method) {
        ("Array", "map") => {
            let given = rules.callback(eval, args, 0);
            made("Array", vec![given])
        }
        ("Array", "flatMap") => {
            let given = rules.callback(eval, args, 0);
            let inner = eval.each(&given, |eval, value, certainty| match value {
                Value::Instance(Class::External(name), _) if **name == *"Array" => {
                    element(eval, value, 0)
                }
                value => Values::one(value.clone(), certainty),
            });
            made("Array", vec![inner])
        }
        ("Array", "flat") => {
            let of = first();
            let inner = eval.each(&of, |eval, value, certainty| match value {
                Value::Instance(Class::External(name), _) if **name == *"Array" => {
                    element(eval, value, 0)
                }
                value => Values::one(value.clone(), certainty),
            });
            made("Array", vec![inner])
        }
        (
            "Array",
            "filter" | "slice" | "splice" | "concat" | "reverse" | "sort" | "fill" | "toSorted"
            | "toReversed" | "copyWithin" | "with" | "toSpliced",
        ) => made("Array", vec![first()]),
        ("Array", "find" | "findLast" | "pop" | "shift" | "at") => first(),
        ("Array", "reduce" | "reduceRight") => {
            let start = rules.argument(eval, args, 1);
            if start.is_empty() { first() } else { start }
        }
        ("Array", "entries") => {
            let pair = made("Tuple", vec![made("number", Vec::new()), first()]);
            made("IterableIterator", vec![pair])
        }
        ("Array" | "Set", "values") | ("Set", "keys") => made("IterableIterator", vec![first()]),
        ("Array", "join") | ("string", _) => made("string", Vec::new()),
        ("Map" | "WeakMap", "get") => second(),
        ("Map" | "WeakMap", "set") => made("Map", types.to_vec()),
        ("Set", "add") => made("Set", types.to_vec()),
        ("Map", "values") => made("IterableIterator", vec![second()]),
        ("Map", "keys") => made("IterableIterator", vec![first()]),
        ("Map", "entries") => {
            let pair = made("Tuple", vec![first(), second()]);
            made("IterableIterator", vec![pair])
        }
        ("Promise", "then") => {
            let given = rules.callback(eval, args, 0);
            let given = eval.each(&given, |eval, value, _| rules.awaited(eval, value));
            made("Promise", vec![given])
        }
        ("Promise", "catch" | "finally") => made("Promise", vec![first()]),
        ("Promise", "resolve") => {
            let given = rules.argument(eval, args, 0);
            let given = eval.each(&given, |eval, value, _| rules.awaited(eval, value));
            made("Promise", vec![given])
        }
        ("Promise", "all" | "allSettled") => {
            let given = rules.argument(eval, args, 0);
            let mut tuple = None;
            if let Some((Value::Instance(Class::External(name), parts), _)) = given.single()
                && **name == *"Tuple"
            {
                let mut awaited = Vec::new();
                for part in parts.iter() {
                    awaited.push(eval.each(part, |eval, value, _| rules.awaited(eval, value)));
                }
                tuple = Some(made("Tuple", awaited));
            }
            let all = match tuple {
                Some(tuple) => tuple,
                None => {
                    let held = eval.each(&given, |eval, value, _| element(eval, value, 0));
                    let held = eval.each(&held, |eval, value, _| rules.awaited(eval, value));
                    made("Array", vec![held])
                }
            };
            made("Promise", vec![all])
        }
        ("Promise", "race" | "any") => {
            let given = rules.argument(eval, args, 0);
            let held = eval.each(&given, |eval, value, _| element(eval, value, 0));
            let held = eval.each(&held, |eval, value, _| rules.awaited(eval, value));
            made("Promise", vec![held])
        }
        ("Object", "freeze" | "seal" | "create" | "setPrototypeOf" | "preventExtensions") => {
            rules.argument(eval, args, 0)
        }
        ("Object", "assign") => {
            let target = rules.argument(eval, args, 0);
            let source = rules.argument(eval, args, 1);
            either(&target, &source)
        }
        ("Object", "keys") => made("Array", vec![made("string", Vec::new())]),
        ("Object", "values" | "entries") => {
            let of = rules.argument(eval, args, 0);
            let held = eval.each(&of, |eval, value, _| held_under_keys(eval, value));
            match method {
                "values" => made("Array", vec![held]),
                _ => {
                    let pair = made("Tuple", vec![made("string", Vec::new()), held]);
                    made("Array", vec![pair])
                }
            }
        }
        ("Array", "from") => {
            let of = rules.argument(eval, args, 0);
            let held = eval.each(&of, |eval, value, _| element(eval, value, 0));
            let mapped = rules.callback(eval, args, 1);
            made("Array", vec![if mapped.is_empty() { held } else { mapped }])
        }
        (super::MAKER, "()") => first(),
        ("function", "bind") => first(),
        ("function", "call" | "apply") => {
            let of = first();
            eval.each(&of, |eval, value, certainty| {
                eval.call(value, certainty, None)
            })
        }
        _ => return None,
    };
    Some(values)
}

/// What an object holds under keys that are not known.
fn held_under_keys(eval: &mut Eval<'_>, value: &Value) -> Values {
    match value {
        Value::Instance(Class::External(name), args) if **name == *"Record" => {
            args.get(1).cloned().unwrap_or_default()
        }
        Value::Instance(Class::External(name), args) if **name == *"Array" => {
            args.first().cloned().unwrap_or_default()
        }
        value => eval.member(value, Certainty::Typed, "[]"),
    }
}

/// What making an instance of one of the platform's types gives, or calling what has no dot.
fn constructed(
    rules: &Ecma,
    eval: &mut Eval<'_>,
    name: &str,
    types: &[Values],
    args: Arguments,
) -> Option<Values> {
    if !name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    let mut held = types.to_vec();
    if held.is_empty() && matches!(name, "Set" | "Map" | "WeakMap" | "WeakSet") {
        let of = rules.argument(eval, args, 0);
        let inner = eval.each(&of, |eval, value, _| element(eval, value, 0));
        held = match (name, inner.single()) {
            ("Map" | "WeakMap", Some((Value::Instance(Class::External(name), parts), _)))
                if **name == *"Tuple" =>
            {
                parts.to_vec()
            }
            ("Map" | "WeakMap", _) => Vec::new(),
            _ => vec![inner],
        };
    }
    if held.is_empty() && name == "Array" {
        held.push(Values::none());
    }
    Some(made(name, held))
}

/// What something of the platform takes as argument number `n`.
pub(super) fn expected(
    rules: &Ecma,
    eval: &mut Eval<'_>,
    name: &str,
    types: &Args,
    n: u16,
    args: Arguments,
) -> Values {
    let first = || types.first().cloned().unwrap_or_default();
    let second = || types.get(1).cloned().unwrap_or_default();
    let number = || made("number", Vec::new());
    let Some((holder, method)) = split(name) else {
        return Values::none();
    };
    match (holder, method, n) {
        ("Array", "reduce" | "reduceRight", 0) => {
            let start = rules.argument(eval, args, 1);
            let start = if start.is_empty() { first() } else { start };
            callback_of(vec![start, first(), number()])
        }
        ("Array", "sort" | "toSorted", 0) => callback_of(vec![first(), first()]),
        (
            "Array",
            "map" | "flatMap" | "forEach" | "filter" | "find" | "findLast" | "findIndex"
            | "findLastIndex" | "some" | "every",
            0,
        ) => callback_of(vec![first(), number(), made("Array", vec![first()])]),
        ("Map", "forEach", 0) => callback_of(vec![second(), first()]),
        ("Set", "forEach", 0) => callback_of(vec![first(), first()]),
        ("Promise", "then", 0) => callback_of(vec![first()]),
        ("Array", "from", 1) => {
            let of = rules.argument(eval, args, 0);
            let held = eval.each(&of, |eval, value, _| element(eval, value, 0));
            callback_of(vec![held, number()])
        }
        _ => Values::none(),
    }
}
