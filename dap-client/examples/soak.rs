//! Sessions in a row, each ended in another way at another moment, and what is left of them:
//!
//! `soak ADAPTER PROGRAM COUNT`. The program gets a port to listen on and a file to lock, and runs on.
//! With `end` behind the count it gets that word too, is to end by itself, and nothing is killed. What
//! is killed in turn: nothing (it is terminated), the owner, the adapter or the program or whatever it
//! started, the guard, and this process itself.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an example prints, and ends when it cannot go on"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fourfold_dap_client::{Debugger, DebuggerConfig, LaunchRequest, Outcome};
use fourfold_testkit::leftovers;
use serde_json::json;

fn main() {
    fourfold_child::guard::enter();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    match args.as_slice() {
        [adapter, program, count] => {
            runtime.block_on(soak(adapter, program, count.parse().unwrap(), false));
        }
        [adapter, program, count, word] if word == "end" => {
            runtime.block_on(soak(adapter, program, count.parse().unwrap(), true));
        }
        [adapter, program, folder, port] => {
            runtime.block_on(async {
                let debugger = debugger(Path::new(folder));
                let port = port.parse().unwrap();
                let request = request(adapter, program, Path::new(folder), port, false);
                let _ = debugger.launch(request).await;
                tokio::time::sleep(Duration::from_secs(60)).await;
            });
        }
        _ => println!("soak ADAPTER PROGRAM COUNT"),
    }
}

fn debugger(folder: &Path) -> Debugger {
    let mut config = DebuggerConfig::new(folder.to_owned());
    config.detect.trusted = true;
    Debugger::new(config)
}

fn request(adapter: &str, program: &str, folder: &Path, port: u16, ends: bool) -> LaunchRequest {
    let scratch = folder.join("scratch");
    fs::write(&scratch, "").unwrap();
    let mut args = vec![port.to_string(), folder.join("lock").display().to_string()];
    args.extend(ends.then(|| "end".to_owned()));
    let mut request = LaunchRequest::new(
        adapter,
        json!({
            "mode": (adapter == "delve").then_some("exec"),
            "program": program,
            "args": args,
            "cwd": folder,
        }),
    );
    request.cwd = Some(folder.to_owned());
    request.wait = Some(Duration::from_secs(60));
    request.scratch.push(scratch);
    request
}

async fn soak(adapter: &str, program: &str, count: u64, ends: bool) {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut dirty = 0;
    let begun = Instant::now();
    for number in 0..count {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let after = Duration::from_millis(random % 9000);
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let port = std::net::TcpListener::bind(("127.0.0.1", 0))
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let way = match ends {
            true => "end",
            false => ["terminate", "drop", "process", "guard", "us"][(number % 5) as usize],
        };
        match way {
            "us" => {
                let mut child = Command::new(std::env::current_exe().unwrap())
                    .args([adapter, program, root.to_str().unwrap(), &port.to_string()])
                    .stdout(Stdio::null())
                    .spawn()
                    .unwrap();
                tokio::time::sleep(after).await;
                child.kill().unwrap();
                child.wait().unwrap();
                // Nobody is left to remove it.
                let _ = fs::remove_file(root.join("scratch"));
            }
            "end" => {
                let debugger = debugger(&root);
                let launch = request(adapter, program, &root, port, true);
                match debugger.launch(launch).await {
                    Ok((_, outcome @ Outcome::Exited(_))) => drop(outcome),
                    Ok((_, other)) => println!("did not end: {other}"),
                    Err(error) => println!("error: {error}"),
                }
                let _ = debugger.terminate().await;
            }
            _ => one(adapter, program, &root, port, way, after, random).await,
        }
        let left = left(&root, port);
        if !left.is_empty() {
            dirty += 1;
        }
        println!(
            "{number} {way} after {after:?}: {}",
            if left.is_empty() { "clean" } else { &left }
        );
    }
    println!(
        "{count} sessions, {dirty} left something, {:?}",
        begun.elapsed()
    );
}

async fn one(
    adapter: &str,
    program: &str,
    root: &Path,
    port: u16,
    way: &str,
    after: Duration,
    random: u64,
) {
    let debugger = debugger(root);
    let mut launch = Box::pin(debugger.launch(request(adapter, program, root, port, false)));
    let launched = tokio::time::timeout(after, &mut launch).await;
    match way {
        "terminate" => {
            // In the middle of a launch it is the launch that is given up.
            drop(launch);
            let _ = debugger.terminate().await;
        }
        "drop" => {
            drop(launch);
            drop(debugger);
        }
        _ => {
            let victims: Vec<u32> = match way {
                "guard" => guards(),
                _ => leftovers::of_folder(root)
                    .iter()
                    .map(|process| process.pid)
                    .collect(),
            };
            if let Some(victim) = victims.get(random as usize % victims.len().max(1)) {
                let _ = Command::new("kill")
                    .args(["-9", &victim.to_string()])
                    .status();
            }
            if launched.is_err() {
                let _ = tokio::time::timeout(Duration::from_secs(3), &mut launch).await;
            }
            drop(launch);
            let _ = debugger.terminate().await;
        }
    }
}

/// The guards of this process.
fn guards() -> Vec<u32> {
    fs::read_dir("/proc/self/task")
        .unwrap()
        .filter_map(|task| fs::read_to_string(task.ok()?.path().join("children")).ok())
        .flat_map(|pids| {
            let pids = pids.split_whitespace().filter_map(|pid| pid.parse().ok());
            pids.collect::<Vec<u32>>()
        })
        .collect()
}

/// What is left after five seconds, in words.
fn left(root: &Path, port: u16) -> String {
    let begun = Instant::now();
    loop {
        let mut left: Vec<String> = leftovers::of_folder(root)
            .into_iter()
            .map(|process| process.command)
            .collect();
        if std::net::TcpListener::bind(("127.0.0.1", port)).is_err() {
            left.push(format!("port {port}"));
        }
        let lock = root.join("lock");
        if lock.exists() {
            let free = Command::new("flock")
                .arg("-n")
                .arg(&lock)
                .arg("true")
                .status();
            if !free.unwrap().success() {
                left.push("the lock".to_owned());
            }
        }
        if root.join("scratch").exists() {
            left.push("a file".to_owned());
        }
        if left.is_empty() || begun.elapsed() > Duration::from_secs(5) {
            return left.join(", ");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
