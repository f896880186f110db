//! Names of files, which may be globs.

use std::ffi::OsStr;

use globset::{Glob, GlobMatcher};

/// One file name, or many.
#[derive(Clone, Debug)]
pub(crate) enum NamePattern {
    /// This one.
    Plain(String),
    /// Those that begin and end so, which is what most globs say: it is asked of every file of a
    /// checkout.
    Around(String, String),
    /// Those that match.
    Glob(GlobMatcher),
}

impl NamePattern {
    pub(crate) fn new(name: &str) -> Result<Self, globset::Error> {
        let is_special = |text: &str| text.contains(['*', '?', '[', ']', '{', '}', '\\', '!']);
        Ok(match name.split_once('*') {
            Some((before, after)) if !is_special(before) && !is_special(after) => {
                Self::Around(before.to_owned(), after.to_owned())
            }
            _ if is_special(name) => Self::Glob(Glob::new(name)?.compile_matcher()),
            _ => Self::Plain(name.to_owned()),
        })
    }

    pub(crate) fn matches(&self, name: &OsStr) -> bool {
        match self {
            Self::Plain(plain) => name == plain.as_str(),
            Self::Around(before, after) => {
                let name = name.as_encoded_bytes();
                name.len() >= before.len() + after.len()
                    && name.starts_with(before.as_bytes())
                    && name.ends_with(after.as_bytes())
            }
            Self::Glob(glob) => glob.is_match(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_itself_or_what_a_glob_says() {
        let matches =
            |pattern: &str, name: &str| NamePattern::new(pattern).unwrap().matches(name.as_ref());
        assert!(matches("go.mod", "go.mod") && !matches("go.mod", "go.mods"));
        assert!(matches("Dockerfile*", "Dockerfile.dev") && matches("Dockerfile*", "Dockerfile"));
        assert!(!matches("Dockerfile*", "myDockerfile"));
        assert!(matches("tsconfig*.json", "tsconfig.json"));
        assert!(matches("tsconfig*.json", "tsconfig.base.json"));
        assert!(!matches("a*a", "a"), "the ends do not overlap");
        assert!(matches("[ab]*.c", "b1.c") && !matches("[ab]*.c", "c1.c"));
        assert!(matches("*.{c,h}", "x.h") && !matches("*.{c,h}", "x.o"));
    }
}
