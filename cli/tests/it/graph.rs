//! `fourfold graph`.

use expect_test::expect;
use serde_json::Value;

use crate::project::Project;

fn shop() -> Project {
    Project::new(&[
        (
            "shop/base.py",
            "class Store:\n    def get(self, key):\n        return self.find(key)\n\n    def find(self, \
             key):\n        return None\n\n\ndef open_store(path):\n    return Store()\n",
        ),
        (
            "shop/web.py",
            "from shop.base import open_store\n\n\ndef handle(request):\n    store = \
             open_store(request)\n    return store.get('x')\n",
        ),
        (
            "tests/test_web.py",
            "from shop.web import handle\n\n\ndef test_handle():\n    assert handle(None) is None\n",
        ),
    ])
}

#[test]
fn callers_are_shown_with_lines() {
    let run = shop().run(["graph", "callers", "Store.get"]);
    expect![[r#"
        1 caller of method `Store.get` (shop/base.py:2) in 1 place
        callers: 1
        shop/web.py
          4 function handle  [inferred]
            6: return store.get('x')
        coverage: 3 of 3 files
        --- stderr, status 0
    "#]]
    .assert_eq(&run.whole());
}

#[test]
fn every_question_has_an_answer() {
    let project = shop();
    for (args, status, sentence) in [
        ("search store", 0, "for `store`"),
        ("symbol Store.get", 0, "return self.find(key)"),
        ("outline shop/base.py", 0, "declares 4 symbols"),
        ("callees handle", 0, "calls 2 symbols"),
        ("refs open_store", 0, "imports"),
        ("impact Store.find --depth 4", 0, "1 test reaches it"),
        ("paths test_handle Store.find", 0, "1 way"),
        ("cycles --level file", 1, "no file needs itself"),
        ("unused", 0, "without a known use"),
        ("modules --level file", 0, "layer"),
        ("map --tokens 200", 0, "class Store"),
        ("hierarchy Store", 1, "class `Store`"),
        ("draw handle --dot", 0, "digraph"),
        ("status", 0, "3 files"),
        (
            "callers nothing_of_the_kind",
            1,
            "no symbol or file is called",
        ),
        (
            "callers shop.nothing --certainty name",
            1,
            "no symbol or file",
        ),
        ("export edges", 0, "\"caller\""),
        ("export jsonl", 0, "\"type\":\"node\""),
    ] {
        let run = project.run(["graph"].into_iter().chain(args.split(' ')));
        assert_eq!(run.status, status, "{args}: {}", run.whole());
        assert!(run.out.contains(sentence), "{args}: {}", run.whole());
    }
}

/// What is drawn is all that stands on standard output.
#[test]
fn a_drawing_can_be_handed_on_as_it_is() {
    let run = shop().run(["graph", "draw", "handle"]);
    assert!(run.out.starts_with("flowchart LR\n"), "{}", run.out);
    assert!(!run.out.contains("coverage"), "{}", run.out);
    assert!(run.err.starts_with("what is around "), "{}", run.err);
    assert!(run.err.contains("coverage: 3 of 3 files"), "{}", run.err);
}

#[test]
fn json_has_a_line_for_each_entry_and_a_summary() {
    let run = shop().run(["graph", "callers", "Store.get", "--json"]);
    let lines: Vec<Value> = run
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2, "{}", run.whole());
    assert_eq!(lines[0]["type"], "entry");
    assert_eq!(lines[0]["group"], "callers");
    assert_eq!(lines[0]["name"], "handle");
    assert_eq!(lines[1]["type"], "summary");
    assert_eq!(lines[1]["coverage"]["indexed"], 3);
}

#[test]
fn a_name_of_several_symbols_is_an_error_that_lists_them() {
    let project = shop();
    project.write("shop/more.py", "def handle():\n    pass\n");
    let run = project.run(["graph", "callers", "handle"]);
    assert_eq!(run.status, 2);
    assert!(run.out.contains("shop/more.py:1") && run.out.contains("shop/web.py:4"));
    let run = project.run(["graph", "callers", "handle", "--in", "shop/more.py"]);
    assert_eq!(run.status, 1, "{}", run.whole());
}

#[test]
fn paths_are_typed_as_seen_from_here() {
    let project = shop();
    let mut command = project.command();
    command.current_dir(project.root().join("shop"));
    let run = project.finish(command.args(["graph", "outline", "base.py"]));
    assert_eq!(run.status, 0, "{}", run.whole());
    assert!(run.out.contains("shop/base.py"), "{}", run.whole());
    project.write("other/far.py", "def far():\n    pass\n");
    let mut command = project.command();
    command.current_dir(project.root().join("shop"));
    let run = project.finish(command.args(["graph", "outline", "../other/far.py"]));
    assert_eq!(run.status, 0, "{}", run.whole());
    assert!(run.out.contains("far"), "{}", run.whole());
}

#[test]
fn a_file_gets_the_export() {
    let project = shop();
    let run = project.run(["graph", "export", "scip", "--out", "index.scip"]);
    assert_eq!(run.status, 0, "{}", run.whole());
    let bytes = std::fs::read(project.root().join("index.scip")).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("fourfold python . . shop/`base.py`/Store#get()."));
}

#[test]
fn what_is_out_of_bounds_is_said_in_one_sentence() {
    let project = shop();
    for (args, sentence) in [
        (
            "callers handle --depth 99",
            "`depth` is 99, and goes from 1 to 6",
        ),
        ("callers handle --tokens 10", "an answer takes 100 at least"),
        ("callers handle --tokens -5", "`--tokens` cannot be `-5`"),
    ] {
        let run = project.run(["graph"].into_iter().chain(args.split(' ')));
        assert_eq!(run.status, 2, "{args}: {}", run.whole());
        assert!(run.err.contains(sentence), "{args}: {}", run.whole());
    }
}
