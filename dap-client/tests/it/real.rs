//! Real adapters, each with a program that is wrong in some way.

mod bench;
mod first;
