//! What the languages with declared types share while linking: dotted names in namespaces, and
//! what the containers of their libraries hold.

use super::Certainty;
use super::eval::{Arguments, Eval};
use super::value::{Class, Collect, FileId, SymRef, Value, Values};
use crate::extract::CONSTRUCTOR;
use crate::facts::{Expr, FunctionId, Import, NameId};
use std::sync::Arc;

/// What a dotted name leads to: a namespace of the checkout, what stands in one, or something
/// external.
pub(super) fn dotted(eval: &mut Eval<'_>, path: &str, separator: char) -> Values {
    let mut parts = path.split(separator);
    let Some(first) = parts.next() else {
        return Values::none();
    };
    if !eval.has_namespace(first) {
        return Values::one(Value::external(path), Certainty::Exact);
    }
    let mut namespace = first.to_owned();
    let mut found = Values::none();
    for part in parts {
        if found.is_empty() {
            let longer = format!("{namespace}{separator}{part}");
            let here = member_of_namespace(eval, &namespace, part);
            // A type is nearer than a namespace of its name.
            if !here.is_empty() {
                found = here;
            } else if eval.has_namespace(&longer) {
                namespace = longer;
            } else {
                // The checkout has the beginning of the name only.
                return match eval.world.namespace(&namespace).is_empty() {
                    true => Values::one(Value::external(path), Certainty::Exact),
                    false => Values::none(),
                };
            }
        } else {
            let of = found;
            found = eval.each(&of, |eval, value, certainty| {
                eval.member(value, certainty, part)
            });
            if found.is_empty() {
                return found;
            }
        }
    }
    if found.is_empty() {
        return Values::one(Value::Namespace(namespace.into()), Certainty::Exact);
    }
    found
}

/// What the files of a namespace bind to a name.
pub(super) fn member_of_namespace(eval: &mut Eval<'_>, namespace: &str, name: &str) -> Values {
    let atom = eval.world.atom(name);
    let found = eval.namespace_member(&Arc::from(namespace), atom);
    let mut kept = Collect::default();
    for (value, certainty) in found.iter() {
        if !matches!(value, Value::Namespace(_)) {
            kept.add(value.clone(), *certainty);
        }
    }
    kept.finish()
}

/// What an import brings in a language where modules are dotted names.
pub(super) fn import(
    eval: &mut Eval<'_>,
    file: FileId,
    import: &Import,
    separator: char,
) -> Values {
    let Some(unit) = eval.unit(file) else {
        return Values::none();
    };
    let module = unit.facts.name(import.module);
    let Some(name) = import.name else {
        return dotted(eval, module, separator);
    };
    let name = unit.facts.name(name);
    if module.is_empty() {
        let found = member_of_namespace(eval, "", name);
        return match found.is_empty() {
            true => Values::one(Value::external(name), Certainty::Exact),
            false => found,
        };
    }
    let of = dotted(eval, module, separator);
    eval.each(&of, |eval, value, certainty| match value {
        Value::Namespace(namespace) => {
            let found = member_of_namespace(eval, namespace, name);
            let inner = format!("{namespace}{separator}{name}");
            if found.is_empty() && eval.has_namespace(&inner) {
                return Values::one(Value::Namespace(inner.into()), Certainty::Exact);
            }
            if found.is_empty() && eval.world.namespace(namespace).is_empty() {
                let outside = format!("{module}{separator}{name}");
                return Values::one(Value::external(outside), Certainty::Exact);
            }
            found
        }
        Value::Type(Class::External(outside), _) => Values::one(
            Value::external(format!("{outside}{separator}{name}")),
            Certainty::Exact,
        ),
        value => eval.member(value, certainty, name),
    })
}

