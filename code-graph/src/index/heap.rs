//! Many small blobs in few compressed frames, each with its checksum.
//!
//! A blob is written once and never changed; what nobody refers to any more is garbage until the
//! heap is written anew. Frames are shared, so that a heap is cloned cheaply: the next generation
//! of an index has the frames of the one before and a few of its own.

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// A frame is closed when it holds this much, in bytes before compression. Small enough that one
/// blob is read without much else, large enough to compress well.
const FRAME: usize = 64 << 10;

/// No frame is larger than this, compressed or not; whoever says otherwise is damaged.
const LARGEST: u32 = 256 << 20;

/// Nothing that we keep compresses better than this.
const BEST_RATIO: u64 = 1 << 15;

/// How hard Zstandard tries: beyond this it gets slow and gains little.
const LEVEL: i32 = 3;

/// What was read is not what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is damaged or cut off")]
pub(super) struct Damaged;

/// Where a blob is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Blob {
    frame: u32,
    start: u32,
    len: u32,
}

impl Blob {
    /// The length in bytes.
    pub(super) fn len(self) -> u64 {
        u64::from(self.len)
    }

    /// The blob in its frame.
    fn of(self, frame: &[u8]) -> Result<&[u8], Damaged> {
        let rest = frame.get(self.start as usize..);
        let blob = rest.and_then(|rest| rest.get(..self.len as usize));
        blob.ok_or(Damaged)
    }
}

/// What a directory says about one frame: lengths in bytes, as stored and before compression, and
/// the first half of the BLAKE3 hash of the stored bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) stored: u32,
    raw: u32,
    sum: [u8; 16],
}

/// Where the stored bytes of a frame are.
#[derive(Debug, Clone)]
enum Place {
    Memory { bytes: Arc<Vec<u8>>, start: usize },
    File { file: Arc<File>, start: u64 },
}

#[derive(Debug, Clone)]
struct Frame {
    head: Head,
    place: Place,
}

/// See the [module](self).
#[derive(Debug, Clone, Default)]
pub(super) struct Heap {
    frames: Vec<Frame>,
    /// The frame that is being filled; its number is `frames.len()`.
    open: Vec<u8>,
    recent: Recent,
}

/// A frame by its number, decompressed.
type Raw = (u32, Arc<Vec<u8>>);

/// The frames that [`Heap::get`] read last. A clone of a heap goes its own way and begins without.
#[derive(Debug, Default)]
struct Recent(Mutex<VecDeque<Raw>>);

/// So many frames are kept decompressed for those who read one blob here and one there.
const RECENT: usize = 16;

impl Clone for Recent {
    fn clone(&self) -> Recent {
        Recent::default()
    }
}

