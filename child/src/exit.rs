//! How a child ended.

use std::fmt;

use rustix::process::Signal;

/// How a child ended, and who ended it.
///
/// Its `Display` is for people: `exit code 1`, `signal 9 (KILL), ended by its time limit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exit {
    /// The code it exited with; `None` when a signal ended it, or when nobody could tell.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Who ended it.
    pub by: EndedBy,
}

/// Who ended a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndedBy {
    /// Itself, or somebody who is not us.
    Itself,
    /// Its host: [`stop`](crate::Child::stop), [`kill`](crate::Child::kill) or a drop.
    Host,
    /// [`Limits::hard`](crate::Limits::hard).
    HardLimit,
    /// [`Limits::idle`](crate::Limits::idle).
    IdleLimit,
    /// Its guard process was asked to end, by a signal from outside.
    Guard,
    /// Its guard process was killed; what was left was found by its token and ended. Neither code
    /// nor signal of the child are known.
    GuardLost,
}

impl Exit {
    /// Whether it exited with code 0.
    pub fn success(&self) -> bool {
        self.code == Some(0)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "exit code {code}")?,
            (None, Some(signal)) => match name(signal) {
                Some(name) => write!(f, "signal {signal} ({name})")?,
                None => write!(f, "signal {signal}")?,
            },
            (None, None) => f.write_str("exit code unknown")?,
        }
        f.write_str(match self.by {
            EndedBy::Itself => "",
            EndedBy::Host => ", ended by its host",
            EndedBy::HardLimit => ", ended by its time limit",
            EndedBy::IdleLimit => ", ended because it was idle",
            EndedBy::Guard => ", ended because its guard process was asked to",
            EndedBy::GuardLost => ", ended because its guard process was killed",
        })
    }
}

fn name(signal: i32) -> Option<&'static str> {
    const NAMES: &[(Signal, &str)] = &[
        (Signal::HUP, "HUP"),
        (Signal::INT, "INT"),
        (Signal::QUIT, "QUIT"),
        (Signal::ILL, "ILL"),
        (Signal::TRAP, "TRAP"),
        (Signal::ABORT, "ABRT"),
        (Signal::BUS, "BUS"),
        (Signal::FPE, "FPE"),
        (Signal::KILL, "KILL"),
        (Signal::SEGV, "SEGV"),
        (Signal::PIPE, "PIPE"),
        (Signal::ALARM, "ALRM"),
        (Signal::TERM, "TERM"),
        (Signal::XCPU, "XCPU"),
        (Signal::XFSZ, "XFSZ"),
        (Signal::SYS, "SYS"),
    ];
    NAMES
        .iter()
        .find(|(known, _)| known.as_raw() == signal)
        .map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_reads_well() {
        let exit = |code, signal, by| Exit { code, signal, by }.to_string();
        assert_eq!(exit(Some(1), None, EndedBy::Itself), "exit code 1");
        assert_eq!(exit(None, Some(11), EndedBy::Itself), "signal 11 (SEGV)");
        assert_eq!(
            exit(None, Some(9), EndedBy::HardLimit),
            "signal 9 (KILL), ended by its time limit"
        );
        assert_eq!(
            exit(None, Some(40), EndedBy::Host),
            "signal 40, ended by its host"
        );
        assert_eq!(
            exit(None, None, EndedBy::GuardLost),
            "exit code unknown, ended because its guard process was killed"
        );
    }
}
