//! What a write of a file of 2,000 lines costs us, beside what its language server takes: the CPU
//! time of this process, with a scripted server that answers at once.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench that cannot go on has failed, and criterion's macros document nothing"
)]

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use fourfold::{EditRequest, Guard, Host, HostConfig, VerdictState, WriteRequest};
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

fn write(criterion: &mut Criterion) {
    let project = Project::new().file("a.fake", &source());
    let beside = project.beside();
    let fake = FakeProgram::new(&Script::of(Style::Pull), &beside.join("script"));
    let user = beside.join("user");
    fs::create_dir(&user).unwrap();
    let command: Vec<&str> = [fake.program.to_str().unwrap()]
        .into_iter()
        .chain(fake.args.iter().map(String::as_str))
        .collect();
    let settings = format!(
        "[servers.fake]\ncommand = {command:?}\nlanguage = \"fake\"\nextensions = [\"fake\"]\nroot_markers = []\n"
    );
    fs::write(user.join("fourfold.toml"), settings).unwrap();
    let mut config = HostConfig::default();
    config.user_folder = Some(user);
    config.servers.state_folder = beside.join("state");
    config.servers.guard = Guard::Program(program::guard());
    let host = Host::new(config);
    let conversation = host.checkout(project.root()).unwrap().conversation("bench");

    let mut number = 0;
    let mut edit = || {
        let old = format!("return moved + {number};");
        number += 1;
        let request = EditRequest::new("a.fake", old, format!("return moved + {number};"));
        let result = conversation.edit(&request).unwrap();
        assert_eq!(result.verdict.unwrap().state, VerdictState::Clean);
    };
    let start = source().replacen("return moved;", "return moved + 0;", 1);
    conversation
        .write(&WriteRequest::new("a.fake", start))
        .unwrap();
    criterion.bench_function("edit of 2,000 lines, CPU", |bencher| {
        bencher.iter_custom(|times| {
            let before = cpu();
            for _ in 0..times {
                edit();
            }
            cpu().saturating_sub(before)
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = write
}
criterion_main!(benches);
