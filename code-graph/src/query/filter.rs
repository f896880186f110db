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
    /// Only files that one of these globs, folders or paths matches; those that begin with `!` must
    /// not match.
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
}

impl Filter {
    /// Makes the filter ready; the globs that are none come back as an error in words.
    pub(super) fn sieve(&self, graph: &Graph) -> Result<Sieve, String> {
        let files = match (&self.paths[..], &self.languages[..]) {
            ([], []) => None,
            _ => Some(self.files(graph)?),
        };
        Ok(Sieve {
            kinds: self.kinds.clone(),
            visibility: self.visibility,
            tests: self.tests,
            files,
        })
    }

    fn files(&self, graph: &Graph) -> Result<Vec<bool>, String> {
        let (not, only): (Vec<&str>, Vec<&str>) = self
            .paths
            .iter()
            .map(String::as_str)
            .partition(|path| path.starts_with('!'));
        let only = globs(only.into_iter())?;
        let not = globs(not.iter().map(|path| &path[1..]))?;
        let language =
            |id: &str| self.languages.is_empty() || self.languages.iter().any(|l| l == id);
        let wanted = graph.files().iter().map(|file| {
            let path = file.path.as_str();
            language(file.language.id())
                && (only.is_empty() || only.is_match(path))
                && !not.is_match(path)
        });
        Ok(wanted.collect())
    }
}

/// Globs, each of which means what lies below what it matches as well.
fn globs<'a>(texts: impl Iterator<Item = &'a str>) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for text in texts {
        let text = text.trim_start_matches("./").trim_end_matches('/');
        let anywhere = if text.contains('/') { "" } else { "**/" };
        let text = match text {
            "" | "." => "**",
            other => other,
        };
        for glob in [format!("{anywhere}{text}"), format!("{anywhere}{text}/**")] {
            let glob = Glob::new(&glob)
                .map_err(|error| format!("`{text}` is not a glob: {}", error.kind()))?;
            set.add(glob);
        }
    }
    set.build().map_err(|error| error.to_string())
}

impl Sieve {
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
