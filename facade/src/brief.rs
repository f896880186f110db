//! The tools in few words: what a model is given of the schemas.
//!
//! A model reads every tool in every conversation, so each word is paid for again and again. The
//! full schemas, with the documentation of the Rust types, are for the reference; here an argument
//! has as few words as it can be used with, and none where its name says all.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The words for an argument: by `tool.argument`, by `code_*.argument` for all tools whose name begins
/// so, or by `argument` for all. The first of these that is there counts. An argument that is not here
/// keeps the first sentence of its full documentation.
const WORDS: &[(&str, &str)] = &[
    // Arguments whose name says it.
    ("limit", ""),
    ("offset", ""),
    ("ast_grep.language", "Ids such as rust, py, c++"),
    ("language", ""),
    ("hidden", ""),
    ("no_ignore", "Also what .gitignore leaves out"),
    ("tokens", ""),
    ("tests", ""),
    // Structural search.
    ("ast_grep.pattern", "$_ and $$$ have no name"),
    ("pattern", ""),
    ("ast_edit.paths", ""),
    ("ast_grep.paths", "Files and folders"),
    ("ast_explain.paths", ""),
    // A rewrite chooses as a search does.
    ("ast_edit.globs", ""),
    ("ast_edit.inside", ""),
    ("ast_edit.not_inside", ""),
    ("ast_edit.has", ""),
    ("ast_edit.not_has", ""),
    ("ast_edit.where", ""),
    ("ast_edit.kind", ""),
    ("ast_edit.as", ""),
    ("ast_edit.strict", ""),
    ("ast_edit.no_ignore", ""),
    ("ast_explain.as", ""),
    ("ast_explain.strict", ""),
    ("globs", "As in .gitignore; `!` excludes"),
    ("inside", "Only within a match of each of these patterns"),
    ("not_inside", "Not within one"),
    ("has", "Only with a match of each of these patterns in it"),
    ("not_has", "With none in it"),
    ("where", "`$X=~REGEX` or `$X!~REGEX`"),
    ("ast_grep.kind", "Node kind, such as call_expression"),
    (
        "as",
        "Reading: expression, statement, type, class-member, …",
    ),
    (
        "strict",
        "Modifiers and types that the pattern omits must be absent",
    ),
    ("query", "Words or a name"),
    (
        "ast_grep.query",
        "Tree-sitter query in place of a pattern, @match marks the match",
    ),
    ("count_only", ""),
    (
        "template",
        "The new code, with the pattern's $X; empty deletes",
    ),
    ("exclude", "Sites (src/a.rs:12) or files to leave out"),
    ("allow_loss", "Also where a comment would be lost"),
    ("force", "Also where the file would not parse any more"),
    ("keep", "On disk, beyond this conversation"),
    ("except", "Sites or files to leave out; they stay staged"),
    ("resolve.id", "Such as s-7k2m"),
    ("resolve.action", ""),
    // The graph.
    (
        "search_code.kind",
        "function, method, class, field, constant, …",
    ),
    ("code_graph.kind", "For unused"),
    ("code_*.kind", "function, method, class, …"),
    ("code_*.path", "Where the symbol is"),
    ("code_*.paths", "Globs or folders"),
    ("search_code.paths", "Globs or folders"),
    ("code_*.among", "Globs or folders of answers"),
    (
        "code_symbol.symbol",
        "`send`, `Session.send`, `a/b.py:40`, `b.py::Session`, a file or a folder",
    ),
    ("code_impact.symbol", "Symbols or files that change"),
    ("code_graph.symbol", "For paths (from), hierarchy, draw"),
    ("code_*.to", "For paths"),
    ("code_*.level", "For modules, cycles"),
    ("code_*.form", "For draw"),
    (
        "code_graph.depth",
        "Folders (modules, cycles) or steps (draw)",
    ),
    ("code_graph.action", ""),
    (
        "code_callers.symbol",
        "As in code_symbol; of a class who makes one",
    ),
    ("code_*.symbol", "As in code_symbol"),
    ("code_*.outline", "What is declared in it, no source"),
    ("code_*.no_source", ""),
    ("code_symbol.depth", "Of an outline; 3"),
    ("code_*.depth", "Steps, 1 to 6"),
    ("code_*.certainty", "Least sure that counts; inferred"),
    ("code_*.uses", "Also imports, types, values, inheritance"),
    (
        "code_*.since",
        "A commit, such as HEAD: what changed since then",
    ),
    ("code_*.focus", "Symbols or files that matter more"),
    // Language servers.
    ("lsp.action", ""),
    ("file", "`*` for diagnostics of all"),
    ("line", "From 1"),
    ("lsp.symbol", "Text on that line; `name#2` is the second"),
    ("new_name", "For rename"),
    (
        "apply",
        "For code_actions: number or title of the one to stage",
    ),
    ("lsp.query", "For symbols: the name; for reload: the server"),
    ("check.before", "First: note what is wrong already"),
    ("check.paths", "All that others changed unless given"),
    // Writing.
    ("write.path", ""),
    ("write.content", ""),
    ("edit.path", ""),
    ("old_text", "As it stands in the file, once"),
    ("new_text", ""),
    ("replace_all", ""),
    ("edits", "Several, one after the other, all or none"),
    ("expected_hash", "Only if the file is still this one"),
    ("patch", ""),
    // The debugger.
    ("debug.core", "For attach: a core file of `program`"),
    ("debug.stdin", "What it reads"),
    ("debug.session", ""),
    ("debug.program", "Script, executable or source"),
    ("debug.module", "As in python -m"),
    (
        "debug.test",
        "tests/test_x.py::TestX::test_y, module::tests::name, ./package.TestName, x.test.js::name; or \
         its file",
    ),
    ("debug.args", ""),
    ("debug.env", "NAME=VALUE"),
    ("debug.cwd", ""),
    ("debug.build", "Builds it first"),
    ("debug.adapter", ""),
    (
        "debug.breakpoints",
        "`at` is FILE:LINE, FILE:TEXT or a function",
    ),
    ("debug.exceptions", ""),
    ("debug.pid", ""),
    ("debug.port", ""),
    ("debug.ttl_s", "Of the session; 600"),
    ("debug.wait_s", "For a stop; 15, ask 60"),
    ("debug.remove", "Numbers of breakpoints"),
    ("debug.clear", "All breakpoints first"),
    ("debug.at", "For run_to and ask, as of a breakpoint"),
    ("debug.condition", "For ask"),
    ("debug.thread", ""),
    ("debug.frame", "Such as f3.0"),
    ("debug.value", "To look into, such as v3.7"),
    ("debug.path", "Such as user.orders[3].total"),
    ("debug.depth", "Levels to open; variables 1, ask 0"),
    ("debug.expression", "To evaluate, or the new value"),
    ("debug.evaluate", "For ask: expressions"),
    ("debug.callers", "For ask: in how many callers too"),
    ("debug.times", "For ask: hits; 1"),
    ("debug.action", ""),
];

