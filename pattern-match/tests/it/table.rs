//! Reads the tables of patterns, sources and what must be found in them.
//!
//! A table is a text file of entries:
//!
//! ```text
//! === what the entry shows
//! the pattern
//! --- in
//! the source
//! --- finds
//! rung | text of a match, with `⏎` for a line end
//! ```
//!
//! `nothing` in place of the matches says that the pattern is read and finds nothing, `unparsable`
//! that no rung accepts it. A title that ends in `[strict]` is searched with no part omitted.

use fourfold_pattern_match::{Options, Pattern};
use fourfold_syntax::{FileSummary, Language, with_parser};
use std::path::PathBuf;

pub(crate) struct Entry<'t> {
    pub(crate) title: &'t str,
    pub(crate) pattern: &'t str,
    pub(crate) source: &'t str,
    pub(crate) finds: &'t str,
}

/// The table of a language, by its folder and the language's id.
pub(crate) fn of(folder: &str, id: &str) -> Option<String> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases")
        .join(folder)
        .join(format!("{id}.txt"));
    std::fs::read_to_string(file).ok()
}

/// The entries of a table, in order.
pub(crate) fn entries(table: &str) -> Vec<Entry<'_>> {
    table
        .split("\n=== ")
        .skip(1)
        .map(|entry| {
            let (title, rest) = entry.split_once('\n').unwrap();
            let (pattern, rest) = rest
                .split_once("\n--- in\n")
                .unwrap_or_else(|| panic!("`{title}` has no source"));
            let (source, finds) = rest
                .split_once("\n--- finds\n")
                .unwrap_or_else(|| panic!("`{title}` says nothing of what it finds"));
            Entry {
                title: title.trim(),
                pattern,
                source,
                finds: finds.trim_end(),
            }
        })
        .collect()
}

/// What an entry's pattern finds, in the form of the table.
fn found(language: Language, entry: &Entry<'_>) -> (String, String) {
    let mut options = Options::default();
    options.strict = entry.title.ends_with("[strict]");
    let pattern = match Pattern::compile(language, entry.pattern, &options) {
        Ok(pattern) => pattern,
        Err(error) => return ("unparsable".to_owned(), error.to_string()),
    };
    let source = format!("{}\n", entry.source);
    let tree = with_parser(fourfold_syntax::ParseLimits::default(), |parser| {
        parser.parse(language, &source)
    })
    .unwrap();
    let found = pattern.search(&source, &tree);
    // What a summary denies is not there.
    let summary = FileSummary::new(language, &source, &tree);
    let denied = !pattern.may_match_file(source.as_bytes(), &summary);
    assert!(!denied || found.matches.is_empty(), "{}", entry.title);
    let mut lines: Vec<String> = found
        .matches
        .iter()
        .map(|m| {
            let rung = pattern.readings()[m.reading].rung();
            format!("{rung} | {}", source[m.range.clone()].replace('\n', "⏎"))
        })
        .collect();
    if lines.is_empty() {
        lines.push("nothing".to_owned());
    }
    let readings: Vec<String> = pattern
        .readings()
        .iter()
        .map(|reading| format!("{}:\n{}", reading.rung(), reading.tree()))
        .collect();
    let errors = if found.has_errors {
        "the source has syntax errors\n"
    } else {
        ""
    };
    (lines.join("\n"), format!("{errors}{}", readings.concat()))
}

/// What is not as the table says.
pub(crate) fn failures(id: &str, table: &str) -> Vec<String> {
    let language = Language::named(id).unwrap();
    entries(table)
        .iter()
        .filter_map(|entry| {
            let (got, how) = found(language, entry);
            (got != entry.finds).then(|| {
                format!(
                    "== {id}: {}\n{}\n-- wanted\n{}\n-- found\n{got}\n-- because\n{how}",
                    entry.title, entry.pattern, entry.finds
                )
            })
        })
        .collect()
}

/// The matches of an entry whose own text, read as a pattern, does not find them.
pub(crate) fn not_finding_itself(language: Language, entry: &Entry<'_>) -> Vec<String> {
    let matches = entry
        .finds
        .lines()
        .filter_map(|line| line.split_once(" | "));
    matches
        .map(|(_, text)| text.replace('⏎', "\n"))
        .filter(|text| !text.contains('$'))
        .filter_map(|text| {
            let pattern = dedented(entry.source, &text);
            let itself = Entry {
                title: entry.title,
                pattern: &pattern,
                source: entry.source,
                finds: "",
            };
            let (got, how) = found(language, &itself);
            let there = got
                .lines()
                .filter_map(|line| line.split_once(" | "))
                .any(|(_, found)| found == text.replace('\n', "⏎"));
            (!there).then(|| format!("== {language}: {text}\n-- found\n{got}\n-- because\n{how}"))
        })
        .collect()
}

/// A fragment with its later lines moved left by the indentation of its first line.
fn dedented(source: &str, fragment: &str) -> String {
    let start = source.find(fragment).unwrap_or_default();
    let line = source[..start].rsplit('\n').next().unwrap_or_default();
    let indent = &line[..line.len() - line.trim_start().len()];
    fragment.replace(&format!("\n{indent}"), "\n")
}
