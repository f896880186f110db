//! From the sites of one file to its links.

use super::eval::{Eval, Memo};
use super::value::{Class, FileId, SymRef, Value, Values};
use super::world::Atom;
use super::{Certainty, EdgeKind, External, Link, Links, Unresolved, key};
use crate::facts::{
    BaseKind, Bound, Expr, ExprId, Flags, Import, ImportId, NameId, ScopeId, Site, SiteKind,
    SymbolId, SymbolKind,
};
use hashbrown::HashSet;
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
        links.lookups = self.lookups(unit.path);
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
    fn lookups(mut self, _own: u64) -> Vec<u64> {
        let mut keys: Vec<u64> = Vec::new();
        let mut seen: HashSet<*const Memo> = HashSet::new();
        let mut open: Vec<Arc<Memo>> = Vec::new();
        for frame in &mut self.frames {
            keys.append(&mut frame.keys);
            open.append(&mut frame.uses);
        }
        while let Some(memo) = open.pop() {
            if seen.insert(Arc::as_ptr(&memo)) {
                keys.extend_from_slice(memo.keys());
                open.extend(memo.uses().iter().cloned());
            }
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    // ------------------------------------------------------------------ imports and inheritance

    fn link_import(&mut self, id: ImportId, links: &mut Links) {
        let file = self.file;
        let Some(unit) = self.world.unit(file) else {
            return;
        };
        let Some(import) = unit.facts.imports.get(id.index()) else {
            return;
        };
        let rules = self.world.rules(file);
        let what = Use {
            from: None,
            kind: EdgeKind::Imports,
            at: import.at,
            row: import.row,
        };
        let module = Import {
            name: None,
            ..*import
        };
        let modules = rules.imported_module(self, file, &module);
        let mut known = false;
        for (value, certainty) in modules.iter() {
            match value {
                Value::Module(of) if *of != file => {
                    let to = self.world.id_of(of.index(), None);
                    push(links, what, to, *certainty);
                    known = true;
                }
                Value::Module(_) => known = true,
                _ => {}
            }
        }
        if let Some(name) = import.name {
            let mut symbols = Vec::new();
            let mut seen = HashSet::new();
            for (value, _) in modules.iter() {
                if let Value::Module(of) = value
                    && let Some(atom) = unit.atom(name)
                {
                    self.named_top(*of, atom, &mut seen, &mut symbols);
                }
            }
            if symbols.is_empty() {
                let values = self.import(file, id);
                for (value, certainty) in values.iter() {
                    match value {
                        Value::Module(of) => {
                            let to = self.world.id_of(of.index(), None);
                            push(links, what, to, *certainty);
                            known = true;
                        }
                        value => {
                            if let Some(symbol) = symbol_of(value) {
                                push(links, what, self.world.id(symbol), *certainty);
                                known = true;
                            }
                        }
                    }
                }
            }
            for symbol in symbols {
                push(links, what, self.world.id(symbol), Certainty::Exact);
                known = true;
            }
        }
        if known {
            return;
        }
        let values = if import.name.is_some() {
            self.import(file, id)
        } else {
            modules
        };
        let outside = values.iter().find_map(|(value, _)| value.external_name());
        match outside {
            Some(name) => links.external.push(External {
                from: None,
                name: name.to_string(),
                kind: EdgeKind::Imports,
                at: import.at,
                row: import.row,
            }),
            None => {
                let name = import.name.unwrap_or(import.module);
                unresolved(links, what, unit.facts.name(name));
            }
        }
    }

    fn link_types(
        &mut self,
        scope: ScopeId,
        expr: ExprId,
        values: &Values,
        what: Use,
        links: &mut Links,
    ) {
        let mut targets: Vec<(SymRef, Certainty)> = Vec::new();
        let mut outside = None;
        // A name may mean a type and a value at once, an interface and the constant that makes it:
        // it is the type that is inherited, not the one that the constant is declared to have.
        let is_named = values
            .iter()
            .any(|(value, _)| matches!(value, Value::Type(Class::Symbol(_), _)));
        for (value, certainty) in values.iter() {
            let counts = match value {
                Value::Type(..) | Value::Function(..) => true,
                Value::Instance(..) => !is_named,
                _ => false,
            };
            if !counts {
                continue;
            }
            match symbol_of(value) {
                Some(symbol) => {
                    let own = symbol.file == self.file && Some(symbol.symbol) == what.from;
                    if !own {
                        targets.push((symbol, *certainty));
                    }
                }
                None => outside = value.external_name().cloned().or(outside),
            }
        }
        // Slices and the like are no types that one inherits from.
        if targets.is_empty() && outside.as_deref() == Some(self.world.rules(self.file).array()) {
            return;
        }
        self.finish(scope, expr, targets, outside, what, true, links);
    }

    /// Edges from methods to those that they replace.
    fn link_overrides(&mut self, links: &mut Links) {
        let file = self.file;
        let Some(unit) = self.world.unit(file) else {
            return;
        };
        for (at, class) in unit.facts.symbols.iter().enumerate() {
            let Some(members) = class.members else {
                continue;
            };
            if class.kind == SymbolKind::Module {
                continue;
            }
            self.refuel();
            let this = SymRef {
                file,
                symbol: SymbolId(at as u32),
            };
            let this = self.canonical(this);
            let lineage = self.lineage(this);
            if lineage.single().is_some() {
                continue;
            }
            for binding in unit.facts.bindings_in(members) {
                let Bound::Symbol(symbol) = binding.bound else {
                    continue;
                };
                let Some(method) = unit.facts.symbols.get(symbol.index()) else {
                    continue;
                };
                if !matches!(
                    method.kind,
                    SymbolKind::Method
                        | SymbolKind::Getter
                        | SymbolKind::Setter
                        | SymbolKind::Function
                ) {
                    continue;
                }
                let Some(atom) = unit.atom(binding.name) else {
                    continue;
                };
                for (value, _) in lineage.iter().skip(1) {
                    let Value::Type(Class::Symbol(base), _) = value else {
                        continue;
                    };
                    if !self.has_own(*base, atom) {
                        continue;
                    }
                    let there = self.own_symbols(*base, atom);
                    for replaced in there {
                        let Some(facts) = self.facts(replaced) else {
                            continue;
                        };
                        let fits = facts.kind == method.kind
                            || !matches!(facts.kind, SymbolKind::Getter | SymbolKind::Setter);
                        if facts.kind.is_callable() && fits {
                            let what = Use {
                                from: Some(symbol),
                                kind: EdgeKind::Overrides,
                                at: method.name_at,
                                row: method.name_row,
                            };
                            push(links, what, self.world.id(replaced), Certainty::Typed);
                        }
                    }
                    break;
                }
            }
        }
    }

    /// The symbols that a type itself binds to a name.
    fn own_symbols(&mut self, class: SymRef, name: Atom) -> Vec<SymRef> {
        let mut found = Vec::new();
        if let Some(unit) = self.world.unit(class.file)
            && let Some(facts) = unit.facts.symbols.get(class.symbol.index())
            && let (Some(members), Some(id)) = (facts.members, unit.name(name))
        {
            for binding in unit.facts.bindings_of(members, id) {
                if let Bound::Symbol(symbol) = binding.bound {
                    found.push(SymRef {
                        file: class.file,
                        symbol,
                    });
                }
            }
        }
        found
    }

    // ------------------------------------------------------------------ sites

    fn link_site(&mut self, site: &Site, links: &mut Links) {
        let file = self.file;
        let kind = match site.kind {
            SiteKind::Call | SiteKind::Macro => EdgeKind::Calls,
            SiteKind::New => EdgeKind::Instantiates,
            SiteKind::Value => EdgeKind::References,
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
            SiteKind::Type | SiteKind::Decorator => {
                if let (SiteKind::Decorator, Some(decorated)) = (site.kind, site.owner)
                    && self.is_innermost(site)
                {
                    let values = self.callee(site.scope, site.what);
                    self.note_decorated(decorated, &values);
                }
                let mut symbols = self.named_by(site.scope, site.what);
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
                if let Some(unit) = self.world.unit(file)
                    && let Some(Expr::Member(_, name)) = unit.facts.exprs.get(site.what.index())
                    && self.world.rules(file).implicit(unit.facts.name(*name))
                {
                    outside = None;
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

    fn link_call(&mut self, site: &Site, what: Use, links: &mut Links) {
        let values = self.callee(site.scope, site.what);
        self.link_called(site, &values, what, false, links);
    }

    /// Links a call of these values. One that hangs on a parameter waits until all calls of the
    /// file are known, unless it is the `last` time.
    fn link_called(
        &mut self,
        site: &Site,
        values: &Values,
        what: Use,
        last: bool,
        links: &mut Links,
    ) {
        self.note_call(site, values);
        let mut targets: Vec<(SymRef, Certainty)> = Vec::new();
        let mut made: Vec<(SymRef, Value, Certainty)> = Vec::new();
        let mut outside = None;
        let mut closure = false;
        let raised = site.kind == SiteKind::New && self.world.rules(self.file).raises();
        for (value, certainty) in values.iter() {
            match value {
                Value::Instance(..) | Value::This(_) | Value::Function(..) if raised => {
                    closure = true;
                }
                Value::Function(symbol, receiver) => {
                    targets.push((*symbol, *certainty));
                    // A constructor with a name of its own makes an instance as well.
                    let constructor = self
                        .facts(*symbol)
                        .is_some_and(|facts| facts.kind == SymbolKind::Constructor);
                    if let Some(Value::Type(Class::Symbol(class), _)) = receiver.as_deref()
                        && constructor
                    {
                        let new = Use {
                            kind: EdgeKind::Instantiates,
                            ..what
                        };
                        push(links, new, self.world.id(*class), *certainty);
                    }
                }
                Value::Type(Class::Symbol(class), _)
                    if site.kind == SiteKind::Call && self.type_call(*class, value).is_some() =>
                {
                    let called = self.type_call(*class, value).unwrap_or_default();
                    for (value, inner) in called.iter() {
                        if let Value::Function(symbol, _) = value {
                            targets.push((*symbol, (*certainty).max(*inner)));
                        }
                    }
                }
                Value::Type(Class::Symbol(class), _) | Value::ThisType(class) => {
                    made.push((*class, value.clone(), *certainty));
                }
                Value::Type(Class::External(name), _) => outside = Some(name.clone()),
                Value::Instance(Class::External(name), _) => outside = Some(name.clone()),
                Value::Instance(Class::Symbol(class), _) | Value::This(class) => {
                    if self.is_function_type(*class) {
                        closure = true;
                        continue;
                    }
                    let Some(member) = self.world.rules(class.file).call_member() else {
                        continue;
                    };
                    let called = self.member(value, *certainty, member);
                    for (value, certainty) in called.iter() {
                        match value {
                            Value::Function(symbol, _) => targets.push((*symbol, *certainty)),
                            value => outside = value.external_name().cloned().or(outside),
                        }
                    }
                }
                Value::Closure(..) => closure = true,
                _ => {}
            }
        }
        one_each(&mut targets);
        self.only_fitting(site, &mut targets);
        let followed = targets
            .iter()
            .map(|(_, certainty)| certainty)
            .chain(made.iter().map(|(_, _, certainty)| certainty))
            .all(|certainty| *certainty >= Certainty::Inferred);
        if followed && self.world.rules(self.file).calls_variables() {
            let variables = self.variables_named(site);
            if !variables.is_empty() {
                targets = variables;
                made.clear();
            }
        }
        if targets.is_empty() && made.is_empty() && outside.is_none() && !closure {
            if !last && self.hangs_on_parameter(site, values) {
                self.flow.waiting.push(*site);
                return;
            }
            targets = self.below(site);
            if targets.is_empty() {
                targets = self.unique(site.what);
            }
        } else if !last && self.is_parameter(values) {
            // A default is known; what calls pass is not yet.
            self.flow.waiting.push(*site);
        }
        let possible = targets.len() + made.len();
        if possible > CANDIDATES {
            targets.clear();
            made.clear();
            outside = None;
            closure = false;
        }
        let many = possible > 1;
        for (class, value, certainty) in &made {
            let certainty = if many {
                (*certainty).max(Certainty::Candidate)
            } else {
                *certainty
            };
            let new = Use {
                kind: EdgeKind::Instantiates,
                ..what
            };
            push(links, new, self.world.id(*class), certainty);
            let constructors = self.constructors(*class, value);
            let mut all: Vec<(SymRef, Certainty)> = Vec::new();
            for (value, _) in constructors.iter() {
                if let Value::Function(symbol, _) = value {
                    // An inherited one is reached through the class.
                    let inherited = self.is_inherited(*symbol, *class);
                    if !inherited {
                        all.push((*symbol, certainty));
                    }
                }
            }
            self.only_fitting(site, &mut all);
            let several = all.len() > 1;
            for (symbol, certainty) in all {
                let call = Use {
                    kind: EdgeKind::Calls,
                    ..what
                };
                let certainty = if several {
                    certainty.max(Certainty::Candidate)
                } else {
                    certainty
                };
                push(links, call, self.world.id(symbol), certainty);
            }
        }
        let known = closure || raised || !made.is_empty();
        if many {
            for target in &mut targets {
                target.1 = target.1.max(Certainty::Candidate);
            }
        }
        // What is made and is not here is still made.
        let kind = match site.kind {
            SiteKind::New if targets.is_empty() => EdgeKind::Instantiates,
            _ => EdgeKind::Calls,
        };
        let call = Use { kind, ..what };
        self.finish(site.scope, site.what, targets, outside, call, !known, links);
    }

    /// The variables and fields that a call names, when it names nothing else.
    fn variables_named(&mut self, site: &Site) -> Vec<(SymRef, Certainty)> {
        let named = self.named_by(site.scope, site.what);
        let variable = |(symbol, _): &(SymRef, Certainty)| {
            self.facts(*symbol).is_some_and(|facts| {
                matches!(
                    facts.kind,
                    SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Field
                ) && facts.function.is_none()
            })
        };
        match named.iter().all(variable) {
            true => named,
            false => Vec::new(),
        }
    }

    /// Whether a constructor is that of another type. A part of the same type in another file has
    /// its name.
    fn is_inherited(&self, constructor: SymRef, class: SymRef) -> bool {
        let Some(facts) = self.facts(constructor) else {
            return false;
        };
        // One that is written apart from its type says whose it is.
        let (None, Some(symbol)) = (facts.owner, facts.parent) else {
            return false;
        };
        let parent = SymRef {
            file: constructor.file,
            symbol,
        };
        if parent.file == class.file {
            return parent.symbol != class.symbol;
        }
        let name = |of: SymRef| Some(self.unit(of.file)?.facts.name(self.facts(of)?.name));
        name(parent) != name(class)
    }

    /// What a type has to be called by its name, when it has that.
    fn type_call(&mut self, class: SymRef, value: &Value) -> Option<Values> {
        let name = self.world.rules(class.file).type_call_member()?;
        let atom = self.world.atom(name);
        self.has_own(class, atom)
            .then(|| self.member_atom(value, Certainty::Exact, atom))
    }

    /// Of several functions of one name, those that take so many arguments.
    fn only_fitting(&mut self, site: &Site, targets: &mut Vec<(SymRef, Certainty)>) {
        if targets.len() < 2 {
            return;
        }
        let args = super::eval::Arguments {
            file: self.file,
            scope: site.scope,
            list: site.args,
            types: Default::default(),
        };
        let Some(count) = self.count(args) else {
            return;
        };
        let mut fitting = Vec::new();
        for (symbol, certainty) in targets.iter() {
            let rules = self.world.rules(symbol.file);
            if rules.takes(self, *symbol, count) {
                fitting.push((*symbol, *certainty));
            }
        }
        if !fitting.is_empty() {
            *targets = fitting;
        }
        let type_args =
            self.unit(self.file)
                .map_or(0, |unit| match unit.facts.exprs.get(site.what.index()) {
                    Some(Expr::Generic(_, list)) => usize::from(list.len),
                    _ => 0,
                });
        if targets.len() < 2 {
            return;
        }
        let mut best: Vec<(SymRef, Certainty)> = Vec::new();
        let mut most = 0;
        for (symbol, certainty) in targets.iter() {
            let rules = self.world.rules(symbol.file);
            let Some(score) = rules.fits(self, *symbol, args, type_args) else {
                continue;
            };
            if best.is_empty() || score > most {
                most = score;
                best.clear();
            }
            if score == most {
                best.push((*symbol, *certainty));
            }
        }
        if !best.is_empty() {
            *targets = best;
        }
    }

    /// A member of the receiver that only types of the file have that inherit from its type.
    fn below(&mut self, site: &Site) -> Vec<(SymRef, Certainty)> {
        let file = self.file;
        let mut targets: Vec<(SymRef, Certainty)> = Vec::new();
        let Some(unit) = self.world.unit(file) else {
            return targets;
        };
        let Some(Expr::Member(of, name)) = unit.facts.exprs.get(site.what.index()) else {
            return targets;
        };
        if !self.world.rules(file).looks_below() {
            return targets;
        }
        let receiver = self.eval(file, site.scope, *of);
        let Some((Value::This(class) | Value::ThisType(class), _)) = receiver.single() else {
            return targets;
        };
        let (class, Some(atom)) = (*class, unit.atom(*name)) else {
            return targets;
        };
        for (at, symbol) in unit.facts.symbols.iter().enumerate() {
            if symbol.members.is_none() {
                continue;
            }
            let symbol = SymbolId(at as u32);
            let below = SymRef { file, symbol };
            let lineage = self.lineage(below);
            let inherits = lineage
                .iter()
                .skip(1)
                .any(|(base, _)| matches!(base, Value::Type(Class::Symbol(of), _) if *of == class));
            if !inherits {
                continue;
            }
            let found = self.member_atom(&Value::This(below), Certainty::Inferred, atom);
            for (value, certainty) in found.iter() {
                if let Value::Function(symbol, _) = value {
                    targets.push((*symbol, *certainty));
                }
            }
        }
        one_each(&mut targets);
        targets
    }

    /// The only method of a name, where the language lets that count.
    fn unique(&mut self, what: ExprId) -> Vec<(SymRef, Certainty)> {
        let Some(unit) = self.world.unit(self.file) else {
            return Vec::new();
        };
        let Some(Expr::Member(_, name)) = unit.facts.exprs.get(what.index()) else {
            return Vec::new();
        };
        let text = unit.facts.name(*name);
        if !self.world.rules(self.file).unique_method(text) {
            return Vec::new();
        }
        self.note(key::method(text));
        let [(file, 1)] = self.world.methods(text) else {
            return Vec::new();
        };
        let Some(there) = self.world.unit(*file) else {
            return Vec::new();
        };
        let Some(name) = there.facts.names.find(text) else {
            return Vec::new();
        };
        let symbols = there.facts.symbols.iter().enumerate();
        symbols
            .filter(|(_, s)| s.name == name && s.parent.is_some() && s.kind.is_callable())
            .map(|(at, _)| {
                let symbol = SymbolId(at as u32);
                (
                    SymRef {
                        file: *file,
                        symbol,
                    },
                    Certainty::Name,
                )
            })
            .take(1)
            .collect()
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

    // ------------------------------------------------------------------ names as symbols

    /// The symbols that an expression names, variables included: what stands at the end of a name,
    /// not what it holds.
    fn named_by(&mut self, scope: ScopeId, expr: ExprId) -> Vec<(SymRef, Certainty)> {
        let file = self.file;
        let mut symbols = Vec::new();
        let mut seen = HashSet::new();
        let mut certainty = Certainty::Exact;
        let Some(unit) = self.world.unit(file) else {
            return Vec::new();
        };
        match unit.facts.exprs.get(expr.index()) {
            Some(Expr::Name(name)) => {
                self.named_from(file, scope, *name, &mut seen, &mut symbols);
            }
            Some(Expr::Member(of, name) | Expr::Path(of, name)) => {
                let Some(atom) = unit.atom(*name) else {
                    return Vec::new();
                };
                let receiver = self.eval(file, scope, *of);
                for (value, inner) in receiver.iter() {
                    match value {
                        Value::Module(of) => {
                            self.named_top(*of, atom, &mut seen, &mut symbols);
                        }
                        Value::Object(of, members) => {
                            certainty = certainty.max(*inner);
                            if let (Some(unit), Some(id)) =
                                (self.world.unit(*of), self.name_in(*of, atom))
                            {
                                for binding in unit.facts.bindings_of(*members, id) {
                                    if let Bound::Symbol(symbol) = binding.bound {
                                        symbols.push(SymRef { file: *of, symbol });
                                    }
                                }
                            }
                        }
                        Value::Type(Class::Symbol(class), _)
                        | Value::Instance(Class::Symbol(class), _)
                        | Value::This(class)
                        | Value::ThisType(class) => {
                            certainty = certainty.max(*inner).max(Certainty::Typed);
                            let owner = self.find(*class, atom);
                            if let Some((Value::Type(Class::Symbol(owner), _), _)) = owner.single()
                            {
                                symbols.extend(self.own_symbols(*owner, atom));
                            }
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        symbols.sort_unstable();
        symbols.dedup();
        symbols
            .into_iter()
            .map(|symbol| (symbol, certainty))
            .collect()
    }

    /// The symbols that a name means, looked up from a scope outwards.
    fn named_from(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: NameId,
        seen: &mut HashSet<(FileId, NameId)>,
        symbols: &mut Vec<SymRef>,
    ) {
        let Some(unit) = self.world.unit(file) else {
            return;
        };
        let rules = self.world.rules(file);
        let mut at = Some(scope);
        while let Some(id) = at
            && let Some(here) = unit.facts.scopes.get(id.index())
        {
            at = here.parent;
            if here.kind == crate::facts::ScopeKind::Members && id != scope && !rules.sees_members()
            {
                continue;
            }
            if !unit.facts.bindings_of(id, name).is_empty() {
                self.named(file, id, name, seen, symbols);
                return;
            }
            if here.kind == crate::facts::ScopeKind::Members
                && let (Some(owner), Some(atom)) = (here.owner, unit.atom(name))
            {
                let class = SymRef {
                    file,
                    symbol: owner,
                };
                let owner = self.find(class, atom);
                if let Some((Value::Type(Class::Symbol(owner), _), _)) = owner.single() {
                    symbols.extend(self.own_symbols(*owner, atom));
                    return;
                }
            }
        }
    }

    /// The symbols that a name at the top of a module leads to, through what the module takes over
    /// from others.
    fn named_top(
        &mut self,
        file: FileId,
        name: Atom,
        seen: &mut HashSet<(FileId, NameId)>,
        symbols: &mut Vec<SymRef>,
    ) {
        let rules = self.world.rules(file);
        let text = self.world.text(name);
        let other = rules
            .exported_as(&text)
            .map(|other| self.world.atom(&other));
        for name in other.into_iter().chain([name]) {
            if self.has_top(file, name)
                && let Some(there) = self.name_in(file, name)
            {
                self.named(file, ScopeId::MODULE, there, seen, symbols);
                return;
            }
        }
        let Some(unit) = self.world.unit(file) else {
            return;
        };
        self.note_wildcards(file);
        for at in unit.wildcards_of(ScopeId::MODULE).rev() {
            let Some(import) = unit.facts.imports.get(at as usize) else {
                continue;
            };
            if !import.reexport || seen.len() >= FOLLOWED {
                continue;
            }
            // A module may take over from one that takes over from it.
            if !seen.insert((file, import.module)) {
                continue;
            }
            let modules = rules.imported_module(self, file, import);
            for (value, _) in modules.iter() {
                if let Value::Module(of) = value
                    && *of != file
                    && rules.wildcard_brings(self, *of, name)
                {
                    self.named_top(*of, name, seen, symbols);
                }
            }
            if !symbols.is_empty() {
                return;
            }
        }
    }

    /// The symbols that a scope's bindings of a name lead to.
    fn named(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: NameId,
        seen: &mut HashSet<(FileId, NameId)>,
        symbols: &mut Vec<SymRef>,
    ) {
        if seen.len() >= FOLLOWED || !seen.insert((file, name)) {
            return;
        }
        let Some(unit) = self.world.unit(file) else {
            return;
        };
        let rules = self.world.rules(file);
        let bindings = unit.facts.bindings_of(scope, name);
        for binding in rules.choose(self, file, bindings) {
            match binding.bound {
                Bound::Symbol(symbol) => symbols.push(SymRef { file, symbol }),
                Bound::Type(expr) => {
                    if let Some(Expr::Name(other)) = unit.facts.exprs.get(expr.index())
                        && *other != name
                    {
                        self.named_from(file, binding.env, *other, seen, symbols);
                    }
                }
                Bound::Import(id) => {
                    let Some(import) = unit.facts.imports.get(id.index()) else {
                        continue;
                    };
                    let Some(wanted) = import.name.and_then(|name| unit.atom(name)) else {
                        continue;
                    };
                    let module = Import {
                        name: None,
                        ..*import
                    };
                    let modules = rules.imported_module(self, file, &module);
                    let before = symbols.len();
                    for (value, _) in modules.iter() {
                        if let Value::Module(of) = value {
                            self.named_top(*of, wanted, seen, symbols);
                        }
                    }
                    if symbols.len() == before {
                        let values = self.import(file, id);
                        symbols.extend(values.iter().filter_map(|(value, _)| symbol_of(value)));
                    }
                }
                _ => {}
            }
        }
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
