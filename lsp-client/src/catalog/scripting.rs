//! Python, Ruby, PHP, Lua, Perl, Bash, R, Julia.

use serde_json::json;

use super::row::{command, need, row};
use crate::spec::{Readiness, ServerSpec};

const PYTHON_PROJECT: &str = "pyproject.toml setup.py setup.cfg requirements.txt Pipfile";

pub(super) fn rows() -> Vec<ServerSpec> {
    vec![
        // The first pull waits by itself until the settings have come. It looks for modules in `src`,
        // unless there are settings that do not tell it to.
        row("pyright")
            .extensions("python", "py pyi")
            .nearest("pyrightconfig.json")
            .nearest(PYTHON_PROJECT)
            .run("basedpyright-langserver --stdio")
            .run("pyright-langserver --stdio")
            .settings(json!({
                "python": {
                    "pythonPath": { "$first": [
                        "{root}/.venv/bin/python",
                        "{root}/venv/bin/python",
                    ] },
                    "analysis": { "diagnosticMode": "openFilesOnly", "autoSearchPaths": true },
                },
                "basedpyright": {
                    "analysis": { "diagnosticMode": "openFilesOnly", "autoSearchPaths": true },
                },
            }))
            .versioned()
            .at_once()
            .install("pip install basedpyright (or pyright)"),
        row("ty")
            .extensions("python", "py pyi")
            .nearest("ty.toml")
            .nearest(PYTHON_PROJECT)
            .run("ty server")
            .only_without("pyright")
            .versioned()
            .at_once()
            .install("pip install ty"),
        row("ruff")
            .extensions("python", "py pyi")
            .nearest("ruff.toml .ruff.toml pyproject.toml")
            .run("ruff server")
            .linter()
            .versioned()
            .at_once()
            .install("pip install ruff"),
        row("ruby")
            .documents("ruby", "rb rake gemspec ru", "Gemfile Rakefile")
            .nearest("Gemfile")
            .run("ruby-lsp")
            .run("solargraph stdio")
            .options(json!({ "formatter": "auto" }))
            .install("gem install ruby-lsp"),
        // It publishes a second after the change, and an empty set before it has read the project.
        row("php")
            .extensions("php", "php phtml")
            .nearest("composer.json .phpactor.json")
            .run("intelephense --stdio")
            .run("phpactor language-server")
            .options(json!({ "storagePath": "{state}" }))
            .settings(json!({ "intelephense": { "telemetry": { "enabled": false } } }))
            .ready(Readiness::Progress("indexing".to_owned()))
            .settle_ms(500)
            .install("npm install -g intelephense"),
        row("lua")
            .extensions("lua", "lua")
            .nearest(".luarc.json .luarc.jsonc .emmyrc.json .luacheckrc .stylua.toml selene.toml")
            .run("lua-language-server")
            .run("emmylua_ls")
            .install("cargo install emmylua_ls, or lua-language-server from its releases"),
        row("perl")
            .extensions("perl", "pl pm t")
            .nearest("cpanfile Makefile.PL")
            .run("perlnavigator --stdio")
            .run("perl -MPerl::LanguageServer -e Perl::LanguageServer::run")
            .install("npm install -g perlnavigator-server"),
        // It waits half a second after the last change. Without a narrow glob it reads, and lets
        // shellcheck read, every script of the checkout.
        row("bash")
            .documents(
                "shellscript",
                "sh bash zsh ksh",
                ".bashrc .bash_profile .bash_aliases .profile",
            )
            .single_file()
            .run_as({
                let mut command = command("bash-language-server start");
                command.needs.push(need(
                    "shellcheck",
                    "all its diagnostics come from shellcheck: apt-get install shellcheck",
                ));
                command
            })
            .settings(json!({ "bashIde": {
                "globPattern": "*@(.sh|.inc|.bash|.command)",
                "backgroundAnalysisMaxFiles": 50,
            } }))
            .linter()
            .versioned()
            .at_once()
            .settle_ms(900)
            .install("npm install -g bash-language-server"),
        row("r")
            .documents("r", "r R", ".Rprofile")
            .extensions("rmd", "rmd Rmd")
            .nearest("DESCRIPTION")
            .run("R --no-echo -e languageserver::run()")
            .install("in R: install.packages(\"languageserver\")"),
        row("julia")
            .extensions("julia", "jl")
            .nearest("Project.toml")
            .run_as({
                let mut command = command("julia --startup-file=no --history-file=no -e");
                command
                    .args
                    .push("using LanguageServer; runserver()".to_owned());
                command
            })
            .heavy()
            .install("in Julia: using Pkg; Pkg.add(\"LanguageServer\")"),
    ]
}
