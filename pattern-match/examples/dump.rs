use fourfold_syntax::{Language, ParseLimits, Parser};
fn main() {
    let mut a = std::env::args().skip(1);
    let lang = Language::named(&a.next().unwrap()).unwrap();
    for text in a {
        let text = text.replace("\\n", "\n");
        let tree = Parser::new(ParseLimits::default())
            .parse(lang, &text)
            .unwrap();
        let mut c = tree.walk();
        let mut depth = 0;
        loop {
            let n = c.node();
            let t = &text[n.byte_range()];
            println!(
                "{}{}{}{}{}{} {:?} {:?}",
                "  ".repeat(depth),
                c.field_name().map(|f| format!("{f}: ")).unwrap_or_default(),
                if n.is_named() { "" } else { "'" },
                n.kind(),
                if n.is_missing() { " MISSING" } else { "" },
                if n.is_extra() { " extra" } else { "" },
                n.byte_range(),
                if n.child_count() == 0 { t } else { "" }
            );
            if c.goto_first_child() {
                depth += 1;
                continue;
            }
            let mut done = false;
            while !c.goto_next_sibling() {
                if !c.goto_parent() {
                    done = true;
                    break;
                }
                depth -= 1;
            }
            if done {
                break;
            }
        }
        println!("----");
    }
}
