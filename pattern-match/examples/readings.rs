use fourfold_pattern_match::{Options, Pattern};
use fourfold_syntax::Language;
fn main() {
    let mut a = std::env::args().skip(1);
    let lang = Language::named(&a.next().unwrap()).unwrap();
    for text in a {
        match Pattern::compile(lang, &text.replace("\\n", "\n"), &Options::default()) {
            Ok(p) => {
                for r in p.readings() {
                    println!(
                        "== {} {} {:?}\n{}",
                        r.rung(),
                        r.kind(),
                        r.required_text(),
                        r.tree()
                    )
                }
            }
            Err(e) => println!("{e}"),
        }
    }
}
