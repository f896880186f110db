//! How far a rename reaches. Servers rename in the files that their configuration names, and some
//! take an import for a name of its own; what they leave out is told.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use fourfold_lsp_client::{FileChange, InUse, OperationLimits, Operations, WorkspaceEdit};
use fourfold_syntax::ParseLimits;
use fourfold_worktree::Control;

use super::ask::{Question, below};
use super::mention::mention_in_code;
use super::result::LspPlace;
use crate::Error;
use crate::code::{CallsRequest, CodeEntry, CodePage, CodeSymbolRequest};
use crate::conversation::Conversation;
use crate::verdict::Desk;
use crate::words::{is_word, whole};

/// How much the code graph may answer, in entries and in tokens. Default 2,000 and a million: nobody
/// reads it, and a symbol that more use is renamed with care.
const MOST: (usize, usize) = (2_000, 1_000_000);

/// Places or files that a sentence names. Default 8.
const NAMED: usize = 8;

/// What is known of a symbol before a server is asked to rename it.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Where it is declared, unless that is where the server is asked.
    declared: Option<(String, u32)>,
    /// The lines that use it as far as the code graph can tell, by file below the root.
    uses: BTreeMap<String, BTreeSet<u32>>,
}

impl Conversation {
    /// Finds out where a symbol is declared and, with the code graph, who uses it. What cannot be
    /// found out is left out.
    pub(super) fn known_of(&self, desk: &Arc<Desk>, question: &Question) -> Result<Known, Error> {
        let (asked, on) = (question.about_declaration(), Arc::clone(desk));
        let declared = self.ask(async move { asked.ask(&on).await })?;
        let declared = declared.ok().and_then(|heard| {
            let place: Option<LspPlace> = heard.places.into_iter().next();
            place.map(|place| (place.path, place.line))
        });
        let here = question.place();
        let (path, line) = declared.as_ref().unwrap_or(&here);
        let symbol = format!("{path}:{line}");
        let subject = CodeSymbolRequest {
            symbol: symbol.clone(),
            no_source: true,
            ..CodeSymbolRequest::default()
        };
        let calls = CallsRequest {
            symbol,
            uses: true,
            page: CodePage {
                limit: Some(MOST.0),
                tokens: Some(MOST.1),
                ..CodePage::default()
            },
            ..CallsRequest::default()
        };
        let mut uses: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        let (checkout, control) = (self.checkout(), Control::new());
        let subject = checkout.code_symbol(&subject, &control);
        let users = match subject {
            // What is declared within a function is the server's alone.
            Ok(answer) if !is_it(&answer.about, question.name()) => None,
            Ok(_) => Some(checkout.code_callers(&calls, &control)),
            Err(error) => Some(Err(error)),
        };
        match users {
            Some(Ok(answer)) => {
                let entries = answer.groups.iter().flat_map(|group| &group.entries);
                for entry in entries.filter(|entry| is_sure(entry)) {
                    let lines = entry.lines.iter().map(|line| line.line);
                    uses.entry(entry.path.clone()).or_default().extend(lines);
                }
            }
            None => {}
            Some(Err(error)) => tracing::debug!(%error, "the code graph has no word on a rename"),
        }
        let declared = declared.filter(|declared| *declared != here);
        Ok(Known { declared, uses })
    }
}

/// Whether the graph speaks of the symbol itself and not of what it lies in.
fn is_it(about: &[CodeEntry], name: &str) -> bool {
    let last = |entry: &CodeEntry| {
        let parts = entry
            .name
            .rsplit(|c: char| !c.is_alphanumeric() && c != '_');
        parts.map(str::to_owned).next()
    };
    matches!(about, [only] if last(only).as_deref() == Some(name))
}

fn is_sure(entry: &CodeEntry) -> bool {
    matches!(entry.certainty, Some("exact" | "typed" | "inferred"))
}

