//! The one ignore-aware walk: list the files in order, then work on them in parallel.

use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::door::{Admitted, Checkout, Purpose, kind_of, reserved};
use crate::error::Error;
use crate::pipeline::{Control, Ended, Workers};
use crate::read::Skipped;
use crate::tally::Tally;

/// What to walk. `WalkOptions::default()` is the whole checkout as version control sees it.
#[derive(Clone, Default)]
pub struct WalkOptions<'a> {
    /// Files and folders, absolute or relative to the root; empty means the whole checkout. A file
    /// named here is listed even when it is ignored, hidden or left out by a glob.
    pub paths: Vec<PathBuf>,
    /// Globs in the form of `.gitignore`, relative to the root: only matching files are listed,
    /// or, with a leading `!`, matching files and folders are left out. The last match decides.
    pub globs: Vec<String>,
    /// List files and enter folders whose name begins with a dot. Default false.
    pub hidden: bool,
    /// Disregard `.gitignore`, `.ignore` and Git's own exclude files. Default false.
    pub no_ignore: bool,
    /// Which files the caller can use, asked with the path below the root; `None` means all.
    pub wanted: Option<&'a (dyn Fn(&Path) -> bool + Sync)>,
    /// The threads that list and work.
    pub workers: Workers,
}

impl fmt::Debug for WalkOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WalkOptions")
            .field("paths", &self.paths)
            .field("globs", &self.globs)
            .field("hidden", &self.hidden)
            .field("no_ignore", &self.no_ignore)
            .field("wanted", &self.wanted.is_some())
            .field("workers", &self.workers)
            .finish()
    }
}

/// The files of a walk, sorted by path, ready to be worked on.
#[derive(Clone, Debug)]
pub struct Walk {
    files: Vec<Admitted>,
    tally: Tally,
    workers: Workers,
}

/// What [`Walk::map`] reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// Whether all files were seen.
    pub ended: Ended,
    /// What was left out and why, from the listing on.
    pub tally: Tally,
}

impl Checkout {
    /// Lists the files to work on, in the order of their paths.
    ///
    /// Ignore rules are those of Git (`.gitignore` also counts where there is no repository) and of
    /// `.ignore` files. Symbolic links are not followed, except those that are named in
    /// [`WalkOptions::paths`]. `.git` and `.fourfold` are never entered. Only names are read here,
    /// no file is opened; folders that cannot be read are counted in [`Walk::tally`].
    ///
    /// When `control` is cancelled the list is short; [`Walk::map`] then ends at once.
    ///
    /// # Errors
    /// A named path that does not exist or lies outside the checkout, a glob that cannot be
    /// understood. A named link that is broken or leads out, and a named pipe, socket or device, are
    /// counted as skipped (a shell's `*` names them too).
    pub fn walk(&self, options: &WalkOptions<'_>, control: &Control) -> Result<Walk, Error> {
        let wanted = |file: &Admitted| options.wanted.is_none_or(|wanted| wanted(file.relative()));
        let mut files = Vec::new();
        let mut skipped: Vec<(PathBuf, Skipped)> = Vec::new();
        let mut folders = Vec::new();
        for path in &options.paths {
            let why = match self.resolve(path, Purpose::Search) {
                Ok((folder, Some(meta))) if meta.is_dir() => {
                    folders.push(folder);
                    continue;
                }
                Ok((file, _)) if wanted(&file) => {
                    files.push(file);
                    continue;
                }
                Ok(_) => Skipped::NotWanted,
                Err(Error::LinkLeadsOut { target, .. }) => Skipped::LeadsOut { target },
                Err(Error::BrokenLink { .. }) => Skipped::BrokenLink,
                Err(Error::Special { kind, .. }) => Skipped::NotRegular { kind },
                Err(error) => return Err(error),
            };
            skipped.push((path.clone(), why));
        }
        let globs = self.globs(&options.globs)?;
        if options.paths.is_empty() {
            folders.extend(self.under_root(self.root().to_path_buf()));
        }
        if let Some(builder) = walk_builder(&folders, globs, options) {
            let (sender, found) = mpsc::channel();
            builder.build_parallel().run(|| {
                let sender = sender.clone();
                Box::new(move |entry| {
                    if control.is_cancelled() {
                        return WalkState::Quit;
                    }
                    let found = match entry {
                        Ok(entry) => self.listed(entry, &wanted),
                        Err(error) => failed(&error).map(Err),
                    };
                    if let Some(found) = found {
                        // The receiver outlives the walk; there is nobody to tell otherwise.
                        let _ = sender.send(found);
                    }
                    WalkState::Continue
                })
            });
            drop(sender);
            for found in found {
                match found {
                    Ok(file) => files.push(file),
                    Err(why) => skipped.push(why),
                }
            }
        }
        files.sort_unstable();
        files.dedup();
        skipped.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut tally = Tally::default();
        for (path, why) in &skipped {
            tally.add(path.strip_prefix(self.root()).unwrap_or(path), why);
        }
        Ok(Walk {
            files,
            tally,
            workers: options.workers.clone(),
        })
    }

