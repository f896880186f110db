//! What is surely outside the checkout, and what only may be.

use super::super::eval::Eval;
use super::super::key;
use crate::facts::{Expr, ExprId};

impl Eval<'_> {
    /// Whether a call of a member, which was followed to something external by this name, may still
    /// be a call of something in the checkout: what the member belongs to is of a type that nobody
    /// here knows (what an external function gave, a field of something external), and a method of
    /// the checkout has the name.
    pub(super) fn may_be_here(&mut self, called: ExprId, external: &str) -> bool {
        let Some(unit) = self.world.unit(self.file) else {
            return false;
        };
        let expr = match unit.facts.exprs.get(called.index()) {
            Some(Expr::Generic(of, _)) => unit.facts.exprs.get(of.index()),
            expr => expr,
        };
        let Some(Expr::Member(_, name) | Expr::Path(_, name)) = expr else {
            return false;
        };
        let text = unit.facts.name(*name);
        let owner = external.strip_suffix(text).unwrap_or(external);
        let owner = owner.trim_end_matches(['.', ':', '\\', '/']);
        let rules = self.world.rules(self.file);
        if !rules.gives_unknown(owner, text) {
            return false;
        }
        // Modules that the file imports as a whole are no values.
        let mut imports = unit.facts.imports.iter();
        if imports.any(|import| unit.facts.name(import.module) == owner) {
            return false;
        }
        let plain = match rules.methods_apart() {
            true => text.strip_suffix("()").unwrap_or(text),
            false => text,
        };
        self.note(key::method(plain));
        self.world
            .methods(plain)
            .iter()
            .any(|(file, _)| self.world.rules(*file).name() == rules.name())
    }
}

/// The external name of what is done with a function as such.
const FUNCTION: &str = "function";

/// The default of [`Rules::gives_unknown`](super::super::rules::Rules::gives_unknown): what an
/// external call gave, whatever was read from that, and what hangs on a function.
pub(in crate::link) fn gives_unknown(owner: &str, member: &str) -> bool {
    match owner {
        FUNCTION => !matches!(
            member,
            "apply" | "bind" | "call" | "invoke" | "toString" | "andThen" | "compose" | "curried"
        ),
        // A tuple is written like a call.
        "()" => false,
        owner => owner.contains("()"),
    }
}
