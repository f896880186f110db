//! The handles of frames and values: ours, of one stop, and refused after it.

use std::collections::BTreeMap;

use crate::error::DebugError;
use crate::handle::{FrameHandle, ValueHandle};

use super::{Moment, Phase};

/// A frame, as the adapter knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::session) struct FrameRef {
    pub(in crate::session) connection: usize,
    pub(in crate::session) id: i64,
    pub(in crate::session) thread: i64,
}

/// What can be opened, as the adapter knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::session) struct ValueRef {
    pub(in crate::session) connection: usize,
    pub(in crate::session) reference: i64,
    /// How many elements it has, when the adapter says so.
    pub(in crate::session) indexed: Option<u64>,
    /// What it is called, for messages.
    pub(in crate::session) name: String,
    /// Whether it is a secret: what is inside of it is one.
    pub(in crate::session) secret: bool,
    /// The frame and the expression in it that it is the value of, where that has to be known.
    pub(in crate::session) root: Option<(FrameRef, String)>,
}

impl Moment {
    /// The threads that frames were told of, with how many of them to ask for.
    pub(in crate::session) fn known_threads(&self, connection: usize) -> BTreeMap<i64, usize> {
        let mut threads = BTreeMap::new();
        for (level, frame) in &self.frames {
            if frame.connection == connection {
                let levels = threads.entry(frame.thread).or_insert(0);
                *levels = (*levels).max(level + 1);
            }
        }
        threads
    }

    /// What the adapter calls the frames of a thread from now on, the innermost first.
    pub(in crate::session) fn renumber(&mut self, connection: usize, thread: i64, ids: &[i64]) {
        for (level, frame) in &mut self.frames {
            if (frame.connection, frame.thread) == (connection, thread)
                && let Some(id) = ids.get(*level)
            {
                frame.id = *id;
            }
        }
    }

    pub(super) fn forget_handles(&mut self) {
        self.frames.clear();
        self.values.clear();
        self.spent = 0;
        self.focus = None;
    }

    /// The handle of a frame at a place of its stack. It stays the same as long as the program stands,
    /// also where the adapter calls the frame by another number whenever it is asked.
    pub(in crate::session) fn add_frame(&mut self, level: usize, frame: FrameRef) -> FrameHandle {
        let same = |(its, known): &(usize, FrameRef)| {
            *its == level && (known.connection, known.thread) == (frame.connection, frame.thread)
        };
        let number = match self.frames.iter().position(same) {
            Some(number) => {
                if let Some((_, known)) = self.frames.get_mut(number) {
                    known.id = frame.id;
                }
                number
            }
            None => {
                self.frames.push((level, frame));
                self.frames.len() - 1
            }
        };
        FrameHandle {
            stop: self.stops,
            number: number as u32,
        }
    }

    pub(in crate::session) fn add_value(&mut self, value: ValueRef) -> ValueHandle {
        let known = self.values.iter().skip(self.spent).position(|known| {
            known.reference == value.reference && known.connection == value.connection
        });
        let known = known.map(|number| number + self.spent);
        let number = known.unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        });
        ValueHandle {
            stop: self.stops,
            number: number as u32,
        }
    }

    /// What a value is the value of.
    pub(in crate::session) fn root(&mut self, handle: ValueHandle, root: (FrameRef, String)) {
        if handle.stop == self.stops
            && let Some(value) = self.values.get_mut(handle.number as usize)
        {
            value.root = Some(root);
        }
    }

    pub(in crate::session) fn frame(&self, handle: FrameHandle) -> Result<FrameRef, DebugError> {
        self.alive(handle.stop, &handle)?;
        let frame = self.frames.get(handle.number as usize);
        frame
            .map(|(_, frame)| frame.clone())
            .ok_or_else(|| DebugError::UnknownHandle(handle.to_string()))
    }

    pub(in crate::session) fn value(&self, handle: ValueHandle) -> Result<ValueRef, DebugError> {
        self.alive(handle.stop, &handle)?;
        let number = handle.number as usize;
        if number < self.spent {
            return Err(DebugError::Spent(handle.to_string()));
        }
        let value = self.values.get(number);
        value
            .cloned()
            .ok_or_else(|| DebugError::UnknownHandle(handle.to_string()))
    }

    fn alive(&self, stop: u32, handle: &dyn std::fmt::Display) -> Result<(), DebugError> {
        let stands = self.phase == Phase::Stopped;
        if stop > self.stops || stop == 0 {
            Err(DebugError::UnknownHandle(handle.to_string()))
        } else if stop < self.stops || !stands {
            Err(DebugError::Stale {
                handle: handle.to_string(),
                was: stop,
                now: stands.then_some(self.stops),
            })
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{frame, stop};
    use super::*;

    #[test]
    fn handles_die_with_their_stop() {
        let mut moment = Moment::new(100, false);
        moment.resumed();
        assert!(matches!(
            moment.standing(),
            Err(DebugError::NotStopped {
                state: "is running",
                ..
            })
        ));
        moment.stopped(0, stop("breakpoint", ""), false);
        let first = moment.add_frame(0, frame(6));
        assert_eq!(
            moment.add_frame(0, frame(7)),
            first,
            "called by another number"
        );
        assert_ne!(moment.add_frame(1, frame(8)), first);
        assert_eq!(moment.frame(first).unwrap().id, 7);
        moment.resumed();
        assert!(matches!(
            moment.frame(first),
            Err(DebugError::Stale {
                was: 1,
                now: None,
                ..
            })
        ));
        moment.stopped(0, stop("step", ""), false);
        // The adapter uses the same id again: ours is another one.
        let second = moment.add_frame(0, frame(7));
        assert_ne!(first, second);
        assert!(matches!(
            moment.frame(first),
            Err(DebugError::Stale {
                was: 1,
                now: Some(2),
                ..
            })
        ));
        let invented = FrameHandle { stop: 2, number: 9 };
        assert!(matches!(
            moment.frame(invented),
            Err(DebugError::UnknownHandle(_))
        ));
        let future = ValueHandle { stop: 3, number: 0 };
        assert!(matches!(
            moment.value(future),
            Err(DebugError::UnknownHandle(_))
        ));
    }
}
