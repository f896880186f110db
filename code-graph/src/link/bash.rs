//! How a shell finds commands: functions of the script and of what it sources, else programs.

use super::Certainty;
use super::eval::Eval;
use super::everyone::{everyone, shares};
use super::modules::Tree;
use super::rules::Rules;
use super::value::{FileId, Value, Values};
use crate::facts::{Import, NameId, ScopeId, SymbolKind};

const SPACE: &str = "bash:";

/// The rules of Bash.
pub(crate) struct Bash;

impl Rules for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn namespace(&self, _tree: &Tree, _file: FileId) -> Option<String> {
        Some(SPACE.to_owned())
    }

    fn import(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        let Some(unit) = eval.world.unit(file) else {
            return Values::none();
        };
        let path = unit.facts.name(import.module).to_owned();
        let folder = eval.world.tree.folder(file).to_owned();
        let found = match path.strip_prefix("*/") {
            // Below a folder that only the run knows: the script's own, or one above it.
            Some(rest) => {
                let mut folder = Some(folder.as_str());
                let mut found = None;
                while let Some(at) = folder.filter(|_| found.is_none()) {
                    found = eval.probe_in(at, rest, &[""]);
                    folder = match at {
                        "" => None,
                        at => Some(at.rsplit_once('/').map_or("", |(above, _)| above)),
                    };
                }
                found
            }
            None => eval
                .probe_in(&folder, &path, &[""])
                .or_else(|| eval.probe_in("", &path, &[""])),
        };
        match found {
            Some(file) => Values::one(Value::Module(file), Certainty::Exact),
            None => Values::one(Value::external(path), Certainty::Exact),
        }
    }

    /// A function of another script may be there when that was sourced by whoever runs this one;
    /// with one of that name it is taken, with none the command is a program.
    fn global(&self, eval: &mut Eval<'_>, file: FileId, _scope: ScopeId, name: NameId) -> Values {
        let Some(unit) = eval.world.unit(file) else {
            return Values::none();
        };
        let text = unit.facts.name(name).to_owned();
        let found = everyone(eval, SPACE, &text);
        match (found.is_empty(), found.single()) {
            (true, _) => Values::one(Value::external(text), Certainty::Exact),
            (false, Some(_)) => found.weakened(Certainty::Name),
            (false, None) => found.weakened(Certainty::Candidate),
        }
    }

    fn shares(&self, eval: &Eval<'_>, file: FileId, name: NameId) -> bool {
        shares(eval, file, name, |symbol| {
            symbol.kind == SymbolKind::Function
        })
    }
}
