//! Which function a call calls.

use super::super::methods::Found;
use super::super::names::{Def, Ns};
use super::super::ty::{Subst, Ty};
use super::super::{Linker, known};
use super::ALTERNATIVES;
use crate::facts::{Expr, ExprId, NameId, ScopeId, SymbolKind};
use crate::link::Certainty;
use crate::link::value::{FileId, SymRef};
use std::sync::Arc;

/// What is called.
#[derive(Debug, Clone)]
pub(in crate::link::rust) enum Callee {
    /// Functions of the checkout, and what the receiver is, where there is one.
    Functions(Vec<Found>, Certainty, Option<Ty>),
    /// A tuple struct or variant.
    Constructor(SymRef, Certainty),
    /// A method of something outside.
    Method(Ty, Arc<str>),
    /// A function outside, by its path; with the type that it belongs to.
    Path(Arc<str>, Vec<Ty>),
    /// A value that can be called.
    Value(Ty, Certainty),
    /// Nothing is known.
    Unknown,
}

impl Linker<'_> {
    /// The type that a path in an expression goes through; type arguments that are not written are
    /// open.
    pub(in crate::link::rust) fn path_type(
        &mut self,
        file: FileId,
        scope: ScopeId,
        of: ExprId,
    ) -> Ty {
        match self.at(file, of) {
            Expr::Name(_) | Expr::Path(..) => {
                let mut twins = Vec::new();
                for def in self
                    .def(file, scope, of, Ns::Type)
                    .into_iter()
                    .take(ALTERNATIVES)
                {
                    if let Def::Symbol(symbol) = def {
                        match self.symbol(symbol).map(|facts| facts.kind) {
                            Some(SymbolKind::Struct | SymbolKind::Enum) => {
                                twins.push(self.open_type(symbol));
                            }
                            Some(SymbolKind::EnumMember) => {
                                if let Some(owner) = self.owner(symbol) {
                                    return self.open_type(owner);
                                }
                            }
                            _ => {}
                        }
                    }
                }
                match twins.is_empty() {
                    true => self.ty(file, scope, of),
                    false => Ty::one_of(twins),
                }
            }
            _ => self.ty(file, scope, of),
        }
    }

    /// What is called by an expression. `args` may tell which of several it is.
    pub(in crate::link::rust) fn callee(
        &mut self,
        file: FileId,
        scope: ScopeId,
        expr: ExprId,
        args: &[Ty],
    ) -> Callee {
        match self.at(file, expr) {
            Expr::Generic(of, _) => self.callee(file, scope, of, args),
            Expr::Member(of, name) => self.method_callee(file, scope, of, name, args),
            Expr::Name(_) | Expr::Path(..) => self.path_callee(file, scope, expr, args),
            Expr::Unknown => Callee::Unknown,
            _ => {
                let (ty, certainty) = self.value(file, scope, expr);
                Callee::Value(ty, certainty)
            }
        }
    }

    fn method_callee(
        &mut self,
        file: FileId,
        scope: ScopeId,
        of: ExprId,
        name: NameId,
        args: &[Ty],
    ) -> Callee {
        let (ty, certainty) = self.value(file, scope, of);
        let atom = self.atom(file, name);
        let text = self.text(file, name);
        let within = self.within.replace((file, scope));
        let found = self.method(&ty, atom);
        self.within = within;
        let mut found: Vec<Found> = found
            .iter()
            .filter(|found| self.has_receiver(found.symbol))
            .cloned()
            .collect();
        self.only_fitting(&mut found, args, false);
        if !found.is_empty() {
            return Callee::Functions(found, certainty.max(Certainty::Typed), Some(ty));
        }
        match &ty {
            Ty::Unknown => Callee::Unknown,
            ty if ty.is_undeclared() => Callee::Unknown,
            Ty::Projection(..) | Ty::Param(..) if self.bounds(&ty).is_empty() => {
                Callee::Method(ty, text.into())
            }
            _ => Callee::Method(ty, text.into()),
        }
    }

    fn path_callee(&mut self, file: FileId, scope: ScopeId, expr: ExprId, args: &[Ty]) -> Callee {
        let mut functions = Vec::new();
        for def in self.def(file, scope, expr, Ns::Value) {
            match def {
                Def::Symbol(symbol) => match self.symbol(symbol).map(|facts| facts.kind) {
                    Some(SymbolKind::Function | SymbolKind::Method) => functions.push(Found {
                        symbol,
                        subst: Subst::default(),
                        by_trait: false,
                    }),
                    Some(SymbolKind::Struct | SymbolKind::EnumMember) => {
                        return Callee::Constructor(symbol, Certainty::Exact);
                    }
                    Some(SymbolKind::Constant | SymbolKind::Variable) => {
                        return Callee::Value(self.symbol_value(symbol), Certainty::Typed);
                    }
                    _ => {}
                },
                Def::Local(file, scope, name) => {
                    let (ty, certainty) = self.local(file, scope, name);
                    return Callee::Value(ty, certainty);
                }
                Def::Outside(path) => {
                    if let Expr::Path(of, name) = self.at(file, expr)
                        && of_a_type(&path)
                        && let Some(found) = self.of_type(file, scope, of, name, args)
                    {
                        return match found {
                            Callee::Path(_, held) => Callee::Path(path, held),
                            found => found,
                        };
                    }
                    return Callee::Path(path, Vec::new());
                }
                _ => {}
            }
        }
        if !functions.is_empty() {
            return Callee::Functions(functions, Certainty::Exact, None);
        }
        match self.at(file, expr) {
            Expr::Path(of, name) => self
                .of_type(file, scope, of, name, args)
                .unwrap_or(Callee::Unknown),
            _ => Callee::Unknown,
        }
    }

    /// `of::name`, where `of` is a type or trait.
    fn of_type(
        &mut self,
        file: FileId,
        scope: ScopeId,
        of: ExprId,
        name: NameId,
        args: &[Ty],
    ) -> Option<Callee> {
        let atom = self.atom(file, name);
        let text = self.text(file, name);
        let by_self = matches!(self.at(file, of), Expr::SelfType);
        let (ty, of_trait) = match self.at(file, of) {
            Expr::Qualified(ty, bound) => {
                let ty = self.ty(file, scope, ty);
                let bounds = match self.ty(file, scope, bound) {
                    Ty::Any(bounds) => bounds.to_vec(),
                    _ => Vec::new(),
                };
                (ty, bounds.first().cloned())
            }
            _ => match self.path_type(file, scope, of) {
                // `Trait::method(x)`: what the first argument has.
                Ty::Any(bounds) if bounds.iter().any(|bound| bound.of.is_some()) => {
                    let receiver = args.first().cloned().unwrap_or(Ty::Unknown);
                    (receiver, bounds.first().cloned())
                }
                Ty::Any(bounds) => {
                    let name = bounds.first()?.name.clone();
                    return Some(Callee::Path(format!("{name}::{text}").into(), Vec::new()));
                }
                ty => (ty, None),
            },
        };
        if let Ty::Outside(name, held) = &ty
            && !ty.is_undeclared()
        {
            // What the type has of its own, and conversions of which nothing tells the trait's.
            let path = format!("{name}::{text}");
            let unsure = matches!(text, "from" | "try_from" | "from_iter")
                && args
                    .first()
                    .is_none_or(|arg| arg.is_unknown() || arg.is_foreign());
            if unsure || !known::function(&path, args, held).is_unknown() && text != "from" {
                return Some(Callee::Path(path.into(), held.to_vec()));
            }
        }
        let within = self.within.replace((file, scope));
        let mut found: Vec<Found> = self.methods_at(&ty, atom).to_vec();
        if let Some(bound) = &of_trait {
            let Some(of) = bound.of else {
                self.within = within;
                return Some(Callee::Path(
                    format!("{}::{text}", bound.name).into(),
                    vec![ty],
                ));
            };
            found.retain(|found| found.by_trait);
            if found.is_empty() {
                // The trait's own, when nothing is known of the type.
                let of_self = self.methods_at(&Ty::SelfOf(of), atom);
                found = of_self.to_vec();
            }
        }
        if found.is_empty()
            && let Ty::Adt(symbol, _) = &ty
        {
            // A variant through `Self::` or another name of the enum.
            for def in self.variant(*symbol, atom) {
                if let Def::Symbol(symbol) = def
                    && self
                        .symbol(symbol)
                        .is_some_and(|s| s.kind == SymbolKind::EnumMember)
                {
                    self.within = within;
                    return Some(Callee::Constructor(symbol, Certainty::Typed));
                }
            }
        }
        self.within = within;
        self.only_fitting(&mut found, args, true);
        if !found.is_empty() {
            let by_trait = found.iter().any(|found| found.by_trait);
            let certainty = if by_self || by_trait || of_trait.is_some() {
                Certainty::Typed
            } else {
                Certainty::Exact
            };
            return Some(Callee::Functions(found, certainty, Some(ty)));
        }
        match &ty {
            Ty::Unknown => None,
            ty if ty.is_undeclared() => None,
            Ty::Outside(name, args) => Some(Callee::Path(
                format!("{name}::{text}").into(),
                args.to_vec(),
            )),
            _ => Some(Callee::Method(ty, text.into())),
        }
    }

    /// Of several functions of one name, those whose parameters can be what is passed.
    fn only_fitting(&mut self, found: &mut Vec<Found>, args: &[Ty], by_path: bool) {
        if found.len() < 2 || args.is_empty() {
            return;
        }
        let mut fitting = Vec::new();
        for one in found.iter() {
            let Some(function) = self.symbol(one.symbol).and_then(|facts| facts.function) else {
                continue;
            };
            let skip = usize::from(by_path && self.has_receiver(one.symbol));
            let fits = args.iter().skip(skip).enumerate().all(|(at, actual)| {
                let pattern = self.parameter_of(one.symbol.file, function, at);
                let pattern = one.subst.apply(&pattern);
                self.unify(&pattern, actual, &mut Subst::default())
            });
            if fits {
                fitting.push(one.clone());
            }
        }
        if !fitting.is_empty() {
            *found = fitting;
        }
    }
}

/// Whether the last name of a path belongs to a type.
fn of_a_type(path: &str) -> bool {
    let of = path.rsplit("::").nth(1).unwrap_or_default();
    of.starts_with(char::is_uppercase)
        || matches!(
            of,
            "u8" | "u16"
                | "u32"
                | "u64"
                | "u128"
                | "usize"
                | "i8"
                | "i16"
                | "i32"
                | "i64"
                | "i128"
                | "isize"
                | "f32"
                | "f64"
                | "str"
                | "char"
                | "bool"
        )
}
