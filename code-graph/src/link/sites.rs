//! From the sites of one file to its links.

mod calls;
mod heads;
mod implicit;
mod names;
mod outside;
mod shape;

use super::eval::{Eval, Memo};
use super::value::{Class, FileId, SymRef, Value, Values};
use super::{Certainty, EdgeKind, External, Link, Links, Unresolved};
use crate::facts::{
    BaseKind, Expr, ExprId, Flags, ImportId, ScopeId, Site, SiteKind, SymbolId, SymbolKind,
};
use hashbrown::HashSet;
pub(super) use outside::gives_unknown;
use std::sync::Arc;

/// More possibilities than this are noise.
const CANDIDATES: usize = 6;

/// How many files a name is followed through.
const FOLLOWED: usize = 12;

/// Where a use stands, and what it does.
#[derive(Clone, Copy)]
struct Use {
    from: Option<SymbolId>,
    kind: EdgeKind,
    at: u32,
    row: u32,
}

impl<'w> Eval<'w> {
    /// The links of a file.
    pub(super) fn link(mut self, file: FileId) -> Links {
        self.file = file;
        self.here = file;
        let mut links = Links::default();
        let Some(unit) = self.world.unit(file) else {
            return links;
        };
        for (at, _) in unit.facts.imports.iter().enumerate() {
            self.refuel();
            self.link_import(ImportId(at as u32), &mut links);
        }
        for base in &unit.facts.bases {
            self.refuel();
            let kind = match base.kind {
                BaseKind::Extends => EdgeKind::Extends,
                BaseKind::Implements => EdgeKind::Implements,
                BaseKind::MixesIn => EdgeKind::MixesIn,
            };
            let values = self.eval(file, base.scope, base.what);
            let what = Use {
                from: Some(base.class),
                kind,
                at: base.at,
                row: base.row,
            };
            self.link_types(base.scope, base.what, &values, what, &mut links);
        }
        for (at, block) in unit.facts.extensions.iter().enumerate() {
            self.refuel();
            let (Some(interface), targets) = (block.interface, self.target(file, at as u32)) else {
                continue;
            };
            // What a part of a type inherits was said with its bases.
            let owner = unit
                .facts
                .scopes
                .get(block.members.index())
                .and_then(|s| s.owner);
            let owner = owner.and_then(|owner| unit.facts.symbols.get(owner.index()));
            if owner
                .is_some_and(|owner| owner.kind.is_type() && owner.kind != SymbolKind::Extension)
            {
                continue;
            }
            let from = targets.iter().find_map(|(value, _)| match value {
                Value::Type(Class::Symbol(class), _) if class.file == file => Some(class.symbol),
                _ => None,
            });
            let values = self.interface(file, at as u32);
            let what = Use {
                from,
                kind: EdgeKind::Implements,
                at: block.at,
                row: block.row,
            };
            self.link_types(block.scope, interface, &values, what, &mut links);
        }
        self.link_overrides(&mut links);
        self.link_shapes(&mut links);
        self.link_promised(&mut links);
        for site in &unit.facts.sites {
            self.refuel();
            self.link_site(site, &mut links);
        }
        self.link_waiting(&mut links);
        let order = |e: &Link| (e.at, e.kind, e.to, e.from, e.certainty);
        links.edges.sort_by_key(order);
        links.edges.dedup_by_key(|e| (e.at, e.kind, e.to, e.from));
        links.unresolved.sort_by_key(|a| (a.at, a.kind));
        links
            .external
            .sort_by(|a, b| (a.at, a.kind, &a.name).cmp(&(b.at, b.kind, &b.name)));
        links.external.dedup();
        links.lookups = self.lookups();
        links
    }

    /// Links the calls that hang on parameters, now that it is known what the file's calls pass.
    /// What they call passes values on, so it is looked at a few times before the last.
    fn link_waiting(&mut self, links: &mut Links) {
        let waiting = std::mem::take(&mut self.flow.waiting);
        for _ in 1..super::flow::ROUNDS {
            for site in &waiting {
                self.refuel();
                let values = self.callee_by_flow(site);
                self.note_call(site, &values);
            }
        }
        for site in &waiting {
            self.refuel();
            let values = self.callee_by_flow(site);
            let what = Use {
                from: site.owner,
                kind: EdgeKind::Calls,
                at: site.at,
                row: site.row,
            };
            self.link_called(site, &values, what, true, links);
        }
    }

