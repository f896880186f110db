//! Threads, those that stand at the same place together.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::time::timeout;

use crate::connection::{Connection, Unanswered};
use crate::error::DebugError;
use crate::result::{More, Page, StackEntry, ThreadGroup, ThreadInfo};

use super::inner::Inner;
use super::look::{read_stack, stack_request};

/// How long other processes of a program that is paused are waited for.
const TOGETHER: Duration = Duration::from_millis(500);

/// Frames of each thread that are asked for when threads are compared.
const THREAD_FRAMES: usize = 20;

impl Inner {
    /// The thread that stopped. Some adapters answer the first question for threads from a cache: a
    /// thread that is missing is asked for again.
    pub(super) async fn stopped_thread(
        &self,
        connection: usize,
        id: Option<i64>,
        threads: &[ThreadInfo],
    ) -> ThreadInfo {
        let among = |threads: &[ThreadInfo]| match id {
            Some(id) => threads.iter().find(|thread| thread.id == id).cloned(),
            None => threads.first().cloned(),
        };
        if let Some(thread) = among(threads) {
            return thread;
        }
        let again = self.threads_of(connection).await.unwrap_or_default();
        among(&again).unwrap_or(ThreadInfo {
            id: id.unwrap_or_default(),
            name: String::new(),
        })
    }

    /// Threads, those with equal stacks together, the larger groups last.
    pub(super) async fn thread_groups(
        &self,
        connection: usize,
    ) -> Result<Page<ThreadGroup>, DebugError> {
        let link = self.connection(connection)?;
        let threads = self.threads_of(connection).await?;
        let total = threads.len();
        let looked = total.min(self.config.limits.threads);
        let limit = self.config.limits.request;
        let mut replies = Vec::new();
        for thread in threads.into_iter().take(looked) {
            let request = stack_request(thread.id, 0, THREAD_FRAMES);
            replies.push((thread, link.post("stackTrace", request)));
        }
        type Key = (Vec<(String, Option<String>, u32)>, Option<String>);
        let mut groups: Vec<(Key, ThreadGroup)> = Vec::new();
        for (thread, reply) in replies {
            let answer = match reply {
                Ok(mut reply) => reply.within(limit).await,
                Err(why) => Err(why),
            };
            let (frames, problem) = match answer {
                Ok(body) => (read_stack(&body, 0, THREAD_FRAMES).frames, None),
                Err(Unanswered::Refused(fault)) => (Vec::new(), Some(fault.message)),
                Err(why) => return Err(self.failed("stackTrace", why).await),
            };
            let key = frames
                .iter()
                .map(|frame| (frame.name.clone(), frame.path.clone(), frame.line))
                .collect();
            let key = (key, problem.clone());
            match groups.iter_mut().find(|(known, _)| *known == key) {
                Some((_, group)) => group.threads.push(thread),
                None => {
                    let stack = self.entries(connection, thread.id, 0, &frames);
                    groups.push((
                        key,
                        ThreadGroup {
                            threads: vec![thread],
                            stack,
                            problem,
                        },
                    ));
                }
            }
        }
        groups.sort_by_key(|(_, group)| group.threads.len());
        Ok(Page {
            items: groups.into_iter().map(|(_, group)| group).collect(),
            start: 0,
            more: match total - looked {
                0 => More::None,
                rest => More::Exactly(rest as u64),
            },
        })
    }

    /// The threads beside the one that a pause shows, with those of other processes that stand; and how many
    /// more there are.
    pub(super) async fn others(
        &self,
        connection: usize,
        shown: i64,
    ) -> Result<(Vec<ThreadGroup>, u64), DebugError> {
        let (mut all, mut rest) = (Vec::new(), 0);
        for part in self.standing_parts(connection).await {
            let within = self.config.limits.locals;
            let mut groups = match timeout(within, self.thread_groups(part)).await {
                Ok(Ok(page)) => {
                    if let More::Exactly(count) = page.more {
                        rest += count;
                    }
                    page.items
                }
                Ok(Err(ended @ DebugError::Ended(_))) => return Err(ended),
                // What cannot be told in time is left out; `threads` tells it.
                Ok(Err(_)) | Err(_) => continue,
            };
            for group in &mut groups {
                let is_shown = |thread: &ThreadInfo| part == connection && thread.id == shown;
                group.threads.retain(|thread| !is_shown(thread));
                group.only_top();
            }
            all.extend(groups);
        }
        all.retain(|group| !group.threads.is_empty());
        // Threads of a library or the runtime, which wait at different places, last.
        all.sort_by_key(|group| !group.is_own());
        Ok((all, rest))
    }

    /// The connections whose stacks can be told now: of those that were paused with this one, the ones
    /// that stand.
    async fn standing_parts(&self, connection: usize) -> Vec<usize> {
        let programs = self.programs();
        if programs.len() > 1 && !self.adapter.stacks_while_running {
            let mut changed = self.changed.subscribe();
            let all = async {
                while self.moment.lock().waiting() + 1 < programs.len() {
                    changed.mark_unchanged();
                    if changed.changed().await.is_err() {
                        break;
                    }
                }
            };
            // One that waits in native code does not stand.
            drop(timeout(TOGETHER, all).await);
        }
        let moment = self.moment.lock();
        let stands = |part: &usize| {
            *part == connection || self.adapter.stacks_while_running || moment.has_stopped(*part)
        };
        programs.into_iter().filter(stands).collect()
    }

    /// After an evaluation that did not come back: whether the adapter still answers.
    pub(super) async fn is_wedged(&self, link: &Arc<Connection>, patience: Duration) -> bool {
        let answer = link.request("threads", Json::Null, patience).await;
        matches!(answer, Err(Unanswered::TimedOut(_)))
    }
}

impl ThreadGroup {
    /// Whether a frame of the user's own is in the stack.
    fn is_own(&self) -> bool {
        let is_own = |entry: &StackEntry| matches!(entry, StackEntry::Frame(frame) if frame.ours);
        self.stack.iter().any(is_own)
    }

    /// Leaves the top alone of a stack that the user has no part in.
    fn only_top(&mut self) {
        if !self.is_own() {
            self.stack.truncate(1);
        }
    }
}
