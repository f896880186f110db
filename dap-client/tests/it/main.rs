//! A debugger against an adapter that does what a test says, in memory and on a paused clock; and in
//! `real` against real adapters, which fail with the command that installs what is missing.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod corpus;
mod fake;
mod faults;
mod life;
mod picture;
mod pipes;
mod real;
mod secrets;
