//! Hashes the sources that decide what is kept on disk, so that nothing an older program wrote is
//! ever taken for what this one would write: no number has to be raised by hand.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=src");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("src");
    let facts = ["facts", "facts.rs", "extract", "extract.rs"];
    let links = ["link", "link.rs", "graph/outline.rs", "index"];
    println!(
        "cargo:rustc-env=FOURFOLD_FACTS_SOURCES={:016x}",
        hash(&root, &facts)?
    );
    let packs = [
        "index/file.rs",
        "index/fold.rs",
        "index/heap.rs",
        "index/pack.rs",
    ];
    println!(
        "cargo:rustc-env=FOURFOLD_PACKS_SOURCES={:016x}",
        hash(&root, &packs)?
    );
    println!(
        "cargo:rustc-env=FOURFOLD_LINKS_SOURCES={:016x}",
        hash(&root, &links)?
    );
    Ok(())
}

/// FNV-1a over the names and the texts of these files and of all in these folders.
fn hash(root: &Path, names: &[&str]) -> io::Result<u64> {
    let mut open: Vec<PathBuf> = names.iter().map(|name| root.join(name)).collect();
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        } else if path.exists() {
            files.push(path);
        }
    }
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for path in files {
        let name = path
            .strip_prefix(root)
            .unwrap_or(&path)
            .to_string_lossy()
            .into_owned();
        for byte in name
            .into_bytes()
            .into_iter()
            .chain([0])
            .chain(fs::read(&path)?)
        {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    Ok(hash)
}
