//! Finding out who can answer, and asking.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fourfold_lsp_client::{
    Direction, FoundSymbol, Goto, HierarchyItem, InUse, OperationError, OperationLimits,
    Operations, Places, Point, Role, Session, Span, Symbol, WorkspaceEdit, locate,
};
use fourfold_syntax::ParseLimits;
use fourfold_worktree::Purpose;

use super::actions::Listed;
use super::mention::{can_be_named, line_of_name};
use super::reach::Known;
use super::request::{LspAction, LspRequest};
use super::result::{ActionInfo, LspPlace, LspResult, LspSymbol};
use crate::Error;
use crate::conversation::Conversation;
use crate::verdict::Desk;

/// Places or symbols in one answer unless told otherwise.
const SHOWN: usize = 50;

/// What came of asking, before it is cut to the bound and staged.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) server: Option<String>,
    pub(super) places: Vec<LspPlace>,
    symbols: Vec<LspSymbol>,
    hover: Option<String>,
    pub(super) actions: Vec<ActionInfo>,
    /// A change that is proposed, and what it is.
    pub(super) change: Option<(WorkspaceEdit, String)>,
    pub(super) notices: Vec<String>,
}

impl Conversation {
    /// Asks the language servers; blocking. A change that they propose is staged:
    /// [`resolve`](Conversation::resolve) applies or discards it.
    ///
    /// # Errors
    /// What the action needs is not given, the file or the symbol is not there, no server can be
    /// asked, none offers it, or the one that does fails.
    pub fn lsp(&self, request: &LspRequest) -> Result<LspResult, Error> {
        if request.limit == Some(0) {
            return Err(Error::usage(
                "`limit` is 0: an answer has one entry at least",
            ));
        }
        if request.stages() {
            self.writable("stage a change")?;
        }
        let desk = self.served()?;
        let mut result = LspResult {
            action: request.action.name(),
            ..LspResult::default()
        };
        match request.action {
            LspAction::Status => {
                result.servers = self.servers()?;
                return Ok(result);
            }
            LspAction::Reload => {
                let query = request.query.clone();
                let ended =
                    self.ask(async move { desk.servers().reload(query.as_deref()).await })?;
                self.inner().ledger.lock().forget_told();
                *self.inner().standing.lock() = None;
                let s = if ended == 1 { "" } else { "s" };
                result.notices.push(match (&request.query, ended) {
                    (Some(name), 0) => {
                        format!("no server that runs is called `{name}`; `status` lists them")
                    }
                    _ => format!("{ended} server{s} ended; the next request starts what it needs"),
                });
                return Ok(result);
            }
            LspAction::Diagnostics => {
                self.diagnostics(&desk, request, &mut result)?;
                return Ok(result);
            }
            _ => {}
        }
        let mut question = Question::of(self, request)?;
        question.listed = self.listed(request);
        if request.action == LspAction::Rename {
            question.known = self.known_of(&desk, &question)?;
        }
        let heard = self.ask(async move { question.ask(&desk).await })??;
        let limit = request.limit.unwrap_or(SHOWN);
        result.server = heard.server;
        result.hover = heard.hover;
        if request.action == LspAction::CodeActions && request.apply.is_none() {
            self.keep_listing(request, &heard.actions);
        }
        result.actions = heard.actions;
        result.notices = heard.notices;
        result.total = heard.places.len() + heard.symbols.len();
        result.places = page(heard.places, request.offset, limit);
        result.symbols = page(heard.symbols, request.offset, limit);
        let given = result.places.len() + result.symbols.len();
        result.turn_page(request.offset, given);
        if let Some((change, what)) = heard.change {
            self.stage_proposed(&change, what, request.keep, &mut result)?;
        }
        Ok(result)
    }

    /// Who asks the servers.
    pub(super) fn served(&self) -> Result<Arc<Desk>, Error> {
        self.checkout().desk().map_err(Error::usage)
    }

    /// Everything that is wrong in a file, or all that is known; what is shown counts as told.
    fn diagnostics(
        &self,
        desk: &Arc<Desk>,
        request: &LspRequest,
        result: &mut LspResult,
    ) -> Result<(), Error> {
        let about = match request.file.as_deref() {
            None => return Err(missing(request.action, "`file`, or `*` for the checkout")),
            Some(file) if file == Path::new("*") => file.to_path_buf(),
            Some(file) => {
                let admitted = self.checkout().tree().admit(file, Purpose::Read)?;
                admitted.absolute().to_path_buf()
            }
        };
        let end = request
            .offset
            .saturating_add(request.limit.unwrap_or(SHOWN));
        let page = self.standing(desk, &about, request.offset..end)?;
        result.total = page.total;
        result.problems = page.problems;
        result.turn_page(request.offset, result.problems.len());
        result.unconfirmed = page.unconfirmed;
        result.checkers = page.checkers;
        result.server = (!page.servers.is_empty()).then(|| page.servers.join(", "));
        Ok(())
    }
}

