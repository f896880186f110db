//! What counts as a test in Python: what pytest and unittest collect.

use super::{Checkout, group, impact};

#[test]
fn a_nested_function_is_no_test_and_what_decorates_it_is_reached_by_the_function_around() {
    let checkout = Checkout::of(
        "\
== cli.py
class Group:
    def command(self):
        return lambda f: f
== test_cli.py
from cli import Group

def test_nested():
    cli = Group()

    @cli.command()
    def test():
        pass

class TestGroup:
    def test_of_class(self):
        Group().command()

class Helper:
    def test_of_helper(self):
        Group().command()

def helper():
    class TestInside:
        def test_inside(self):
            Group().command()
",
    );
    let answer = checkout.ask(|inquiry| inquiry.impact(&impact("Group.command")));
    assert_eq!(
        group(&answer, "tests that reach it"),
        [
            "test_cli.py TestGroup.test_of_class [typed]",
            "test_cli.py test_nested [typed]",
        ],
        "{answer}"
    );
}
