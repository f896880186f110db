//! What values are: expressions of code.

mod callee;
mod parts;
mod results;

use super::super::Certainty;
use super::super::value::{FileId, SymRef};
use super::names::{Def, Ns};
use super::ty::{Ty, merge};
use super::{Linker, known};
use crate::facts::{Bound as Bind, Expr, ExprId, List, NameId, ScopeId, SymbolKind};
pub(super) use callee::Callee;
use std::sync::Arc;

/// How many alternatives are looked at.
const ALTERNATIVES: usize = 4;

impl<'w> Linker<'w> {
    fn at(&self, file: FileId, expr: ExprId) -> Expr {
        let known = self
            .unit(file)
            .and_then(|unit| unit.facts.exprs.get(expr.index()));
        known.copied().unwrap_or(Expr::Unknown)
    }

    /// What the value of an expression is.
    pub(super) fn value(&mut self, file: FileId, scope: ScopeId, expr: ExprId) -> (Ty, Certainty) {
        let key = (file, scope, expr);
        if let Some(known) = self.values.get(&key) {
            return known.clone();
        }
        if !self.active.insert(key) {
            return (Ty::Unknown, Certainty::Inferred);
        }
        if !self.step() {
            self.active.remove(&key);
            return (Ty::Unknown, Certainty::Inferred);
        }
        let within = self.within.replace((file, scope));
        let (found, certainty) = self.value_of(file, scope, expr);
        let found = self.settle(found);
        self.within = within;
        self.leave();
        self.active.remove(&key);
        self.values.insert(key, (found.clone(), certainty));
        (found, certainty)
    }

    fn value_of(&mut self, file: FileId, scope: ScopeId, expr: ExprId) -> (Ty, Certainty) {
        use Certainty::{Exact, Inferred, Typed};
        let outside = |name: &str| (Ty::outside(name, []), Typed);
        match self.at(file, expr) {
            Expr::This | Expr::SelfType => (self.self_ty(file, scope), Typed),
            Expr::Name(_) | Expr::Path(..) => self.named_value(file, scope, expr),
            Expr::Generic(of, list) => {
                let (ty, certainty) = self.value(file, scope, of);
                if let Ty::Item(symbol, subst) = &ty
                    && let Some(function) = self.symbol(*symbol).and_then(|facts| facts.function)
                {
                    let args: Vec<Ty> = self
                        .list(file, list)
                        .iter()
                        .map(|of| self.ty(file, scope, *of))
                        .collect();
                    let mut subst = (**subst).clone();
                    self.turbofish(symbol.file, function, &args, &mut subst);
                    return (Ty::Item(*symbol, Arc::new(subst)), certainty);
                }
                (ty, certainty)
            }
            Expr::Member(of, name) => self.field(file, scope, of, name),
            Expr::Call(callee, args) => self.call(file, scope, callee, args),
            Expr::New(of, fields) => (self.made(file, scope, of, fields), Typed),
            Expr::Literal(name) => outside(self.text(file, name)),
            Expr::Str(_) => outside("str"),
            Expr::Int(_) => outside("int"),
            Expr::Instance(of) => (self.ty(file, scope, of), Typed),
            Expr::Closure(function) => (Ty::Closure(file, function, Arc::default()), Exact),
            Expr::Tuple(list) => {
                let mut certainty = Exact;
                let mut parts = Vec::new();
                for of in self.list(file, list) {
                    let (ty, c) = self.value(file, scope, *of);
                    certainty = certainty.max(c);
                    parts.push(ty);
                }
                (Ty::Tuple(parts.into()), certainty)
            }
            Expr::Array(list) => {
                let mut element = Ty::Unknown;
                let mut certainty = Exact;
                for of in self.list(file, list).iter().take(ALTERNATIVES) {
                    let (ty, c) = self.value(file, scope, *of);
                    element = merge(&element, &ty);
                    certainty = certainty.max(c);
                }
                (Ty::outside("Vec", [element]), certainty)
            }
            Expr::Union(list) => {
                let mut found = (Ty::Unknown, Exact);
                for of in self.list(file, list).iter().take(ALTERNATIVES) {
                    let (ty, certainty) = self.value(file, scope, *of);
                    let all = merge(&found.0, &ty);
                    if all != found.0 {
                        found.1 = found.1.max(certainty);
                    }
                    found.0 = all;
                }
                found
            }
            Expr::Element(of) => {
                let (ty, certainty) = self.value(file, scope, of);
                (self.element(&ty), certainty)
            }
            Expr::Index(of, key) => {
                let (ty, certainty) = self.value(file, scope, of);
                (self.indexed(file, scope, &ty, key), certainty)
            }
            Expr::Part(of, at) => self.part(file, scope, of, at),
            Expr::Variant(of, _) => self.value(file, scope, of),
            Expr::Await(of) => {
                let (ty, _) = self.value(file, scope, of);
                (self.awaited(&ty), Inferred)
            }
            Expr::Unwrap(of) => {
                let (ty, certainty) = self.value(file, scope, of);
                match &ty {
                    Ty::Outside(name, _) if matches!(&**name, "Option" | "Result" | "Poll") => {
                        (ty.arg(0), certainty)
                    }
                    _ if ty.is_foreign() => (ty, certainty),
                    _ => (Ty::Unknown, certainty),
                }
            }
            Expr::Reference(of) => self.value(file, scope, of),
            Expr::Operator(name, of) => {
                let (ty, certainty) = self.value(file, scope, of);
                (self.operated(&ty, self.text(file, name)), certainty)
            }
            Expr::Passed(call, param) => self.passed(file, scope, call, param),
            _ => (Ty::Unknown, Inferred),
        }
    }

