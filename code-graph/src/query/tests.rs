//! What questions answer, on graphs that are written out.

use super::*;
use crate::graph::fixture::graph;
use crate::index::{Counted, Reason};
use expect_test::{Expect, expect};
use proptest::prelude::*;

mod random;

const SHOP: &str = "
file shop/base.py
  class Store 1-12 doc:Keeps_things_for_later.
    method get 2-4
    method put 6-12
  function open_store 14-18 doc:Opens_the_store_of_a_user.
  Store.put -> Store.get calls typed 8
  open_store -> Store instantiates 15
file shop/disk.py
  class DiskStore 3-20
    method get 4-9
    method sync 11-20
  . -> shop/base.py:Store imports 1
  DiskStore -> shop/base.py:Store extends 3
  DiskStore.get ! os.path.join 5
  DiskStore.sync ? flush 12
  DiskStore.sync -> DiskStore.get calls typed 13
  DiskStore.sync -> shop/base.py:Store.put calls candidate 14
file shop/web.py
  function handle 3-9 decorated
  function get 11-12
  . -> shop/base.py:. imports 1
  handle -> shop/base.py:open_store calls 4
  handle -> shop/base.py:Store.get calls inferred 5
  handle -> shop/base.py:Store.get calls inferred 6
  get ? put 12
file tests/test_web.py
  function test_handle 1-4 test
  function helper 6-8
  test_handle -> helper calls 2
  helper -> shop/web.py:handle calls 7
";

fn coverage() -> Coverage {
    let counted = |files| Counted {
        files,
        examples: Vec::new(),
    };
    Coverage {
        files: 6,
        indexed: 4,
        partial: counted(1),
        skipped: [(Reason::TooLarge, counted(2))].into(),
        ..Coverage::default()
    }
}

/// Every file has lines that say their number.
fn reader(path: &str) -> Option<Arc<str>> {
    if !path.ends_with(".py") {
        return None;
    }
    let lines: Vec<String> = (1..40)
        .map(|line| format!("    {path} line {line}"))
        .collect();
    Some(Arc::from(lines.join("\n")))
}

