//! How C and C++ find names: scopes and namespaces, whatever header declares them.

use super::Certainty;
use super::eval::Eval;
use super::everyone::{around, everyone, shares};
use super::modules::Tree;
use super::objects::takes;
use super::rules::Rules;
use super::value::{FileId, SymRef, Value, Values};
use super::world::Atom;
use crate::extract::{CONSTRUCTOR, PROTOTYPE};
use crate::facts::{Flags, Import, NameId, ScopeId, Visibility};

const SPACE: &str = "c:";

/// The rules of C and C++.
pub(crate) struct C;

/// How many namespaces and `using` directives are tried for one name.
const REACH: usize = 32;

impl Rules for C {
    fn name(&self) -> &'static str {
        "c"
    }

    fn namespace(&self, _tree: &Tree, _file: FileId) -> Option<String> {
        Some(SPACE.to_owned())
    }

    /// An included file, or what a `using` declaration names.
    fn import(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        let Some(unit) = eval.world.unit(file) else {
            return Values::none();
        };
        let module = unit.facts.name(import.module).to_owned();
        if let Some(name) = import.name {
            let full = format!("{module}::{}", unit.facts.name(name));
            let found = named(eval, &full);
            return match found.is_empty() {
                true => Values::one(Value::external(full), Certainty::Exact),
                false => found,
            };
        }
        if is_namespace(&module) {
            return Values::none();
        }
        let path = module.trim_matches(['<', '>']);
        let folder = eval.world.tree.folder(file).to_owned();
        let roots = [folder.as_str(), "", "include", "src", "lib", "inc"];
        let found = roots
            .iter()
            .find_map(|root| eval.probe_in(root, path, &[""]));
        match found {
            Some(file) => Values::one(Value::Module(file), Certainty::Exact),
            None => Values::one(Value::external(path), Certainty::Exact),
        }
    }

    /// What headers declare is found by name, defined or not.
    fn wildcard_brings(&self, _eval: &mut Eval<'_>, _from: FileId, _name: Atom) -> bool {
        false
    }

    fn global(&self, eval: &mut Eval<'_>, file: FileId, scope: ScopeId, name: NameId) -> Values {
        let Some(unit) = eval.world.unit(file) else {
            return Values::none();
        };
        let text = unit.facts.name(name).to_owned();
        let mut spaces = around(eval, file, scope, "::");
        for space in spaces.clone() {
            // `namespace a::b` is in `a` as well.
            let mut outer = space.as_str();
            while let Some((above, _)) = outer.rsplit_once("::") {
                spaces.push(above.to_owned());
                outer = above;
            }
        }
        for import in &unit.facts.imports {
            let module = unit.facts.name(import.module);
            if import.wildcard && is_namespace(module) {
                spaces.push(module.to_owned());
            }
        }
        spaces.dedup();
        for space in spaces.iter().take(REACH) {
            let found = named(eval, &format!("{space}::{text}"));
            if !found.is_empty() {
                return found;
            }
        }
        let found = named(eval, &text);
        if !found.is_empty() {
            return found;
        }
        // Nothing in the checkout declares it, so a header from elsewhere does. What a class that
        // is not known may have is not known either.
        match text.rsplit_once("::") {
            Some((class, _)) if !named(eval, class).is_empty() => Values::none(),
            _ => Values::one(Value::external(text), Certainty::Exact),
        }
    }

    fn shares(&self, eval: &Eval<'_>, file: FileId, name: NameId) -> bool {
        let path = eval.world.tree.path(file);
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        // What `#define` makes reaches those who include it, so not what a source file makes.
        let is_source = matches!(extension, "c" | "cc" | "cpp" | "cxx" | "c++" | "cu");
        shares(eval, file, name, |symbol| match symbol.visibility {
            Visibility::Internal => !is_source,
            visibility => visibility == Visibility::Public,
        })
    }

    fn text(&self) -> &'static str {
        "char"
    }

    fn transparent(&self, name: &str) -> Option<usize> {
        let name = name.strip_prefix("std::").unwrap_or(name);
        matches!(
            name,
            "unique_ptr" | "shared_ptr" | "weak_ptr" | "optional" | "reference_wrapper" | "atomic"
        )
        .then_some(0)
    }

    fn constructors(&self) -> &'static [&'static str] {
        &[CONSTRUCTOR]
    }

    fn every_constructor(&self) -> bool {
        false
    }

    fn takes(&self, eval: &Eval<'_>, function: SymRef, arguments: usize) -> bool {
        let unit = eval.world.unit(function.file);
        let symbol = unit.and_then(|unit| unit.facts.symbols.get(function.symbol.index()));
        let only_declared = symbol.is_some_and(|symbol| symbol.flags.has(Flags::DECLARATION));
        !only_declared && takes(eval, function, arguments)
    }
}

/// Whether an import names a namespace, not a file.
fn is_namespace(module: &str) -> bool {
    !module.contains(['.', '/', '<', '"'])
}

/// What a full name means: as it stands, as a prototype, or as a member of what stands before its
/// last `::`.
fn named(eval: &mut Eval<'_>, full: &str) -> Values {
    let found = everyone(eval, SPACE, full);
    if !found.is_empty() {
        return found;
    }
    let found = everyone(eval, SPACE, &format!("{PROTOTYPE}{full}"));
    if !found.is_empty() {
        return found;
    }
    let Some((of, last)) = full.rsplit_once("::") else {
        return Values::none();
    };
    let of = named(eval, of);
    eval.each(&of, |eval, value, certainty| match value {
        Value::Type(..) => eval.member(value, certainty, last),
        _ => Values::none(),
    })
}
