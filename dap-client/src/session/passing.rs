//! Stops that are no failures, and are passed over: a way to end, what a failing test of Go tells its
//! parent, and what the user's own code catches. The last is read from its text, of languages whose
//! runtime takes what a test's runner catches for caught, as JavaScript's does.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::error::DebugError;
use crate::program::GO_FAILS;
use crate::protocol::RawFrame;
use crate::request::{At, Exceptions};
use crate::source;

use super::inner::Inner;
use super::moment::{FrameRef, Moment};

impl Inner {
    /// Whether it stands where nobody wants to look.
    pub(super) async fn is_no_failure(&self) -> bool {
        self.passes()
            || self.is_unexplained().await
            || self.is_caught().await
            || self.is_handed_to_library().await
            || self.is_caught_further_out().await
            || self.is_outside().await
            || self.is_told().await
            || self.fails_again().await
    }

    /// The connection and the thread that stand at an exception, if the moment is one to look at.
    fn at_exception(&self, counts: impl FnOnce(&Moment) -> bool) -> Option<(usize, i64)> {
        let moment = self.moment.lock();
        let (connection, stop) = moment.stop.as_ref().filter(|_| counts(&moment))?;
        let thread = stop.thread.filter(|_| stop.reason == "exception")?;
        Some((*connection, thread))
    }

    /// Whether it stands at an exception of a test of Python that leaves the user's own code for a
    /// library that asked it something before the test runs, as `hasattr` does when pytest collects.
    async fn is_handed_to_library(&self) -> bool {
        let Some(file) = self
            .request
            .as_ref()
            .and_then(|launch| launch.test_file.as_deref())
        else {
            return false;
        };
        if *self.exceptions.lock() != Exceptions::Uncaught {
            return false;
        }
        let Some((connection, thread)) =
            self.at_exception(|moment| moment.passed < HANDED && moment.crash.is_none())
        else {
            return false;
        };
        let Ok(raw) = self.stack_of(connection, thread, 0, STACK).await else {
            return false;
        };
        let handed = is_handed(&raw.frames, file, |frame| self.is_ours(frame));
        if handed {
            self.moment.lock().passed += 1;
        }
        handed
    }

    /// Whether it stands at an exception of Python that the user's own code catches, further out than
    /// where it has left a function of theirs for a library.
    async fn is_caught_further_out(&self) -> bool {
        if !self.debugs("Python") || *self.exceptions.lock() != Exceptions::Uncaught {
            return false;
        }
        let Some((connection, thread)) =
            self.at_exception(|moment| moment.caught < HANDED && moment.crash.is_none())
        else {
            return false;
        };
        let (Ok(link), Ok(raw)) = (
            self.connection(connection),
            self.stack_of(connection, thread, 0, STACK).await,
        ) else {
            return false;
        };
        let caught = self
            .own_code_catches(&link, connection, thread, &raw.frames)
            .await;
        if caught {
            self.moment.lock().caught += 1;
        }
        caught
    }

    /// Whether it stands at an exception of Python that no code of the user's own has to do with: before
    /// the first line of the program there are many.
    async fn is_outside(&self) -> bool {
        if !self.debugs("Python") || *self.exceptions.lock() != Exceptions::All {
            return false;
        }
        let Some((connection, thread)) =
            self.at_exception(|moment| moment.outside < HANDED && moment.crash.is_none())
        else {
            return false;
        };
        let Ok(raw) = self.stack_of(connection, thread, 0, STACK).await else {
            return false;
        };
        let whole = raw.frames.len() < STACK;
        let outside = whole && !raw.frames.iter().any(|frame| self.is_ours(frame));
        if outside {
            self.moment.lock().outside += 1;
        }
        outside
    }

    /// Whether it stands at an exception that was told when it left the user's own code, and now leaves the
    /// thread too.
    async fn is_told(&self) -> bool {
        let Some((connection, thread)) = self.at_exception(|_| self.debugs("Python")) else {
            return false;
        };
        if self.moment.lock().told_exception != Some((connection, thread)) {
            return false;
        }
        let (Ok(link), Ok(raw)) = (
            self.connection(connection),
            self.stack_of(connection, thread, 0, 1).await,
        ) else {
            return false;
        };
        let Some(top) = raw.frames.first() else {
            return false;
        };
        let of = FrameRef {
            connection,
            id: top.id,
            thread,
        };
        let asked = self.evaluate_in(&link, &of, TOLD, AGAIN).await;
        asked.is_ok_and(|raw| raw.value == "True")
    }