impl Heap {
    /// Puts a blob in.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Blob {
        if !self.open.is_empty() && self.open.len() + bytes.len() > FRAME {
            self.seal();
        }
        let start = self.open.len() as u32;
        self.open.extend_from_slice(bytes);
        Blob {
            frame: self.frames.len() as u32,
            start,
            len: bytes.len() as u32,
        }
    }

    /// Closes the frame that is being filled.
    pub(super) fn seal(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let stored = compress(&self.open);
        let head = Head {
            stored: stored.len() as u32,
            raw: self.open.len() as u32,
            sum: sum_of(&stored),
        };
        self.open = Vec::new();
        self.frames.push(Frame {
            head,
            place: Place::Memory {
                bytes: Arc::new(stored),
                start: 0,
            },
        });
    }

    /// Bytes of all blobs, garbage included, before compression.
    pub(super) fn raw_len(&self) -> u64 {
        let closed = self.frames.iter().map(|frame| u64::from(frame.head.raw));
        closed.sum::<u64>() + self.open.len() as u64
    }

    /// What the directory of a file must say about the frames. All must be closed.
    pub(super) fn heads(&self) -> Vec<Head> {
        self.frames.iter().map(|frame| frame.head).collect()
    }

    /// The stored bytes of the frames in order.
    pub(super) fn stored(&self) -> impl Iterator<Item = Result<Cow<'_, [u8]>, Damaged>> {
        self.frames.iter().map(Frame::stored)
    }

    /// A heap whose frames lie one after another in a file's bytes, from `at` on, which is moved
    /// behind them. Every checksum is compared.
    pub(super) fn in_memory(
        heads: &[Head],
        bytes: &Arc<Vec<u8>>,
        at: &mut usize,
    ) -> Result<Heap, Damaged> {
        let mut frames = Vec::with_capacity(heads.len());
        for head in heads {
            let frame = Frame {
                head: *head,
                place: Place::Memory {
                    bytes: Arc::clone(bytes),
                    start: *at,
                },
            };
            *at = at.checked_add(head.stored as usize).ok_or(Damaged)?;
            if sum_of(frame.slice().ok_or(Damaged)?) != head.sum {
                return Err(Damaged);
            }
            frames.push(frame);
        }
        Ok(Heap {
            frames,
            ..Heap::default()
        })
    }

    /// A heap whose frames lie one after another in a file, from `at` on, which is moved behind
    /// them. Checksums are compared when a frame is read.
    pub(super) fn in_file(heads: &[Head], file: &Arc<File>, at: &mut u64) -> Heap {
        let frames = heads.iter().map(|head| {
            let start = *at;
            *at = at.saturating_add(u64::from(head.stored));
            Frame {
                head: *head,
                place: Place::File {
                    file: Arc::clone(file),
                    start,
                },
            }
        });
        Heap {
            frames: frames.collect(),
            ..Heap::default()
        }
    }

    /// The content of a frame.
    fn raw(&self, frame: u32) -> Result<Vec<u8>, Damaged> {
        if frame as usize == self.frames.len() {
            return Ok(self.open.clone());
        }
        self.frames.get(frame as usize).ok_or(Damaged)?.raw()
    }

    /// One blob.
    pub(super) fn get(&self, blob: Blob) -> Result<Vec<u8>, Damaged> {
        if blob.frame as usize >= self.frames.len() {
            return blob.of(&self.open).map(<[u8]>::to_vec);
        }
        let known = |recent: &VecDeque<Raw>| {
            let found = recent.iter().find(|(frame, _)| *frame == blob.frame);
            found.map(|(_, raw)| Arc::clone(raw))
        };
        let held = known(&self.recent.0.lock());
        let raw = match held {
            Some(raw) => raw,
            None => {
                let raw = Arc::new(self.raw(blob.frame)?);
                let mut recent = self.recent.0.lock();
                if recent.len() >= RECENT {
                    recent.pop_front();
                }
                recent.push_back((blob.frame, Arc::clone(&raw)));
                raw
            }
        };
        blob.of(&raw).map(<[u8]>::to_vec)
    }

    /// Reads one blob after another; those of one frame cost one decompression.
    pub(super) fn reader(&self) -> Reader<'_> {
        Reader {
            heap: self,
            held: None,
        }
    }
}

/// See [`Heap::reader`].
pub(super) struct Reader<'h> {
    heap: &'h Heap,
    held: Option<(u32, Vec<u8>)>,
}

impl Reader<'_> {
    /// Lends the bytes of a blob.
    pub(super) fn with<R>(
        &mut self,
        blob: Blob,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, Damaged> {
        let held = match self.held.take() {
            Some(held) if held.0 == blob.frame => held,
            _ => (blob.frame, self.heap.raw(blob.frame)?),
        };
        let held = self.held.insert(held);
        blob.of(&held.1).map(read)
    }

    /// A value that was put in with [`encode`].
    pub(super) fn decode<T: serde::de::DeserializeOwned>(
        &mut self,
        blob: Blob,
    ) -> Result<T, Damaged> {
        self.with(blob, decode)?
    }
}

impl Frame {
    /// The stored bytes, when they are in memory.
    fn slice(&self) -> Option<&[u8]> {
        match &self.place {
            Place::Memory { bytes, start } => bytes.get(*start..)?.get(..self.head.stored as usize),
            Place::File { .. } => None,
        }
    }

