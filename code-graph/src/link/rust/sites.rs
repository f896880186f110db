//! From the sites of a file to its links.

use super::super::value::{FileId, SymRef};
use super::super::{Certainty, EdgeKind, External, Link, Links, Unresolved, key};
use super::names::{Def, Ns};
use super::ty::Ty;
use super::values::Callee;
use super::{Linker, STEPS, sym};
use crate::facts::{
    BaseKind, Bound as Bind, Expr, ExprId, Import, Site, SiteKind, SymbolId, SymbolKind,
};

/// More possibilities than this are noise.
const CANDIDATES: usize = 6;

/// Where a use stands, and what it does.
#[derive(Clone, Copy)]
struct Use {
    from: Option<SymbolId>,
    kind: EdgeKind,
    at: u32,
    row: u32,
}

impl<'w> Linker<'w> {
    /// The links of the file.
    pub(super) fn link(mut self) -> Links {
        let mut links = Links::default();
        let file = self.file;
        let Some(unit) = self.unit(file) else {
            return links;
        };
        for (at, import) in unit.facts.imports.iter().enumerate() {
            self.refuel();
            self.link_import(at as u32, import, &mut links);
        }
        for base in &unit.facts.bases {
            self.refuel();
            let what = Use {
                from: Some(base.class),
                kind: match base.kind {
                    BaseKind::Extends => EdgeKind::Extends,
                    BaseKind::Implements => EdgeKind::Implements,
                    BaseKind::MixesIn => EdgeKind::MixesIn,
                },
                at: base.at,
                row: base.row,
            };
            let defs = self.def(file, base.scope, base.what, Ns::Type);
            self.link_defs(&defs, base.what, what, &mut links);
        }
        for at in 0..unit.facts.extensions.len() {
            self.refuel();
            self.link_block(at as u32, &mut links);
        }
        for site in &unit.facts.sites {
            self.refuel();
            self.link_site(site, &mut links);
        }
        links
            .edges
            .sort_by_key(|e| (e.at, e.kind, e.to, e.from, e.certainty));
        links.edges.dedup_by_key(|e| (e.at, e.kind, e.to, e.from));
        links.unresolved.sort_by_key(|a| (a.at, a.kind));
        links
            .external
            .sort_by(|a, b| (a.at, a.kind, &a.name).cmp(&(b.at, b.kind, &b.name)));
        links.external.dedup();
        let mut lookups: Vec<u64> = self.notes.into_iter().collect();
        lookups.sort_unstable();
        links.lookups = lookups;
        links
    }

    fn refuel(&mut self) {
        self.steps = STEPS;
        self.within = None;
    }

    // ------------------------------------------------------------------ imports and blocks

    fn link_import(&mut self, at: u32, import: &Import, links: &mut Links) {
        let file = self.file;
        let what = Use {
            from: None,
            kind: EdgeKind::Imports,
            at: import.at,
            row: import.row,
        };
        let mut targets: Vec<(Option<SymRef>, FileId)> = Vec::new();
        let mut outside = None;
        let mut local = false;
        let defs = self.imported(file, at, import);
        for def in defs {
            match def {
                Def::Module(there, scope) => {
                    local = true;
                    let owner = self
                        .unit(there)
                        .and_then(|unit| unit.facts.scopes.get(scope.index())?.owner);
                    targets.push((owner.map(|owner| sym(there, owner)), there));
                }
                Def::Symbol(symbol) => {
                    local = true;
                    targets.push((Some(symbol), symbol.file));
                }
                Def::Outside(path) => outside = Some(path),
                _ => {}
            }
        }
        targets.dedup();
        if targets.len() <= CANDIDATES {
            for (symbol, there) in &targets {
                if symbol.is_none() && *there == file {
                    continue;
                }
                let to = self.world.id_of(there.index(), symbol.map(|s| s.symbol));
                push(links, what, to, Certainty::Exact);
                // A file is imported by whoever imports something of it.
                if symbol.is_some() && *there != file {
                    let to = self.world.id_of(there.index(), None);
                    push(links, what, to, Certainty::Exact);
                }
            }
        }
        if local {
            return;
        }
        let name = import.name.unwrap_or(import.module);
        match outside {
            Some(path) => links.external.push(External {
                from: None,
                name: path.to_string(),
                kind: EdgeKind::Imports,
                at: import.at,
                row: import.row,
            }),
            None => links.unresolved.push(Unresolved {
                from: None,
                name: self.text(file, name).to_owned(),
                kind: EdgeKind::Imports,
                at: import.at,
                row: import.row,
            }),
        }
    }

