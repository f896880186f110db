//! What bad input gets: one clear sentence, and the run goes on where it can.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};

use fourfold::{GrepRequest, Limits, ResolveRequest, RewriteRequest};
use serde_json::json;

use crate::project::{Project, lines};

fn named(path: &str) -> GrepRequest {
    let mut request = GrepRequest::pattern("f($X)");
    request.selection.paths = vec![path.into()];
    request
}

#[test]
fn paths_that_are_not_let_in() {
    let project = Project::new(&[("a.py", "f(1)\n")]);
    let error = |path: &str| project.grep_error(&named(path));
    assert!(error("../elsewhere").starts_with("cannot search `../elsewhere`:"));
    assert!(error("/").contains("is outside the checkout"));
    assert!(error("b.py").contains("nothing is there"));
    assert!(error(".fourfold").contains("nothing is there"));
    fs::create_dir(project.root().join(".git")).unwrap();
    assert!(error(".git").contains("holds what a program keeps for itself"));
    let mut request = named("a.py");
    request.selection.globs = vec!["a[".into()];
    assert!(
        project
            .grep_error(&request)
            .starts_with("cannot use the glob `a[`")
    );
}

#[test]
fn a_folder_is_searched() {
    let project = Project::new(&[("src/a.py", "f(1)\n"), ("b.py", "f(2)\n")]);
    assert_eq!(lines(&project.grep(&named("src"))), ["src/a.py:1:1 f(1)"]);
}

#[test]
fn what_cannot_be_read_is_counted_and_the_run_goes_on() {
    let project = Project::new(&[("a.py", "f(1)\n")]);
    project.write("binary.py", b"f(1)\0");
    project.write("latin.py", b"f('\xe9')\n");
    let huge = File::create(project.root().join("huge.py")).unwrap();
    huge.set_len(100 << 20).unwrap();
    symlink("nowhere.py", project.root().join("broken.py")).unwrap();
    symlink("/etc/hostname", project.root().join("out.py")).unwrap();
    let mut request = GrepRequest::pattern("f($X)");
    let result = project.grep(&request);
    assert_eq!(lines(&result), ["a.py:1:1 f(1)"]);
    let said = |result: &fourfold::GrepResult| -> Vec<String> {
        let skipped = result.summary.skipped.iter();
        skipped
            .map(|one| format!("{} {} {}", one.files, one.reason, one.examples.join(" ")))
            .collect()
    };
    assert_eq!(
        said(&result),
        [
            "1 binary binary.py",
            "1 not UTF-8 latin.py",
            "1 too large (>8 MiB) huge.py",
        ]
    );
    // Named one by one, as a shell's `*` does, links that lead nowhere are counted too.
    request.selection.paths = ["a.py", "broken.py", "out.py"].map(Into::into).to_vec();
    let result = project.grep(&request);
    assert_eq!(lines(&result), ["a.py:1:1 f(1)"]);
    assert_eq!(
        said(&result),
        [
            "1 link out of the checkout out.py",
            "1 broken link broken.py"
        ]
    );
}

#[test]
fn a_very_long_line_is_searched_and_cut() {
    let mut text = "f(1);".repeat(40_000);
    text.push('\n');
    assert!(text.len() >= 200_000);
    let project = Project::new(&[("min.js", &text)]);
    let mut request = GrepRequest::pattern("f($X)");
    request.offset = 39_999;
    let result = project.grep(&request);
    assert_eq!(result.summary.matches, 40_000);
    assert_eq!(lines(&result), ["min.js:1:199996 f(1)"]);
    // A match that is the whole line is cut.
    let long = format!("g('{}')\n", "x".repeat(200_000));
    project.write("long.js", long);
    let result = project.grep(&GrepRequest::pattern("g($X)"));
    let found = &result.files[0].matches[0];
    assert!(found.truncated && found.text.len() < 250);
    assert_eq!(found.end.column, 200_006);
}