/// A question with what it needs, checked.
#[derive(Clone)]
pub(super) struct Question {
    pub(super) request: LspRequest,
    pub(super) root: PathBuf,
    /// The file asked about.
    pub(super) file: Option<PathBuf>,
    text: String,
    /// The action that is to be applied, if its number was listed before.
    pub(super) listed: Option<Listed>,
    /// What is known of what is to be renamed.
    pub(super) known: Known,
    parsing: ParseLimits,
    /// Whether the answer is only right when the whole project is loaded.
    waits: bool,
}

impl Question {
    fn of(conversation: &Conversation, request: &LspRequest) -> Result<Question, Error> {
        let checkout = conversation.checkout();
        let mut question = Question {
            request: request.clone(),
            root: checkout.root().to_path_buf(),
            file: None,
            text: String::new(),
            listed: None,
            known: Known::default(),
            parsing: checkout.limits().parsing(checkout.limits().max_file_bytes),
            waits: matches!(
                request.action,
                LspAction::Rename
                    | LspAction::References
                    | LspAction::Implementation
                    | LspAction::IncomingCalls
                    | LspAction::Subtypes
            ),
        };
        let Some(file) = &request.file else {
            if request.action == LspAction::Symbols && request.query.is_some() {
                return Ok(question);
            }
            return Err(missing(request.action, "`file`"));
        };
        let admitted = checkout.tree().admit(file, Purpose::Read)?;
        let limits = checkout.limits().reading();
        let text = fourfold_worktree::read_text(&admitted, &limits)
            .map_err(|why| Error::usage(format!("cannot ask about `{}`: {why}", file.display())))?;
        question.text = text.text;
        question.file = Some(admitted.absolute().to_path_buf());
        if request.action == LspAction::Rename && request.new_name.is_none() {
            return Err(missing(request.action, "`new_name`"));
        }
        if question.wants_symbol() && request.symbol.is_none() {
            return Err(missing(
                request.action,
                "`symbol`, as it is written; with its `line`, where it stands on several",
            ));
        }
        if let (Some(symbol), None) = (&request.symbol, request.line) {
            let name = symbol.split('#').next().unwrap_or(symbol);
            let one = request.action == LspAction::Rename;
            let line = line_of_name(file, &question.text, name, question.parsing, one);
            question.request.line = Some(line.map_err(Error::usage)?);
        }
        if request.action == LspAction::Rename {
            question.check_name(file)?;
        }
        Ok(question)
    }

    /// Refuses a new name that cannot be one here.
    fn check_name(&self, file: &Path) -> Result<(), Error> {
        let new = self.request.new_name.as_deref().unwrap_or_default();
        let point = self.point()?;
        let rows = self.text.split_inclusive('\n').take(point.line as usize);
        let start = rows.map(str::len).sum::<usize>() + point.column as usize;
        let at = start..start + self.name().len();
        if can_be_named(file, &self.text, &at, new, self.parsing) {
            return Ok(());
        }
        Err(Error::usage(format!(
            "`{new}` cannot stand where `{}` does, so nothing was asked; give a `new_name` that is a \
             name in this language",
            self.name()
        )))
    }

    fn wants_symbol(&self) -> bool {
        !matches!(
            self.request.action,
            LspAction::Symbols | LspAction::Format | LspAction::CodeActions
        )
    }

    /// The same symbol, asked where it is declared.
    pub(super) fn about_declaration(&self) -> Question {
        let mut question = self.clone();
        question.request.action = LspAction::Definition;
        question
    }

    /// The name of the symbol, without the number of its occurrence.
    pub(super) fn name(&self) -> &str {
        let symbol = self.request.symbol.as_deref().unwrap_or_default();
        symbol.split('#').next().unwrap_or(symbol)
    }

    /// The file below the root and the line that are asked about.
    pub(super) fn place(&self) -> (String, u32) {
        let file = self.file.as_deref().unwrap_or(&self.root);
        (below(&self.root, file), self.request.line.unwrap_or(1))
    }

