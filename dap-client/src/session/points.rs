//! The breakpoints of a session: the whole set is ours, because adapters replace theirs file by file.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::error::DebugError;
use crate::program::{GO_FAILS, files, near};
use crate::protocol::{Bound, RawFrame};
use crate::request::{At, Breakpoint};
use crate::result::{Binding, BreakpointReport};
use crate::source;

/// All breakpoints, in the order of their numbers.
#[derive(Debug, Default)]
pub(super) struct Points {
    points: Vec<Point>,
    last: u32,
    /// How conditions are sent, when it is not as they were asked for.
    pub(super) condition_form: Option<String>,
    /// Events about breakpoints that came before the answer that names them was read.
    early: VecDeque<(usize, Bound)>,
}

/// Early events that are kept.
const EARLY: usize = 256;

/// One breakpoint.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) id: u32,
    pub(super) asked: Breakpoint,
    pub(super) place: Where,
    binding: Binding,
    hits: u64,
    /// What each connection calls it.
    theirs: BTreeMap<usize, i64>,
    /// Removed when the program stops the next time: a place to run to.
    pub(super) once: bool,
    /// Set by us, and not listed: functions that a failing program passes through.
    pub(super) silent: bool,
}

/// Where it is, once that has been looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Where {
    Line { file: PathBuf, line: u32 },
    Function(String),
}

impl Points {
    /// Adds one whose place has been found.
    pub(super) fn add(&mut self, asked: Breakpoint, place: Where) -> u32 {
        self.last += 1;
        self.points.push(Point {
            id: self.last,
            asked,
            place,
            binding: Binding::Pending { why: None },
            hits: 0,
            theirs: BTreeMap::new(),
            once: false,
            silent: false,
        });
        self.last
    }

    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut Point> {
        self.points.iter_mut().find(|point| point.id == id)
    }

