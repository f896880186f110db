//! The types of the protocol, as much of it as is spoken, read leniently: a field that is missing or
//! odd is absent, one that is not known is ignored.

use serde_json::Value;

/// Why an adapter did not do what it was asked, in its own words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The words, variables filled in, without colours.
    pub message: String,
    /// The error's number, when there is one.
    pub id: Option<i64>,
}

/// Longest message of an adapter that is shown, in characters.
const MESSAGE: usize = 1200;

impl Fault {
    /// The text may be in `message`, in `body.error.format`, or in both, the latter being the useful
    /// one.
    pub(crate) fn read(message: Option<&Value>, body: &Value) -> Self {
        let error = body.get("error").unwrap_or(&Value::Null);
        let format = text(error, "format").map(|format| fill(format, error.get("variables")));
        let short = message.and_then(Value::as_str).unwrap_or_default();
        let words = format
            .filter(|words| !words.trim().is_empty())
            .unwrap_or_else(|| short.to_owned());
        let words = plain(&words);
        let words = match words.trim() {
            "" => "it gave no reason",
            "notStopped" => "the program is running",
            "cancelled" => "it was cancelled",
            words => words,
        };
        Self {
            message: clip(&untraced(words), MESSAGE),
            id: error.get("id").and_then(int),
        }
    }
}

/// The format with `{name}` replaced by the variable of that name.
fn fill(format: &str, variables: Option<&Value>) -> String {
    let Some(Value::Object(variables)) = variables else {
        return format.to_owned();
    };
    let mut out = String::with_capacity(format.len());
    let mut rest = format;
    while let Some(at) = rest.find('{') {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        let name = tail
            .find('}')
            .and_then(|end| Some((tail.get(1..end)?, tail.get(end + 1..)?)));
        match name.and_then(|(name, behind)| Some((variables.get(name)?, behind))) {
            Some((value, behind)) => {
                match value {
                    Value::String(text) => out.push_str(text),
                    other => out.push_str(&other.to_string()),
                }
                rest = behind;
            }
            None => {
                out.push('{');
                rest = tail.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

/// Of a Python traceback, what was said before it and its last line.
fn untraced(words: &str) -> String {
    let Some(at) = words.find("Traceback (most recent call last)") else {
        return words.to_owned();
    };
    let (before, trace) = words.split_at(at);
    let last = trace.trim_end().lines().next_back().unwrap_or_default();
    format!("{before}{}", last.trim())
}

/// Text without control sequences of terminals.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\u{1b}' => match chars.next() {
                Some('[') => {
                    // Up to the letter that ends it.
                    while chars.next_if(|char| !('@'..='~').contains(char)).is_some() {}
                    chars.next();
                }
                Some(']') => {
                    while let Some(char) = chars.next() {
                        if char == '\u{7}' || char == '\u{1b}' && chars.next_if_eq(&'\\').is_some()
                        {
                            break;
                        }
                    }
                }
                _ => {}
            },
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' | '\t' => out.push(char),
            _ if char.is_control() => {}
            _ => out.push(char),
        }
    }
    out
}

/// At most so many characters.
pub(crate) fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A whole number, also when it was written as text or with a fraction of zero.
pub(crate) fn int(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            let number = number.as_f64()?;
            (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
        }),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// A text in an object.
pub(crate) fn text<'a>(of: &'a Value, key: &str) -> Option<&'a str> {
    of.get(key).and_then(Value::as_str)
}

/// A number in an object.
pub(crate) fn number(of: &Value, key: &str) -> Option<i64> {
    of.get(key).and_then(int)
}

/// A truth in an object; what is absent is false.
pub(crate) fn truth(of: &Value, key: &str) -> bool {
    of.get(key).and_then(Value::as_bool).unwrap_or_default()
}

/// A list in an object; what is absent is empty.
pub(crate) fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of.get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// What an adapter can, as it said. What it did not say it cannot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Capabilities(Value);

impl Capabilities {
    /// Adds what a response or an event says.
    pub(crate) fn learn(&mut self, said: Value) {
        crate::configuration::lay_over(&mut self.0, &said);
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        truth(&self.0, name)
    }

