//! Real servers, as a host meets them: found, started, asked, ended. What they are called here is
//! what a person calls them; `basedpyright` and `pyright` are one row of the table.

mod desk;
mod lives;
mod renames;
mod stamina;
mod stories;
