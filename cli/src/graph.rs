//! `fourfold graph`: questions to the code graph.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use fourfold::{
    Among, CallsRequest, Checkout, CodeAnswer, CodeGraphRequest, CodeMapRequest, CodePage,
    CodeScope, CodeSymbolRequest, Control, ExportForm, GraphAction, ImpactRequest,
    SearchCodeRequest,
};
use serde::Serialize;
use serde_json::Value;

use crate::Outcome;
use crate::args::graph::{
    Calls, Export, Form, Graph, Level, Modules, Named, Page, Question, Scope,
};
use crate::json::Object;
use crate::screen::note;
use crate::session::{Here, Session};

pub(crate) fn run(session: &mut Session, args: &Graph) -> Result<Outcome> {
    let here = session.here()?;
    match &args.question {
        Question::Search(args) => {
            let request = SearchCodeRequest {
                query: args.query.join(" "),
                mode: args.mode.clone(),
                kinds: args.kinds.clone(),
                visibility: args.visibility.clone(),
                scope: scope(&args.scope),
                page: page(&args.page),
            };
            ask(session, "search_code", &request, Checkout::search_code)
        }
        Question::Symbol(args) => {
            let request = CodeSymbolRequest {
                no_source: args.no_source,
                ..symbol(&here, &args.named, &args.page)
            };
            ask(session, "code_symbol", &request, Checkout::code_symbol)
        }
        Question::Outline(args) => {
            let request = CodeSymbolRequest {
                outline: true,
                depth: args.depth,
                ..symbol(&here, &args.named, &args.page)
            };
            ask(session, "code_symbol", &request, Checkout::code_symbol)
        }
        Question::Callers(args) => {
            let request = calls(&here, args);
            ask(session, "code_callers", &request, Checkout::code_callers)
        }
        Question::Refs(args) => {
            let request = CallsRequest {
                uses: true,
                ..calls(&here, args)
            };
            ask(session, "code_callers", &request, Checkout::code_callers)
        }
        Question::Callees(args) => {
            let request = CallsRequest {
                depth: None,
                ..calls(&here, args)
            };
            ask(session, "code_callees", &request, Checkout::code_callees)
        }
        Question::Impact(args) => {
            let symbols = args.symbols.iter();
            let request = ImpactRequest {
                symbols: symbols.map(|text| typed(&here, text)).collect(),
                since: args.since.clone(),
                depth: args.depth,
                certainty: args.sure.certainty.clone(),
                scope: among(&args.scope),
                page: page(&args.page),
            };
            ask(session, "code_impact", &request, Checkout::code_impact)
        }
        Question::Map(args) => {
            let focus = args.focus.iter();
            let request = CodeMapRequest {
                focus: focus.map(|text| typed(&here, text)).collect(),
                scope: scope(&args.scope),
                page: page(&args.page),
            };
            ask(session, "code_map", &request, Checkout::code_map)
        }
        Question::Export(args) => export(session, args),
        other => {
            let request = other_question(&here, other);
            ask(session, "code_graph", &request, Checkout::code_graph)
        }
    }
}

/// The questions that are one tool.
fn other_question(here: &Here, question: &Question) -> CodeGraphRequest {
    let modules = |action, args: &Modules| CodeGraphRequest {
        action,
        level: Some(match args.level {
            Level::File => "file".to_owned(),
            Level::Folder => "folder".to_owned(),
        }),
        depth: args.depth,
        certainty: args.sure.certainty.clone(),
        scope: scope(&args.scope),
        page: page(&args.page),
        ..CodeGraphRequest::default()
    };
    match question {
        Question::Paths(args) => CodeGraphRequest {
            action: GraphAction::Paths,
            symbol: Some(typed(here, &args.from)),
            to: Some(typed(here, &args.to)),
            certainty: args.sure.certainty.clone(),
            page: page(&args.page),
            ..CodeGraphRequest::default()
        },
        Question::Hierarchy(args) => CodeGraphRequest {
            action: GraphAction::Hierarchy,
            symbol: Some(typed(here, &args.named.symbol)),
            certainty: args.sure.certainty.clone(),
            scope: scope(&args.scope),
            page: page(&args.page),
            ..CodeGraphRequest::default()
        },
        Question::Draw(args) => CodeGraphRequest {
            action: GraphAction::Draw,
            symbol: Some(typed(here, &args.symbol)),
            depth: args.depth,
            form: args.dot.then(|| "dot".to_owned()),
            certainty: args.sure.certainty.clone(),
            page: page(&args.page),
            ..CodeGraphRequest::default()
        },
        Question::Unused(args) => CodeGraphRequest {
            action: GraphAction::Unused,
            kinds: args.kinds.clone(),
            scope: scope(&args.scope),
            page: page(&args.page),
            ..CodeGraphRequest::default()
        },
        Question::Cycles(args) => modules(GraphAction::Cycles, args),
        Question::Modules(args) => modules(GraphAction::Modules, args),
        Question::Status(args) => CodeGraphRequest {
            page: page(&args.page),
            ..CodeGraphRequest::default()
        },
        _ => CodeGraphRequest::default(),
    }
}

fn page(page: &Page) -> CodePage {
    CodePage {
        limit: page.limit,
        offset: page.offset,
        tokens: page.tokens,
    }
}

