//! Real processes, and what is left of them.

mod start;
