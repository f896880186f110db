//! What a host, a user and a checkout may set, and the files that hold it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fourfold_child::Guard;
use fourfold_code_graph::index::Cache;
use fourfold_rewrite_txn::{Durability, StageOptions, StoreLimits};
use fourfold_syntax::{ParseLimits, stack};
use fourfold_worktree::{ReadLimits, Workers};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::nearest::hint;
use crate::policy::Policy;
use crate::verdict::Patience;

/// The name of the configuration file, at the root of a checkout and in the user's folder.
pub(crate) const FILE: &str = "fourfold.toml";

/// What a host is set up with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostConfig {
    /// The limits of every checkout, unless its own file or the user's sets others.
    pub limits: Limits,
    /// The user's folder: its `fourfold.toml` is read for every checkout, and what the user trusts
    /// is remembered there. Default `$XDG_CONFIG_HOME/fourfold`, else `~/.config/fourfold`; `None`
    /// reads nothing and trusts nobody.
    pub user_folder: Option<PathBuf>,
    /// Whether every checkout of this host may choose what is run, as if the user trusted it: for
    /// hosts with a consent of their own. Default no.
    pub trust_all: bool,
    /// How language servers are found and run.
    pub servers: ServerOptions,
    /// What the commits of the tools survive.
    pub durability: Durabilities,
    /// Where the indexes of the code graph are kept. Default: the user's cache folder.
    pub index_cache: Cache,
    /// Who is asked before files are written, a stage is applied or a program is run. Default nobody.
    pub policy: Policy,
    /// Whether answers of the debugger show secrets as they are. Default no: a password, a token or
    /// a key in a value or in output reads `***`. No file of a checkout can set this.
    pub show_secrets: bool,
}

/// How language servers are found and run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerOptions {
    /// Whether any is started. Default yes; without them every verdict is `no server`.
    pub enabled: bool,
    /// The search path, in the form of `PATH`, for servers and for what they start. Default: that
    /// of the process when a checkout is first asked about.
    pub search_path: Option<OsString>,
    /// Who ends their processes when this process ends, however it does. Default: this program
    /// started once more, for which its `main` has to call [`guard::enter`](crate::guard::enter)
    /// first. A program that cannot do so names another one, or does without and may leave
    /// processes behind when it is killed.
    pub guard: Guard,
    /// Where servers keep what belongs to a checkout, such as an index. Default
    /// `$XDG_STATE_HOME/fourfold`, else `~/.local/state/fourfold`, else a folder for temporary
    /// files.
    pub state_folder: PathBuf,
}

impl Default for ServerOptions {
    fn default() -> ServerOptions {
        ServerOptions {
            enabled: true,
            search_path: None,
            guard: Guard::default(),
            state_folder: state_folder(),
        }
    }
}

/// What the commits of the tools survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Durabilities {
    /// Of `write`, `edit` and `apply_patch`. Default [`Durability::ProcessCrash`]: they come one
    /// after another, an agent repeats what a power cut took, and waiting for the disk each time
    /// costs more than all the rest.
    pub write: Durability,
    /// Of `resolve`. Default [`Durability::PowerLoss`]: a change of many files that somebody has
    /// looked at is not torn in two.
    pub resolve: Durability,
}

impl Default for Durabilities {
    fn default() -> Durabilities {
        Durabilities {
            write: Durability::ProcessCrash,
            resolve: Durability::PowerLoss,
        }
    }
}

impl Default for HostConfig {
    fn default() -> HostConfig {
        HostConfig {
            limits: Limits::default(),
            user_folder: user_folder(),
            trust_all: false,
            servers: ServerOptions::default(),
            durability: Durabilities::default(),
            index_cache: Cache::default(),
            policy: Policy::default(),
            show_secrets: false,
        }
    }
}

impl HostConfig {
    /// The defaults with these limits.
    pub fn with_limits(limits: Limits) -> HostConfig {
        HostConfig {
            limits,
            ..HostConfig::default()
        }
    }

