//! Staging rewrites.

use expect_test::expect;
use fourfold::{Control, Error, Limits, RewriteRequest};

use crate::project::Project;

#[test]
fn staging_changes_nothing_and_tells_everything() {
    let project = Project::new(&[
        ("src/a.py", "x = old(1)\ny = old(old(2)); old(3)\n"),
        ("src/b.js", "old(4);\n"),
        ("src/c.py", "new(5)\n"),
    ]);
    let (_conversation, result) = project.rewrite(&RewriteRequest::new("old($X)", "new($X, 0)"));
    let ids: Vec<&str> = result.sites.iter().map(|site| site.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "src/a.py:1",
            "src/a.py:2",
            "src/a.py:2#2",
            "src/a.py:2#3",
            "src/b.js:1"
        ]
    );
    assert_eq!(result.sites[2].inside.as_deref(), Some("src/a.py:2"));
    assert_eq!(result.sites[1].before, "old(old(2))");
    assert_eq!(result.sites[1].after, "new(new(2, 0), 0)");
    assert_eq!(result.site_count, 5);
    let files: Vec<_> = result
        .files
        .iter()
        .map(|f| (f.path.as_str(), f.sites))
        .collect();
    assert_eq!(files, [("src/a.py", 4), ("src/b.js", 1)]);
    assert!(result.stage.is_some() && !result.kept);
    expect![[r#"
        diff --git a/src/a.py b/src/a.py
        --- a/src/a.py
        +++ b/src/a.py
        @@ -1,2 +1,2 @@
        -x = old(1)
        -y = old(old(2)); old(3)
        +x = new(1, 0)
        +y = new(new(2, 0), 0); new(3, 0)
        diff --git a/src/b.js b/src/b.js
        --- a/src/b.js
        +++ b/src/b.js
        @@ -1 +1 @@
        -old(4);
        +new(4, 0);
    "#]]
    .assert_eq(&result.diff);
    assert_eq!(project.read("src/b.js"), "old(4);\n");
    assert!(!project.root().join(".fourfold").exists());
}

#[test]
fn nothing_to_change_makes_no_stage() {
    let project = Project::new(&[("a.py", "x = old(1)\n")]);
    let (_, result) = project.rewrite(&RewriteRequest::new("other($X)", "new($X)"));
    assert_eq!((result.stage, result.site_count), (None, 0));
    // A template that says what the pattern says.
    let (_, result) = project.rewrite(&RewriteRequest::new("old($X)", "old($X)"));
    assert_eq!(
        (result.stage, result.site_count, result.summary.matches),
        (None, 0, 1)
    );
    assert_eq!(result.unchanged, ["a.py:1"]);
}

#[test]
fn losses_are_left_out_site_by_site_unless_allowed() {
    let project = Project::new(&[("a.js", "old(1 /* why */);\nold(2);\n")]);
    let mut request = RewriteRequest::new("old($X)", "new($X)");
    let (_, result) = project.rewrite(&request);
    assert_eq!(result.site_count, 1);
    assert_eq!(result.refused_sites[0].what, "a.js:1");
    assert_eq!(
        result.refused_sites[0].why,
        "would drop comment `/* why */`; capture it, name it in the pattern, or allow the loss"
    );
    request.allow_loss = true;
    let (_, result) = project.rewrite(&request);
    assert_eq!(result.site_count, 2);
    assert_eq!(result.sites[0].losses, ["comment `/* why */`"]);
    assert!(result.refused_sites.is_empty());
}

#[test]
fn files_that_would_not_parse_are_left_out_unless_forced() {
    let project = Project::new(&[("a.js", "let a = old(1);\n"), ("b.js", "old(2);\n")]);
    let mut request = RewriteRequest::new("old($X)", "return $X");
    let (_, result) = project.rewrite(&request);
    let files: Vec<&str> = result.files.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(files, ["b.js"]);
    assert_eq!(result.refused_files[0].what, "a.js");
    assert_eq!(
        result.refused_files[0].why,
        "has 0 syntax errors and would have 1, because of a.js:1; correct the template, leave those sites out, or force it"
    );
    request.force = true;
    let (_, result) = project.rewrite(&request);
    assert_eq!(result.files.len(), 2);
    assert_eq!(result.forced_files[0].what, "a.js");
}

#[test]
fn sites_and_files_can_be_excluded_by_name() {
    let project = Project::new(&[("a.py", "old(1)\nold(2); old(3)\n"), ("b.py", "old(4)\n")]);
    let mut request = RewriteRequest::new("old($X)", "new($X)");
    request.exclude = vec!["a.py:2#2".into(), "b.py".into()];
    let (_, result) = project.rewrite(&request);
    assert_eq!(result.excluded, ["a.py:2#2", "b.py"]);
    assert!(result.diff.contains("+new(2); old(3)"));
    assert_eq!(result.files.len(), 1);
    request.exclude = vec!["a.py:3".into()];
    let error = project.rewrite_error(&request);
    assert!(error.is_user());
    assert!(
        error
            .to_string()
            .starts_with("nothing was staged, because `exclude` names `a.py:3`"),
        "{error}"
    );
}

#[test]
fn only_the_primary_reading_is_rewritten_and_the_others_are_said() {
    let java = "class A {\n  private final int n;\n}\n";
    let project = Project::new(&[("A.java", java)]);
    let mut request = RewriteRequest::new("private final $T $N;", "private $T $N;");
    let (_, result) = project.rewrite(&request);
    assert_eq!((result.site_count, result.stage), (0, None));
    assert_eq!(result.other_readings[0].matches, 1);
    request.shape.as_rung = result.other_readings[0].rung.map(str::to_owned);
    let (_, result) = project.rewrite(&request);
    assert_eq!(result.site_count, 1);
    assert!(result.diff.contains("+  private int n;"));
}

#[test]
fn a_template_is_checked_before_anything_is_searched() {
    let project = Project::new(&[("a.py", "old(1)\n")]);
    let error = project.rewrite_error(&RewriteRequest::new("old($X)", "new($Y)"));
    assert!(matches!(error, Error::Template { .. }));
    assert!(error.to_string().contains("`$Y`"), "{error}");
}

#[test]
fn lists_and_diffs_are_bounded_and_say_so() {
    let text: String = (0..50).map(|n| format!("old({n})\n")).collect();
    let project = Project::new(&[("a.py", &text), ("b.py", &text)]);
    let mut request = RewriteRequest::new("old($X)", "new($X)");
    request.limit = Some(10);
    request.max_diff_bytes = Some(300);
    let (_, result) = project.rewrite(&request);
    assert_eq!((result.site_count, result.sites.len()), (100, 10));
    assert_eq!(result.sites_not_listed, 90);
    assert_eq!(result.diff_left_out, ["a.py", "b.py"]);
    assert!(result.diff.len() < 600);
}

#[test]
fn a_stage_over_its_limit_is_refused_as_a_whole() {
    let project = Project::new(&[("a.py", "old(1)\n")]);
    let limits = Limits {
        max_stage_bytes: 5,
        ..Limits::default()
    };
    let conversation = project.with_limits(limits).conversation("test");
    let request = RewriteRequest::new("old($X)", "new($X)");
    let error = conversation.rewrite(&request, &Control::new()).unwrap_err();
    assert!(error.to_string().contains("more than its limit"), "{error}");
}

#[test]
fn a_cancelled_edit_stages_nothing() {
    let project = Project::new(&[("a.py", "old(1)\n")]);
    let control = Control::new();
    control.cancel();
    let conversation = project.conversation();
    let error = conversation
        .rewrite(&RewriteRequest::new("old($X)", "new($X)"), &control)
        .unwrap_err();
    assert!(matches!(error, Error::Cancelled));
    assert!(conversation.staged().unwrap().stages.is_empty());
}

#[test]
fn line_ends_and_marks_survive() {
    let project = Project::new(&[("a.py", "\u{feff}old(1)\r\nold(2)\r\n")]);
    let (conversation, result) = project.rewrite(&RewriteRequest::new("old($X)", "new($X)"));
    let request = fourfold::ResolveRequest::apply(result.stage.unwrap());
    conversation.resolve(&request).unwrap();
    assert_eq!(project.read("a.py"), "\u{feff}new(1)\r\nnew(2)\r\n");
}

/// A text of YAML has no metavariables.
#[test]
fn what_is_meant_for_code_is_not_refused_for_a_file_of_data_beside_it() {
    let project = Project::new(&[
        ("m.rs", "fn f() {\n    a.unwrap();\n}\n"),
        ("c.yaml", "a: 1\n"),
    ]);
    let request = RewriteRequest::new("$X.unwrap()", "$X.expect(\"q\")");
    let (_, result) = project.rewrite(&request);
    assert_eq!(result.sites.len(), 1, "{result:?}");
    std::fs::remove_file(project.root().join("m.rs")).unwrap();
    let refused = project.rewrite_error(&request);
    assert!(matches!(refused, Error::Template { .. }), "{refused}");
}
