//! Asks the index of the checkout, which is made when it is first needed.

use std::path::{Component, Path};
use std::sync::Arc;

use fourfold_code_graph::index::{Index, IndexConfig};
use fourfold_code_graph::link::Certainty;
use fourfold_code_graph::query::{
    Answer, CallRequest, DrawRequest, Filter, ImpactRequest as Impact, Inquiry, Level, MapRequest,
    ModuleRequest, OutlineRequest, PathRequest, Reader, SearchRequest, SymbolRequest, Tests,
    UnreferencedRequest, Wanted,
};
use fourfold_worktree::{Control, Purpose, ReadLimits, read_text};

use super::answer::CodeAnswer;
use super::diff;
use super::request::{
    CallsRequest, CodeGraphRequest, CodeMapRequest, CodeSymbolRequest, GraphAction, ImpactRequest,
    SearchCodeRequest, kinds, wanted, word,
};
use crate::Error;
use crate::checkout::Checkout;

/// The files of a checkout as they are now, and nothing outside of it: what was a file when it was
/// indexed may be a link by now.
pub(crate) struct Files<'a>(pub(crate) &'a fourfold_worktree::Checkout);

impl Reader for Files<'_> {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        let file = self.0.admit(path, Purpose::Read).ok()?;
        let limits = ReadLimits {
            max_bytes: u64::MAX,
        };
        let read = read_text(&file, &limits).ok()?;
        Some(Arc::from(read.text))
    }

    fn exists(&self, path: &str) -> bool {
        let below = Path::new(path).components();
        let mut below = below.filter(|part| !matches!(part, Component::CurDir));
        below.all(|part| matches!(part, Component::Normal(_))) && self.0.root().join(path).exists()
    }
}

