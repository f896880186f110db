//! The ledger from outside: scenarios, messages, properties, storage, bounds.

mod bounds;
mod messages;
mod properties;
mod scenarios;
mod script;
mod storage;
