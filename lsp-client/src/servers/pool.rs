//! Lives of servers, started when they are needed, shared, and ended when they are not.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::select;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use crate::detect::Launchable;

use super::history::History;
use super::slot::{Key, Lease, Slot, State, Task, Up, Usage};
use super::{PoolConfig, ServerState, ServerStatus, Unavailable};

/// What the pool needs of a running server.
pub(super) trait Life: Send + Sync + 'static {
    /// How it ended, when it has.
    fn has_ended(&self) -> Option<String>;
    /// Waits for its end, and says how it was.
    fn ended(&self) -> impl Future<Output = String> + Send;
    /// Ends it.
    fn shutdown(&self) -> impl Future<Output = ()> + Send;
}

/// Who starts them.
pub(super) trait Starter: Send + Sync + 'static {
    type Life: Life;
    /// Starts one; an error in words. When the future is dropped, nothing is left.
    fn start(
        &self,
        launchable: Launchable,
        generation: u64,
    ) -> impl Future<Output = Result<Self::Life, String>> + Send;
}

/// The servers of a host.
#[derive(Debug)]
pub(super) struct Pool<S: Starter> {
    starter: Arc<S>,
    shared: Arc<Shared<S::Life>>,
}

#[derive(Debug)]
struct Shared<L> {
    config: PoolConfig,
    table: Mutex<Table<L>>,
    /// Says that something in the table is different now.
    changed: watch::Sender<()>,
}

#[derive(Debug)]
struct Table<L> {
    slots: BTreeMap<Key, Slot<L>>,
    /// How many lives there were.
    generations: u64,
    closed: bool,
}

/// What comes of asking for a lease.
enum Asked<L> {
    Leased(Lease<L>),
    /// Something is under way.
    Wait {
        generation: u64,
        /// Held while waiting, so that what has just started is not ended to make room.
        _usage: Option<Arc<Usage>>,
    },
}

impl<S: Starter> Pool<S> {
    pub(super) fn new(starter: S, config: PoolConfig) -> Self {
        Self {
            starter: Arc::new(starter),
            shared: Arc::new(Shared {
                config,
                table: Mutex::new(Table {
                    slots: BTreeMap::new(),
                    generations: 0,
                    closed: false,
                }),
                changed: watch::Sender::new(()),
            }),
        }
    }

    pub(super) fn starter(&self) -> &S {
        &self.starter
    }

    /// The running server, started when there is none. When the future is dropped, a start goes on.
    pub(super) async fn lease(
        &self,
        launchable: &Launchable,
    ) -> Result<Lease<S::Life>, Unavailable> {
        let key = Key::of(launchable);
        let mut changed = self.shared.changed.subscribe();
        let mut asked = Asked::Wait {
            generation: 0,
            _usage: None,
        };
        loop {
            changed.mark_unchanged();
            let waited_for = match asked {
                Asked::Leased(lease) => return Ok(lease),
                Asked::Wait { generation, .. } => generation,
            };
            asked = self.ask(&key, launchable, waited_for)?;
            if matches!(asked, Asked::Wait { .. }) && changed.changed().await.is_err() {
                return Err(Unavailable::ShutDown);
            }
        }
    }

    /// Begins a start that is needed, and keeps what comes of it as long as this is held.
    pub(super) fn begin(&self, launchable: &Launchable) -> impl Sized + use<S> {
        self.ask(&Key::of(launchable), launchable, 0)
    }

    fn ask(
        &self,
        key: &Key,
        launchable: &Launchable,
        waited_for: u64,
    ) -> Result<Asked<S::Life>, Unavailable> {
        let mut table = self.shared.table.lock();
        if table.closed {
            return Err(Unavailable::ShutDown);
        }
        let slot = table.slots.entry(key.clone()).or_default();
        // Whoever watches it may not have come round to it yet.
        if let State::Up(up) = &slot.state
            && let Some(why) = up.life.has_ended()
        {
            let up_for = up.since.elapsed();
            self.shared.died(key, slot, why, Some(up_for));
        }
        match &slot.state {
            State::Up(up) => return Ok(Asked::Leased(up.lease())),
            State::Starting { usage, .. } => {
                return Ok(Asked::Wait {
                    generation: slot.generation,
                    _usage: Some(Arc::clone(usage)),
                });
            }
            State::Stopping => {
                return Ok(Asked::Wait {
                    generation: slot.generation,
                    _usage: None,
                });
            }
            State::Down => self.shared.may_start(key, slot, waited_for)?,
        }
        let room = self.make_room(&mut table, key)?;
        table.generations += 1;
        let generation = table.generations;
        let slot = table.slots.entry(key.clone()).or_default();
        let usage = Usage::new();
        slot.generation = generation;
        slot.state = State::Starting {
            since: Instant::now(),
            usage: Arc::clone(&usage),
            _start: self.start(key.clone(), launchable.clone(), generation, room),
        };
        Ok(Asked::Wait {
            generation,
            _usage: Some(usage),
        })
    }