impl Checkout {
    /// The index of the checkout; opened when first asked for, and brought up to date with each
    /// question.
    pub(crate) fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let limits = self.limits();
            let config = IndexConfig {
                cache: self.index_cache().clone(),
                workers: limits.workers(),
                ..IndexConfig::default()
            };
            Arc::new(Index::open(self.tree(), config))
        })
    }

    /// The index, if it was opened before.
    pub(crate) fn index_if_open(&self) -> Option<Arc<Index>> {
        self.index.get().cloned()
    }

    /// Puts a question; again when files that the answer speaks of have changed meanwhile.
    fn ask(
        &self,
        control: &Control,
        question: impl Fn(&Inquiry<'_>) -> Answer,
    ) -> Result<CodeAnswer, Error> {
        let reader = Files(self.tree());
        let (answer, freshness) = self.index().answer(control, |view| {
            let answer = question(&Inquiry {
                graph: &view.graph,
                coverage: &view.coverage,
                reader: &reader,
            });
            let paths = answer.paths();
            (answer, paths)
        })?;
        Ok(CodeAnswer::of(answer, freshness))
    }

    /// Finds symbols by words or names; blocking.
    ///
    /// # Errors
    /// An argument that makes no sense, a checkout that cannot be indexed, [`Error::Cancelled`].
    pub fn search_code(
        &self,
        request: &SearchCodeRequest,
        control: &Control,
    ) -> Result<CodeAnswer, Error> {
        if request.query.trim().is_empty() {
            return Err(Error::usage(
                "the query is empty: give a name, or words that describe it; code_map shows what \
                 matters most, and code_symbol what a file or a folder declares",
            ));
        }
        let search = SearchRequest {
            query: request.query.clone(),
            mode: word("mode", request.mode.as_deref())?.unwrap_or_default(),
            filter: Filter {
                kinds: kinds(&request.kinds)?,
                visibility: word("visibility", request.visibility.as_deref())?,
                ..request.scope.filter(Tests::Apart)?
            },
            page: request.page.page()?,
        };
        self.ask(control, |inquiry| inquiry.search(&search))
    }

    /// One symbol with its source, or the outline of a file, a folder or a type; blocking.
    ///
    /// # Errors
    /// Those of [`search_code`](Checkout::search_code).
    pub fn code_symbol(
        &self,
        request: &CodeSymbolRequest,
        control: &Control,
    ) -> Result<CodeAnswer, Error> {
        let wanted = self.below_root(request.wanted()?);
        let page = request.page.page()?;
        let outline = OutlineRequest {
            wanted: wanted.clone(),
            depth: request.depth.unwrap_or(OutlineRequest::default().depth),
            page,
            ..OutlineRequest::default()
        };
        let symbol = SymbolRequest {
            wanted,
            source: !request.no_source,
            page,
        };
        // The name of a folder at the root means the folder.
        let name = symbol.wanted.symbol.trim();
        let folder = !name.is_empty() && self.is_folder(name);
        let outline = match folder && !name.ends_with('/') {
            true => OutlineRequest {
                wanted: Wanted {
                    symbol: format!("{name}/"),
                    ..outline.wanted
                },
                ..outline
            },
            false => outline,
        };
        self.ask(control, |inquiry| match request.outline || folder {
            true => inquiry.outline(&outline),
            false => inquiry.symbol(&symbol),
        })
    }

    /// Who calls a symbol, or uses it in any way; blocking.
    ///
    /// # Errors
    /// Those of [`search_code`](Checkout::search_code).
    pub fn code_callers(
        &self,
        request: &CallsRequest,
        control: &Control,
    ) -> Result<CodeAnswer, Error> {
        let calls = self.calls(request)?;
        self.ask(control, |inquiry| match request.uses {
            true => inquiry.references(&calls),
            false => inquiry.callers(&calls),
        })
    }

    /// What a symbol calls; blocking.
    ///
    /// # Errors
    /// Those of [`search_code`](Checkout::search_code).
    pub fn code_callees(
        &self,
        request: &CallsRequest,
        control: &Control,
    ) -> Result<CodeAnswer, Error> {
        let calls = self.calls(request)?;
        self.ask(control, |inquiry| inquiry.callees(&calls))
    }

    fn calls(&self, request: &CallsRequest) -> Result<CallRequest, Error> {
        let usual = CallRequest::default();
        Ok(CallRequest {
            wanted: self.below_root(request.wanted()?),
            depth: steps(request.depth)?.unwrap_or(usual.depth),
            certainty: certainty(request.certainty.as_deref())?,
            among: request.scope.filter(Tests::Apart)?,
            page: request.page.page()?,
        })
    }

    /// What depends on symbols, files, or what changed since a commit; blocking.
    ///
    /// # Errors
    /// Those of [`search_code`](Checkout::search_code); with `since`, that git is missing, or what
    /// it says.
    pub fn code_impact(
        &self,
        request: &ImpactRequest,
        control: &Control,
    ) -> Result<CodeAnswer, Error> {
        if request.symbols.is_empty() && request.since.is_none() {
            return Err(Error::usage(
                "say what changes: symbols or files (`symbol`), or a commit that the work tree is \
                 compared with (`since`)",
            ));
        }
        let changed = match &request.since {
            Some(commit) => diff::since(self, commit)?,
            None => Vec::new(),
        };
        let impact = Impact {
            subjects: self.all_below_root(&request.symbols)?,
            changed,
            depth: steps(request.depth)?.unwrap_or(Impact::default().depth),
            certainty: certainty(request.certainty.as_deref())?,
            among: request.scope.filter(Tests::Apart)?,
            page: request.page.page()?,
        };
        self.ask(control, |inquiry| inquiry.impact(&impact))
    }

    /// The most important symbols, as many as the budget holds; blocking.
    ///
    /// # Errors
    /// Those of [`search_code`](Checkout::search_code).
    pub fn code_map(
        &self,
        request: &CodeMapRequest,
        control: &Control,
    ) -> Result<CodeAnswer, Error> {
        let map = MapRequest {
            focus: self.all_below_root(&request.focus)?,
            among: request.scope.filter(Tests::Without)?,
            page: request.page.page()?,
        };
        self.ask(control, |inquiry| inquiry.map(&map))
    }

    /// Other questions to the graph; blocking.
    ///
    /// # Errors
    /// Those of [`search_code`](Checkout::search_code).
    pub fn code_graph(
        &self,
        request: &CodeGraphRequest,
        control: &Control,
    ) -> Result<CodeAnswer, Error> {
        request.check()?;
        let named = |argument: &str, text: &Option<String>| match text {
            Some(text) => Ok(self.below_root(wanted(text, None, None)?)),
            None => Err(Error::usage(format!("this action needs `{argument}`"))),
        };
        let page = request.page.page()?;
        let certainty = certainty(request.certainty.as_deref())?;
        match request.action {
            GraphAction::Paths => {
                let paths = PathRequest {
                    from: named("symbol", &request.symbol)?,
                    to: named("to", &request.to)?,
                    certainty,
                    page,
                    ..PathRequest::default()
                };
                self.ask(control, |inquiry| inquiry.paths(&paths))
            }
            GraphAction::Hierarchy => {
                let mut wanted = named("symbol", &request.symbol)?;
                if let [kind] = kinds(&request.kinds)?.as_slice() {
                    wanted.kind = Some(*kind);
                }
                let calls = CallRequest {
                    wanted,
                    certainty,
                    among: request.scope.filter(Tests::Apart)?,
                    page,
                    ..CallRequest::default()
                };
                self.ask(control, |inquiry| inquiry.hierarchy(&calls))
            }
            GraphAction::Cycles | GraphAction::Modules => {
                let modules = ModuleRequest {
                    level: word::<Level>("level", request.level.as_deref())?.unwrap_or_default(),
                    folders: request.depth.unwrap_or(0),
                    among: request.scope.filter(Tests::Without)?,
                    certainty,
                    page,
                };
                self.ask(control, |inquiry| match request.action {
                    GraphAction::Cycles => inquiry.cycles(&modules),
                    _ => inquiry.modules(&modules),
                })
            }
            GraphAction::Unused => {
                let unused = UnreferencedRequest {
                    among: Filter {
                        kinds: kinds(&request.kinds)?,
                        ..request.scope.filter(Tests::Without)?
                    },
                    page,
                };
                self.ask(control, |inquiry| inquiry.unreferenced(&unused))
            }
            GraphAction::Draw => {
                let usual = DrawRequest::default();
                let draw = DrawRequest {
                    wanted: named("symbol", &request.symbol)?,
                    depth: steps(request.depth)?.unwrap_or(usual.depth),
                    form: word("form", request.form.as_deref())?.unwrap_or(usual.form),
                    certainty,
                    page,
                };
                self.ask(control, |inquiry| inquiry.draw(&draw))
            }
            GraphAction::Status => self.ask(control, |inquiry| inquiry.status(&page)),
        }
    }

    fn all_below_root(&self, texts: &[String]) -> Result<Vec<Wanted>, Error> {
        let all = texts.iter().map(|text| wanted(text, None, None));
        all.map(|one| Ok(self.below_root(one?))).collect()
    }

    /// Absolute paths into the checkout are taken as those below its root.
    fn below_root(&self, mut wanted: Wanted) -> Wanted {
        let below = |text: &str| {
            let rest = Path::new(text).strip_prefix(self.root()).ok()?;
            rest.to_str().map(str::to_owned)
        };
        if let Some(text) = below(&wanted.symbol) {
            wanted.symbol = text;
        }
        if let Some(text) = wanted.path.as_deref().and_then(below) {
            wanted.path = Some(text);
        }
        wanted
    }
}

/// How many steps are gone, within what is asked for.
fn steps(depth: Option<u8>) -> Result<Option<u8>, Error> {
    const MOST: u8 = 6;
    match depth {
        Some(depth @ (0 | 7..)) => Err(Error::usage(format!(
            "`depth` is {depth}, and goes from 1 to {MOST}; the nearest is {}",
            depth.clamp(1, MOST)
        ))),
        depth => Ok(depth),
    }
}

fn certainty(given: Option<&str>) -> Result<Certainty, Error> {
    Ok(word("certainty", given)?.unwrap_or(Certainty::Inferred))
}