    /// What is said of the exceptions that were passed over.
    pub(super) fn passed_over(&self) -> Option<String> {
        let (handed, caught, outside) = {
            let mut moment = self.moment.lock();
            (
                std::mem::take(&mut moment.passed),
                std::mem::take(&mut moment.caught),
                std::mem::take(&mut moment.outside),
            )
        };
        let count = |count: usize, what: &str| match count {
            0 => None,
            1 => Some(format!("1 exception that was {what}")),
            many => Some(format!("{many} exceptions that were {what}")),
        };
        if let Some(words) = count(outside, "raised outside of the program's own code") {
            let were = if outside == 1 { "was" } else { "were" };
            return Some(format!("{words} {were} passed over"));
        }
        let handed_words = count(handed, "handed to library code");
        let caught_words = count(caught, "caught by the program's own code");
        let words: Vec<String> = handed_words.into_iter().chain(caught_words).collect();
        let were = if handed + caught == 1 { "was" } else { "were" };
        (!words.is_empty()).then(|| {
            format!(
                "{} {were} passed over; `all` exceptions stop there",
                words.join(" and ")
            )
        })
    }

    /// Whether it stands at an exception that is no failure.
    fn passes(&self) -> bool {
        if *self.exceptions.lock() == Exceptions::All {
            return false;
        }
        let moment = self.moment.lock();
        let Some((_, event)) = &moment.stop else {
            return false;
        };
        let named = |words: &Option<String>| {
            let word = words
                .as_deref()
                .and_then(|words| words.split_whitespace().next());
            word.is_some_and(|word| {
                self.adapter
                    .passed_exceptions
                    .iter()
                    .any(|name| name == word)
            })
        };
        event.reason == "exception" && (named(&event.text) || named(&event.description))
    }

    /// Whether it stands where the adapter takes a statement for the reason, and the line holds none.
    async fn is_unexplained(&self) -> bool {
        let Some((description, statement)) = &self.adapter.unexplained_stop else {
            return false;
        };
        let stop = {
            let moment = self.moment.lock();
            let stop = moment.stop.as_ref().filter(|(_, stop)| {
                !moment.stop_asked && stop.description.as_ref() == Some(description)
            });
            stop.map(|(connection, stop)| (*connection, stop.thread))
        };
        let Some((connection, Some(thread))) = stop else {
            return false;
        };
        let Ok(raw) = self.stack_of(connection, thread, 0, 1).await else {
            return false;
        };
        // What has no file, such as the text of an `eval`, may hold it.
        let Some(top) = raw.frames.first() else {
            return false;
        };
        let path = top.path.as_deref().unwrap_or_default();
        source::read(Path::new(path))
            .is_some_and(|text| holds(&text, top.line, statement) == Some(false))
    }

    /// Whether it stands at what a test has thrown and the user's own code catches, or at what was told
    /// and is thrown once more.
    async fn is_caught(&self) -> bool {
        if !self.watches_test() {
            return false;
        }
        let Some((connection, thread)) = self.at_exception(|_| true) else {
            return false;
        };
        let frames = self.config.shown.frames;
        let Ok(raw) = self.stack_of(connection, thread, 0, frames).await else {
            return false;
        };
        let ours = |frame: &RawFrame| self.is_ours(frame);
        by_own_code(&raw.frames, ours)
            || self.is_thrown_again(connection, thread, &raw.frames).await
    }

    /// Whether it stands where a failing test of Go tells its parent, which is no second failure.
    async fn fails_again(&self) -> bool {
        let stop = {
            let moment = self.moment.lock();
            let watched = moment
                .points
                .all()
                .any(|point| matches!(&point.asked.at, At::Function { name } if name == GO_FAILS));
            let stop = moment.stop.as_ref().filter(|_| watched);
            stop.map(|(connection, stop)| {
                (*connection, stop.reason.contains("breakpoint"), stop.thread)
            })
        };
        let Some((connection, true, Some(thread))) = stop else {
            return false;
        };
        match self.stack_of(connection, thread, 0, 2).await {
            Ok(raw) => {
                raw.frames.len() == 2 && raw.frames.iter().all(|frame| frame.name == GO_FAILS)
            }
            Err(_) => false,
        }
    }

    /// Lets it go on.
    pub(super) async fn pass(&self) -> Result<(), DebugError> {
        let (stops, connection, thread) = {
            let mut moment = self.moment.lock();
            let (stops, connection) = moment.standing()?;
            let thread = moment.stop.as_ref().and_then(|(_, stop)| stop.thread);
            moment.resumed();
            (stops, connection, thread.unwrap_or_default())
        };
        let limit = self.config.limits.request;
        let asked = self
            .ask(connection, "continue", json!({ "threadId": thread }), limit)
            .await;
        match asked {
            Ok(_) => {
                self.turn_to_next();
                Ok(())
            }
            Err(DebugError::Ended(_)) => Ok(()),
            Err(error) => {
                self.moment.lock().not_resumed(stops);
                Err(error)
            }
        }
    }
}

