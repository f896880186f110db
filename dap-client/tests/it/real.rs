//! Real adapters, each with programs that are wrong in some way.

mod bench;
mod ends;
mod go;
mod native;
mod node;
mod python;