fn ask(question: impl Fn(&Inquiry<'_>) -> Answer, expected: Expect) {
    let graph = graph(SHOP);
    let coverage = coverage();
    let inquiry = Inquiry {
        graph: &graph,
        coverage: &coverage,
        reader: &reader,
    };
    let answer = question(&inquiry);
    expected.assert_eq(&answer.to_string());
}

#[test]
fn callers_are_told_by_file_with_tests_apart() {
    ask(
        |q| q.callers(&CallRequest::named("Store.get")),
        expect![[r#"
            2 callers of method `Store.get` (shop/base.py:2) in 3 places
            callers: 2
            shop/base.py
              6 method Store.put  [typed]
                8: shop/base.py line 8
            shop/web.py
              3 function handle  [inferred]
                5: shop/web.py line 5
                6: shop/web.py line 6
            note: 1 method overrides it: a call here may run one of those
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn a_member_may_be_called_through_what_it_overrides() {
    ask(
        |q| q.callers(&CallRequest::named("DiskStore.get")),
        expect![[r#"
            1 caller of method `DiskStore.get` (shop/disk.py:4) in 1 place
            callers: 1
            shop/disk.py
              11 method DiskStore.sync  [typed]
                13: shop/disk.py line 13
            may call it through what it overrides: 2
            shop/base.py
              6 method Store.put  [typed]  calls Store.get
                8: shop/base.py line 8
            shop/web.py
              3 function handle  [inferred]  calls Store.get
                5: shop/web.py line 5
                6: shop/web.py line 6
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn less_sure_callers_and_unresolved_uses_are_told_apart() {
    ask(
        |q| q.callers(&CallRequest::named("Store.put")),
        expect![[r#"
            no known callers of method `Store.put` (shop/base.py:6)
            less sure: 1
            shop/disk.py
              11 method DiskStore.sync  [candidate]
                14: shop/disk.py line 14
            note: 1 unresolved use of `put` elsewhere could be more: shop/web.py:12
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn a_class_is_called_where_instances_are_made() {
    ask(
        |q| q.callers(&CallRequest::named("Store")),
        expect![[r#"
            1 caller of class `Store` (shop/base.py:1) in 1 place
            callers: 1
            shop/base.py
              14 function open_store  [exact]
                15: shop/base.py line 15
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn callers_of_callers_come_by_distance() {
    ask(
        |q| {
            q.callers(&CallRequest {
                depth: 3,
                ..CallRequest::named("open_store")
            })
        },
        expect![[r#"
            1 caller of function `open_store` (shop/base.py:14) in 1 place
            callers: 1
            shop/web.py
              3 function handle  [exact]
                4: shop/web.py line 4
            at distance 2: 1
            tests/test_web.py
              6 function helper  [exact]  by handle
            at distance 3: 1
            tests/test_web.py
              1 function test_handle  [exact]  by helper
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn callees_are_told_with_what_lies_outside() {
    ask(
        |q| q.callees(&CallRequest::named("DiskStore")),
        expect![[r#"
            class `DiskStore` (shop/disk.py:3) calls nothing that is known in the checkout
            less sure: 1
            shop/base.py
              6 method Store.put  [candidate]
            outside the checkout: 1
              external os.path.join  once
            could not be told: 1
              unresolved flush  once
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn references_say_what_is_done() {
    ask(
        |q| q.references(&CallRequest::named("base.Store")),
        expect![[r#"
            3 users of class `Store` (shop/base.py:1) in 3 places
            users: 3
            shop/base.py
              14 function open_store  [exact]  makes
                15: shop/base.py line 15
            shop/disk.py
              the file itself  [exact]  imports
                1: shop/disk.py line 1
              3 class DiskStore  [exact]  extends
                3: shop/disk.py line 3
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn a_name_of_several_symbols_is_answered_with_them() {
    ask(
        |q| q.callers(&CallRequest::named("get")),
        expect![[r#"
            `get` is 3 symbols: name one of them, as Owner.name, path::name or path:line
            candidates: 3
              method Store.get  shop/base.py:2
              method DiskStore.get  shop/disk.py:4
              function get  shop/web.py:11
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn what_does_not_exist_is_not_replaced_by_something_alike() {
    ask(
        |q| q.callers(&CallRequest::named("open_stor")),
        expect![[r#"
            no symbol or file is called `open_stor`
            nearest names: 1
              function open_store  shop/base.py:14
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn impact_comes_by_depth_with_the_tests_that_reach_it() {
    ask(
        |q| {
            q.impact(&ImpactRequest {
                subjects: vec![Wanted::named("open_store")],
                depth: 3,
                ..ImpactRequest::default()
            })
        },
        expect![[r#"
            1 symbol in 1 file may depend on function `open_store` (shop/base.py:14) within depth 3; 1 test reaches it
            depth 1, by 1 edge: 1
            shop/web.py
              3 function handle  [exact]  calls open_store
                4: shop/web.py line 4
            tests that reach it: 1
            tests/test_web.py
              1 function test_handle  [exact]  → helper → handle → open_store
            other test code: 1
            tests/test_web.py
              6 function helper  [exact]  calls handle
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn impact_of_changed_lines_tells_body_from_declaration() {
    ask(
        |q| {
            q.impact(&ImpactRequest {
                changed: vec![
                    ChangedFile {
                        path: "shop/disk.py".to_owned(),
                        lines: vec![(5, 5), (11, 11)],
                        ..ChangedFile::default()
                    },
                    ChangedFile {
                        path: "shop/gone.py".to_owned(),
                        lines: vec![(1, 2)],
                        ..ChangedFile::default()
                    },
                ],
                ..ImpactRequest::default()
            })
        },
        expect![[r#"
            2 symbols in 2 files may depend on 2 changed symbols within depth 2; no test is known to reach it in as many steps
            changed: 2
            shop/disk.py
              4 method DiskStore.get  body
              11 method DiskStore.sync  declaration
            depth 1, by 3 edges: 2
            shop/base.py
              6 method Store.put  [inferred]  calls Store.get, which DiskStore.get overrides
                8: shop/base.py line 8
            shop/web.py
              3 function handle  [inferred]  calls Store.get, which DiskStore.get overrides
                5: shop/web.py line 5
                6: shop/web.py line 6
            other test code: 1
            tests/test_web.py
              6 function helper  [inferred]  calls handle
            note: 1 more within depth 6, 1 of them tests
            note: 1 unresolved use of names on the way could hide more: `put` 1; certainty=name follows them
            note: not in the index (removed, ignored, or of no known language): shop/gone.py
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn a_symbol_comes_with_its_source_and_members() {
    ask(
        |q| {
            q.symbol(&SymbolRequest {
                wanted: Wanted::named("shop/disk.py:3"),
                ..SymbolRequest::default()
            })
        },
        expect![[r#"
            class `DiskStore` (shop/disk.py:3)
              class DiskStore()
              0 callers, 2 callees
                3     shop/disk.py line 3
                4     shop/disk.py line 4
                5     shop/disk.py line 5
                6     shop/disk.py line 6
                7     shop/disk.py line 7
                8     shop/disk.py line 8
                9     shop/disk.py line 9
               10     shop/disk.py line 10
               11     shop/disk.py line 11
               12     shop/disk.py line 12
               13     shop/disk.py line 13
               14     shop/disk.py line 14
               15     shop/disk.py line 15
               16     shop/disk.py line 16
               17     shop/disk.py line 17
               18     shop/disk.py line 18
               19     shop/disk.py line 19
               20     shop/disk.py line 20
            members: 2
            shop/disk.py
              4-9 method get()
              11-20 method sync()
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn an_outline_is_set_in() {
    ask(
        |q| {
            q.outline(&OutlineRequest {
                wanted: Wanted::named("shop"),
                ..OutlineRequest::default()
            })
        },
        expect![[r#"
            folder shop (3 files) declares 9 symbols
            shop/base.py
              1-12 class Store()
                2-4 method get()
                6-12 method put()
              14-18 function open_store()
            shop/disk.py
              3-20 class DiskStore()
                4-9 method get()
                11-20 method sync()
            shop/web.py
              3-9 function handle()
              11-12 function get()
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn paths_name_every_step() {
    ask(
        |q| {
            q.paths(&PathRequest {
                from: Wanted::named("test_handle"),
                to: Wanted::named("DiskStore.get"),
                ..PathRequest::default()
            })
        },
        expect![[r#"
            1 way from function `test_handle` (tests/test_web.py:1) to method `DiskStore.get` (shop/disk.py:4)
            way 1, steps: 4
              function test_handle  tests/test_web.py:1  [exact]  calls helper
                2: tests/test_web.py line 2
              function helper  tests/test_web.py:6  [exact]  calls handle
                7: tests/test_web.py line 7
              function handle  shop/web.py:3  [inferred]  calls Store.get
                5: shop/web.py line 5
              method Store.get  shop/base.py:2  [inferred]  may run DiskStore.get
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn without_a_path_what_might_join_the_ends_is_told() {
    ask(
        |q| {
            q.paths(&PathRequest {
                from: Wanted::named("web.get"),
                to: Wanted::named("Store.get"),
                ..PathRequest::default()
            })
        },
        expect![[r#"
            no way is known from function `get` (shop/web.py:11) to method `Store.get` (shop/base.py:2): the first reaches 0 symbols, the second is reached from 4 symbols
            unresolved uses that might join them: 1
              function get  shop/web.py:11  might be Store.put
                12: shop/web.py line 12
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn modules_lie_in_layers() {
    ask(
        |q| {
            q.modules(&ModuleRequest {
                level: Level::File,
                ..ModuleRequest::default()
            })
        },
        expect![[r#"
            3 modules with 2 dependencies in 2 layers
            modules, from the top layer down: 3
              shop/disk.py  layer 1, needed by 0, needs 1: shop/base.py 2
              shop/web.py  layer 1, needed by 0, needs 1: shop/base.py 4
              shop/base.py  layer 0, needed by 2, needs 0
            dependencies, the heaviest first: 2
              shop/web.py → shop/base.py  4 edges: calls 3, imports 1
                1: shop/web.py line 1  (shop/web.py)
              shop/disk.py → shop/base.py  2 edges: imports 1, extends 1
                1: shop/disk.py line 1  (shop/disk.py)
            note: 1 test file left out; `tests` can be `apart` to count them in
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn a_cycle_has_a_place_for_every_step() {
    let graph = graph(
        "
file a/one.py
  function f 1-2
  f -> b/two.py:g calls 2
  f -> b/two.py:g calls 3
file b/two.py
  function g 1-2
  g -> c/three.py:h references 2
file c/three.py
  function h 1-2
  h -> a/one.py:f calls 2
",
    );
    let coverage = coverage();
    let inquiry = Inquiry {
        graph: &graph,
        coverage: &coverage,
        reader: &reader,
    };
    expect![[r#"
        1 knot of folders that need each other (3 of 3 folders in all)
        cycle of folders, steps: 3
          a → b  2 edges: calls 2
            2: a/one.py line 2  (a/one.py)
          b → c  1 edge: refers to 1; the lightest
            2: b/two.py line 2  (b/two.py)
          c → a  1 edge: calls 1
            2: c/three.py line 2  (c/three.py)
        coverage: 4 of 6 files (1 partial); skipped: 2 too large
    "#]]
    .assert_eq(&inquiry.cycles(&ModuleRequest::default()).to_string());
}

#[test]
fn what_has_no_known_use_comes_with_the_reasons_against() {
    ask(
        |q| q.unreferenced(&UnreferencedRequest::default()),
        expect![[r#"
            3 of 9 symbols without a known use, 2 of them without a sign of one; 1 used by tests only
            no known use, the largest first: 2
              class DiskStore  shop/disk.py:3-20  with 2 declared in it
              function get  shop/web.py:11-12
            no known use, but: 1
              method Store.put  shop/base.py:6-12  1 unresolved use of its name; 1 possible use
            used by tests only: 1
              function handle  shop/web.py:3-9
            note: no known use is not no use: reflection, configuration and other checkouts are not seen
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn the_hierarchy_goes_up_and_down() {
    ask(
        |q| q.hierarchy(&CallRequest::named("Store")),
        expect![[r#"
            class `Store` (shop/base.py:1) has 0 bases in the checkout, 0 outside, and 1 derived type
            derived types: 1
              class DiskStore  shop/disk.py:3  [exact]  extends Store
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn members_have_a_hierarchy_too() {
    ask(
        |q| q.hierarchy(&CallRequest::named("DiskStore.get")),
        expect![[r#"
            method `DiskStore.get` (shop/disk.py:4) overrides 1 member and is overridden by 0 members
            overrides: 1
              method Store.get  shop/base.py:2  [exact]  DiskStore.get overrides it
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn a_map_shows_what_others_stand_on() {
    ask(
        |q| q.map(&MapRequest::default()),
        expect![[r#"
            the 9 most important of 9 symbols
            shop/base.py
              1 class Store()
                2 method get()
                6 method put()
              14 function open_store()
            shop/disk.py
              3 class DiskStore()
                4 method get()
                11 method sync()
            shop/web.py
              3 function handle()
              11 function get()
            note: 1 test file left out; `tests` can be `apart` to count them in
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn search_ranks_exact_names_first() {
    ask(
        |q| {
            q.search(&SearchRequest {
                query: "store".to_owned(),
                ..SearchRequest::default()
            })
        },
        expect![[r#"
            3 symbols for `store`
              class Store  shop/base.py:1  3 uses
                class Store()
              function open_store  shop/base.py:14  1 use
                function open_store()
              class DiskStore  shop/disk.py:3
                class DiskStore()
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn search_goes_through_documentation() {
    ask(
        |q| {
            q.search(&SearchRequest {
                query: "things later".to_owned(),
                ..SearchRequest::default()
            })
        },
        expect![[r#"
            1 symbol for `things later`
              class Store  shop/base.py:1  3 uses
                class Store()
            coverage: 4 of 6 files (1 partial); skipped: 2 too large
        "#]],
    );
}

#[test]
fn names_are_understood_in_every_way_they_are_written() {
    let graph = graph(SHOP);
    let one = |text: &str| match graph.resolve(&Wanted::named(text)) {
        Resolution::One(nodes) => graph.qualified(nodes[0]),
        other => format!("{other:?}"),
    };
    for (text, meant) in [
        ("DiskStore.get", "DiskStore.get"),
        ("DiskStore::get", "DiskStore.get"),
        ("DiskStore#get", "DiskStore.get"),
        ("shop.disk.DiskStore.get", "DiskStore.get"),
        ("disk.DiskStore", "DiskStore"),
        ("shop.DiskStore", "DiskStore"),
        ("shop/disk.py::DiskStore::get", "DiskStore.get"),
        ("disk.py::get", "DiskStore.get"),
        ("shop/disk.py:13", "DiskStore.sync"),
        ("disk.py:13:7", "DiskStore.sync"),
        ("./shop/disk.py", "shop/disk.py"),
        ("shop.disk", "shop/disk.py"),
        ("web.get", "get"),
        ("shop.get", "get"),
        ("`handle()`", "handle"),
    ] {
        assert_eq!(one(text), meant, "{text}");
    }
    let id = graph.id(graph.named("handle").next().unwrap()).to_string();
    assert_eq!(one(&id), "handle");
    for text in [
        "",
        "Handle",
        "DiskStore.handle",
        "shop/disk.py::nothing",
        // Line 2 is in no declaration, and so not the file either.
        "shop/disk.py:2",
        "x.py:3",
        "::",
    ] {
        assert_eq!(
            graph.resolve(&Wanted::named(text)),
            Resolution::None,
            "{text}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is asked, the text keeps the budget, and turning pages gives every entry once.
    #[test]
    fn no_answer_is_longer_than_its_budget(
        (files, edges) in random::checkout(),
        tokens in 0usize..400,
        limit in 1usize..9,
    ) {
        let graph = random::graph(&files, &edges);
        let coverage = coverage();
        let inquiry = Inquiry { graph: &graph, coverage: &coverage, reader: &reader };
        let room = tokens.max(MIN_TOKENS) * TOKEN_BYTES;
        let mut offset = 0;
        let mut seen = Vec::new();
        loop {
            let page = Page { tokens, offset, limit };
            let answers = random::every_answer(&inquiry, page);
            for answer in &answers {
                let text = answer.to_string();
                prop_assert!(text.len() <= room, "{} > {room}:\n{text}", text.len());
            }
            let search = &answers[0];
            let shown: usize = search.groups.iter().map(|group| group.entries.len()).sum();
            seen.extend(search.groups.iter().flat_map(|group| &group.entries).map(|e| e.id.clone()));
            match search.next_offset {
                Some(next) => {
                    prop_assert_eq!(next, offset + shown);
                    prop_assert!(shown > 0, "{search}");
                    offset = next;
                }
                None => {
                    let no_room = search.to_string().contains("give more tokens");
                    prop_assert!(no_room || seen.len() == search.total);
                    prop_assert!(!no_room || shown == 0);
                    break;
                }
            }
        }
        let all = seen.len();
        seen.sort();
        seen.dedup();
        prop_assert_eq!(seen.len(), all);
    }

    /// Depth, weakest certainty and edge counts are those that a search without any index gives.
    #[test]
    fn impact_is_what_a_naive_search_finds((files, edges) in random::checkout(), seed in 0usize..20) {
        let graph = random::graph(&files, &edges);
        let seed = NodeId((seed % graph.len()) as u32);
        random::check_reach(&graph, seed)?;
    }

    /// What a filter lets through is what its conditions say, one by one.
    #[test]
    fn search_keeps_to_its_filter((files, edges) in random::checkout(), which in 0usize..5) {
        let graph = random::graph(&files, &edges);
        random::check_filter(&graph, which)?;
    }
}
