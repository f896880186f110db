//! One program run, measured: CPU seconds, peak memory, wall time, bytes printed.
//!
//! The program is started by a *gauge*: this same binary again, as a small process that does nothing
//! but start the program, drain its output and read the usage of its children. Both matter: the
//! peak memory that the kernel reports for a child includes what its parent held when it was
//! started, so a harness full of match sets would be charged to the measured program.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use serde::{Deserialize, Serialize};

/// First argument that turns a binary of this crate into the gauge.
pub const GAUGE_FLAG: &str = "--gauge-one-run";

/// What one run cost.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Usage {
    /// User plus system CPU seconds of the program and its waited-for children, all threads.
    pub cpu: f64,
    /// Wall seconds from start to exit.
    pub wall: f64,
    /// Peak resident memory in KiB.
    pub rss_kib: u64,
    /// Bytes written to standard output.
    pub bytes: u64,
    /// Exit status; -1 when a signal ended it.
    pub status: i32,
}

/// What to run: program, arguments, working directory.
#[derive(Debug, Clone)]
pub struct Run {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it runs.
    pub dir: PathBuf,
}

/// Becomes the gauge when the arguments say so: call this first in `main` and return when it
/// answers `true`.
///
/// # Errors
/// When the program cannot be started or its output cannot be saved.
pub fn gauge_if_asked() -> Result<bool> {
    let mut args = std::env::args_os().skip(1);
    if args.next().as_deref() != Some(GAUGE_FLAG.as_ref()) {
        return Ok(false);
    }
    let save = args
        .next()
        .context("the gauge got no place to save output")?;
    let program = args.next().context("the gauge got no program")?;
    let mut sink = if save.is_empty() {
        None
    } else {
        Some(File::create(&save)?)
    };
    let begun = Instant::now();
    let mut child = Command::new(&program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("starting {}", Path::new(&program).display()))?;
    let mut bytes = 0;
    if let Some(mut out) = child.stdout.take() {
        let mut chunk = vec![0; 1 << 16];
        loop {
            let n = out.read(&mut chunk)?;
            if n == 0 {
                break;
            }
            bytes += n as u64;
            if let Some(sink) = &mut sink {
                sink.write_all(&chunk[..n])?;
            }
        }
    }
    let status = child.wait()?.code().unwrap_or(-1);
    let wall = begun.elapsed().as_secs_f64();
    let used = getrusage(UsageWho::RUSAGE_CHILDREN).context("reading the usage of the child")?;
    let seconds = |t: nix::sys::time::TimeVal| t.tv_sec() as f64 + t.tv_usec() as f64 / 1e6;
    let usage = Usage {
        cpu: seconds(used.user_time()) + seconds(used.system_time()),
        wall,
        rss_kib: used.max_rss().unsigned_abs(),
        bytes,
        status,
    };
    let mut stdout = std::io::stdout().lock();
    serde_json::to_writer(&mut stdout, &usage)?;
    stdout.flush()?;
    Ok(true)
}

/// Runs a program under the gauge; `save` keeps its standard output.
///
/// # Errors
/// When the gauge or the program cannot be started. A program that fails is no error here: its
/// status is in the answer.
pub fn run(run: &Run, save: Option<&Path>) -> Result<Usage> {
    let gauge = std::env::current_exe().context("finding this binary")?;
    let out = Command::new(gauge)
        .arg(GAUGE_FLAG)
        .arg(save.map(Path::as_os_str).unwrap_or_default())
        .arg(&run.program)
        .args(&run.args)
        .current_dir(&run.dir)
        .stderr(Stdio::inherit())
        .output()
        .context("starting the gauge")?;
    if !out.status.success() {
        bail!(
            "measuring {} failed; is it there and executable?",
            run.program.display()
        );
    }
    serde_json::from_slice(&out.stdout).context("reading what the gauge measured")
}
