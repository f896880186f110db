//! What classes inherit, in the order in which members are looked for.

use super::super::eval::{Eval, Node};
use super::super::value::{Class, SymRef, Value, Values};
use super::super::{Certainty, key};
use super::generic::Subst;
use hashbrown::HashSet;

impl Eval<'_> {
    /// A type and all that it inherits from, in the order of looking. What several inherit from
    /// comes after all of them.
    pub(crate) fn lineage(&mut self, class: SymRef) -> Values {
        self.node(Node::Lineage(class, self.seen_from()), |eval| {
            let Some(unit) = eval.world.unit(class.file) else {
                return Values::none();
            };
            if let Some(qual) = unit.quals.get(class.symbol.index()) {
                eval.note(key::of_file(unit.path, key::head(*qual)));
            }
            let mut all: Vec<(Value, Certainty)> = vec![(Value::class(class), Certainty::Typed)];
            for base in unit.bases(class.symbol) {
                let values = eval.eval(class.file, base.scope, base.what);
                eval.inherit(class, &values, &mut all);
            }
            if eval.world.rules(class.file).has_extensions() {
                let name = eval.facts(class).map(|facts| unit.facts.name(facts.name));
                let target = name.unwrap_or_default();
                eval.note(key::extension(target));
                let world = eval.world;
                for (file, extension) in world.extensions(target) {
                    let block = world
                        .unit(*file)
                        .and_then(|u| u.facts.extensions.get(*extension as usize));
                    if block.is_none_or(|block| block.interface.is_none()) {
                        continue;
                    }
                    if eval.extends(*file, *extension, class) {
                        let values = eval.interface(*file, *extension);
                        eval.inherit(class, &values, &mut all);
                    }
                }
            }
            if let Some(root) = eval.world.rules(class.file).root() {
                all.push((Value::external(root), Certainty::Typed));
            }
            // A long chain makes long lists, so each is gone through once, from its end.
            let mut seen = HashSet::with_capacity(all.len());
            let from_end = all.iter().rev().map(|(value, _)| match value {
                Value::Type(class, _) => seen.insert((Some(class), None)),
                value => seen.insert((None, Some(value))),
            });
            let is_last: Vec<bool> = from_end.collect();
            drop(seen);
            let kept = all.into_iter().zip(is_last.into_iter().rev()).enumerate();
            let kept = kept.filter(|(at, (_, is_last))| *at == 0 || *is_last);
            let kept = kept.map(|(_, (found, _))| found).collect();
            Values::list(kept)
        })
    }

    /// Adds what a type inherits from.
    fn inherit(&mut self, class: SymRef, bases: &Values, all: &mut Vec<(Value, Certainty)>) {
        for (value, certainty) in bases.iter() {
            if let Some(values) = self.aliased(value) {
                let least = *certainty;
                self.inherit(class, &values.weakened(least), all);
                continue;
            }
            match value {
                Value::Type(Class::Symbol(base), args) if *base != class => {
                    let lineage = self.lineage(*base);
                    let mut subst = Subst::default();
                    self.bind_variables(*base, args, &mut subst);
                    for (value, inner) in lineage.iter() {
                        let value = match value {
                            Value::Type(Class::Symbol(of), _) if of == base => {
                                Value::Type(Class::Symbol(*base), args.clone())
                            }
                            value if subst.variables.is_empty() || !value.is_open() => {
                                value.clone()
                            }
                            value => {
                                let one = Values::one(value.clone(), *inner);
                                let put = self.substitute(&one, &subst);
                                put.single().map_or(value.clone(), |(v, _)| v.clone())
                            }
                        };
                        if !matches!(&value, Value::Type(Class::Symbol(c), _) if *c == class) {
                            all.push((value, (*certainty).max(*inner)));
                        }
                    }
                }
                Value::Type(Class::External(_), _) => all.push((value.clone(), *certainty)),
                value => {
                    let rules = self.world.rules(class.file);
                    let bases = rules.base_of(self, value);
                    let types = bases
                        .iter()
                        .any(|(base, _)| matches!(base, Value::Type(..)));
                    if types {
                        let least = *certainty;
                        self.inherit(class, &bases.weakened(least), all);
                    }
                }
            }
        }
    }
}
