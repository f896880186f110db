//! What comes of asking.

use schemars::JsonSchema;
use serde::Serialize;

use crate::verdict::{CheckerRun, Problem};

/// What the language servers answered. Which parts are filled depends on the action.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LspResult {
    /// What was asked.
    pub action: &'static str,
    /// The servers that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Definitions, references and their kin.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<LspPlace>,
    /// Symbols, callers, callees, types.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<LspSymbol>,
    /// How many places or symbols there are in all.
    #[serde(skip_serializing_if = "is_zero")]
    pub total: usize,
    /// The `offset` that gives the next ones, if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// What hovering tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hover: Option<String>,
    /// What is wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// Why the problems may not be all, or nothing is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unconfirmed: Vec<String>,
    /// The project's own checkers that were run, for lack of a server.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checkers: Vec<CheckerRun>,
    /// What the server offers to do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<ActionInfo>,
    /// The stage of the proposed change: `resolve` applies or discards it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The files that it changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Its diff, cut to the bound.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diff: String,
    /// The servers of the checkout.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ServerInfo>,
    /// What else is to be known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

impl LspResult {
    /// Says where the next page begins, after so many were passed over and so many are given.
    pub(super) fn turn_page(&mut self, offset: usize, given: usize) {
        let next = offset.saturating_add(given);
        if next < self.total {
            self.next_offset = Some(next);
        } else if given == 0 && self.total > 0 {
            let notice = format!("offset {offset} is past the last of {}", self.total);
            self.notices.push(notice);
        }
    }
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LspPlace {
    /// Path below the root of the checkout, with `/`; absolute for a file outside of it.
    pub path: String,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
    /// What the line reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LspSymbol {
    /// Its name.
    pub name: String,
    /// What it is, such as function.
    pub kind: String,
    /// More about it: its signature, or what it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Path below the root of the checkout, with `/`.
    pub path: String,
    /// Line, counted from 1; 0 if the server does not say.
    pub line: u32,
    /// How deep it lies in other symbols of the list.
    #[serde(skip_serializing_if = "is_zero")]
    pub depth: usize,
    /// For calls: the lines, counted from 1, on which the call stands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub call_lines: Vec<u32>,
}

/// Something that a server offers to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ActionInfo {
    /// Its number, for `apply`.
    pub number: usize,
    /// What it does.
    pub title: String,
    /// The server that offers it.
    pub server: String,
    /// Its kind, such as quickfix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whether the server would take this one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub preferred: bool,
}

/// A language server of the checkout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ServerInfo {
    /// Its name.
    pub server: String,
    /// The folder that it serves, below the root of the checkout; `.` for the root itself.
    pub root: String,
    /// running, starting, failed, usable (it starts when it is needed), down (the same, and it ran
    /// before), untrusted, missing, off, or unneeded (another server does its work, or nothing says
    /// that the checkout uses the language).
    pub state: String,
    /// More about that: what it does, why not, what would help.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// How many files it would serve, as far as they were counted.
    #[serde(skip_serializing_if = "is_zero")]
    pub files: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
