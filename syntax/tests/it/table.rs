//! The language table.

use expect_test::expect;
use fourfold_syntax::{Error, Language};
use std::collections::BTreeMap;
use std::path::Path;

#[test]
fn ids_are_sorted_and_unique() {
    let ids: Vec<_> = Language::known().collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    assert_eq!(ids.len(), 28);
    let compiled_in: Vec<_> = Language::all().map(Language::id).collect();
    assert!(compiled_in.is_sorted_by(|a, b| a < b));
    assert!(compiled_in.iter().all(|id| ids.contains(id)));
}

#[test]
fn nothing_is_claimed_twice() {
    let mut owners: BTreeMap<String, Language> = BTreeMap::new();
    for language in Language::all() {
        let names = [language.id(), language.name()];
        let mut names: Vec<_> = names
            .iter()
            .chain(language.aliases())
            .map(|name| format!("name {}", name.to_lowercase()))
            .collect();
        names.sort();
        // The id and the name may be the same but for case; an alias repeats neither.
        let with_repeats = names.len();
        names.dedup();
        assert!(with_repeats - names.len() <= 1, "{language}: {names:?}");
        let extensions = language.extensions().iter().map(|e| format!(".{e}"));
        let files = language.file_names().iter().map(|f| format!("file {f}"));
        let runs = language.shebangs().iter().map(|r| format!("#! {r}"));
        for claim in names.into_iter().chain(extensions).chain(files).chain(runs) {
            let before = owners.insert(claim.clone(), language);
            assert_eq!(before, None, "{claim} is claimed by {language} too");
        }
    }
}

#[test]
fn extensions_are_lower_case_and_bare() {
    for language in Language::all() {
        assert!(!language.extensions().is_empty());
        for extension in language.extensions() {
            assert!(!extension.contains('.'), "{extension}");
            assert_eq!(*extension, extension.to_lowercase());
        }
    }
}

#[test]
fn every_name_leads_back() {
    for language in Language::all() {
        for name in [language.id(), language.name()]
            .iter()
            .chain(language.aliases())
        {
            assert_eq!(Language::named(name), Ok(language));
            assert_eq!(Language::named(&name.to_uppercase()), Ok(language));
        }
        for extension in language.extensions() {
            let path = format!("some/dir.d/file.{extension}");
            assert_eq!(
                Language::of_path(Path::new(&path)),
                Some(language),
                "{path}"
            );
        }
        for name in language.file_names() {
            let path = Path::new("some/dir").join(name);
            assert_eq!(Language::of_path(&path), Some(language), "{name}");
        }
        for program in language.shebangs() {
            let line = format!("#!/usr/bin/env {program}");
            assert_eq!(Language::of_shebang(&line), Some(language), "{line}");
        }
    }
}

/// The id of the language expected, if it is compiled in.
fn expected(id: &str) -> Option<Language> {
    match Language::named(id) {
        Ok(language) => Some(language),
        Err(Error::LanguageNotCompiledIn { .. }) => None,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn paths() {
    for (path, id) in [
        ("src/main.rs", "rust"),
        ("types.pyi", "python"),
        ("a/b.d.ts", "typescript"),
        ("App.TSX", "tsx"),
        ("x.mjs", "javascript"),
        ("include/x.h", "c"),
        ("x.hpp", "cpp"),
        ("Gemfile", "ruby"),
        ("BUILD.bazel", "python"),
        ("Cargo.lock", "toml"),
        ("pubspec.yaml", "yaml"),
        ("build.gradle.kts", "kotlin"),
        ("Build.zig.zon", "zig"),
        (".bashrc", "bash"),
    ] {
        assert_eq!(Language::of_path(Path::new(path)), expected(id), "{path}");
    }
    for path in [
        "Dockerfile",
        "rs",
        ".rs",
        "a.",
        "",
        "/",
        "..",
        "x.unknown",
        "gemfile",
    ] {
        assert_eq!(Language::of_path(Path::new(path)), None, "{path}");
    }
}

#[test]
fn shebangs() {
    for (line, id) in [
        ("#!/bin/sh", "bash"),
        ("#! /bin/bash -eu", "bash"),
        ("#!/usr/bin/env python3", "python"),
        ("#!/usr/bin/python3.12", "python"),
        ("#!/usr/bin/env -S uv run --script", "python"),
        ("#!/usr/bin/env -S LANG=C node --flag", "javascript"),
        ("#!/usr/bin/env /opt/bin/ruby", "ruby"),
        ("#!/usr/bin/env -S deno run", "typescript"),
    ] {
        assert_eq!(Language::of_shebang(line), expected(id), "{line}");
    }
    for line in [
        "",
        "#!",
        "#!/usr/bin/env",
        "#!/bin/false",
        "/bin/sh",
        "# !/bin/sh",
        "#!/usr/bin/env -S",
    ] {
        assert_eq!(Language::of_shebang(line), None, "{line}");
    }
}

#[test]
fn an_unknown_name_gets_the_nearest() {
    let said = |name| Language::named(name).unwrap_err().to_string();
    expect!["no language is called `pyhton`; the nearest is `python`"].assert_eq(&said("pyhton"));
    expect!["no language is called `kotlyn`; the nearest is `kotlin`"].assert_eq(&said("kotlyn"));
    expect!["no language is called `c#-sharp`; the nearest is `csharp`"]
        .assert_eq(&said("c#-sharp"));
    assert!(said("").starts_with("no language is called ``; the languages are "));
}

/// Runs with `cargo test -p fourfold-syntax --no-default-features --features json --test it`.
#[cfg(not(feature = "swift"))]
#[test]
fn a_language_left_out_names_its_feature() {
    let error = Language::named("swift").unwrap_err();
    expect!["swift is not compiled into this build; build with the Cargo feature `swift`"]
        .assert_eq(&error.to_string());
    assert_eq!(Language::of_path(Path::new("a.swift")), None);
    assert!(Language::all().all(|language| language.id() != "swift"));
}
