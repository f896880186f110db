//! Values that have no end, or a very far one.

use std::time::Instant;

use fourfold_dap_client::program::ProgramRequest;
use fourfold_dap_client::{Breakpoint, More, Of, Page, Session, Value, ValuesQuery};
use fourfold_testkit::Project;

use super::bench::*;

const PYTHON: &str = "class Node:
    def __init__(self):
        self.name = 'node'
        self.next = self


ring = [1]
ring.append(ring)
own = Node()
many = {number: 'x' for number in range(1000000)}
deep = 0
for level in range(500):
    deep = [deep]
print('made')
";

const NODE: &str = "const ring = [1];
ring.push(ring);
const own = { name: 'node' };
own.next = own;
const many = {};
for (let number = 0; number < 10000; number++) many['k' + number] = 'x';
const list = new Array(1000000).fill(7);
let deep = 0;
for (let level = 0; level < 500; level++) deep = [deep];
console.log('made');
";

/// The value at a path, so many levels deep.
async fn opened(session: &Session, path: &str, depth: usize) -> Value {
    let path = path.parse().unwrap();
    let mut query = ValuesQuery::new(Of::Path { frame: None, path });
    query.depth = depth;
    let mut page = session.values(query).await.unwrap();
    page.items.remove(0)
}

/// How many levels are open in a value, at most.
fn levels(page: Option<&Page<Value>>) -> usize {
    page.map_or(0, |page| {
        let inside = page.items.iter().map(|value| levels(value.inside.as_ref()));
        1 + inside.max().unwrap_or_default()
    })
}

/// That every text is as short as was asked for, and every page.
fn bounded(value: &Value) {
    assert!(value.text.chars().count() <= 300, "{value}");
    let inside = value.inside.as_ref().map_or(&[][..], |page| &page.items);
    assert!(inside.len() <= 30, "{value}");
    inside.iter().for_each(bounded);
}

async fn endless(session: &Session, own: &str, name: &str) {
    for path in ["ring", own, "deep"] {
        // Deeper than it goes: it ends all the same.
        let value = opened(session, path, 99).await;
        bounded(&value);
        assert_eq!(levels(value.inside.as_ref()), 3, "{value}");
        assert!(value.to_string().len() < 2000, "{value}");
    }
    // Around and around, it is the same.
    let around = opened(session, "ring[1][1][1][0]", 1).await;
    assert_eq!(around.text, "1");
    let around = opened(session, "own.next.next.next.name", 1).await;
    assert_eq!(around.text, name);
}

async fn far(session: &Session, path: &str, shown: &str) {
    let begun = Instant::now();
    let value = opened(session, path, 1).await;
    bounded(&value);
    let inside = value.inside.as_ref().unwrap();
    assert_eq!(inside.items.len(), 30, "{value}");
    assert_eq!(inside.items[29].text, shown, "{value}");
    assert!(inside.more != More::None, "{value}");
    assert!(begun.elapsed() < WAIT / 4, "{:?}", begun.elapsed());
}

async fn stops(file: &str, text: &str) -> (Bench, Session) {
    let bench = Bench::new(Project::new().file(file, text));
    let (session, outcome) = bench
        .launch(&ProgramRequest::file(file), |launch| {
            let at = Breakpoint::at_text(file, "'made'");
            launch.breakpoints.push(at);
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert!(stop.to_string().len() < 8000, "{stop}");
    stop.locals.items.iter().for_each(bounded);
    (bench, session)
}

#[tokio::test]
async fn values_of_python_that_hold_themselves_or_a_million_others_are_bounded() {
    let (bench, session) = stops("odd.py", PYTHON).await;
    endless(&session, "own", "'node'").await;
    far(&session, "many", "'x'").await;
    bench.end().await;
}

#[tokio::test]
async fn values_of_javascript_that_hold_themselves_or_a_million_others_are_bounded() {
    let (bench, session) = stops("odd.js", NODE).await;
    endless(&session, "own", "'node'").await;
    far(&session, "many", "'x'").await;
    far(&session, "list", "7").await;
    assert_eq!(opened(&session, "list[999999]", 1).await.text, "7");
    assert_eq!(opened(&session, "list.length", 1).await.text, "1000000");
    bench.end().await;
}
