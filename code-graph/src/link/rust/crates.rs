//! Crates and their module trees: which file is which module of which crate.

use super::super::key;
use super::super::modules::Tree;
use super::super::value::FileId;
use crate::facts::Manifest;
use hashbrown::HashMap;

/// Where a file stands in a crate.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// The file at the root of the crate.
    pub(super) root: FileId,
    /// The module that declares it: a file and the names of inline modules in it. None for a root.
    pub(super) parent: Option<(FileId, Vec<String>)>,
    /// The folder that modules declared in it lie in.
    folder: String,
    /// Its package.
    package: Option<u32>,
}

/// One package.
#[derive(Debug, Default)]
struct Package {
    folder: String,
    /// What a path may begin with: names of crates in the checkout and their roots.
    externs: HashMap<String, FileId>,
}

/// All crates of a checkout.
#[derive(Debug, Default)]
pub(super) struct Crates {
    packages: Vec<Package>,
    places: HashMap<FileId, Place>,
    /// Files by the module that declares them: file, inline modules joined by `::`, name.
    children: HashMap<(FileId, String, String), FileId>,
    /// Files that define macros, by name and crate.
    macros: HashMap<(FileId, String), Vec<FileId>>,
}

impl Crates {
    /// The crates of these files.
    pub(super) fn new(tree: &Tree) -> Crates {
        let mut crates = Crates::default();
        let mut libs: HashMap<String, (FileId, String)> = HashMap::new();
        let mut roots: Vec<(FileId, u32)> = Vec::new();
        let mut said = Vec::new();
        let paths: Vec<&str> = tree.files().iter().map(|file| file.path.as_str()).collect();
        for (path, manifest) in tree.manifests() {
            let Manifest::Cargo {
                package,
                lib,
                targets,
                dependencies,
            } = manifest
            else {
                continue;
            };
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let at = crates.packages.len() as u32;
            crates.packages.push(Package {
                folder: folder.to_owned(),
                externs: HashMap::new(),
            });
            said.push((folder.to_owned(), package.clone(), dependencies));
            let Some(package) = package else { continue };
            let lib_path = lib.1.as_deref().unwrap_or("src/lib.rs");
            if let Some(root) = tree.at(&join(folder, lib_path)) {
                let name = lib.0.clone().unwrap_or_else(|| package.replace('-', "_"));
                libs.insert(package.clone(), (root, name.replace('-', "_")));
                roots.push((root, at));
            }
            for name in ["src/main.rs", "build.rs"] {
                roots.extend(tree.at(&join(folder, name)).map(|root| (root, at)));
            }
            for (kind, name, path) in targets {
                let guess = name.as_deref().map(|name| match kind.as_str() {
                    "bin" => format!("src/bin/{name}.rs"),
                    kind => format!("{}/{name}.rs", folder_of(kind)),
                });
                let path = path.clone().or(guess);
                let root = path.and_then(|path| tree.at(&join(folder, &path)));
                roots.extend(root.map(|root| (root, at)));
            }
            for kind in ["src/bin", "tests", "examples", "benches"] {
                let inside = format!("{}/", join(folder, kind));
                let from = paths.partition_point(|path| *path < inside.as_str());
                for (offset, path) in paths.iter().enumerate().skip(from) {
                    let Some(rest) = path.strip_prefix(&inside) else {
                        break;
                    };
                    let direct = !rest.contains('/') && rest.ends_with(".rs");
                    let own = rest
                        .split_once('/')
                        .is_some_and(|(_, rest)| rest == "main.rs");
                    if direct || own {
                        roots.push((FileId(offset as u32), at));
                    }
                }
            }
        }
        for (at, (folder, package, dependencies)) in said.iter().enumerate() {
            let mut externs = HashMap::new();
            if let Some((root, name)) = package.as_ref().and_then(|package| libs.get(package)) {
                externs.insert(name.clone(), *root);
            }
            for (name, renamed, path) in dependencies.iter() {
                // By its path; else by the workspace, whose package of that name it is.
                let by_path = path.as_ref().and_then(|path| {
                    let there = normal(&join(folder, path));
                    let found = said.iter().find(|(folder, _, _)| *folder == there)?;
                    libs.get(found.1.as_ref()?)
                });
                let by_name = || {
                    let package = renamed.clone().unwrap_or_else(|| name.clone());
                    let same =
                        |known: &&String| known.replace('-', "_") == package.replace('-', "_");
                    libs.iter()
                        .find(|(known, _)| same(known))
                        .map(|(_, lib)| lib)
                };
                let Some((root, lib)) = by_path.or_else(by_name) else {
                    continue;
                };
                let renamed =
                    renamed.is_some() || libs.keys().all(|k| k.replace('-', "_") != *name);
                let local = if renamed { name } else { lib };
                externs.insert(local.clone(), *root);
            }
            if let Some(package) = crates.packages.get_mut(at) {
                package.externs = externs;
            }
        }
        for (root, package) in roots {
            crates.grow(tree, root, Some(package));
        }
        crates.orphans(tree);
        crates.collect_macros(tree);
        crates
    }

