//! Small graphs for tests, written as text.
//!
//! ```text
//! file a.py
//!   class A 1-9
//!     method f 2-4 private
//!   A.f -> b.py:g calls typed 3
//!   A.f ? unknown 4
//!   A.f ! os.path.join 4
//! file b.py
//!   function g 1-2
//! ```
//!
//! A symbol is a kind, a name and its 1-based lines; `doc:word_word` and flags may follow. An edge
//! starts at a qualified name, or at `.` for the file itself.

use super::{Graph, Item, Outline, PackedLinks, Source};
use crate::facts::{Flags, Interner, Span, SymbolId, SymbolKind, Visibility};
use crate::link::{Certainty, EdgeKind, External, Link, Links, StableId, Unresolved};
use fourfold_syntax::Language;
use hashbrown::HashMap;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn graph(text: &str) -> Graph {
    let files = parse(text);
    let packed: Vec<(Vec<StableId>, PackedLinks)> = files
        .iter()
        .map(|file| {
            let ids = file.outline.ids(file.language, &file.path);
            let links = PackedLinks::of(&file.links, ids[0], &ids[1..]);
            (ids, links)
        })
        .collect();
    Graph::build(
        files
            .iter()
            .zip(&packed)
            .map(|(file, (ids, links))| Source {
                path: &file.path,
                language: file.language,
                outline: file.outline.clone(),
                ids,
                links,
            }),
    )
}

struct Parsed {
    path: String,
    language: Language,
    outline: Arc<Outline>,
    links: Links,
}

fn word<T: serde::de::DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_value(serde_json::Value::from(text)).ok()
}

fn parse(text: &str) -> Vec<Parsed> {
    let mut blocks: Vec<(String, Vec<&str>)> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match line.trim_start().strip_prefix("file ") {
            Some(path) => blocks.push((path.trim().to_owned(), Vec::new())),
            None => blocks.last_mut().unwrap().1.push(line),
        }
    }
    let mut ids: HashMap<(String, String), StableId> = HashMap::new();
    let mut files = Vec::new();
    for (path, lines) in &blocks {
        let language = Language::of_path(Path::new(path)).unwrap();
        let symbols: Vec<&&str> = lines.iter().filter(|line| !is_link(line)).collect();
        let outline = outline(&symbols);
        let id = StableId::of_file(language, path);
        ids.insert((path.clone(), ".".to_owned()), id);
        let all = StableId::of_symbols(
            id,
            outline.items.iter().map(|item| {
                let owner = item.owner.map(|owner| outline.names.get(owner));
                (item.parent, owner, outline.names.get(item.name), item.kind)
            }),
        );
        for (at, id) in (0..).zip(all) {
            ids.insert((path.clone(), outline.qualified(SymbolId(at))), id);
        }
        files.push(Parsed {
            path: path.clone(),
            language,
            outline: Arc::new(outline),
            links: Links::default(),
        });
    }
    for (file, (_, lines)) in files.iter_mut().zip(&blocks) {
        for line in lines.iter().filter(|line| is_link(line)) {
            link(file, line, &ids);
        }
    }
    files
}

fn is_link(line: &str) -> bool {
    [" -> ", " ? ", " ! "]
        .into_iter()
        .any(|sign| line.contains(sign))
}

fn outline(lines: &[&&str]) -> Outline {
    let mut names = Interner::default();
    let mut items: Vec<Item> = Vec::new();
    let mut open: Vec<(usize, SymbolId)> = Vec::new();
    for line in lines {
        let indent = line.len() - line.trim_start().len();
        open.retain(|(outer, _)| *outer < indent);
        let mut words = line.split_whitespace();
        let kind_word = words.next().unwrap();
        let kind: SymbolKind = word(kind_word).unwrap_or_else(|| panic!("kind {kind_word}"));
        let name = words.next().unwrap();
        let (first, last) = words.next().unwrap().split_once('-').unwrap();
        let (row, end_row) = (
            first.parse::<u32>().unwrap() - 1,
            last.parse::<u32>().unwrap() - 1,
        );
        let mut item = Item {
            kind,
            name: names.intern(name),
            parent: open.last().map(|(_, id)| *id),
            owner: None,
            owner_at: None,
            span: Span {
                start: row * 100,
                end: end_row * 100 + 99,
                row,
                end_row,
            },
            name_at: row * 100 + 4,
            name_row: row,
            signature: names.intern(&format!("{kind_word} {name}()")),
            doc: None,
            visibility: Visibility::Public,
            flags: Flags::default(),
        };
        for extra in words {
            match extra {
                "private" => item.visibility = Visibility::Private,
                "test" => item.flags.set(Flags::TEST),
                "decorated" => item.flags.set(Flags::DECORATED),
                "exported" => item.flags.set(Flags::EXPORTED),
                "entry" => item.flags.set(Flags::ENTRY),
                "local" => item.flags.set(Flags::LOCAL),
                _ => {
                    if let Some(doc) = extra.strip_prefix("doc:") {
                        item.doc = Some(names.intern(&doc.replace('_', " ")));
                    } else {
                        let owner = extra.strip_prefix("owner:").unwrap();
                        item.owner = Some(names.intern(owner));
                    }
                }
            }
        }
        open.push((indent, SymbolId(items.len() as u32)));
        items.push(item);
    }
    Outline {
        names: names.finish(),
        items,
        ..Outline::default()
    }
}

fn link(file: &mut Parsed, line: &str, ids: &HashMap<(String, String), StableId>) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let from = (0..file.outline.items.len() as u32)
        .map(SymbolId)
        .find(|id| file.outline.qualified(*id) == words[0]);
    assert!(from.is_some() || words[0] == ".", "{line}");
    let row = words.last().unwrap().parse::<u32>().unwrap() - 1;
    let at = row * 100 + 10 + file.links.edges.len() as u32;
    match words[1] {
        "->" => {
            let (path, name) = match words[2].split_once(':') {
                Some((path, name)) => (path, name),
                None => (file.path.as_str(), words[2]),
            };
            let to = ids
                .get(&(path.to_owned(), name.to_owned()))
                .unwrap_or_else(|| panic!("no {path}:{name}"));
            file.links.edges.push(Link {
                from,
                to: *to,
                kind: word(words[3]).unwrap(),
                certainty: word(words.get(4).filter(|_| words.len() > 5).unwrap_or(&"exact"))
                    .unwrap_or(Certainty::Exact),
                at,
                row,
            });
        }
        "?" => file.links.unresolved.push(Unresolved {
            from,
            name: words[2].to_owned(),
            kind: EdgeKind::Calls,
            at,
            row,
        }),
        _ => file.links.external.push(External {
            from,
            name: words[2].to_owned(),
            kind: words
                .get(3)
                .filter(|_| words.len() > 4)
                .map_or(EdgeKind::Calls, |kind| word(kind).unwrap()),
            at,
            row,
        }),
    }
}