    /// The same with other durabilities.
    #[must_use]
    pub fn durability(mut self, durability: Durabilities) -> HostConfig {
        self.durability = durability;
        self
    }
}

/// Where the user's configuration lives.
fn user_folder() -> Option<PathBuf> {
    let folder = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(folder.join("fourfold"))
}

/// Where programs keep what they can make again at some cost.
fn state_folder() -> PathBuf {
    absolute("XDG_STATE_HOME")
        .or_else(|| Some(absolute("HOME")?.join(".local/state")))
        .unwrap_or_else(env::temp_dir)
        .join("fourfold")
}

/// The folder that a variable names.
fn absolute(name: &str) -> Option<PathBuf> {
    let path = env::var_os(name).map(PathBuf::from);
    path.filter(|path| path.is_absolute())
}

/// What is in force in one checkout.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) limits: Limits,
    /// The tables `[servers]`, the user's before the checkout's.
    pub(crate) servers: Vec<ConfigTable>,
    /// The tables `[adapters]`, likewise.
    pub(crate) adapters: Vec<ConfigTable>,
    /// What is in the files that nobody knows.
    pub(crate) notices: Vec<String>,
}

/// A table `[servers]` or `[adapters]` with whose it is: only the user's own may name a command without trust.
#[derive(Clone, Debug)]
pub(crate) struct ConfigTable {
    pub(crate) of_checkout: bool,
    pub(crate) table: toml::Table,
}

impl Settings {
    /// The host's settings, overlaid by the user's file, overlaid by the checkout's.
    pub(crate) fn of(config: &HostConfig, root: &Path) -> Result<Settings, Error> {
        let mut settings = Settings {
            limits: config.limits.clone(),
            ..Settings::default()
        };
        if let Some(folder) = &config.user_folder {
            settings.overlay(&folder.join(FILE), false)?;
        }
        settings.overlay(&root.join(FILE), true)?;
        Ok(settings)
    }

    /// Overlays a file, if there is one.
    fn overlay(&mut self, path: &Path, of_checkout: bool) -> Result<(), Error> {
        let fail = |reason: String| Error::Config {
            path: path.to_path_buf(),
            reason,
        };
        match fs::metadata(path) {
            Ok(meta) if meta.len() > MAX_BYTES => {
                return Err(fail(
                    "it is longer than 1 MiB; keep settings in it".to_owned(),
                ));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(fail(format!("{error}; make it readable"))),
        }
        let text = fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
        self.read(&text, of_checkout).map_err(fail)
    }

    fn read(&mut self, text: &str, of_checkout: bool) -> Result<(), String> {
        let file: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            format!("{}; correct it", error.to_string().trim_end())
        })?;
        for (name, value) in file {
            match (name.as_str(), value) {
                ("limits", toml::Value::Table(set)) => {
                    self.limits = self.limits.overlaid(set, &mut self.notices)?;
                }
                ("servers", toml::Value::Table(table)) => {
                    self.servers.push(ConfigTable { of_checkout, table });
                }
                ("adapters", toml::Value::Table(table)) => {
                    self.adapters.push(ConfigTable { of_checkout, table });
                }
                ("limits" | "servers" | "adapters", _) => {
                    return Err(format!("`{name}` is not a table; write it as [{name}]"));
                }
                (name, _) => {
                    let hint = hint(name, ["limits", "servers", "adapters"]);
                    self.notices
                        .push(format!("{FILE}: nothing is set by `{name}`{hint}"));
                }
            }
        }
        Ok(())
    }
}

