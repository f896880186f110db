//! How Ruby finds constants and methods.

use super::Certainty;
use super::eval::Eval;
use super::everyone::{around, everyone, one_place, shares};
use super::modules::Tree;
use super::rules::Rules;
use super::value::{FileId, Value, Values};
use super::world::Atom;
use crate::extract::DECLARED;
use crate::facts::{Import, NameId, ScopeId, SymbolKind};

const SPACE: &str = "ruby:";

/// The rules of Ruby.
pub(crate) struct Ruby;

/// Methods that every object has, of `Kernel` and `Module`.
const KERNEL: &[&str] = &[
    "puts",
    "print",
    "p",
    "pp",
    "require",
    "require_relative",
    "raise",
    "fail",
    "loop",
    "lambda",
    "proc",
    "format",
    "sprintf",
    "printf",
    "rand",
    "srand",
    "sleep",
    "gets",
    "exit",
    "abort",
    "at_exit",
    "catch",
    "throw",
    "warn",
    "binding",
    "caller",
    "eval",
    "system",
    "exec",
    "spawn",
    "fork",
    "Array",
    "Integer",
    "Float",
    "String",
    "Hash",
    "freeze",
    "dup",
    "clone",
    "tap",
    "then",
    "send",
    "public_send",
    "respond_to?",
    "is_a?",
    "kind_of?",
    "instance_of?",
    "nil?",
    "object_id",
    "inspect",
    "to_s",
    "hash",
    "method",
    "instance_variable_get",
    "instance_variable_set",
    "define_method",
    "class_eval",
    "instance_eval",
    "module_eval",
    "const_get",
    "extend",
    "include",
    "attr_accessor",
    "attr_reader",
    "attr_writer",
    "private_constant",
    "using",
    "refine",
    "trap",
];

impl Rules for Ruby {
    fn name(&self) -> &'static str {
        "ruby"
    }

    fn namespace(&self, _tree: &Tree, _file: FileId) -> Option<String> {
        Some(SPACE.to_owned())
    }

    fn import(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        let Some(unit) = eval.world.unit(file) else {
            return Values::none();
        };
        let path = unit
            .facts
            .name(import.module)
            .trim_end_matches(".rb")
            .to_owned();
        let folder = eval.world.tree.folder(file).to_owned();
        let found = match path.strip_prefix("./") {
            Some(relative) => eval.probe_in(&folder, relative, &[".rb"]),
            None => ["lib", "", "app", "test", "spec"]
                .iter()
                .find_map(|root| eval.probe_in(root, &path, &[".rb"])),
        };
        match found {
            Some(file) => Values::one(Value::Module(file), Certainty::Exact),
            None => Values::one(Value::external(path), Certainty::Exact),
        }
    }

    /// A file that is required brings nothing that is not known everywhere anyway.
    fn wildcard_brings(&self, _eval: &mut Eval<'_>, _from: FileId, _name: Atom) -> bool {
        false
    }

    fn global(&self, eval: &mut Eval<'_>, file: FileId, scope: ScopeId, name: NameId) -> Values {
        let Some(unit) = eval.world.unit(file) else {
            return Values::none();
        };
        let text = unit.facts.name(name).to_owned();
        if let Some(full) = text.strip_prefix("::") {
            return constant(eval, full);
        }
        if text.starts_with(char::is_uppercase) {
            for outer in around(eval, file, scope, "::") {
                let found = constant(eval, &format!("{outer}::{text}"));
                if !found.is_empty() {
                    return found;
                }
            }
            let found = constant(eval, &text);
            return match found.is_empty() {
                // A constant that no file of the checkout sets.
                true => Values::one(Value::external(text), Certainty::Exact),
                false => found,
            };
        }
        if text.starts_with('@') || text.starts_with('$') {
            return Values::none();
        }
        let found = everyone(eval, SPACE, &text);
        if found.is_empty() && KERNEL.contains(&text.as_str()) {
            return Values::one(Value::external(format!("Kernel.{text}")), Certainty::Exact);
        }
        found
    }

    fn shares(&self, eval: &Eval<'_>, file: FileId, name: NameId) -> bool {
        shares(eval, file, name, |symbol| {
            matches!(
                symbol.kind,
                SymbolKind::Class
                    | SymbolKind::Module
                    | SymbolKind::Constant
                    | SymbolKind::Function
            )
        })
    }

    fn text(&self) -> &'static str {
        "String"
    }

    fn integer(&self) -> &'static str {
        "Integer"
    }

    fn array(&self) -> &'static str {
        "Array"
    }

    fn constructors(&self) -> &'static [&'static str] {
        &["initialize"]
    }
}

/// A module, class or constant by its full name.
fn constant(eval: &mut Eval<'_>, full_name: &str) -> Values {
    let found = everyone(eval, SPACE, &format!("{DECLARED}{full_name}"));
    one_place(eval, found)
}
