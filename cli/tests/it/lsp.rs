//! `fourfold lsp`, `check`, `servers` and `trust`, where no language server is installed.

pub(crate) mod real;

use expect_test::expect;

use crate::project::Project;

fn sample() -> Project {
    Project::asking(&[
        ("go.mod", "module x\n"),
        ("b/c.go", "package b\n"),
        (
            "fourfold.toml",
            "[servers.mine]\ncommand = [\"./mine\"]\nlanguage = \"mine\"\nextensions = [\"mine\"]\nroot_markers = [\"go.mod\"]\n",
        ),
        ("a.mine", "x\n"),
    ])
}

#[test]
fn what_is_missing_is_said_in_a_line() {
    let project = sample();
    project.run(["servers"]).expect(&expect![[r#"
        3 servers
          mine, 1 file: untrusted: this checkout decides what it runs, which needs a trusted one: `fourfold trust`
          gopls, 2 files: missing: there is no gopls in node_modules/.bin, .venv/bin, venv/bin or vendor/bin of the project, nor in the one folder of the search path; to install it: go install golang.org/x/tools/gopls@latest (Debian: apt-get install gopls)
          not needed here: toml
            toml: no folder from the file up to the checkout's root has tombi.toml, taplo.toml, Cargo.toml or pyproject.toml
        --- stderr, status 0
    "#]]);
    let json = project.run(["servers", "--json"]).json();
    assert_eq!(json[0]["type"], "server");
    assert_eq!(json.last().unwrap()["type"], "summary");
    // What is not needed is said to be so for a reason.
    let project = Project::asking(&[("a.py", "x = 1\n")]);
    project.run(["servers"]).expect(&expect![[r#"
        3 servers
          not needed here: pyright, ty, ruff
            pyright: no folder from the file up to the checkout's root has pyrightconfig.json, pyproject.toml, setup.py, setup.cfg, requirements.txt or Pipfile
            ruff: no folder from the file up to the checkout's root has ruff.toml, .ruff.toml or pyproject.toml
            ty: no folder from the file up to the checkout's root has ty.toml, pyproject.toml, setup.py, setup.cfg, requirements.txt or Pipfile
        --- stderr, status 0
    "#]]);
    let nothing = Project::asking(&[("a.txt", "")]).run(["servers"]);
    assert_eq!((nothing.status, nothing.out.as_str()), (1, "0 servers\n"));
}

#[test]
fn a_check_that_nobody_can_do_is_not_clean() {
    let project = sample();
    let mut command = project.command();
    command
        .args(["check", "c.go"])
        .current_dir(project.root().join("b"));
    project.finish(&mut command).expect(&expect![[r#"
        no server: gopls in ROOT: there is no gopls in node_modules/.bin, .venv/bin, venv/bin or vendor/bin of the project, nor in the one folder of the search path; to install it: go install golang.org/x/tools/gopls@latest (Debian: apt-get install gopls)
        checked: b/c.go
        --- stderr, status 3
    "#]]);
    let json = project.run(["check", "b", "--json"]);
    assert_eq!(json.status, 3);
    let json = json.json();
    assert_eq!(json[0]["verdict"]["state"], "no_server");
    assert_eq!(json[0]["files"][0], "b/c.go");
    let before = project.run(["check", "--before", "b/c.go"]);
    assert_eq!(
        (before.status, before.out.as_str()),
        (
            0,
            "b/c.go: what is wrong in them now is noted; `check` them when they are written\n"
        )
    );
    assert_eq!(project.run(["check", "--before"]).status, 2);
    let absent = project.run(["check", "absent.go"]);
    assert_eq!(absent.status, 2);
    assert_eq!(project.run(["check"]).status, 3);
    let known = project.run(["lsp", "diagnostics"]);
    assert_eq!(known.status, 3, "{}", known.whole());
}

#[test]
fn what_a_question_needs_is_said() {
    let project = sample();
    for (args, said) in [
        (
            &["lsp", "rename", "b/c.go", "-s", "b"][..],
            "--new-name NAME",
        ),
        (&["lsp", "references", "b/c.go"], "--symbol NAME"),
        (&["lsp", "references"], "references needs a FILE"),
        (&["lsp", "symbols"], "--query TEXT"),
        (&["lsp", "hover", "b/c.go:0", "-s", "b"], "counted from 1"),
        (
            &["lsp", "hover", "b/c.go", "-s", "package"],
            "no language server can be asked",
        ),
        (
            &["lsp", "hover", "b/c.go", "-s", "pakage"],
            "the nearest is `package`",
        ),
        (&["lsp", "incoming-call", "b/c.go"], "did you mean"),
    ] {
        let run = project.run(args);
        assert_eq!(run.status, 2, "{args:?}: {}", run.whole());
        assert!(run.err.contains(said), "{args:?}: {}", run.whole());
    }
}

#[test]
fn trust_is_given_seen_and_taken_back() {
    let project = sample();
    let mine = |run: &str| {
        let line = run.lines().find(|line| line.contains(" mine,"));
        line.unwrap().to_owned()
    };
    assert!(mine(&project.run(["servers"]).out).contains("`fourfold trust`"));
    let none = project.run(["trust", "--list"]);
    assert_eq!(
        (none.status, none.err.as_str()),
        (1, "no checkout is trusted\n")
    );
    assert_eq!(project.run(["trust"]).status, 0);
    assert_eq!(project.run(["trust", "--list"]).out, "ROOT\n");
    assert!(mine(&project.run(["servers"]).out).contains("missing"));
    // Another configuration is another decision.
    project.write("fourfold.toml", "[servers.mine]\ncommand = [\"./other\"]\nlanguage = \"mine\"\nextensions = [\"mine\"]\nroot_markers = [\"go.mod\"]\n");
    assert!(mine(&project.run(["servers"]).out).contains("`fourfold trust`"));
    project.run(["trust", "--remove"]);
    assert_eq!(project.run(["trust", "--list"]).status, 1);
}

/// What is secret in the environment is not a server's business, unless a person says so; nor that of
/// what looks whether a debugger is there.
#[test]
fn servers_are_not_given_secrets() {
    let files = [
        ("a.go", "package a\n"),
        ("go.mod", "module a\n"),
        ("a.py", "x = 1\n"),
    ];
    let project = Project::asking(&files);
    let asks: [(&str, &[&str]); 2] = [
        ("gopls", &["lsp", "symbols", "a.go"]),
        ("python3", &["debug", "ask", "a.py", "--at", "a.py:1"]),
    ];
    for (program, args) in asks {
        project.install_script(program, "/usr/bin/env > given.txt; exit 1");
        let run = project.finish(
            project
                .command()
                .env("GITHUB_TOKEN", "abc")
                .env("MINE_TOKEN", "def")
                .env("DATABASE_URL", "postgres://me:word@localhost/shop")
                .env("EDITOR", "vi")
                .env("FOURFOLD_PASS_ENV", "MINE_TOKEN")
                .args(args),
        );
        assert_eq!(run.status, 2, "{}", run.whole());
        let given = project.read("given.txt");
        std::fs::remove_file(project.root().join("given.txt")).unwrap();
        let given: Vec<&str> = given.lines().collect();
        assert!(given.contains(&"MINE_TOKEN=def"), "{given:?}");
        assert!(given.contains(&"EDITOR=vi"), "{given:?}");
        let has = |name: &str| given.iter().any(|line| line.starts_with(name));
        assert!(!has("GITHUB_TOKEN") && !has("DATABASE_URL"), "{given:?}");
    }
}
