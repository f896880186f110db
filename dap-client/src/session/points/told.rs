//! What is said of breakpoints: each as it is, and those that are not as they were asked for.

use std::path::Path;

use crate::protocol::RawFrame;
use crate::request::At;
use crate::result::{Binding, BreakpointReport};

use super::functions::alike;
use super::{Point, Points, Where, shown};

impl Points {
    pub(in crate::session) fn reports(&self, project: &Path) -> Vec<BreakpointReport> {
        let listed = self.points.iter().filter(|point| !point.is_ours());
        listed.map(|point| point.report(project)).collect()
    }

    /// What is to be said of those that are not as they were asked for.
    pub(in crate::session) fn unbound(&self, project: &Path) -> Vec<String> {
        self.points
            .iter()
            .filter(|point| !point.is_ours() && point.binding != Binding::Verified)
            .map(|point| match (&point.place, &point.binding) {
                (Where::Function(name), Binding::Pending { .. }) if point.doubt.is_none() => format!(
                    "breakpoint #{} is bound to no code so far: the debugger knows no function `{name}`{}",
                    point.id,
                    alike(name, project)
                ),
                _ => format!("breakpoint {}", point.report(project)),
            })
            .collect()
    }

    /// What is to be said at a stop of a place that the program was to run to and has not reached;
    /// `top` is the frame that it stands in.
    pub(in crate::session) fn not_run_to(
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
    pub(in crate::session) fn never_hit(&self, project: &Path, printed: &[String]) -> Vec<String> {
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
                    (Binding::Pending { why: Some(why) }, _) if point.doubt.is_some() => {
                        format!("was never reached: {why}")
                    }
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

impl Point {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::GO_FAILS;
    use crate::request::Breakpoint;

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
}
