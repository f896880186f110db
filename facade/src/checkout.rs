//! A checkout: one working tree, its limits, its stages on disk, its conversations.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use fourfold_code_graph::extract::knows;
use fourfold_code_graph::index::{Cache, Index};
use fourfold_rewrite_txn::{Outcome, Report, StageStore, put_aside, recover, unfinished_at};
use fourfold_syntax::Language;
use fourfold_worktree::{Control, Purpose, WalkOptions};
use parking_lot::Mutex;

use crate::config::{ConfigTable, Durabilities, HostConfig, Limits, ServerOptions, Settings};
use crate::conversation::{Conversation, Inner};
use crate::debug;
use crate::engine::Engine;
use crate::error::Error;
use crate::notes::Notes;
use crate::policy::Policy;
use crate::request::Selection;
use crate::result::{LanguageInfo, RecoveredStage, Recovery};
use crate::run::by_language;
use crate::tools::{Looked, Tool, tools};
use crate::trust::{Trust, TrustStore};
use crate::verdict::{Behind, Desk, Roll};
use crate::write::Turns;

/// Whether a checkout may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    Read,
    Write,
}

/// A working tree on disk. Made by [`Host::checkout`](crate::Host::checkout).
pub struct Checkout {
    tree: fourfold_worktree::Checkout,
    mode: Mode,
    durability: Durabilities,
    settings: Settings,
    trust: Option<TrustStore>,
    trust_all: bool,
    engine: Arc<Engine>,
    server_options: ServerOptions,
    /// Made when first asked for; else why there is none.
    desk: OnceLock<Result<Arc<Desk>, String>>,
    /// Opened when first asked.
    pub(crate) index: OnceLock<Arc<Index>>,
    /// What was written since the index looked.
    pub(crate) behind: Behind,
    /// Which files there are, and which came and went.
    pub(crate) roll: Roll,
    /// Which files are being written.
    pub(crate) turns: Turns,
    index_cache: Cache,
    policy: Policy,
    show_secrets: bool,
    recovery: Recovery,
    conversations: Mutex<HashMap<String, Weak<Inner>>>,
    /// When it was last looked whether language servers and debug adapters may be started, and what
    /// was seen.
    looked: Mutex<Option<(Instant, Looked)>>,
}

/// How long what was seen of files and programs holds.
const LOOK: Duration = Duration::from_secs(2);

/// How many files are looked at for it: no list of tools waits for a walk of a whole disk.
const MOST_LOOKED_AT: usize = 100_000;

impl fmt::Debug for Checkout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkout")
            .field("root", &self.root())
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

impl Checkout {
    pub(crate) fn open(
        tree: fourfold_worktree::Checkout,
        mode: Mode,
        config: &HostConfig,
        engine: Arc<Engine>,
    ) -> Result<Checkout, Error> {
        let mut settings = Settings::of(config, tree.root())?;
        let recovery = match mode {
            Mode::Write => recovery(tree.root())?,
            Mode::Read => Recovery::default(),
        };
        if mode == Mode::Read {
            let unfinished = unfinished_at(tree.root())?.into_iter();
            settings.notices.extend(unfinished.map(|id| {
                format!(
                    "commit {id} was interrupted, or is under way: some of its files can be old and \
                     others new; `fourfold recover` brings it to its end"
                )
            }));
        }
        Ok(Checkout {
            tree,
            mode,
            settings,
            trust: config.user_folder.clone().map(TrustStore::in_folder),
            trust_all: config.trust_all,
            engine,
            server_options: config.servers.clone(),
            desk: OnceLock::new(),
            index: OnceLock::new(),
            behind: Behind::default(),
            roll: Roll::default(),
            turns: Turns::default(),
            index_cache: config.index_cache.clone(),
            policy: config.policy.clone(),
            show_secrets: config.show_secrets,
            durability: config.durability,
            recovery,
            conversations: Mutex::default(),
            looked: Mutex::default(),
        })
    }

