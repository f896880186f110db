//! Which file a module specifier names.

use crate::facts::Manifest;
use crate::link::eval::Eval;
use crate::link::modules::Tree;
use crate::link::value::FileId;

/// What a path without an extension may end in, sources before what is built from them.
const ENDINGS: [&str; 18] = [
    ".ts",
    ".tsx",
    ".mts",
    ".cts",
    ".d.ts",
    ".js",
    ".jsx",
    ".mjs",
    ".cjs",
    "/index.ts",
    "/index.tsx",
    "/index.mts",
    "/index.cts",
    "/index.d.ts",
    "/index.js",
    "/index.jsx",
    "/index.mjs",
    "/index.cjs",
];

/// What a built file's ending stands for in sources.
const BUILT: [(&str, &[&str]); 7] = [
    (".d.ts", &[".ts", ".tsx", ".d.ts"]),
    (".d.mts", &[".mts", ".d.mts"]),
    (".d.cts", &[".cts", ".d.cts"]),
    (".mjs", &[".mts", ".mjs"]),
    (".cjs", &[".cts", ".cjs"]),
    (".jsx", &[".tsx", ".jsx"]),
    (".js", &[".ts", ".tsx", ".d.ts", ".js", ".jsx"]),
];

/// Folders that hold what is built.
const BUILDS: [&str; 9] = [
    "lib", "dist", "build", "out", "esm", "cjs", "types", "umd", "es",
];

/// How many project files are followed through `extends`.
const EXTENDS: usize = 8;

/// A package of the checkout.
struct Package {
    name: String,
    folder: String,
    /// Subpaths and where they lead.
    entries: Vec<(String, String)>,
}

/// The compiler's options of a folder, those of the files that it extends included.
struct Config {
    folder: String,
    /// The folder that bare paths are looked up in.
    base: Option<String>,
    /// Patterns, and where they lead, from the root of the checkout.
    paths: Vec<(String, Vec<String>)>,
}

/// What project files say about modules.
pub(super) struct Projects {
    /// Longest name first.
    packages: Vec<Package>,
    /// Deepest folder first.
    configs: Vec<Config>,
}

impl Projects {
    /// Reads the project files of a tree.
    pub(super) fn new(tree: &Tree) -> Projects {
        let mut packages = Vec::new();
        let mut configs = Vec::new();
        for (path, manifest) in tree.manifests() {
            let folder = folder(path).to_owned();
            match manifest {
                Manifest::Npm { name, entries, .. } => packages.push(Package {
                    name: name.clone().unwrap_or_default(),
                    folder,
                    entries: entries.clone(),
                }),
                Manifest::TypeScript { .. } => {
                    let (base, paths) = options(tree, path);
                    if base.is_some() || !paths.is_empty() {
                        configs.push(Config {
                            folder,
                            base,
                            paths,
                        });
                    }
                }
                _ => {}
            }
        }
        packages.sort_by(|a, b| {
            (b.name.len(), &a.name, &a.folder).cmp(&(a.name.len(), &b.name, &b.folder))
        });
        configs.sort_by(|a, b| (b.folder.len(), &a.folder).cmp(&(a.folder.len(), &b.folder)));
        Projects { packages, configs }
    }

    /// The file that a specifier names in a file.
    pub(super) fn resolve(&self, eval: &mut Eval<'_>, from: FileId, spec: &str) -> Option<FileId> {
        let spec = spec.split(['?', '!']).next().unwrap_or(spec);
        let here = eval.world.tree.folder(from).to_owned();
        if spec == "." || spec == ".." || spec.starts_with("./") || spec.starts_with("../") {
            return self.file(eval, &join(&here, spec)?);
        }
        if spec.starts_with('#') {
            let package = self.around(&here)?;
            return self.entry(eval, package, spec);
        }
        for config in &self.configs {
            if !is_inside(&here, &config.folder) {
                continue;
            }
            for target in mapped(&config.paths, spec) {
                if let Some(found) = self.file(eval, &target) {
                    return Some(found);
                }
            }
            if let Some(base) = &config.base
                && let Some(path) = join(base, spec)
                && let Some(found) = self.file(eval, &path)
            {
                return Some(found);
            }
        }
        let packages = self
            .packages
            .iter()
            .filter(|package| !package.name.is_empty());
        for package in packages {
            let Some(rest) = spec.strip_prefix(package.name.as_str()) else {
                continue;
            };
            let subpath = match rest.strip_prefix('/') {
                Some(rest) => format!("./{rest}"),
                None if rest.is_empty() => ".".to_owned(),
                None => continue,
            };
            if let Some(found) = self.entry(eval, package, &subpath) {
                return Some(found);
            }
        }
        None
    }

