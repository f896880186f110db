//! Which orders to the debugger a host is asked about first: those that make something run, or that
//! bring code along. Looking, going on and ending are parts of what was allowed before.

use std::fmt::Write as _;

use super::request::{DebugAction, DebugRequest};

/// Characters of a line at most: it is for a person.
const LONGEST: usize = 300;

impl DebugRequest {
    /// What would be run, in one line; `None` when nothing would that does not run already.
    pub(super) fn execution(&self) -> Option<String> {
        let code: Vec<&String> = self
            .breakpoints
            .iter()
            .flat_map(|point| [&point.condition, &point.log])
            .chain([&self.condition, &self.expression])
            .flatten()
            .chain(&self.evaluate)
            .collect();
        let runs = match self.action {
            DebugAction::Launch
            | DebugAction::Attach
            | DebugAction::Restart
            | DebugAction::Ask
            | DebugAction::Evaluate
            | DebugAction::SetVariable => true,
            DebugAction::Breakpoints => !code.is_empty(),
            _ => false,
        };
        runs.then(|| self.line(&code))
    }

    fn line(&self, code: &[&String]) -> String {
        let mut line = format!("debug {}", self.action.name());
        let program = self.program.as_ref().map(|one| one.display().to_string());
        let pid = self.pid.map(|pid| format!("process {pid}"));
        let port = self.port.map(|port| {
            let host = self.host.as_deref().unwrap_or("127.0.0.1");
            format!("{host}:{port}")
        });
        let core = self.core.as_ref();
        let core = core.map(|core| format!("core file {}", core.display()));
        let what = [
            program,
            self.module.clone(),
            self.test.clone(),
            pid,
            port,
            core,
        ];
        for word in what.iter().flatten().chain(&self.args) {
            // Writing to a text does not fail.
            let _ = write!(line, " {word}");
        }
        if !self.env.is_empty() {
            let _ = write!(line, ", with {}", self.env.join(" "));
        }
        if let Some(build) = &self.build {
            let _ = write!(line, ", built by `{build}`");
        }
        for code in code {
            let _ = write!(line, ", code `{code}`");
        }
        crate::result::capped(&line, LONGEST, &mut false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debug::DebugBreakpoint;

    #[test]
    fn what_makes_something_run_is_told_and_what_looks_is_not() {
        let mut ask = DebugRequest::of(DebugAction::Ask);
        ask.test = Some("test_cart.py::test_all".to_owned());
        ask.build = Some("make".to_owned());
        ask.env = vec!["MODE=1".to_owned()];
        ask.evaluate = vec!["prices".to_owned()];
        assert_eq!(
            ask.execution().unwrap(),
            "debug ask test_cart.py::test_all, with MODE=1, built by `make`, code `prices`"
        );
        let mut attach = DebugRequest::of(DebugAction::Attach);
        attach.pid = Some(7);
        assert_eq!(attach.execution().unwrap(), "debug attach process 7");
        let mut points = DebugRequest::of(DebugAction::Breakpoints);
        assert_eq!(points.execution(), None);
        points.breakpoints = vec![DebugBreakpoint {
            at: "a.py:1".to_owned(),
            condition: Some("boom()".to_owned()),
            ..DebugBreakpoint::default()
        }];
        assert_eq!(
            points.execution().unwrap(),
            "debug breakpoints, code `boom()`"
        );
        let asked = |action: &DebugAction| DebugRequest::of(*action).execution().is_some();
        let asked: Vec<_> = DebugAction::ALL.into_iter().filter(asked).collect();
        assert_eq!(
            asked,
            [
                DebugAction::Launch,
                DebugAction::Attach,
                DebugAction::Evaluate,
                DebugAction::SetVariable,
                DebugAction::Restart,
                DebugAction::Ask,
            ]
        );
    }
}
