//! Trees of files, and the roots that the rows find in them.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::Catalog;

/// A checkout with these files; `NAME=TEXT` gives one a text.
fn checkout(files: &[&str]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for file in files {
        let (name, text) = file.split_once('=').unwrap_or((file, ""));
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// The root that the compiled-in server gives to a file, relative to the checkout: `.` is the
/// checkout itself.
fn root_of(server: &str, checkout: &Path, file: &str) -> String {
    let catalog = Catalog::built_in();
    let server = catalog.get(server).unwrap();
    let file = checkout.join(file);
    match catalog.root(server, checkout, file.parent().unwrap()) {
        Root::Found(root) if root == checkout => ".".to_owned(),
        Root::Found(root) => shown(&root, checkout),
        Root::Elsewhere { because } => format!("elsewhere: {}", shown(&because, checkout)),
        Root::Unmarked => "unmarked".to_owned(),
    }
}

fn shown(path: &Path, checkout: &Path) -> String {
    path.strip_prefix(checkout)
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned()
}

#[track_caller]
fn check(server: &str, files: &[&str], expected: &[(&str, &str)]) {
    let folder = checkout(files);
    for (file, root) in expected {
        assert_eq!(root_of(server, folder.path(), file), *root, "{file}");
    }
}

#[test]
fn the_nearest_marker_wins_where_there_is_no_whole() {
    check(
        "pyright",
        &["pyproject.toml", "tools/setup.py", "tools/a/b/x.py"],
        &[
            ("tools/a/b/x.py", "tools"),
            ("main.py", "."),
            ("docs/conf.py", "."),
        ],
    );
    check(
        "pyright",
        &["docs/x.py", ".git/HEAD"],
        &[("docs/x.py", "unmarked")],
    );
}

#[test]
fn the_outermost_marker_of_a_whole_wins() {
    check(
        "gopls",
        &["go.mod", "svc/go.work", "svc/a/go.mod", "svc/a/sub/go.work"],
        &[
            ("svc/a/sub/x.go", "svc"),
            ("svc/x.go", "svc"),
            ("main.go", "."),
        ],
    );
}

#[test]
fn a_package_of_cargo_climbs_to_the_workspace_that_holds_it() {
    check(
        "rust-analyzer",
        &[
            "Cargo.toml=[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"fuzz\", \"old\"]\n",
            "crates/a/Cargo.toml=[package]\nname = \"a\"\n",
            "crates/a/src/lib.rs",
            "fuzz/Cargo.toml=[package]\nname = \"fuzz\"\n",
            "old/deep/Cargo.toml=[package]\nname = \"old\"\n",
            "crates/a/own/Cargo.toml=[package]\nname = \"own\"\n[workspace]\n",
            "elsewhere/Cargo.toml=[package]\nname = \"e\"\nworkspace = \"../other\"\n",
            "other/Cargo.toml=[workspace]\nmembers = [\"../elsewhere\"]\n",
            "lost/Cargo.toml=[package]\nname = \"lost\"\nworkspace = \"../../outside\"\n",
        ],
        &[
            ("crates/a/src/lib.rs", "."),
            ("fuzz/src/main.rs", "fuzz"),
            ("old/deep/src/lib.rs", "old/deep"),
            ("crates/a/own/src/lib.rs", "crates/a/own"),
            ("elsewhere/src/lib.rs", "other"),
            ("lost/src/lib.rs", "."),
            ("build.rs", "."),
        ],
    );
}

#[test]
fn an_excluded_folder_that_is_listed_too_is_a_member_and_a_broken_manifest_keeps_its_root() {
    check(
        "rust-analyzer",
        &[
            "Cargo.toml=[workspace]\nmembers = [\"vendor/ours\"]\nexclude = [\"vendor\"]\n",
            "vendor/ours/Cargo.toml=[package]\nname = \"ours\"\n",
            "vendor/theirs/Cargo.toml=[package]\nname = \"theirs\"\n",
        ],
        &[
            ("vendor/ours/src/lib.rs", "."),
            ("vendor/theirs/src/lib.rs", "vendor/theirs"),
        ],
    );
    check(
        "rust-analyzer",
        &[
            "Cargo.toml=[workspace]\nmembers = [\"a\", \n",
            "a/Cargo.toml=[package\n",
        ],
        &[("a/src/lib.rs", ".")],
    );
}

#[test]
fn a_module_of_maven_climbs_while_it_is_listed() {
    check(
        "jdtls",
        &[
            "pom.xml=<project><modules><module> app </module></modules></project>",
            "app/pom.xml=<modules><module>core</module><!-- <module>gone</module> --></modules>",
            "app/core/pom.xml=<project/>",
            "app/gone/pom.xml=<project/>",
            "tool/pom.xml=<modules><module>gen/pom.xml</module></modules>",
            "tool/gen/pom.xml=<project/>",
        ],
        &[
            ("app/core/src/A.java", "."),
            ("app/gone/src/A.java", "app/gone"),
            ("tool/gen/A.java", "tool"),
        ],
    );
    check(
        "jdtls",
        &["gradlew", "a/pom.xml", "a/b/build.gradle"],
        &[("a/b/A.java", ".")],
    );
}

#[test]
fn deno_and_the_servers_on_tsserver_share_a_checkout() {
    let files = [
        "package-lock.json",
        "web/tsconfig.json",
        "functions/deno.json",
        "functions/old/package-lock.json",
    ];
    check(
        "typescript",
        &files,
        &[
            ("web/a.ts", "."),
            ("functions/a.ts", "elsewhere: functions/deno.json"),
        ],
    );
    check(
        "deno",
        &files,
        &[
            ("web/a.ts", "unmarked"),
            ("functions/a.ts", "functions"),
            (
                "functions/old/a.ts",
                "elsewhere: functions/old/package-lock.json",
            ),
        ],
    );
    // Both in one folder: Deno's, and only Deno's.
    let both = ["deno.json", "package-lock.json"];
    check("typescript", &both, &[("a.ts", "elsewhere: deno.json")]);
    check("deno", &both, &[("a.ts", ".")]);
}

#[test]
fn markers_may_be_globs_lie_below_and_need_a_line() {
    check(
        "csharp",
        &["src/Lib.csproj", "src/a/x.cs"],
        &[("src/a/x.cs", "src"), ("y.cs", "unmarked")],
    );
    check(
        "csharp",
        &["All.sln", "src/Lib.csproj"],
        &[("src/x.cs", ".")],
    );
    check(
        "clangd",
        &["lib/build/compile_commands.json", "lib/src/x.c"],
        &[
            ("lib/src/x.c", "lib"),
            ("lib/build/gen.c", "lib"),
            ("x.c", "unmarked"),
        ],
    );
    check(
        "dart",
        &[
            "pubspec.yaml=name: all\nworkspace:\n  - a\n",
            "a/pubspec.yaml=name: a\nresolution: workspace\n",
        ],
        &[("a/lib/a.dart", ".")],
    );
    check(
        "dart",
        &[
            "pubspec.yaml=name: all\n# workspace:\n",
            "a/pubspec.yaml=name: a\nresolution: workspace\n",
        ],
        &[("a/lib/a.dart", "a")],
    );
}

#[test]
fn a_language_of_single_files_has_the_checkout_as_its_root() {
    check("json", &["deep/down/a.json"], &[("deep/down/a.json", ".")]);
}

#[test]
fn a_root_is_never_outside_the_checkout() {
    let outer = checkout(&["go.work", "go.mod", "inner/x.go"]);
    let inner = outer.path().join("inner");
    assert_eq!(root_of("gopls", &inner, "x.go"), "unmarked");
    let catalog = Catalog::built_in();
    let gopls = catalog.get("gopls").unwrap();
    for folder in [outer.path().to_path_buf(), inner.join("..")] {
        assert_eq!(catalog.root(gopls, &inner, &folder), Root::Unmarked);
    }
}

/// Folders as words over two names, at most four deep.
fn folder() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(vec!["a", "b"]), 0..=4)
}

