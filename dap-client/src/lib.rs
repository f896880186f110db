//! Debug adapters found and started under guard; one session with a certain end; every stop a whole
//! picture.
//!
//! - [`AdapterCatalog`] is what is known about adapters, [`Detector`] what of it can run here.
//! - A [`Debugger`] belongs to one owner and has at most one session: a second launch is refused with
//!   the facts of the first. It ends at its time limit, which nothing renews, when it is idle, when
//!   it is told to, when its owner is dropped and when this process dies; with it end the adapter, the
//!   program and everything that they started.
//! - A [`Session`] answers each resuming call with the whole [`Stop`], or says that the program
//!   [is still running](Outcome::StillRunning) or [has ended](Outcome::Exited). Its handles of frames
//!   and values die with the stop that they belong to.
//!
//! ```
//! use fourfold_dap_client::AdapterCatalog;
//!
//! let catalog = AdapterCatalog::built_in();
//! let adapters: Vec<_> = catalog.for_path("src/main.rs".as_ref()).map(|row| row.id.as_str()).collect();
//! assert_eq!(adapters, ["gdb", "lldb-dap", "codelldb"]);
//! ```
//!
//! A session from its launch to its end:
//!
//! ```no_run
//! use std::time::Duration;
//! use fourfold_dap_client::{
//!     Breakpoint, Debugger, DebuggerConfig, EvaluateQuery, LaunchRequest, Outcome, Resume,
//! };
//! use serde_json::json;
//!
//! # async fn example() -> Result<(), fourfold_dap_client::DebugError> {
//! let debugger = Debugger::new(DebuggerConfig::new("/srv/project".into()));
//! let mut request = LaunchRequest::new(
//!     "debugpy",
//!     json!({ "program": "/srv/project/app.py", "console": "internalConsole" }),
//! );
//! request.breakpoints.push(Breakpoint::at_line("app.py", 12).when("total < 0"));
//! let (session, outcome) = debugger.launch(request).await?;
//! if let Outcome::Stopped(stop) = outcome {
//!     println!("{stop}");
//!     println!("{}", session.evaluate(EvaluateQuery::new("total")).await?);
//!     session.resume(Resume::StepOver, Duration::from_secs(10)).await?;
//! }
//! debugger.terminate().await?;
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod adapter;
mod configuration;
mod connection;
mod debugger;
mod error;
mod handle;
mod inspector;
mod limits;
mod mask;
mod output;
mod path;
pub mod program;
mod protocol;
mod request;
mod result;
mod session;
mod source;
mod text;
mod transport;
pub mod wire;

pub use adapter::{
    Adapter, AdapterCatalog, AdapterCommand, AdapterConfig, AdaptersConfig, Availability,
    ConfigError, DetectConfig, Detection, Detector, ExceptionFilters, HitCounts, Injector,
    Launchable, Probe, Start, Transport, TransportName,
};
pub use debugger::{Debugger, DebuggerConfig, Pipes};
pub use error::DebugError;
pub use handle::{BadHandle, FrameHandle, SessionId, ValueHandle};
pub use limits::{Limits, Shown};
pub use mask::Mask;
pub use output::{OutputChunk, OutputPage, Stream};
pub use path::{PathError, PathStep, ValuePath};
pub use protocol::Fault;
pub use request::{
    At, AttachRequest, Breakpoint, EvaluateQuery, Exceptions, LaunchRequest, Of, Resume, Target,
    ValuesQuery,
};
pub use result::{
    Binding, BreakpointReport, Clock, End, Exception, Facts, Frame, More, Outcome, Page, Place,
    Running, Scope, SessionEnd, SourceLine, StackEntry, State, Status, Stop, ThreadGroup,
    ThreadInfo, Value, Why,
};
pub use session::Session;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
