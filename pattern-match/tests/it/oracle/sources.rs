//! Random sources: small grammars that are written out along a tape of choices.
//!
//! The alphabet is tiny, so that a fragment often stands in a source more than once, exactly or
//! nearly. Comments, optional separators and both kinds of quotes are strewn in.

/// A tape of choices. Past its end every choice is the first one, which ends a recursion.
pub(super) struct Tape<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Tape<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Tape {
            bytes: bytes.iter(),
        }
    }

    /// A number below `count`.
    pub(super) fn pick(&mut self, count: usize) -> usize {
        usize::from(self.bytes.next().copied().unwrap_or_default()) % count.max(1)
    }

    pub(super) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.pick(choices.len())]
    }
}

const NAMES: [&str; 6] = ["a", "b", "c", "d", "f", "g"];
const OPERATORS: [&str; 5] = ["+", "-", "*", "==", "<"];

/// A source in one of the languages.
pub(super) fn source(language: &str, tape: &mut Tape<'_>) -> String {
    let mut writer = Writer {
        tape,
        out: String::new(),
        indent: 0,
    };
    let count = 1 + writer.tape.pick(5);
    for _ in 0..count {
        match language {
            "javascript" => writer.script_statement(3),
            "python" => writer.python_statement(3),
            "ruby" => writer.ruby_statement(3),
            _ => {
                let visible = writer.tape.of(&["fn ", "pub fn "]);
                writer.line(visible);
                writer.name();
                writer.maybe("<T>");
                writer.list("(", ")", 2, |w, _| {
                    w.name();
                    w.put(": T");
                });
                writer.maybe(" -> T");
                writer.rust_block(3);
                writer.put("\n");
            }
        }
    }
    writer.out
}

struct Writer<'a, 'b> {
    tape: &'a mut Tape<'b>,
    out: String,
    indent: usize,
}

