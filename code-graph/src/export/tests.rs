//! The exports of a small graph.

use super::*;
use crate::graph::Graph;
use crate::graph::fixture::graph;
use crate::link::Certainty;
use crate::query::{Resolution, Wanted};
use expect_test::expect;
use std::sync::Arc;

fn small() -> Graph {
    graph(
        "
file a/base.py
  class Base 1-3 doc:What_others_are.
    method run 2-3
file b.py
  class Sub 3-8
    method run 4-5
    method `odd 6-8 private
  . -> a/base.py:Base imports 1
  Sub -> a/base.py:Base extends 3
  Sub.run -> a/base.py:Base.run calls typed 5
  Sub.`odd -> Sub.run calls candidate 7
  Sub.`odd ? lost 8
  Sub.`odd ! os.getcwd 8
",
    )
}

fn text(write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn calls_are_pairs_of_definitions() {
    expect![[r#"
        {"caller":{"file":"b.py","line":4,"name":"run"},"callee":{"file":"a/base.py","line":2,"name":"run"},"kind":"call","tier":"typed"}
        {"caller":{"file":"b.py","line":6,"name":"`odd"},"callee":{"file":"b.py","line":4,"name":"run"},"kind":"call","tier":"candidate"}
    "#]].assert_eq(&text(|out| call_edges(&small(), out)));
}

#[test]
fn json_lines_hold_every_node_and_edge() {
    let graph = small();
    let lines = text(|out| json_lines(&graph, out));
    let lines: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |kind: &str| lines.iter().filter(|line| line["type"] == kind).count();
    assert_eq!(of("node"), graph.len());
    assert_eq!(of("edge"), graph.edges().len());
    assert_eq!((of("unresolved"), of("external")), (1, 1));
    let base = lines.iter().find(|line| line["name"] == "Base").unwrap();
    let run = lines
        .iter()
        .find(|line| line["name"] == "Base.run")
        .unwrap();
    assert_eq!(run["parent"], base["id"]);
    assert_eq!(base["doc"], "What others are.");
}

#[test]
fn a_neighbourhood_is_drawn() {
    let graph = small();
    let Resolution::One(around) = graph.resolve(&Wanted::named("Sub.run")) else {
        panic!("Sub.run");
    };
    let draw = |form| drawing(&graph, &around, 1, Certainty::Candidate, 60, form).0;
    expect![[r#"
        flowchart LR
          subgraph f0["a/base.py"]
            n2["method Base.run"]
          end
          subgraph f1["b.py"]
            n5(["method Sub.run"])
            n6["method Sub.`odd"]
          end
          n5 --> n2
          n5 -->|"overrides"| n2
          n6 -.-> n5
    "#]]
    .assert_eq(&draw(Drawing::Mermaid));
    expect![[r#"
        digraph code {
          rankdir=LR;
          node [shape=box];
          subgraph cluster_0 {
            label="a/base.py";
            n2 [label="method Base.run"];
          }
          subgraph cluster_1 {
            label="b.py";
            n5 [label="method Sub.run", style=bold];
            n6 [label="method Sub.`odd"];
          }
          n5 -> n2;
          n5 -> n2 [label="overrides"];
          n6 -> n5 [style=dashed];
        }
    "#]]
    .assert_eq(&draw(Drawing::Dot));
    let (_, left_out) = drawing(&graph, &around, 1, Certainty::Candidate, 2, Drawing::Dot);
    assert_eq!(left_out, 1);
}

/// The fields of a protobuf message: number, and the bytes or the number.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Vec<u8>, u64)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let value = varint(&mut bytes);
        match tag & 7 {
            0 => all.push((tag >> 3, Vec::new(), value)),
            2 => {
                let (inside, rest) = bytes.split_at(value as usize);
                all.push((tag >> 3, inside.to_vec(), 0));
                bytes = rest;
            }
            other => panic!("wire type {other}"),
        }
    }
    all
}

#[test]
fn scip_reads_back() {
    let graph = small();
    let reader = |_: &str| -> Option<Arc<str>> {
        // Line `n` begins at byte 100 (n - 1), as the fixture has it.
        Some(Arc::from(
            format!("{:<99}\n", "    name_of_it rest").repeat(9),
        ))
    };
    let mut out = Vec::new();
    scip(&graph, &reader, "file:///r", &mut out).unwrap();
    let mut said = String::new();
    for (field, bytes, _) in fields(&out) {
        if field != 2 {
            continue;
        }
        for (field, bytes, _) in fields(&bytes) {
            match field {
                1 => said.push_str(&format!("{}\n", String::from_utf8(bytes).unwrap())),
                2 => {
                    let inside = fields(&bytes);
                    let get = |wanted| inside.iter().find(|(field, ..)| *field == wanted);
                    let range = get(1)
                        .map(|(_, bytes, _)| bytes.clone())
                        .unwrap_or_default();
                    let symbol = get(2).map(|(_, bytes, _)| bytes.clone()).unwrap();
                    let roles = get(3).map_or(0, |(_, _, number)| *number);
                    let symbol = String::from_utf8(symbol).unwrap();
                    said.push_str(&format!("  {range:?} {roles} {symbol}\n"));
                }
                _ => {}
            }
        }
    }
    expect![[r#"
        a/base.py
          [0, 0, 0] 1 fourfold python . . a/`base.py`/
          [0, 4, 14] 1 fourfold python . . a/`base.py`/Base#
          [1, 4, 14] 1 fourfold python . . a/`base.py`/Base#run().
        b.py
          [0, 0, 0] 1 fourfold python . . `b.py`/
          [2, 4, 14] 1 fourfold python . . `b.py`/Sub#
          [3, 4, 14] 1 fourfold python . . `b.py`/Sub#run().
          [5, 4, 14] 1 fourfold python . . `b.py`/Sub#```odd`().
          [0, 10, 14] 2 fourfold python . . a/`base.py`/Base#
          [2, 11, 14] 0 fourfold python . . a/`base.py`/Base#
          [4, 12, 14] 0 fourfold python . . a/`base.py`/Base#run().
          [6, 13, 14] 0 fourfold python . . `b.py`/Sub#run().
    "#]]
    .assert_eq(&said);
}
