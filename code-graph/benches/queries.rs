//! What questions cost on a graph of the size of a large checkout.
#![allow(missing_docs, reason = "a bench")]

use criterion::{Criterion, criterion_group, criterion_main};
use fourfold_code_graph::index::{Cache, Index, IndexConfig};
use fourfold_code_graph::query::{
    CallRequest, ImpactRequest, Inquiry, MapRequest, PathRequest, SearchRequest, SymbolRequest,
    UnreferencedRequest, Wanted,
};
use fourfold_worktree::{Checkout, Control};
use std::env;
use std::path::PathBuf;
use std::sync::Arc;

/// Django, from `FOURFOLD_CORPORA`; without it there is nothing to measure.
fn django() -> Option<PathBuf> {
    let folder = PathBuf::from(env::var_os("FOURFOLD_CORPORA")?).join("django");
    let root = [folder.join("src"), folder];
    root.into_iter()
        .find(|root| root.join("django/db/models/query.py").is_file())
}

fn queries(criterion: &mut Criterion) {
    let Some(root) = django() else {
        return;
    };
    let config = IndexConfig {
        cache: Cache::Memory,
        ..IndexConfig::default()
    };
    let Ok(checkout) = Checkout::open(&root) else {
        return;
    };
    let index = Index::open(&checkout, config);
    if index.refresh(&Control::new()).is_err() {
        return;
    }
    let view = index.view();
    let reader = |path: &str| -> Option<Arc<str>> {
        Some(Arc::from(std::fs::read_to_string(root.join(path)).ok()?))
    };
    let inquiry = Inquiry {
        graph: &view.graph,
        coverage: &view.coverage,
        reader: &reader,
    };
    let mut group = criterion.benchmark_group("django");
    for query in ["QuerySet", "get", "query set filter", "nothing of the kind"] {
        let request = SearchRequest {
            query: query.to_owned(),
            ..SearchRequest::default()
        };
        group.bench_function(format!("search {query}"), |b| {
            b.iter(|| inquiry.search(&request));
        });
    }
    for name in ["QuerySet.filter", "Model.save", "Model"] {
        let request = CallRequest::named(name);
        group.bench_function(format!("callers {name}"), |b| {
            b.iter(|| inquiry.callers(&request));
        });
        group.bench_function(format!("callees {name}"), |b| {
            b.iter(|| inquiry.callees(&request));
        });
        let request = SymbolRequest {
            wanted: Wanted::named(name),
            ..SymbolRequest::default()
        };
        group.bench_function(format!("symbol {name}"), |b| {
            b.iter(|| inquiry.symbol(&request));
        });
        for depth in [2, 6] {
            let request = ImpactRequest {
                subjects: vec![Wanted::named(name)],
                depth,
                ..ImpactRequest::default()
            };
            group.bench_function(format!("impact {depth} {name}"), |b| {
                b.iter(|| inquiry.impact(&request));
            });
        }
    }
    let paths = PathRequest {
        from: Wanted::named("Model.save"),
        to: Wanted::named("SQLCompiler.execute_sql"),
        ..PathRequest::default()
    };
    group.bench_function("paths", |b| b.iter(|| inquiry.paths(&paths)));
    group.bench_function("map", |b| b.iter(|| inquiry.map(&MapRequest::default())));
    group.bench_function("unused", |b| {
        b.iter(|| inquiry.unreferenced(&UnreferencedRequest::default()));
    });
    group.finish();
}

criterion_group!(benches, queries);
criterion_main!(benches);
