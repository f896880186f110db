//! Why a child could not be started.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::lookup::Lookup;

/// Why a child was not started. When one of these is returned, nothing is running.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The program is not there, or not executable.
    #[error(
        "starting {}: {lookup}; install it, or name it by its full path",
        .lookup.program.display()
    )]
    NotFound {
        /// Where was looked, and what was there.
        lookup: Lookup,
    },
    /// The working directory is not a directory.
    #[error(
        "starting {}: its working directory {} is not there; create it or choose another",
        .program.display(), .cwd.display()
    )]
    NoCwd {
        /// The program as it was named.
        program: OsString,
        /// The directory.
        cwd: PathBuf,
    },
    /// The system refused to execute the file.
    #[error("starting {}: {hint}", .path.display())]
    Exec {
        /// The file.
        path: PathBuf,
        /// What is probably wrong with it and what to do.
        hint: String,
        /// What the system said.
        source: io::Error,
    },
    /// [`Guard::OwnBinary`](crate::Guard::OwnBinary) in a program that cannot be a guard.
    #[error(
        "starting {}: this program is to be its own guard process, but did not call \
         `fourfold_child::guard::enter()` first thing in `main`; call it there, or choose \
         `Guard::Program` with the path of the `fourfold-guard` program",
        .program.display()
    )]
    NotEntered {
        /// The program as it was named.
        program: OsString,
    },
    /// The guard program could not be started.
    #[error(
        "starting the guard process {}: the system refused; check that the file is there and may be \
         executed",
        .path.display()
    )]
    GuardNotStarted {
        /// The guard program.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// What was started as guard does not behave like one.
    #[error(
        "the guard process {} {what}; check that it is the `fourfold-guard` of this version, or a \
         program that calls `fourfold_child::guard::enter()` first thing in `main`",
        .path.display()
    )]
    GuardFailed {
        /// The guard program.
        path: PathBuf,
        /// What it did, or failed to do.
        what: String,
        /// What the system said, when it said something.
        source: Option<io::Error>,
    },
    /// The guard did not answer in time.
    #[error(
        "the guard process {} did not answer within {after:?}; the machine may be overloaded: try \
         again, or raise `Limits::start`; or the file is no guard program",
        .path.display()
    )]
    GuardSilent {
        /// The guard program.
        path: PathBuf,
        /// [`Limits::start`](crate::Limits::start).
        after: Duration,
    },
    /// Not called from within a tokio runtime.
    #[error(
        "starting {}: there is no tokio runtime here; call `spawn` from a task of one",
        .program.display()
    )]
    NoRuntime {
        /// The program as it was named.
        program: OsString,
    },
    /// Something that every process needs was refused.
    #[error(
        "starting {}: {doing} failed; the limit of open files or processes may have been reached",
        .program.display()
    )]
    System {
        /// The program as it was named.
        program: OsString,
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
}
