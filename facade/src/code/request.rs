//! What is asked of the code graph.

use fourfold_code_graph::facts::SymbolKind;
use fourfold_code_graph::link::Certainty;
use fourfold_code_graph::query::{Filter, MIN_TOKENS, Page, Tests, Wanted};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Error;

/// How much of an answer is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CodePage {
    /// The most entries to give.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(max = 10_000))]
    pub limit: Option<usize>,
    /// Entries to pass over first: the `next_offset` of the answer before.
    #[serde(skip_serializing_if = "is_zero")]
    pub offset: usize,
    /// The tokens (of four bytes) that the text of the answer may have; 2000 unless told, at least
    /// 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(max = 100_000))]
    pub tokens: Option<usize>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl CodePage {
    pub(super) fn page(self) -> Result<Page, Error> {
        if self.limit == Some(0) {
            return Err(Error::usage(
                "`limit` is 0: an answer has one entry at least",
            ));
        }
        match self.tokens {
            Some(tokens) if tokens < MIN_TOKENS => Err(Error::usage(format!(
                "`tokens` is {tokens}: an answer takes {MIN_TOKENS} at least"
            ))),
            _ => Ok(self.bounds()),
        }
    }

    /// The same, what is too little taken for the least.
    pub(super) fn bounds(self) -> Page {
        let page = Page::default();
        Page {
            tokens: self.tokens.unwrap_or(page.tokens),
            offset: self.offset,
            limit: self.limit.unwrap_or(page.limit),
        }
    }
}

/// Which symbols are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CodeScope {
    /// Only symbols in files that one of these globs, folders or paths matches; with a leading `!`
    /// all but those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Only symbols of these languages (ids, names or aliases).
    #[serde(rename = "language", skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// What becomes of tests: told apart (`apart`), left out (`without`), or nothing else (`only`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = TESTS))]
    pub tests: Option<String>,
}

const TESTS: [&str; 3] = ["apart", "without", "only"];
const VISIBILITIES: [&str; 4] = ["public", "internal", "protected", "private"];
const MODES: [&str; 4] = ["words", "exact", "prefix", "fuzzy"];
const LEVELS: [&str; 2] = ["file", "folder"];
const FORMS: [&str; 2] = ["mermaid", "dot"];

fn kind_items() -> Value {
    json!({"type": "string", "enum": SymbolKind::ALL.map(SymbolKind::word)})
}

impl CodeScope {
    /// The conditions, with `tests` for when nothing is said about them.
    pub(super) fn filter(&self, tests: Tests) -> Result<Filter, Error> {
        let languages = self.languages.iter().map(|name| {
            let language = fourfold_syntax::Language::named(name)?;
            Ok(language.id().to_owned())
        });
        Ok(Filter {
            paths: self.paths.clone(),
            languages: languages.collect::<Result<_, Error>>()?,
            tests: word("tests", self.tests.as_deref())?.unwrap_or(tests),
            ..Filter::default()
        })
    }
}

/// A word of a fixed list, if one is given.
pub(super) fn word<T: DeserializeOwned>(
    argument: &str,
    given: Option<&str>,
) -> Result<Option<T>, Error> {
    let read = |text: &str| {
        serde_json::from_value(Value::from(text.to_lowercase()))
            .map_err(|error| Error::usage(format!("`{argument}`: {error}")))
    };
    given.map(read).transpose()
}

/// A search for symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchCodeRequest {
    /// Words, a name or a qualified name. Names are split into their words (`getUserName`,
    /// `get_user_name`); signatures and documentation are searched after names.
    pub query: String,
    /// `words`; or names that are exactly this, begin with this, or are alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = MODES))]
    pub mode: Option<String>,
    /// Only symbols of these kinds.
    #[serde(rename = "kind", skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = kind_items()))]
    pub kinds: Vec<String>,
    /// Only symbols that may be seen at least this widely.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = VISIBILITIES))]
    pub visibility: Option<String>,
    /// Which symbols.
    #[serde(flatten)]
    pub scope: CodeScope,
    /// How much.
    #[serde(flatten)]
    pub page: CodePage,
}

