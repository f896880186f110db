//! Threads, frames and scopes.

use std::path::{Component, Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::error::DebugError;
use crate::handle::FrameHandle;
use crate::protocol::{RawFrame, RawScope, list, number, text};
use crate::result::{Frame, More, Place, Scope, StackEntry, ThreadInfo};
use crate::source;

use super::inner::Inner;
use super::made;
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
        let built_in: Vec<bool> = raw
            .iter()
            .map(|raw| made::of(raw, &self.project).is_some_and(|made| made.is_built_in))
            .collect();
        fold(frames, |frame| {
            let index = frame.level.saturating_sub(start);
            built_in.get(index).copied().unwrap_or_default()
        })
    }

    pub(super) fn frame(
        &self,
        connection: usize,
        thread: i64,
        level: usize,
        raw: &RawFrame,
    ) -> Frame {
        let frame = FrameRef {
            connection,
            id: raw.id,
            thread,
        };
        let handle = self.moment.lock().add_frame(level, frame);
        Frame {
            handle,
            level,
            function: raw.name.clone(),
            ours: self.is_ours(raw),
            place: self.place(raw),
        }
    }

    pub(super) fn place(&self, raw: &RawFrame) -> Option<Place> {
        if let Some(made) = made::of(raw, &self.project) {
            return Some(Place {
                path: None,
                file: made.name,
                line: raw.line,
                is_file: false,
                lines: Vec::new(),
            });
        }
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
            is_file: true,
            lines: Vec::new(),
        })
    }

    pub(super) fn is_ours(&self, raw: &RawFrame) -> bool {
        let Some(path) = &raw.path else { return false };
        !raw.subtle
            && is_own(Path::new(path), &self.project)
            && made::of(raw, &self.project).is_none()
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
                secret: false,
                root: None,
            }),
            expensive: raw.expensive,
            count: raw.count,
        }
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

/// The top frame and the user's own; runs of others are folded, when any is the user's own. What is built
/// into the language is not worth to be seen even at the top.
fn fold(frames: Vec<Frame>, is_built_in: impl Fn(&Frame) -> bool) -> Vec<StackEntry> {
    let any = frames.iter().any(|frame| frame.ours);
    let mut entries = Vec::new();
    let mut run: Vec<Frame> = Vec::new();
    let close = |run: &mut Vec<Frame>, entries: &mut Vec<StackEntry>| {
        let mut run = std::mem::take(run);
        match run.as_slice() {
            [] => {}
            [one] if is_built_in(one) => entries.push(StackEntry::Folded {
                count: 1,
                names: vec![one.function.clone()],
                first: one.handle,
            }),
            [_] => entries.extend(run.pop().map(StackEntry::Frame)),
            [first, .., last] => entries.push(StackEntry::Folded {
                count: run.len(),
                names: vec![first.function.clone(), last.function.clone()],
                first: first.handle,
            }),
        }
    };
    for frame in frames {
        if !any || frame.ours || frame.level == 0 && !is_built_in(&frame) {
            close(&mut run, &mut entries);
            entries.push(StackEntry::Frame(frame));
        } else {
            run.push(frame);
        }
    }
    close(&mut run, &mut entries);
    entries
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
        let words: Vec<_> = fold(frames, |_| false)
            .iter()
            .map(ToString::to_string)
            .collect();
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
