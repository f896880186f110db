//! What the tour tries in each language: shapes that most projects hold, the telling ones first.

/// A search, or a rewrite when there is a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Try {
    pub(crate) pattern: &'static str,
    /// A constraint: the option and its value.
    pub(crate) with: Option<(&'static str, &'static str)>,
    pub(crate) template: Option<&'static str>,
}

/// One thing to show, and the shapes that may show it; the first that matches does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop {
    pub(crate) title: &'static str,
    pub(crate) lesson: &'static str,
    pub(crate) tries: &'static [Try],
}

/// The stops of one language.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Route {
    calls: &'static [Try],
    twice: &'static [Try],
    declarations: &'static [Try],
    constraints: &'static [Try],
    rewrites: &'static [Try],
}

impl Route {
    /// The searches, in the order of the tour.
    pub(crate) fn searches(&self) -> [Stop; 4] {
        [
            Stop {
                title: "A shape, written as code",
                lesson: "$X stands for any one piece of code, $$$ for any number of them. Spacing and \
                         line breaks do not matter; comments and strings are not searched.",
                tries: self.calls,
            },
            Stop {
                title: "The same name twice is the same code twice",
                lesson: "This is what text search cannot say.",
                tries: self.twice,
            },
            Stop {
                title: "A declaration, whatever else it carries",
                lesson: "Modifiers, annotations and the like may be left out (--strict turns that \
                         off). What can be read in several ways is searched for in all of them.",
                tries: self.declarations,
            },
            Stop {
                title: "A constraint",
                lesson: "--inside, --not-inside, --has, --not-has take patterns, --where a regular \
                         expression for one capture.",
                tries: self.constraints,
            },
        ]
    }

    /// The rewrite at the end.
    pub(crate) fn rewrite(&self) -> Stop {
        Stop {
            title: "A rewrite, staged",
            lesson: "Captures keep their bytes. What would be lost without being named, such as a \
                     comment, is refused. Nothing changes before the stage is applied.",
            tries: self.rewrites,
        }
    }

    /// The route of a language; data languages have the short one.
    pub(crate) fn of(language: &str) -> &'static Route {
        match language {
            "rust" => &RUST,
            "python" => &PYTHON,
            "javascript" | "jsx" | "typescript" | "tsx" => &SCRIPT,
            "go" => &GO,
            "java" | "csharp" => &JAVA,
            "kotlin" => &KOTLIN,
            "swift" => &SWIFT,
            "dart" => &DART,
            "php" => &PHP,
            "ruby" => &RUBY,
            "c" | "cpp" => &C,
            "json" => &JSON,
            "yaml" => &YAML,
            "toml" => &TOML,
            "css" => &CSS,
            "html" => &HTML,
            _ => &ANY,
        }
    }
}

const fn find(pattern: &'static str) -> Try {
    Try {
        pattern,
        with: None,
        template: None,
    }
}

const fn find_with(pattern: &'static str, option: &'static str, value: &'static str) -> Try {
    Try {
        pattern,
        with: Some((option, value)),
        template: None,
    }
}

const fn change(pattern: &'static str, template: &'static str) -> Try {
    Try {
        pattern,
        with: None,
        template: Some(template),
    }
}

static RUST: Route = Route {
    calls: &[
        find("$X.unwrap()"),
        find("$X.clone()"),
        find("vec![$$$]"),
        find("$F($$$)"),
    ],
    twice: &[
        find("if $X { $Y } else { $Y }"),
        find("let $X = $X.$M($$$);"),
        find("$X = $X.$M($$$)"),
        find("let $X = $F($X);"),
        find("|$X| $X.$M($$$)"),
        find("$X == $X"),
    ],
    declarations: &[
        find("fn $N(&self) -> $T { $$$ }"),
        find("fn $N($$$) { $$$ }"),
        find("struct $N { $$$ }"),
    ],
    constraints: &[
        find_with("$X.unwrap()", "--not-inside", "mod tests { $$$ }"),
        find_with("$X.$M()", "--where", "$M=~^(unwrap|expect)$"),
        find_with("fn $N($$$) { $$$ }", "--has", "for $I in $XS { $$$ }"),
        find_with("$X.$M()", "--where", "$M=~^is_"),
        find_with("$X.$M()", "--where", "$M=~^[a-c]"),
    ],
    rewrites: &[
        change("$X.unwrap()", "$X.expect(\"why this holds\")"),
        change("$X.len() == 0", "$X.is_empty()"),
        change("$X.clone()", "Clone::clone(&$X)"),
        change("fn $N() { $$$B }", "fn renamed_$N() { $$$B }"),
        change("$X.$M()", "($X).$M()"),
    ],
};

