use fourfold_pattern_match::{Options, Pattern};
use fourfold_syntax::{Language, ParseLimits, with_parser};
use std::collections::BTreeMap;
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let lang = Language::named(&a[0]).unwrap();
    let mut seed = 88172645463325252u64;
    let mut rnd = move |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % n as u64) as usize
    };
    let mut kinds: BTreeMap<String, (usize, usize, usize, String)> = BTreeMap::new();
    let (mut total, mut ok) = (0, 0);
    for f in &a[1..] {
        let Ok(text) = std::fs::read_to_string(f) else {
            continue;
        };
        let Ok(tree) = with_parser(ParseLimits::default(), |q| q.parse(lang, &text)) else {
            continue;
        };
        if tree.root_node().has_error() {
            continue;
        }
        let mut nodes = vec![];
        let mut stack = vec![tree.root_node()];
        while let Some(n) = stack.pop() {
            let t = &text[n.byte_range()];
            let k = n.kind();
            if !(k.contains("body")
                || k.contains("block")
                || k.ends_with("arguments")
                || k.contains("parameters")
                || k.contains("modifier")
                || k.contains("suffix")
                || k.ends_with("_list")
                || k.ends_with("specifier")
                || k.contains("pattern")
                || k.contains("constraint")
                || k.contains("content")
                || k.contains("bound")
                || k.ends_with("qualified_identifier")
                || k.contains("annotation")
                || k.contains("extends"))
                && n.is_named()
                && !n.is_extra()
                && t.len() >= 5
                && t.len() < 200
                && !t.contains('$')
                && n.child_count() > 0
                && n.parent().is_some()
            {
                nodes.push(n)
            }
            let mut c = n.walk();
            for ch in n.children(&mut c) {
                stack.push(ch)
            }
        }
        if nodes.is_empty() {
            continue;
        }
        for _ in 0..40 {
            let n = nodes[rnd(nodes.len())];
            let t = text[n.byte_range()].trim_end();
            // dedent
            let col = {
                let line = text[..n.start_byte()].rsplit('\n').next().unwrap();
                line.len() - line.trim_start().len()
            };
            let pat: String = t
                .split('\n')
                .enumerate()
                .map(|(i, l)| {
                    if i == 0 {
                        l.to_owned()
                    } else {
                        let k = l.len() - l.trim_start().len();
                        l[k.min(col)..].to_owned()
                    }
                })
                .collect::<Vec<_>>()
                .join("\n");
            total += 1;
            let e = kinds.entry(n.kind().to_owned()).or_default();
            e.0 += 1;
            match Pattern::compile(lang, &pat, &Options::default()) {
                Err(_) => {
                    e.1 += 1;
                    if e.3.len() < 240 {
                        e.3 += &format!(
                            "  U[{}] {:?}",
                            n.parent().unwrap().kind(),
                            pat.chars().take(90).collect::<String>()
                        )
                    }
                }
                Ok(p) => {
                    let found = p.search(&text, &tree);
                    let r = n.start_byte()..n.start_byte() + t.len();
                    if found.matches.iter().any(|m| {
                        m.range.start == r.start
                            && (m.range.end == r.end
                                || m.range.end + 1 == r.end
                                || m.range.end == r.end + 1)
                    }) {
                        ok += 1
                    } else {
                        e.2 += 1;
                        if e.3.len() < 240 {
                            e.3 += &format!(
                                "  N[{}] {:?}",
                                n.parent().unwrap().kind(),
                                pat.chars().take(90).collect::<String>()
                            )
                        }
                    }
                }
            }
        }
    }
    println!("{} {ok}/{total}", lang.id());
    let mut v: Vec<_> = kinds.into_iter().filter(|k| k.1.1 + k.1.2 > 0).collect();
    v.sort_by_key(|k| std::cmp::Reverse(k.1.1 + k.1.2));
    for (k, (n, u, m, s)) in v.into_iter().take(9) {
        println!("   {k}: of {n}: {u} unparsable, {m} not found {s}")
    }
}
