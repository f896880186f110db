//! A program that does what makes processes outlive their host: it starts others in sessions and
//! groups of their own, as a daemon, without environment, each with a port and a locked file.
//! The tests start it; under a shell it shows what stays:
//! `cargo run -p fourfold-child --example unruly -- tree FOLDER`.
#![allow(
    clippy::print_stdout,
    clippy::exit,
    reason = "a program that talks on its standard output and ends as it is told"
)]

use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::process::{self, Command, Stdio};
use std::{env, thread};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tree", folder] => tree(folder),
        ["hold", file] => hold(file),
        ["session", file] => {
            rustix::process::setsid()?;
            hold(file)
        }
        ["daemon", file] => {
            // Its child is an orphan at once.
            itself()?.args(["session", file]).spawn()?;
            Ok(())
        }
        ["hops"] => {
            itself()?.arg("hop").stdout(Stdio::null()).spawn()?;
            println!("ready");
            until_input_ends()
        }
        // Never there for longer than it takes to start the next.
        ["hop"] => itself()?.arg("hop").spawn().map(drop).map_err(Into::into),
        _ => Err("tree FOLDER, or one of its parts".into()),
    }
}

fn tree(folder: &str) -> Result<()> {
    let program = |way: &str, file: &str| -> Result<Command> {
        let mut command = itself()?;
        command.args([way, &format!("{folder}/{file}")]);
        Ok(command)
    };
    start(&mut program("hold", "child")?)?;
    start(program("hold", "group")?.process_group(0))?;
    start(&mut program("session", "session")?)?;
    start(&mut program("daemon", "daemon")?)?;
    start(program("session", "bare")?.env_clear())?;
    let _kept = take(&format!("{folder}/main"))?;
    println!("ready");
    until_input_ends()
}

/// Starts a process and passes on the line in which it, or the one that it started, says what it has.
fn start(command: &mut Command) -> Result<()> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    let output = child.stdout.take().ok_or("no output")?;
    BufReader::new(output).read_line(&mut line)?;
    print!("{line}");
    Ok(())
}

fn hold(file: &str) -> Result<()> {
    let _kept = take(file)?;
    loop {
        thread::park();
    }
}

fn take(file: &str) -> Result<(File, TcpListener)> {
    let lock = File::create(file)?;
    lock.lock()?;
    let port = TcpListener::bind("127.0.0.1:0")?;
    println!("{} {} {file}", process::id(), port.local_addr()?.port());
    Ok((lock, port))
}

fn until_input_ends() -> Result<()> {
    io::stdin().read_to_end(&mut Vec::new())?;
    process::exit(3);
}

fn itself() -> io::Result<Command> {
    Ok(Command::new(env::current_exe()?))
}