    /// The canonical root folder.
    pub fn root(&self) -> &Path {
        self.tree.root()
    }

    /// The limits in force: those of the checkout's `fourfold.toml` over those of the user's over
    /// those of the host.
    pub fn limits(&self) -> &Limits {
        &self.settings.limits
    }

    /// What the commits of the tools survive.
    pub fn durability(&self) -> Durabilities {
        self.durability
    }

    /// What is in the checkout's `fourfold.toml` or the user's that nobody knows, one sentence each.
    pub fn notices(&self) -> &[String] {
        &self.settings.notices
    }

    /// Whether the checkout may choose what is run; looked up each time, as it may change.
    pub fn trust(&self) -> Trust {
        match &self.trust {
            _ if self.trust_all => Trust::Granted,
            Some(store) => store.of(self.root()),
            None => Trust::Missing,
        }
    }

    /// Remembers that the user trusts this checkout as it is now, or no more.
    ///
    /// # Errors
    /// [`Error::Trust`] when that cannot be remembered.
    pub fn set_trust(&self, trusted: bool) -> Result<(), Error> {
        let Some(store) = &self.trust else {
            return Err(Error::usage(
                "this host has no folder of the user in which trust is remembered; set \
                 `HostConfig::user_folder`",
            ));
        };
        store.set(self.root(), trusted)?;
        // Other programs may be started now.
        *self.looked.lock() = None;
        if let Some(desk) = self.desk_if_open() {
            desk.set_trust(self.trust());
        }
        Ok(())
    }

    /// The interrupted commits that were brought to their end when the checkout was opened.
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// Brings interrupted commits to their end now; blocking. Staging and committing do so by
    /// themselves.
    ///
    /// # Errors
    /// [`Error::Stage`] when a step fails: what is left is tried again the next time.
    pub fn recover(&self) -> Result<Recovery, Error> {
        self.writable("recover")?;
        recovery(self.root())
    }

    /// The conversation of this name; a new one if no handle to it is left.
    pub fn conversation(self: &Arc<Self>, id: impl Into<String>) -> Conversation {
        let id = id.into();
        let mut conversations = self.conversations.lock();
        if let Some(inner) = conversations.get(&id).and_then(Weak::upgrade) {
            return Conversation::new(inner);
        }
        conversations.retain(|_, inner| inner.strong_count() > 0);
        let inner = Arc::new(Inner::new(Arc::clone(self), id.clone()));
        conversations.insert(id, Arc::downgrade(&inner));
        Conversation::new(inner)
    }

    /// The tools that can work in this checkout: those that change files only if it was opened for
    /// it, those that ask language servers only if it has files and programs for one or, where it is
    /// trusted, for a checker, the debugger only if there is a program for an adapter. Blocking.
    ///
    /// Decided by looking, and nothing is started for it: a program that is there may still fail.
    /// What it answers may change as files and programs come and go; nobody is told, ask again.
    pub fn tools(&self) -> Vec<Tool> {
        // What runs a program may write as well.
        let writes = self.mode == Mode::Write;
        tools(writes, &self.looked())
    }

    /// The tools of [`Conversation::reading_only`](crate::Conversation::reading_only): those of
    /// [`tools`](Checkout::tools) that change nothing, `lsp` without what stages a change. Blocking.
    pub fn reading_tools(&self) -> Vec<Tool> {
        let looked = Looked {
            debugs: false,
            ..self.looked()
        };
        tools(false, &looked)
    }

    /// What there is to see. It holds for a moment.
    fn looked(&self) -> Looked {
        let mut looked = self.looked.lock();
        if let Some((at, seen)) = *looked
            && at.elapsed() < LOOK
        {
            return seen;
        }
        let seen = Looked {
            serves: self.may_be_served(),
            debugs: self.mode == Mode::Write && debug::may_start(self),
            graphs: self.may_have_a_graph(),
        };
        *looked = Some((Instant::now(), seen));
        seen
    }