impl Writer<'_, '_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// The begin of a line.
    fn line(&mut self, text: &str) {
        self.out.push_str(&"    ".repeat(self.indent));
        self.out.push_str(text);
    }

    fn name(&mut self) {
        let name = self.tape.of(&NAMES);
        self.put(name);
    }

    /// A part that may be left out.
    fn maybe(&mut self, part: &str) {
        if self.tape.pick(2) == 1 {
            self.put(part);
        }
    }

    /// Now and then a comment.
    fn comment(&mut self, text: &str) {
        if self.tape.pick(12) == 1 {
            self.put(text);
        }
    }

    fn string(&mut self, quotes: &[&str]) {
        let quote = self.tape.of(quotes);
        let content = self.tape.of(&["a", "", "a b", "b", "a\\nb"]);
        self.out.extend([quote, content, quote]);
    }

    /// Items between brackets, with commas between them and now and then one after the last.
    fn list(&mut self, open: &str, close: &str, most: usize, item: impl Fn(&mut Self, usize)) {
        self.put(open);
        let count = self.tape.pick(most + 1);
        for at in 0..count {
            if at > 0 {
                self.put(", ");
            }
            item(self, at);
        }
        if count > 0 && close != "|" && self.tape.pick(6) == 1 {
            self.put(",");
        }
        self.put(close);
    }

    fn script_block(&mut self, depth: usize) {
        self.put(" {\n");
        self.indent += 1;
        for _ in 0..self.tape.pick(4) {
            self.script_statement(depth);
        }
        self.indent -= 1;
        self.line("}");
    }

    fn script_statement(&mut self, depth: usize) {
        if self.tape.pick(10) == 1 {
            self.line("// note\n");
        }
        self.line("");
        let choice = if depth == 0 { 0 } else { self.tape.pick(9) };
        let end = if self.tape.pick(5) == 1 { "" } else { ";" };
        match choice {
            1 => {
                self.put("if (");
                self.script(1);
                self.put(")");
                self.script_block(depth - 1);
                if self.tape.pick(3) == 1 {
                    self.put(" else");
                    self.script_block(depth - 1);
                }
            }
            2 => {
                let keyword = self.tape.of(&["const ", "let "]);
                self.put(keyword);
                self.name();
                self.put(" = ");
                self.script(2);
                if self.tape.pick(4) == 1 {
                    self.put(", ");
                    self.name();
                    self.put(" = ");
                    self.script(1);
                }
                self.put(end);
            }
            3 => {
                self.put("return ");
                self.script(2);
                self.put(end);
            }
            4 => {
                self.put("for (const ");
                self.name();
                self.put(" of ");
                self.script(1);
                self.put(")");
                self.script_block(depth - 1);
            }
            5 => {
                self.maybe("async ");
                self.put("function ");
                self.name();
                self.list("(", ")", 3, |w, _| w.name());
                self.script_block(depth - 1);
            }
            6 => {
                self.put("if (");
                self.script(1);
                self.put(") ");
                self.script(1);
                self.put(";");
            }
            7 => {
                self.name();
                self.put(" = ");
                self.script(2);
                self.put(end);
            }
            _ => {
                self.name();
                self.list("(", ")", 4, |w, _| w.script(2));
                self.put(end);
            }
        }
        self.put("\n");
    }

    fn script(&mut self, depth: usize) {
        self.comment("/* note */ ");
        let choice = match depth {
            0 => self.tape.pick(3),
            _ => self.tape.pick(13),
        };
        match choice {
            1 => {
                let number = self.tape.of(&["1", "2"]);
                self.put(number);
            }
            2 => self.string(&["'", "\""]),
            3 | 4 => {
                self.name();
                self.list("(", ")", 4, |w, _| w.script(depth - 1));
            }
            5 => self.list("[", "]", 4, |w, _| w.script(depth - 1)),
            6 | 7 => {
                self.script(depth - 1);
                let operator = self.tape.of(&OPERATORS);
                self.out.extend([" ", operator, " "]);
                self.script(depth - 1);
            }
            8 => {
                self.name();
                self.put(".");
                self.name();
            }
            9 => {
                self.maybe("async ");
                match self.tape.pick(3) {
                    1 => self.name(),
                    _ => self.list("(", ")", 3, |w, _| w.name()),
                }
                self.put(" => ");
                self.name();
                self.list("(", ")", 2, |w, _| w.script(depth - 1));
            }
            10 => {
                self.put("(");
                self.list("{", "}", 3, |w, _| {
                    w.name();
                    w.put(": ");
                    w.script(depth - 1);
                });
                self.put(")");
            }
            11 => {
                self.name();
                self.put(".");
                self.name();
                self.list("(", ")", 3, |w, _| w.script(depth - 1));
            }
            12 => {
                self.put("!");
                self.name();
            }
            _ => self.name(),
        }
    }

    fn python_block(&mut self, depth: usize) {
        self.put(":\n");
        self.indent += 1;
        for _ in 0..=self.tape.pick(3) {
            self.python_statement(depth);
        }
        self.indent -= 1;
    }

    fn python_statement(&mut self, depth: usize) {
        if self.tape.pick(10) == 1 {
            self.line("# note\n");
        }
        self.line("");
        let choice = if depth == 0 { 0 } else { self.tape.pick(8) };
        match choice {
            1 => {
                self.put("if ");
                self.python(1);
                self.python_block(depth - 1);
                if self.tape.pick(3) == 1 {
                    self.line("else");
                    self.python_block(depth - 1);
                }
                return;
            }
            2 => {
                self.put("for ");
                self.name();
                self.put(" in ");
                self.python(1);
                self.python_block(depth - 1);
                return;
            }
            3 => {
                self.maybe("async ");
                self.put("def ");
                self.name();
                self.list("(", ")", 3, |w, at| {
                    w.put(["a", "b", "c"][at]);
                });
                self.maybe(" -> T");
                self.python_block(depth - 1);
                return;
            }
            4 => {
                self.put("return ");
                self.python(2);
            }
            5 | 6 => {
                self.name();
                self.put(" = ");
                self.python(2);
            }
            _ => {
                self.name();
                self.list("(", ")", 4, |w, _| w.python(2));
            }
        }
        self.put("\n");
    }

    fn python(&mut self, depth: usize) {
        let choice = match depth {
            0 => self.tape.pick(3),
            _ => self.tape.pick(14),
        };
        match choice {
            12 => {
                // With one pair of parentheses or two.
                self.name();
                let [open, close] = self.tape.of(&[["(", ")"], ["((", "))"], ["((", "), a)"]]);
                self.put(open);
                self.python_generator(depth - 1);
                self.put(close);
            }
            13 => {
                self.put("(");
                self.python_generator(depth - 1);
                self.put(")");
            }
            1 => {
                let number = self.tape.of(&["1", "2"]);
                self.put(number);
            }
            2 => self.string(&["'", "\""]),
            3 | 4 => {
                self.name();
                self.list("(", ")", 4, |w, _| w.python(depth - 1));
            }
            5 => self.list("[", "]", 4, |w, _| w.python(depth - 1)),
            6 | 7 => {
                self.put("(");
                self.python(depth - 1);
                let operator = self.tape.of(&OPERATORS);
                self.out.extend([" ", operator, " "]);
                self.python(depth - 1);
                self.put(")");
            }
            8 => {
                self.name();
                self.put(".");
                self.name();
            }
            9 => {
                self.put("(lambda ");
                self.name();
                self.put(": ");
                self.python(depth - 1);
                self.put(")");
            }
            10 => self.list("{", "}", 3, |w, _| {
                w.python(0);
                w.put(": ");
                w.python(depth - 1);
            }),
            11 => {
                self.name();
                self.put(".");
                self.name();
                self.list("(", ")", 3, |w, _| w.python(depth - 1));
            }
            _ => self.name(),
        }
    }

    fn python_generator(&mut self, depth: usize) {
        self.python(depth);
        self.put(" for ");
        self.name();
        self.put(" in ");
        self.name();
    }

    fn ruby_block(&mut self, depth: usize) {
        self.put("\n");
        self.indent += 1;
        for _ in 0..self.tape.pick(4) {
            self.ruby_statement(depth);
        }
        self.indent -= 1;
        self.line("");
    }

    /// Items that have parentheses around them or not; none may be left out altogether.
    fn ruby_list(&mut self, most: usize, item: impl Fn(&mut Self, usize)) {
        match self.tape.pick(3) {
            1 => self.list("(", ")", most, item),
            2 => {}
            _ => {
                self.put(" ");
                item(self, 0);
                for at in 1..self.tape.pick(most) {
                    self.put(", ");
                    item(self, at);
                }
            }
        }
    }

    fn ruby_statement(&mut self, depth: usize) {
        if self.tape.pick(10) == 1 {
            self.line("# note\n");
        }
        self.line("");
        let choice = if depth == 0 { 0 } else { self.tape.pick(9) };
        match choice {
            1 => {
                self.put("if ");
                self.name();
                self.ruby_block(depth - 1);
                if self.tape.pick(3) == 1 {
                    self.put("else");
                    self.ruby_block(depth - 1);
                }
                self.put("end");
            }
            2 | 3 => {
                self.name();
                self.put(" = ");
                self.ruby(2);
            }
            4 => {
                self.put("return ");
                self.ruby(2);
            }
            5 => {
                self.put("def ");
                self.name();
                self.ruby_list(3, |w, _| w.name());
                self.ruby_block(depth - 1);
                self.put("end");
            }
            6 => {
                self.name();
                self.maybe(".d");
                self.ruby_list(3, |w, _| w.ruby(1));
                self.put(" do |c|");
                self.ruby_block(depth - 1);
                self.put("end");
            }
            7 => {
                self.name();
                self.put(".");
                self.name();
                self.ruby_list(4, |w, _| w.ruby(1));
            }
            _ => {
                self.name();
                self.ruby_list(4, |w, _| w.ruby(2));
            }
        }
        self.put("\n");
    }

    fn ruby(&mut self, depth: usize) {
        let choice = match depth {
            0 => self.tape.pick(3),
            _ => self.tape.pick(10),
        };
        match choice {
            1 => {
                let number = self.tape.of(&["1", "2"]);
                self.put(number);
            }
            2 => self.string(&["'", "\""]),
            3 | 4 => {
                self.name();
                self.list("(", ")", 4, |w, _| w.ruby(depth - 1));
            }
            5 => self.list("[", "]", 4, |w, _| w.ruby(depth - 1)),
            6 => {
                self.put("(");
                self.ruby(depth - 1);
                let operator = self.tape.of(&OPERATORS);
                self.out.extend([" ", operator, " "]);
                self.ruby(depth - 1);
                self.put(")");
            }
            7 | 8 => {
                self.name();
                self.put(".");
                self.name();
                self.maybe("(a)");
            }
            9 => {
                self.name();
                self.put(".");
                self.name();
                self.list("(", ")", 3, |w, _| w.ruby(depth - 1));
            }
            _ => self.name(),
        }
    }

    fn rust_block(&mut self, depth: usize) {
        self.put(" {\n");
        self.indent += 1;
        for _ in 0..self.tape.pick(4) {
            self.rust_statement(depth);
        }
        if self.tape.pick(4) == 1 {
            self.line("");
            self.rust(1);
            self.put("\n");
        }
        self.indent -= 1;
        self.line("}");
    }

    fn rust_statement(&mut self, depth: usize) {
        if self.tape.pick(10) == 1 {
            self.line("// note\n");
        }
        self.line("");
        let choice = if depth == 0 { 0 } else { self.tape.pick(8) };
        match choice {
            1 => {
                self.put("if ");
                self.name();
                self.put(" == ");
                self.name();
                self.rust_block(depth - 1);
                if self.tape.pick(3) == 1 {
                    self.put(" else");
                    self.rust_block(depth - 1);
                }
            }
            2 | 3 => {
                self.put("let ");
                let bound = self.tape.of(&["a", "b", "_", "mut c", "(a, b)"]);
                self.put(bound);
                self.put(" = ");
                self.rust(2);
                self.put(";");
            }
            4 => {
                self.put("return ");
                self.rust(2);
                self.put(";");
            }
            5 => {
                self.put("for ");
                self.name();
                self.put(" in ");
                self.name();
                self.rust_block(depth - 1);
            }
            6 => {
                self.put("match ");
                self.name();
                self.put(" {\n");
                for _ in 0..self.tape.pick(3) {
                    self.line("    ");
                    self.rust(0);
                    self.put(" => ");
                    self.rust(1);
                    self.put(",\n");
                }
                self.line("}");
            }
            _ => {
                self.name();
                self.list("(", ")", 4, |w, _| w.rust(2));
                self.put(";");
            }
        }
        self.put("\n");
    }

    fn rust(&mut self, depth: usize) {
        self.comment("/* note */ ");
        let choice = match depth {
            0 => self.tape.pick(3),
            _ => self.tape.pick(13),
        };
        match choice {
            1 => {
                let number = self.tape.of(&["1", "2"]);
                self.put(number);
            }
            2 => self.string(&["\""]),
            3 | 4 => {
                self.name();
                self.list("(", ")", 4, |w, _| w.rust(depth - 1));
            }
            5 => self.list("[", "]", 4, |w, _| w.rust(depth - 1)),
            6 | 7 => {
                self.put("(");
                self.rust(depth - 1);
                let operator = self.tape.of(&OPERATORS);
                self.out.extend([" ", operator, " "]);
                self.rust(depth - 1);
                self.put(")");
            }
            8 => {
                self.name();
                self.put(".");
                self.name();
            }
            9 => {
                self.list("|", "|", 2, |w, _| w.name());
                self.put(" ");
                self.name();
                self.list("(", ")", 2, |w, _| w.rust(depth - 1));
            }
            10 => {
                self.put("S");
                self.list(" { ", " }", 3, |w, _| {
                    w.name();
                    w.put(": ");
                    w.rust(depth - 1);
                });
            }
            11 => {
                self.name();
                self.put(".");
                self.name();
                self.list("(", ")", 3, |w, _| w.rust(depth - 1));
            }
            12 => {
                let sign = self.tape.of(&["&", "&mut ", "!"]);
                self.put(sign);
                self.name();
            }
            _ => self.name(),
        }
    }
}
