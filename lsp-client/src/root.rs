//! The root folder of a file: where its server is started.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::name::NamePattern;
use crate::spec::{Climb, Marker, RootRule};

mod cargo;
mod maven;

/// How much of a marker is read.
const MARKER_BYTES: u64 = 1 << 20;

/// Where the server of a file is started, or why it is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// In this folder.
    Found(PathBuf),
    /// Something at or below the root says that the file belongs to another server.
    Elsewhere {
        /// What says so.
        because: PathBuf,
    },
    /// No folder between the file and the checkout's root holds a marker.
    Unmarked,
}

/// A [`RootRule`], ready to be applied.
///
/// The answer is a function of the disk at the moment of the call: nothing is kept. A look at one
/// marker is one `stat`, and a file has a few folders above it.
#[derive(Clone, Debug)]
pub(crate) struct RootFinder {
    outermost: Vec<Sign>,
    nearest: Vec<Sign>,
    climb: Option<Climb>,
    unless: Vec<Sign>,
    unless_below: Vec<Sign>,
    single_file: bool,
}

impl RootFinder {
    pub(crate) fn new(rule: &RootRule) -> Result<Self, globset::Error> {
        let signs = |markers: &[Marker]| markers.iter().map(Sign::new).collect::<Result<_, _>>();
        Ok(Self {
            outermost: signs(&rule.outermost)?,
            nearest: signs(&rule.nearest)?,
            climb: rule.climb,
            unless: signs(&rule.unless)?,
            unless_below: signs(&rule.unless_below)?,
            single_file: rule.single_file,
        })
    }

    /// The root for the files of `folder`, which lies in `checkout` or is it. Both are absolute and
    /// without links; the folder need not exist yet.
    pub(crate) fn find(&self, checkout: &Path, folder: &Path) -> Root {
        let Some(folders) = upwards(checkout, folder) else {
            return Root::Unmarked;
        };
        let Some(root) = self.marked(checkout, &folders) else {
            return Root::Unmarked;
        };
        for folder in folders
            .iter()
            .take_while(|folder| folder.starts_with(&root))
        {
            let below = if **folder == *root {
                &[]
            } else {
                self.unless_below.as_slice()
            };
            if let Some(because) =
                first_in(folder, &self.unless).or_else(|| first_in(folder, below))
            {
                return Root::Elsewhere { because };
            }
        }
        Root::Found(root)
    }

    /// The root by the markers that speak for one.
    fn marked(&self, checkout: &Path, folders: &[&Path]) -> Option<PathBuf> {
        let holds = |signs: &[Sign], folder: &Path| first_in(folder, signs).is_some();
        if let Some(outermost) = folders
            .iter()
            .rev()
            .find(|folder| holds(&self.outermost, folder))
        {
            return Some(outermost.to_path_buf());
        }
        let Some(nearest) = folders.iter().find(|folder| holds(&self.nearest, folder)) else {
            return self.single_file.then(|| checkout.to_path_buf());
        };
        Some(match self.climb {
            None => nearest.to_path_buf(),
            Some(Climb::Cargo) => cargo::workspace(checkout, nearest),
            Some(Climb::Maven) => maven::aggregator(checkout, nearest),
        })
    }
}

/// The folders from `folder` up to `checkout`, both included; nothing when it does not lie in it.
fn upwards<'a>(checkout: &Path, folder: &'a Path) -> Option<Vec<&'a Path>> {
    let plain = |path: &Path| {
        path.components()
            .all(|part| !matches!(part, Component::ParentDir | Component::CurDir))
    };
    (plain(folder) && folder.starts_with(checkout)).then(|| {
        folder
            .ancestors()
            .take_while(|folder| folder.starts_with(checkout))
            .collect()
    })
}

fn first_in(folder: &Path, signs: &[Sign]) -> Option<PathBuf> {
    signs.iter().find_map(|sign| sign.found_in(folder))
}

/// A marker, ready to be looked for.
#[derive(Clone, Debug)]
struct Sign {
    /// The folder below the one that is looked at, often empty.
    below: PathBuf,
    name: NamePattern,
    line: Option<String>,
}

impl Sign {
    fn new(marker: &Marker) -> Result<Self, globset::Error> {
        let (below, name) = marker
            .name
            .rsplit_once('/')
            .unwrap_or(("", marker.name.as_str()));
        Ok(Self {
            below: below.into(),
            name: NamePattern::new(name)?,
            line: marker.line.clone(),
        })
    }

    /// The path of what matches; of several the first by name, so that the answer is always the
    /// same.
    fn found_in(&self, folder: &Path) -> Option<PathBuf> {
        let folder = folder.join(&self.below);
        let found = match &self.name {
            NamePattern::Plain(name) => Some(folder.join(name)).filter(|path| path.exists()),
            NamePattern::Around(..) | NamePattern::Glob(_) => fs::read_dir(&folder)
                .ok()?
                .filter_map(Result::ok)
                .map(|entry| entry.file_name())
                .filter(|name| self.name.matches(name))
                .min()
                .map(|name| folder.join(name)),
        }?;
        match &self.line {
            None => Some(found),
            Some(line) => read_start(&found)?
                .lines()
                .any(|have| have.starts_with(line.as_str()))
                .then_some(found),
        }
    }
}

/// The first megabyte of a file as text; nothing when it cannot be read.
fn read_start(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(MARKER_BYTES).read_to_end(&mut bytes))
        .ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Joins a relative path as a manifest has it, without looking at the disk; nothing when it leaves
/// the checkout.
fn join_within(checkout: &Path, folder: &Path, relative: &str) -> Option<PathBuf> {
    let mut joined = folder.to_path_buf();
    for part in Path::new(relative).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(part) => joined.push(part),
            Component::ParentDir => {
                joined.pop();
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    joined.starts_with(checkout).then_some(joined)
}

#[cfg(test)]
mod tests;