/// Whether a function takes so many arguments: those without a default must be given.
pub(super) fn takes(eval: &Eval<'_>, function: SymRef, arguments: usize) -> bool {
    let Some(unit) = eval.unit(function.file) else {
        return true;
    };
    let symbol = unit.facts.symbols.get(function.symbol.index());
    let function = symbol
        .and_then(|symbol| symbol.function)
        .and_then(|id| unit.facts.functions.get(id.index()));
    let Some(function) = function else {
        return true;
    };
    let rest = function.params.iter().any(|param| param.rest);
    let needed = function
        .params
        .iter()
        .filter(|param| param.default.is_none() && !param.rest)
        .count();
    arguments >= needed && (rest || arguments <= function.params.len())
}

/// How well the arguments of a call fit the declared types of a function's parameters: two for a
/// type that is the same, one for one that may do; nothing when one cannot.
pub(super) fn fits(
    eval: &mut Eval<'_>,
    function: SymRef,
    args: Arguments,
    type_args: usize,
) -> Option<u32> {
    let (Some(unit), Some(caller)) = (eval.unit(function.file), eval.unit(args.file)) else {
        return Some(0);
    };
    let symbol = unit.facts.symbols.get(function.symbol.index())?;
    let Some(id) = symbol.function else {
        return Some(0);
    };
    let facts = unit.facts.functions.get(id.index())?;
    if type_args > 0 && facts.type_params.len() != type_args {
        return None;
    }
    let given = usize::from(args.list.len);
    let exact = facts.params.len() == given && facts.params.iter().all(|param| !param.rest);
    let mut score = u32::from(exact);
    for (at, operand) in caller.facts.list(args.list).iter().enumerate() {
        let (param, operand) = match caller.facts.exprs.get(operand.index()) {
            Some(Expr::Keyword(name, value)) => {
                let name = caller.facts.name(*name);
                let named = facts.params.iter();
                let mut named = named.filter(|param| unit.facts.name(param.name) == name);
                // A name that the function has not is not for it.
                (Some(named.next()?), value)
            }
            _ => (facts.params.get(at).or(facts.params.last()), operand),
        };
        let Some(declared) = param.and_then(|param| param.declared) else {
            continue;
        };
        let wanted = eval.instance(function.file, facts.scope, declared);
        let given = eval.eval(args.file, args.scope, *operand);
        let (Some((wanted, _)), Some((given, _))) = (wanted.single(), given.single()) else {
            score += 1;
            continue;
        };
        let (wanted, given) = (wanted.clone(), given.clone());
        let rest = param.is_some_and(|param| param.rest);
        let fit = match fit(eval, &wanted, &given) {
            None if rest => match element(eval, &wanted).single() {
                Some((inner, _)) => fit(eval, &inner.clone(), &given),
                None => Some(1),
            },
            fit => fit,
        };
        score += fit?;
    }
    Some(score)
}

