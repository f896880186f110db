//! Values: by page, by name, by path, of a frame or inside of another one.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::connection::{Connection, Unanswered};
use crate::error::DebugError;
use crate::handle::ValueHandle;
use crate::path::{PathStep, ValuePath};
use crate::protocol::{RawValue, list};
use crate::request::{Of, ValuesQuery};
use crate::result::{More, Page, Value};

use super::inner::Inner;
use super::long;
use super::moment::{FrameRef, Ran, ValueRef};

/// Values that are looked through for a name.
pub(super) const SEARCHED: usize = 1000;

/// Up to here pages are cut from what comes before them: not every adapter pages, and those that do
/// not answer with everything.
const PREFIX: usize = 2000;

/// Levels that are opened at most, and values in all.
const DEPTH: usize = 3;
const OPENED: usize = 200;

impl Inner {
    /// Children of a value from `start` on, at most `count`; and whether there are more.
    ///
    /// Adapters may ignore the paging, so it is cut here too. What is known to have elements is paged
    /// by them; else everything up to the page is asked for, unless that is too much.
    pub(super) async fn children(
        &self,
        of: &ValueRef,
        start: usize,
        count: usize,
    ) -> Result<(Vec<RawValue>, bool), DebugError> {
        let elements = of.indexed.is_some_and(|count| count > 0);
        let real = elements && start > 0 || start + count > PREFIX;
        let (from, wanted) = if real {
            (start, count)
        } else {
            (0, start + count)
        };
        let mut arguments = json!({
            "variablesReference": of.reference,
            "start": from,
            // One more tells whether there are more.
            "count": wanted + 1,
        });
        if elements && real {
            arguments["filter"] = "indexed".into();
        }
        let limit = self.config.limits.request;
        let body = self
            .ask(of.connection, "variables", arguments, limit)
            .await?;
        let all = list(&body, "variables");
        // More than was asked for: the paging was ignored.
        let skip = if all.len() > wanted + 1 || !real {
            start
        } else {
            0
        };
        let page: Vec<RawValue> = all
            .iter()
            .map(RawValue::read)
            .filter(|value| !self.is_hidden(&value.name))
            .skip(skip)
            .take(count + 1)
            .collect();
        let more = page.len() > count;
        Ok((page.into_iter().take(count).collect(), more))
    }

    /// Whether a value is not the program's.
    fn is_hidden(&self, name: &str) -> bool {
        let mut hidden = self.adapter.hidden_values.iter();
        hidden.any(|known| match known.strip_suffix('*') {
            Some(begin) => name.starts_with(begin),
            None => name == known,
        })
    }

    /// A value with our handle, cut and without secrets.
    pub(super) fn value(
        &self,
        connection: usize,
        raw: &RawValue,
        inside: bool,
        characters: usize,
    ) -> Value {
        let (masked, secret) = {
            let mut secrets = self.secrets.lock();
            let masked = secrets.value(&raw.name, inside, &raw.value);
            (masked, inside || secrets.is_secret(&raw.name, &raw.value))
        };
        let text = masked.as_deref().unwrap_or(&raw.value);
        // What the adapter has cut before counts too.
        let (text, more) = long::cut(text).unwrap_or((text, 0));
        let there = text.chars().count();
        let total = there + more;
        let cut = total > characters || more > 0;
        let text: String = match there > characters {
            true => text.chars().take(characters).collect(),
            false => text.to_owned(),
        };
        let handle = (raw.reference > 0).then(|| {
            self.moment.lock().add_value(ValueRef {
                connection,
                reference: raw.reference,
                indexed: raw.indexed,
                name: raw.name.clone(),
                secret,
            })
        });
        Value {
            name: raw.name.clone(),
            text,
            cut_from: cut.then_some(total),
            masked: masked.is_some(),
            kind: raw.kind.clone(),
            handle,
            count: raw.count,
            inside: None,
            shortened: cut,
        }
    }