    pub(super) fn get(&self, id: u32) -> Option<&Point> {
        self.points.iter().find(|point| point.id == id)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Point> {
        self.points.iter()
    }

    /// Removes some; the files that have to be told, and whether functions have to.
    pub(super) fn remove(&mut self, wanted: impl Fn(&Point) -> bool) -> Touched {
        let mut touched = Touched::default();
        self.points.retain(|point| {
            let goes = wanted(point);
            if goes {
                touched.add(&point.place);
            }
            !goes
        });
        touched
    }

    /// Everything, for an adapter that knows nothing yet.
    pub(super) fn everything(&self) -> Touched {
        let mut touched = Touched::default();
        for point in &self.points {
            touched.add(&point.place);
        }
        touched
    }

    /// The request that makes an adapter know the breakpoints of a file, and their numbers.
    pub(super) fn of_file(
        &self,
        file: &Path,
        one_line: impl Fn(&str) -> bool,
    ) -> (Vec<u32>, Value) {
        let mut ids = Vec::new();
        let mut sent = Vec::new();
        for point in &self.points {
            if let Where::Line { file: its, line } = &point.place
                && its == file
            {
                ids.push(point.id);
                sent.push(with_options(
                    json!({ "line": line }),
                    &self.sent(&point.asked),
                    &one_line,
                ));
            }
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let lines: Vec<&Value> = sent.iter().filter_map(|point| point.get("line")).collect();
        let arguments = json!({
            "source": { "path": file, "name": name },
            "lines": lines,
            "breakpoints": sent,
            "sourceModified": false,
        });
        (ids, arguments)
    }

    /// A breakpoint as the adapter is told of it.
    fn sent(&self, asked: &Breakpoint) -> Breakpoint {
        let mut sent = asked.clone();
        if let (Some(form), Some(condition)) = (&self.condition_form, &mut sent.condition) {
            *condition = form.replace("{condition}", condition);
        }
        sent
    }

    /// The same for functions.
    pub(super) fn of_functions(&self) -> (Vec<u32>, Value) {
        let mut ids = Vec::new();
        let mut sent = Vec::new();
        for point in &self.points {
            if let Where::Function(name) = &point.place {
                ids.push(point.id);
                let asked = self.sent(&point.asked);
                sent.push(with_options(json!({ "name": name }), &asked, &|_| true));
            }
        }
        (ids, json!({ "breakpoints": sent }))
    }

    /// What an adapter answered, in the order in which it was asked.
    pub(super) fn answered(&mut self, connection: usize, ids: &[u32], bounds: &[Bound]) {
        for (index, id) in ids.iter().enumerate() {
            let Some(point) = self.points.iter_mut().find(|point| point.id == *id) else {
                continue;
            };
            match bounds.get(index) {
                Some(bound) => {
                    point.learn(connection, bound);
                    let its = |(from, early): &(usize, Bound)| {
                        *from == connection && early.id.is_some() && early.id == bound.id
                    };
                    while let Some(at) = self.early.iter().position(its) {
                        if let Some((_, early)) = self.early.remove(at) {
                            point.learn(connection, &early);
                        }
                    }
                }
                None if point.is_bound_elsewhere(connection) => {}
                None => {
                    point.binding = Binding::Unreachable {
                        why: "the adapter did not answer for it".to_owned(),
                    };
                }
            }
        }
    }

    /// What an adapter refused to set at all; what another connection has set stays bound.
    pub(super) fn refused(&mut self, ids: &[u32], why: &str) {
        for point in self.points.iter_mut().filter(|point| {
            ids.contains(&point.id) && !(point.theirs.len() > 1 && point.is_bound())
        }) {
            point.binding = Binding::Unreachable {
                why: why.to_owned(),
            };
        }
    }

    /// A `breakpoint` event.
    pub(super) fn changed(&mut self, connection: usize, bound: &Bound) {
        let Some(id) = bound.id else { return };
        let its = |point: &&mut Point| point.theirs.get(&connection) == Some(&id);
        match self.points.iter_mut().find(its) {
            Some(point) => point.learn(connection, bound),
            None => {
                self.early.push_back((connection, bound.clone()));
                if self.early.len() > EARLY {
                    self.early.pop_front();
                }
            }
        }
    }

    /// A stop names those that were hit.
    pub(super) fn hit(&mut self, connection: usize, theirs: &[i64]) {
        for point in &mut self.points {
            if point
                .theirs
                .get(&connection)
                .is_some_and(|id| theirs.contains(id))
            {
                point.count();
            }
        }
    }

    /// Our numbers for those that were hit.
    pub(super) fn named(&self, connection: usize, theirs: &[i64]) -> Vec<u32> {
        self.points
            .iter()
            .filter(|point| {
                point
                    .theirs
                    .get(&connection)
                    .is_some_and(|id| theirs.contains(id))
            })
            .map(|point| point.id)
            .collect()
    }

    /// Whether what was hit are functions that a failing program passes through, and nothing else.
    pub(super) fn is_failure(&self, connection: usize, theirs: &[i64]) -> bool {
        let mut hit = self.points.iter().filter(|point| {
            point
                .theirs
                .get(&connection)
                .is_some_and(|id| theirs.contains(id))
        });
        let mut any = false;
        hit.all(|point| {
            any = true;
            point.silent
        }) && any
    }

    /// Those at a line, for adapters that name none; they count as hit.
    pub(super) fn hit_at(&mut self, path: &Path, line: u32) -> Vec<u32> {
        let mut hit = Vec::new();
        for point in &mut self.points {
            if point.line() == Some(line)
                && matches!(&point.place, Where::Line { file, .. } if file == path)
            {
                point.count();
                hit.push(point.id);
            }
        }
        hit
    }

    pub(super) fn reports(&self, project: &Path) -> Vec<BreakpointReport> {
        let listed = self.points.iter().filter(|point| !point.is_ours());
        listed.map(|point| point.report(project)).collect()
    }

    /// What is to be said of those that are not as they were asked for.
    pub(super) fn unbound(&self, project: &Path) -> Vec<String> {
        self.points
            .iter()
            .filter(|point| !point.is_ours() && point.binding != Binding::Verified)
            .map(|point| format!("breakpoint {}", point.report(project)))
            .collect()
    }

    /// What is to be said at a stop of a place that the program was to run to and has not reached;
    /// `top` is the frame that it stands in.
    pub(super) fn not_run_to(
        &self,
        hit: &[u32],
        top: Option<&RawFrame>,
        project: &Path,
    ) -> Vec<String> {
        let stands = |point: &Point| {
            top.is_some_and(|top| match &point.place {
                Where::Line { file, .. } => {
                    point.line() == Some(top.line)
                        && top
                            .path
                            .as_deref()
                            .is_some_and(|path| Path::new(path) == file)
                }
                Where::Function(name) => top.name.contains(name.as_str()),
            })
        };
        let missed = self.points.iter().filter(|point| {
            // Of two at one line some adapters name one.
            point.once && !hit.contains(&point.id) && !stands(point)
        });
        missed
            .map(|point| {
                format!(
                    "`{}` was not reached before this stop",
                    point.asked(project)
                )
            })
            .collect()
    }

    /// What is to be said at the end of those that were never hit. Log points leave their traces in
    /// the output.
    pub(super) fn never_hit(&self, project: &Path, printed: &[String]) -> Vec<String> {
        self.points
            .iter()
            .filter(|point| !point.is_ours() && point.hits == 0)
            .filter(|point| point.asked.log.is_none())
            .map(|point| {
                let asked = point.asked(project);
                let about = match point.once {
                    true => format!("`{asked}`, the place to run to,"),
                    false => format!("breakpoint #{} {asked}", point.id),
                };
                let why = match (&point.binding, &point.asked.condition) {
                    (Binding::Pending { .. }, _) if matches!(point.place, Where::Function(_)) => {
                        format!(
                            "was not bound to any code: the debugger knows no function of this name{}",
                            alike(&asked, project)
                        )
                    }
                    (Binding::Pending { .. }, _) => {
                        "was not bound to any code: the line may be wrong, or was not loaded".to_owned()
                    }
                    (Binding::Unreachable { why }, _) => format!("was not reachable: {why}"),
                    (_, Some(condition)) => {
                        let said = printed.iter().find(|line| {
                            line.contains(condition.as_str())
                                || line.to_lowercase().contains("condition")
                        });
                        match said {
                            Some(line) => format!(
                                "was never stopped at: its condition `{condition}` could not be evaluated ({})",
                                line.trim()
                            ),
                            None => format!(
                                "was never stopped at: the line was not reached, or its condition \
                                 `{condition}` was never true or cannot be evaluated"
                            ),
                        }
                    }
                    _ => "was never reached".to_owned(),
                };
                format!("{about} {why}")
            })
            .collect()
    }
}

/// Functions of the project with names like one, in words.
fn alike(name: &str, project: &Path) -> String {
    let own = |name: &str| {
        let end = name.rsplit(['.', ':']).next().unwrap_or(name);
        end.trim_end_matches(['(', ')']).to_lowercase()
    };
    let wanted = own(name);
    let mut names = BTreeSet::new();
    for file in files(project).into_iter().take(SEARCHED) {
        let Some(language) = file.extension().and_then(|ending| ending.to_str()) else {
            continue;
        };
        if !SOURCES.contains(&language) {
            continue;
        }
        for line in source::read(&file).unwrap_or_default().lines() {
            names.extend(defined(line).map(str::to_owned));
        }
    }
    let mut near: Vec<(f64, String)> = names
        .into_iter()
        .map(|known| {
            (
                strsim::normalized_levenshtein(&wanted, &known.to_lowercase()),
                known,
            )
        })
        .filter(|(likeness, _)| *likeness > 0.5)
        .collect();
    near.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let near: Vec<String> = near.into_iter().take(3).map(|(_, name)| name).collect();
    match near.is_empty() {
        true => String::new(),
        false => format!("; the project has {}", near.join(", ")),
    }
}

/// Files that are looked through for functions, and their endings.
const SEARCHED: usize = 2000;
const SOURCES: &[&str] = &[
    "c", "h", "cc", "cpp", "cxx", "hpp", "go", "rs", "py", "js", "mjs", "cjs", "ts", "rb", "php",
];

/// The function whose head a line is, by its look.
fn defined(line: &str) -> Option<&str> {
    let (head, _) = line.split_once('(')?;
    let head = match head.trim_end() {
        // The receiver of Go.
        "func" => line.split_once(')')?.1.split_once('(')?.0,
        _ => head,
    };
    let head = head.split(['<', '[']).next()?.trim_end();
    let begin = head
        .rfind(|char: char| !(char.is_alphanumeric() || char == '_'))
        .map_or(0, |at| at + 1);
    let name = head.get(begin..).filter(|name| !name.is_empty())?;
    let before = head.get(..begin)?.trim_end();
    let marked = ["fn", "def", "func", "function"].iter().any(|word| {
        before == *word || before.ends_with(&format!(" {word}")) || line.starts_with("func (")
    });
    // A head of C begins at the left edge, and has a type.
    let of_c = !line.starts_with(char::is_whitespace)
        && !before.is_empty()
        && before
            .chars()
            .all(|char| char.is_alphanumeric() || " _*&:~".contains(char))
        && !line.trim_end().ends_with(';')
        && !before.starts_with("return")
        && !before.starts_with("else");
    (marked || of_c).then_some(name)
}

/// What an adapter has to be told anew.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Touched {
    pub(super) files: BTreeSet<PathBuf>,
    pub(super) functions: bool,
}

impl Touched {
    pub(super) fn add(&mut self, place: &Where) {
        match place {
            Where::Line { file, .. } => {
                self.files.insert(file.clone());
            }
            Where::Function(_) => self.functions = true,
        }
    }
}

fn with_options(mut sent: Value, asked: &Breakpoint, keeps: &dyn Fn(&str) -> bool) -> Value {
    let options = [
        ("condition", &asked.condition),
        ("hitCondition", &asked.hit),
        ("logMessage", &asked.log),
    ];
    for (key, option) in options {
        if let Some(text) = option
            && keeps(key)
        {
            sent[key] = text.as_str().into();
        }
    }
    sent
}

impl Point {
    fn line(&self) -> Option<u32> {
        match (&self.binding, &self.place) {
            (Binding::Moved { line }, _) | (_, Where::Line { line, .. }) => Some(*line),
            _ => None,
        }
    }

