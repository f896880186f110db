//! How Lua finds modules and globals.

use super::Certainty;
use super::eval::Eval;
use super::everyone::{everyone, is_public, shares};
use super::modules::Tree;
use super::rules::Rules;
use super::value::{FileId, Value, Values};
use crate::facts::{Import, NameId, ScopeId};

const SPACE: &str = "lua:";

/// The rules of Lua.
pub(crate) struct Lua;

/// The names that Lua itself, and its best known hosts, bind.
const BUILTIN: &[&str] = &[
    "print",
    "pairs",
    "ipairs",
    "require",
    "setmetatable",
    "getmetatable",
    "type",
    "tostring",
    "tonumber",
    "assert",
    "error",
    "pcall",
    "xpcall",
    "select",
    "next",
    "rawget",
    "rawset",
    "rawequal",
    "rawlen",
    "unpack",
    "load",
    "loadstring",
    "loadfile",
    "dofile",
    "collectgarbage",
    "string",
    "table",
    "math",
    "io",
    "os",
    "coroutine",
    "debug",
    "package",
    "utf8",
    "bit",
    "bit32",
    "ffi",
    "jit",
    "vim",
    "ngx",
    "love",
    "describe",
    "it",
    "before_each",
    "after_each",
    "_G",
    "arg",
];

impl Rules for Lua {
    fn name(&self) -> &'static str {
        "lua"
    }

    fn namespace(&self, _tree: &Tree, _file: FileId) -> Option<String> {
        Some(SPACE.to_owned())
    }

    fn import(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        let Some(unit) = eval.world.unit(file) else {
            return Values::none();
        };
        let module = unit.facts.name(import.module).to_owned();
        let path = module.replace('.', "/");
        let folder = eval.world.tree.folder(file).to_owned();
        let roots = ["", "lua", "src", "lib", folder.as_str()];
        let found = roots
            .iter()
            .find_map(|root| eval.probe_in(root, &path, &[".lua", "/init.lua"]));
        let Some(found) = found else {
            return Values::one(Value::external(module), Certainty::Exact);
        };
        match import.name.and_then(|name| unit.atom(name)) {
            Some(name) => eval.top(found, name),
            None => Values::one(Value::Module(found), Certainty::Exact),
        }
    }

    fn global(&self, eval: &mut Eval<'_>, file: FileId, _scope: ScopeId, name: NameId) -> Values {
        let Some(unit) = eval.world.unit(file) else {
            return Values::none();
        };
        let text = unit.facts.name(name).to_owned();
        let found = everyone(eval, SPACE, &text);
        if found.is_empty() && BUILTIN.contains(&text.as_str()) {
            return Values::one(Value::external(text), Certainty::Exact);
        }
        found
    }

    fn shares(&self, eval: &Eval<'_>, file: FileId, name: NameId) -> bool {
        shares(eval, file, name, is_public)
    }
}
