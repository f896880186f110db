//! Types of Rust, as far as they can be told.

use super::super::value::{FileId, SymRef};
use super::super::world::Atom;
use crate::facts::{FunctionId, NameId, ScopeId};
use std::sync::Arc;

/// Type arguments in order.
pub(super) type Args = Arc<[Ty]>;

/// A type. References and pointers are the type that they lead to: members are found through them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Ty {
    /// Nothing is known.
    Unknown,
    /// A struct, enum or union of the checkout.
    Adt(SymRef, Args),
    /// A type that is not in the checkout, by its simple name: `Vec`, `u8`, `[]`.
    Outside(Arc<str>, Args),
    /// A type parameter, by where it is bound.
    Param(FileId, ScopeId, NameId),
    /// `Self` in a trait.
    SelfOf(SymRef),
    /// `impl A + B`, `dyn A + B`.
    Any(Arc<[Bound]>),
    /// A tuple.
    Tuple(Args),
    /// A closure, or a function type, as seen with type arguments put in.
    Closure(FileId, FunctionId, Arc<Subst>),
    /// A function or tuple constructor itself.
    Item(SymRef, Arc<Subst>),
    /// One of several types of one name, of which conditional compilation keeps one.
    OneOf(Args),
    /// `T::Name`, where `T` is not known yet.
    Projection(Arc<Ty>, Atom),
}

/// One trait that a type has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Bound {
    /// The trait, when it is in the checkout.
    pub(super) of: Option<SymRef>,
    /// Its simple name.
    pub(super) name: Arc<str>,
    pub(super) args: Args,
    /// `Item = T`.
    pub(super) assoc: Arc<[(Atom, Ty)]>,
    /// For `Fn(A) -> B`: the function type.
    pub(super) function: Option<Arc<Ty>>,
}

/// What is put in for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Hole {
    Param(FileId, ScopeId, NameId),
    SelfOf(SymRef),
}

/// Types put in for type parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Subst(Vec<(Hole, Ty)>);

/// How deep types are nested at most.
const DEPTH: usize = 8;

impl Subst {
    pub(super) fn get(&self, hole: Hole) -> Option<&Ty> {
        self.0
            .iter()
            .find(|(known, _)| *known == hole)
            .map(|(_, ty)| ty)
    }

    /// Puts `ty` in for `hole`, or what it adds to what is there already.
    pub(super) fn put(&mut self, hole: Hole, ty: Ty) {
        if ty == Ty::Unknown {
            return;
        }
        match self.0.iter_mut().find(|(known, _)| *known == hole) {
            Some((_, known)) => *known = merge(known, &ty),
            None => self.0.push((hole, ty)),
        }
    }

    /// Both; where both say something, the first counts.
    pub(super) fn and(&self, other: &Subst) -> Subst {
        let mut all = self.clone();
        for (hole, ty) in &other.0 {
            all.put(*hole, ty.clone());
        }
        all
    }

    /// The type with everything put in.
    pub(super) fn apply(&self, ty: &Ty) -> Ty {
        self.apply_at(ty, 0)
    }

    fn apply_at(&self, ty: &Ty, depth: usize) -> Ty {
        if self.0.is_empty() {
            return ty.clone();
        }
        if depth > DEPTH {
            return Ty::Unknown;
        }
        let next = depth + 1;
        let all = |args: &Args| args.iter().map(|arg| self.apply_at(arg, next)).collect();
        match ty {
            Ty::Unknown => Ty::Unknown,
            Ty::Adt(symbol, args) => Ty::Adt(*symbol, all(args)),
            Ty::Outside(name, args) => Ty::Outside(name.clone(), all(args)),
            Ty::Tuple(args) => Ty::Tuple(all(args)),
            Ty::OneOf(args) => Ty::OneOf(all(args)),
            Ty::Param(file, scope, name) => {
                let known = self.get(Hole::Param(*file, *scope, *name));
                known.cloned().unwrap_or_else(|| ty.clone())
            }
            Ty::SelfOf(symbol) => {
                let known = self.get(Hole::SelfOf(*symbol));
                known.cloned().unwrap_or_else(|| ty.clone())
            }
            Ty::Any(bounds) => {
                let bounds = bounds.iter().map(|bound| self.bound_at(bound, next));
                Ty::Any(bounds.collect())
            }
            Ty::Closure(file, function, inner) => {
                let mut closed = Subst::default();
                for (hole, ty) in &inner.0 {
                    closed.put(*hole, self.apply_at(ty, next));
                }
                Ty::Closure(*file, *function, Arc::new(closed.and(self)))
            }
            Ty::Item(symbol, inner) => {
                let mut closed = Subst::default();
                for (hole, ty) in &inner.0 {
                    closed.put(*hole, self.apply_at(ty, next));
                }
                Ty::Item(*symbol, Arc::new(closed))
            }
            Ty::Projection(of, name) => Ty::Projection(Arc::new(self.apply_at(of, next)), *name),
        }
    }

