//! The scripted server as a program, and what is left of it.

use std::io::{BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fourfold_framing::{FrameReader, FrameWriter, Limits};
use fourfold_testkit::{FakeProgram, Project, Script, Step, Style, leftovers};
use serde_json::{Value, json};

#[test]
fn a_program_plays_the_script_and_writes_down_what_it_receives() {
    let project = Project::new();
    let script = Script::of(Style::Push).on(
        "initialize",
        [Step::Errors("starting\n".into(), 2), Step::AsUsual],
    );
    let fake = FakeProgram::new(&script, project.root());
    let mut child = Command::new(&fake.program)
        .args(&fake.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut writer = FrameWriter::new(child.stdin.take().unwrap());
    let output = BufReader::new(child.stdout.take().unwrap());
    let mut reader = FrameReader::new(output, Limits::default());
    for message in [
        json!({"id": 1, "method": "initialize", "params": {}}),
        json!({"id": 2, "method": "shutdown"}),
    ] {
        writer.write(message.to_string().as_bytes()).unwrap();
        let answer = reader.read().unwrap().unwrap().into_body().unwrap();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(answer["id"], message["id"]);
    }
    writer.write(br#"{"method": "exit"}"#).unwrap();
    assert!(child.wait().unwrap().success());
    let mut errors = String::new();
    BufReader::new(child.stderr.take().unwrap())
        .read_to_string(&mut errors)
        .unwrap();
    assert_eq!(errors, "starting\nstarting\n");
    assert_eq!(fake.received().len(), 3);
    assert_eq!((fake.count("shutdown"), fake.count("none")), (1, 0));
}

#[test]
fn what_is_left_of_it_is_found() {
    let project = Project::new();
    let fake = FakeProgram::new(
        &Script::default().on("$start", [Step::Child]),
        project.root(),
    );
    let mut child = Command::new(&fake.program)
        .args(&fake.args)
        .env("FOURFOLD_TEST", project.root())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    // Its end comes after its start: by then it has a child of its own.
    child.stdin.take().unwrap().flush().unwrap();
    assert!(!child.wait().unwrap().success());

    let left = leftovers::of_folder(project.root());
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0].command, "sleep 3600");
    assert!(leftovers::resident(&left) > 0);
    let killed = Command::new("kill")
        .arg(left[0].pid.to_string())
        .status()
        .unwrap();
    assert!(killed.success());
    leftovers::assert_none(project.root());
}

#[test]
fn what_inherited_a_variable_is_found_until_it_ends() {
    let value = format!("{} what was meant", std::process::id());
    let find = || leftovers::that_inherited("FOURFOLD_TESTKIT_MARK", &value);
    assert_eq!(leftovers::after_a_while(find), []);
    let mut sleeper = Command::new("sleep")
        .arg("3600")
        .env("FOURFOLD_TESTKIT_MARK", &value)
        .spawn()
        .unwrap();
    // It is started a moment before its environment can be read.
    let begun = Instant::now();
    let found = loop {
        let found = find();
        if !found.is_empty() || begun.elapsed() > Duration::from_secs(10) {
            break found;
        }
    };
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].pid, sleeper.id());
    assert_eq!(leftovers::after_a_while(find), []);
}
