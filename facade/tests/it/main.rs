//! The facade on real checkouts.
