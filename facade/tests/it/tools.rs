//! The tools as an agent host calls them.

use fourfold::{Access, Error};
use serde_json::{Value, json};

use crate::project::Project;

fn project() -> Project {
    Project::new(&[("a.py", "old(1)\nold(2)\n"), ("b.js", "old(3);\n")])
}

#[tokio::test]
async fn a_rewrite_from_search_to_resolve() {
    let project = project();
    let conversation = project.conversation();
    let found = conversation
        .call("ast_grep", json!({"pattern": "old($X)"}))
        .await
        .unwrap();
    expect_test::expect![[r#"
        3 matches in 2 files (2 searched)
        a.py  (python)
          1:1 old(1)  $X = 1
          2:1 old(2)  $X = 2
        b.js  (javascript)
          1:1 old(3)  $X = 3
    "#]]
    .assert_eq(&found.text);
    assert_eq!(found.value["summary"]["matches"], 3);
    assert_eq!(found.value["files"][0]["matches"][1]["start"]["line"], 2);

    let edited = conversation
        .call(
            "ast_edit",
            json!({"pattern": "old($X)", "template": "new($X)", "paths": "a.py"}),
        )
        .await
        .unwrap();
    let id = edited.value["stage"].as_str().unwrap().to_owned();
    expect_test::expect![[r#"
        stage ID: 2 sites in 1 file; nothing is changed yet: resolve it with action apply or discard
        a.py  2 sites
        diff --git a/a.py b/a.py
        --- a/a.py
        +++ b/a.py
        @@ -1,2 +1,2 @@
        -old(1)
        -old(2)
        +new(1)
        +new(2)
    "#]]
    .assert_eq(&edited.text.replace(&id, "ID"));

    let staged = conversation.call("staged", Value::Null).await.unwrap();
    expect_test::expect![[r#"
        ID  just now, in this conversation: 2 sites in 1 file
          `old($X)` by `new($X)`
          a.py
    "#]]
    .assert_eq(&staged.text.replace(&id, "ID"));

    let applied = conversation
        .call(
            "resolve",
            json!({"id": id, "action": "apply", "except": ["a.py:2"]}),
        )
        .await
        .unwrap();
    let rest = applied.value["rest"]["stage"].as_str().unwrap();
    expect_test::expect![[r#"
        applied stage ID in part: 1 site in 1 file
        written: a.py
        left out and staged as REST: 1 site in a.py
        no server: language servers are switched off here
    "#]]
    .assert_eq(&applied.text.replace(&id, "ID").replace(rest, "REST"));
    assert_eq!(project.read("a.py"), "new(1)\nold(2)\n");
}

#[tokio::test]
async fn wrong_calls_get_one_sentence_with_what_would_do() {
    let project = project();
    let conversation = project.conversation();
    let wrong = async |tool: &str, arguments: Value| {
        let error = conversation.call(tool, arguments).await.unwrap_err();
        assert!(error.is_user(), "{error}");
        error.to_string()
    };
    assert_eq!(
        wrong("ast_gerp", json!({})).await,
        "no tool is called `ast_gerp`; the nearest is `ast_grep`; the tools are ast_grep, ast_edit, resolve, staged, ast_explain, write, edit, apply_patch, lsp, check, debug, search_code, code_symbol, code_callers, code_callees, code_impact, code_map, code_graph"
    );
    assert!(
        wrong("ast_grep", json!({"pattern": "f()", "pathes": ["a.py"]}))
            .await
            .starts_with("ast_grep: there is no argument `pathes`; the nearest is `paths`")
    );
    assert!(
        wrong("ast_edit", json!({"pattern": "old($X)"}))
            .await
            .starts_with("ast_edit: `template` is missing: What takes the place of each match")
    );
    assert_eq!(
        wrong("resolve", json!({"id": "s-2222", "action": "commit"})).await,
        "resolve: `action` is one of apply, discard, not `commit`"
    );
    assert_eq!(
        wrong("resolve", json!({"id": "s-2222", "action": "apply"})).await,
        "no stage is called `s-2222`; one that was is resolved, expired, evicted or ended with its conversation; there is none now"
    );
    assert_eq!(
        wrong("staged", json!({"all": true})).await,
        "staged: there is no argument `all`; it takes none"
    );
}

#[tokio::test]
async fn an_explanation_in_text() {
    let project = Project::new(&[("a.js", "a + b;\n")]);
    let explained = project
        .conversation()
        .call("ast_explain", json!({"pattern": "a - b"}))
        .await
        .unwrap();
    expect_test::expect![[r#"
        javascript: primary reading as statement (binary_expression)
          binary_expression
            identifier "a"
            "-"
            identifier "b"
          every match contains `a`, `-`, `b`
        0 matches in 0 files (1 searched)
        near miss: a.js:1:1 a + b: the pattern has `-`, the source has `+`
    "#]]
    .assert_eq(&explained.text);
}

/// Worked out by hand: what each tool does, and whether it only reads, may destroy, may be repeated,
/// and reaches beyond the checkout. A language server may run what builds a project, and that may
/// fetch things; so may a program that is debugged.
#[test]
fn each_tool_says_what_it_does_to_the_world() {
    let all = [
        ("ast_grep", Access::Reads, [true, false, true, false]),
        ("search_code", Access::Reads, [true, false, true, false]),
        ("code_symbol", Access::Reads, [true, false, true, false]),
        ("code_callers", Access::Reads, [true, false, true, false]),
        ("code_callees", Access::Reads, [true, false, true, false]),
        ("code_impact", Access::Reads, [true, false, true, false]),
        ("code_map", Access::Reads, [true, false, true, false]),
        ("code_graph", Access::Reads, [true, false, true, false]),
        // Each call makes another stage.
        ("ast_edit", Access::Reads, [true, false, false, false]),
        ("resolve", Access::Writes, [false, true, true, true]),
        ("staged", Access::Reads, [true, false, true, false]),
        ("lsp", Access::Reads, [true, false, true, true]),
        ("check", Access::Reads, [true, false, true, true]),
        ("debug", Access::Executes, [false, true, false, true]),
        ("ast_explain", Access::Reads, [true, false, true, false]),
        ("write", Access::Writes, [false, true, true, true]),
        ("edit", Access::Writes, [false, true, false, true]),
        ("apply_patch", Access::Writes, [false, true, false, true]),
    ];
    let reference = fourfold::tool_reference();
    let said: Vec<_> = reference
        .iter()
        .map(|tool| {
            let hints = &tool.annotations;
            let hints = [
                hints.read_only_hint,
                hints.destructive_hint,
                hints.idempotent_hint,
                hints.open_world_hint,
            ];
            (tool.name, tool.access, hints)
        })
        .collect();
    assert_eq!(said, all);

    // Without servers and adapters, the rest is the same.
    let project = project();
    let offered = project.checkout().tools();
    // Whether the debugger can work depends on the machine.
    let offered = offered.iter().filter(|tool| tool.name != "debug");
    let offered: Vec<_> = offered.map(|tool| (tool.name, &tool.annotations)).collect();
    let rest = reference
        .iter()
        .filter(|tool| !["lsp", "check", "debug"].contains(&tool.name));
    let rest: Vec<_> = rest.map(|tool| (tool.name, &tool.annotations)).collect();
    assert_eq!(offered, rest);

    for tool in &reference {
        assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
        assert_eq!(tool.output_schema["type"], "object", "{}", tool.name);
        assert_eq!(tool.input_schema["additionalProperties"], false);
        let properties = tool.input_schema["properties"].as_object();
        for (name, property) in properties.into_iter().flatten() {
            assert!(property["description"].is_string(), "{} {name}", tool.name);
        }
    }
}

#[test]
fn the_schema_of_resolve() {
    let tools = fourfold::tool_reference();
    let resolve = tools.iter().find(|tool| tool.name == "resolve").unwrap();
    let schema = serde_json::to_string_pretty(&resolve.input_schema).unwrap();
    expect_test::expect![[r#"
        {
          "additionalProperties": false,
          "properties": {
            "action": {
              "description": "What becomes of it.",
              "oneOf": [
                {
                  "const": "apply",
                  "description": "Change all its files, or none.",
                  "type": "string"
                },
                {
                  "const": "discard",
                  "description": "Drop it; nothing on disk is changed.",
                  "type": "string"
                }
              ]
            },
            "except": {
              "description": "Sites and files to leave out when applying, by the names of the stage's result. They are a stage of their own afterwards.",
              "items": {
                "type": "string"
              },
              "type": "array"
            },
            "id": {
              "description": "The id of the stage, such as s-7k2m.",
              "type": "string"
            }
          },
          "required": [
            "id",
            "action"
          ],
          "type": "object"
        }"#]].assert_eq(&schema);
}

#[test]
fn the_schema_of_ast_edit() {
    let tools = fourfold::tool_reference();
    let edit = tools.iter().find(|tool| tool.name == "ast_edit").unwrap();
    let schema = serde_json::to_string_pretty(&edit.input_schema).unwrap();
    expect_test::expect![[r#"
        {
          "additionalProperties": false,
          "properties": {
            "allow_loss": {
              "description": "Rewrite also where that drops something that neither the pattern nor a capture holds, such as a comment. Without it such sites are left out and listed.",
              "type": "boolean"
            },
            "as": {
              "description": "Read the pattern only as this rung of the ladder, when it can be read in several ways.",
              "enum": [
                "statement",
                "expression",
                "class-member",
                "top-level",
                "type",
                "parameter",
                "argument",
                "pair",
                "arm",
                "pattern",
                "clause",
                "interface-member",
                "enum-member",
                "import-item",
                "decorator",
                "attribute",
                "child",
                "opening-tag",
                "element",
                "selector",
                "value"
              ],
              "type": "string"
            },
            "exclude": {
              "description": "Sites (such as src/a.rs:12) and files to leave out, by the names of an earlier result.",
              "items": {
                "type": "string"
              },
              "type": "array"
            },
            "force": {
              "description": "Rewrite also files that would no longer parse. Without it they are left out and listed.",
              "type": "boolean"
            },
            "globs": {
              "description": "Globs in the form of .gitignore, relative to the root: only matching files, or with a leading `!` all but those.",
              "items": {
                "type": "string"
              },
              "type": "array"
            },
            "has": {
              "description": "Only matches that hold a match of each of these patterns.",
              "items": {
                "type": "string"
              },
              "type": "array"
            },
            "hidden": {
              "description": "Search files and folders whose name begins with a dot.",
              "type": "boolean"
            },
            "inside": {
              "description": "Only matches that lie inside a match of each of these patterns.",
              "items": {
                "type": "string"
              },
              "type": "array"
            },
            "keep": {
              "description": "Keep the stage on disk, so that it outlives this conversation and process.",
              "type": "boolean"
            },
            "kind": {
              "description": "Only matches whose node has this kind in the grammar, such as call_expression.",
              "type": "string"
            },
            "language": {
              "description": "Search only files of these languages (ids, names or aliases, such as rust, c++, py). Without it the language of each file is inferred, and several are searched at once.",
              "items": {
                "type": "string"
              },
              "type": "array"
            },
            "limit": {
              "description": "The most sites to list; all are staged. 100 unless configured.",
              "maximum": 10000,
              "minimum": 0,
              "type": "integer"
            },
            "max_diff_bytes": {
              "description": "The most bytes of the unified diff; 16 KiB unless configured.",
              "maximum": 16777216,
              "minimum": 0,
              "type": "integer"
            },
            "max_file_bytes": {
              "description": "Skip files longer than this many bytes; 8 MiB unless configured.",
              "maximum": 1073741824,
              "minimum": 0,
              "type": "integer"
            },
            "max_text_bytes": {
              "description": "The most bytes of each text to give; 240 unless configured.",
              "maximum": 1048576,
              "minimum": 0,
              "type": "integer"
            },
            "no_ignore": {
              "description": "Search what .gitignore and .ignore leave out.",
              "type": "boolean"
            },
            "not_has": {
              "description": "Only matches that hold no match of any of these patterns.",
              "items": {
                "type": "string"
              },
              "type": "array"
            },
            "not_inside": {
              "description": "Only matches that lie inside no match of any of these patterns.",
              "items": {
                "type": "string"
              },
              "type": "array"
            },
            "paths": {
              "description": "Files and folders, relative to the root of the checkout; without it the whole checkout. A file named here is searched even when it is ignored or hidden.",
              "items": {
                "type": "string"
              },
              "type": "array"
            },
            "pattern": {
              "description": "Code as it is written in the language, with $X for any one node, $_ for one that is not kept, $$$XS or $$$ for any run of siblings. A name used twice must be the same code twice.",
              "type": "string"
            },
            "strict": {
              "description": "Parts that a declaration may omit (modifiers, annotations, type parameters, return type, throws, supertypes) must be in the pattern if they are in the source.",
              "type": "boolean"
            },
            "template": {
              "description": "What takes the place of each match, with the pattern's metavariables in it; empty to delete.",
              "type": "string"
            },
            "where": {
              "description": "Conditions on captures: `$X=~REGEX` (its text matches) or `$X!~REGEX` (it does not).",
              "items": {
                "type": "string"
              },
              "type": "array"
            }
          },
          "required": [
            "pattern",
            "template"
          ],
          "type": "object"
        }"#]].assert_eq(&schema);
}

#[tokio::test]
async fn a_dropped_call_ends() {
    let project = project();
    let conversation = project.conversation();
    let call = conversation.call("ast_grep", json!({"pattern": "old($X)"}));
    drop(call);
    // Errors of the tool itself come through as they are.
    let error = conversation
        .call(
            "ast_grep",
            json!({"pattern": "old($X)", "paths": ["nowhere"]}),
        )
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Path(_)));
}
