//! Real adapters, each with programs that are wrong in some way.

mod assign;
mod bad;
mod bench;
mod each;
mod elsewhere;
mod ends;
mod go;
mod hangs;
mod hidden;
mod killed;
mod let_go;
mod native;
mod node;
mod odd;
mod python;
mod raised;
mod rare;
mod reach;
mod runners;