    /// A stop at it. What the program has stopped at is bound, whether the adapter says so or not.
    fn count(&mut self) {
        self.hits += 1;
        if !self.is_bound() {
            self.binding = Binding::Verified;
        }
    }

    fn learn(&mut self, connection: usize, bound: &Bound) {
        if let Some(id) = bound.id {
            self.theirs.insert(connection, id);
        }
        let asked = match &self.place {
            Where::Line { line, .. } => Some(*line),
            Where::Function(_) => None,
        };
        let failed = bound.reason.as_deref() == Some("failed");
        self.binding = match (bound.verified, bound.line, asked) {
            (true, Some(line), Some(asked)) if line != asked => Binding::Moved { line },
            (true, ..) => Binding::Verified,
            // Another connection has it, or the program has stopped at it.
            (false, ..) if (self.theirs.len() > 1 || self.hits > 0) && self.is_bound() => return,
            (false, ..) if failed => Binding::Unreachable {
                why: bound
                    .message
                    .clone()
                    .unwrap_or_else(|| "the adapter does not say why".to_owned()),
            },
            (false, ..) => Binding::Pending {
                why: bound.message.clone().filter(|why| !why.is_empty()),
            },
        };
    }

    /// Whether it is for failures, and nobody has asked for it.
    pub(super) fn is_ours(&self) -> bool {
        self.silent || matches!(&self.place, Where::Function(name) if name == GO_FAILS)
    }