/// What a model does not need to know of: it is taken all the same.
const UNSAID: &[&str] = &[
    "max_file_bytes",
    "max_text_bytes",
    "max_diff_bytes",
    "near_misses",
    // There is `tokens`, and `among`.
    "search_code.limit",
    "code_symbol.limit",
    "code_callers.limit",
    "code_callees.limit",
    "code_impact.limit",
    "code_map.limit",
    "code_graph.limit",
    "code_callers.language",
    "code_callees.language",
    "code_impact.language",
    // A path tells symbols of one name apart as well.
    "code_callers.kind",
    "code_callees.kind",
    "search_code.mode",
    "search_code.visibility",
    "apply_patch.expected_hashes",
    "debug.configuration",
    "debug.characters",
    "debug.host",
    "debug.names",
    "ast_explain.globs",
    "ast_explain.has",
    "ast_explain.not_has",
    "ast_explain.inside",
    "ast_explain.not_inside",
    "ast_explain.where",
    "ast_explain.kind",
    "ast_explain.hidden",
    "ast_explain.no_ignore",
];

/// A choice of more values than that is told in words, unless it has to be made.
const CHOICES: usize = 7;

/// The schema of arguments in few words.
pub(crate) fn input(tool: &str, mut schema: Value) -> Value {
    let required: Vec<String> = schema["required"]
        .as_array()
        .map(|names| {
            names
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect()
        })
        .unwrap_or_default();
    if let Some(object) = schema.as_object_mut() {
        // There are arguments that are not told here.
        object.remove("additionalProperties");
    }
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| !is(UNSAID, tool, name));
        for (name, property) in properties.iter_mut() {
            shorten(tool, name, property, required.contains(name));
        }
    }
    schema
}

