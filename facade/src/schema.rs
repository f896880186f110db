//! JSON in and JSON Schema out: what a tool takes, checked with sentences that say what would do.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::Error;
use crate::nearest;

/// The schema of what a tool takes: an object with no other arguments than these.
pub(crate) fn input<T: JsonSchema>(required: &[&str], without: &[&str]) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    trim(&mut schema);
    if let Value::Object(object) = &mut schema {
        object.remove("description");
        if let Some(Value::Object(properties)) = object.get_mut("properties") {
            properties.retain(|name, _| !without.contains(&name.as_str()));
            for (name, property) in properties.iter_mut() {
                if let Value::Object(property) = property
                    && required.contains(&name.as_str())
                {
                    property.remove("default");
                }
            }
        }
        object.insert("additionalProperties".to_owned(), Value::Bool(false));
        if !required.is_empty() {
            object.insert("required".to_owned(), required.to_vec().into());
        }
    }
    schema
}

/// Takes arguments, and choices of arguments, of these names out of what a tool takes.
pub(crate) fn leave_out(schema: &mut Value, names: &[&str]) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    properties.retain(|name, _| !names.contains(&name.as_str()));
    for property in properties.values_mut() {
        if let Some(Value::Array(choices)) = property.get_mut("oneOf") {
            choices.retain(|one| {
                !one["const"]
                    .as_str()
                    .is_some_and(|choice| names.contains(&choice))
            });
        }
    }
}

/// The schema of what a tool answers.
pub(crate) fn output<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with(|settings| settings.meta_schema = None);
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    trim(&mut schema);
    schema
}

/// Leaves out what no reader of a schema needs: Rust's names and the widths of its integers.
fn trim(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object
                .remove("format")
                .is_some_and(|format| format == "uint32")
            {
                object.insert("maximum".to_owned(), u32::MAX.into());
            }
            if object.get("title").is_some_and(Value::is_string) {
                object.remove("title");
            }
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            object.values_mut().for_each(trim);
        }
        Value::Array(items) => items.iter_mut().for_each(trim),
        _ => {}
    }
}

/// Reads the arguments of a tool.
///
/// What is meant without doubt is taken: one value where a list is wanted, a number or `true` in
/// quotes, `null` for an argument that is not given.
pub(crate) fn read<T: DeserializeOwned>(
    tool: &'static str,
    schema: &Value,
    arguments: Value,
) -> Result<T, Error> {
    let fail = |message: String| Error::Argument { tool, message };
    let given = match arguments {
        Value::Null => Map::new(),
        Value::Object(given) => given,
        other => {
            return Err(fail(format!(
                "the arguments are an object, not {}",
                described(&other)
            )));
        }
    };
    let read = fields(given, schema).map_err(fail)?;
    serde_json::from_value(Value::Object(read)).map_err(|error| fail(error.to_string()))
}

/// The fields of an object as the schema wants them, or what is wrong with one of them.
fn fields(given: Map<String, Value>, schema: &Value) -> Result<Map<String, Value>, String> {
    let none = Map::new();
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&none);
    let mut read = Map::new();
    for (name, value) in given {
        let Some(property) = properties.get(&name) else {
            let known: Vec<&str> = properties.keys().map(String::as_str).collect();
            let name = crate::result::capped(&name, 80, &mut false);
            return Err(match known.as_slice() {
                [] => format!("there is no argument `{name}`; it takes none"),
                known => format!(
                    "there is no argument `{name}`{}; it takes {}",
                    nearest::hint(&name, known.iter().copied()),
                    known.join(", ")
                ),
            });
        };
        if value.is_null() {
            continue;
        }
        let value = taken(value, property).map_err(|expected| format!("`{name}` is {expected}"))?;
        read.insert(name, value);
    }
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !read.contains_key(name) {
            let property = properties.get(name).unwrap_or(&Value::Null);
            return Err(match choices(property) {
                Some(choices) => format!("`{name}` is missing: one of {}", choices.join(", ")),
                None => {
                    let what = property["description"].as_str().unwrap_or_default();
                    format!("`{name}` is missing: {what}")
                }
            });
        }
    }
    Ok(read)
}

