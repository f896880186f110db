//! A change that a server proposes, as a stage.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fourfold_lsp_client::{FileChange, TextEdit, WorkspaceEdit};
use fourfold_rewrite_txn::{ContentHash, DiffOptions, Edit, Stage};
use fourfold_worktree::{Control, Purpose, WalkOptions};

use super::result::LspResult;
use crate::Error;
use crate::conversation::Conversation;
use crate::notes::Note;

impl Conversation {
    /// Stages what a server proposes, and puts the stage into the result. Each text is checked
    /// against the one that the server saw.
    pub(super) fn stage_proposed(
        &self,
        change: &WorkspaceEdit,
        what: String,
        keep: bool,
        result: &mut LspResult,
    ) -> Result<(), Error> {
        let checkout = self.checkout();
        self.writable("stage a change")?;
        let root = checkout.root();
        let outside: Vec<String> = change
            .outside(root)
            .map(|path| path.display().to_string())
            .collect();
        if !outside.is_empty() {
            return Err(Error::usage(format!(
                "the change would reach files outside of the checkout ({}), so nothing was staged",
                outside.join(", ")
            )));
        }
        let mut stage = Stage::with_options(root, checkout.limits().staging())?;
        let named: BTreeSet<&Path> = change.files.iter().flat_map(FileChange::paths).collect();
        for file in &change.files {
            self.stage_file(&mut stage, file, &named)?;
        }
        let staged = stage.finish()?;
        for file in &change.files {
            if let FileChange::Rename { from, before, .. } = file
                && let Some(found) = staged.files().find(|one| root.join(one.path()) == *from)
                && found.old_bytes() != Some(before.as_bytes())
            {
                return Err(Error::usage(format!(
                    "`{}` changed while the server was asked, so nothing was staged; ask again",
                    found.path().display()
                )));
            }
        }
        for annotation in &change.annotations {
            if annotation.needs_confirmation {
                result.notices.push(format!(
                    "the server wants this looked at: {}",
                    annotation.label
                ));
            }
        }
        if staged.is_empty() {
            result.notices.push("there is nothing to change".to_owned());
            return Ok(());
        }
        result.files = staged
            .files()
            .map(|file| match file.renamed_to() {
                Some(to) => format!("{} -> {}", file.path().display(), to.display()),
                None => file.path().display().to_string(),
            })
            .collect();
        let options = DiffOptions::default().max_bytes(checkout.limits().max_diff_bytes);
        result.diff = staged.diff(&options).to_string();
        result.stage = Some(staged.id().to_owned());
        let note = Note {
            description: Some(what),
            ..Note::default()
        };
        for evicted in self.put(staged, note, keep)? {
            let notice = format!("stage {} was dropped: {}", evicted.id, evicted.why);
            result.notices.push(notice);
        }
        Ok(())
    }

    /// `named` are the files that have a change of their own.
    fn stage_file(
        &self,
        stage: &mut Stage,
        file: &FileChange,
        named: &BTreeSet<&Path>,
    ) -> Result<(), Error> {
        let tree = self.checkout().tree();
        let door = |path: &Path, purpose| tree.admit(path, purpose);
        match file {
            FileChange::Edit {
                path,
                before,
                edits,
            } => {
                let file = door(path, Purpose::Write)?;
                let seen = ContentHash::of(before.as_bytes());
                stage.replace_if(file.absolute(), seen, bytes(edits))?;
            }
            FileChange::Create { path, text } => {
                let file = door(path, Purpose::Create)?;
                stage.create(file.absolute(), text.as_bytes())?;
            }
            FileChange::Rename {
                from, to, edits, ..
            } => {
                let from = door(from, Purpose::Write)?;
                let to = door(to, Purpose::Create)?;
                stage.rename_edited(from.absolute(), to.absolute(), bytes(edits))?;
            }
            FileChange::Delete { path } => {
                stage.delete(door(path, Purpose::Write)?.absolute())?;
            }
            FileChange::RenameFolder { from, to } => {
                let files = self.files_below(from)?;
                for path in files.iter().filter(|path| !named.contains(path.as_path())) {
                    let below = path.strip_prefix(from).unwrap_or(path);
                    let new = door(&to.join(below), Purpose::Create)?;
                    stage.rename(path, new.absolute())?;
                }
            }
            FileChange::DeleteFolder { path } => {
                let files = self.files_below(path)?;
                for path in files.iter().filter(|path| !named.contains(path.as_path())) {
                    stage.delete(path)?;
                }
            }
            _ => {
                return Err(Error::usage(
                    "the server proposes a kind of change that is not known here, so nothing was \
                     staged",
                ));
            }
        }
        Ok(())
    }

    /// Every file below a folder, ignored ones too.
    fn files_below(&self, folder: &Path) -> Result<Vec<PathBuf>, Error> {
        let checkout = self.checkout();
        let options = WalkOptions {
            paths: vec![folder.to_path_buf()],
            hidden: true,
            no_ignore: true,
            workers: checkout.limits().workers(),
            ..WalkOptions::default()
        };
        let walk = checkout.tree().walk(&options, &Control::new())?;
        let files = walk.files().iter();
        Ok(files.map(|file| file.absolute().to_path_buf()).collect())
    }
}

fn bytes(edits: &[TextEdit]) -> Vec<Edit> {
    let edits = edits.iter();
    edits
        .map(|edit| Edit::new(edit.range.clone(), edit.text.as_bytes()))
        .collect()
}
