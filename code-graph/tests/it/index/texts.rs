//! Random source texts of a few languages that refer to each other: few names, so that they meet.

/// A small generator of numbers; the same seed gives the same text everywhere.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        Dice(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    pub(super) fn roll(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % below
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

const TYPES: [&str; 4] = ["A", "B", "C", "D"];
const FUNCTIONS: [&str; 4] = ["f", "g", "h", "run"];

/// The files that there may be.
pub(super) const FILES: [&str; 22] = [
    "a.py",
    "b.py",
    "p/__init__.py",
    "p/a.py",
    "p/b.py",
    "p/q/__init__.py",
    "p/q/c.py",
    "web/a.ts",
    "web/b.ts",
    "web/index.ts",
    "web/lib/index.ts",
    "web/lib/c.tsx",
    "web/d.js",
    "src/lib.rs",
    "src/a.rs",
    "src/b.rs",
    "src/b/c.rs",
    "src/main.rs",
    "package.json",
    "web/tsconfig.json",
    "Cargo.toml",
    "README.md",
];

/// A text for a file of this name.
pub(super) fn text(path: &str, seed: u64) -> String {
    let mut dice = Dice::new(seed);
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("py") => python(&mut dice),
        Some("ts" | "tsx" | "js") => typescript(&mut dice, !path.ends_with("js")),
        Some("rs") => rust(&mut dice),
        Some("toml") => format!(
            "[package]\nname = \"{}\"\n[[bin]]\nname = \"m\"\npath = \"src/{}.rs\"\n",
            dice.pick(&["one", "two"]),
            dice.pick(&["main", "a"])
        ),
        Some("json") if path.contains("tsconfig") => format!(
            "{{\"compilerOptions\": {{\"baseUrl\": \"{}\", \"paths\": {{\"@x/*\": [\"{}/*\"]}}}}}}",
            dice.pick(&[".", "lib"]),
            dice.pick(&[".", "lib"])
        ),
        Some("json") => format!(
            "{{\"name\": \"{}\", \"main\": \"web/{}.ts\"}}",
            dice.pick(&["x", "y"]),
            dice.pick(&["a", "b"])
        ),
        _ => "nothing to see\n".repeat(dice.roll(3)),
    }
}

fn python(dice: &mut Dice) -> String {
    const MODULES: [&str; 9] = ["a", "b", "p", "p.a", "p.q.c", ".", ".a", ".b", "..a"];
    let mut text = String::new();
    for _ in 0..dice.roll(4) {
        let module = dice.pick(&MODULES);
        let (class, function) = (dice.pick(&TYPES), dice.pick(&FUNCTIONS));
        text += &match dice.roll(5) {
            0 if !module.starts_with('.') => format!("import {module}\n"),
            1 => format!("from {module} import *\n"),
            2 => format!("from {module} import {class} as {}\n", dice.pick(&TYPES)),
            3 => format!("from {module} import {class}, {function}\n"),
            _ => format!("from {module} import a, b\n"),
        };
    }
    if dice.roll(4) == 0 {
        text += &format!(
            "__all__ = [\"{}\", \"{}\"]\n",
            dice.pick(&TYPES),
            dice.pick(&FUNCTIONS)
        );
    }
    for _ in 0..dice.roll(3) {
        let class = dice.pick(&TYPES);
        let base = dice.pick(&["", "(A)", "(B)", "(a.C)", "(B, C)", "(p.D)"]);
        text += &format!("\nclass {class}{base}:\n    x: {}\n", dice.pick(&TYPES));
        for _ in 0..1 + dice.roll(2) {
            let (name, other) = (dice.pick(&FUNCTIONS), dice.pick(&FUNCTIONS));
            text += &format!(
                "    def {name}(self, b: {}){}:\n",
                dice.pick(&TYPES),
                arrow(dice)
            );
            text += &match dice.roll(5) {
                0 => format!(
                    "        self.y = {}()\n        return self.y.{other}()\n",
                    dice.pick(&TYPES)
                ),
                1 => format!("        return super().{other}(b)\n"),
                2 => format!("        return b.{other}().{name}()\n"),
                3 => format!("        return self.x.{other}()\n"),
                _ => format!("        self.{other}(); {other}(self)\n"),
            };
        }
    }
    for _ in 0..dice.roll(3) {
        let (name, other) = (dice.pick(&FUNCTIONS), dice.pick(&FUNCTIONS));
        text += &format!("\ndef {name}(b){}:\n", arrow(dice));
        text += &match dice.roll(4) {
            0 => format!("    return {}()\n", dice.pick(&TYPES)),
            1 => format!(
                "    c = {other}(b)\n    return c.{}()\n",
                dice.pick(&FUNCTIONS)
            ),
            2 => format!("    a.{other}(b)\n    p.a.{other}()\n"),
            _ => format!("    return {other}\n"),
        };
    }
    text += &match dice.roll(4) {
        0 => format!("{} = {}()\n", dice.pick(&FUNCTIONS), dice.pick(&TYPES)),
        1 => format!("{}(1).{}()\n", dice.pick(&FUNCTIONS), dice.pick(&FUNCTIONS)),
        2 => "def broken(:\n".to_owned(),
        _ => String::new(),
    };
    text
}

fn arrow(dice: &mut Dice) -> String {
    match dice.roll(3) {
        0 => format!(" -> {}", dice.pick(&TYPES)),
        1 => format!(" -> \"{}\"", dice.pick(&TYPES)),
        _ => String::new(),
    }
}