fn shorten(tool: &str, name: &str, property: &mut Value, required: bool) {
    let Some(object) = property.as_object_mut() else {
        return;
    };
    let full = object.remove("description");
    let full = full.as_ref().and_then(Value::as_str).unwrap_or_default();
    object.remove("minimum");
    object.remove("maximum");
    object.remove("default");
    plain_choices(object, required);
    if let Some(items) = object.get_mut("items").and_then(Value::as_object_mut) {
        items.remove("description");
        items.remove("minimum");
        plain_choices(items, required);
        if let Some(properties) = items.get_mut("properties").and_then(Value::as_object_mut) {
            for (name, property) in properties.iter_mut() {
                shorten(tool, name, property, false);
                // What it means stands beside it.
                if let Some(object) = property.as_object_mut() {
                    object.remove("description");
                }
            }
        }
    }
    let words = match words(tool, name) {
        Some(words) => words,
        None => full.split_inclusive(". ").next().unwrap_or_default().trim(),
    };
    if !words.is_empty() {
        object.insert("description".to_owned(), words.into());
    }
}

/// Choices as a list of values, without what is said of each; a long list that need not be chosen
/// from is any text.
fn plain_choices(object: &mut Map<String, Value>, required: bool) {
    if let Some(Value::Array(choices)) = object.remove("oneOf") {
        let values = choices.iter().filter_map(|one| one.get("const").cloned());
        object.insert("enum".to_owned(), values.collect());
        object.insert("type".to_owned(), "string".into());
    }
    let long = object
        .get("enum")
        .and_then(Value::as_array)
        .is_some_and(|all| all.len() > CHOICES);
    if long && !required {
        object.remove("enum");
    }
}

fn words(tool: &str, name: &str) -> Option<&'static str> {
    Some(WORDS.get(place(tool, name)?)?.1)
}

/// Which of the words are those for an argument.
fn place(tool: &str, name: &str) -> Option<usize> {
    let group = tool.split_inclusive('_').next().unwrap_or_default();
    let keys = [
        format!("{tool}.{name}"),
        format!("{group}*.{name}"),
        name.to_owned(),
    ];
    keys.iter()
        .find_map(|key| WORDS.iter().position(|(known, _)| known == key))
}

fn is(list: &[&str], tool: &str, name: &str) -> bool {
    list.iter()
        .any(|one| *one == name || *one == format!("{tool}.{name}"))
}

