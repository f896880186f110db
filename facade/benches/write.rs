//! What a write of a file of 2,000 lines costs us, beside what its language server takes: the CPU
//! time of this process, with a scripted server that answers at once. Once with a server that looks
//! at the whole project, and with one that has to be shown the files that use what was changed: once
//! for edits within a body, once for edits of what is declared, after each of which the file is indexed.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench that cannot go on has failed, and criterion's macros document nothing"
)]

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use fourfold::{Cache, EditRequest, Guard, Host, HostConfig, VerdictState, WriteRequest};
use fourfold_testkit::{FakeProgram, Project, Script, Style, program};

/// What all threads of this process have run for.
fn cpu() -> Duration {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let of = |task: fs::DirEntry| {
        let stat = fs::read_to_string(task.path().join("schedstat")).ok()?;
        stat.split(' ').next()?.parse::<u64>().ok()
    };
    let ran = tasks.filter_map(|task| of(task.ok()?));
    Duration::from_nanos(ran.sum())
}

fn source() -> String {
    let mut text = String::new();
    for number in 0..400 {
        writeln!(text, "function name_{number}(value) {{").unwrap();
        writeln!(text, "    let doubled = value * 2;").unwrap();
        writeln!(text, "    let moved = doubled + {number};").unwrap();
        writeln!(text, "    return moved;\n}}").unwrap();
    }
    text
}

/// With a server for files of this extension; whether it looks at files that are not open. `edited` is
/// what stands in the file, with `#` for a number that is another one each time.
fn write(criterion: &mut Criterion, name: &str, extension: &str, unopened: bool, edited: &str) {
    let file = format!("a.{extension}");
    let project = Project::new()
        .file(&file, &format!("export {}", source()))
        .file("b.js", "import { name_0 } from './a.js';\n\nname_0(1);\n");
    let beside = project.beside();
    let fake = FakeProgram::new(&Script::of(Style::Pull), &beside.join("script"));
    let user = beside.join("user");
    fs::create_dir(&user).unwrap();
    let command: Vec<&str> = [fake.program.to_str().unwrap()]
        .into_iter()
        .chain(fake.args.iter().map(String::as_str))
        .collect();
    let settings = format!(
        "[servers.fake]\ncommand = {command:?}\nlanguage = \"fake\"\nextensions = [{extension:?}]\nroot_markers = []\nunopened = {unopened}\n"
    );
    fs::write(user.join("fourfold.toml"), settings).unwrap();
    let mut config = HostConfig::default();
    config.user_folder = Some(user);
    config.index_cache = Cache::Memory;
    config.servers.state_folder = beside.join("state");
    config.servers.guard = Guard::Program(program::guard());
    let host = Host::new(config);
    let conversation = host.checkout(project.root()).unwrap().conversation("bench");

    let mut number = 1000;
    let mut edit = || {
        let old = edited.replace('#', &number.to_string());
        number += 1;
        let new = edited.replace('#', &number.to_string());
        let request = EditRequest::new(file.as_str(), old, new);
        let result = conversation.edit(&request).unwrap();
        assert_eq!(result.verdict.unwrap().state, VerdictState::Clean);
    };
    let start = format!("export {}", source())
        .replacen("return moved;", "return moved + 1000;", 1)
        .replacen("name_1(value)", "name_1(value, more = 1000)", 1);
    conversation
        .write(&WriteRequest::new(file.as_str(), start))
        .unwrap();
    criterion.bench_function(name, |bencher| {
        bencher.iter_custom(|times| {
            let before = cpu();
            for _ in 0..times {
                edit();
            }
            cpu().saturating_sub(before)
        });
    });
}

fn writes(criterion: &mut Criterion) {
    let body = "return moved + #;";
    write(criterion, "edit of 2,000 lines, CPU", "fake", true, body);
    let name = "edit of 2,000 lines and its users looked for, CPU";
    write(criterion, name, "js", false, body);
    let name = "edit of a declaration in 2,000 lines and its users looked for, CPU";
    write(criterion, name, "js", false, "more = #)");
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = writes
}
criterion_main!(benches);
