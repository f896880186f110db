//! One file of the cache: a header, a directory, and the frames of one or more heaps.
//!
//! ```text
//!   0   8  magic    "4fgraph\n"
//!   8   4  kind     "snap" or "pack"
//!  12  16  build    what wrote it: formats, extractor, linker (see `build`)
//!  28   8  generation
//!  36   4  length of the directory, compressed
//!  40   4  its length before compression
//!  44  32  BLAKE3 of the compressed directory
//!  76  32  BLAKE3 of all of the above
//! 108      the directory, then the frames in its order; nothing after them
//! ```
//!
//! Numbers are little-endian. Each byte is under one of the checksums, so whatever is changed or
//! missing is noticed when it is read, at the latest.

use super::heap::{Damaged, Head, Heap, compress, decode, decompress, encode};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MAGIC: &[u8; 8] = b"4fgraph\n";
const HEADER: usize = 108;
const HASHED: usize = 76;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// What one root looks like.
    Snapshot,
    /// Facts by content.
    Pack,
}

impl Kind {
    fn mark(self) -> &'static [u8; 4] {
        match self {
            Kind::Snapshot => b"snap",
            Kind::Pack => b"pack",
        }
    }
}

/// What wrote a file: nothing that another build wrote is taken for this one's.
pub(super) type Build = [u8; 16];

/// Everything but the frames of a file.
pub(super) struct Opened<T> {
    pub(super) generation: u64,
    pub(super) directory: T,
    heads: Vec<Vec<Head>>,
    file: File,
    /// Where the frames begin, and the length of the file.
    body: u64,
    len: u64,
}

/// The directory as it is written.
#[derive(Serialize, Deserialize)]
struct Directory<T> {
    heaps: Vec<Vec<Head>>,
    content: T,
}

/// Reads header and directory and checks them; lengths are believed only as far as the file goes.
pub(super) fn open<T: DeserializeOwned>(
    path: &Path,
    kind: Kind,
    build: &Build,
) -> Result<Opened<T>, Damaged> {
    let file = File::open(path).map_err(|_| Damaged)?;
    let len = file.metadata().map_err(|_| Damaged)?.len();
    let mut header = [0; HEADER];
    file.read_exact_at(&mut header, 0).map_err(|_| Damaged)?;
    let head = header_of(&header, kind, build)?;
    let body = HEADER as u64 + u64::from(head.stored);
    if body > len {
        return Err(Damaged);
    }
    let mut stored = vec![0; head.stored as usize];
    file.read_exact_at(&mut stored, HEADER as u64)
        .map_err(|_| Damaged)?;
    if blake3::hash(&stored).as_bytes() != &head.sum {
        return Err(Damaged);
    }
    let directory: Directory<T> = decode(&decompress(&stored, head.raw)?)?;
    let frames = directory.heaps.iter().flatten();
    let frames: u64 = frames.map(|head| u64::from(head.stored)).sum();
    if body.checked_add(frames) != Some(len) {
        return Err(Damaged);
    }
    Ok(Opened {
        generation: head.generation,
        directory: directory.content,
        heads: directory.heaps,
        file,
        body,
        len,
    })
}

impl<T> Opened<T> {
    /// The heaps, read into memory and checked.
    pub(super) fn load<const N: usize>(self) -> Result<(T, [Heap; N]), Damaged> {
        let size = usize::try_from(self.len - self.body).map_err(|_| Damaged)?;
        let mut bytes = vec![0; size];
        self.file
            .read_exact_at(&mut bytes, self.body)
            .map_err(|_| Damaged)?;
        let bytes: Arc<[u8]> = bytes.into();
        let mut at = 0;
        let heaps = self
            .heads
            .iter()
            .map(|heads| Heap::in_memory(heads, &bytes, &mut at));
        let heaps: Vec<Heap> = heaps.collect::<Result<_, _>>()?;
        Ok((self.directory, heaps.try_into().map_err(|_| Damaged)?))
    }

    /// The heaps, their frames still in the file.
    pub(super) fn leave<const N: usize>(self) -> Result<(T, [Heap; N]), Damaged> {
        let file = Arc::new(self.file);
        let mut at = self.body;
        let heaps = self
            .heads
            .iter()
            .map(|heads| Heap::in_file(heads, &file, &mut at));
        let heaps: Vec<Heap> = heaps.collect();
        Ok((self.directory, heaps.try_into().map_err(|_| Damaged)?))
    }
}

/// What a header says.
struct Header {
    generation: u64,
    stored: u32,
    raw: u32,
    sum: [u8; 32],
}

