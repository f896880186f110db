//! Which files import which: Python by the rules of the language, TypeScript and Rust by the modules
//! that the index sees behind the words of an import.

use std::collections::{BTreeSet, HashMap};

use super::reference::{Reference, Site};
use super::scip::Document;
use super::source::Language;
use super::symbols::{Class, describe};

/// Adds the relation of all files. A file whose symbol is used is never a wrong answer.
pub(crate) fn add(reference: &mut Reference, documents: &[&Document]) {
    let python = Packages::of(reference);
    for (file, document) in documents.iter().enumerate() {
        let mut hard = BTreeSet::new();
        let mut soft = BTreeSet::new();
        match reference.files[file].source.language {
            Language::Python => python.imports(reference, file, &mut hard, &mut soft),
            Language::TypeScript => specifiers(reference, file, document, &mut hard),
            Language::Rust => uses(reference, file, document, &mut hard),
            Language::Other => {}
        }
        for occurrence in document.occurrences.iter().filter(|o| !o.is_definition) {
            match reference.modules.get(&occurrence.symbol) {
                Some(files) => soft.extend(files.iter().map(|&file| (file, occurrence.line))),
                None => {
                    if let Some(key) = reference.known(&occurrence.symbol, file) {
                        let files = reference.defined(key).map(|d| (d.file, occurrence.line));
                        soft.extend(files);
                    }
                }
            }
        }
        let from = reference.files[file].module;
        let edge = |to: usize| (from, reference.files[to].module);
        for &(to, line) in hard.iter().filter(|(to, _)| *to != file) {
            let edge = edge(to);
            let site = Site {
                file,
                line,
                shape: None,
            };
            reference.imports.hard.entry(edge).or_insert(site);
        }
        for &(to, _) in soft.iter().filter(|(to, _)| *to != file) {
            let edge = edge(to);
            reference.imports.soft.insert(edge);
        }
    }
}

/// Files, each with the line that imports it.
type Imported = BTreeSet<(usize, usize)>;

/// Where Python's modules are.
struct Packages {
    /// Folders that modules are looked for in, with a `/` at the end but for the first, the root.
    roots: BTreeSet<String>,
}

impl Packages {
    /// The root, `src/`, and the folder of every outermost package or script.
    fn of(reference: &Reference) -> Packages {
        let mut roots: BTreeSet<_> = [String::new(), "src/".to_owned()].into();
        for file in &reference.files {
            if file.source.language == Language::Python {
                let mut folder = folder(&file.path);
                while !folder.is_empty()
                    && reference.file(&format!("{folder}__init__.py")).is_some()
                {
                    folder = self::folder(folder.trim_end_matches('/'));
                }
                roots.insert(folder.to_owned());
            }
        }
        Packages { roots }
    }

    fn imports(
        &self,
        reference: &Reference,
        file: usize,
        hard: &mut Imported,
        soft: &mut Imported,
    ) {
        for import in &reference.files[file].spans.imports {
            let path = import.module.replace('.', "/");
            let bases = match import.level {
                0 => self.homes(reference, file, &path),
                dots => {
                    let mut base = folder(&reference.files[file].path);
                    for _ in 1..dots {
                        base = folder(base.trim_end_matches('/'));
                    }
                    vec![base.to_owned()]
                }
            };
            for base in bases {
                let module = format!("{base}{path}");
                let module = module.trim_end_matches('/');
                let here = find(reference, module).map(|to| (to, import.line));
                // `import a.b` runs `a` as well.
                let outer = module.match_indices('/').map(|(at, _)| &module[..at]);
                let outer = outer.filter_map(|module| find(reference, module));
                soft.extend(outer.map(|to| (to, import.line)));
                match &import.names {
                    None => hard.extend(here),
                    Some(names) => {
                        let is_package = here.is_none_or(|(to, _)| {
                            reference.files[to].path.ends_with("__init__.py")
                        });
                        for name in names {
                            let inner = format!("{module}/{name}");
                            let inner = inner.trim_start_matches('/');
                            match find(reference, inner).filter(|_| is_package) {
                                Some(to) => {
                                    hard.insert((to, import.line));
                                    soft.extend(here);
                                }
                                None => hard.extend(here),
                            }
                        }
                    }
                }
            }
        }
    }

    /// The root in which the first part of a path is: of those above the file the nearest.
    fn homes(&self, reference: &Reference, file: usize, path: &str) -> Vec<String> {
        let first = path.split('/').next().unwrap_or(path);
        let from = &reference.files[file].path;
        let mut homes: Vec<_> = self
            .roots
            .iter()
            .filter(|root| from.starts_with(root.as_str()) || *root == "src/")
            .filter(|root| {
                let module = format!("{root}{first}");
                find(reference, &module).is_some() || reference.has_folder(&format!("{module}/"))
            })
            .collect();
        homes.sort_by_key(|root| {
            (
                !from.starts_with(root.as_str()),
                std::cmp::Reverse(root.len()),
            )
        });
        homes.into_iter().take(1).cloned().collect()
    }
}

/// The folder of a path, with its `/`; empty at the root.
fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..=at])
}

