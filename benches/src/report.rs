//! Medians, tables, and text that fits into a cell.

use std::fmt::Write;

/// The median; 0 of nothing.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[half],
        _ => f64::midpoint(sorted[half - 1], sorted[half]),
    }
}

/// Code for a cell of a Markdown table: one line, at most `limit` characters, bars escaped.
#[must_use]
pub fn cell(code: &str, limit: usize) -> String {
    let line = code.replace('\n', "⏎").replace('|', "\\|");
    let mut text: String = line.chars().take(limit).collect();
    if line.chars().count() > limit {
        text.push('…');
    }
    format!("`` {text} ``")
}

/// The head of a Markdown table; a name that begins with `>` is a column of numbers.
#[must_use]
pub fn head(columns: &[&str]) -> String {
    let mut names = String::from("|");
    let mut rule = String::from("|");
    for column in columns {
        let _ = write!(names, " {} |", column.trim_start_matches('>'));
        rule.push_str(if column.starts_with('>') {
            "---:|"
        } else {
            "---|"
        });
    }
    format!("{names}\n{rule}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_even_and_no_values() {
        assert_eq!(median(&[5.0, 1.0, 3.0]), 3.0);
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(&[]), 0.0);
    }

    #[test]
    fn a_cell_is_one_line_without_bare_bars() {
        assert_eq!(cell("|$A|\n$E", 20), "`` \\|$A\\|⏎$E ``");
        assert_eq!(cell("abcdef", 3), "`` abc… ``");
        assert_eq!(head(&["a", ">b"]), "| a | b |\n|---|---:|");
    }
}
