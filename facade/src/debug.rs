//! The tool `debug`: a program at a moment, in one of its frames.
//!
//! `desk` keeps the debugger of a conversation, `consent` says what a host is asked about first, `act` does what is asked of its session, `ask` one
//! whole question; `place` reads places as people write them, `result` is what is answered.

mod act;
mod ask;
mod consent;
mod desk;
mod launch;
mod place;
mod request;
mod result;

pub(crate) use desk::{Desk as DebugDesk, may_start};
pub use request::{DebugAction, DebugBreakpoint, DebugExceptions, DebugRequest};
pub use result::{
    DebugAnswered, DebugBreakpointInfo, DebugEnd, DebugFrame, DebugHit, DebugOutcome, DebugResult,
    DebugScope, DebugSession, DebugStop, DebugThreads, DebugValue, DebugValues,
};