/// The value as the schema wants it, or what it wants.
fn taken(value: Value, schema: &Value) -> Result<Value, String> {
    if let Some(choices) = choices(schema) {
        if value.as_str().is_some_and(|given| choices.contains(&given)) {
            return Ok(value);
        }
        let hint = value
            .as_str()
            .map(|given| nearest::hint(given, choices.iter().copied()))
            .unwrap_or_default();
        return Err(format!(
            "one of {}, not {}{hint}",
            choices.join(", "),
            described(&value)
        ));
    }
    let kind = schema.get("type").and_then(Value::as_str).unwrap_or("");
    match (kind, value) {
        ("string", value @ Value::String(_)) | ("boolean", value @ Value::Bool(_)) => Ok(value),
        ("integer", value) => {
            let number = match &value {
                Value::String(text) => text.parse().ok(),
                other => other.as_u64(),
            };
            let most = schema["maximum"].as_u64();
            match (number, most) {
                (Some(number), Some(most)) if number > most => {
                    Err(format!("{most} at most, not {}", described(&value)))
                }
                (Some(number), _) => Ok(number.into()),
                (None, _) => Err(format!(
                    "a whole number from 0 up, not {}",
                    described(&value)
                )),
            }
        }
        ("boolean", Value::String(text)) if text == "true" || text == "false" => {
            Ok(Value::Bool(text == "true"))
        }
        ("array", value) => {
            let wanted = schema.get("items").unwrap_or(&Value::Null);
            let of_objects = wanted.get("type").is_some_and(|kind| kind == "object");
            let items = match value {
                Value::Array(items) => items,
                // A list that was written as JSON once more.
                Value::String(text) if of_objects => match serde_json::from_str(&text) {
                    Ok(Value::Array(items)) => items,
                    Ok(one @ Value::Object(_)) => vec![one],
                    _ => vec![Value::String(text)],
                },
                one => vec![one],
            };
            let read: Result<Vec<Value>, String> =
                items.into_iter().map(|item| taken(item, wanted)).collect();
            read.map(Value::Array)
                .map_err(|expected| format!("a list, each item {expected}"))
        }
        // One whose members are somebody else's.
        ("object", value @ Value::Object(_)) if schema.get("properties").is_none() => Ok(value),
        ("object", Value::Object(given)) => match fields(given, schema) {
            Ok(read) => Ok(Value::Object(read)),
            Err(wrong) => Err(format!("an object in which {wrong}")),
        },
        // A text in place of an object that needs one text: that is it.
        ("object", Value::String(text)) if sole_text(schema).is_some() => {
            let name = sole_text(schema).unwrap_or_default().to_owned();
            Ok(Value::Object(Map::from_iter([(name, text.into())])))
        }
        (kind, value) => {
            let wanted = match kind {
                "string" => "a text",
                "boolean" => "true or false",
                "object" => "an object",
                other => other,
            };
            Err(format!("{wanted}, not {}", described(&value)))
        }
    }
}

/// The only thing that an object has to have, if that is a text.
fn sole_text(schema: &Value) -> Option<&str> {
    let [name] = schema["required"].as_array()?.as_slice() else {
        return None;
    };
    let name = name.as_str()?;
    (schema["properties"][name]["type"] == "string").then_some(name)
}

/// The values that an enum may have.
fn choices(schema: &Value) -> Option<Vec<&str>> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return Some(values.iter().filter_map(Value::as_str).collect());
    }
    let one_of = schema.get("oneOf")?.as_array()?;
    one_of
        .iter()
        .map(|choice| choice.get("const")?.as_str())
        .collect()
}

