//! Which servers a file has, what is in the rows, and what configuration makes of them.

use std::collections::BTreeSet;

use expect_test::expect;
use serde_json::json;

use super::*;
use crate::spec::{Readiness, Role};

fn servers_of(path: &str) -> String {
    let catalog = Catalog::built_in();
    let path = Path::new(path);
    catalog
        .for_path(path)
        .map(|spec| format!("{}:{}", spec.id, catalog.language_id(spec, path).unwrap()))
        .collect::<Vec<_>>()
        .join(" ")
}

fn configured(text: &str, origin: Origin) -> Result<Catalog, ConfigError> {
    let config: ServersConfig = toml::from_str(text).unwrap();
    Catalog::built_in().configured(&config, origin)
}

#[test]
fn every_row_says_what_it_needs_to_say() {
    let catalog = Catalog::built_in();
    let mut seen = BTreeSet::new();
    for spec in catalog.servers() {
        let id = &spec.id;
        assert!(seen.insert(id.clone()), "{id} twice");
        assert!(!spec.documents.is_empty(), "{id}: no documents");
        assert!(!spec.commands.is_empty(), "{id}: no commands");
        assert!(!spec.install_hint.is_empty(), "{id}: no install hint");
        let rule = &spec.roots;
        assert_ne!(
            rule.outermost.is_empty() && rule.nearest.is_empty(),
            !rule.single_file,
            "{id}: markers or single files"
        );
        let markers = rule.outermost.iter().chain(&rule.nearest);
        for marker in markers {
            assert_ne!(marker.name, ".git", "{id}");
        }
        for command in &spec.commands {
            assert!(
                !command.program.is_empty(),
                "{id}: a command without program"
            );
        }
        for other in &spec.only_without {
            assert!(
                seen.contains(other),
                "{id}: {other} does not come before it"
            );
        }
    }
    let written = [
        native::rows(),
        web::rows(),
        scripting::rows(),
        managed::rows(),
        functional::rows(),
        data::rows(),
    ];
    assert_eq!(written.iter().map(Vec::len).sum::<usize>(), seen.len());
    assert!(seen.len() >= 50, "{}", seen.len());
}