/// The schema of a result in few words: the parts that are always there and have one type.
pub(crate) fn output(full: &Value) -> Value {
    let mut parts: BTreeMap<&str, Value> = BTreeMap::new();
    let always = full["required"].as_array();
    for (name, part) in full["properties"].as_object().into_iter().flatten() {
        if always.is_some_and(|always| always.iter().any(|one| one == name))
            && let Some(kind) = part.get("type")
        {
            parts.insert(name, json!({ "type": kind }));
        }
    }
    json!({ "type": "object", "properties": parts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::Looked;

    /// A token is four bytes, and all tools together stay below 6,000; a protocol adds arguments of
    /// its own to each: `conversation`, and where there are several checkouts `root`.
    const MOST_BYTES: usize = 24_000 - 18 * 60;

    #[test]
    fn all_tools_together_are_short() {
        let tools = crate::tools::tools(true, &Looked::ALL);
        let sizes: Vec<(usize, &str)> = tools
            .iter()
            .map(|tool| (serde_json::to_string(tool).unwrap().len(), tool.name))
            .collect();
        let all: usize = sizes.iter().map(|(size, _)| size).sum();
        assert!(all < MOST_BYTES, "{all} bytes: {sizes:?}");
    }

    /// Everything that a host hands on: titles, descriptions and hints; arguments, with a star those
    /// that must be given, with their types or choices and their words; what an answer has.
    #[test]
    fn what_models_read() {
        let mut text = String::new();
        for tool in crate::tools::tools(true, &Looked::ALL) {
            text.push_str(&format!("{} ({})", tool.name, tool.annotations.title));
            let hints = serde_json::to_value(tool.annotations).unwrap();
            let is_true = |hint: &&String| hints[*hint] == true;
            let hints = hints.as_object().unwrap().keys().filter(is_true);
            let hints: Vec<&str> = hints.map(|hint| hint.trim_end_matches("Hint")).collect();
            text.push_str(&format!(" [{}]\n{}\n", hints.join(", "), tool.description));
            let required = tool.input_schema["required"].as_array();
            let properties = tool.input_schema["properties"].as_object();
            for (name, property) in properties.into_iter().flatten() {
                let is_required = required.is_some_and(|all| all.iter().any(|one| one == name));
                let star = if is_required { "*" } else { "" };
                let words = property["description"].as_str().unwrap_or_default();
                let line = format!("  {name}{star} ({}) {words}", shape(property));
                text.push_str(line.trim_end());
                text.push('\n');
            }
            let answer = tool.output_schema["properties"].as_object();
            let answer = answer.into_iter().flatten();
            let answer: Vec<String> = answer
                .map(|(name, part)| format!("{name} ({})", shape(part)))
                .collect();
            text.push_str(&format!("  -> {}\n", answer.join(", ")));
        }
        expect_test::expect_file!["brief/texts.txt"].assert_eq(&text);
    }

    /// A type as people write it: `apply|discard`, `[string]`, `{at*: string}`.
    fn shape(schema: &Value) -> String {
        let choices = schema["enum"].as_array();
        if let Some(choices) = choices {
            let choices = choices.iter().filter_map(Value::as_str);
            return choices.collect::<Vec<_>>().join("|");
        }
        match schema["type"].as_str() {
            Some("array") if schema["items"].is_object() => {
                format!("[{}]", shape(&schema["items"]))
            }
            Some("object") if schema["properties"].is_object() => {
                let required = schema["required"].as_array();
                let is_required =
                    |name| required.is_some_and(|all| all.iter().any(|one| one == name));
                let parts = schema["properties"].as_object().into_iter().flatten();
                let parts = parts.map(|(name, part)| {
                    let star = if is_required(name) { "*" } else { "" };
                    format!("{name}{star}: {}", shape(part))
                });
                format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
            }
            Some(kind) => kind.to_owned(),
            None => "any".to_owned(),
        }
    }

    /// A description has an example, whose arguments are those of the tool.
    #[test]
    fn each_description_has_an_example() {
        for tool in crate::tools::tools(true, &Looked::ALL) {
            let text = tool.description;
            if text.contains("*** Begin Patch") {
                assert!(text.contains("*** End Patch"), "{text}");
                continue;
            }
            let properties = tool.input_schema["properties"].as_object();
            let takes = |name: &String| properties.is_some_and(|all| all.contains_key(name));
            let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
            let examples: Vec<Map<String, Value>> = quoted
                .into_iter()
                .filter(|quoted| quoted.starts_with('{'))
                .map(|quoted| serde_json::from_str(quoted).expect(quoted))
                .collect();
            assert!(!examples.is_empty(), "{}: {text}", tool.name);
            for example in &examples {
                assert!(example.keys().all(takes), "{}: {text}", tool.name);
                let required = tool.input_schema["required"].as_array();
                for name in required.into_iter().flatten().filter_map(Value::as_str) {
                    assert!(example.contains_key(name), "{}: {name}: {text}", tool.name);
                }
                // Only what takes nothing is called with nothing.
                let nothing = properties.is_none_or(Map::is_empty);
                assert_eq!(example.is_empty(), nothing, "{}: {text}", tool.name);
            }
        }
    }

    #[test]
    fn all_words_are_for_some_argument() {
        let mut unsaid: Vec<usize> = (0..WORDS.len()).collect();
        for tool in crate::tools::tools(true, &Looked::ALL) {
            let properties = tool.input_schema["properties"].as_object();
            for name in properties.into_iter().flatten().map(|(name, _)| name) {
                unsaid.retain(|one| Some(*one) != place(tool.name, name));
            }
        }
        let unsaid: Vec<&str> = unsaid.into_iter().map(|one| WORDS[one].0).collect();
        assert_eq!(unsaid, [""; 0]);
    }

    #[test]
    fn an_argument_that_nobody_has_words_for_keeps_its_first_sentence() {
        let full = json!({"type": "object", "properties": {
            "speed": {"type": "integer", "minimum": 0, "description": "How fast. In knots."},
            "limit": {"type": "integer", "description": "The most."},
            "near_misses": {"type": "integer"},
            "mood": {"oneOf": [{"const": "a", "description": "x"}, {"const": "b"}]},
        }});
        assert_eq!(
            input("sail", full)["properties"],
            json!({
                "speed": {"type": "integer", "description": "How fast."},
                "limit": {"type": "integer"},
                "mood": {"enum": ["a", "b"], "type": "string"},
            })
        );
    }

    #[test]
    fn a_result_is_told_by_its_parts() {
        let full = json!({"type": "object", "required": ["a", "b"], "$defs": {}, "properties": {
            "a": {"type": "array", "items": {"$ref": "#/$defs/X"}, "description": "As."},
            "b": {"anyOf": [{"$ref": "#/$defs/X"}, {"type": "null"}]},
            "c": {"type": ["string", "null"]},
        }});
        assert_eq!(
            output(&full),
            json!({"type": "object", "properties": {
                "a": {"type": "array"},
            }})
        );
    }
}
