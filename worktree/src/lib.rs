//! A checkout on disk: the door every path goes through, and the one ignore-aware walk.
#![warn(missing_docs)]
