//! Keeping a child through its guard.

use std::io::{self, Read};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tokio::sync::oneshot;

use super::{Hand, Order, Ready, Teller, not_executed};
use crate::error::SpawnError;
use crate::exit::EndedBy;
use crate::guard;
use crate::leader::Leader;
use crate::processes;
use crate::sweep;
use crate::wire::{self, GuardEnded, KILL, REPORT_LENGTH, Refusal, Report, Status, TERMINATE};

/// What is started as guard.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// Within this time the program must run.
    pub(crate) within: Duration,
}

/// Hold of a guard.
#[derive(Debug)]
pub(super) struct Grip {
    control: Arc<UnixStream>,
    guard: Arc<Leader>,
}

impl Grip {
    pub(super) fn guard_pid(&self) -> u32 {
        self.guard.pid()
    }

    pub(super) fn terminate(&self) {
        // It fails when the guard is gone, which ends everything anyway.
        let _ = wire::send_all(&self.control, &[TERMINATE]);
    }

    /// The guard ends everything; what it says is still heard.
    pub(super) fn kill(&self) {
        // It fails when the guard is gone, and the second time.
        let _ = wire::send_all(&self.control, &[KILL]);
        let _ = self.control.shutdown(Shutdown::Write);
    }

    /// Everything below it goes first: without the guard, what has no token could not be found.
    pub(super) fn kill_guard(&self) {
        let root = self.guard.pid().cast_signed();
        for process in processes::descendants(&[root], &processes::all()) {
            process.signal(Signal::KILL);
        }
        self.guard.signal(Signal::KILL);
    }
}

/// Starts the guard, which starts the program, and stays until both are gone.
pub(super) fn keep(order: Order, program: Program, ready: oneshot::Sender<Ready>, teller: &Teller) {
    let begin = Instant::now();
    let token = order.token.clone();
    let (control, guard) = match start_guard(&order, &program) {
        Ok(started) => started,
        Err(error) => {
            let _ = ready.send(Err(error));
            return;
        }
    };
    let pid = match introduce(order, &program, &control, begin) {
        Ok(pid) => pid,
        Err(error) => {
            // It may be a guard that is late, or no guard at all.
            guard.signal(Signal::KILL);
            guard.wait();
            guard.reap();
            sweep::end_all_of(&token);
            let _ = ready.send(Err(error));
            return;
        }
    };
    tracing::debug!(pid, guard = guard.pid(), "a child runs");
    let grip = Grip {
        control: Arc::clone(&control),
        guard: Arc::clone(&guard),
    };
    // When nobody waits any more, dropping it ends the child.
    let _ = ready.send(Ok(Hand {
        pid,
        grip: super::Grip::Guard(grip),
        asked: Arc::clone(&teller.asked),
    }));

    let clean = listen(&control, teller);
    guard.wait();
    guard.reap();
    let left = clean.unwrap_or_else(|| {
        tracing::warn!(
            pid,
            guard = guard.pid(),
            "a guard was killed; ending by token what it guarded"
        );
        let left = sweep::end_all_of(&token);
        teller.exited(None, None, EndedBy::GuardLost);
        left
    });
    tracing::debug!(pid, left, "a child and all that it started are gone");
    teller.gone(left);
}

/// A descriptor that the guard inherits is its standard input: that is the control socket.
fn start_guard(
    order: &Order,
    program: &Program,
) -> Result<(Arc<UnixStream>, Arc<Leader>), SpawnError> {
    let (ours, theirs) = UnixStream::pair().map_err(|source| SpawnError::System {
        program: order.start.program.clone().into(),
        doing: "making the control socket",
        source,
    })?;
    let shown = order.start.program.file_name().unwrap_or_default();
    let guard = Command::new(&program.path)
        .arg0("fourfold-guard")
        .arg(guard::ARGUMENT)
        // For who reads the list of processes.
        .arg(shown)
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|source| SpawnError::GuardNotStarted {
            path: program.path.clone(),
            source,
        })?;
    Ok((Arc::new(ours), Arc::new(Leader::new(&guard))))
}

/// Hands over what is to be started; the program's process id.
fn introduce(
    order: Order,
    program: &Program,
    control: &UnixStream,
    begin: Instant,
) -> Result<u32, SpawnError> {
    let failed = |what: &str, source: Option<io::Error>| SpawnError::GuardFailed {
        path: program.path.clone(),
        what: what.to_owned(),
        source,
    };
    let answer = control
        .set_write_timeout(Some(program.within))
        .and_then(|()| wire::send_start(control, &order.start, &order.pipes))
        .and_then(|()| {
            // Ours must be closed, or the program's output would never end.
            drop(order.pipes);
            let rest = program.within.saturating_sub(begin.elapsed());
            // Zero would mean: for ever.
            control.set_read_timeout(Some(rest.max(Duration::from_millis(1))))?;
            receive(control)
        })
        .map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => SpawnError::GuardSilent {
                path: program.path.clone(),
                after: program.within,
            },
            io::ErrorKind::ArgumentListTooLong => not_executed(&order.start, error),
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionReset => failed("ended at once", None),
            _ => failed("cannot be talked to", Some(error)),
        })?;
    control
        .set_read_timeout(None)
        .map_err(|error| failed("cannot be listened to", Some(error)))?;
    match answer {
        Some(Report::Started { pid }) => Ok(pid.unsigned_abs()),
        Some(Report::NotExecuted { errno }) => Err(not_executed(
            &order.start,
            io::Error::from_raw_os_error(errno),
        )),
        Some(Report::Refused { why, errno }) => {
            let what = match why {
                Refusal::Version => "is of another version",
                Refusal::Subreaper => "may not adopt processes",
                Refusal::Runtime => "cannot wait for events",
            };
            Err(failed(what, Some(io::Error::from_raw_os_error(errno))))
        }
        Some(Report::Exited { .. } | Report::Clean { .. }) | None => {
            Err(failed("answered something else", None))
        }
    }
}

/// Hears the guard out; how many processes it left, `None` when it did not come to say so.
fn listen(control: &UnixStream, teller: &Teller) -> Option<usize> {
    let mut clean = None;
    while let Ok(Some(report)) = receive(control) {
        match report {
            Report::Exited { status, by } => {
                let by = match by {
                    GuardEnded::Nothing => EndedBy::Itself,
                    GuardEnded::HardLimit => EndedBy::HardLimit,
                    GuardEnded::Signalled => EndedBy::Guard,
                };
                match status {
                    Status::Code(code) => teller.exited(Some(code), None, by),
                    Status::Signal(signal) => teller.exited(None, Some(signal), by),
                }
            }
            Report::Clean { left } => clean = Some(usize::try_from(left).unwrap_or_default()),
            Report::Started { .. } | Report::NotExecuted { .. } | Report::Refused { .. } => {}
        }
    }
    clean
}

/// The next report; `None` for what is none.
fn receive(mut control: &UnixStream) -> io::Result<Option<Report>> {
    let mut bytes = [0; REPORT_LENGTH];
    control.read_exact(&mut bytes)?;
    Ok(Report::decode(bytes))
}