/// A symbol, a file or a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CodeSymbolRequest {
    /// A name, bare or qualified (`send`, `Session.send`, `requests.sessions.Session.send`), a
    /// place (`sessions.py:40`), a name in a file (`sessions.py::Session`), a file, a folder, or an
    /// id of an earlier answer.
    pub symbol: String,
    /// Only a symbol of this kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = SymbolKind::ALL.map(SymbolKind::word)))]
    pub kind: Option<String>,
    /// Only a symbol in this file or folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub path: Option<String>,
    /// Give the outline (what is declared in it) in place of the source.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub outline: bool,
    /// Leave the source out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_source: bool,
    /// How many levels an outline has; 3 unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u8")]
    pub depth: Option<u8>,
    /// How much.
    #[serde(flatten)]
    pub page: CodePage,
}

/// Calls of a symbol, or from one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CallsRequest {
    /// The symbol, named as for code_symbol. A class is called by whoever makes an instance of it, a
    /// file by whoever calls into it; they call what is called anywhere in them.
    pub symbol: String,
    /// Only a symbol of this kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = SymbolKind::ALL.map(SymbolKind::word)))]
    pub kind: Option<String>,
    /// Only a symbol in this file or folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub path: Option<String>,
    /// Every use, not only calls: imports, types, values, inheritance.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uses: bool,
    /// How many steps: 2 gives the callers of callers as well. 1 to 6.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u8")]
    pub depth: Option<u8>,
    /// The least sure edges that count: exact (by scope or import), typed (by a declared type),
    /// inferred (by a worked out type; the default), candidate (one of several), name (what could
    /// not be told, by its name only). Less sure ones are told apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = Certainty::ALL.map(Certainty::word)))]
    pub certainty: Option<String>,
    /// Which callers or callees.
    #[serde(flatten)]
    pub scope: Among,
    /// How much.
    #[serde(flatten)]
    pub page: CodePage,
}

/// Which symbols may be in an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Among {
    /// Only answers in files that one of these globs, folders or paths matches; with a leading `!`
    /// all but those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub among: Vec<String>,
    /// Only answers in files of these languages (ids, names or aliases).
    #[serde(rename = "language", skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// What becomes of tests: told apart (`apart`), left out (`without`), or nothing else (`only`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = TESTS))]
    pub tests: Option<String>,
}

impl Among {
    pub(super) fn filter(&self, tests: Tests) -> Result<Filter, Error> {
        CodeScope {
            paths: self.among.clone(),
            languages: self.languages.clone(),
            tests: self.tests.clone(),
        }
        .filter(tests)
    }
}

/// What depends on a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ImpactRequest {
    /// Symbols and files that change, named as for code_symbol.
    #[serde(rename = "symbol", skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<String>,
    /// A commit (`HEAD`, `main`): what changed in the work tree since then is what changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub since: Option<String>,
    /// How many steps, 1 to 6; 2 unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u8")]
    pub depth: Option<u8>,
    /// The least sure edges that are followed: exact, typed, inferred (the default), candidate, name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = Certainty::ALL.map(Certainty::word)))]
    pub certainty: Option<String>,
    /// Which dependents.
    #[serde(flatten)]
    pub scope: Among,
    /// How much.
    #[serde(flatten)]
    pub page: CodePage,
}

/// A map of the checkout.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CodeMapRequest {
    /// Symbols and files that the work is about: what is near them counts for more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub focus: Vec<String>,
    /// Which symbols.
    #[serde(flatten)]
    pub scope: CodeScope,
    /// How much.
    #[serde(flatten)]
    pub page: CodePage,
}

/// What else the graph can be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GraphAction {
    /// The shortest ways from `symbol` to `to` by calls.
    Paths,
    /// What a type inherits from and what inherits from it; what a method overrides and what
    /// overrides it.
    Hierarchy,
    /// Folders or files that need each other in a circle.
    Cycles,
    /// Which folders or files need which, in layers.
    Modules,
    /// Symbols without a known use, with what speaks against their being unused.
    Unused,
    /// A drawing of what is around `symbol`.
    Draw,
    /// What the index covers, and how much of it is known.
    #[default]
    Status,
}

