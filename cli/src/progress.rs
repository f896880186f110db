//! How far a long run is, on a terminal; and its end when somebody presses Ctrl-C.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use fourfold::Control;

/// Shorter runs are not worth a word.
const PATIENCE: Duration = Duration::from_millis(700);

/// How often the numbers change.
const TICK: Duration = Duration::from_millis(150);

/// What the status of a program is that was ended from the keyboard.
pub(crate) const INTERRUPTED: u8 = 130;

/// Ends the run at the first Ctrl-C and the process at the second. A commit that has begun is
/// finished: it is all or nothing, and short.
pub(crate) fn end_on_interrupt(control: &Arc<Control>) {
    let control = Arc::clone(control);
    // Without a handler the signal ends the process, which leaves nothing half-done either.
    let _ = ctrlc::set_handler(move || {
        if control.is_cancelled() {
            #[allow(clippy::exit, reason = "asked for twice, by a person")]
            std::process::exit(INTERRUPTED.into());
        }
        control.cancel();
    });
}

/// The line on standard error that shows how far a run is; dropped, it is gone.
#[derive(Debug)]
pub(crate) struct Progress {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    over: Mutex<bool>,
    woken: Condvar,
    shown: AtomicBool,
}

impl Progress {
    /// Follows a run, if standard error is a terminal.
    pub(crate) fn follow(control: &Arc<Control>) -> Progress {
        let control = Arc::clone(control);
        Progress::of(move || match control.total() {
            0 => "listing files".to_owned(),
            total => format!("{} of {total} files", control.done()),
        })
    }

    /// Says for how long another process has been asked, if standard error is a terminal: a server
    /// that is just started may take its time.
    pub(crate) fn wait() -> Progress {
        let begun = Instant::now();
        Progress::of(move || format!("working, {} s", begun.elapsed().as_secs()))
    }

    fn of(line: impl Fn() -> String + Send + 'static) -> Progress {
        let shared = Arc::new(Shared::default());
        let thread = io::stderr().is_terminal().then(|| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.show(&line))
        });
        Progress { shared, thread }
    }

    /// Makes room for results; from here on these show how far the run is.
    pub(crate) fn yield_to_results(&self) {
        self.shared.stop();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.shared.stop();
        if let Some(thread) = self.thread.take() {
            // It does nothing that could panic.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn show(&self, line: &dyn Fn() -> String) {
        let mut wait = PATIENCE;
        let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        while !*over {
            let (guard, timeout) = self
                .woken
                .wait_timeout(over, wait)
                .unwrap_or_else(PoisonError::into_inner);
            over = guard;
            if *over || !timeout.timed_out() {
                continue;
            }
            wait = TICK;
            self.shown.store(true, Ordering::Relaxed);
            // Nobody is to be told when this fails.
            let _ = write!(io::stderr(), "\r\x1b[K{}", line());
        }
    }

    /// The lock is held while a line is shown, so that none comes after it was removed.
    fn stop(&self) {
        let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        *over = true;
        if self.shown.swap(false, Ordering::Relaxed) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
        self.woken.notify_all();
    }
}
