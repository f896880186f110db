//! A bound on how much text is parsed at once: a tree costs many times its text, and several large
//! files side by side would cost several times the memory of the largest.

use parking_lot::{Condvar, Mutex};

/// Bytes of text for each worker: above the size of nearly every source file that people write,
/// so that only generated ones wait.
const PER_WORKER: usize = 512 << 10;

/// Bytes that may be in use at a time.
pub(crate) struct Budget {
    total: usize,
    free: Mutex<usize>,
    returned: Condvar,
}

/// A part of a budget in use; it goes back when this is dropped.
pub(crate) struct Share<'a> {
    budget: &'a Budget,
    bytes: usize,
}

impl Budget {
    pub(crate) fn for_workers(count: usize) -> Budget {
        let total = PER_WORKER.saturating_mul(count.max(1));
        Budget {
            total,
            free: Mutex::new(total),
            returned: Condvar::new(),
        }
    }

    /// Waits until so many bytes are free. More than there are is taken as all of them, so that
    /// the largest file has its turn too, alone.
    pub(crate) fn take(&self, bytes: usize) -> Share<'_> {
        let bytes = bytes.min(self.total);
        let mut free = self.free.lock();
        while *free < bytes {
            self.returned.wait(&mut free);
        }
        *free -= bytes;
        Share {
            budget: self,
            bytes,
        }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        *self.budget.free.lock() += self.bytes;
        self.budget.returned.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn no_more_is_in_use_than_there_is() {
        let budget = Budget::for_workers(2);
        let (used, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for bytes in [PER_WORKER, 3 * PER_WORKER, PER_WORKER / 2, 2 * PER_WORKER] {
                let (budget, used, most) = (&budget, &used, &most);
                scope.spawn(move || {
                    for _ in 0..100 {
                        let share = budget.take(bytes);
                        let now = used.fetch_add(share.bytes, Ordering::SeqCst) + share.bytes;
                        most.fetch_max(now, Ordering::SeqCst);
                        used.fetch_sub(share.bytes, Ordering::SeqCst);
                        drop(share);
                    }
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= 2 * PER_WORKER);
        assert_eq!(*budget.free.lock(), 2 * PER_WORKER);
    }
}
