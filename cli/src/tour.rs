//! `fourfold tour`: what there is, shown on the user's own checkout, which stays as it is.

mod stops;

use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use fourfold::{
    Checkout, CodeMapRequest, Error, FileMatches, GrepRequest, GrepSummary, Language,
    ResolveRequest, RewriteRequest, RewriteResult, Selection,
};

use crate::Outcome;
use crate::args::Tour;
use crate::diff;
use crate::excerpt::Excerpt;
use crate::grep::by_reading;
use crate::json::Object;
use crate::request::counted;
use crate::session::{Here, Session, quoted};
use crate::style::Paint;
use stops::{Route, Stop, Try};

/// Matches that are shown at each stop.
const SHOWN: usize = 3;

/// Bytes of one match that are shown.
const MAX_TEXT: usize = 160;

/// Languages that no program is written in.
const DATA: [&str; 6] = ["css", "html", "json", "proto", "toml", "yaml"];

/// Bytes of the diff that is shown.
const MAX_DIFF: usize = 2500;

/// Tokens of the map that is shown.
const MAP: usize = 150;

/// What the code graph is for.
const GRAPH: Stop = Stop {
    title: "The code graph",
    lesson: "Who calls this, what would a change reach, which tests reach it: one indexing pass, and \
             every edge says how sure it is. Here are the symbols that most others depend on.",
    tries: &[],
};

/// What is not shown: each of it starts programs of the user's.
const BEYOND: &str = "\
Not on this tour, as it starts programs:
   fourfold servers                    the language servers that answer each write here
   fourfold edit FILE --old A --new B  a change, and what it broke
   fourfold debug ask --test NAME      a failing test, stopped where it fails";

pub(crate) fn run(session: &mut Session, args: &Tour) -> Result<Outcome> {
    if let Some(path) = &args.path {
        session.start_in(path)?;
    }
    let (checkout, here) = session.open_to_write()?;
    let progress = session.follow();
    let mut guide = Guide {
        checkout: &checkout,
        here: &here,
        session,
        stop: 0,
    };
    let outcome = guide.walk();
    drop(progress);
    outcome
}

struct Guide<'a> {
    checkout: &'a Arc<Checkout>,
    here: &'a Here,
    session: &'a mut Session,
    /// How many stops were made.
    stop: usize,
}

