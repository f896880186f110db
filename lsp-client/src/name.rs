//! Names of files, which may be globs.

use std::ffi::OsStr;

use globset::{Glob, GlobMatcher};

/// One file name, or many.
#[derive(Clone, Debug)]
pub(crate) enum NamePattern {
    /// This one.
    Plain(String),
    /// Those that match.
    Glob(GlobMatcher),
}

impl NamePattern {
    pub(crate) fn new(name: &str) -> Result<Self, globset::Error> {
        Ok(if name.contains(['*', '?', '[', '{']) {
            Self::Glob(Glob::new(name)?.compile_matcher())
        } else {
            Self::Plain(name.to_owned())
        })
    }

    pub(crate) fn matches(&self, name: &OsStr) -> bool {
        match self {
            Self::Plain(plain) => name == plain.as_str(),
            Self::Glob(glob) => glob.is_match(name),
        }
    }
}
