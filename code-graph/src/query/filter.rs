//! Which symbols a question is about, by what they are and where.

use crate::facts::{SymbolKind, Visibility};
use crate::graph::{Graph, NodeId};
use globset::{Glob, GlobSet, GlobSetBuilder};
use serde::{Deserialize, Serialize};

/// What becomes of tests in an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tests {
    /// They are in it, told apart or after the rest.
    #[default]
    Apart,
    /// They are left out.
    Without,
    /// Only they are in it.
    Only,
}

/// Conditions on symbols. Without any, all are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// Only these kinds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<SymbolKind>,
    /// Only files that one of these paths, folders or globs matches; those that begin with `!` must
    /// not match. A path that there is means itself; else a glob without `/` matches at any depth.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Only files of these languages, by id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Only what may be seen at least this widely.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Visibility>,
    /// What becomes of tests.
    pub tests: Tests,
}

/// A [`Filter`] that is ready to be used on a graph.
pub(super) struct Sieve {
    kinds: Vec<SymbolKind>,
    visibility: Option<Visibility>,
    tests: Tests,
    /// By number of file, in the order of the graph's files.
    files: Option<Vec<bool>>,
    /// What of it no file of the index fits, in words.
    pub(super) idle: Vec<String>,
}

impl Filter {
    /// Makes the filter ready; the globs that are none come back as an error in words.
    pub(super) fn sieve(&self, graph: &Graph) -> Result<Sieve, String> {
        let mut idle = Vec::new();
        let files = match (&self.paths[..], &self.languages[..]) {
            ([], []) => None,
            _ => Some(self.files(graph, &mut idle)?),
        };
        Ok(Sieve {
            kinds: self.kinds.clone(),
            visibility: self.visibility,
            tests: self.tests,
            files,
            idle,
        })
    }

    fn files(&self, graph: &Graph, idle: &mut Vec<String>) -> Result<Vec<bool>, String> {
        let mut only: Option<Vec<bool>> = None;
        let mut not = vec![false; graph.files().len()];
        for text in &self.paths {
            let excluded = text.strip_prefix('!');
            let fits = PathGlob::of(excluded.unwrap_or(text), graph)?;
            let into = match excluded {
                Some(_) => &mut not,
                None => only.get_or_insert_with(|| vec![false; graph.files().len()]),
            };
            let mut any = false;
            for (slot, file) in into.iter_mut().zip(graph.files()) {
                if fits.matches(&file.path) {
                    *slot = true;
                    any = true;
                }
            }
            if !any {
                idle.push(format!("no file of the index matches `{text}`"));
            }
        }
        for id in &self.languages {
            if !graph.files().iter().any(|file| file.language.id() == id) {
                idle.push(format!("no file of the index is of the language {id}"));
            }
        }
        let language =
            |id: &str| self.languages.is_empty() || self.languages.iter().any(|l| l == id);
        let wanted = graph.files().iter().enumerate().map(|(at, file)| {
            language(file.language.id()) && only.as_ref().is_none_or(|only| only[at]) && !not[at]
        });
        Ok(wanted.collect())
    }
}

/// What a path or glob means: itself and all below what it matches.
enum PathGlob {
    /// A file or folder that there is, by its path from the root.
    Path(String),
    /// Without a `/` in it, at any depth.
    Glob(GlobSet),
}

impl PathGlob {
    fn of(text: &str, graph: &Graph) -> Result<PathGlob, String> {
        let plain = text.trim_start_matches("./").trim_end_matches('/');
        let rooted = plain.starts_with('/');
        let plain = plain.trim_start_matches('/');
        let is = |path: &str| {
            let rest = path.strip_prefix(plain);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if matches!(plain, "" | ".") {
            return Ok(PathGlob::Path(String::new()));
        }
        if graph.files().iter().any(|file| is(&file.path)) {
            return Ok(PathGlob::Path(plain.to_owned()));
        }
        let anywhere = if rooted || plain.contains('/') {
            ""
        } else {
            "**/"
        };
        let mut set = GlobSetBuilder::new();
        for glob in [
            format!("{anywhere}{plain}"),
            format!("{anywhere}{plain}/**"),
        ] {
            let glob = Glob::new(&glob)
                .map_err(|error| format!("`{text}` is not a glob: {}", error.kind()))?;
            set.add(glob);
        }
        let set = set.build().map_err(|error| error.to_string())?;
        Ok(PathGlob::Glob(set))
    }

    fn matches(&self, path: &str) -> bool {
        match self {
            PathGlob::Path(own) if own.is_empty() => true,
            PathGlob::Path(own) => {
                let rest = path.strip_prefix(own.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            PathGlob::Glob(set) => set.is_match(path),
        }
    }
}

impl Sieve {
    /// What lets everything through.
    pub(super) fn all() -> Sieve {
        Sieve {
            kinds: Vec::new(),
            visibility: None,
            tests: Tests::Apart,
            files: None,
            idle: Vec::new(),
        }
    }

    /// Whether it may keep something back.
    pub(super) fn narrows(&self) -> bool {
        !self.kinds.is_empty()
            || self.visibility.is_some()
            || self.tests != Tests::Apart
            || self.files.is_some()
    }

    /// Whether a node is meant; a file is when no kind is asked for.
    pub(super) fn lets(&self, graph: &Graph, node: NodeId) -> bool {
        let tests = match self.tests {
            Tests::Apart => true,
            Tests::Without => !graph.is_test(node),
            Tests::Only => graph.is_test(node),
        };
        tests && self.lets_file(graph, node) && {
            match graph.symbol(node) {
                Some(item) => {
                    (self.kinds.is_empty() || self.kinds.contains(&item.kind))
                        && self
                            .visibility
                            .is_none_or(|widest| item.visibility <= widest)
                }
                None => self.kinds.is_empty(),
            }
        }
    }

    fn lets_file(&self, graph: &Graph, node: NodeId) -> bool {
        let files = self.files.as_ref();
        files.is_none_or(|files| files.get(graph.file_number(node)).copied().unwrap_or(false))
    }
}
