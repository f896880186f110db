//! What this process was given beside its three streams, and shall not hand on to a daemon: somebody
//! may wait for the end of such a pipe, and a daemon would keep it open.
#![allow(
    unsafe_code,
    reason = "no safe wrapper names a descriptor that this program did not open itself"
)]

use std::fs;
use std::os::fd::BorrowedFd;

use rustix::io::{FdFlags, fcntl_setfd};

/// The streams that every process has.
const STREAMS: i32 = 3;

/// Keeps all descriptors but the three streams to this process: programs that it starts from here on
/// do not get them.
pub(crate) fn keep() {
    let Ok(open) = fs::read_dir("/proc/self/fd") else {
        return;
    };
    // Gathered first: the folder that is being read is one of them.
    let open: Vec<i32> = open
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|number| *number >= STREAMS)
        .collect();
    for number in open {
        // SAFETY: it is not -1, it is not used beyond this call, and the call closes nothing. If it
        // was closed meanwhile the system says so, and another one in its place is closed at an
        // execution anyway, as everything is that this program opens.
        let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
        let _ = fcntl_setfd(descriptor, FdFlags::CLOEXEC);
    }
}