fn on_disk(base: &Path, folder: &[&str]) -> PathBuf {
    folder
        .iter()
        .fold(base.to_path_buf(), |path, name| path.join(name))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn climbing_finds_what_the_definition_says(
        whole in prop::collection::btree_set(folder(), 0..3),
        part in prop::collection::btree_set(folder(), 0..4),
        stop in prop::collection::btree_set(folder(), 0..2),
        depth in 0_usize..3,
        file in folder(),
    ) {
        let base = TempDir::new().unwrap();
        let marks = [(&whole, "whole.mark"), (&part, "part.mark"), (&stop, "stop.mark")];
        for (folders, name) in marks {
            for folder in folders {
                let folder = on_disk(base.path(), folder);
                fs::create_dir_all(&folder).unwrap();
                fs::write(folder.join(name), "").unwrap();
            }
        }
        // The checkout is a folder above the file, not always the top of the tree.
        let top = &file[..depth.min(file.len())];
        let finder = RootFinder::new(&RootRule {
            outermost: vec![Marker::new("whole.*")],
            nearest: vec![Marker::new("part.mark")],
            unless: vec![Marker::new("stop.mark")],
            ..RootRule::default()
        }).unwrap();
        let found = finder.find(&on_disk(base.path(), top), &on_disk(base.path(), &file));

        // By the definition, on the sets alone.
        let candidates: Vec<&[&str]> =
            (top.len()..=file.len()).map(|length| &file[..length]).collect();
        let holds = |set: &BTreeSet<Vec<&str>>, folder: &[&str]| set.contains(folder);
        let root = candidates.iter().find(|folder| holds(&whole, folder))
            .or_else(|| candidates.iter().rev().find(|folder| holds(&part, folder)));
        let expected = match root {
            None => Root::Unmarked,
            Some(root) => {
                let stopped = candidates.iter().rev()
                    .filter(|folder| folder.len() >= root.len())
                    .find(|folder| holds(&stop, folder));
                match stopped {
                    Some(folder) => Root::Elsewhere {
                        because: on_disk(base.path(), folder).join("stop.mark"),
                    },
                    None => Root::Found(on_disk(base.path(), root)),
                }
            }
        };
        prop_assert_eq!(found, expected);
    }
}
