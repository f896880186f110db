//! Methods of types: `impl` blocks, traits, dereferencing.

use super::super::key;
use super::super::value::{FileId, SymRef};
use super::super::world::Atom;
use super::names::{Def, Ns};
use super::ty::{Bound, Hole, Subst, Ty};
use super::{Linker, known, sym};
use crate::facts::{Bound as Bind, Expr, Flags, ScopeId, SymbolKind};
use std::rc::Rc;
use std::sync::Arc;

/// How often a receiver is dereferenced.
const DEREFS: usize = 8;

/// How many implementations of one name for one type are told apart.
const MANY: usize = 12;

/// What an `impl` block says.
#[derive(Debug)]
pub(super) struct Impl {
    /// The type that gets the members.
    pub(super) target: Ty,
    /// The trait that it implements.
    pub(super) bound: Option<Bound>,
    pub(super) members: ScopeId,
    pub(super) scope: ScopeId,
    pub(super) is_trait: bool,
}

/// A function found as a member of a type.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) symbol: SymRef,
    /// What is known of type parameters around it.
    pub(super) subst: Subst,
    /// It is (or implements) a trait's.
    pub(super) by_trait: bool,
}

impl<'w> Linker<'w> {
    /// What an `impl` block says.
    pub(super) fn implementation(&mut self, file: FileId, at: u32) -> Rc<Impl> {
        if let Some(known) = self.impls.get(&(file, at)) {
            return known.clone();
        }
        let extension = self
            .unit(file)
            .and_then(|unit| unit.facts.extensions.get(at as usize));
        let Some(extension) = extension else {
            return Rc::new(Impl {
                target: Ty::Unknown,
                bound: None,
                members: ScopeId::MODULE,
                scope: ScopeId::MODULE,
                is_trait: true,
            });
        };
        let target = self.ty(file, extension.scope, extension.target);
        let bound = extension.interface.and_then(|interface| {
            let expr = self
                .unit(file)?
                .facts
                .exprs
                .get(interface.index())
                .copied()?;
            match expr {
                Expr::Generic(of, args) => self.named_bound(file, extension.scope, of, Some(args)),
                _ => self.named_bound(file, extension.scope, interface, None),
            }
        });
        let made = Rc::new(Impl {
            target,
            bound,
            members: extension.members,
            scope: extension.scope,
            is_trait: extension.interface.is_some(),
        });
        self.impls.insert((file, at), made.clone());
        made
    }

    /// The name by which `impl` blocks of a type are found.
    fn simple(&self, ty: &Ty) -> Option<Arc<str>> {
        Some(match ty {
            Ty::Adt(symbol, _) => {
                let facts = self.symbol(*symbol)?;
                self.text(symbol.file, facts.name).into()
            }
            Ty::Outside(name, _) => match name.strip_prefix('?') {
                Some(name) => name.into(),
                None => name.clone(),
            },
            Ty::Tuple(_) => "()".into(),
            Ty::Any(bounds) => bounds.first()?.name.clone(),
            Ty::Closure(..) => "fn".into(),
            _ => return None,
        })
    }

    /// The `impl` blocks that a type may have, and the name they are found by.
    pub(super) fn blocks(&mut self, ty: &Ty) -> (Vec<(FileId, u32)>, Arc<str>) {
        let Some(name) = self.simple(ty) else {
            return (Vec::new(), "".into());
        };
        self.note(key::extension(&name));
        let mut blocks = self.world.extensions(&name).to_vec();
        if let Ty::Adt(symbol, _) = ty {
            for alias in self.aliases(*symbol).iter() {
                self.note(key::extension(alias));
                blocks.extend_from_slice(self.world.extensions(alias));
            }
        }
        (blocks, name)
    }

