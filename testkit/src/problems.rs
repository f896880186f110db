//! A language of one rule, for servers that have to say something true about a text: a word that
//! begins with `bad` is an error, one that begins with `odd` a warning.

use serde_json::{Value, json};

/// The diagnostics of a text, as the protocol writes them; columns in UTF-16.
pub(crate) fn found(text: &str) -> Value {
    let mut found = Vec::new();
    for (row, line) in text.lines().enumerate() {
        for (start, word) in words(line) {
            let (severity, code, what) = match word {
                _ if word.starts_with("bad") => (1, "E1", "unknown name"),
                _ if word.starts_with("odd") => (2, "W1", "odd name"),
                _ => continue,
            };
            let column = |bytes: usize| line[..bytes].encode_utf16().count();
            found.push(json!({
                "range": {
                    "start": {"line": row, "character": column(start)},
                    "end": {"line": row, "character": column(start + word.len())},
                },
                "severity": severity,
                "code": code,
                "source": "fake",
                "message": format!("{what} `{word}`"),
            }));
        }
    }
    found.into()
}

/// The words of a line, each with the byte it begins at.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_judged() {
        let found = found("good é😀 bad_one\nodd; badly");
        let told: Vec<_> = found
            .as_array()
            .unwrap()
            .iter()
            .map(|item| {
                let start = &item["range"]["start"];
                format!(
                    "{}:{} {}",
                    start["line"], start["character"], item["message"]
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                "0:9 \"unknown name `bad_one`\"",
                "1:0 \"odd name `odd`\"",
                "1:5 \"unknown name `badly`\""
            ]
        );
    }
}
