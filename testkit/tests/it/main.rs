//! The scripted server, over pipes in memory and as a program.

mod fake;
mod processes;
