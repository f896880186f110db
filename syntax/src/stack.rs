//! The stack that parsing stands on: tree-sitter recurses in C, once per level of an ambiguous
//! nesting, and a C stack overflow ends the process. So a text is parsed only on a thread whose
//! stack is known to be large enough for it.

use crate::Error;
use std::cell::Cell;
use std::marker::PhantomData;
use std::thread;

/// The stack, in bytes, of a thread started by [`with_big_stack`], and what a thread must have
/// before it calls [`assume_big_stack`]: 64 MiB. It is address space; only the pages that are
/// touched take memory.
pub const BIG_STACK: usize = 64 << 20;

/// What any thread is trusted to have left, unasked: half of the smallest usual thread stack.
const ANY_THREAD: usize = 1 << 20;

/// Stack that a parse may need however short its text is.
const PER_PARSE: usize = 256 << 10;

/// Stack that a parse may need for each byte of its text. Measured over 105 kinds of nesting in
/// every language of the table, the worst is 56 bytes, and 64 without optimisation.
const PER_BYTE: usize = 128;

thread_local! {
    static AVAILABLE: Cell<usize> = const { Cell::new(ANY_THREAD) };
}

/// Runs a closure with at least [`BIG_STACK`] bytes of stack: on this thread when it is known to
/// have them, else on a thread of its own, waiting for it.
///
/// Whoever parses many large texts wraps the whole loop, so that one thread serves all of them. A
/// panic of the closure is passed on.
///
/// # Errors
/// [`Error::NoThread`] when the operating system grants no thread.
pub fn with_big_stack<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, Error> {
    with_stack(BIG_STACK, work)
}

/// Declares that the current thread was started with a stack of at least [`BIG_STACK`] bytes, most
/// of it free, until the returned guard is dropped.
///
/// For worker threads that a host starts itself. A wrong declaration brings back what the guard
/// is for: a deeply nested text ends the process.
///
/// ```
/// use fourfold_syntax::{Language, ParseLimits, Parser, stack};
///
/// std::thread::Builder::new()
///     .stack_size(stack::BIG_STACK)
///     .spawn(|| {
///         let _big = stack::assume_big_stack();
///         let rust = Language::named("rust")?;
///         Parser::new(ParseLimits::default()).parse(rust, "fn main() {}")
///     })?
///     .join()
///     .expect("the worker does not panic")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "the declaration ends when the guard is dropped"]
pub fn assume_big_stack() -> BigStack {
    BigStack::declare(BIG_STACK)
}

/// The declaration made by [`assume_big_stack`]; dropping it takes the declaration back.
#[derive(Debug)]
pub struct BigStack {
    before: usize,
    /// The declaration is about one thread, so the guard stays on it.
    not_send: PhantomData<*const ()>,
}

impl BigStack {
    fn declare(bytes: usize) -> BigStack {
        let before = AVAILABLE.get();
        AVAILABLE.set(before.max(bytes));
        BigStack {
            before,
            not_send: PhantomData,
        }
    }
}

impl Drop for BigStack {
    fn drop(&mut self) {
        AVAILABLE.set(self.before);
    }
}

/// The stack to have before a text of this many bytes is parsed.
pub(crate) fn needed_for(text_bytes: usize) -> usize {
    PER_PARSE.saturating_add(text_bytes.saturating_mul(PER_BYTE))
}

/// Runs a closure with at least this many bytes of stack.
pub(crate) fn with_stack<R: Send>(
    bytes: usize,
    work: impl FnOnce() -> R + Send,
) -> Result<R, Error> {
    if bytes <= AVAILABLE.get() {
        return Ok(work());
    }
    let bytes = bytes.max(BIG_STACK);
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .name("parse".to_owned())
            .stack_size(bytes)
            .spawn_scoped(scope, || {
                let _big = BigStack::declare(bytes);
                work()
            })
            .map_err(|error| Error::NoThread {
                reason: error.to_string(),
            })?;
        thread
            .join()
            .map_err(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::current;

    #[test]
    fn a_small_text_stays_on_any_thread_and_a_large_one_leaves_it() {
        let here = current().id();
        assert_eq!(
            with_stack(needed_for(4 << 10), || current().id()).unwrap(),
            here
        );
        assert_ne!(
            with_stack(needed_for(16 << 10), || current().id()).unwrap(),
            here
        );
    }

    #[test]
    fn a_big_stack_is_started_once() {
        let (outer, inner) = with_big_stack(|| {
            let inner = with_big_stack(|| current().id()).unwrap();
            (current().id(), inner)
        })
        .unwrap();
        assert_eq!(outer, inner);
        assert_ne!(outer, current().id());
    }

    #[test]
    fn a_declaration_ends_with_its_guard() {
        thread::spawn(|| {
            let here = current().id();
            let guard = assume_big_stack();
            assert_eq!(with_big_stack(|| current().id()).unwrap(), here);
            drop(guard);
            assert_ne!(with_big_stack(|| current().id()).unwrap(), here);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_panic_comes_back_to_the_caller() {
        let caught = std::panic::catch_unwind(|| with_big_stack(|| panic!("from the closure")));
        assert_eq!(
            caught.unwrap_err().downcast_ref(),
            Some(&"from the closure")
        );
    }
}
