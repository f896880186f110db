//! A file as a tool finds it.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use fourfold_rewrite_txn::ContentHash;
use fourfold_worktree::{Admitted, Error as Refusal, Purpose};

use crate::Error;
use crate::checkout::Checkout;

/// How many digits of a hash say for certain which content is meant.
const MIN_DIGITS: usize = 8;

/// A file that is there.
pub(super) struct Seen {
    pub(super) file: Admitted,
    pub(super) bytes: Vec<u8>,
    pub(super) hash: ContentHash,
}

/// What is at a path.
pub(super) enum Place {
    Taken(Seen),
    Free(Admitted),
}

impl Checkout {
    /// Lets the path of a file in that is to be changed, and reads it.
    pub(super) fn seen(&self, path: &Path) -> Result<Seen, Error> {
        let file = self.tree().admit(path, Purpose::Write)?;
        let limit = self.limits().max_stage_bytes;
        let failed = |source| Refusal::Io {
            purpose: Purpose::Read,
            path: path.to_path_buf(),
            source,
        };
        let bytes = read(&file, limit).map_err(failed)?;
        if bytes.len() as u64 > limit {
            return Err(Error::usage(format!(
                "cannot change `{file}`: it has more than {limit} bytes, the limit of one change \
                 (`max_stage_bytes`); raise that, or change it by other means"
            )));
        }
        let hash = ContentHash::of(&bytes);
        Ok(Seen { file, bytes, hash })
    }

    /// Lets the path of a file in that is to be written, whether it is there or not.
    pub(super) fn place(&self, path: &Path) -> Result<Place, Error> {
        match self.seen(path) {
            Ok(seen) => Ok(Place::Taken(seen)),
            // A shell would have made another path of it.
            Err(Error::Path(Refusal::NotFound { .. }))
                if path.starts_with("~") && !self.is_folder("~") =>
            {
                Err(Error::usage(format!(
                    "cannot write `{}`: `~` is no folder of the checkout, and only a shell knows it \
                     as a home; give a path relative to the root",
                    path.display()
                )))
            }
            Err(Error::Path(Refusal::NotFound { .. })) => {
                let file = self.tree().admit(path, Purpose::Create)?;
                Ok(Place::Free(file))
            }
            Err(error) => Err(error),
        }
    }
}

fn read(file: &Admitted, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(file.absolute())?;
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Checks the hash that the caller has seen against that of what is there, if anything is.
pub(super) fn check_expected(
    file: &Admitted,
    expected: Option<&str>,
    now: Option<ContentHash>,
) -> Result<(), Error> {
    let Some(expected) = expected else {
        return Ok(());
    };
    let digits = expected.strip_prefix("blake3:").unwrap_or(expected);
    let is_hash = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hash || !(MIN_DIGITS..=64).contains(&digits.len()) {
        return Err(Error::usage(format!(
            "`expected_hash` is no hash of a content: `{}`; give {MIN_DIGITS} to 64 hexadecimal \
             digits of the `hash` of an earlier result, or leave it out",
            crate::result::capped(expected, 80, &mut false)
        )));
    }
    let found = now.map(|hash| hash.to_string());
    let same = found
        .as_deref()
        .is_some_and(|hash| hash.starts_with(&digits.to_ascii_lowercase()));
    if same {
        return Ok(());
    }
    Err(Error::NotAsExpected {
        path: file.to_string(),
        expected: digits.to_ascii_lowercase(),
        found,
    })
}
