//! What questions cost once an index is loaded: on a project of 500 modules that is made up, and with
//! `FOURFOLD_CORPORA=FOLDER` on `FOLDER/django`. `cargo bench -p fourfold-code-graph --bench queries`.
#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::unwrap_used, reason = "a bench ends where its set-up fails")]

mod project;

use criterion::{Criterion, criterion_group, criterion_main};
use fourfold_code_graph::index::{Cache, Index, IndexConfig};
use fourfold_code_graph::query::{
    CallRequest, ImpactRequest, Inquiry, MapRequest, Outcome, PathRequest, SearchRequest,
    SymbolRequest, UnreferencedRequest, Wanted,
};
use fourfold_worktree::{Checkout, Control};
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is asked of one project.
struct Questions {
    project: &'static str,
    searches: [&'static str; 4],
    /// A method, another one that much calls, and a class.
    names: [&'static str; 3],
    /// From where to where.
    path: [&'static str; 2],
}

/// Django, from `FOURFOLD_CORPORA`.
fn django() -> Option<PathBuf> {
    let folder = PathBuf::from(env::var_os("FOURFOLD_CORPORA")?).join("django");
    let root = [folder.join("src"), folder];
    root.into_iter()
        .find(|root| root.join("django/db/models/query.py").is_file())
}

fn queries(criterion: &mut Criterion) {
    let made_up = project::tree();
    measure(
        criterion,
        made_up.path(),
        &Questions {
            project: "500 modules",
            searches: ["C3_4", "f2", "helper method", "nothing of the kind"],
            names: ["p3.m4.C4_1.f2", "p3/m4.py::helper", "p3.m4.C4_1"],
            path: ["p3.m4.C4_1.f2", "p3/m4.py::helper"],
        },
    );
    if let Some(root) = django() {
        measure(
            criterion,
            &root,
            &Questions {
                project: "django",
                searches: ["QuerySet", "get", "query set filter", "nothing of the kind"],
                names: ["QuerySet.filter", "Model.save", "Model"],
                path: ["Model.save", "SQLCompiler.execute_sql"],
            },
        );
    }
}

fn measure(criterion: &mut Criterion, root: &Path, questions: &Questions) {
    let config = IndexConfig {
        cache: Cache::Memory,
        ..IndexConfig::default()
    };
    let index = Index::open(&Checkout::open(root).unwrap(), config);
    index.refresh(&Control::new()).unwrap();
    let view = index.view();
    let reader = |path: &str| -> Option<Arc<str>> {
        Some(Arc::from(std::fs::read_to_string(root.join(path)).ok()?))
    };
    let inquiry = Inquiry {
        graph: &view.graph,
        coverage: &view.coverage,
        reader: &reader,
    };
    let mut group = criterion.benchmark_group(questions.project);
    for query in questions.searches {
        let request = SearchRequest {
            query: query.to_owned(),
            ..SearchRequest::default()
        };
        group.bench_function(format!("search {query}"), |b| {
            b.iter(|| inquiry.search(&request));
        });
    }
    for name in questions.names {
        let request = CallRequest::named(name);
        assert_eq!(
            inquiry.callers(&request).outcome,
            Outcome::Answered,
            "{name}"
        );
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
        from: Wanted::named(questions.path[0]),
        to: Wanted::named(questions.path[1]),
        ..PathRequest::default()
    };
    assert_eq!(inquiry.paths(&paths).outcome, Outcome::Answered);
    group.bench_function("paths", |b| b.iter(|| inquiry.paths(&paths)));
    group.bench_function("map", |b| b.iter(|| inquiry.map(&MapRequest::default())));
    group.bench_function("unused", |b| {
        b.iter(|| inquiry.unreferenced(&UnreferencedRequest::default()));
    });
    group.finish();
}

criterion_group!(benches, queries);
criterion_main!(benches);
