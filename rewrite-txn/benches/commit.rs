//! What a commit costs beside the ways that are in use: per file a temporary file and a rename,
//! with and without an fsync.
//!
//! Works in the folder `FOURFOLD_BENCH_DIR`, or else in a temporary one. Waiting for the disk is
//! only worth measuring on a file system that nobody else writes to.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench that cannot go on has failed, and criterion's macros document nothing"
)]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fourfold_rewrite_txn::{Durability, Stage};
use tempfile::TempDir;

const FILE_BYTES: usize = 10_000;
const FILES_PER_FOLDER: usize = 25;

/// Files that are rewritten again and again, each time with another content.
struct Tree {
    dir: TempDir,
    files: Vec<PathBuf>,
    round: u8,
}

impl Tree {
    fn new(count: usize) -> Self {
        let dir = match std::env::var_os("FOURFOLD_BENCH_DIR") {
            Some(parent) => TempDir::new_in(parent).unwrap(),
            None => TempDir::new().unwrap(),
        };
        let mut files = Vec::new();
        for number in 0..count {
            let folder = format!("d{}", number / FILES_PER_FOLDER);
            fs::create_dir_all(dir.path().join(&folder)).unwrap();
            let file = Path::new(&folder).join(format!("file{number}.rs"));
            fs::write(dir.path().join(&file), vec![b'.'; FILE_BYTES]).unwrap();
            files.push(file);
        }
        Self {
            dir,
            files,
            round: 0,
        }
    }

    fn content(&mut self) -> Vec<u8> {
        self.round = self.round.wrapping_add(1);
        vec![b'a' + self.round % 26; FILE_BYTES]
    }

    /// Per file: a temporary file, perhaps an fsync, a rename.
    fn rename_each(&mut self, sync: bool) {
        let content = self.content();
        for file in &self.files {
            let path = self.dir.path().join(file);
            let draft = path.with_extension("tmp");
            let mut out = File::create(&draft).unwrap();
            out.write_all(&content).unwrap();
            if sync {
                out.sync_all().unwrap();
            }
            drop(out);
            fs::rename(&draft, &path).unwrap();
        }
    }

    /// All in one transaction, staging included.
    fn transaction(&mut self, durability: Durability) {
        let content = self.content();
        let mut stage = Stage::new(self.dir.path()).unwrap();
        for file in &self.files {
            stage.write(file, content.as_slice()).unwrap();
        }
        stage.finish().unwrap().commit(durability).unwrap();
    }
}

fn commit(criterion: &mut Criterion) {
    for count in [40, 1000] {
        let mut group = criterion.benchmark_group(format!("commit/{count}"));
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(500));
        group.measurement_time(Duration::from_secs(if count > 40 { 10 } else { 3 }));
        let mut tree = Tree::new(count);
        let none = BenchmarkId::new("rename", "each");
        group.bench_function(none, |bencher| bencher.iter(|| tree.rename_each(false)));
        let crash = BenchmarkId::new("transaction", "ProcessCrash");
        let durability = Durability::ProcessCrash;
        group.bench_function(crash, |bencher| {
            bencher.iter(|| tree.transaction(durability));
        });
        let synced = BenchmarkId::new("fsync_rename", "each");
        group.bench_function(synced, |bencher| bencher.iter(|| tree.rename_each(true)));
        let power = BenchmarkId::new("transaction", "PowerLoss");
        let durability = Durability::PowerLoss;
        group.bench_function(power, |bencher| {
            bencher.iter(|| tree.transaction(durability));
        });
        group.finish();
    }
}

criterion_group!(benches, commit);
criterion_main!(benches);
