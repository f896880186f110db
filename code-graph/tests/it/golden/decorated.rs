//! Who calls what a decorator is made with, and what a test is. Worked out by the languages' rules.

use super::Project;
use expect_test::expect;
use fourfold_code_graph::link::EdgeKind;

#[test]
fn what_a_decorator_is_made_with_is_credited_to_what_it_decorates() {
    let project = Project::of(
        "\
== cli.py
def option(name):
    return lambda f: f

def name():
    return 'x'

@option(name())
def command():
    pass

@option('y')
class Group:
    @option('z')
    def run(self):
        pass

    @property
    def plain(self):
        pass

def test_nested():
    @option('w')
    def inner():
        name()
",
    );
    // The function around runs the decorators of what is written in it, and hands that on.
    expect![[r#"
        cli.py Group -> cli.py option [calls exact]
        cli.py Group -> cli.py option [decorates exact]
        cli.py Group.run -> cli.py option [calls exact]
        cli.py Group.run -> cli.py option [decorates exact]
        cli.py command -> cli.py name [calls exact]
        cli.py command -> cli.py option [calls exact]
        cli.py command -> cli.py option [decorates exact]
        cli.py test_nested -> cli.py test_nested.inner [references exact]
        cli.py test_nested.inner -> cli.py name [calls exact]
        cli.py test_nested.inner -> cli.py option [calls exact]
        cli.py test_nested.inner -> cli.py option [decorates exact]
    "#]]
    .assert_eq(&project.edges(&[EdgeKind::Calls, EdgeKind::Decorates, EdgeKind::References]));
}

#[test]
fn decorators_of_typescript_run_where_the_class_is_defined() {
    let project = Project::of(
        "\
== app.ts
function dec(x: unknown): any { return x; }
function arg() { return 1; }

@dec(arg())
class App {
    @dec(arg())
    run(@dec(arg()) x: number) {}

    @dec(1)
    field = 2;
}

@dec(2)
export class Shown {}

function make() {
    @dec(arg())
    class Inner {}
    return Inner;
}
",
    );
    // Those of members and parameters are evaluated in the definition of the class.
    expect![[r#"
        app.ts -> app.ts arg [calls exact]
        app.ts -> app.ts dec [calls exact]
        app.ts App -> app.ts arg [calls exact]
        app.ts App -> app.ts dec [calls exact]
        app.ts make -> app.ts arg [calls exact]
        app.ts make -> app.ts dec [calls exact]
    "#]]
    .assert_eq(&project.calls());
}
