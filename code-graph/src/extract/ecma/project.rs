//! Project files: `package.json`, and `tsconfig.json` with its comments.

use crate::facts::Manifest;
use serde_json::Value;

/// How deep the conditions of an `exports` map are followed.
const CONDITIONS: u32 = 8;

/// What a `package.json` says; `None` when it is none.
pub(crate) fn package(text: &str) -> Option<Manifest> {
    let root: Value = serde_json::from_str(text).ok()?;
    let root = root.as_object()?;
    let mut entries = Vec::new();
    for key in ["source", "types", "typings", "module", "browser", "main"] {
        if let Some(path) = root.get(key).and_then(Value::as_str) {
            entries.push((key.to_owned(), path.to_owned()));
        }
    }
    match root.get("exports") {
        Some(Value::Object(map)) if map.keys().any(|key| key.starts_with('.')) => {
            for (subpath, target) in map {
                targets(target, CONDITIONS, &mut |path| {
                    entries.push((subpath.clone(), path.to_owned()));
                });
            }
        }
        Some(target) => targets(target, CONDITIONS, &mut |path| {
            entries.push((".".to_owned(), path.to_owned()));
        }),
        None => {}
    }
    if let Some(Value::Object(map)) = root.get("imports") {
        for (subpath, target) in map {
            targets(target, CONDITIONS, &mut |path| {
                entries.push((subpath.clone(), path.to_owned()));
            });
        }
    }
    let workspaces = match root.get("workspaces") {
        Some(Value::Object(map)) => map.get("packages"),
        other => other,
    };
    Some(Manifest::Npm {
        name: root.get("name").and_then(Value::as_str).map(str::to_owned),
        entries,
        workspaces: strings(workspaces),
    })
}

/// What a `tsconfig.json` or `jsconfig.json` says; `None` when it is none.
pub(crate) fn typescript(text: &str) -> Option<Manifest> {
    let root: Value = serde_json::from_str(&plain_json(text)).ok()?;
    let root = root.as_object()?;
    let options = root.get("compilerOptions");
    let extends = match root.get("extends") {
        Some(Value::String(one)) => vec![one.clone()],
        other => strings(other),
    };
    let paths = options
        .and_then(|options| options.get("paths"))
        .and_then(Value::as_object)
        .map(|map| {
            map.iter()
                .map(|(pattern, targets)| (pattern.clone(), strings(Some(targets))))
                .collect()
        })
        .unwrap_or_default();
    Some(Manifest::TypeScript {
        extends,
        base_url: options
            .and_then(|options| options.get("baseUrl"))
            .and_then(Value::as_str)
            .map(str::to_owned),
        paths,
    })
}

/// The texts of a list.
fn strings(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

/// The paths that a target of an `exports` map leads to under one condition or another.
fn targets(target: &Value, depth: u32, found: &mut impl FnMut(&str)) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    match target {
        Value::String(path) => found(path),
        Value::Array(list) => list.iter().for_each(|item| targets(item, depth, found)),
        Value::Object(map) => map.values().for_each(|item| targets(item, depth, found)),
        _ => {}
    }
}

/// JSON without comments and without commas before a closing bracket.
fn plain_json(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}').chars().peekable();
    let mut comma = false;
    while let Some(c) = rest.next() {
        if c == '/' && rest.peek() == Some(&'/') {
            while rest.next_if(|c| *c != '\n').is_some() {}
            continue;
        }
        if c == '/' && rest.peek() == Some(&'*') {
            rest.next();
            let mut star = false;
            for c in rest.by_ref() {
                if star && c == '/' {
                    break;
                }
                star = c == '*';
            }
            continue;
        }
        if c.is_whitespace() {
            plain.push(c);
            continue;
        }
        if comma && !matches!(c, '}' | ']') {
            plain.push(',');
        }
        comma = c == ',';
        if comma {
            continue;
        }
        plain.push(c);
        if c == '"' {
            let mut escaped = false;
            for c in rest.by_ref() {
                plain.push(c);
                if c == '"' && !escaped {
                    break;
                }
                escaped = c == '\\' && !escaped;
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_of_a_tsconfig_are_read_over() {
        let text = r#"{
            // what it builds on
            "extends": "./base.json", /* more */
            "compilerOptions": {
                "baseUrl": ".",
                "paths": { "@app/*": ["src/*", "lib//*"], },
            },
        }"#;
        assert_eq!(
            typescript(text),
            Some(Manifest::TypeScript {
                extends: vec!["./base.json".to_owned()],
                base_url: Some(".".to_owned()),
                paths: vec![(
                    "@app/*".to_owned(),
                    vec!["src/*".to_owned(), "lib//*".to_owned()]
                )],
            })
        );
        assert_eq!(typescript("[1]"), None);
        assert_eq!(typescript("{"), None);
    }

    #[test]
    fn every_condition_of_an_exports_map_counts() {
        let text = r#"{
            "name": "@x/y", "main": "lib/a.js",
            "exports": { ".": { "types": "./a.d.ts", "default": { "import": "./a.mjs" } }, "./b": "./b.js" },
            "workspaces": { "packages": ["p/*"] }
        }"#;
        let entry = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            package(text),
            Some(Manifest::Npm {
                name: Some("@x/y".to_owned()),
                entries: vec![
                    entry("main", "lib/a.js"),
                    entry(".", "./a.mjs"),
                    entry(".", "./a.d.ts"),
                    entry("./b", "./b.js"),
                ],
                workspaces: vec!["p/*".to_owned()],
            })
        );
    }
}
