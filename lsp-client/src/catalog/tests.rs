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

/// Words that are left out where there is nothing to say.
fn part(name: &str, words: impl IntoIterator<Item = String>) -> String {
    let words: Vec<String> = words.into_iter().collect();
    match words.as_slice() {
        [] => String::new(),
        words => format!("; {name} {}", words.join(" ")),
    }
}

/// A row of the table on one line.
fn line(spec: &ServerSpec) -> String {
    let documents = spec.documents.iter().map(|kind| {
        let files = kind.extensions.iter().chain(&kind.file_names);
        let files: Vec<&str> = files.map(String::as_str).collect();
        format!("{}({})", kind.language_id, files.join(" "))
    });
    let markers = |markers: &[crate::Marker]| {
        let markers = markers.iter();
        markers
            .map(|marker| match &marker.line {
                Some(line) => format!("{}:{line:?}", marker.name),
                None => marker.name.clone(),
            })
            .collect::<Vec<_>>()
    };
    let roots = &spec.roots;
    let commands = spec.commands.iter().map(|command| {
        let words = [command.program.clone()].into_iter();
        let words: Vec<String> = words.chain(command.args.iter().cloned()).collect();
        let package = command.package.as_ref().map_or(String::new(), |package| {
            let bound = |sign: &str, bound: Option<u64>| {
                bound.map_or(String::new(), |bound| format!("{sign}{bound}"))
            };
            format!(
                " with {}{}{}{}",
                package.name,
                if package.optional { "?" } else { "" },
                bound(">=", package.at_least),
                bound("<", package.below),
            )
        });
        let needs = command.needs.iter().map(|need| need.program.clone());
        let path = if command.search_path { "" } else { " local" };
        format!(
            "`{}{package}{path}{}`",
            words.join(" "),
            part("needs", needs).replace(';', "")
        )
    });
    let profile = &spec.diagnostics;
    let flags = [
        ("heavy", spec.heavy),
        ("versioned", profile.versioned),
        ("silent-when-clean", profile.silent_when_clean),
        ("unopened", profile.unopened),
        ("hides-lesser", profile.errors_hide == crate::Hides::Lesser),
        ("hides-all", profile.errors_hide == crate::Hides::All),
        ("asked", profile.ask.is_some()),
        ("checks", profile.check.is_some()),
        ("single-file", roots.single_file),
    ];
    let flags = flags.iter().filter(|(_, set)| *set);
    format!(
        "{}: {:?}{}{}{}{}{}{}{}{}{}; {} ms",
        spec.id,
        spec.role,
        part("files", documents),
        part("outermost", markers(&roots.outermost)),
        part("nearest", markers(&roots.nearest)),
        part("climb", roots.climb.map(|climb| format!("{climb:?}"))),
        part("unless", markers(&roots.unless)),
        part("unless-below", markers(&roots.unless_below)),
        part("runs", commands),
        part("without", spec.only_without.iter().cloned()),
        part("flags", flags.map(|(flag, _)| (*flag).to_owned())),
        profile.settle.as_millis(),
    )
}

