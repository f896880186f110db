//! The traps: fragments that a grammar reads as something else than a person means, each pinned.

use crate::table;
use fourfold_syntax::Language;

#[test]
fn every_trap_is_read_as_a_person_means_it() {
    let mut failures = Vec::new();
    let mut entries = 0;
    for language in Language::all() {
        if let Some(table) = table::of("traps", language.id()) {
            entries += table::entries(&table).len();
            failures.extend(table::failures(language.id(), &table));
        }
    }
    assert!(entries > 70, "only {entries} traps are pinned");
    assert!(
        failures.is_empty(),
        "{} entries fail\n{}",
        failures.len(),
        failures.join("\n")
    );
}
