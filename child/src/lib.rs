//! One supervised child process whose whole tree ends with it, and with us.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod child;
mod error;
mod exit;
pub mod guard;
mod keeper;
mod leader;
mod lookup;
mod pipes;
#[cfg(target_os = "linux")]
mod processes;
mod spawn;
mod start;
mod stderr;
#[cfg(target_os = "linux")]
mod sweep;
mod token;
#[cfg(target_os = "linux")]
mod wire;

pub use child::{Child, StopPlan, StopStep, Stopped};
pub use error::SpawnError;
pub use exit::{EndedBy, Exit};
pub use lookup::{Lookup, Unusable, which};
pub use pipes::{Stdin, Stdout};
pub use spawn::{Guard, Limits, Spawn};
pub use stderr::StderrTail;
#[cfg(target_os = "linux")]
pub use sweep::{Leftover, Swept, leftovers, sweep};
pub use token::{TOKEN_VARIABLE, Token};
