//! Small JavaScript and TypeScript projects with the edges that they truly have, worked out by hand.

use super::Project;
use fourfold_code_graph::link::EdgeKind;

#[track_caller]
fn calls(files: &[(&str, &str)], expected: &[&str]) {
    let found = Project::new(files).calls();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn the_same_method_in_two_classes_is_told_by_the_receiver() {
    calls(
        &[(
            "a.ts",
            "class A { go() {} }\n\
             class B { go() { this.go() } }\n\
             function f(a: A, xs: B[]) { a.go(); for (const b of xs) b.go(); new B().go() }\n\
             function g(x) { x.go() }\n",
        )],
        &[
            "a.ts B.go -> a.ts B.go [calls typed]",
            "a.ts f -> a.ts A.go [calls typed]",
            "a.ts f -> a.ts B [instantiates exact]",
            "a.ts f -> a.ts B.go [calls inferred]",
            "a.ts f -> a.ts B.go [calls typed]",
            "a.ts g -> ? go [calls]",
        ],
    );
}

#[test]
fn names_are_looked_up_through_aliases_re_exports_and_defaults() {
    calls(
        &[
            (
                "lib/a.ts",
                "export function run() {}\nfunction hidden() {}\nexport { hidden as shown }\nexport default class Main { start() {} }\n",
            ),
            (
                "lib/index.ts",
                "export * from './a'\nexport { run as go } from './a.js'\nexport * as all from './a'\nexport { default } from './a'\n",
            ),
            (
                "use.ts",
                "import Main, { run, go as launch, shown, all } from './lib'\nimport * as ns from './lib/index.js'\nimport { run as outside } from 'somewhere'\n\
                export const use = () => { run(); launch(); shown(); all.run(); ns.go(); outside(); new Main().start() }\n",
            ),
        ],
        &[
            "use.ts use -> lib/a.ts Main [instantiates exact]",
            "use.ts use -> lib/a.ts Main.start [calls typed]",
            "use.ts use -> lib/a.ts hidden [calls exact]",
            "use.ts use -> lib/a.ts run [calls exact]",
        ],
    );
}

#[test]
fn an_inner_name_hides_an_outer_one() {
    calls(
        &[(
            "a.js",
            "function f() {}\n\
             function outer() {\n  function f() {}\n  f()\n}\n\
             function block() {\n  { const f = () => 1; f() }\n  f()\n}\n\
             function param(f) { f() }\n",
        )],
        &[
            "a.js block -> a.js block.f [calls exact]",
            "a.js block -> a.js f [calls exact]",
            "a.js outer -> a.js outer.f [calls exact]",
            "a.js param -> ? f [calls]",
        ],
    );
}

#[test]
fn a_parameter_takes_its_type_from_where_the_function_is_written() {
    calls(
        &[(
            "a.ts",
            "interface Ctx { helper(): void }\n\
             type Transform = (node: number, ctx: Ctx) => void | (() => void)\n\
             const t: Transform = (node, ctx) => ctx.helper()\n\
             function each(work: (c: Ctx) => void) {}\n\
             function run(list: Ctx[], one: Map<string, Ctx>) {\n\
               each(c => c.helper())\n\
               list.filter(Boolean).forEach(c => c.helper())\n\
               one.get('x')!.helper()\n\
             }\n\
             const table: Record<string, Transform> = { a: (n, ctx) => ctx.helper() }\n",
        )],
        &[
            "a.ts run -> a.ts Ctx.helper [calls inferred]",
            "a.ts run -> a.ts Ctx.helper [calls typed]",
            "a.ts run -> a.ts each [calls exact]",
            "a.ts t -> a.ts Ctx.helper [calls inferred]",
            "a.ts table.a -> a.ts Ctx.helper [calls inferred]",
        ],
    );
}

#[test]
fn what_a_call_gives_is_followed() {
    calls(
        &[(
            "a.ts",
            "class Box<T> { constructor(private held: T) {} get(): T { return this.held } map<R>(f: (t: T) => R): Box<R> { return new Box(f(this.held)) } }\n\
             class Item { use() {} }\n\
             function make() { return new Item() }\n\
             async function load() { return make() }\n\
             async function main(b: Box<Item>) {\n\
               make().use()\n\
               b.get().use();\n\
               (await load()).use()\n\
             }\n",
        )],
        &[
            "a.ts Box.map -> a.ts Box [instantiates exact]",
            "a.ts Box.map -> a.ts Box.constructor [calls exact]",
            "a.ts load -> a.ts make [calls exact]",
            "a.ts main -> a.ts Box.get [calls typed]",
            "a.ts main -> a.ts Item.use [calls inferred]",
            "a.ts main -> a.ts load [calls exact]",
            "a.ts main -> a.ts make [calls exact]",
            "a.ts make -> a.ts Item [instantiates exact]",
        ],
    );
}

#[test]
fn a_call_of_a_variable_names_the_variable() {
    calls(
        &[(
            "a.ts",
            "class Z { static create() { return new Z() } parse() {} }\n\
             const make = Z.create\n\
             export function f() { make().parse() }\n",
        )],
        &[
            "a.ts Z.create -> a.ts Z [instantiates exact]",
            "a.ts f -> a.ts Z.parse [calls inferred]",
            "a.ts f -> a.ts make [calls exact]",
        ],
    );
}

#[test]
fn modules_of_node_and_old_classes() {
    calls(
        &[
            (
                "lib.js",
                "function Old() { this.part = new Part() }\nOld.prototype.run = function () { this.part.go(); this.stop() }\nOld.prototype.stop = () => {}\nclass Part { go() {} }\nfunction helper() {}\nmodule.exports = { Old, help: helper }\n",
            ),
            (
                "use.js",
                "const lib = require('./lib')\nconst { Old } = require('./lib')\nfunction main() { new Old().run(); lib.help() }\n",
            ),
        ],
        &[
            "lib.js Old -> lib.js Part [instantiates exact]",
            "lib.js Old.run -> lib.js Old.stop [calls typed]",
            "lib.js Old.run -> lib.js Part.go [calls typed]",
            "use.js main -> lib.js Old [instantiates exact]",
            "use.js main -> lib.js Old.run [calls typed]",
            "use.js main -> lib.js helper [calls inferred]",
        ],
    );
}

#[test]
fn overloads_are_one_symbol_and_the_fitting_one_gives_the_result() {
    calls(
        &[(
            "a.ts",
            "class A { a() {} }\nclass B { b() {} }\n\
             export function pick(x: string): A\nexport function pick(x: string, y: number): B\n\
             export function pick(x: any, y?: any): any { return null }\n\
             function f() { pick('').a(); pick('', 1).b() }\n",
        )],
        &[
            "a.ts f -> a.ts A.a [calls inferred]",
            "a.ts f -> a.ts B.b [calls inferred]",
            "a.ts f -> a.ts pick [calls exact]",
        ],
    );
}

#[test]
fn workspace_packages_and_path_patterns_lead_to_sources() {
    calls(
        &[
            (
                "tsconfig.json",
                "{ // paths\n \"extends\": \"./base.json\", \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"@/*\": [\"app/*\"] } } }",
            ),
            (
                "packages/core/package.json",
                "{ \"name\": \"@x/core\", \"main\": \"lib/index.js\", \"exports\": { \".\": \"./lib/index.js\", \"./node\": { \"default\": \"./lib/node/main.js\" } } }",
            ),
            ("packages/core/src/index.ts", "export function one() {}\n"),
            (
                "packages/core/src/node/main.ts",
                "export function two() {}\n",
            ),
            ("app/util/index.ts", "export function three() {}\n"),
            (
                "app/main.ts",
                "import { one } from '@x/core'\nimport { two } from '@x/core/node'\nimport { three } from '@/util'\none(); two(); three()\n",
            ),
        ],
        &[
            "app/main.ts -> app/util/index.ts three [calls exact]",
            "app/main.ts -> packages/core/src/index.ts one [calls exact]",
            "app/main.ts -> packages/core/src/node/main.ts two [calls exact]",
        ],
    );
}

#[test]
fn what_stands_in_a_callback_belongs_to_the_function_around() {
    calls(
        &[(
            "a.test.ts",
            "function helper() {}\nfunction wrap(f: () => void) { return f }\n\
             const wrapped = wrap(() => helper())\n\
             describe('x', () => { it('y', () => { helper() }) })\n",
        )],
        &[
            "a.test.ts -> a.test.ts helper [calls exact]",
            "a.test.ts wrapped -> a.test.ts helper [calls exact]",
            "a.test.ts wrapped -> a.test.ts wrap [calls exact]",
        ],
    );
}

#[test]
fn inheritance_decorators_types_and_components() {
    let kinds = [
        EdgeKind::Extends,
        EdgeKind::Implements,
        EdgeKind::Decorates,
        EdgeKind::UsesType,
        EdgeKind::References,
        EdgeKind::Overrides,
    ];
    let project = Project::new(&[(
        "a.tsx",
        "interface I { go(): void }\n\
                 class Base { go() {} }\n\
                 function deco(x: any) {}\n\
                 @deco class D extends Base implements I { go() { super.go() } }\n\
                 type Alias = I\n\
                 function Comp(p: Alias) { return <div/> }\n\
                 const view = () => <Comp/>\n",
    )]);
    let found = project.edges(&kinds);
    assert_eq!(
        found.lines().collect::<Vec<_>>(),
        [
            "a.tsx Alias -> a.tsx I [uses_type exact]",
            "a.tsx Comp -> a.tsx Alias [uses_type exact]",
            "a.tsx D -> a.tsx Base [extends exact]",
            "a.tsx D -> a.tsx I [implements exact]",
            "a.tsx D -> a.tsx deco [decorates exact]",
            "a.tsx D.go -> a.tsx Base.go [overrides typed]",
            "a.tsx view -> a.tsx Comp [references exact]",
        ]
    );
}

#[test]
fn of_an_interface_and_the_constant_that_makes_it_the_interface_is_inherited() {
    super::assert_hierarchy(
        &[(
            "shape.ts",
            "\
export interface Maker<T> {
  new (): T;
}

export interface Shape {
  area: number;
}

export const Shape: Maker<Shape> = make();

export interface Circle extends Shape {}

export class Square extends Shape {}
",
        )],
        "
        shape.ts Circle -> shape.ts Shape [extends exact]
        shape.ts Square -> shape.ts Shape [extends exact]
        ",
    );
}

#[test]
fn a_named_function_expression_that_is_exported_keeps_its_uses() {
    calls(
        &[
            (
                "u.js",
                "exports.anon = function (x) { return x; };\n\
                 exports.named = function named(x) { return x ? named(0) : x; };\n\
                 exports.other = function inner(x) { return inner(x); };\n\
                 function decl(x) { return x; }\n\
                 exports.decl = decl;\n\
                 module.exports.modnamed = function modnamed(x) { return x; };\n",
            ),
            (
                "whole.js",
                "module.exports = function create() { return create.cache; };\n",
            ),
            (
                "a.js",
                "var anon = require('./u').anon;\n\
                 var renamed = require('./u').named;\n\
                 var create = require('./whole');\n\
                 const u = require('./u');\n\
                 const { modnamed } = require('./u');\n\
                 function one() { return anon(1) + renamed(2) + create(); }\n\
                 function two() { return u.anon(1) + u.named(2) + u.decl(4) + u.modnamed(5) + modnamed(6) + u.other(7); }\n\
                 function three() { return require('./u').named(3); }\n",
            ),
        ],
        &[
            "a.js one -> u.js anon [calls exact]",
            "a.js one -> u.js named [calls exact]",
            "a.js one -> whole.js create [calls exact]",
            "a.js three -> u.js named [calls exact]",
            "a.js two -> u.js anon [calls exact]",
            "a.js two -> u.js decl [calls exact]",
            "a.js two -> u.js modnamed [calls exact]",
            "a.js two -> u.js named [calls exact]",
            "a.js two -> u.js other [calls exact]",
            "u.js named -> u.js named [calls exact]",
            "u.js other -> u.js other [calls exact]",
        ],
    );
}

#[test]
fn a_module_is_imported_however_it_is_required() {
    let files = [
        ("u.js", "exports.a = function a() {};\n"),
        ("whole.js", "exports.b = 1;\n"),
        (
            "bare.js",
            "require('./whole');\nfunction f() { return require('./u').a(); }\n",
        ),
        ("bound.js", "var a = require('./u').a;\na();\n"),
    ];
    let found = Project::new(&files).links(&[EdgeKind::Imports]);
    assert_eq!(
        found,
        [
            "bare.js -> u.js [imports exact]",
            "bare.js -> whole.js [imports exact]",
            "bound.js -> u.js [imports exact]",
            "bound.js -> u.js a [imports exact]",
        ]
    );
}

#[test]
fn the_functions_of_an_object_stand_for_the_members_of_its_declared_type() {
    let project = Project::new(&[(
        "a.ts",
        "export interface Shape { area(): number; name: () => string; }\n\
         export const circ: Shape = { area() { return 3; }, name: () => 'c' };\n\
         export const sat = { area() { return 4; }, name() { return 's'; } } satisfies Shape;\n\
         function factory(): Shape { return { area: function () { return 9; }, name: () => 'f' }; }\n\
         declare function take(shape: Shape): void;\n\
         take({ area() { return 5; }, name: () => 't' });\n\
         export interface Z { parse(x: number): number; keep(): void; }\n\
         export const Z = make<Z>({ parse(x) { return x; }, keep() { this.parse(2); } });\n\
         declare function make<T>(x: T): T;\n\
         export function use(z: Z) { return z.parse(1); }\n\
         const free = { area() { return 1; } };\n",
    )]);
    let found = project.links(&[EdgeKind::Overrides, EdgeKind::Calls, EdgeKind::UsesType]);
    let found: Vec<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(
        found,
        [
            "a.ts -> a.ts take [calls exact]",
            "a.ts Z -> a.ts Z [uses_type exact]",
            "a.ts Z -> a.ts make [calls exact]",
            "a.ts Z.keep -> a.ts Z.keep [overrides inferred]",
            "a.ts Z.keep -> a.ts Z.parse [calls inferred]",
            "a.ts Z.parse -> a.ts Z.parse [overrides inferred]",
            "a.ts area -> a.ts Shape.area [overrides inferred]",
            "a.ts circ -> a.ts Shape [uses_type exact]",
            "a.ts circ.area -> a.ts Shape.area [overrides inferred]",
            "a.ts circ.name -> a.ts Shape.name [overrides inferred]",
            "a.ts factory -> a.ts Shape [uses_type exact]",
            "a.ts factory.area -> a.ts Shape.area [overrides inferred]",
            "a.ts factory.name -> a.ts Shape.name [overrides inferred]",
            "a.ts name -> a.ts Shape.name [overrides inferred]",
            "a.ts sat -> a.ts Shape [uses_type exact]",
            "a.ts sat.area -> a.ts Shape.area [overrides inferred]",
            "a.ts sat.name -> a.ts Shape.name [overrides inferred]",
            "a.ts take -> a.ts Shape [uses_type exact]",
            "a.ts use -> a.ts Z [uses_type exact]",
            "a.ts use -> a.ts Z.parse [calls typed]",
        ]
    );
}

#[test]
fn a_function_hands_on_the_functions_that_are_written_in_it() {
    let project = Project::new(&[(
        "a.js",
        "function helper() { return 1; }\n\
         function outer() { return [1].map(function inner() { return helper(); }); }\n\
         function object() { return { k() { return helper(); }, p: () => helper() }; }\n\
         const top = { m() { return helper(); } };\n",
    )]);
    let found = project.edges(&[EdgeKind::References, EdgeKind::Calls]);
    assert_eq!(
        found.lines().collect::<Vec<_>>(),
        [
            "a.js object -> a.js object.k [references exact]",
            "a.js object -> a.js object.p [references exact]",
            "a.js object.k -> a.js helper [calls exact]",
            "a.js object.p -> a.js helper [calls exact]",
            "a.js outer -> a.js outer.inner [references exact]",
            "a.js outer.inner -> a.js helper [calls exact]",
            "a.js top.m -> a.js helper [calls exact]",
        ]
    );
}