fn scope(scope: &Scope) -> CodeScope {
    CodeScope {
        paths: scope.paths.clone(),
        languages: scope.langs.clone(),
        tests: scope.tests.clone(),
    }
}

fn among(scope: &Scope) -> Among {
    Among {
        among: scope.paths.clone(),
        languages: scope.langs.clone(),
        tests: scope.tests.clone(),
    }
}

fn symbol(here: &Here, named: &Named, of: &Page) -> CodeSymbolRequest {
    CodeSymbolRequest {
        symbol: typed(here, &named.symbol),
        kind: named.kind.clone(),
        path: inside(here, named),
        page: page(of),
        ..CodeSymbolRequest::default()
    }
}

fn calls(here: &Here, args: &Calls) -> CallsRequest {
    CallsRequest {
        symbol: typed(here, &args.named.symbol),
        kind: args.named.kind.clone(),
        path: inside(here, &args.named),
        uses: false,
        depth: args.depth,
        certainty: args.sure.certainty.clone(),
        scope: among(&args.scope),
        page: page(&args.page),
    }
}

fn inside(here: &Here, named: &Named) -> Option<String> {
    let path = named.inside.as_deref()?;
    Some(here.inside(path).display().to_string())
}

/// A symbol as seen from the root: what begins with a path that is there begins with that path.
fn typed(here: &Here, text: &str) -> String {
    if here.is_root() {
        return text.to_owned();
    }
    let end = text.find([':', '#']).unwrap_or(text.len());
    let (path, rest) = text.split_at(end);
    match !path.is_empty() && Path::new(path).exists() {
        true => format!("{}{rest}", here.inside(path.as_ref()).display()),
        false => text.to_owned(),
    }
}

/// Asks, the daemon if one runs, and shows the answer.
fn ask<R: Serialize>(
    session: &mut Session,
    tool: &str,
    request: &R,
    here: impl FnOnce(&Checkout, &R, &Control) -> Result<CodeAnswer, fourfold::Error>,
) -> Result<Outcome> {
    let (text, value) = match session.ask_daemon(tool, serde_json::to_value(request)?)? {
        Some(answer) => (answer.text, answer.value),
        None => {
            let (checkout, _) = session.open()?;
            let progress = session.follow();
            let answer = here(&checkout, request, &session.control);
            drop(progress);
            let mut answer = answer?;
            let text = std::mem::take(&mut answer.text);
            (text, serde_json::to_value(&answer)?)
        }
    };
    let outcome = outcome(&value);
    if session.global.json {
        write_lines(session, value)?;
    } else if let Some((before, drawing, after)) = around_drawing(&value, &text) {
        // It is to be handed on as it is.
        note(before.trim_end());
        session.screen.write_all(drawing.as_bytes())?;
        session.screen.flush()?;
        note(after.trim_end());
    } else {
        session.screen.write_all(text.as_bytes())?;
    }
    Ok(outcome)
}

/// What stands before a drawing, the drawing, and what stands after it.
fn around_drawing<'a>(value: &'a Value, text: &'a str) -> Option<(&'a str, &'a str, &'a str)> {
    let drawing = value["drawing"].as_str().filter(|it| !it.is_empty())?;
    let (before, after) = text.split_once(drawing)?;
    Some((before, drawing, after))
}

fn outcome(value: &Value) -> Outcome {
    let has = |name: &str| !value[name].is_null();
    match value["outcome"].as_str() {
        Some("ambiguous") => Outcome::Refused,
        Some("not_found") => Outcome::Nothing,
        _ if value["total"].as_u64() > Some(0) || has("about") || has("drawing") => Outcome::Found,
        _ => Outcome::Nothing,
    }
}

/// One line for each entry, and the rest as the summary.
fn write_lines(session: &mut Session, mut value: Value) -> io::Result<()> {
    let screen = &mut session.screen;
    let groups = value["groups"].take();
    for group in groups.as_array().into_iter().flatten() {
        for entry in group["entries"].as_array().into_iter().flatten() {
            let mut line = Object::line(screen, "entry")?;
            line.maybe("group", group["title"].as_str())?;
            line.fields(&entry.to_string())?;
            line.end()?;
        }
    }
    if let Value::Object(rest) = &mut value {
        rest.remove("groups");
    }
    let mut line = Object::line(screen, "summary")?;
    line.fields(&value.to_string())?;
    line.end()
}

fn export(session: &mut Session, args: &Export) -> Result<Outcome> {
    let form = match args.form {
        Form::Jsonl => ExportForm::Jsonl,
        Form::Edges => ExportForm::Edges,
        Form::Scip => ExportForm::Scip,
    };
    let (checkout, _) = session.open()?;
    let progress = session.follow();
    match &args.out {
        None => checkout.export_code(form, &mut session.screen, &session.control)?,
        Some(path) => {
            let cannot = || format!("cannot write `{}`", path.display());
            let mut out = BufWriter::new(File::create(path).with_context(cannot)?);
            checkout.export_code(form, &mut out, &session.control)?;
            out.flush().with_context(cannot)?;
        }
    }
    drop(progress);
    Ok(Outcome::Found)
}
