//! When servers run, and when they do not.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs};

use fourfold_lsp_client::{
    Catalog, DetectConfig, Detector, Evidence, PoolConfig, ServerState, Trust,
};
use fourfold_testkit::{Project, leftovers, servers};

use super::desk::{Desk, PATIENCE, seen};

fn python_and_json() -> Project {
    Project::new()
        .file(
            "pyproject.toml",
            "[project]\nname = \"harbour\"\nversion = \"0.1.0\"\n",
        )
        .file("office.py", "open = True\n")
        .file("berth.json", "{}\n")
}

/// Writes an error into the Python file and asserts that the server tells it.
async fn break_and_tell(desk: &Desk, server: &str, text: &str) {
    let server = desk.server(server, "office.py").await;
    server.baseline("office.py").await;
    desk.project.write("office.py", text);
    let settled = server.after("office.py", false, text).await;
    assert!(settled.evidence.is_confirmed(), "{:?}", settled.evidence);
    let seen = seen(&settled.diagnostics);
    assert_eq!(seen.len(), 1, "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_starts_when_it_is_needed_and_no_other() {
    let desk = Desk::new(python_and_json(), &["pyright", "ruff", "json"]);
    assert_eq!(desk.processes(), []);
    let server = desk.server("json", "berth.json").await;
    let running = desk.processes();
    assert!(!running.is_empty());
    for process in &running {
        assert!(!process.command.contains("pyright"), "{process:?}");
        assert!(!process.command.contains("ruff"), "{process:?}");
    }
    // Whoever comes next shares it.
    let again = desk.server("json", "berth.json").await;
    assert_eq!(again.session.generation(), server.session.generation());
    assert_eq!(desk.processes(), running);
    drop((server, again));
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_one_is_ended_and_a_write_starts_it_again() {
    let mut pool = PoolConfig::default();
    pool.idle = Duration::from_millis(200);
    pool.check = Duration::from_millis(50);
    let desk = Desk::with(python_and_json(), &["ruff"], pool);
    break_and_tell(&desk, "ruff", "print(one)\n").await;
    let first = desk.servers.status()[0].generation;
    leftovers::assert_none(&desk.project.beside());
    // The processes are gone a moment before that is known here.
    let down = async {
        while !matches!(desk.servers.status()[0].state, ServerState::Down) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), down)
        .await
        .unwrap();
    break_and_tell(&desk, "ruff", "print(two)\n").await;
    assert!(desk.servers.status()[0].generation > first);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_killed_is_said_to_be_gone_and_starts_again() {
    let mut pool = PoolConfig::default();
    pool.pause = Duration::ZERO;
    let desk = Desk::with(python_and_json(), &["pyright"], pool);
    break_and_tell(&desk, "pyright", "print(one)\n").await;

    let server = desk.server("pyright", "office.py").await;
    let running = desk.processes();
    let node = running
        .iter()
        .find(|process| process.command.contains("langserver.index"))
        .unwrap();
    let killed = Command::new("kill")
        .args(["-9", &node.pid.to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    let ended = server.session.ended().await;
    let settled = server
        .session
        .settle(&desk.project.path("office.py"), PATIENCE)
        .await;
    let Evidence::Unconfirmed(why) = &settled.evidence else {
        panic!("{settled:?}");
    };
    assert_eq!(why.to_string(), ended.to_string());
    drop(server);

    break_and_tell(&desk, "pyright", "print(two)\n").await;
    assert_eq!(desk.servers.status()[0].deaths, 1);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_is_another_life() {
    let desk = Desk::new(python_and_json(), &["ruff"]);
    break_and_tell(&desk, "ruff", "print(one)\n").await;
    let first = desk.servers.status()[0].generation;
    assert_eq!(desk.servers.reload(Some("ruff")).await, 1);
    break_and_tell(&desk, "ruff", "print(two)\n").await;
    assert!(desk.servers.status()[0].generation > first);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_forgets_them_ends_them() {
    let desk = Desk::new(python_and_json(), &["pyright", "json"]);
    break_and_tell(&desk, "pyright", "print(one)\n").await;
    desk.server("json", "berth.json").await;
    assert!(desk.processes().len() > 2, "{:?}", desk.processes());
    let Desk { project, servers } = desk;
    drop(servers);
    leftovers::assert_none(&project.beside());
}

/// Set in a second run of this test's program, which then is the host that is killed.
const HOST: &str = "FOURFOLD_TEST_HOST";

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_killed_takes_them_along() {
    if env::var_os(HOST).is_some() {
        let desk = Desk::new(python_and_json(), &["pyright", "json"]);
        break_and_tell(&desk, "pyright", "print(one)\n").await;
        desk.server("json", "berth.json").await;
        assert!(desk.processes().len() > 2, "{:?}", desk.processes());
        println!("\nready: {}", desk.project.beside().display());
        std::future::pending::<()>().await;
    }
    let name = concat!(module_path!(), "::a_host_that_is_killed_takes_them_along");
    let (_, name) = name.split_once("::").unwrap();
    let mut host = Command::new(env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(HOST, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(host.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let folder = said
        .find_map(|line| line.strip_prefix("ready: ").map(str::to_owned))
        .unwrap();
    let folder = std::path::Path::new(&folder);
    assert!(leftovers::of_folder(folder).len() > 2);
    host.kill().unwrap();
    host.wait().unwrap();
    leftovers::assert_none(folder);
    // The host was killed, and with it its chance to clean up.
    fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_marker_alone_or_a_program_alone_is_no_server() {
    let detect = async |project: &Project, path: &str, file: &str| {
        let mut config = DetectConfig::new(project.beside().join("state"));
        config.search_path = path.into();
        let catalog = Catalog::built_in();
        let detector = Detector::new(catalog, project.root(), Trust::Untrusted, config).unwrap();
        let found = detector.detect(&project.path(file)).await;
        let gopls = found
            .iter()
            .find(|found| found.server.id == "gopls")
            .unwrap();
        assert!(gopls.launchable().is_none());
        gopls
            .to_string()
            .replace(project.root().to_str().unwrap(), "ROOT")
    };
    let go = servers::find("gopls");
    let folder = go.parent().unwrap().to_str().unwrap();
    let marker = Project::new()
        .file("go.mod", "module x\n")
        .file("a.go", "package a\n");
    let program = Project::new().file("a.go", "package a\n");
    let nowhere = marker.beside().join("nowhere");
    assert_eq!(
        detect(&marker, nowhere.to_str().unwrap(), "a.go").await,
        "gopls in ROOT: there is no gopls in node_modules/.bin, .venv/bin, venv/bin or vendor/bin of the project, nor in the one folder of the search path; to install it: go install golang.org/x/tools/gopls@latest (Debian: apt-get install gopls)"
    );
    assert_eq!(
        detect(&program, folder, "a.go").await,
        "gopls: no folder from the file up to the checkout's root has go.work or go.mod"
    );
}

/// The real rustup, where the machine has it, under the name of a server that it knows nothing of.
#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_rustup_has_nothing_under_is_passed_over() {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut named = env::split_paths(&path).map(|folder| folder.join("rustup"));
    let Some(rustup) = named.find(|program| program.is_file()) else {
        eprintln!("NOT TESTED: there is no rustup here");
        return;
    };
    let project = Project::new()
        .file("go.mod", "module harbour\n")
        .file("main.go", "package main\n");
    let [first, second] = ["first", "second"].map(|name| project.beside().join(name));
    for (folder, program) in [(&first, &rustup), (&second, &servers::find("gopls"))] {
        fs::create_dir_all(folder).unwrap();
        symlink(program, folder.join("gopls")).unwrap();
    }
    let mut config = DetectConfig::new(project.beside().join("state"));
    config.search_path = env::join_paths([&first, &second]).unwrap();
    let catalog = Catalog::built_in();
    let detector = Detector::new(catalog, project.root(), Trust::Untrusted, config).unwrap();
    let found = detector.detect(&project.path("main.go")).await;
    let found = found.iter().find(|one| one.server.id == "gopls").unwrap();
    let how = found.launchable().unwrap_or_else(|| panic!("{found}"));
    assert_eq!(how.program, second.join("gopls"), "{found}");
    let why = format!(
        "passed over: {} is a name that rustup has nothing under (asked for its version: ",
        first.join("gopls").display()
    );
    assert!(found.to_string().contains(&why), "{found}");
}