/// How well one value fits a declared type.
fn fit(eval: &mut Eval<'_>, wanted: &Value, given: &Value) -> Option<u32> {
    // What something external gave is of a type that nobody knows.
    if given
        .external_name()
        .is_some_and(|name| name.ends_with("()"))
    {
        return Some(1);
    }
    let class = match given {
        Value::This(class) => Class::Symbol(*class),
        Value::Instance(class, _) => class.clone(),
        // A closure is for a parameter that is no plain value.
        Value::Closure(..) | Value::Function(..) => {
            let plain = wanted
                .external_name()
                .is_some_and(|name| is_plain(simple(name)));
            return (!plain).then_some(1);
        }
        _ => return Some(1),
    };
    match (wanted, &class) {
        (Value::Instance(Class::Symbol(wanted), _), Class::Symbol(given)) => {
            if wanted == given {
                return Some(2);
            }
            let lineage = eval.lineage(*given);
            let is = lineage
                .iter()
                .any(|(base, _)| matches!(base, Value::Type(Class::Symbol(c), _) if c == wanted));
            is.then_some(1)
        }
        // What is outside the checkout inherits from nothing in it.
        (Value::Instance(Class::Symbol(_), _), Class::External(given)) => {
            is_root(simple(given)).then_some(1)
        }
        (Value::Instance(Class::External(wanted), _), Class::Symbol(given)) => {
            let wanted = simple(wanted);
            if is_plain(wanted) {
                return None;
            }
            let lineage = eval.lineage(*given);
            let outside: Vec<&str> = lineage
                .iter()
                .filter_map(|(base, _)| base.external_name().map(|name| simple(name)))
                .collect();
            if outside.contains(&wanted) {
                return Some(2);
            }
            // What is known of it ends with the root of all types.
            let open = outside.iter().any(|name| !is_root(name));
            (open || is_root(wanted)).then_some(1)
        }
        (Value::Instance(Class::External(wanted), _), Class::External(given)) => {
            let (wanted, given) = (simple(wanted), simple(given));
            if wanted == given {
                return Some(2);
            }
            if is_root(wanted) {
                return Some(1);
            }
            match (kind_of(wanted), kind_of(given)) {
                (Some(a), Some(b)) if a == b => Some(1),
                (Some(_), Some(_)) => None,
                (Some(_), None) => None,
                (None, Some(Plain::Text)) => matches!(
                    wanted,
                    "CharSequence" | "Comparable" | "Serializable" | "IEnumerable"
                )
                .then_some(1),
                (None, Some(_)) => {
                    matches!(wanted, "Number" | "Comparable" | "Serializable").then_some(1)
                }
                (None, None) if given == "Class" => {
                    matches!(wanted, "Type" | "AnnotatedElement" | "GenericDeclaration")
                        .then_some(1)
                }
                (None, None) => (wanted != "Class").then_some(1),
            }
        }
        _ => Some(1),
    }
}

/// The kinds of values that nothing inherits from.
#[derive(PartialEq, Eq)]
enum Plain {
    Text,
    Number,
    Truth,
    Letter,
}

fn kind_of(name: &str) -> Option<Plain> {
    match name {
        "String" | "string" | "str" => Some(Plain::Text),
        "int" | "long" | "short" | "byte" | "float" | "double" | "Integer" | "Long" | "Short"
        | "Byte" | "Float" | "Double" | "Int" | "decimal" | "uint" | "ulong" | "ushort"
        | "sbyte" | "num" => Some(Plain::Number),
        "boolean" | "Boolean" | "bool" | "Bool" => Some(Plain::Truth),
        "char" | "Character" | "Char" => Some(Plain::Letter),
        _ => None,
    }
}

fn is_plain(name: &str) -> bool {
    kind_of(name).is_some()
}

fn is_root(name: &str) -> bool {
    matches!(name, "Object" | "object" | "Any" | "dynamic" | "mixed")
}

/// The simple name of an external name: `get` of `java.util.List.get()`.
pub(super) fn simple(name: &str) -> &str {
    let name = name.strip_suffix("()").unwrap_or(name);
    let cut = name.rfind(['.', '\\', '/', ':']).map_or(0, |at| at + 1);
    name.get(cut..).unwrap_or(name)
}

/// The type arguments of an instance that is a container.
fn arguments_of(value: &Value) -> &[Values] {
    match value {
        Value::Instance(_, args) | Value::Type(_, args) => args,
        _ => &[],
    }
}