static PYTHON: Route = Route {
    calls: &[
        find("print($$$)"),
        find("len($X)"),
        find("isinstance($X, $T)"),
        find("$F($$$)"),
    ],
    twice: &[
        find("self.$X = $X"),
        find("if $X is not None: $X.$M($$$)"),
        find("$X = $X.$M($$$)"),
        find("[$X for $X in $XS if $C]"),
        find("[$F($X) for $X in $XS]"),
        find("$X = $F($X)"),
        find("$X = $X + $Y"),
    ],
    declarations: &[
        find("def $N(self, $$$):\n    $$$"),
        find("def $N($$$):\n    $$$"),
        find("class $N:\n    $$$"),
    ],
    constraints: &[
        find_with("return $X", "--inside", "if $C:\n    $$$"),
        find_with("$F($$$)", "--inside", "for $I in $XS:\n    $$$"),
        find_with("$F($$$)", "--where", "$F=~^(open|len|str|int|print)$"),
    ],
    rewrites: &[
        change("print($$$A)", "logger.info($$$A)"),
        change("len($X) == 0", "not $X"),
        change("len($X)", "$X.__len__()"),
        change("self.$X = $X", "self._$X = $X"),
        change("$F($X)", "traced($F, $X)"),
    ],
};

static SCRIPT: Route = Route {
    calls: &[
        find("console.log($$$)"),
        find("await $X"),
        find("$X.map($F)"),
        find("$F($$$)"),
    ],
    twice: &[
        find("this.$X = $X"),
        find("$X && $X.$Y"),
        find("$X ? $X : $Y"),
        find("$X = $X + $Y"),
        find("if ($X) { $X.$M($$$) }"),
        find("$X.map(($Y) => $Y.$Z)"),
        find("($X) => $X.$M($$$)"),
        find("exports.$X = $X"),
    ],
    declarations: &[
        find("function $N($$$) { $$$ }"),
        find("const $N = ($$$) => { $$$ }"),
        find("$N($$$) { $$$ }"),
    ],
    constraints: &[
        find_with("await $X", "--inside", "for (const $I of $XS) { $$$ }"),
        find_with("return $X", "--inside", "if ($C) { $$$ }"),
        find_with("$X.$M($$$)", "--where", "$M=~^(map|filter|forEach|push)$"),
    ],
    rewrites: &[
        change("console.log($$$A)", "logger.debug($$$A)"),
        change("$X && $X.$Y", "$X?.$Y"),
        change("$X === undefined", "$X == null"),
        change("$X.forEach($F)", "each($X, $F)"),
        change("$F($X)", "traced($F, $X)"),
    ],
};

static GO: Route = Route {
    calls: &[
        find("fmt.Errorf($$$)"),
        find("append($X, $$$)"),
        find("$F($$$)"),
    ],
    twice: &[
        find("if $E != nil { return $E }"),
        find("if $E := $F($$$); $E != nil { $$$ }"),
        find("$X = append($X, $$$)"),
        find("$X = $X + $Y"),
    ],
    declarations: &[
        find("func ($R $T) $N($$$) { $$$ }"),
        find("func $N($$$) { $$$ }"),
        find("type $N struct { $$$ }"),
    ],
    constraints: &[
        find_with("return $$$", "--inside", "if $E != nil { $$$ }"),
        find_with("$F($$$)", "--inside", "for $I := range $XS { $$$ }"),
        find_with("$P.$F($$$)", "--where", "$P=~^(fmt|strings|os|errors)$"),
    ],
    rewrites: &[
        change(
            "if $E != nil { return $E }",
            "if $E != nil { return fmt.Errorf(\"context: %w\", $E) }",
        ),
        change("$X = append($X, $Y)", "$X = slices.Concat($X, $Y)"),
        change("$F($X)", "traced($F, $X)"),
    ],
};

static JAVA: Route = Route {
    calls: &[
        find("$X.equals($Y)"),
        find("new $T($$$)"),
        find("$X.$M($$$)"),
    ],
    twice: &[
        find("this.$X = $X;"),
        find("if ($X != null) { $X.$M($$$); }"),
        find("if ($X == null) { $X = $Y; }"),
        find("$X = $X + $Y"),
        find("$X != null ? $X : $Y"),
    ],
    declarations: &[
        find("private final $T $N;"),
        find("public $R $N($$$) { $$$ }"),
        find("class $N { $$$ }"),
    ],
    constraints: &[
        find_with("return $X;", "--inside", "if ($C) { $$$ }"),
        find_with("new $T($$$)", "--where", "$T=~Exception$"),
        find_with("$X.$M($$$)", "--where", "$M=~^(get|set|add)"),
    ],
    rewrites: &[
        change("$X.equals($Y)", "Objects.equals($X, $Y)"),
        change("$X.size() == 0", "$X.isEmpty()"),
        change("this.$X = $X;", "this.$X = Objects.requireNonNull($X);"),
        change("new $T($$$A)", "$T.of($$$A)"),
    ],
};

