//! Other values for parts of variables.

use fourfold_dap_client::Breakpoint;
use fourfold_dap_client::program::ProgramRequest;
use fourfold_testkit::Project;

use super::bench::*;

/// What is assigned at `HERE`, and what is true then.
async fn assigned(
    project: Project,
    request: ProgramRequest,
    file: &str,
    steps: &[(&str, &str, &str)],
) {
    let bench = Bench::new(project);
    let (session, outcome) = bench
        .launch(&request, |launch| {
            launch.breakpoints.push(Breakpoint::at_text(file, "HERE"));
        })
        .await
        .unwrap();
    stopped(outcome);
    for (name, value, now) in steps {
        let set = session.set_variable(None, None, name, value).await;
        let told = set.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((told.name.as_str(), told.text.as_str()), (*name, *now));
        assert_eq!(asked(&session, name).await, *now, "{name}");
    }
    let error = session.set_variable(None, None, "nosuch.part", "1").await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("nosuch"), "{error}");
    bench.end().await;
}

#[tokio::test]
async fn a_part_of_a_value_of_python_gets_another() {
    let text =
        "class P:\n    x = 1\n\np, d, t = P(), {'a b': [1]}, [1, 2]\nprint(p, d, t)  # HERE\n";
    let steps = [
        ("p.x", "7", "7"),
        ("d['a b'][0]", "p.x + 1", "8"),
        ("t[-1]", "3", "3"),
        ("t", "5", "5"),
    ];
    let project = Project::new().file("a.py", text);
    assigned(project, ProgramRequest::file("a.py"), "a.py", &steps).await;
}

#[tokio::test]
async fn a_part_of_a_value_of_javascript_gets_another() {
    let text = "function run() {\n  const user = { orders: [{ total: 1 }] };\n  \
                return user.orders.length; // HERE\n}\nrun();\n";
    let steps = [
        ("user.orders[0].total", "7", "7"),
        ("user['name']", "'x' + 1", "'x1'"),
    ];
    let project = Project::new().file("a.js", text);
    assigned(project, ProgramRequest::file("a.js"), "a.js", &steps).await;
}

#[tokio::test]
async fn a_part_of_a_value_of_go_gets_another() {
    let text = "package main\n\ntype Item struct{ Count int }\n\nfunc main() {\n\titems := []Item{{1}, {2}}\n\t\
                first := &items[0]\n\tprintln(len(items), first.Count) // HERE\n}\n";
    let steps = [
        ("items[1].Count", "7", "7"),
        ("first.Count", "8", "8"),
        ("items[0].Count", "9", "9"),
    ];
    let project = Project::new()
        .file("go.mod", "module a\n\ngo 1.19\n")
        .file("main.go", text);
    assigned(project, ProgramRequest::file("main.go"), "main.go", &steps).await;
}

#[tokio::test]
async fn a_part_of_a_value_of_c_gets_another() {
    let text = "struct item { int count; };\nint main(void) {\n    struct item items[2] = {{1}, {2}};\n    \
                struct item *first = items;\n    return first->count + items[1].count; /* HERE */\n}\n";
    for adapter in ["gdb", "lldb-dap"] {
        let mut request = ProgramRequest::file("a");
        request.build = Some("cc -g -O0 a.c -o a".to_owned());
        request.adapter = Some(adapter.to_owned());
        let steps = [("items[1].count", "7", "7"), ("first->count", "8", "8")];
        assigned(Project::new().file("a.c", text), request, "a.c", &steps).await;
    }
}
