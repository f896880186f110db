//! The thread that belongs to each child: it starts it, waits for its end, and takes leave of it.
//!
//! A thread and not a task, because it must go on when the runtime is stuck or gone: no zombie may
//! stay, and when a guard is killed, what it guarded has to be found and ended.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::process::Signal;
use tokio::sync::{oneshot, watch};

use crate::error::SpawnError;
use crate::exit::{EndedBy, Exit};
use crate::leader::Leader;
use crate::start::{Pipes, Start};
use crate::sweep;
use crate::token::Token;

#[cfg(target_os = "linux")]
mod guarded;

/// Stack of the thread: it calls nothing deep.
const STACK: usize = 256 * 1024;

/// How far a child has got.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Life {
    /// The program has ended.
    pub(crate) exit: Option<Exit>,
    /// The whole tree is gone, but for so many processes.
    pub(crate) left: Option<usize>,
}

/// What is to be kept.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) start: Start,
    pub(crate) pipes: Pipes,
    pub(crate) token: Token,
    /// `None` for a child without a guard.
    #[cfg(target_os = "linux")]
    pub(crate) guard: Option<guarded::Program>,
}

#[cfg(target_os = "linux")]
pub(crate) use guarded::Program as GuardProgram;

/// What one can do to a running child, from any thread and without waiting. Dropping it ends the
/// child.
#[derive(Debug)]
pub(crate) struct Hand {
    pid: u32,
    grip: Grip,
    /// Who of us asked for the end first.
    asked: Arc<Mutex<Option<EndedBy>>>,
}

#[derive(Debug)]
enum Grip {
    /// Through its guard.
    #[cfg(target_os = "linux")]
    Guard(guarded::Grip),
    /// Through its process group.
    Group(Arc<Leader>),
}

impl Hand {
    /// The program's process id.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    pub(crate) fn guard_pid(&self) -> Option<u32> {
        match &self.grip {
            #[cfg(target_os = "linux")]
            Grip::Guard(grip) => Some(grip.guard_pid()),
            Grip::Group(_) => None,
        }
    }

    /// Remembers that the end was asked for. The first to ask is the one that is told.
    pub(crate) fn ask(&self, by: EndedBy) {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(by);
    }

    /// Asks the tree to end.
    pub(crate) fn terminate(&self) {
        match &self.grip {
            #[cfg(target_os = "linux")]
            Grip::Guard(grip) => grip.terminate(),
            Grip::Group(leader) => {
                leader.signal_group(Signal::TERM);
                leader.signal_group(Signal::CONT);
            }
        }
    }

    /// Ends the tree.
    pub(crate) fn kill(&self, by: EndedBy) {
        self.ask(by);
        match &self.grip {
            #[cfg(target_os = "linux")]
            Grip::Guard(grip) => grip.kill(),
            Grip::Group(leader) => leader.signal_group(Signal::KILL),
        }
    }

    /// For a guard that does not do its work: without it, the keeper does.
    pub(crate) fn kill_guard(&self) {
        match &self.grip {
            #[cfg(target_os = "linux")]
            Grip::Guard(grip) => grip.kill_guard(),
            Grip::Group(leader) => leader.signal_group(Signal::KILL),
        }
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        self.kill(EndedBy::Host);
    }
}

/// Tells the world how far the child has got. When it is dropped, whatever happened, the child is
/// told gone.
struct Teller {
    life: watch::Sender<Life>,
    asked: Arc<Mutex<Option<EndedBy>>>,
}

impl Teller {
    fn exited(&self, code: Option<i32>, signal: Option<i32>, otherwise: EndedBy) {
        let asked = *self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let by = match otherwise {
            EndedBy::Itself => asked.unwrap_or(EndedBy::Itself),
            known => known,
        };
        self.life.send_modify(|life| {
            life.exit.get_or_insert(Exit { code, signal, by });
        });
    }

    fn gone(&self, left: usize) {
        self.life.send_modify(|life| life.left = Some(left));
    }
}