    /// Other names that the file of a type gives it.
    fn aliases(&mut self, symbol: SymRef) -> Rc<[Arc<str>]> {
        if let Some(known) = self.aliases.get(&symbol) {
            return known.clone();
        }
        let mut found: Vec<Arc<str>> = Vec::new();
        if let (Some(unit), Some(facts)) = (self.unit(symbol.file), self.symbol(symbol)) {
            for alias in &unit.facts.symbols {
                let of = alias.declared.and_then(|of| unit.facts.simple_name(of));
                let is_alias = alias.kind == SymbolKind::TypeAlias && alias.owner.is_none();
                if is_alias && of == Some(facts.name) && alias.name != facts.name {
                    found.push(unit.facts.name(alias.name).into());
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        let found: Rc<[Arc<str>]> = found.into();
        self.aliases.insert(symbol, found.clone());
        found
    }

    /// Methods of a receiver, dereferenced as often as it takes. With them the type that has them.
    pub(super) fn method(&mut self, receiver: &Ty, name: Atom) -> Rc<[Found]> {
        if let Ty::OneOf(any) = receiver {
            let mut all: Vec<Found> = Vec::new();
            for one in any.iter() {
                all.extend(self.method(one, name).iter().cloned());
            }
            return all.into();
        }
        let mut at = receiver.clone();
        let text = self.world.text(name);
        // What only a trait has that is not in scope counts when there is nothing else.
        let mut out_of_scope: Option<Rc<[Found]>> = None;
        let mut pinned = false;
        for _ in 0..DEREFS {
            if let Ty::Outside(of, held) = &at {
                if known::has_first(of, &text) {
                    break;
                }
                // `self: Pin<&mut Self>` is a method of what is pinned.
                if &**of == "Pin" && !known::has(of, &text) {
                    at = held.first().cloned().unwrap_or(Ty::Unknown);
                    pinned = true;
                    continue;
                }
            }
            let found = self.methods_at(&at, name);
            let found = match pinned {
                true => found,
                false => self.unpinned(found, &at, name),
            };
            if !found.is_empty() {
                if self.in_scope_here(&found, &at) {
                    return found;
                }
                out_of_scope.get_or_insert(found);
            }
            if let Ty::Outside(of, _) = &at
                && known::has(of, &text)
            {
                break;
            }
            match self.deref(&at) {
                Some(next) if next != at => at = next,
                _ => break,
            }
        }
        out_of_scope.unwrap_or_else(|| Rc::from([]))
    }

    /// Methods that take `self: Pin<&mut Self>` are not those of a value that is not pinned, when
    /// an extension trait has another of the name.
    fn unpinned(&mut self, found: Rc<[Found]>, ty: &Ty, name: Atom) -> Rc<[Found]> {
        let pinned = |linker: &Self, found: &Found| {
            let facts = linker.symbol(found.symbol);
            facts.is_some_and(|facts| {
                let signature = linker.text(found.symbol.file, facts.signature);
                signature.contains("self: Pin<")
            })
        };
        if found.is_empty() || !found.iter().all(|found| pinned(self, found)) {
            return found;
        }
        let others = self.blanket_methods(ty, name);
        let mut others: Vec<Found> = others
            .into_iter()
            .filter(|found| !pinned(self, found))
            .collect();
        if let Some((file, scope)) = self.within {
            others.retain(|found| match self.trait_of(found.symbol) {
                Some(of) => self.sees_trait(file, scope, of),
                None => true,
            });
        }
        if others.is_empty() {
            found
        } else {
            others.into()
        }
    }

    /// Whether one of the functions found for a type can be called where the present code stands:
    /// it is inherent, or its trait is in scope.
    fn in_scope_here(&mut self, found: &[Found], ty: &Ty) -> bool {
        let Some((file, scope)) = self.within else {
            return true;
        };
        if !matches!(ty, Ty::Adt(..) | Ty::Outside(..)) {
            return true;
        }
        found.iter().any(|found| {
            if !found.by_trait {
                return true;
            }
            match self.trait_of(found.symbol) {
                Some(of) => self.sees_trait(file, scope, of),
                None => true,
            }
        })
    }

    /// The trait that a function is declared in or implements.
    fn trait_of(&mut self, symbol: SymRef) -> Option<SymRef> {
        let facts = self.symbol(symbol)?;
        if let Some(at) = self.unit(symbol.file)?.extension_of(facts.scope) {
            return self.implementation(symbol.file, at).bound.as_ref()?.of;
        }
        let owner = self.owner(symbol)?;
        (self.symbol(owner)?.kind == SymbolKind::Interface).then_some(owner)
    }

    /// Whether a trait is in scope, under any name.
    fn sees_trait(&mut self, file: FileId, scope: ScopeId, of: SymRef) -> bool {
        let key = (file, scope, of);
        if let Some(known) = self.seen_traits.get(&key) {
            return *known;
        }
        let seen = self.looks_for_trait(file, scope, of);
        self.seen_traits.insert(key, seen);
        seen
    }

    fn looks_for_trait(&mut self, file: FileId, scope: ScopeId, of: SymRef) -> bool {
        let Some(facts) = self.symbol(of) else {
            return true;
        };
        let name = self.atom(of.file, facts.name);
        if self
            .lookup(file, scope, name, Ns::Type)
            .contains(&Def::Symbol(of))
        {
            return true;
        }
        // In the `impl` block or trait itself, and `use Trait as _`.
        if let Some((members, owner)) = self.members_around(file, scope) {
            if owner.is_some_and(|owner| sym(file, owner) == of) {
                return true;
            }
            let block = self.unit(file).and_then(|unit| unit.extension_of(members));
            if let Some(at) = block
                && self
                    .implementation(file, at)
                    .bound
                    .as_ref()
                    .and_then(|b| b.of)
                    == Some(of)
            {
                return true;
            }
        }
        let Some(unit) = self.unit(file) else {
            return true;
        };
        let imports: Vec<(u32, crate::facts::Import)> = unit
            .facts
            .imports
            .iter()
            .enumerate()
            .filter(|(_, import)| {
                !import.wildcard
                    && import.name.is_some()
                    && import.name != import.local
                    && unit.facts.name(import.module) != "mod "
            })
            .map(|(at, import)| (at as u32, *import))
            .collect();
        imports.into_iter().any(|(at, import)| {
            let same = import.name.and_then(|id| unit.atom(id)) == Some(name);
            same && self.imported(file, at, &import).contains(&Def::Symbol(of))
        })
    }

    /// What a type itself has under a name: inherent functions, else those of traits.
    pub(super) fn methods_at(&mut self, ty: &Ty, name: Atom) -> Rc<[Found]> {
        if ty.is_unknown() {
            return Rc::from([]);
        }
        if let Ty::OneOf(any) = ty {
            let mut all: Vec<Found> = Vec::new();
            for one in any.iter() {
                all.extend(self.methods_at(one, name).iter().cloned());
            }
            return all.into();
        }
        let open = matches!(ty, Ty::Param(..) | Ty::Projection(..));
        let key = (ty.clone(), name, self.within.filter(|_| open));
        if let Some(known) = self.found.get(&key) {
            return known.clone();
        }
        if !self.step() {
            return Rc::from([]);
        }
        // Whoever asks on the way gets nothing.
        self.found.insert(key.clone(), Rc::from([]));
        let mut found = self.look_up(ty, name);
        let mut seen: Vec<SymRef> = Vec::new();
        found.retain(|found| {
            let new = !seen.contains(&found.symbol);
            seen.push(found.symbol);
            new
        });
        self.leave();
        let found: Rc<[Found]> = found.into();
        self.found.insert(key, found.clone());
        found
    }

    fn look_up(&mut self, ty: &Ty, name: Atom) -> Vec<Found> {
        let text = self.world.text(name);
        let mut inherent = Vec::new();
        let mut by_trait = Vec::new();
        let (blocks, target) = self.blocks(ty);
        if !blocks.is_empty() {
            self.note(key::extension_member(&target, &text));
        }
        for (file, at) in blocks {
            let block = self.implementation(file, at);
            let mut subst = Subst::default();
            if !self.same_head(&block.target, ty) || !self.unify(&block.target, ty, &mut subst) {
                continue;
            }
            let own = self.members_named(file, block.members, name);
            if block.is_trait {
                if own.is_empty() {
                    by_trait.extend(self.provided(&block, ty, name, &subst));
                }
                by_trait.extend(own.into_iter().map(|symbol| Found {
                    symbol,
                    subst: subst.clone(),
                    by_trait: true,
                }));
            } else {
                inherent.extend(own.into_iter().map(|symbol| Found {
                    symbol,
                    subst: subst.clone(),
                    by_trait: false,
                }));
            }
            if inherent.len() + by_trait.len() > MANY {
                break;
            }
        }
        if !inherent.is_empty() {
            return inherent;
        }
        if by_trait.is_empty() {
            by_trait = self.bound_methods(ty, name);
        }
        if by_trait.is_empty() {
            by_trait = self.blanket_methods(ty, name);
        }
        by_trait
    }

    /// Whether two types are of one kind at the top, which unification takes more freely.
    pub(super) fn same_head(&self, pattern: &Ty, ty: &Ty) -> bool {
        match (pattern, ty) {
            (Ty::OneOf(any), ty) => any.iter().any(|one| self.same_head(one, ty)),
            (Ty::Adt(x, _), Ty::Adt(y, _)) => x == y,
            (Ty::Outside(x, _), Ty::Outside(y, _)) => x == y,
            (Ty::Tuple(_), Ty::Tuple(_)) | (Ty::Any(_), Ty::Any(_)) => true,
            (Ty::Closure(..), Ty::Closure(..)) => true,
            _ => false,
        }
    }

    /// The symbols that a scope binds to a name, functions and constants.
    fn members_named(&self, file: FileId, members: ScopeId, name: Atom) -> Vec<SymRef> {
        let Some(unit) = self.unit(file) else {
            return Vec::new();
        };
        let Some(id) = unit.name(name) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for binding in unit.facts.bindings_of(members, id) {
            let Bind::Symbol(symbol) = binding.bound else {
                continue;
            };
            let kind = unit
                .facts
                .symbols
                .get(symbol.index())
                .map(|symbol| symbol.kind);
            if matches!(kind, Some(SymbolKind::Method | SymbolKind::Constant)) {
                found.push(sym(file, symbol));
            }
        }
        found
    }

    /// The functions of a name that a trait declares.
    pub(super) fn declared_in(&mut self, of: SymRef, name: Atom) -> Vec<SymRef> {
        let text = self.world.text(name);
        self.note_member(of, &text);
        match self.symbol(of).and_then(|facts| facts.members) {
            Some(members) => self.members_named(of.file, members, name),
            None => Vec::new(),
        }
    }

    /// The method of a trait that an `impl` of it leaves as it is.
    fn provided(&mut self, block: &Impl, ty: &Ty, name: Atom, subst: &Subst) -> Vec<Found> {
        let Some(bound) = &block.bound else {
            return Vec::new();
        };
        let bound = subst.bound(bound);
        self.trait_methods(&bound, ty, name)
            .into_iter()
            .map(|found| Found {
                subst: found.subst.and(subst),
                ..found
            })
            .collect()
    }

    /// The methods of a name that a trait itself declares, as a type has them.
    fn trait_methods(&mut self, bound: &Bound, ty: &Ty, name: Atom) -> Vec<Found> {
        let Some(of) = bound.of else {
            return Vec::new();
        };
        let text = self.world.text(name);
        self.note_member(of, &text);
        let Some(members) = self.symbol(of).and_then(|facts| facts.members) else {
            return Vec::new();
        };
        let mut subst = Subst::default();
        subst.put(Hole::SelfOf(of), ty.clone());
        for ((scope, name), arg) in self.params_of(of).iter().zip(bound.args.iter()) {
            subst.put(Hole::Param(of.file, *scope, *name), arg.clone());
        }
        let own = self.members_named(of.file, members, name);
        own.into_iter()
            .map(|symbol| Found {
                symbol,
                subst: subst.clone(),
                by_trait: true,
            })
            .collect()
    }

    /// Methods that a type has because of what it is bounded by.
    fn bound_methods(&mut self, ty: &Ty, name: Atom) -> Vec<Found> {
        if !matches!(
            ty,
            Ty::Param(..) | Ty::SelfOf(_) | Ty::Any(_) | Ty::Projection(..)
        ) {
            return Vec::new();
        }
        let mut all = Vec::new();
        for bound in self.bounds(ty) {
            let Some(of) = bound.of else { continue };
            for (at, above) in self.with_supertraits(of).into_iter().enumerate() {
                let bound = if at == 0 {
                    bound.clone()
                } else {
                    Bound {
                        of: Some(above),
                        args: Arc::from([]),
                        ..bound.clone()
                    }
                };
                all.extend(self.trait_methods(&bound, ty, name));
            }
        }
        all
    }

    /// Methods of traits that are implemented for whatever has certain others.
    fn blanket_methods(&mut self, ty: &Ty, name: Atom) -> Vec<Found> {
        if self.depth > 48 {
            return Vec::new();
        }
        self.note(key::extension(""));
        let text = self.world.text(name);
        self.note(key::extension_member("", &text));
        let mut all = Vec::new();
        for (file, at) in self.world.extensions("").to_vec() {
            let block = self.implementation(file, at);
            let Ty::Param(..) = block.target else {
                continue;
            };
            let own = self.members_named(file, block.members, name);
            let mut found = if own.is_empty() {
                let Some(bound) = &block.bound else { continue };
                self.trait_methods(&bound.clone(), ty, name)
            } else {
                own.into_iter()
                    .map(|symbol| Found {
                        symbol,
                        subst: Subst::default(),
                        by_trait: true,
                    })
                    .collect()
            };
            if found.is_empty() || !self.fits(&block, file, ty) {
                continue;
            }
            let mut subst = Subst::default();
            self.unify(&block.target, ty, &mut subst);
            for found in &mut found {
                found.subst = found.subst.and(&subst);
            }
            all.extend(found);
            if all.len() > MANY {
                break;
            }
        }
        all
    }

    /// Whether a function takes a receiver.
    pub(super) fn has_receiver(&self, symbol: SymRef) -> bool {
        self.symbol(symbol).is_some_and(|facts| {
            facts.kind == SymbolKind::Method && !facts.flags.has(Flags::STATIC)
        })
    }
}