    /// The ids of the exception filters that it offers.
    pub(crate) fn filters(&self) -> Vec<&str> {
        list(&self.0, "exceptionBreakpointFilters")
            .iter()
            .filter_map(|filter| text(filter, "filter"))
            .collect()
    }
}

/// The body of a `stopped` event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stopped {
    pub(crate) reason: String,
    pub(crate) description: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) thread: Option<i64>,
    pub(crate) hit: Vec<i64>,
}

impl Stopped {
    pub(crate) fn read(body: &Value) -> Self {
        let words = |key| {
            let words = plain(text(body, key)?);
            (!words.trim().is_empty()).then(|| clip(words.trim(), 500))
        };
        Self {
            reason: text(body, "reason").unwrap_or("unknown").to_owned(),
            description: words("description"),
            text: words("text"),
            thread: number(body, "threadId"),
            hit: list(body, "hitBreakpointIds")
                .iter()
                .filter_map(int)
                .collect(),
        }
    }
}

/// A breakpoint, as a response or an event has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) id: Option<i64>,
    pub(crate) verified: bool,
    pub(crate) line: Option<u32>,
    pub(crate) message: Option<String>,
    /// `pending` or `failed`, of those adapters that say so.
    pub(crate) reason: Option<String>,
}

impl Bound {
    pub(crate) fn read(value: &Value) -> Self {
        Self {
            id: number(value, "id"),
            verified: truth(value, "verified"),
            line: number(value, "line").and_then(|line| u32::try_from(line).ok()),
            message: text(value, "message")
                .filter(|words| !is_key(words))
                .map(|words| clip(plain(words).trim(), 300)),
            reason: text(value, "reason").map(str::to_owned),
        }
    }
}

/// Whether a text is the name of one that the adapter has not found, such as `breakpoint.provisional`.
fn is_key(words: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part.chars().all(char::is_alphanumeric);
    words.contains('.') && words.split('.').all(part)
}

/// A frame of a `stackTrace` response.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RawFrame {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) path: Option<String>,
    pub(crate) source_name: Option<String>,
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// The adapter itself thinks little of it.
    pub(crate) subtle: bool,
    /// A line between the parts of an asynchronous stack, and no frame.
    pub(crate) label: bool,
}

impl RawFrame {
    pub(crate) fn read(value: &Value) -> Option<Self> {
        let source = value.get("source").unwrap_or(&Value::Null);
        let hint = text(value, "presentationHint");
        let counted = |key| {
            let number = number(value, key).and_then(|number| u32::try_from(number).ok());
            number.unwrap_or_default()
        };
        Some(Self {
            id: number(value, "id")?,
            name: clip(bare(&plain(text(value, "name").unwrap_or("?"))), 200),
            path: text(source, "path")
                .filter(|path| !path.is_empty())
                .map(str::to_owned),
            source_name: text(source, "name").map(str::to_owned),
            line: counted("line"),
            column: counted("column"),
            subtle: hint == Some("subtle")
                || matches!(text(source, "presentationHint"), Some("deemphasize")),
            label: hint == Some("label"),
        })
    }
}

/// The name of a function without the hash that compilers of Rust add, and without what debugpy adds
/// to that of the frame that raised.
fn bare(name: &str) -> &str {
    let name = name.trim_end_matches(" (Current frame)");
    match name.rsplit_once("::h") {
        Some((name, hash))
            if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
        {
            name
        }
        _ => name,
    }
}

/// A scope of a `scopes` response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RawScope {
    pub(crate) name: String,
    pub(crate) reference: i64,
    pub(crate) expensive: bool,
    /// Not of the function: globals, statics, registers.
    pub(crate) beyond: bool,
    pub(crate) count: Option<u64>,
}

impl RawScope {
    pub(crate) fn read(value: &Value) -> Self {
        let name = text(value, "name").unwrap_or("?").to_owned();
        let lower = name.to_lowercase();
        let hint = text(value, "presentationHint").unwrap_or_default();
        Self {
            beyond: ["global", "static", "register"]
                .iter()
                .any(|word| lower.contains(word) || hint.contains(word)),
            reference: number(value, "variablesReference").unwrap_or_default(),
            expensive: truth(value, "expensive"),
            count: counted(value),
            name,
        }
    }
}

