//! What calls give.

use super::super::methods::Found;
use super::super::names::{Def, Ns};
use super::super::ty::{Hole, Subst, Ty, merge};
use super::super::{Linker, known};
use super::ALTERNATIVES;
use super::callee::Callee;
use crate::facts::{Expr, ExprId, Flags, FunctionId, List, NameId, ScopeId, SymbolKind};
use crate::link::Certainty;
use crate::link::value::{FileId, SymRef};
use std::sync::Arc;

impl Linker<'_> {
    pub(super) fn call(
        &mut self,
        file: FileId,
        scope: ScopeId,
        callee: ExprId,
        args: List,
    ) -> (Ty, Certainty) {
        if let Expr::Literal(name) = self.at(file, callee)
            && self.text(file, name) == "async"
        {
            let args = self.arguments(file, scope, args);
            return (Ty::outside("Future", args), Certainty::Inferred);
        }
        let args = self.arguments(file, scope, args);
        let generic: Vec<Ty> = match self.at(file, callee) {
            Expr::Generic(_, list) => {
                let list = self.list(file, list);
                list.iter().map(|of| self.ty(file, scope, *of)).collect()
            }
            _ => Vec::new(),
        };
        match self.callee(file, scope, callee, &args) {
            Callee::Functions(found, certainty, receiver) => {
                let by_path = !matches!(self.at(file, self.bare(file, callee)), Expr::Member(..));
                let ty = self.result(&found, receiver.as_ref(), &args, &generic, by_path);
                let _ = certainty;
                (ty, Certainty::Inferred)
            }
            Callee::Constructor(symbol, certainty) => (
                self.constructed(symbol, &args),
                certainty.max(Certainty::Typed),
            ),
            Callee::Method(receiver, name) => (
                self.known_result(&receiver, &name, &args, &generic),
                Certainty::Inferred,
            ),
            Callee::Path(path, of) => {
                let mut ty = self.outside_result(&path, &args, &of);
                if ty.is_unknown() && known::is_foreign(&path) {
                    ty = Ty::foreign();
                }
                (ty, Certainty::Inferred)
            }
            Callee::Value(ty, certainty) => {
                let (ty, _) = self.called(&ty, &args);
                (ty, certainty.max(Certainty::Inferred))
            }
            Callee::Unknown => (Ty::Unknown, Certainty::Inferred),
        }
    }

    /// An expression without type arguments.
    fn bare(&self, file: FileId, expr: ExprId) -> ExprId {
        match self.at(file, expr) {
            Expr::Generic(of, _) => of,
            _ => expr,
        }
    }

    /// What calling functions gives: the first result that is known.
    fn result(
        &mut self,
        found: &[Found],
        receiver: Option<&Ty>,
        args: &[Ty],
        generic: &[Ty],
        by_path: bool,
    ) -> Ty {
        let mut all = Ty::Unknown;
        for one in found.iter().take(ALTERNATIVES) {
            let Some(facts) = self.symbol(one.symbol) else {
                continue;
            };
            let Some(function) = facts.function else {
                continue;
            };
            let file = one.symbol.file;
            let mut subst = one.subst.clone();
            self.turbofish(file, function, generic, &mut subst);
            let mut args = args;
            if by_path && self.has_receiver(one.symbol) {
                // `Type::method(receiver, …)`.
                if let Some((first, rest)) = args.split_first() {
                    if let Some(Ty::Adt(..)) = receiver
                        && let Some(target) = self.target_of(one.symbol)
                    {
                        self.unify(&target, first, &mut subst);
                    }
                    args = rest;
                }
            }
            self.infer(file, function, args, &mut subst);
            let Some(result) = self.result_of(file, function) else {
                continue;
            };
            let mut ty = self.settle(Self::closed(&result, &subst));
            if facts.flags.has(Flags::ASYNC) {
                ty = Ty::outside("Future", [ty]);
            }
            all = merge(&all, &ty);
        }
        all
    }

    /// The target of the `impl` block that a function stands in.
    fn target_of(&mut self, symbol: SymRef) -> Option<Ty> {
        let facts = self.symbol(symbol)?;
        let at = self.unit(symbol.file)?.extension_of(facts.scope)?;
        Some(self.implementation(symbol.file, at).target.clone())
    }

    /// What a tuple struct or variant makes.
    fn constructed(&mut self, symbol: SymRef, args: &[Ty]) -> Ty {
        let owner = match self.symbol(symbol).map(|facts| facts.kind) {
            Some(SymbolKind::EnumMember) => self.owner(symbol),
            _ => Some(symbol),
        };
        let Some(owner) = owner else {
            return Ty::Unknown;
        };
        let fields: Vec<(String, Ty)> = args
            .iter()
            .enumerate()
            .map(|(at, ty)| (at.to_string(), ty.clone()))
            .collect();
        self.filled(symbol, owner, &fields)
    }

    /// An instance of a type, its type arguments told by what its fields get.
    fn filled(&mut self, symbol: SymRef, owner: SymRef, fields: &[(String, Ty)]) -> Ty {
        let params = self.params_of(owner);
        if params.is_empty() {
            return Ty::Adt(owner, Arc::from([]));
        }
        let own = self.own_type(owner);
        let mut subst = Subst::default();
        for (name, actual) in fields {
            if let Some(pattern) = self.own_field(symbol, &own, name) {
                let mut learned = Subst::default();
                self.unify(&pattern, actual, &mut learned);
                subst = subst.and(&learned);
            }
        }
        let arg = |(scope, name): &(ScopeId, NameId)| {
            let known = subst.get(Hole::Param(owner.file, *scope, *name));
            known.cloned().unwrap_or(Ty::Unknown)
        };
        Ty::Adt(owner, params.iter().map(arg).collect())
    }

    /// `of { … }`
    pub(super) fn made(&mut self, file: FileId, scope: ScopeId, of: ExprId, fields: List) -> Ty {
        if let Expr::Literal(name) = self.at(file, of) {
            let args = self.arguments(file, scope, fields);
            return Ty::outside(self.text(file, name), args.into_iter().take(1));
        }
        let mut symbol = None;
        for def in self.def(file, scope, of, Ns::Type) {
            if let Def::Symbol(found) = def {
                symbol = Some(found);
                break;
            }
        }
        let kind = symbol.and_then(|symbol| Some(self.symbol(symbol)?.kind));
        let declared = match (symbol, kind) {
            (Some(_), Some(SymbolKind::Struct | SymbolKind::EnumMember)) => None,
            _ => Some(self.path_type(file, scope, of)),
        };
        let (symbol, owner) = match (declared, symbol) {
            (None, Some(symbol)) => {
                let owner = match kind {
                    Some(SymbolKind::EnumMember) => self.owner(symbol),
                    _ => Some(symbol),
                };
                match owner {
                    Some(owner) => (symbol, owner),
                    None => return Ty::Unknown,
                }
            }
            (Some(Ty::Adt(symbol, args)), _) => {
                if args.iter().all(|arg| !arg.is_unknown()) {
                    return Ty::Adt(symbol, args);
                }
                (symbol, symbol)
            }
            (Some(other), _) => return other,
            _ => return Ty::Unknown,
        };
        if self.params_of(owner).is_empty() {
            return Ty::Adt(owner, Arc::from([]));
        }
        let mut known = Vec::new();
        for field in self.list(file, fields) {
            if let Expr::Keyword(name, value) = self.at(file, *field) {
                let (ty, _) = self.value(file, scope, value);
                known.push((self.text(file, name).to_owned(), ty));
            }
        }
        self.filled(symbol, owner, &known)
    }

    /// What a method of something that is not in the checkout gives.
    fn known_result(&mut self, receiver: &Ty, name: &str, args: &[Ty], generic: &[Ty]) -> Ty {
        let mut at = receiver.clone();
        for _ in 0..6 {
            // `T: Into<U>`
            let wanted = match name {
                "into" => "Into",
                "as_ref" => "AsRef",
                "borrow" => "Borrow",
                _ => "",
            };
            if !wanted.is_empty() {
                let bounds = self.bounds(&at);
                let said = bounds.iter().find(|bound| &*bound.name == wanted);
                if let Some(into) = said.and_then(|bound| bound.args.first()) {
                    return into.clone();
                }
            }
            let found = self.known_at(&at, name, args);
            if !found.is_unknown() {
                if let (Ty::Outside(of, items), [collection]) = (&found, generic)
                    && &**of == "collected"
                {
                    return merge(collection, &Ty::Outside(of.clone(), items.clone()));
                }
                return found;
            }
            if let (true, [ty]) = (
                matches!(name, "parse" | "sum" | "product" | "into"),
                generic,
            ) {
                return match name {
                    "parse" => Ty::outside("Result", [ty.clone(), Ty::Unknown]),
                    _ => ty.clone(),
                };
            }
            match self.deref(&at) {
                Some(next) if next != at => at = next,
                _ => break,
            }
        }
        match &at {
            // What methods of types of other crates give is of other crates too.
            Ty::Outside(of, _) if !known::is_std(of) && !at.is_undeclared() => Ty::foreign(),
            _ => Ty::Unknown,
        }
    }

    fn known_at(&mut self, receiver: &Ty, name: &str, args: &[Ty]) -> Ty {
        let iterates = match receiver {
            Ty::Adt(..) | Ty::Any(_) | Ty::Param(..) | Ty::SelfOf(_) | Ty::Projection(..) => {
                !matches!(
                    name,
                    "clone" | "as_ref" | "as_mut" | "borrow" | "borrow_mut" | "to_owned"
                )
            }
            _ => false,
        };
        if iterates {
            let item = self.element(receiver);
            if !matches!(item, Ty::Unknown) {
                let iter = Ty::outside("Iter", [item]);
                let found = self.known_of(&iter, name, args);
                if !found.is_unknown() {
                    return found;
                }
            }
        }
        self.known_of(receiver, name, args)
    }

    fn known_of(&mut self, receiver: &Ty, name: &str, args: &[Ty]) -> Ty {
        // Results of closures are wanted only where a method is known to give them on.
        let mut results: Vec<Option<Ty>> = Vec::new();
        for arg in args {
            results.push(match arg {
                Ty::Closure(..) | Ty::Item(..) | Ty::Any(_) | Ty::Param(..) => {
                    Some(self.called(arg, &[]).0)
                }
                _ => None,
            });
        }
        let mut elements: Vec<Ty> = Vec::new();
        for arg in args {
            elements.push(self.element(arg));
        }
        let flat: Vec<Ty> = results.iter().flatten().cloned().collect();
        let mut inner: Vec<(Ty, Ty)> = Vec::new();
        for ty in flat.iter().chain([receiver.arg(0)].iter()) {
            let element = self.element(ty);
            inner.push((ty.clone(), element));
        }
        let mut call = |arg: &Ty| {
            let at = args.iter().position(|known| known == arg);
            let found = at.and_then(|at| results.get(at).cloned().flatten());
            found.unwrap_or(Ty::Unknown)
        };
        let mut element = |ty: &Ty| {
            let at = args.iter().position(|known| known == ty);
            if let Some(found) = at.and_then(|at| elements.get(at)) {
                return found.clone();
            }
            let found = inner.iter().find(|(known, _)| known == ty);
            found.map_or(Ty::Unknown, |(_, element)| element.clone())
        };
        known::method(receiver, name, args, &mut call, &mut element)
    }

    fn outside_result(&mut self, path: &str, args: &[Ty], of: &[Ty]) -> Ty {
        let last = path.rsplit("::").next().unwrap_or_default();
        match (last, of.first()) {
            // `<T as Default>::default()`, `T::from(…)` of something of the checkout.
            ("default" | "from" | "from_iter", Some(ty))
                if path.starts_with("Default") || path.starts_with("From") =>
            {
                ty.clone()
            }
            _ => known::function(path, args, of),
        }
    }

    /// What calling a value gives.
    pub(in crate::link::rust) fn called(&mut self, ty: &Ty, args: &[Ty]) -> (Ty, Certainty) {
        if !self.step() {
            return (Ty::Unknown, Certainty::Inferred);
        }
        let found = self.called_now(ty, args);
        self.leave();
        (found, Certainty::Inferred)
    }

    fn called_now(&mut self, ty: &Ty, args: &[Ty]) -> Ty {
        match ty {
            Ty::Closure(file, function, subst) => {
                let result = match self.result_of(*file, *function) {
                    Some(result) => result,
                    None => self.returned(*file, *function),
                };
                self.settle(subst.apply(&result))
            }
            Ty::Item(symbol, subst) => {
                let Some(facts) = self.symbol(*symbol) else {
                    return Ty::Unknown;
                };
                if matches!(facts.kind, SymbolKind::Struct | SymbolKind::EnumMember) {
                    return self.constructed(*symbol, args);
                }
                let found = Found {
                    symbol: *symbol,
                    subst: (**subst).clone(),
                    by_trait: false,
                };
                self.result(&[found], None, args, &[], true)
            }
            Ty::Any(_) | Ty::Param(..) | Ty::Projection(..) => {
                let bounds = self.bounds(ty);
                let function = bounds.iter().find_map(|bound| bound.function.clone());
                match function {
                    Some(function) => self.called(&function, args).0,
                    None => Ty::Unknown,
                }
            }
            Ty::Outside(name, inner) => match known::deref(name, inner) {
                Some(inner) if inner != *ty => self.called(&inner, args).0,
                _ => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }

    /// What a closure gives by its body.
    fn returned(&mut self, file: FileId, function: FunctionId) -> Ty {
        let Some(facts) = self
            .unit(file)
            .and_then(|u| u.facts.functions.get(function.index()))
        else {
            return Ty::Unknown;
        };
        match facts.returns.first() {
            Some(of) => self.value(file, facts.scope, *of).0,
            None => Ty::Unknown,
        }
    }

    /// What the callee of a call hands to a closure that is its next argument.
    pub(super) fn passed(
        &mut self,
        file: FileId,
        scope: ScopeId,
        call: ExprId,
        param: u16,
    ) -> (Ty, Certainty) {
        let Expr::Call(callee, list) = self.at(file, call) else {
            return (Ty::Unknown, Certainty::Inferred);
        };
        let args = self.arguments(file, scope, list);
        let next = args.len();
        match self.callee(file, scope, callee, &args) {
            Callee::Functions(found, _, _) => {
                let by_path = !matches!(self.at(file, self.bare(file, callee)), Expr::Member(..));
                for one in found {
                    let Some(function) = self.symbol(one.symbol).and_then(|s| s.function) else {
                        continue;
                    };
                    let mut at = next;
                    let mut given = args.as_slice();
                    if by_path && self.has_receiver(one.symbol) {
                        at = at.saturating_sub(1);
                        given = given.get(1..).unwrap_or_default();
                    }
                    let mut subst = one.subst.clone();
                    self.infer(one.symbol.file, function, given, &mut subst);
                    let declared = self.parameter_of(one.symbol.file, function, at);
                    let ty = self.handed(&declared, usize::from(param), &subst);
                    if !ty.is_unknown() {
                        return (ty, Certainty::Inferred);
                    }
                }
                (Ty::Unknown, Certainty::Inferred)
            }
            Callee::Method(receiver, name) => {
                let mut at = receiver;
                for _ in 0..6 {
                    if matches!(at, Ty::Adt(..) | Ty::OneOf(_))
                        && matches!(
                            &*name,
                            "with" | "try_with" | "with_borrow" | "with_borrow_mut"
                        )
                    {
                        return (at, Certainty::Inferred);
                    }
                    let iterates = matches!(
                        at,
                        Ty::Adt(..)
                            | Ty::Any(_)
                            | Ty::Param(..)
                            | Ty::SelfOf(_)
                            | Ty::Projection(..)
                    );
                    let of = if iterates {
                        let item = self.element(&at);
                        Ty::outside("Iter", [item])
                    } else {
                        at.clone()
                    };
                    let pointer = matches!(&of, Ty::Outside(name, args) if known::deref(name, args).is_some() && &**name != "Vec");
                    if !pointer {
                        let ty = known::passed(&of, &name, next, usize::from(param), &args);
                        if !ty.is_unknown() {
                            return (ty, Certainty::Inferred);
                        }
                    }
                    match self.deref(&at) {
                        Some(next) if next != at => at = next,
                        _ => break,
                    }
                }
                (Ty::Unknown, Certainty::Inferred)
            }
            _ => (Ty::Unknown, Certainty::Inferred),
        }
    }

    /// Parameter number `param` of the function that a declared type is.
    fn handed(&mut self, declared: &Ty, param: usize, subst: &Subst) -> Ty {
        let function = match declared {
            Ty::Closure(..) => Some(declared.clone()),
            Ty::Param(..) | Ty::Any(_) | Ty::Projection(..) => {
                let bounds = self.bounds(declared);
                bounds
                    .iter()
                    .find_map(|bound| Some((*bound.function.clone()?).clone()))
            }
            Ty::Outside(_, args) => match args.first() {
                Some(Ty::Any(bounds)) => bounds
                    .iter()
                    .find_map(|bound| Some((*bound.function.clone()?).clone())),
                _ => None,
            },
            _ => None,
        };
        let Some(Ty::Closure(file, function, inner)) = function else {
            return Ty::Unknown;
        };
        let ty = self.parameter_of(file, function, param);
        let ty = inner.apply(&ty);
        self.settle(subst.apply(&ty))
    }
}
