//! Work in parallel, results in order, memory bounded: the second half of a walk.
//!
//! Items are handed out in order to worker threads. Each has a slot in a window that starts at the
//! first item not yet delivered; a worker that is a whole window ahead waits. An item without a
//! result is passed over by the worker itself, and results are handed over by the batch: waking the
//! calling thread for each of thousands of files would cost more than reading them.

use std::any::Any;
use std::collections::VecDeque;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::error::Error;
use crate::read::Skipped;

/// So many results wake the calling thread at once.
const BATCH: usize = 32;

/// Fewer results wait this long at most, which nobody at a terminal notices.
const LINGER: Duration = Duration::from_millis(10);

/// How work is spread over threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workers {
    /// How many threads. Default: what the machine offers, twelve at most (beyond that reading
    /// and merging are the limit and the memory of one tree per thread is wasted).
    pub threads: usize,
    /// The stack of each thread in bytes. Default 64 MiB, of which the system provides only what
    /// is touched: scanners of some grammars recurse once per nesting level.
    pub stack_bytes: usize,
    /// How many items may be under work or waiting for an earlier one to end. Default 512: one
    /// slow file does not make the others wait, and results stay few.
    pub window: usize,
}

impl Default for Workers {
    fn default() -> Self {
        let offered = thread::available_parallelism().map_or(1, NonZero::get);
        Workers {
            threads: offered.min(12),
            stack_bytes: 64 << 20,
            window: 512,
        }
    }
}

/// The handle by which another thread follows a run, and ends it.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    done: AtomicUsize,
    total: AtomicUsize,
}

impl Control {
    /// A fresh handle; one run may use it at a time.
    pub fn new() -> Control {
        Control::default()
    }

    /// Ends the run soon: work that was begun is finished, nothing more is begun or delivered.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether [`Control::cancel`] was called. Long work on one item should look now and then.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// What [`Control::cancel`] sets, for long work that looks at a flag and knows of no run.
    pub fn flag(&self) -> &AtomicBool {
        &self.cancelled
    }

