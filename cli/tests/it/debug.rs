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
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use fourfold_testkit::{adapters, leftovers};
    use serde_json::json;

    use crate::project::{Project, Run};

    fn path() -> std::ffi::OsString {
        let python = adapters::python();
        let machine = adapters::path();
        let first = std::iter::once(python.parent().unwrap().to_owned());
        std::env::join_paths(first.chain(std::env::split_paths(&machine))).unwrap()
    }

    /// A host that closes its end wants the server to go; the program of a question goes with it.
    #[test]
    fn a_question_ends_when_the_host_closes_its_end() {
        let source = "open('begun', 'w').close()\nimport time\ntime.sleep(7777)\n";
        let project = Project::new(&[("rest.py", source)]);
        let begun = project.root().join("begun");
        let made = Command::new("mkfifo").arg(&begun).status();
        assert!(made.unwrap().success());
        let mut command = project.command();
        command.env("PATH", path()).arg("mcp");
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = pipes.spawn().unwrap();
        let mut say = server.stdin.take().unwrap();
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "by hand", "version": "1"}}});
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let ask = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "debug",
            "arguments": {"action": "ask", "program": "rest.py", "wait_s": 300}}});
        for line in [hello, ready, ask] {
            writeln!(say, "{line}").unwrap();
        }
        // It is read to its end when the program has closed it.
        assert_eq!(std::fs::read(&begun).unwrap(), b"");
        let before = Instant::now();
        drop(say);
        let out = server.wait_with_output().unwrap();
        let took = before.elapsed();
        assert!(out.status.success(), "{}", out.status);
        // Measured 0.8 s; the connection itself waits 5 s for answers.
        assert!(took < Duration::from_secs(4), "{took:?}");
        let said = String::from_utf8(out.stdout).unwrap();
        assert!(
            said.contains("the connection was closed: what this call was running has been ended"),
            "{said}"
        );
        leftovers::assert_none(project.root());
    }

    /// The folders for what programs read and tell, in a folder for temporary files.
    fn scratch(temporary: &std::path::Path) -> usize {
        let entries = std::fs::read_dir(temporary).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name());
        names
            .filter(|name| name.to_string_lossy().starts_with("fourfold-debug-"))
            .count()
    }

    /// It cannot remove what it has made; who comes next does.
    #[test]
    fn what_a_killed_host_has_made_goes_when_the_next_one_starts() {
        let source = "open('begun', 'w').close()\nimport time\ntime.sleep(7777)\n";
        let project = Project::new(&[("rest.py", source), ("said", "yes\n")]);
        let temporary = project.root().join("temporary");
        std::fs::create_dir(&temporary).unwrap();
        let begun = project.root().join("begun");
        assert!(
            Command::new("mkfifo")
                .arg(&begun)
                .status()
                .unwrap()
                .success()
        );
        let host = || {
            let mut command = project.command();
            command.env("PATH", path()).env("TMPDIR", &temporary);
            command
        };
        let question = ["debug", "ask", "rest.py", "--stdin", "said"];
        let mut first = host().args(question).stdout(Stdio::null()).spawn().unwrap();
        assert_eq!(std::fs::read(&begun).unwrap(), b"");
        assert_eq!(scratch(&temporary), 1);
        // One that works is let be.
        assert!(host().arg("mcp").status().unwrap().success());
        assert_eq!(scratch(&temporary), 1);
        first.kill().unwrap();
        first.wait().unwrap();
        leftovers::assert_none(project.root());
        assert!(host().arg("mcp").status().unwrap().success());
        assert_eq!(scratch(&temporary), 0);
    }

    fn asked(project: &Project, options: &[&str]) -> Run {
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
                .env("PATH", path())
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
