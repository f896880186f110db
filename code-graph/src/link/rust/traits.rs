//! Which traits a type has, and the types that come of them: what it derefs to, yields, gives when
//! awaited.

use super::super::key;
use super::super::value::{FileId, SymRef};
use super::super::world::Atom;
use super::methods::Impl;
use super::ty::{Bound, Subst, Ty};
use super::{Linker, known};
use crate::facts::{Bound as Bind, SymbolKind};
use std::sync::Arc;

/// Traits that nearly everything has; a bound by one of them excludes nothing.
const COMMON: &[&str] = &[
    "Sized",
    "Send",
    "Sync",
    "Unpin",
    "Clone",
    "Copy",
    "Debug",
    "Display",
    "Default",
    "Eq",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Hash",
    "Any",
    "UnwindSafe",
    "RefUnwindSafe",
    "Borrow",
    "ToOwned",
    "AsRef",
    "Into",
    "From",
    "Drop",
];

impl Linker<'_> {
    /// Whether a type has what an `impl` for any type asks for.
    pub(super) fn fits(&mut self, block: &Impl, file: FileId, ty: &Ty) -> bool {
        let within = self.within.replace((file, block.scope));
        let bounds = self.bounds(&block.target);
        self.within = within;
        let own = block.bound.as_ref().and_then(|bound| bound.of);
        // `impl<T: Trait> Trait for &T` forwards; it gives nothing that is not there.
        if own.is_some() && bounds.iter().any(|bound| bound.of == own) {
            return false;
        }
        bounds.iter().all(|bound| self.has_bound(ty, bound))
    }

    fn has_bound(&mut self, ty: &Ty, bound: &Bound) -> bool {
        if bound.function.is_some() {
            return matches!(ty, Ty::Closure(..) | Ty::Item(..));
        }
        match bound.of {
            Some(of) => self.implements(ty, of),
            None if COMMON.contains(&&*bound.name) => true,
            None => match ty {
                Ty::Adt(..) => {
                    let (blocks, _) = self.blocks(ty);
                    blocks.into_iter().any(|(file, at)| {
                        let block = self.implementation(file, at);
                        block.bound.as_ref().is_some_and(|b| b.name == bound.name)
                            && self.same_head(&block.target, ty)
                    })
                }
                Ty::Param(..) | Ty::Any(_) | Ty::SelfOf(_) | Ty::Projection(..) => {
                    let bounds = self.bounds(ty);
                    bounds.iter().any(|known| {
                        known.name == bound.name || known::implies(&known.name, &bound.name)
                    })
                }
                Ty::Outside(name, _) => known::implements(name, &bound.name),
                _ => false,
            },
        }
    }

    /// Whether a type has a trait of the checkout.
    pub(super) fn implements(&mut self, ty: &Ty, of: SymRef) -> bool {
        if ty.is_unknown() || !self.step() {
            return false;
        }
        let found = self.implements_now(ty, of);
        self.leave();
        found
    }

    fn implements_now(&mut self, ty: &Ty, of: SymRef) -> bool {
        for bound in self.bounds(ty) {
            if let Some(known) = bound.of
                && self.with_supertraits(known).contains(&of)
            {
                return true;
            }
        }
        let (blocks, _) = self.blocks(ty);
        for (file, at) in blocks {
            let block = self.implementation(file, at);
            if block.bound.as_ref().and_then(|bound| bound.of) == Some(of)
                && self.same_head(&block.target, ty)
                && self.unify(&block.target, ty, &mut Subst::default())
            {
                return true;
            }
        }
        if self.depth > 40 {
            return false;
        }
        self.note(key::extension(""));
        for (file, at) in self.world.extensions("").to_vec() {
            let block = self.implementation(file, at);
            let same = block.bound.as_ref().and_then(|bound| bound.of) == Some(of);
            if same && matches!(block.target, Ty::Param(..)) && self.fits(&block, file, ty) {
                return true;
            }
        }
        match self.deref(ty) {
            // A reference or box of what has a trait usually has it too.
            Some(inner) if matches!(ty, Ty::Outside(..)) && inner != *ty => {
                self.implements(&inner, of)
            }
            _ => false,
        }
    }

    // ------------------------------------------------------------------ associated types

    /// What a type that is dereferenced gives.
    pub(super) fn deref(&mut self, ty: &Ty) -> Option<Ty> {
        match ty {
            Ty::OneOf(any) => any.iter().find_map(|one| self.deref(one)),
            Ty::Outside(name, args) => known::deref(name, args),
            Ty::Adt(..) => {
                let target = self.associated_in(ty, "Target", &["Deref", "DerefMut"]);
                (!target.is_unknown()).then_some(target)
            }
            Ty::Param(..) | Ty::Any(_) | Ty::SelfOf(_) | Ty::Projection(..) => {
                let target = self.world.atom("Target");
                self.bounds(ty).iter().find_map(|bound| {
                    let said = bound.assoc.iter().find(|(name, _)| *name == target)?;
                    Some(said.1.clone())
                })
            }
            _ => None,
        }
    }

    /// An associated type that some `impl` for a type says.
    pub(super) fn implemented_type(&mut self, ty: &Ty, name: Atom) -> Ty {
        let text = self.world.text(name);
        let found = self.associated_in(ty, &text, &[]);
        if !found.is_unknown() {
            return found;
        }
        match (&*text, ty) {
            ("Item", _) => self.element(ty),
            ("Output", _) => self.awaited(ty),
            ("IntoIter", _) => Ty::outside("Iter", [self.element(ty)]),
            ("Target", _) => self.deref(ty).unwrap_or(Ty::Unknown),
            _ => Ty::Unknown,
        }
    }

    /// An associated type of an `impl` of one of these traits, or of any.
    pub(super) fn associated_in(&mut self, ty: &Ty, name: &str, traits: &[&str]) -> Ty {
        if !self.step() {
            return Ty::Unknown;
        }
        let found = self.associated_now(ty, name, traits);
        self.leave();
        found
    }

    fn associated_now(&mut self, ty: &Ty, name: &str, traits: &[&str]) -> Ty {
        let (blocks, target) = self.blocks(ty);
        if blocks.is_empty() {
            return Ty::Unknown;
        }
        self.note(key::extension_member(&target, name));
        let atom = self.world.atom(name);
        for (file, at) in blocks {
            let Some(unit) = self.unit(file) else {
                continue;
            };
            let Some(id) = unit.name(atom) else { continue };
            let block = self.implementation(file, at);
            if !block.is_trait || !self.same_head(&block.target, ty) {
                continue;
            }
            if !traits.is_empty()
                && !block
                    .bound
                    .as_ref()
                    .is_some_and(|bound| traits.contains(&&*bound.name))
            {
                continue;
            }
            let mut subst = Subst::default();
            if !self.unify(&block.target, ty, &mut subst) {
                continue;
            }
            for binding in unit.facts.bindings_of(block.members, id) {
                let Bind::Symbol(symbol) = binding.bound else {
                    continue;
                };
                let alias = unit.facts.symbols.get(symbol.index());
                if let Some(alias) = alias.filter(|alias| alias.kind == SymbolKind::TypeAlias)
                    && let Some(declared) = alias.declared
                {
                    let found = self.ty(file, alias.scope, declared);
                    return self.settle(subst.apply(&found));
                }
            }
        }
        Ty::Unknown
    }

    /// What iterating over a value yields.
    pub(super) fn element(&mut self, ty: &Ty) -> Ty {
        match ty {
            Ty::OneOf(any) => {
                let known = any.iter().map(|one| self.element(one));
                known
                    .into_iter()
                    .find(|ty| !ty.is_unknown())
                    .unwrap_or(Ty::Unknown)
            }
            Ty::Outside(name, _) if &**name == "_" => Ty::foreign(),
            Ty::Outside(name, args) => match known::element(name, args) {
                Some(element) => element,
                None => match known::deref(name, args) {
                    Some(inner) if inner != *ty && self.depth < 40 => {
                        self.depth += 1;
                        let element = self.element(&inner);
                        self.depth -= 1;
                        element
                    }
                    _ => Ty::Unknown,
                },
            },
            Ty::Adt(..) => {
                let found = self.associated_in(ty, "Item", &["Iterator", "IntoIterator", "Stream"]);
                if !found.is_unknown() {
                    return found;
                }
                match self.deref(ty) {
                    Some(inner) if inner != *ty && self.depth < 40 => {
                        self.depth += 1;
                        let element = self.element(&inner);
                        self.depth -= 1;
                        element
                    }
                    _ => Ty::Unknown,
                }
            }
            Ty::Param(..) | Ty::Any(_) | Ty::SelfOf(_) | Ty::Projection(..) => {
                let item = self.world.atom("Item");
                for bound in self.bounds(ty) {
                    if let Some((_, ty)) = bound.assoc.iter().find(|(name, _)| *name == item) {
                        return ty.clone();
                    }
                }
                match ty {
                    Ty::Any(_) => Ty::Unknown,
                    _ => Ty::Projection(Arc::new(ty.clone()), item),
                }
            }
            _ => Ty::Unknown,
        }
    }

    /// What awaiting a value yields.
    pub(super) fn awaited(&mut self, ty: &Ty) -> Ty {
        match ty {
            Ty::OneOf(any) => {
                let known: Vec<Ty> = any.iter().map(|one| self.awaited(one)).collect();
                Ty::one_of(known)
            }
            Ty::Outside(name, args) => match &**name {
                "_" => Ty::foreign(),
                "Future" => args.first().cloned().unwrap_or(Ty::Unknown),
                "JoinHandle" => {
                    let of = args.first().cloned().unwrap_or(Ty::Unknown);
                    Ty::outside("Result", [of, Ty::Unknown])
                }
                _ => match known::deref(name, args) {
                    Some(inner) if inner != *ty => self.awaited(&inner),
                    _ => Ty::Unknown,
                },
            },
            Ty::Adt(..) => {
                let found = self.associated_in(ty, "Output", &["Future", "IntoFuture"]);
                if found.is_unknown() {
                    return match self.deref(ty) {
                        Some(inner) if inner != *ty && self.depth < 40 => {
                            self.depth += 1;
                            let found = self.awaited(&inner);
                            self.depth -= 1;
                            found
                        }
                        _ => Ty::Unknown,
                    };
                }
                found
            }
            Ty::Param(..) | Ty::Any(_) | Ty::SelfOf(_) | Ty::Projection(..) => {
                let output = self.world.atom("Output");
                for bound in self.bounds(ty) {
                    if let Some((_, ty)) = bound.assoc.iter().find(|(name, _)| *name == output) {
                        return ty.clone();
                    }
                }
                match ty {
                    Ty::Any(_) => Ty::Unknown,
                    _ => Ty::Projection(Arc::new(ty.clone()), output),
                }
            }
            _ => Ty::Unknown,
        }
    }
}