    /// Edges of an `impl` block: to the trait, and from each method to the trait's.
    fn link_block(&mut self, at: u32, links: &mut Links) {
        let file = self.file;
        let Some(unit) = self.unit(file) else { return };
        let Some(extension) = unit.facts.extensions.get(at as usize) else {
            return;
        };
        let Some(interface) = extension.interface else {
            return;
        };
        let block = self.implementation(file, at);
        let from = match &block.target {
            Ty::Adt(symbol, _) if symbol.file == file => Some(symbol.symbol),
            _ => None,
        };
        let what = Use {
            from,
            kind: EdgeKind::Implements,
            at: extension.at,
            row: extension.row,
        };
        let defs = self.def(file, extension.scope, interface, Ns::Type);
        self.link_defs(&defs, interface, what, links);
        let Some(of) = block.bound.as_ref().and_then(|bound| bound.of) else {
            return;
        };
        for binding in unit.facts.bindings_in(extension.members) {
            let Bind::Symbol(symbol) = binding.bound else {
                continue;
            };
            let Some(method) = unit.facts.symbols.get(symbol.index()) else {
                continue;
            };
            if method.kind != SymbolKind::Method {
                continue;
            }
            let name = self.atom(file, binding.name);
            for replaced in self.declared_in(of, name) {
                let what = Use {
                    from: Some(symbol),
                    kind: EdgeKind::Overrides,
                    at: method.name_at,
                    row: method.name_row,
                };
                push(links, what, self.world.id(replaced), Certainty::Exact);
            }
        }
    }

    // ------------------------------------------------------------------ sites

    fn link_site(&mut self, site: &Site, links: &mut Links) {
        let file = self.file;
        let what = Use {
            from: site.owner,
            kind: match site.kind {
                SiteKind::Call | SiteKind::Macro => EdgeKind::Calls,
                SiteKind::New => EdgeKind::Instantiates,
                SiteKind::Value | SiteKind::Implicit => EdgeKind::References,
                SiteKind::Type => EdgeKind::UsesType,
                SiteKind::Decorator => EdgeKind::Decorates,
                SiteKind::Write => EdgeKind::Writes,
            },
            at: site.at,
            row: site.row,
        };
        match site.kind {
            SiteKind::Call => self.link_call(site, what, links),
            SiteKind::Macro => {
                let defs = self.def(file, site.scope, site.what, Ns::Macro);
                self.link_defs(&defs, site.what, what, links);
            }
            SiteKind::New | SiteKind::Type => {
                let mut defs = self.def(file, site.scope, site.what, Ns::Type);
                if defs.is_empty() {
                    defs = self.through_type(site);
                }
                if defs.iter().any(|def| matches!(def, Def::Param(..))) {
                    return;
                }
                self.link_defs(&defs, site.what, what, links);
            }
            SiteKind::Decorator => {
                let mut defs = self.def(file, site.scope, site.what, Ns::Type);
                if defs.is_empty() {
                    defs = self.def(file, site.scope, site.what, Ns::Macro);
                }
                if defs.is_empty() {
                    let name = self.last_text(site.what).to_owned();
                    external(links, what, name);
                    return;
                }
                self.link_defs(&defs, site.what, what, links);
            }
            SiteKind::Value | SiteKind::Implicit | SiteKind::Write => {
                self.link_value(site, what, links);
            }
        }
    }

