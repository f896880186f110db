//! What is launched, from names and files alone; and real builds.

use std::path::Path;
use std::sync::Arc;

use fourfold_child::Guard;
use fourfold_testkit::Project;
use serde_json::{Value, json};

use super::plan::Kind;
use super::prepare::Learned;
use super::*;
use crate::adapter::{AdapterCatalog, DetectConfig, Launchable};
use crate::request::LaunchRequest;

fn adapter(id: &str, program: &str) -> Launchable {
    let row = Arc::clone(AdapterCatalog::built_in().get(id).unwrap());
    Launchable {
        args: row.commands[0].args.clone(),
        adapter: row,
        program: program.into(),
    }
}

fn runner() -> Runner {
    let mut config = DetectConfig::new("/".into());
    config.guard = Guard::None;
    Runner::of(&config)
}

fn plan(what: &str, project: &Project) -> Result<Plan, String> {
    let what = match what.contains("::") || !project.path(what).exists() {
        true => ProgramRequest::test(what),
        false => ProgramRequest::file(what),
    };
    Plan::new(&what, project.root()).map_err(|error| error.to_string())
}

/// The launch for an adapter when nothing had to be learned.
fn launch(plan: &Plan, id: &str) -> LaunchRequest {
    plan.launch(&adapter(id, id), Learned::default())
}

fn of(configuration: &Value, names: &[&str]) -> Value {
    names
        .iter()
        .map(|name| ((*name).to_owned(), configuration[*name].clone()))
        .collect()
}

#[test]
fn a_script_runs_at_the_root_and_its_language_is_known_by_its_name_or_first_line() {
    let project = Project::new()
        .file("app/main.py", "")
        .file("run", "#!/usr/bin/env bash\n")
        .file("tool.js", "")
        .file("notes", "just text\n");
    let python = plan("app/main.py", &project).unwrap();
    assert_eq!(
        (python.language(), python.title()),
        ("Python", "app/main.py")
    );
    let request = launch(&python, "debugpy");
    assert_eq!(
        request.configuration,
        json!({
            "program": project.path("app/main.py"), "args": [], "env": {},
            "cwd": project.root(),
        })
    );
    assert_eq!(request.program, Some(project.path("app/main.py")));
    assert_eq!(plan("run", &project).unwrap().language(), "Bash");
    assert_eq!(plan("tool.js", &project).unwrap().language(), "JavaScript");
    let error = plan("notes", &project).unwrap_err();
    assert!(
        error.contains("neither an executable nor a script"),
        "{error}"
    );
}

#[test]
fn what_is_asked_for_is_passed_on() {
    let project = Project::new().file("a.py", "").file("sub/b", "");
    let mut request = ProgramRequest::file("a.py");
    request.args = vec!["one two".into()];
    request.env.insert("MODE".into(), "x".into());
    request.cwd = Some("sub".into());
    request.configuration = json!({ "justMyCode": true });
    let plan = Plan::new(&request, project.root()).unwrap();
    assert_eq!(
        launch(&plan, "debugpy").configuration,
        json!({
            "program": project.path("a.py"), "args": ["one two"], "env": {"MODE": "x"},
            "cwd": project.path("sub"), "justMyCode": true,
        })
    );
    request.adapter = Some("delve".into());
    let plan = Plan::new(&request, project.root()).unwrap();
    let error = plan.adapters(&AdapterCatalog::built_in()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "delve does not debug Python; use debugpy"
    );
}

#[test]
fn files_that_are_not_there_are_answered_with_those_that_are() {
    let project = Project::new()
        .file("src/cart.py", "")
        .file("src/tart.py", "");
    assert_eq!(
        plan("cart.py::test_x", &project).unwrap_err(),
        "there is no cart.py; near it: src/cart.py"
    );
    let request = ProgramRequest::file("src/carp.py");
    let error = Plan::new(&request, project.root()).unwrap_err().to_string();
    assert_eq!(
        error,
        "there is no src/carp.py; near it: src/cart.py, src/tart.py"
    );
}

