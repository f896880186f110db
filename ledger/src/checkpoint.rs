//! A ledger at one moment, and its form in bytes.
//!
//! The format: `4FLG`, the version, the pages, and the FNV-1a hash (16 bytes) of all before it.
//! Numbers are little-endian; a text is its length (4 bytes) and its UTF-8.

use std::collections::BTreeMap;

use crate::delta::Origin;
use crate::error::Error;
use crate::finding::Severity;
use crate::key::{Key, fnv1a};
use crate::ledger::Slot;
use crate::page::{Entry, Page};

const MAGIC: &[u8] = b"4FLG";
const VERSION: u8 = 1;
const HASH: usize = 16;

/// Everything a ledger knew at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    pub(crate) pages: BTreeMap<Slot, Page>,
}

impl Checkpoint {
    /// The checkpoint as bytes, the same for the same knowledge.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        put_length(&mut out, self.pages.len());
        for (slot, page) in &self.pages {
            put_text(&mut out, &slot.producer);
            put_text(&mut out, &slot.document);
            out.push(u8::from(page.origin == Origin::Known));
            out.extend(page.used.to_le_bytes());
            put_length(&mut out, page.entries.len());
            for (key, entry) in &page.entries {
                out.extend(key.body.to_le_bytes());
                out.push(key.severity as u8);
                out.extend(entry.old.to_le_bytes());
                out.extend(entry.told.to_le_bytes());
                out.push(u8::from(entry.code.is_some()));
                if let Some(code) = &entry.code {
                    put_text(&mut out, code);
                }
                put_text(&mut out, &entry.message);
            }
        }
        let hash = fnv1a(out.iter().copied());
        out.extend(hash.to_le_bytes());
        out
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote. Memory stays in proportion to the bytes,
    /// whatever they claim.
    ///
    /// # Errors
    ///
    /// [`Error`] when the bytes are something else, of another version, cut short or changed.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let tail = bytes.strip_prefix(MAGIC).ok_or(Error::NotACheckpoint)?;
        match tail.first() {
            Some(&VERSION) => {}
            Some(&found) => return Err(Error::Version { found }),
            None => {
                return Err(Error::Damaged {
                    at: bytes.len(),
                    why: "it ends",
                });
            }
        }
        let end = bytes.len().saturating_sub(HASH).max(MAGIC.len() + 1);
        let (body, hash) = bytes.split_at(end.min(bytes.len()));
        if hash != fnv1a(body.iter().copied()).to_le_bytes() {
            return Err(Error::Damaged {
                at: body.len(),
                why: "its hash does not fit",
            });
        }
        let mut input = Input {
            bytes: body,
            at: MAGIC.len() + 1,
        };
        let mut pages = BTreeMap::new();
        for _ in 0..input.length()? {
            let producer = input.text()?.to_owned();
            let document = input.text()?.to_owned();
            let page = input.page()?;
            pages.insert(Slot { producer, document }, page);
        }
        if input.at != body.len() {
            return Err(input.damaged("something follows the end"));
        }
        Ok(Self { pages })
    }
}

/// A length that does not fit is written as the largest; what follows then does not fit it, and
/// reading says so.
fn put_length(out: &mut Vec<u8>, length: usize) {
    out.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_length(out, text.len());
    out.extend(text.as_bytes());
}

struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn damaged(&self, why: &'static str) -> Error {
        Error::Damaged { at: self.at, why }
    }

    fn take(&mut self, many: usize) -> Result<&'a [u8], Error> {
        let taken = self.bytes[self.at..]
            .get(..many)
            .ok_or_else(|| self.damaged("it ends"))?;
        self.at += many;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn number(&mut self) -> Result<u32, Error> {
        self.array().map(u32::from_le_bytes)
    }

    fn length(&mut self) -> Result<usize, Error> {
        self.number().map(|length| length as usize)
    }

    fn flag(&mut self) -> Result<bool, Error> {
        match self.array()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [_] => Err(self.damaged("a flag is neither 0 nor 1")),
        }
    }

    fn text(&mut self) -> Result<&'a str, Error> {
        let length = self.length()?;
        let bytes = self.take(length)?;
        str::from_utf8(bytes).map_err(|_| self.damaged("a text is not UTF-8"))
    }

    fn page(&mut self) -> Result<Page, Error> {
        let origin = if self.flag()? {
            Origin::Known
        } else {
            Origin::Unknown
        };
        let used = u64::from_le_bytes(self.array()?);
        let mut entries = BTreeMap::new();
        for _ in 0..self.length()? {
            let body = u128::from_le_bytes(self.array()?);
            let severity = match self.array()? {
                [0] => Severity::Error,
                [1] => Severity::Warning,
                [2] => Severity::Information,
                [3] => Severity::Hint,
                [_] => return Err(self.damaged("a severity is unknown")),
            };
            let (old, told) = (self.number()?, self.number()?);
            let code = if self.flag()? {
                Some(self.text()?.into())
            } else {
                None
            };
            let message = self.text()?.into();
            entries.insert(
                Key { body, severity },
                Entry {
                    old,
                    told,
                    code,
                    message,
                },
            );
        }
        Ok(Page {
            origin,
            used,
            settled: 0,
            entries,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Checkpoint, HASH, fnv1a};
    use crate::{Config, Finding, Ledger, Severity, Slot};

    fn sample() -> Vec<u8> {
        let mut ledger = Ledger::new(Config::default());
        let finding = Finding::new(Severity::Warning, "unused `x`", 3).with_code(6133);
        ledger.baseline(&Slot::new("ts", "a.ts"), &[finding]);
        ledger.checkpoint().to_bytes()
    }

    proptest! {
        /// Damage that the hash does not catch because it was made to fit.
        #[test]
        fn damage_with_a_fitting_hash(at in 5_usize..200, byte: u8, cut in 0_usize..100) {
            let mut bytes = sample();
            bytes.truncate(bytes.len() - HASH);
            let at = 5 + at % (bytes.len() - 5);
            bytes[at] = byte;
            bytes.truncate((bytes.len() - cut % bytes.len()).max(5));
            let hash = fnv1a(bytes.iter().copied());
            bytes.extend(hash.to_le_bytes());
            if let Ok(read) = Checkpoint::from_bytes(&bytes) {
                Ledger::new(Config::default()).restore(read);
            }
        }
    }
}
