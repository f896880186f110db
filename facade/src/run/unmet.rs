//! Why a search that found nothing had nothing to search: a language that no file is of, a glob that
//! no file matches.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use fourfold_syntax::Language;
use fourfold_worktree::{Checkout, Control, WalkOptions};

use super::{Run, language_by_name};
use crate::Error;
use crate::echo::shortened;
use crate::request::Selection;

/// As many globs are looked into; each needs a walk.
const GLOBS: usize = 8;

impl Run {
    /// What was asked for and is not there, one sentence each.
    pub(crate) fn unmet(
        &self,
        checkout: &Checkout,
        selection: &Selection,
        control: &Control,
    ) -> Result<Vec<String>, Error> {
        let mut unmet = Vec::new();
        // Of some files only the first line tells the language; if none was searched, it did not.
        let none = self.searched.load(Ordering::Relaxed) == 0;
        let is_clear =
            |file: &fourfold_worktree::Admitted| language_by_name(file.relative()).is_some();
        if none || self.files().iter().all(is_clear) {
            for language in self.plan.languages() {
                if !self.files.contains_key(language) {
                    unmet.push(self.no_file_of(*language, checkout, selection, control)?);
                }
            }
        }
        let globs = selection.globs.iter().filter(|glob| !glob.starts_with('!'));
        for glob in globs.take(GLOBS) {
            unmet.extend(self.no_match_of(glob, checkout, selection, control)?);
        }
        if unmet.is_empty() && self.files().is_empty() && self.files.is_empty() {
            let kind = match self.plan.languages() {
                [] => "a language that can be searched",
                _ => "the languages that were asked for",
            };
            unmet.push(match narrowed(selection) {
                None => format!("no file of this checkout is of {kind}"),
                Some(by) => format!("no file that {by} choose is of {kind}"),
            });
        }
        Ok(unmet)
    }

    fn no_file_of(
        &self,
        language: Language,
        checkout: &Checkout,
        selection: &Selection,
        control: &Control,
    ) -> Result<String, Error> {
        let name = language.name();
        let is_it = |path: &Path| language_by_name(path) == Some(language);
        let seen = |hidden: bool, no_ignore: bool| {
            let everywhere = Selection {
                hidden,
                no_ignore,
                ..Selection::default()
            };
            self.any(checkout, &everywhere, &is_it, control)
        };
        if let Some(by) = narrowed(selection)
            && seen(selection.hidden, selection.no_ignore)?
        {
            return Ok(format!("no {name} file is among those that {by} choose"));
        }
        let mut sentence = format!("no {name} file is in this checkout");
        if narrowed(selection).is_none() && seen(true, true)? {
            sentence.push_str(BUT_HIDDEN);
        }
        Ok(sentence)
    }

    fn no_match_of(
        &self,
        glob: &str,
        checkout: &Checkout,
        selection: &Selection,
        control: &Control,
    ) -> Result<Option<String>, Error> {
        let alone = |hidden: bool, no_ignore: bool| {
            let alone = Selection {
                globs: vec![glob.to_owned()],
                hidden,
                no_ignore,
                ..Selection::default()
            };
            self.any(checkout, &alone, &|_: &Path| true, control)
        };
        if alone(selection.hidden, selection.no_ignore)? {
            return Ok(None);
        }
        let mut sentence = shortened(&format!("no file matches the glob `{glob}`"), [glob]);
        if alone(true, true)? {
            sentence.push_str(BUT_HIDDEN);
        }
        Ok(Some(sentence))
    }

    /// Whether there is any such file.
    fn any(
        &self,
        checkout: &Checkout,
        selection: &Selection,
        wanted: &(dyn Fn(&Path) -> bool + Sync),
        control: &Control,
    ) -> Result<bool, Error> {
        let enough = Control::new();
        let found = AtomicUsize::new(0);
        let first = |path: &Path| {
            if control.is_cancelled() {
                enough.cancel();
            }
            let is_it = wanted(path);
            if is_it {
                found.fetch_add(1, Ordering::Relaxed);
                enough.cancel();
            }
            is_it
        };
        let options = WalkOptions {
            globs: selection.globs.clone(),
            hidden: selection.hidden,
            no_ignore: selection.no_ignore,
            wanted: Some(&first),
            workers: self.workers.clone(),
            ..WalkOptions::default()
        };
        checkout.walk(&options, &enough)?;
        Ok(found.load(Ordering::Relaxed) > 0)
    }
}

const BUT_HIDDEN: &str = ", but for hidden or ignored ones: `hidden` and `no_ignore` search those";

/// What chooses files, as the subject of a sentence.
fn narrowed(selection: &Selection) -> Option<&'static str> {
    let paths = !selection.paths.is_empty();
    match (paths, selection.globs.is_empty()) {
        (false, true) => None,
        (true, true) => Some("`paths`"),
        (false, false) => Some("`globs`"),
        (true, false) => Some("`paths` and `globs`"),
    }
}