const CART_TEST: &str = "class CartTest(unittest.TestCase):\n    def test_total(self):\n        pass\n\
    \ndef test_plain():\n    pass\n";

#[test]
fn a_python_test_is_named_with_colons_or_dots() {
    let project = Project::new()
        .file("pkg/__init__.py", "")
        .file("pkg/test_cart.py", CART_TEST);
    let names = json!("pkg.test_cart.CartTest.test_total");
    for name in [
        "pkg/test_cart.py::CartTest::test_total",
        "pkg.test_cart.CartTest.test_total",
    ] {
        let plan = plan(name, &project).unwrap();
        assert_eq!(plan.language(), "Python");
        let request = launch(&plan, "debugpy");
        assert_eq!(
            of(&request.configuration, &["module", "args"]),
            json!({ "module": "unittest", "args": [names] }),
        );
        assert_eq!(request.title, format!("unittest {name}"));
        let learned = Learned {
            pytest: true,
            ..Learned::default()
        };
        let request = plan.launch(&adapter("debugpy", "python"), learned);
        let node = format!(
            "{}::CartTest::test_total",
            project.path("pkg/test_cart.py").display()
        );
        assert_eq!(
            of(&request.configuration, &["module", "args", "cwd"]),
            json!({ "module": "pytest", "args": ["-q", "-s", node], "cwd": project.root() }),
        );
    }
    assert_eq!(
        plan("pkg/test_cart.py::test_plane", &project).unwrap_err(),
        "there is no test `pkg/test_cart.py::test_plane` in pkg/test_cart.py; near it: test_plain, \
         test_total"
    );
    plan("pkg/test_cart.py::test_plain[a-1]", &project).unwrap();
}

#[test]
fn a_python_file_alone_is_all_its_tests() {
    let project = Project::new()
        .file("pkg/__init__.py", "")
        .file("pkg/test_cart.py", CART_TEST);
    let asked = ProgramRequest::test("pkg/test_cart.py");
    let plan = Plan::new(&asked, project.root()).unwrap();
    let request = launch(&plan, "debugpy");
    assert_eq!(request.configuration["args"], json!(["pkg.test_cart"]));
    let learned = Learned {
        pytest: true,
        ..Learned::default()
    };
    let request = plan.launch(&adapter("debugpy", "python"), learned);
    let file = project.path("pkg/test_cart.py").display().to_string();
    assert_eq!(request.configuration["args"], json!(["-q", "-s", file]));
}

#[test]
fn a_go_test_is_found_in_its_package() {
    let test = "package stock\n\nfunc TestMerge(t *testing.T) {}\nfunc testing() {}\n";
    let project = Project::new()
        .file("go.mod", "module stock\n")
        .file("stock/stock_test.go", test)
        .file("other/other_test.go", "func TestOther(t *testing.T) {}\n");
    for (name, run) in [
        ("TestMerge", "^TestMerge$"),
        ("./stock.TestMerge", "^TestMerge$"),
        ("stock/stock_test.go::TestMerge", "^TestMerge$"),
        ("TestMerge/two words", "^TestMerge$/^two_words$"),
        ("./stock.TestMerge/a.b", "^TestMerge$/^a\\.b$"),
    ] {
        let plan = plan(name, &project).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(plan.language(), "Go");
        let request = launch(&plan, "delve");
        assert_eq!(
            of(&request.configuration, &["mode", "args"]),
            json!({ "mode": "exec", "args": [format!("-test.run={run}"), "-test.v=true"] }),
            "{name}"
        );
        let Kind::Go(go) = &plan.kind else {
            panic!("{plan:?}")
        };
        assert_eq!(go.folder, project.path("stock"));
        assert_eq!(
            go.command(Path::new("/x")).shown(),
            "go test -c -gcflags=all=-N -l -o /x ."
        );
    }
    assert_eq!(
        plan("TestMerg", &project).unwrap_err(),
        "there is no test `TestMerg` in the checkout; near it: TestMerge, TestOther"
    );
    let twice = project.file("third/x_test.go", test);
    assert_eq!(
        plan("TestMerge", &twice).unwrap_err(),
        "`TestMerge` is not one test: ./stock.TestMerge, ./third.TestMerge"
    );
}

