//! `fourfold debug` where nothing can be debugged.

use expect_test::expect;

use crate::project::Project;

#[test]
fn a_session_needs_the_daemon_and_a_question_does_not() {
    let project = Project::new(&[("cart.py", "x = 1\n")]);
    project
        .run(["debug", "continue"])
        .expect(&expect![[r#"
        --- stderr, status 2
        error: a debug session lives in `fourfold serve`, which does not run; `fourfold debug launch` starts it, and `fourfold debug ask` does without
    "#]]);
    project.run(["debug", "status"]).expect(&expect![[r#"
        no debug session
        --- stderr, status 1
    "#]]);
    project
        .run(["debug", "ask", "carp.py"])
        .expect(&expect![[r#"
        --- stderr, status 2
        error: there is no carp.py; near it: cart.py
    "#]]);
    project
        .run(["debug", "set-variable", "x"])
        .expect(&expect![[r#"
        --- stderr, status 2
        error: set_variable takes NAME=VALUE, as in `x=1`
    "#]]);
    let json = project.run(["debug", "ask", "carp.py", "--json"]).json();
    assert_eq!(json[0]["type"], "error");
}