impl Question {
    /// What a rename that a server proposes leaves as it was, and what its new name meets; one
    /// sentence each.
    pub(super) async fn shortfalls(
        &self,
        lease: &InUse,
        change: &WorkspaceEdit,
        limits: ParseLimits,
    ) -> Vec<String> {
        let edited = edited(&self.root, change);
        let mut left: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        if let (Some(file), Ok(point)) = (&self.file, self.point()) {
            let operations = Operations::new(lease, OperationLimits::default());
            match operations.references(file, point, true).await {
                Ok(places) => {
                    for place in places.places {
                        let path = below(&self.root, &place.path);
                        let line = place.span.start.line + 1;
                        let here = edited.get(&path);
                        if place.path.starts_with(&self.root)
                            && here.is_none_or(|lines| !lines.contains(&line))
                        {
                            left.entry(path).or_default().insert(line);
                        }
                    }
                }
                Err(error) => tracing::debug!(%error, "a rename is not compared with references"),
            }
        }
        self.keep_named(&mut left);
        let server_knows = !left.is_empty();
        // The graph knows only some lines of each user.
        let mut users = self.known.uses.clone();
        users.retain(|path, _| !edited.contains_key(path));
        self.keep_named(&mut users);
        for (path, lines) in users {
            left.entry(path).or_default().extend(lines);
        }
        let mut said = Vec::new();
        if !left.is_empty() {
            let mut sentence = format!(
                "the change does not reach everything: `{}` is used in {} too, which it leaves as {}",
                self.name(),
                listed(left.iter().map(|(path, lines)| at(path, lines))),
                if left.len() == 1 { "it is" } else { "they are" },
            );
            if let Some((path, line)) = self.known.declared.as_ref().filter(|_| server_knows) {
                sentence.push_str(&format!("; rename it where it is declared, {path}:{line}"));
            }
            said.push(sentence);
        }
        let new = self.request.new_name.as_deref().unwrap_or_default();
        let taken = change.files.iter().filter_map(|file| match file {
            FileChange::Edit { path, before, .. } => {
                let line = mention_in_code(path, before, new, limits)?;
                Some(format!("{}:{line}", below(&self.root, path)))
            }
            _ => None,
        });
        let taken: Vec<String> = taken.collect();
        if !taken.is_empty() {
            said.push(format!(
                "there is a `{new}` already in files that the change touches: {}; make sure that the \
                 two do not meet",
                listed(taken.into_iter())
            ));
        }
        said
    }
}

impl Question {
    /// Leaves the lines that have the name: where it goes by another one, as an import may give it,
    /// there is nothing to rename. A file that cannot be read keeps all.
    fn keep_named(&self, lines: &mut BTreeMap<String, BTreeSet<u32>>) {
        // A name goes without its sigil in places.
        let name = self.name().trim_start_matches(|c| !is_word(c));
        lines.retain(|path, rows| {
            if let Ok(text) = std::fs::read_to_string(self.root.join(path)) {
                let texts: Vec<&str> = text.lines().collect();
                rows.retain(|row| {
                    let at = (*row as usize).saturating_sub(1);
                    let line = texts.get(at).copied().unwrap_or_default();
                    name.is_empty() || whole(line, name).next().is_some()
                });
            }
            !rows.is_empty()
        });
    }
}

/// The lines that a change touches, counted from 1, by file below the root.
fn edited(root: &Path, change: &WorkspaceEdit) -> BTreeMap<String, BTreeSet<u32>> {
    let mut edited: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for file in &change.files {
        let (FileChange::Edit {
            path,
            before,
            edits,
        }
        | FileChange::Rename {
            from: path,
            before,
            edits,
            ..
        }) = file
        else {
            continue;
        };
        let lines = edited.entry(below(root, path)).or_default();
        // Edits are in order, so the text is gone through once.
        let (mut at, mut line) = (0, 1);
        for edit in edits {
            for point in [edit.range.start, edit.range.end] {
                let between = before.as_bytes().get(at..point).unwrap_or_default();
                let more = between.iter().filter(|byte| **byte == b'\n').count();
                let from = line;
                line += u32::try_from(more).unwrap_or(u32::MAX);
                at = point.max(at);
                match point == edit.range.start {
                    true => lines.extend([line]),
                    false => lines.extend(from..=line),
                }
            }
        }
    }
    edited
}

/// `a.py:3, 9 and 4 more lines`.
fn at(path: &str, lines: &BTreeSet<u32>) -> String {
    const LINES: usize = 4;
    let some: Vec<String> = lines.iter().take(LINES).map(u32::to_string).collect();
    match lines.len() {
        0 => path.to_owned(),
        many if many > LINES => {
            format!("{path}:{} and {} more lines", some.join(", "), many - LINES)
        }
        _ => format!("{path}:{}", some.join(", ")),
    }
}

/// The first of these, and how many more there are.
fn listed(all: impl ExactSizeIterator<Item = String>) -> String {
    let more = all.len().saturating_sub(NAMED);
    let named: Vec<String> = all.take(NAMED).collect();
    match more {
        0 => named.join("; "),
        more => format!("{}; and {more} more files", named.join("; ")),
    }
}