    /// Asks the first server that offers it, those that check types first.
    pub(super) async fn ask(&self, desk: &Desk) -> Result<Heard, Error> {
        if self.file.is_none() {
            return self.ask_project(desk).await;
        }
        let (leases, reasons) = self.leases(desk).await;
        for (lease, language_id) in &leases {
            self.open(lease, language_id).await?;
        }
        if self.request.action == LspAction::CodeActions && !leases.is_empty() {
            return self.actions(desk, &leases).await;
        }
        if self.waits {
            // A server that still loads knows of some files and not of others.
            for (lease, _) in &leases {
                if let Some(file) = &self.file {
                    desk.looked(lease, file).await;
                }
            }
        }
        let mut refusals = Vec::new();
        for (lease, _) in leases {
            match self.ask_one(&lease).await? {
                Ok(mut heard) => {
                    if let (LspAction::Rename, Some((change, _))) =
                        (self.request.action, &heard.change)
                    {
                        if change.files.is_empty() {
                            return Err(self.nothing_renamed(&lease.spec().id));
                        }
                        let said = self.shortfalls(&lease, change, self.parsing).await;
                        heard.notices.extend(said);
                    }
                    heard.server = Some(lease.spec().id.clone());
                    return Ok(heard);
                }
                Err(OperationError::NotOffered { server, .. }) => refusals.push(server),
                Err(error) => {
                    return Err(Error::Server {
                        message: error.to_string(),
                    });
                }
            }
        }
        Err(self.nobody(&refusals, &reasons))
    }

    /// A server that proposes nothing for a rename does not say why.
    fn nothing_renamed(&self, server: &str) -> Error {
        let new = self.request.new_name.as_deref().unwrap_or_default();
        Error::Server {
            message: format!(
                "{server} proposes no change to rename `{}` to `{new}`; it may be the name already, no \
                 name in this language, or `{}` may be declared outside of the project",
                self.name(),
                self.name()
            ),
        }
    }

    /// Shows a server the file as it is on disk.
    async fn open(&self, lease: &Session, language_id: &str) -> Result<(), Error> {
        let fail = |message: String| Error::Server { message };
        let refreshed = lease.refresh_from_disk().await;
        refreshed.map_err(|error| fail(error.to_string()))?;
        if let Some(file) = &self.file {
            let opened = lease.open(file, language_id).await;
            opened.map_err(|error| fail(error.to_string()))?;
        }
        Ok(())
    }

    /// Why there is no answer: who does not offer it, and why others cannot be asked.
    pub(super) fn nobody(&self, refusals: &[String], reasons: &[String]) -> Error {
        let action = self.request.action.name();
        let not = match refusals {
            [_] => "does not",
            _ => "do not",
        };
        let message = if !refusals.is_empty() {
            format!(
                "{} {not} offer {action} here; {}",
                refusals.join(" and "),
                self.instead()
            )
        } else if reasons.is_empty() {
            format!("no language server is known for this kind of file, so {action} has no answer")
        } else {
            format!("no language server can be asked: {}", reasons.join("; "))
        };
        Error::Server { message }
    }

