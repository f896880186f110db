//! Type parameters: what they are in a call, by what is passed for them.

use super::super::value::FileId;
use super::Linker;
use super::ty::{Bound, Hole, Subst, Ty};
use crate::facts::FunctionId;
use std::sync::Arc;

/// How deep types are compared.
const DEPTH: usize = 8;

impl<'w> Linker<'w> {
    /// Whether `actual` can be what `pattern` describes; `subst` learns what the parameters in the
    /// pattern stand for.
    pub(super) fn unify(&mut self, pattern: &Ty, actual: &Ty, subst: &mut Subst) -> bool {
        self.unify_at(pattern, actual, subst, 0)
    }

    fn unify_at(&mut self, pattern: &Ty, actual: &Ty, subst: &mut Subst, depth: usize) -> bool {
        if depth > DEPTH {
            return true;
        }
        let next = depth + 1;
        match (pattern, actual) {
            (Ty::Param(file, scope, name), actual) => {
                subst.put(Hole::Param(*file, *scope, *name), actual.clone());
                true
            }
            (Ty::SelfOf(symbol), actual) => {
                subst.put(Hole::SelfOf(*symbol), actual.clone());
                true
            }
            (Ty::Unknown | Ty::Projection(..), _) => true,
            (_, Ty::Unknown | Ty::Projection(..)) => true,
            (Ty::OneOf(p), Ty::OneOf(q)) => {
                for (p, q) in p.iter().zip(q.iter()) {
                    self.unify_at(p, q, subst, next);
                }
                true
            }
            (Ty::OneOf(any), other) => any.iter().any(|one| self.unify_at(one, other, subst, next)),
            (other, Ty::OneOf(any)) => any.iter().any(|one| self.unify_at(other, one, subst, next)),
            (pattern, actual) if pattern.is_foreign() || actual.is_foreign() => true,
            (Ty::Adt(x, p), Ty::Adt(y, q)) => {
                x == y
                    && p.iter()
                        .zip(q.iter())
                        .all(|(p, q)| self.unify_at(p, q, subst, next))
            }
            (Ty::Outside(x, p), Ty::Outside(y, q)) => {
                if x != y {
                    return alike(x, y);
                }
                p.iter()
                    .zip(q.iter())
                    .all(|(p, q)| self.unify_at(p, q, subst, next))
            }
            (Ty::Tuple(p), Ty::Tuple(q)) => {
                p.len() == q.len()
                    && p.iter()
                        .zip(q.iter())
                        .all(|(p, q)| self.unify_at(p, q, subst, next))
            }
            (Ty::Any(p), Ty::Any(q)) => p.iter().any(|p| q.iter().any(|q| p.name == q.name)),
            (Ty::Any(bounds), actual) => {
                for bound in bounds.iter() {
                    self.unify_bound(bound, actual, subst, next);
                }
                true
            }
            (Ty::Closure(..), Ty::Closure(..) | Ty::Item(..)) => {
                self.unify_functions(pattern, actual, subst, next);
                true
            }
            _ => false,
        }
    }

    /// Learns from a value what a bound on it leaves open: results of closures, items of iterators.
    pub(super) fn unify_bound(
        &mut self,
        bound: &Bound,
        actual: &Ty,
        subst: &mut Subst,
        depth: usize,
    ) {
        if depth > DEPTH {
            return;
        }
        if let Some(function) = &bound.function {
            self.unify_functions(function, actual, subst, depth + 1);
        }
        for (name, wanted) in bound.assoc.iter() {
            let known = match &*self.world.text(*name) {
                "Item" => self.element(actual),
                "Output" => self.awaited(actual),
                _ => self.project(actual, *name),
            };
            self.unify_at(wanted, &known, subst, depth + 1);
        }
    }

    fn unify_functions(&mut self, pattern: &Ty, actual: &Ty, subst: &mut Subst, depth: usize) {
        let Ty::Closure(file, function, inner) = pattern else {
            return;
        };
        let Some(wanted) = self.result_of(*file, *function) else {
            return;
        };
        let wanted = inner.apply(&wanted);
        let (known, _) = self.called(actual, &[]);
        self.unify_at(&wanted, &known, subst, depth);
    }

    /// The declared result of a function or function type.
    pub(super) fn result_of(&mut self, file: FileId, function: FunctionId) -> Option<Ty> {
        let facts = self.unit(file)?.facts.functions.get(function.index())?;
        Some(self.ty(file, facts.scope, facts.result?))
    }

    /// What a function takes as parameter number `at`, the receiver not counted.
    pub(super) fn parameter_of(&mut self, file: FileId, function: FunctionId, at: usize) -> Ty {
        let Some(unit) = self.unit(file) else {
            return Ty::Unknown;
        };
        let Some(facts) = unit.facts.functions.get(function.index()) else {
            return Ty::Unknown;
        };
        match facts.params.get(at).and_then(|param| param.declared) {
            Some(declared) => self.ty(file, facts.scope, declared),
            None => Ty::Unknown,
        }
    }

    /// What arguments of a call tell of a function's type parameters.
    pub(super) fn infer(
        &mut self,
        file: FileId,
        function: FunctionId,
        args: &[Ty],
        subst: &mut Subst,
    ) {
        for (at, actual) in args.iter().enumerate() {
            let pattern = self.parameter_of(file, function, at);
            if !actual.is_unknown() {
                let mut learned = Subst::default();
                self.unify(&pattern, actual, &mut learned);
                *subst = subst.and(&learned);
            }
            // Bounds of the parameter tell of others: `F: FnOnce() -> R`.
            if let Ty::Param(..) = pattern {
                for bound in self.bounds(&pattern) {
                    let bound = subst.bound(&bound);
                    let mut learned = Subst::default();
                    self.unify_bound(&bound, actual, &mut learned, 0);
                    *subst = subst.and(&learned);
                }
            }
        }
    }

    /// Puts type arguments that are written in for the parameters of a function.
    pub(super) fn turbofish(
        &self,
        file: FileId,
        function: FunctionId,
        args: &[Ty],
        subst: &mut Subst,
    ) {
        let Some(unit) = self.unit(file) else { return };
        let Some(facts) = unit.facts.functions.get(function.index()) else {
            return;
        };
        for (name, ty) in facts.type_params.iter().zip(args) {
            subst.put(Hole::Param(file, facts.scope, *name), ty.clone());
        }
    }

    /// A closure type with what is known put in.
    pub(super) fn closed(ty: &Ty, subst: &Subst) -> Ty {
        match ty {
            Ty::Closure(file, function, inner) => {
                Ty::Closure(*file, *function, Arc::new(inner.and(subst)))
            }
            ty => subst.apply(ty),
        }
    }
}

/// Types that a literal or a dereference makes of each other.
fn alike(a: &str, b: &str) -> bool {
    let number = |name: &str| {
        matches!(
            name,
            "int"
                | "u8"
                | "u16"
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
        )
    };
    let list = |name: &str| matches!(name, "[]" | "Vec" | "bytes" | "collected");
    (a == "int" && number(b))
        || (b == "int" && number(a))
        || (list(a) && list(b))
        || (a == "collected" || b == "collected")
}