    /// Arguments and locals of a frame: every scope that belongs to the function.
    pub(super) async fn locals(
        &self,
        frame: &FrameRef,
        start: usize,
        count: usize,
        characters: usize,
    ) -> Result<Page<Value>, DebugError> {
        let scopes = self.scopes_of(frame).await?;
        let mut raw = Vec::new();
        let mut more = false;
        for scope in scopes
            .iter()
            .filter(|scope| !scope.expensive && !scope.beyond)
        {
            let of = ValueRef {
                connection: frame.connection,
                reference: scope.reference,
                indexed: None,
                name: String::new(),
                secret: false,
            };
            if scope.reference == 0 || raw.len() > start + count {
                continue;
            }
            let (values, rest) = self.children(&of, 0, start + count + 1).await?;
            more |= rest;
            raw.extend(values);
        }
        more |= raw.len() > start + count;
        for value in raw.iter_mut().skip(start).take(count) {
            self.follow(frame, value).await;
        }
        let mut items: Vec<Value> = raw
            .iter()
            .skip(start)
            .take(count)
            .map(|value| self.value(frame.connection, value, false, characters))
            .collect();
        self.sum_up(&mut items, characters).await?;
        Ok(Page {
            items,
            start,
            more: if more { More::Some } else { More::None },
        })
    }

    pub(super) async fn values(&self, query: &ValuesQuery) -> Result<Page<Value>, DebugError> {
        // At the end of a path the value stands above what is inside of it.
        let above = usize::from(matches!(query.of, Of::Path { .. }));
        let depth = query.depth.clamp(1, DEPTH) + above;
        let mut page = match &query.of {
            Of::Frame(frame) if query.names.is_empty() => {
                let (_, frame) = self.frame_ref(*frame)?;
                self.locals(&frame, query.start, query.count, query.characters)
                    .await?
            }
            Of::Frame(frame) => {
                let (_, frame) = self.frame_ref(*frame)?;
                let mut items = Vec::new();
                for name in &query.names {
                    items.push(self.named(&frame, name, query.characters).await?);
                }
                Page {
                    items,
                    start: 0,
                    more: More::None,
                }
            }
            Of::Value(handle) => {
                let of = self.standing_value(*handle)?;
                self.inside(&of, query).await?
            }
            Of::Path { frame, path } => {
                let (_, frame) = self.frame_ref(*frame)?;
                let walked = path.to_string();
                let mut value = match self.walk(&frame, path, query.characters).await {
                    Ok(value) => self.uncut(&frame, &walked, value, query.characters).await?,
                    // Adapters do not list everything: long lists, what is outside of the function.
                    Err(missing @ DebugError::NoValue { .. }) => {
                        let link = self.connection(frame.connection)?;
                        let limit = self.config.limits.evaluate;
                        match self.evaluate_in(&link, &frame, &walked, limit).await {
                            Ok(mut raw) => {
                                self.lengthen(&link, &frame, &mut raw, query.characters)
                                    .await;
                                self.value(frame.connection, &raw, false, query.characters)
                            }
                            Err(Unanswered::Refused(_)) => return Err(missing),
                            Err(why) => return Err(self.failed("evaluate", why).await),
                        }
                    }
                    Err(other) => return Err(other),
                };
                match value.handle {
                    // The value itself, with what is inside.
                    Some(handle) => {
                        let of = self.standing_value(handle)?;
                        value.inside = Some(self.inside(&of, query).await?);
                        value.name = walked;
                        Page {
                            items: vec![value],
                            start: 0,
                            more: More::None,
                        }
                    }
                    None => {
                        value.name = walked;
                        Page {
                            items: vec![value],
                            start: 0,
                            more: More::None,
                        }
                    }
                }
            }
        };
        self.sum_up(&mut page.items, query.characters).await?;
        if depth > 1 {
            self.open(&mut page.items, depth - 1, query).await?;
        }
        Ok(page)
    }