    /// Looks at [`MOST_LOOKED_AT`] files at most. Where there are more, and none of them is for a
    /// server, nobody knows: the tools say what is missing.
    fn may_be_served(&self) -> bool {
        if !self.server_options.enabled {
            return false;
        }
        let Ok(desk) = self.desk() else { return false };
        let detector = desk.servers().detector();
        let enough = Control::new();
        let seen = AtomicUsize::new(0);
        let count = |_: &Path| {
            if seen.fetch_add(1, Ordering::Relaxed) >= MOST_LOOKED_AT {
                enough.cancel();
            }
            true
        };
        let options = WalkOptions {
            workers: self.limits().workers(),
            wanted: Some(&count),
            ..WalkOptions::default()
        };
        let Ok(walk) = self.tree.walk(&options, &enough) else {
            return false;
        };
        let files = || {
            let files = walk.files().iter();
            files.map(|file| file.absolute().to_path_buf())
        };
        if !enough.is_cancelled() {
            self.roll
                .call(files().filter(|path| desk.knows(path)).collect());
        }
        enough.is_cancelled() || detector.may_serve(files()) || detector.may_check(files())
    }

    /// Whether the code graph may know something here: not where all code is in languages that it does
    /// not know. Where there is none yet, there may be some soon.
    fn may_have_a_graph(&self) -> bool {
        let enough = Control::new();
        let (known, other) = (AtomicBool::new(false), AtomicBool::new(false));
        let seen = AtomicUsize::new(0);
        let look = |path: &Path| {
            match Language::of_path(path) {
                Some(language) if knows(language) => known.store(true, Ordering::Relaxed),
                Some(_) => other.store(true, Ordering::Relaxed),
                None => {}
            }
            let is_much = seen.fetch_add(1, Ordering::Relaxed) >= MOST_LOOKED_AT;
            if is_much || known.load(Ordering::Relaxed) {
                enough.cancel();
            }
            false
        };
        let options = WalkOptions {
            workers: self.limits().workers(),
            wanted: Some(&look),
            ..WalkOptions::default()
        };
        let walked = self.tree.walk(&options, &enough);
        let cannot_tell = walked.is_err() || enough.is_cancelled();
        cannot_tell || !other.load(Ordering::Relaxed)
    }

    /// Every language of this build.
    pub fn languages(&self) -> Vec<LanguageInfo> {
        languages()
    }

    /// How many files of each language a selection chooses, by their names and whatever is in them;
    /// the language with most files first. Blocking.
    ///
    /// # Errors
    /// A path or glob that cannot be used; [`Error::Cancelled`].
    pub fn files_by_language(
        &self,
        selection: &Selection,
        control: &Control,
    ) -> Result<Vec<(Language, usize)>, Error> {
        let options = WalkOptions {
            paths: selection.paths.clone(),
            globs: selection.globs.clone(),
            hidden: selection.hidden,
            no_ignore: selection.no_ignore,
            wanted: None,
            workers: self.limits().workers(),
        };
        let walk = self.tree.walk(&options, control)?;
        if control.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let mut languages: Vec<_> = by_language(&walk).into_iter().collect();
        languages.sort_by_key(|(language, files)| (Reverse(*files), language.id()));
        Ok(languages)
    }

    pub(crate) fn tree(&self) -> &fourfold_worktree::Checkout {
        &self.tree
    }

    /// Whether this is a folder of the checkout. Nobody looks outside of it.
    pub(crate) fn is_folder(&self, path: impl AsRef<Path>) -> bool {
        matches!(
            self.tree.admit(path, Purpose::Search),
            Err(fourfold_worktree::Error::Folder { .. })
        )
    }

    pub(crate) fn is_writable(&self) -> bool {
        self.mode == Mode::Write
    }