#[test]
fn a_test_of_javascript_runs_in_one_process() {
    let node = "import test from 'node:test';\ntest('adds up', () => {});\n";
    let project = Project::new().file("sum.test.js", node);
    let named = plan("sum.test.js::adds up", &project).unwrap();
    assert_eq!(
        of(
            &launch(&named, "js-debug").configuration,
            &["program", "runtimeArgs"]
        ),
        json!({
            "program": project.path("sum.test.js"),
            "runtimeArgs": ["--test-name-pattern=adds up"],
        })
    );
    assert_eq!(
        plan("sum.test.js::add up", &project).unwrap_err(),
        "there is no test `sum.test.js::add up` in sum.test.js; near it: adds up"
    );

    let suite = "describe('sum', () => { it('adds (all)', () => {}) })\n";
    for (script, flag, between) in [
        ("node_modules/vitest/vitest.mjs", "-t", "(?: > | )"),
        ("node_modules/jest/bin/jest.js", "-t", " "),
        ("node_modules/mocha/bin/mocha.js", "-g", " "),
    ] {
        let project = Project::new().file("a/sum.spec.ts", suite).file(script, "");
        for name in [
            "a/sum.spec.ts > sum > adds (all)",
            "a/sum.spec.ts::sum::adds (all)",
        ] {
            let plan = Plan::new(&ProgramRequest::test(name), project.root()).unwrap();
            let configuration = launch(&plan, "js-debug").configuration;
            assert_eq!(configuration["program"], json!(project.path(script)));
            let args = configuration["args"].as_array().unwrap();
            let end = &args[args.len() - 3..];
            let file = project.path("a/sum.spec.ts");
            let pattern = format!(r"sum{between}adds \(all\)");
            assert_eq!(end, [json!(file), json!(flag), json!(pattern)]);
        }
    }
}

#[test]
fn a_file_of_tests_alone_is_all_its_tests() {
    let project = Project::new()
        .file("go.mod", "module stock\n")
        .file(
            "stock_test.go",
            "package stock\nfunc TestA(t *testing.T) {}\nfunc TestB_c(t *testing.T) {}\n",
        )
        .file("none_test.go", "package stock\n")
        .file("plain.test.js", "const x = 1;\n")
        .file("sum.test.js", "require('node:test')('adds', () => {});\n");
    let go = plan("stock_test.go::TestA", &project).unwrap();
    assert_eq!(
        launch(&go, "delve").configuration["args"][0],
        "-test.run=^TestA$"
    );
    let of = |name: &str| {
        Plan::new(&ProgramRequest::test(name), project.root()).map_err(|error| error.to_string())
    };
    let go = of("stock_test.go").unwrap();
    assert_eq!(
        launch(&go, "delve").configuration["args"][0],
        "-test.run=^(TestA|TestB_c)$"
    );
    let node = of("sum.test.js").unwrap();
    let configuration = launch(&node, "js-debug").configuration;
    assert_eq!(
        of_keys(&configuration),
        json!({ "program": project.path("sum.test.js"), "runtimeArgs": [] })
    );
    for file in ["none_test.go", "plain.test.js"] {
        assert_eq!(
            of(file).unwrap_err(),
            format!("there is no test in {file}; to debug the file itself, name it as the program")
        );
    }
    for (script, flag) in [
        ("node_modules/vitest/vitest.mjs", "-t"),
        ("node_modules/jest/bin/jest.js", "-t"),
        ("node_modules/mocha/bin/mocha.js", "-g"),
    ] {
        let project = Project::new()
            .file("a.spec.ts", "it('adds', () => {})\n")
            .file(script, "");
        let plan = Plan::new(&ProgramRequest::test("a.spec.ts"), project.root()).unwrap();
        let configuration = launch(&plan, "js-debug").configuration;
        let args = configuration["args"].as_array().unwrap();
        assert_eq!(
            args.last(),
            Some(&json!(project.path("a.spec.ts"))),
            "{script}"
        );
        assert!(!args.contains(&json!(flag)), "{script}");
    }
}