    /// Whether a decorator is the one that gets what is decorated itself, not what another made.
    fn is_innermost(&self, site: &Site) -> bool {
        let Some(unit) = self.world.unit(self.file) else {
            return false;
        };
        let sites = &unit.facts.sites;
        let from = sites.partition_point(|other| other.at <= site.at);
        let symbol = site.owner.and_then(|id| unit.facts.symbols.get(id.index()));
        let end = symbol.map_or(0, |symbol| symbol.name_at);
        let rest = sites.get(from..).unwrap_or_default();
        !rest
            .iter()
            .take_while(|other| other.at < end)
            .any(|other| other.kind == SiteKind::Decorator && other.owner == site.owner)
    }

    /// Everything that was looked up, sorted.
    fn lookups(mut self) -> Vec<u64> {
        let mut keys = std::mem::take(&mut self.keys);
        let mut seen: HashSet<*const Memo> = HashSet::new();
        let mut open: Vec<&Memo> = Vec::new();
        let mut use_of = |memo, open: &mut Vec<_>| {
            if seen.insert(std::ptr::from_ref::<Memo>(memo)) {
                open.push(memo);
            }
        };
        for memo in &self.uses {
            use_of(memo, &mut open);
        }
        while let Some(memo) = open.pop() {
            keys.extend_from_slice(memo.keys());
            for memo in memo.uses() {
                use_of(memo, &mut open);
            }
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    fn link_site(&mut self, site: &Site, links: &mut Links) {
        let file = self.file;
        let kind = match site.kind {
            SiteKind::Call | SiteKind::Macro => EdgeKind::Calls,
            SiteKind::New => EdgeKind::Instantiates,
            SiteKind::Value | SiteKind::Implicit => EdgeKind::References,
            SiteKind::Type => EdgeKind::UsesType,
            SiteKind::Decorator => EdgeKind::Decorates,
            SiteKind::Write => EdgeKind::Writes,
        };
        let what = Use {
            from: site.owner,
            kind,
            at: site.at,
            row: site.row,
        };
        match site.kind {
            SiteKind::Call | SiteKind::New | SiteKind::Macro => {
                self.link_call(site, what, links);
            }
            SiteKind::Implicit => self.link_implicit(site, what, links),
            SiteKind::Type | SiteKind::Decorator => {
                if let (SiteKind::Decorator, Some(decorated)) = (site.kind, site.owner)
                    && self.is_innermost(site)
                {
                    let values = self.callee(site.scope, site.what);
                    self.note_decorated(decorated, &values);
                }
                let mut symbols = self.named_by(site.scope, site.what);
                self.only_of_place(&mut symbols, what.kind);
                if symbols.is_empty() {
                    let values = self.callee(site.scope, site.what);
                    self.link_types(site.scope, site.what, &values, what, links);
                    return;
                }
                if let [_, _, ..] = symbols.as_slice() {
                    symbols = symbols
                        .into_iter()
                        .map(|(symbol, _)| (symbol, Certainty::Candidate))
                        .collect();
                }
                self.finish(site.scope, site.what, symbols, None, what, false, links);
            }
            SiteKind::Value | SiteKind::Write => {
                let mut symbols = self.named_by(site.scope, site.what);
                self.only_of_place(&mut symbols, what.kind);
                let mut outside = None;
                if symbols.is_empty() {
                    let values = self.callee(site.scope, site.what);
                    for (value, certainty) in values.iter() {
                        match value {
                            Value::Function(symbol, _) => symbols.push((*symbol, *certainty)),
                            Value::Type(Class::Symbol(symbol), _) => {
                                symbols.push((*symbol, *certainty));
                            }
                            Value::Type(Class::External(name), _) => outside = Some(name.clone()),
                            _ => {}
                        }
                    }
                }
                // A method that needs no arguments is called where it is named.
                let bare = site.kind == SiteKind::Value && self.world.rules(file).bare_calls();
                let calls = bare
                    && symbols.iter().any(|(symbol, _)| {
                        self.facts(*symbol).is_some_and(|facts| {
                            facts.kind.is_callable() && facts.flags.has(Flags::PROPERTY)
                        })
                    });
                let kind = match calls {
                    true => EdgeKind::Calls,
                    false => what.kind,
                };
                let what = Use { kind, ..what };
                self.finish(site.scope, site.what, symbols, outside, what, false, links);
            }
        }
    }

    /// Where a name means a type and a value at once, what the place can only be: a type where a type
    /// is used, else a value.
    fn only_of_place(&self, symbols: &mut Vec<(SymRef, Certainty)>, kind: EdgeKind) {
        let is_type = kind == EdgeKind::UsesType;
        let fits = |(symbol, _): &(SymRef, Certainty)| {
            let kind = self.facts(*symbol).map(|facts| facts.kind);
            kind.is_some_and(|kind| match is_type {
                true => kind.is_type() || kind == SymbolKind::TypeAlias,
                false => !matches!(kind, SymbolKind::Interface | SymbolKind::TypeAlias),
            })
        };
        if symbols.len() > 1 && symbols.iter().any(fits) {
            symbols.retain(fits);
        }
    }

    /// What a site names, its receiver evaluated by itself.
    fn callee(&mut self, scope: ScopeId, what: ExprId) -> Values {
        let file = self.file;
        let Some(unit) = self.world.unit(file) else {
            return Values::none();
        };
        match unit.facts.exprs.get(what.index()) {
            Some(Expr::Member(of, name) | Expr::Path(of, name)) => {
                let Some(atom) = unit.atom(*name) else {
                    return Values::none();
                };
                let receiver = self.eval(file, scope, *of);
                self.each(&receiver, |eval, value, certainty| {
                    eval.member_atom(value, certainty, atom)
                })
            }
            _ => self.eval(file, scope, what),
        }
    }

    /// Writes what a use came to.
    #[allow(
        clippy::too_many_arguments,
        reason = "one place ends every kind of use"
    )]
    fn finish(
        &mut self,
        scope: ScopeId,
        expr: ExprId,
        targets: Vec<(SymRef, Certainty)>,
        outside: Option<Arc<str>>,
        what: Use,
        tell: bool,
        links: &mut Links,
    ) {
        let _ = scope;
        let many = targets.len() > 1;
        if targets.len() <= CANDIDATES {
            for (symbol, certainty) in &targets {
                let certainty = if many {
                    (*certainty).max(Certainty::Candidate)
                } else {
                    *certainty
                };
                push(links, what, self.world.id(*symbol), certainty);
            }
            if !targets.is_empty() {
                return;
            }
        }
        let rules = self.world.rules(self.file);
        if let (Some(name), true) = (&outside, targets.is_empty()) {
            links.external.push(External {
                from: what.from,
                name: shown(rules, name),
                kind: what.kind,
                at: what.at,
                row: what.row,
            });
            return;
        }
        if !tell {
            return;
        }
        let Some(unit) = self.world.unit(self.file) else {
            return;
        };
        let named = match unit.facts.exprs.get(expr.index()) {
            Some(Expr::Generic(of, _)) => *of,
            _ => expr,
        };
        let name = match unit.facts.exprs.get(named.index()) {
            Some(Expr::Name(name) | Expr::Member(_, name) | Expr::Path(_, name)) => {
                unit.facts.name(*name)
            }
            _ => "",
        };
        if name == crate::extract::CONSTRUCTOR {
            // The type that is inherited from has none of its own.
            return;
        }
        unresolved(links, what, &shown(rules, name));
    }
}