/// What a closure that is passed to a method of an external container gets: an element of it.
/// With two parameters, a key and a value of a map.
pub(super) fn closure_parameter(
    eval: &mut Eval<'_>,
    file: FileId,
    function: FunctionId,
    index: u16,
) -> Values {
    let Some(unit) = eval.unit(file) else {
        return Values::none();
    };
    let Some(facts) = unit.facts.functions.get(function.index()) else {
        return Values::none();
    };
    let around = unit.facts.scopes.get(facts.scope.index());
    let Some(around) = around.and_then(|scope| scope.parent) else {
        return Values::none();
    };
    let Some(context) = facts.context else {
        return Values::none();
    };
    // A type of functions from the library says what they get by its arguments.
    let expected = eval.eval(file, around, context);
    let given = eval.each(&expected, |_, value, _| match value {
        Value::Instance(Class::External(name), args) | Value::Type(Class::External(name), args) => {
            match simple(name) {
                "Comparator" | "BinaryOperator" | "UnaryOperator" | "Comparison" => {
                    args.first().cloned().unwrap_or_default()
                }
                _ => args.get(usize::from(index)).cloned().unwrap_or_default(),
            }
        }
        _ => Values::none(),
    });
    if !given.is_empty() {
        return given.weakened(Certainty::Inferred);
    }
    let context = unit.facts.exprs.get(context.index());
    let Some(Expr::Expected(call, _)) = context else {
        return Values::none();
    };
    let Some(Expr::Call(callee, _)) = unit.facts.exprs.get(call.index()) else {
        return Values::none();
    };
    let Some(Expr::Member(object, _)) = unit.facts.exprs.get(callee.index()) else {
        return Values::none();
    };
    let params = facts.params.len();
    let values = eval.eval(file, around, *object);
    eval.each(&values, |eval, value, _| {
        if let Value::Instance(Class::External(_), args) = value {
            if params == 2 && args.len() == 2 {
                return args.get(usize::from(index)).cloned().unwrap_or_default();
            }
            if index == 0 || params > 1 {
                let rules = eval.world.rules(file);
                return rules.element(eval, value);
            }
        }
        Values::none()
    })
    .weakened(Certainty::Inferred)
}

/// What the closure among the arguments of a call gives.
pub(super) fn closure_result(eval: &mut Eval<'_>, args: Arguments) -> Values {
    let Some(unit) = eval.unit(args.file) else {
        return Values::none();
    };
    for operand in unit.facts.list(args.list) {
        let values = eval.eval(args.file, args.scope, *operand);
        for (value, certainty) in values.iter() {
            if matches!(value, Value::Closure(..) | Value::Function(..)) {
                return eval.call(value, (*certainty).max(Certainty::Inferred), None);
            }
        }
    }
    Values::none()
}

/// An external instance of a container.
pub(super) fn container(name: &str, args: &[Values]) -> Values {
    Values::one(
        Value::external_instance(name, Arc::from(args)),
        Certainty::Inferred,
    )
}

/// What a method of an external container gives, by the method's name: these names mean the same
/// in the libraries of all these languages.
pub(super) fn container_call(
    eval: &mut Eval<'_>,
    name: &str,
    type_args: &[Values],
    args: Arguments,
) -> Option<Values> {
    let found = held(eval, name, type_args, args)?;
    Some(found.weakened(Certainty::Inferred))
}

