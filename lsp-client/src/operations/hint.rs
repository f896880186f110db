//! What an editor shows beside the code: documentation, signatures, hints.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::lens::{Lens, items, number, prose, range, text};
use crate::position::{Position, Range};
use crate::{Point, Span};

/// What a server tells about a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hover {
    /// Signature and documentation, mostly Markdown.
    pub text: String,
    /// What it is about.
    pub span: Option<Span>,
}

impl Hover {
    pub(crate) fn read(answer: &Value, path: &Path, lens: &mut Lens) -> Option<Hover> {
        Some(Hover {
            text: prose(answer.get("contents")?)?,
            span: range(answer, "range").map(|range| lens.span(path, range)),
        })
    }
}

/// The signatures that a call may have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignatureHelp {
    /// The signatures, one per overload.
    pub signatures: Vec<Signature>,
    /// Which of them fits the call best, from 0.
    pub active: usize,
}

/// One signature.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Signature {
    /// All of it, such as `push(value: T)`.
    pub label: String,
    /// What it does.
    pub documentation: Option<String>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Which of the parameters the place is in, from 0.
    pub active_parameter: Option<usize>,
}

/// A parameter of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parameter {
    /// The part of the signature that declares it.
    pub label: String,
    /// What it is for.
    pub documentation: Option<String>,
}

impl SignatureHelp {
    pub(crate) fn read(answer: &Value) -> Option<SignatureHelp> {
        let index = |object: &Value, member| {
            let number = number(object, member)?;
            usize::try_from(number).ok()
        };
        let common = index(answer, "activeParameter");
        let signatures: Vec<Signature> = items(answer.get("signatures")?)
            .iter()
            .filter_map(|signature| {
                let label = text(signature, "label")?;
                let parameters = signature.get("parameters").unwrap_or(&Value::Null);
                let parameters: Vec<Parameter> = items(parameters)
                    .iter()
                    .filter_map(|parameter| Parameter::read(parameter, &label))
                    .collect();
                let active = index(signature, "activeParameter").or(common);
                Some(Signature {
                    documentation: signature.get("documentation").and_then(prose),
                    active_parameter: active.filter(|active| *active < parameters.len()),
                    label,
                    parameters,
                })
            })
            .collect();
        let active = index(answer, "activeSignature").unwrap_or_default();
        (!signatures.is_empty()).then_some(SignatureHelp {
            // The protocol has an index out of range mean the first.
            active: if active < signatures.len() { active } else { 0 },
            signatures,
        })
    }
}

impl Parameter {
    fn read(parameter: &Value, signature: &str) -> Option<Parameter> {
        let label = match parameter.get("label")? {
            Value::String(label) => label.clone(),
            // A range of the signature, in UTF-16 units whatever the encoding of positions.
            range => {
                let (start, end) = <(usize, usize)>::deserialize(range).ok()?;
                let units: Vec<u16> = signature.encode_utf16().collect();
                String::from_utf16_lossy(units.get(start..end)?)
            }
        };
        Some(Parameter {
            label,
            documentation: parameter.get("documentation").and_then(prose),
        })
    }
}

/// A note that an editor shows between the characters of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InlayHint {
    /// Where it is shown.
    pub at: Point,
    /// What it says, such as `: i32` or `count:`.
    pub label: String,
    /// What it is about, where the server says so.
    pub kind: Option<InlayKind>,
}

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InlayKind {
    /// The type of what stands before it.
    Type,
    /// The name of the parameter that takes what stands behind it.
    Parameter,
}

impl InlayHint {
    /// In the order of the text.
    pub(crate) fn read_all(answer: &Value, path: &Path, lens: &mut Lens) -> Vec<InlayHint> {
        let mut hints: Vec<InlayHint> = items(answer)
            .iter()
            .filter_map(|hint| InlayHint::read(hint, path, lens))
            .collect();
        hints.sort_by_key(|hint| hint.at);
        hints
    }

    fn read(hint: &Value, path: &Path, lens: &mut Lens) -> Option<InlayHint> {
        let at = Position::deserialize(hint.get("position")?).ok()?;
        let label = match hint.get("label")? {
            Value::String(label) => label.clone(),
            parts => {
                let parts = items(parts).iter();
                parts
                    .filter_map(|part| part.get("value")?.as_str())
                    .collect()
            }
        };
        Some(InlayHint {
            at: lens.span(path, Range { start: at, end: at }).start,
            label,
            kind: match number(hint, "kind") {
                Some(1) => Some(InlayKind::Type),
                Some(2) => Some(InlayKind::Parameter),
                _ => None,
            },
        })
    }
}