/// A change of the table is a change of what people see: it is made here too.
#[test]
fn the_table() {
    let catalog = Catalog::built_in();
    let table: String = catalog.servers().map(|spec| line(spec) + "\n").collect();
    expect![[r#"
        rust-analyzer: Types; files rust(rs); nearest Cargo.toml rust-project.json; climb Cargo; runs `rust-analyzer`; flags heavy versioned silent-when-clean unopened hides-all checks; 400 ms
        gopls: Types; files go(go) go.mod(go.mod) go.work(go.work); outermost go.work; nearest go.mod; runs `gopls`; flags versioned unopened hides-lesser; 1300 ms
        clangd: Types; files c(c h) cpp(cc cpp cxx c++ hh hpp hxx ipp ino) objective-c(m) cuda-cpp(cu); outermost compile_commands.json build/compile_commands.json compile_flags.txt .clangd; nearest configure.ac meson.build CMakeLists.txt; runs `clangd --background-index=false` `clangd-22 --background-index=false` `clangd-21 --background-index=false` `clangd-20 --background-index=false` `clangd-19 --background-index=false` `clangd-18 --background-index=false` `clangd-17 --background-index=false` `clangd-16 --background-index=false` `clangd-15 --background-index=false` `clangd-14 --background-index=false`; flags versioned; 400 ms
        ccls: Types; files c(c h) cpp(cc cpp cxx c++ hh hpp hxx ipp ino) objective-c(m) cuda-cpp(cu); outermost compile_commands.json build/compile_commands.json compile_flags.txt .clangd; nearest configure.ac meson.build CMakeLists.txt; runs `ccls`; without clangd; 500 ms
        zls: Types; files zig(zig zon); nearest build.zig zls.json; runs `zls`; 400 ms
        sourcekit-lsp: Types; files swift(swift); outermost buildServer.json *.xcodeproj; nearest Package.swift; runs `sourcekit-lsp`; flags heavy; 400 ms
        crystalline: Types; files crystal(cr); nearest shard.yml; runs `crystalline --stdio`; 400 ms
        nim: Types; files nim(nim nims nimble); nearest *.nimble; runs `nimlangserver`; 400 ms
        serve-d: Types; files d(d di); nearest dub.json dub.sdl; runs `serve-d`; 400 ms
        fortls: Types; files fortran(f90 f95 f03 f08 f for F90); nearest fpm.toml .fortls; runs `fortls`; 400 ms
        solidity: Types; files solidity(sol); nearest hardhat.config.* foundry.toml; runs `nomicfoundation-solidity-language-server --stdio` `solc --lsp`; 400 ms
        typescript-native: Types; files typescript(ts mts cts) typescriptreact(tsx) javascript(js mjs cjs) javascriptreact(jsx); outermost package-lock.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb; nearest tsconfig.json jsconfig.json package.json; unless deno.json deno.jsonc; runs `tsc --lsp --stdio with typescript>=7 local` `tsgo --lsp --stdio`; 400 ms
        typescript: Types; files typescript(ts mts cts) typescriptreact(tsx) javascript(js mjs cjs) javascriptreact(jsx); outermost package-lock.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb; nearest tsconfig.json jsconfig.json package.json; unless deno.json deno.jsonc; runs `typescript-language-server --stdio with typescript?<7` `vtsls --stdio with typescript?<7`; without typescript-native; flags heavy silent-when-clean asked; 400 ms
        deno: Types; files typescript(ts mts cts) typescriptreact(tsx) javascript(js mjs cjs) javascriptreact(jsx); nearest deno.json deno.jsonc deno.lock; unless-below package-lock.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb; runs `deno lsp`; 400 ms
        eslint: Linter; files typescript(ts mts cts) typescriptreact(tsx) javascript(js mjs cjs) javascriptreact(jsx); nearest eslint.config.js eslint.config.mjs eslint.config.cjs eslint.config.ts eslint.config.mts eslint.config.cts .eslintrc .eslintrc.js .eslintrc.cjs .eslintrc.json .eslintrc.yaml .eslintrc.yml; runs `vscode-eslint-language-server --stdio with eslint`; 400 ms
        biome: Linter; files typescript(ts mts cts) typescriptreact(tsx) javascript(js mjs cjs) javascriptreact(jsx) json(json) jsonc(jsonc) css(css); nearest biome.json biome.jsonc; runs `biome lsp-proxy`; flags versioned; 400 ms
        oxlint: Linter; files typescript(ts mts cts) typescriptreact(tsx) javascript(js mjs cjs) javascriptreact(jsx); nearest .oxlintrc.json; runs `oxlint --lsp`; 400 ms
        svelte: Types; files svelte(svelte); outermost package-lock.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb; nearest tsconfig.json jsconfig.json package.json; runs `svelteserver --stdio`; 400 ms
        vue: Types; files vue(vue); outermost package-lock.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb; nearest tsconfig.json jsconfig.json package.json; runs `vue-language-server --stdio`; 400 ms
        astro: Types; files astro(astro); outermost package-lock.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb; nearest tsconfig.json jsconfig.json package.json; runs `astro-ls --stdio`; 400 ms
        html: Linter; files html(html htm); runs `vscode-html-language-server --stdio`; flags single-file; 400 ms
        css: Linter; files css(css) scss(scss) less(less); runs `vscode-css-language-server --stdio`; flags single-file; 400 ms
        elm: Types; files elm(elm); nearest elm.json; runs `elm-language-server`; 400 ms
        pyright: Types; files python(py pyi); nearest pyrightconfig.json pyproject.toml setup.py setup.cfg requirements.txt Pipfile; runs `basedpyright-langserver --stdio` `pyright-langserver --stdio`; flags versioned; 400 ms
        ty: Types; files python(py pyi); nearest ty.toml pyproject.toml setup.py setup.cfg requirements.txt Pipfile; runs `ty server`; without pyright; flags versioned; 400 ms
        ruff: Linter; files python(py pyi); nearest ruff.toml .ruff.toml pyproject.toml; runs `ruff server`; flags versioned; 400 ms
        ruby: Types; files ruby(rb rake gemspec ru Gemfile Rakefile); nearest Gemfile; runs `ruby-lsp` `solargraph stdio`; 400 ms
        php: Types; files php(php phtml); nearest composer.json .phpactor.json; runs `intelephense --stdio` `phpactor language-server`; 500 ms
        lua: Types; files lua(lua); nearest .luarc.json .luarc.jsonc .emmyrc.json .luacheckrc .stylua.toml selene.toml; runs `lua-language-server` `emmylua_ls`; 400 ms
        perl: Types; files perl(pl pm t); nearest cpanfile Makefile.PL; runs `perlnavigator --stdio` `perl -MPerl::LanguageServer -e Perl::LanguageServer::run`; 400 ms
        bash: Linter; files shellscript(sh bash zsh ksh .bashrc .bash_profile .bash_aliases .profile); runs `bash-language-server start needs shellcheck`; flags versioned single-file; 900 ms
        r: Types; files r(r R .Rprofile) rmd(rmd Rmd); nearest DESCRIPTION; runs `R --no-echo -e languageserver::run()`; 400 ms
        julia: Types; files julia(jl); nearest Project.toml; runs `julia --startup-file=no --history-file=no -e using LanguageServer; runserver()`; flags heavy; 400 ms
        jdtls: Types; files java(java); outermost settings.gradle settings.gradle.kts gradlew mvnw; nearest pom.xml build.gradle build.gradle.kts build.xml .project; climb Maven; runs `jdtls -data {state}`; flags heavy unopened; 1500 ms
        kotlin: Types; files kotlin(kt kts); outermost settings.gradle settings.gradle.kts gradlew; nearest build.gradle build.gradle.kts pom.xml; runs `kotlin-lsp --stdio` `intellij-server --stdio` `kotlin-language-server`; flags heavy; 400 ms
        metals: Types; files scala(scala sbt sc); nearest build.sbt build.sc .scala-build; runs `metals`; flags heavy; 400 ms
        clojure-lsp: Types; files clojure(clj cljs cljc edn); nearest deps.edn project.clj shadow-cljs.edn bb.edn; runs `clojure-lsp`; flags heavy; 400 ms
        csharp: Types; files csharp(cs csx); outermost *.slnx *.sln; nearest *.csproj global.json; runs `roslyn-language-server --stdio --autoLoadProjects` `OmniSharp --languageserver` `csharp-ls`; flags heavy; 400 ms
        fsharp: Types; files fsharp(fs fsi fsx); outermost *.slnx *.sln; nearest *.fsproj; runs `fsautocomplete --adaptive-lsp-server-enabled`; flags heavy; 400 ms
        elixir: Types; files elixir(ex exs) eelixir(eex leex) heex(heex); outermost mix.exs; runs `expert --stdio` `elixir-ls`; flags heavy; 400 ms
        erlang: Types; files erlang(erl hrl); nearest rebar.config erlang.mk; runs `elp server` `erlang_ls`; flags heavy; 400 ms
        gleam: Types; files gleam(gleam); nearest gleam.toml; runs `gleam lsp`; 400 ms
        dart: Types; files dart(dart); outermost pubspec.yaml:"workspace:"; nearest pubspec.yaml analysis_options.yaml; runs `dart language-server --protocol=lsp`; flags heavy unopened; 400 ms
        haskell: Types; files haskell(hs lhs); outermost cabal.project stack.yaml hie.yaml; nearest *.cabal package.yaml; runs `haskell-language-server-wrapper --lsp`; flags heavy; 400 ms
        ocaml: Types; files ocaml(ml) ocaml.interface(mli); outermost dune-workspace dune-project; nearest *.opam; runs `ocamllsp`; 400 ms
        nix: Types; files nix(nix); nearest flake.nix default.nix; runs `nixd` `nil`; 400 ms
        json: Linter; files jsonc(jsonc code-workspace tsconfig*.json jsconfig*.json .eslintrc .eslintrc.json .babelrc .swcrc devcontainer.json) json(json); runs `vscode-json-language-server --stdio`; flags single-file; 400 ms
        yaml: Linter; files yaml(yaml yml); runs `yaml-language-server --stdio`; flags single-file; 500 ms
        toml: Linter; files toml(toml); outermost tombi.toml taplo.toml Cargo.toml pyproject.toml; runs `tombi lsp` `taplo lsp stdio`; 400 ms
        proto: Types; files proto(proto); nearest buf.yaml buf.work.yaml; runs `buf lsp serve` `protols`; flags versioned; 400 ms
        terraform: Types; files terraform(tf) terraform-vars(tfvars); nearest .terraform.lock.hcl .terraform *.tf; runs `terraform-ls serve`; 400 ms
        docker: Linter; files dockerfile(dockerfile Dockerfile* Containerfile); runs `docker-langserver --stdio`; flags single-file; 500 ms
        cmake: Linter; files cmake(cmake CMakeLists.txt); nearest CMakeLists.txt; runs `neocmakelsp stdio`; 400 ms
        markdown: Linter; files markdown(md); nearest .marksman.toml; runs `marksman server`; 400 ms
        latex: Linter; files latex(tex sty cls) bibtex(bib); nearest .texlabroot .latexmkrc; runs `texlab`; 400 ms
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
        json!({
            "diagnosticMode": "openFilesOnly",
            "autoSearchPaths": true,
            "typeCheckingMode": "strict",
        })
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