/// Each target once, as sure as it was found anywhere.
fn one_each(targets: &mut Vec<(SymRef, Certainty)>) {
    let mut kept: Vec<(SymRef, Certainty)> = Vec::with_capacity(targets.len());
    for (symbol, certainty) in targets.drain(..) {
        match kept.iter_mut().find(|(known, _)| *known == symbol) {
            Some((_, known)) => *known = (*known).min(certainty),
            None => kept.push((symbol, certainty)),
        }
    }
    *targets = kept;
}

/// A method's name as it is shown.
fn shown(rules: &dyn super::rules::Rules, name: &str) -> String {
    let apart = rules.methods_apart();
    let made = name.strip_suffix(crate::extract::CONSTRUCTOR);
    let name = made
        .and_then(|class| class.strip_suffix('.'))
        .unwrap_or(name);
    let name = match name.strip_suffix("()") {
        Some(plain) if apart => plain,
        _ => name,
    };
    name.to_owned()
}

/// The symbol that a value is, or is made of.
fn symbol_of(value: &Value) -> Option<SymRef> {
    match value {
        Value::Type(Class::Symbol(symbol), _)
        | Value::Instance(Class::Symbol(symbol), _)
        | Value::Function(symbol, _)
        | Value::This(symbol)
        | Value::ThisType(symbol) => Some(*symbol),
        _ => None,
    }
}

fn push(links: &mut Links, what: Use, to: super::StableId, certainty: Certainty) {
    links.edges.push(Link {
        from: what.from,
        to,
        kind: what.kind,
        certainty,
        at: what.at,
        row: what.row,
    });
}

fn unresolved(links: &mut Links, what: Use, name: &str) {
    links.unresolved.push(Unresolved {
        from: what.from,
        name: name.to_owned(),
        kind: what.kind,
        at: what.at,
        row: what.row,
    });
}