    /// What an entry of the walk is to us: a file, a skipped file, or nothing.
    fn listed(
        &self,
        entry: DirEntry,
        wanted: &impl Fn(&Admitted) -> bool,
    ) -> Option<Result<Admitted, (PathBuf, Skipped)>> {
        if let Some(error) = entry.error() {
            tracing::debug!(path = %entry.path().display(), %error, "an ignore file is faulty");
        }
        let file_type = entry.file_type()?;
        if file_type.is_dir() || file_type.is_symlink() {
            return None;
        }
        let file = self.under_root(entry.into_path())?;
        if !wanted(&file) {
            return None;
        }
        if file_type.is_file() {
            return Some(Ok(file));
        }
        let kind = kind_of(file_type);
        Some(Err((
            file.absolute().to_path_buf(),
            Skipped::NotRegular { kind },
        )))
    }

    fn globs(&self, globs: &[String]) -> Result<Override, Error> {
        let refused = |glob: &str, error: &ignore::Error| Error::Glob {
            glob: glob.to_owned(),
            reason: error.to_string(),
        };
        let mut builder = OverrideBuilder::new(self.root());
        for glob in globs {
            builder.add(glob).map_err(|error| refused(glob, &error))?;
        }
        builder
            .build()
            .map_err(|error| refused(&globs.join(" "), &error))
    }
}

/// The walker over `folders`; none when there is no folder to walk.
fn walk_builder(
    folders: &[Admitted],
    globs: Override,
    options: &WalkOptions<'_>,
) -> Option<WalkBuilder> {
    let (first, others) = folders.split_first()?;
    let mut builder = WalkBuilder::new(first.absolute());
    for folder in others {
        builder.add(folder.absolute());
    }
    let obey = !options.no_ignore;
    builder
        .hidden(!options.hidden)
        .parents(obey)
        .ignore(obey)
        .git_ignore(obey)
        .git_global(obey)
        .git_exclude(obey)
        .require_git(false)
        .follow_links(false)
        .overrides(globs)
        .threads(options.workers.threads.max(1))
        .filter_entry(|entry| entry.depth() == 0 || reserved(entry.file_name()).is_none());
    Some(builder)
}

/// The path and the reason of a failure that the walk met on its way; none for a faulty ignore
/// file, whose good lines count all the same.
fn failed(error: &ignore::Error) -> Option<(PathBuf, Skipped)> {
    fn path_of(error: &ignore::Error) -> Option<&Path> {
        match error {
            ignore::Error::WithPath { path, .. } => Some(path),
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
                path_of(err)
            }
            _ => None,
        }
    }
    match (path_of(error), error.io_error()) {
        (Some(path), Some(io)) => Some((path.to_path_buf(), Skipped::from_io(io))),
        _ => {
            tracing::debug!(%error, "the walk went on");
            None
        }
    }
}

impl Walk {
    /// The files, sorted.
    pub fn files(&self) -> &[Admitted] {
        &self.files
    }

    /// What the listing had to leave out.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Keeps only the files that `keep` accepts, for instance those that changed.
    pub fn retain(&mut self, keep: impl FnMut(&Admitted) -> bool) {
        self.files.retain(keep);
    }

    /// Works on every file in parallel and hands the results to `sink` in the order of the paths,
    /// on the calling thread, until it breaks. What `work` skips is counted.
    ///
    /// This is [`Workers::map`] over the files; everything said there holds.
    ///
    /// # Errors
    /// [`Error::Threads`] when no thread could be started.
    pub fn map<S, T: Send>(
        &self,
        control: &Control,
        begin: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &Admitted) -> Result<Option<T>, Skipped> + Sync,
        mut sink: impl FnMut(&Admitted, T) -> ControlFlow<()>,
    ) -> Result<Mapped, Error> {
        let mut tally = self.tally.clone();
        let ended = self.workers.map(
            &self.files,
            control,
            begin,
            work,
            |file, result| match result {
                Ok(value) => sink(file, value),
                Err(why) => {
                    tally.add(file.relative(), &why);
                    ControlFlow::Continue(())
                }
            },
        )?;
        Ok(Mapped { ended, tally })
    }
}