#[test]
fn deep_nesting_does_not_end_the_process() {
    let deep = format!("f({}1{})\n", "(".repeat(50_000), ")".repeat(50_000));
    let project = Project::new(&[("deep.js", &deep), ("a.js", "f(2)\n")]);
    let result = project.grep(&GrepRequest::pattern("f(2)"));
    assert_eq!(lines(&result), ["a.js:1:1 f(2)"]);
}

#[test]
fn a_file_too_large_to_be_parsed_is_said() {
    let project = Project::new(&[("a.py", "f(1)\n"), ("b.py", "f(22222)\n")]);
    let limits = Limits {
        max_file_bytes: 6,
        ..Limits::default()
    };
    let checkout = project.with_limits(limits);
    let result = checkout
        .grep(&GrepRequest::pattern("f($X)"), &fourfold::Control::new())
        .unwrap();
    assert_eq!(result.summary.skipped[0].reason, "too large (>6 bytes)");
    // The request has the last word.
    let mut request = GrepRequest::pattern("f($X)");
    request.selection.max_file_bytes = Some(100);
    let result = checkout.grep(&request, &fourfold::Control::new()).unwrap();
    assert_eq!(result.summary.matches, 2);
}

#[test]
fn files_that_may_not_be_written_are_left_out_of_a_stage() {
    let project = Project::new(&[
        ("a.py", "f(1)\n"),
        ("linked.py", "f(2)\n"),
        ("locked.py", "f(3)\n"),
        ("folder/b.py", "f(4)\n"),
    ]);
    fs::hard_link(
        project.root().join("linked.py"),
        project.root().join("twin"),
    )
    .unwrap();
    let mode = |path: &str, mode| {
        fs::set_permissions(project.root().join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("locked.py", 0o444);
    mode("folder", 0o555);
    let (conversation, result) = project.rewrite(&RewriteRequest::new("f($X)", "g($X)"));
    mode("folder", 0o755);
    let files: Vec<&str> = result.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(files, ["a.py"]);
    let refused: Vec<&str> = result
        .refused_files
        .iter()
        .map(|one| one.what.as_str())
        .collect();
    assert_eq!(refused, ["folder/b.py", "linked.py", "locked.py"]);
    assert!(result.refused_files[0].why.contains("read-only"));
    assert!(result.refused_files[1].why.contains("hard links"));
    assert!(result.refused_files[2].why.contains("read-only"));
    conversation
        .resolve(&ResolveRequest::apply(result.stage.unwrap()))
        .unwrap();
    assert_eq!(project.read("a.py"), "g(1)\n");
    assert_eq!(project.read("twin"), "f(2)\n");
}

#[test]
fn a_file_that_vanishes_while_it_is_read() {
    let project = Project::new(&[("a.py", "f(1)\n")]);
    for n in 0..40 {
        project.write(&format!("b{n:02}.py"), "f(1)\n");
    }
    let limits = Limits {
        threads: 1,
        ..Limits::default()
    };
    let checkout = project.with_limits(limits);
    let control = fourfold::Control::new();
    // The walk has listed all when the first result comes; those not yet read are removed.
    let summary = std::thread::scope(|scope| {
        scope.spawn(|| {
            while control.total() == 0 {
                std::hint::spin_loop();
            }
            for n in (0..40).rev() {
                let _ = fs::remove_file(project.root().join(format!("b{n:02}.py")));
            }
        });
        checkout
            .grep_each(&GrepRequest::pattern("f($X)"), &control, &mut |_| {
                std::ops::ControlFlow::Continue(())
            })
            .unwrap()
    });
    // However fast the removal was: what was not found has vanished, and nothing else.
    let vanished: usize = summary.skipped.iter().map(|one| one.files).sum();
    assert_eq!(summary.matches + vanished, 41);
    assert!(summary.skipped.iter().all(|one| one.reason == "vanished"));
}

#[test]
fn nothing_to_search_for_and_nowhere_to_read_it() {
    let project = Project::new(&[("a.py", "f(1)\n"), ("b.rs", "fn f() {}\n")]);
    assert!(
        project
            .grep_error(&GrepRequest::default())
            .starts_with("there is nothing to search for; give a `pattern`")
    );
    let mut both = GrepRequest::pattern("f($X)");
    both.shape.query = Some("(x)".into());
    assert!(project.grep_error(&both).contains("not both"));
    let error = project.grep_error(&GrepRequest::pattern("f($X"));
    assert!(
        error.contains("no Python code") && error.contains("no Rust code"),
        "{error}"
    );
    assert!(error.contains("a bracket is not closed"), "{error}");
    let mut request = GrepRequest::pattern("f($X)");
    request.shape.languages = vec!["pyton".into()];
    assert_eq!(
        project.grep_error(&request),
        "no language is called `pyton`; the nearest is `python`"
    );
    let mut request = GrepRequest::pattern("f($X)");
    request.shape.as_rung = Some("statment".into());
    assert!(
        project
            .grep_error(&request)
            .starts_with("no rung is called `statment`; the nearest is `statement`; the rungs are")
    );
    request.shape.as_rung = None;
    request.shape.conditions = vec!["$Y=~x".into()];
    assert!(
        project
            .grep_error(&request)
            .contains("$Y, which the pattern does not bind")
    );
    request.shape.conditions = Vec::new();
    request.shape.inside = vec!["f($X".into()];
    assert!(
        project
            .grep_error(&request)
            .starts_with("in `inside`, the pattern is no Python code")
    );
}

/// Nobody wants to read again what he has given, whatever tool and argument it was given to.
#[tokio::test]
async fn no_answer_repeats_what_is_long() {
    let project = Project::new(&[("a.py", "f(1)\n")]);
    let conversation = project.conversation();
    let long = "a".repeat(100_000);
    let mut wordy = Vec::new();
    for tool in fourfold::tool_reference() {
        let base = match tool.name {
            "ast_grep" | "ast_explain" => json!({"pattern": "f($X)"}),
            "ast_edit" => json!({"pattern": "g($X)", "template": "$X"}),
            "resolve" => json!({"id": "s-2222", "action": "apply"}),
            "write" => json!({"path": "b.py", "content": "f(2)\n"}),
            "edit" => json!({"path": "a.py", "old_text": "g(1)", "new_text": "h(1)"}),
            "apply_patch" => json!({"patch": ""}),
            "lsp" => json!({"action": "hover", "file": "a.py", "symbol": "f"}),
            "debug" => json!({"action": "ask", "program": "absent.py"}),
            "search_code" => json!({"query": "f"}),
            "code_symbol" | "code_callers" | "code_callees" => json!({"symbol": "f"}),
            "code_impact" => json!({"symbol": ["f"]}),
            "code_graph" => json!({"action": "draw", "symbol": "f"}),
            _ => json!({}),
        };
        let arguments = tool.input_schema["properties"].as_object();
        for (name, schema) in arguments.into_iter().flatten() {
            // A rewrite that inserts it is to show it.
            let given = match schema["type"].as_str() {
                _ if name == "template" => continue,
                Some("array") => json!([long]),
                _ => json!(long),
            };
            let mut all = base.clone();
            all[name] = given;
            let (bytes, said) = match conversation.call(tool.name, all).await {
                Ok(answer) => (
                    answer.text.len() + answer.value.to_string().len(),
                    answer.text,
                ),
                Err(error) => (error.to_string().len(), error.to_string()),
            };
            let start: String = said.chars().take(300).collect();
            if bytes > 20_000 {
                wordy.push(format!("{} {name}: {bytes} bytes: {start}", tool.name));
            }
        }
    }
    assert!(wordy.is_empty(), "{}", wordy.join("\n"));
}