    /// The package that a folder belongs to.
    fn around(&self, folder: &str) -> Option<&Package> {
        let packages = self.packages.iter();
        packages
            .filter(|package| is_inside(folder, &package.folder))
            .max_by_key(|package| package.folder.len())
    }

    /// The source of a package's subpath.
    fn entry(&self, eval: &mut Eval<'_>, package: &Package, subpath: &str) -> Option<FileId> {
        let at = |path: &str| join(&package.folder, path);
        if subpath == "." {
            let sources = package.entries.iter().filter(|(key, _)| key == "source");
            for (_, path) in sources {
                if let Some(found) = self.file(eval, &at(path)?) {
                    return Some(found);
                }
            }
        }
        let mut targets: Vec<String> = Vec::new();
        for (key, path) in &package.entries {
            if key == subpath {
                targets.push(path.clone());
            } else if let Some((before, after)) = key.split_once('*')
                && let Some(inner) = subpath.strip_prefix(before)
                && let Some(inner) = inner.strip_suffix(after)
            {
                targets.push(path.replace('*', inner));
            }
        }
        if subpath == "." {
            let main = package
                .entries
                .iter()
                .filter(|(key, _)| matches!(key.as_str(), "types" | "typings" | "module" | "main"));
            targets.extend(main.map(|(_, path)| path.clone()));
        }
        for target in &targets {
            for source in sources_of(target) {
                if let Some(found) = self.file(eval, &at(&source)?) {
                    return Some(found);
                }
            }
        }
        for target in &targets {
            if let Some(found) = self.file(eval, &at(target)?) {
                return Some(found);
            }
        }
        let inner = subpath.trim_start_matches('.').trim_start_matches('/');
        let guesses = match inner {
            "" => vec![
                "src/index".to_owned(),
                "src/main".to_owned(),
                "index".to_owned(),
            ],
            inner => vec![format!("src/{inner}"), inner.to_owned()],
        };
        for guess in guesses {
            if let Some(found) = self.file(eval, &at(&guess)?) {
                return Some(found);
            }
        }
        None
    }

