//! Values that have no end, or a very far one.

use std::time::Instant;

use fourfold_dap_client::program::ProgramRequest;
use fourfold_dap_client::{Breakpoint, EvaluateQuery, More, Of, Page, Session, Value, ValuesQuery};
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
for (let number = 0; number < 1000000; number++) many['k' + number] = 'x';
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
    assert_eq!(opened(&session, "many.k999999", 1).await.text, "'x'");
    let handle = session
        .evaluate(EvaluateQuery::new("many"))
        .await
        .unwrap()
        .handle
        .unwrap();
    let mut query = ValuesQuery::new(Of::Value(handle));
    (query.start, query.count) = (999_998, 5);
    let last = session.values(query).await.unwrap();
    let names: Vec<_> = last.items.iter().map(|value| value.name.as_str()).collect();
    assert_eq!((names, last.more), (vec!["k999998", "k999999"], More::None));
    far(&session, "list", "7").await;
    assert_eq!(opened(&session, "list[999999]", 1).await.text, "7");
    assert_eq!(opened(&session, "list.length", 1).await.text, "1000000");
    bench.end().await;
}

/// Text that is as long as was asked for, and says how much there is.
async fn long(file: &str, text: &str, length: usize) {
    let bench = Bench::new(Project::new().file(file, text));
    let (session, outcome) = bench
        .launch(&ProgramRequest::file(file), |launch| {
            launch.breakpoints.push(Breakpoint::at_text(file, "HERE"));
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert!(stop.to_string().len() < 8000, "{stop}");
    let begun = Instant::now();
    let value = opened(&session, "text", 1).await;
    bounded(&value);
    assert!(value.text.contains("xxxx") && value.shortened, "{value}");
    let size = match file.ends_with(".py") {
        true => "len(text)",
        false => "text.length",
    };
    assert_eq!(asked(&session, size).await, length.to_string());
    assert!(begun.elapsed() < WAIT / 2, "{:?}", begun.elapsed());
    bench.end().await;
}

#[tokio::test]
async fn a_text_of_a_gigabyte_is_cut() {
    let text = "def look(text):\n    return len(text)  # HERE\n\n\nlook('x' * (1 << 30))\n";
    long("long.py", text, 1 << 30).await;
}

/// It gets the whole of it, whatever is asked: it loses the program over half a gigabyte, which is as
/// much as a text can hold there.
#[tokio::test]
async fn a_text_of_a_hundred_megabytes_is_cut_by_js_debug() {
    let text = "function look(text) {\n  return text.length; // HERE\n}\nlook('x'.repeat(1e8));\n";
    long("long.js", text, 100_000_000).await;
}
