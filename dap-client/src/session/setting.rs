//! Breakpoints that are set: whether the adapter has what they ask for, where they are, and telling it.

use crate::connection::{Connection, Unanswered};
use crate::error::DebugError;
use crate::request::{At, Breakpoint};
use crate::result::{Binding, BreakpointReport, Outcome};

use super::inner::Inner;
use super::method;
use super::points::{self, Touched, Where};

impl Inner {
    /// Whether the adapter has what a breakpoint asks for. What it does not have it would leave out,
    /// and stop where it should not.
    pub(crate) fn supports(
        &self,
        link: &Connection,
        breakpoint: &Breakpoint,
    ) -> Result<(), DebugError> {
        let lacks = |what: &str, instead| {
            Err(DebugError::Unsupported {
                adapter: self.adapter.id.clone(),
                what: what.to_owned(),
                instead,
            })
        };
        let without = |option: &Option<String>, name| option.is_some() && !self.has(link, name);
        if without(&breakpoint.condition, "condition") {
            return lacks(
                "conditions of breakpoints",
                "stop without one, and evaluate it there",
            );
        }
        if without(&breakpoint.hit, "hitCondition") {
            return lacks("hit counts", "use a condition on a variable that counts");
        }
        if let Some(hit) = &breakpoint.hit
            && self.adapter.hit_counts.sent(hit).is_none()
        {
            return lacks(
                &format!("way to count hits by `{hit}`"),
                "give a number, the hit to stop from, or use a condition on a variable that counts",
            );
        }
        if without(&breakpoint.log, "logMessage") {
            return lacks("log messages of breakpoints", "stop there, and evaluate");
        }
        if matches!(breakpoint.at, At::Function { .. })
            && self.qualified(breakpoint).is_none()
            && !link.can("supportsFunctionBreakpoints")
        {
            return Err(self.no_functions());
        }
        Ok(())
    }

    /// The refusal of a breakpoint on a function.
    pub(crate) fn no_functions(&self) -> DebugError {
        DebugError::Unsupported {
            adapter: self.adapter.id.clone(),
            what: "breakpoints on functions".to_owned(),
            instead: "name the file and the line, or the text of the line, where the function begins",
        }
    }

    /// Adds breakpoints whose places are found; none when one is not.
    pub(crate) fn add_points(
        &self,
        breakpoints: Vec<Breakpoint>,
    ) -> Result<(Vec<u32>, Touched), DebugError> {
        let mut places: Vec<(Where, Option<String>)> = Vec::new();
        for breakpoint in &breakpoints {
            let place = self.place_of(breakpoint)?;
            let doubt = match &place {
                // debugpy takes any name.
                Where::Function(name) if self.debugs("Python") => {
                    points::undefined(name, &self.project)
                }
                _ => None,
            };
            places.push((place, doubt));
        }
        let mut touched = Touched::default();
        let mut moment = self.moment.lock();
        let ids = breakpoints
            .into_iter()
            .zip(places)
            .map(|(breakpoint, (place, doubt))| {
                touched.add(&place);
                let id = moment.points.add(breakpoint, place);
                if let Some(point) = moment.points.get_mut(id) {
                    point.doubt = doubt;
                }
                id
            });
        let ids = ids.collect();
        Ok((ids, touched))
    }

    /// The name of a function, when it is one that the adapter would not find by it.
    fn qualified<'a>(&self, breakpoint: &'a Breakpoint) -> Option<&'a str> {
        match &breakpoint.at {
            At::Function { name } if self.debugs("Python") && name.contains('.') => Some(name),
            _ => None,
        }
    }

    /// The place of a breakpoint. Of a name that the adapter would take for another, or never bind,
    /// the line; a file that is no source is none.
    fn place_of(&self, breakpoint: &Breakpoint) -> Result<Where, DebugError> {
        let no_place = |asked: &str, why| DebugError::NoPlace {
            asked: asked.to_owned(),
            why,
        };
        if let Some(name) = self.qualified(breakpoint) {
            let (file, line) =
                method::find(name, &self.project).map_err(|why| no_place(name, why))?;
            return Ok(Where::Line { file, line });
        }
        let place = points::find(breakpoint, &self.project)?;
        if let Where::Line { file, .. } = &place
            && !file.starts_with(&self.project)
            && !self.adapter.extensions.is_empty()
            && !self.adapter.is_for(file)
        {
            let languages = self.adapter.languages.join(" or ");
            let why = format!("it is outside of the project and no source of {languages}");
            return Err(no_place(&file.display().to_string(), why));
        }
        Ok(place)
    }

    /// Makes every connection know.
    pub(super) async fn tell_all(&self, touched: &Touched) -> Result<(), DebugError> {
        if self.has_exited() {
            return Ok(());
        }
        let connections = self.connections.lock().clone();
        for (number, connection) in connections.iter().enumerate() {
            if connection.has_ended() {
                continue;
            }
            match self.tell(number, connection, touched).await {
                // A process that the program has started may end at any time.
                Err(Unanswered::Gone(_)) if self.is_child(number) => {}
                Err(why) => return Err(self.failed("setBreakpoints", why).await),
                Ok(()) => {}
            }
        }
        Ok(())
    }

    /// Waits a moment for breakpoints to be bound.
    pub(super) async fn bind(&self, ids: &[u32]) {
        let mut changed = self.changed.subscribe();
        let deadline = tokio::time::Instant::now() + self.config.limits.bind;
        loop {
            changed.mark_unchanged();
            let pending = {
                let moment = self.moment.lock();
                ids.iter().any(|id| {
                    moment
                        .points
                        .get(*id)
                        .is_some_and(points::Point::is_pending)
                })
            };
            let timed_out = !pending
                || tokio::time::timeout_at(deadline, changed.changed())
                    .await
                    .is_err();
            if timed_out {
                return;
            }
        }
    }

    /// A breakpoint for this once.
    pub(super) async fn run_to(&self, at: At) -> Result<u32, DebugError> {
        let (ids, touched) = self.add_points(vec![Breakpoint::new(at)])?;
        let id = ids.first().copied().unwrap_or_default();
        if let Some(point) = self.moment.lock().points.get_mut(id) {
            point.once = true;
        }
        self.tell_all(&touched).await?;
        self.bind(&ids).await;
        let reports = self.moment.lock().points.reports(&self.project);
        let unreachable = reports.into_iter().find(|report| report.id == id);
        match unreachable {
            Some(BreakpointReport {
                binding: Binding::Unreachable { why },
                asked,
                ..
            }) => {
                let touched = self.moment.lock().points.remove(|point| point.id == id);
                self.tell_all(&touched).await?;
                Err(DebugError::NoPlace { asked, why })
            }
            _ => Ok(id),
        }
    }

    /// Removes a breakpoint that was for once, as soon as the program stands.
    pub(super) async fn forget_once(&self, id: u32, outcome: &Result<Outcome, DebugError>) {
        if matches!(outcome, Ok(Outcome::StillRunning(_))) {
            // It is on its way; the breakpoint is listed and can be removed.
            return;
        }
        let touched = self.moment.lock().points.remove(|point| point.id == id);
        if !self.is_ending() && !self.has_exited() {
            // An adapter that does not answer is noticed by the next question.
            let _ = self.tell_all(&touched).await;
        }
    }
}