    /// A reference of Rust to a list or a map, as lldb has it, becomes what it refers to: it has printers
    /// for that only.
    async fn follow(&self, frame: &FrameRef, raw: &mut RawValue) {
        let kind = raw.kind.as_deref().unwrap_or_default();
        let is_of_library = ["alloc::", "std::"]
            .iter()
            .any(|begin| kind.starts_with(begin));
        if !is_of_library || !kind.ends_with("> *") || raw.reference == 0 {
            return;
        }
        let Ok(link) = self.connection(frame.connection) else {
            return;
        };
        let limit = self.config.limits.evaluate;
        let asked = format!("*{}", raw.name);
        // What cannot be followed stays a reference.
        if let Ok(there) = self.evaluate_in(&link, frame, &asked, limit).await {
            let name = std::mem::take(&mut raw.name);
            *raw = RawValue { name, ..there };
        }
    }

    /// A value at the end of a path, with more of a string that the adapter has cut.
    async fn uncut(
        &self,
        frame: &FrameRef,
        path: &str,
        value: Value,
        characters: usize,
    ) -> Result<Value, DebugError> {
        let is_short = value.text.chars().count() < characters;
        if value.cut_from.is_none() || !is_short || value.masked || value.handle.is_some() {
            return Ok(value);
        }
        let link = self.connection(frame.connection)?;
        let limit = self.config.limits.evaluate;
        // What cannot be evaluated stays as it is.
        let Ok(mut raw) = self.evaluate_in(&link, frame, path, limit).await else {
            return Ok(value);
        };
        self.lengthen(&link, frame, &mut raw, characters).await;
        raw.name = value.name;
        Ok(self.value(frame.connection, &raw, false, characters))
    }

    pub(super) async fn walk(
        &self,
        frame: &FrameRef,
        path: &ValuePath,
        characters: usize,
    ) -> Result<Value, DebugError> {
        let mut value = self.named(frame, path.root(), characters).await?;
        let mut walked = path.root().to_owned();
        for step in path.steps() {
            value = self.step(&value, step, &walked, characters).await?;
            walked = format!("{walked}{step}");
        }
        Ok(value)
    }

    pub(super) fn standing_value(&self, handle: ValueHandle) -> Result<ValueRef, DebugError> {
        let moment = self.moment.lock();
        moment.standing()?;
        moment.value(handle)
    }

    async fn inside(&self, of: &ValueRef, query: &ValuesQuery) -> Result<Page<Value>, DebugError> {
        let named = !query.names.is_empty();
        let (start, count) = if named {
            (0, SEARCHED)
        } else {
            (query.start, query.count)
        };
        let (raw, more) = self.children(of, start, count).await?;
        let wanted = |raw: &&RawValue| {
            !named
                || query
                    .names
                    .iter()
                    .any(|name| PathStep::Name(name.clone()).names(&raw.name))
        };
        let mut items: Vec<Value> = raw
            .iter()
            .filter(wanted)
            .map(|raw| self.value(of.connection, raw, of.secret, query.characters))
            .collect();
        self.sum_up(&mut items, query.characters).await?;
        Ok(Page {
            items,
            start,
            more: if more && !named {
                More::Some
            } else {
                More::None
            },
        })
    }

    /// Opens values level by level, until there is enough.
    async fn open(
        &self,
        values: &mut [Value],
        levels: usize,
        query: &ValuesQuery,
    ) -> Result<(), DebugError> {
        let mut opened = 0;
        let mut front: Vec<&mut Value> = values.iter_mut().collect();
        for _ in 0..levels {
            let mut next = Vec::new();
            for value in front {
                let Some(handle) = value.handle.filter(|_| opened < OPENED) else {
                    continue;
                };
                if value.inside.is_none() {
                    let of = self.standing_value(handle)?;
                    let (raw, more) = self.children(&of, 0, query.count.min(10)).await?;
                    opened += raw.len();
                    let mut items: Vec<Value> = raw
                        .iter()
                        .map(|raw| self.value(of.connection, raw, of.secret, query.characters))
                        .collect();
                    self.sum_up(&mut items, query.characters).await?;
                    value.inside = Some(Page {
                        items,
                        start: 0,
                        more: if more { More::Some } else { More::None },
                    });
                }
                next.extend(value.inside.iter_mut().flat_map(|page| &mut page.items));
            }
            front = next;
        }
        Ok(())
    }

