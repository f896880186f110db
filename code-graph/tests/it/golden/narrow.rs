//! What guards say of a name, and how long. The edges were worked out by hand.

use super::Project;
use expect_test::expect;

#[test]
fn a_guard_ends_with_the_name_that_it_was_about() {
    let project = Project::of(
        "\
== guard.py
from __future__ import annotations
import typing as t

class A:
    def go(self): pass
    def __call__(self): pass

class B:
    def go(self): pass

class C:
    def go(self): pass

def invoke(callback: A | t.Callable[..., int]):
    if isinstance(callback, A):
        other = callback
        if other is None:
            raise TypeError
        else:
            callback = t.cast('t.Callable[..., int]', other)
        other.go()
    return callback()

def within(x):
    if isinstance(x, A):
        x.go()
        x = B()
        x.go()

def left(x: A | B):
    if isinstance(x, A):
        return
    x.go()

def otherwise(x: A | B):
    if isinstance(x, A):
        pass
    else:
        x.go()

def several(x: A | B | C):
    if isinstance(x, A):
        return
    if isinstance(x, B):
        raise TypeError
    x.go()

def given(x: A | B):
    if isinstance(x, A):
        x = C()
    x.go()

def maybe(x: A | B):
    if isinstance(x, A):
        if x:
            x = C()
    x.go()
",
    );
    // `maybe` is declared to get an `A` or a `B`, and may have kept either.
    expect![[r#"
        guard.py given -> guard.py B.go [calls candidate]
        guard.py given -> guard.py C [instantiates exact]
        guard.py given -> guard.py C.go [calls candidate]
        guard.py invoke -> guard.py A.go [calls typed]
        guard.py left -> guard.py B.go [calls typed]
        guard.py maybe -> guard.py A.go [calls candidate]
        guard.py maybe -> guard.py B.go [calls candidate]
        guard.py maybe -> guard.py C [instantiates exact]
        guard.py otherwise -> guard.py B.go [calls typed]
        guard.py several -> guard.py C.go [calls typed]
        guard.py within -> guard.py A.go [calls typed]
        guard.py within -> guard.py B [instantiates exact]
        guard.py within -> guard.py B.go [calls typed]
    "#]]
    .assert_eq(&project.calls());
}

#[test]
fn overloads_that_the_arguments_do_not_decide_are_candidates() {
    let project = Project::of(
        "\
== deco.py
from __future__ import annotations
import typing as t

Any = t.Callable[..., t.Any]

class Command:
    def __call__(self): pass
    def run(self): pass

@t.overload
def command(name: Any) -> Command: ...
@t.overload
def command(name: str | None, cls: type, **attrs: t.Any) -> t.Callable[[Any], Command]: ...
@t.overload
def command(name: None = None, *, cls: type, **attrs: t.Any) -> t.Callable[[Any], Command]: ...
@t.overload
def command(name: str | None = ..., cls: None = None, **attrs: t.Any) -> t.Callable[[Any], Command]: ...
def command(name=None, cls=None, **attrs):
    pass

def spread(f, *args, **kwargs):
    command(*args, **kwargs)(f)

def by_text(f):
    command('x')(f)

def by_name(f, cls, **attrs):
    command(cls=cls, **attrs)(f)

def by_other_name(f):
    command(help='x')(f)

def by_nothing(f):
    command()(f)

def by_function(f):
    command(by_text).run()

@t.overload
def same(x: int) -> Command: ...
@t.overload
def same(x: str, y: int) -> Command: ...
def same(x, y=0):
    pass

def alike(*args):
    same(*args).run()
",
    );
    // Only `by_function` is sure to get a command: the others get what makes one.
    expect![[r#"
        deco.py alike -> deco.py Command.run [calls inferred]
        deco.py alike -> deco.py same [calls exact]
        deco.py by_function -> deco.py Command.run [calls inferred]
        deco.py by_function -> deco.py command [calls exact]
        deco.py by_name -> deco.py command [calls exact]
        deco.py by_nothing -> deco.py command [calls exact]
        deco.py by_other_name -> deco.py command [calls exact]
        deco.py by_text -> deco.py command [calls exact]
        deco.py spread -> deco.py Command.__call__ [calls candidate]
        deco.py spread -> deco.py command [calls exact]
    "#]]
    .assert_eq(&project.calls());
}

#[test]
fn overloads_are_told_apart_by_literals_and_classes() {
    let project = Project::of(
        "\
== pick.py
from __future__ import annotations
import typing as t

class Shell:
    def go(self): pass

class Bash(Shell):
    def go(self): pass

class Fish(Shell):
    def go(self): pass

@t.overload
def pick(name: t.Literal['bash', 'sh']) -> Bash: ...
@t.overload
def pick(name: t.Literal['fish']) -> Fish: ...
@t.overload
def pick(name: None) -> None: ...
@t.overload
def pick(name: str) -> Shell: ...
def pick(name): pass

@t.overload
def copy(shell: Bash) -> Bash: ...
@t.overload
def copy(shell: Fish) -> Fish: ...
def copy(shell): pass

class Deep(Fish):
    pass

def by_literal():
    pick('sh').go()

def by_other_literal():
    pick('fish').go()

def by_text(name: str):
    pick(name).go()

def by_class(deep: Deep):
    copy(deep).go()

def by_anything(shell):
    copy(shell).go()
",
    );
    expect![[r#"
        pick.py by_anything -> pick.py Bash.go [calls candidate]
        pick.py by_anything -> pick.py Fish.go [calls candidate]
        pick.py by_anything -> pick.py copy [calls exact]
        pick.py by_class -> pick.py Fish.go [calls inferred]
        pick.py by_class -> pick.py copy [calls exact]
        pick.py by_literal -> pick.py Bash.go [calls inferred]
        pick.py by_literal -> pick.py pick [calls exact]
        pick.py by_other_literal -> pick.py Fish.go [calls inferred]
        pick.py by_other_literal -> pick.py pick [calls exact]
        pick.py by_text -> pick.py Shell.go [calls inferred]
        pick.py by_text -> pick.py pick [calls exact]
    "#]]
    .assert_eq(&project.calls());
}
