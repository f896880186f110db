//! How Elixir finds modules and functions.

use super::Certainty;
use super::eval::Eval;
use super::everyone::{everyone, one_place, shares};
use super::modules::Tree;
use super::objects::takes;
use super::rules::Rules;
use super::value::{FileId, SymRef, Value, Values};
use crate::facts::{Import, NameId, ScopeId};

const SPACE: &str = "elixir:";

/// The rules of Elixir.
pub(crate) struct Elixir;

/// Functions and macros of `Kernel` that are used without its name.
const KERNEL: &[&str] = &[
    "is_map",
    "is_list",
    "is_binary",
    "is_atom",
    "is_integer",
    "is_nil",
    "is_function",
    "is_tuple",
    "is_number",
    "is_boolean",
    "is_float",
    "is_pid",
    "is_struct",
    "is_bitstring",
    "is_exception",
    "is_reference",
    "is_map_key",
    "hd",
    "tl",
    "length",
    "elem",
    "put_elem",
    "map_size",
    "tuple_size",
    "byte_size",
    "bit_size",
    "abs",
    "div",
    "rem",
    "round",
    "trunc",
    "max",
    "min",
    "inspect",
    "to_string",
    "to_charlist",
    "send",
    "spawn",
    "spawn_link",
    "self",
    "exit",
    "throw",
    "apply",
    "raise",
    "reraise",
    "struct",
    "struct!",
    "get_in",
    "put_in",
    "update_in",
    "pop_in",
    "get_and_update_in",
    "function_exported?",
    "match?",
    "then",
    "tap",
    "dbg",
    "binding",
    "node",
    "make_ref",
    "not",
    "defoverridable",
    "defimpl",
    "defexception",
    "assert",
    "refute",
    "assert_receive",
    "assert_raise",
    "start_supervised!",
    "start_supervised",
    "doctest",
    "binary_part",
];

impl Rules for Elixir {
    fn name(&self) -> &'static str {
        "elixir"
    }

    fn namespace(&self, _tree: &Tree, _file: FileId) -> Option<String> {
        Some(SPACE.to_owned())
    }

    fn import(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        let Some(unit) = eval.world.unit(file) else {
            return Values::none();
        };
        module(eval, unit.facts.name(import.module))
    }

    fn global(&self, eval: &mut Eval<'_>, file: FileId, _scope: ScopeId, name: NameId) -> Values {
        let Some(unit) = eval.world.unit(file) else {
            return Values::none();
        };
        let text = unit.facts.name(name).to_owned();
        if text.starts_with(char::is_uppercase) {
            return module(eval, &text);
        }
        match KERNEL.contains(&text.as_str()) {
            true => Values::one(Value::external(format!("Kernel.{text}")), Certainty::Exact),
            false => Values::none(),
        }
    }

    fn shares(&self, eval: &Eval<'_>, file: FileId, name: NameId) -> bool {
        shares(eval, file, name, |symbol| symbol.members.is_some())
    }

    fn text(&self) -> &'static str {
        "String"
    }

    fn takes(&self, eval: &Eval<'_>, function: SymRef, arguments: usize) -> bool {
        takes(eval, function, arguments)
    }
}

/// A module by its full name.
fn module(eval: &mut Eval<'_>, full_name: &str) -> Values {
    let found = everyone(eval, SPACE, full_name);
    match found.is_empty() {
        true => Values::one(Value::external(full_name), Certainty::Exact),
        false => one_place(eval, found),
    }
}
