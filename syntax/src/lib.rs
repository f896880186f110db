//! One tree-sitter setup for the whole house.
#![warn(missing_docs)]
