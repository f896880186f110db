//! The commands where a real server answers, and stays with the daemon.

use super::*;
use crate::project::sources;

#[test]
fn one_server_answers_all_commands() {
    let served = Served::new(sources::C);
    served.project.install_clangd();
    assert_eq!(served.run(&["serve", "--background"]).status, 0);

    let hover = served.run(&["lsp", "hover", "main.c:3", "-s", "total"]);
    assert!(hover.out.contains("The sum."), "{}", hover.whole());
    let started = served.project.clangds_started();
    assert_eq!(started.len(), 1);
    let running = served.run(&["servers", "--json"]).json();
    let clangd = running
        .iter()
        .find(|one| one["server"] == "clangd")
        .unwrap();
    assert_eq!(clangd["state"], "running");

    served
        .run(&["lsp", "definition", "main.c:3", "-s", "total"])
        .expect(&expect![[r#"
            1 place (clangd)
              shop.h:2:5  int total(int a, int b);
            --- stderr, status 0
        "#]]);
    served
        .run(&["lsp", "diagnostics", "bad.c"])
        .expect(&expect![[r#"
            1 problem (clangd)
              bad.c:1:22 error undeclared_var_use: Use of undeclared identifier 'missing'
                  1 | int f(void) { return missing; }
            --- stderr, status 1
        "#]]);
    served.project.write("new.txt", sources::WRONG);
    served
        .run(&["write", "main.c", "--from", "new.txt"])
        .expect_untimed(&expect![[r#"
            --- stderr, status 0
            updated main.c (+1 -1)
            problems: 1 error new (clangd TIME)
              main.c:3:25 error -Wimplicit-function-declaration: Call to undeclared function 'absent'; ISO C99 and later do not support implicit function declarations
                  3 | int main(void) { return absent(1, 2); }
        "#]]);
    let edit = ["edit", "main.c", "--old", "absent", "--new", "total"];
    served.run(&edit).expect_untimed(&expect![[r#"
        --- stderr, status 0
        updated main.c (+1 -1)
        clean: nothing new; 1 fixed (clangd TIME)
          fixed: main.c error -Wimplicit-function-declaration: Call to undeclared function 'absent'; ISO C99 and later do not support implicit function declarations
    "#]]);
    served.project.write("p.patch", sources::PATCH);
    served.run(&["patch", "p.patch"]).expect_untimed(&expect![[r#"
        --- stderr, status 0
        updated main.c (+1 -1)
        problems: 1 error new (clangd TIME)
          main.c:3:32 error typecheck_call_too_few_args: Too few arguments to function call, expected 2, have 1
              3 | int main(void) { return total(1); }
    "#]]);
    // It is the one that was started for the first.
    assert_eq!(served.project.clangds_started(), started);
    assert!(fs::exists(format!("/proc/{}", started[0])).unwrap());
    assert_eq!(served.run(&["serve", "--stop"]).status, 0);
    served.project.assert_nobody_left();
}