impl Drop for Teller {
    fn drop(&mut self) {
        if self.life.borrow().exit.is_none() {
            self.exited(None, None, EndedBy::Itself);
        }
        if self.life.borrow().left.is_none() {
            self.gone(0);
        }
    }
}

/// What comes back when the program runs.
pub(crate) type Ready = Result<Hand, SpawnError>;

/// Starts the thread, which starts the program. The answer comes through the receiver; dropping that
/// ends the child.
pub(crate) fn start(order: Order) -> io::Result<(oneshot::Receiver<Ready>, watch::Receiver<Life>)> {
    let (ready, answer) = oneshot::channel();
    let (life, watching) = watch::channel(Life::default());
    let teller = Teller {
        life,
        asked: Arc::default(),
    };
    thread::Builder::new()
        .name("child-keeper".to_owned())
        .stack_size(STACK)
        .spawn(move || keep(order, ready, &teller))?;
    Ok((answer, watching))
}

#[cfg(target_os = "linux")]
fn keep(mut order: Order, ready: oneshot::Sender<Ready>, teller: &Teller) {
    match order.guard.take() {
        Some(program) => guarded::keep(order, program, ready, teller),
        None => keep_alone(order, ready, teller),
    }
}

#[cfg(not(target_os = "linux"))]
fn keep(order: Order, ready: oneshot::Sender<Ready>, teller: &Teller) {
    keep_alone(order, ready, teller);
}

/// Keeps a child that has no guard.
fn keep_alone(order: Order, ready: oneshot::Sender<Ready>, teller: &Teller) {
    let Order {
        start,
        pipes,
        token,
        ..
    } = order;
    let child = match start.command(pipes).spawn() {
        Ok(child) => child,
        Err(source) => {
            let _ = ready.send(Err(not_executed(&start, source)));
            return;
        }
    };
    drop(start);
    let leader = Arc::new(Leader::new(&child));
    let hand = Hand {
        pid: leader.pid(),
        grip: Grip::Group(Arc::clone(&leader)),
        asked: Arc::clone(&teller.asked),
    };
    // When nobody waits any more, dropping it ends the child.
    let _ = ready.send(Ok(hand));
    let (code, signal) = leader.wait();
    teller.exited(code, signal, EndedBy::Itself);
    // Before the leader is reaped: afterwards the number of its group may be another's.
    leader.signal_group(Signal::KILL);
    leader.reap();
    teller.gone(sweep::end_all_of(&token));
}

/// Says what is wrong with a file that is there and was not executed.
fn not_executed(start: &Start, source: io::Error) -> SpawnError {
    use std::io::ErrorKind;
    let path = start.program.clone();
    let hint = match source.kind() {
        // It was there a moment ago: what is missing is what it names.
        ErrorKind::NotFound => match interpreter(&path) {
            Some(interpreter) => format!(
                "its first line asks for {interpreter}, which is not there; install that, or \
                 install the program again"
            ),
            None => {
                "the loader or library that it was built for is not there; install a build for \
                     this system"
                    .to_owned()
            }
        },
        ErrorKind::ArgumentListTooLong => {
            "its arguments and environment are longer than the system takes; pass less".to_owned()
        }
        ErrorKind::PermissionDenied => {
            "permission denied; its file system may forbid execution, or its working directory \
             may not be entered"
                .to_owned()
        }
        _ => "the system refused to execute it; it may be built for another machine, or be a \
              script without a first line that says what runs it"
            .to_owned(),
    };
    SpawnError::Exec { path, hint, source }
}

fn interpreter(path: &std::path::Path) -> Option<String> {
    use std::io::Read;
    let mut head = [0; 256];
    let length = std::fs::File::open(path).ok()?.read(&mut head).ok()?;
    let line = head.get(..length)?.strip_prefix(b"#!")?;
    let line = line.split(|byte| *byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).trim().to_owned())
}
