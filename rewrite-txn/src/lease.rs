//! Read leases, the one system call of the crate that no safe wrapper has (`F_SETLEASE`): it is
//! what tells that no other process can still write into a displaced file.
#![allow(
    unsafe_code,
    reason = "fcntl(F_SETLEASE) has no safe wrapper; it takes and returns integers only"
)]

use std::os::fd::{AsRawFd, BorrowedFd};

use crate::fs::Writers;

/// Asks for a read lease on `file`, which must be open for reading only. It ends when the
/// descriptor is closed.
///
/// The kernel grants it only while no descriptor or mapping can write to the file.
pub(crate) fn take(file: BorrowedFd<'_>) -> Writers {
    // SAFETY: the descriptor is open for the duration of the call, and the argument is an integer.
    let answer = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_RDLCK) };
    if answer == 0 {
        return Writers::None;
    }
    match std::io::Error::last_os_error().raw_os_error() {
        Some(libc::EAGAIN) => Writers::Some,
        _ => Writers::Unknown,
    }
}
