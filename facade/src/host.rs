//! The host: one per process, and the checkouts it has open.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::checkout::{Checkout, Mode};
use crate::config::HostConfig;
use crate::engine::Engine;
use crate::error::Error;
use crate::trust::TrustStore;

/// Everything that one process has open. Cheap to make; a process needs one.
#[derive(Debug, Default)]
pub struct Host {
    config: HostConfig,
    engine: Arc<Engine>,
    open: Mutex<HashMap<(PathBuf, Mode), Weak<Checkout>>>,
}

impl Host {
    /// A host with this configuration.
    pub fn new(config: HostConfig) -> Host {
        Host {
            config,
            engine: Arc::default(),
            open: Mutex::default(),
        }
    }

    /// Opens the folder `root` as a checkout to search and to change. Who opens it again gets the
    /// same one, as long as it is in use.
    ///
    /// A commit that a crash interrupted is brought to its end first; [`Checkout::recovery`] says
    /// so.
    ///
    /// # Errors
    /// `root` is no folder that can be reached, its `fourfold.toml` cannot be used, or recovery
    /// failed.
    pub fn checkout(&self, root: impl AsRef<Path>) -> Result<Arc<Checkout>, Error> {
        self.open(root.as_ref(), Mode::Write)
    }

    /// Opens the folder `root` as a checkout to search only: nothing in it is ever written, not
    /// even by recovery, and staging is refused.
    ///
    /// # Errors
    /// As [`checkout`](Host::checkout), but for recovery.
    pub fn checkout_read_only(&self, root: impl AsRef<Path>) -> Result<Arc<Checkout>, Error> {
        self.open(root.as_ref(), Mode::Read)
    }

    /// The root of the checkout that `path` lies in: the nearest folder upwards that holds `.git`,
    /// `.fourfold` or `fourfold.toml`, else the folder itself.
    ///
    /// # Errors
    /// `path` cannot be reached.
    pub fn discover(path: impl AsRef<Path>) -> Result<PathBuf, Error> {
        let checkout = fourfold_worktree::Checkout::discover(path)?;
        Ok(checkout.root().to_path_buf())
    }

    /// Whether something marks a folder as the root of a checkout: else [`discover`](Host::discover)
    /// gives it for want of a better one, and the first change makes it one.
    ///
    /// # Errors
    /// `root` cannot be reached, or is no folder.
    pub fn is_marked(root: impl AsRef<Path>) -> Result<bool, Error> {
        Ok(fourfold_worktree::Checkout::open(root)?.is_marked())
    }

    /// The checkouts that the user trusts, sorted; see [`Checkout::set_trust`].
    ///
    /// # Errors
    /// [`Error::TrustUnread`] when the file that remembers them cannot be read.
    pub fn trusted(&self) -> Result<Vec<PathBuf>, Error> {
        match &self.config.user_folder {
            Some(folder) => TrustStore::in_folder(folder.clone()).roots(),
            None => Ok(Vec::new()),
        }
    }

    fn open(&self, root: &Path, mode: Mode) -> Result<Arc<Checkout>, Error> {
        let tree = fourfold_worktree::Checkout::open(root)?;
        let key = (tree.root().to_path_buf(), mode);
        // Held while opening, so that a checkout is not opened twice at once.
        let mut open = self.open.lock();
        if let Some(checkout) = open.get(&key).and_then(Weak::upgrade) {
            return Ok(checkout);
        }
        open.retain(|_, checkout| checkout.strong_count() > 0);
        let checkout = Arc::new(Checkout::open(
            tree,
            mode,
            &self.config,
            Arc::clone(&self.engine),
        )?);
        open.insert(key, Arc::downgrade(&checkout));
        Ok(checkout)
    }
}
