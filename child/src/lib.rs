//! One supervised child process whose whole tree ends with it, and with us.
#![warn(missing_docs)]
#![forbid(unsafe_code)]
