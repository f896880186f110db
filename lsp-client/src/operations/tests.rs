//! Answers of servers read, and changes that they propose.

mod answers;
mod asked;

use serde_json::{Value, json};

use crate::Span;

fn range(start: (u32, u32), end: (u32, u32)) -> Value {
    json!({
        "start": {"line": start.0, "character": start.1},
        "end": {"line": end.0, "character": end.1},
    })
}

fn told(span: Span) -> String {
    let Span { start, end } = span;
    format!(
        "{}:{}-{}:{}",
        start.line, start.column, end.line, end.column
    )
}