fn header_of(bytes: &[u8; HEADER], kind: Kind, build: &Build) -> Result<Header, Damaged> {
    let (hashed, sum) = bytes.split_at(HASHED);
    if blake3::hash(hashed).as_bytes() != sum {
        return Err(Damaged);
    }
    let mut rest = hashed;
    let mut take = |len: usize| {
        let (taken, left) = rest.split_at_checked(len).ok_or(Damaged)?;
        rest = left;
        Ok(taken)
    };
    if take(8)? != MAGIC || take(4)? != kind.mark() || take(16)? != build {
        return Err(Damaged);
    }
    let mut header = Header {
        generation: 0,
        stored: 0,
        raw: 0,
        sum: [0; 32],
    };
    header.generation = u64::from_le_bytes(take(8)?.try_into().map_err(|_| Damaged)?);
    header.stored = u32::from_le_bytes(take(4)?.try_into().map_err(|_| Damaged)?);
    header.raw = u32::from_le_bytes(take(4)?.try_into().map_err(|_| Damaged)?);
    header.sum.copy_from_slice(take(32)?);
    Ok(header)
}

/// Writes a file: all of it, or nothing. Whoever calls holds the lock of the folder.
pub(super) fn write<T: Serialize>(
    path: &Path,
    kind: Kind,
    build: &Build,
    generation: u64,
    content: &T,
    heaps: &mut [&mut Heap],
) -> io::Result<()> {
    let damaged = |_| io::Error::other("what is to be kept cannot be read back");
    let mut frames = Vec::new();
    for heap in &mut *heaps {
        heap.seal();
        frames.push(heap.heads());
    }
    let directory = encode(&Directory {
        heaps: frames,
        content,
    });
    let stored = compress(&directory);
    let mut header = Vec::with_capacity(HEADER);
    header.extend(MAGIC);
    header.extend(kind.mark());
    header.extend(build);
    header.extend(generation.to_le_bytes());
    header.extend((stored.len() as u32).to_le_bytes());
    header.extend((directory.len() as u32).to_le_bytes());
    header.extend(blake3::hash(&stored).as_bytes());
    let sum = blake3::hash(&header);
    header.extend(sum.as_bytes());

    let temporary = temporary(path);
    let written = (|| {
        let mut file = io::BufWriter::with_capacity(1 << 18, File::create(&temporary)?);
        file.write_all(&header)?;
        file.write_all(&stored)?;
        for heap in &*heaps {
            for stored in heap.stored() {
                file.write_all(&stored.map_err(damaged)?)?;
            }
        }
        file.flush()?;
        // Without waiting for the disk: a file that a crash leaves short or empty is damaged.
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        // It may not be there at all, and there is nobody to tell.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// The name under which a file is written before it gets its own.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(TEMPORARY);
    path.with_file_name(name)
}

/// The end of the names of files that are being written.
pub(super) const TEMPORARY: &str = ".tmp";

#[cfg(test)]
mod tests {
    use super::*;

    fn build() -> Build {
        *b"the build of now"
    }

    fn written(folder: &Path) -> PathBuf {
        let (mut first, mut second) = (Heap::default(), Heap::default());
        first.push(&[7; 300]);
        second.push(b"another");
        let path = folder.join("x");
        let content = vec!["a".to_owned(), "b".to_owned()];
        write(
            &path,
            Kind::Pack,
            &build(),
            9,
            &content,
            &mut [&mut first, &mut second],
        )
        .unwrap();
        path
    }

    fn read(path: &Path) -> Result<(u64, Vec<String>), Damaged> {
        let opened = open::<Vec<String>>(path, Kind::Pack, &build())?;
        let generation = opened.generation;
        let (content, [_, _]) = opened.load()?;
        Ok((generation, content))
    }

    #[test]
    fn a_file_comes_back_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path());
        assert_eq!(read(&path), Ok((9, vec!["a".to_owned(), "b".to_owned()])));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(open::<Vec<String>>(&path, Kind::Snapshot, &build()).is_err());
        assert!(open::<Vec<String>>(&path, Kind::Pack, b"another build...").is_err());
    }

    #[test]
    fn a_file_that_is_damaged_or_cut_anywhere_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path());
        let bytes = fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1;
            fs::write(&path, &flipped).unwrap();
            assert_eq!(read(&path), Err(Damaged), "byte {at} flipped");
            fs::write(&path, &bytes[..at]).unwrap();
            assert_eq!(read(&path), Err(Damaged), "cut at {at}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        fs::write(&path, &longer).unwrap();
        assert_eq!(read(&path), Err(Damaged));
        fs::write(&path, &bytes).unwrap();
        assert!(read(&path).is_ok());
    }
}