    /// How many items have been worked on.
    pub fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// How many items the run has; 0 until they have been listed.
    pub fn total(&self) -> usize {
        self.total.load(Ordering::Relaxed)
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a run that did not complete has seen only the first part of its items"]
pub enum Ended {
    /// Every item was worked on.
    Complete,
    /// The receiver of the results had enough.
    Enough,
    /// [`Control::cancel`] was called.
    Cancelled,
}

impl Workers {
    /// Works on `items` in parallel and hands the results, in the order of the items and on the
    /// calling thread, to `sink`, until it breaks.
    ///
    /// `begin` makes what one thread keeps between items (a parser, a buffer). `work` returns
    /// `Ok(None)` when there is nothing to tell. When it panics, the item's result is
    /// [`Skipped::Crashed`] and the thread goes on with a fresh state. What `sink` receives is
    /// always the results of a first part of `items`, whatever the number of threads, and however
    /// the run ended. At most two windows of results exist at once.
    ///
    /// # Errors
    /// [`Error::Threads`] when no thread could be started.
    pub fn map<I: Sync, S, T: Send>(
        &self,
        items: &[I],
        control: &Control,
        begin: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &I) -> Result<Option<T>, Skipped> + Sync,
        mut sink: impl FnMut(&I, Result<T, Skipped>) -> ControlFlow<()>,
    ) -> Result<Ended, Error> {
        control.done.store(0, Ordering::Relaxed);
        control.total.store(items.len(), Ordering::Relaxed);
        let threads = self.threads.clamp(1, items.len().max(1));
        let desk = Desk::new(items.len(), self.window.max(threads));
        let run = || {
            let _leaving = Leaving(&desk);
            let mut state = None;
            while !control.is_cancelled()
                && let Some(index) = desk.claim()
            {
                let attempt = catch_unwind(AssertUnwindSafe(|| {
                    work(state.get_or_insert_with(&begin), &items[index])
                }));
                let outcome = attempt.unwrap_or_else(|panic| {
                    state = None;
                    Err(Skipped::Crashed {
                        message: panic_message(panic.as_ref()),
                    })
                });
                control.done.fetch_add(1, Ordering::Relaxed);
                desk.deliver(index, outcome);
            }
        };
        thread::scope(|scope| {
            // However this closure is left, the workers must not wait for it any more.
            let _closing = Closing(&desk);
            for started in 0..threads {
                desk.lock().workers += 1;
                let thread = thread::Builder::new()
                    .name(format!("fourfold-worker-{started}"))
                    .stack_size(self.stack_bytes);
                if let Err(source) = thread.spawn_scoped(scope, run) {
                    desk.lock().workers -= 1;
                    if started == 0 {
                        return Err(Error::Threads { source });
                    }
                    tracing::warn!(started, %source, "fewer worker threads than wanted");
                    break;
                }
            }
            let mut batch = Vec::new();
            while desk.collect(&mut batch) {
                for (index, outcome) in batch.drain(..) {
                    if control.is_cancelled() {
                        return Ok(Ended::Cancelled);
                    }
                    if sink(&items[index], outcome).is_break() {
                        return Ok(Ended::Enough);
                    }
                }
            }
            // Cancelled after the last item was done is complete all the same.
            Ok(if desk.lock().base == items.len() {
                Ended::Complete
            } else {
                Ended::Cancelled
            })
        })
    }
}

enum Slot<T> {
    Pending,
    Empty,
    Full(Result<T, Skipped>),
}

struct Desk<T> {
    total: usize,
    window: usize,
    state: Mutex<State<T>>,
    /// Signalled when the window moved or the run closes: workers wait here.
    room: Condvar,
    /// Signalled when there is something to collect or nobody is left to bring it.
    ready: Condvar,
}

struct State<T> {
    /// The next item to hand out.
    next: usize,
    /// The first item that has not been collected or passed over.
    base: usize,
    /// One slot for each item from `base` to `next`.
    slots: VecDeque<Slot<T>>,
    /// How many slots are full.
    full: usize,
    /// Whether the calling thread waits, so that it is not woken in vain.
    awaited: bool,
    workers: usize,
    closed: bool,
}

impl<T> Desk<T> {
    fn new(total: usize, window: usize) -> Desk<T> {
        Desk {
            total,
            window,
            state: Mutex::new(State {
                next: 0,
                base: 0,
                slots: VecDeque::new(),
                full: 0,
                awaited: false,
                workers: 0,
                closed: false,
            }),
            room: Condvar::new(),
            ready: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next item to work on; waits for room in the window.
    fn claim(&self) -> Option<usize> {
        let mut state = self.lock();
        loop {
            if state.closed || state.next == self.total {
                return None;
            }
            if state.slots.len() < self.window {
                state.slots.push_back(Slot::Pending);
                state.next += 1;
                return Some(state.next - 1);
            }
            self.wake(&mut state, 1);
            state = self
                .room
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn deliver(&self, index: usize, outcome: Result<Option<T>, Skipped>) {
        let slot = match outcome {
            Ok(None) => Slot::Empty,
            Ok(Some(value)) => Slot::Full(Ok(value)),
            Err(skipped) => Slot::Full(Err(skipped)),
        };
        let mut state = self.lock();
        let was_full = state.slots.len() == self.window;
        let place = index - state.base;
        state.full += usize::from(matches!(slot, Slot::Full(_)));
        state.slots[place] = slot;
        while matches!(state.slots.front(), Some(Slot::Empty)) {
            state.slots.pop_front();
            state.base += 1;
        }
        self.wake(&mut state, BATCH);
        if was_full && state.slots.len() < self.window {
            self.room.notify_all();
        }
    }

    /// Wakes the calling thread if it waits and there are `enough` results, the next among them.
    fn wake(&self, state: &mut State<T>, enough: usize) {
        let next_is_there = matches!(state.slots.front(), Some(Slot::Full(_)));
        if state.awaited && next_is_there && state.full >= enough {
            state.awaited = false;
            self.ready.notify_one();
        }
    }

    /// Waits for results that are next in order and takes them all; false when none will come.
    fn collect(&self, batch: &mut Vec<(usize, Result<T, Skipped>)>) -> bool {
        let mut state = self.lock();
        loop {
            let was_full = state.slots.len() == self.window;
            while !matches!(state.slots.front(), None | Some(Slot::Pending)) {
                if let Some(Slot::Full(outcome)) = state.slots.pop_front() {
                    batch.push((state.base, outcome));
                    state.full -= 1;
                }
                state.base += 1;
            }
            if was_full && state.slots.len() < self.window {
                self.room.notify_all();
            }
            if !batch.is_empty() {
                return true;
            }
            if state.workers == 0 {
                return false;
            }
            state.awaited = true;
            let (woken, _) = self
                .ready
                .wait_timeout(state, LINGER)
                .unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.awaited = false;
        }
    }
}

/// Signs a worker off, also when it leaves by a panic.
struct Leaving<'a, T>(&'a Desk<T>);

impl<T> Drop for Leaving<'_, T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.workers -= 1;
        if state.workers == 0 {
            self.0.ready.notify_one();
        }
    }
}

/// Lets the workers go, also when the receiver panics.
struct Closing<'a, T>(&'a Desk<T>);

impl<T> Drop for Closing<'_, T> {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.room.notify_all();
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
