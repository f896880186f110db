//! Prints the facts of one file: `facts FILE`.
use fourfold_code_graph::extract::extract;
use fourfold_code_graph::facts::{Bound, Expr, ExprId, Facts, FunctionId};
use fourfold_syntax::{Language, ParseLimits, Parser};
use std::path::Path;

fn main() {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: facts FILE");
        return;
    };
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let Some(language) = Language::of_path(Path::new(&path)) else {
        eprintln!("no language is known for {path}");
        return;
    };
    let tree = Parser::new(ParseLimits::default()).parse(language, &text);
    let Some(facts) = tree.ok().and_then(|tree| extract(language, &text, &tree)) else {
        eprintln!("{path} gave no facts");
        return;
    };
    print(&facts);
}

fn print(facts: &Facts) {
    for (at, symbol) in facts.symbols.iter().enumerate() {
        println!(
            "symbol {at} {} {} rows {}..{} in {:?} scope {:?} members {:?} flags {:b} {:?}\n    {}",
            symbol.kind.word(),
            facts.qualified_name(fourfold_code_graph::facts::SymbolId(at as u32)),
            symbol.span.row,
            symbol.span.end_row,
            symbol.parent.map(|p| p.0),
            symbol.scope.0,
            symbol.members.map(|m| m.0),
            symbol.flags.0,
            symbol.visibility,
            facts.name(symbol.signature),
        );
        if let Some(doc) = symbol.doc {
            println!("    doc {}", facts.name(doc));
        }
        if let Some(declared) = symbol.declared {
            println!("    declared {}", show(facts, declared));
        }
        if let Some(function) = symbol.function {
            println!("    {}", function_text(facts, function));
        }
    }
    for binding in &facts.bindings {
        let bound = match binding.bound {
            Bound::Symbol(id) => format!("symbol {}", id.0),
            Bound::Import(id) => format!("import {}", id.0),
            Bound::Value(e) => format!("= {}", show(facts, e)),
            Bound::Declared(e) => format!(": {}", show(facts, e)),
            Bound::Type(e) => format!("type {}", show(facts, e)),
            other => format!("{other:?}"),
        };
        println!(
            "bind {}.{} {bound}",
            binding.scope.0,
            facts.name(binding.name)
        );
    }
    for (at, scope) in facts.scopes.iter().enumerate() {
        println!(
            "scope {at} {:?} in {:?} of {:?}",
            scope.kind,
            scope.parent.map(|p| p.0),
            scope.owner.map(|o| o.0)
        );
    }
    for (at, function) in facts.functions.iter().enumerate() {
        println!(
            "function {at} symbol {:?} {}",
            function.symbol.map(|s| s.0),
            function_text(facts, FunctionId(at as u32))
        );
    }
    for import in &facts.imports {
        println!(
            "import {} {:?} as {:?} wildcard {} reexport {}",
            facts.name(import.module),
            import.name.map(|n| facts.name(n)),
            import.local.map(|n| facts.name(n)),
            import.wildcard,
            import.reexport
        );
    }
    for base in &facts.bases {
        println!(
            "base of {} {:?} {}",
            base.class.0,
            base.kind,
            show(facts, base.what)
        );
    }
    for site in &facts.sites {
        println!(
            "site {:?} row {} owner {:?} scope {} {}",
            site.kind,
            site.row,
            site.owner.map(|o| facts.qualified_name(o)),
            site.scope.0,
            show(facts, site.what)
        );
    }
}

fn function_text(facts: &Facts, id: FunctionId) -> String {
    let Some(function) = facts.functions.get(id.index()) else {
        return String::new();
    };
    let params: Vec<String> = function
        .params
        .iter()
        .map(|p| match p.declared {
            Some(ty) => format!("{}: {}", facts.name(p.name), show(facts, ty)),
            None => facts.name(p.name).to_owned(),
        })
        .collect();
    let returns: Vec<String> = function.returns.iter().map(|e| show(facts, *e)).collect();
    format!(
        "scope {} ({}) -> {:?} returns {returns:?} context {:?}",
        function.scope.0,
        params.join(", "),
        function.result.map(|e| show(facts, e)),
        function.context.map(|e| show(facts, e)),
    )
}

fn show(facts: &Facts, id: ExprId) -> String {
    let list = |list| {
        let parts: Vec<String> = facts.list(list).iter().map(|e| show(facts, *e)).collect();
        parts.join(", ")
    };
    let Some(expr) = facts.exprs.get(id.index()) else {
        return "?".to_owned();
    };
    match *expr {
        Expr::Name(n) => facts.name(n).to_owned(),
        Expr::Member(e, n) => format!("{}.{}", show(facts, e), facts.name(n)),
        Expr::Call(e, a) => format!("{}({})", show(facts, e), list(a)),
        Expr::New(e, a) => format!("new {}({})", show(facts, e), list(a)),
        Expr::Generic(e, a) => format!("{}<{}>", show(facts, e), list(a)),
        Expr::Instance(e) => format!("inst({})", show(facts, e)),
        Expr::TypeOf(e) => format!("typeof({})", show(facts, e)),
        Expr::Element(e) => format!("elem({})", show(facts, e)),
        Expr::Await(e) => format!("await({})", show(facts, e)),
        Expr::Unwrap(e) => format!("{}!", show(facts, e)),
        Expr::Spread(e) => format!("...{}", show(facts, e)),
        Expr::Index(e, k) => format!("{}[{}]", show(facts, e), show(facts, k)),
        Expr::Part(e, n) => format!("{}#{n}", show(facts, e)),
        Expr::Expected(e, n) => format!("expected({}, {n})", show(facts, e)),
        Expr::Union(a) => format!("({})", list(a).replace(", ", " | ")),
        Expr::Bounds(a) => format!("({})", list(a).replace(", ", " & ")),
        Expr::Array(a) => format!("[{}]", list(a)),
        Expr::Tuple(a) => format!("tuple[{}]", list(a)),
        Expr::Literal(n) => format!("<{}>", facts.name(n)),
        Expr::Str(n) => format!("{:?}", facts.name(n)),
        other => format!("{other:?}"),
    }
}