    /// Ends the idle server that was unused for longest, when there are too many.
    fn make_room(
        &self,
        table: &mut Table<S::Life>,
        key: &Key,
    ) -> Result<Option<JoinHandle<()>>, Unavailable> {
        let live = table.slots.values().filter(|slot| slot.live()).count();
        if live < self.shared.config.live {
            return Ok(None);
        }
        let idle = table
            .slots
            .iter_mut()
            .filter_map(|(key, slot)| match &slot.state {
                State::Up(up) if !up.in_use() => Some((up.usage.last(), key, slot)),
                _ => None,
            })
            .min_by_key(|(last, _, _)| *last);
        match idle {
            Some((_, key, slot)) => Ok(self.shared.stop(key, slot, "room for another")),
            None => Err(Unavailable::Full {
                server: key.server.clone(),
                live,
                servers: table
                    .slots
                    .iter()
                    .filter(|(_, slot)| slot.live())
                    .map(|(key, _)| format!("{} in {}", key.server, key.root.display()))
                    .collect(),
            }),
        }
    }

    fn start(
        &self,
        key: Key,
        launchable: Launchable,
        generation: u64,
        room: Option<JoinHandle<()>>,
    ) -> Task {
        let starter = Arc::clone(&self.starter);
        let shared = Arc::downgrade(&self.shared);
        let config = &self.shared.config;
        let idle = if launchable.server.heavy {
            config.idle_heavy
        } else {
            config.idle
        };
        Task(tokio::spawn(async move {
            if let Some(room) = room {
                // A stop that panicked has stopped as well.
                let _ = room.await;
            }
            tracing::info!(server = key.server, root = %key.root.display(), generation, "starting");
            let started = starter.start(launchable, generation).await;
            if let Some(shared) = shared.upgrade() {
                shared.started(&key, generation, started, idle);
            }
        }))
    }

    /// Ends servers, of this name or all, and forgets what went wrong with them. They start again
    /// when they are needed.
    pub(super) async fn reload(&self, server: Option<&str>) -> usize {
        let mut stops = Vec::new();
        let mut count = 0;
        {
            let mut table = self.shared.table.lock();
            for (key, slot) in &mut table.slots {
                if server.is_some_and(|server| server != key.server) {
                    continue;
                }
                count += usize::from(slot.live() || slot.history.deaths() > 0);
                slot.history = History::default();
                stops.extend(self.shared.stop(key, slot, "reload"));
            }
        }
        self.shared.changed.send_replace(());
        for stop in stops {
            let _ = stop.await;
        }
        count
    }

