//! The breakpoints of a session: the whole set is ours, because adapters replace theirs file by file.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::adapter::HitCounts;
use crate::program::GO_FAILS;
use crate::protocol::Bound;
use crate::request::Breakpoint;
use crate::result::Binding;

mod functions;
mod place;
mod told;

pub(super) use functions::undefined;
pub(super) use place::find;

/// All breakpoints, in the order of their numbers.
#[derive(Debug, Default)]
pub(super) struct Points {
    points: Vec<Point>,
    last: u32,
    /// How conditions are sent, when it is not as they were asked for.
    pub(super) condition_form: Option<String>,
    /// How hits are counted.
    pub(super) hit_counts: HitCounts,
    /// The same of log messages.
    pub(super) log_form: Option<String>,
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
    /// Why it will hardly stop, although the adapter takes any name of a function.
    pub(super) doubt: Option<String>,
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
            doubt: None,
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
        // What it would not understand was refused before.
        sent.hit = sent.hit.and_then(|hit| self.hit_counts.sent(&hit));
        if let (Some(form), Some(message)) = (&self.log_form, &mut sent.log) {
            *message = form.replace("{message}", message);
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
                Some(bound) if is_shared(bound, bounds) => {
                    // js-debug does that while the program stands: the line of a stop tells.
                    point.theirs.remove(&connection);
                    let nameless = Bound {
                        id: None,
                        ..bound.clone()
                    };
                    point.learn(connection, &nameless);
                }
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

    /// Whether one that was asked for has not stopped anything so far.
    pub(super) fn any_unhit(&self) -> bool {
        let mut points = self.points.iter();
        points.any(|point| !point.is_ours() && point.hits == 0 && point.asked.log.is_none())
    }

    /// Whether what was hit is the function that every failing test of Go passes through.
    pub(super) fn is_failing_test(&self, connection: usize, theirs: &[i64]) -> bool {
        self.points.iter().any(|point| {
            let id = point.theirs.get(&connection);
            point.is_fails() && id.is_some_and(|id| theirs.contains(id))
        })
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
}

/// Whether another breakpoint of the same answer has the same number.
fn is_shared(bound: &Bound, bounds: &[Bound]) -> bool {
    let same = bounds.iter().filter(|other| other.id == bound.id);
    bound.id.is_some() && same.count() > 1
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
            (true, ..) if self.doubt.is_some() && self.hits == 0 => Binding::Pending {
                why: self.doubt.clone(),
            },
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
        self.silent || self.is_fails()
    }

    fn is_fails(&self) -> bool {
        matches!(&self.place, Where::Function(name) if name == GO_FAILS)
    }

    pub(super) fn is_bound(&self) -> bool {
        matches!(self.binding, Binding::Verified | Binding::Moved { .. })
    }

    fn is_bound_elsewhere(&self, connection: usize) -> bool {
        self.is_bound() && self.theirs.keys().any(|known| *known != connection)
    }

    /// Whether it may be bound any time.
    pub(super) fn is_pending(&self) -> bool {
        matches!(self.binding, Binding::Pending { .. }) && self.doubt.is_none()
    }
}

/// A file as people name it.
pub(super) fn shown(file: &Path, project: &Path) -> String {
    file.strip_prefix(project)
        .unwrap_or(file)
        .display()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_number_of_two_breakpoints_names_none() {
        let mut points = Points::default();
        let file = Path::new("/p/a.js");
        let line = |line| Where::Line {
            file: file.to_owned(),
            line,
        };
        let first = points.add(Breakpoint::at_line("a.js", 2), line(2));
        let bound = |line| Bound {
            id: Some(1),
            verified: true,
            line: Some(line),
            ..Bound::default()
        };
        points.answered(1, &[first], &[bound(2)]);
        let second = points.add(Breakpoint::at_line("a.js", 9), line(9));
        points.answered(1, &[first, second], &[bound(2), bound(10)]);
        points.changed(1, &bound(10));
        assert_eq!(points.named(1, &[1]), Vec::<u32>::new());
        assert_eq!(points.hit_at(file, 2), [first]);
        assert_eq!(points.hit_at(file, 10), [second]);
        points.answered(1, &[first], &[bound(2)]);
        assert_eq!(points.named(1, &[1]), [first]);
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
