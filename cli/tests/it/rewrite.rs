//! `fourfold rewrite`, `staged` and `resolve`: each run is a process of its own.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use expect_test::expect;

use crate::project::Project;

fn sample() -> Project {
    Project::new(&[
        ("src/a.py", "import os\nprint(1)\nprint(2)\n"),
        ("src/b.py", "def f():\n    print(x)\n"),
        ("c.py", "pass\n"),
    ])
}

const REWRITE: [&str; 3] = ["rewrite", "print($X)", "log($X)"];

#[test]
fn a_stage_is_shown_and_changes_nothing() {
    let project = sample();
    project.run(REWRITE).expect(&expect![[r#"
        diff --git a/src/a.py b/src/a.py
        --- a/src/a.py
        +++ b/src/a.py
        @@ -1,3 +1,3 @@
         import os
        -print(1)
        -print(2)
        +log(1)
        +log(2)
        diff --git a/src/b.py b/src/b.py
        --- a/src/b.py
        +++ b/src/b.py
        @@ -1,2 +1,2 @@
         def f():
        -    print(x)
        +    log(x)
        --- stderr, status 0
        3 sites in 2 files (3 searched)
        staged as s-XXXX; nothing is changed yet
          apply:   fourfold resolve s-XXXX --apply
          discard: fourfold resolve s-XXXX --discard
    "#]]);
    assert_eq!(project.read("src/a.py"), "import os\nprint(1)\nprint(2)\n");
}

#[test]
fn one_process_stages_and_the_next_applies() {
    let project = sample();
    let id = project.run(REWRITE).stage();
    let list = project.run(["staged"]);
    assert!(list.out.starts_with(&id), "{}", list.whole());
    assert!(list.out.contains("3 sites in 2 files"), "{}", list.whole());
    assert!(
        list.out.contains("`print($X)` -> `log($X)`"),
        "{}",
        list.whole()
    );
    project.run(["staged", &id]).expect(&expect![[r#"
        diff --git a/src/a.py b/src/a.py
        --- a/src/a.py
        +++ b/src/a.py
        @@ -1,3 +1,3 @@
         import os
        -print(1)
        -print(2)
        +log(1)
        +log(2)
        diff --git a/src/b.py b/src/b.py
        --- a/src/b.py
        +++ b/src/b.py
        @@ -1,2 +1,2 @@
         def f():
        -    print(x)
        +    log(x)
        --- stderr, status 0
    "#]]);
    project
        .run(["resolve", &id, "--apply"])
        .expect(&expect![[r#"
            applied s-XXXX: 3 sites in 2 files
            --- stderr, status 0
        "#]]);
    assert_eq!(project.read("src/a.py"), "import os\nlog(1)\nlog(2)\n");
    assert_eq!(project.read("src/b.py"), "def f():\n    log(x)\n");
    project.run(["staged"]).expect(&expect![[r#"
        --- stderr, status 1
        nothing is staged
    "#]]);
    let again = project.run(["resolve", &id, "--apply"]);
    assert_eq!(again.status, 2);
    assert!(
        again.err.contains("no stage is called"),
        "{}",
        again.whole()
    );
}

#[test]
fn discarding_forgets() {
    let project = sample();
    let id = project.run(REWRITE).stage();
    project
        .run(["resolve", &id, "--discard"])
        .expect(&expect![[r#"
            discarded s-XXXX: 3 sites in 2 files stay as they are
            --- stderr, status 0
        "#]]);
    assert_eq!(project.run(["staged"]).status, 1);
    assert_eq!(project.read("src/b.py"), "def f():\n    print(x)\n");
}

#[test]
fn files_and_sites_can_be_left_out() {
    let project = sample();
    let id = project.run(REWRITE).stage();
    let run = project.run([
        "resolve",
        &id,
        "--apply",
        "--except",
        "src/b.py",
        "--except",
        "src/a.py:3",
    ]);
    run.expect(&expect![[r#"
        applied s-XXXX: 1 site in 1 file
        left out and staged as s-XXXX: 2 sites in 2 files
        --- stderr, status 0
    "#]]);
    assert_eq!(project.read("src/a.py"), "import os\nlog(1)\nprint(2)\n");
    assert_eq!(project.read("src/b.py"), "def f():\n    print(x)\n");

    // A name that is typed in a folder is that of the file there.
    let id = project.run(REWRITE).stage();
    let run = project.finish(
        project
            .command()
            .current_dir(project.root().join("src"))
            .args(["resolve", &id, "--apply", "--except", "a.py"]),
    );
    assert_eq!(run.status, 0, "{}", run.whole());
    assert_eq!(project.read("src/a.py"), "import os\nlog(1)\nprint(2)\n");
    assert_eq!(project.read("src/b.py"), "def f():\n    log(x)\n");
}

#[test]
fn a_name_that_the_stage_does_not_have() {
    let project = sample();
    let id = project.run(REWRITE).stage();
    project
        .run(["resolve", &id, "--apply", "--except", "src/a.py:4"])
        .expect(&expect![[r#"
            --- stderr, status 2
            error: stage s-XXXX has no site or file called `src/a.py:4`; the nearest is `src/a.py:2`; its sites are named like src/a.py:2
        "#]]);
    assert_eq!(project.read("src/a.py"), "import os\nprint(1)\nprint(2)\n");
}

#[test]
fn drift_refuses_the_whole_and_keeps_the_stage() {
    let project = sample();
    let id = project.run(REWRITE).stage();
    project.write("src/b.py", "def f():\n    print(y)\n");
    project
        .run(["resolve", &id, "--apply"])
        .expect(&expect![[r#"
            --- stderr, status 2
            error: stage s-XXXX was not applied and nothing was changed, because src/b.py changed since it was staged; the stage is kept: stage the rewrite again (pattern `print($X)`, template `log($X)`), or apply it without those files (--except src/b.py)
        "#]]);
    assert_eq!(project.read("src/a.py"), "import os\nprint(1)\nprint(2)\n");
    assert_eq!(project.run(["staged"]).status, 0);
    let run = project.run(["resolve", &id, "--apply", "--except", "src/b.py"]);
    assert_eq!(run.status, 0, "{}", run.whole());
    assert_eq!(project.read("src/a.py"), "import os\nlog(1)\nlog(2)\n");
}

#[test]
fn applying_at_once() {
    let project = sample();
    project
        .run(REWRITE.iter().chain(&["--apply", "src/b.py"]))
        .expect(&expect![[r#"
            diff --git a/src/b.py b/src/b.py
            --- a/src/b.py
            +++ b/src/b.py
            @@ -1,2 +1,2 @@
             def f():
            -    print(x)
            +    log(x)
            --- stderr, status 0
            1 site in 1 file (1 searched)
            applied s-XXXX: 1 site in 1 file
        "#]]);
    assert_eq!(project.read("src/b.py"), "def f():\n    log(x)\n");
    assert_eq!(project.run(["staged"]).status, 1);
}

#[test]
fn losses_are_refused_unless_allowed() {
    let project = Project::new(&[
        ("a.py", "print(\n    1,  # why\n)\nprint(2)\n"),
        ("b.py", "x\n"),
    ]);
    project
        .run(["rewrite", "print($X)", "log($X)"])
        .expect(&expect![[r#"
            diff --git a/a.py b/a.py
            --- a/a.py
            +++ b/a.py
            @@ -1,4 +1,4 @@
             print(
                 1,  # why
             )
            -print(2)
            +log(2)
            --- stderr, status 0
            1 site in 1 file (2 searched)
            left out: a.py:1: would drop comment `# why`; capture it, name it in the pattern, or allow the loss
            (--allow-loss rewrites sites that lose something)
            staged as s-XXXX; nothing is changed yet
              apply:   fourfold resolve s-XXXX --apply
              discard: fourfold resolve s-XXXX --discard
        "#]]);
    let run = project.run(["rewrite", "print($X)", "log($X)", "--allow-loss", "--apply"]);
    assert_eq!(run.status, 0, "{}", run.whole());
    assert_eq!(project.read("a.py"), "log(1)\nlog(2)\n");
    let only = Project::new(&[("a.py", "print(\n    1,  # why\n)\n")]);
    assert_eq!(only.run(["rewrite", "print($X)", "log($X)"]).status, 2);
}

#[test]
fn what_cannot_be_changed_is_left_out_and_said() {
    let project = sample();
    project.write("closed.py", "print(1)\n");
    let closed = project.root().join("closed.py");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o444)).unwrap();
    project.write("linked.py", "print(1)\n");
    let (linked, other) = (
        project.root().join("linked.py"),
        project.root().join("twin.txt"),
    );
    fs::hard_link(linked, other).unwrap();
    project
        .run([
            "rewrite",
            "print($X)",
            "log($X)",
            "closed.py",
            "linked.py",
            "src/b.py",
        ])
        .expect(&expect![[r#"
            diff --git a/src/b.py b/src/b.py
            --- a/src/b.py
            +++ b/src/b.py
            @@ -1,2 +1,2 @@
             def f():
            -    print(x)
            +    log(x)
            --- stderr, status 0
            1 site in 1 file (3 searched)
            left out: closed.py: the file is read-only; give it write permission first if the change is wanted
            left out: linked.py: it has 2 names (hard links), which a replacement would part from one another; make it a file of its own first (copy it, and move the copy over it), or edit it by hand
            staged as s-XXXX; nothing is changed yet
              apply:   fourfold resolve s-XXXX --apply
              discard: fourfold resolve s-XXXX --discard
        "#]]);
    let run = project.run(["rewrite", "print($X)", "log($X)", "closed.py"]);
    assert_eq!(run.status, 2, "{}", run.whole());
}

#[test]
fn a_result_that_does_not_parse_is_left_out_unless_forced() {
    let project = sample();
    project
        .run(["rewrite", "print($X)", "log($X", "src/b.py"])
        .expect(&expect![[r#"
            --- stderr, status 2
            0 sites (1 searched)
            left out: src/b.py: has 0 syntax errors and would have 2, because of src/b.py:2; correct the template, leave those sites out, or force it
        "#]]);
    project
        .run(["rewrite", "print($X)", "log($X", "src/b.py", "--force"])
        .expect(&expect![[r#"
            diff --git a/src/b.py b/src/b.py
            --- a/src/b.py
            +++ b/src/b.py
            @@ -1,2 +1,2 @@
             def f():
            -    print(x)
            +    log(x
            --- stderr, status 0
            1 site in 1 file (1 searched)
            forced: src/b.py: has 0 syntax errors and would have 2, because of src/b.py:2
            staged as s-XXXX; nothing is changed yet
              apply:   fourfold resolve s-XXXX --apply
              discard: fourfold resolve s-XXXX --discard
        "#]]);
}

#[test]
fn nothing_matches() {
    sample()
        .run(["rewrite", "absent($X)", "$X"])
        .expect(&expect![[r#"
            --- stderr, status 1
            0 sites (3 searched)
        "#]]);
}

#[test]
fn a_bad_template_is_refused_before_anything_is_searched() {
    sample()
        .run(["rewrite", "print($X)", "log($Y)"])
        .expect(&expect![[r#"
            --- stderr, status 2
            error: the template uses `$Y`, which the pattern does not bind; it binds `$X`
        "#]]);
}

#[test]
fn json_of_each_step() {
    let project = sample();
    let run = project.run(["--json", "rewrite", "print($X)", "log($X)"]);
    let lines = run.json();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["type"], "site");
    assert_eq!(lines[0]["id"], "src/a.py:2");
    assert_eq!(lines[0]["after"], "log(1)");
    let summary = &lines[3];
    assert_eq!(summary["sites"], 3);
    assert!(summary["diff"].as_str().unwrap().contains("+log(1)"));
    let id = summary["stage"].as_str().unwrap();
    let staged = project.run(["--json", "staged"]).json();
    assert_eq!(staged[0]["id"], id);
    assert_eq!(staged[1]["stages"], 1);
    let resolved = project.run(["--json", "resolve", id, "--apply"]).json();
    assert_eq!(resolved[0]["applied"], true);
    assert_eq!(
        resolved[0]["files"],
        serde_json::json!(["src/a.py", "src/b.py"])
    );
    let failed = project.run(["--json", "resolve", id, "--apply"]);
    assert_eq!(failed.status, 2);
    assert_eq!(failed.json()[0]["type"], "error");
}

#[test]
fn two_processes_at_once() {
    let project = sample();
    let first = project.run(["rewrite", "print($X)", "one($X)"]).stage();
    let second = project.run(["rewrite", "print($X)", "two($X)"]).stage();
    let start = |id: &str| {
        project
            .command()
            .args(["resolve", id, "--apply"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let both = [start(&first), start(&second)];
    let outputs = both.map(|child| child.wait_with_output().unwrap());
    let won = outputs
        .iter()
        .filter(|output| output.status.success())
        .count();
    assert_eq!(won, 1, "{outputs:?}");
    let a = project.read("src/a.py");
    let b = project.read("src/b.py");
    let name = if outputs[0].status.success() {
        "one"
    } else {
        "two"
    };
    assert_eq!(a, format!("import os\n{name}(1)\n{name}(2)\n"));
    assert_eq!(b, format!("def f():\n    {name}(x)\n"));
    let lost = outputs
        .iter()
        .find(|output| !output.status.success())
        .unwrap();
    assert!(
        String::from_utf8_lossy(&lost.stderr).contains("nothing was changed"),
        "{lost:?}"
    );
}

/// Wherever the kill falls, recovery leaves all files old or all files new.
#[test]
fn a_commit_that_is_killed_is_recovered() {
    const FILES: usize = 100;
    let project = Project::new(&[]);
    let path = |number: usize| format!("f{number}.py");
    for number in 0..FILES {
        project.write(&path(number), "print(1)\n");
    }
    let id = project.run(REWRITE).stage();
    let mut child = project
        .command()
        .args(["resolve", &id, "--apply"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = project.root().join(".fourfold/txn");
    while fs::read_dir(&begun).is_ok_and(|mut entries| entries.next().is_none()) || !begun.exists()
    {
        if child.try_wait().unwrap().is_some() {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let recovered = project.run(["recover"]);
    assert_eq!(recovered.status, 0, "{}", recovered.whole());
    let first = project.read(&path(0));
    assert!(
        ["print(1)\n", "log(1)\n"].contains(&first.as_str()),
        "{first}"
    );
    for number in 1..FILES {
        assert_eq!(project.read(&path(number)), first, "{}", recovered.whole());
    }
}

/// A checkout in which a commit was killed when the first file was new already, and what somebody
/// has made of that file since.
pub(crate) fn torn() -> Project {
    const FILES: usize = 800;
    loop {
        let project = Project::new(&[]);
        for number in 0..FILES {
            project.write(&format!("f{number:03}.py"), "print(1)\n");
        }
        let id = project.run(REWRITE).stage();
        let mut command = project.command();
        command.args(["resolve", &id, "--apply"]);
        let mut child = command
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while project.read("f000.py") == "print(1)\n" && child.try_wait().unwrap().is_none() {}
        child.kill().unwrap();
        child.wait().unwrap();
        let last = project.read(&format!("f{:03}.py", FILES - 1));
        let open = fs::read_dir(project.root().join(".fourfold/txn")).unwrap();
        let open = open.filter(|one| {
            let name = one.as_ref().unwrap().file_name();
            let name = name.to_string_lossy();
            name.starts_with("s-") && !name.ends_with(".done")
        });
        // It was neither too early nor too late.
        if project.read("f000.py") == "log(1)\n" && last == "print(1)\n" && open.count() == 1 {
            project.write("f000.py", "mine\n");
            return project;
        }
    }
}

pub(crate) const EXCEPT: &str = "taken back, except for 1 file that others have changed since: f000.py was \
                      changed by somebody else and is left so; its former content is in \
                      .fourfold/conflicts/s-";

#[test]
fn what_others_changed_after_a_crash_is_no_silent_part_of_a_recovery() {
    let project = torn();
    let found = project.run(["grep", "mine"]);
    assert!(
        found.err.contains("was interrupted, or is under way"),
        "{}",
        found.whole()
    );
    let recovered = project.run(["recover"]);
    assert_eq!(recovered.status, 1, "{}", recovered.whole());
    assert!(recovered.out.contains(EXCEPT), "{}", recovered.whole());
    assert!(recovered.out.lines().count() < 10, "{}", recovered.whole());
    assert_eq!(project.read("f000.py"), "mine\n");
    assert_eq!(project.read("f001.py"), "print(1)\n");
    let again = project.run(["recover"]);
    assert_eq!(again.status, 0, "{}", again.whole());
    let kept = again.out.lines().last().unwrap().trim();
    assert_eq!(project.read(kept), "print(1)\n", "{}", again.whole());
}

#[test]
fn whoever_recovers_by_the_way_says_what_others_changed() {
    let project = torn();
    let staged = project.run(["staged"]);
    assert!(staged.err.contains(EXCEPT), "{}", staged.whole());
}

#[test]
fn colours_in_a_diff_are_for_people() {
    let project = sample();
    let plain = project.run(REWRITE);
    let coloured = project.run(REWRITE.iter().chain(&["--color", "always"]));
    assert!(!plain.out.contains('\x1b'));
    assert!(
        coloured.out.contains("\x1b[32m+log(1)\x1b[0m\n"),
        "{}",
        coloured.out
    );
}

#[test]
fn a_match_that_comes_out_as_it_is_is_said() {
    let project = Project::new(&[("a.py", "f(1, 2)\nf(2, 1)\nf(3, 3)\n")]);
    project
        .run(["rewrite", "f($X, $Y)", "f($Y, $X)"])
        .expect(&expect![[r#"
            diff --git a/a.py b/a.py
            --- a/a.py
            +++ b/a.py
            @@ -1,3 +1,3 @@
            +f(2, 1)
             f(1, 2)
            -f(2, 1)
             f(3, 3)
            --- stderr, status 0
            2 sites in 1 file (1 searched)
            1 match comes out as it is: a.py:3
            staged as s-XXXX; nothing is changed yet
              apply:   fourfold resolve s-XXXX --apply
              discard: fourfold resolve s-XXXX --discard
        "#]]);
}

#[test]
fn a_template_that_is_no_code_is_said_once() {
    let project = Project::new(&[("a.py", "f(1)\nf(2)\n"), ("b.py", "f(3)\n")]);
    project
        .run(["rewrite", "f($X)", "list($X"])
        .expect(&expect![[r#"
            --- stderr, status 2
            0 sites (2 searched)
            with the template `list($X`, each of the 2 files would have more syntax errors than before: what it makes is no code; correct it, or force it
        "#]]);
}

#[test]
fn the_sites_of_a_stage_can_be_listed_for_except() {
    let project = Project::new(&[("a.py", "f(1)\nf(f(2))\n"), ("b.py", "f(3); f(4)\n")]);
    let id = project.run(["rewrite", "f($X)", "g($X)"]).stage();
    let lines = project.run(["staged", &id, "--json"]).json();
    let site = |line: &serde_json::Value| {
        (
            line["id"].as_str().unwrap().to_owned(),
            line["path"].as_str().unwrap().to_owned(),
            line["line"].as_u64().unwrap(),
            line["inside"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let sites: Vec<_> = lines
        .iter()
        .filter(|line| line["type"] == "site")
        .map(site)
        .collect();
    let expected = [
        ("a.py:1", "a.py", 1, ""),
        ("a.py:2", "a.py", 2, ""),
        ("a.py:2#2", "a.py", 2, "a.py:2"),
        ("b.py:1", "b.py", 1, ""),
        ("b.py:1#2", "b.py", 1, ""),
    ]
    .map(|(id, path, line, inside)| (id.to_owned(), path.to_owned(), line, inside.to_owned()));
    assert_eq!(sites, expected);
    let summary = lines.last().unwrap();
    assert_eq!(
        (&summary["type"], &summary["sites"]),
        (&"summary".into(), &5.into())
    );
    let except = ["resolve", &id, "--apply", "--except", &sites[4].0];
    assert_eq!(project.run(except).status, 0);
    assert_eq!(project.read("b.py"), "g(3); f(4)\n");
}
