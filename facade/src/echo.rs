//! How much of what was given an error repeats.

use serde_json::Value;

/// What is longer than this, in characters, is cut. Default 160: the path of a file is told whole.
const LONG: usize = 160;

/// To so many characters. Default 80: enough to know it again.
const KEPT: usize = 80;

/// A sentence that repeats no more of each given text than tells which one is meant. For a host that
/// says what is wrong with what it was given: who gives ten megabytes does not want them back.
///
/// ```
/// let given = "a".repeat(10_000);
/// let said = fourfold::shortened(&format!("there is no `{given}`"), [given.as_str()]);
/// assert_eq!(said, format!("there is no `{}…`", "a".repeat(80)));
/// ```
pub fn shortened<'a>(sentence: &str, given: impl IntoIterator<Item = &'a str>) -> String {
    let mut said = sentence.to_owned();
    let mut long: Vec<&str> = given.into_iter().filter(|text| is_long(text)).collect();
    // One may be a part of another.
    long.sort_by_key(|text| std::cmp::Reverse(text.len()));
    for text in long {
        if said.len() >= text.len() && said.contains(text) {
            let kept: String = text.chars().take(KEPT).chain(['…']).collect();
            said = said.replace(text, &kept);
        }
    }
    said
}

fn is_long(text: &str) -> bool {
    text.len() > LONG && text.chars().nth(LONG).is_some()
}

/// The long texts in the arguments of a call.
pub(crate) fn long_texts(arguments: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![arguments];
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) if is_long(text) => found.push(text.clone()),
            Value::Array(values) => waiting.extend(values),
            Value::Object(fields) => waiting.extend(fields.values()),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_are_told_whole_and_longer_texts_cut() {
        let path = format!("{}/file.rs", "d".repeat(150));
        let long = "é".repeat(161);
        let said = shortened(&format!("{path}, {long}"), [path.as_str(), long.as_str()]);
        assert_eq!(said, format!("{path}, {}…", "é".repeat(80)));
    }

    #[test]
    fn texts_are_found_wherever_they_stand() {
        let long = "x".repeat(161);
        let given = json!({"a": "short", "b": [long, {"c": long}], "d": 1});
        assert_eq!(long_texts(&given), [long.clone(), long]);
    }
}
