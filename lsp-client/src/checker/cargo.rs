//! What rustc says through Cargo.

use serde::Deserialize;

use crate::diagnostic::{Severity, Tag};
use crate::position::{Encoding, Range};

use super::finding::{Found, Place, from_one};

/// A line of Cargo's output; those without a message say what was built.
#[derive(Deserialize)]
struct Line {
    message: Option<Message>,
    target: Option<Target>,
}

#[derive(Deserialize)]
struct Target {
    src_path: String,
}

#[derive(Deserialize)]
struct Message {
    message: String,
    level: String,
    code: Option<Code>,
    #[serde(default)]
    spans: Vec<SourceSpan>,
    #[serde(default)]
    children: Vec<Message>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct SourceSpan {
    file_name: String,
    line_start: u32,
    line_end: u32,
    column_start: u32,
    column_end: u32,
    is_primary: bool,
    label: Option<String>,
    expansion: Option<Expansion>,
}

/// Where the macro was called that a span comes from.
#[derive(Deserialize)]
struct Expansion {
    span: Box<SourceSpan>,
}

pub(super) fn read(stdout: &str) -> Vec<Found> {
    stdout
        .lines()
        .filter_map(|line| serde_json::from_str::<Line>(line).ok())
        .filter_map(|line| finding(line.message?, line.target.as_ref()))
        .collect()
}

fn finding(message: Message, target: Option<&Target>) -> Option<Found> {
    let severity = match message.level.as_str() {
        "warning" => Severity::Warning,
        level if level.starts_with("error") => Severity::Error,
        // Advice about other messages.
        _ => return None,
    };
    let primary = message.spans.iter().find(|span| span.is_primary);
    let place = match primary {
        Some(span) => span.ours().place(),
        None if is_summary(&message.message) => return None,
        // It is about the whole crate.
        None => Place {
            file: target?.src_path.clone(),
            range: Range::default(),
            encoding: Encoding::Utf32,
        },
    };
    let label = primary.and_then(|span| span.label.as_deref());
    let text = match label {
        Some(label) if !message.message.contains(label) => {
            format!("{}\n{label}", message.message)
        }
        _ => message.message.clone(),
    };
    let mut found = Found::new(place, severity, "rustc", text);
    found.code = message.code.map(|code| code.code);
    found.tags.extend(match found.code.as_deref() {
        Some("deprecated") => Some(Tag::Deprecated),
        Some(code) if code.starts_with("unused") || code == "dead_code" => Some(Tag::Unnecessary),
        _ => None,
    });
    let labels = message
        .spans
        .iter()
        .filter(|span| !span.is_primary)
        .filter_map(|span| Some((span.ours().place(), span.label.clone()?)));
    let children = message.children.iter().filter_map(|child| {
        let span = child.spans.first()?;
        Some((span.ours().place(), child.message.clone()))
    });
    found.related.extend(labels.chain(children));
    Some(found)
}

/// The last message of a failed compilation counts the others.
fn is_summary(message: &str) -> bool {
    message.starts_with("aborting due to") || message.ends_with("emitted")
}

impl SourceSpan {
    /// The span itself, or, when a macro of somebody else's wrote the code, the call of it.
    fn ours(&self) -> &Self {
        let mut span = self;
        // Paths of the workspace are relative to it, all others absolute.
        while span.file_name.starts_with(['/', '<'])
            && let Some(expansion) = &span.expansion
        {
            span = &expansion.span;
        }
        span
    }

    fn place(&self) -> Place {
        Place {
            file: self.file_name.clone(),
            range: Range {
                start: from_one(self.line_start, self.column_start),
                end: from_one(self.line_end, self.column_end),
            },
            encoding: Encoding::Utf32,
        }
    }
}