    /// The files of the crate whose root is `root`.
    fn grow(&mut self, tree: &Tree, root: FileId, package: Option<u32>) {
        if self.places.contains_key(&root) {
            return;
        }
        let place = Place {
            root,
            parent: None,
            folder: tree.folder(root).to_owned(),
            package,
        };
        let mut open = vec![(root, place)];
        while let Some((file, place)) = open.pop() {
            if self.places.contains_key(&file) {
                continue;
            }
            let declared = tree.file(file).map(|file| file.surface.modules.clone());
            for module in declared.into_iter().flatten() {
                let path = module.path.as_deref();
                let candidates = candidates(
                    tree,
                    file,
                    &place.folder,
                    &module.inside,
                    &module.name,
                    path,
                );
                let found = candidates
                    .iter()
                    .find_map(|path| Some((tree.at(path)?, path)));
                let Some((child, path)) = found else { continue };
                let inside = module.inside.join("::");
                self.children
                    .entry((file, inside, module.name.clone()))
                    .or_insert(child);
                let own = module.path.is_some() || path.ends_with("/mod.rs");
                let folder = if own {
                    tree.folder(child).to_owned()
                } else {
                    path.strip_suffix(".rs").unwrap_or(path).to_owned()
                };
                open.push((
                    child,
                    Place {
                        root,
                        parent: Some((file, module.inside.clone())),
                        folder,
                        package,
                    },
                ));
            }
            self.places.insert(file, place);
        }
    }

    /// Files that no module tree reaches are crates of their own, in the package around them; what
    /// looks like a root comes first, so that it takes its modules in.
    fn orphans(&mut self, tree: &Tree) {
        let mut orphans: Vec<(bool, usize, u32)> = Vec::new();
        for (at, file) in tree.files().iter().enumerate() {
            let id = FileId(at as u32);
            if file.path.ends_with(".rs") && !self.places.contains_key(&id) {
                let name = file.path.rsplit('/').next().unwrap_or_default();
                let inner = !matches!(name, "lib.rs" | "main.rs" | "build.rs");
                orphans.push((inner, file.path.matches('/').count(), at as u32));
            }
        }
        orphans.sort_unstable();
        for (_, _, at) in orphans {
            let id = FileId(at);
            let path = tree.path(id);
            let around = self.packages.iter().enumerate().filter(|(_, package)| {
                let rest = path.strip_prefix(&package.folder);
                rest.is_some_and(|rest| package.folder.is_empty() || rest.starts_with('/'))
            });
            let nearest = around.max_by_key(|(_, package)| package.folder.len());
            self.grow(tree, id, nearest.map(|(at, _)| at as u32));
        }
    }