fn held(eval: &mut Eval<'_>, name: &str, type_args: &[Values], args: Arguments) -> Option<Values> {
    // What is called by the name of a type makes one.
    let made = simple(name);
    let is_type = made.starts_with(char::is_uppercase) && !name.ends_with("()");
    let methods_too = eval.world.rules(args.file).name() == "csharp" && name.contains('.');
    if is_type && !methods_too {
        let instance = Value::external_instance(name, Arc::from(type_args));
        return Some(Values::one(instance, Certainty::Typed));
    }
    let method = simple(name);
    let owner = name
        .strip_suffix("()")
        .unwrap_or(name)
        .rsplit_once('.')
        .map_or("", |(owner, _)| simple(owner));
    let last = || type_args.last().cloned().unwrap_or_default();
    if makes_container(method) {
        if !type_args.is_empty() {
            return Some(container("List", type_args));
        }
        let unit = eval.unit(args.file)?;
        let mut all = Collect::default();
        for operand in unit.facts.list(args.list) {
            let values = eval.eval(args.file, args.scope, *operand);
            all.extend(&values, Certainty::Inferred);
        }
        let all = all.finish();
        return (!all.is_empty()).then(|| container("List", &[all]));
    }
    if type_args.is_empty() {
        return None;
    }
    match method {
        "get" | "getOrDefault" | "remove" | "poll" | "peek" | "pop" | "element" | "first"
        | "last" | "getFirst" | "getLast" | "removeFirst" | "removeLast" | "pollFirst"
        | "pollLast" | "next" | "previous" | "orElse" | "orElseGet" | "orElseThrow" | "put"
        | "putIfAbsent" | "computeIfAbsent" | "take" | "getValue" | "join" | "call" | "single"
        | "firstOrNull" | "lastOrNull" | "singleOrNull" | "getOrNull" | "getOrElse"
        | "getOrPut" | "random" | "elementAt" | "First" | "Last" | "Single" | "FirstOrDefault"
        | "LastOrDefault" | "SingleOrDefault" | "ElementAt" | "Peek" | "Pop" | "Dequeue"
        | "GetValueOrDefault" | "firstWhere" | "lastWhere" | "singleWhere" | "removeAt"
        | "removeLastOrNull" | "find" | "findLast" | "max" | "min" | "maxBy" | "minBy" | "head"
        | "popLast" | "dropFirst" | "getAndSet" | "current" | "apply"
            if method != "apply" || owner == "Supplier" =>
        {
            Some(last())
        }
        "getKey" => type_args.first().cloned(),
        "keySet" | "keys" | "Keys" => Some(container("Set", type_args.get(..1)?)),
        "values" | "Values" => Some(container("Collection", &[last()])),
        "entrySet" | "entries" => {
            let entry = container("Entry", type_args);
            Some(container("Set", &[entry]))
        }
        "map" | "flatMap" | "Select" | "mapNotNull" | "mapToObj" | "thenApply" | "thenCompose"
        | "compactMap" | "then" | "SelectMany" | "expand" => {
            let result = closure_result(eval, args);
            let result = match method {
                "flatMap" | "thenCompose" | "SelectMany" | "expand" | "then" => {
                    eval.each(&result, |_, value, _| match value {
                        Value::Instance(Class::External(_), args) if !args.is_empty() => {
                            args.last().cloned().unwrap_or_default()
                        }
                        value => Values::one(value.clone(), Certainty::Inferred),
                    })
                }
                _ => result,
            };
            Some(container("Stream", &[result]))
        }
        "stream" | "parallelStream" | "filter" | "iterator" | "listIterator" | "subList"
        | "sorted" | "distinct" | "limit" | "skip" | "peekEach" | "collect" | "toList"
        | "asSequence" | "toMutableList" | "toSet" | "reversed" | "drop" | "takeWhile"
        | "dropWhile" | "filterNot" | "filterNotNull" | "sortedBy" | "findFirst" | "findAny"
        | "descendingIterator" | "tailMap" | "headMap" | "headSet" | "tailSet" | "clone"
        | "Where" | "OrderBy" | "OrderByDescending" | "ToList" | "ToArray" | "Skip" | "Take"
        | "Concat" | "Distinct" | "AsEnumerable" | "Reverse" | "where" | "whereType"
        | "followedBy" | "toArray" | "tail" | "init" | "prefix" | "suffix" | "asReversed"
        | "plus" | "minus" | "GetEnumerator" | "ConfigureAwait" => Some(container(
            if owner.is_empty() { "List" } else { owner },
            type_args,
        )),
        _ => None,
    }
}

/// Functions that make a container of their arguments.
fn makes_container(function: &str) -> bool {
    matches!(
        function,
        "of" | "asList"
            | "listOf"
            | "setOf"
            | "mutableListOf"
            | "arrayListOf"
            | "mutableSetOf"
            | "mutableMapOf"
            | "mapOf"
            | "hashMapOf"
            | "emptyList"
            | "emptyMap"
            | "emptySet"
            | "linkedMapOf"
            | "hashSetOf"
            | "ofNullable"
            | "singletonList"
            | "singleton"
            | "copyOf"
            | "sequenceOf"
    )
}

