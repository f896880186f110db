//! The answer to `workspace/configuration`.

use serde_json::{Value, json};

/// One answer for each item that is asked for.
pub(super) fn answer(settings: &Value, params: &Value) -> Value {
    let items = params.get("items").and_then(Value::as_array);
    let answers =
        items
            .into_iter()
            .flatten()
            .map(|item| match item.get("section").and_then(Value::as_str) {
                None | Some("") => whole(settings),
                Some(section) => section_of(settings, section).cloned().unwrap_or_default(),
            });
    Value::Array(answers.collect())
}

/// All settings, as `workspace/didChangeConfiguration` sends them: an object in any case.
pub(super) fn whole(settings: &Value) -> Value {
    match settings {
        Value::Null => json!({}),
        settings => settings.clone(),
    }
}

/// The settings under a dotted name. Keys of the tree may hold dots themselves.
fn section_of<'a>(settings: &'a Value, section: &str) -> Option<&'a Value> {
    if let Some(found) = settings.get(section) {
        return Some(found);
    }
    section
        .match_indices('.')
        .find_map(|(dot, _)| section_of(settings.get(&section[..dot])?, &section[dot + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_answers_as_items() {
        let settings = json!({
            "python": { "analysis": { "mode": "x" }, "analysis.b": 1 },
            "a.b": { "c": 2 },
        });
        let sections = [
            json!("python"),
            json!("python.analysis.mode"),
            json!("python.analysis.b"),
            json!("a.b.c"),
            json!("nobody.knows"),
            json!(""),
            Value::Null,
        ];
        let items: Vec<_> = sections
            .iter()
            .map(|section| json!({ "section": section, "scopeUri": "file:///x" }))
            .collect();
        assert_eq!(
            answer(&settings, &json!({ "items": items })),
            json!([settings["python"], "x", 1, 2, null, settings, settings])
        );
        assert_eq!(answer(&Value::Null, &json!({ "items": [{}] })), json!([{}]));
        assert_eq!(answer(&settings, &Value::Null), json!([]));
    }
}
