//! The journal of one transaction: which paths change from which content to which, and where the
//! other content of each lies meanwhile.

use std::path::{Path, PathBuf};

use crate::ContentHash;
use crate::codec::{Damage, Reader, Writer};
use crate::id::is_id;
use crate::paths::reserved;
use crate::state::txn_root;

const MAGIC: &[u8; 8] = b"4F-TXN\r\n";
/// Since version 2 it names the kept stage.
const VERSION: u32 = 2;

/// One path and its two contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JournalSlot {
    /// The path that changes.
    pub(crate) path: PathBuf,
    /// Where the content lies that is not at `path`.
    pub(crate) side: PathBuf,
    pub(crate) step: Step,
}

/// What happens to one path. This is all that a transaction is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Modify { old: ContentHash, new: ContentHash },
    Create { new: ContentHash },
    Delete { old: ContentHash },
}

impl Step {
    pub(crate) fn before(&self) -> Option<ContentHash> {
        match *self {
            Self::Modify { old, .. } | Self::Delete { old } => Some(old),
            Self::Create { .. } => None,
        }
    }

    pub(crate) fn after(&self) -> Option<ContentHash> {
        match *self {
            Self::Modify { new, .. } | Self::Create { new } => Some(new),
            Self::Delete { .. } => None,
        }
    }
}

/// All that recovery needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Journal {
    /// Folders that the transaction makes, outer ones first.
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) slots: Vec<JournalSlot>,
    /// The id of the kept stage that this carries out, which goes when it is carried through.
    pub(crate) kept: Option<String>,
}

impl Journal {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Writer::new(MAGIC, VERSION);
        out.list(self.folders.iter(), |out, folder| out.path(folder));
        out.list(self.slots.iter(), |out, slot| {
            out.path(&slot.path);
            out.path(&slot.side);
            out.option(slot.step.before(), |out, hash| out.hash(&hash));
            out.option(slot.step.after(), |out, hash| out.hash(&hash));
        });
        out.option(self.kept.as_ref(), |out, id| out.bytes(id.as_bytes()));
        out.seal()
    }

    pub(crate) fn decode(file: &[u8]) -> Result<Self, Damage> {
        let mut from = Reader::open(file, MAGIC, VERSION)?;
        let folders = from.list(target)?;
        let slots = from.list(|from| {
            let path = target(from)?;
            let side = side(from)?;
            let step = match (from.option(Reader::hash)?, from.option(Reader::hash)?) {
                (Some(old), Some(new)) => Step::Modify { old, new },
                (None, Some(new)) => Step::Create { new },
                (Some(old), None) => Step::Delete { old },
                (None, None) => return Err(Damage::Field("step")),
            };
            Ok(JournalSlot { path, side, step })
        })?;
        let kept = from.option(Reader::text)?;
        if kept.as_ref().is_some_and(|id| !is_id(id)) {
            return Err(Damage::Field("stage id"));
        }
        from.end()?;
        Ok(Self {
            folders,
            slots,
            kept,
        })
    }

    /// Every path that the transaction is about.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.slots.iter().map(|slot| slot.path.clone()).collect()
    }
}

/// A path that a transaction may change: a journal that came with somebody's checkout must not
/// reach what a stage may not reach.
fn target(from: &mut Reader<'_>) -> Result<PathBuf, Damage> {
    let path = from.path()?;
    if reserved(&path) {
        Err(Damage::Field("path"))
    } else {
        Ok(path)
    }
}

/// Where a side file may lie: in a transaction's folder, or beside its target under a name that
/// says whose it is.
fn side(from: &mut Reader<'_>) -> Result<PathBuf, Damage> {
    let path = from.path()?;
    let ours = path.file_name().is_some_and(|name| {
        name.as_encoded_bytes()
            .starts_with(SIBLING_PREFIX.as_bytes())
    });
    if path.starts_with(txn_root()) || (ours && !reserved(&path)) {
        Ok(path)
    } else {
        Err(Damage::Field("side path"))
    }
}

/// How the names of side files begin that lie beside their targets.
pub(crate) const SIBLING_PREFIX: &str = ".fourfold-";

/// The second side name of a slot, used where two files cannot be exchanged in one step.
pub(crate) fn spare(side: &Path) -> PathBuf {
    let mut name = side.as_os_str().to_owned();
    name.push(".old");
    name.into()
}

/// For the fuzz target and its corpus: decodes `body` as a journal twice, as it is and with a
/// right seal, and checks that what decodes encodes to the same bytes.
#[doc(hidden)]
pub fn fuzz_decode(body: &[u8]) {
    let mut sealed = body.to_vec();
    sealed.extend_from_slice(ContentHash::of(body).as_bytes());
    for file in [body, &sealed] {
        if let Ok(journal) = Journal::decode(file) {
            assert_eq!(journal.encode(), file, "a journal has one encoding");
        }
    }
}
