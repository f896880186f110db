//! The code graph, for one write after another.
//!
//! What a write concerns is asked of the graph as it was before it. To index a file again for each of
//! many edits of it would cost more than all the rest of the answer; and an edit within bodies does
//! not change who uses what is in the file. So the graph may stay behind in the files that are being
//! written, as long as nothing but bodies was changed in them and nothing else is changed now: what is
//! touched is then told by the text that the graph knows.

use std::collections::BTreeMap;
use std::sync::Arc;

use fourfold_code_graph::extract::knows;
use fourfold_code_graph::graph::Graph;
use fourfold_code_graph::index::Index;
use fourfold_code_graph::query::{EditedFile, UserFile, is_within_bodies, lost_users};
use fourfold_edit::LineMap;
use fourfold_syntax::{ContentHash, Language};
use fourfold_worktree::Control;
use parking_lot::Mutex;

use super::change::{Change, Content};
use crate::Error;
use crate::code::Files;

/// So many files that were written are remembered. More, and all files are looked at.
const MOST: usize = 64;

/// What the graph is asked for a change.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// More than one where it is not known what was changed: the graph that others left, and the
    /// one of now.
    pub(super) graphs: Vec<Arc<Graph>>,
    /// The files of the change that these graphs know as they were before earlier changes.
    texts: BTreeMap<String, Arc<str>>,
    /// Who may have used files that are gone, where the graphs do not know these any more.
    pub(super) lost: Vec<UserFile>,
}

/// The files that were written since the graph looked at them.
#[derive(Debug, Default)]
pub(crate) struct Behind {
    written: Mutex<Written>,
}

#[derive(Clone, Debug, Default)]
struct Written {
    /// By path, with the text as it was before the first of the changes, if there was one.
    files: BTreeMap<String, Option<Arc<str>>>,
    /// More were written than are remembered.
    more: bool,
}

impl Behind {
    /// Remembers that files were written.
    pub(super) fn note(&self, changes: &[Change]) {
        let mut written = self.written.lock();
        for change in changes.iter().filter(|change| change.is_change()) {
            let language = Language::of_path(change.path.as_ref());
            if change.before == change.after || !language.is_some_and(knows) {
                continue;
            }
            if written.files.contains_key(&change.path) {
                continue;
            }
            if written.files.len() == MOST {
                written.more = true;
                return;
            }
            let before = change.before.text().cloned();
            written.files.insert(change.path.clone(), before);
        }
    }

    /// The graph before these changes; blocking.
    pub(super) fn known(&self, index: &Index, changes: &[Change]) -> Result<Known, Error> {
        let written = self.written.lock().clone();
        let control = Control::new();
        let mut real = changes.iter().filter(|one| one.is_change());
        let unknown = real.any(|one| one.before == Content::Unknown);
        let before = unknown.then(|| index.view());
        let texts = match unknown || written.more {
            false => texts(index, &written, changes),
            true => BTreeMap::new(),
        };
        let behind: Vec<&str> = texts.keys().map(String::as_str).collect();
        let changed: Vec<&str> = changes.iter().map(|one| one.path.as_str()).collect();
        let others = written.files.keys().map(String::as_str);
        let others: Vec<&str> = others.filter(|path| !changed.contains(path)).collect();
        // Only a list of the files tells whether one that is not known is ignored.
        let root = index.checkout().root();
        let is_new = |path: &&str| index.content_of(path).is_none() && root.join(path).is_file();
        if written.more || others.iter().any(is_new) {
            index.check_list(&behind, &control)?;
        } else {
            let mut files = [others, changed.clone()].concat();
            files.retain(|path| !texts.contains_key(*path));
            index.check_cheaply(&files, &behind, &control)?;
        }
        let held = |(path, text): (&String, &Arc<str>)| {
            index.content_of(path) == Some(ContentHash::of(text.as_bytes()))
        };
        if !texts.iter().all(held) {
            // Somebody else has asked the index meanwhile, and now it knows more.
            index.check_cheaply(&changed, &[], &control)?;
            return Ok(Known {
                graphs: vec![index.view().graph],
                ..Known::default()
            });
        }
        self.forget(&written, &texts);
        let now = index.view();
        let before = before.filter(|view| view.generation > 0 && view.generation != now.generation);
        let views = before.into_iter().chain([now]);
        let graphs: Vec<Arc<Graph>> = views.map(|view| view.graph).collect();
        let gone = changes.iter().filter(|one| one.after == Content::Absent);
        let gone = gone.filter(|one| {
            graphs
                .iter()
                .all(|graph| graph.file_at(&one.path).is_none())
        });
        let lost = gone.flat_map(|one| {
            let now = graphs.last();
            now.map_or(Vec::new(), |now| {
                lost_users(now, &one.path, &Files(index.checkout()))
            })
        });
        Ok(Known {
            lost: lost.collect(),
            graphs,
            texts,
        })
    }