    fn stored(&self) -> Result<Cow<'_, [u8]>, Damaged> {
        if self.head.stored > LARGEST {
            return Err(Damaged);
        }
        match &self.place {
            Place::Memory { .. } => self.slice().map(Cow::Borrowed).ok_or(Damaged),
            Place::File { file, start } => {
                // The directory was checked to fit into the file before this length was believed.
                let mut bytes = vec![0; self.head.stored as usize];
                file.read_exact_at(&mut bytes, *start)
                    .map_err(|_| Damaged)?;
                if sum_of(&bytes) != self.head.sum {
                    return Err(Damaged);
                }
                Ok(Cow::Owned(bytes))
            }
        }
    }

    fn raw(&self) -> Result<Vec<u8>, Damaged> {
        decompress(&self.stored()?, self.head.raw)
    }
}

fn sum_of(bytes: &[u8]) -> [u8; 16] {
    let mut sum = [0; 16];
    sum.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    sum
}

/// Bytes in Zstandard's format.
pub(super) fn compress(raw: &[u8]) -> Vec<u8> {
    // Memory for the result is there, and nothing else can fail; what is empty is refused later.
    zstd::bulk::compress(raw, LEVEL).unwrap_or_default()
}

/// `stored` decompressed to exactly `raw` bytes.
pub(super) fn decompress(stored: &[u8], raw: u32) -> Result<Vec<u8>, Damaged> {
    if raw > LARGEST || u64::from(raw) > BEST_RATIO * stored.len() as u64 {
        return Err(Damaged);
    }
    let bytes = zstd::bulk::decompress(stored, raw as usize).map_err(|_| Damaged)?;
    (bytes.len() == raw as usize)
        .then_some(bytes)
        .ok_or(Damaged)
}

/// A value as bytes.
pub(super) fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    // A vector takes all; only a type that postcard cannot write fails, and none of ours is.
    postcard::to_stdvec(value).unwrap_or_default()
}

/// A value from [`encode`]'s bytes, all of them.
pub(super) fn decode<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, Damaged> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        _ => Err(Damaged),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn what_is_put_in_comes_out(blobs in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40_000), 0..8)) {
            let mut heap = Heap::default();
            let places: Vec<Blob> = blobs.iter().map(|blob| heap.push(blob)).collect();
            for (blob, place) in blobs.iter().zip(&places) {
                prop_assert_eq!(&heap.get(*place).unwrap(), blob);
            }
            heap.seal();
            let mut file = tempfile::tempfile().unwrap();
            for stored in heap.stored() {
                file.write_all(&stored.unwrap()).unwrap();
            }
            let read = Heap::in_file(&heap.heads(), &Arc::new(file), &mut 0);
            let mut reader = read.reader();
            for (blob, place) in blobs.iter().zip(&places) {
                prop_assert!(reader.with(*place, |bytes| bytes == blob.as_slice()).unwrap());
            }
        }
    }

    #[test]
    fn every_flipped_byte_is_noticed() {
        let mut heap = Heap::default();
        let place = heap.push(b"the same text the same text the same text");
        heap.seal();
        let heads = heap.heads();
        let stored: Vec<u8> = heap
            .stored()
            .flat_map(|stored| stored.unwrap().into_owned())
            .collect();
        for at in 0..stored.len() {
            let mut bytes = stored.clone();
            bytes[at] ^= 0x10;
            assert!(Heap::in_memory(&heads, &Arc::new(bytes.clone()), &mut 0).is_err());
            let cut = stored[..at].to_vec();
            assert!(Heap::in_memory(&heads, &Arc::new(cut), &mut 0).is_err());
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&bytes).unwrap();
            let read = Heap::in_file(&heads, &Arc::new(file), &mut 0);
            assert_eq!(read.get(place), Err(Damaged));
        }
    }

    #[test]
    fn a_length_that_cannot_be_is_not_allocated() {
        assert_eq!(decompress(&[0; 8], u32::MAX), Err(Damaged));
        assert_eq!(decompress(&[0; 8], 1 << 20), Err(Damaged));
        assert_eq!(decompress(&compress(b"abc"), 4), Err(Damaged));
        assert_eq!(decompress(&compress(b"abc"), 2), Err(Damaged));
        assert_eq!(decompress(&compress(b""), 0), Ok(Vec::new()));
    }
}
