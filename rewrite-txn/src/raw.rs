//! The two system calls of the crate that no safe wrapper has: the read lease that tells whether
//! another process can still write into a displaced file, and the request to begin writing a file
//! to disk.
#![allow(
    unsafe_code,
    reason = "fcntl(F_SETLEASE) and sync_file_range have no safe wrapper; both take and return \
              integers only"
)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use crate::fs::Writers;

/// Asks for a read lease on `file`, which must be open for reading only. It ends when the
/// descriptor is closed.
///
/// The kernel grants it only while no descriptor or mapping can write to the file.
pub(crate) fn read_lease(file: BorrowedFd<'_>) -> Writers {
    // SAFETY: the descriptor is open for the duration of the call, and the argument is an integer.
    let answer = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_RDLCK) };
    if answer == 0 {
        return Writers::None;
    }
    match io::Error::last_os_error().raw_os_error() {
        Some(libc::EAGAIN) => Writers::Some,
        _ => Writers::Unknown,
    }
}

/// Begins to write the content of `file` to disk, without waiting.
pub(crate) fn begin_writing(file: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the descriptor is open for the duration of the call, and the arguments are integers.
    let answer =
        unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) };
    if answer == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