static KOTLIN: Route = Route {
    calls: &[find("$X!!"), find("listOf($$$)"), find("$F($$$)")],
    twice: &[
        find("if ($X != null) $X.$M($$$)"),
        find("if ($X == null) $Y else $X"),
        find("$X = $X + $Y"),
        find("$X.map { $Y -> $Y.$Z }"),
        find("this.$X = $X"),
    ],
    declarations: &[
        find("fun $N($$$) { $$$ }"),
        find("val $N: $T"),
        find("class $N { $$$ }"),
    ],
    constraints: &[
        find_with("$X.$M($$$)", "--where", "$M=~^(map|filter|forEach|get)"),
        find_with("return $X", "--inside", "if ($C) { $$$ }"),
    ],
    rewrites: &[
        change("$X!!", "requireNotNull($X)"),
        change("listOf($$$A)", "arrayListOf($$$A)"),
        change("$F($X)", "traced($X)"),
    ],
};

static SWIFT: Route = Route {
    calls: &[find("print($$$)"), find("try $X"), find("$F($$$)")],
    twice: &[
        find("guard let $X = $X else { $$$ }"),
        find("if let $X = $X { $$$ }"),
        find("self.$X = $X"),
        find("$X = $X + $Y"),
    ],
    declarations: &[
        find("func $N($$$) { $$$ }"),
        find("let $N: $T"),
        find("struct $N { $$$ }"),
    ],
    constraints: &[
        find_with("return $X", "--inside", "if $C { $$$ }"),
        find_with("$X.$M($$$)", "--where", "$M=~^(map|append|filter)"),
    ],
    rewrites: &[
        change("print($$$A)", "logger.debug($$$A)"),
        change("self.$X = $X", "self._$X = $X"),
        change("$F($X)", "traced($X)"),
    ],
};

static DART: Route = Route {
    calls: &[
        find("setState(() { $$$ })"),
        find("print($$$)"),
        find("$X!"),
        find("$F($$$)"),
    ],
    twice: &[
        find("if ($X != null) $X.$M($$$);"),
        find("$X == null ? $Y : $X"),
        find("$X != null ? $X : $Y"),
        find("if ($X != null) { $X.$M($$$); }"),
        find("($X) => $X.$M"),
        find("$X = $X + $Y"),
    ],
    declarations: &[
        find("final $T $N;"),
        find("void $N($$$) { $$$ }"),
        find("class $N { $$$ }"),
    ],
    constraints: &[
        find_with("await $X", "--inside", "for (final $I in $XS) { $$$ }"),
        find_with("return $X;", "--inside", "if ($C) { $$$ }"),
        find_with("$X.$M($$$)", "--where", "$M=~^(map|where|add)"),
    ],
    rewrites: &[
        change("print($$$A)", "log($$$A)"),
        change("if ($X != null) $X.$M($$$A);", "$X?.$M($$$A);"),
        change("$X.length == 0", "$X.isEmpty"),
        change("$F($X)", "traced($F, $X)"),
    ],
};

static PHP: Route = Route {
    calls: &[find("isset($X)"), find("new $T($$$)"), find("$F($$$)")],
    twice: &[
        find("isset($X) ? $X : $Y"),
        find("if ($X) { return $X; }"),
        find("$X = $X . $Y"),
        find("$X = $F($X)"),
        find("$X = $X + $Y"),
    ],
    declarations: &[
        find("public function $N($$$) { $$$ }"),
        find("function $N($$$) { $$$ }"),
        find("class $N { $$$ }"),
    ],
    constraints: &[
        find_with("return $X;", "--inside", "if ($C) { $$$ }"),
        find_with("$F($$$)", "--where", "$F=~^(count|strlen|isset|is_)"),
    ],
    rewrites: &[
        change("isset($X) ? $X : $Y", "$X ?? $Y"),
        change("array($$$A)", "[$$$A]"),
        change("count($X)", "iterator_count($X)"),
        change("$F($X)", "traced($X)"),
    ],
};

