//! A running child.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use crate::exit::{EndedBy, Exit};
use crate::keeper::{Hand, Life};
use crate::pipes::{SharedStdin, Stdin, Stdout};
use crate::spawn::{Limits, Ours};
use crate::stderr::StderrTail;
use crate::token::Token;

/// How long [`Child::last_words`] waits for the rest of what an ended child wrote. Everything that
/// could hold the pipe is gone by then, so that it takes a moment only.
const STDERR_GRACE: Duration = Duration::from_millis(500);

/// A running program, with everything it starts.
///
/// Dropping it kills the whole tree, at once and without waiting, inside a runtime or outside, and
/// also while that runtime shuts down.
#[derive(Debug)]
pub struct Child {
    hand: Arc<Hand>,
    life: watch::Receiver<Life>,
    token: Token,
    stdin: SharedStdin,
    stdin_taken: bool,
    stdout: Option<Stdout>,
    stderr: StderrTail,
    touched: Arc<Mutex<Instant>>,
    expires: Option<Instant>,
}

/// How patient [`Child::stop`] is. The protocol's own goodbye comes before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StopPlan {
    /// After its standard input was closed. Default: 2 s; most servers end within 50 ms, those that
    /// save an index take longer.
    pub after_eof: Duration,
    /// After SIGTERM to the whole tree. Default: 2 s.
    pub after_term: Duration,
    /// After SIGKILL, until the tree is confirmed gone. Default: 5 s; it takes some milliseconds
    /// unless a process is stuck inside the system. A guard that does not report within this time is
    /// killed itself, and its work is done by this process, within the same time again.
    pub after_kill: Duration,
}

impl Default for StopPlan {
    fn default() -> Self {
        Self {
            after_eof: Duration::from_secs(2),
            after_term: Duration::from_secs(2),
            after_kill: Duration::from_secs(5),
        }
    }
}

impl StopPlan {
    /// Sets [`StopPlan::after_eof`].
    #[must_use]
    pub fn with_after_eof(mut self, after_eof: Duration) -> Self {
        self.after_eof = after_eof;
        self
    }

    /// Sets [`StopPlan::after_term`].
    #[must_use]
    pub fn with_after_term(mut self, after_term: Duration) -> Self {
        self.after_term = after_term;
        self
    }

    /// Sets [`StopPlan::after_kill`].
    #[must_use]
    pub fn with_after_kill(mut self, after_kill: Duration) -> Self {
        self.after_kill = after_kill;
        self
    }
}

/// What it took to stop a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stopped {
    /// How the program ended; `None` when it is still there: see [`Stopped::left`].
    pub exit: Option<Exit>,
    /// The last step that was needed for the program itself.
    pub step: StopStep,
    /// Processes of the tree that could not be ended: of another user, or stuck inside the system.
    /// `None` when it is not known, because nobody could confirm in time.
    pub left: Option<usize>,
}

/// The steps of [`Child::stop`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StopStep {
    /// It had ended before.
    Ended,
    /// The end of its input.
    Eof,
    /// SIGTERM.
    Term,
    /// SIGKILL.
    Kill,
}

impl Child {
    pub(crate) fn new(
        hand: Hand,
        life: watch::Receiver<Life>,
        token: Token,
        ours: Ours,
        limits: &Limits,
        begin: Instant,
    ) -> Self {
        let hand = Arc::new(hand);
        let (stderr, reading) = StderrTail::new(ours.stderr, limits.stderr);
        tokio::spawn(reading);
        let touched = Arc::new(Mutex::new(Instant::now()));
        let expires = limits.hard.and_then(|hard| begin.checked_add(hard));
        if expires.is_some() || limits.idle.is_some() {
            tokio::spawn(keep_time(
                Arc::downgrade(&hand),
                life.clone(),
                Arc::clone(&touched),
                expires,
                limits.idle,
            ));
        }
        Self {
            hand,
            life,
            token,
            stdin: SharedStdin::new(ours.stdin),
            stdin_taken: false,
            stdout: Some(Stdout(ours.stdout)),
            stderr,
            touched,
            expires,
        }
    }

    /// The program's process id, for people and logs. It may have ended.
    pub fn id(&self) -> u32 {
        self.hand.pid()
    }

    /// The guard's process id, when there is one.
    pub fn guard_id(&self) -> Option<u32> {
        self.hand.guard_pid()
    }

    /// What everything carries that this child starts.
    pub fn token(&self) -> &Token {
        &self.token
    }

    /// Its standard input, once.
    pub fn take_stdin(&mut self) -> Option<Stdin> {
        let first = !std::mem::replace(&mut self.stdin_taken, true);
        first.then(|| self.stdin.writer())
    }

    /// Its standard output, once. Somebody must read it, or the child stops when the pipe is full.
    pub fn take_stdout(&mut self) -> Option<Stdout> {
        self.stdout.take()
    }

