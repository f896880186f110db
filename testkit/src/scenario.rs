//! Stories of writes: a project, what is written into it step by step, and what a server that
//! looks at it must find new after each.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use regex::Regex;
use serde::Deserialize;

use crate::Project;

/// A story: the file `scenario.toml` beside a folder `project`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What it is about.
    pub about: String,
    /// The servers that must tell it.
    pub servers: Vec<String>,
    /// Whether they look at it side by side; else it is told once for each.
    #[serde(default)]
    pub together: bool,
    /// Files that somebody has looked at before, so that a server knows them.
    #[serde(default)]
    pub open: Vec<String>,
    /// The writes, in order.
    pub write: Vec<Write>,
    /// Its project.
    #[serde(skip)]
    folder: PathBuf,
}

/// A write, and what must be said about it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Write {
    /// The file, relative to the root.
    pub file: String,
    /// A text that occurs once in it,
    pub replace: Option<String>,
    /// and what comes in its place.
    pub with: Option<String>,
    /// Or the whole text; the file may be new.
    pub content: Option<String>,
    /// What must be new, whichever server tells it.
    #[serde(default)]
    pub new: Vec<Expected>,
    /// What must be new from one server.
    #[serde(default)]
    pub new_from: BTreeMap<String, Vec<Expected>>,
    /// What may be new beside.
    #[serde(default)]
    pub may: Vec<Expected>,
    /// What must have gone.
    #[serde(default)]
    pub fixed: Vec<Expected>,
    /// What may have gone beside.
    #[serde(default)]
    pub may_fix: Vec<Expected>,
    /// What must show in other files, by path.
    #[serde(default)]
    pub elsewhere: BTreeMap<String, Vec<Expected>>,
    /// Other files that must show no errors any more.
    #[serde(default)]
    pub well_again: Vec<String>,
    /// Where the first new problem must point.
    pub at: Option<Place>,
    /// How many seconds the answer may take.
    pub within: Option<u64>,
}

/// Some problem: what is not named may be anything.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// `error`, `warning`, `information`.
    pub severity: Option<String>,
    /// Its code.
    pub code: Option<String>,
    /// A regular expression that finds something in its message.
    pub message: Option<String>,
    /// How many there are; without it at least one.
    pub count: Option<usize>,
}

/// A place in a text, by what stands there.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The line, from 1.
    pub line: u32,
    /// What stands at the place, once in that line.
    pub text: String,
}

/// A problem that a server reported.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    /// `error`, `warning`, `information` or `hint`.
    pub severity: String,
    /// Its code.
    pub code: Option<String>,
    /// Its message.
    pub message: String,
    /// The line, from 0.
    pub line: u32,
    /// The bytes of the line before it.
    pub column: u32,
}

impl Seen {
    /// What makes it the same problem in another text: not its place.
    fn key(&self) -> (&str, Option<&str>, String) {
        let words: Vec<_> = self.message.split_whitespace().collect();
        (&self.severity, self.code.as_deref(), words.join(" "))
    }
}

/// The problems of `after` that are not in `before`, counted: of two that are alike, one was there.
/// Hints are no problems.
pub fn fresh(before: &[Seen], after: &[Seen]) -> Vec<Seen> {
    let mut known: Vec<_> = before.iter().map(Seen::key).collect();
    after
        .iter()
        .filter(|seen| seen.severity != "hint")
        .filter(|seen| {
            let found = known.iter().position(|key| *key == seen.key());
            found.map(|found| known.swap_remove(found)).is_none()
        })
        .cloned()
        .collect()
}

impl Scenario {
    /// The story of this name.
    #[track_caller]
    pub fn named(name: &str) -> Scenario {
        let folder = folder().join(name);
        let file = folder.join("scenario.toml");
        let text =
            fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let scenario: Scenario =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        Scenario {
            folder: folder.join("project"),
            ..scenario
        }
    }

    /// The names of all stories, sorted.
    pub fn names() -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// A fresh copy of its project.
    pub fn project(&self) -> Project {
        Project::copy_of(&self.folder)
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")
}

impl Write {
    /// Does it, and gives the text before, if there was a file, and after.
    #[track_caller]
    pub fn apply(&self, project: &Project) -> (Option<String>, String) {
        let before = fs::read_to_string(project.path(&self.file)).ok();
        let after = match (&self.content, &self.replace, &self.with) {
            (Some(content), None, None) => {
                project.write(&self.file, content);
                content.clone()
            }
            (None, Some(old), Some(new)) => project.replace(&self.file, old, new),
            _ => panic!("{}: either `content`, or `replace` and `with`", self.file),
        };
        (before, after)
    }

    /// How long the answer may take.
    pub fn within(&self) -> Option<Duration> {
        self.within.map(Duration::from_secs)
    }

    /// What is wrong with what a server told of `text`: the problems that were not there before, and
    /// those that are gone; see [`fresh`]. Empty when all is right.
    pub fn judge(&self, server: &str, fresh: &[Seen], gone: &[Seen], text: &str) -> Vec<String> {
        let own = self.new_from.get(server).into_iter().flatten();
        let must: Vec<_> = self.new.iter().chain(own).collect();
        let missing = must
            .iter()
            .filter(|expected| !expected.are_in(fresh))
            .map(|expected| format!("{server} does not tell {expected:?}"));
        let kept = self
            .fixed
            .iter()
            .filter(|expected| !expected.are_in(gone))
            .map(|expected| format!("{server} does not take back {expected:?}"));
        let false_alarms = fresh
            .iter()
            .filter(|seen| {
                !must
                    .iter()
                    .copied()
                    .chain(&self.may)
                    .any(|known| known.is(seen))
            })
            .map(|seen| format!("{server} tells {seen:?}"));
        let taken_back = gone
            .iter()
            .filter(|seen| {
                let mut known = self.fixed.iter().chain(&self.may_fix);
                !known.any(|known| known.is(seen))
            })
            .map(|seen| format!("{server} takes back {seen:?}"));
        let alarms = false_alarms.chain(taken_back);
        let mut wrong: Vec<_> = missing.chain(kept).chain(alarms).collect();
        if let (Some(place), Some(first)) = (&self.at, fresh.first()) {
            let points_at = (first.line + 1, first.column as usize);
            if points_at != (place.line, place.column(text)) {
                wrong.push(format!("{server} points at {points_at:?}, not {place:?}"));
            }
        }
        wrong
    }

