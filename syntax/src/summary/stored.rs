//! A summary as bytes.
//!
//! ```text
//! magic      4   "4fsm"
//! version    1   1
//! language   1+n length and text of its id
//! grammar    8   fingerprint of the grammar's node kinds
//! content   32   BLAKE3 of the file
//! has error  1   0 or 1
//! kinds      n   one bit a kind, as many as the grammar has
//! words      n   the filter, the rest up to the checksum
//! checksum   8   of everything before it
//! ```

use super::FileSummary;
use super::bits::{Bloom, KindSet};
use crate::{ContentHash, Error, Language};

const MAGIC: &[u8] = b"4fsm";
const VERSION: u8 = 1;
const CHECKSUM: usize = 8;

impl FileSummary {
    /// The summary as bytes, to be kept by whoever wants to know next time without parsing.
    pub fn to_bytes(&self) -> Vec<u8> {
        let id = self.language.id().as_bytes();
        let mut bytes = MAGIC.to_vec();
        bytes.push(VERSION);
        // The ids of the table are a few letters long.
        bytes.push(u8::try_from(id.len()).unwrap_or_default());
        bytes.extend(id);
        bytes.extend(self.language.fingerprint());
        bytes.extend(self.content.as_bytes());
        bytes.push(u8::from(self.has_error));
        bytes.extend(&self.kinds.bytes);
        bytes.extend(&self.words.bytes);
        let checksum = checksum(&bytes);
        bytes.extend(checksum);
        bytes
    }

    /// A summary from what [`to_bytes`](FileSummary::to_bytes) gave.
    ///
    /// # Errors
    /// [`Error::BadSummary`] when the bytes are damaged, of another version, or made with another
    /// version of the grammar; the language's own error when it is not compiled in.
    pub fn from_bytes(bytes: &[u8]) -> Result<FileSummary, Error> {
        let bad = |reason| Error::BadSummary { reason };
        let damaged = bad("it is damaged or cut off");
        let (body, stored) = bytes
            .split_last_chunk::<CHECKSUM>()
            .ok_or_else(|| damaged.clone())?;
        if checksum(body) != *stored {
            return Err(damaged);
        }
        let mut rest = Reader(body);
        if rest.take(MAGIC.len()) != Some(MAGIC) {
            return Err(bad("it is something else"));
        }
        if rest.take(1) != Some(&[VERSION]) {
            return Err(bad("it was written by another version"));
        }
        let parsed = (|| {
            let id_length = usize::from(*rest.take(1)?.first()?);
            let id = std::str::from_utf8(rest.take(id_length)?).ok()?;
            let grammar: [u8; 8] = rest.take(8)?.try_into().ok()?;
            let content: [u8; 32] = rest.take(32)?.try_into().ok()?;
            let has_error = *rest.take(1)?.first()? != 0;
            Some((id, grammar, content, has_error))
        })();
        let (id, grammar, content, has_error) = parsed.ok_or_else(|| damaged.clone())?;
        let language = Language::named(id)?;
        if grammar != language.fingerprint() {
            return Err(bad("it was made with another version of the grammar"));
        }
        let kinds = language.grammar().node_kind_count();
        let set = rest
            .take(KindSet::size(kinds))
            .ok_or_else(|| damaged.clone())?;
        if rest.0.is_empty() {
            return Err(damaged);
        }
        Ok(FileSummary {
            language,
            content: ContentHash::from(content),
            has_error,
            kinds: KindSet::from_bytes(set, kinds),
            words: Bloom {
                bytes: rest.0.to_vec(),
            },
        })
    }
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let mut sum = [0; CHECKSUM];
    sum.copy_from_slice(&blake3::hash(bytes).as_bytes()[..CHECKSUM]);
    sum
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}