    /// Ends all, for good.
    pub(super) async fn shutdown(&self) {
        let stops: Vec<_> = {
            let mut table = self.shared.table.lock();
            table.closed = true;
            table
                .slots
                .iter_mut()
                .filter_map(|(key, slot)| self.shared.stop(key, slot, "the end"))
                .collect()
        };
        self.shared.changed.send_replace(());
        for stop in stops {
            let _ = stop.await;
        }
        // And those that were being ended before.
        let mut changed = self.shared.changed.subscribe();
        let stopping = |slot: &Slot<_>| matches!(slot.state, State::Stopping);
        while self.shared.table.lock().slots.values().any(stopping) {
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    /// What there is, with the running lives.
    pub(super) fn status(&self) -> Vec<(ServerStatus, Option<Arc<S::Life>>)> {
        let table = self.shared.table.lock();
        let now = Instant::now();
        let entries = table.slots.iter().map(|(key, slot)| {
            let life = match &slot.state {
                State::Up(up) => Some(Arc::clone(&up.life)),
                _ => None,
            };
            let state = match &slot.state {
                State::Starting { since, .. } => ServerState::Starting {
                    since: now.duration_since(*since),
                },
                State::Stopping => ServerState::Stopping,
                State::Up(up) => ServerState::Up {
                    since: now.duration_since(up.since),
                    proven: now.duration_since(up.since) >= self.shared.config.proven,
                    idle: (!up.in_use()).then(|| now.duration_since(up.usage.last())),
                },
                State::Down => match slot.history.last() {
                    Some(death) if slot.history.off() => ServerState::Off {
                        why: death.why.clone(),
                    },
                    Some(death) => ServerState::Failed {
                        why: death.why.clone(),
                        again_in: death.not_before.saturating_duration_since(now),
                    },
                    None => ServerState::Down,
                },
            };
            let status = ServerStatus {
                server: key.server.clone(),
                root: key.root.clone(),
                generation: slot.generation,
                state,
                deaths: slot.history.deaths(),
                doing: Vec::new(),
            };
            (status, life)
        });
        entries.collect()
    }
}

impl<L: Life> Shared<L> {
    /// Whether a new life may begin now.
    fn may_start(&self, key: &Key, slot: &Slot<L>, waited_for: u64) -> Result<(), Unavailable> {
        let Some(death) = slot.history.last() else {
            return Ok(());
        };
        if slot.history.off() {
            return Err(Unavailable::Off {
                server: key.server.clone(),
                root: key.root.clone(),
                deaths: slot.history.deaths(),
                why: death.why.clone(),
            });
        }
        let again_in = death.not_before.saturating_duration_since(Instant::now());
        // Who waited for the life that failed is told so, however late it looks.
        if again_in > Duration::ZERO || death.generation == waited_for {
            return Err(Unavailable::Failed {
                server: key.server.clone(),
                root: key.root.clone(),
                why: death.why.clone(),
                again_in,
            });
        }
        Ok(())
    }

    /// The end of a start.
    fn started(
        self: &Arc<Self>,
        key: &Key,
        generation: u64,
        started: Result<L, String>,
        idle: Duration,
    ) {
        {
            let mut table = self.table.lock();
            let Some(slot) = current(&mut table, key, generation) else {
                return;
            };
            let State::Starting { usage, .. } = &slot.state else {
                return;
            };
            let usage = Arc::clone(usage);
            match started {
                Ok(life) => {
                    let life = Arc::new(life);
                    usage.touch();
                    slot.state = State::Up(Up {
                        life: Arc::clone(&life),
                        usage: Arc::clone(&usage),
                        since: Instant::now(),
                        watch: self.watch(key.clone(), generation, life, usage, idle),
                    });
                }
                Err(why) => self.died(key, slot, why, None),
            }
        }
        self.changed.send_replace(());
    }

    /// Waits for the end of a life, and ends it when it is idle.
    fn watch(
        self: &Arc<Self>,
        key: Key,
        generation: u64,
        life: Arc<L>,
        usage: Arc<Usage>,
        idle: Duration,
    ) -> Task {
        let shared: Weak<Self> = Arc::downgrade(self);
        let check = self.config.check;
        Task(tokio::spawn(async move {
            let mut look = usage.last() + idle;
            loop {
                select! {
                    why = life.ended() => {
                        if let Some(shared) = shared.upgrade() {
                            shared.ended(&key, generation, why);
                        }
                        return;
                    }
                    () = sleep_until(look) => {}
                }
                let Some(shared) = shared.upgrade() else {
                    return;
                };
                if shared.sweep(&key, generation, idle) {
                    return;
                }
                // In use now, or used since.
                look = (usage.last() + idle).max(Instant::now() + check);
            }
        }))
    }

    /// The end of a life that was up.
    fn ended(&self, key: &Key, generation: u64, why: String) {
        {
            let mut table = self.table.lock();
            let Some(slot) = current(&mut table, key, generation) else {
                return;
            };
            let State::Up(up) = &slot.state else {
                return;
            };
            let up_for = up.since.elapsed();
            self.died(key, slot, why, Some(up_for));
        }
        self.changed.send_replace(());
    }

    fn died(&self, key: &Key, slot: &mut Slot<L>, why: String, up_for: Option<Duration>) {
        tracing::warn!(
            server = key.server, root = %key.root.display(), generation = slot.generation, ?up_for,
            why, "ended"
        );
        slot.state = State::Down;
        slot.history
            .died(slot.generation, why, up_for, &self.config);
    }

    /// Ends a life that is idle; whether that was so.
    fn sweep(self: &Arc<Self>, key: &Key, generation: u64, idle: Duration) -> bool {
        let mut table = self.table.lock();
        let Some(slot) = current(&mut table, key, generation) else {
            return true;
        };
        match &slot.state {
            State::Up(up) if up.in_use() || up.usage.last().elapsed() < idle => false,
            _ => {
                drop(self.stop(key, slot, "idle"));
                true
            }
        }
    }

    /// Begins to end whatever is there, by a task of its own, which ends in any case.
    fn stop(
        self: &Arc<Self>,
        key: &Key,
        slot: &mut Slot<L>,
        reason: &str,
    ) -> Option<JoinHandle<()>> {
        let up = match mem::replace(&mut slot.state, State::Stopping) {
            State::Up(up) => up,
            State::Stopping => return None,
            State::Down | State::Starting { .. } => {
                slot.state = State::Down;
                return None;
            }
        };
        let generation = slot.generation;
        tracing::info!(
            server = key.server, root = %key.root.display(), generation, reason, "stopping"
        );
        let shared = Arc::downgrade(self);
        let key = key.clone();
        Some(tokio::spawn(async move {
            let Up { life, watch, .. } = up;
            drop(watch);
            life.shutdown().await;
            drop(life);
            let Some(shared) = shared.upgrade() else {
                return;
            };
            if let Some(slot) = current(&mut shared.table.lock(), &key, generation) {
                slot.state = State::Down;
            }
            shared.changed.send_replace(());
        }))
    }
}

/// The slot, as long as this life is its newest.
fn current<'a, L>(
    table: &'a mut MutexGuard<'_, Table<L>>,
    key: &Key,
    generation: u64,
) -> Option<&'a mut Slot<L>> {
    table
        .slots
        .get_mut(key)
        .filter(|slot| slot.generation == generation)
}