fn typescript(dice: &mut Dice, typed: bool) -> String {
    const MODULES: [&str; 8] = ["./a", "./b", ".", "./lib", "./lib/c", "../b", "@x/c", "x"];
    let mut text = String::new();
    for _ in 0..dice.roll(4) {
        let module = dice.pick(&MODULES);
        let (class, function) = (dice.pick(&TYPES), dice.pick(&FUNCTIONS));
        text += &match dice.roll(6) {
            0 => format!("import {class} from \"{module}\";\n"),
            1 => format!("import * as ns from \"{module}\";\n"),
            2 => format!("export * from \"{module}\";\n"),
            3 => format!(
                "export {{ {class} as {} }} from \"{module}\";\n",
                dice.pick(&TYPES)
            ),
            4 => format!(
                "import {{ {class}, {function} as {} }} from \"{module}\";\n",
                dice.pick(&FUNCTIONS)
            ),
            _ => format!("import {{ {function} }} from \"{module}\";\n"),
        };
    }
    for _ in 0..dice.roll(3) {
        let export = dice.pick(&["", "export ", "export default "]);
        let base = dice.pick(&["", " extends A", " extends B", " extends ns.C"]);
        let (class, field) = (dice.pick(&TYPES), dice.pick(&TYPES));
        text += &format!("{export}class {class}{base} {{\n");
        if typed {
            text += &format!("  x: {field} = new {field}();\n");
        }
        for _ in 0..1 + dice.roll(2) {
            let (name, other) = (dice.pick(&FUNCTIONS), dice.pick(&FUNCTIONS));
            text += &match dice.roll(3) {
                0 => format!("  {name}() {{ return this.x.{other}(); }}\n"),
                1 => format!(
                    "  {name}() {{ return new {}().{other}(); }}\n",
                    dice.pick(&TYPES)
                ),
                _ => format!("  {name}() {{ super.{name}(); this.{other}(); ns.{other}(); }}\n"),
            };
        }
        text += "}\n";
    }
    for _ in 0..dice.roll(3) {
        let (name, other) = (dice.pick(&FUNCTIONS), dice.pick(&FUNCTIONS));
        let class = dice.pick(&TYPES);
        text += &match dice.roll(4) {
            0 if typed => {
                format!("export function {name}(b: {class}): {class} {{ return b.{other}(); }}\n")
            }
            1 => format!("export const {name} = () => new {class}();\n"),
            2 => format!("const {name} = {other}();\n{name}.{other}();\n"),
            _ => format!("export function {name}() {{ return {other}().{name}(); }}\n"),
        };
    }
    text
}

fn rust(dice: &mut Dice) -> String {
    let mut text = String::new();
    for _ in 0..dice.roll(3) {
        text += &format!(
            "{}mod {};\n",
            dice.pick(&["", "pub "]),
            dice.pick(&["a", "b", "c"])
        );
    }
    for _ in 0..dice.roll(4) {
        let path = dice.pick(&[
            "crate::a",
            "crate::b",
            "super",
            "crate",
            "crate::b::c",
            "one",
            "self::a",
        ]);
        let public = dice.pick(&["", "pub "]);
        text += &match dice.roll(3) {
            0 => format!("{public}use {path}::*;\n"),
            1 => format!(
                "{public}use {path}::{{{}, {}}};\n",
                dice.pick(&TYPES),
                dice.pick(&FUNCTIONS)
            ),
            _ => format!(
                "{public}use {path}::{} as {};\n",
                dice.pick(&TYPES),
                dice.pick(&TYPES)
            ),
        };
    }
    for _ in 0..dice.roll(3) {
        let (class, field) = (dice.pick(&TYPES), dice.pick(&TYPES));
        text += &match dice.roll(3) {
            0 => format!(
                "pub trait {class} {{ fn {}(&self) -> {field}; fn run(&self) {{ self.{}(); }} }}\n",
                dice.pick(&FUNCTIONS),
                dice.pick(&FUNCTIONS)
            ),
            _ => format!("pub struct {class} {{ pub x: {field} }}\n"),
        };
    }
    for _ in 0..dice.roll(3) {
        let (class, name, other) = (
            dice.pick(&TYPES),
            dice.pick(&FUNCTIONS),
            dice.pick(&FUNCTIONS),
        );
        let head = match dice.roll(3) {
            0 => format!("impl {} for {class}", dice.pick(&TYPES)),
            _ => format!("impl {class}"),
        };
        text += &format!(
            "{head} {{\n    pub fn {name}(&self) -> {} {{ {} }}\n}}\n",
            dice.pick(&TYPES),
            match dice.roll(4) {
                0 => format!("self.x.{other}()"),
                1 => format!("Self::{other}(self)"),
                2 => format!("{}::{other}()", dice.pick(&TYPES)),
                _ => format!("self.{other}().{name}()"),
            }
        );
    }
    for _ in 0..dice.roll(3) {
        let (name, other) = (dice.pick(&FUNCTIONS), dice.pick(&FUNCTIONS));
        text += &format!(
            "pub fn {name}(b: &{}) -> {} {{ {} }}\n",
            dice.pick(&TYPES),
            dice.pick(&TYPES),
            match dice.roll(4) {
                0 => format!("b.{other}()"),
                1 => format!("crate::a::{other}(b)"),
                2 => format!("let c = {other}(b); c.{name}()"),
                _ => format!(
                    "println!(\"{{}}\", {other}(b)); {}::{other}()",
                    dice.pick(&TYPES)
                ),
            }
        );
    }
    text
}
