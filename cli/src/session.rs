//! One run of the program: where it stands, where its output goes, how it ends early.

use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use fourfold::{Checkout, Control, GrepSummary, Host, HostConfig};

use crate::args::Global;
use crate::progress::{Progress, end_on_interrupt};
use crate::remote::Calls;
use crate::screen::{Screen, note};
use crate::style::{Paint, Style};

/// What every command works with.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) global: Global,
    pub(crate) screen: Screen,
    /// How standard error is coloured.
    pub(crate) aside: Style,
    pub(crate) control: Arc<Control>,
    pub(crate) calls: Calls,
    /// Whether answers of the debugger show secrets: asked for on the command line of this run.
    pub(crate) show_secrets: bool,
}

impl Session {
    pub(crate) fn new(global: Global) -> Session {
        Session {
            screen: Screen::new(global.color),
            aside: Style::new(global.color, io::stderr().is_terminal()),
            control: Arc::new(Control::new()),
            calls: Calls::default(),
            show_secrets: false,
            global,
        }
    }

    /// Goes to another folder first.
    pub(crate) fn start_in(&mut self, folder: &Path) -> Result<()> {
        env::set_current_dir(folder)
            .with_context(|| format!("cannot start in `{}`", folder.display()))?;
        let base = self.global.directory.take().unwrap_or_default();
        self.global.directory = Some(base.join(folder));
        Ok(())
    }

    /// The checkout that the current folder lies in, to be searched and nothing else.
    pub(crate) fn open(&self) -> Result<(Arc<Checkout>, Here)> {
        self.open_with(Host::checkout_read_only)
    }

    /// The checkout that the current folder lies in, to be changed. What a crash has left in the
    /// middle of a commit is brought to its end, and said.
    pub(crate) fn open_to_write(&self) -> Result<(Arc<Checkout>, Here)> {
        let (checkout, here) = self.open_with(Host::checkout)?;
        checkout.recovery().notices().for_each(note);
        Ok((checkout, here))
    }

    pub(crate) fn open_with(
        &self,
        open: impl FnOnce(&Host, PathBuf) -> Result<Arc<Checkout>, fourfold::Error>,
    ) -> Result<(Arc<Checkout>, Here)> {
        let current = current()?;
        let root = Host::discover(&current)?;
        let checkout = open(&self.host(), root)?;
        self.warn(checkout.notices());
        let here = Here::new(&current, checkout.root());
        Ok((checkout, here))
    }

    /// A host as this run is to have it.
    pub(crate) fn host(&self) -> Host {
        self.host_with(!self.asks_nobody())
    }

    /// The same, with language servers or without.
    pub(crate) fn host_with(&self, servers: bool) -> Host {
        let mut config = HostConfig::default();
        if let Some(threads) = self.global.threads {
            config.limits.threads = threads;
        }
        config.servers.enabled = servers;
        config.show_secrets = self.show_secrets;
        Host::new(config)
    }

    /// The root of the checkout that the current folder lies in.
    pub(crate) fn root(&self) -> Result<PathBuf> {
        Ok(Host::discover(current()?)?)
    }

    /// The current folder, for those who do not open the checkout.
    pub(crate) fn here(&self) -> Result<Here> {
        Ok(Here::new(&current()?, &self.root()?))
    }

    /// Says what is odd about the checkout.
    pub(crate) fn warn<T: Display>(&self, notices: impl IntoIterator<Item = T>) {
        for notice in notices {
            note(self.aside.paint(Paint::Warning, notice));
        }
    }

    /// How this program is called for the same checkout, as it is typed in a shell.
    pub(crate) fn program(&self) -> String {
        match &self.global.directory {
            Some(folder) => format!("fourfold -C {}", quoted(&folder.display().to_string())),
            None => "fourfold".to_owned(),
        }
    }

    /// Follows a run that may take long, and lets Ctrl-C end it.
    pub(crate) fn follow(&self) -> Progress {
        end_on_interrupt(&self.control);
        Progress::follow(&self.control)
    }
}

pub(crate) fn current() -> Result<PathBuf> {
    env::current_dir().context("cannot tell the current folder")
}

/// The current folder, seen from the root of its checkout.
#[derive(Debug)]
pub(crate) struct Here {
    /// The way from the root to the current folder.
    below: PathBuf,
    /// The same, with `/` at its end, as it begins the paths of its files; empty at the root.
    prefix: String,
}

impl Here {
    pub(crate) fn new(current: &Path, root: &Path) -> Here {
        let below = current
            .strip_prefix(root)
            .unwrap_or(Path::new(""))
            .to_path_buf();
        let mut prefix = below.display().to_string();
        if !prefix.is_empty() {
            prefix.push('/');
        }
        Here { below, prefix }
    }

    pub(crate) fn is_root(&self) -> bool {
        self.prefix.is_empty()
    }

    /// A path that was typed here, seen from the root.
    pub(crate) fn inside(&self, path: &Path) -> PathBuf {
        // The folder here is no link, so that its parent is the one that the name says.
        let (mut below, mut rest) = (self.below.as_path(), path);
        while let Ok(further) = rest.strip_prefix("..")
            && let Some(above) = below.parent()
        {
            (below, rest) = (above, further);
        }
        match (below.as_os_str().is_empty(), rest.as_os_str().is_empty()) {
            (true, true) if rest != path => PathBuf::from("."),
            (true, _) => rest.to_path_buf(),
            (false, _) => below.join(rest),
        }
    }

    /// A path below the root, as it is typed here.
    pub(crate) fn outside(&self, path: &str) -> String {
        if let Some(rest) = path.strip_prefix(&self.prefix) {
            return rest.to_owned();
        }
        let path = Path::new(path);
        let common = self.below.components().zip(path.components());
        let common = common.take_while(|(ours, theirs)| ours == theirs).count();
        let up = self
            .below
            .components()
            .skip(common)
            .map(|_| Component::ParentDir);
        let down = path.components().skip(common);
        up.chain(down).collect::<PathBuf>().display().to_string()
    }

    /// The same for every path that a summary names.
    pub(crate) fn outside_all(&self, summary: &mut GrepSummary) {
        if self.is_root() {
            return;
        }
        let examples = summary
            .skipped
            .iter_mut()
            .flat_map(|skipped| &mut skipped.examples);
        let misses = summary.near_misses.iter_mut().map(|miss| &mut miss.path);
        for path in examples.chain(misses) {
            *path = self.outside(path);
        }
    }
}

/// A word as it is typed in a shell.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_typed_as_seen_from_here() {
        let here = Here::new("/r/a/b".as_ref(), "/r".as_ref());
        assert_eq!(here.inside("x".as_ref()), Path::new("a/b/x"));
        assert_eq!(here.inside("../c/x".as_ref()), Path::new("a/c/x"));
        assert_eq!(here.inside("../..".as_ref()), Path::new("."));
        assert_eq!(here.inside("../../../x".as_ref()), Path::new("../x"));
        assert_eq!(here.outside("a/b/x"), "x");
        assert_eq!(here.outside("a/c/x"), "../c/x");
        assert_eq!(here.outside("x"), "../../x");
        assert_eq!(quoted("$X's"), r"'$X'\''s'");
        assert_eq!(quoted("src/a.rs"), "src/a.rs");
        let root = Here::new("/r".as_ref(), "/r".as_ref());
        assert_eq!(root.outside("a/x"), "a/x");
        assert_eq!(root.inside("x".as_ref()), Path::new("x"));
    }
}
