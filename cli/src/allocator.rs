//! A faster allocator under tree-sitter.
//!
//! Parsing allocates a small object for nearly every token. With two threads parsing, the system
//! allocator costs more than a quarter of the CPU time; mimalloc costs little. The call that
//! installs an allocator has no safe form.
#![allow(
    unsafe_code,
    reason = "tree_sitter::set_allocator is unsafe and has no safe form"
)]

use libmimalloc_sys as mi;
use std::ffi::c_void;

/// mimalloc's option `arena_eager_commit`, which its bindings do not name: whether memory is
/// committed by the arena. Without it the pages that are not used yet are not resident, which
/// saves five megabytes and costs nothing measurable.
const ARENA_EAGER_COMMIT: mi::mi_option_t = 4;

/// mimalloc's option `purge_delay`: after how many milliseconds memory that was freed goes back to
/// the system. By default it is kept for so long that the tree of a large file, parsed on one thread,
/// is still resident while another thread parses the next one.
const PURGE_DELAY: mi::mi_option_t = 15;

/// Short beside the parse of a large file, long enough for the next small ones to use it again.
const PURGE_AFTER_MS: std::ffi::c_long = 100;

/// Installs the allocator. Must be the first thing that `main` does: memory that tree-sitter got
/// before could not be given back after.
pub(crate) fn install() {
    let allocator = tree_sitter::Allocator {
        malloc,
        calloc,
        realloc,
        free,
    };
    // SAFETY: the four functions are one family with the alignment of malloc, they never return
    // null, and no tree-sitter object exists yet.
    unsafe {
        mi::mi_option_set(ARENA_EAGER_COMMIT, 0);
        mi::mi_option_set(PURGE_DELAY, PURGE_AFTER_MS);
        tree_sitter::set_allocator(Some(allocator));
    }
}

/// tree-sitter does not look at what it gets, so memory that is not to be had ends the process,
/// as it does with the system allocator.
fn granted(memory: *mut c_void, size: usize) -> *mut c_void {
    if memory.is_null() && size > 0 {
        std::process::abort();
    }
    memory
}

unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    // SAFETY: any size may be asked for.
    granted(unsafe { mi::mi_malloc(size) }, size)
}

unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let bytes = count.saturating_mul(size);
    // SAFETY: any size may be asked for.
    granted(unsafe { mi::mi_zalloc(bytes) }, bytes)
}

unsafe extern "C" fn realloc(memory: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: tree-sitter passes what one of these functions returned, or null.
    granted(unsafe { mi::mi_realloc(memory, size) }, size)
}

unsafe extern "C" fn free(memory: *mut c_void) {
    // SAFETY: tree-sitter passes what one of these functions returned, or null, once.
    unsafe { mi::mi_free(memory) }
}
