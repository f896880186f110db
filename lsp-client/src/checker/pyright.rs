//! What pyright writes.

use serde::Deserialize;

use crate::diagnostic::Severity;
use crate::position::{Encoding, Range};

use super::finding::{Found, Place};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    #[serde(default)]
    general_diagnostics: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    file: String,
    severity: String,
    message: String,
    /// Absent when it is about the whole file.
    #[serde(default)]
    range: Range,
    rule: Option<String>,
}

pub(super) fn read(stdout: &str) -> Vec<Found> {
    let report = serde_json::from_str(stdout).unwrap_or(Report {
        general_diagnostics: Vec::new(),
    });
    let found = report.general_diagnostics.into_iter().map(|item| {
        let place = Place {
            file: item.file,
            range: item.range,
            encoding: Encoding::Utf16,
        };
        let severity = match item.severity.as_str() {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => Severity::Information,
        };
        let mut found = Found::new(place, severity, "pyright", item.message);
        found.code = item.rule;
        found
    });
    found.collect()
}
