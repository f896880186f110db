use fourfold_pattern_match::{Options, Pattern};
use fourfold_syntax::Language;
fn main() {
    for f in std::env::args().skip(1) {
        let v: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&f).unwrap()).unwrap();
        let lang = Language::named(v["language"].as_str().unwrap()).unwrap();
        for p in v["patterns"].as_array().unwrap() {
            let text = p["pattern"].as_str().unwrap();
            let oracle = match &p["oracle"] {
                serde_json::Value::Array(a) => a
                    .iter()
                    .filter_map(|o| o["selector"].as_str().or(o["kind"].as_str()))
                    .map(String::from)
                    .collect(),
                o => o["selector"]
                    .as_str()
                    .or(o["kind"].as_str())
                    .map(|s| vec![s.to_owned()])
                    .unwrap_or_default(),
            };
            let got: Vec<(String, String)> = match Pattern::compile(lang, text, &Options::default())
            {
                Ok(p) => p
                    .readings()
                    .iter()
                    .map(|r| (r.rung().to_string(), r.kind().to_string()))
                    .collect(),
                Err(e) => {
                    println!("{:12}{text:?}\n      UNPARSABLE {e}", lang.id());
                    continue;
                }
            };
            let ok = oracle
                .iter()
                .all(|o: &String| got.iter().any(|g| &g.1 == o));
            println!(
                "{} {:10} {text:?} want {oracle:?}  got {}",
                if ok { "   " } else { "BAD" },
                lang.id(),
                got.iter()
                    .map(|g| format!("{}:{}", g.0, g.1))
                    .collect::<Vec<_>>()
                    .join(" ")
            );
        }
    }
}
