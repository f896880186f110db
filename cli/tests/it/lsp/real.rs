//! The commands where a real server answers, each a process by itself.

use expect_test::expect;

use crate::project::{Project, Run, sources};

#[test]
fn a_question_is_answered() {
    let project = Project::asking(sources::C);
    project.install_clangd();
    project
        .run(["lsp", "hover", "sum.c:4", "-s", "sum"])
        .expect(&expect![[r#"
        ### function `sum`

        ---
        → `int`
        Parameters:
        - `int a`
        - `int b`

        The sum.

        ---
        ```cpp
        int sum(int a, int b)
        ```
        --- stderr, status 0
    "#]]);
    places_and_problems_are_told(|args| project.run(args));
    let json = project.run(["lsp", "definition", "main.c:3", "-s", "total", "--json"]);
    let json = json.json();
    assert_eq!(json[0]["type"], "place");
    assert_eq!(
        (&json[0]["path"], &json[0]["line"]),
        (&"shop.h".into(), &2.into())
    );
    // Each has a server of its own.
    assert_eq!(project.clangds_started().len(), 4);
    project.assert_nobody_left();
}

#[test]
fn what_was_written_is_judged() {
    let project = Project::asking(sources::C);
    project.install_clangd();
    writes_are_judged(&project, |args| project.run(args));
    assert_eq!(project.clangds_started().len(), 3);
    project.assert_nobody_left();
}

/// Where a symbol is defined, and what is wrong in a file, however the commands are run.
pub(crate) fn places_and_problems_are_told(run: impl Fn(&[&str]) -> Run) {
    run(&["lsp", "definition", "main.c:3", "-s", "total"]).expect(&expect![[r#"
        1 place (clangd)
          shop.h:2:5  int total(int a, int b);
        --- stderr, status 0
    "#]]);
    run(&["lsp", "diagnostics", "bad.c"]).expect(&expect![[r#"
        1 problem (clangd)
          bad.c:1:22 error undeclared_var_use: Use of undeclared identifier 'missing'
              1 | int f(void) { return missing; }
        --- stderr, status 1
    "#]]);
}

/// A mistake, its repair and another mistake, however the commands are run.
pub(crate) fn writes_are_judged(project: &Project, run: impl Fn(&[&str]) -> Run) {
    project.write("new.txt", sources::WRONG);
    run(&["write", "main.c", "--from", "new.txt"]).expect_untimed(&expect![[r#"
        updated main.c (+1 -1)
        problems: 1 error new (clangd TIME)
          main.c:3:25 error -Wimplicit-function-declaration: Call to undeclared function 'absent'; ISO C99 and later do not support implicit function declarations
              3 | int main(void) { return absent(1, 2); }
        --- stderr, status 0
    "#]]);
    run(&["edit", "main.c", "--old", "absent", "--new", "total"]).expect_untimed(&expect![[r#"
        updated main.c (+1 -1)
        clean: nothing new; 1 fixed (clangd TIME)
          fixed: main.c error -Wimplicit-function-declaration: Call to undeclared function 'absent'; ISO C99 and later do not support implicit function declarations
        --- stderr, status 0
    "#]]);
    project.write("p.patch", sources::PATCH);
    run(&["patch", "p.patch"]).expect_untimed(&expect![[r#"
        updated main.c (+1 -1)
        problems: 1 error new (clangd TIME)
          main.c:3:32 error typecheck_call_too_few_args: Too few arguments to function call, expected 2, have 1
              3 | int main(void) { return total(1); }
        --- stderr, status 0
    "#]]);
}
