//! Links what the language calls without naming it: what a loop, a `with` or an operator runs.

use super::super::eval::Eval;
use super::super::value::{SymRef, Value};
use super::super::{Certainty, Links, key};
use super::{Use, one_each};
use crate::facts::{Expr, Site};

impl Eval<'_> {
    /// Such a use is known only where the class of the value is, and is not told otherwise: most
    /// values are of types from outside.
    pub(super) fn link_implicit(&mut self, site: &Site, what: Use, links: &mut Links) {
        let file = self.file;
        let Some(unit) = self.world.unit(file) else {
            return;
        };
        let Some(Expr::Member(of, name)) = unit.facts.exprs.get(site.what.index()) else {
            return;
        };
        let first = unit.facts.name(*name);
        let rules = self.world.rules(file);
        for member in [Some(first), rules.implicit_instead(first)] {
            let Some(member) = member else {
                return;
            };
            self.note(key::method(member));
            if self.world.methods(member).is_empty() {
                continue;
            }
            let receiver = self.eval(file, site.scope, *of);
            // A value that may be of a type from outside as well is one of several.
            let least = match receiver.iter().count() {
                1 => Certainty::Typed,
                _ => Certainty::Candidate,
            };
            let mut targets: Vec<(SymRef, Certainty)> = Vec::new();
            for (value, certainty) in receiver.iter() {
                // What a class has, it has for its instances.
                if !matches!(
                    value,
                    Value::Instance(..) | Value::This(_) | Value::Super(_)
                ) {
                    continue;
                }
                let found = self.member(value, (*certainty).max(least), member);
                for (value, certainty) in found.iter() {
                    if let Value::Function(symbol, _) = value {
                        targets.push((*symbol, *certainty));
                    }
                }
            }
            one_each(&mut targets);
            if !targets.is_empty() {
                self.finish(site.scope, site.what, targets, None, what, false, links);
                return;
            }
        }
    }
}
