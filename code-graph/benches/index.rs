//! How long an index takes: made from nothing, unchanged, and after one edit, as a new process does
//! it. `cargo bench -p fourfold-code-graph`; with `FOURFOLD_CORPORA=FOLDER` also on
//! `FOLDER/django/src`.
#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::unwrap_used, reason = "a bench ends where its set-up fails")]

mod project;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use fourfold_code_graph::index::{Cache, Index, IndexConfig};
use fourfold_worktree::{Checkout, Control};
use std::fs;
use std::path::{Path, PathBuf};

/// A copy of a checkout's sources that may be edited.
fn copy(from: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut open = vec![(from.to_path_buf(), folder.path().to_path_buf())];
    while let Some((from, to)) = open.pop() {
        fs::create_dir_all(&to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let to = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                open.push((entry.path(), to));
            } else {
                fs::copy(entry.path(), to).unwrap();
            }
        }
    }
    folder
}

fn measure(c: &mut Criterion, name: &str, root: &Path, edited: &str) {
    let checkout = Checkout::open(root).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let open = |folder: &Path| {
        let config = IndexConfig {
            cache: Cache::Folder(folder.to_path_buf()),
            ..IndexConfig::default()
        };
        Index::open(&checkout, config)
    };
    let run = |folder: &Path| {
        let index = open(folder);
        index.refresh(&Control::new()).unwrap();
        index.graph().len()
    };
    let mut group = c.benchmark_group(name);
    group.sample_size(10);
    group.bench_function("full", |b| {
        b.iter_batched(
            || tempfile::tempdir().unwrap(),
            |cache| run(cache.path()),
            BatchSize::PerIteration,
        );
    });
    run(cache.path());
    group.bench_function("unchanged", |b| b.iter(|| run(cache.path())));
    let path = root.join(edited);
    let text = fs::read_to_string(&path).unwrap();
    let mut round = 0;
    group.bench_function("one edit", |b| {
        b.iter_batched(
            || {
                round += 1;
                fs::write(
                    &path,
                    format!("{text}\n\ndef added_{round}():\n    return {round}\n"),
                )
                .unwrap();
            },
            |()| run(cache.path()),
            BatchSize::PerIteration,
        );
    });
    let index = open(cache.path());
    index.refresh(&Control::new()).unwrap();
    group.bench_function("one edit, running", |b| {
        b.iter_batched(
            || {
                round += 1;
                fs::write(
                    &path,
                    format!("{text}\n\ndef added_{round}():\n    return {round}\n"),
                )
                .unwrap();
            },
            |()| {
                index.refresh(&Control::new()).unwrap();
                index.graph().len()
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn index(c: &mut Criterion) {
    let folder = project::tree();
    measure(c, "index/500 modules", folder.path(), "p3/m4.py");
    let corpora = std::env::var_os("FOURFOLD_CORPORA").unwrap_or_default();
    let django = std::env::split_paths(&corpora).map(|folder| folder.join("django/src"));
    if let Some(django) = django.into_iter().find(|folder: &PathBuf| folder.is_dir()) {
        let folder = copy(&django);
        let query = "django/db/models/query.py";
        let nested = fs::read_dir(folder.path()).unwrap().flatten();
        let root = nested
            .map(|entry| entry.path())
            .chain([folder.path().to_path_buf()])
            .find(|root| root.join(query).exists());
        if let Some(root) = root {
            measure(c, "index/django", &root, query);
        }
    }
}

criterion_group!(benches, index);
criterion_main!(benches);
