//! TypeScript and JavaScript, what grows around them, and the languages of pages.

use serde_json::{Value, json};

use super::row::{Row, command, package, row};
use crate::spec::{Ask, Readiness, ServerCommand, ServerSpec};

const LOCK_FILES: &str = "package-lock.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb";
const PROJECT: &str = "tsconfig.json jsconfig.json package.json";
const DENO: &str = "deno.json deno.jsonc";

/// tsserver, the program that the older servers stand on, ends with this version of TypeScript.
const WITHOUT_TSSERVER: u64 = 7;

fn scripts(id: &str) -> Row {
    row(id)
        .extensions("typescript", "ts mts cts")
        .extensions("typescriptreact", "tsx")
        .extensions("javascript", "js mjs cjs")
        .extensions("javascriptreact", "jsx")
}

/// A command that cannot work with a TypeScript of the checkout that has no tsserver.
fn on_tsserver(line: &str) -> ServerCommand {
    let mut command = command(line);
    let mut typescript = package("typescript");
    typescript.optional = true;
    typescript.below = Some(WITHOUT_TSSERVER);
    command.package = Some(typescript);
    command
}

pub(super) fn rows() -> Vec<ServerSpec> {
    let mut rows = scripts_rows();
    rows.extend(page_rows());
    rows
}

fn scripts_rows() -> Vec<ServerSpec> {
    vec![
        scripts("typescript-native")
            .outermost(LOCK_FILES)
            .nearest(PROJECT)
            .unless(DENO)
            .run_as({
                // `tsc` of an older version on the search path would compile and exit.
                let mut tsc = command("tsc --lsp --stdio");
                let mut typescript = package("typescript");
                typescript.at_least = Some(WITHOUT_TSSERVER);
                tsc.package = Some(typescript);
                tsc.search_path = false;
                tsc
            })
            .run("tsgo --lsp --stdio")
            .at_once()
            .cold_s(45)
            .install("npm install --save-dev typescript@7"),
        // Neither wrapper publishes anything while a clean file stays clean, and on a large project
        // the first publishes after a change are those of before it: tsserver is asked directly.
        scripts("typescript")
            .outermost(LOCK_FILES)
            .nearest(PROJECT)
            .unless(DENO)
            .run_as(on_tsserver("typescript-language-server --stdio"))
            .run_as(on_tsserver("vtsls --stdio"))
            .only_without("typescript-native")
            // A rename is to reach what is imported: by default it only gives the import an alias.
            .options(json!({
                "disableAutomaticTypingAcquisition": true,
                "preferences": { "providePrefixAndSuffixTextForRename": false },
            }))
            .settings(json!({
                "javascript": { "preferences": { "useAliasesForRenames": false } },
                "typescript": {
                    "disableAutomaticTypeAcquisition": true,
                    "preferences": { "useAliasesForRenames": false },
                },
                "vtsls": { "autoUseWorkspaceTsdk": true },
            }))
            .silent_when_clean()
            .ask(Ask::TsServer)
            .ready(Readiness::Progress(
                "Initializing JS/TS language features".to_owned(),
            ))
            .heavy()
            .cold_s(45)
            .install("npm install -g typescript@5 typescript-language-server"),
        scripts("deno")
            .nearest(DENO)
            .nearest("deno.lock")
            .unless_below(LOCK_FILES)
            .run("deno lsp")
            .options(json!({ "enable": true, "lint": true }))
            .settings(json!({ "deno": { "enable": true, "lint": true } }))
            .at_once()
            .install("npm install -g deno, or pip install deno"),
        // The server is a shell around the library, and around the settings: without either it
        // answers with an empty list.
        scripts("eslint")
            .nearest(
                "eslint.config.js eslint.config.mjs eslint.config.cjs \
                 eslint.config.ts eslint.config.mts eslint.config.cts \
                 .eslintrc .eslintrc.js .eslintrc.cjs .eslintrc.json .eslintrc.yaml .eslintrc.yml",
            )
            .run_as({
                let mut command = command("vscode-eslint-language-server --stdio");
                command.package = Some(package("eslint"));
                command
            })
            .settings(eslint_settings())
            .linter()
            .at_once()
            .install("npm install -g vscode-langservers-extracted, and eslint in the project"),
        scripts("biome")
            .extensions("json", "json")
            .extensions("jsonc", "jsonc")
            .extensions("css", "css")
            .nearest("biome.json biome.jsonc")
            .run("biome lsp-proxy")
            .linter()
            .versioned()
            .at_once()
            .install("npm install --save-dev @biomejs/biome"),
        scripts("oxlint")
            .nearest(".oxlintrc.json")
            .run("oxlint --lsp")
            .linter()
            .at_once()
            .install("npm install --save-dev oxlint"),
    ]
}

fn page_rows() -> Vec<ServerSpec> {
    let tsdk = json!({ "$first": ["{root}/node_modules/typescript/lib"] });
    vec![
        row("svelte")
            .extensions("svelte", "svelte")
            .outermost(LOCK_FILES)
            .nearest(PROJECT)
            .run("svelteserver --stdio")
            .at_once()
            .cold_s(45)
            .install("npm install -g svelte-language-server"),
        row("vue")
            .extensions("vue", "vue")
            .outermost(LOCK_FILES)
            .nearest(PROJECT)
            .run("vue-language-server --stdio")
            // Versions with the hybrid mode leave the types to a plug-in of tsserver.
            .options(json!({ "typescript": { "tsdk": tsdk }, "vue": { "hybridMode": false } }))
            .cold_s(45)
            .install("npm install -g @vue/language-server"),
        row("astro")
            .extensions("astro", "astro")
            .outermost(LOCK_FILES)
            .nearest(PROJECT)
            .run("astro-ls --stdio")
            .options(json!({ "typescript": { "tsdk": tsdk } }))
            .cold_s(45)
            .install("npm install -g @astrojs/language-server"),
        row("html")
            .extensions("html", "html htm")
            .single_file()
            .run("vscode-html-language-server --stdio")
            .options(json!({ "provideFormatter": true }))
            .linter()
            .at_once()
            .install("npm install -g vscode-langservers-extracted"),
        row("css")
            .extensions("css", "css")
            .extensions("scss", "scss")
            .extensions("less", "less")
            .single_file()
            .run("vscode-css-language-server --stdio")
            .options(json!({ "provideFormatter": true }))
            .settings(json!({
                "css": { "validate": true },
                "scss": { "validate": true },
                "less": { "validate": true },
            }))
            .linter()
            .at_once()
            .install("npm install -g vscode-langservers-extracted"),
        row("elm")
            .extensions("elm", "elm")
            .nearest("elm.json")
            .run("elm-language-server")
            .install("npm install -g @elm-tooling/elm-language-server"),
    ]
}

/// The server asks for everything at once, with an empty section, and fails on what is missing.
fn eslint_settings() -> Value {
    json!({
        "validate": "on",
        "packageManager": null,
        "useESLintClass": false,
        "experimental": { "useFlatConfig": false },
        "codeActionOnSave": { "enable": false, "mode": "all" },
        "format": false,
        "quiet": false,
        "onIgnoredFiles": "off",
        "rulesCustomizations": [],
        "run": "onType",
        "problems": { "shortenToSingleLine": false },
        "nodePath": "",
        "workingDirectory": { "mode": "auto" },
        "codeAction": {
            "disableRuleComment": { "enable": true, "location": "separateLine" },
            "showDocumentation": { "enable": true },
        },
        "workspaceFolder": { "uri": "{root}", "name": "{root}" },
    })
}
