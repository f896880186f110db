//! The parts of values: fields, elements, what operators give.

use super::super::names::{Def, Ns};
use super::super::ty::{Hole, Subst, Ty, merge};
use super::super::{Linker, known};
use crate::facts::{Bound as Bind, Expr, ExprId, NameId, ScopeId, SymbolKind};
use crate::link::Certainty;
use crate::link::value::{FileId, SymRef};

impl Linker<'_> {
    /// `of.name`, a field.
    pub(super) fn field(
        &mut self,
        file: FileId,
        scope: ScopeId,
        of: ExprId,
        name: NameId,
    ) -> (Ty, Certainty) {
        let text = self.text(file, name);
        if let Expr::Variant(value, path) = self.at(file, of) {
            let (ty, certainty) = self.value(file, scope, value);
            return (self.variant_field(file, scope, &ty, path, text), certainty);
        }
        let (ty, certainty) = self.value(file, scope, of);
        (self.field_of(&ty, text), certainty)
    }

    /// The field of a value, dereferenced as often as it takes.
    fn field_of(&mut self, ty: &Ty, name: &str) -> Ty {
        if let Ty::OneOf(any) = ty {
            let known: Vec<Ty> = any.iter().map(|one| self.field_of(one, name)).collect();
            return Ty::one_of(known);
        }
        let mut at = ty.clone();
        for _ in 0..8 {
            match &at {
                Ty::Tuple(parts) => {
                    let part = name.parse::<usize>().ok().and_then(|n| parts.get(n));
                    return part.cloned().unwrap_or(Ty::Unknown);
                }
                Ty::Adt(symbol, _) => {
                    let found = self.own_field(*symbol, &at, name);
                    if let Some(found) = found {
                        return found;
                    }
                }
                _ => {}
            }
            match self.deref(&at) {
                Some(next) if next != at => at = next,
                _ => return Ty::Unknown,
            }
        }
        Ty::Unknown
    }

    /// A field that a struct, union or variant declares, as an instance `of` its type has it.
    pub(super) fn own_field(&mut self, symbol: SymRef, of: &Ty, name: &str) -> Option<Ty> {
        self.note_member(symbol, name);
        let facts = self.symbol(symbol)?;
        let unit = self.unit(symbol.file)?;
        let members = facts.members?;
        let id = unit.name(self.world.atom(name))?;
        let mut found = None;
        for binding in unit.facts.bindings_of(members, id) {
            let ty = match binding.bound {
                Bind::Symbol(field) => {
                    let field = unit.facts.symbols.get(field.index())?;
                    self.ty(symbol.file, field.scope, field.declared?)
                }
                Bind::Declared(of) => self.ty(symbol.file, binding.env, of),
                _ => continue,
            };
            // Twins under other conditions: the first that is known.
            found = Some(match found {
                None => ty,
                Some(before) => merge(&before, &ty),
            });
        }
        let found = found?;
        let subst = self.args_of(of);
        Some(self.settle(subst.apply(&found)))
    }

    /// The type arguments of a struct or enum, for its parameters.
    fn args_of(&mut self, ty: &Ty) -> Subst {
        let mut subst = Subst::default();
        if let Ty::Adt(symbol, args) = ty {
            for ((scope, name), arg) in self.params_of(*symbol).iter().zip(args.iter()) {
                subst.put(Hole::Param(symbol.file, *scope, *name), arg.clone());
            }
        }
        subst
    }

    /// Number `at` of what unpacking a value gives.
    pub(super) fn part(
        &mut self,
        file: FileId,
        scope: ScopeId,
        of: ExprId,
        at: u16,
    ) -> (Ty, Certainty) {
        if let Expr::Variant(value, path) = self.at(file, of) {
            let (ty, certainty) = self.value(file, scope, value);
            let name = at.to_string();
            return (self.variant_field(file, scope, &ty, path, &name), certainty);
        }
        let (ty, certainty) = self.value(file, scope, of);
        let mut ty = ty;
        while let Some(inner) = self.deref(&ty).filter(|inner| *inner != ty) {
            ty = inner;
        }
        match &ty {
            Ty::Tuple(_) => (ty.arg(usize::from(at)), certainty),
            _ => (Ty::Unknown, certainty),
        }
    }

    /// A field of a value that was made by the variant or struct that a path names.
    fn variant_field(
        &mut self,
        file: FileId,
        scope: ScopeId,
        ty: &Ty,
        path: ExprId,
        field: &str,
    ) -> Ty {
        let mut defs = self.def(file, scope, path, Ns::Value);
        if defs.is_empty() {
            defs = self.def(file, scope, path, Ns::Type);
        }
        // `Self::Variant`, `Alias::Variant`, `Self { … }`.
        if defs.is_empty() {
            match self.at(file, path) {
                Expr::Path(of, name) => {
                    if let Ty::Adt(symbol, _) = self.path_type(file, scope, of) {
                        let name = self.atom(file, name);
                        defs = self.variant(symbol, name);
                    }
                }
                _ => {
                    if let Ty::Adt(symbol, _) = self.path_type(file, scope, path) {
                        defs = vec![Def::Symbol(symbol)];
                    }
                }
            }
        }
        let Some(def) = defs.into_iter().next() else {
            return Ty::Unknown;
        };
        match def {
            Def::Symbol(mut symbol) => {
                if self
                    .symbol(symbol)
                    .is_some_and(|s| s.kind == SymbolKind::TypeAlias)
                    && let Ty::Adt(target, _) = self.own_or_alias(symbol)
                {
                    symbol = target;
                }
                let owner = match self.symbol(symbol).map(|facts| facts.kind) {
                    Some(SymbolKind::EnumMember) => self.owner(symbol),
                    _ => Some(symbol),
                };
                let Some(owner) = owner else {
                    return Ty::Unknown;
                };
                // Through boxes and references to the type that the variant belongs to.
                let mut of = ty.clone();
                for _ in 0..4 {
                    if matches!(&of, Ty::Adt(symbol, _) if *symbol == owner) {
                        break;
                    }
                    match self.deref(&of) {
                        Some(next) if next != of => of = next,
                        _ => {
                            of = self.open_type(owner);
                            break;
                        }
                    }
                }
                self.own_field(symbol, &of, field).unwrap_or(Ty::Unknown)
            }
            Def::Outside(path) => {
                let mut ty = ty.clone();
                while let Ty::Outside(name, args) = &ty
                    && let Some(inner) = known::deref(name, args)
                {
                    ty = inner;
                }
                let Ty::Outside(name, _) = &ty else {
                    return Ty::Unknown;
                };
                let last = path.rsplit("::").next().unwrap_or_default();
                match (&**name, last) {
                    ("Option", "Some") | ("Result", "Ok") | ("Poll", "Ready") => ty.arg(0),
                    ("Result", "Err") => ty.arg(1),
                    ("Entry", "Occupied" | "Vacant") => ty.clone(),
                    _ => Ty::Unknown,
                }
            }
            _ => Ty::Unknown,
        }
    }

    fn own_or_alias(&mut self, symbol: SymRef) -> Ty {
        let Some(facts) = self.symbol(symbol) else {
            return Ty::Unknown;
        };
        match facts.declared {
            Some(declared) => self.ty(symbol.file, facts.scope, declared),
            None => self.own_type(symbol),
        }
    }

    pub(super) fn indexed(&mut self, file: FileId, scope: ScopeId, ty: &Ty, key: ExprId) -> Ty {
        let (key, _) = self.value(file, scope, key);
        let range = matches!(&key, Ty::Outside(name, _) if &**name == "Range");
        let mut at = ty.clone();
        for _ in 0..6 {
            match &at {
                Ty::Outside(name, args) => match &**name {
                    "HashMap" | "BTreeMap" | "IndexMap" => return at.arg(1),
                    "[]" | "Vec" | "VecDeque" | "bytes" | "collected" | "SmallVec" => {
                        return if range {
                            at.clone()
                        } else {
                            known::element(name, args).unwrap_or(Ty::Unknown)
                        };
                    }
                    "str" | "String" => return Ty::outside("str", []),
                    _ => {}
                },
                Ty::Adt(..) => {
                    let output = self.associated_in(&at, "Output", &["Index"]);
                    if !output.is_unknown() {
                        return output;
                    }
                }
                _ => {}
            }
            match self.deref(&at) {
                Some(next) if next != at => at = next,
                _ => return Ty::Unknown,
            }
        }
        Ty::Unknown
    }

    pub(super) fn operated(&mut self, ty: &Ty, operator: &str) -> Ty {
        let of = match operator {
            "+" => "Add",
            "-" => "Sub",
            "*" => "Mul",
            "/" => "Div",
            "%" => "Rem",
            "|" => "BitOr",
            "&" => "BitAnd",
            "^" => "BitXor",
            "<<" => "Shl",
            ">>" => "Shr",
            "!" => "Not",
            "**" => {
                return match ty {
                    Ty::Outside(name, _) if known::is_pointer(name) => {
                        self.deref(ty).unwrap_or(Ty::Unknown)
                    }
                    _ => ty.clone(),
                };
            }
            _ => return ty.clone(),
        };
        match ty {
            Ty::Adt(..) => {
                let output = self.associated_in(ty, "Output", &[of]);
                if output.is_unknown() {
                    ty.clone()
                } else {
                    output
                }
            }
            _ => ty.clone(),
        }
    }
}
