//! Scripted servers that behave badly: a verdict may be missing, with its reason, but never wrong,
//! and the next write works again.

mod desk;
mod pipes;
mod timed;
mod truth;
