//! Real servers. What they are called in stories is what a person calls them; `basedpyright` and
//! `pyright` are one row of the table.

mod desk;
mod stamina;
mod stories;
