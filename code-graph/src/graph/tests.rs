//! What the graph makes of outlines and links.

use super::fixture::graph;
use super::*;
use crate::query::{Resolution, Wanted};

const SHAPES: &str = "
file shapes/base.py
  class Shape 1-9
    method area 2-3
    method scale 5-9
  Shape.scale -> Shape.area calls typed 7
file shapes/round.py
  class Circle 3-9
    method area 4-5
    method scale 7-9 private
  function area 11-12
  . -> shapes/base.py:Shape imports 1
  Circle -> shapes/base.py:Shape extends 3
  Circle.area ? sqrt 5
  Circle.area ! math.pi references 5
file tests/test_round.py
  function test_area 1-3 test
  test_area -> shapes/round.py:Circle instantiates 2
  test_area -> shapes/base.py:Shape.area calls inferred 3
";

fn one(graph: &Graph, name: &str) -> NodeId {
    match graph.resolve(&Wanted::named(name)) {
        Resolution::One(nodes) => nodes[0],
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn nodes_come_file_by_file_and_edges_go_both_ways() {
    let graph = graph(SHAPES);
    let names: Vec<String> = graph.nodes().map(|node| graph.qualified(node)).collect();
    assert_eq!(
        names,
        [
            "shapes/base.py",
            "Shape",
            "Shape.area",
            "Shape.scale",
            "shapes/round.py",
            "Circle",
            "Circle.area",
            "Circle.scale",
            "area",
            "tests/test_round.py",
            "test_area",
        ]
    );
    let area = one(&graph, "Shape.area");
    let from: Vec<&str> = graph
        .incoming(area)
        .map(|edge| graph.name(edge.from))
        .collect();
    assert_eq!(from, ["scale", "area", "test_area"]);
    assert_eq!(graph.by_id(graph.id(area)), Some(area));
    assert_eq!(graph.dangling(), 0);
    for edge in graph.edges() {
        assert!(graph.outgoing(edge.from).any(|one| one == edge));
        assert!(graph.incoming(edge.to).any(|one| one == edge));
    }
}

#[test]
fn a_member_overrides_the_nearest_of_its_name_above() {
    let graph = graph(SHAPES);
    let overrides: Vec<(String, String)> = graph
        .edges()
        .iter()
        .filter(|edge| edge.kind == EdgeKind::Overrides)
        .map(|edge| (graph.qualified(edge.from), graph.qualified(edge.to)))
        .collect();
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(
        overrides,
        [
            pair("Circle.area", "Shape.area"),
            // Private by its name only, in Python.
            pair("Circle.scale", "Shape.scale"),
        ]
    );
}

#[test]
fn tests_are_told_by_path_and_sign() {
    let graph = graph(SHAPES);
    let tests: Vec<&str> = graph
        .nodes()
        .filter(|node| graph.is_test(*node))
        .map(|node| graph.name(node))
        .collect();
    assert_eq!(tests, ["tests/test_round.py", "test_area"]);
}

#[test]
fn loose_uses_are_found_by_name_and_by_source() {
    let graph = graph(SHAPES);
    let area = one(&graph, "Circle.area");
    let unresolved: Vec<NodeId> = graph.unresolved_named("sqrt").map(|one| one.from).collect();
    assert_eq!(unresolved, [area]);
    assert_eq!(graph.external_named("math.pi").count(), 1);
    let outside: Vec<&str> = graph
        .external_in(area)
        .map(|one| graph.name_of(one))
        .collect();
    assert_eq!(outside, ["math.pi"]);
    assert_eq!(graph.loose(), (1, 1));
}

#[test]
fn members_written_apart_belong_to_the_type_of_that_name() {
    let graph = graph(
        "
file geo/circle.go
  struct Circle 1-3
file geo/area.go
  method Area 1-3 owner:Circle
file other/circle.go
  struct Circle 1-3
",
    );
    let area = one(&graph, "Circle.Area");
    let circle = one(&graph, "geo/circle.go::Circle");
    assert_eq!(graph.parent(area), Some(circle));
    assert_eq!(graph.children(circle).collect::<Vec<_>>(), [area]);
}

#[test]
fn ids_survive_moved_lines_and_tell_duplicates_apart() {
    let before =
        graph("file a.py\n  function f 1-2\n  function f 4-5\n  class A 7-9\n    method f 8-9\n");
    let after = graph(
        "file a.py\n  function f 11-12\n  function f 14-15\n  class A 27-29\n    method f 28-29\n",
    );
    let ids = |graph: &Graph| graph.nodes().map(|node| graph.id(node)).collect::<Vec<_>>();
    assert_eq!(ids(&before), ids(&after));
    let mut unique = ids(&before);
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), 5);
}
