//! Scripted language servers, fixtures and temporary projects for the tests of the workspace.
#![warn(missing_docs)]
#![forbid(unsafe_code)]
