//! `Cargo.toml`.

use crate::facts::Manifest;
use toml::{Table, Value};

/// The part of a `Cargo.toml` that tells where modules are; `None` when it is no TOML.
pub(crate) fn manifest(text: &str) -> Option<Manifest> {
    let table: Table = text.parse().ok()?;
    let string = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let package = table.get("package").and_then(Value::as_table);
    let lib = table.get("lib").and_then(Value::as_table);
    let mut targets = Vec::new();
    for kind in ["bin", "test", "example", "bench"] {
        let list = table.get(kind).and_then(Value::as_array);
        for target in list.into_iter().flatten() {
            targets.push((
                kind.to_owned(),
                string(target.get("name")),
                string(target.get("path")),
            ));
        }
    }
    if let Some(build) = string(package.and_then(|package| package.get("build"))) {
        targets.push(("build".to_owned(), None, Some(build)));
    }
    let mut dependencies = Vec::new();
    local(&table, &mut dependencies);
    for (_, target) in table
        .get("target")
        .and_then(Value::as_table)
        .into_iter()
        .flatten()
    {
        if let Some(target) = target.as_table() {
            local(target, &mut dependencies);
        }
    }
    if let Some(workspace) = table.get("workspace").and_then(Value::as_table) {
        local(workspace, &mut dependencies);
    }
    for (_, registry) in table
        .get("patch")
        .and_then(Value::as_table)
        .into_iter()
        .flatten()
    {
        take(registry, &mut dependencies);
    }
    dependencies.sort();
    dependencies.dedup();
    Some(Manifest::Cargo {
        package: string(package.and_then(|package| package.get("name"))),
        lib: (
            string(lib.and_then(|lib| lib.get("name"))),
            string(lib.and_then(|lib| lib.get("path"))),
        ),
        targets,
        dependencies,
    })
}

type Dependency = (String, Option<String>, Option<String>);

/// The dependencies of every kind.
fn local(table: &Table, into: &mut Vec<Dependency>) {
    for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
        if let Some(list) = table.get(kind) {
            take(list, into);
        }
    }
}

fn take(list: &Value, into: &mut Vec<Dependency>) {
    for (name, said) in list.as_table().into_iter().flatten() {
        let string = |key: &str| said.get(key).and_then(Value::as_str).map(str::to_owned);
        into.push((name.replace('-', "_"), string("package"), string("path")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_dependencies_are_told() {
        let text = r#"
[package]
name = "rg-tool"
version = "1.0.0"
[lib]
name = "rg"
path = "lib/all.rs"
[[bin]]
name = "rg"
path = "crates/core/main.rs"
[[test]]
name = "integration"
path = "tests/tests.rs"
[dependencies]
grep-cli = { version = "1", path = "crates/cli" }
short = { package = "long-name", path = "../long" }
serde = "1"
[target.'cfg(unix)'.dev-dependencies]
shared.workspace = true
"#;
        let Some(Manifest::Cargo {
            package,
            lib,
            targets,
            dependencies,
        }) = manifest(text)
        else {
            panic!("a manifest")
        };
        assert_eq!(package.as_deref(), Some("rg-tool"));
        assert_eq!(lib, (Some("rg".into()), Some("lib/all.rs".into())));
        let targets: Vec<_> = targets
            .iter()
            .map(|t| (t.0.as_str(), t.2.as_deref()))
            .collect();
        assert_eq!(
            targets,
            [
                ("bin", Some("crates/core/main.rs")),
                ("test", Some("tests/tests.rs"))
            ]
        );
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            dependencies,
            [
                ("grep_cli".into(), None, some("crates/cli")),
                ("serde".into(), None, None),
                ("shared".into(), None, None),
                ("short".into(), some("long-name"), some("../long")),
            ]
        );
        assert_eq!(manifest("= no toml"), None);
    }
}
