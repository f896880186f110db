//! Expressions, which may run code of the program.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::connection::{Connection, Unanswered};
use crate::protocol::{Fault, RawValue};

use super::inner::Inner;
use super::moment::{FrameRef, Ran};

/// The name that an expression begins with, when it is that of a variable.
fn first_name(expression: &str) -> Option<&str> {
    let expression = expression
        .trim()
        .trim_start_matches(['*', '&', '(', '!', '-']);
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    let end = expression
        .find(|char| !is_part(char))
        .unwrap_or(expression.len());
    let (name, behind) = expression.split_at(end);
    let is_variable = name.starts_with(|char: char| char.is_alphabetic() || char == '_')
        && !behind.starts_with(['(', '!'])
        && !behind.starts_with("::");
    is_variable.then_some(name)
}

/// What is said where the program was stopped inside of a function that an expression calls.
const INSIDE: &str = " (the program stands inside of the function that the expression calls, and this is \
                      a stop of its own: look at it, or `continue` to let the call end)";

impl Inner {
    /// Evaluates in a frame, without anything around it.
    pub(super) async fn evaluate_in(
        &self,
        connection: &Connection,
        frame: &FrameRef,
        expression: &str,
        within: Duration,
    ) -> Result<RawValue, Unanswered> {
        // `repl` means a command of the debugger for some; `watch` an expression for all.
        self.evaluate_as(connection, frame, expression, "watch", within)
            .await
    }

    /// The same for somebody who uses the value in this way.
    pub(super) async fn evaluate_as(
        &self,
        connection: &Connection,
        frame: &FrameRef,
        expression: &str,
        context: &str,
        within: Duration,
    ) -> Result<RawValue, Unanswered> {
        let arguments = json!({
            "expression": expression,
            "frameId": frame.id,
            "context": context,
        });
        let body = self
            .aside(connection.request("evaluate", arguments, within))
            .await?;
        let mut raw = RawValue::read(&body);
        raw.name = expression.to_owned();
        Ok(raw)
    }

    /// The same of an expression of a user's own: one that begins with a name which the frame does not know
    /// is refused, also where the debugger finds such a symbol in a library.
    pub(super) async fn evaluate_own(
        &self,
        connection: &Connection,
        frame: &FrameRef,
        expression: &str,
        within: Duration,
    ) -> Result<RawValue, Unanswered> {
        let raw = self
            .evaluate_in(connection, frame, expression, within)
            .await?;
        let Some(name) = first_name(expression) else {
            return Ok(raw);
        };
        let Some(form) = &self.adapter.foreign_symbol else {
            return Ok(raw);
        };
        let command = form.replace("{name}", name);
        let asked = self.evaluate_as(connection, frame, &command, "repl", within);
        // What it cannot say changes nothing.
        match asked.await.map(|said| said.value.trim().to_owned()) {
            Ok(from) if from.contains('/') => Err(Unanswered::Refused(Fault {
                message: format!(
                    "there is no `{name}` in this frame; the debugger knows one, which is a global of {from} \
                     and not of this code"
                ),
                ..Fault::default()
            })),
            _ => Ok(raw),
        }
    }

    /// A request that may run code of the program. What the adapter tells of the program meanwhile is
    /// part of it: the stop stays what it was, with its frames, unless the program is elsewhere when
    /// it is over.
    pub(super) async fn aside(
        &self,
        request: impl Future<Output = Result<Json, Unanswered>>,
    ) -> Result<Json, Unanswered> {
        let aside = Aside::begin(self);
        let answer = request.await;
        let answered = matches!(answer, Ok(_) | Err(Unanswered::Refused(_)));
        match (aside.end(answered), answer) {
            (Ran::Call { connection, back }, answer) => {
                self.came_back(connection, back).await;
                answer
            }
            (Ran::Stopped, Err(Unanswered::Refused(mut fault))) => {
                fault.message.push_str(INSIDE);
                Err(Unanswered::Refused(fault))
            }
            (_, answer) => answer,
        }
    }

    /// After a call in the program: adapters number the frames anew.
    async fn came_back(&self, connection: usize, back: bool) {
        let threads = self.moment.lock().known_threads(connection);
        for (thread, levels) in threads {
            match self.stack_of(connection, thread, 0, levels).await {
                Ok(raw) => {
                    let ids: Vec<i64> = raw.frames.iter().map(|frame| frame.id).collect();
                    self.moment.lock().renumber(connection, thread, &ids);
                }
                // Nobody has said that it stands, and it does not look like it.
                Err(_) if !back => {
                    self.moment.lock().resumed();
                    self.changed();
                    return;
                }
                Err(_) => {}
            }
        }
    }
}

/// An evaluation that is under way; it ends when this goes, too.
struct Aside<'a>(Option<&'a Inner>);

impl<'a> Aside<'a> {
    fn begin(inner: &'a Inner) -> Self {
        inner.moment.lock().begins_aside();
        Self(Some(inner))
    }

    fn end(mut self, answered: bool) -> Ran {
        match self.0.take() {
            Some(inner) => Self::over(inner, answered),
            None => Ran::Nothing,
        }
    }

    fn over(inner: &Inner, answered: bool) -> Ran {
        let native = inner.is_native();
        let ran = inner.moment.lock().ends_aside(answered, native);
        inner.changed();
        ran
    }
}

impl Drop for Aside<'_> {
    fn drop(&mut self) {
        if let Some(inner) = self.0.take() {
            Self::over(inner, false);
        }
    }
}
