//! Every question that is not about problems, to real servers: the right answers, worked out by hand.

use std::path::Path;

use fourfold::{LspAction, LspRequest, LspResult, LspSymbol, ResolveRequest};
use fourfold_testkit::servers;

use crate::served::{Served, places};

/// A question about a symbol on a line, and the answer.
type Asked = (
    LspAction,
    &'static str,
    u32,
    &'static str,
    &'static [&'static str],
);

/// Asks all of them. Servers list what they find in any order.
#[track_caller]
fn ask(served: &Served, server: &str, questions: &[Asked]) {
    let mut wrong = Vec::new();
    for (action, file, line, symbol, expected) in questions {
        let result = served.lsp(&LspRequest::about(*action, file).at(*line, *symbol));
        assert_eq!(result.server.as_deref(), Some(server));
        let mut answer = places(&result);
        answer.extend(symbols(&result));
        answer.sort();
        if answer != *expected || result.total != expected.len() {
            wrong.push(format!(
                "{} {file}:{line} {symbol}: {answer:#?}",
                action.name()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `kind name path:line` of each, below its parents, with the lines of calls.
fn symbols(result: &LspResult) -> Vec<String> {
    let symbols = result.symbols.iter();
    symbols
        .map(|one| {
            let indent = "  ".repeat(one.depth);
            let calls = match one.call_lines.as_slice() {
                [] => String::new(),
                lines => format!(" on {lines:?}"),
            };
            format!(
                "{indent}{} {} {}:{}{calls}",
                one.kind, one.name, one.path, one.line
            )
        })
        .collect()
}

fn outline(served: &Served, file: &str) -> Vec<String> {
    symbols(&served.lsp(&LspRequest::about(LspAction::Symbols, file)))
}

/// What a word leads to in the whole project. clangd comes to know the standard library too, when it
/// has had the time: that comes after everything of the project.
#[track_caller]
fn found(served: &Served, query: &str) -> Vec<String> {
    let request = LspRequest {
        action: LspAction::Symbols,
        query: Some(query.to_owned()),
        ..LspRequest::default()
    };
    let answer = served.lsp(&request);
    let outside = |one: &LspSymbol| Path::new(&one.path).is_absolute();
    let ours = answer
        .symbols
        .iter()
        .take_while(|one| !outside(one))
        .count();
    let (_, rest) = answer.symbols.split_at(ours);
    assert!(rest.iter().all(outside), "{:?}", answer.symbols);
    let mut found = symbols(&answer);
    found.truncate(ours);
    found.sort();
    found
}

fn hover(served: &Served, file: &str, line: u32, symbol: &str) -> String {
    let hover = LspRequest::about(LspAction::Hover, file).at(line, symbol);
    served.lsp(&hover).hover.unwrap()
}

/// Formats a file, which changes when the stage is resolved and not before.
#[track_caller]
fn format(served: &Served, file: &str, expected: &str) {
    let before = served.project.read(file);
    let request = LspRequest::about(LspAction::Format, file);
    let staged = served.lsp(&request);
    assert_eq!(staged.files, [file]);
    assert_eq!(served.project.read(file), before);
    let waiting = served.conversation().staged().unwrap();
    assert_eq!(
        waiting.stages[0].description,
        Some(format!("format {file}"))
    );
    let apply = ResolveRequest::apply(staged.stage.unwrap());
    served.conversation().resolve(&apply).unwrap();
    assert_eq!(served.project.read(file), expected);
    // There is no more to do.
    let again = served.lsp(&request);
    assert_eq!((again.stage, again.files), (None, Vec::new()));
    assert_eq!(again.notices, ["there is nothing to change"]);
}

#[test]
fn of_go() {
    let files = &[
        ("go.mod", "module shop\n\ngo 1.19\n"),
        (
            "shape.go",
            "package main\n\n// Shape has an area.\ntype Shape interface {\n\tArea() int\n}\n\n\
             type Square struct{ Side int }\n\n\
             func (s Square) Area() int { return s.Side * s.Side }\n\n\
             type Strip struct{ Length int }\n\n\
             func (s Strip) Area() int { return s.Length }\n",
        ),
        (
            "main.go",
            "package main\n\nfunc total(shapes []Shape) int {\n\tsum := 0\n\t\
             for _, shape := range shapes {\n\t\tsum += shape.Area()\n\t}\n\treturn sum\n}\n\n\
             func main() {\n\tone := Square{2}\n\tprintln(total([]Shape{one}))\n\t\
             println(total(nil), total(nil))\n}\n",
        ),
        ("ugly.go", "package main\n\nvar  ugly=1\n"),
    ];
    let served = Served::real(files, servers::known("gopls").1);
    ask(
        &served,
        "gopls",
        &[
            (
                LspAction::Definition,
                "main.go",
                6,
                "Area",
                &["shape.go:5:2"],
            ),
            (
                LspAction::TypeDefinition,
                "main.go",
                6,
                "shape",
                &["shape.go:4:6"],
            ),
            (
                LspAction::TypeDefinition,
                "main.go",
                13,
                "one",
                &["shape.go:8:6"],
            ),
            (
                LspAction::Implementation,
                "shape.go",
                4,
                "Shape",
                &["shape.go:12:6", "shape.go:8:6"],
            ),
            (
                LspAction::Implementation,
                "main.go",
                6,
                "Area",
                &["shape.go:10:17", "shape.go:14:16"],
            ),
            (
                LspAction::References,
                "shape.go",
                4,
                "Shape",
                &["main.go:13:18", "main.go:3:21", "shape.go:4:6"],
            ),
            (
                LspAction::IncomingCalls,
                "main.go",
                3,
                "total",
                &["function main main.go:11 on [13, 14, 14]"],
            ),
            (
                LspAction::OutgoingCalls,
                "main.go",
                3,
                "total",
                &["function Area shape.go:5 on [6]"],
            ),
        ],
    );
    let shape = hover(&served, "main.go", 3, "Shape");
    for said in ["type Shape interface", "Shape has an area."] {
        assert!(shape.contains(said), "{shape}");
    }
    assert_eq!(
        outline(&served, "shape.go"),
        [
            "interface Shape shape.go:4",
            "  method Area shape.go:5",
            "struct Square shape.go:8",
            "  field Side shape.go:8",
            "method (Square).Area shape.go:10",
            "struct Strip shape.go:12",
            "  field Length shape.go:12",
            "method (Strip).Area shape.go:14"
        ]
    );
    assert_eq!(
        found(&served, "Square"),
        [
            "field Square.Side shape.go:8",
            "method Square.Area shape.go:10",
            "struct Square shape.go:8"
        ]
    );
    format(&served, "ugly.go", "package main\n\nvar ugly = 1\n");
    served.close();
}

#[test]
fn of_cpp() {
    let files = &[
        ("compile_flags.txt", "-std=c++17\n"),
        (
            "shape.h",
            "#pragma once\n\n/// Has an area.\nstruct Shape {\n  virtual int area() const = 0;\n};\n\n\
             int twice(int n);\n",
        ),
        (
            "main.cpp",
            "#include \"shape.h\"\n\nstruct Square : Shape {\n  int area() const override { return 4; }\n};\n\n\
             struct Strip : Shape {\n  int area() const override { return twice(3); }\n};\n\n\
             int twice(int n) { return 2 * n; }\n\n\
             int main() {\n  Square one;\n  const Shape &shape = one;\n  \
             return twice(shape.area()) + twice(1);\n}\n",
        ),
        ("ugly.cpp", "int  ugly( ){return 1;}\n"),
    ];
    let served = Served::real(files, servers::known("clangd").1);
    ask(
        &served,
        "clangd",
        &[
            (
                LspAction::Definition,
                "main.cpp",
                16,
                "twice#1",
                &["main.cpp:11:5"],
            ),
            (
                LspAction::Declaration,
                "main.cpp",
                16,
                "twice#1",
                &["shape.h:8:5"],
            ),
            (
                LspAction::TypeDefinition,
                "main.cpp",
                16,
                "shape",
                &["shape.h:4:8"],
            ),
            (
                LspAction::Implementation,
                "shape.h",
                5,
                "area",
                &["main.cpp:4:7", "main.cpp:8:7"],
            ),
            (
                LspAction::References,
                "shape.h",
                8,
                "twice",
                &[
                    "main.cpp:11:5",
                    "main.cpp:16:10",
                    "main.cpp:16:32",
                    "main.cpp:8:38",
                    "shape.h:8:5",
                ],
            ),
            (
                LspAction::IncomingCalls,
                "main.cpp",
                11,
                "twice",
                &[
                    "function main main.cpp:13 on [16, 16]",
                    "method area main.cpp:8 on [8]",
                ],
            ),
            (
                LspAction::Supertypes,
                "main.cpp",
                3,
                "Square",
                &["struct Shape shape.h:4"],
            ),
            (
                LspAction::Subtypes,
                "shape.h",
                4,
                "Shape",
                &["struct Square main.cpp:3", "struct Strip main.cpp:7"],
            ),
        ],
    );
    let shape = hover(&served, "main.cpp", 15, "Shape");
    assert!(shape.contains("Has an area."), "{shape}");
    assert_eq!(
        outline(&served, "main.cpp"),
        [
            "struct Square main.cpp:3",
            "  method area main.cpp:4",
            "struct Strip main.cpp:7",
            "  method area main.cpp:8",
            "function twice main.cpp:11",
            "function main main.cpp:13"
        ]
    );
    assert_eq!(found(&served, "Square"), ["struct Square main.cpp:3"]);
    format(&served, "ugly.cpp", "int ugly() { return 1; }\n");
    served.close();
}

#[test]
fn of_typescript() {
    let files = &[
        (
            "tsconfig.json",
            "{ \"compilerOptions\": { \"strict\": true, \"module\": \"esnext\" }, \"include\": [\"src\"] }\n",
        ),
        (
            "src/shape.ts",
            "/** Has an area. */\nexport interface Shape {\n  area(): number;\n}\n\n\
             export class Square implements Shape {\n  constructor(private side: number) {}\n\n  \
             area(): number {\n    return twice(this.side);\n  }\n}\n\n\
             export function twice(n: number): number {\n  return 2 * n;\n}\n",
        ),
        (
            "src/main.ts",
            "import { type Shape, Square, twice } from \"./shape\";\n\n\
             export function total(shapes: Shape[]): number {\n  let sum = 0;\n  \
             for (const shape of shapes) sum += shape.area();\n  return twice(sum) + twice(1);\n}\n\n\
             export const all = total([new Square(1)]);\n",
        ),
        ("src/ugly.ts", "export  const ugly=1 ;\n"),
    ];
    let served = Served::real(files, servers::known("typescript").1);
    ask(
        &served,
        "typescript",
        &[
            (
                LspAction::Definition,
                "src/main.ts",
                6,
                "twice#1",
                &["src/shape.ts:14:17"],
            ),
            (
                LspAction::TypeDefinition,
                "src/main.ts",
                5,
                "shape#2",
                &["src/shape.ts:2:18"],
            ),
            (
                LspAction::Implementation,
                "src/shape.ts",
                2,
                "Shape",
                &["src/shape.ts:6:14"],
            ),
            (
                LspAction::Implementation,
                "src/main.ts",
                5,
                "area",
                &["src/shape.ts:9:3"],
            ),
            (
                LspAction::References,
                "src/shape.ts",
                14,
                "twice",
                &[
                    "src/main.ts:1:30",
                    "src/main.ts:6:10",
                    "src/main.ts:6:23",
                    "src/shape.ts:10:12",
                    "src/shape.ts:14:17",
                ],
            ),
            (
                LspAction::IncomingCalls,
                "src/shape.ts",
                14,
                "twice",
                &[
                    "function total src/main.ts:3 on [6, 6]",
                    "method area src/shape.ts:9 on [10]",
                ],
            ),
            (
                LspAction::OutgoingCalls,
                "src/main.ts",
                3,
                "total",
                &[
                    "function twice src/shape.ts:14 on [6, 6]",
                    "method area src/shape.ts:3 on [5]",
                ],
            ),
        ],
    );
    let shape = hover(&served, "src/main.ts", 3, "Shape");
    for said in ["interface Shape", "Has an area."] {
        assert!(shape.contains(said), "{shape}");
    }
    assert_eq!(
        outline(&served, "src/shape.ts"),
        [
            "interface Shape src/shape.ts:2",
            "  method area src/shape.ts:3",
            "class Square src/shape.ts:6",
            "  constructor constructor src/shape.ts:7",
            "  method area src/shape.ts:9",
            "  property side src/shape.ts:7",
            "function twice src/shape.ts:14"
        ]
    );
    assert_eq!(found(&served, "Square"), ["class Square src/shape.ts:6"]);
    format(&served, "src/ugly.ts", "export const ugly = 1;\n");
    served.close();
}

#[test]
fn of_python() {
    let files = &[
        (
            "pyproject.toml",
            "[project]\nname = \"x\"\nversion = \"1\"\n",
        ),
        (
            "shape.pyi",
            "class Shape:\n    def area(self) -> int: ...\n\ndef twice(n: int) -> int: ...\n",
        ),
        (
            "shape.py",
            "class Shape:\n    def area(self):\n        return 0\n\n\ndef twice(n):\n    return 2 * n\n",
        ),
        (
            "main.py",
            "from shape import Shape, twice\n\n\ndef total(shape: Shape) -> int:\n    \
             return twice(shape.area())\n\n\nprint(total(Shape()))\n",
        ),
    ];
    let served = Served::real(files, servers::known("basedpyright").1);
    ask(
        &served,
        "pyright",
        &[
            (
                LspAction::Definition,
                "main.py",
                5,
                "twice",
                &["shape.py:6:5"],
            ),
            (
                LspAction::Declaration,
                "main.py",
                5,
                "twice",
                &["shape.pyi:4:5"],
            ),
            (
                LspAction::TypeDefinition,
                "main.py",
                5,
                "shape",
                &["shape.py:1:7", "shape.pyi:1:7"],
            ),
            (
                LspAction::IncomingCalls,
                "main.py",
                4,
                "total",
                &["module (module) main.py main.py:1 on [8]"],
            ),
            (
                LspAction::OutgoingCalls,
                "main.py",
                4,
                "total",
                &[
                    "function twice shape.pyi:4 on [5]",
                    "method area shape.pyi:2 on [5]",
                ],
            ),
        ],
    );
    assert_eq!(
        outline(&served, "main.py"),
        ["function total main.py:4", "  variable shape main.py:4"]
    );
    assert_eq!(found(&served, "total"), ["function total main.py:4"]);
    served.close();
}

#[test]
fn of_rust() {
    let files = &[
        (
            "Cargo.toml",
            "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        ),
        (
            "src/lib.rs",
            "pub mod shape;\n\nuse shape::{Shape, Square};\n\n/// All areas.\npub fn total(shapes: &[&dyn Shape]) -> u32 {\n    \
             shapes.iter().map(|shape| shape.area()).sum()\n}\n\n\
             pub fn one() -> u32 {\n    let square = Square { side: 2 };\n    total(&[&square])\n}\n",
        ),
        (
            "src/shape.rs",
            "pub trait Shape {\n    fn area(&self) -> u32;\n}\n\npub struct Square {\n    pub side: u32,\n}\n\n\
             impl Shape for Square {\n    fn area(&self) -> u32 {\n        self.side * self.side\n    }\n}\n",
        ),
    ];
    let served = Served::real(files, servers::known("rust-analyzer").1);
    ask(
        &served,
        "rust-analyzer",
        &[
            (
                LspAction::TypeDefinition,
                "src/lib.rs",
                12,
                "square",
                &["src/shape.rs:5:12"],
            ),
            (
                LspAction::Declaration,
                "src/shape.rs",
                10,
                "area",
                &["src/shape.rs:2:8"],
            ),
            (
                LspAction::Definition,
                "src/shape.rs",
                10,
                "area",
                &["src/shape.rs:10:8"],
            ),
            (
                LspAction::Implementation,
                "src/shape.rs",
                1,
                "Shape",
                &["src/shape.rs:9:16"],
            ),
            (
                LspAction::IncomingCalls,
                "src/lib.rs",
                6,
                "total",
                &["function one src/lib.rs:10 on [12]"],
            ),
            (
                LspAction::OutgoingCalls,
                "src/lib.rs",
                10,
                "one",
                &["function total src/lib.rs:6 on [12]"],
            ),
        ],
    );
    assert_eq!(found(&served, "Square"), ["struct Square src/shape.rs:5"]);
    served.close();
}
