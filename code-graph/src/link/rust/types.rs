//! What types written in a file are.

use super::super::value::{FileId, SymRef};
use super::super::world::Atom;
use super::names::{Def, Ns};
use super::ty::{Args, Bound, Hole, Subst, Ty};
use super::{Linker, sym};
use crate::facts::{
    Bound as Bind, Expr, ExprId, List, NameId, ScopeId, ScopeKind, SymbolId, SymbolKind,
};
use std::sync::Arc;

/// How many declarations of one name are looked at.
const TWINS: usize = 4;

impl<'w> Linker<'w> {
    fn expr(&self, file: FileId, expr: ExprId) -> Expr {
        let known = self
            .unit(file)
            .and_then(|unit| unit.facts.exprs.get(expr.index()));
        known.copied().unwrap_or(Expr::Unknown)
    }

    pub(super) fn list(&self, file: FileId, list: List) -> &'w [ExprId] {
        self.unit(file).map_or(&[], |unit| unit.facts.list(list))
    }

    /// The type that an expression names.
    pub(super) fn ty(&mut self, file: FileId, scope: ScopeId, expr: ExprId) -> Ty {
        let key = (file, scope, expr);
        if let Some(known) = self.types.get(&key) {
            return known.clone();
        }
        if !self.step() {
            return Ty::Unknown;
        }
        // Until it is known, whoever asks on the way gets nothing.
        self.types.insert(key, Ty::Unknown);
        let found = self.ty_of(file, scope, expr);
        self.types.insert(key, found.clone());
        self.leave();
        found
    }

    fn ty_of(&mut self, file: FileId, scope: ScopeId, expr: ExprId) -> Ty {
        match self.expr(file, expr) {
            Expr::Name(_) => self.named_type(file, scope, expr, None),
            Expr::Path(of, name) => {
                let found = self.named_type(file, scope, expr, None);
                if !found.is_unknown() {
                    return found;
                }
                self.associated(file, scope, of, name)
            }
            Expr::Generic(of, args) => match self.expr(file, of) {
                Expr::Name(_) | Expr::Path(..) => self.named_type(file, scope, of, Some(args)),
                _ => self.ty(file, scope, of),
            },
            Expr::SelfType => self.self_ty(file, scope),
            Expr::Literal(name) => {
                let name = self.text(file, name);
                Ty::outside(name, [])
            }
            Expr::Reference(of) | Expr::Instance(of) => self.ty(file, scope, of),
            Expr::Tuple(list) => Ty::Tuple(self.types_of(file, scope, list)),
            Expr::Array(list) => Ty::Outside("[]".into(), self.types_of(file, scope, list)),
            Expr::Bounds(list) => {
                let mut bounds = Vec::new();
                for of in self.list(file, list) {
                    bounds.extend(self.bound_of(file, scope, *of));
                }
                Ty::Any(bounds.into())
            }
            Expr::Closure(function) => Ty::Closure(file, function, Arc::default()),
            Expr::Qualified(of, _) => self.ty(file, scope, of),
            _ => Ty::Unknown,
        }
    }

    fn types_of(&mut self, file: FileId, scope: ScopeId, list: List) -> Args {
        let list = self.list(file, list);
        list.iter().map(|of| self.ty(file, scope, *of)).collect()
    }

    /// A type by its name or path, with type arguments; what is left open is filled by defaults.
    fn named_type(&mut self, file: FileId, scope: ScopeId, expr: ExprId, args: Option<List>) -> Ty {
        let mut twins = Vec::new();
        for def in self
            .def(file, scope, expr, Ns::Type)
            .into_iter()
            .take(TWINS)
        {
            match def {
                Def::Symbol(symbol) => {
                    let said = args.map(|list| (file, scope, list));
                    twins.push(self.symbol_type(symbol, said));
                }
                _ if !twins.is_empty() => {}
                Def::Param(file, scope, name) => return Ty::Param(file, scope, name),
                Def::Outside(path) => {
                    let name = path.rsplit("::").next().unwrap_or_default();
                    let args = match args {
                        Some(list) => self.types_of(file, scope, list),
                        None => Arc::from([]),
                    };
                    return outside(name, args);
                }
                _ => {}
            }
        }
        match twins.first() {
            Some(Ty::Any(_)) => twins.swap_remove(0),
            Some(_) => Ty::one_of(twins),
            None => self.undeclared(file, scope, expr, args),
        }
    }

    /// A type that nothing declares, because a macro makes it: one by its name only, so that the
    /// `impl` blocks of that name are found.
    fn undeclared(&mut self, file: FileId, scope: ScopeId, expr: ExprId, args: Option<List>) -> Ty {
        let Expr::Name(name) = self.expr(file, expr) else {
            return Ty::Unknown;
        };
        let text = self.text(file, name);
        if !text.starts_with(char::is_uppercase) {
            return Ty::Unknown;
        }
        let args = match args {
            Some(list) => self.types_of(file, scope, list),
            None => Arc::from([]),
        };
        outside(&format!("?{text}"), args)
    }

    /// The type that a symbol is, with type arguments.
    fn symbol_type(&mut self, symbol: SymRef, args: Option<(FileId, ScopeId, List)>) -> Ty {
        let Some(facts) = self.symbol(symbol) else {
            return Ty::Unknown;
        };
        let mut said: Vec<Ty> = Vec::new();
        let mut assoc: Vec<(Atom, Ty)> = Vec::new();
        if let Some((file, scope, list)) = args {
            for arg in self.list(file, list) {
                match self.expr(file, *arg) {
                    Expr::Keyword(name, of) => {
                        let ty = self.ty(file, scope, of);
                        assoc.push((self.atom(file, name), ty));
                    }
                    _ => said.push(self.ty(file, scope, *arg)),
                }
            }
        }
        match facts.kind {
            SymbolKind::Struct | SymbolKind::Enum => {
                self.note_head(symbol);
                let params = self.params_of(symbol);
                let mut args: Vec<Ty> = Vec::new();
                for (at, (scope, name)) in params.iter().enumerate() {
                    let known = said.get(at).cloned();
                    args.push(match known {
                        Some(known) => known,
                        None => self.default_of(symbol.file, *scope, *name),
                    });
                }
                Ty::Adt(symbol, args.into())
            }
            SymbolKind::Interface => Ty::Any(Arc::from([Bound {
                of: Some(symbol),
                name: self.text(symbol.file, facts.name).into(),
                args: said.into(),
                assoc: assoc.into(),
                function: None,
            }])),
            SymbolKind::TypeAlias => {
                let Some(declared) = facts.declared else {
                    return Ty::Unknown;
                };
                let ty = self.ty(symbol.file, facts.scope, declared);
                let mut subst = Subst::default();
                for (at, name) in self.params_in(symbol.file, facts.scope).iter().enumerate() {
                    let known = said.get(at).cloned();
                    let known =
                        known.unwrap_or_else(|| self.default_of(symbol.file, facts.scope, *name));
                    subst.put(Hole::Param(symbol.file, facts.scope, *name), known);
                }
                subst.apply(&ty)
            }
            SymbolKind::EnumMember => match self.owner(symbol) {
                Some(owner) => self.symbol_type(owner, None),
                None => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }

    fn note_head(&mut self, symbol: SymRef) {
        if symbol.file != self.file {
            self.note_member(symbol, "");
        }
    }

    /// The type parameters of a struct, enum or trait: the scope they are bound in, and names.
    pub(super) fn params_of(&mut self, symbol: SymRef) -> Vec<(ScopeId, NameId)> {
        self.note_head(symbol);
        let scope = self
            .symbol(symbol)
            .and_then(|facts| facts.members)
            .and_then(|members| {
                let unit = self.unit(symbol.file)?;
                unit.facts.scopes.get(members.index())?.parent
            });
        let Some(scope) = scope else {
            return Vec::new();
        };
        let params = self.params_in(symbol.file, scope);
        params.into_iter().map(|name| (scope, name)).collect()
    }

    /// The type parameters that a scope binds, in order.
    pub(super) fn params_in(&self, file: FileId, scope: ScopeId) -> Vec<NameId> {
        let Some(unit) = self.unit(file) else {
            return Vec::new();
        };
        let mut params = Vec::new();
        for binding in unit.facts.bindings_in(scope) {
            if let Bind::TypeParam(index, _) = binding.bound {
                params.push((index, binding.name));
            }
        }
        params.sort_unstable_by_key(|(index, _)| *index);
        params.into_iter().map(|(_, name)| name).collect()
    }

    /// The default of a type parameter.
    fn default_of(&mut self, file: FileId, scope: ScopeId, name: NameId) -> Ty {
        let Some(unit) = self.unit(file) else {
            return Ty::Unknown;
        };
        for binding in unit.facts.bindings_of(scope, name) {
            let Bind::TypeParam(_, Some(bounds)) = binding.bound else {
                continue;
            };
            let Expr::Bounds(list) = self.expr(file, bounds) else {
                continue;
            };
            for of in self.list(file, list) {
                if let Expr::Keyword(_, default) = self.expr(file, *of) {
                    return self.ty(file, scope, default);
                }
            }
        }
        Ty::Unknown
    }

    /// A struct, enum or trait seen from inside: its own parameters as arguments.
    pub(super) fn own_type(&mut self, symbol: SymRef) -> Ty {
        let Some(facts) = self.symbol(symbol) else {
            return Ty::Unknown;
        };
        match facts.kind {
            SymbolKind::Interface => Ty::SelfOf(symbol),
            SymbolKind::Struct | SymbolKind::Enum => {
                let params = self.params_of(symbol);
                let param =
                    |(scope, name): &(ScopeId, NameId)| Ty::Param(symbol.file, *scope, *name);
                Ty::Adt(symbol, params.iter().map(param).collect())
            }
            SymbolKind::EnumMember => match self.owner(symbol) {
                Some(owner) => self.own_type(owner),
                None => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }

    /// What `Self` is in a scope.
    pub(super) fn self_ty(&mut self, file: FileId, scope: ScopeId) -> Ty {
        let Some((members, owner)) = self.members_around(file, scope) else {
            return Ty::Unknown;
        };
        if let Some(owner) = owner {
            return self.own_type(sym(file, owner));
        }
        let extension = self.unit(file).and_then(|unit| unit.extension_of(members));
        match extension {
            Some(at) => self.implementation(file, at).target.clone(),
            None => Ty::Unknown,
        }
    }

    /// The members scope around a scope, and the symbol that it belongs to.
    pub(super) fn members_around(
        &self,
        file: FileId,
        scope: ScopeId,
    ) -> Option<(ScopeId, Option<SymbolId>)> {
        let unit = self.unit(file)?;
        let mut at = Some(scope);
        while let Some(id) = at
            && let Some(here) = unit.facts.scopes.get(id.index())
        {
            if here.kind == ScopeKind::Members {
                return Some((id, here.owner));
            }
            if here.kind == ScopeKind::Module {
                return None;
            }
            at = here.parent;
        }
        None
    }

    /// `of::name`, where `of` is a type: an associated type.
    fn associated(&mut self, file: FileId, scope: ScopeId, of: ExprId, name: NameId) -> Ty {
        let atom = self.atom(file, name);
        // `Self::Name` in the `impl` that says what it is.
        if let Expr::SelfType = self.expr(file, of)
            && let Some((members, None)) = self.members_around(file, scope)
            && let Some(unit) = self.unit(file)
        {
            for binding in unit.facts.bindings_of(members, name) {
                if let Bind::Symbol(symbol) = binding.bound
                    && let Some(alias) = unit.facts.symbols.get(symbol.index())
                    && let Some(declared) = alias.declared
                {
                    return self.ty(file, alias.scope, declared);
                }
            }
        }
        let base = self.ty(file, scope, of);
        self.project(&base, atom)
    }

    /// The associated type of a type.
    pub(super) fn project(&mut self, of: &Ty, name: Atom) -> Ty {
        match of {
            Ty::Unknown => Ty::Unknown,
            Ty::Param(..) | Ty::SelfOf(_) | Ty::Any(_) | Ty::Projection(..) => {
                for bound in self.bounds(of) {
                    let said = bound.assoc.iter().find(|(known, _)| *known == name);
                    if let Some((_, ty)) = said {
                        return ty.clone();
                    }
                }
                if matches!(of, Ty::Any(_)) {
                    return Ty::Unknown;
                }
                Ty::Projection(Arc::new(of.clone()), name)
            }
            _ => self.implemented_type(of, name),
        }
    }

    /// A type with its projections worked out as far as they are known now.
    pub(super) fn settle(&mut self, ty: Ty) -> Ty {
        self.settle_at(ty, 0)
    }

    fn settle_at(&mut self, ty: Ty, depth: usize) -> Ty {
        if depth > 4 {
            return ty;
        }
        match ty {
            Ty::Projection(of, name) => {
                let of = self.settle_at((*of).clone(), depth + 1);
                match of {
                    Ty::Projection(..) => Ty::Projection(Arc::new(of), name),
                    of => self.project(&of, name),
                }
            }
            Ty::Adt(symbol, args) if args.iter().any(has_projection) => {
                let args = args
                    .iter()
                    .map(|arg| self.settle_at(arg.clone(), depth + 1));
                Ty::Adt(symbol, args.collect())
            }
            Ty::Outside(name, args) if args.iter().any(has_projection) => {
                let args = args
                    .iter()
                    .map(|arg| self.settle_at(arg.clone(), depth + 1));
                Ty::Outside(name, args.collect())
            }
            Ty::OneOf(args) if args.iter().any(has_projection) => {
                let args = args
                    .iter()
                    .map(|arg| self.settle_at(arg.clone(), depth + 1));
                Ty::OneOf(args.collect())
            }
            Ty::Tuple(args) if args.iter().any(has_projection) => {
                let args = args
                    .iter()
                    .map(|arg| self.settle_at(arg.clone(), depth + 1));
                Ty::Tuple(args.collect())
            }
            ty => ty,
        }
    }

    // ------------------------------------------------------------------ bounds

    /// The traits that an expression in a list of bounds names.
    fn bound_of(&mut self, file: FileId, scope: ScopeId, expr: ExprId) -> Vec<Bound> {
        let (of, args) = match self.expr(file, expr) {
            Expr::Keyword(..) => return Vec::new(),
            Expr::Generic(of, args) => (of, Some(args)),
            Expr::Bounds(list) => {
                let mut all = Vec::new();
                for of in self.list(file, list) {
                    all.extend(self.bound_of(file, scope, *of));
                }
                return all;
            }
            Expr::Closure(_) => {
                let function = self.ty(file, scope, expr);
                return vec![Bound {
                    of: None,
                    name: "Fn".into(),
                    args: Arc::from([]),
                    assoc: Arc::from([]),
                    function: Some(Arc::new(function)),
                }];
            }
            _ => (expr, None),
        };
        match self.named_bound(file, scope, of, args) {
            Some(bound) => vec![bound],
            None => match self.ty(file, scope, expr) {
                Ty::Any(bounds) => bounds.to_vec(),
                _ => Vec::new(),
            },
        }
    }

    /// A bound by the path of a trait.
    pub(super) fn named_bound(
        &mut self,
        file: FileId,
        scope: ScopeId,
        of: ExprId,
        args: Option<List>,
    ) -> Option<Bound> {
        let mut said = Vec::new();
        let mut assoc = Vec::new();
        if let Some(list) = args {
            for arg in self.list(file, list) {
                match self.expr(file, *arg) {
                    Expr::Keyword(name, of) => {
                        let ty = self.ty(file, scope, of);
                        assoc.push((self.atom(file, name), ty));
                    }
                    _ => said.push(self.ty(file, scope, *arg)),
                }
            }
        }
        for def in self.def(file, scope, of, Ns::Type) {
            let (symbol, name): (_, Arc<str>) = match def {
                Def::Symbol(symbol) => {
                    let facts = self.symbol(symbol)?;
                    if facts.kind != SymbolKind::Interface {
                        return None;
                    }
                    (Some(symbol), self.text(symbol.file, facts.name).into())
                }
                Def::Outside(path) => (None, path.rsplit("::").next().unwrap_or_default().into()),
                _ => continue,
            };
            return Some(Bound {
                of: symbol,
                name,
                args: said.into(),
                assoc: assoc.into(),
                function: None,
            });
        }
        None
    }

    /// The traits that a type parameter, `Self` or an `impl Trait` is known to have.
    pub(super) fn bounds(&mut self, ty: &Ty) -> Vec<Bound> {
        match ty {
            Ty::Any(bounds) => bounds.to_vec(),
            Ty::Param(file, scope, name) => {
                let mut all = self.bounds_in(*file, *scope, *name);
                // What a method adds in a `where` clause of its own.
                for extra in self.where_scopes(*file, *scope) {
                    all.extend(self.bounds_in(*file, extra, *name));
                }
                all
            }
            Ty::SelfOf(symbol) => {
                let Some(facts) = self.symbol(*symbol) else {
                    return Vec::new();
                };
                let params = self.params_of(*symbol);
                let args = params
                    .iter()
                    .map(|(scope, name)| Ty::Param(symbol.file, *scope, *name));
                vec![Bound {
                    of: Some(*symbol),
                    name: self.text(symbol.file, facts.name).into(),
                    args: args.collect(),
                    assoc: Arc::from([]),
                    function: None,
                }]
            }
            Ty::Projection(of, name) => self.projection_bounds(of, *name),
            _ => Vec::new(),
        }
    }

    fn bounds_in(&mut self, file: FileId, scope: ScopeId, name: NameId) -> Vec<Bound> {
        let Some(unit) = self.unit(file) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for binding in unit.facts.bindings_of(scope, name) {
            if let Bind::TypeParam(_, Some(of)) | Bind::Type(of) = binding.bound
                && let Ty::Any(bounds) = self.ty(file, scope, of)
            {
                all.extend(bounds.iter().cloned());
            }
        }
        all
    }

    /// The scopes inside `scope` whose function is being looked at: they may say more of a type
    /// parameter that `scope` binds.
    fn where_scopes(&self, file: FileId, scope: ScopeId) -> Vec<ScopeId> {
        let mut found = Vec::new();
        let Some((at_file, mut at)) = self.within else {
            return found;
        };
        if at_file != file {
            return found;
        }
        let Some(unit) = self.unit(file) else {
            return found;
        };
        while at != scope {
            found.push(at);
            match unit
                .facts
                .scopes
                .get(at.index())
                .and_then(|here| here.parent)
            {
                Some(parent) => at = parent,
                None => return Vec::new(),
            }
        }
        found
    }

    /// What is said of `T::Name`: where the parameter is bound, and in the trait that has the name.
    fn projection_bounds(&mut self, of: &Ty, name: Atom) -> Vec<Bound> {
        let mut all = Vec::new();
        if let Ty::Param(file, scope, param) = of
            && let Some(unit) = self.unit(*file)
        {
            let text = format!("{}::{}", self.text(*file, *param), self.world.text(name));
            let atom = self.world.atom(&text);
            if let Some(id) = unit.name(atom) {
                all.extend(self.bounds_in(*file, *scope, id));
                for extra in self.where_scopes(*file, *scope) {
                    all.extend(self.bounds_in(*file, extra, id));
                }
            }
        }
        if self.depth > 40 {
            return all;
        }
        for bound in self.bounds(of) {
            let Some(symbol) = bound.of else { continue };
            for owner in self.with_supertraits(symbol) {
                let (Some(facts), Some(unit)) = (self.symbol(owner), self.unit(owner.file)) else {
                    continue;
                };
                let text = self.world.text(name);
                self.note_member(owner, &text);
                let (Some(members), Some(id)) = (facts.members, unit.name(name)) else {
                    continue;
                };
                for binding in unit.facts.bindings_of(members, id) {
                    let Bind::Symbol(alias) = binding.bound else {
                        continue;
                    };
                    let alias = unit.facts.symbols.get(alias.index());
                    if let Some(alias) = alias
                        && let Some(declared) = alias.declared
                        && let Ty::Any(bounds) = self.ty(owner.file, alias.scope, declared)
                    {
                        let mut subst = Subst::default();
                        subst.put(Hole::SelfOf(owner), of.clone());
                        all.extend(bounds.iter().map(|bound| subst.bound(bound)));
                    }
                }
            }
        }
        all
    }

    /// A trait and all that it requires.
    pub(super) fn with_supertraits(&mut self, symbol: SymRef) -> Vec<SymRef> {
        let mut all = vec![symbol];
        let mut at = 0;
        while let Some(of) = all.get(at).copied() {
            at += 1;
            if all.len() > 16 {
                break;
            }
            let Some(unit) = self.unit(of.file) else {
                continue;
            };
            self.note_head(of);
            for base in unit.bases(of.symbol).collect::<Vec<_>>() {
                for bound in self.bound_of(of.file, base.scope, base.what) {
                    if let Some(above) = bound.of
                        && !all.contains(&above)
                    {
                        all.push(above);
                    }
                }
            }
        }
        all
    }
}

fn has_projection(ty: &Ty) -> bool {
    match ty {
        Ty::Projection(..) => true,
        Ty::Adt(_, args) | Ty::Outside(_, args) | Ty::Tuple(args) | Ty::OneOf(args) => {
            args.iter().any(has_projection)
        }
        _ => false,
    }
}

/// A type outside: shared pointers to one name.
fn outside(name: &str, args: Args) -> Ty {
    Ty::Outside(Arc::from(name), args)
}
