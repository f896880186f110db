//! Names that every file of a language knows: constants, modules and functions that no import brings.
//!
//! Extractors bind such a name at the top of its file under its full name; the files of the language
//! form one namespace.

use super::Certainty;
use super::eval::Eval;
use super::value::{Class, FileId, SymRef, Value, Values};
use crate::facts::{Bound, NameId, ScopeId, Symbol, Visibility};
use std::sync::Arc;

/// What a full name means among all files of the language `space`.
pub(super) fn everyone(eval: &mut Eval<'_>, space: &str, full_name: &str) -> Values {
    let space: Arc<str> = space.into();
    let atom = eval.world.atom(full_name);
    eval.namespace_member(&space, atom)
}

/// The full names of the types and modules around a scope, the innermost first, their parts joined
/// by `separator`.
pub(super) fn around(
    eval: &Eval<'_>,
    file: FileId,
    scope: ScopeId,
    separator: &str,
) -> Vec<String> {
    let mut names = Vec::new();
    let Some(unit) = eval.world.unit(file) else {
        return names;
    };
    let mut at = Some(scope);
    while let Some(id) = at
        && let Some(here) = unit.facts.scopes.get(id.index())
    {
        at = here.parent;
        if let Some(owner) = here.owner
            && let Some(symbol) = unit.facts.symbols.get(owner.index())
            && symbol.members == Some(id)
        {
            names.push(unit.facts.qualified_name(owner).replace('.', separator));
        }
    }
    names
}

/// Whether a name is bound at the top of a file to a symbol that `visible` lets others see.
pub(super) fn shares(
    eval: &Eval<'_>,
    file: FileId,
    name: NameId,
    visible: impl Fn(&Symbol) -> bool,
) -> bool {
    let Some(unit) = eval.world.unit(file) else {
        return false;
    };
    let bindings = unit.facts.bindings_of(ScopeId::MODULE, name);
    bindings.iter().any(|binding| match binding.bound {
        Bound::Symbol(symbol) => unit.facts.symbols.get(symbol.index()).is_some_and(&visible),
        _ => false,
    })
}

/// Whether a symbol is more than the file's own.
pub(super) fn is_public(symbol: &Symbol) -> bool {
    symbol.visibility == Visibility::Public
}

/// One type out of the places where it is opened: the first that says what it inherits, else the
/// first. The members of all are found through any of them.
pub(super) fn one_place(eval: &Eval<'_>, values: Values) -> Values {
    match declaring(eval, &values) {
        Some((value, certainty)) => Values::one(value.clone(), certainty),
        None => values,
    }
}

fn declaring<'v>(eval: &Eval<'_>, values: &'v Values) -> Option<(&'v Value, Certainty)> {
    let mut first: Option<(&Value, Certainty)> = None;
    for (value, certainty) in values.iter() {
        let Value::Type(Class::Symbol(class), _) = value else {
            return None;
        };
        let inherits = inherits(eval, *class);
        match first {
            None => first = Some((value, *certainty)),
            Some((Value::Type(Class::Symbol(known), _), _))
                if inherits && !self::inherits(eval, *known) =>
            {
                first = Some((value, *certainty));
            }
            Some(_) => {}
        }
    }
    first
}

fn inherits(eval: &Eval<'_>, class: SymRef) -> bool {
    let unit = eval.world.unit(class.file);
    unit.is_some_and(|unit| unit.bases(class.symbol).next().is_some())
}
