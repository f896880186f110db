//! Explaining patterns.

use fourfold::{Control, ExplainRequest, Shape};

use crate::project::Project;

#[test]
fn readings_trees_and_near_misses() {
    let project = Project::new(&[("a.dart", "void f() { dispose(y); }\n"), ("b.py", "x\n")]);
    let request = ExplainRequest {
        shape: Shape::pattern("dispose(x);"),
        ..ExplainRequest::default()
    };
    let explained = project
        .checkout()
        .explain(&request, &Control::new())
        .unwrap();
    let dart = &explained.languages[0];
    assert_eq!(
        (dart.language, dart.readings[0].rung),
        ("dart", "statement")
    );
    assert!(dart.readings[0].tree.contains("identifier \"dispose\""));
    assert_eq!(dart.readings[0].required_text, ["dispose", "x"]);
    assert_eq!(explained.summary.matches, 0);
    assert_eq!(explained.summary.near_misses[0].path, "a.dart");
}

#[test]
fn a_pattern_that_is_no_code_is_explained_rung_by_rung() {
    let project = Project::new(&[("a.rs", "fn f() {}\n")]);
    let request = ExplainRequest {
        shape: Shape::pattern("foo.*bar("),
        ..ExplainRequest::default()
    };
    let explained = project
        .checkout()
        .explain(&request, &Control::new())
        .unwrap();
    let rust = &explained.languages[0];
    assert!(rust.readings.is_empty() && !rust.refusals.is_empty());
    assert!(
        rust.unusable
            .as_deref()
            .unwrap()
            .contains("regular expression")
    );
}
