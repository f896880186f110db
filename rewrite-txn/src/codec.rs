//! The binary form of what the crate keeps on disk: a magic word, a version, length-prefixed
//! fields, and BLAKE3 of all that at the end. What does not check out is never interpreted.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use crate::ContentHash;

const SEAL: usize = 32;

/// How a file shows that it is not what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Damage {
    #[error("it is cut short or its checksum does not match")]
    Torn,
    #[error("it is not such a file")]
    Magic,
    #[error("it has format version {0}, which this program does not know")]
    Version(u32),
    #[error("its {0} makes no sense")]
    Field(&'static str),
}

/// Builds a file.
#[derive(Debug)]
pub(crate) struct Writer {
    out: Vec<u8>,
}

impl Writer {
    pub(crate) fn new(magic: &[u8; 8], version: u32) -> Self {
        let mut writer = Self {
            out: magic.to_vec(),
        };
        writer.u32(version);
        writer
    }

    pub(crate) fn u8(&mut self, value: u8) {
        self.out.push(value);
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, value: u64) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.out.extend_from_slice(bytes);
    }

    pub(crate) fn path(&mut self, path: &Path) {
        self.bytes(path.as_os_str().as_bytes());
    }

    pub(crate) fn hash(&mut self, hash: &ContentHash) {
        self.out.extend_from_slice(hash.as_bytes());
    }

    /// A presence byte, then the value.
    pub(crate) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.u8(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }

    /// A count, then the items.
    pub(crate) fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.u64(items.len() as u64);
        for item in items {
            write(self, item);
        }
    }

    /// The file with its seal.
    pub(crate) fn seal(mut self) -> Vec<u8> {
        let seal = ContentHash::of(&self.out);
        self.out.extend_from_slice(seal.as_bytes());
        self.out
    }
}

/// Takes a file apart.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Checks seal, magic and version.
    pub(crate) fn open(file: &'a [u8], magic: &[u8; 8], version: u32) -> Result<Self, Damage> {
        let (body, seal) = file
            .split_at_checked(file.len().wrapping_sub(SEAL))
            .ok_or(Damage::Torn)?;
        if ContentHash::of(body).as_bytes() != seal {
            return Err(Damage::Torn);
        }
        let mut reader = Self { rest: body };
        if reader.take(magic.len())? != magic {
            return Err(Damage::Magic);
        }
        match reader.u32()? {
            found if found == version => Ok(reader),
            found => Err(Damage::Version(found)),
        }
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], Damage> {
        let (taken, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or(Damage::Field("length"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Damage> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Damage> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Damage> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn size(&mut self) -> Result<usize, Damage> {
        usize::try_from(self.u64()?).map_err(|_| Damage::Field("length"))
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Damage> {
        let len = self.size()?;
        self.take(len)
    }

    pub(crate) fn text(&mut self) -> Result<String, Damage> {
        let text = std::str::from_utf8(self.bytes()?).map_err(|_| Damage::Field("text"))?;
        Ok(text.to_owned())
    }

    /// A path inside the root: relative, of normal components, in the one way to write it.
    pub(crate) fn path(&mut self) -> Result<PathBuf, Damage> {
        let bytes = self.bytes()?;
        let path = PathBuf::from(OsString::from_vec(bytes.to_vec()));
        let normal = path
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        let rebuilt: PathBuf = path.components().collect();
        if bytes.is_empty()
            || bytes.contains(&0)
            || !normal
            || rebuilt.as_os_str().as_bytes() != bytes
        {
            return Err(Damage::Field("path"));
        }
        Ok(path)
    }

    pub(crate) fn hash(&mut self) -> Result<ContentHash, Damage> {
        Ok(ContentHash::from_bytes(self.array()?))
    }

    pub(crate) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Damage>,
    ) -> Result<Option<T>, Damage> {
        match self.u8()? {
            0 => Ok(None),
            1 => read(self).map(Some),
            _ => Err(Damage::Field("presence byte")),
        }
    }

    /// Items as many as the count says; the count alone reserves no memory.
    pub(crate) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, Damage>,
    ) -> Result<Vec<T>, Damage> {
        let count = self.u64()?;
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(read(self)?);
        }
        Ok(items)
    }

    /// Checks that nothing is left.
    pub(crate) fn end(&self) -> Result<(), Damage> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Damage::Field("end"))
        }
    }
}