impl Guide<'_> {
    fn walk(&mut self) -> Result<Outcome> {
        let languages = self.languages()?;
        let Some((language, files)) = languages.first() else {
            self.say(
                "There is no file here whose language is known; `fourfold languages` lists them.",
            )?;
            return Ok(Outcome::Nothing);
        };
        let others = languages.len() - 1;
        let mut line = format!("Mostly {} ({})", language.name(), counted(*files, "file"));
        let language = language.id();
        if others > 0 {
            line += &format!(", and {}", counted(others, "other language"));
        }
        let root = self.checkout.root().display().to_string();
        self.heading(&format!("Fourfold in {root}"))?;
        self.say(&format!("{line}. Nothing is changed on this tour."))?;
        let route = Route::of(language);
        for stop in route.searches() {
            if self.session.control.is_cancelled() {
                return Ok(Outcome::Interrupted);
            }
            self.search(language, &stop)?;
        }
        let rewritten = self.rewrite(language, &route.rewrite())?;
        if self.session.control.is_cancelled() {
            return Ok(Outcome::Interrupted);
        }
        self.map()?;
        self.say("")?;
        self.say(BEYOND)?;
        if self.session.global.json {
            let mut line = Object::line(&mut self.session.screen, "summary")?;
            line.text("language", language)?;
            line.number("stops", self.stop)?;
            line.flag("rewrite_shown", rewritten)?;
            line.end()?;
        }
        Ok(match self.stop {
            0 => Outcome::Nothing,
            _ => Outcome::Found,
        })
    }

    /// The languages here with their number of files, the one to show first: programs before data.
    fn languages(&self) -> Result<Vec<(Language, usize)>> {
        let control = &self.session.control;
        let mut languages = self
            .checkout
            .files_by_language(&self.selection(), control)?;
        // It keeps the order by number of files.
        languages.sort_by_key(|(language, _)| DATA.contains(&language.id()));
        Ok(languages)
    }

    /// The first of the stop's shapes that is found here, if one is.
    fn search(&mut self, language: &str, stop: &Stop) -> Result<()> {
        for shape in stop.tries {
            let mut request = self.request(language, shape);
            request.with_source = true;
            let mut files = Vec::new();
            let found = self.look(&request, |file| {
                if files.len() < SHOWN {
                    files.push(file);
                }
                ControlFlow::Continue(())
            })?;
            if self.session.control.is_cancelled() {
                return Ok(());
            }
            let Some(summary) = found.filter(|_| !files.is_empty()) else {
                continue;
            };
            let command = self.command("grep", language, shape);
            self.arrive(stop, &command)?;
            return self.found(shape, &command, &files, &summary);
        }
        Ok(())
    }

    /// Searches; nothing when the language has no such code.
    fn look(
        &self,
        request: &GrepRequest,
        mut each: impl FnMut(FileMatches) -> ControlFlow<()>,
    ) -> Result<Option<GrepSummary>> {
        let searched = self
            .checkout
            .grep_each(request, &self.session.control, &mut each);
        match searched {
            Ok(summary) => Ok(Some(summary)),
            Err(Error::Unusable { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn found(
        &mut self,
        shape: &Try,
        command: &str,
        files: &[FileMatches],
        summary: &GrepSummary,
    ) -> Result<()> {
        let screen = &mut self.session.screen;
        if self.session.global.json {
            let mut line = Object::line(screen, "stop")?;
            line.text("command", command)?;
            line.text("pattern", shape.pattern)?;
            line.number("matches", summary.matches)?;
            line.number("files", summary.files_matched)?;
            return Ok(line.end()?);
        }
        let style = screen.style();
        let all = files
            .iter()
            .flat_map(|file| file.matches.iter().map(move |found| (file, found)));
        for (file, found) in all.take(SHOWN) {
            let path = style.paint(Paint::Path, self.here.outside(&file.path));
            write!(
                screen,
                "   {path}:{}:{}: ",
                found.start.line, found.start.column
            )?;
            let mut text = Vec::new();
            Excerpt::of(&file.source, &(found.start.byte..found.end.byte))
                .write(&mut text, style, MAX_TEXT)?;
            for (index, line) in String::from_utf8_lossy(&text).lines().enumerate() {
                let gap = if index == 0 { "" } else { "   " };
                writeln!(screen, "{gap}{line}")?;
            }
        }
        let mut line = format!(
            "{} in {}",
            counted(summary.matches, "match"),
            counted(summary.files_matched, "file")
        );
        if let Some(readings) = by_reading(&summary.readings) {
            line += &format!(": {readings}");
        }
        writeln!(screen, "   {}", style.paint(Paint::Dim, line))?;
        Ok(screen.flush()?)
    }

    /// Stages the first of the rewrites that changes something here, in one file and in memory,
    /// shows it and drops it.
    fn rewrite(&mut self, language: &str, stop: &Stop) -> Result<bool> {
        for shape in stop.tries {
            let Some(path) = self.some_file(language, shape)? else {
                continue;
            };
            let mut request =
                RewriteRequest::new(shape.pattern, shape.template.unwrap_or_default());
            request.shape.languages = vec![language.to_owned()];
            request.selection.paths = vec![PathBuf::from(&path)];
            request.max_diff_bytes = Some(MAX_DIFF);
            let conversation = self.checkout.conversation("tour");
            let staged = conversation.rewrite(&request, &self.session.control)?;
            let Some(id) = &staged.stage else { continue };
            let mut command = self.command("rewrite", language, shape);
            command += &format!(" {}", quoted(&self.here.outside(&path)));
            self.arrive(stop, &command)?;
            self.staged(&command, &staged)?;
            conversation.resolve(&ResolveRequest::discard(id.as_str()))?;
            self.say(&format!(
                "   In earnest you would go on with `{} resolve {id} --apply`, which changes all \
                 files or,\n   if one of them is not as it was, none. Here the stage was discarded.",
                self.session.program()
            ))?;
            return Ok(true);
        }
        Ok(false)
    }

    /// The most important symbols.
    fn map(&mut self) -> Result<()> {
        let mut request = CodeMapRequest::default();
        request.page.tokens = Some(MAP);
        if !self.here.is_root() {
            let folder = self.here.inside("".as_ref());
            request.scope.paths = vec![folder.to_string_lossy().into_owned()];
        }
        let map = self.checkout.code_map(&request, &self.session.control)?;
        let command = format!("{} graph map", self.session.program());
        self.arrive(&GRAPH, &command)?;
        if self.session.global.json {
            let mut line = Object::line(&mut self.session.screen, "stop")?;
            line.text("command", &command)?;
            line.text("map", &map.text)?;
            return Ok(line.end()?);
        }
        for line in map.text.lines() {
            self.say(&format!("   {line}"))?;
        }
        Ok(())
    }

    fn staged(&mut self, command: &str, staged: &RewriteResult) -> Result<()> {
        let screen = &mut self.session.screen;
        if self.session.global.json {
            let mut line = Object::line(screen, "stop")?;
            line.text("command", command)?;
            line.number("sites", staged.site_count)?;
            line.number("files", staged.files.len())?;
            line.text("diff", &staged.diff)?;
            return Ok(line.end()?);
        }
        let style = screen.style();
        let mut text = Vec::new();
        diff::write(&mut text, style, &staged.diff)?;
        for line in String::from_utf8_lossy(&text).lines() {
            writeln!(screen, "   {line}")?;
        }
        Ok(())
    }

    /// A file that a rewrite changes.
    fn some_file(&self, language: &str, shape: &Try) -> Result<Option<String>> {
        let mut path = None;
        self.look(&self.request(language, shape), |file| {
            if file.matches.iter().all(|found| found.further) {
                return ControlFlow::Continue(());
            }
            path = Some(file.path);
            ControlFlow::Break(())
        })?;
        Ok(path)
    }

    fn request(&self, language: &str, shape: &Try) -> GrepRequest {
        let mut request = GrepRequest::pattern(shape.pattern);
        request.near_misses = Some(0);
        request.shape.languages = vec![language.to_owned()];
        request.selection = self.selection();
        if let Some((option, value)) = shape.with {
            let value = value.to_owned();
            match option {
                "--inside" => request.shape.inside.push(value),
                "--not-inside" => request.shape.not_inside.push(value),
                "--has" => request.shape.has.push(value),
                _ => request.shape.conditions.push(value),
            }
        }
        request
    }

    fn selection(&self) -> Selection {
        let mut selection = Selection::default();
        if !self.here.is_root() {
            selection.paths = vec![self.here.inside("".as_ref())];
        }
        selection
    }

    /// The command line that does the same.
    fn command(&self, name: &str, language: &str, shape: &Try) -> String {
        let program = self.session.program();
        let mut command = format!(
            "{program} {name} --lang {language} {}",
            quoted(shape.pattern)
        );
        if let Some(template) = shape.template {
            command += &format!(" {}", quoted(template));
        }
        if let Some((option, value)) = shape.with {
            command += &format!(" {option} {}", quoted(value));
        }
        command
    }

    fn arrive(&mut self, stop: &Stop, command: &str) -> Result<()> {
        self.stop += 1;
        let title = format!("{}. {}", self.stop, stop.title);
        self.say("")?;
        self.heading(&title)?;
        for line in wrapped(stop.lesson) {
            self.say(&format!("   {line}"))?;
        }
        self.say(&format!("   $ {command}"))
    }

    fn heading(&mut self, text: &str) -> Result<()> {
        let style = self.session.screen.style();
        self.say(&style.paint(Paint::Bold, text).to_string())
    }

    /// A line for people.
    fn say(&mut self, text: &str) -> Result<()> {
        if !self.session.global.json {
            writeln!(self.session.screen, "{text}")?;
        }
        Ok(())
    }
}

/// Lines of a text for a terminal of the usual width.
fn wrapped(text: &str) -> Vec<String> {
    const WIDTH: usize = 90;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
