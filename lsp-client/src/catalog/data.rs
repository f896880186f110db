//! Data, configuration, documents.

use serde_json::json;

use super::row::row;
use crate::spec::ServerSpec;

pub(super) fn rows() -> Vec<ServerSpec> {
    let mut rows = data_rows();
    rows.extend(document_rows());
    rows
}

fn data_rows() -> Vec<ServerSpec> {
    vec![
        // These configuration files may hold comments whatever their extension says.
        row("json")
            .documents(
                "jsonc",
                "jsonc code-workspace",
                "tsconfig*.json jsconfig*.json .eslintrc .eslintrc.json .babelrc .swcrc \
                 devcontainer.json",
            )
            .extensions("json", "json")
            .single_file()
            .run("vscode-json-language-server --stdio")
            .options(json!({ "provideFormatter": true }))
            // Settings that do not say so switch its validation off.
            .settings(json!({ "json": { "validate": { "enable": true } } }))
            .linter()
            .at_once()
            .install("npm install -g vscode-langservers-extracted"),
        row("yaml")
            .extensions("yaml", "yaml yml")
            .single_file()
            .run("yaml-language-server --stdio")
            .settings(json!({ "yaml": {
                "schemaStore": { "enable": false },
                "validate": true,
            } }))
            .linter()
            .at_once()
            .settle_ms(500)
            .install("npm install -g yaml-language-server"),
        // Its schemas hold wherever the file lies: one for the whole, not one for each package.
        row("toml")
            .extensions("toml", "toml")
            .outermost("tombi.toml taplo.toml Cargo.toml pyproject.toml")
            .run("tombi lsp")
            .run("taplo lsp stdio")
            .linter()
            .at_once()
            .install("pip install tombi"),
        // It ends only when its input is closed, and publishes twice for each version.
        row("proto")
            .extensions("proto", "proto")
            .nearest("buf.yaml buf.work.yaml")
            .run("buf lsp serve")
            .run("protols")
            .versioned()
            .at_once()
            .install("npm install -g @bufbuild/buf"),
        row("terraform")
            .extensions("terraform", "tf")
            .extensions("terraform-vars", "tfvars")
            .nearest(".terraform.lock.hcl .terraform *.tf")
            .run("terraform-ls serve")
            .install("the release of terraform-ls, or its package"),
    ]
}

fn document_rows() -> Vec<ServerSpec> {
    vec![
        row("docker")
            .documents("dockerfile", "dockerfile", "Dockerfile* Containerfile")
            .single_file()
            .run("docker-langserver --stdio")
            .linter()
            .at_once()
            .settle_ms(500)
            .install("npm install -g dockerfile-language-server-nodejs"),
        row("cmake")
            .documents("cmake", "cmake", "CMakeLists.txt")
            .nearest("CMakeLists.txt")
            .run("neocmakelsp stdio")
            .linter()
            .install("cargo install neocmakelsp"),
        row("markdown")
            .extensions("markdown", "md")
            .nearest(".marksman.toml")
            .run("marksman server")
            .linter()
            .install("the release of marksman, or its package"),
        row("latex")
            .extensions("latex", "tex sty cls")
            .extensions("bibtex", "bib")
            .nearest(".texlabroot .latexmkrc")
            .run("texlab")
            .linter()
            .install("cargo install texlab"),
    ]
}