    /// What is wrong with the problems of other files, by path; empty when all is right.
    pub fn judge_elsewhere(&self, elsewhere: &BTreeMap<String, Vec<Seen>>) -> Vec<String> {
        let of = |file: &String| elsewhere.get(file).map(Vec::as_slice).unwrap_or_default();
        let missing = self
            .elsewhere
            .iter()
            .flat_map(|(file, expected)| expected.iter().map(move |expected| (file, expected)))
            .filter(|(file, expected)| !expected.are_in(of(file)))
            .map(|(file, expected)| format!("{file} does not show {expected:?}"));
        let ill = self
            .well_again
            .iter()
            .filter_map(|file| match elsewhere.get(file) {
                None => Some(format!("nothing is said about {file}")),
                Some(seen) => {
                    let error = seen.iter().find(|seen| seen.severity == "error")?;
                    Some(format!("{file} still shows {error:?}"))
                }
            });
        missing.chain(ill).collect()
    }
}

impl Expected {
    fn are_in(&self, all: &[Seen]) -> bool {
        let found = all.iter().filter(|seen| self.is(seen)).count();
        self.count.map_or(found > 0, |count| found == count)
    }

    fn is(&self, seen: &Seen) -> bool {
        let message = |pattern: &String| Regex::new(pattern).unwrap().is_match(&seen.message);
        self.severity
            .as_ref()
            .is_none_or(|severity| *severity == seen.severity)
            && self
                .code
                .as_ref()
                .is_none_or(|code| Some(code) == seen.code.as_ref())
            && self.message.as_ref().is_none_or(message)
    }
}

impl Place {
    /// The bytes before it in its line.
    fn column(&self, text: &str) -> usize {
        let line = text.lines().nth(self.line as usize - 1).unwrap_or_default();
        assert_eq!(line.matches(&self.text).count(), 1, "{line:?} and {self:?}");
        line.find(&self.text).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(severity: &str, message: &str, line: u32) -> Seen {
        Seen {
            severity: severity.into(),
            code: None,
            message: message.into(),
            line,
            column: 0,
        }
    }

    #[test]
    fn problems_are_counted_without_their_place() {
        let before = [seen("error", "a", 1), seen("error", "b", 2)];
        let after = [
            seen("error", "a", 5),
            seen("error", "a", 9),
            seen("warning", "b", 2),
            seen("hint", "c", 0),
        ];
        assert_eq!(
            fresh(&before, &after),
            [seen("error", "a", 9), seen("warning", "b", 2)]
        );
        assert_eq!(fresh(&after, &before), [seen("error", "b", 2)]);
    }

    #[test]
    fn a_write_is_judged() {
        let write: Write = toml::from_str(
            r#"
            file = "a"
            content = "é bad"
            new = [{ severity = "error", message = "^b", count = 1 }]
            new_from.two = [{ message = "c" }]
            may = [{ severity = "warning" }]
            fixed = [{ message = "^old$" }]
            may_fix = [{ severity = "warning" }]
            elsewhere."o.rs" = [{ message = "x" }]
            well_again = ["p.rs"]
            at = { line = 1, text = "bad" }
            "#,
        )
        .unwrap();
        let old = [seen("error", "old", 3), seen("warning", "older", 3)];
        let wrong = |server: &str, fresh: &[Seen]| write.judge(server, fresh, &old, "é bad").len();
        let b = Seen {
            column: 3,
            ..seen("error", "b", 0)
        };
        let c = seen("error", "c", 8);
        let warning = seen("warning", "w", 8);
        assert_eq!(wrong("one", &[b.clone(), warning]), 0);
        assert_eq!(wrong("two", &[b.clone(), c.clone()]), 0);
        assert_eq!(wrong("two", std::slice::from_ref(&b)), 1);
        assert_eq!(wrong("one", &[b.clone(), c]), 1);
        assert_eq!(wrong("one", &[b.clone(), b.clone()]), 1);
        assert_eq!(wrong("one", &[seen("error", "b", 0)]), 1);
        assert_eq!(wrong("one", &[]), 1);
        let lost = [old[0].clone(), seen("error", "lost", 3)];
        assert_eq!(
            write
                .judge("one", std::slice::from_ref(&b), &lost, "é bad")
                .len(),
            1
        );
        assert_eq!(write.judge("one", &[b], &[], "é bad").len(), 1);

        let shows = |file: &str| {
            let shown = BTreeMap::from([(file.to_owned(), vec![seen("error", "x", 0)])]);
            write.judge_elsewhere(&shown).len()
        };
        assert_eq!((shows("o.rs"), shows("p.rs"), shows("q.rs")), (1, 2, 2));
    }

    #[test]
    fn all_stories_can_be_told() {
        let names = Scenario::names();
        assert!(names.len() >= 10, "{names:?}");
        for name in names {
            let scenario = Scenario::named(&name);
            let project = scenario.project();
            for write in &scenario.write {
                let (_, text) = write.apply(&project);
                if let Some(place) = &write.at {
                    place.column(&text);
                }
            }
        }
    }
}
