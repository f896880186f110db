//! What happens while nobody has asked: how far calls are, what servers find late, how servers are.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fourfold_worktree::Control;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::conversation::Conversation;
use crate::lsp;
use crate::verdict::{FixedProblem, Problem};

/// How often it is looked. Default 250 ms: people look, nobody waits.
const LOOK: Duration = Duration::from_millis(250);

/// Something that has happened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A call has got further.
    Progress {
        /// The tool.
        tool: &'static str,
        /// Files that are done with.
        done: usize,
        /// Files that there are.
        total: usize,
    },
    /// Language servers have found something about earlier changes. The next answer of a tool tells
    /// it too.
    Late {
        /// New problems.
        new: Vec<Problem>,
        /// Problems that are gone.
        fixed: Vec<FixedProblem>,
    },
    /// A language server has another state.
    Server {
        /// Its name.
        server: String,
        /// Where it is at work.
        root: PathBuf,
        /// `running`, `starting`, `failed` or `down`.
        state: String,
    },
}

/// The events of a conversation, one after another; see [`Conversation::events`].
///
/// It looks when it is asked: who does not ask costs nothing, and misses what was over meanwhile.
#[derive(Debug)]
pub struct Events {
    conversation: Conversation,
    tick: Option<Interval>,
    told: BTreeMap<u64, usize>,
    servers: BTreeMap<(String, PathBuf), String>,
    queue: VecDeque<Event>,
}

/// A call that goes on.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) number: u64,
    pub(crate) tool: &'static str,
    pub(crate) control: Arc<Control>,
}

impl Conversation {
    /// What happens from now on. Several may listen; each hears of progress and servers, and one of
    /// them of each thing that is found late.
    pub fn events(&self) -> Events {
        Events {
            conversation: self.clone(),
            tick: None,
            told: BTreeMap::new(),
            servers: BTreeMap::new(),
            queue: VecDeque::new(),
        }
    }
}

impl Events {
    /// The next one; it waits until there is one. Within a tokio runtime with time.
    ///
    /// *Cancel safety*: nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Event {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return event;
            }
            let tick = self.tick.get_or_insert_with(|| {
                let mut tick = interval(LOOK);
                tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
                tick
            });
            tick.tick().await;
            self.look();
        }
    }

    fn look(&mut self) {
        let running = self.conversation.inner().running.lock();
        let mut told = BTreeMap::new();
        for call in running.iter() {
            let (done, total) = (call.control.done(), call.control.total());
            let before = self.told.get(&call.number).copied().unwrap_or_default();
            told.insert(call.number, done);
            if total > 0 && done != before {
                self.queue.push_back(Event::Progress {
                    tool: call.tool,
                    done,
                    total,
                });
            }
        }
        drop(running);
        self.told = told;
        let found = self.conversation.look_for_late();
        if !found.new.is_empty() || !found.fixed.is_empty() {
            self.queue.push_back(Event::Late {
                new: found.new,
                fixed: found.fixed,
            });
        }
        let Some(desk) = self.conversation.checkout().desk_if_open() else {
            return;
        };
        let now: BTreeMap<(String, PathBuf), String> = lsp::states(&desk);
        for ((server, root), state) in &now {
            let key = (server.clone(), root.clone());
            if self.servers.get(&key) != Some(state) {
                self.queue.push_back(Event::Server {
                    server: server.clone(),
                    root: root.clone(),
                    state: state.clone(),
                });
            }
        }
        self.servers = now;
    }
}
