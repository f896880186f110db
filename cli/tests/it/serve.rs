//! `fourfold serve`, and the commands that use it. Every test has a runtime folder of its own, and
//! leaves no process behind.

use std::fs::{self, File, Permissions};
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};

use expect_test::{Expect, expect};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::project::{Project, Run};

mod debug;
mod real;

/// A checkout, and where its daemon is.
struct Served {
    project: Project,
    folder: TempDir,
    runtime: PathBuf,
}

impl Served {
    fn new(files: &[(&str, &str)]) -> Served {
        Served::in_folder(files, "run")
    }

    fn in_folder(files: &[(&str, &str)], runtime: &str) -> Served {
        let folder = tempfile::tempdir().unwrap();
        let runtime = folder.path().join(runtime);
        fs::create_dir(&runtime).unwrap();
        Served {
            project: Project::new(files),
            folder,
            runtime,
        }
    }

    fn with(&self, mut command: Command) -> Command {
        command
            .current_dir(self.project.root())
            .env("XDG_RUNTIME_DIR", &self.runtime)
            .env("XDG_STATE_HOME", self.folder.path().join("state"))
            .env_remove("FOURFOLD_NO_SERVE")
            .env_remove("FOURFOLD_NO_CHECK");
        command
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.with(self.project.command());
        command.args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Run {
        self.project.finish(&mut self.command(args))
    }

    fn root(&self) -> PathBuf {
        self.project.root().canonicalize().unwrap()
    }

    fn file(&self, end: &str) -> PathBuf {
        let root = self.root();
        let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
        let name = format!("{}.{end}", &hash[..32]);
        self.runtime.join("fourfold").join(name)
    }

    /// The process that serves.
    fn pid(&self) -> i32 {
        let status = self.run(&["serve", "--status", "--json"]);
        let pid = status.json()[0]["pid"].as_i64().unwrap();
        i32::try_from(pid).unwrap()
    }

    /// A daemon of this program, or of another one, that is ours to wait for.
    fn foreground(&self, program: &Path, args: &[&str]) -> Foreground {
        let mut command = self.with(Command::new(program));
        command.arg("serve").args(args).stderr(Stdio::piped());
        let mut child = loop {
            match command.spawn() {
                // Another test forked while the copy of the program was written.
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => thread::yield_now(),
                spawned => break spawned.unwrap(),
            }
        };
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut first = String::new();
        said.read_line(&mut first).unwrap();
        assert!(first.starts_with("serving `"), "{first}");
        Foreground { child, said }
    }

    fn own(&self, args: &[&str]) -> Foreground {
        self.foreground(env!("CARGO_BIN_EXE_fourfold").as_ref(), args)
    }

    /// Waits until nobody serves.
    fn wait_for_the_end(&self) {
        File::open(self.file("lock")).unwrap().lock().unwrap();
    }

    /// A client that speaks the protocol itself.
    fn client(&self) -> Client {
        let stream = UnixStream::connect(self.file("sock")).unwrap();
        let name = self.file("x");
        let mut client = Client {
            lines: BufReader::new(stream.try_clone().unwrap()),
            stream,
            requests: 0,
        };
        let name = name.file_stem().unwrap().to_str().unwrap();
        client.say(&json!({"type": "hello", "checkout": name}));
        assert_eq!(client.hear()["type"], "hello");
        client
    }

    /// Listens in place of a daemon. To a client that says hello it says the same, so that it takes
    /// it for its like; what it is then told is answered with these lines, and the end.
    fn impostor(&self, answers: &'static [&'static str], clients: usize) -> JoinHandle<()> {
        let folder = self.runtime.join("fourfold");
        if !folder.exists() {
            fs::create_dir(&folder).unwrap();
            fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
        }
        let listener = UnixListener::bind(self.file("sock")).unwrap();
        thread::spawn(move || {
            for _ in 0..clients {
                let (mut stream, _) = listener.accept().unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let hello: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
                let mut hello = hello;
                hello["pid"] = json!(1);
                writeln!(stream, "{hello}").unwrap();
                lines.next().unwrap().unwrap();
                for answer in answers {
                    writeln!(stream, "{answer}").unwrap();
                }
            }
        })
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let Ok(entries) = fs::read_dir(self.runtime.join("fourfold")) else {
            return;
        };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.extension().is_none_or(|end| end != "lock") {
                continue;
            }
            let lock = File::open(&path).unwrap();
            if lock.try_lock().is_err() {
                let pid = fs::read_to_string(&path).unwrap();
                kill(pid.trim().parse().unwrap(), Signal::KILL);
                lock.lock().unwrap();
            }
        }
    }
}

