//! The guard: a process between a host and its child whose only work is to end the child's tree.
//!
//! It is a child subreaper: whatever a program starts, in whatever session or group, becomes a child
//! of the guard at the latest when its own parent has gone. So nothing can leave the tree, and "I
//! have no children" means that all is over.
//!
//! The child's standard streams do not go through the guard. It gets them over the control socket,
//! hands them on, and keeps none, so that an end of file means what it says.

#[cfg(target_os = "linux")]
pub(crate) use linux::{ARGUMENT, entered};

/// Must be called first thing in `main` of a program that uses
/// [`Guard::OwnBinary`](crate::Guard::OwnBinary): before threads are started, before arguments are
/// read, before a runtime is built.
///
/// In a process that was started as a guard it does a guard's work and never returns. In any other
/// it remembers that it was called, and returns at once. On systems other than Linux there are no
/// guards, and it does nothing.
///
/// ```
/// fourfold_child::guard::enter();
/// // From here on it is the program itself.
/// ```
pub fn enter() {
    #[cfg(target_os = "linux")]
    linux::enter();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use rustix::io::Errno;
    use rustix::process::{
        Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, set_child_subreaper, setsid,
        wait,
    };
    use tokio::io::AsyncReadExt;
    use tokio::runtime::Builder;
    use tokio::select;
    use tokio::signal::unix::{Signal as Arrivals, SignalKind, signal};
    use tokio::time::{Instant, sleep, sleep_until};

    use crate::processes;
    use crate::start::{Pipes, Start};
    use crate::wire::{self, GuardEnded, KILL, NoStart, Refusal, Report, Status, TERMINATE};

    /// First argument of a process that is to be a guard.
    pub(crate) const ARGUMENT: &str = "--fourfold-guard";

    /// Attempts to end the tree before what is still there is given up. With the pauses it is five
    /// seconds; only a process stuck in the system or of another user lasts so long.
    const ROUNDS: u32 = 200;

    /// Longest pause between two attempts. The end of a child cuts it short.
    const PAUSE: Duration = Duration::from_millis(25);

    /// Every how many rounds all of `/proc` is read, and not only the list of direct children.
    const DEEP_EVERY: u32 = 8;

    /// Exit code of a guard that was not started by a host.
    const NO_HOST: i32 = 2;

    /// Whether this program can be started again as a guard.
    static ENTERED: AtomicBool = AtomicBool::new(false);

    pub(super) fn enter() {
        if std::env::args_os()
            .nth(1)
            .is_some_and(|arg| arg == ARGUMENT)
        {
            let code = run();
            #[allow(clippy::exit, reason = "a guard must not go on into its host's main")]
            std::process::exit(code);
        }
        ENTERED.store(true, Ordering::Relaxed);
    }

    pub(crate) fn entered() -> bool {
        ENTERED.load(Ordering::Relaxed)
    }

    fn run() -> i32 {
        let Ok(mut control) = take_control() else {
            return NO_HOST;
        };
        let refused = |control: &UnixStream, why, errno: Errno| {
            let report = Report::Refused {
                why,
                errno: errno.raw_os_error(),
            };
            // Nobody to tell: the host sees the end of the stream.
            let _ = wire::send_all(control, &report.encode());
            1
        };
        // A session of its own: nothing that happens at a terminal reaches it. It fails only for the
        // leader of a group, who is out of the terminal's reach as well.
        let _ = setsid();
        if let Err(errno) = set_child_subreaper(Some(getpid())) {
            return refused(&control, Refusal::Subreaper, errno);
        }
        // Neither is needed for the work: the name in `ps`, and no folder kept busy.
        let _ = rustix::thread::set_name(c"fourfold-guard");
        let _ = std::env::set_current_dir("/");

        let (start, pipes) = match wire::receive_start(&mut control) {
            Ok(received) => received,
            Err(NoStart::Nobody) => return NO_HOST,
            Err(NoStart::Version) => return refused(&control, Refusal::Version, Errno::PROTO),
        };
        let runtime = match Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return refused(&control, Refusal::Runtime, errno_of(&error)),
        };
        let guarded = runtime.block_on(async {
            let guard = Guard::new(&control)?;
            guard.guard(start, pipes).await;
            Ok::<(), io::Error>(())
        });
        match guarded {
            Ok(()) => 0,
            Err(error) => refused(&control, Refusal::Runtime, errno_of(&error)),
        }
    }

    /// The control socket came as standard input. Nobody else shall read it by mistake.
    fn take_control() -> io::Result<UnixStream> {
        let control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        // Fails for what is no socket.
        control.peer_addr()?;
        let null = File::open("/dev/null")?;
        rustix::stdio::dup2_stdin(&null)?;
        Ok(control)
    }

    fn errno_of(error: &io::Error) -> Errno {
        error
            .raw_os_error()
            .map_or(Errno::IO, Errno::from_raw_os_error)
    }

    struct Guard {
        control: tokio::net::UnixStream,
        /// Some child has ended.
        children: Arrivals,
        /// Somebody asks the guard itself to end.
        asked: [Arrivals; 3],
        /// The program, while it lives.
        program: Option<Pid>,
    }

    impl Guard {
        /// Signal handlers first: no end of a child may be missed.
        fn new(control: &UnixStream) -> io::Result<Self> {
            control.set_nonblocking(true)?;
            Ok(Self {
                control: tokio::net::UnixStream::from_std(control.try_clone()?)?,
                children: signal(SignalKind::child())?,
                asked: [
                    signal(SignalKind::terminate())?,
                    signal(SignalKind::interrupt())?,
                    signal(SignalKind::hangup())?,
                ],
                program: None,
            })
        }

        async fn guard(mut self, start: Start, pipes: Pipes) {
            let deadline = start.hard.and_then(|hard| Instant::now().checked_add(hard));
            let farewell = start.farewell;
            // A statement of its own: at its end our copies of the pipes are closed.
            let started = start.command(pipes).spawn();
            match started {
                Ok(program) => {
                    let pid = Pid::from_child(&program);
                    self.program = Some(pid);
                    let pid = pid.as_raw_pid();
                    self.report(Report::Started { pid }).await;
                }
                Err(error) => {
                    let errno = errno_of(&error).raw_os_error();
                    self.report(Report::NotExecuted { errno }).await;
                    return;
                }
            }
            // The start holds the environment, which may be large.
            drop(start);
            let cause = self.until_its_end(deadline).await;
            if cause != Cause::Asked && !farewell.is_zero() {
                self.see_off(cause, farewell).await;
            }
            let left = self.end_tree(cause.told()).await;
            self.report(Report::Clean { left }).await;
        }

        /// Waits until there is a reason to end everything.
        async fn until_its_end(&mut self, deadline: Option<Instant>) -> Cause {
            loop {
                let [terminate, interrupt, hangup] = &mut self.asked;
                select! {
                    _ = self.children.recv() => {
                        self.reap(GuardEnded::Nothing).await;
                        if self.program.is_none() {
                            return Cause::Ended;
                        }
                    }
                    said = heard(&mut self.control) => match said {
                        Some(TERMINATE) => terminate_tree(),
                        Some(_) => return Cause::Asked,
                        None => return Cause::Orphaned,
                    },
                    () = at(deadline) => return Cause::HardLimit,
                    _ = terminate.recv() => return Cause::Signalled,
                    _ = interrupt.recv() => return Cause::Signalled,
                    _ = hangup.recv() => return Cause::Signalled,
                }
            }
        }

        /// Lets what is there end by itself: it may have something to put in order. The end of its input
        /// has come when the host is gone, and the connections to it have; otherwise, and where that is
        /// of no use, SIGTERM to the program, or to what is left without it.
        async fn see_off(&mut self, cause: Cause, grace: Duration) {
            let mut hosted = cause != Cause::Orphaned;
            let first = match cause {
                Cause::Orphaned | Cause::Ended => grace,
                _ => Duration::ZERO,
            };
            for (patience, asked) in [(first, false), (grace, true)] {
                if asked {
                    match self.program {
                        Some(program) => {
                            let _ = kill_process(program, Signal::TERM);
                            let _ = kill_process(program, Signal::CONT);
                        }
                        None => terminate_tree(),
                    }
                }
                let over = Instant::now().checked_add(patience);
                while over.is_none_or(|over| Instant::now() < over) {
                    if self.reap(cause.told()).await {
                        return;
                    }
                    select! {
                        _ = self.children.recv() => {}
                        said = heard(&mut self.control), if hosted => match said {
                            Some(TERMINATE) => terminate_tree(),
                            Some(_) => return,
                            None => hosted = false,
                        },
                        () = at(over) => {}
                    }
                }
            }
        }

        /// Ends all descendants; how many were left.
        ///
        /// A child of ours that has not been waited for keeps its pid, so it can be killed by number.
        /// Killing children is enough, because theirs become ours, and it is quick, so that a process
        /// that goes on starting another and ending itself is caught; the look at the whole tree is
        /// for what hangs below a process that does not die.
        async fn end_tree(&mut self, by: GuardEnded) -> i32 {
            for round in 0..ROUNDS {
                for child in processes::own_children() {
                    kill(child);
                }
                if round % DEEP_EVERY == 0 {
                    for process in tree() {
                        process.signal(Signal::KILL);
                    }
                }
                if self.reap(by).await {
                    return 0;
                }
                let pause = Duration::from_millis(u64::from(round)).min(PAUSE);
                select! {
                    _ = self.children.recv() => {}
                    () = sleep(pause) => {}
                }
            }
            let left = tree().iter().filter(|process| !process.has_ended()).count();
            i32::try_from(left).unwrap_or(i32::MAX)
        }

        /// Takes leave of every child that has ended; whether none is left. Reports the program's
        /// end, and that it was `by` the guard.
        async fn reap(&mut self, by: GuardEnded) -> bool {
            loop {
                match wait(WaitOptions::NOHANG) {
                    Ok(Some((pid, status))) if Some(pid) == self.program => {
                        self.program = None;
                        let status = status_of(status);
                        self.report(Report::Exited { status, by }).await;
                    }
                    Ok(Some(_)) | Err(Errno::INTR) => {}
                    Ok(None) => return false,
                    // No children.
                    Err(_) => return true,
                }
            }
        }

        /// The few reports fit into the socket's buffer, so that this does not wait; a host that is
        /// gone need not be told.
        async fn report(&mut self, report: Report) {
            use tokio::io::AsyncWriteExt;
            let _ = self.control.write_all(&report.encode()).await;
        }
    }

    /// Why everything is to end.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Cause {
        /// The program has ended.
        Ended,
        /// The host wants it.
        Asked,
        /// The host is gone.
        Orphaned,
        HardLimit,
        /// The guard itself is asked to end.
        Signalled,
    }

    impl Cause {
        /// As the host is told.
        fn told(self) -> GuardEnded {
            match self {
                Self::Ended | Self::Asked | Self::Orphaned => GuardEnded::Nothing,
                Self::HardLimit => GuardEnded::HardLimit,
                Self::Signalled => GuardEnded::Signalled,
            }
        }
    }

    /// What the host says next; `None` when it is gone. What no host of this version says is taken for
    /// [`KILL`].
    async fn heard(control: &mut tokio::net::UnixStream) -> Option<u8> {
        let mut byte = [0];
        match control.read(&mut byte).await {
            Ok(1) if byte == [TERMINATE] => Some(TERMINATE),
            Ok(1) => Some(KILL),
            _ => None,
        }
    }

    async fn at(deadline: Option<Instant>) {
        match deadline {
            Some(deadline) => sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    }

    fn status_of(status: WaitStatus) -> Status {
        match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Status::Code(code),
            (None, signal) => Status::Signal(signal.unwrap_or_default()),
        }
    }

    fn tree() -> Vec<processes::Process> {
        processes::descendants(&[getpid().as_raw_pid()], &processes::all())
    }

    /// Asks every process of the tree to end. One that was stopped is woken to hear it.
    fn terminate_tree() {
        for process in tree() {
            process.signal(Signal::TERM);
            process.signal(Signal::CONT);
        }
    }

    fn kill(child: i32) {
        if let Some(pid) = Pid::from_raw(child) {
            // It cannot be gone, and if it is not ours to kill, the next rounds fail as well.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}