#[test]
fn a_file_has_the_servers_of_its_language() {
    let paths = [
        "src/main.rs",
        "a.py",
        "a.ts",
        "a.tsx",
        "a.cjs",
        "main.go",
        "go.mod",
        "a.h",
        "a.cc",
        "A.java",
        "build.gradle.kts",
        "run.sh",
        ".bashrc",
        "a.json",
        "tsconfig.build.json",
        "a.yml",
        "Cargo.toml",
        "Dockerfile.dev",
        "CMakeLists.txt",
        "notes.txt",
        "Makefile",
        "a.css",
        "a.R",
        "x.heex",
        "Gemfile",
    ];
    let table: String = paths
        .iter()
        .map(|path| format!("{path}: {}\n", servers_of(path)))
        .collect();
    expect![[r#"
        src/main.rs: rust-analyzer:rust
        a.py: pyright:python ty:python ruff:python
        a.ts: typescript-native:typescript typescript:typescript deno:typescript eslint:typescript biome:typescript oxlint:typescript
        a.tsx: typescript-native:typescriptreact typescript:typescriptreact deno:typescriptreact eslint:typescriptreact biome:typescriptreact oxlint:typescriptreact
        a.cjs: typescript-native:javascript typescript:javascript deno:javascript eslint:javascript biome:javascript oxlint:javascript
        main.go: gopls:go
        go.mod: gopls:go.mod
        a.h: clangd:c ccls:c
        a.cc: clangd:cpp ccls:cpp
        A.java: jdtls:java
        build.gradle.kts: kotlin:kotlin
        run.sh: bash:shellscript
        .bashrc: bash:shellscript
        a.json: biome:json json:json
        tsconfig.build.json: biome:json json:jsonc
        a.yml: yaml:yaml
        Cargo.toml: toml:toml
        Dockerfile.dev: docker:dockerfile
        CMakeLists.txt: cmake:cmake
        notes.txt: 
        Makefile: 
        a.css: biome:css css:css
        a.R: r:r
        x.heex: elixir:heex
        Gemfile: ruby:ruby
    "#]].assert_eq(&table);
}

#[test]
fn what_was_measured_is_in_the_rows() {
    let catalog = Catalog::built_in();
    let table: String = catalog
        .servers()
        .filter(|spec| {
            spec.diagnostics != crate::DiagnosticsProfile::default()
                || !matches!(spec.readiness, Readiness::NoProgress)
        })
        .map(|spec| {
            let profile = &spec.diagnostics;
            format!(
                "{}: settle {:?}, cold {:?}{}{}{}{}{}{}, {:?}\n",
                spec.id,
                profile.settle,
                profile.cold,
                if profile.versioned { ", versioned" } else { "" },
                if profile.unopened { ", unopened" } else { "" },
                if profile.silent_when_clean {
                    ", silent when clean"
                } else {
                    ""
                },
                if profile.ask.is_some() { ", asked" } else { "" },
                if profile.check.is_some() {
                    ", checks"
                } else {
                    ""
                },
                if spec.role == Role::Linter {
                    ", linter"
                } else {
                    ""
                },
                spec.readiness,
            )
        })
        .collect();
    expect![[r#"
        rust-analyzer: settle 400ms, cold 60s, versioned, unopened, silent when clean, checks, ServerStatus
        gopls: settle 1.3s, cold 60s, versioned, unopened, Progress("Setting up workspace")
        clangd: settle 400ms, cold 60s, versioned, AtOnce
        ccls: settle 500ms, cold 60s, AtOnce
        typescript-native: settle 400ms, cold 45s, AtOnce
        typescript: settle 400ms, cold 45s, silent when clean, asked, Progress("Initializing JS/TS language features")
        deno: settle 400ms, cold 60s, AtOnce
        eslint: settle 400ms, cold 60s, linter, AtOnce
        biome: settle 400ms, cold 60s, versioned, linter, AtOnce
        oxlint: settle 400ms, cold 60s, linter, AtOnce
        svelte: settle 400ms, cold 45s, AtOnce
        vue: settle 400ms, cold 45s, NoProgress
        astro: settle 400ms, cold 45s, NoProgress
        html: settle 400ms, cold 60s, linter, AtOnce
        css: settle 400ms, cold 60s, linter, AtOnce
        pyright: settle 400ms, cold 60s, versioned, AtOnce
        ty: settle 400ms, cold 60s, versioned, AtOnce
        ruff: settle 400ms, cold 60s, versioned, linter, AtOnce
        php: settle 500ms, cold 60s, Progress("indexing")
        bash: settle 900ms, cold 60s, versioned, linter, AtOnce
        jdtls: settle 1.5s, cold 60s, unopened, LanguageStatus("ServiceReady")
        dart: settle 400ms, cold 60s, unopened, NoProgress
        json: settle 400ms, cold 60s, linter, AtOnce
        yaml: settle 500ms, cold 60s, linter, AtOnce
        toml: settle 400ms, cold 60s, linter, AtOnce
        proto: settle 400ms, cold 60s, versioned, AtOnce
        docker: settle 500ms, cold 60s, linter, AtOnce
    "#]].assert_eq(&table);
}

#[test]
fn configuration_switches_off_changes_and_adds() {
    let catalog = configured(
        r#"
        [ruff]
        enabled = false
        [pyright]
        command = ["pyright-langserver", "--stdio"]
        times = { warm_ms = 3000 }
        [pyright.settings.python.analysis]
        typeCheckingMode = "strict"
        [typescript]
        extensions = ["ts", ".tsx", "es6"]
        root_markers = ["tsconfig.json"]
        [own]
        command = ["/opt/own", "serve"]
        extensions = ["own"]
        linter = true
        "#,
        Origin::User,
    )
    .unwrap();

    assert_eq!(catalog.get("ruff").unwrap().disabled, Some(Origin::User));
    let pyright = catalog.get("pyright").unwrap();
    assert_eq!(pyright.commands.len(), 1);
    assert_eq!(pyright.commands[0].program, "pyright-langserver");
    assert_eq!(pyright.origin, Origin::User);
    assert_eq!(pyright.diagnostics.warm.as_millis(), 3000);
    assert_eq!(
        pyright.settings["python"]["analysis"],
        json!({ "diagnosticMode": "openFilesOnly", "typeCheckingMode": "strict" })
    );
    let typescript = catalog.get("typescript").unwrap();
    assert_eq!(
        catalog.language_id(typescript, "a.tsx".as_ref()),
        Some("typescriptreact")
    );
    assert_eq!(
        catalog.language_id(typescript, "a.es6".as_ref()),
        Some("typescript")
    );
    assert_eq!(catalog.language_id(typescript, "a.js".as_ref()), None);
    assert!(typescript.roots.outermost.is_empty());
    // Where it is looked for, and what it is asked, does not decide what runs.
    assert_eq!(typescript.origin, Origin::BuiltIn);
    let own = catalog.get("own").unwrap();
    assert!(own.roots.single_file);
    assert_eq!(own.role, Role::Linter);
    assert_eq!(catalog.language_id(own, "a.own".as_ref()), Some("own"));
}

#[test]
fn what_the_checkout_chose_stays_marked() {
    let checkout: ServersConfig = toml::from_str(
        "[rust-analyzer.settings.rust-analyzer.check]\noverrideCommand = [\"evil\"]\n\
         [ruff]\nenabled = false\n",
    )
    .unwrap();
    let user: ServersConfig =
        toml::from_str("[rust-analyzer]\ncommand = [\"rust-analyzer\"]\n[ruff]\nenabled = true\n")
            .unwrap();
    let catalog = Catalog::built_in()
        .configured(&checkout, Origin::Checkout)
        .and_then(|catalog| catalog.configured(&user, Origin::User))
        .unwrap();
    assert_eq!(
        catalog.get("rust-analyzer").unwrap().origin,
        Origin::Checkout
    );
    let ruff = catalog.get("ruff").unwrap();
    assert_eq!((ruff.origin, ruff.disabled), (Origin::BuiltIn, None));
}

#[test]
fn mistakes_are_named_with_what_was_probably_meant() {
    let messages: String = [
        "[rust-analyser]\nenabled = false\n",
        "[own]\ncommand = [\"own\"]\n",
        "[ruff]\nenable = false\n",
        "[ruff]\ncommand = []\n",
        "[ruff]\ncommand = [\"bin/ruff\"]\n",
        "[ruff]\nroot_markers = [\"ruff[.toml\"]\n",
    ]
    .iter()
    .map(|text| format!("{}\n", configured(text, Origin::User).unwrap_err()))
    .collect();
    expect![[r#"
        there is no server `rust-analyser`; the nearest name is `rust-analyzer`. A new server needs `command` and `extensions`
        there is no server `own`; the nearest name is `zls`. A new server needs `command` and `extensions`
        server `ruff` has no setting `enable`; the nearest name is `enabled`
        the `command` of server `ruff` is empty; it needs the name of a program
        the `command` of server `ruff` is a relative path, which means another program in every folder; give its name or its absolute path
        server `ruff` has a pattern that cannot be understood: error parsing glob 'ruff[.toml': unclosed character class; missing ']'
    "#]].assert_eq(&messages);
    configured("[ruff]\ncommand = [\"bin/ruff\"]\n", Origin::Checkout).unwrap();
}
