//! How fast files and fragments are parsed, summarised and queries compiled.
//!
//! `cargo bench -p fourfold-syntax --features all`
#![allow(missing_docs, reason = "criterion's macros make public items")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fourfold_syntax::{
    FileSummary, Language, ParseLimits, Parser, QueryCache, TreeCache, stack, with_parser,
};
use std::hint::black_box;
use std::path::Path;

/// The language's snippet, repeated to about 64 KiB.
fn text_of(language: Language) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snippets");
    let path = folder.join(format!("{}.{}", language.id(), language.extensions()[0]));
    let snippet = std::fs::read_to_string(path).unwrap_or_default();
    snippet.repeat((64 << 10) / snippet.len().max(1))
}

fn files(c: &mut Criterion) {
    let mut group = c.benchmark_group("parse");
    for language in Language::all() {
        let text = text_of(language);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(language.id(), |b| {
            let mut parser = Parser::new(ParseLimits::default());
            b.iter(|| parser.parse(language, black_box(&text)));
        });
    }
}

fn fragments(c: &mut Criterion) {
    let Ok(rust) = Language::named("rust") else {
        return;
    };
    let fragment = "if a.is_some() { b(a) }";
    let limits = ParseLimits::default();
    let mut group = c.benchmark_group("fragment");
    group.bench_function("pooled parser", |b| {
        b.iter(|| with_parser(limits, |parser| parser.parse(rust, black_box(fragment))));
    });
    group.bench_function("fresh parser", |b| {
        b.iter(|| Parser::new(limits).parse(rust, black_box(fragment)));
    });
    let over_the_small_size = "fn a() {}\n".repeat(700);
    group.bench_function("7 KB on a thread of its own", |b| {
        b.iter(|| with_parser(limits, |parser| parser.parse(rust, &over_the_small_size)));
    });
    group.bench_function("7 KB on a declared big stack", |b| {
        let big = std::thread::Builder::new().stack_size(stack::BIG_STACK);
        std::thread::scope(|scope| {
            let worker = big.spawn_scoped(scope, || {
                let _big = stack::assume_big_stack();
                b.iter(|| with_parser(limits, |parser| parser.parse(rust, &over_the_small_size)));
            });
            drop(worker);
        });
    });
}

fn summaries(c: &mut Criterion) {
    let Ok(rust) = Language::named("rust") else {
        return;
    };
    let text = text_of(rust);
    let trees = TreeCache::default();
    let Ok(tree) = trees.get_or_parse(rust, &text) else {
        return;
    };
    let mut group = c.benchmark_group("summary");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("new", |b| {
        b.iter(|| FileSummary::new(rust, black_box(&text), &tree));
    });
    let summary = FileSummary::new(rust, &text, &tree);
    group.bench_function("may contain", |b| {
        b.iter(|| summary.may_contain_identifier(black_box("dispose")));
    });
    group.bench_function("cached tree", |b| {
        b.iter(|| trees.get_or_parse(rust, black_box(&text)));
    });
}

fn queries(c: &mut Criterion) {
    let mut group = c.benchmark_group("query");
    for (id, text) in [
        ("rust", "(call_expression function: (_) @name)"),
        ("go", "(call_expression function: (_) @name)"),
        ("swift", "(call_expression (simple_identifier) @name)"),
    ] {
        let Ok(language) = Language::named(id) else {
            continue;
        };
        group.bench_function(format!("compile {id}"), |b| {
            b.iter(|| QueryCache::new(1).get(language, black_box(text)));
        });
        group.bench_function(format!("cached {id}"), |b| {
            b.iter(|| QueryCache::global().get(language, black_box(text)));
        });
    }
}

criterion_group!(benches, files, fragments, summaries, queries);
criterion_main!(benches);
