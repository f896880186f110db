//! The tree cache and the query cache are bounded and shared.

use fourfold_syntax::{Error, Language, ParseLimits, QueryCache, Tree, TreeCache};
use std::sync::Arc;

#[test]
fn trees_are_found_again_by_content_and_language() {
    let Some(language) = Language::all().next() else {
        return;
    };
    let trees = TreeCache::default();
    let first = trees.get_or_parse(language, "a b").unwrap();
    let again = trees.get_or_parse(language, "a b").unwrap();
    let first_child = |tree: &Tree| tree.root_node().child(0).map(|node| node.id());
    assert_eq!(first_child(&first), first_child(&again), "one tree");
    trees.get_or_parse(language, "a c").unwrap();
    let stats = trees.stats();
    assert_eq!((stats.trees, stats.hits, stats.misses), (2, 1, 2));
    if let Some(other) = Language::all().nth(1) {
        trees.get_or_parse(other, "a b").unwrap();
        assert_eq!(trees.stats().misses, 3);
    }
    trees.clear();
    assert_eq!((trees.stats().trees, trees.stats().bytes), (0, 0));
}

#[test]
fn the_bound_holds() {
    let Some(language) = Language::all().next() else {
        return;
    };
    let max = 20_000;
    let trees = TreeCache::new(max, ParseLimits::default());
    for n in 0..100 {
        trees
            .get_or_parse(language, &format!("{n} {}", "a ".repeat(n)))
            .unwrap();
        assert!(trees.stats().bytes <= max);
        assert!(trees.stats().trees > 0);
    }
    assert!(trees.stats().trees < 20);
    // Larger than the whole cache: parsed, and nothing is thrown out for it.
    let before = trees.stats().trees;
    trees.get_or_parse(language, &"a ".repeat(5000)).unwrap();
    assert_eq!(trees.stats().trees, before);
}

#[test]
fn errors_are_not_kept() {
    let Some(language) = Language::all().next() else {
        return;
    };
    let limits = ParseLimits {
        max_bytes: 3,
        ..ParseLimits::default()
    };
    let trees = TreeCache::new(1 << 20, limits);
    let error = trees.get_or_parse(language, "abcd").unwrap_err();
    assert_eq!(error, Error::TooLarge { bytes: 4, limit: 3 });
    assert_eq!(trees.stats().trees, 0);
}

#[test]
fn threads_share_one_tree_cache() {
    let Some(language) = Language::all().next() else {
        return;
    };
    let trees = TreeCache::default();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for n in 0..50 {
                    trees.get_or_parse(language, &format!("a {n}")).unwrap();
                }
            });
        }
    });
    let stats = trees.stats();
    assert_eq!(stats.trees, 50);
    assert_eq!(stats.hits + stats.misses, 200);
}

#[test]
fn a_query_is_compiled_once_for_all_threads() {
    let Ok(language) = Language::named("rust") else {
        return;
    };
    let queries = QueryCache::new(4);
    let all: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| queries.get(language, "(identifier) @name").unwrap()))
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert!(all.iter().all(|query| Arc::ptr_eq(query, &all[0])));
    assert_eq!(queries.len(), 1);
}

#[test]
fn the_query_cache_is_bounded() {
    let Ok(language) = Language::named("rust") else {
        return;
    };
    let queries = QueryCache::new(3);
    let first = queries.get(language, "(identifier) @a").unwrap();
    for n in 0..10 {
        queries
            .get(language, &format!("(identifier) @n{n}"))
            .unwrap();
        assert!(queries.len() <= 3);
        let same = queries.get(language, "(identifier) @a").unwrap();
        assert!(Arc::ptr_eq(&first, &same), "what is used stays");
    }
    queries.get(language, "(broken").unwrap_err();
    assert_eq!(queries.len(), 3, "a query that does not compile counts too");
}
