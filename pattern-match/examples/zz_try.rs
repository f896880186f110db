use fourfold_pattern_match::{Options, Pattern};
use fourfold_syntax::{Language, with_parser};
fn main() {
    let a: Vec<String> = std::env::args()
        .skip(1)
        .map(|s| s.replace("\\n", "\n"))
        .collect();
    let lang = Language::named(&a[0]).unwrap();
    let p = match Pattern::compile(lang, &a[1], &Options::default()) {
        Ok(p) => p,
        Err(e) => {
            println!("{e}");
            return;
        }
    };
    for s in &a[2..] {
        let tree = with_parser(fourfold_syntax::ParseLimits::default(), |q| {
            q.parse(lang, s)
        })
        .unwrap();
        let f = p.search(s, &tree);
        println!("{s:?} errors={} given_up={}", f.has_errors, f.given_up);
        for m in &f.matches {
            println!(
                "   {} {:?}  captures {:?}",
                p.readings()[m.reading].rung(),
                &s[m.range.clone()],
                m.captures
            );
        }
    }
}