/// How much a request may cost and a result may hold. The table `[limits]` of a checkout's
/// `fourfold.toml` has the same names and comes before what the host sets; a request comes before
/// both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Worker threads. Default: what the machine offers, twelve at most. More than 256 count as 256.
    pub threads: usize,
    /// Files longer than this many bytes are skipped. Default 8 MiB: sources that people write are
    /// smaller.
    pub max_file_bytes: u64,
    /// The longest time to parse one file, in milliseconds. Default 10,000: error recovery on a
    /// damaged large file can be hundreds of times slower than parsing a sound one.
    pub max_parse_ms: u64,
    /// Matches or sites in one collected result. Default 100.
    pub max_results: usize,
    /// Bytes of each text of a result. Default 240: three lines.
    pub max_text_bytes: usize,
    /// Bytes of the diff of a result. Default 16 KiB, four thousand tokens.
    pub max_diff_bytes: usize,
    /// Lines of the changed places that a result of `edit` or `apply_patch` shows. Default 40: a
    /// model sees whether the change is the one it meant, and reads the file for more.
    pub max_excerpt_lines: usize,
    /// Bytes of old and new contents of one stage together. Default 256 MiB.
    pub max_stage_bytes: u64,
    /// Stages that a conversation holds in memory, and stages kept on disk. Default 20: more
    /// changes than that are not being looked at.
    pub max_stages: usize,
    /// The greatest age of a stage kept on disk, in days. Default 7: the files have drifted by then.
    pub max_stage_days: u64,
    /// New problems that a verdict shows. Default 20: who broke more than that looks at the first
    /// ones.
    pub max_problems: usize,
    /// The longest wait for a verdict when the language servers were running, in milliseconds.
    /// Default 30,000: ten seconds for the slowest server measured on a large project, twenty for a
    /// compiler that runs after it.
    pub max_verdict_ms: u64,
    /// The longest wait for a verdict when a server had to be started for it, in milliseconds; what
    /// its start took is part of it. Default 60,000: what the slowest need to load a project. What
    /// comes later comes with the next answer.
    pub max_cold_verdict_ms: u64,
    /// The longest wait, in milliseconds, for what was wrong before a write in its files, and then
    /// in those that use them: it holds the write back. Default 3,000. A server that still loads
    /// catches up on it afterwards.
    pub max_before_ms: u64,
    /// Files that use what a write touches and are opened for it at a server that looks at open files
    /// alone. Default 16: each takes such a server a tenth of a second or so, twice. With 0 none is
    /// looked for, and a verdict speaks of open files alone.
    pub max_user_files: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        let store = StoreLimits::default();
        Limits {
            threads: Workers::default().threads,
            max_file_bytes: ReadLimits::default().max_bytes,
            max_parse_ms: 10_000,
            max_results: 100,
            max_text_bytes: 240,
            max_diff_bytes: 16 << 10,
            max_excerpt_lines: 40,
            max_stage_bytes: StageOptions::default().max_bytes,
            max_stages: store.max_stages,
            max_stage_days: store.max_age.as_secs() / DAY,
            max_problems: 20,
            max_verdict_ms: 30_000,
            max_cold_verdict_ms: 60_000,
            max_before_ms: 3_000,
            max_user_files: 16,
        }
    }
}

const DAY: u64 = 24 * 60 * 60;

/// The most worker threads: each has a big stack, and starting thousands takes longer than any search.
const MOST_THREADS: usize = 256;

/// A file larger than this is no configuration.
const MAX_BYTES: u64 = 1 << 20;

impl Limits {
    /// These limits with what a table sets.
    fn overlaid(&self, set: toml::Table, notices: &mut Vec<String>) -> Result<Limits, String> {
        let mut limits = toml::Table::try_from(self).map_err(|error| error.to_string())?;
        for (name, value) in set {
            let Some(known) = limits.get_mut(&name) else {
                let hint = hint(&name, limits.keys().map(String::as_str));
                notices.push(format!("{FILE}: no limit is called `{name}`{hint}"));
                continue;
            };
            match value.as_integer() {
                Some(number) if number >= 0 => *known = value,
                _ => {
                    return Err(format!(
                        "`limits.{name}` is no whole number from 0 up ({}); write one",
                        value.type_str()
                    ));
                }
            }
        }
        limits.try_into().map_err(|error| error.to_string())
    }

