//! Real adapters, each with programs that are wrong in some way.

mod assign;
mod bad;
mod bench;
mod each;
mod ends;
mod go;
mod native;
mod node;
mod python;
mod raised;
mod reach;
