use crate::extract::extract;
use crate::facts::Facts;
use fourfold_syntax::{Language, ParseLimits, with_parser};

fn facts(text: &str) -> Facts {
    let rust = Language::named("rust").unwrap();
    let tree = with_parser(ParseLimits::default(), |p| p.parse(rust, text)).unwrap();
    extract(rust, text, &tree).unwrap()
}

/// Sites as `row: kind what`, for reading.
fn shown(facts: &Facts, expr: crate::facts::ExprId) -> String {
    use crate::facts::Expr;
    let list = |list| {
        let all: Vec<String> = facts.list(list).iter().map(|e| shown(facts, *e)).collect();
        all.join(", ")
    };
    match facts.exprs[expr.index()] {
        Expr::Name(n) => facts.name(n).to_string(),
        Expr::Literal(n) => format!("'{}", facts.name(n)),
        Expr::Member(e, n) => format!("{}.{}", shown(facts, e), facts.name(n)),
        Expr::Path(e, n) => format!("{}::{}", shown(facts, e), facts.name(n)),
        Expr::Call(e, l) => format!("{}({})", shown(facts, e), list(l)),
        Expr::New(e, l) => format!("{}{{{}}}", shown(facts, e), list(l)),
        Expr::Generic(e, l) => format!("{}<{}>", shown(facts, e), list(l)),
        Expr::This => "self".into(),
        Expr::SelfType => "Self".into(),
        Expr::Instance(e) => format!("inst {}", shown(facts, e)),
        Expr::Union(l) => format!("union({})", list(l)),
        Expr::Tuple(l) => format!("({})", list(l)),
        Expr::Array(l) => format!("[{}]", list(l)),
        Expr::Bounds(l) => format!("bounds({})", list(l)),
        Expr::Closure(f) => format!("closure#{}", f.0),
        Expr::Element(e) => format!("element {}", shown(facts, e)),
        Expr::Part(e, n) => format!("{}#{n}", shown(facts, e)),
        Expr::Await(e) => format!("{}.await", shown(facts, e)),
        Expr::Unwrap(e) => format!("{}?", shown(facts, e)),
        Expr::Reference(e) => format!("&{}", shown(facts, e)),
        Expr::Keyword(n, e) => format!("{}: {}", facts.name(n), shown(facts, e)),
        Expr::Passed(e, n) => format!("passed({}, {n})", shown(facts, e)),
        Expr::Variant(e, p) => format!("{} as {}", shown(facts, e), shown(facts, p)),
        Expr::Qualified(e, p) => format!("<{} as {}>", shown(facts, e), shown(facts, p)),
        other => format!("{other:?}"),
    }
}

#[test]
#[ignore]
fn dump() {
    let path = std::env::var("RS").unwrap();
    let facts = facts(&std::fs::read_to_string(path).unwrap());
    for s in &facts.symbols {
        println!(
            "{} {:?} {} own {:?} flags {:x} doc {:?}",
            s.name_row + 1,
            s.kind,
            facts.name(s.signature),
            s.owner.map(|o| facts.name(o)),
            s.flags.0,
            s.doc.map(|d| facts.name(d))
        );
    }
    for s in &facts.sites {
        println!(
            "{}: {:?} {}  [{}]",
            s.row + 1,
            s.kind,
            shown(&facts, s.what),
            s.owner.map_or(String::new(), |o| facts.qualified_name(o))
        );
    }
    for b in &facts.bindings {
        let e = match b.bound {
            crate::facts::Bound::Value(e) => shown(&facts, e),
            crate::facts::Bound::Declared(e) => format!(": {}", shown(&facts, e)),
            other => format!("{other:?}"),
        };
        println!("{} {} = {}", b.scope.0, facts.name(b.name), e);
    }
}