    /// `Self { … }`, `Self::Variant { … }`, an associated type.
    fn through_type(&mut self, site: &Site) -> Vec<Def> {
        let file = self.file;
        if let Some(Expr::Path(of, name)) = self.expr_of(site.what) {
            let ty = self.path_type(file, site.scope, of);
            let name = self.atom(file, name);
            if let Ty::Adt(symbol, _) = ty {
                let found = self.variant(symbol, name);
                if !found.is_empty() {
                    return found;
                }
            }
            return Vec::new();
        }
        match self.path_type(file, site.scope, site.what) {
            Ty::Adt(symbol, _) => vec![Def::Symbol(symbol)],
            _ => Vec::new(),
        }
    }

    fn expr_of(&self, expr: ExprId) -> Option<Expr> {
        let unit = self.unit(self.file)?;
        unit.facts.exprs.get(expr.index()).copied()
    }

    fn link_value(&mut self, site: &Site, what: Use, links: &mut Links) {
        let file = self.file;
        let mut symbols = Vec::new();
        match self.callee(file, site.scope, site.what, &[]) {
            Callee::Functions(found, certainty, _) => {
                symbols.extend(found.into_iter().map(|found| (found.symbol, certainty)));
            }
            Callee::Constructor(symbol, certainty) => symbols.push((symbol, certainty)),
            Callee::Path(path, _) => {
                external(links, what, path.to_string());
                return;
            }
            _ => {
                for def in self.def(file, site.scope, site.what, Ns::Value) {
                    if let Def::Symbol(symbol) = def {
                        symbols.push((symbol, Certainty::Exact));
                    }
                }
            }
        }
        self.finish(symbols, what, links);
    }

    fn link_call(&mut self, site: &Site, what: Use, links: &mut Links) {
        let file = self.file;
        let args = self.arguments(file, site.scope, site.args);
        match self.callee(file, site.scope, site.what, &args) {
            Callee::Functions(found, certainty, _) => {
                let symbols = found.into_iter().map(|found| (found.symbol, certainty));
                if !self.finish(symbols.collect(), what, links) {
                    self.unresolved(site, what, links);
                }
            }
            Callee::Constructor(symbol, certainty) => {
                let what = Use {
                    kind: EdgeKind::Instantiates,
                    ..what
                };
                push(links, what, self.world.id(symbol), certainty);
            }
            // What another crate gave may be a type of this one all the same (`from_str::<T>`).
            Callee::Method(ty, _) if ty.is_foreign() => self.unresolved(site, what, links),
            Callee::Method(ty, name) => {
                let of = self.shown(&ty);
                external(links, what, format!("{of}.{name}"));
            }
            Callee::Path(path, _) => external(links, what, path.to_string()),
            Callee::Value(ty, certainty) => match ty {
                Ty::Item(symbol, _) => {
                    self.link_holder(site, what, links);
                    let kind = self.symbol(symbol).map(|facts| facts.kind);
                    let made = matches!(kind, Some(SymbolKind::Struct | SymbolKind::EnumMember));
                    let kind = if made {
                        EdgeKind::Instantiates
                    } else {
                        EdgeKind::Calls
                    };
                    let certainty = certainty.max(Certainty::Inferred);
                    push(
                        links,
                        Use { kind, ..what },
                        self.world.id(symbol),
                        certainty,
                    );
                }
                Ty::Unknown => {
                    self.link_holder(site, what, links);
                    self.unresolved(site, what, links);
                }
                _ => self.link_holder(site, what, links),
            },
            Callee::Unknown => {
                self.link_holder(site, what, links);
                self.unresolved(site, what, links);
            }
        }
    }

    /// A call of a constant or a static reads it, whatever it holds.
    fn link_holder(&mut self, site: &Site, what: Use, links: &mut Links) {
        let read = Use {
            kind: EdgeKind::References,
            ..what
        };
        for def in self.def(self.file, site.scope, site.what, Ns::Value) {
            let Def::Symbol(symbol) = def else {
                continue;
            };
            let kind = self.symbol(symbol).map(|facts| facts.kind);
            if matches!(kind, Some(SymbolKind::Constant | SymbolKind::Variable)) {
                push(links, read, self.world.id(symbol), Certainty::Exact);
            }
        }
    }

