//! Processes of other trees.

use std::io;

/// Lets a process of another tree go on that was left stopped (SIGCONT), such as one that a debugger
/// was attached to.
///
/// # Errors
///
/// When there is no such process, or it is another user's.
pub fn send_on(pid: u32) -> io::Result<()> {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or(io::ErrorKind::InvalidInput)?;
    kill_process(pid, Signal::CONT).map_err(io::Error::from)
}

/// Asks a process of another tree, which must be one of Node.js, to open its inspector (SIGUSR1). One
/// that does not catch the signal is ended by it: look at that first.
///
/// # Errors
///
/// When there is no such process, or it is another user's.
pub fn open_inspector(pid: u32) -> io::Result<()> {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or(io::ErrorKind::InvalidInput)?;
    kill_process(pid, Signal::USR1).map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_process_is_meant() {
        // 0 would be our group, a negative number another one.
        assert!(send_on(0).is_err());
        assert!(send_on(u32::MAX).is_err());
        assert!(send_on(std::process::id()).is_ok());
    }
}
