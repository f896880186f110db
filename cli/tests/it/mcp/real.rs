//! `fourfold mcp` with the official SDKs, and with what `cargo xtask` installs.

use std::path::PathBuf;

use fourfold_testkit::{adapters, servers};

use super::*;

fn clients() -> PathBuf {
    let chosen = std::env::var_os("FOURFOLD_CLIENTS").map(PathBuf::from);
    let folder =
        chosen.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/clients"));
    assert!(
        folder.join("bin/node").exists(),
        "no MCP clients in {}: `cargo xtask clients` installs them",
        folder.display()
    );
    folder
}

fn run(project: &Project, mut command: Command) -> (bool, String) {
    let as_ours = project.command();
    let variables = as_ours
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    let chosen: Vec<_> = command
        .get_envs()
        .map(|(name, _)| name.to_owned())
        .collect();
    command.envs(variables.filter(|(name, _)| chosen.iter().all(|one| one != name)));
    command.stdin(Stdio::null());
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

/// A project for the servers and debug adapters that `cargo xtask` installs, and the search path
/// with them.
fn with_programs() -> (Project, std::ffi::OsString) {
    let project = Project::asking(&[
        ("shop.py", SHOP),
        (
            "pyproject.toml",
            "[project]\nname = \"shop\"\nversion = \"1\"\n",
        ),
        (
            "run.py",
            "from shop import total\n\nprint(\"hello from the shop\", flush=True)\ntotal(1, 2, 3)\n",
        ),
    ]);
    let python = adapters::python();
    let pyright = servers::find("pyright-langserver");
    let first = [python.parent().unwrap(), pyright.parent().unwrap()].map(Path::to_path_buf);
    let machine = adapters::path();
    let path = first.into_iter().chain(std::env::split_paths(&machine));
    (project, std::env::join_paths(path).unwrap())
}

fn host_in_python(project: &Project, mode: &str, story: &str) -> Command {
    let mut command = Command::new(clients().join("venv/bin/python"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/host.py");
    command.arg(script).arg(env!("CARGO_BIN_EXE_fourfold"));
    command.arg(project.root()).args([mode, story]);
    command
}

fn python(project: &Project, mode: &str, story: &str) -> (bool, String) {
    run(project, host_in_python(project, mode, story))
}

#[track_caller]
fn python_is_content(project: &Project, mode: &str, story: &str) {
    let (content, said) = python(project, mode, story);
    assert!(content, "{said}");
    leftovers::assert_none(project.root());
}

/// With servers and debug adapters that are really there.
fn python_with_programs(mode: &str, story: &str) -> (Project, bool, String) {
    let (project, path) = with_programs();
    let mut command = host_in_python(&project, mode, story);
    command.env("PATH", path);
    let (content, said) = run(&project, command);
    (project, content, said)
}

#[test]
fn python_asks_servers_and_debuggers() {
    for mode in ["legacy", "auto"] {
        let (project, content, said) = python_with_programs(mode, "real");
        assert!(content, "{said}");
        leftovers::assert_none(project.root());
    }
}

/// A package that comes with the SDK, and that is Python alone.
#[test]
fn python_calls_each_tool_on_a_project_of_others() {
    let packages = std::fs::read_dir(clients().join("venv/lib")).unwrap();
    let mut packages = packages.map(|one| one.unwrap().path().join("site-packages/idna"));
    let idna = packages.find(|folder| folder.is_dir()).unwrap();
    for mode in ["legacy", "auto"] {
        let (project, path) = with_programs();
        for entry in std::fs::read_dir(&idna).unwrap() {
            let file = entry.unwrap().path();
            if file.extension().is_some_and(|end| end == "py") {
                let name = file.file_name().unwrap().to_str().unwrap();
                let text = std::fs::read(&file).unwrap();
                project.write(&format!("idna/{name}"), text);
            }
        }
        let run_it = "import idna\n\nprint(idna.encode(\"bücher.example\"))\n";
        project.write("run.py", run_it);
        std::fs::remove_file(project.root().join("shop.py")).unwrap();
        let mut command = host_in_python(&project, mode, "whole_project");
        command.env("PATH", path);
        let (content, said) = run(&project, command);
        assert!(content, "{said}");
        leftovers::assert_none(project.root());
    }
}

#[test]
fn nothing_is_debugged_without_the_leave_to() {
    let (project, content, said) = python_with_programs("auto", "no_execute");
    assert!(content, "{said}");
    leftovers::assert_none(project.root());
}

#[test]
fn python_cancels_a_wait_for_a_program() {
    for mode in ["legacy", "auto"] {
        let (project, content, said) = python_with_programs(mode, "cancel_debug");
        assert!(content, "{said}");
        leftovers::assert_none(project.root());
    }
}

#[test]
fn python_hears_that_a_long_wait_goes_on() {
    let (project, content, said) = python_with_programs("auto", "sign_of_life");
    assert!(content, "{said}");
    leftovers::assert_none(project.root());
}

#[test]
fn a_host_that_is_killed_takes_its_language_server_along() {
    for mode in ["legacy", "auto"] {
        let (project, content, said) = python_with_programs(mode, "die_serving");
        // It has come to where it kills itself: else it says why not.
        assert!(!content && !said.contains("Error"), "{said}");
        leftovers::assert_none(project.root());
    }
}

#[test]
fn a_host_that_is_killed_while_it_debugs_leaves_nothing() {
    let (project, content, said) = python_with_programs("auto", "die_debugging");
    assert!(!content, "it was to be killed: {said}");
    leftovers::assert_none(project.root());
}

/// The allocator keeps nothing for each thread, so that what grows is a leak.
const FRUGAL: &str = "glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0:glibc.malloc.arena_max=1";

fn soak(project: &Project, joined: &str, process: &str) {
    let mut command = host_in_python(project, "auto", "soak");
    let calls = match std::env::var_os("FOURFOLD_LONG") {
        Some(_) => "10000",
        None => "200",
    };
    command.env("FOURFOLD_SOAK", calls);
    command.env("FOURFOLD_SOAK_TOO", process);
    command.env("GLIBC_TUNABLES", FRUGAL);
    command.env("FOURFOLD_NO_SERVE", joined);
    let (content, said) = run(project, command);
    assert!(content, "{said}");
}

#[test]
fn many_calls_from_four_processes() {
    let project = shop();
    soak(&project, "1", "");
    leftovers::assert_none(project.root());
}

#[test]
fn many_calls_from_four_processes_that_join_a_daemon() {
    let project = shop();
    let daemon = |args: &[&str]| {
        let mut command = project.command();
        command.env("GLIBC_TUNABLES", FRUGAL);
        command
            .env_remove("FOURFOLD_NO_SERVE")
            .arg("serve")
            .args(args);
        project.finish(&mut command)
    };
    assert_eq!(daemon(&["--background"]).status, 0);
    let status = daemon(&["--status", "--json"]).json();
    let process = status[0]["pid"].as_u64().unwrap().to_string();
    soak(&project, "0", &process);
    assert_eq!(daemon(&["--stop"]).status, 0);
    leftovers::assert_none(project.root());
}

#[test]
fn python_calls_each_tool_once() {
    python_is_content(&shop(), "legacy", "tools");
    python_is_content(&shop(), "auto", "tools");
}

#[test]
fn python_asks_wrongly() {
    python_is_content(&shop(), "legacy", "wrong");
    python_is_content(&shop(), "auto", "wrong");
}

#[test]
fn python_names_conversations() {
    python_is_content(&shop(), "auto", "handles");
}

#[test]
fn python_chooses() {
    python_is_content(&shop(), "auto", "options");
}

#[test]
fn python_follows_a_long_call() {
    python_is_content(&large(), "legacy", "progress");
    python_is_content(&large(), "auto", "progress");
}

#[test]
fn python_follows_the_making_of_an_index() {
    for mode in ["legacy", "auto"] {
        python_is_content(&large(), mode, "progress_of_an_index");
    }
}

#[test]
fn python_cancels_in_the_middle() {
    python_is_content(&large(), "legacy", "cancel");
    python_is_content(&large(), "auto", "cancel");
}

#[test]
fn a_host_that_is_killed_leaves_nothing() {
    let project = large();
    let (content, _) = python(&project, "auto", "die");
    assert!(!content, "it was to be killed");
    leftovers::assert_none(project.root());
    // Nor did the call go on to its end, though its walk was not far from it.
    assert_eq!(kept(&project), 0);
}

/// How many stages lie on disk.
fn kept(project: &Project) -> usize {
    let stages = std::fs::read_dir(project.root().join(".fourfold/stages"));
    let stages = stages.into_iter().flatten().flatten();
    let kept = stages.filter(|one| one.path().extension().is_some_and(|it| it == "stage"));
    kept.count()
}

/// The daemon does the work when there is one, and forgets a connection that has ended.
#[test]
fn a_daemon_is_joined() {
    let project = shop();
    let daemon = |args: &[&str]| daemon(&project, args);
    assert_eq!(daemon(&["--background"]).status, 0);
    for (story, left) in [("wrong", 0), ("handles", 2), ("tools", 2)] {
        let mut command = host_in_python(&project, "auto", story);
        // What stands for nothing wins over what the others have.
        command.env("FOURFOLD_NO_SERVE", "0");
        let (content, said) = run(&project, command);
        assert!(content, "{story}: {said}");
        let status = daemon(&["--status", "--json"]).json();
        let conversations = status[0]["conversations"].as_array().unwrap();
        // Those with names of their own go on, those of connections do not.
        assert_eq!(conversations.len(), left, "{story}: {conversations:?}");
    }
    assert_eq!(daemon(&["--stop"]).status, 0);
    leftovers::assert_none(project.root());
}

/// What a daemon does for a connection is followed, cancelled and ended with it all the same.
#[test]
fn a_daemon_is_followed_cancelled_and_left() {
    let project = large();
    let daemon = |args: &[&str]| daemon(&project, args);
    assert_eq!(daemon(&["--background"]).status, 0);
    for (story, is_content) in [("progress", true), ("cancel", true), ("die", false)] {
        let mut command = host_in_python(&project, "auto", story);
        command.env("FOURFOLD_NO_SERVE", "0");
        let (content, said) = run(&project, command);
        assert_eq!(content, is_content, "{story}: {said}");
        // A call that was cut off is over a moment later.
        loop {
            let status = daemon(&["--status", "--json"]).json();
            let conversations = status[0]["conversations"].as_array().unwrap();
            if status[0]["requests"] == 0 && conversations.is_empty() {
                break;
            }
        }
        assert_eq!(kept(&project), 0, "{story}");
    }
    assert_eq!(daemon(&["--stop"]).status, 0);
    leftovers::assert_none(project.root());
}

/// The script, as long as it is needed, and what runs it.
fn host_in_typescript(
    project: &Project,
    mode: &str,
    story: &str,
) -> (tempfile::NamedTempFile, Command) {
    let clients = clients();
    // Its packages are looked for beside it.
    let mut named = tempfile::Builder::new();
    let named = named.prefix("host").suffix(".mjs");
    let script = named.tempfile_in(&clients).unwrap();
    std::fs::write(script.path(), include_str!("../../clients/host.mjs")).unwrap();
    let mut command = Command::new(clients.join("bin/node"));
    command
        .arg(script.path())
        .arg(env!("CARGO_BIN_EXE_fourfold"));
    command.arg(project.root()).args([mode, story]);
    (script, command)
}

fn typescript(project: &Project, mode: &str, story: &str) {
    let (_script, command) = host_in_typescript(project, mode, story);
    let (content, said) = run(project, command);
    assert!(content, "{said}");
    leftovers::assert_none(project.root());
}

#[test]
fn typescript_calls_each_tool_once() {
    for mode in ["handshake", "modern"] {
        typescript(&shop(), mode, "tools");
    }
}

#[test]
fn typescript_asks_wrongly() {
    for mode in ["handshake", "modern"] {
        typescript(&shop(), mode, "wrong");
    }
}

#[test]
fn typescript_follows_a_long_call() {
    for mode in ["handshake", "modern"] {
        typescript(&large(), mode, "progress");
    }
}

#[test]
fn typescript_cancels_in_the_middle() {
    for mode in ["handshake", "modern"] {
        typescript(&large(), mode, "cancel");
    }
}

#[test]
fn a_host_in_typescript_that_is_killed_leaves_nothing() {
    for mode in ["handshake", "modern"] {
        let project = large();
        let (_script, command) = host_in_typescript(&project, mode, "die");
        let (content, said) = run(&project, command);
        assert!(!content, "it was to be killed: {said}");
        leftovers::assert_none(project.root());
        assert_eq!(kept(&project), 0);
    }
}

/// A checkout that gets a file for a server that the user has.
fn before_go() -> Project {
    let project = Project::asking(&[("a.txt", "x\n")]);
    project.install("gopls");
    project
}

#[test]
fn typescript_is_told_of_other_tools() {
    for mode in ["handshake", "modern"] {
        typescript(&before_go(), mode, "listen");
    }
}

#[test]
fn python_is_told_of_other_tools() {
    python_is_content(&before_go(), "auto", "listen");
}

#[test]
fn typescript_asks_servers_and_debuggers() {
    for mode in ["handshake", "modern"] {
        let (project, path) = with_programs();
        let (_script, mut command) = host_in_typescript(&project, mode, "real");
        command.env("PATH", path);
        let (content, said) = run(&project, command);
        assert!(content, "{mode}: {said}");
        leftovers::assert_none(project.root());
    }
}
