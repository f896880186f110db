//! What Python calls without naming it. The edges were worked out by hand from the language's rules.

use super::Project;
use expect_test::expect;
use fourfold_code_graph::link::EdgeKind;

fn references(text: &str) -> String {
    Project::of(text).edges(&[EdgeKind::References])
}

#[test]
fn a_with_enters_and_leaves() {
    let edges = references(
        "\
== with_.py
import threading
from contextlib import contextmanager

class Context:
    def __enter__(self):
        return self

    def __exit__(self, *info):
        pass

    def again(self):
        with self as same:
            pass

class Session(Context):
    async def __aenter__(self):
        return self

    async def __aexit__(self, *info):
        pass

@contextmanager
def opened():
    yield Context()

def make() -> Context:
    return Context()

def two(one: Context, text):
    with one, make() as other:
        pass
    with open(text) as file, threading.Lock():
        pass
    with text:
        pass
    with opened() as inner:
        with inner:
            pass

async def later(session: Session):
    async with session:
        pass
    with session:
        pass
",
    );
    // What a generator function makes is entered by the library, and `text` may be anything.
    expect![[r#"
        with_.py Context.again -> with_.py Context.__enter__ [references typed]
        with_.py Context.again -> with_.py Context.__exit__ [references typed]
        with_.py later -> with_.py Context.__enter__ [references typed]
        with_.py later -> with_.py Context.__exit__ [references typed]
        with_.py later -> with_.py Session.__aenter__ [references typed]
        with_.py later -> with_.py Session.__aexit__ [references typed]
        with_.py two -> with_.py Context.__enter__ [references inferred]
        with_.py two -> with_.py Context.__enter__ [references typed]
        with_.py two -> with_.py Context.__exit__ [references inferred]
        with_.py two -> with_.py Context.__exit__ [references typed]
    "#]]
    .assert_eq(&edges);
}

#[test]
fn operators_and_subscripts_call_the_methods_of_the_left_side() {
    let edges = references(
        "\
== money.py
class Money:
    def __add__(self, other) -> 'Money':
        return self

    def __iadd__(self, other):
        return self

    def __sub__(self, other):
        return self

    def __eq__(self, other):
        return True

    def __lt__(self, other):
        return True

class Purse:
    def __len__(self):
        return 1

    def __getitem__(self, at) -> Money:
        return Money()

    def __setitem__(self, at, money):
        pass

    def __delitem__(self, at):
        pass

    def __contains__(self, money):
        return True

    def __class_getitem__(cls, of):
        return cls

def add(a: Money, b, text):
    b + a
    a + b + b
    text % 1

def shift(a: Money):
    a += 1

def less(a: Money):
    a -= 1

def compare(a: Money, b):
    b ==a
    a != b

def order(a: Money, b: Money, c):
    a < b < c
    a is b

def size(purse: Purse):
    return len(purse)

def get(purse: Purse, text):
    text[0]
    return purse[0]

def put(purse: Purse, text):
    purse[0] = text[1]

def both(purse: Purse):
    purse[0], text = 1, 2

def remove(purse: Purse):
    del purse[0]

def change(purse: Purse):
    purse[0] += 1

def has(purse: Purse, money):
    return money not in purse

def of_type():
    return Purse[int]
== own.py
from money import Purse

def len(x):
    return 1

def size(purse: Purse):
    return len(purse)
",
    );
    // `b + a` may call anything; `a < b < c` compares `b` too; a class is subscripted by another
    // method than its instances; `len` of `own.py` is not the built-in one.
    expect![[r#"
        money.py add -> money.py Money.__add__ [references typed]
        money.py both -> money.py Purse.__setitem__ [references typed]
        money.py change -> money.py Money.__iadd__ [references inferred]
        money.py change -> money.py Purse.__getitem__ [references typed]
        money.py change -> money.py Purse.__setitem__ [references typed]
        money.py compare -> money.py Money.__eq__ [references typed]
        money.py get -> money.py Purse.__getitem__ [references typed]
        money.py has -> money.py Purse.__contains__ [references typed]
        money.py less -> money.py Money.__sub__ [references typed]
        money.py of_type -> money.py Purse [references exact]
        money.py order -> money.py Money.__lt__ [references typed]
        money.py put -> money.py Purse.__setitem__ [references typed]
        money.py remove -> money.py Purse.__delitem__ [references typed]
        money.py shift -> money.py Money.__iadd__ [references typed]
        money.py size -> money.py Purse.__len__ [references typed]
    "#]]
    .assert_eq(&edges);
}