    /// The graph knows now what was written of all but these files.
    fn forget(&self, written: &Written, but: &BTreeMap<String, Arc<str>>) {
        let mut now = self.written.lock();
        now.more = false;
        let same = |a: &Option<Arc<str>>, b: &Option<Arc<str>>| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        now.files.retain(|path, text| {
            let looked = written.files.get(path).is_some_and(|old| same(old, text));
            !looked || but.contains_key(path)
        });
    }
}

impl Known {
    /// A change as the graphs take it, with the earlier ones that they do not know; nothing for what
    /// is new or the same.
    pub(super) fn edited(&self, change: &Change) -> Option<EditedFile> {
        if !change.is_change() {
            return None;
        }
        let edited = EditedFile {
            path: change.path.clone(),
            ..EditedFile::default()
        };
        match (&change.before, &change.after) {
            (Content::Text(before), Content::Text(after)) => {
                let Some(known) = self.texts.get(&change.path) else {
                    return Some(between(&change.path, before, after));
                };
                // What was changed and is as it was again is changed now.
                let mut edited = between(&change.path, known, after);
                edited
                    .rows
                    .extend(between(&change.path, known, before).rows);
                Some(edited)
            }
            (Content::Absent, _) | (Content::Opaque(_), _) | (_, Content::Opaque(_)) => None,
            (_, Content::Absent) => Some(EditedFile {
                gone: true,
                ..edited
            }),
            (Content::Unknown, _) | (_, Content::Unknown) => Some(edited),
        }
    }
}

/// The texts of the changed files as the graph knows them, where it may stay behind.
fn texts(index: &Index, written: &Written, changes: &[Change]) -> BTreeMap<String, Arc<str>> {
    if index.generation() == 0 {
        return BTreeMap::new();
    }
    let graph = index.graph();
    let mut texts = BTreeMap::new();
    for change in changes {
        let Some(Some(known)) = written.files.get(&change.path) else {
            continue;
        };
        let within = |content: &Content| {
            let text = content.text();
            text.is_some_and(|now| {
                let lines: Vec<&str> = now.lines().collect();
                let map = LineMap::between(known.as_bytes(), now.as_bytes());
                let rows = map.edited_rows().iter();
                let come = rows.flat_map(|rows| lines.get(rows.clone()).unwrap_or_default());
                is_within_bodies(&graph, &between(&change.path, known, now), come.copied())
            })
        };
        let content = index.content_of(&change.path);
        if content == Some(ContentHash::of(known.as_bytes()))
            && within(&change.before)
            && within(&change.after)
        {
            texts.insert(change.path.clone(), Arc::clone(known));
        }
    }
    texts
}

/// What an edit does to a text that the graph knows.
fn between(path: &str, known: &Arc<str>, now: &Arc<str>) -> EditedFile {
    let row = |row: usize| u32::try_from(row).unwrap_or(u32::MAX);
    // From the text of now to the known one: which rows of that one are touched.
    let map = LineMap::between(now.as_bytes(), known.as_bytes());
    let rows = map.edited_rows().iter();
    EditedFile {
        path: path.to_owned(),
        rows: rows.map(|rows| row(rows.start)..row(rows.end)).collect(),
        text: Some(known.as_ref().to_owned()),
        gone: false,
    }
}

#[cfg(test)]
mod tests;