struct Foreground {
    child: Child,
    said: BufReader<std::process::ChildStderr>,
}

impl Foreground {
    fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap()
    }

    /// What it says at its end.
    fn end(&mut self) -> String {
        let mut said = String::new();
        self.said.read_to_string(&mut said).unwrap();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {said}");
        said
    }
}

impl Drop for Foreground {
    fn drop(&mut self) {
        // It has ended already, or the test has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Client {
    stream: UnixStream,
    lines: BufReader<UnixStream>,
    requests: u64,
}

impl Client {
    fn say(&mut self, message: &Value) {
        writeln!(self.stream, "{message}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, tool: &str, arguments: &Value) {
        self.requests += 1;
        self.say(&json!({
            "type": "request", "id": self.requests, "tool": tool, "arguments": arguments,
            "conversation": "cli",
        }));
    }

    fn answer(&mut self) -> Value {
        loop {
            let said = self.hear();
            match said["type"].as_str() {
                Some("working" | "progress") => {}
                Some("answer") => return said,
                _ => panic!("{said}"),
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask(tool, arguments);
        self.answer()
    }
}

fn kill(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// What is said, without what differs each time.
#[track_caller]
fn expect_said(run: &Run, expected: &Expect) {
    let mut said = String::new();
    // What language servers would need here is no matter of these tests.
    let whole = run.whole();
    let lines = whole
        .lines()
        .filter(|line| !line.starts_with("no server: "));
    let mut words: String = lines.map(|line| format!("{line}\n")).collect();
    while let Some(at) = words.find("process ") {
        let rest = words.split_off(at + "process ".len());
        said += &words;
        said += "PID";
        words = rest
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .to_owned();
    }
    expected.assert_eq(&(said + &words));
}

fn sample() -> Served {
    Served::new(&[("a.py", "f(1)\nf(2)\n"), ("b/c.py", "f(3)\n")])
}

#[test]
fn it_is_started_asked_and_stopped() {
    let served = sample();
    expect_said(
        &served.run(&["serve", "--status"]),
        &expect![[r#"
            --- stderr, status 1
            nobody serves `ROOT`
        "#]],
    );
    expect_said(
        &served.run(&["serve", "--background"]),
        &expect![[r#"
            --- stderr, status 0
            `ROOT` is served, by process PID
        "#]],
    );
    expect_said(
        &served.run(&["serve", "--background"]),
        &expect![[r#"
            --- stderr, status 0
            `ROOT` is served already, by process PID
        "#]],
    );
    expect_said(
        &served.run(&["serve"]),
        &expect![[r#"
            --- stderr, status 2
            error: `ROOT` is served already by process PID; `fourfold serve --stop` ends that
        "#]],
    );
    let status = served.run(&["serve", "--status", "--json"]).json();
    let version = env!("CARGO_PKG_VERSION");
    for (field, value) in [
        ("root", json!("ROOT")),
        ("version", json!(version)),
        ("idle_seconds", json!(1800)),
        ("clients", json!(0)),
        ("requests", json!(0)),
        ("conversations", json!([])),
    ] {
        assert_eq!(status[0][field], value, "{field}");
    }
    assert!(
        served
            .run(&["serve", "--status"])
            .out
            .contains("0 clients, 0 requests")
    );
    expect_said(
        &served.run(&["serve", "--stop"]),
        &expect![[r#"
            --- stderr, status 0
            process PID has ended
        "#]],
    );
    expect_said(
        &served.run(&["serve", "--stop"]),
        &expect![[r#"
            --- stderr, status 1
            nobody serves `ROOT`
        "#]],
    );
    // It has told its story.
    let logs = fs::read_dir(served.folder.path().join("state/fourfold")).unwrap();
    let log = logs.map(|log| fs::read_to_string(log.unwrap().path()).unwrap());
    let log: Vec<String> = log.collect();
    assert_eq!(log.len(), 1);
    assert!(log[0].contains("it was asked to end"), "{}", log[0]);
}

#[test]
fn of_many_starters_one_starts() {
    let served = sample();
    let starters: Vec<Child> = (0..4)
        .map(|_| {
            let mut command = served.command(&["serve", "--background"]);
            command.stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let said: Vec<String> = starters
        .into_iter()
        .map(|starter| {
            let output = starter.wait_with_output().unwrap();
            assert!(output.status.success());
            String::from_utf8(output.stderr).unwrap()
        })
        .collect();
    let first = said.iter().filter(|said| !said.contains("already"));
    assert_eq!(first.count(), 1, "{said:?}");
    let by = format!("by process {}\n", served.pid());
    assert!(said.iter().all(|said| said.ends_with(&by)), "{said:?}");
}

/// Who started a command and waits for the end of a pipe does not wait for the daemon.
#[test]
fn it_keeps_nothing_of_who_started_it() {
    let served = sample();
    let (mut end, ours) = std::io::pipe().unwrap();
    fcntl_setfd(&ours, FdFlags::empty()).unwrap();
    let mut command = served.command(&["serve", "--background"]);
    command.stdout(ours.try_clone().unwrap());
    assert!(command.status().unwrap().success());
    drop((command, ours));
    assert_eq!(end.read_to_end(&mut Vec::new()).unwrap(), 0);
    assert_eq!(served.run(&["serve", "--status"]).status, 0);
}

#[test]
fn it_ends_when_it_is_idle() {
    let served = sample();
    let mut daemon = served.own(&["--idle-ms", "50"]);
    assert_eq!(daemon.end(), "ended: nobody needed it for a while\n");
    assert!(!served.file("sock").exists());
}

#[test]
fn it_ends_at_a_signal() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let served = sample();
        let mut daemon = served.own(&[]);
        kill(daemon.pid(), signal);
        assert_eq!(daemon.end(), "ended: a signal ended it\n");
        assert!(!served.file("sock").exists());
    }
}

#[test]
fn one_that_was_killed_is_replaced() {
    let served = sample();
    assert_eq!(served.run(&["serve", "--background"]).status, 0);
    let first = served.pid();
    kill(first, Signal::KILL);
    served.wait_for_the_end();
    assert!(served.file("sock").exists(), "it could not tidy up");
    // Who needs none goes on without a word.
    expect_said(
        &served.run(&["staged"]),
        &expect![[r#"
            --- stderr, status 1
            nothing is staged
        "#]],
    );
    assert_eq!(served.run(&["serve", "--background"]).status, 0);
    assert_ne!(served.pid(), first);
}

#[test]
fn one_of_another_build_gives_way() {
    let served = sample();
    let other = served.folder.path().join("fourfold");
    fs::copy(env!("CARGO_BIN_EXE_fourfold"), &other).unwrap();
    let mut daemon = served.foreground(&other, &[]);
    // Somebody who does not speak with it sees it all the same.
    assert_eq!(served.pid(), daemon.pid());
    assert_eq!(served.run(&["serve", "--background"]).status, 0);
    assert_eq!(daemon.end(), "ended: it was asked to end\n");
    assert_ne!(served.pid(), daemon.pid());
}

#[test]
fn it_ends_when_its_program_is_replaced() {
    let served = sample();
    let other = served.folder.path().join("fourfold");
    fs::copy(env!("CARGO_BIN_EXE_fourfold"), &other).unwrap();
    let mut daemon = served.foreground(&other, &[]);
    fs::remove_file(&other).unwrap();
    assert_eq!(daemon.end(), "ended: the program was replaced\n");
}

#[test]
fn where_it_does_not_look_for_a_server_is_said_to_who_would() {
    let served = Served::new(&[("a.py", "x = 1\n"), ("pyproject.toml", "")]);
    let asked = |path: Option<&Path>| {
        let mut command = served.command(&["servers"]);
        if let Some(path) = path {
            command.env("PATH", path);
        }
        served.project.finish(&mut command)
    };
    served.run(&["serve", "--background"]);
    let same = asked(None);
    assert!(same.out.contains("missing"), "{}", same.whole());
    assert_eq!(same.err, "");
    let tools = served.folder.path().join("tools");
    fs::create_dir(&tools).unwrap();
    let other = asked(Some(&tools));
    assert_eq!(
        other.err,
        format!(
            "`fourfold serve` was started with another PATH, without {}: what is there is not found; \
             `fourfold serve --stop` ends it, and the next command starts one\n",
            tools.display()
        )
    );
    // Nor is it said where nothing is missing.
    let mut staged = served.command(&["staged"]);
    let staged = served.project.finish(staged.env("PATH", &tools));
    assert_eq!(staged.err, "nothing is staged\n");
    served.run(&["serve", "--stop"]);
}

#[test]
fn settings_that_have_changed_are_read() {
    let served = sample();
    assert_eq!(served.run(&["serve", "--background"]).status, 0);
    let first = served.pid();
    served.project.write("fourfold.toml", "[limit]\n");
    assert_eq!(served.run(&["serve", "--background"]).status, 0);
    assert_ne!(served.pid(), first);
    // Every client is told what is odd about them.
    expect_said(
        &served.run(&["staged"]),
        &expect![[r#"
            --- stderr, status 1
            fourfold.toml: nothing is set by `limit`; the nearest is `limits`
            nothing is staged
        "#]],
    );
}

#[test]
fn a_long_path_is_no_trouble() {
    let served = Served::in_folder(&[], &"long".repeat(50));
    assert!(served.file("sock").as_os_str().len() > 200);
    assert_eq!(served.run(&["serve", "--background"]).status, 0);
    assert_eq!(served.run(&["serve", "--status"]).status, 0);
    assert_eq!(served.run(&["serve", "--stop"]).status, 0);
}

#[test]
fn a_folder_that_is_not_ours_alone_is_refused() {
    let served = sample();
    let folder = served.runtime.join("fourfold");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    let here = |run: Run| Run {
        err: run.err.replace(served.runtime.to_str().unwrap(), "RUN"),
        ..run
    };
    expect_said(
        &here(served.run(&["serve", "--background"])),
        &expect![[r#"
            --- stderr, status 2
            error: cannot use `RUN/fourfold`: other users may open it; remove it, or take their rights away (chmod 700)
        "#]],
    );
    expect_said(
        &here(served.run(&["staged"])),
        &expect![[r#"
            --- stderr, status 1
            cannot use `RUN/fourfold`: other users may open it; remove it, or take their rights away (chmod 700); going on without `fourfold serve`
            nothing is staged
        "#]],
    );
    assert_eq!(
        served.run(&["--no-serve", "staged"]).err,
        "nothing is staged\n"
    );
    let mut quiet = served.command(&["staged"]);
    quiet.env("FOURFOLD_NO_SERVE", "1");
    assert_eq!(served.project.finish(&mut quiet).err, "nothing is staged\n");
}

#[test]
fn one_that_does_not_answer_is_said_and_done_without() {
    let served = sample();
    let id = served.run(&["rewrite", "f($X)", "g($X)"]).stage();
    assert_eq!(served.run(&["serve", "--background"]).status, 0);
    let pid = served.pid();
    kill(pid, Signal::STOP);
    expect_said(
        &served.run(&["resolve", &id, "--apply"]),
        &expect![[r#"
            applied s-XXXX: 3 sites in 2 files
            --- stderr, status 0
            the daemon (process PID) did not answer within 5 seconds; going on without `fourfold serve`
        "#]],
    );
    assert_eq!(served.project.read("b/c.py"), "g(3)\n");
    kill(pid, Signal::CONT);
    assert_eq!(served.run(&["serve", "--status"]).status, 0);
}

#[test]
fn one_that_is_lost_is_done_without_unless_files_may_have_changed() {
    let served = sample();
    let id = served.run(&["rewrite", "f($X)", "g($X)"]).stage();
    let impostor = served.impostor(&[r#"{"type":"working","id":1}"#], 2);
    let said = served.run(&["resolve", &id, "--apply"]);
    let list = served.run(&["staged"]);
    impostor.join().unwrap();
    expect_said(
        &said,
        &expect![[r#"
            --- stderr, status 2
            error: the daemon (process PID) is gone, and it is not known whether `resolve` was done: look at the files, and at `fourfold staged`, before you try again
        "#]],
    );
    expect_said(
        &Run {
            out: String::new(),
            ..list
        },
        &expect![[r#"
            --- stderr, status 0
            the daemon (process PID) is gone; going on without `fourfold serve`
        "#]],
    );
    assert_eq!(served.project.read("b/c.py"), "f(3)\n");
}

#[test]
fn what_was_not_begun_is_done_elsewhere() {
    let served = sample();
    let id = served.run(&["rewrite", "f($X)", "g($X)"]).stage();
    let impostor = served.impostor(&[r#"{"type":"ending"}"#], 2);
    expect_said(
        &served.run(&["resolve", &id, "--apply"]),
        &expect![[r#"
            applied s-XXXX: 3 sites in 2 files
            --- stderr, status 0
            the daemon ends; going on without `fourfold serve`
        "#]],
    );
    impostor.join().unwrap();
}

#[test]
fn what_was_found_late_is_shown_with_whatever_was_asked() {
    const ANSWER: &[&str] = &[
        r#"{"type":"answer","id":1,"text":"","value":{"stages":[],"evicted":[]},"late":[{"path":"a.py","line":4,"column":2,"severity":"error","code":"E1","message":"wrong","server":"pyright"}]}"#,
    ];
    let served = sample();
    let impostor = served.impostor(ANSWER, 1);
    let said = served.run(&["staged"]);
    impostor.join().unwrap();
    assert!(
        said.err.contains(
            "found since the last answer, about earlier changes:\n  a.py:4:2 error E1: wrong\n"
        ),
        "{}",
        said.err
    );
}

#[test]
fn what_is_no_daemon_is_not_spoken_with() {
    let served = sample();
    let impostor = served.impostor(&["HTTP/1.1 400 Bad Request"], 1);
    let said = served.run(&["staged"]);
    impostor.join().unwrap();
    assert!(said.err.contains("is not understood: "), "{}", said.err);
    assert!(said.err.ends_with("nothing is staged\n"), "{}", said.err);
}

#[test]
fn stages_of_a_conversation_live_in_it() {
    let served = sample();
    assert_eq!(served.run(&["serve", "--background"]).status, 0);
    let mut client = served.client();
    let edit = json!({"pattern": "f($X)", "template": "g($X)", "keep": false});
    let staged = client.call("ast_edit", &edit);
    let id = staged["value"]["stage"].as_str().unwrap().to_owned();

    assert!(served.run(&["staged"]).out.starts_with(&id));
    let shown = served.run(&["staged", &id]);
    assert!(shown.out.contains("+g(3)"), "{}", shown.out);
    let sites = served.run(&["staged", &id, "--json"]).json();
    assert_eq!(sites.len(), 4);
    assert_eq!(sites[3]["sites"], 3);
    for elsewhere in [&["--no-serve"][..], &["--conversation", "other"]] {
        let run = served.run(&[elsewhere, &["staged"]].concat());
        assert_eq!(run.err, "nothing is staged\n", "{elsewhere:?}");
        let run = served.run(&[elsewhere, &["resolve", &id, "--discard"]].concat());
        assert_eq!(run.status, 2, "{elsewhere:?}");
    }
    // A name that is typed in a folder below is understood there.
    let mut resolve = served.command(&["resolve", &id, "--apply", "--except", "c.py"]);
    let resolved = served
        .project
        .finish(resolve.current_dir(served.root().join("b")));
    expect_said(
        &resolved,
        &expect![[r#"
            applied s-XXXX: 2 sites in 1 file
            left out and staged as s-XXXX: 1 site in 1 file
            --- stderr, status 0
        "#]],
    );
    assert_eq!(served.project.read("a.py"), "g(1)\ng(2)\n");
    assert_eq!(served.project.read("b/c.py"), "f(3)\n");
    // What was left out is in the same conversation.
    let (_, rest) = resolved.out.split_once("staged as ").unwrap();
    let (rest, _) = rest.split_once(':').unwrap();
    assert_eq!(served.run(&["resolve", rest, "--discard"]).status, 0);
    assert_eq!(served.run(&["staged"]).err, "nothing is staged\n");
    let status = served.run(&["serve", "--status"]);
    assert!(
        status.out.contains("1 client, 0 requests"),
        "{}",
        status.out
    );
    assert!(
        status.out.contains("conversations: other, cli"),
        "{}",
        status.out
    );
}

#[test]
fn a_refusal_is_that_of_the_command_line() {
    let served = sample();
    let id = served.run(&["rewrite", "f($X)", "g($X)"]).stage();
    served.project.write("a.py", "f(4)\n");
    let here = served.run(&["--no-serve", "resolve", &id, "--apply"]);
    assert_eq!(served.run(&["serve", "--background"]).status, 0);
    let there = served.run(&["resolve", &id, "--apply"]);
    assert_eq!((here.status, there.status), (2, 2));
    assert_eq!(here.err, there.err);
    assert!(there.err.contains("(--except a.py)"), "{}", there.err);
    let json = served.run(&["resolve", &id, "--apply", "--json"]).json();
    assert_eq!(json[0]["type"], "error");
}

#[test]
fn the_same_is_said_with_and_without() {
    let served = sample();
    let id = served.run(&["rewrite", "f($X)", "g($X)"]).stage();
    assert_eq!(served.run(&["serve", "--background"]).status, 0);
    for args in [
        &["staged"][..],
        &["staged", "--json"],
        &["staged", &id],
        &["staged", &id, "--json"],
        &["staged", "s-none"],
        &["resolve", "s-none", "--apply"],
    ] {
        let there = served.run(args).whole();
        let here = served.run(&[args, &["--no-serve"]].concat()).whole();
        // A second may have passed in between.
        let ages = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "0");
        assert_eq!(ages(&there), ages(&here), "{args:?}");
    }
}

#[test]
fn many_clients_at_once() {
    let line = "f(12345)\n";
    let served = Served::new(&[("a.py", &line.repeat(1000))]);
    assert_eq!(served.run(&["serve", "--background"]).status, 0);
    let search = json!({"pattern": "f($X)", "limit": 1000});
    let mut clients: Vec<Client> = (0..5).map(|_| served.client()).collect();
    for client in &mut clients {
        client.ask("ast_grep", &search);
        client.ask("staged", &json!({}));
    }
    // One of them does not wait.
    drop(clients.pop());
    for client in &mut clients {
        let answers = [client.answer(), client.answer()];
        let found = answers.iter().find(|answer| answer["id"] == 1).unwrap();
        assert_eq!(found["value"]["summary"]["matches"], 1000);
        assert!(found.to_string().len() > 100_000);
    }
    assert_eq!(served.run(&["serve", "--stop"]).status, 0);
}

#[test]
fn a_checkout_that_is_gone_is_not_served() {
    let served = sample();
    let mut daemon = served.own(&[]);
    let root = served.root();
    fs::rename(&root, served.folder.path().join("moved")).unwrap();
    assert_eq!(daemon.end(), "ended: the checkout is gone\n");
    fs::rename(served.folder.path().join("moved"), &root).unwrap();
}

/// The program is its own guard: started as one, and by nobody, it ends without a word.
#[test]
fn it_is_its_own_guard() {
    let run = Project::new(&[]).run(["--fourfold-guard", "sleep"]);
    assert_eq!(
        (run.status, run.out.as_str(), run.err.as_str()),
        (2, "", "")
    );
}