    pub(crate) fn workers(&self) -> Workers {
        Workers {
            threads: self.threads.clamp(1, MOST_THREADS),
            stack_bytes: stack::BIG_STACK,
            ..Workers::default()
        }
    }

    pub(crate) fn reading(&self) -> ReadLimits {
        ReadLimits {
            max_bytes: self.max_file_bytes,
        }
    }

    pub(crate) fn patience(&self) -> Patience {
        Patience {
            warm: Duration::from_millis(self.max_verdict_ms),
            cold: Duration::from_millis(self.max_cold_verdict_ms),
            before: Duration::from_millis(self.max_before_ms),
            users: self.max_user_files,
        }
    }

    pub(crate) fn parsing(&self, max_file_bytes: u64) -> ParseLimits {
        ParseLimits {
            max_bytes: usize::try_from(max_file_bytes).unwrap_or(usize::MAX),
            max_time: Duration::from_millis(self.max_parse_ms),
        }
    }

    pub(crate) fn staging(&self) -> StageOptions {
        let mut options = StageOptions::default();
        options.max_bytes = self.max_stage_bytes;
        options
    }

    pub(crate) fn store(&self) -> StoreLimits {
        let mut limits = StoreLimits::default();
        limits.max_stages = self.max_stages.max(1);
        limits.max_age = Duration::from_secs(self.max_stage_days.saturating_mul(DAY));
        limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Settings, String> {
        let mut settings = Settings::default();
        settings.read(text, true).map(|()| settings)
    }

    #[test]
    fn limits_are_overlaid() {
        let set = read("[limits]\nthreads = 3\nmax_results = 7\n").unwrap();
        assert_eq!((set.limits.threads, set.limits.max_results), (3, 7));
        assert_eq!(set.limits.max_text_bytes, 240);
        assert!(set.notices.is_empty());
        assert_eq!(read("").unwrap().limits, Limits::default());
    }

    #[test]
    fn a_checkout_comes_before_its_user_and_that_before_the_host() {
        let folder = tempfile::tempdir().unwrap();
        let (user, root) = (folder.path().join("user"), folder.path().join("root"));
        fs::create_dir(&user).unwrap();
        fs::create_dir(&root).unwrap();
        let users = "[limits]\nthreads = 2\nmax_stages = 2\n[servers.x]\n";
        fs::write(user.join(FILE), users).unwrap();
        fs::write(root.join(FILE), "[limits]\nthreads = 3\n[servers.y]\n").unwrap();
        let mut config = HostConfig::default();
        config.limits.max_results = 9;
        config.user_folder = Some(user);
        let set = Settings::of(&config, &root).unwrap();
        let limits = &set.limits;
        assert_eq!(
            (limits.threads, limits.max_stages, limits.max_results),
            (3, 2, 9)
        );
        let whose: Vec<bool> = set.servers.iter().map(|one| one.of_checkout).collect();
        assert_eq!(whose, [false, true]);
        config.user_folder = None;
        assert_eq!(Settings::of(&config, &root).unwrap().limits.max_stages, 20);
    }

    #[test]
    fn what_nobody_knows_is_said() {
        let set = read("[limit]\n[limits]\nmax_file_byte = 3\n").unwrap();
        assert_eq!(
            set.notices,
            [
                "fourfold.toml: nothing is set by `limit`; the nearest is `limits`",
                "fourfold.toml: no limit is called `max_file_byte`; the nearest is `max_file_bytes`",
            ]
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = |text| read(text).unwrap_err();
        assert_eq!(
            wrong("limits = 3"),
            "`limits` is not a table; write it as [limits]"
        );
        assert_eq!(
            wrong("[limits]\nthreads = \"many\""),
            "`limits.threads` is no whole number from 0 up (string); write one"
        );
        assert!(wrong("[limits]\nthreads = -1").contains("from 0 up"));
        assert!(wrong("[limits").contains("correct it"));
    }
}
