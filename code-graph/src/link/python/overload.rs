//! Which of the overloads of a function a call is of.

use super::plain;
use crate::facts::{Expr, ExprId, FunctionId};
use crate::link::eval::{Arguments, Eval, Fit};
use crate::link::value::{Class, FileId, Value, Values};
use crate::link::world::Unit;

/// Whether a signature takes the arguments of a call.
pub(super) fn takes(
    eval: &mut Eval<'_>,
    file: FileId,
    signature: FunctionId,
    args: Arguments,
) -> Fit {
    let (Some(unit), Some(caller)) = (eval.world.unit(file), eval.world.unit(args.file)) else {
        return Fit::No;
    };
    let Some(facts) = unit.facts.functions.get(signature.index()) else {
        return Fit::No;
    };
    let Some(mut fit) = places(unit, signature, caller, args) else {
        return Fit::No;
    };
    for (at, param) in facts.params.iter().enumerate() {
        let Some(given) = eval.argument_expr(file, signature, at, args) else {
            continue;
        };
        let one = match (param.declared, param.rest) {
            (_, true) | (None, _) => Fit::Perhaps,
            (Some(asked), false) => match literal(unit, asked, caller, given) {
                Some(fit) => fit,
                None => {
                    let scope = eval.signature(file, facts);
                    let asked = eval.instance(file, scope, asked);
                    let given = eval.eval(args.file, args.scope, given);
                    fits(eval, &asked, &given)
                }
            },
        };
        fit = fit.min(one);
    }
    fit
}

/// Whether a signature has a place for every argument that is written out, and an argument for
/// every parameter that needs one.
fn places(unit: &Unit, signature: FunctionId, caller: &Unit, args: Arguments) -> Option<Fit> {
    let facts = unit.facts.functions.get(signature.index())?;
    let (mut placed, mut spread) = (0, false);
    let mut keywords: Vec<&str> = Vec::new();
    for expr in caller.facts.list(args.list) {
        match caller.facts.exprs.get(expr.index()) {
            Some(Expr::Keyword(name, _)) => keywords.push(caller.facts.name(*name)),
            Some(Expr::Spread(_)) => spread = true,
            _ => placed += 1,
        }
    }
    let has_rest = facts.params.iter().any(|param| param.rest);
    let takes = |name: &&str| {
        let mut params = facts.params.iter();
        params.any(|param| !param.rest && unit.facts.name(param.name) == *name)
    };
    let all_named = unit.facts.takes_any_name(facts) || keywords.iter().all(takes);
    if !all_named || !has_rest && placed > facts.params.len() {
        return None;
    }
    if spread {
        return Some(Fit::Perhaps);
    }
    let has_all = facts.params.iter().enumerate().all(|(at, param)| {
        at < placed
            || param.rest
            || param.default.is_some()
            || keywords.contains(&unit.facts.name(param.name))
    });
    has_all.then_some(Fit::Surely)
}

/// Whether an argument is the `None`, or one of the texts, that a parameter is declared to be;
/// nothing for a parameter that is declared otherwise. What is not written out as one is none.
fn literal(unit: &Unit, asked: ExprId, caller: &Unit, given: ExprId) -> Option<Fit> {
    let given = caller.facts.exprs.get(given.index())?;
    let texts = match unit.facts.exprs.get(asked.index())? {
        Expr::Literal(name) if unit.facts.name(*name) == "None" => &[][..],
        Expr::Str(_) => &[asked],
        Expr::Union(list) => unit.facts.list(*list),
        _ => return None,
    };
    let mut found = false;
    for text in texts {
        let Some(Expr::Str(text)) = unit.facts.exprs.get(text.index()) else {
            return None;
        };
        if let Expr::Str(given) = given {
            found |= unit.facts.name(*text) == caller.facts.name(*given);
        }
    }
    Some(match given {
        Expr::Unknown => Fit::Perhaps,
        _ if found => Fit::Surely,
        _ => Fit::No,
    })
}

/// Whether a value may be given where another is asked for.
fn fits(eval: &mut Eval<'_>, asked: &Values, given: &Values) -> Fit {
    if asked.is_empty() || given.is_empty() {
        return Fit::Perhaps;
    }
    let mut fit = Fit::No;
    for (value, _) in given.iter() {
        for (of, _) in asked.iter() {
            fit = fit.max(fits_one(eval, of, value));
        }
    }
    fit
}

fn fits_one(eval: &mut Eval<'_>, asked: &Value, given: &Value) -> Fit {
    match (asked, given) {
        (Value::Instance(a, _), Value::Instance(b, _)) if a == b => Fit::Surely,
        (Value::Instance(Class::Symbol(a), _), Value::This(b)) if a == b => Fit::Surely,
        (
            Value::Instance(Class::Symbol(asked), _),
            Value::Instance(Class::Symbol(given), _) | Value::This(given),
        ) => {
            let lineage = eval.lineage(*given);
            let inherits = lineage
                .iter()
                .any(|(base, _)| matches!(base, Value::Type(Class::Symbol(of), _) if of == asked));
            match inherits {
                true => Fit::Surely,
                false => Fit::No,
            }
        }
        (Value::Instance(Class::External(asked), _), Value::Function(..) | Value::Closure(..))
            if plain(asked) == "Callable" =>
        {
            Fit::Surely
        }
        (
            Value::Instance(Class::External(asked), _),
            Value::Instance(Class::External(given), _),
        ) if plain(asked) == "Callable" && is_plain(given) => Fit::No,
        _ => Fit::Perhaps,
    }
}

/// A type of the language whose values cannot be called.
fn is_plain(name: &str) -> bool {
    matches!(
        name,
        "str" | "int" | "float" | "bool" | "bytes" | "list" | "dict" | "tuple" | "set"
    )
}
