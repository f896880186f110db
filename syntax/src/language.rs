//! The language table: one row per language, and the handle that names a row.

use crate::Error;
use crate::nearest::nearest;
use std::fmt;
use std::path::Path;
use std::sync::OnceLock;
use tree_sitter_language::LanguageFn;

/// One row of the language table.
struct Row {
    id: &'static str,
    name: &'static str,
    /// The Cargo feature that compiles the grammar in.
    feature: &'static str,
    aliases: &'static [&'static str],
    extensions: &'static [&'static str],
    file_names: &'static [&'static str],
    shebangs: &'static [&'static str],
    grammar: Option<LanguageFn>,
}

/// `Some(grammar)` when the feature is on, `None` when the language is known but absent.
macro_rules! grammar {
    ($feature:literal, $grammar:expr) => {{
        #[cfg(feature = $feature)]
        {
            Some($grammar)
        }
        #[cfg(not(feature = $feature))]
        {
            None
        }
    }};
}

macro_rules! table {
    ($($id:literal $name:literal $feature:literal $grammar:expr,
       aliases $aliases:expr, ext $ext:expr, files $files:expr, run $run:expr;)*) => {
        const TABLE: &[Row] = &[$(Row {
            id: $id,
            name: $name,
            feature: $feature,
            aliases: &$aliases,
            extensions: &$ext,
            file_names: &$files,
            shebangs: &$run,
            grammar: grammar!($feature, $grammar),
        }),*];
    };
}