    /// The file at a path that may lack its ending, or have the ending of what is built from it.
    fn file(&self, eval: &mut Eval<'_>, path: &str) -> Option<FileId> {
        for (ending, sources) in BUILT {
            if let Some(stem) = path.strip_suffix(ending) {
                for source in sources {
                    if let Some(found) = eval.probe(&format!("{stem}{source}")) {
                        return Some(found);
                    }
                }
            }
        }
        if let Some(found) = eval.probe(path) {
            return Some(found);
        }
        for ending in ENDINGS {
            let candidate = match path {
                "" => ending.trim_start_matches('/').to_owned(),
                _ => format!("{path}{ending}"),
            };
            if let Some(found) = eval.probe(&candidate) {
                return Some(found);
            }
        }
        let package = self
            .packages
            .iter()
            .find(|package| package.folder == path)?;
        let main = package.entries.iter().filter(|(key, _)| {
            matches!(
                key.as_str(),
                "source" | "types" | "typings" | "module" | "main"
            )
        });
        for (_, target) in main {
            for source in sources_of(target).into_iter().chain([target.clone()]) {
                let path = join(path, &source)?;
                for ending in ["", ".ts", ".tsx", ".d.ts", ".js"] {
                    if let Some(found) = eval.probe(&format!("{path}{ending}")) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }
}

/// Where the sources of a built file may be: the build folder is `src`, or is not there.
fn sources_of(target: &str) -> Vec<String> {
    let path = target.trim_start_matches("./");
    let mut parts: Vec<&str> = path.split('/').collect();
    let mut found = Vec::new();
    while parts.len() > 1 && parts.first().is_some_and(|first| BUILDS.contains(first)) {
        parts.remove(0);
        found.push(format!("src/{}", parts.join("/")));
    }
    // Names of builds: `vue.cjs.js`, `index.esm.js`.
    found.push(path.to_owned());
    found
}

/// The base folder and the path patterns that a project file comes to.
fn options(tree: &Tree, path: &str) -> (Option<String>, Vec<(String, Vec<String>)>) {
    let mut base = None;
    let mut found: Option<Vec<(String, Vec<String>)>> = None;
    let mut open = vec![path.to_owned()];
    for _ in 0..EXTENDS {
        let Some(path) = open.pop() else {
            break;
        };
        let manifest = tree.manifests().iter().find(|(known, _)| *known == path);
        let Some((
            _,
            Manifest::TypeScript {
                extends,
                base_url,
                paths,
            },
        )) = manifest
        else {
            continue;
        };
        let here = folder(&path);
        if base.is_none()
            && let Some(url) = base_url
        {
            base = join(here, url);
        }
        if found.is_none() && !paths.is_empty() {
            let from = match base_url {
                Some(url) => join(here, url).unwrap_or_default(),
                None => base.clone().unwrap_or_else(|| here.to_owned()),
            };
            let paths = paths.iter().map(|(pattern, targets)| {
                let targets = targets.iter().filter_map(|target| join(&from, target));
                (pattern.clone(), targets.collect())
            });
            found = Some(paths.collect());
        }
        for parent in extends {
            if let Some(parent) = join(here, parent) {
                let name = match parent.ends_with(".json") {
                    true => parent,
                    false => format!("{parent}.json"),
                };
                open.push(name);
            }
        }
    }
    (base, found.unwrap_or_default())
}

/// The places that the best pattern for a specifier leads to.
fn mapped(paths: &[(String, Vec<String>)], spec: &str) -> Vec<String> {
    let mut best: Option<(usize, Vec<String>)> = None;
    for (pattern, targets) in paths {
        let (length, targets) = match pattern.split_once('*') {
            None if pattern == spec => (usize::MAX, targets.clone()),
            None => continue,
            Some((before, after)) => {
                let inner = spec
                    .strip_prefix(before)
                    .and_then(|inner| inner.strip_suffix(after));
                let Some(inner) = inner else { continue };
                let targets = targets.iter().map(|target| target.replacen('*', inner, 1));
                (before.len(), targets.collect())
            }
        };
        if best.as_ref().is_none_or(|(known, _)| length > *known) {
            best = Some((length, targets));
        }
    }
    best.map(|(_, targets)| targets).unwrap_or_default()
}

/// The folder of a path.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a folder is another one or lies in it.
fn is_inside(folder: &str, outer: &str) -> bool {
    outer.is_empty()
        || folder
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A path from a folder, without `.` and `..`; `None` for one that leaves the checkout.
fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = match path.starts_with('/') {
        true => Vec::new(),
        false => folder.split('/').filter(|part| !part.is_empty()).collect(),
    };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Whether a specifier names something that is no program.
pub(super) fn is_asset(spec: &str) -> bool {
    let name = spec.rsplit('/').next().unwrap_or(spec);
    let ending = name
        .trim_start_matches('.')
        .rsplit_once('.')
        .map(|(_, ending)| ending);
    ending.is_some_and(|ending| {
        matches!(
            ending,
            "css"
                | "scss"
                | "sass"
                | "less"
                | "json"
                | "svg"
                | "png"
                | "jpg"
                | "vue"
                | "svelte"
                | "html"
                | "txt"
                | "md"
                | "wasm"
                | "yaml"
                | "yml"
                | "graphql"
                | "node"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_and_patterns_mapped() {
        assert_eq!(join("a/b", "../c/./d"), Some("a/c/d".to_owned()));
        assert_eq!(join("a", "../../x"), None);
        assert_eq!(join("", "./x"), Some("x".to_owned()));
        let paths = vec![
            ("@/*".to_owned(), vec!["src/*".to_owned()]),
            ("@/deep/*".to_owned(), vec!["deep/*".to_owned()]),
            ("one".to_owned(), vec!["lib/one".to_owned()]),
        ];
        assert_eq!(mapped(&paths, "@/a/b"), ["src/a/b"]);
        assert_eq!(mapped(&paths, "@/deep/b"), ["deep/b"]);
        assert_eq!(mapped(&paths, "one"), ["lib/one"]);
        assert!(mapped(&paths, "two").is_empty());
    }

    #[test]
    fn built_files_stand_for_their_sources() {
        assert_eq!(
            sources_of("./lib/node/main.js"),
            ["src/node/main.js", "lib/node/main.js"]
        );
        assert_eq!(
            sources_of("./dist/esm/x.js"),
            ["src/esm/x.js", "src/x.js", "dist/esm/x.js"]
        );
    }
}
