//! Scripted servers.
