//! Links calls.

use super::super::eval::Eval;
use super::super::value::{Class, SymRef, Value, Values};
use super::super::{Certainty, EdgeKind, Links, key};
use super::{CANDIDATES, Use, one_each, push};
use crate::facts::{Expr, ExprId, Site, SiteKind, SymbolId, SymbolKind};

impl Eval<'_> {
    pub(super) fn link_call(&mut self, site: &Site, what: Use, links: &mut Links) {
        let values = self.callee(site.scope, site.what);
        let from = links.edges.len();
        self.link_called(site, &values, what, false, links);
        if site.kind == SiteKind::Call {
            self.link_holders(site, what, from, links);
        }
    }

    /// A call of a variable or a field reads it, whatever it holds: the one that is named is used as
    /// a value, unless the edges from number `from` on say already that it is called.
    fn link_holders(&mut self, site: &Site, what: Use, from: usize, links: &mut Links) {
        let named = self.called_by(site.scope, site.what);
        let many = named.len() > 1;
        let read = Use {
            kind: EdgeKind::References,
            ..what
        };
        for (symbol, certainty) in named.into_iter().take(CANDIDATES) {
            let to = self.world.id(symbol);
            let said = links.edges.get(from..).unwrap_or_default();
            if !self.is_variable(symbol) || said.iter().any(|edge| edge.to == to) {
                continue;
            }
            let certainty = match many {
                true => certainty.max(Certainty::Candidate),
                false => certainty,
            };
            push(links, read, to, certainty);
        }
    }

    /// Whether a symbol is a variable or a field that is no function itself.
    fn is_variable(&self, symbol: SymRef) -> bool {
        self.facts(symbol).is_some_and(|facts| {
            matches!(
                facts.kind,
                SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Field
            ) && facts.function.is_none()
        })
    }

    /// Links a call of these values. One that hangs on a parameter waits until all calls of the
    /// file are known, unless it is the `last` time.
    pub(super) fn link_called(
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
        // A type that only describes is not what is called where something else has its name.
        let describes = |class: &SymRef| {
            let kind = self.facts(*class).map(|facts| facts.kind);
            matches!(kind, Some(SymbolKind::Interface | SymbolKind::TypeAlias))
        };
        if closure || !targets.is_empty() || !made.iter().all(|(class, ..)| describes(class)) {
            made.retain(|(class, ..)| !describes(class));
        }
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
        if let Some(name) = &outside
            && targets.is_empty()
            && !known
            && site.kind == SiteKind::Call
            && self.may_be_here(site.what, name)
        {
            outside = None;
        }
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
        match named.iter().all(|(symbol, _)| self.is_variable(*symbol)) {
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
        let args = super::super::eval::Arguments {
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
}