// Sorted by id. An extension belongs to exactly one language; `.h` is C, because a C header read
// as C++ parses worse than the reverse costs.
table! {
    "bash" "Bash" "bash" tree_sitter_bash::LANGUAGE,
        aliases ["sh", "shell", "zsh"], ext ["sh", "bash", "zsh", "ksh", "bats", "ebuild", "eclass", "command"],
        files [".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile",
            ".zshrc", ".zshenv", ".zprofile", ".kshrc", "PKGBUILD", "APKBUILD"],
        run ["sh", "bash", "zsh", "dash", "ksh"];
    "c" "C" "c" tree_sitter_c::LANGUAGE,
        aliases [], ext ["c", "h"], files [], run [];
    "cpp" "C++" "cpp" tree_sitter_cpp::LANGUAGE,
        aliases ["c++", "cxx", "cc"],
        ext ["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "tpp",
            "tcc", "txx", "cppm", "ixx", "cu", "cuh", "ino"],
        files [], run [];
    "csharp" "C#" "c-sharp" tree_sitter_c_sharp::LANGUAGE,
        aliases ["c#", "cs", "c-sharp"], ext ["cs", "csx", "cake"], files [], run ["dotnet-script"];
    "css" "CSS" "css" tree_sitter_css::LANGUAGE,
        aliases [], ext ["css"], files [], run [];
    "dart" "Dart" "dart" tree_sitter_dart::LANGUAGE,
        aliases [], ext ["dart"], files [], run ["dart"];
    "elixir" "Elixir" "elixir" tree_sitter_elixir::LANGUAGE,
        aliases ["ex"], ext ["ex", "exs"], files ["mix.lock"], run ["elixir", "iex"];
    "go" "Go" "go" tree_sitter_go::LANGUAGE,
        aliases ["golang"], ext ["go"], files [], run [];
    "haskell" "Haskell" "haskell" tree_sitter_haskell::LANGUAGE,
        aliases ["hs"], ext ["hs", "hs-boot"], files [], run ["runhaskell", "runghc", "stack"];
    "html" "HTML" "html" tree_sitter_html::LANGUAGE,
        aliases ["htm"], ext ["html", "htm", "xhtml", "xht", "shtml"], files [], run [];
    "java" "Java" "java" tree_sitter_java::LANGUAGE,
        aliases [], ext ["java"], files [], run ["java"];
    "javascript" "JavaScript" "javascript" tree_sitter_javascript::LANGUAGE,
        aliases ["js"], ext ["js", "mjs", "cjs", "es6", "jsm"], files ["Jakefile"],
        run ["node", "nodejs", "bun", "gjs", "qjs"];
    "json" "JSON" "json" tree_sitter_json::LANGUAGE,
        aliases ["jsonc"], ext ["json", "jsonc", "json5", "jsonl", "ndjson", "webmanifest", "geojson", "topojson",
            "ipynb", "har", "avsc", "code-workspace"],
        files [".prettierrc", ".eslintrc", ".babelrc", ".swcrc", ".jshintrc", ".stylelintrc",
            "composer.lock", "deno.lock", "flake.lock", "Pipfile.lock"],
        run [];
    "jsx" "JSX" "javascript" tree_sitter_javascript::LANGUAGE,
        aliases [], ext ["jsx"], files [], run [];
    "kotlin" "Kotlin" "kotlin" tree_sitter_kotlin_ng::LANGUAGE,
        aliases ["kt"], ext ["kt", "kts", "ktm"], files [], run ["kotlin"];
    "lua" "Lua" "lua" tree_sitter_lua::LANGUAGE,
        aliases [], ext ["lua", "rockspec", "wlua", "nse"], files [".luacheckrc"],
        run ["lua", "luajit", "texlua"];
    "php" "PHP" "php" tree_sitter_php::LANGUAGE_PHP,
        aliases [], ext ["php", "phtml", "php3", "php4", "php5", "phps", "phpt"],
        files [".php_cs", ".php_cs.dist"], run ["php"];
    "proto" "Protocol Buffers" "proto" tree_sitter_proto::LANGUAGE,
        aliases ["protobuf"], ext ["proto"], files [], run [];
    "python" "Python" "python" tree_sitter_python::LANGUAGE,
        aliases ["py", "python3"], ext ["py", "pyi", "pyw", "wsgi", "gyp", "gypi", "bzl", "bazel", "star"],
        files ["SConstruct", "SConscript", "BUILD", "BUCK", "WORKSPACE", "Tiltfile", "wscript"],
        run ["python", "python2", "python3", "pypy", "pypy3", "uv"];
    "ruby" "Ruby" "ruby" tree_sitter_ruby::LANGUAGE,
        aliases ["rb"], ext ["rb", "rake", "gemspec", "podspec", "ru", "rbi", "jbuilder", "thor", "rabl"],
        files ["Gemfile", "Rakefile", "Podfile", "Vagrantfile", "Guardfile", "Fastfile", "Appfile",
            "Matchfile", "Brewfile", "Capfile", "Berksfile", "Dangerfile", "Appraisals", "Steepfile",
            "Thorfile", "Puppetfile", ".irbrc", ".pryrc", ".simplecov"],
        run ["ruby", "jruby", "rake"];
    "rust" "Rust" "rust" tree_sitter_rust::LANGUAGE,
        aliases ["rs"], ext ["rs"], files [], run ["rust-script", "cargo"];
    "scala" "Scala" "scala" tree_sitter_scala::LANGUAGE,
        aliases [], ext ["scala", "sc", "sbt", "mill"], files [],
        run ["scala", "scala-cli", "amm"];
    "swift" "Swift" "swift" tree_sitter_swift::LANGUAGE,
        aliases [], ext ["swift", "swiftinterface"], files [], run ["swift"];
    "toml" "TOML" "toml" tree_sitter_toml_ng::LANGUAGE,
        aliases [], ext ["toml"], files ["Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile"],
        run [];
    "tsx" "TSX" "typescript" tree_sitter_typescript::LANGUAGE_TSX,
        aliases [], ext ["tsx"], files [], run [];
    "typescript" "TypeScript" "typescript" tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        aliases ["ts"], ext ["ts", "mts", "cts"], files [], run ["deno", "ts-node", "tsx"];
    "yaml" "YAML" "yaml" tree_sitter_yaml::LANGUAGE,
        aliases ["yml"], ext ["yaml", "yml", "cff", "sublime-syntax"],
        files [".clang-format", ".clang-tidy", ".clangd", ".yamllint", ".gemrc", "pubspec.lock",
            "Podfile.lock"],
        run [];
    "zig" "Zig" "zig" tree_sitter_zig::LANGUAGE,
        aliases [], ext ["zig", "zon"], files [], run ["zig"];
}

static GRAMMARS: [OnceLock<tree_sitter::Language>; TABLE.len()] =
    [const { OnceLock::new() }; TABLE.len()];

/// A language whose grammar is compiled in: a handle into the language table, cheap to copy.
///
/// A language that was left out by Cargo features has no handle, so whoever holds a `Language`
/// can parse with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Language(u8);

impl Language {
    /// Every language compiled into this build, sorted by [`id`](Language::id).
    pub fn all() -> impl Iterator<Item = Language> {
        (0u8..)
            .zip(TABLE)
            .filter(|(_, row)| row.grammar.is_some())
            .map(|(at, _)| Language(at))
    }