    /// A call of which nothing is known. The only method of its name would be right in two cases of
    /// three only, so no edge is made of it.
    fn unresolved(&mut self, site: &Site, what: Use, links: &mut Links) {
        let name = self.last_text(site.what);
        if let Some(Expr::Member(..)) = self.expr_of(site.what) {
            // No method of the checkout has the name, so it can hide none.
            self.note(key::method(name));
            if self.world.methods(name).is_empty() {
                external(links, what, format!("_.{name}"));
                return;
            }
        }
        links.unresolved.push(Unresolved {
            from: what.from,
            name: name.split('·').next().unwrap_or(name).to_owned(),
            kind: what.kind,
            at: what.at,
            row: what.row,
        });
    }

    fn last_text(&self, expr: ExprId) -> &'w str {
        match self.expr_of(expr) {
            Some(Expr::Name(name) | Expr::Member(_, name) | Expr::Path(_, name)) => {
                self.text(self.file, name)
            }
            Some(Expr::Generic(of, _)) => match self.expr_of(of) {
                Some(Expr::Name(name) | Expr::Member(_, name) | Expr::Path(_, name)) => {
                    self.text(self.file, name)
                }
                _ => "",
            },
            _ => "",
        }
    }

    /// A type as it is written, without arguments.
    fn shown(&self, ty: &Ty) -> String {
        match ty {
            Ty::Adt(symbol, _) => match self.symbol(*symbol) {
                Some(facts) => self.text(symbol.file, facts.name).to_owned(),
                None => String::new(),
            },
            Ty::Outside(name, _) => name.trim_start_matches('?').to_string(),
            Ty::OneOf(any) => any.first().map_or(String::new(), |one| self.shown(one)),
            Ty::Any(bounds) => bounds.first().map_or(String::new(), |b| b.name.to_string()),
            Ty::Param(file, _, name) => self.text(*file, *name).to_owned(),
            Ty::Tuple(_) => "()".to_owned(),
            _ => "_".to_owned(),
        }
    }

    fn link_defs(&mut self, defs: &[Def], expr: ExprId, what: Use, links: &mut Links) {
        let mut symbols = Vec::new();
        for def in defs {
            match def {
                Def::Symbol(symbol) => {
                    if symbol.file != self.file || Some(symbol.symbol) != what.from {
                        symbols.push((*symbol, Certainty::Exact));
                    }
                }
                Def::Outside(path) => {
                    external(links, what, path.to_string());
                    return;
                }
                _ => return,
            }
        }
        if defs.is_empty() && matches!(what.kind, EdgeKind::Calls | EdgeKind::Instantiates) {
            let name = self.last_text(expr);
            if what.kind == EdgeKind::Calls && super::known::is_macro(name) {
                external(links, what, format!("std::{name}"));
                return;
            }
            links.unresolved.push(Unresolved {
                from: what.from,
                name: name.to_owned(),
                kind: what.kind,
                at: what.at,
                row: what.row,
            });
            return;
        }
        self.finish(symbols, what, links);
    }

    /// Writes what a use came to; whether it came to anything.
    fn finish(
        &mut self,
        mut symbols: Vec<(SymRef, Certainty)>,
        what: Use,
        links: &mut Links,
    ) -> bool {
        if !matches!(what.kind, EdgeKind::Calls | EdgeKind::Instantiates) {
            symbols
                .retain(|(symbol, _)| symbol.file != self.file || Some(symbol.symbol) != what.from);
        }
        symbols.sort_unstable();
        symbols.dedup_by_key(|(symbol, _)| *symbol);
        if symbols.is_empty() || symbols.len() > CANDIDATES {
            return false;
        }
        let many = symbols.len() > 1;
        for (symbol, certainty) in symbols {
            let certainty = if many {
                certainty.max(Certainty::Candidate)
            } else {
                certainty
            };
            push(links, what, self.world.id(symbol), certainty);
        }
        true
    }
}

fn push(links: &mut Links, what: Use, to: super::super::StableId, certainty: Certainty) {
    links.edges.push(Link {
        from: what.from,
        to,
        kind: what.kind,
        certainty,
        at: what.at,
        row: what.row,
    });
}

fn external(links: &mut Links, what: Use, name: String) {
    links.external.push(External {
        from: what.from,
        name,
        kind: what.kind,
        at: what.at,
        row: what.row,
    });
}