/// A value in a sentence, cut to a line.
fn described(value: &Value) -> String {
    let text = match value {
        Value::Object(_) => return "an object".to_owned(),
        Value::Array(_) => return "a list".to_owned(),
        Value::String(text) => format!("`{text}`"),
        other => other.to_string(),
    };
    crate::result::capped(&text, 80, &mut false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{GrepRequest, ResolveRequest};
    use serde_json::json;

    fn grep(arguments: Value) -> Result<GrepRequest, String> {
        let schema = input::<GrepRequest>(&[], &[]);
        read("ast_grep", &schema, arguments).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_meant_without_doubt_is_taken() {
        let read = grep(json!({
            "pattern": "f($X)", "paths": "src", "language": ["rust"], "limit": "7",
            "strict": "true", "kind": null,
        }))
        .unwrap();
        assert_eq!(read.shape.pattern.as_deref(), Some("f($X)"));
        assert_eq!(read.selection.paths, [std::path::PathBuf::from("src")]);
        assert_eq!((read.limit, read.shape.strict), (Some(7), true));
        assert_eq!(read.shape.kind, None);
        assert_eq!(grep(Value::Null), Ok(GrepRequest::default()));
    }

    #[test]
    fn a_text_stands_for_an_object_that_needs_no_more() {
        let schema = input::<crate::debug::DebugRequest>(&["action"], &[]);
        let read = |breakpoints| {
            let arguments = json!({"action": "breakpoints", "breakpoints": breakpoints});
            read::<crate::debug::DebugRequest>("debug", &schema, arguments)
                .map(|read| read.breakpoints)
                .map_err(|error| error.to_string())
        };
        let at = |at: &str| crate::debug::DebugBreakpoint {
            at: at.to_owned(),
            ..Default::default()
        };
        assert_eq!(
            read(json!(["a.py:3", {"at": "f"}])),
            Ok(vec![at("a.py:3"), at("f")])
        );
        assert_eq!(read(json!("a.py:3")), Ok(vec![at("a.py:3")]));
        let wrong = read(json!([{"hit": "3"}])).unwrap_err();
        assert!(
            wrong.starts_with("debug: `breakpoints` is a list, each item an object in which `at` is missing: `FILE:LINE`"),
            "{wrong}"
        );
    }

    #[test]
    fn what_is_wrong_is_said_in_one_sentence() {
        let wrong = |arguments| grep(arguments).unwrap_err();
        expect_test::expect![[r#"
            ast_grep: there is no argument `patern`; the nearest is `pattern`; it takes as, count_only, globs, has, hidden, inside, kind, language, limit, max_file_bytes, max_text_bytes, near_misses, no_ignore, not_has, not_inside, offset, paths, pattern, query, strict, where"#]]
        .assert_eq(&wrong(json!({"patern": "f()"})));
        assert_eq!(
            wrong(json!({"limit": "many"})),
            "ast_grep: `limit` is a whole number from 0 up, not `many`"
        );
        assert_eq!(
            wrong(json!({"limit": -1})),
            "ast_grep: `limit` is a whole number from 0 up, not -1"
        );
        assert_eq!(
            wrong(json!({"has": [{}]})),
            "ast_grep: `has` is a list, each item a text, not an object"
        );
        assert_eq!(
            wrong(json!([1])),
            "ast_grep: the arguments are an object, not a list"
        );
    }

    #[test]
    fn choices_and_required_arguments_are_named() {
        let schema = input::<ResolveRequest>(&["id", "action"], &[]);
        let wrong = |arguments| {
            read::<ResolveRequest>("resolve", &schema, arguments)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            wrong(json!({"id": "s-2222", "action": "aply"})),
            "resolve: `action` is one of apply, discard, not `aply`; the nearest is `apply`"
        );
        assert_eq!(
            wrong(json!({"action": "apply"})),
            "resolve: `id` is missing: The id of the stage, such as s-7k2m."
        );
    }
}
