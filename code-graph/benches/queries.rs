//! What questions cost once the graph is loaded: at most 1 ms, an impact at most 10 ms.
//!
//! `cargo bench -p fourfold-code-graph --bench queries`; with `FOURFOLD_CORPORA=FOLDER` also on
//! `FOLDER/django/src`.
#![allow(missing_docs, reason = "a bench")]
#![allow(clippy::unwrap_used, reason = "a bench ends where its set-up fails")]

mod generated;

use criterion::{Criterion, criterion_group, criterion_main};
use fourfold_code_graph::index::{Cache, Index, IndexConfig};
use fourfold_code_graph::query::{
    CallRequest, ImpactRequest, Inquiry, MapRequest, PathRequest, SearchRequest, SymbolRequest,
    UnreferencedRequest, Wanted,
};
use fourfold_worktree::{Checkout, Control};
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A project, and what is asked about it.
struct Project<'p> {
    name: &'p str,
    root: &'p Path,
    searches: &'p [&'p str],
    symbols: &'p [&'p str],
    /// From where to where paths are looked for.
    path: (&'p str, &'p str),
}

/// Django, from `FOURFOLD_CORPORA`.
fn django() -> Option<PathBuf> {
    let folder = PathBuf::from(env::var_os("FOURFOLD_CORPORA")?).join("django");
    let root = [folder.join("src"), folder];
    root.into_iter()
        .find(|root| root.join("django/db/models/query.py").is_file())
}

/// A generated project, and Django where it is at hand.
fn queries(criterion: &mut Criterion) {
    let folder = generated::tree();
    let generated = Project {
        name: "500 modules",
        root: folder.path(),
        searches: &["C7_3", "helper", "f1 f2", "nothing of the kind"],
        symbols: &["p3/m4.py::C4_2", "p0/m0.py::C0_0::f1", "p3/m4.py::helper"],
        path: ("p3/m4.py::C4_2::f1", "p3/m4.py::helper"),
    };
    measure(criterion, &generated);
    if let Some(root) = django() {
        let django = Project {
            name: "django",
            root: &root,
            searches: &["QuerySet", "get", "query set filter", "nothing of the kind"],
            symbols: &["QuerySet.filter", "Model.save", "Model"],
            path: ("Model.save", "SQLCompiler.execute_sql"),
        };
        measure(criterion, &django);
    }
}

fn measure(criterion: &mut Criterion, project: &Project<'_>) {
    let root = project.root;
    let config = IndexConfig {
        cache: Cache::Memory,
        ..IndexConfig::default()
    };
    let Ok(checkout) = Checkout::open(root) else {
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
    let mut group = criterion.benchmark_group(project.name);
    for query in project.searches {
        let request = SearchRequest {
            query: (*query).to_owned(),
            ..SearchRequest::default()
        };
        group.bench_function(format!("search {query}"), |b| {
            b.iter(|| inquiry.search(&request));
        });
    }
    for name in project.symbols.iter().copied() {
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
        from: Wanted::named(project.path.0),
        to: Wanted::named(project.path.1),
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
