//! What an edit costs in a file of 2 000 lines.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench that cannot go on has failed, and criterion's macros document nothing"
)]

use std::fmt::Write;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fourfold_edit::{LineMap, Outcome, Patch, Replacement, replace};

/// 400 functions of five lines.
fn source() -> String {
    let mut text = String::new();
    for number in 0..400 {
        writeln!(text, "fn function_{number}(value: u64) -> u64 {{").unwrap();
        writeln!(text, "    let doubled = value * 2;").unwrap();
        writeln!(
            text,
            "    let shifted = doubled + {number};\n    shifted\n}}"
        )
        .unwrap();
    }
    text
}

/// Ten functions change.
fn patch() -> String {
    let mut text = "*** Begin Patch\n*** Update File: src/lib.rs\n".to_owned();
    for number in (0..400).step_by(40) {
        writeln!(text, "@@ fn function_{number}(value: u64) -> u64 {{").unwrap();
        writeln!(text, "     let doubled = value * 2;").unwrap();
        writeln!(text, "-    let shifted = doubled + {number};").unwrap();
        writeln!(text, "+    let shifted = doubled - {number};\n     shifted").unwrap();
    }
    text + "*** End Patch\n"
}

fn edit(criterion: &mut Criterion) {
    let lf = source();
    let crlf = lf.replace('\n', "\r\n");
    let old = "fn function_200(value: u64) -> u64 {\n    let doubled = value * 2;\n";
    let new = "fn function_200(value: u64) -> u64 {\n    let doubled = value + value;\n";
    let unique = [Replacement::unique(old, new)];
    let absent = old.replace("doubled", "double");
    let absent = [Replacement::unique(&absent, new)];
    let patch = patch();
    let patched = |text: &str| {
        let patch = Patch::parse(&patch).unwrap();
        match patch.files[0].apply(Some(text.as_bytes())).unwrap() {
            Outcome::Updated(change) => change.text,
            other => panic!("{other:?}"),
        }
    };
    let after = patched(&lf);

    let mut group = criterion.benchmark_group("2000 lines");
    group.throughput(Throughput::Bytes(lf.len() as u64));
    group.bench_function("replace/exact", |bencher| {
        bencher.iter(|| replace(black_box(lf.as_bytes()), &unique).unwrap());
    });
    group.bench_function("replace/crlf", |bencher| {
        bencher.iter(|| replace(black_box(crlf.as_bytes()), &unique).unwrap());
    });
    group.bench_function("replace/nearest", |bencher| {
        bencher.iter(|| replace(black_box(lf.as_bytes()), &absent).unwrap_err());
    });
    group.bench_function("patch/exact", |bencher| {
        bencher.iter(|| patched(black_box(&lf)));
    });
    group.bench_function("patch/crlf", |bencher| {
        bencher.iter(|| patched(black_box(&crlf)));
    });
    group.bench_function("line map", |bencher| {
        bencher.iter(|| LineMap::between(black_box(lf.as_bytes()), black_box(&after)));
    });
    group.finish();
}

criterion_group!(benches, edit);
criterion_main!(benches);