    /// A variable of a frame: of the function first, then of what is around it.
    async fn named(
        &self,
        frame: &FrameRef,
        name: &str,
        characters: usize,
    ) -> Result<Value, DebugError> {
        let mut scopes = self.scopes_of(frame).await?;
        scopes.sort_by_key(|scope| (scope.beyond, scope.expensive));
        let wanted = PathStep::Name(name.to_owned());
        let mut there = Vec::new();
        for scope in scopes
            .iter()
            .filter(|scope| scope.reference != 0 && !scope.expensive)
        {
            let of = ValueRef {
                connection: frame.connection,
                reference: scope.reference,
                indexed: None,
                name: String::new(),
                secret: false,
            };
            let (values, _) = self.children(&of, 0, SEARCHED).await?;
            if let Some(raw) = values.iter().find(|raw| wanted.names(&raw.name)) {
                return Ok(self.value(frame.connection, raw, false, characters));
            }
            if !scope.beyond {
                there.extend(values.into_iter().map(|raw| raw.name));
            }
        }
        Err(DebugError::NoValue {
            name: name.to_owned(),
            of: "this frame".to_owned(),
            nearest: nearest(name, there),
        })
    }

    /// One step of a path.
    async fn step(
        &self,
        value: &Value,
        step: &PathStep,
        walked: &str,
        characters: usize,
    ) -> Result<Value, DebugError> {
        let missing = |there: Vec<String>| {
            let name = step.to_string();
            DebugError::NoValue {
                nearest: nearest(&name, there),
                name,
                of: format!("`{walked}`"),
            }
        };
        let Some(handle) = value.handle else {
            return Err(missing(Vec::new()));
        };
        let of = self.standing_value(handle)?;
        if let PathStep::Index(index) = step
            && of.indexed.is_some_and(|count| *index < count)
        {
            let index = usize::try_from(*index).unwrap_or(usize::MAX - 2);
            let (raw, _) = self.children(&of, index, 1).await?;
            if let Some(raw) = raw.iter().find(|raw| step.names(&raw.name)) {
                return Ok(self.value(of.connection, raw, of.secret, characters));
            }
        }
        let (raw, _) = self.children(&of, 0, SEARCHED).await?;
        match raw.iter().find(|raw| step.names(&raw.name)) {
            Some(raw) => Ok(self.value(of.connection, raw, of.secret, characters)),
            None => Err(missing(raw.into_iter().map(|raw| raw.name).collect())),
        }
    }

    /// What can be opened that holds a variable of this name, for changing it.
    pub(super) async fn holder(
        &self,
        frame: &FrameRef,
        name: &str,
    ) -> Result<ValueRef, DebugError> {
        let wanted = PathStep::Name(name.to_owned());
        let mut there = Vec::new();
        let mut scopes = self.scopes_of(frame).await?;
        scopes.sort_by_key(|scope| (scope.beyond, scope.expensive));
        for scope in scopes
            .iter()
            .filter(|scope| scope.reference != 0 && !scope.expensive)
        {
            let of = ValueRef {
                connection: frame.connection,
                reference: scope.reference,
                indexed: None,
                name: scope.name.clone(),
                secret: false,
            };
            let (values, _) = self.children(&of, 0, SEARCHED).await?;
            if values.iter().any(|raw| wanted.names(&raw.name)) {
                return Ok(of);
            }
            there.extend(values.into_iter().map(|raw| raw.name));
        }
        Err(DebugError::NoValue {
            name: name.to_owned(),
            of: "this frame".to_owned(),
            nearest: nearest(name, there),
        })
    }

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

/// What is said where the program was stopped inside of a function that an expression calls.
const INSIDE: &str = " (the program stands inside of the function that the expression calls, and this is \
                      a stop of its own: look at it, or `continue` to let the call end)";

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

/// The names that are most like one, at most eight.
pub(super) fn nearest(name: &str, mut there: Vec<String>) -> Vec<String> {
    there.sort_by_cached_key(|known| strsim::levenshtein(name.trim_start_matches('.'), known));
    there.dedup();
    there.truncate(8);
    there
}
