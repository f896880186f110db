//! What a whole checkout could use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{Detection, Detector, Judged, Trust};
use crate::catalog::Catalog;
use crate::root::Root;

/// What a checkout could use, and exactly what is missing.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Survey {
    /// Servers with the roots they would have, in the order of the table.
    pub found: Vec<Surveyed>,
    /// Files that some server is asked about.
    pub files: usize,
    /// Files whose servers are not among those that were found, because there were too many roots.
    pub left_out: usize,
}

/// A server at one root, or what keeps it from being started at several.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Surveyed {
    /// What became of it: for a server that cannot be started, at the first of its roots.
    pub detection: Detection,
    /// How many roots have this in common: one, for a server that can be started.
    pub roots: usize,
    /// How many files it is about.
    pub files: usize,
    /// One of them, as it was given.
    pub example: PathBuf,
    /// The roots themselves.
    at: BTreeSet<PathBuf>,
}

impl Detector {
    /// Whether some server may be asked about one of these files, by looking alone: a root, and a
    /// program that may be run, but no proof that it starts. Paths are as in [`Detector::survey`].
    ///
    /// Blocking: it looks at the disk until the first that may.
    pub fn may_serve(&self, files: impl IntoIterator<Item = PathBuf>) -> bool {
        self.may_use(&self.catalog, files)
    }

    /// Whether some checker may be run on one of these files, likewise. Never without trust.
    ///
    /// Blocking: it looks at the disk until the first that may.
    pub fn may_check(&self, files: impl IntoIterator<Item = PathBuf>) -> bool {
        self.trust() == Trust::Trusted && self.may_use(&self.checkers, files)
    }

    fn may_use(&self, catalog: &Catalog, files: impl IntoIterator<Item = PathBuf>) -> bool {
        let mut known: BTreeSet<(String, PathBuf)> = BTreeSet::new();
        // All files of a folder that a server is for have the same root.
        let mut looked: BTreeSet<(PathBuf, String)> = BTreeSet::new();
        files.into_iter().any(|file| {
            let file = self.place.root().join(file);
            let Some(folder) = file.parent() else {
                return false;
            };
            catalog.for_path(&file).any(|server| {
                if server.disabled.is_some()
                    || !looked.insert((folder.to_path_buf(), server.id.clone()))
                {
                    return false;
                }
                let Root::Found(root) = catalog.root(server, self.place.root(), folder) else {
                    return false;
                };
                known.insert((server.id.clone(), root.clone())) && self.may_start(server, &root)
            })
        })
    }

    /// What the files of a checkout could use. The caller walks the checkout, because it knows what
    /// is ignored; the paths are relative to the checkout, or absolute and without links.
    ///
    /// *Cancel safety*: safe, as that of [`Detector::detect`].
    pub async fn survey(&self, files: impl IntoIterator<Item = PathBuf>) -> Survey {
        let mut survey = Survey::default();
        let mut judged = Judged::new();
        // By folder and servers: files that have both in common have the same answer.
        let mut known: BTreeMap<(PathBuf, Vec<String>), Vec<usize>> = BTreeMap::new();
        for file in files {
            let servers: Vec<String> = self
                .catalog
                .for_path(&file)
                .map(|server| server.id.clone())
                .collect();
            if servers.is_empty() {
                continue;
            }
            survey.files += 1;
            let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
            let key = (folder, servers);
            if let Some(places) = known.get(&key) {
                survey.count(places);
                continue;
            }
            let mut places = Vec::new();
            for detection in self.detect_among(&self.catalog, &file, &mut judged).await {
                places.extend(survey.place(detection, &file, self.config.survey_roots));
            }
            survey.count(&places);
            if places.is_empty() {
                survey.left_out += 1;
            } else {
                known.insert(key, places);
            }
        }
        let order = |surveyed: &Surveyed| {
            let id = &surveyed.detection.server.id;
            self.catalog.servers().position(|server| server.id == *id)
        };
        survey
            .found
            .sort_by_cached_key(|surveyed| (order(surveyed), surveyed.detection.root.clone()));
        survey
    }
}

impl Survey {
    /// Where the answer stands, with what is the same for other files taken together.
    fn place(&mut self, detection: Detection, file: &Path, most: usize) -> Option<usize> {
        let same = |known: &Surveyed| {
            let known = &known.detection;
            known.server.id == detection.server.id
                && known.availability == detection.availability
                && known.passed_over == detection.passed_over
        };
        if let Some(place) = self.found.iter().position(same) {
            let known = self.found.get_mut(place)?;
            known.at.extend(detection.root);
            known.roots = known.at.len();
            return Some(place);
        }
        (self.found.len() < most).then(|| {
            let at: BTreeSet<PathBuf> = detection.root.iter().cloned().collect();
            self.found.push(Surveyed {
                roots: at.len(),
                at,
                detection,
                files: 0,
                example: file.to_path_buf(),
            });
            self.found.len() - 1
        })
    }

    fn count(&mut self, places: &[usize]) {
        for place in places {
            if let Some(surveyed) = self.found.get_mut(*place) {
                surveyed.files += 1;
            }
        }
    }
}