fn of_keys(configuration: &Value) -> Value {
    of(configuration, &["program", "runtimeArgs"])
}

#[test]
fn sources_that_are_no_programs_are_told_what_to_do() {
    let project = Project::new()
        .file("list.c", "")
        .file("crate/Cargo.toml", "")
        .file("crate/src/lib.rs", "")
        .file("folder/x.txt", "");
    let error = plan("list.c", &project).unwrap_err();
    assert!(
        error.contains("build `cc -g -O0 list.c -o list`"),
        "{error}"
    );
    let error = plan("crate/src/lib.rs", &project).unwrap_err();
    assert!(error.contains("no root of a program"), "{error}");
    let error = plan("folder", &project).unwrap_err();
    assert!(error.contains("it is a folder"), "{error}");
    let error = plan("nowhere::to_be_found", &project).unwrap_err();
    assert!(
        error.starts_with("cannot tell what kind of test"),
        "{error}"
    );
    let error = plan("what is this", &project).unwrap_err();
    assert!(
        error.starts_with("cannot tell what kind of test"),
        "{error}"
    );
}

#[test]
fn each_adapter_is_told_in_its_own_words() {
    let project = Project::new().file("app", "");
    std::fs::copy(std::env::current_exe().unwrap(), project.path("app")).unwrap();
    let mut request = ProgramRequest::file("app");
    request.env.insert("A".into(), "1".into());
    let plan = Plan::new(&request, project.root()).unwrap();
    assert_eq!(plan.language(), "Rust");
    let sysroot = project.path("rust");
    std::fs::create_dir_all(sysroot.join("lib/rustlib/etc")).unwrap();
    let learned = Learned {
        sysroot: Some(sysroot.clone()),
        executable: Some(project.path("app")),
        ..Learned::default()
    };
    let gdb = plan.launch(&adapter("gdb", "gdb"), learned.clone());
    assert_eq!(gdb.env["A"], "1");
    assert!(gdb.configuration.get("env").is_none());
    assert_eq!(gdb.adapter_args.len(), 6);
    let lldb = plan.launch(&adapter("lldb-dap", "lldb-dap"), learned);
    assert_eq!(lldb.configuration["env"], json!(["A=1"]));
    let commands = lldb.configuration["initCommands"].as_array().unwrap();
    assert!(commands[0].as_str().unwrap().contains("lldb_lookup.py"));
}

/// What a launch of this would be, with everything built.
async fn prepared(
    request: &ProgramRequest,
    id: &str,
    project: &Project,
) -> Result<LaunchRequest, String> {
    let plan = Plan::new(request, project.root()).map_err(|error| error.to_string())?;
    prepare(&plan, &adapter(id, "python3"), &runner())
        .await
        .map_err(|error| error.to_string())
}

const LIB: &str = "pub fn two() -> i32 { 2 }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn is_two() \
    { assert_eq!(super::two(), 2) }\n}\n";

