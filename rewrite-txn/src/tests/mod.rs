//! The transaction under faults: kills, power cuts, failing calls, foreign writers.
//!
//! The exhaustive variants run when `FOURFOLD_LONG` is set; a sample of them always does.

mod errors;
mod ext4;
mod fault;
mod kept;
mod kill;
mod model;
mod power;
mod props;
mod race;
mod sample;

/// Whether the exhaustive runs are wanted.
fn long() -> bool {
    std::env::var_os("FOURFOLD_LONG").is_some()
}
