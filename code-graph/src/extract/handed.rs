//! What types without a name hand on.
//!
//! `new Runnable() { void run() { … } }` stands in the middle of a method, and no name leads to what
//! it declares: whatever gets the instance may call it. So the place that makes it uses its methods.

use crate::extract::Builder;
use crate::facts::{Bound, Expr, Facts, List, Site, SiteKind, SymbolId, SymbolKind};
use hashbrown::HashSet;

/// Adds the uses that places make of the methods of the nameless types written in them.
pub(super) fn hand_on(builder: &mut Builder<'_>) {
    let handed = handed(&builder.facts);
    if handed.is_empty() {
        return;
    }
    for (method, by) in handed {
        let what = builder.expr(Expr::Symbol(method));
        let facts = &mut builder.facts;
        let Some(symbol) = facts.symbols.get(method.index()) else {
            continue;
        };
        let site = Site {
            kind: SiteKind::Value,
            owner: Some(by),
            scope: symbol.scope,
            what,
            at: symbol.name_at,
            row: symbol.name_row,
            args: List::default(),
        };
        facts.sites.push(site);
    }
}

/// The methods of nameless types, and what they are written in.
fn handed(facts: &Facts) -> Vec<(SymbolId, SymbolId)> {
    let nameless = |symbol: &crate::facts::Symbol| symbol.kind == SymbolKind::Class;
    if !facts.symbols.iter().any(nameless) {
        return Vec::new();
    }
    let named: HashSet<SymbolId> = facts
        .bindings
        .iter()
        .filter_map(|binding| match binding.bound {
            Bound::Symbol(symbol) => Some(symbol),
            _ => None,
        })
        .collect();
    let ids = (0..facts.symbols.len() as u32).map(SymbolId);
    let methods = ids.zip(&facts.symbols).filter_map(|(id, symbol)| {
        let class = symbol.parent?;
        let around = facts.symbols.get(class.index())?;
        // A companion shares its name with the type that is bound, and stands beside it.
        let by = around.parent?;
        let inside = facts.symbols.get(by.index())?;
        let handed = matches!(symbol.kind, SymbolKind::Method | SymbolKind::Getter)
            && nameless(around)
            && !inside.kind.is_type()
            && !named.contains(&class);
        handed.then_some((id, by))
    });
    methods.collect()
}