    fn collect_macros(&mut self, tree: &Tree) {
        for (at, file) in tree.files().iter().enumerate() {
            let id = FileId(at as u32);
            let Some(place) = self.places.get(&id) else {
                continue;
            };
            for name in &file.surface.macros {
                self.macros
                    .entry((place.root, name.clone()))
                    .or_default()
                    .push(id);
            }
        }
    }

    /// Where the file of `mod name;` may be.
    pub(super) fn candidates(
        &self,
        tree: &Tree,
        file: FileId,
        inside: &str,
        name: &str,
        path: &str,
    ) -> Vec<String> {
        let Some(place) = self.places.get(&file) else {
            return Vec::new();
        };
        let inside: Vec<String> = match inside {
            "" => Vec::new(),
            inside => inside.split("::").map(str::to_owned).collect(),
        };
        let path = Some(path).filter(|path| !path.is_empty());
        candidates(tree, file, &place.folder, &inside, name, path)
    }

    /// A fingerprint of where a file stands and what paths in it may begin with.
    pub(super) fn print(&self, tree: &Tree, file: FileId) -> u64 {
        let Some(place) = self.places.get(&file) else {
            return 0;
        };
        let mut print = key::mix(key::text(tree.path(place.root)), key::text(&place.folder));
        if let Some((parent, inside)) = &place.parent {
            print = key::mix(print, key::text(tree.path(*parent)));
            for name in inside {
                print = key::mix(print, key::text(name));
            }
        }
        let package = place.package.and_then(|at| self.packages.get(at as usize));
        if let Some(package) = package {
            let externs = package.externs.iter();
            let all =
                externs.map(|(name, root)| key::mix(key::text(name), key::text(tree.path(*root))));
            // Their order is that of a table of hashes, so it must not count.
            print = key::mix(print, all.fold(0, u64::wrapping_add));
        }
        print
    }

    /// Where a file stands.
    pub(super) fn place(&self, file: FileId) -> Option<&Place> {
        self.places.get(&file)
    }

    /// The file of `mod name;` in a module.
    pub(super) fn child(&self, file: FileId, inside: &str, name: &str) -> Option<FileId> {
        let key = (file, inside.to_owned(), name.to_owned());
        self.children.get(&key).copied()
    }

    /// The root of a crate of the checkout that paths in a file may begin with.
    pub(super) fn named(&self, file: FileId, name: &str) -> Option<FileId> {
        let place = self.places.get(&file)?;
        let package = self.packages.get(place.package? as usize)?;
        let root = *package.externs.get(name)?;
        (root != place.root).then_some(root)
    }

    /// The files of a crate that define a macro at their top.
    pub(super) fn macros(&self, file: FileId, name: &str) -> &[FileId] {
        let Some(place) = self.places.get(&file) else {
            return &[];
        };
        let key = (place.root, name.to_owned());
        self.macros.get(&key).map_or(&[], Vec::as_slice)
    }
}

fn folder_of(kind: &str) -> &str {
    match kind {
        "test" => "tests",
        "example" => "examples",
        "bench" => "benches",
        other => other,
    }
}

/// Where the file of a module may be that `file` declares; modules in files of it lie in `folder`.
fn candidates(
    tree: &Tree,
    file: FileId,
    folder: &str,
    inside: &[String],
    name: &str,
    path: Option<&str>,
) -> Vec<String> {
    let mut folder = folder.to_owned();
    for name in inside {
        folder = join(&folder, name);
    }
    match path {
        Some(path) => {
            let base = if inside.is_empty() {
                tree.folder(file)
            } else {
                &folder
            };
            vec![normal(&join(base, path))]
        }
        None => vec![
            join(&folder, &format!("{name}.rs")),
            join(&folder, &format!("{name}/mod.rs")),
        ],
    }
}

/// A path inside a folder.
fn join(folder: &str, path: &str) -> String {
    let path = path.trim_start_matches("./");
    if folder.is_empty() {
        return path.to_owned();
    }
    format!("{folder}/{path}")
}

/// A path without `.` and `..`.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
