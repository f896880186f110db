//! Which servers a file can have here, and exactly what is missing for the others.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fourfold_child::{Folder, Guard};
use parking_lot::Mutex;

use crate::catalog::Catalog;
use crate::checker;
use crate::root::Root;
use crate::spec::{Origin, ServerSpec};

mod availability;
mod candidates;
mod package;
mod proof;
mod stamp;
mod survey;
mod words;

pub use availability::{Availability, Detection, Failure, Launchable, PassedOver, WhyNot};
pub use survey::{Survey, Surveyed};

use proof::Proofs;
use stamp::Stamp;
use words::Words;

/// Whether programs that the checkout chooses may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// They may.
    Trusted,
    /// Only what the user has installed or configured may.
    Untrusted,
}

/// Where programs are looked for, and how long looking may take.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DetectConfig {
    /// The search path, in the form of `PATH`, for servers and for what they start. Default: ours at
    /// the time of the call. Empty and relative entries are passed over: they would mean another
    /// program in every folder.
    pub search_path: OsString,
    /// The folder below which a server keeps what belongs to one root, such as an index. Not in a
    /// checkout.
    pub state: PathBuf,
    /// Who ends the processes that are started when we cannot.
    pub guard: Guard,
    /// How long a rustup proxy may take to tell its version. Default: 5 s; it takes 50 ms.
    pub proof: Duration,
    /// After how long a proxy that failed is tried again. Default: 60 s; installing what is missing
    /// changes nothing on the proxy itself.
    pub proof_again: Duration,
    /// How many roots of servers a survey tells apart. Default: 200; more is no list for a person.
    pub survey_roots: usize,
}

impl DetectConfig {
    /// The defaults, with a folder for what servers keep.
    pub fn new(state: impl Into<PathBuf>) -> Self {
        Self {
            search_path: env::var_os("PATH").unwrap_or_default(),
            state: state.into(),
            guard: Guard::default(),
            proof: Duration::from_secs(5),
            proof_again: Duration::from_secs(60),
            survey_roots: 200,
        }
    }
}

/// Finds the servers for the files of one checkout.
///
/// Looking starts nothing, with one exception: a rustup proxy is a name only, so it is asked for its
/// version, in the folder where it would serve. What a start of a server teaches is remembered:
/// a program that failed is passed over until it, or a file that chooses its version, changes.
///
/// Trust is about what is started by us. A server may itself run what it finds in the checkout:
/// build scripts, plug-ins, the project's own copy of a library.
#[derive(Debug)]
pub struct Detector {
    catalog: Catalog,
    checkers: Catalog,
    config: DetectConfig,
    place: Folder,
    trusted: AtomicBool,
    failures: Mutex<BTreeMap<Attempt, (Stamp, Failure)>>,
    proofs: Proofs,
}

/// A server, its root, the program.
type Attempt = (String, PathBuf, PathBuf);

/// What was judged before, for one question about many files.
type Judged = BTreeMap<(String, PathBuf), (Availability, Vec<PassedOver>)>;

impl Detector {
    /// For the checkout in this folder.
    ///
    /// # Errors
    /// When the folder is not there.
    pub fn new(
        catalog: Catalog,
        checkout: &Path,
        trust: Trust,
        config: DetectConfig,
    ) -> io::Result<Self> {
        Ok(Self {
            catalog,
            checkers: checker::catalog(),
            place: Folder::new(checkout)?,
            trusted: AtomicBool::new(trust == Trust::Trusted),
            failures: Mutex::default(),
            proofs: Proofs::new(&config),
            config,
        })
    }

    /// The table it looks things up in.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The checkout's root, without links.
    #[must_use]
    pub fn checkout(&self) -> &Path {
        self.place.root()
    }

    /// Whether the checkout is trusted.
    #[must_use]
    pub fn trust(&self) -> Trust {
        if self.trusted.load(Ordering::Relaxed) {
            Trust::Trusted
        } else {
            Trust::Untrusted
        }
    }

    /// Who ends the processes that are started here.
    pub(crate) fn guard(&self) -> Guard {
        self.config.guard.clone()
    }

    /// From now on. Servers that run are not touched.
    pub fn set_trust(&self, trust: Trust) {
        self.trusted
            .store(trust == Trust::Trusted, Ordering::Relaxed);
    }

    /// Every server that is asked about a file of this name, with what became of it; the preferred
    /// ones first. The path is relative to the checkout, or absolute and without links; the file
    /// need not exist.
    ///
    /// *Cancel safety*: safe; a proof that was under way is begun again the next time.
    pub async fn detect(&self, file: &Path) -> Vec<Detection> {
        self.detect_among(&self.catalog, file, &mut Judged::new())
            .await
    }

    /// The same for checkers.
    pub(crate) async fn detect_checkers(&self, file: &Path) -> Vec<Detection> {
        self.detect_among(&self.checkers, file, &mut Judged::new())
            .await
    }

    async fn detect_among(
        &self,
        catalog: &Catalog,
        file: &Path,
        judged: &mut Judged,
    ) -> Vec<Detection> {
        let file = self.place.root().join(file);
        let mut found: Vec<Detection> = Vec::new();
        for server in catalog.for_path(&file) {
            let root = file.parent().map_or(Root::Unmarked, |folder| {
                catalog.root(server, self.place.root(), folder)
            });
            let (availability, passed_over) = self.judge(server, &root, judged).await;
            found.push(Detection {
                server: Arc::clone(server),
                language_id: catalog
                    .language_id(server, &file)
                    .unwrap_or_default()
                    .to_owned(),
                root: match root {
                    Root::Found(root) => Some(root),
                    Root::Elsewhere { .. } | Root::Unmarked => None,
                },
                availability,
                passed_over,
            });
        }
        give_way(&mut found);
        found
    }

