//! One supervised child process whose whole tree ends with it, and with us.
//!
//! Language servers and debug adapters are programs that start programs. Killing the first of them,
//! or its process group, leaves the others: wrappers leave the server, servers their helpers,
//! debuggers the program. Nobody is left to do even that when the host itself is killed. So between
//! a host and each of its children stands a small process, the [`guard`], that adopts everything
//! the child leaves behind and ends it when the child has ended, when the host wants it, when the
//! time is over, or when the host is gone, in whatever way.
//!
//! - [`Spawn`] says what to start, with which [`Guard`] and which [`Limits`]; [`which`] finds the
//!   file.
//! - [`Child`] has the ends of its pipes ([`Stdin`], [`Stdout`]), the last words of its standard
//!   error ([`StderrTail`]), its [`Exit`], and [`Child::stop`]: polite, then firm.
//! - [`guard::enter`] comes first in the host's `main`.
//! - [`sweep`], at the start of a host, ends what is left from hosts that were killed together with
//!   their guards; [`leftovers`] is for checks.
//! - [`SpawnError`] says what is missing and what to do.
//!
//! ```
//! use fourfold_child::{Guard, Spawn, StopPlan, StopStep};
//! use tokio::io::{AsyncReadExt, AsyncWriteExt};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A test of documentation cannot be its own guard; a host leaves `guard` out.
//! let mut child = Spawn::new("cat").guard(Guard::None).spawn().await?;
//! let (Some(mut input), Some(mut output)) = (child.take_stdin(), child.take_stdout()) else {
//!     unreachable!("they are taken for the first time");
//! };
//! input.write_all(b"hello").await?;
//! let mut answer = [0; 5];
//! output.read_exact(&mut answer).await?;
//! assert_eq!(&answer, b"hello");
//!
//! let stopped = child.stop(StopPlan::default()).await;
//! assert_eq!(stopped.step, StopStep::Eof);
//! assert_eq!(stopped.left, Some(0));
//! # Ok(())
//! # }
//! ```
//!
//! # What ends, and when
//!
//! | what happens | with a guard | with [`Guard::None`] |
//! |---|---|---|
//! | the program ends | everything it left | its group, and what has its token |
//! | [`Child::stop`], [`Child::kill`], a drop | everything | its group, then what has its token |
//! | [`Limits::hard`], [`Limits::idle`] | everything | its group, then what has its token |
//! | this process is stuck or stopped | everything, at [`Limits::hard`] | nothing |
//! | this process is killed | everything, at once, or after [`Limits::farewell`] | nothing before a [`sweep`] |
//! | the guard is killed | what has its token, and what stems from that, at once | |
//! | both are killed | what has its token, at the next [`sweep`] | |
//!
//! Everything means: every process that stems from the program, in whatever session, group or
//! process namespace, daemons included, whatever its environment, stopped or traced.
//!
//! # How
//!
//! The guard is the host's own program started again, or one of its own. It is a child subreaper:
//! orphans of its descendants become its children. A socket connects it with the host; its end tells
//! that the host is gone. To end a tree it kills all that it finds, takes leave of the dead, and
//! looks again, until it has no child, at most two hundred times. It lives in a session of its own,
//! so that Ctrl-C at the host's terminal does not reach it, nor the program. In the list of processes
//! it is `fourfold-guard --fourfold-guard PROGRAM`; it takes 0.3 MiB of memory of its own and one
//! thread. The program's pipes do not go through it, and it holds no end of them.
//!
//! Everything started carries a [`Token`] in its environment, the variable [`TOKEN_VARIABLE`].
//!
//! In the host a thread belongs to each child. It depends on no runtime: it leaves no zombie and
//! replaces a guard that was killed, also when the runtime is stuck or gone. [`Spawn::spawn`] needs a
//! tokio runtime of any flavour, for the pipes, the reading of standard error and the limits; what
//! waits for a [`Child`] may then be polled anywhere.
//!
//! # Limits
//!
//! - The stated hole: when the guard is killed, a process is not found that has cleared its
//!   environment and whose parents have all ended.
//! - What another program starts on request is not part of the tree: containers of a daemon, units
//!   of the service manager, jobs of `at`. A shared daemon that a server starts itself, such as a
//!   build daemon, is, and ends.
//! - Processes that became another user's, as by `sudo`, cannot be signalled; [`Stopped::left`]
//!   counts them.
//! - A process that sits inside the system (state D) ends when the system lets it go; it is counted
//!   too.
//! - Processes that one attaches to are not part of any tree here.
//! - `/proc` must be mounted. On systems other than Linux there are no guards and no tokens: every
//!   [`Guard`] means [`Guard::None`], and only the process group is ended. There is no Windows.
//! - A host that gives SIGPIPE its default action back dies when it writes to a child that is gone.
//! - Real processes do not wait for a paused clock of tokio: with one, the patience of
//!   [`StopPlan`] is over at once.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod child;
mod error;
mod exit;
mod folder;
mod foreign;
pub mod guard;
mod keeper;
mod leader;
mod lookup;
mod pipes;
mod processes;
mod secret;
mod spawn;
mod start;
mod stderr;
mod sweep;
mod token;
#[cfg(target_os = "linux")]
mod wire;

pub use child::{Child, StopPlan, StopStep, Stopped};
pub use error::SpawnError;
pub use exit::{EndedBy, Exit};
pub use folder::Folder;
pub use foreign::{open_inspector, send_on};
pub use lookup::{Lookup, Unusable, which};
pub use pipes::{Stdin, Stdout};
pub use secret::{PASS_VARIABLE, is_secret};
pub use spawn::{Guard, Limits, Spawn};
pub use stderr::StderrTail;
pub use sweep::{Leftover, Swept, leftovers, sweep};
pub use token::{TOKEN_VARIABLE, Token};
