//! Python's traps. The edges were worked out by hand from the language's rules.

use super::Project;
use expect_test::expect;
use fourfold_code_graph::link::EdgeKind;

fn calls(text: &str) -> String {
    Project::of(text).calls()
}

#[test]
fn a_receiver_decides_between_methods_of_one_name() {
    let edges = calls(
        "\
== shop.py
class Cart:
    def add(self, item):
        self.check(item)

    def check(self, item):
        pass

class Log:
    def add(self, line):
        pass

def fill(cart: Cart, log):
    cart.add(1)
    log.add(2)
    made = Log()
    made.add(3)
    text = []
    text.append(4)
",
    );
    // `log` has no type: its call is left open. `text` is a list: its call leaves the project.
    expect![[r#"
        shop.py Cart.add -> shop.py Cart.check [calls typed]
        shop.py fill -> ? add [calls]
        shop.py fill -> shop.py Cart.add [calls typed]
        shop.py fill -> shop.py Log [instantiates exact]
        shop.py fill -> shop.py Log.add [calls typed]
    "#]]
    .assert_eq(&edges);
}

#[test]
fn what_is_unknown_stays_open_and_what_is_outside_ends_the_search() {
    let project = Project::of(
        "\
== shop.py
import os.path
from lib import helper

class Cart:
    def join(self):
        pass

def fill(log):
    os.path.join('a', 'b')
    helper.join()
    log.join()
    'a'.join([])
    print(len([]))
",
    );
    // All the others are outside: nothing is told of them.
    expect![[r#"
        shop.py fill -> ? join [calls]
    "#]]
    .assert_eq(&project.calls());
}

#[test]
fn imports_are_followed_through_packages_aliases_and_wildcards() {
    let edges = calls(
        "\
== pkg/__init__.py
from .core import *
from .other import make as build
== pkg/core.py
__all__ = ['Engine']
__all__ += ['start']

class Engine:
    def __init__(self):
        pass

    def run(self):
        pass

def start():
    return Engine()

def hidden():
    pass
== pkg/other.py
from . import core
from .core import Engine as E

def make():
    core.start()
    return E()
== use.py
import pkg
import pkg.other
from pkg import build, core as c

def main():
    pkg.start().run()
    build().run()
    c.hidden()
    pkg.other.make()
    pkg.hidden()
",
    );
    // `pkg.hidden` does not exist: the wildcard brings what `__all__` names.
    expect![[r#"
        pkg/core.py start -> pkg/core.py Engine [instantiates exact]
        pkg/core.py start -> pkg/core.py Engine.__init__ [calls exact]
        pkg/other.py make -> pkg/core.py Engine [instantiates exact]
        pkg/other.py make -> pkg/core.py Engine.__init__ [calls exact]
        pkg/other.py make -> pkg/core.py start [calls exact]
        use.py main -> ? hidden [calls]
        use.py main -> pkg/core.py Engine.run [calls inferred]
        use.py main -> pkg/core.py hidden [calls exact]
        use.py main -> pkg/core.py start [calls exact]
        use.py main -> pkg/other.py make [calls exact]
    "#]]
    .assert_eq(&edges);
}

#[test]
fn members_come_through_the_hierarchy() {
    let edges = calls(
        "\
== zoo.py
class Animal:
    def speak(self):
        return self.sound()

    def sound(self):
        pass

    @classmethod
    def make(cls):
        return cls()

    @property
    def friend(self) -> 'Dog':
        pass

class Loud(Animal):
    def sound(self):
        super().sound()

class Dog(Loud):
    def __init__(self):
        self.tail = Tail()

    def wag(self):
        self.tail.move()
        self.speak()

class Tail:
    def move(self):
        pass

def play():
    Dog.make().wag()
    Loud().friend.wag()
",
    );
    expect![[r#"
        zoo.py Animal.make -> zoo.py Animal [instantiates typed]
        zoo.py Animal.speak -> zoo.py Animal.sound [calls typed]
        zoo.py Dog.__init__ -> zoo.py Tail [instantiates exact]
        zoo.py Dog.wag -> zoo.py Animal.speak [calls typed]
        zoo.py Dog.wag -> zoo.py Tail.move [calls typed]
        zoo.py Loud.sound -> zoo.py Animal.sound [calls typed]
        zoo.py play -> zoo.py Animal.make [calls typed]
        zoo.py play -> zoo.py Dog.wag [calls inferred]
        zoo.py play -> zoo.py Loud [instantiates exact]
    "#]]
    .assert_eq(&edges);
}

#[test]
fn functions_are_followed_as_values() {
    let edges = calls(
        "\
== flow.py
def ring():
    pass

def buzz():
    pass

def twice(action):
    action()

def pick():
    return ring

table = {'ring': ring, 'buzz': buzz}

twice(buzz)
pick()()
table['ring']()
alias = ring
alias()

def outer(f):
    def inner():
        f()
    return inner

@outer
def decorated():
    pass

[one for one in [ring]][0]()
",
    );
    expect![[r#"
        flow.py -> flow.py pick [calls exact]
        flow.py -> flow.py ring [calls inferred]
        flow.py -> flow.py twice [calls exact]
        flow.py outer.inner -> flow.py decorated [calls inferred]
        flow.py twice -> flow.py buzz [calls inferred]
    "#]]
    .assert_eq(&edges);
}

#[test]
fn types_are_read_from_annotations_and_containers() {
    let edges = calls(
        "\
== types_.py
from __future__ import annotations
from typing import Dict, Generic, Iterator, List, Optional, TypeVar, cast
from contextlib import contextmanager

T = TypeVar('T')

class A:
    def go(self): pass

class Box(Generic[T]):
    def __init__(self, value: T): pass
    def get(self) -> T: pass

@contextmanager
def opened() -> Iterator[A]:
    yield A()

def first(items: List[T]) -> T: pass

def use(one: 'Optional[A]', many: Dict[str, list[A]], box: Box[A], raw, A_: A | None):
    one.go()
    for key, group in many.items():
        group[0].go()
    box.get().go()
    with opened() as a:
        a.go()
    cast('A', raw).go()
    first(group).go()
    if isinstance(raw, A):
        raw.go()
    [x.go() for x in many['k']]
    if (w := A()):
        w.go()
    A_.go()
",
    );
    expect![[r#"
        types_.py opened -> types_.py A [instantiates exact]
        types_.py use -> types_.py A [instantiates exact]
        types_.py use -> types_.py A.go [calls inferred]
        types_.py use -> types_.py A.go [calls typed]
        types_.py use -> types_.py Box.get [calls typed]
        types_.py use -> types_.py first [calls exact]
        types_.py use -> types_.py opened [calls exact]
    "#]]
    .assert_eq(&edges);
}

#[test]
fn inheritance_overrides_and_uses_are_edges() {
    let project = Project::of(
        "\
== base.py
class Base:
    def go(self): pass
== sub.py
from base import Base
import base as b

LIMIT = 3

class Sub(Base):
    def go(self): pass

def take(x: Base) -> b.Base:
    return [LIMIT, take]
",
    );
    expect![[r#"
        sub.py -> base.py Base [imports exact]
        sub.py -> base.py [imports exact]
        sub.py Sub -> base.py Base [extends exact]
        sub.py Sub.go -> base.py Base.go [overrides typed]
        sub.py take -> base.py Base [uses_type exact]
        sub.py take -> sub.py LIMIT [references exact]
        sub.py take -> sub.py take [references exact]
    "#]]
    .assert_eq(&project.edges(&[
        EdgeKind::Imports,
        EdgeKind::Extends,
        EdgeKind::Overrides,
        EdgeKind::UsesType,
        EdgeKind::References,
    ]));
}

#[test]
fn the_order_of_files_and_of_asking_does_not_matter() {
    let text = "\
== a.py
from b import f
def g(x): return f(x)
def h(): return g(h)
== b.py
from a import g, h
def f(x): return g(x)
class C:
    def m(self): return self.n()
    def n(self): return self.m() or C()
def use():
    C().m().n()
    f(1).m()
    h()
";
    let project = Project::of(text);
    let forward: Vec<_> = {
        let world = project.world();
        (0..world.len()).map(|file| world.link(file)).collect()
    };
    let backward: Vec<_> = {
        let world = project.world();
        let mut links: Vec<_> = (0..world.len())
            .rev()
            .map(|file| world.link(file))
            .collect();
        links.reverse();
        links
    };
    assert_eq!(forward, backward);
}

#[test]
fn wildcard_imports_in_a_circle_end() {
    let edges = calls(
        "\
== a.py
from b import *
def f():
    g()
    nothing()
== b.py
from a import *
def g():
    f()
",
    );
    assert!(edges.contains("a.py f -> b.py g [calls exact]"), "{edges}");
    assert!(edges.contains("b.py g -> a.py f [calls exact]"), "{edges}");
}

#[test]
fn asynchronous_loops_and_blocks_call_their_own_protocol() {
    let project = Project::of(
        "\
== feed.py
class Item:
    def show(self):
        pass

class Feed:
    def __enter__(self):
        raise TypeError

    def __iter__(self):
        raise TypeError

    async def __aenter__(self):
        return self

    def __aiter__(self):
        return self

    async def __anext__(self) -> Item:
        return Item()

async def read(feed: Feed):
    async with feed:
        async for item in feed:
            item.show()

async def all_of(feed: Feed):
    return [item.show() async for item in feed]
",
    );
    expect![[r#"
        feed.py Feed.__anext__ -> feed.py Item [instantiates exact]
        feed.py all_of -> feed.py Feed.__aiter__ [references typed]
        feed.py all_of -> feed.py Feed.__anext__ [references inferred]
        feed.py all_of -> feed.py Item.show [calls inferred]
        feed.py read -> feed.py Feed.__aenter__ [references typed]
        feed.py read -> feed.py Feed.__aiter__ [references typed]
        feed.py read -> feed.py Feed.__anext__ [references inferred]
        feed.py read -> feed.py Item.show [calls inferred]
    "#]]
    .assert_eq(&project.edges(&[
        EdgeKind::Calls,
        EdgeKind::Instantiates,
        EdgeKind::References,
    ]));
}

#[test]
fn a_project_inside_the_checkout_is_searched_from_its_own_root() {
    let project = Project::of(
        "\
== examples/tut/flaskr/__init__.py
def make():
    return 1

== examples/tut/flaskr/db.py
import flaskr

def connect():
    return flaskr.make()

== examples/tut/tests/test_a.py
from flaskr import make
from flaskr.db import connect
import flaskr.db

def test_it():
    make()
    connect()
    flaskr.db.connect()

== examples/tut/src/inner/__init__.py
def deep():
    return 1

== examples/tut/docs/conf.py
import inner
inner.deep()

== examples/celery/make.py
import celery
celery.run()

== src/lib/json/__init__.py
def dumps():
    return 1

== tests/apps/bp/__init__.py
def bpf():
    return 1

== tests/test_b.py
import json
import bp

def test_b():
    from bp import bpf
    bpf()
    bp.bpf()
    json.dumps()
",
    );
    let found = project.links(&[EdgeKind::Calls]);
    expect![[r#"
        examples/celery/make.py -> ! celery.run [calls]
        examples/tut/docs/conf.py -> examples/tut/src/inner/__init__.py deep [calls exact]
        examples/tut/flaskr/db.py connect -> examples/tut/flaskr/__init__.py make [calls exact]
        examples/tut/tests/test_a.py test_it -> examples/tut/flaskr/__init__.py make [calls exact]
        examples/tut/tests/test_a.py test_it -> examples/tut/flaskr/db.py connect [calls exact]
        tests/test_b.py test_b -> ! json.dumps [calls]
        tests/test_b.py test_b -> ? bpf [calls]"#]]
    .assert_eq(&found.join("\n"));
}

#[test]
fn a_variable_of_a_module_depends_on_what_it_is_made_of() {
    let project = Project::of(
        "\
== a.py
def make():
    return 1

X = make()
Y: int = make()
make()

def uses_x():
    return X

def local():
    z = make()
    return z

== b.py
import a
from a import Y

def uses_y():
    return a.X + Y
",
    );
    expect![[r#"
        a.py -> a.py make [calls exact]
        a.py X -> a.py make [calls exact]
        a.py Y -> a.py make [calls exact]
        a.py local -> a.py make [calls exact]
        a.py uses_x -> a.py X [references exact]
        b.py uses_y -> a.py X [references exact]
        b.py uses_y -> a.py Y [references exact]
    "#]]
    .assert_eq(&project.edges(&[EdgeKind::Calls, EdgeKind::References]));
}
