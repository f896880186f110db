//! The README's table of languages is the code's.

use fourfold_syntax::Language;

#[test]
fn the_readme_lists_every_language() {
    let readme = include_str!("../../README.md");
    let rows: Vec<_> = readme
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| Language"))
        .collect();
    let known: Vec<_> = Language::known().collect();
    assert_eq!(rows.len(), known.len(), "one row for each language");
    assert!(readme.contains("| Language | Id | Feature | Extensions |"));
    for (row, id) in rows.iter().zip(known) {
        assert_eq!(
            row.split('|').nth(2).map(str::trim),
            Some(&*format!("`{id}`"))
        );
        let Ok(language) = Language::named(id) else {
            continue;
        };
        let extensions: Vec<_> = language
            .extensions()
            .iter()
            .map(|extension| format!("`.{extension}`"))
            .collect();
        let expected = format!(
            "| {} | `{id}` | `{}` | {} |",
            language.name(),
            language.feature(),
            extensions.join(" ")
        );
        assert_eq!(*row, expected);
    }
}