    /// The end of its standard error, also after the child is gone.
    pub fn stderr(&self) -> StderrTail {
        self.stderr.clone()
    }

    /// The last lines of its standard error, as [`StderrTail::last_words`] gives them. Of a child
    /// that has ended, all of it has been read.
    ///
    /// *Cancel safety*: safe, nothing is lost.
    pub async fn last_words(&self, lines: usize) -> Vec<String> {
        if self.try_wait().is_some() {
            let all = async {
                self.gone().await;
                self.stderr.ended().await;
            };
            // A process that could not be ended may still hold it.
            let _ = timeout(STDERR_GRACE, all).await;
        }
        self.stderr.last_words(lines)
    }

    /// Says that the child is in use: [`Limits::idle`] counts from here.
    pub fn touch(&self) {
        *self.touched.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// When [`Limits::hard`] will be reached.
    pub fn expires(&self) -> Option<Instant> {
        self.expires
    }

    /// How the program ended, if it has.
    pub fn try_wait(&self) -> Option<Exit> {
        self.life.borrow().exit
    }

    /// Waits until the program has ended. What it started may still be there for a moment: see
    /// [`Child::gone`].
    ///
    /// *Cancel safety*: safe, and it may be called again and from several tasks.
    pub async fn wait(&self) -> Exit {
        let reached = self.reached(|life| life.exit).await;
        reached.unwrap_or_else(unknown)
    }

    /// Waits until the program and everything that it started is gone; how many processes could not
    /// be ended, see [`Stopped::left`].
    ///
    /// *Cancel safety*: safe, and it may be called again and from several tasks.
    pub async fn gone(&self) -> usize {
        self.reached(|life| life.left).await.unwrap_or_default()
    }

    /// Ends the tree at once, without waiting.
    pub fn kill(&self) {
        self.hand.kill(EndedBy::Host);
    }

    /// Ends the child: closes its standard input, waits, asks the whole tree to end (SIGTERM), waits,
    /// kills the tree, and waits until it is confirmed gone. Each step is taken only when it is
    /// needed. When the program has ended, what it leaves behind is killed at once.
    ///
    /// Whoever holds its [`Stdin`] gets an error at the next write.
    ///
    /// *Cancel safety*: when the future is dropped, the child stays as it is at that moment, and
    /// ends when it is dropped; `stop` may be called again.
    pub async fn stop(&self, plan: StopPlan) -> Stopped {
        let mut step = StopStep::Ended;
        let mut over = self.try_wait().is_some();
        if !over {
            self.hand.ask(EndedBy::Host);
            step = StopStep::Eof;
            self.stdin.close();
            over = timeout(plan.after_eof, self.wait()).await.is_ok();
        }
        if !over {
            step = StopStep::Term;
            self.hand.terminate();
            over = timeout(plan.after_term, self.wait()).await.is_ok();
        }
        if !over {
            step = StopStep::Kill;
            self.hand.kill(EndedBy::Host);
        }
        let mut left = timeout(plan.after_kill, self.gone()).await.ok();
        if left.is_none() {
            self.hand.kill_guard();
            left = timeout(plan.after_kill, self.gone()).await.ok();
        }
        Stopped {
            exit: self.try_wait(),
            step,
            left,
        }
    }

    async fn reached<T>(&self, at: impl Fn(&Life) -> Option<T>) -> Option<T> {
        let mut life = self.life.clone();
        // The keeper tells everything before it goes.
        let life = life.wait_for(|life| at(life).is_some()).await.ok()?;
        at(&life)
    }
}

/// Not reached: the keeper tells an exit in any case.
fn unknown() -> Exit {
    Exit {
        code: None,
        signal: None,
        by: EndedBy::Itself,
    }
}

/// Kills the child at its limits. Holds nothing that would keep it alive.
async fn keep_time(
    hand: Weak<Hand>,
    mut life: watch::Receiver<Life>,
    touched: Arc<Mutex<Instant>>,
    expires: Option<Instant>,
    idle: Option<Duration>,
) {
    let wait = async {
        loop {
            let last = *touched.lock().unwrap_or_else(PoisonError::into_inner);
            let idles = idle.and_then(|idle| last.checked_add(idle));
            let (at, why) = match (expires, idles) {
                (Some(hard), Some(idle)) if hard <= idle => (hard, EndedBy::HardLimit),
                (_, Some(idle)) => (idle, EndedBy::IdleLimit),
                (Some(hard), None) => (hard, EndedBy::HardLimit),
                // Limits beyond what a clock can count to.
                (None, None) => std::future::pending().await,
            };
            if at <= Instant::now() {
                return why;
            }
            sleep_until(at).await;
        }
    };
    tokio::select! {
        why = wait => {
            if let Some(hand) = hand.upgrade() {
                hand.kill(why);
            }
        }
        _ = life.wait_for(|life| life.exit.is_some()) => {}
    }
}