    fn named_value(&mut self, file: FileId, scope: ScopeId, expr: ExprId) -> (Ty, Certainty) {
        for def in self.def(file, scope, expr, Ns::Value) {
            match def {
                Def::Local(file, scope, name) => return self.local(file, scope, name),
                Def::Symbol(symbol) => return (self.symbol_value(symbol), Certainty::Typed),
                Def::Outside(path) if path.ends_with("None") => {
                    return (Ty::outside("Option", [Ty::Unknown]), Certainty::Typed);
                }
                Def::Outside(path) if known::is_foreign(&path) => {
                    return (Ty::foreign(), Certainty::Typed);
                }
                _ => {}
            }
        }
        if let Expr::Path(..) = self.at(file, expr)
            && let Callee::Functions(found, certainty, _) = self.callee(file, scope, expr, &[])
            && let Some(found) = found.first()
        {
            if self
                .symbol(found.symbol)
                .is_some_and(|s| s.kind == SymbolKind::Constant)
            {
                let ty = self.symbol_value(found.symbol);
                return (found.subst.apply(&ty), certainty);
            }
            return (
                Ty::Item(found.symbol, Arc::new(found.subst.clone())),
                certainty,
            );
        }
        (Ty::Unknown, Certainty::Inferred)
    }

    fn symbol_value(&mut self, symbol: SymRef) -> Ty {
        let Some(facts) = self.symbol(symbol) else {
            return Ty::Unknown;
        };
        match facts.kind {
            SymbolKind::Constant | SymbolKind::Variable => match facts.declared {
                Some(declared) => self.ty(symbol.file, facts.scope, declared),
                None => Ty::Unknown,
            },
            SymbolKind::Function | SymbolKind::Method => Ty::Item(symbol, Arc::default()),
            SymbolKind::EnumMember => match self.owner(symbol) {
                Some(owner) if self.is_tuple(symbol) => {
                    let _ = owner;
                    Ty::Item(symbol, Arc::default())
                }
                Some(owner) => self.open_type(owner),
                None => Ty::Unknown,
            },
            SymbolKind::Struct if self.is_tuple(symbol) => Ty::Item(symbol, Arc::default()),
            SymbolKind::Struct => self.open_type(symbol),
            _ => Ty::Unknown,
        }
    }

    /// Whether a struct or variant has fields without names.
    fn is_tuple(&self, symbol: SymRef) -> bool {
        let zero = self.world.atom("0");
        let members = self.symbol(symbol).and_then(|facts| facts.members);
        let (Some(members), Some(unit)) = (members, self.unit(symbol.file)) else {
            return false;
        };
        let name = unit.name(zero);
        name.is_some_and(|name| !unit.facts.bindings_of(members, name).is_empty())
    }

    /// A struct or enum of which no type argument is known.
    pub(super) fn open_type(&mut self, symbol: SymRef) -> Ty {
        let params = self.params_of(symbol);
        Ty::Adt(symbol, params.iter().map(|_| Ty::Unknown).collect())
    }

    fn local(&mut self, file: FileId, scope: ScopeId, name: NameId) -> (Ty, Certainty) {
        let Some(unit) = self.unit(file) else {
            return (Ty::Unknown, Certainty::Inferred);
        };
        let mut found = (Ty::Unknown, Certainty::Exact);
        for binding in unit
            .facts
            .bindings_of(scope, name)
            .iter()
            .take(ALTERNATIVES)
        {
            let (ty, certainty) = match binding.bound {
                Bind::Declared(of) => (self.ty(file, binding.env, of), Certainty::Typed),
                Bind::Value(of) => self.value(file, binding.env, of),
                _ => continue,
            };
            let all = merge(&found.0, &ty);
            if all != found.0 {
                found.1 = found.1.max(certainty);
            }
            found.0 = all;
        }
        found
    }

    /// The types of arguments.
    pub(super) fn arguments(&mut self, file: FileId, scope: ScopeId, args: List) -> Vec<Ty> {
        let list = self.list(file, args);
        list.iter()
            .map(|arg| self.value(file, scope, *arg).0)
            .collect()
    }
}
