//! A debugger against an adapter that does what a test says, in memory and on a paused clock.

mod fake;
mod faults;
mod life;
mod picture;
mod real;
