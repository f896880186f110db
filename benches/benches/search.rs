//! The library alone, in memory: compiling a pattern, turning a text down unparsed, parsing it, and
//! searching its tree. What each costs tells where the CPU seconds of `peers` go.
#![allow(
    clippy::expect_used,
    reason = "a bench that cannot begin has nothing to measure"
)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fourfold_pattern_match::{Options, Pattern};
use fourfold_syntax::{Language, ParseLimits, Parser};

/// A real source of this workspace, which changes little from commit to commit.
const RUST: &str = include_str!("../../worktree/src/door.rs");

/// A text that is typical of a language, repeated to a size where start-up no longer counts.
const TYPESCRIPT: &str = "\
export class Store<T> extends Base {
  private readonly items: Map<string, T> = new Map();
  get(key: string): T | undefined {
    const found = this.items.get(key);
    if (found === undefined) { throw new Error(`no ${key}`); }
    return found && found.value ? found : undefined;
  }
}
";

fn search(c: &mut Criterion) {
    let typescript = TYPESCRIPT.repeat(100);
    let cases = [
        (
            "rust",
            RUST,
            ["$X.join($A)", "match $E { $$$ARMS }", "spawn_blocking($F)"],
        ),
        (
            "typescript",
            &typescript,
            ["$A && $A.$B", "throw new Error($M)", "Effect.gen($$$A)"],
        ),
    ];
    for (name, text, patterns) in cases {
        let language = Language::named(name).expect("the bench has all languages");
        let mut parser = Parser::new(ParseLimits::default());
        let tree = parser.parse(language, text).expect("the text is small");

        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function("parse", |b| {
            b.iter(|| parser.parse(language, black_box(text)));
        });
        for pattern in patterns {
            let compile = || Pattern::compile(language, pattern, &Options::default());
            group.bench_function(format!("compile {pattern}"), |b| b.iter(compile));
            let ready = compile().expect("the patterns of the bench are code");
            group.bench_function(format!("filter {pattern}"), |b| {
                b.iter(|| ready.may_match(black_box(text.as_bytes())));
            });
            group.bench_function(format!("search {pattern}"), |b| {
                b.iter(|| ready.search(black_box(text), &tree));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, search);
criterion_main!(benches);
