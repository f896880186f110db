//! What a call that named no checkout did not find, and which other checkouts have it.

use std::path::Path;

use serde_json::{Map, Value};

use crate::mcp::house::House;
use crate::mcp::offer::{ROOT, relative_paths};
use crate::serve::wire::{Answer, Refusal};

/// The tools that are asked for a symbol, and again in the other checkouts.
const SYMBOLS: [&str; 4] = ["code_symbol", "code_callers", "code_callees", "search_code"];

/// Whether the answer is that there is no such thing.
pub(crate) fn missed(answered: &Result<Answer, Refusal>) -> bool {
    match answered {
        Err(refusal) => refusal.usage,
        Ok(answer) => {
            let value = &answer.value;
            match value["outcome"].as_str() {
                Some(outcome) => outcome == "not_found",
                None => value["summary"]["matches"] == 0 || value["total"] == 0,
            }
        }
    }
}

/// Where it was looked, and who else has it, as a sentence; `looked` is the checkout. Nothing is said
/// where the paths of the call are this checkout's, or where it is `wrong` and nobody else knows better.
pub(crate) async fn hint(
    tool: &str,
    arguments: &Map<String, Value>,
    looked: &House,
    houses: &[House],
    wrong: bool,
) -> Option<String> {
    let mut have = Vec::new();
    let others = || houses.iter().filter(|house| !std::ptr::eq(*house, looked));
    let paths = relative_paths(arguments);
    let has = |house: &House| {
        let root = house.checkout.root();
        paths.iter().any(|path| root.join(path).exists())
    };
    if has(looked) {
        return None;
    }
    for house in others().filter(|house| house.closed().is_none()) {
        if has(house) || (SYMBOLS.contains(&tool) && knows(house, tool, arguments).await) {
            have.push(house.name());
        }
    }
    let looked = looked.name();
    Some(match have.as_slice() {
        [] if wrong => return None,
        [] => {
            let others: Vec<&str> = others().map(House::name).collect();
            format!(
                "looked in {looked} alone, as the call names no `{ROOT}`; others are {}",
                others.join(", ")
            )
        }
        [one] => format!("looked in {looked}, as the call names no `{ROOT}`; {one} has it"),
        many => format!(
            "looked in {looked}, as the call names no `{ROOT}`; {} have it",
            many.join(", ")
        ),
    })
}

/// Whether a checkout has the symbol.
async fn knows(house: &House, tool: &str, arguments: &Map<String, Value>) -> bool {
    let arguments = Value::Object(arguments.clone());
    let answered = house.show(tool, arguments, None).await;
    answered.is_ok() && !missed(&answered)
}

/// Below the root, without what may stand behind a path.
pub(crate) fn bare(text: &str) -> Option<&Path> {
    let path = text.split("::").next().unwrap_or(text);
    let path = match path.rsplit_once(':') {
        Some((path, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) => path,
        _ => path,
    };
    let is_path = !path.is_empty() && !path.starts_with(['/', '~']) && !path.contains("..");
    is_path.then(|| Path::new(path))
}
