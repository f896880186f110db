//! What the tests of pytest get as parameters.

use super::modules::join;
use super::{Python, plain};
use crate::facts::{Flags, FunctionId};
use crate::link::Certainty;
use crate::link::eval::Eval;
use crate::link::rules::Rules as _;
use crate::link::value::{Class, FileId, Value, Values};

impl Python {
    /// What a test's parameter gets from the fixture of its name: one of the file, or of a
    /// `conftest` beside or above it.
    pub(super) fn fixture(
        &self,
        eval: &mut Eval<'_>,
        file: FileId,
        function: FunctionId,
        index: u16,
    ) -> Values {
        let world = eval.world;
        let Some(unit) = world.unit(file) else {
            return Values::none();
        };
        let Some(facts) = unit.facts.functions.get(function.index()) else {
            return Values::none();
        };
        let symbol = facts
            .symbol
            .and_then(|id| unit.facts.symbols.get(id.index()));
        let of_tests = symbol.is_some_and(|symbol| {
            symbol.flags.has(Flags::TEST)
                || (symbol.flags.has(Flags::ENTRY) && symbol.flags.has(Flags::DECORATED))
        });
        let Some(param) = facts.params.get(usize::from(index)) else {
            return Values::none();
        };
        if !of_tests {
            return Values::none();
        }
        let Some(atom) = unit.atom(param.name) else {
            return Values::none();
        };
        let mut open: Vec<FileId> = vec![file];
        let mut folder = world.tree.folder(file);
        loop {
            open.extend(eval.probe(&join(folder, "conftest.py")));
            if folder.is_empty() {
                break;
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
        for from in open {
            if !eval.has_top(from, atom) {
                continue;
            }
            let found = eval.top(from, atom);
            let Some((Value::Function(fixture, _), _)) = found.single() else {
                continue;
            };
            let fixture = *fixture;
            let is_fixture = eval.facts(fixture).is_some_and(|facts| {
                facts.flags.has(Flags::ENTRY) && facts.flags.has(Flags::DECORATED)
            });
            if !is_fixture {
                continue;
            }
            let result = eval.call_function(fixture, None, None);
            return eval.each(&result, |eval, value, _| match value {
                Value::Instance(Class::External(name), _)
                    if matches!(
                        plain(name),
                        "Generator" | "Iterator" | "AsyncGenerator" | "AsyncIterator"
                    ) =>
                {
                    self.element(eval, value)
                }
                value => Values::one(value.clone(), Certainty::Inferred),
            });
        }
        Values::none()
    }
}
