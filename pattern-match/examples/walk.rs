use fourfold_pattern_match::{Options, Pattern};
use fourfold_syntax::{Language, ParseLimits, Parser};
fn main() {
    let mut a = std::env::args().skip(1);
    let lang = Language::named(&a.next().unwrap()).unwrap();
    let dir = a.next().unwrap();
    let pattern = Pattern::compile(lang, &a.next().unwrap(), &Options::default()).unwrap();
    let mode = a.next().unwrap_or_default();
    let mut parser = Parser::new(ParseLimits::default());
    let mut stack = vec![std::path::PathBuf::from(dir)];
    let (mut n, mut files, mut parsed) = (0, 0, 0);
    while let Some(d) = stack.pop() {
        for e in std::fs::read_dir(d).unwrap() {
            let e = e.unwrap();
            if e.file_type().unwrap().is_dir() {
                stack.push(e.path());
                continue;
            }
            if Language::of_path(&e.path()) != Some(lang) {
                continue;
            }
            let Ok(text) = std::fs::read_to_string(e.path()) else {
                continue;
            };
            files += 1;
            if !pattern.may_match(text.as_bytes()) {
                continue;
            }
            parsed += 1;
            let tree = parser.parse(lang, &text).unwrap();
            if mode == "parse" {
                continue;
            }
            let found = pattern.search(&text, &tree).matches;
            n += found.len();
            if mode == "print" {
                for m in found {
                    println!(
                        "{}",
                        serde_json::json!({"f": e.path(), "s": m.range.start, "e": m.range.end, "t": &text[m.range.clone()], "r": format!("{}:{}", pattern.readings()[m.reading].rung(), m.kind)})
                    );
                }
            }
        }
    }
    println!("{n} matches, {parsed} of {files} files parsed");
}