    /// A bound with everything put in.
    pub(super) fn bound(&self, bound: &Bound) -> Bound {
        self.bound_at(bound, 0)
    }

    fn bound_at(&self, bound: &Bound, depth: usize) -> Bound {
        Bound {
            of: bound.of,
            name: bound.name.clone(),
            args: bound
                .args
                .iter()
                .map(|arg| self.apply_at(arg, depth))
                .collect(),
            assoc: bound
                .assoc
                .iter()
                .map(|(name, ty)| (*name, self.apply_at(ty, depth)))
                .collect(),
            function: bound
                .function
                .as_ref()
                .map(|function| Arc::new(self.apply_at(function, depth))),
        }
    }
}

impl Ty {
    /// A type outside, with arguments.
    pub(super) fn outside(name: &str, args: impl IntoIterator<Item = Ty>) -> Ty {
        Ty::Outside(Arc::from(name), args.into_iter().collect())
    }

    /// One of these; the only one when there is no other.
    pub(super) fn one_of(mut types: Vec<Ty>) -> Ty {
        let mut known: Vec<Ty> = Vec::new();
        for ty in types.drain(..) {
            if !ty.is_unknown() && !known.contains(&ty) {
                known.push(ty);
            }
        }
        if known.len() > 1 {
            return Ty::OneOf(known.into());
        }
        known.pop().unwrap_or(Ty::Unknown)
    }

    /// Something outside of which nothing is known but that.
    pub(super) fn foreign() -> Ty {
        Ty::outside("_", [])
    }

    /// Whether it is [`foreign`](Ty::foreign).
    pub(super) fn is_foreign(&self) -> bool {
        matches!(self, Ty::Outside(name, _) if &**name == "_")
    }

    /// Whether it is known by its name only, although it is of the checkout.
    pub(super) fn is_undeclared(&self) -> bool {
        matches!(self, Ty::Outside(name, _) if name.starts_with('?'))
    }

    /// Its type argument number `at`.
    pub(super) fn arg(&self, at: usize) -> Ty {
        match self {
            Ty::Adt(_, args) | Ty::Outside(_, args) | Ty::Tuple(args) => {
                args.get(at).cloned().unwrap_or(Ty::Unknown)
            }
            _ => Ty::Unknown,
        }
    }

    /// Whether nothing is known of it.
    pub(super) fn is_unknown(&self) -> bool {
        *self == Ty::Unknown
    }
}

/// What two findings about one value say together.
pub(super) fn merge(a: &Ty, b: &Ty) -> Ty {
    let all = |a: &Args, b: &Args| -> Args {
        let len = a.len().max(b.len());
        let at = |args: &Args, at: usize| args.get(at).cloned().unwrap_or(Ty::Unknown);
        (0..len).map(|n| merge(&at(a, n), &at(b, n))).collect()
    };
    match (a, b) {
        (Ty::Unknown, other) => other.clone(),
        (known, other) if known.is_foreign() && !other.is_unknown() => other.clone(),
        (Ty::Outside(c, args), other) if &**c == "collected" => collected(other, args),
        (other, Ty::Outside(c, args)) if &**c == "collected" => collected(other, args),
        (Ty::Adt(x, p), Ty::Adt(y, q)) if x == y => Ty::Adt(*x, all(p, q)),
        (Ty::Outside(x, p), Ty::Outside(y, q)) if x == y => Ty::Outside(x.clone(), all(p, q)),
        (Ty::Tuple(p), Ty::Tuple(q)) if p.len() == q.len() => Ty::Tuple(all(p, q)),
        (Ty::OneOf(p), Ty::OneOf(q)) if p.len() == q.len() => Ty::OneOf(all(p, q)),
        (known, _) => known.clone(),
    }
}

/// A collection whose elements are not said, collected from an iterator over `args`.
fn collected(collection: &Ty, args: &Args) -> Ty {
    let element = args.first().cloned().unwrap_or(Ty::Unknown);
    let (Ty::Outside(_, said) | Ty::Adt(_, said)) = collection else {
        return if collection.is_unknown() {
            Ty::Outside(Arc::from("collected"), args.clone())
        } else {
            collection.clone()
        };
    };
    let filled: Args = match (&**said, &element) {
        ([one], element) => Arc::from([merge(one, element)]),
        ([k, v], Ty::Tuple(pair)) => {
            let part = |at: usize| pair.get(at).cloned().unwrap_or(Ty::Unknown);
            Arc::from([merge(k, &part(0)), merge(v, &part(1))])
        }
        _ => said.clone(),
    };
    match collection {
        Ty::Adt(symbol, _) => Ty::Adt(*symbol, filled),
        Ty::Outside(name, _) => Ty::Outside(name.clone(), filled),
        other => other.clone(),
    }
}
