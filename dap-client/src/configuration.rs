//! Trees of configuration.

use serde_json::Value;

/// Lays one tree over another: objects are merged, everything else is replaced; null changes
/// nothing.
pub(crate) fn lay_over(under: &mut Value, over: &Value) {
    match (under, over) {
        (_, Value::Null) => {}
        (Value::Object(under), Value::Object(over)) => {
            for (key, over) in over {
                let under = under.entry(key.as_str()).or_insert(Value::Null);
                // Two levels are all that launch configurations have.
                match (under, over) {
                    (Value::Object(under), Value::Object(over)) => {
                        for (key, over) in over {
                            under.insert(key.clone(), over.clone());
                        }
                    }
                    (under, over) => *under = over.clone(),
                }
            }
        }
        (under, over) => *under = over.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_are_merged_and_the_rest_is_replaced() {
        let mut under = json!({ "a": 1, "env": { "X": "1", "Y": "2" }, "list": [1, 2] });
        lay_over(
            &mut under,
            &json!({ "env": { "Y": "3" }, "list": [], "b": null }),
        );
        assert_eq!(
            under,
            json!({ "a": 1, "env": { "X": "1", "Y": "3" }, "list": [], "b": null })
        );
        lay_over(&mut under, &Value::Null);
        assert_eq!(under["a"], 1);
    }
}
