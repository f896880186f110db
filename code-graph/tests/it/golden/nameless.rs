//! Types without a name: what makes them uses what they declare.

use super::Project;
use fourfold_code_graph::link::EdgeKind;

#[test]
fn what_makes_a_nameless_type_hands_on_its_methods() {
    let files = [
        (
            "A.java",
            "class A {\n  static void helper() {}\n  void outer() { take(new Runnable() { public void run() { helper(); } }); }\n  static void take(Runnable r) {}\n}\n",
            "run",
        ),
        (
            "a.php",
            "<?php\nfunction helper() {}\nfunction outer() { return new class { public function k() { helper(); } }; }\n",
            "k",
        ),
        (
            "a.scala",
            "trait R { def go(): Unit }\nobject O {\n  def helper(): Unit = ()\n  def outer(): R = new R { def go(): Unit = helper() }\n}\n",
            "go",
        ),
        (
            "a.ts",
            "function helper() {}\nfunction outer() { return new class { k() { helper(); } }; }\n",
            "k",
        ),
        (
            "a.kt",
            "package a\n\ninterface R {\n  fun go()\n}\n\nfun helper() {}\n\nfun outer(): R = object : R {\n  override fun go() {\n    helper()\n  }\n}\n",
            "go",
        ),
    ];
    let mut wrong = Vec::new();
    for (path, text, method) in files {
        let lines = Project::new(&[(path, text)]).links(&[EdgeKind::References, EdgeKind::Calls]);
        let hands_on = lines.iter().any(|line| {
            let (from, to) = line.split_once(" -> ").unwrap_or_default();
            from.ends_with("outer") && to.ends_with(&format!("{method} [references exact]"))
        });
        let calls = lines
            .iter()
            .any(|line| line.contains(&format!("{method} -> ")) && line.contains("helper"));
        if !hands_on || !calls {
            wrong.push(format!("{path}: {lines:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