    /// The ids of every language of the table, compiled in or not, sorted.
    pub fn known() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|row| row.id)
    }

    /// The language with this id, name or alias; upper and lower case are the same.
    ///
    /// # Errors
    /// [`Error::UnknownLanguage`] with the nearest known id, or [`Error::LanguageNotCompiledIn`]
    /// with the Cargo feature that would bring it.
    pub fn named(name: &str) -> Result<Language, Error> {
        let matches = |row: &Row| {
            row.id.eq_ignore_ascii_case(name)
                || row.name.eq_ignore_ascii_case(name)
                || row
                    .aliases
                    .iter()
                    .any(|alias| alias.eq_ignore_ascii_case(name))
        };
        match (0u8..).zip(TABLE).find(|(_, row)| matches(row)) {
            Some((at, row)) if row.grammar.is_some() => Ok(Language(at)),
            Some((_, row)) => Err(Error::LanguageNotCompiledIn {
                language: row.id,
                feature: row.feature,
            }),
            None => Err(Error::UnknownLanguage {
                given: name.to_owned(),
                nearest: nearest(name, Language::known()),
            }),
        }
    }

    /// The language of a path, by its file name or extension; `None` when no row claims it or the
    /// language is not compiled in.
    pub fn of_path(path: &Path) -> Option<Language> {
        let file_name = path.file_name()?.to_str()?;
        let by_name = |row: &Row| row.file_names.contains(&file_name);
        let extension = path.extension().and_then(|extension| extension.to_str());
        let by_extension = |row: &Row| {
            extension.is_some_and(|e| row.extensions.iter().any(|x| x.eq_ignore_ascii_case(e)))
        };
        Language::find(by_name).or_else(|| Language::find(by_extension))
    }

    /// The language named by a `#!` first line, such as `#!/usr/bin/env python3`.
    pub fn of_shebang(first_line: &str) -> Option<Language> {
        let mut words = first_line.strip_prefix("#!")?.split_whitespace();
        let program = words.next()?.rsplit('/').next()?;
        let program = if program == "env" {
            words
                .find(|word| !word.starts_with('-') && !word.contains('='))?
                .rsplit('/')
                .next()?
        } else {
            program
        };
        let unversioned = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        Language::find(|row| row.shebangs.contains(&program) || row.shebangs.contains(&unversioned))
    }

    fn find(wanted: impl Fn(&Row) -> bool) -> Option<Language> {
        (0u8..)
            .zip(TABLE)
            .find(|(_, row)| row.grammar.is_some() && wanted(row))
            .map(|(at, _)| Language(at))
    }

    fn row(self) -> &'static Row {
        &TABLE[usize::from(self.0)]
    }

    /// The short name used in options, output and configuration, such as `csharp`.
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// The name a person would write, such as `C#`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// File name extensions, without the dot.
    pub fn extensions(self) -> &'static [&'static str] {
        self.row().extensions
    }

    /// Whole file names that belong to the language, such as `Gemfile`.
    pub fn file_names(self) -> &'static [&'static str] {
        self.row().file_names
    }

    /// Every `#!` program, such as `python3`, that marks a script of the language.
    pub fn shebangs(self) -> &'static [&'static str] {
        self.row().shebangs
    }

    /// Further names that [`named`](Language::named) takes, such as `py`.
    pub fn aliases(self) -> &'static [&'static str] {
        self.row().aliases
    }

    /// The Cargo feature of this crate that compiles the language in.
    pub fn feature(self) -> &'static str {
        self.row().feature
    }

    /// Eight bytes that change with the grammar's node kinds: whatever is stored by kind id is
    /// good only as long as they are the same.
    pub fn fingerprint(self) -> [u8; 8] {
        static PRINTS: [OnceLock<[u8; 8]>; TABLE.len()] = [const { OnceLock::new() }; TABLE.len()];
        *PRINTS[usize::from(self.0)].get_or_init(|| {
            let grammar = self.grammar();
            let mut hasher = blake3::Hasher::new();
            for id in (0..=u16::MAX).take(grammar.node_kind_count()) {
                hasher.update(grammar.node_kind_for_id(id).unwrap_or_default().as_bytes());
                hasher.update(&[0, u8::from(grammar.node_kind_is_named(id))]);
            }
            let mut print = [0; 8];
            print.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
            print
        })
    }

    /// The tree-sitter grammar, loaded on first use and kept for the life of the process.
    #[allow(
        clippy::expect_used,
        clippy::missing_panics_doc,
        reason = "a handle exists only for a row that has a grammar"
    )]
    pub fn grammar(self) -> &'static tree_sitter::Language {
        GRAMMARS[usize::from(self.0)].get_or_init(|| {
            self.row()
                .grammar
                .expect("a handle names a row with a grammar")
                .into()
        })
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
