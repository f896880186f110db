//! Rust's traps. The edges were worked out by hand from the language's rules.

use super::Project;
use expect_test::{Expect, expect};
use fourfold_code_graph::link::EdgeKind;

/// The edges of these kinds, what could not be told left out.
fn edges(text: &str, kinds: &[EdgeKind]) -> String {
    let edges = Project::of(text).edges(kinds);
    let known = edges.lines().filter(|line| !line.contains(" -> ? "));
    known.map(|line| format!("{line}\n")).collect()
}

/// Checks the calls and instantiations of a project.
fn calls(text: &str, expected: Expect) {
    expected.assert_eq(&edges(text, &[EdgeKind::Calls, EdgeKind::Instantiates]));
}

const PACKAGE: &str = "== Cargo.toml\n[package]\nname = \"shop\"\n";

#[test]
fn names_go_through_modules_aliases_reexports_and_globs() {
    calls(
        &format!(
            "{PACKAGE}\
== src/lib.rs
mod store;
mod text {{
    pub fn trim() {{}}
    pub mod deep {{
        pub fn go() {{
            super::trim();
            crate::store::open();
        }}
    }}
}}
pub use store::disk::write as save;
use text::{{deep, trim as cut}};

fn trim() {{}}

pub fn run() {{
    cut();
    trim();
    deep::go();
    save();
    self::text::trim();
}}
== src/store.rs
pub mod disk;
pub fn open() {{}}
== src/store/disk.rs
use super::*;
pub fn write() {{
    open();
}}
== tests/all.rs
use shop::*;
#[test]
fn it_runs() {{
    run();
    save();
}}
"
        ),
        expect![[r#"
            src/lib.rs run -> src/lib.rs text.deep.go [calls exact]
            src/lib.rs run -> src/lib.rs text.trim [calls exact]
            src/lib.rs run -> src/lib.rs trim [calls exact]
            src/lib.rs run -> src/store/disk.rs write [calls exact]
            src/lib.rs text.deep.go -> src/lib.rs text.trim [calls exact]
            src/lib.rs text.deep.go -> src/store.rs open [calls exact]
            src/store/disk.rs write -> src/store.rs open [calls exact]
            tests/all.rs it_runs -> src/lib.rs run [calls exact]
            tests/all.rs it_runs -> src/store/disk.rs write [calls exact]
        "#]],
    );
}

#[test]
fn the_receivers_type_decides_between_methods_of_one_name() {
    calls(
        &format!(
            "{PACKAGE}\
== src/lib.rs
use std::collections::HashMap;
use std::sync::{{Arc, Mutex}};

pub struct Cart {{ lines: Vec<Line>, log: Option<Box<Log>>, by_name: HashMap<String, Line> }}
pub struct Line {{ price: u32 }}
pub struct Log;

impl Line {{
    fn new(price: u32) -> Self {{ Line {{ price }} }}
    fn add(&mut self, n: u32) {{ self.check(); }}
    fn check(&self) {{}}
}}
impl Log {{
    fn add(&mut self, n: u32) {{}}
}}
impl Cart {{
    pub fn fill(&mut self, shared: Arc<Mutex<Log>>, unknown: impl Sized) {{
        for line in self.lines.iter_mut() {{ line.add(1); }}
        if let Some(log) = &mut self.log {{ log.add(2); }}
        self.by_name.get_mut(\"a\").unwrap().add(3);
        shared.lock().unwrap().add(4);
        let line = Line::new(5);
        let line = Log;
        let mut line = line;
        line.add(6);
        let prices: Vec<u32> = self.lines.iter().map(|line| {{ line.check(); line.price }}).collect();
        prices.len();
        let made: Vec<_> = vec![Line::new(1)].into_iter().filter(|l| l.price > 1).collect();
        made[0].check();
        match self.lines.pop() {{ Some(last) => last.check(), None => {{}} }}
    }}
}}
"
        ),
        expect![[r#"
            src/lib.rs Cart.fill -> src/lib.rs Line.add [calls inferred]
            src/lib.rs Cart.fill -> src/lib.rs Line.check [calls inferred]
            src/lib.rs Cart.fill -> src/lib.rs Line.new [calls exact]
            src/lib.rs Cart.fill -> src/lib.rs Log.add [calls inferred]
            src/lib.rs Cart.fill -> src/lib.rs Log.add [calls typed]
            src/lib.rs Line.add -> src/lib.rs Line.check [calls typed]
            src/lib.rs Line.new -> src/lib.rs Line [instantiates exact]
        "#]],
    );
}

#[test]
fn traits_give_defaults_bounds_and_overrides() {
    let text = format!(
        "{PACKAGE}\
== src/lib.rs
pub trait Shape {{
    fn area(&self) -> u32;
    fn twice(&self) -> u32 {{ self.area() * 2 }}
    fn make() -> Self where Self: Sized;
}}
pub trait Round: Shape {{ fn radius(&self) -> u32; }}
pub struct Disc;
pub struct Square;
impl Shape for Disc {{
    fn area(&self) -> u32 {{ self.radius() }}
    fn make() -> Self {{ Disc }}
}}
impl Round for Disc {{ fn radius(&self) -> u32 {{ 1 }} }}
impl Shape for Square {{
    fn area(&self) -> u32 {{ 4 }}
    fn twice(&self) -> u32 {{ 8 }}
    fn make() -> Self {{ Square }}
}}
pub trait Loud {{ fn shout(&self) {{}} }}
impl<T: Shape> Loud for T {{}}

fn generic<R: Round>(round: &R, boxed: Box<dyn Shape>, one: impl Shape) {{
    round.radius();
    round.area();
    boxed.twice();
    one.area();
    R::make();
}}
fn concrete() {{
    let disc = <Disc as Shape>::make();
    disc.twice();
    Square::make().twice();
    Shape::area(&disc);
    disc.shout();
}}
"
    );
    let calls = edges(&text, &[EdgeKind::Calls]);
    expect![[r#"
        src/lib.rs Disc.area -> src/lib.rs Disc.radius [calls typed]
        src/lib.rs Shape.twice -> src/lib.rs Shape.area [calls typed]
        src/lib.rs concrete -> src/lib.rs Disc.area [calls typed]
        src/lib.rs concrete -> src/lib.rs Disc.make [calls typed]
        src/lib.rs concrete -> src/lib.rs Loud.shout [calls inferred]
        src/lib.rs concrete -> src/lib.rs Shape.twice [calls inferred]
        src/lib.rs concrete -> src/lib.rs Square.make [calls typed]
        src/lib.rs concrete -> src/lib.rs Square.twice [calls inferred]
        src/lib.rs generic -> src/lib.rs Round.radius [calls typed]
        src/lib.rs generic -> src/lib.rs Shape.area [calls typed]
        src/lib.rs generic -> src/lib.rs Shape.make [calls typed]
        src/lib.rs generic -> src/lib.rs Shape.twice [calls typed]
    "#]]
    .assert_eq(&calls);
    let kinds = [EdgeKind::Implements, EdgeKind::Extends, EdgeKind::Overrides];
    expect![[r#"
        src/lib.rs -> src/lib.rs Loud [implements exact]
        src/lib.rs Disc -> src/lib.rs Round [implements exact]
        src/lib.rs Disc -> src/lib.rs Shape [implements exact]
        src/lib.rs Disc.area -> src/lib.rs Shape.area [overrides exact]
        src/lib.rs Disc.make -> src/lib.rs Shape.make [overrides exact]
        src/lib.rs Disc.radius -> src/lib.rs Round.radius [overrides exact]
        src/lib.rs Round -> src/lib.rs Shape [extends exact]
        src/lib.rs Square -> src/lib.rs Shape [implements exact]
        src/lib.rs Square.area -> src/lib.rs Shape.area [overrides exact]
        src/lib.rs Square.make -> src/lib.rs Shape.make [overrides exact]
        src/lib.rs Square.twice -> src/lib.rs Shape.twice [overrides exact]
    "#]]
    .assert_eq(&edges(&text, &kinds));
}

#[test]
fn macros_are_read_as_what_they_hold() {
    calls(
        &format!(
            "{PACKAGE}\
== src/lib.rs
macro_rules! on_unix {{ ($($item:item)*) => {{ $(#[cfg(unix)] $item)* }} }}
macro_rules! case {{
    ($name:ident, $body:expr) => {{ #[test] fn $name() {{ $crate::check($body) }} }};
}}
macro_rules! both {{ ($($t:tt)*) => {{ mod one {{ fn start() -> u8 {{ 1 }} $($t)* }} }} }}

pub fn check(n: u8) {{}}
fn one() -> u8 {{ 1 }}

on_unix! {{
    mod sys;
    fn inside() {{ one(); }}
}}
case!(named, one());
both! {{ fn uses() {{ start(); }} }}

fn run(items: Vec<Item>) {{
    println!(\"{{}}\", one());
    assert!(matches!(items.first(), Some(item) if item.ok()), \"{{}}\", inside());
    tokio::select! {{
        got = next() => {{ got.ok(); }}
        _ = sys::sleep() => one(),
    }}
}}
async fn next() -> Item {{ Item }}
struct Item;
impl Item {{ fn ok(&self) -> bool {{ true }} }}
== src/sys.rs
pub async fn sleep() {{}}
"
        ),
        expect![[r#"
            src/lib.rs -> src/lib.rs both [calls exact]
            src/lib.rs -> src/lib.rs case [calls exact]
            src/lib.rs -> src/lib.rs on_unix [calls exact]
            src/lib.rs case -> src/lib.rs check [calls exact]
            src/lib.rs inside -> src/lib.rs one [calls exact]
            src/lib.rs named -> src/lib.rs one [calls exact]
            src/lib.rs run -> src/lib.rs Item.ok [calls inferred]
            src/lib.rs run -> src/lib.rs inside [calls exact]
            src/lib.rs run -> src/lib.rs next [calls exact]
            src/lib.rs run -> src/lib.rs one [calls exact]
            src/lib.rs run -> src/sys.rs sleep [calls exact]
            src/lib.rs uses -> src/lib.rs both.start [calls exact]
        "#]],
    );
}

#[test]
fn functions_are_values_and_constructors_make() {
    let text = format!(
        "{PACKAGE}\
== src/lib.rs
pub enum Shape {{ Dot, Line(u8), Box {{ side: Side }} }}
pub struct Side(u8);
impl Side {{ fn long(&self) -> bool {{ self.0 > 1 }} }}
use Shape::Line;

fn twice(n: u8) -> u8 {{ if n > 3 {{ n }} else {{ twice(n + 1) }} }}
fn apply(f: fn(u8) -> u8, side: &Side) {{ f(1); }}
fn run(shape: Shape) {{
    apply(twice, &Side(2));
    let f = twice;
    f(2);
    let lines = vec![1].into_iter().map(Line);
    match shape {{
        Shape::Box {{ side }} => {{ side.long(); }}
        Shape::Line(n) => drop(Shape::Box {{ side: Side(n) }}),
        Shape::Dot => {{}}
    }}
}}
"
    );
    let edges = edges(
        &text,
        &[
            EdgeKind::Calls,
            EdgeKind::Instantiates,
            EdgeKind::References,
        ],
    );
    expect![[r#"
        src/lib.rs run -> src/lib.rs Shape.Box [instantiates exact]
        src/lib.rs run -> src/lib.rs Shape.Box [references exact]
        src/lib.rs run -> src/lib.rs Shape.Dot [references exact]
        src/lib.rs run -> src/lib.rs Shape.Line [references exact]
        src/lib.rs run -> src/lib.rs Side [instantiates exact]
        src/lib.rs run -> src/lib.rs Side.long [calls typed]
        src/lib.rs run -> src/lib.rs apply [calls exact]
        src/lib.rs run -> src/lib.rs twice [calls inferred]
        src/lib.rs run -> src/lib.rs twice [references exact]
        src/lib.rs twice -> src/lib.rs twice [calls exact]
    "#]]
    .assert_eq(&edges);
}

#[test]
fn what_is_outside_ends_the_search_and_what_is_unknown_stays_open() {
    let text = format!(
        "{PACKAGE}\
== src/lib.rs
use serde::Serialize;
use std::fs;

pub struct Store;
impl Store {{
    fn push(&mut self, n: u8) {{}}
    fn read(&self) {{}}
    fn only_here(&self) {{}}
}}
fn run(mystery: Mystery) {{
    let mut list = Vec::new();
    list.push(1);
    fs::read(\"a\").unwrap();
    serde::json(1).push(2);
    mystery.only_here();
    generated().read();
}}
"
    );
    expect![[r#"
        src/lib.rs run -> ! Vec.push [calls]
        src/lib.rs run -> ! Vec::new [calls]
        src/lib.rs run -> ! _.unwrap [calls]
        src/lib.rs run -> ! serde::json [calls]
        src/lib.rs run -> ! std::fs::read [calls]
        src/lib.rs run -> ? generated [calls]
        src/lib.rs run -> ? only_here [calls]
        src/lib.rs run -> ? push [calls]
        src/lib.rs run -> ? read [calls]"#]]
    .assert_eq(&Project::of(&text).links(&[EdgeKind::Calls]).join("\n"));
}

#[test]
fn crates_of_a_workspace_see_each_other_by_their_names() {
    calls(
        "\
== Cargo.toml
[workspace]
members = [\"a\", \"b-side\"]
== a/Cargo.toml
[package]
name = \"a\"
[dependencies]
other = { package = \"b-side\", path = \"../b-side\" }
== a/src/main.rs
#[path = \"odd/place.rs\"]
mod placed;
use other::Thing;
fn main() {
    Thing::new().name();
    other::free();
    placed::here();
}
== a/src/odd/place.rs
pub fn here() {}
== b-side/Cargo.toml
[package]
name = \"b-side\"
[lib]
path = \"lib.rs\"
== b-side/lib.rs
pub struct Thing;
impl Thing {
    pub fn new() -> Thing { Thing }
    pub fn name(&self) {}
}
pub fn free() {}
",
        expect![[r#"
            a/src/main.rs main -> a/src/odd/place.rs here [calls exact]
            a/src/main.rs main -> b-side/lib.rs Thing.name [calls inferred]
            a/src/main.rs main -> b-side/lib.rs Thing.new [calls exact]
            a/src/main.rs main -> b-side/lib.rs free [calls exact]
        "#]],
    );
}

#[test]
fn generics_are_put_in_and_smart_pointers_looked_through() {
    calls(
        &format!(
            "{PACKAGE}\
== src/lib.rs
use std::ops::Deref;
pub struct Pool<T> {{ items: Vec<T> }}
pub struct Guard<'a, T> {{ pool: &'a Pool<T>, item: T }}
pub struct Conn;
pub struct Other;
impl Conn {{ fn send(&self) -> Result<Reply, Error> {{ Ok(Reply) }} }}
impl Other {{ fn send(&self) {{}} }}
pub struct Reply;
impl Reply {{ fn body(self) -> Reply {{ self }} }}
pub struct Error;
impl Error {{ fn body(&self) {{}} }}
impl From<Other> for Error {{ fn from(other: Other) -> Error {{ Error }} }}
impl From<Conn> for Error {{ fn from(conn: Conn) -> Error {{ Error }} }}
impl<T> Pool<T> {{
    pub fn get(&self) -> Guard<'_, T> {{ panic!() }}
    pub fn each<F: FnMut(&T)>(&self, f: F) {{ self.items.iter().for_each(f) }}
}}
impl<'a, T> Deref for Guard<'a, T> {{
    type Target = T;
    fn deref(&self) -> &T {{ &self.item }}
}}
fn run(pool: &Pool<Conn>, others: Pool<Other>) -> Result<(), Error> {{
    pool.get().send()?.body();
    pool.get().send().map_err(|e| e.body());
    others.each(|other| other.send());
    let error = Error::from(Other);
    error.body();
    Ok(())
}}
"
        ),
        expect![[r#"
            src/lib.rs run -> src/lib.rs Conn.send [calls inferred]
            src/lib.rs run -> src/lib.rs Error.body [calls inferred]
            src/lib.rs run -> src/lib.rs Error.from [calls typed]
            src/lib.rs run -> src/lib.rs Other.send [calls inferred]
            src/lib.rs run -> src/lib.rs Pool.each [calls typed]
            src/lib.rs run -> src/lib.rs Pool.get [calls typed]
            src/lib.rs run -> src/lib.rs Reply.body [calls inferred]
        "#]],
    );
}

#[test]
fn what_a_pointer_has_is_not_what_it_points_to_has() {
    let project = Project::of(&format!(
        "{PACKAGE}\
== src/lib.rs
trait Number {{
    fn as_usize(self) -> usize;
}}
impl<T> Number for *const T {{
    fn as_usize(self) -> usize {{ self as usize }}
}}
pub struct Id(u32);
macro_rules! methods {{
    ($name:ident) => {{
        impl $name {{
            fn as_usize(&self) -> usize {{ 0 }}
        }}
    }};
}}
methods!(Id);
pub fn at(id: Id) -> usize {{
    id.as_usize()
}}
"
    ));
    // What the macro makes is not seen, and what pointers have does not stand in for it.
    expect![[r#"
        src/lib.rs -> src/lib.rs methods [calls exact]
    "#]]
    .assert_eq(&project.calls());
}
