//! What a test of JavaScript throws: a library that catches it to throw it again, as jest's `expect`
//! and the promises of every runner do, makes no second failure of it.

use serde_json::json;

use crate::protocol::RawFrame;
use crate::result::Exception;

use super::inner::Inner;
use super::reason::read_exception;

/// An exception that was told: what it says, and where it was thrown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Thrown {
    says: Exception,
    /// The throwing place itself.
    top: Place,
    /// The first place of the user's own; none where it was handed on later.
    own: Option<Place>,
}

type Place = (Option<String>, u32, u32);

impl Inner {
    /// Whether it stands at the exception of a test that was told last.
    pub(super) async fn is_thrown_again(
        &self,
        connection: usize,
        thread: i64,
        frames: &[RawFrame],
    ) -> bool {
        let limit = self.config.limits.request;
        let thread = json!({ "threadId": thread });
        let asked = self.ask(connection, "exceptionInfo", thread, limit).await;
        let says = asked.ok().as_ref().and_then(read_exception);
        let thrown = says.and_then(|says| Thrown::read(says, frames, |frame| self.is_ours(frame)));
        let mut moment = self.moment.lock();
        let again = thrown
            .as_ref()
            .zip(moment.thrown.as_ref())
            .is_some_and(|(now, before)| now.is_again(before));
        if !again {
            moment.thrown = thrown;
        }
        again
    }
}

impl Thrown {
    /// Nothing when it does not come by way of a library.
    fn read(
        says: Exception,
        frames: &[RawFrame],
        ours: impl Fn(&RawFrame) -> bool,
    ) -> Option<Self> {
        let place = |frame: &RawFrame| (frame.path.clone(), frame.line, frame.column);
        let top = frames.first().filter(|frame| !ours(frame))?;
        let own = frames.iter().find(|frame| ours(frame));
        Some(Self {
            says,
            top: place(top),
            own: own.map(place),
        })
    }

    /// Whether this is that one thrown again, from another place of a library to the same place of
    /// the user's own, or to none. A second failure there, as of a test that runs for each of many
    /// values, begins where the first one began.
    fn is_again(&self, before: &Self) -> bool {
        let to_the_same = self.own.is_none() || self.own == before.own;
        self.says == before.says && to_the_same && self.top != before.top
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thrown(text: &str, frames: &[(&str, u32)]) -> Option<Thrown> {
        let says = read_exception(&json!({ "exceptionId": "Error", "description": text })).unwrap();
        let frames: Vec<RawFrame> = frames
            .iter()
            .map(|(path, line)| {
                let frame = json!({
                    "id": 1, "name": "f", "line": line, "column": 3, "source": { "path": path },
                });
                RawFrame::read(&frame).unwrap()
            })
            .collect();
        Thrown::read(says, &frames, |frame| {
            frame
                .path
                .as_deref()
                .is_some_and(|path| path.starts_with("/own"))
        })
    }

    #[test]
    fn only_the_same_from_elsewhere_is_thrown_again() {
        let first = thrown(
            "5 is not 6",
            &[("/lib/expect.js", 10), ("/own/cart.js", 11)],
        )
        .unwrap();
        let again = |text: &str, top: u32, own: u32| {
            let frames = [
                ("/lib/expect.js", top),
                ("/lib/run.js", 4),
                ("/own/cart.js", own),
            ];
            thrown(text, &frames).unwrap().is_again(&first)
        };
        assert!(again("5 is not 6", 20, 11));
        assert!(!again("5 is not 6", 10, 11), "the next value of many");
        assert!(!again("5 is not 7", 20, 11), "another exception");
        assert!(!again("5 is not 6", 20, 12), "another place");
        let on = |text: &str| {
            thrown(text, &[("/lib/run.js", 7)])
                .unwrap()
                .is_again(&first)
        };
        assert!(on("5 is not 6") && !on("5 is not 7"));
        assert_eq!(thrown("5 is not 6", &[("/own/cart.js", 11)]), None);
    }
}