    pub(super) fn is_bound(&self) -> bool {
        matches!(self.binding, Binding::Verified | Binding::Moved { .. })
    }

    fn is_bound_elsewhere(&self, connection: usize) -> bool {
        self.is_bound() && self.theirs.keys().any(|known| *known != connection)
    }

    pub(super) fn is_pending(&self) -> bool {
        matches!(self.binding, Binding::Pending { .. })
    }

    /// Where it was asked for, in words.
    fn asked(&self, project: &Path) -> String {
        match (&self.place, &self.asked.at) {
            (Where::Line { file, line }, At::Text { text, .. }) => {
                format!("{}:{line} `{text}`", shown(file, project))
            }
            (Where::Line { file, line }, _) => format!("{}:{line}", shown(file, project)),
            (Where::Function(_), At::Function { name }) => name.clone(),
            (Where::Function(_), _) => String::new(),
        }
    }

    fn report(&self, project: &Path) -> BreakpointReport {
        let options: Vec<String> = [
            ("if", &self.asked.condition),
            ("hit", &self.asked.hit),
            ("log", &self.asked.log),
        ]
        .into_iter()
        .filter_map(|(word, option)| option.as_ref().map(|text| format!("{word} {text}")))
        .collect();
        BreakpointReport {
            id: self.id,
            asked: self.asked(project),
            at: match &self.place {
                Where::Line { file, line } => Some((shown(file, project), *line)),
                Where::Function(_) => None,
            },
            options: (!options.is_empty()).then(|| options.join(", ")),
            binding: self.binding.clone(),
            hits: self.hits,
        }
    }
}

/// A file as people name it.
pub(super) fn shown(file: &Path, project: &Path) -> String {
    file.strip_prefix(project)
        .unwrap_or(file)
        .display()
        .to_string()
}

/// Looks for the place of a breakpoint on the disk.
pub(super) fn find(asked: &Breakpoint, project: &Path) -> Result<Where, DebugError> {
    let no_place = |asked: String, why: String| DebugError::NoPlace { asked, why };
    let read = |file: &Path| {
        let whole = project.join(file);
        let whole = whole.canonicalize().unwrap_or(whole);
        match source::read(&whole) {
            Some(text) => Ok((whole, text)),
            None => Err(no_place(
                file.display().to_string(),
                match near(file, project).as_slice() {
                    [] => format!(
                        "there is no such file in {}; correct the path",
                        project.display()
                    ),
                    near => format!("there is no such file; near it: {}", near.join(", ")),
                },
            )),
        }
    };
    match &asked.at {
        At::Function { name } => Ok(Where::Function(name.clone())),
        At::Line { file, line } => {
            let (whole, text) = read(file)?;
            let lines = text.lines().count();
            if *line == 0 || *line as usize > lines {
                return Err(no_place(
                    format!("{}:{line}", file.display()),
                    format!(
                        "the file has {lines} lines; name one of them, or the text of the line"
                    ),
                ));
            }
            Ok(Where::Line {
                file: whole,
                line: *line,
            })
        }
        At::Text { file, text } => {
            let (whole, content) = read(file)?;
            let line = line_with(&content, text)
                .map_err(|why| no_place(format!("{} `{text}`", file.display()), why))?;
            Ok(Where::Line { file: whole, line })
        }
    }
}

/// The line that holds a text; `text#2` is the second.
fn line_with(content: &str, wanted: &str) -> Result<u32, String> {
    let holding = |text: &str| -> Vec<u32> {
        content
            .lines()
            .zip(1u32..)
            .filter(|(line, _)| !text.trim().is_empty() && line.contains(text.trim()))
            .map(|(_, number)| number)
            .collect()
    };
    let counted = wanted
        .rsplit_once('#')
        .and_then(|(text, number)| Some((text, number.parse::<usize>().ok()?)));
    let plain = holding(wanted);
    // A whole line is meant before a part of others.
    let whole = content
        .lines()
        .zip(1u32..)
        .filter(|(line, _)| !wanted.trim().is_empty() && line.trim() == wanted.trim());
    if let [(_, number)] = whole.collect::<Vec<_>>().as_slice() {
        return Ok(*number);
    }
    match (plain.as_slice(), counted) {
        ([one], _) => Ok(*one),
        ([], Some((text, number))) => {
            let lines = holding(text);
            let found = number.checked_sub(1).and_then(|index| lines.get(index));
            found.copied().ok_or_else(|| {
                format!("{} lines hold `{text}`; there is no {number}.", lines.len())
            })
        }
        ([], None) => Err("no line holds this text; copy it from the file as it is now".to_owned()),
        (many, _) => {
            let lines: Vec<String> = many.iter().take(8).map(u32::to_string).collect();
            Err(format!(
                "{} lines hold this text ({}); add `#2` for the second, or name the line",
                many.len(),
                lines.join(", ")
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_named_by_its_text() {
        let text = "a = 1\nb = a\nprint(b)\n  b = a + 1\n# x#2\n";
        assert_eq!(line_with(text, "print("), Ok(3));
        assert_eq!(line_with(text, "b = a#2"), Ok(4));
        assert_eq!(line_with(text, "b = a"), Ok(2), "a whole line");
        assert_eq!(line_with(text, "x#2"), Ok(5), "as it stands there");
        assert!(
            line_with(text, "= a")
                .unwrap_err()
                .contains("2 lines hold this text (2, 4)")
        );
        assert_eq!(line_with("sum\n sum += 1\n", "sum"), Ok(1), "a whole line");
        assert!(line_with(text, "c").unwrap_err().contains("no line holds"));
        assert!(
            line_with(text, "b = a#3")
                .unwrap_err()
                .contains("there is no 3.")
        );
        assert!(line_with(text, "").is_err());
    }

    #[test]
    fn what_adapters_answer_becomes_a_binding() {
        let mut points = Points::default();
        let line = |line| Where::Line {
            file: "/p/a.py".into(),
            line,
        };
        let first = points.add(Breakpoint::at_line("a.py", 3), line(3));
        let second = points.add(Breakpoint::at_line("a.py", 9).when("x > 1"), line(9));
        let (ids, sent) = points.of_file(Path::new("/p/a.py"), |_| true);
        assert_eq!(ids, [first, second]);
        assert_eq!(
            sent["breakpoints"],
            json!([{ "line": 3 }, { "line": 9, "condition": "x > 1" }])
        );
        let bound = |id, verified, line| Bound {
            id: Some(id),
            verified,
            line,
            ..Bound::default()
        };
        points.answered(0, &ids, &[bound(1, true, Some(4)), bound(2, false, None)]);
        let reports = points.reports(Path::new("/p"));
        assert_eq!(reports[0].binding, Binding::Moved { line: 4 });
        assert_eq!(
            reports[1].to_string(),
            "#2 a.py:9 if x > 1: pending: not bound yet; the line may have no code, or is not loaded"
        );
        points.changed(0, &bound(2, true, Some(9)));
        points.hit(0, &[2]);
        assert_eq!(points.named(0, &[2]), [second]);
        assert_eq!(
            points.reports(Path::new("/p"))[1].binding,
            Binding::Verified
        );
        assert_eq!(points.hit_at(Path::new("/p/a.py"), 4), [first]);
        // What was stopped at is not pending, whatever is said of it before and after.
        points.changed(0, &bound(2, false, None));
        assert_eq!(
            points.reports(Path::new("/p"))[1].binding,
            Binding::Verified
        );
        let third = points.add(Breakpoint::at_line("a.py", 11), line(11));
        points.answered(0, &[third], &[bound(3, false, None)]);
        points.hit(0, &[3]);
        let report = points.reports(Path::new("/p"))[2].to_string();
        assert_eq!(report, "#3 a.py:11: verified, stopped at once");
        assert_eq!(points.never_hit(Path::new("/p"), &[]), Vec::<String>::new());
        let touched = points.remove(|point| point.id == first);
        assert_eq!(touched.files.len(), 1);
        // An adapter that answers too little leaves nothing undecided.
        points.answered(0, &[second], &[]);
        assert!(matches!(
            points.reports(Path::new("/p"))[0].binding,
            Binding::Unreachable { .. }
        ));
    }

    #[test]
    fn heads_of_functions_are_known_by_their_look() {
        for (line, name) in [
            (
                "static long *home(struct table *t, const char *k)",
                Some("home"),
            ),
            ("int main(void) {", Some("main")),
            ("    pub fn push<T>(&mut self) {", Some("push")),
            ("func (c *Cart) Total(tax int) int {", Some("Total")),
            ("func run() {", Some("run")),
            ("    def total(self):", Some("total")),
            ("async function load(path) {", Some("load")),
            ("int home(int);", None),
            ("    run(home);", None),
            ("return home(x)", None),
            ("home(x)", None),
        ] {
            assert_eq!(defined(line), name, "{line}");
        }
    }

    #[test]
    fn an_unknown_function_is_told_with_those_that_are_alike() {
        let folder = tempfile::tempdir().unwrap();
        let text = "int primary(int x)\n{\n    return x;\n}\n";
        std::fs::write(folder.path().join("calc.c"), text).unwrap();
        let mut points = Points::default();
        let name = "primry".to_owned();
        points.add(Breakpoint::at_function(name.clone()), Where::Function(name));
        // What is there for failures is nobody's.
        let fails = GO_FAILS.to_owned();
        points.add(
            Breakpoint::at_function(fails.clone()),
            Where::Function(fails),
        );
        assert_eq!(
            points.never_hit(folder.path(), &[]),
            [
                "breakpoint #1 primry was not bound to any code: the debugger knows no function of this \
              name; the project has primary"
            ]
        );
        assert_eq!(points.reports(folder.path()).len(), 1);
    }

    #[test]
    fn a_condition_is_sent_in_the_form_of_the_adapter() {
        let mut points = Points {
            condition_form: Some("try({condition})".to_owned()),
            ..Points::default()
        };
        let place = Where::Line {
            file: "/p/a.js".into(),
            line: 3,
        };
        points.add(Breakpoint::at_line("a.js", 3).when("x > 1"), place);
        let (_, sent) = points.of_file(Path::new("/p/a.js"), |_| true);
        assert_eq!(sent["breakpoints"][0]["condition"], "try(x > 1)");
        let told = points.reports(Path::new("/p"))[0].to_string();
        assert!(told.starts_with("#1 a.js:3 if x > 1:"), "{told}");
    }
}
