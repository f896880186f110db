//! Frames, scopes and values of a program that stands.

use std::path::{Component, Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::connection::{Connection, Unanswered};
use crate::error::DebugError;
use crate::handle::{FrameHandle, ValueHandle};
use crate::path::{PathStep, ValuePath};
use crate::protocol::{RawFrame, RawScope, RawValue, list, number, text};
use crate::request::{Of, ValuesQuery};
use crate::result::{Frame, More, Page, Place, Scope, StackEntry, ThreadInfo, Value};
use crate::source;

use super::inner::Inner;
use super::moment::{FrameRef, ValueRef};
use super::points::shown;

/// Folders of a project whose files are somebody else's.
const FOREIGN: [&str; 10] = [
    "node_modules",
    "site-packages",
    "dist-packages",
    ".venv",
    "venv",
    ".tox",
    "vendor",
    ".cargo",
    ".rustup",
    "third_party",
];

/// Values that are looked through for a name.
const SEARCHED: usize = 1000;

/// Up to here pages are cut from what comes before them: not every adapter pages, and those that do
/// not answer with everything.
const PREFIX: usize = 2000;

/// Values without a text of their own that are opened to make one, and how much of each.
const SUMMED: usize = 8;
const SUMMED_INSIDE: usize = 6;

/// Levels that are opened at most, and values in all.
const DEPTH: usize = 3;
const OPENED: usize = 200;

/// A part of a stack as it came.
pub(super) struct RawStack {
    pub(super) frames: Vec<RawFrame>,
    pub(super) more: More,
}

impl Inner {
    /// The threads of a connection.
    pub(super) async fn threads_of(
        &self,
        connection: usize,
    ) -> Result<Vec<ThreadInfo>, DebugError> {
        let limit = self.config.limits.request;
        let body = self.ask(connection, "threads", Json::Null, limit).await?;
        Ok(read_threads(&body))
    }

    pub(super) async fn stack_of(
        &self,
        connection: usize,
        thread: i64,
        start: usize,
        levels: usize,
    ) -> Result<RawStack, DebugError> {
        let arguments = stack_request(thread, start, levels);
        let limit = self.config.limits.request;
        let body = self.ask(connection, "stackTrace", arguments, limit).await?;
        Ok(read_stack(&body, start, levels))
    }

    /// Frames with our handles; those in a row that are not the user's own are folded, when any is.
    pub(super) fn entries(
        &self,
        connection: usize,
        thread: i64,
        start: usize,
        raw: &[RawFrame],
    ) -> Vec<StackEntry> {
        let frames: Vec<Frame> = raw
            .iter()
            .enumerate()
            .map(|(index, frame)| self.frame(connection, thread, start + index, frame))
            .collect();
        fold(frames)
    }

    pub(super) fn frame(
        &self,
        connection: usize,
        thread: i64,
        level: usize,
        raw: &RawFrame,
    ) -> Frame {
        let handle = self.moment.lock().add_frame(FrameRef {
            connection,
            id: raw.id,
            thread,
        });
        Frame {
            handle,
            level,
            function: raw.name.clone(),
            ours: self.is_ours(raw),
            place: self.place(raw),
        }
    }

    fn place(&self, raw: &RawFrame) -> Option<Place> {
        let path = raw.path.as_ref().map(PathBuf::from);
        let file = match (&path, &raw.source_name) {
            (Some(path), _) => shown(path, &self.project),
            (None, Some(name)) => name.clone(),
            (None, None) => return None,
        };
        Some(Place {
            path: path.filter(|path| path.is_absolute()),
            file,
            line: raw.line,
            lines: Vec::new(),
        })
    }

    fn is_ours(&self, raw: &RawFrame) -> bool {
        let Some(path) = &raw.path else { return false };
        !raw.subtle && is_own(Path::new(path), &self.project)
    }

    /// The frame that a question is about.
    pub(super) fn frame_ref(
        &self,
        frame: Option<FrameHandle>,
    ) -> Result<(FrameHandle, FrameRef), DebugError> {
        let moment = self.moment.lock();
        moment.standing()?;
        let handle = frame.or(moment.focus).ok_or(DebugError::NotStopped {
            state: "stands where there is no frame",
            hint: "ask for the stack of another thread",
        })?;
        Ok((handle, moment.frame(handle)?))
    }

    pub(super) async fn scopes_of(&self, frame: &FrameRef) -> Result<Vec<RawScope>, DebugError> {
        let arguments = json!({ "frameId": frame.id });
        let limit = self.config.limits.request;
        let body = self
            .ask(frame.connection, "scopes", arguments, limit)
            .await?;
        Ok(list(&body, "scopes").iter().map(RawScope::read).collect())
    }

    pub(super) fn scope(&self, connection: usize, raw: &RawScope) -> Scope {
        Scope {
            name: raw.name.clone(),
            handle: self.moment.lock().add_value(ValueRef {
                connection,
                reference: raw.reference,
                indexed: None,
                name: raw.name.clone(),
            }),
            expensive: raw.expensive,
            count: raw.count,
        }
    }

    /// Children of a value from `start` on, at most `count`; and whether there are more.
    ///
    /// Adapters may ignore the paging, so it is cut here too. What is known to have elements is paged
    /// by them; else everything up to the page is asked for, unless that is too much.
    async fn children(
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
            .filter(|value| !self.adapter.hidden_values.contains(&value.name))
            .skip(skip)
            .take(count + 1)
            .collect();
        let more = page.len() > count;
        Ok((page.into_iter().take(count).collect(), more))
    }

    /// A value with our handle, cut and without secrets.
    pub(super) fn value(
        &self,
        connection: usize,
        raw: &RawValue,
        holder: &str,
        characters: usize,
    ) -> Value {
        let name = raw.name.as_str();
        let masked = self.config.mask.value(name, &raw.value).or_else(|| {
            // What is inside of a secret is one.
            self.config.mask.value(holder, &raw.value)
        });
        let text = masked.as_deref().unwrap_or(&raw.value);
        let total = text.chars().count();
        let cut = total > characters;
        let text: String = match cut {
            true => text.chars().take(characters).collect(),
            false => text.to_owned(),
        };
        let handle = (raw.reference > 0).then(|| {
            self.moment.lock().add_value(ValueRef {
                connection,
                reference: raw.reference,
                indexed: raw.indexed,
                name: raw.name.clone(),
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
        }
    }

    /// Texts for values that have none of their own, such as structs of gdb.
    pub(super) async fn sum_up(&self, values: &mut [Value]) -> Result<(), DebugError> {
        let empty = values.iter_mut().filter(|value| value.text.is_empty());
        for value in empty.take(SUMMED) {
            let Some(handle) = value.handle else { continue };
            let of = self.moment.lock().value(handle)?;
            let (inside, more) = self.children(&of, 0, SUMMED_INSIDE).await?;
            let mut parts: Vec<String> = inside
                .iter()
                .map(|raw| {
                    let part = self.value(of.connection, raw, &of.name, 40);
                    let text = if part.text.is_empty() {
                        "…"
                    } else {
                        &part.text
                    };
                    format!("{} = {text}", part.name)
                })
                .collect();
            if more {
                parts.push("…".to_owned());
            }
            value.text = format!("{{{}}}", parts.join(", "));
        }
        Ok(())
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
            };
            if scope.reference == 0 || raw.len() > start + count {
                continue;
            }
            let (values, rest) = self.children(&of, 0, start + count + 1).await?;
            more |= rest;
            raw.extend(values);
        }
        more |= raw.len() > start + count;
        let mut items: Vec<Value> = raw
            .iter()
            .skip(start)
            .take(count)
            .map(|value| self.value(frame.connection, value, "", characters))
            .collect();
        self.sum_up(&mut items).await?;
        Ok(Page {
            items,
            start,
            more: if more { More::Some } else { More::None },
        })
    }

    pub(super) async fn values(&self, query: &ValuesQuery) -> Result<Page<Value>, DebugError> {
        let depth = query.depth.clamp(1, DEPTH);
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
                    Ok(value) => value,
                    // Adapters do not list everything: long lists, what is outside of the function.
                    Err(missing @ DebugError::NoValue { .. }) => {
                        let link = self.connection(frame.connection)?;
                        let limit = self.config.limits.evaluate;
                        match self.evaluate_in(&link, &frame, &walked, limit).await {
                            Ok(raw) => self.value(frame.connection, &raw, "", query.characters),
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
        self.sum_up(&mut page.items).await?;
        if depth > 1 {
            self.open(&mut page.items, depth - 1, query).await?;
        }
        Ok(page)
    }

    async fn walk(
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

    fn standing_value(&self, handle: ValueHandle) -> Result<ValueRef, DebugError> {
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
            .map(|raw| self.value(of.connection, raw, &of.name, query.characters))
            .collect();
        self.sum_up(&mut items).await?;
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
                    let items = raw
                        .iter()
                        .map(|raw| self.value(of.connection, raw, &of.name, query.characters))
                        .collect();
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
            };
            let (values, _) = self.children(&of, 0, SEARCHED).await?;
            if let Some(raw) = values.iter().find(|raw| wanted.names(&raw.name)) {
                return Ok(self.value(frame.connection, raw, "", characters));
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
                return Ok(self.value(of.connection, raw, &of.name, characters));
            }
        }
        let (raw, _) = self.children(&of, 0, SEARCHED).await?;
        match raw.iter().find(|raw| step.names(&raw.name)) {
            Some(raw) => Ok(self.value(of.connection, raw, &of.name, characters)),
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
        within: std::time::Duration,
    ) -> Result<RawValue, Unanswered> {
        // `repl` means a command of the debugger for some; `watch` an expression for all.
        let arguments = json!({
            "expression": expression,
            "frameId": frame.id,
            "context": "watch",
        });
        let body = connection.request("evaluate", arguments, within).await?;
        let mut raw = RawValue::read(&body);
        raw.name = expression.to_owned();
        Ok(raw)
    }
}

pub(super) fn read_threads(body: &Json) -> Vec<ThreadInfo> {
    list(body, "threads")
        .iter()
        .filter_map(|thread| {
            Some(ThreadInfo {
                id: number(thread, "id")?,
                name: text(thread, "name").unwrap_or_default().to_owned(),
            })
        })
        .collect()
}

/// Whether a file is the user's own.
fn is_own(path: &Path, project: &Path) -> bool {
    path.strip_prefix(project).is_ok_and(|below| {
        !below.components().any(|part| {
            matches!(part, Component::Normal(name) if FOREIGN.iter().any(|known| name == *known))
        })
    })
}

pub(super) fn stack_request(thread: i64, start: usize, levels: usize) -> Json {
    json!({ "threadId": thread, "startFrame": start, "levels": levels.max(1) })
}

/// What an adapter answered, cut to what was asked for.
pub(super) fn read_stack(body: &Json, start: usize, levels: usize) -> RawStack {
    let all = list(body, "stackFrames");
    // More than was asked for: the paging was ignored.
    let skip = if all.len() > levels { start } else { 0 };
    let frames: Vec<RawFrame> = all
        .iter()
        .skip(skip)
        .take(levels)
        .filter_map(RawFrame::read)
        .filter(|frame| !frame.label)
        .collect();
    let cut = all.len() > skip + levels;
    // A total may be a guess; a full page is what counts.
    let total = number(body, "totalFrames").and_then(|total| usize::try_from(total).ok());
    let full = all.len() >= levels && total.is_none_or(|total| total > start + levels);
    RawStack {
        frames,
        more: if cut || full { More::Some } else { More::None },
    }
}

/// The top frame and the user's own; runs of others are folded, when any is the user's own.
fn fold(frames: Vec<Frame>) -> Vec<StackEntry> {
    let any = frames.iter().any(|frame| frame.ours);
    let mut entries = Vec::new();
    let mut run: Vec<Frame> = Vec::new();
    let close = |run: &mut Vec<Frame>, entries: &mut Vec<StackEntry>| {
        let mut run = std::mem::take(run);
        match run.as_slice() {
            [] => {}
            [_] => entries.extend(run.pop().map(StackEntry::Frame)),
            [first, .., last] => entries.push(StackEntry::Folded {
                count: run.len(),
                names: vec![first.function.clone(), last.function.clone()],
                first: first.handle,
            }),
        }
    };
    for frame in frames {
        if !any || frame.ours || frame.level == 0 {
            close(&mut run, &mut entries);
            entries.push(StackEntry::Frame(frame));
        } else {
            run.push(frame);
        }
    }
    close(&mut run, &mut entries);
    entries
}

/// The names that are most like one, at most eight.
fn nearest(name: &str, mut there: Vec<String>) -> Vec<String> {
    there.sort_by_cached_key(|known| strsim::levenshtein(name.trim_start_matches('.'), known));
    there.dedup();
    there.truncate(8);
    there
}

/// Lines around the place of a frame.
pub(super) fn with_lines(frame: &mut Frame, count: usize) {
    if let Some(place) = &mut frame.place
        && let Some(path) = &place.path
        && let Some(text) = source::read(path)
    {
        place.lines = source::around(&text, place.line, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(level: usize, ours: bool) -> Frame {
        Frame {
            handle: FrameHandle {
                stop: 1,
                number: level as u32,
            },
            level,
            function: format!("f{level}"),
            place: None,
            ours,
        }
    }

    fn shape(ours: &[bool]) -> String {
        let frames = ours
            .iter()
            .enumerate()
            .map(|(level, ours)| frame(level, *ours))
            .collect();
        let words: Vec<_> = fold(frames).iter().map(ToString::to_string).collect();
        words.join("; ")
    }

    #[test]
    fn library_frames_are_folded_around_the_users_own() {
        assert_eq!(
            shape(&[false, false, false, true, false, true, false, false]),
            "f1.0 f0; f1.1 … 2 library frames: f1 … f2; f1.3 f3; f1.4 f4; f1.5 f5; \
             f1.6 … 2 library frames: f6 … f7"
        );
        assert_eq!(
            shape(&[false, false]),
            "f1.0 f0; f1.1 f1",
            "nothing to fold around"
        );
        assert_eq!(shape(&[]), "");
    }

    #[test]
    fn files_of_packages_are_not_the_users_own() {
        let own = |path: &str| is_own(Path::new(path), Path::new("/p"));
        assert!(own("/p/src/a.py"));
        assert!(!own("/p/.venv/lib/a.py"));
        assert!(!own("/p/node_modules/x/a.js"));
        assert!(!own("/usr/lib/a.py"));
        assert!(!own("/pp/a.py"));
    }

    #[test]
    fn pages_of_stacks_are_cut_here_too() {
        let frames: Vec<Json> = (0..10).map(|id| json!({ "id": id, "name": "f" })).collect();
        let body = json!({ "stackFrames": frames });
        let page = read_stack(&body, 2, 3);
        let ids: Vec<i64> = page.frames.iter().map(|frame| frame.id).collect();
        assert_eq!((ids, page.more), (vec![2, 3, 4], More::Some));
        let page = read_stack(&body, 20, 10);
        assert_eq!((page.frames.len(), page.more), (10, More::Some));
        let page = read_stack(&json!({ "stackFrames": frames, "totalFrames": 10 }), 0, 10);
        assert_eq!(page.more, More::None);
    }
}
