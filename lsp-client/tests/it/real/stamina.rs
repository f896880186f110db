//! Two hundred writes in a row.
