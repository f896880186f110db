//! What a host and a checkout may set: the limits, and the file that holds them.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use fourfold_rewrite_txn::{Durability, StageOptions, StoreLimits};
use fourfold_syntax::{ParseLimits, stack};
use fourfold_worktree::{ReadLimits, Workers};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::nearest::hint;

/// The name of the configuration file at the root of a checkout.
pub(crate) const FILE: &str = "fourfold.toml";

/// What a host is set up with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostConfig {
    /// The limits of every checkout that does not set its own.
    pub limits: Limits,
    /// What the commits of the tools survive.
    pub durability: Durabilities,
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

/// How much a request may cost and a result may hold. The table `[limits]` of a checkout's
/// `fourfold.toml` has the same names and comes before what the host sets; a request comes before
/// both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Worker threads. Default: what the machine offers, twelve at most.
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
        }
    }
}

const DAY: u64 = 24 * 60 * 60;

/// A file larger than this is no configuration.
const MAX_BYTES: u64 = 1 << 20;

impl Limits {
    /// Overlays the checkout's own file, if there is one. Also says what is in it that nobody knows.
    pub(crate) fn of_checkout(self, root: &Path) -> Result<(Limits, Vec<String>), Error> {
        let path = root.join(FILE);
        let fail = |reason: String| Error::Config {
            path: path.clone(),
            reason,
        };
        match fs::metadata(&path) {
            Ok(meta) if meta.len() > MAX_BYTES => {
                return Err(fail(
                    "it is longer than 1 MiB; keep settings in it".to_owned(),
                ));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok((self, Vec::new()));
            }
            Err(error) => return Err(fail(format!("{error}; make it readable"))),
        }
        let text = fs::read_to_string(&path).map_err(|error| fail(error.to_string()))?;
        self.overlaid(&text).map_err(fail)
    }

    fn overlaid(self, text: &str) -> Result<(Limits, Vec<String>), String> {
        let file: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            format!("{}; correct it", error.to_string().trim_end())
        })?;
        let mut notices = Vec::new();
        let mut limits = toml::Table::try_from(&self).map_err(|error| error.to_string())?;
        for (name, value) in file {
            if name != "limits" {
                let hint = hint(&name, ["limits"]);
                notices.push(format!("{FILE}: nothing is set by `{name}`{hint}"));
                continue;
            }
            let toml::Value::Table(set) = value else {
                return Err("`limits` is not a table; write it as [limits]".to_owned());
            };
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
        }
        let limits = limits.try_into().map_err(|error| error.to_string())?;
        Ok((limits, notices))
    }

    pub(crate) fn workers(&self) -> Workers {
        Workers {
            threads: self.threads.max(1),
            stack_bytes: stack::BIG_STACK,
            ..Workers::default()
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

    fn read(text: &str) -> Result<(Limits, Vec<String>), String> {
        Limits::default().overlaid(text)
    }

    #[test]
    fn limits_are_overlaid() {
        let (limits, notices) = read("[limits]\nthreads = 3\nmax_results = 7\n").unwrap();
        assert_eq!((limits.threads, limits.max_results), (3, 7));
        assert_eq!(limits.max_text_bytes, 240);
        assert!(notices.is_empty());
        assert_eq!(read("").unwrap().0, Limits::default());
    }

    #[test]
    fn what_nobody_knows_is_said() {
        let (_, notices) = read("[limit]\n[limits]\nmax_file_byte = 3\n").unwrap();
        assert_eq!(
            notices,
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
