//! The code graph as tools.

use std::process::Command;

use expect_test::expect;
use fourfold::{Access, ExportForm};
use serde_json::{Value, json};

use crate::project::Project;

fn shop() -> Project {
    Project::new(&[
        (
            "shop/base.py",
            "class Store:\n    \"\"\"Keeps things for later.\"\"\"\n\n    def get(self, key):\n        \
             return self.find(key)\n\n    def find(self, key):\n        return None\n\n\ndef \
             open_store(path):\n    return Store()\n",
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

async fn said(project: &Project, tool: &str, arguments: Value) -> String {
    let answer = project.conversation().call(tool, arguments).await;
    answer.unwrap().text
}

#[tokio::test]
async fn callers_come_with_lines_and_certainty() {
    let project = shop();
    let answer = said(&project, "code_callers", json!({"symbol": "Store.get"})).await;
    expect![[r#"
        1 caller of method `Store.get` (shop/base.py:4) in 1 place
        callers: 1
        shop/web.py
          4 function handle  [inferred]
            6: return store.get('x')
        coverage: 3 of 3 files
    "#]]
    .assert_eq(&answer);
}

#[tokio::test]
async fn impact_reaches_the_tests() {
    let project = shop();
    let arguments = json!({"symbol": "Store.find", "depth": 4});
    let answer = said(&project, "code_impact", arguments).await;
    expect![[r#"
        2 symbols in 2 files may depend on method `Store.find` (shop/base.py:7) within depth 4; 1 test reaches it
        depth 1, by 1 edge: 1
        shop/base.py
          4 method Store.get  [typed]  calls Store.find
            5: return self.find(key)
        tests that reach it: 1
        tests/test_web.py
          4 function test_handle  [inferred]  → handle → Store.get → Store.find
        depth 2, by 1 edge: 1
        shop/web.py
          4 function handle  [inferred]  calls Store.get
        coverage: 3 of 3 files
    "#]].assert_eq(&answer);
}

#[tokio::test]
async fn a_symbol_comes_with_its_source_and_a_search_with_its_name() {
    let project = shop();
    let symbol = said(&project, "code_symbol", json!({"symbol": "shop/base.py:4"})).await;
    expect![[r#"
        method `Store.get` (shop/base.py:4), in class `Store` (shop/base.py:1)
          def get(self, key)
          1 caller, 1 callee
            4     def get(self, key):
            5         return self.find(key)
        coverage: 3 of 3 files
    "#]]
    .assert_eq(&symbol);
    let found = said(&project, "search_code", json!({"query": "open store"})).await;
    expect![[r#"
        1 symbol for `open store`
          function open_store  shop/base.py:11  2 uses
            def open_store(path)
        coverage: 3 of 3 files
    "#]]
    .assert_eq(&found);
    let outline = said(&project, "code_symbol", json!({"symbol": "shop"})).await;
    expect![[r#"
        shop (2 files) declares 5 symbols
        shop/base.py
          1-8 class Store
            4-5 def get(self, key)
            7-8 def find(self, key)
          11-12 def open_store(path)
        shop/web.py
          4-6 def handle(request)
        coverage: 3 of 3 files
    "#]]
    .assert_eq(&outline);
}

#[tokio::test]
async fn the_value_says_the_same_as_the_text() {
    let project = shop();
    let conversation = project.conversation();
    let answer = conversation
        .call("code_callees", json!({"symbol": "handle", "tokens": "500"}))
        .await
        .unwrap();
    assert_eq!(answer.value["outcome"], "answered");
    assert_eq!(answer.value["current"], true);
    assert_eq!(answer.value["coverage"]["files"], 3);
    let callees = &answer.value["groups"][0];
    let names: Vec<&str> = callees["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Store.get", "open_store"]);
    // An id of an answer names the same symbol.
    let id = callees["entries"][0]["id"].as_str().unwrap();
    let again = said(
        &project,
        "code_symbol",
        json!({"symbol": id, "no_source": true}),
    )
    .await;
    assert!(
        again.starts_with("method `Store.get` (shop/base.py:4)"),
        "{again}"
    );
}

#[tokio::test]
async fn an_answer_is_about_the_files_as_they_are_now() {
    let project = shop();
    let conversation = project.conversation();
    let ask = || conversation.call("code_callers", json!({"symbol": "open_store"}));
    assert!(
        ask()
            .await
            .unwrap()
            .text
            .contains("5: store = open_store(request)")
    );
    project.write(
        "shop/web.py",
        "from shop.base import open_store\n\n\n\n\ndef other():\n    return open_store('y')\n",
    );
    let now = ask().await.unwrap().text;
    assert!(
        now.contains("7: return open_store('y')") && !now.contains("handle"),
        "{now}"
    );
}

#[tokio::test]
async fn what_is_not_there_is_said_with_what_is_near() {
    let project = shop();
    let answer = said(&project, "code_callers", json!({"symbol": "Store.gett"})).await;
    expect![[r#"
        no symbol or file is called `Store.gett`
        nearest names: 1
          method Store.get  shop/base.py:4
        coverage: 3 of 3 files
    "#]]
    .assert_eq(&answer);
    let conversation = project.conversation();
    for (tool, arguments, sentence) in [
        ("code_impact", json!({}), "say what changes"),
        (
            "code_graph",
            json!({"action": "paths", "symbol": "handle"}),
            "this action needs `to`",
        ),
        (
            "code_callers",
            json!({"symbol": "a", "certainty": "sure"}),
            "one of exact, typed",
        ),
        (
            "search_code",
            json!({"query": "a", "kind": ["klass"]}),
            "class",
        ),
        (
            "search_code",
            json!({"query": "a", "language": "cobol"}),
            "cobol",
        ),
        ("search_code", json!({}), "`query` is missing"),
    ] {
        let error = conversation.call(tool, arguments).await.unwrap_err();
        assert!(error.to_string().contains(sentence), "{error}");
    }
}

#[tokio::test]
async fn every_question_of_the_graph_is_answered() {
    let project = shop();
    for (arguments, sentence) in [
        (
            json!({"action": "paths", "symbol": "test_handle", "to": "Store.find"}),
            "1 way from function `test_handle`",
        ),
        (
            json!({"action": "hierarchy", "symbol": "Store"}),
            "class `Store`",
        ),
        (
            json!({"action": "cycles", "level": "file"}),
            "no file needs itself",
        ),
        (json!({"action": "modules"}), "1 module"),
        (json!({"action": "unused"}), "without a known use"),
        (
            json!({"action": "draw", "symbol": "handle"}),
            "flowchart LR",
        ),
        (json!({"action": "status"}), "3 files, 6 symbols"),
    ] {
        let answer = said(&project, "code_graph", arguments.clone()).await;
        assert!(answer.contains(sentence), "{arguments}: {answer}");
    }
    let map = said(&project, "code_map", json!({"tokens": 150})).await;
    assert!(map.contains("class Store") && map.len() <= 600, "{map}");
}

#[tokio::test]
async fn a_diff_tells_what_changes() {
    let project = shop();
    let git = |arguments: &[&str]| {
        let run = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(arguments)
            .current_dir(project.root())
            .output();
        run.is_ok_and(|run| run.status.success())
    };
    if !git(&["init", "-q"]) {
        eprintln!("left out: git is not installed");
        return;
    }
    assert!(git(&["add", "."]) && git(&["commit", "-qm", "one"]));
    let base = project
        .read("shop/base.py")
        .replace("return None", "return key");
    project.write("shop/base.py", base);
    let answer = said(
        &project,
        "code_impact",
        json!({"since": "HEAD", "depth": 4}),
    )
    .await;
    expect![[r#"
        2 symbols in 2 files may depend on 1 changed symbol within depth 4; 1 test reaches it
        changed: 1
        shop/base.py
          7 method Store.find  body
        depth 1, by 1 edge: 1
        shop/base.py
          4 method Store.get  [typed]  calls Store.find
            5: return self.find(key)
        tests that reach it: 1
        tests/test_web.py
          4 function test_handle  [inferred]  → handle → Store.get → Store.find
        depth 2, by 1 edge: 1
        shop/web.py
          4 function handle  [inferred]  calls Store.get
        coverage: 3 of 3 files
    "#]]
    .assert_eq(&answer);
    let unknown = project
        .conversation()
        .call("code_impact", json!({"since": "nowhere"}))
        .await
        .unwrap_err();
    assert!(
        unknown.to_string().contains("it knows no commit `nowhere`"),
        "{unknown}"
    );
    // What is removed is told, with who still names it.
    let base = project.read("shop/base.py");
    let renamed = base.replace("def open_store", "def open_shop");
    project.write("shop/base.py", renamed);
    let answer = said(&project, "code_impact", json!({"since": "HEAD"})).await;
    assert!(
        answer.contains("removed: 1\nshop/base.py\n  11 function open_store"),
        "{answer}"
    );
    assert!(
        answer.contains("may still use what was removed: ") && answer.contains("function handle"),
        "{answer}"
    );
    assert!(git(&["rm", "-qf", "shop/base.py"]));
    let answer = said(&project, "code_impact", json!({"since": "HEAD"})).await;
    assert!(answer.contains("removed: 2\n"), "{answer}");
    assert!(answer.contains("1 test reaches it"), "{answer}");
    assert!(git(&["reset", "-q", "--hard"]));
    let answer = said(&project, "code_impact", json!({"since": "HEAD"})).await;
    assert!(answer.starts_with("nothing has changed"), "{answer}");
}

#[tokio::test]
async fn where_there_is_no_git_a_change_cannot_be_told() {
    let project = shop();
    let error = project
        .conversation()
        .call("code_impact", json!({"since": "HEAD"}))
        .await
        .unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains("is in no git repository") || said.contains("not installed"),
        "{said}"
    );
}

#[tokio::test]
async fn what_is_out_of_bounds_is_refused_with_the_nearest() {
    let project = shop();
    let conversation = project.conversation();
    for (tool, arguments, sentence) in [
        (
            "code_impact",
            json!({"symbol": "handle", "depth": 99}),
            "`depth` is 99, and goes from 1 to 6; the nearest is 6",
        ),
        (
            "code_callers",
            json!({"symbol": "handle", "depth": 0}),
            "the nearest is 1",
        ),
        (
            "code_callers",
            json!({"symbol": "handle", "tokens": 10}),
            "`tokens` is 10: an answer takes 100 at least",
        ),
        ("code_symbol", json!({"symbol": " "}), "an empty text"),
    ] {
        let error = conversation.call(tool, arguments).await.unwrap_err();
        assert!(error.to_string().contains(sentence), "{error}");
    }
}

#[tokio::test]
async fn what_is_not_wholly_known_is_named() {
    let project = shop();
    project.write("shop/broken.py", "class Cart:\n    def (:\n");
    project.write("notes.txt", "handle\n");
    let status = said(&project, "code_graph", json!({"action": "status"})).await;
    assert!(
        status.contains("known in part, for syntax errors: 1\n  shop/broken.py\n"),
        "{status}"
    );
    let answer = said(&project, "code_callers", json!({"symbol": "Cart.total"})).await;
    assert!(
        answer.contains("1 file is known in part only, for syntax errors: shop/broken.py"),
        "{answer}"
    );
    let answer = said(&project, "code_callers", json!({"symbol": "notes.txt"})).await;
    assert!(
        answer.starts_with("notes.txt exists, but is not in the index"),
        "{answer}"
    );
    std::fs::write(project.root().join("latin.py"), b"x = '\xe9'\n").unwrap();
    let answer = said(&project, "code_callers", json!({"symbol": "latin.py"})).await;
    assert!(
        answer.starts_with("latin.py exists, but is not in the index: not UTF-8"),
        "{answer}"
    );
}

#[test]
fn the_tools_only_read_and_the_graph_is_exported() {
    let project = shop();
    let checkout = project.checkout();
    let tools = checkout.tools();
    let code = tools.iter().filter(|tool| tool.name.contains("code"));
    let code: Vec<(&str, Access)> = code.map(|tool| (tool.name, tool.access)).collect();
    assert_eq!(code.len(), 7);
    assert!(code.iter().all(|(_, access)| *access == Access::Reads));
    let mut out = Vec::new();
    checkout
        .export_code(ExportForm::Edges, &mut out, &fourfold::Control::new())
        .unwrap();
    let lines = String::from_utf8(out).unwrap();
    assert!(
        lines
            .lines()
            .any(|line| line.contains("open_store") && line.contains("\"new\""))
    );
}
