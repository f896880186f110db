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

#[test]
fn only_a_question_of_its_own_shows_secrets() {
    let project = Project::new(&[("login.py", "password = 'hunter2-77'\n")]);
    for action in [
        ["launch", "login.py"].as_slice(),
        &["evaluate", "password"],
        &["variables"],
        &["output"],
        &["continue"],
        &["status"],
    ] {
        let words = ["debug"].iter().chain(action).chain(&["--show-secrets"]);
        let refused = project.run(words);
        assert_eq!(
            (refused.status, refused.err.as_str()),
            (
                2,
                "error: --show-secrets goes with `ask`: a session of `fourfold serve` never shows them\n"
            ),
            "{action:?}"
        );
        assert_eq!(refused.out, "", "{action:?}");
    }
}

/// With what `cargo xtask adapters` installs.
mod real {
    use fourfold_testkit::adapters;

    use crate::project::{Project, Run};

    fn asked(project: &Project, options: &[&str]) -> Run {
        let python = adapters::python();
        let machine = adapters::path();
        let first = std::iter::once(python.parent().unwrap().to_owned());
        let path = std::env::join_paths(first.chain(std::env::split_paths(&machine))).unwrap();
        let words = [
            "debug",
            "ask",
            "login.py",
            "--at",
            "login.py:2",
            "-e",
            "password",
        ];
        project.finish(
            project
                .command()
                .env("PATH", path)
                .args(words.iter().chain(options)),
        )
    }

    #[test]
    fn a_question_shows_secrets_where_it_is_told_to() {
        let source = "password = 'hunter2-77'\nprint('is', password)\n";
        let project = Project::new(&[("login.py", source)]);
        let hidden = asked(&project, &[]);
        assert_eq!(hidden.status, 0, "{}", hidden.whole());
        assert!(!hidden.out.contains("hunter2-77"), "{}", hidden.out);
        assert!(hidden.out.contains("  password = ***"), "{}", hidden.out);
        assert!(
            hidden
                .out
                .ends_with("note: `--show-secrets` shows them here\n"),
            "{}",
            hidden.out
        );
        let shown = asked(&project, &["--show-secrets"]);
        assert!(
            shown.out.contains("  password = 'hunter2-77'"),
            "{}",
            shown.out
        );
        assert!(!shown.out.contains("***"), "{}", shown.out);
    }
}
