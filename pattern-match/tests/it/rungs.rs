//! Every language, rung and position of a metavariable: one table for each language.

use crate::table;
use fourfold_syntax::Language;
use std::collections::BTreeSet;

#[test]
fn every_rung_of_every_language_finds_exactly_what_its_table_says() {
    let mut failures = Vec::new();
    for language in Language::all() {
        match table::of("rungs", language.id()) {
            Some(table) => failures.extend(table::failures(language.id(), &table)),
            None => failures.push(format!("{language} has no table")),
        }
    }
    assert!(
        failures.is_empty(),
        "{} entries fail\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn every_table_is_about_many_rungs() {
    for language in Language::all() {
        let table = table::of("rungs", language.id()).unwrap();
        let entries = table::entries(&table);
        let rungs: BTreeSet<&str> = entries
            .iter()
            .flat_map(|entry| entry.finds.lines())
            .filter_map(|line| line.split_once(" | "))
            .map(|(rung, _)| rung)
            .collect();
        let data = matches!(
            language.id(),
            "json" | "yaml" | "toml" | "html" | "css" | "proto"
        );
        let fewest = if data { 6 } else { 10 };
        assert!(rungs.len() > 1, "{language}: only {rungs:?}");
        assert!(entries.len() >= fewest, "{language}: few entries");
    }
}

/// A fragment of a source is a pattern that finds itself there.
#[test]
fn what_was_found_finds_itself() {
    let mut failures = Vec::new();
    for language in Language::all() {
        for folder in ["rungs", "traps"] {
            let table = table::of(folder, language.id()).unwrap_or_default();
            for entry in table::entries(&table) {
                failures.extend(table::not_finding_itself(language, &entry));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} fragments do not find themselves\n{}",
        failures.len(),
        failures.join("\n")
    );
}