    /// Who else may know.
    fn instead(&self) -> &'static str {
        match self.request.action {
            LspAction::Supertypes | LspAction::Subtypes | LspAction::Implementation => {
                "the code graph answers it without a server (hierarchy)"
            }
            LspAction::IncomingCalls => "the code graph answers it without a server (callers)",
            LspAction::OutgoingCalls => "the code graph answers it without a server (callees)",
            _ => "use another action, or ask the code graph",
        }
    }

    /// Asks every server that runs.
    async fn ask_project(&self, desk: &Desk) -> Result<Heard, Error> {
        let running = desk.servers().running();
        let mut all = Heard::default();
        let mut names = Vec::new();
        for session in &running {
            match self.ask_one(session).await? {
                Ok(heard) => {
                    names.push(session.spec().id.clone());
                    all.symbols.extend(heard.symbols);
                }
                Err(OperationError::NotOffered { .. }) => {}
                Err(error) => all.notices.push(error.to_string()),
            }
        }
        if names.is_empty() {
            return Err(Error::Server {
                message: match all.notices.is_empty() {
                    true => "no running server offers this; ask about a file of the language \
                             first, which starts its server"
                        .to_owned(),
                    false => all.notices.join("; "),
                },
            });
        }
        all.server = Some(names.join(", "));
        Ok(all)
    }

    /// The servers that can be asked, and why others cannot.
    async fn leases(&self, desk: &Desk) -> (Vec<(InUse, String)>, Vec<String>) {
        let mut leases = Vec::new();
        let mut reasons = Vec::new();
        let Some(file) = &self.file else {
            return (leases, reasons);
        };
        for served in desk.servers().for_file(file).await {
            let language_id = served.detection.language_id.clone();
            match served.session {
                Some(Ok(lease)) => leases.push((lease, language_id)),
                Some(Err(why)) => reasons.push(why.to_string()),
                None => reasons.push(served.detection.to_string()),
            }
        }
        leases.sort_by_key(|(lease, _)| lease.spec().role != Role::Types);
        (leases, reasons)
    }

    /// The outer error is one of the request, the inner one of the server.
    async fn ask_one(&self, lease: &Session) -> Result<Result<Heard, OperationError>, Error> {
        let operations = Operations::new(lease, OperationLimits::default());
        let request = &self.request;
        let Some(file) = &self.file else {
            let query = request.query.clone().unwrap_or_default();
            let found = operations.workspace_symbols(&query).await;
            return Ok(found.map(|symbols| self.symbols_found(symbols)));
        };
        let point = match self.wants_symbol() {
            true => self.point()?,
            false => Point::default(),
        };
        Ok(match request.action {
            LspAction::Definition => {
                let places = operations.go_to(Goto::Definition, file, point).await;
                places.map(|places| self.places(places))
            }
            LspAction::TypeDefinition => {
                let places = operations.go_to(Goto::TypeDefinition, file, point).await;
                places.map(|places| self.places(places))
            }
            LspAction::Declaration => {
                let places = operations.go_to(Goto::Declaration, file, point).await;
                places.map(|places| self.places(places))
            }
            LspAction::Implementation => {
                let places = operations.go_to(Goto::Implementation, file, point).await;
                places.map(|places| self.places(places))
            }
            LspAction::References => {
                let places = operations.references(file, point, true).await;
                places.map(|places| self.places(places))
            }
            LspAction::Hover => {
                let hover = operations.hover(file, point).await;
                hover.map(|hover| Heard {
                    hover: hover.map(|hover| hover.text),
                    ..Heard::default()
                })
            }
            LspAction::Symbols => match &request.query {
                Some(query) => {
                    let found = operations.workspace_symbols(query).await;
                    found.map(|symbols| self.symbols_found(symbols))
                }
                None => {
                    let symbols = operations.document_symbols(file).await;
                    symbols.map(|symbols| self.outline(file, &symbols))
                }
            },
            LspAction::IncomingCalls => {
                self.calls(&operations, file, point, Direction::Incoming)
                    .await
            }
            LspAction::OutgoingCalls => {
                self.calls(&operations, file, point, Direction::Outgoing)
                    .await
            }
            LspAction::Supertypes => self.types(&operations, file, point, true).await,
            LspAction::Subtypes => self.types(&operations, file, point, false).await,
            LspAction::Rename => {
                let name = request.new_name.clone().unwrap_or_default();
                let change = operations.rename(file, point, &name).await;
                let old = request.symbol.clone().unwrap_or_default();
                change.map(|change| Heard {
                    change: Some((change, format!("rename {old} to {name}"))),
                    ..Heard::default()
                })
            }
            LspAction::Format => {
                let change = operations.format(file, None).await;
                change.map(|change| Heard {
                    change: Some((change, format!("format {}", below(&self.root, file)))),
                    ..Heard::default()
                })
            }
            LspAction::CodeActions
            | LspAction::Diagnostics
            | LspAction::Status
            | LspAction::Reload => Ok(Heard::default()),
        })
    }

    async fn calls(
        &self,
        operations: &Operations<'_>,
        file: &Path,
        point: Point,
        direction: Direction,
    ) -> Result<Heard, OperationError> {
        let mut heard = Heard::default();
        for item in operations.call_hierarchy(file, point).await? {
            for call in operations.calls(&item, direction).await? {
                let mut symbol = self.item(&call.item);
                symbol.call_lines = call.sites.iter().map(|site| site.start.line + 1).collect();
                heard.symbols.push(symbol);
            }
        }
        Ok(heard)
    }

    async fn types(
        &self,
        operations: &Operations<'_>,
        file: &Path,
        point: Point,
        above: bool,
    ) -> Result<Heard, OperationError> {
        let mut heard = Heard::default();
        for item in operations.type_hierarchy(file, point).await? {
            let found = match above {
                true => operations.supertypes(&item).await?,
                false => operations.subtypes(&item).await?,
            };
            heard
                .symbols
                .extend(found.iter().map(|item| self.item(item)));
        }
        Ok(heard)
    }

    fn item(&self, item: &HierarchyItem) -> LspSymbol {
        LspSymbol {
            name: item.name.clone(),
            kind: item.kind.to_string(),
            detail: item.detail.clone().or_else(|| item.line.clone()),
            path: below(&self.root, &item.path),
            line: item.name_span.start.line + 1,
            depth: 0,
            call_lines: Vec::new(),
        }
    }

    fn places(&self, places: Places) -> Heard {
        let mut heard = Heard::default();
        for place in places.places {
            let line = place.line.clone();
            heard.places.push(LspPlace {
                path: below(&self.root, &place.path),
                line: place.span.start.line + 1,
                column: column(&place.path, place.span.start),
                source: line,
            });
        }
        for uri in places.elsewhere {
            heard
                .notices
                .push(format!("also in {uri}, which is no file"));
        }
        if places.unreadable > 0 {
            let notice = format!("{} places could not be read", places.unreadable);
            heard.notices.push(notice);
        }
        heard
    }

    /// What is in the checkout comes first: a server may know a whole standard library too.
    fn symbols_found(&self, mut symbols: Vec<FoundSymbol>) -> Heard {
        symbols.sort_by_key(|symbol| !symbol.path.starts_with(&self.root));
        let symbols = symbols.into_iter().map(|symbol| LspSymbol {
            name: symbol.name,
            kind: symbol.kind.to_string(),
            detail: symbol.container.or(symbol.line),
            path: below(&self.root, &symbol.path),
            line: symbol.span.map_or(0, |span| span.start.line + 1),
            depth: 0,
            call_lines: Vec::new(),
        });
        Heard {
            symbols: symbols.collect(),
            ..Heard::default()
        }
    }

    fn outline(&self, file: &Path, symbols: &[Symbol]) -> Heard {
        let mut heard = Heard::default();
        let path = below(&self.root, file);
        let mut open: Vec<(usize, &Symbol)> = symbols.iter().rev().map(|one| (0, one)).collect();
        while let Some((depth, symbol)) = open.pop() {
            heard.symbols.push(LspSymbol {
                name: symbol.name.clone(),
                kind: symbol.kind.to_string(),
                detail: symbol.detail.clone(),
                path: path.clone(),
                line: symbol.name_span.start.line + 1,
                depth,
                call_lines: Vec::new(),
            });
            open.extend(symbol.children.iter().rev().map(|child| (depth + 1, child)));
        }
        heard
    }

    /// Where the symbol stands.
    pub(super) fn point(&self) -> Result<Point, Error> {
        let symbol = self.request.symbol.as_deref().unwrap_or_default();
        let line = self.request.line.unwrap_or(1);
        locate(&self.text, line, symbol).map_err(|error| Error::usage(error.to_string()))
    }

    /// What code actions are asked for: a symbol, a line, or the whole file.
    pub(super) fn span(&self) -> Result<Span, Error> {
        if self.request.symbol.is_some() {
            let start = self.point()?;
            return Ok(Span { start, end: start });
        }
        let rows = u32::try_from(self.text.lines().count()).unwrap_or(u32::MAX);
        let point = |line, column| Point { line, column };
        Ok(match self.request.line {
            Some(line) => {
                let row = line.saturating_sub(1);
                let text = self.text.lines().nth(row as usize).unwrap_or_default();
                Span {
                    start: point(row, 0),
                    end: point(row, u32::try_from(text.len()).unwrap_or(u32::MAX)),
                }
            }
            None => Span {
                start: point(0, 0),
                end: point(rows, 0),
            },
        })
    }
}

fn page<T>(all: Vec<T>, offset: usize, limit: usize) -> Vec<T> {
    all.into_iter().skip(offset).take(limit).collect()
}

/// Path below the root as answers write it; absolute for a file outside of it.
pub(super) fn below(root: &Path, path: &Path) -> String {
    match path.strip_prefix(root) {
        Ok(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
        Ok(rest) => rest.to_string_lossy().into_owned(),
        Err(_) => path.to_string_lossy().into_owned(),
    }
}

/// The column of a point in characters, from 1.
fn column(path: &Path, point: Point) -> u32 {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().nth(point.line as usize).unwrap_or_default();
    let before = line.get(..point.column as usize);
    let characters = before.map_or(point.column as usize, |text| text.chars().count());
    u32::try_from(characters)
        .unwrap_or(u32::MAX)
        .saturating_add(1)
}

fn missing(action: LspAction, what: &str) -> Error {
    Error::usage(format!("{} needs {what}", action.name()))
}
