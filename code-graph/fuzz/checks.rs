//! What holds for an index whose cache was tampered with: used by the fuzz target, and by the tests
//! for the committed corpus and for random damage.

use fourfold_code_graph::index::{Cache, Index, IndexConfig};
use fourfold_syntax::ContentHash;
use fourfold_worktree::{Checkout, Control};
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use tempfile::TempDir;

const FILES: [(&str, &str); 3] = [
    (
        "a.py",
        "from b import f\n\nclass A:\n    def g(self):\n        return f()\n",
    ),
    (
        "b.py",
        "def f():\n    \"\"\"Says one.\"\"\"\n    return 1\n",
    ),
    ("c.py", "import a\na.A().g()\n"),
];

/// A checkout, its cache as it should be, and what its index says.
struct Base {
    folder: TempDir,
    /// The snapshot, then the pack.
    kept: Vec<(PathBuf, Vec<u8>)>,
    says: Vec<u8>,
}

impl Base {
    fn new() -> Base {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        for (path, text) in FILES {
            fs::write(folder.path().join("root").join(path), text).unwrap();
        }
        let mut base = Base {
            folder,
            kept: Vec::new(),
            says: Vec::new(),
        };
        let index = base.open();
        index.refresh(&Control::new()).unwrap();
        base.says = index.dump().unwrap();
        for extension in ["snapshot", "facts"] {
            for folder in fs::read_dir(base.folder.path().join("cache")).unwrap() {
                for file in fs::read_dir(folder.unwrap().path()).unwrap() {
                    let path = file.unwrap().path();
                    if path.extension().is_some_and(|one| one == extension) {
                        let bytes = fs::read(&path).unwrap();
                        base.kept.push((path, bytes));
                    }
                }
            }
        }
        assert_eq!(base.kept.len(), 2);
        base
    }

    fn open(&self) -> Index {
        let checkout = Checkout::open(self.folder.path().join("root")).unwrap();
        let config = IndexConfig {
            cache: Cache::Folder(self.folder.path().join("cache")),
            ..IndexConfig::default()
        };
        Index::open(&checkout, config)
    }
}

/// Where the parts of a file of the cache are.
const GENERATION: usize = 28;
const LENGTHS: usize = 36;
const HASHED: usize = 76;
const HEADER: usize = 108;

/// The first byte says what is done, the second to which file, the next two where; the rest is what
/// is put there.
pub(crate) fn kept(input: &[u8]) {
    static BASE: OnceLock<Mutex<Base>> = OnceLock::new();
    let [how, which, low, high, rest @ ..] = input else {
        return;
    };
    let base = BASE.get_or_init(|| Mutex::new(Base::new()));
    let base = base.lock().unwrap_or_else(PoisonError::into_inner);
    for entry in fs::read_dir(base.kept[0].0.parent().unwrap()).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let chosen = usize::from(which % 2);
    let at = usize::from(u16::from_le_bytes([*low, *high]));
    let mut sealed = false;
    for (number, (path, whole)) in base.kept.iter().enumerate() {
        let mut bytes = whole.clone();
        if number == chosen {
            match how % 5 {
                0 => bytes = rest.to_vec(),
                1 => put(&mut bytes, at, rest),
                2 => bytes.truncate(at % (whole.len() + 1)),
                3 => {
                    sealed = true;
                    bytes = seal(whole, rest, &whole[..0]);
                }
                _ => {
                    sealed = true;
                    let stored =
                        u32::from_le_bytes(whole[LENGTHS..LENGTHS + 4].try_into().unwrap());
                    let body = HEADER + stored as usize;
                    let raw =
                        u32::from_le_bytes(whole[LENGTHS + 4..LENGTHS + 8].try_into().unwrap());
                    let mut directory =
                        zstd::bulk::decompress(&whole[HEADER..body], raw as usize).unwrap();
                    put(&mut directory, at, rest);
                    bytes = seal(whole, &directory, &whole[body..]);
                }
            }
        }
        fs::write(path, bytes).unwrap();
    }
    let index = base.open();
    index.refresh(&Control::new()).unwrap();
    let graph = index.graph();
    for (path, text) in FILES {
        let _ = index.summary_of(path, ContentHash::of(text.as_bytes()));
    }
    if sealed {
        // Its checksums are right, so it may say anything, and must do no harm.
        let _ = (graph.edges().len(), index.dump());
    } else {
        assert!(index.dump().unwrap() == base.says);
    }
}

fn put(bytes: &mut [u8], at: usize, what: &[u8]) {
    let at = at % bytes.len().max(1);
    for (to, from) in bytes[at..].iter_mut().zip(what) {
        *to = *from;
    }
}

/// A file with this directory and these frames and checksums that are right.
fn seal(whole: &[u8], directory: &[u8], frames: &[u8]) -> Vec<u8> {
    let stored = zstd::bulk::compress(directory, 1).unwrap();
    let mut bytes = whole[..GENERATION + 8].to_vec();
    bytes.extend((stored.len() as u32).to_le_bytes());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(blake3::hash(&stored).as_bytes());
    assert_eq!(bytes.len(), HASHED);
    let sum = blake3::hash(&bytes);
    bytes.extend(sum.as_bytes());
    bytes.extend(stored);
    bytes.extend(frames);
    bytes
}