static RUBY: Route = Route {
    calls: &[find("puts $X"), find("raise $X"), find("$X.$M($$$)")],
    twice: &[
        find("@$X = $X"),
        find("$X = $X + $Y"),
        find("$X && $X.$M"),
        find("$X = $X.$M($$$)"),
        find("$X.map { |$Y| $Y.$M }"),
    ],
    declarations: &[
        find("def $N($$$)\n  $$$\nend"),
        find("def $N\n  $$$\nend"),
        find("class $N\n  $$$\nend"),
    ],
    constraints: &[
        find_with("return $X", "--inside", "if $C\n  $$$\nend"),
        find_with("$X.$M($$$)", "--where", "$M=~^(map|each|new)"),
    ],
    rewrites: &[
        change("$X && $X.$M", "$X&.$M"),
        change("puts $X", "logger.info($X)"),
        change("$X.$M($Y)", "$X.public_send(:$M, $Y)"),
    ],
};

static C: Route = Route {
    calls: &[find("free($X)"), find("sizeof($X)"), find("$F($$$)")],
    twice: &[
        find("if ($X) free($X);"),
        find("if ($X != NULL) { free($X); }"),
        find("for ($I = 0; $I < $N; $I++) { $$$ }"),
        find("for (int $I = 0; $I < $N; $I++) { $$$ }"),
        find("$X = $X + $Y"),
        find("$X == $Y ? $X : $Z"),
    ],
    declarations: &[
        find("static $T $N($$$) { $$$ }"),
        find("$T $N($$$) { $$$ }"),
        find("struct $N { $$$ };"),
    ],
    constraints: &[
        find_with("return $X;", "--inside", "if ($C) { $$$ }"),
        find_with(
            "$F($$$)",
            "--where",
            "$F=~^(malloc|free|memcpy|strlen|printf)$",
        ),
        find_with("$F($$$)", "--where", "$F=~^[a-m]"),
    ],
    rewrites: &[
        change("if ($X) free($X);", "free($X);"),
        change("free($X)", "free_sized($X)"),
        change("sizeof($X)", "(size_t)sizeof($X)"),
        change("$F($X)", "traced($X)"),
    ],
};

static ANY: Route = Route {
    calls: &[
        find("print($$$)"),
        find("$F($$$)"),
        find("$X.$M($$$)"),
        find("echo $X"),
    ],
    twice: &[
        find("$X = $X + $Y"),
        find("$F($X, $X)"),
        find("$X == $X"),
        find("$X = $F($X)"),
    ],
    declarations: &[
        find("class $N { $$$ }"),
        find("function $N($$$) $$$ end"),
        find("$N() { $$$ }"),
        find("message $N { $$$ }"),
    ],
    constraints: &[find_with("$F($$$)", "--where", "$F=~^[a-m]")],
    rewrites: &[
        change("print($$$A)", "log($$$A)"),
        change("$F($X)", "traced($X)"),
    ],
};

static JSON: Route = Route {
    calls: &[
        find("\"version\": $X"),
        find("\"name\": $X"),
        find("{ $$$ }"),
    ],
    twice: &[find("[$X, $X]")],
    declarations: &[],
    constraints: &[find_with("\"name\": $X", "--where", "$X=~^\"[a-m]")],
    rewrites: &[
        change("\"version\": $X", "\"version\": \"0.0.0\""),
        change("\"name\": $X", "\"title\": $X"),
    ],
};

static YAML: Route = Route {
    calls: &[find("name: $X"), find("version: $X"), find("image: $X")],
    twice: &[],
    declarations: &[],
    constraints: &[find_with("name: $X", "--where", "$X=~^[A-Ma-m]")],
    rewrites: &[change("name: $X", "title: $X")],
};

static TOML: Route = Route {
    calls: &[find("version = $X"), find("name = $X")],
    twice: &[],
    declarations: &[],
    constraints: &[find_with("version = $X", "--where", "$X=~^\"0")],
    rewrites: &[change("version = $X", "version = \"0.0.0\"")],
};

static CSS: Route = Route {
    calls: &[
        find("color: $X;"),
        find("margin: $$$;"),
        find("display: $X;"),
    ],
    twice: &[find("margin: $X $X;"), find("padding: $X $X;")],
    declarations: &[],
    constraints: &[find_with("color: $X;", "--where", "$X=~^#")],
    rewrites: &[
        change("color: $X;", "color: var(--color, $X);"),
        change("display: $X;", "display: revert;"),
    ],
};

static HTML: Route = Route {
    calls: &[
        find("<a $$$>$$$</a>"),
        find("<p>$$$</p>"),
        find("<div $$$>$$$</div>"),
    ],
    twice: &[],
    declarations: &[],
    constraints: &[find_with("<a $$$>$$$</a>", "--inside", "<li $$$>$$$</li>")],
    rewrites: &[
        change("<p>$$$A</p>", "<div>$$$A</div>"),
        change("<b>$$$A</b>", "<strong>$$$A</strong>"),
    ],
};
