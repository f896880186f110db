//! `fourfold mcp` as a host sees it: how soon it tells its tools, what a call costs when the index is
//! warm, and how much memory it takes before there is any.
#![allow(clippy::print_stdout, reason = "a command-line program")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use fourfold_benches::{report, tools};
use lexopt::prelude::*;
use serde_json::{Value, json};

const HELP: &str = "\
host: what `fourfold mcp` costs a host

  --root FOLDER      the checkout that it is started in (default: this one)
  --symbol NAME      the symbol that is asked about (default: Conversation)
  --runs N           cold starts (default 15); medians are told
  --calls N          warm calls (default 200)
  --fourfold PATH    our program (default: built by cargo in release)";

/// A server and its two pipes.
struct Host {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Host {
    fn start(program: &Path, root: &Path) -> Result<Host> {
        let mut child = Command::new(program)
            .arg("mcp")
            .arg("--root")
            .arg(root)
            .env("FOURFOLD_NO_SERVE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .with_context(|| format!("starting {}", program.display()))?;
        let input = child.stdin.take().context("its input")?;
        let output = child.stdout.take().context("its output")?;
        Ok(Host {
            child,
            input,
            output: BufReader::new(output),
            asked: 0,
        })
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        writeln!(self.input, "{message}")?;
        Ok(self.input.flush()?)
    }

    /// The result of a request; what else comes is passed over.
    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                bail!("the server ended before it answered {method}");
            }
            let mut message: Value = serde_json::from_str(&line)?;
            if message["id"] != id {
                continue;
            }
            if message["error"].is_object() {
                bail!("{method}: {}", message["error"]);
            }
            return Ok(message["result"].take());
        }
    }

    /// The older handshake, and the tools.
    fn tools(&mut self) -> Result<usize> {
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        });
        self.ask("initialize", &hello)?;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        let listed = self.ask("tools/list", &json!({}))?;
        listed["tools"].as_array().map(Vec::len).context("no tools")
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let called = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        if called["isError"] == true {
            bail!("{tool}: {called}");
        }
        Ok(called)
    }

    /// Resident memory of the process, in bytes.
    fn memory(&self) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().next());
        Ok(kib.context("no VmRSS")?.parse::<u64>()? * 1024)
    }

    fn end(mut self) -> Result<()> {
        drop(self.input);
        self.child.wait()?;
        Ok(())
    }
}

fn main() -> Result<()> {
    let (mut root, mut symbol, mut program) = (PathBuf::from("."), "Conversation".to_owned(), None);
    let (mut runs, mut calls) = (15, 200);
    let mut args = lexopt::Parser::from_env();
    while let Some(arg) = args.next()? {
        match arg {
            Long("root") => root = args.value()?.into(),
            Long("symbol") => symbol = args.value()?.string()?,
            Long("runs") => runs = args.value()?.parse()?,
            Long("calls") => calls = args.value()?.parse()?,
            Long("fourfold") => program = Some(args.value()?.into()),
            Long("help") => {
                println!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let program = tools::ours(program, &tools::target_folder()?)?;
    let root = root.canonicalize().context("finding the checkout")?;
    let milliseconds = |since: Instant| since.elapsed().as_secs_f64() * 1e3;

    let (mut starts, mut sizes, mut offered) = (Vec::new(), Vec::new(), 0);
    for _ in 0..runs {
        let begun = Instant::now();
        let mut host = Host::start(&program, &root)?;
        offered = host.tools()?;
        starts.push(milliseconds(begun));
        sizes.push(host.memory()? as f64 / f64::from(1 << 20));
        host.end()?;
    }

    let mut host = Host::start(&program, &root)?;
    host.tools()?;
    let question = json!({"symbol": symbol});
    let begun = Instant::now();
    host.call("code_symbol", &question)?;
    let first = milliseconds(begun);
    let mut times = Vec::new();
    for _ in 0..calls {
        let begun = Instant::now();
        host.call("code_symbol", &question)?;
        times.push(milliseconds(begun));
    }
    let after = host.memory()? as f64 / f64::from(1 << 20);
    host.end()?;
    times.sort_by(f64::total_cmp);
    let slow = times.get(times.len() * 99 / 100).copied();

    println!("{}", report::head(&["what", "measured", "goal"]));
    println!(
        "| cold start to the answer of `tools/list` ({offered} tools), median of {runs} | {:.1} ms | 100 ms |",
        report::median(&starts)
    );
    println!(
        "| memory then, median | {:.1} MB | 40 MB |",
        report::median(&sizes)
    );
    println!("| first `code_symbol`, which indexes | {first:.0} ms | |");
    println!(
        "| warm `code_symbol`, median of {calls} | {:.2} ms | 5 ms |",
        report::median(&times)
    );
    println!("| 99 of 100 below | {:.2} ms | |", slow.unwrap_or_default());
    println!("| memory after it | {after:.1} MB | |");
    Ok(())
}