#[tokio::test]
async fn cargo_builds_the_test_and_its_errors_are_the_answer() {
    let manifest = "[package]\nname = \"pair\"\nedition = \"2021\"\n[workspace]\n";
    let project = Project::new()
        .file("Cargo.toml", manifest)
        .file("src/lib.rs", LIB)
        .file(
            "src/main.rs",
            "fn main() { println!(\"{}\", pair::two()) }\n",
        )
        .file(
            "tests/it.rs",
            "#[test]\nfn whole() { assert_eq!(pair::two(), 2) }\n",
        );
    let request = prepared(&ProgramRequest::test("is_two"), "gdb", &project)
        .await
        .unwrap();
    assert_eq!(
        request.configuration["args"],
        json!([
            "tests::is_two",
            "--exact",
            "--nocapture",
            "--test-threads=1"
        ])
    );
    assert_eq!(request.configuration["cwd"], json!(project.root()));
    assert!(request.program.unwrap().is_file());
    let whole = ProgramRequest::test("tests/it.rs::whole");
    let request = prepared(&whole, "gdb", &project).await.unwrap();
    assert_eq!(request.title, "cargo test whole");
    let error = prepared(&ProgramRequest::test("is_too"), "gdb", &project).await;
    let error = error.unwrap_err();
    assert!(
        error.contains("no test `is_too`") && error.contains("tests::is_two"),
        "{error}"
    );
    for (file, tests) in [("tests/it.rs", "whole"), ("src/lib.rs", "tests::is_two")] {
        let request = prepared(&ProgramRequest::test(file), "gdb", &project)
            .await
            .unwrap();
        assert_eq!(request.configuration["args"][0], tests, "{file}");
        assert!(request.is_test);
    }
    let none = prepared(&ProgramRequest::test("src/main.rs"), "gdb", &project).await;
    assert!(none.unwrap_err().contains("there is no test in"));
    let main = ProgramRequest::file("src/main.rs");
    let request = prepared(&main, "lldb-dap", &project).await.unwrap();
    assert!(request.program.unwrap().ends_with("debug/pair"));

    project.replace("src/lib.rs", "{ 2 }", "{ \"2\" }");
    let error = prepared(&whole, "gdb", &project).await.unwrap_err();
    assert!(
        error.starts_with("the build failed: `cargo test --no-run"),
        "{error}"
    );
    assert!(error.contains("error[E0308]: mismatched types"), "{error}");
}

#[tokio::test]
async fn a_command_builds_what_it_is_given() {
    let project = Project::new().file("list.c", "int main(void) { return 0; }\n");
    let mut request = ProgramRequest::file("list");
    request.build = Some("cc -g -O0 list.c -o list".into());
    let launch = prepared(&request, "lldb-dap", &project).await.unwrap();
    assert_eq!(launch.program, Some(project.path("list")));
    request.build = Some("cc -O0 list.c -o list".into());
    let error = prepared(&request, "lldb-dap", &project).await.unwrap_err();
    assert!(error.contains("without debug information"), "{error}");
    project.write("list.c", "int main(void) { return x; }\n");
    let error = prepared(&request, "lldb-dap", &project).await.unwrap_err();
    assert!(
        error.contains("`cc -O0 list.c -o list` ended with exit code 1"),
        "{error}"
    );
    assert!(error.contains("list.c:1:"), "{error}");
    request.build = Some("sleep 60".into());
    let plan = Plan::new(&request, project.root()).unwrap();
    let mut runner = runner();
    runner.build = std::time::Duration::from_millis(50);
    let error = prepare(&plan, &adapter("lldb-dap", "x"), &runner)
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("`sleep 60` did not end"),
        "{error}"
    );
}

#[test]
fn tests_of_a_file_are_named_where_none_is_alike() {
    let file = "const test = require('node:test')\nfor (const n of [1, 2]) {\n  test(`adds ${n}`, () => {})\n}\n";
    let project = Project::new().file("sum.test.js", file);
    let root = project.root();
    assert_eq!(near_tests("sum.test.js::nope", root), ["adds ${n}"]);
    assert_eq!(near_tests("sum.test.js::adds 1", root), ["adds ${n}"]);
    assert!(near_tests("none.test.js::adds", root).is_empty());
}
