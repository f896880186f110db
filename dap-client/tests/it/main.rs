//! Sessions with real adapters; the tests that need them are in `real`, and fail with the command
//! that installs what is missing.

mod real;