/// What debugpy was taught to remember, and how long it may take to say so.
const TOLD: &str = "__import__('pydevd').get_global_debugger().fourfold_seen.again";
const AGAIN: Duration = Duration::from_secs(3);

/// Exceptions of a test that are passed over at most, and how much of the stack of each is looked at.
const HANDED: usize = 500;
const STACK: usize = 200;

/// Whether an exception has left the user's own code for a library outside of the test, of fixtures and
/// of what a runner of tests calls. Within them it counts: debugpy stops at it once only.
fn is_handed(frames: &[RawFrame], test: &Path, ours: impl Fn(&RawFrame) -> bool) -> bool {
    fn path(frame: &RawFrame) -> &str {
        frame.path.as_deref().unwrap_or_default()
    }
    let in_test = |frame: &RawFrame| {
        Path::new(path(frame)) == test || ours(frame) && path(frame).ends_with("conftest.py")
    };
    if frames.iter().any(in_test) {
        return false;
    }
    let mut outside = frames
        .iter()
        .skip_while(|frame| !ours(frame))
        .skip_while(|frame| ours(frame));
    let runs = [
        "_pytest/fixtures.py",
        "unittest/case.py",
        "unittest/suite.py",
    ];
    // None is a thread of the user's own.
    outside
        .next()
        .is_some_and(|frame| !runs.iter().any(|file| path(frame).ends_with(file)))
}

/// Whether a line, counted from 1, holds a word; nothing when there is no such line.
fn holds(text: &str, line: u32, word: &str) -> Option<bool> {
    let line = text.lines().nth((line as usize).checked_sub(1)?)?;
    let inside = |char: char| char.is_alphanumeric() || char == '_' || char == '$';
    Some(line.split(|char| !inside(char)).any(|one| one == word))
}

/// Whether one of the user's own frames, from the one that threw up to the library that called them,
/// stands in a `try` block with a `catch`.
fn by_own_code(frames: &[RawFrame], ours: impl Fn(&RawFrame) -> bool) -> bool {
    let own = frames.iter().skip_while(|frame| !ours(frame));
    own.take_while(|frame| ours(frame)).any(|frame| {
        let path = frame.path.as_deref().unwrap_or_default();
        source::read(Path::new(path)).is_some_and(|text| is_caught(&text, frame.line, frame.column))
    })
}

/// Whether the place, counted from 1, is inside of a `try` block that a `catch` follows, in the same
/// function or around it. Braces are counted beside strings, templates and comments; a regular
/// expression with a brace or a quote in it can mislead.
fn is_caught(text: &str, line: u32, column: u32) -> bool {
    let at = offset(text, line, column);
    // The open blocks: whether each is that of a `try`, and whether the place is in it.
    let mut open: Vec<(bool, bool)> = Vec::new();
    let mut templates = Vec::new();
    // What a closed `try` block that holds the place waits for.
    let mut closed = false;
    let mut word = String::new();
    let mut here = false;
    let mut chars = text.char_indices().peekable();
    while let Some((index, char)) = chars.next() {
        if !here && index >= at {
            here = true;
            open.iter_mut().for_each(|(_, holds)| *holds = true);
        }
        let next = chars.peek().map(|(_, char)| *char);
        match char {
            '/' if next == Some('/') => while chars.next_if(|(_, char)| *char != '\n').is_some() {},
            '/' if next == Some('*') => {
                let mut last = ' ';
                for (_, char) in chars.by_ref() {
                    if last == '*' && char == '/' {
                        break;
                    }
                    last = char;
                }
            }
            '\'' | '"' => {
                while let Some((_, char)) = chars.next() {
                    match char {
                        '\\' => drop(chars.next()),
                        '\n' => break,
                        char if "'\"".contains(char)
                            && text.as_bytes().get(index) == Some(&(char as u8)) =>
                        {
                            break;
                        }
                        _ => {}
                    }
                }
                word.clear();
            }
            '`' => {
                word.clear();
                template(&mut chars, &mut templates, open.len());
            }
            '{' => {
                open.push((word == "try", false));
                word.clear();
            }
            '}' if templates.last() == Some(&open.len()) => {
                templates.pop();
                template(&mut chars, &mut templates, open.len());
            }
            '}' => {
                closed = matches!(open.pop(), Some((true, true)));
                word.clear();
            }
            char if char.is_whitespace() => {
                if !word.is_empty() && next.is_some_and(char::is_alphanumeric) {
                    word.clear();
                }
            }
            char => {
                if char.is_alphanumeric() || char == '_' || char == '$' {
                    word.push(char);
                } else {
                    word.clear();
                }
                if closed && word == "catch" {
                    return true;
                }
                if closed && !"catch".starts_with(word.as_str()) {
                    closed = false;
                }
            }
        }
    }
    false
}

