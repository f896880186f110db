//! Writes take turns at a file: what is asked for at the same moment is done one after the other, each
//! on what the one before it has left.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fourfold_worktree::Purpose;
use parking_lot::{Condvar, Mutex};

use crate::Error;
use crate::checkout::Checkout;
use crate::conversation::Conversation;

/// How often somebody who waits looks whether he is still wanted. Default 100 ms.
const LOOK: Duration = Duration::from_millis(100);

/// The files of a checkout that are being written by this process.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    taken: Mutex<BTreeSet<PathBuf>>,
    ended: Condvar,
}

/// The right to read and write some files, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    files: BTreeSet<PathBuf>,
}

impl Conversation {
    /// Waits until nobody else in this process writes one of these files. All are taken at once, so
    /// two that want the same ones do not wait for each other.
    ///
    /// # Errors
    /// [`Error::Cancelled`], when nobody waits for the call any more.
    pub(crate) fn turn<P: AsRef<Path>>(
        &self,
        files: impl IntoIterator<Item = P>,
    ) -> Result<Turn<'_>, Error> {
        let checkout = self.checkout();
        let files: BTreeSet<PathBuf> = files
            .into_iter()
            .filter_map(|file| meant(checkout, file.as_ref()))
            .collect();
        let turns = &checkout.turns;
        let mut taken = turns.taken.lock();
        while !taken.is_disjoint(&files) {
            if self.is_cancelled() {
                return Err(Error::Cancelled);
            }
            turns.ended.wait_for(&mut taken, LOOK);
        }
        taken.extend(files.iter().cloned());
        drop(taken);
        Ok(Turn { turns, files })
    }
}

/// The file that a path means, whatever links lead to it; none if it is not let in, which is told
/// when it is written.
fn meant(checkout: &Checkout, path: &Path) -> Option<PathBuf> {
    let tree = checkout.tree();
    let admitted = tree
        .admit(path, Purpose::Write)
        .or_else(|_| tree.admit(path, Purpose::Create));
    Some(admitted.ok()?.absolute().to_path_buf())
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut taken = self.turns.taken.lock();
        taken.retain(|file| !self.files.contains(file));
        drop(taken);
        self.turns.ended.notify_all();
    }
}