    async fn judge(
        &self,
        server: &Arc<ServerSpec>,
        root: &Root,
        judged: &mut Judged,
    ) -> (Availability, Vec<PassedOver>) {
        let root = match (server.disabled, root) {
            (Some(by), _) => return (Availability::Disabled { by }, Vec::new()),
            (None, Root::Found(root)) => root,
            (None, Root::Elsewhere { because }) => {
                let because = because.clone();
                return (Availability::Elsewhere { because }, Vec::new());
            }
            (None, Root::Unmarked) => return (Availability::unmarked(server), Vec::new()),
        };
        let key = (server.id.clone(), root.clone());
        if let Some(known) = judged.get(&key) {
            return known.clone();
        }
        let verdict = if server.origin == Origin::Checkout && self.trust() == Trust::Untrusted {
            (Availability::NotTrusted { program: None }, Vec::new())
        } else {
            self.look_for(server, root).await
        };
        judged.insert(key, verdict.clone());
        verdict
    }

    /// Another way to start a server whose program has just failed.
    pub(crate) async fn another(&self, failed: &Launchable) -> Option<Launchable> {
        let root = Root::Found(failed.root.clone());
        let judged = &mut Judged::new();
        match self.judge(&failed.server, &root, judged).await.0 {
            Availability::Usable(other) => Some(other),
            _ => None,
        }
    }

    /// The first program that can be started, and why those before it cannot.
    async fn look_for(
        &self,
        server: &Arc<ServerSpec>,
        root: &Path,
    ) -> (Availability, Vec<PassedOver>) {
        let mut passed_over: Vec<PassedOver> = Vec::new();
        for (command, program) in self.candidates(server, root) {
            match self.why_not(server, root, command, &program).await {
                None => {
                    let launchable = self.launchable(server, root, &command.args, program);
                    return (Availability::Usable(launchable), passed_over);
                }
                Some(why) => {
                    if passed_over.iter().all(|known| known.program != program) {
                        passed_over.push(PassedOver { program, why });
                    }
                }
            }
        }
        let untrusted = passed_over
            .iter()
            .find(|passed| matches!(passed.why, WhyNot::NotTrusted));
        let availability = match untrusted {
            Some(passed) => Availability::NotTrusted {
                program: Some(passed.program.clone()),
            },
            None if passed_over.is_empty() => self.nothing_found(server),
            None => Availability::NoneStarts,
        };
        (availability, passed_over)
    }

    fn launchable(
        &self,
        server: &Arc<ServerSpec>,
        root: &Path,
        args: &[String],
        program: PathBuf,
    ) -> Launchable {
        let state = self.state_of(&server.id, root);
        let words = Words {
            root,
            state: &state,
            place: &self.place,
            trusted: self.trust() == Trust::Trusted,
        };
        Launchable {
            server: Arc::clone(server),
            args: args.iter().map(|arg| words.text(arg)).collect(),
            settings: words.tree(&server.settings).unwrap_or_default(),
            initialization_options: words
                .tree(&server.initialization_options)
                .unwrap_or_default(),
            root: root.to_path_buf(),
            program,
            search_path: self.config.search_path.clone(),
            state,
        }
    }

    /// The same for every run, and of its own for every root.
    fn state_of(&self, id: &str, root: &Path) -> PathBuf {
        let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
        let short = hash.get(..16).unwrap_or_default();
        let name = root.file_name().unwrap_or_default().to_string_lossy();
        self.config.state.join(id).join(format!("{name}-{short}"))
    }

    /// Takes note that a program ended by itself before it had become a server. It is passed over
    /// from now on, until it or a file that chooses its version changes on the disk.
    pub fn remember_failure(&self, launchable: &Launchable, failure: Failure) {
        let stamp = Stamp::of(&launchable.program, &launchable.root);
        tracing::info!(
            server = launchable.server.id, program = %launchable.program.display(), %failure,
            "not offered until it changes"
        );
        self.failures.lock().insert(
            (
                launchable.server.id.clone(),
                launchable.root.clone(),
                launchable.program.clone(),
            ),
            (stamp, failure),
        );
    }

    /// Forgets the failures of one server, or of all: they may start again as they are.
    pub fn forget_failures(&self, server: Option<&str>) {
        self.failures
            .lock()
            .retain(|(id, _, _), _| server.is_some_and(|server| server != id));
        self.proofs.forget();
    }

    /// What a start of this program taught, if that still holds.
    fn failure(&self, id: &str, root: &Path, program: &Path) -> Option<Failure> {
        let key = (id.to_owned(), root.to_path_buf(), program.to_path_buf());
        let mut failures = self.failures.lock();
        let (stamp, failure) = failures.get(&key)?;
        if *stamp == Stamp::of(program, root) {
            return Some(failure.clone());
        }
        failures.remove(&key);
        None
    }
}

/// Of servers that do the same work, only the preferred one is usable.
fn give_way(found: &mut [Detection]) {
    for index in 0..found.len() {
        let (before, rest) = found.split_at_mut(index);
        let Some(detection) = rest.first_mut() else {
            return;
        };
        let better = before.iter().find(|better| {
            detection.server.only_without.contains(&better.server.id)
                && matches!(better.availability, Availability::Usable(_))
        });
        if let (Some(better), Availability::Usable(_)) = (better, &detection.availability) {
            detection.availability = Availability::GivesWay {
                to: better.server.id.clone(),
            };
        }
    }
}

#[cfg(test)]
mod tests;