/// Other questions to the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CodeGraphRequest {
    /// What to ask.
    pub action: GraphAction,
    /// For paths (where they begin), hierarchy and draw: the symbol, named as for code_symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub symbol: Option<String>,
    /// For paths: where they end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub to: Option<String>,
    /// For unused: only these kinds. For hierarchy: the symbol's kind.
    #[serde(rename = "kind", skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = kind_items()))]
    pub kinds: Vec<String>,
    /// For modules and cycles: what is one module; folder unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = LEVELS))]
    pub level: Option<String>,
    /// For modules and cycles: folders deeper than this are one with the folder above. For draw: how
    /// many steps around the symbol; 1 unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u8")]
    pub depth: Option<u8>,
    /// For draw: the language of the drawing; mermaid unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = FORMS))]
    pub form: Option<String>,
    /// The least sure edges that count: exact, typed, inferred (the default), candidate, name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = Certainty::ALL.map(Certainty::word)))]
    pub certainty: Option<String>,
    /// Which symbols and files.
    #[serde(flatten)]
    pub scope: CodeScope,
    /// How much.
    #[serde(flatten)]
    pub page: CodePage,
}

impl GraphAction {
    /// What it is called, and which arguments beside the page it has a use for.
    fn takes(self) -> (&'static str, &'static [&'static str]) {
        match self {
            GraphAction::Paths => ("paths", &["symbol", "to", "certainty"]),
            GraphAction::Hierarchy => (
                "hierarchy",
                &["symbol", "kind", "certainty", "paths", "language", "tests"],
            ),
            GraphAction::Cycles => ("cycles", OF_MODULES),
            GraphAction::Modules => ("modules", OF_MODULES),
            GraphAction::Unused => ("unused", &["kind", "paths", "language", "tests"]),
            GraphAction::Draw => ("draw", &["symbol", "depth", "form", "certainty"]),
            GraphAction::Status => ("status", &[]),
        }
    }
}

const OF_MODULES: &[&str] = &["level", "depth", "certainty", "paths", "language", "tests"];

impl CodeGraphRequest {
    /// Refuses what the action would not heed.
    pub(super) fn check(&self) -> Result<(), Error> {
        let given = [
            ("symbol", self.symbol.is_some()),
            ("to", self.to.is_some()),
            ("kind", !self.kinds.is_empty()),
            ("level", self.level.is_some()),
            ("depth", self.depth.is_some()),
            ("form", self.form.is_some()),
            ("certainty", self.certainty.is_some()),
            ("paths", !self.scope.paths.is_empty()),
            ("language", !self.scope.languages.is_empty()),
            ("tests", self.scope.tests.is_some()),
        ];
        let (action, takes) = self.action.takes();
        let unheeded = given
            .iter()
            .find(|(name, given)| *given && !takes.contains(name));
        let Some((name, _)) = unheeded else {
            return Ok(());
        };
        let takes = match takes {
            [] => "it takes none".to_owned(),
            takes => format!("it takes `{}`", takes.join("`, `")),
        };
        Err(Error::usage(format!(
            "`{action}` has no use for `{name}`: {takes}"
        )))
    }
}

impl CodeSymbolRequest {
    pub(super) fn wanted(&self) -> Result<Wanted, Error> {
        wanted(&self.symbol, self.kind.as_deref(), self.path.as_deref())
    }
}

impl CallsRequest {
    pub(super) fn wanted(&self) -> Result<Wanted, Error> {
        wanted(&self.symbol, self.kind.as_deref(), self.path.as_deref())
    }
}

pub(super) fn wanted(
    symbol: &str,
    kind: Option<&str>,
    path: Option<&str>,
) -> Result<Wanted, Error> {
    if symbol.trim().is_empty() {
        return Err(Error::usage(
            "the symbol is an empty text: name a symbol, a file, or a folder (`.` is the whole \
             checkout)",
        ));
    }
    Ok(Wanted {
        symbol: symbol.to_owned(),
        kind: word("kind", kind)?,
        path: path.map(str::to_owned),
    })
}

/// The kinds of these words.
pub(super) fn kinds(words: &[String]) -> Result<Vec<SymbolKind>, Error> {
    let kinds = words.iter().map(|text| word("kind", Some(text)));
    let kinds: Vec<Option<SymbolKind>> = kinds.collect::<Result<_, _>>()?;
    Ok(kinds.into_iter().flatten().collect())
}

/// The words for the kinds of symbols, as requests take them.
pub fn symbol_kinds() -> impl Iterator<Item = &'static str> {
    SymbolKind::ALL.into_iter().map(SymbolKind::word)
}