/// A variable, or the result of an evaluation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RawValue {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) kind: Option<String>,
    pub(crate) reference: i64,
    pub(crate) indexed: Option<u64>,
    pub(crate) count: Option<u64>,
}

impl RawValue {
    /// The value is in `value`, or in `result`: some adapters mix them up.
    pub(crate) fn read(value: &Value) -> Self {
        let shown = ["value", "result"]
            .into_iter()
            .find_map(|key| text(value, key));
        Self {
            name: text(value, "name").unwrap_or_default().to_owned(),
            value: plain(shown.unwrap_or_default()),
            kind: text(value, "type")
                .filter(|kind| !kind.is_empty())
                .map(|kind| clip(kind, 200)),
            reference: number(value, "variablesReference").unwrap_or_default(),
            indexed: number(value, "indexedVariables").and_then(|count| u64::try_from(count).ok()),
            count: counted(value),
        }
    }
}

/// How many are inside, when it is said.
fn counted(value: &Value) -> Option<u64> {
    let part = |key| number(value, key).and_then(|count| u64::try_from(count).ok());
    match (part("namedVariables"), part("indexedVariables")) {
        (None, None) => None,
        (named, indexed) => {
            let sum = named.unwrap_or_default() + indexed.unwrap_or_default();
            (sum > 0).then_some(sum)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fault(message: Value, body: Value) -> String {
        Fault::read(Some(&message), &body).message
    }

    #[test]
    fn failures_are_found_wherever_they_are() {
        assert_eq!(fault(json!("no such name"), Value::Null), "no such name");
        let format = json!({ "error": { "id": 7, "format": "cannot {verb} {n}: {x}", "variables": { "verb": "read", "n": 3 } } });
        assert_eq!(fault(Value::Null, format.clone()), "cannot read 3: {x}");
        assert_eq!(fault(json!("short"), format), "cannot read 3: {x}");
        assert_eq!(
            fault(json!("short"), json!({ "error": { "format": " " } })),
            "short"
        );
        assert_eq!(fault(Value::Null, Value::Null), "it gave no reason");
        assert_eq!(
            fault(
                json!("\u{1b}[31mbad\u{1b}[m \u{1b}]8;;x\u{7}thing\r\n"),
                Value::Null
            ),
            "bad thing"
        );
        assert_eq!(
            fault(
                json!("oh: Traceback (most recent call last):\n  File \"x\"\nNameError: y\n"),
                Value::Null
            ),
            "oh: NameError: y"
        );
    }

    #[test]
    fn names_of_texts_are_no_texts() {
        let message = |words: &str| Bound::read(&json!({ "message": words })).message;
        assert_eq!(message("breakpoint.provisionalBreakpoint"), None);
        let words = "File a.py does not exist.";
        assert_eq!(message(words).as_deref(), Some(words));
    }

    #[test]
    fn odd_fields_are_absent() {
        let frame = json!({ "id": "4", "line": -1, "source": { "path": "" } });
        let frame = RawFrame::read(&frame).unwrap();
        assert_eq!((frame.id, frame.line, frame.path), (4, 0, None));
        assert!(RawFrame::read(&json!({ "name": "x" })).is_none());
        let stop = Stopped::read(&json!({ "threadId": 0, "hitBreakpointIds": [1, "2", null] }));
        assert_eq!((stop.thread, stop.hit), (Some(0), vec![1, 2]));
        assert_eq!(RawValue::read(&json!({ "result": "5" })).value, "5");
        assert_eq!(bare("rs::area::hadb3612f403bb824"), "rs::area");
        assert_eq!(bare("rs::help::hello"), "rs::help::hello");
        assert_eq!(bare("test_plain (Current frame)"), "test_plain");
        assert!(RawScope::read(&json!({ "name": "Global" })).beyond);
        assert!(!RawScope::read(&json!({ "name": "Locals" })).beyond);
    }
}
