//! The Debug Adapter Protocol, as much of it as is spoken, read leniently.
