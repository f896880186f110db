//! Which files there are, and their stamps.

use super::coverage::Reason;
use super::folder::is_own_work_tree;
use super::rules::{Care, by_path};
use crate::error::Error;
use crate::extract;
use fourfold_syntax::Language;
use fourfold_worktree::{Admitted, Checkout, Control, SkipKind, Stamp, WalkOptions, Workers};
use hashbrown::HashMap;
use std::ops::ControlFlow;
use std::path::Path;

/// A file that may be of use.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Below the root, with `/`.
    pub(super) path: String,
    pub(super) file: Admitted,
    pub(super) stamp: Stamp,
    pub(super) role: Role,
    /// What its path says is to be done with it.
    pub(super) care: Care,
}

/// What a file's name says that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Source code.
    Source(Language),
    /// It tells where modules are.
    Project,
    /// Its first line may say that it is source code.
    Script,
}

/// Everything that a walk found.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Sorted by path.
    pub(super) found: Vec<Found>,
    /// What is left out because of where it is, sorted by path.
    pub(super) skipped: Vec<(String, Reason)>,
}

/// What a file is, by its name; none for what is of no use.
pub(super) fn role_of(path: &Path) -> Option<Role> {
    // A name that is not UTF-8 must be counted, so it must be wanted first.
    let name = path.file_name()?.to_string_lossy();
    let name: &str = &name;
    if is_project_file(name) {
        return Some(Role::Project);
    }
    match Language::of_path(Path::new(name)) {
        Some(language) => extract::knows(language).then_some(Role::Source(language)),
        None => (!name.contains('.')).then_some(Role::Script),
    }
}

fn is_project_file(name: &str) -> bool {
    matches!(
        name,
        "Cargo.toml"
            | "package.json"
            | "go.mod"
            | "pubspec.yaml"
            | "composer.json"
            | "jsconfig.json"
    ) || name.starts_with("tsconfig") && name.ends_with(".json")
}

/// So many files are looked at by one thread at a time.
const STRIDE: usize = 128;

/// Walks the checkout and looks at every file that may be of use; opens none.
pub(super) fn list(
    checkout: &Checkout,
    workers: &Workers,
    control: &Control,
) -> Result<Listing, Error> {
    let failed = |source| Error::Files {
        root: checkout.root().to_path_buf(),
        source,
    };
    let wanted = |path: &Path| role_of(path).is_some();
    let options = WalkOptions {
        wanted: Some(&wanted),
        workers: workers.clone(),
        ..WalkOptions::default()
    };
    let walk = checkout.walk(&options, control).map_err(failed)?;
    let mut listing = Listing::default();
    for (kind, _, examples) in walk.tally().iter() {
        if matches!(kind, SkipKind::Denied | SkipKind::Unreadable) {
            let paths = examples
                .iter()
                .map(|path| path.to_string_lossy().into_owned());
            listing
                .skipped
                .extend(paths.map(|path| (path, Reason::Unreadable)));
        }
    }
    let mut trees = WorkTrees::default();
    let mut wanted = Vec::new();
    for file in walk.files() {
        let Some(path) = file.relative().to_str() else {
            listing.skipped.push((file.to_string(), Reason::NotUtf8));
            continue;
        };
        let care = by_path(path);
        if let Some(Role::Source(_)) = role_of(file.relative())
            && let Care::Leave(reason) = care
        {
            listing.skipped.push((path.to_owned(), reason));
        } else if trees.has_own(checkout.root(), path) {
            if let Some(Role::Source(_)) = role_of(file.relative()) {
                listing
                    .skipped
                    .push((path.to_owned(), Reason::OtherWorkTree));
            }
        } else if !matches!(care, Care::Leave(_)) {
            wanted.push((file, path, care));
        }
    }
    let strides: Vec<&[(&Admitted, &str, Care)]> = wanted.chunks(STRIDE).collect();
    // Looking is quick; a run that is cancelled ends right after it.
    let looking = Control::new();
    let _ = workers
        .map(
            &strides,
            &looking,
            || (),
            |(), stride| Ok(Some(stride.iter().filter_map(look).collect::<Vec<Found>>())),
            |_, found| {
                listing.found.extend(found.unwrap_or_default());
                ControlFlow::Continue(())
            },
        )
        .map_err(failed)?;
    listing.found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    listing.skipped.sort_unstable();
    Ok(listing)
}

/// The stamp and all; none when the file is gone by now.
fn look((file, path, care): &(&Admitted, &str, Care)) -> Option<Found> {
    Some(Found {
        path: (*path).to_owned(),
        file: (*file).clone(),
        stamp: Stamp::of(file.absolute()).ok()?,
        role: role_of(file.relative())?,
        care: *care,
    })
}

/// Which folders are, or lie in, a work tree of their own.
#[derive(Default)]
pub(super) struct WorkTrees {
    known: HashMap<String, bool>,
}

impl WorkTrees {
    /// Whether a file lies in a work tree of its own below `root`.
    pub(super) fn has_own(&mut self, root: &Path, path: &str) -> bool {
        let mut folders = Vec::new();
        let mut folder = path;
        let mut own = false;
        while let Some((above, _)) = folder.rsplit_once('/') {
            if let Some(known) = self.known.get(above) {
                own = *known;
                break;
            }
            folders.push(above);
            folder = above;
        }
        for folder in folders.into_iter().rev() {
            own = own || is_own_work_tree(&root.join(folder));
            self.known.insert(folder.to_owned(), own);
        }
        own
    }
}