/// Passes over a template up to its end, or up to an expression in it.
fn template(
    chars: &mut std::iter::Peekable<std::str::CharIndices<'_>>,
    templates: &mut Vec<usize>,
    depth: usize,
) {
    while let Some((_, char)) = chars.next() {
        match char {
            '\\' => drop(chars.next()),
            '`' => return,
            '$' if chars.next_if(|(_, char)| *char == '{').is_some() => {
                templates.push(depth);
                return;
            }
            _ => {}
        }
    }
}

/// The byte of a place, counted from 1.
fn offset(text: &str, line: u32, column: u32) -> usize {
    let line = line.saturating_sub(1) as usize;
    let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    before + column.saturating_sub(1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether what stands at `@` is caught.
    fn caught(text: &str) -> bool {
        let at = text.find('@').unwrap();
        let before = &text[..at];
        let line = before.matches('\n').count() + 1;
        let column = at - before.rfind('\n').map_or(0, |end| end + 1) + 1;
        is_caught(&text.replace('@', "x"), line as u32, column as u32)
    }

    #[test]
    fn only_a_try_with_a_catch_around_it_catches() {
        assert!(caught("try { @() } catch { y() }"));
        assert!(caught(
            "try {\n  if (a) {\n    @()\n  }\n}\n// or not\ncatch (e) {}"
        ));
        assert!(caught(
            "function f() { try { return @ } catch (e) { return 1 } }"
        ));
        assert!(!caught("try { a() } catch (e) { @ }"));
        assert!(!caught("try { @ } finally { z() }"));
        assert!(!caught("try { a() } catch {}\n@()"));
        assert!(!caught("@(); try { a() } catch {}"));
        assert!(caught("try { try { @ } finally { z } } catch {}"));
        assert!(!caught("retry { @ } catch {}"));
    }

    #[test]
    fn what_a_library_is_handed_is_told_from_what_fails_the_test() {
        let frame = |path: &str| RawFrame {
            path: Some(path.to_owned()),
            ..RawFrame::default()
        };
        let handed = |paths: &[&str]| {
            let frames: Vec<RawFrame> = paths.iter().map(|path| frame(path)).collect();
            is_handed(&frames, Path::new("/p/tests/test_a.py"), |frame| {
                frame
                    .path
                    .as_deref()
                    .is_some_and(|path| path.starts_with("/p/"))
            })
        };
        // A module of the user's own that pytest asks for a name.
        assert!(handed(&[
            "/p/src/a.py",
            "/lib/_pytest/compat.py",
            "/lib/_pytest/main.py"
        ]));
        // The same within the test: it is stopped at once, and nobody knows whether it is handled.
        assert!(!handed(&[
            "/p/src/a.py",
            "/lib/json.py",
            "/p/tests/test_a.py"
        ]));
        assert!(!handed(&[
            "/p/src/a.py",
            "/p/tests/test_a.py",
            "/lib/_pytest/python.py"
        ]));
        assert!(!handed(&[
            "/lib/json.py",
            "/p/tests/test_a.py",
            "/lib/_pytest/python.py"
        ]));
        assert!(!handed(&[
            "/p/src/a.py",
            "/p/conftest.py",
            "/lib/_pytest/fixtures.py"
        ]));
        assert!(!handed(&["/p/src/fixtures.py", "/lib/_pytest/fixtures.py"]));
        assert!(!handed(&["/p/tests/base.py", "/lib/unittest/case.py"]));
        assert!(!handed(&["/p/src/worker.py"]), "a thread");
        assert!(!handed(&["/lib/json.py"]));
    }

    #[test]
    fn a_statement_is_a_word_of_its_line() {
        let text = "a();\n  debugger;\nconst debuggers = $debugger;\nif (a) debugger";
        let found: Vec<_> = (0..=5).map(|line| holds(text, line, "debugger")).collect();
        let is = Some;
        assert_eq!(
            found,
            [None, is(false), is(true), is(false), is(true), None]
        );
    }

    #[test]
    fn braces_in_strings_templates_and_comments_are_none() {
        assert!(caught(
            "try { a('}'); b(\"}\\\"\"); /* } */ // }\n @ } catch {}"
        ));
        assert!(caught("try { a(`}${ {b: `}`} }}`); @ } catch {}"));
        assert!(!caught("a('try {'); @; b('} catch')"));
        assert!(!caught("const s = `try { ${ @ } } catch`;"));
    }
}