/// What iterating over a value gives: the elements of an external container, a pair for a map, and
/// for a type of the checkout what it hands on to the container that it inherits from.
pub(super) fn element(eval: &mut Eval<'_>, value: &Value) -> Values {
    match value {
        Value::Instance(Class::External(_), args) => args.last().cloned().unwrap_or_default(),
        Value::Type(Class::External(name), _) if name.ends_with("()") => part_of(name),
        Value::Instance(Class::Symbol(class), _) | Value::This(class) => {
            match inherited_container(eval, *class, value) {
                Some(container) => element(eval, &container),
                None => Values::none(),
            }
        }
        Value::Variable(file, scope, name, true) => {
            let bounds = eval.bounds(*file, *scope, *name);
            eval.each(&bounds, |eval, value, _| element(eval, value))
        }
        _ => arguments_of(value).last().cloned().unwrap_or_default(),
    }
}

/// What an operator gives: what is outside the checkout stays what it is.
pub(super) fn operated(value: &Value) -> Values {
    match value {
        Value::Instance(Class::External(_), _) => Values::one(value.clone(), Certainty::Inferred),
        _ => Values::none(),
    }
}

/// A part of what something external gave is external too.
pub(super) fn part_of(name: &str) -> Values {
    Values::one(Value::external(format!("{name}[]")), Certainty::Inferred)
}

/// The external container that a type of the checkout inherits from.
fn inherited_container(eval: &mut Eval<'_>, class: SymRef, receiver: &Value) -> Option<Value> {
    let lineage = eval.lineage(class);
    let found = lineage.iter().find_map(|(base, _)| match base {
        Value::Type(class @ Class::External(_), args) if !args.is_empty() => {
            Some(Value::Instance(class.clone(), args.clone()))
        }
        Value::Instance(class @ Class::External(_), args) if !args.is_empty() => {
            Some(Value::Instance(class.clone(), args.clone()))
        }
        _ => None,
    })?;
    let _ = receiver;
    Some(found)
}

/// The namespace that a file belongs to, as it declares it.
pub(super) fn declared_namespace(tree: &super::modules::Tree, file: FileId) -> Option<String> {
    let source = tree.file(file)?;
    Some(source.surface.namespace.clone().unwrap_or_default())
}

/// What a name means in the namespace of its file, and in those around it when `outer` says that
/// these are seen too.
pub(super) fn own_namespace(eval: &mut Eval<'_>, file: FileId, name: &str, outer: bool) -> Values {
    let Some(unit) = eval.unit(file) else {
        return Values::none();
    };
    let namespace = unit.facts.namespace.map(|name| unit.facts.name(name));
    let mut namespace = namespace.unwrap_or_default();
    loop {
        let found = member_of_namespace(eval, namespace, name);
        if !found.is_empty() || !outer {
            return found;
        }
        if namespace.is_empty() {
            return found;
        }
        namespace = namespace.rsplit_once('.').map_or("", |(outer, _)| outer);
    }
}

/// The text of a name.
pub(super) fn text_of(eval: &Eval<'_>, file: FileId, name: NameId) -> String {
    let unit = eval.unit(file);
    unit.map(|unit| unit.facts.name(name).to_owned())
        .unwrap_or_default()
}

/// What a value of a data class, or a case class, comes apart into: the member that the nth
/// parameter of its constructor declares.
pub(crate) fn made_of(eval: &mut Eval<'_>, value: &Value, class: SymRef, n: u16) -> Values {
    let new = eval.world.atom(CONSTRUCTOR);
    eval.has_own(class, new);
    let Some(unit) = eval.unit(class.file) else {
        return Values::none();
    };
    let field = unit
        .constructors(class.symbol)
        .find_map(|id| unit.facts.symbols.get(id.index())?.function)
        .and_then(|id| unit.facts.functions.get(id.index()))
        .and_then(|function| function.params.get(usize::from(n)));
    match field {
        Some(field) => eval.member(value, Certainty::Typed, unit.facts.name(field.name)),
        None => Values::none(),
    }
}