    /// Refuses what would write when the checkout was opened for reading.
    pub(crate) fn writable(&self, doing: &'static str) -> Result<(), Error> {
        match self.mode {
            Mode::Write => Ok(()),
            Mode::Read => Err(Error::ReadOnly {
                doing,
                root: self.root().to_path_buf(),
            }),
        }
    }

    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(crate) fn index_cache(&self) -> &Cache {
        &self.index_cache
    }

    /// Whether the host allows that answers of the debugger show secrets.
    pub(crate) fn shows_secrets(&self) -> bool {
        self.show_secrets
    }

    pub(crate) fn adapter_tables(&self) -> &[ConfigTable] {
        &self.settings.adapters
    }

    pub(crate) fn server_options(&self) -> &ServerOptions {
        &self.server_options
    }

    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Who asks the language servers, or why nobody can. Trust is looked up again with each call.
    pub(crate) fn desk(&self) -> Result<Arc<Desk>, &str> {
        let desk = self.desk.get_or_init(|| {
            if !self.server_options.enabled {
                return Err("language servers are switched off here".to_owned());
            }
            let opened = self.open_desk();
            opened.map(Arc::new).map_err(|error| {
                tracing::error!(root = %self.root().display(), %error, "no language servers");
                error.to_string()
            })
        });
        let desk = desk.as_ref().map_err(String::as_str)?;
        desk.set_trust(self.trust());
        Ok(Arc::clone(desk))
    }

    /// The same, if somebody has asked before.
    pub(crate) fn desk_if_open(&self) -> Option<Arc<Desk>> {
        self.desk.get()?.as_ref().ok().map(Arc::clone)
    }

    fn open_desk(&self) -> Result<Desk, Error> {
        let _runtime = self.engine.handle()?.enter();
        Desk::open(
            self.root(),
            &self.settings.servers,
            &self.server_options,
            self.limits().patience(),
        )
    }

    pub(crate) fn store(&self) -> Result<StageStore, Error> {
        Ok(StageStore::open(self.root(), self.limits().store())?)
    }

    pub(crate) fn notes(&self) -> Notes {
        Notes::of(self.root())
    }
}

/// Every language of this build, sorted by id.
pub fn languages() -> Vec<LanguageInfo> {
    Language::all()
        .map(|language| LanguageInfo {
            id: language.id(),
            name: language.name(),
            aliases: language.aliases().to_vec(),
            extensions: language.extensions().to_vec(),
            file_names: language.file_names().to_vec(),
            shebangs: language.shebangs().to_vec(),
        })
        .collect()
}

fn recovery(root: &Path) -> Result<Recovery, Error> {
    match recover(root) {
        Ok(report) => {
            let notes = Notes::of(root);
            let finished = report
                .transactions
                .iter()
                .filter(|one| one.outcome == Outcome::Redone);
            finished
                .filter_map(|one| one.kept.as_deref())
                .for_each(|id| notes.remove(id));
            let put_aside = put_aside(root)?;
            let told = |path: &PathBuf| path.to_string_lossy().into_owned();
            Ok(Recovery {
                put_aside: put_aside.iter().map(told).collect(),
                ..recovered(&report)
            })
        }
        Err(fourfold_rewrite_txn::Error::Busy { .. }) => Ok(Recovery {
            busy: true,
            ..Recovery::default()
        }),
        Err(error) => Err(error.into()),
    }
}

/// A report in words.
pub(crate) fn recovered(report: &Report) -> Recovery {
    let told = |path: &PathBuf| path.to_string_lossy().into_owned();
    let commits = report.transactions.iter().map(|one| RecoveredStage {
        id: one.id.clone(),
        outcome: one.to_string(),
        whole: one.conflicts.is_empty() && !matches!(one.outcome, Outcome::SetAside(_)),
        files: one.files.iter().map(told).collect(),
        conflicts: one.conflicts.iter().map(ToString::to_string).collect(),
    });
    Recovery {
        commits: commits.collect(),
        ..Recovery::default()
    }
}