fn find(reference: &Reference, module: &str) -> Option<usize> {
    [".py", "/__init__.py", ".pyi", "/__init__.pyi"]
        .iter()
        .find_map(|end| reference.file(&format!("{module}{end}")))
}

/// TypeScript: the index has the module behind each quoted specifier.
fn specifiers(reference: &Reference, file: usize, document: &Document, hard: &mut Imported) {
    let source = &reference.files[file].source;
    for occurrence in document.occurrences.iter().filter(|o| !o.is_definition) {
        let text = source.slice(occurrence.line, occurrence.start, occurrence.end);
        let (name, class) = describe(&occurrence.symbol);
        if text.starts_with(['\'', '"'])
            && class == Class::Namespace
            && let Some(files) = reference.modules.get(&occurrence.symbol)
        {
            // Not the modules that a file declares inside.
            let files = files.iter().copied();
            let whole = files.filter(|&to| reference.files[to].path.ends_with(&name));
            hard.extend(whole.map(|to| (to, occurrence.line)));
        }
    }
}

/// Rust: of each name that is used, the innermost module in front of it, or the name itself where it
/// is a module.
fn uses(reference: &Reference, file: usize, document: &Document, hard: &mut Imported) {
    let source = &reference.files[file].source;
    let symbols: HashMap<_, _> = document
        .occurrences
        .iter()
        .filter(|o| !o.is_definition)
        .map(|o| ((o.line, o.start), o.symbol.as_str()))
        .collect();
    // One symbol stands for modules of the same name in all crates of a package.
    let module = |at: usize, of_ours: bool| {
        let files = reference.modules.get(*symbols.get(&source.place(at))?)?;
        let in_library = |file: &&usize| {
            let path = &reference.files[**file].path;
            path.starts_with("src/") || path.contains("/src/")
        };
        let library: Vec<_> = files.iter().filter(in_library).copied().collect();
        match of_ours || library.is_empty() {
            true => nearest(reference, file, files),
            false => nearest(reference, file, &library),
        }
    };
    for line in (0..source.lines()).filter(|&line| source.is_import(line)) {
        let start = source.byte(line, 0);
        let text = &source.text()[start..];
        let Some((head, _)) = text.split_once(';') else {
            continue;
        };
        for path in leaves(head) {
            let first = path
                .first()
                .and_then(|at| head.get(*at..))
                .unwrap_or_default();
            let words = ["crate", "self", "super"];
            let of_ours = words.iter().any(|word| first.starts_with(word));
            let to = path.iter().rev().find_map(|at| module(start + at, of_ours));
            // Of a name that is handed on, the module and its own file are as good.
            let own = path
                .last()
                .and_then(|at| symbols.get(&source.place(start + at)));
            let own = own.and_then(|symbol| reference.known(symbol, file));
            let own = own.and_then(|key| reference.defined(key).next());
            let handed_on = own.is_some_and(|definition| Some(definition.file) != to);
            hard.extend(to.filter(|_| !handed_on).map(|to| (to, line)));
        }
    }
}

/// Of several crate roots of one name the one that shares most of the path.
fn nearest(reference: &Reference, file: usize, files: &[usize]) -> Option<usize> {
    let from = &reference.files[file].path;
    let shared = |to: usize| {
        let to = &reference.files[to].path;
        from.bytes()
            .zip(to.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    files.iter().copied().max_by_key(|&to| shared(to))
}

/// The paths of a `use` tree; each as the places of its names.
fn leaves(head: &str) -> Vec<Vec<usize>> {
    let start = head.find("use").map_or(0, |at| at + "use".len());
    let mut leaves = Vec::new();
    let mut outer: Vec<usize> = Vec::new();
    let mut path: Vec<usize> = Vec::new();
    let mut inside = false;
    let mut renamed = false;
    // Whether a path is under way that the end of its group has not handed over yet.
    let mut open = false;
    let mut skip_to = start;
    for (at, c) in head.char_indices().skip_while(|(at, _)| *at < start) {
        if at < skip_to {
            continue;
        }
        if head[at..].starts_with("//") {
            skip_to = head[at..].find('\n').map_or(head.len(), |end| at + end);
            continue;
        }
        let is_name = super::source::is_word(c);
        if is_name && !inside {
            if head[at..].starts_with("as ") {
                renamed = true;
            } else if !renamed {
                path.push(at);
                open = true;
            }
        }
        inside = is_name;
        match c {
            '{' => {
                outer.push(path.len());
                open = false;
            }
            ',' | '}' => {
                if open {
                    leaves.push(path.clone());
                }
                path.truncate(outer.last().copied().unwrap_or_default());
                renamed = false;
                open = false;
                if c == '}' {
                    outer.pop();
                }
            }
            '*' => open = true,
            _ => {}
        }
    }
    if open {
        leaves.push(path);
    }
    leaves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_trees_are_taken_apart() {
        let head = "pub use a::{b::{C, d as e}, // x, y\n f::*, G}";
        let names: Vec<String> = leaves(head)
            .into_iter()
            .map(|path| path.into_iter().map(|at| &head[at..=at]).collect())
            .collect();
        assert_eq!(names, ["abC", "abd", "af", "aG"]);
        assert_eq!(leaves("use a::b as _"), [vec![4, 7]]);
    }
}
